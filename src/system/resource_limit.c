/* Limits that GPU programs run into: shared memory (NCCL, data loaders), locked memory (RDMA,
 * pinned buffers), open files, the memory of a control group. On a live machine they are those of
 * this process, and so of what is started from the same shell. */
#include <errno.h>

#include "parse/proc_limits.h"
#include "probe/look.h"
#include "system/resource_limit_cgroup.h"

static const char probe_name[] = "resource_limit";
static const char fills[] = "resource_limit";
enum { TEXT_CAP = 64 * 1024, MOUNTS_CAP = 4 * 1024 * 1024 };

static void add_process_limits(struct probe_context *context)
{
    static const char path[] = "/proc/self/limits";
    static const struct {
        const char *name, *line;
    } kinds[] = {
        {"memlock", "Max locked memory"},
        {"nofile", "Max open files"},
        {"nproc", "Max processes"},
        {"stack", "Max stack size"},
    };
    CLEANUP_BYTES struct bytes text = {0};
    size_t found = 0;
    int code = machine_read(context->machine, path, TEXT_CAP, &text);
    for (size_t i = 0; code == 0 && i < sizeof kinds / sizeof kinds[0]; i++) {
        struct limit limit;
        if (!parse_proc_limit(text.data, text.length, kinds[i].line, &limit))
            continue;
        found++;
        facts_add_resource_limit(context->facts, &(struct row_resource_limit){
                                                     .name = kinds[i].name,
                                                     .soft = limit.soft,
                                                     .hard = limit.hard,
                                                     .unlimited = known(limit.unlimited),
                                                     .path = path,
                                                 });
    }
    probe_note(context, probe_name, NULL, path, code == 0 && !found ? -EBADMSG : code, fills, NULL);
}

static struct opt memory_total(struct probe_context *context)
{
    CLEANUP_BYTES struct bytes text = {0};
    if (machine_read(context->machine, "/proc/meminfo", TEXT_CAP, &text) < 0)
        return UNKNOWN;
    return parse_memory_total(text.data, text.length);
}

/* Without a size of its own a tmpfs takes half of the memory (tmpfs(5)); the kernel does not show a
 * size that is just that. */
static void add_shm(struct probe_context *context)
{
    static const char path[] = "/proc/self/mountinfo";
    CLEANUP_BYTES struct bytes text = {0};
    int code = machine_read(context->machine, path, MOUNTS_CAP, &text);
    probe_note(context, probe_name, NULL, path, code, fills, NULL);
    if (code < 0)
        return;
    struct shm_mount shm;
    struct opt total = memory_total(context);
    parse_shm_mount(text.data, text.length, total, &shm);
    if (!shm.found)
        return;
    if (!shm.sized && total.known)
        shm.bytes = known(total.value / 2);
    bool none = shm.sized && shm.bytes.known && shm.bytes.value == 0; /* size=0: no limit */
    facts_add_resource_limit(context->facts,
                             &(struct row_resource_limit){
                                 .name = "shm",
                                 .soft = none ? UNKNOWN : shm.bytes,
                                 .unlimited = shm.bytes.known ? known(none) : UNKNOWN,
                                 .path = path,
                             });
}

static int run(struct probe_context *context)
{
    if (machine_kind(context->machine) == MACHINE_IMAGE) {
        probe_note_status(context, probe_name, NULL, NULL, "skipped", NULL,
                          "an image has no process that runs");
        return 0;
    }
    add_process_limits(context);
    add_shm(context);
    add_cgroup_limits(context);
    return 0;
}

const struct probe probe_resource_limit = {
    .name = "resource_limit",
    .phase = PHASE_PASSIVE,
    .reads = "",
    .writes = "resource_limit",
    .run = run,
};
