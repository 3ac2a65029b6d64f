/* Lines of the kernel's log that speak of GPUs, out of dmesg's output, a syslog file or the text of
 * journalctl. Formats: open-gpu-kernel-modules (kernel_rc.c, osapi.c, nv.c, nv-pci.c), the kernel's
 * own messages, and logs in the issue trackers. */
#ifndef PARSE_NVIDIA_LOG_H
#define PARSE_NVIDIA_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/opt.h"
#include "base/span.h"

struct log_message {
    const char *kind; /* "xid", "api-mismatch", ...: static */
    struct opt xid;   /* number of an Xid or SXid */
    char *pci_address;
    char *text; /* without time, process ids and program names; longer messages joined */
    char *fold; /* equal for messages that differ in numbers alone */
    struct opt seconds;
    size_t offset; /* where its line begins */
};

/* The next message that matters; false at the end. *cursor starts as 0. */
bool log_next(const char *data, size_t size, size_t *cursor, struct arena *arena,
              struct log_message *ret);

/* What the kernel itself says in a line, with the time since its start where that stands there.
 * False for a line of another program in a syslog file. */
bool log_strip(struct span *line, struct opt *ret_seconds);

/* Where the newest start of a kernel ("Linux version ...") stands in the log, and its release
 * (from `arena`); false where the log does not hold one. */
bool log_last_start(const char *data, size_t size, struct arena *arena, size_t *ret_offset,
                    char **ret_release);

#endif
