/* The kernel log: the newest part of .record/dmesg, or of /dev/kmsg, printed as dmesg does. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/read.h"
#include "machine/internal.h"

/* A record of /dev/kmsg is at most 8 KiB with its prefix and dictionary; a log buffer holds fewer
 * records than the bound, which only stops a kernel that writes faster than we read. */
enum { RECORD_SIZE = 16 * 1024, RECORDS_MAX = 500 * 1000 };

/* Drops whole lines in front until at most `cap` bytes are left. */
static void keep_newest(struct text *log, size_t cap)
{
    if (log->length <= cap)
        return;
    size_t drop = log->length - cap;
    const char *end = memchr(log->data + drop - 1, '\n', log->length - drop + 1);
    drop = end ? (size_t)(end - log->data) + 1 : log->length;
    memmove(log->data, log->data + drop, log->length - drop + 1);
    log->length -= drop;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The kernel writes bytes that are not printable as \xNN, so also the ends of lines inside one
 * record (the driver's longer messages); those begin with the record's time again here. */
static void add_unescaped(struct text *log, const char *time, const char *text, size_t length)
{
    size_t start = 0;
    size_t i = memchr(text, '\\', length) ? 0 : length; /* next to no message has any */
    for (; i + 3 < length; i++) {
        if (text[i] != '\\' || text[i + 1] != 'x' || hex_digit(text[i + 2]) < 0 ||
            hex_digit(text[i + 3]) < 0)
            continue;
        char c = (char)(hex_digit(text[i + 2]) * 16 + hex_digit(text[i + 3]));
        text_add_bytes(log, text + start, i - start);
        text_add_char(log, c);
        if (c == '\n')
            text_add(log, time);
        i += 3;
        start = i + 1;
    }
    text_add_bytes(log, text + start, length - start);
}

/* "6,339,5140900,-;text\n KEY=value\n": priority, sequence, microseconds, flags; then the text,
 * then lines with a blank in front that are no part of it. (Documentation/ABI/testing/dev-kmsg) */
void kernel_log_add_record(struct text *log, const char *record, size_t length)
{
    const char *text = memchr(record, ';', length);
    if (!text)
        return;
    size_t prefix = (size_t)(text - record);
    size_t left = length - prefix - 1;
    const char *end = memchr(++text, '\n', left);
    const char *comma = memchr(record, ',', prefix);
    comma = comma ? memchr(comma + 1, ',', (size_t)(record + prefix - comma - 1)) : NULL;
    unsigned long long us = comma ? strtoull(comma + 1, NULL, 10) : 0;
    char time[48];
    snprintf(time, sizeof time, "[%5llu.%06llu] ", us / 1000000, us % 1000000);
    text_add(log, time);
    add_unescaped(log, time, text, end ? (size_t)(end - text) : left);
    text_add_char(log, '\n');
}

static int read_live(size_t cap, struct text *log)
{
    CLEANUP_CLOSE int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return errno == EPERM ? -EACCES : -errno; /* kernel.dmesg_restrict says EPERM */
    char record[RECORD_SIZE + 1];
    for (size_t i = 0; i < RECORDS_MAX; i++) {
        ssize_t n = read(fd, record, RECORD_SIZE);
        if (n < 0 && (errno == EINTR || errno == EPIPE)) /* EPIPE: overwritten, the next one fits */
            continue;
        if (n < 0 && errno == EAGAIN)
            break;
        if (n < 0)
            return errno == EPERM ? -EACCES : -errno;
        if (n == 0)
            break;
        record[n] = '\0';
        kernel_log_add_record(log, record, (size_t)n);
        if (log->length / 2 > cap)
            keep_newest(log, cap);
    }
    return 0;
}

static int read_recorded(const struct machine *machine, size_t cap, struct text *log)
{
    CLEANUP_CLOSE int fd = -1;
    struct stat st;
    int r = machine_open(machine, "/.record/dmesg", &fd);
    if (r < 0)
        return r == -ENOENT ? -ENODATA : r;
    if (fstat(fd, &st) < 0)
        return -errno;
    /* One byte more than asked for tells whether the first line is a whole one. */
    off_t start = (uint64_t)st.st_size > cap ? st.st_size - (off_t)cap - 1 : 0;
    size_t want = (size_t)(st.st_size - start);
    CLEANUP_FREE char *data = xmalloc(want + 1);
    ssize_t n = read_at(fd, data, want, (uint64_t)start);
    if (n < 0)
        return (int)n;
    text_add_bytes(log, data, (size_t)n);
    return 0;
}

int machine_kernel_log(const struct machine *machine, size_t cap, struct bytes *ret)
{
    CLEANUP_TEXT struct text log = {0};
    if (machine->kind != MACHINE_LIVE && machine->kind != MACHINE_RECORDED)
        return -ENODATA;
    int r =
        machine->kind == MACHINE_LIVE ? read_live(cap, &log) : read_recorded(machine, cap, &log);
    if (r < 0)
        return r;
    text_add_bytes(&log, "", 0);
    keep_newest(&log, cap);
    *ret = (struct bytes){log.data, log.length};
    log = (struct text){0};
    return 0;
}
