/* A child process that may crash, hang or talk too much without harm to us.
 *
 * Its standard streams are /dev/null, every descriptor but the result pipe is closed, it has a
 * process group of its own, cannot gain privileges, leaves no core file and dies with its parent.
 * It is killed at the deadline and waited for with WNOHANG only: a process in state D cannot be
 * killed, and then we go on without it. */
#ifndef MACHINE_CHILD_H
#define MACHINE_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/text.h"

struct child {
    pid_t pid; /* -1: not started */
    int fd;    /* what it writes; -1 when closed */
    bool ended;
    bool status_known;
    int status; /* as waitpid() gives it */
    /* Called every few milliseconds while child_read() waits; set after child_start(). NULL: none
     */
    void (*waiting)(void *waiter);
    void *waiter;
};

/* Runs body(fd, context) in the child; it returns the exit status, or does not return. `fd` is
 * where the body writes: `place` (1 for a program's output, else 3). 0 or -errno. */
int child_start(struct child *child, int place, int (*body)(int fd, void *context), void *context);

enum child_end {
    CHILD_ENDED,    /* it closed the pipe or died */
    CHILD_ENOUGH,   /* `enough` said so */
    CHILD_LATE,     /* the deadline passed */
    CHILD_TOO_MUCH, /* more than `cap` bytes */
};

/* Collects what the child writes until it ends, the deadline (of monotonic_ms()) passes, or
 * `enough` (may be NULL), called after each read, returns true. */
enum child_end child_read(struct child *child, double deadline, size_t cap, struct text *out,
                          bool (*enough)(void *context), void *context);

/* Closes the pipe, gives the child `grace_ms` to end, kills its group and reaps it if it can. */
void child_stop(struct child *child, int grace_ms);

double monotonic_ms(void);

#endif
