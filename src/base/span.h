/* Spans: pieces of somebody else's buffer, which need not end in NUL. */
#ifndef BASE_SPAN_H
#define BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
    const char *data; /* borrowed */
    size_t length;
};

/* The next line, without its end; false at the end of the data. *cursor starts as 0. */
bool span_line(const char *data, size_t size, size_t *cursor, struct span *ret);
/* The next word between blanks (and ends of lines); *rest is advanced behind it. False when none is
 * left. */
bool span_word(struct span *rest, struct span *ret);
/* The field before the next `separator` (or the end); false when *rest was used up before. */
bool span_split(struct span *rest, char separator, struct span *ret);
/* Advances over the prefix; false, and nothing changed, when it is not there. */
bool span_cut_prefix(struct span *span, const char *prefix);
/* Advances behind the first occurrence of the text; false likewise. */
bool span_cut_after(struct span *span, const char *text);
/* Without blanks at both ends. */
struct span span_trim(struct span span);
bool span_equal(struct span span, const char *text);
bool span_has(struct span span, const char *text);
/* A decimal number of at most `most` and nothing else. */
bool span_number(struct span span, uint64_t most, uint64_t *ret);
bool span_uint32(struct span span, uint32_t *ret);

#endif
