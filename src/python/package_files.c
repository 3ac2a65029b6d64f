/* The files of a distribution's record, as they are. */
#include <errno.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/read.h"
#include "base/text.h"
#include "python/package.h"

enum { INSTALLER_MAX = 64, WHEEL_MAX = 8 * 1024, DIRECT_URL_MAX = 64 * 1024 };

/* Headers are mostly below 16 KiB; behind them stands the project's long description. */
enum { HEAD_STEP = 16 * 1024 };

int package_read_headers(const struct machine *machine, const char *path,
                         struct package_budget *budget, struct bytes *ret)
{
    CLEANUP_CLOSE int fd = -1;
    int r = machine_open(machine, path, &fd);
    if (r < 0)
        return r;
    ret->data = xmalloc(HEAD_STEP + 1);
    for (size_t size = HEAD_STEP;; size *= 2) {
        size_t capacity = size; /* what the block below has room for, besides the NUL */
        ssize_t got = read_at(fd, ret->data + ret->length, capacity - ret->length, ret->length);
        if (got < 0)
            return (int)got;
        ret->length += (size_t)got;
        budget->bytes += 8 * (uint64_t)got;
        ret->data[ret->length] = '\0';
        if (ret->length < capacity || size >= METADATA_HEAD_MAX ||
            metadata_headers_end(ret->data, ret->length) < ret->length)
            return 0;
        ret->data = xgrow(ret->data, &capacity, 2 * size + 1, 1);
    }
}

static void read_file(const struct machine *machine, const char *folder, const char *name,
                      size_t cap, bool is_head, struct package_file *ret)
{
    CLEANUP_TEXT struct text path = {0};
    text_printf(&path, "%s/%s", folder, name);
    ret->code = is_head ? machine_read_head(machine, path.data, cap, &ret->bytes)
                        : machine_read(machine, path.data, cap, &ret->bytes);
    bytes_fit(&ret->bytes);
}

/* And the blank line behind them. */
static void leave_headers(struct bytes *text)
{
    size_t end = text->data ? metadata_headers_end(text->data, text->length) + 2 : SIZE_MAX;
    if (end < text->length) {
        text->length = end;
        text->data[end] = '\0';
    }
    bytes_fit(text);
}

void package_files_read(const struct machine *machine, const char *folder,
                        struct package_files *ret)
{
    CLEANUP_TEXT struct text path = {0};
    struct package_budget budget = {0};
    *ret = (struct package_files){0};
    text_printf(&path, "%s/METADATA", folder);
    ret->metadata.code = package_read_headers(machine, path.data, &budget, &ret->metadata.bytes);
    ret->cost = budget.bytes;
    leave_headers(&ret->metadata.bytes);
    if (ret->metadata.code < 0 && ret->metadata.code != -ENOENT) /* see package_dist.c */
        return;
    read_file(machine, folder, "INSTALLER", INSTALLER_MAX, true, &ret->installer);
    read_file(machine, folder, "WHEEL", WHEEL_MAX, true, &ret->wheel);
    read_file(machine, folder, "direct_url.json", DIRECT_URL_MAX, false, &ret->direct_url);
}

void package_files_done(struct package_files *files)
{
    bytes_done(&files->metadata.bytes);
    bytes_done(&files->installer.bytes);
    bytes_done(&files->wheel.bytes);
    bytes_done(&files->direct_url.bytes);
}
