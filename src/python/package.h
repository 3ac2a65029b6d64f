/* The kinds of package records; package.c goes through the environments. Every function takes a
 * context whose arena is good for the one call only: an environment can hold thousands of
 * packages, and their rows are in the facts. */
#ifndef PYTHON_PACKAGE_H
#define PYTHON_PACKAGE_H

#include <stdint.h>

#include "machine/machine.h"
#include "parse/metadata.h"
#include "probe/probe.h"

#define PACKAGE_FILLS "package requirement framework shared_file"

/* What all environments together may cost, whose links may make few files look like many. Bytes of
 * conda's records, which are passed over quickly, count as one, those of others as eight. */
enum { PACKAGE_RECORDS_MAX = 200 * 1000, PACKAGE_LINKS_MAX = 64 };
#define PACKAGE_BYTES_MAX ((uint64_t)2 << 30)
struct package_budget {
    size_t records;
    uint64_t bytes;
    /* Records that .egg-links of the environment at hand have led to, which a .pth file may lead to
     * once more. Of `arena`, that of the environment. */
    struct arena *arena;
    const char *linked[PACKAGE_LINKS_MAX];
    size_t linked_count;
};
static inline bool package_afford(struct package_budget *budget)
{
    return budget->bytes < PACKAGE_BYTES_MAX && budget->records++ < PACKAGE_RECORDS_MAX;
}

/* A site folder that is gone through. */
struct package_site {
    struct package_budget *budget;
    const char *environment_id, *path;
    struct dir_list names;
    bool has_dead_links;  /* records that are links into nothing: the first one was told of */
    struct opt has_marks; /* whether any distribution of it has REQUESTED; looked up on demand */
};

/* package_files.c: what a dist-info folder says of its distribution. Read apart from what is made
 * of it, so that many can be read at once, in threads. */
struct package_file {
    int code; /* negative errno, and no bytes */
    struct bytes bytes;
};
struct package_files {
    struct package_file metadata; /* its headers; where they cannot be read, the rest is not */
    struct package_file installer, wheel, direct_url;
    uint64_t cost; /* for the budget */
};
void package_files_read(const struct machine *machine, const char *folder,
                        struct package_files *ret);
void package_files_done(struct package_files *files);

/* Adds the rows of all distributions in a site folder. */
void package_read_site(struct probe_context *context, const char *environment_id, const char *path,
                       struct package_budget *budget);
/* package_added.c: the same of the folders that .pth files of an environment add to its search
 * path, where they belong to no other one. */
void package_read_added(struct probe_context *context, const char *environment_id,
                        struct package_budget *budget);
/* package_dist.c: *.dist-info. */
void package_read_dist(struct probe_context *context, struct package_site *site, const char *name,
                       const struct package_files *files);
/* package_egg.c: *.egg-info, *.egg and *.egg-link. */
void package_read_egg_info(struct probe_context *context, const struct package_site *site,
                           const char *name);
void package_read_egg(struct probe_context *context, const struct package_site *site,
                      const char *name);
void package_read_egg_link(struct probe_context *context, const struct package_site *site,
                           const char *name);
/* package_origin.c: installer, origin, platform and whether it was asked for, from the other files
 * of a dist-info folder. */
void package_read_origin(struct probe_context *context, struct package_site *site,
                         const char *folder, const struct package_files *files,
                         struct row_package *row);
/* package_conda.c: PREFIX/conda-meta. */
void package_read_conda(struct probe_context *context, const char *environment_id,
                        const char *prefix, struct package_budget *budget);

/* Reads the headers of METADATA or PKG-INFO, as much of the file as they take. */
int package_read_headers(const struct machine *machine, const char *path,
                         struct package_budget *budget, struct bytes *ret);
/* Tells of a folder whose records were not all read, for want of budget. */
void package_note_budget(struct probe_context *context, const char *environment_id,
                         const char *path);
/* Adds the rows of a distribution; `folder` is its record, which names it. What cannot be used is
 * noted instead. */
void package_add_distribution(struct probe_context *context, struct row_package *row,
                              const char *folder, const struct metadata *metadata);
void package_note(struct probe_context *context, const char *environment_id, const char *path,
                  const char *detail);

/* Key of a package row: the environment and the record's path inside it. */
const char *package_id(struct probe_context *context, const char *environment_id, const char *path);

/* The same context with another arena. */
static inline struct probe_context package_scratch(const struct probe_context *context,
                                                   struct arena *arena)
{
    struct probe_context scratch = *context;
    scratch.arena = arena;
    return scratch;
}

#endif
