/* One search for a name; for the files of this room that do it. */
#ifndef LOADER_SEARCH_PARTS_H
#define LOADER_SEARCH_PARTS_H

#include "loader/process_parts.h"

struct search {
    struct loader_process *process;
    const char *name;
    size_t requester; /* an object that is there, or SIZE_MAX: nobody */
    bool keeps_absent;
    bool is_over; /* an answer was found: what follows is in its shadow */
    size_t step_capacity, shadowed_capacity;
    struct loader_found *found;
};

/* Where a candidate stands. */
struct spot {
    enum loader_via via;
    size_t owner;
    const struct loader_element *element; /* NULL: the cache */
    const char *sub;                      /* subfolder with a slash at its end, or "" */
};

/* A file that was tried and does not answer. */
void search_add_step(struct search *search, const struct spot *spot, const char *path,
                     const struct loader_file *file);
/* A file that would answer if none had been found before. */
void search_add_shadowed(struct search *search, const struct spot *spot, const char *path,
                         const struct loader_file *file);
/* The answer, at which the loader stops. */
void search_take(struct search *search, const struct spot *spot, const char *path,
                 const struct loader_file *file);
/* A place that is left alone: the search goes on as if nothing were there, and what it comes to is
 * in doubt. */
void search_leave(struct search *search, const char *path);

#endif
