/* A JSON text scanned as it streams by: for files of many megabytes of which only a few strings are
 * wanted. What is passed over is checked only as far as its brackets and quotes go. */
#ifndef PARSE_JSON_SCAN_H
#define PARSE_JSON_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "parse/byte_source.h"

enum { JSON_SCAN_CHUNK = 64 * 1024 };
#define JSON_SCAN_MAX ((uint64_t)256 << 20)

struct json_scan {
    const struct byte_source *source;
    int error; /* sticky: -EBADMSG, -EFBIG beyond JSON_SCAN_MAX, or what the source said */
    uint64_t total;
    size_t at, size;
    char *chunk;      /* JSON_SCAN_CHUNK bytes, the caller's */
    struct text word; /* the string that was read last; text_done() is the caller's */
};

/* The byte at hand; -1 at the end. */
int json_scan_peek(struct json_scan *scan);
/* The byte at hand after blanks; it is not taken. */
int json_scan_blanks(struct json_scan *scan);
/* Sets -EBADMSG where there is no error yet; false. */
bool json_scan_fail(struct json_scan *scan);
/* Passes over a value of any kind. */
bool json_scan_skip(struct json_scan *scan);
/* Reads a string of at most 4096 bytes into scan->word, from its opening quote on. */
bool json_scan_string(struct json_scan *scan);

#endif
