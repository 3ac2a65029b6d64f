/* One line on standard error that tells somebody at a terminal what takes so long. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/session.h"

struct progress {
    bool is_on;       /* standard error is a terminal that can rewrite a line */
    int64_t start_ns; /* when the work began */
    int64_t shown_ns; /* when the line was written last; 0: it is not there */
};

/* Begins; nothing is shown in the first half second, in a pipe, on a dumb terminal or in CI. */
void progress_start(struct progress *progress);
/* `watcher` is a struct progress; as struct probe_context wants it. At most ten times a second
 * something is written. */
void progress_tell(void *watcher, const char *what, size_t done, size_t total);
/* Wipes the line. Call it before anything else is written; again is fine. */
void progress_end(struct progress *progress);

/* session_collect() with the line; `options` are those that the session was opened with. */
int progress_collect(struct session *session, struct session_options *options, struct error *err);

#endif
