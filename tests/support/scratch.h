/* A temporary folder to lay a small tree out in. Every failure ends the test. */
#ifndef TESTS_SCRATCH_H
#define TESTS_SCRATCH_H

#include <stddef.h>
#include <sys/types.h>

/* A new empty folder; the caller removes it with scratch_remove(), which also frees the name. */
char *scratch_new(void);
void scratch_remove(char *root);

/* Paths are relative to the root; folders on the way are made. */
void scratch_folder(const char *root, const char *path);
void scratch_write(const char *root, const char *path, const char *text);
void scratch_write_bytes(const char *root, const char *path, const void *bytes, size_t size);
void scratch_link(const char *root, const char *path, const char *target);
void scratch_fifo(const char *root, const char *path);
void scratch_socket(const char *root, const char *path);
/* Descriptors that this process has open. */
size_t scratch_open_files(void);
/* Children that this process has, zombies too. */
size_t scratch_children(void);

#endif
