/* Which installation of a framework an environment has: the record of Python's installer, conda's,
 * or both. */
#include <string.h>

#include "base/pep440.h"
#include "base/text.h"
#include "python/framework.h"

/* Called for every name of every descriptor and every package. */
static bool is_called(const struct framework_package *package, const char *name)
{
    return package->name[0] == name[0] && !strcmp(package->name, name);
}

bool framework_is_dist(const struct framework_package *package)
{
    return strcmp(package->kind, "conda") != 0;
}

/* Whether the two are the same release; a local part ("+cu126") does not matter, nor does the way
 * that it is written ("26.10.02" is "26.10.2"). */
static bool is_same_release(struct arena *arena, const char *a, const char *b)
{
    size_t left = strcspn(a, "+"), right = strcspn(b, "+");
    int order = 1;
    if (left == right && !strncmp(a, b, left))
        return true;
    return pep440_compare(arena_strndup(arena, a, left), arena_strndup(arena, b, right), &order) &&
           order == 0;
}

/* The sources of a descriptor are read where its framework is installed, and only there. */
static bool read_sources(struct probe_context *context, struct framework_spec *spec)
{
    struct error error = {0};
    if (spec->is_broken)
        return false;
    if (framework_spec_sources(spec, &error) == 0)
        return true;
    spec->is_broken = true;
    probe_note_status(context, "framework", NULL, spec->file, "malformed", "framework", error.text);
    return false;
}

/* How well the files on disk agree with a record: they name its distribution, or its release. */
static int agreement(struct probe_context *context, const struct framework_spec *spec,
                     const struct framework_environment *environment,
                     const struct framework_package *record)
{
    struct framework_findings found;
    framework_look(context, spec, environment, &(struct framework_install){record, NULL}, &found);
    const char *version = found.fields[FIELD_VERSION], *package = found.fields[FIELD_PACKAGE];
    return 2 * (package && !strcmp(package, record->name)) +
           (version && is_same_release(context->arena, version, record->version));
}

/* Whose folder is searched first, where that tells: the files of an editable installation lie in
 * another folder than its record. */
static int64_t search_order(const struct framework_package *a, const struct framework_package *b)
{
    if (a->position < 0 || b->position < 0 || text_equal(a->origin, "editable") ||
        text_equal(b->origin, "editable"))
        return 0;
    return a->position - b->position;
}

/* Of two records of one framework (an interrupted upgrade leaves them, or two distributions that
 * own the same folder): that of the folder that Python searches first, else that which the files on
 * disk agree with, else the one that stands first in the descriptor, else the higher version. */
static bool is_better(struct probe_context *context, const struct framework_spec *spec,
                      const struct framework_environment *environment,
                      const struct framework_package *a, const struct framework_package *b)
{
    int order = 0;
    int64_t place = search_order(a, b);
    if (place)
        return place < 0;
    int left = agreement(context, spec, environment, a);
    int right = agreement(context, spec, environment, b);
    if (left != right)
        return left > right;
    return !strcmp(a->name, b->name) && pep440_compare(a->version, b->version, &order) && order > 0;
}

static const struct framework_package *find_dist(struct probe_context *context,
                                                 struct framework_spec *spec,
                                                 const struct framework_environment *environment)
{
    const struct framework_package *best = NULL;
    for (size_t n = 0; n < spec->distribution_count; n++)
        for (size_t i = 0; i < environment->count; i++) {
            const struct framework_package *item = &environment->packages[i];
            if (!framework_is_dist(item) || !is_called(item, spec->distributions[n]))
                continue;
            if (!best ||
                (read_sources(context, spec) && is_better(context, spec, environment, item, best)))
                best = item;
        }
    return best;
}

/* The first conda name, in the descriptor's order, that is installed. */
static const struct framework_package *find_conda(const struct framework_spec *spec,
                                                  const struct framework_environment *environment)
{
    for (size_t n = 0; n < spec->conda_count; n++)
        for (size_t i = 0; i < environment->count; i++) {
            const struct framework_package *item = &environment->packages[i];
            if (!framework_is_dist(item) && is_called(item, spec->conda[n]))
                return item;
        }
    return NULL;
}

/* conda installs Python packages with a dist-info of their own: both records are one framework.
 * A wheel that pip has put over conda's files is pip's. */
static bool is_condas(struct arena *arena, const struct framework_package *dist,
                      const struct framework_package *conda)
{
    if (!conda)
        return false;
    if (text_equal(dist->installer, "conda"))
        return true;
    return !dist->installer && is_same_release(arena, dist->version, conda->version);
}

bool framework_choose(struct probe_context *context, struct framework_spec *spec,
                      const struct framework_environment *environment,
                      struct framework_install *ret)
{
    const struct framework_package *conda = find_conda(spec, environment);
    const struct framework_package *dist = find_dist(context, spec, environment);
    if ((!dist && !conda) || !read_sources(context, spec))
        return false;
    bool is_conda = !dist || is_condas(context->arena, dist, conda);
    *ret = (struct framework_install){dist, is_conda ? conda : NULL};
    return true;
}
