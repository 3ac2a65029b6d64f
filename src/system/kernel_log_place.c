#include "system/kernel_log_place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/read.h"
#include "parse/nvidia_log.h"

static const char probe_name[] = "kernel_log";
static const char fills[] = "kernel_log";

/* Plain files that rsyslog, syslog-ng and the start scripts write; the first that holds lines of
 * the kernel counts, since the others hold the same. */
static const char *const files[] = {"/var/log/kern.log", "/var/log/messages", "/var/log/syslog",
                                    "/var/log/dmesg"};
/* Where journald keeps its own binary files. */
static const char *const journals[] = {"/run/log/journal", "/var/log/journal"};

/* The newest whole lines of a file. */
static int read_tail(struct probe_context *context, const char *path, struct bytes *ret)
{
    CLEANUP_CLOSE int fd = -1;
    struct file_stat st;
    int code = machine_stat(context->machine, path, &st);
    if (code == 0)
        code = machine_open(context->machine, path, &fd);
    if (code < 0)
        return code;
    uint64_t start = st.size > KERNEL_LOG_CAP ? st.size - KERNEL_LOG_CAP : 0;
    CLEANUP_FREE char *data = xmalloc(KERNEL_LOG_CAP + 1);
    ssize_t n = read_at(fd, data, KERNEL_LOG_CAP, start);
    if (n < 0)
        return (int)n;
    const char *line = start ? memchr(data, '\n', (size_t)n) : NULL;
    size_t skip = !start ? 0 : line ? (size_t)(line - data) + 1 : (size_t)n;
    memmove(data, data + skip, (size_t)n - skip);
    data[(size_t)n - skip] = '\0';
    *ret = (struct bytes){data, (size_t)n - skip};
    data = NULL;
    return 0;
}

/* Whether the kernel speaks in it at all: a file that was just rotated is no answer. */
static bool has_kernel_lines(const struct bytes *bytes)
{
    size_t cursor = 0;
    struct span line;
    struct opt seconds;
    while (span_line(bytes->data, bytes->length, &cursor, &line))
        if (line.length && log_strip(&line, &seconds))
            return true;
    return false;
}

static bool has_text(const struct bytes *bytes)
{
    for (size_t i = 0; i < bytes->length; i++)
        if (bytes->data[i] > ' ')
            return true;
    return false;
}

/* Which lines of a file are of this start: those after its newest "Linux version", if that is of
 * the kernel that runs. A file that is not written any more ends with another one's. */
static void find_start(struct probe_context *context, struct kernel_log_text *log)
{
    size_t offset = 0;
    char *release = NULL;
    struct machine_uname names;
    machine_uname(context->machine, &names);
    if (!log_last_start(log->bytes.data, log->bytes.length, context->arena, &offset, &release))
        return;
    log->older_known = true;
    bool same = names.release && strcmp(names.release, release) == 0;
    log->boot_offset = same ? known((int64_t)offset) : UNKNOWN;
}

static bool read_files(struct probe_context *context, struct kernel_log_text *ret)
{
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct bytes bytes = {0};
        int code = read_tail(context, files[i], &bytes);
        if (code == 0 && has_kernel_lines(&bytes)) {
            *ret = (struct kernel_log_text){.bytes = bytes, .source = files[i]};
            find_start(context, ret);
            probe_note(context, probe_name, NULL, files[i], 0, fills, NULL);
            return true;
        }
        if (code == 0 && has_text(&bytes))
            probe_note_status(context, probe_name, NULL, files[i], "absent", NULL,
                              "no line in it is known to be the kernel's");
        bytes_done(&bytes);
        if (code < 0 && code != -ENOENT && code != -ENOTDIR)
            probe_note(context, probe_name, NULL, files[i], code, NULL, NULL);
    }
    for (size_t i = 0; i < sizeof journals / sizeof journals[0]; i++)
        if (machine_exists(context->machine, journals[i])) {
            probe_note_status(context, probe_name, NULL, journals[i], "skipped", NULL,
                              "journald's own files are not read; `journalctl -k` prints them");
            break;
        }
    return false;
}

bool kernel_log_read(struct probe_context *context, struct kernel_log_text *ret)
{
    enum machine_kind kind = machine_kind(context->machine);
    bool live = kind == MACHINE_LIVE;
    const char *own = live ? "/dev/kmsg" : "/.record/dmesg";
    *ret = (struct kernel_log_text){.source = own, .boot_offset = known(0)};
    if (kind == MACHINE_IMAGE) {
        probe_note_status(context, probe_name, NULL, NULL, "skipped", NULL,
                          "an image has no kernel that runs");
        return false;
    }
    int code = machine_kernel_log(context->machine, KERNEL_LOG_CAP, &ret->bytes);
    if (code == 0 && has_text(&ret->bytes) && !has_kernel_lines(&ret->bytes)) {
        probe_note_status(context, probe_name, NULL, own, "malformed", fills,
                          "it has text, but no line in a form that is known");
        return true;
    }
    if (code == 0) {
        probe_note(context, probe_name, NULL, own, 0, fills, NULL);
        return true;
    }
    bool found = read_files(context, ret);
    const char *blind = found ? NULL : fills;
    if (live && (code == -EACCES || code == -ENOENT))
        probe_note_status(context, probe_name, NULL, own, "denied", blind,
                          code == -EACCES
                              ? "the kernel shows its log to root alone (kernel.dmesg_restrict)"
                              : "the kernel's log is not shown here, as in most containers");
    else
        probe_note(context, probe_name, NULL, own, code, blind, NULL);
    return found;
}
