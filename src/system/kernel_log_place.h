/* Where the kernel's log is read from. */
#ifndef SYSTEM_KERNEL_LOG_PLACE_H
#define SYSTEM_KERNEL_LOG_PLACE_H

#include "probe/probe.h"

enum { KERNEL_LOG_CAP = 1024 * 1024 };

struct kernel_log_text {
    struct bytes bytes; /* owned by the caller */
    const char *source;
    struct opt boot_offset; /* lines from here on are of this start of the system */
    bool older_known;       /* lines before it are known to be of an earlier one */
};

/* The kernel's own log, or where that is refused a file that a log service writes. Notes each place
 * that was looked at. False where there is none to read. */
bool kernel_log_read(struct probe_context *context, struct kernel_log_text *ret);

#endif
