/* conda-meta/NAME-VERSION-BUILD.json: what conda knows of an installed package. Such a file can be
 * 10 MB, nearly all of it the lists `files` and `paths_data`, so it is scanned as it streams by and
 * only a few keys of the outermost object are kept. Keys come in alphabetical order in real files,
 * `name` and `version` behind the lists. */
#ifndef PARSE_CONDA_META_H
#define PARSE_CONDA_META_H

#include <stddef.h>
#include <sys/types.h>

#include "base/arena.h"

struct conda_meta {
    const char *name;    /* never NULL after success */
    const char *version; /* never NULL after success */
    const char *build;
    const char *channel; /* as it stands in the file; conda_channel() reduces it */
    const char **depends;
    size_t depend_count, depend_capacity;
};

struct byte_source {
    /* Like read(): 0 at the end, negative errno on error. */
    ssize_t (*read)(void *context, void *buffer, size_t size);
    void *context;
};

/* Scans until all keys were seen or the object ends. 0; -EBADMSG: no JSON object, cut, or without
 * name or version; -EFBIG: more than 256 MiB; or what the source said. Strings come from `arena`,
 * the array is the caller's: conda_meta_done(), also after an error. */
int conda_meta_scan(const struct byte_source *source, struct arena *arena, struct conda_meta *ret);
void conda_meta_done(struct conda_meta *meta);

/* The name of a channel, without address, credentials, token, label and platform:
 * "https://conda.anaconda.org/t/tk-1/conda-forge/linux-64" is "conda-forge", "pkgs/main" is
 * "defaults". NULL where there is none. */
char *conda_channel(const char *channel, struct arena *arena);

/* One entry of `depends`: "cuda-version >=12.4,<13" is a name and a specifier ("" where it takes
 * any). The name is in lower case, otherwise as conda writes it ("__cuda", "python_abi"). NULL for
 * what is no package. */
char *conda_dependency(const char *depend, struct arena *arena, const char **ret_specifier);

#endif
