/* A database file that is an image in memory: SQLite reads the image where it lies, and what it
 * writes goes beside it. Copying two megabytes ahead of each run took longer than reading what a
 * run needs of them. */
#ifndef ENGINE_IMAGE_FILE_H
#define ENGINE_IMAGE_FILE_H

#include <stddef.h>

#include <sqlite3.h>

struct image_file;

/* Opens a database on the image (borrowed until image_file_free()). An SQLite code; *ret_db must be
 * closed either way, as sqlite3_open_v2() has it. */
int image_file_open(const void *image, size_t size, struct image_file **ret, sqlite3 **ret_db);
/* After the database was closed. NULL is fine. */
void image_file_free(struct image_file *file);

#endif
