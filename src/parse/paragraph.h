/* Package databases made of paragraphs: fields of one line each, paragraphs apart by an empty line.
 * dpkg's status ("Package: nvidia-dkms-580") and apk's installed ("P:musl") are such. */
#ifndef PARSE_PARAGRAPH_H
#define PARSE_PARAGRAPH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

/* The next paragraph from *cursor on (starts as 0); false at the end of the data. The last one need
 * not be followed by an empty line: whether it is whole, the caller knows. */
bool paragraph_next(const char *data, size_t size, size_t *cursor, struct span *ret);

/* Bytes of `data` up to and with the last end of a paragraph; 0 where none ends in it. */
size_t paragraph_whole(const char *data, size_t size);

/* The value of the field, without blanks around it: `key` is with its colon ("Version:"). A field
 * goes on in lines that begin with a blank; only its first line is given. False when it is not
 * there. */
bool paragraph_field(struct span paragraph, const char *key, struct span *ret);

/* What dpkg's Status says ("install ok installed"): "installed", "removed" (its configuration files
 * are left), "broken" (half installed or half configured) or "held". NULL for one that is not
 * installed, or that is no such text. */
const char *dpkg_state(struct span status);

#endif
