#include "library/device_scan.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/cleanup.h"
#include "base/parallel.h"

struct scan {
    struct probe_context *context;
    struct device_file *files;
    size_t count;
    size_t threads; /* for each file: those that are left when each file has one */
    atomic_size_t done;
    pthread_t asker; /* who is told: it need not expect several at a time */
};

static void scan_one(struct probe_context *context, struct device_file *file, size_t threads)
{
    CLEANUP_CLOSE int fd = -1;
    file->code = file->is_left ? -EREMOTE : machine_open(context->machine, file->path, &fd);
    if (file->code < 0)
        return;
    file->is_opened = true;
    file->code = device_code_scan(fd, file->how, threads, &file->arena, &file->found, &file->error);
}

static void work(void *data, size_t number)
{
    struct scan *scan = data;
    scan_one(scan->context, &scan->files[number], scan->threads);
    size_t done = atomic_fetch_add(&scan->done, 1) + 1;
    if (scan->context->progress && pthread_equal(pthread_self(), scan->asker))
        scan->context->progress(scan->context->watcher, "device code", done, scan->count);
}

void device_files_scan(struct probe_context *context, struct device_file *files, size_t count)
{
    struct scan scan = {
        .context = context, .files = files, .count = count, .asker = pthread_self()};
    scan.threads = count ? parallel_threads() / count : 0;
    parallel_for(count, work, &scan);
}

void device_files_done(struct device_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++)
        arena_done(&files[i].arena);
}

static bool has(const struct device_code *found, enum device_place place)
{
    for (size_t i = 0; i < found->target_count; i++)
        if (found->targets[i].place == place)
            return true;
    return false;
}

bool device_place_counts(const struct device_code *found, enum device_place place)
{
    return place == DEVICE_LINKED || (place == DEVICE_RELOCATABLE && !has(found, DEVICE_LINKED));
}

const char *device_file_status(const struct device_file *file)
{
    const struct device_code *found = &file->found;
    if (file->code == -ENOEXEC || file->code == -EBADMSG)
        return "broken";
    if (file->code < 0)
        return "unread";
    if (has(found, DEVICE_LINKED) || has(found, DEVICE_RELOCATABLE))
        return "code";
    if (found->problem) /* what was left out may be code */
        return "broken";
    return has(found, DEVICE_STUB) ? "stub" : "none";
}
