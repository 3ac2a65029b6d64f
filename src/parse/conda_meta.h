/* conda-meta/NAME-VERSION-BUILD.json: what conda knows of an installed package. Such a file can be
 * 10 MB, nearly all of it the lists `files` and `paths_data`, so it is scanned as it streams by and
 * only a few keys of the outermost object are kept. Keys come in alphabetical order in real files,
 * `name` and `version` behind the lists. */
#ifndef PARSE_CONDA_META_H
#define PARSE_CONDA_META_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/opt.h"
#include "parse/byte_source.h"

struct conda_words {
    const char **items;
    size_t count, capacity;
};

struct conda_meta {
    const char *name;    /* never NULL after success */
    const char *version; /* never NULL after success */
    const char *build;
    const char *channel;  /* as it stands in the file; conda_channel() reduces it */
    const char *noarch;   /* "python" or "generic"; NULL where it is not told */
    const char *subdir;   /* platform of the channel: "linux-64", "noarch" */
    struct opt requested; /* 1 where the user asked for it, 0 where a dependency did */
    struct conda_words depends, constrains;
};

/* Scans to the end of the object, so that a file that was cut is told from a whole one. 0;
 * -EBADMSG: no JSON object, cut, or without name or version; -EFBIG: more than 256 MiB; or what the
 * source said. Strings come from `arena`, the arrays are the caller's: conda_meta_done(), also
 * after an error. */
int conda_meta_scan(const struct byte_source *source, struct arena *arena, struct conda_meta *ret);
void conda_meta_done(struct conda_meta *meta);

/* The name of a channel, without address, credentials, token and platform:
 * "https://conda.anaconda.org/t/tk-1/conda-forge/linux-64" is "conda-forge", "pkgs/main" is
 * "defaults"; a label stays, as in "nvidia/label/cuda-12.4.0". NULL where there is none. */
char *conda_channel(const char *channel, struct arena *arena);

/* What `depends`, `constrains` and a line of conda-meta/pinned hold: "cuda-version >=12.4,<13",
 * "pytorch 2.5.* *cuda*", "numpy=1.26=py*", "conda-forge::numpy[version='>=1.2',build=py*]". */
struct conda_spec {
    const char *name;      /* lower case, otherwise as conda writes it ("__cuda", "python_abi") */
    const char *specifier; /* version; "" takes any; "=1.26" is "1.26.*" unless a build follows */
    const char *build;     /* pattern of build strings; NULL takes any */
};
/* False for what is no such text. Strings come from `arena`. */
bool conda_spec_parse(const char *text, struct arena *arena, struct conda_spec *ret);

/* Name of the package; *ret_specifier is version and build with a blank between ("" where it takes
 * any). NULL for what is no package. */
char *conda_dependency(const char *depend, struct arena *arena, const char **ret_specifier);

#endif
