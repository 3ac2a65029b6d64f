#include "parse/dkms_log.h"

#include <string.h>

#include "base/span.h"

enum { LINE_MAX_BYTES = 300, RELEASE_MAX = 128 };

/* Words of a line that tells what is wrong, as compilers, make, the kernel's scripts and the
 * driver's own checks write them. */
static const char *const telling[] = {
    " error: ",
    "fatal error:",
    "gcc: error",
    "cc1: ",
    "not found",
    "No such file or directory",
    "Unable to determine the target kernel version",
    "Kernel configuration is invalid",
    "Unable to find the kernel source",
    "Compiler version check failed",
    "compiler differs from the one used",
    "unrecognized command",
    "implicit declaration",
    "GPL-incompatible module",
    "ERROR: modpost",
    "No space left on device",
    "No rule to make target",
    "Killed",
    "undefined reference",
};
/* What only says that something failed. */
static const char *const vague[] = {"*** ", "Bad return status", "ERROR", "Error!"};

static bool has_one(struct span line, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (span_has(line, words[i]))
            return true;
    return false;
}

/* The first lines of dkms 2 and 3:
 *   DKMS make.log for nvidia-535.183.01 for kernel 6.8.0-60-generic (x86_64)
 *   DKMS (dkms-3.2.0) make.log for nvidia/580.126.09 for kernel 6.19.0-3-generic (x86_64) */
static char *kernel_of(struct span line, struct arena *arena)
{
    struct span release;
    if (!span_cut_prefix(&line, "DKMS ") || !span_cut_after(&line, " for kernel ") ||
        !span_word(&line, &release) || release.length > RELEASE_MAX)
        return NULL;
    return arena_strndup(arena, release.data, release.length);
}

void parse_dkms_log(const char *data, size_t size, struct arena *arena, struct dkms_log *ret)
{
    size_t cursor = 0;
    struct span line, second = {0};
    *ret = (struct dkms_log){0};
    for (size_t number = 0; span_line(data, size, &cursor, &line); number++) {
        if (number == 0)
            ret->kernel = kernel_of(line, arena);
        line = span_trim(line);
        /* the commands that dkms runs, and what the scripts look for, may hold any word */
        if (!line.length || *line.data == '#' || span_cut_prefix(&line, "warning:"))
            continue;
        bool tells = has_one(line, telling, sizeof telling / sizeof *telling);
        if (!tells && !second.data && has_one(line, vague, sizeof vague / sizeof *vague))
            second = line;
        if (!tells)
            continue;
        second = line;
        break;
    }
    if (second.length > LINE_MAX_BYTES)
        second.length = LINE_MAX_BYTES;
    if (second.data)
        ret->failure = arena_strndup(arena, second.data, second.length);
}
