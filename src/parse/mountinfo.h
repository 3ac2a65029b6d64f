/* /proc/PID/mountinfo (proc(5)), line by line. */
#ifndef PARSE_MOUNTINFO_H
#define PARSE_MOUNTINFO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct mount_line {
    char *root;          /* folder or file inside the file system that is mounted */
    char *path;          /* mount point; octal escapes are decoded in both */
    char *type;          /* "overlay", "9p", "fuse.sshfs" */
    char *source;        /* device, server, or a drive of Windows */
    char *options;       /* of the mount: "rw,noexec" */
    char *super_options; /* of the file system */
};

/* False at the end. Of a line that is none `path` is NULL. */
bool parse_mount_line(const char *data, size_t size, size_t *cursor, struct arena *arena,
                      struct mount_line *ret);

/* Whether a list of options, separated by commas, has the word. */
bool mount_option(const char *options, const char *word);

#endif
