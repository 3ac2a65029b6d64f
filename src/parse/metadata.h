/* METADATA and PKG-INFO: the headers of an installed distribution (core metadata specification,
 * e-mail headers up to the first blank line), with requirements as the dependency specifier
 * standard (PEP 508) writes them. */
#ifndef PARSE_METADATA_H
#define PARSE_METADATA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* More headers than these, in bytes, nobody reads. */
enum { METADATA_HEAD_MAX = 256 * 1024 };

struct metadata_requirement {
    const char *name;      /* normalised */
    const char *extras;    /* "cuda12,tpu", in brackets behind the name; NULL without */
    const char *specifier; /* ">=2.1,<3"; "" takes any version; NULL for a requirement by address */
    const char *marker;    /* as written; NULL without */
    const char *extra;     /* of "extra == 'NAME'" in the marker, normalised; NULL without */
};

struct metadata {
    const char *name;    /* normalised; NULL: missing or no valid name */
    const char *version; /* NULL: missing, or with characters that no version has */
    /* The version stands on the last line, which has no end: the file may have been cut in it. */
    bool is_version_cut;
    bool is_cut; /* there are more headers or requirements than are taken */
    struct metadata_requirement *requirements;
    size_t requirement_count, requirement_capacity;
};

/* Offset behind the headers (at the blank line); `length` when the blank line is not in it. */
size_t metadata_headers_end(const char *data, size_t length);

/* Reads headers. Strings come from `arena`, the array is the caller's: metadata_done(). A
 * requirement that cannot be read is left out, and so is one on an unfinished last line. */
void metadata_parse(const char *data, size_t length, struct arena *arena, struct metadata *ret);
void metadata_done(struct metadata *metadata);

/* Adds one requirement as PEP 508 writes it ("jax[cuda12]>=0.4 ; extra == 'gpu'"); false, and
 * nothing added, when it is none or there are too many. */
bool metadata_add_requirement(struct metadata *metadata, const char *text, struct arena *arena);

/* Lower case, runs of "-", "_" and "." become one "-" (PEP 503). NULL for what is no name of a
 * distribution. */
char *normalise_name(const char *name, size_t length, struct arena *arena);

#endif
