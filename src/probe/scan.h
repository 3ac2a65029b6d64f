/* Searching large files for a piece of text, in chunks. */
#ifndef PROBE_SCAN_H
#define PROBE_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "machine/machine.h"

/* Is called with each chunk until it says true; consecutive chunks share some bytes. Only the last
 * one may be smaller than SCAN_CHUNK. */
enum { SCAN_CHUNK = 32 * 1024 };
typedef bool (*scan_found)(void *data, const char *chunk, size_t size);

/* Searches at most the first `cap` bytes; chunks share `overlap` bytes (the longest text that is
 * looked for). 1 found, 0 not, or a negative errno. */
int scan_file(const struct machine *machine, const char *path, size_t cap, size_t overlap,
              scan_found found, void *data);

/* The same for a program: its sections of constants alone, where the headers tell them (of the 30
 * MB of nvcc these are 3), else all of it. */
int scan_program(const struct machine *machine, const char *path, size_t cap, size_t overlap,
                 scan_found found, void *data);

#endif
