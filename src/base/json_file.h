/* Reading JSON documents that a user names: bounded, and never from what is not a file. */
#ifndef BASE_JSON_FILE_H
#define BASE_JSON_FILE_H

#include <jansson.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"

enum { JSON_FILE_CAP = 256 * 1024 * 1024 };

/* Reads a whole regular file that a user names (not one of the inspected machine), at most `cap`
 * bytes. Never waits for a FIFO. 0 or a negative errno with "PATH: reason". */
int file_read(const char *path, size_t cap, struct bytes *ret, struct error *err);

/* Reads at most JSON_FILE_CAP bytes and parses them; *ret is owned by the caller. An error names
 * file, line and column. */
int json_read_file(const char *path, json_t **ret, struct error *err);

static inline void cleanup_json(json_t **json)
{
    json_decref(*json);
}
#define CLEANUP_JSON CLEANUP(cleanup_json)

#endif
