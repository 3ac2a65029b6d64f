/* Pieces of a line that lives in somebody else's buffer. */
#ifndef MACHINE_SPAN_H
#define MACHINE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
    const char *data; /* borrowed, not NUL-terminated */
    size_t length;
};

/* The next field between blanks, from *rest, which is advanced behind it; false when none is left.
 */
bool span_field(struct span *rest, struct span *ret);
/* The field before the next `separator` (or the end); false when *rest was used up before. */
bool span_split(struct span *rest, char separator, struct span *ret);
/* Without blanks at both ends. */
struct span span_trim(struct span span);
bool span_equal(struct span span, const char *text);
/* A decimal number of 32 bits and nothing else. */
bool span_number(struct span span, uint32_t *ret);

#endif
