/* Device code as it is counted during a scan. */
#ifndef ELF_DEVICE_TALLY_H
#define ELF_DEVICE_TALLY_H

#include "base/span.h"
#include "elf/device_code.h"

enum {
    DEVICE_TARGETS_MAX = 256,        /* three places and kinds of thirty targets are not more */
    DEVICE_ENTRIES_MAX = 1000000,    /* the largest library known has 37 000 */
    DEVICE_CONTAINERS_MAX = 1000000, /* an empty one costs as much as an entry */
    DEVICE_CHANCES_MAX = 1000000     /* what looked like device code; 7 in the largest known */
};

/* What one entry of a container says. */
struct device_entry {
    enum device_kind kind;
    uint32_t sm;
    char suffix;
    uint16_t isa_major, isa_minor; /* of PTX */
    uint64_t bytes;                /* as stored */
};

/* Takes number and suffix from "sm_90a", as tools write the target of machine code and of PTX.
 * False, and nothing changed, for anything else. */
bool device_entry_target(struct device_entry *entry, struct span word);

/* Set `arena` and `wrapper_budget`, leave the rest zero. */
struct device_tally {
    struct arena *arena;
    uint64_t wrapper_budget; /* bytes, of all pieces of the file: see fatbin_wrapper.h */
    struct device_target targets[DEVICE_TARGETS_MAX];
    uint64_t counted_in[DEVICE_TARGETS_MAX]; /* number of the container counted last */
    size_t target_count;
    uint64_t containers, entries;
    uint64_t chances;    /* what looked like device code and was none, or none that is known */
    const char *limit;   /* the first that was met: of a file that ends there the rest is a guess */
    const char *problem; /* the first */
    unsigned problem_count; /* of both */
    bool is_full;           /* a cap was hit: nothing is to be added any more */
};

/* Begins a container; false, and a problem, when there are too many. */
bool device_tally_container(struct device_tally *tally);
/* Adds an entry of the container that was begun last; false, and a problem, likewise. */
bool device_tally_entry(struct device_tally *tally, enum device_place place,
                        const struct device_entry *entry);
/* Counts a place that looked like a container, or an entry of an unknown version: reading them is
 * bounded, too. */
void device_tally_chance(struct device_tally *tally);
/* Remembers what was skipped as broken or unknown. */
void device_tally_problem(struct device_tally *tally, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Likewise, why the rest was not read: told in front of any other. */
void device_tally_limit(struct device_tally *tally, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Gives the sum, sorted, in memory of the arena. */
void device_tally_finish(struct device_tally *tally, struct device_code *ret);

#endif
