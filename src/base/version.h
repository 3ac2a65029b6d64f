/* Dotted number versions with a fixed number of fields, and the integer key that orders them. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#include <stdbool.h>
#include <stdint.h>

enum version_kind {
    VERSION_DRIVER, /* "570.86.10": a*1000000 + b*1000 + c; a missing field is 0 */
    VERSION_KERNEL, /* "6.8.0-60-generic": as driver, text after the third field ignored */
    VERSION_CUDA,   /* "12.8" or "12.8.1": major*100 + minor; the patch level does not order */
    VERSION_CC,     /* compute capability "9.0": major*100 + minor */
    VERSION_GLIBC,  /* "2.39": major*100 + minor */
};

/* The key of a version text; false when the text is NULL or not such a version, or a field is too
 * large for its place (so two versions never share a key by overflow). */
bool version_key(enum version_kind kind, const char *text, int64_t *ret_key);

#endif
