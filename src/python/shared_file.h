/* Files that several distributions of one site folder claim; shared_file.c goes through the
 * folders, shared_file_find.c compares the RECORDs, shared_file_rows.c adds the rows. */
#ifndef PYTHON_SHARED_FILE_H
#define PYTHON_SHARED_FILE_H

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
    uint64_t *bytes_left; /* that may be read, for all site folders of the machine */
};

/* A line of a RECORD. */
struct shared_claim {
    const char *path; /* below the site, or absolute */
    const struct owner *owner;
    struct opt size;
};

/* Two builds of one package share thousands of files, of which a few hundred say enough. Rows are
 * those of an environment, paths those of one set of distributions. */
enum { SHARED_ROWS_MAX = 20000, SHARED_PATHS_MAX = 200 };

/* Adds the rows of shared_file; at most *room of them, which is lessened. */
void shared_file_find(struct probe_context *context, struct owners *owners, size_t *room);
/* Sorts the claims and adds those of files with several owners; of a set of distributions that
 * shares more than SHARED_PATHS_MAX files, it tells how many there are. False where *room, or that
 * for different sets, did not suffice. */
bool shared_file_add_rows(struct probe_context *context, const struct owners *owners,
                          struct shared_claim *claims, size_t count, size_t *room);

#endif
