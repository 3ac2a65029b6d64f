/* Files that several distributions of one site folder claim; shared_file.c goes through the
 * folders, shared_file_find.c compares the RECORDs. */
#ifndef PROBE_SHARED_FILE_H
#define PROBE_SHARED_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/probe.h"

/* A distribution with its RECORD. Texts live as long as the search. */
struct owner {
    const char *name, *package_id;
    const char *folder;   /* its dist-info folder */
    uint32_t name_number; /* of the first distribution of its name */
    bool is_read;         /* it has a RECORD */
    /* of all distributions of its name, kept with the first one: */
    bool shares_folder, shares_file;
};

struct owners {
    const char *environment_id, *site;
    struct owner *items;
    size_t count, capacity;
};

enum { SHARED_ROWS_MAX = 2000 };

/* Adds the rows of shared_file; at most *room of them, which is lessened. */
void shared_file_find(struct probe_context *context, struct owners *owners, size_t *room);

#endif
