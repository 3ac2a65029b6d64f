/* Growing text, and the predicates on text that several rooms need. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

/* A growing string. Zero-initialise; `data` is NULL or NUL-terminated; owned until text_done(). */
struct text {
    char *data;
    size_t length, capacity;
};

void text_add(struct text *text, const char *more);
void text_add_bytes(struct text *text, const void *bytes, size_t length);
void text_add_char(struct text *text, char c);
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_clear(struct text *text);            /* keeps the memory */
const char *text_get(const struct text *text); /* never NULL */
void text_done(struct text *text);
#define CLEANUP_TEXT CLEANUP(text_done)

/* Bytes with a length, as read from a file: not NUL-safe, but data[length] is always NUL. */
struct bytes {
    char *data;
    size_t length;
};
void bytes_done(struct bytes *bytes);
/* Gives back what was allocated beyond the length, where many are kept. */
void bytes_fit(struct bytes *bytes);
#define CLEANUP_BYTES CLEANUP(bytes_done)

bool text_equal(const char *a, const char *b); /* NULL equals only NULL */
bool text_starts(const char *text, const char *prefix);
bool text_ends(const char *text, const char *suffix);

/* Steps through lines of a buffer: sets line and length (without "\n" or "\r\n"); false at the end.
 * *cursor starts as 0. */
bool text_next_line(const char *data, size_t size, size_t *cursor, const char **line,
                    size_t *length);

/* Whether the bytes are well-formed UTF-8 without NUL. */
bool utf8_valid(const char *data, size_t length);

/* Decodes one code point at *cursor (advanced); a malformed byte gives U+FFFD and advances by one.
 */
uint32_t utf8_next(const char *data, size_t length, size_t *cursor);

/* The bytes as UTF-8, appended to `out`: each that is malformed becomes \xNN, and so does a
 * backslash that would read as the start of one. */
void text_add_bytes_named(struct text *out, const char *data, size_t length);
/* And the bytes that such text was made of. */
void text_add_bytes_meant(struct text *out, const char *data, size_t length);

/* A copy of the bytes that is valid UTF-8 without control characters: malformed bytes, C0/C1
 * controls, bidirectional overrides, NUL and a backslash that would read as the start of one of
 * these become \xNN or \u{N}. Not for what is safe already: its backslashes change. Appended to
 * `out`. Newline and tab are kept when `keep_lines`. Safe for a terminal. */
void text_add_safe(struct text *out, const char *data, size_t length, bool keep_lines);

/* The bytes as they stand where they are UTF-8, else made safe, with newlines and tabs kept: what
 * JSON can hold. */
void text_add_utf8(struct text *out, const char *data, size_t length);

/* Columns the text takes on a terminal (wcwidth-like for the common ranges). */
size_t utf8_width(const char *text);

#endif
