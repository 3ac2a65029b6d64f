/* What DKMS has done with the driver's source: /var/lib/dkms/MODULE/VERSION/KERNEL/ARCH holds what
 * was built, and MODULE/kernel-KERNEL-ARCH is a link to what is installed. A build that failed
 * leaves build/make.log. Format: the script dkms, versions 2.8 to 3.4. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/read.h"
#include "parse/dkms_log.h"
#include "parse/proc.h"
#include "probe/hide_user.h"
#include "probe/look.h"
#include "system/kernel.h"

static const char tree[] = "/var/lib/dkms";
enum { ENTRIES_MAX = 256, LOG_HEAD = 2 * 1024 * 1024, LOG_TAIL = 256 * 1024 };
/* Of the whole tree, whose links may make few folders look like many. */
enum { FOLDERS_MAX = 2000, LOGS_MAX = 16 };

struct budget {
    int folders, logs; /* how many more are looked at */
    bool cut;
};

struct version {
    struct budget *budget;
    const char *module, *name, *folder;
    bool any; /* a row was added */
};

static bool spend(struct budget *budget, int *left)
{
    budget->cut |= *left <= 0;
    return (*left)-- > 0;
}

/* A verbose log has tens of megabytes, most of them commands; what ended it stands at its end. */
static struct dkms_log read_log(struct probe_context *context, struct budget *budget,
                                const char *path)
{
    struct dkms_log log = {0}, tail = {0};
    CLEANUP_BYTES struct bytes head = {0};
    CLEANUP_CLOSE int fd = -1;
    struct file_stat st;
    if (!spend(budget, &budget->logs))
        return log;
    int code = machine_read_head(context->machine, path, LOG_HEAD, &head);
    if (code < 0) {
        probe_note(context, "dkms", NULL, path, code, NULL, NULL);
        return log;
    }
    parse_dkms_log(head.data, head.length, context->arena, &log);
    if (head.length < LOG_HEAD || log.failure || machine_stat(context->machine, path, &st) < 0 ||
        st.size < LOG_HEAD || machine_open(context->machine, path, &fd) < 0)
        return log;
    /* the head's buffer is large enough to be used again */
    ssize_t n = read_at(fd, head.data, LOG_TAIL, st.size - LOG_TAIL);
    if (n > 0)
        parse_dkms_log(head.data, (size_t)n, context->arena, &tail);
    log.failure = tail.failure;
    return log;
}

static bool exists(const struct probe_context *context, const char *folder, const char *name)
{
    return machine_exists(context->machine, arena_printf(context->arena, "%s/%s", folder, name));
}

static void add(struct probe_context *context, struct version *version, const char *kernel,
                const char *status, const char *log, const char *failure)
{
    version->any = true;
    facts_add_dkms(context->facts, &(struct row_dkms){
                                       .module = version->module,
                                       .version = version->name,
                                       .kernel = kernel,
                                       .status = status,
                                       .log = log,
                                       .failure = hide_user_in_text(context, failure),
                                   });
}

/* Whether the link of what is installed for this kernel leads to this version. */
static bool is_installed(struct probe_context *context, const struct version *version,
                         const char *kernel, const char *arch)
{
    char *target = NULL;
    const char *link =
        arena_printf(context->arena, "%s/%s/kernel-%s-%s", tree, version->module, kernel, arch);
    if (machine_readlink(context->machine, link, context->arena, &target) < 0)
        return false;
    size_t length = strlen(version->name);
    const char *at = strstr(target, version->name);
    return at && at[length] == '/' && (at == target || at[-1] == '/');
}

static void read_kernel(struct probe_context *context, struct version *version, const char *kernel)
{
    struct dir_list arches;
    const char *folder = arena_printf(context->arena, "%s/%s", version->folder, kernel);
    if (!spend(version->budget, &version->budget->folders))
        return;
    int code = machine_list(context->machine, folder, ENTRIES_MAX, context->arena, &arches);
    if (code < 0 && code != -ENOENT && code != -ENOTDIR)
        probe_note(context, "dkms", NULL, folder, code, "dkms", NULL);
    if (code < 0)
        return;
    version->budget->cut |= arches.cut;
    for (size_t i = 0; i < arches.count && spend(version->budget, &version->budget->folders); i++) {
        const char *inside = arena_printf(context->arena, "%s/%s", folder, arches.names[i]);
        const char *log = arena_printf(context->arena, "%s/log/make.log", inside);
        bool logged = machine_exists(context->machine, log),
             built = exists(context, inside, "module");
        if (is_installed(context, version, kernel, arches.names[i]))
            add(context, version, kernel, "installed", logged ? log : NULL, NULL);
        else if (built)
            add(context, version, kernel, "built", logged ? log : NULL, NULL);
        else if (logged)
            add(context, version, kernel, "failed", log,
                read_log(context, version->budget, log).failure);
    }
}

/* The log that a failed build leaves; while a build goes on it is there too. */
static void read_failure(struct probe_context *context, struct version *version)
{
    const char *path = arena_printf(context->arena, "%s/build/make.log", version->folder);
    if (!machine_exists(context->machine, path))
        return;
    struct dkms_log log = read_log(context, version->budget, path);
    if (log.kernel && exists(context, version->folder, log.kernel))
        return; /* has been built since */
    add(context, version, log.kernel, "failed", path, log.failure);
}

static void read_version(struct probe_context *context, struct budget *budget, const char *module,
                         const char *name)
{
    struct version version = {
        .budget = budget,
        .module = module,
        .name = name,
        .folder = arena_printf(context->arena, "%s/%s/%s", tree, module, name),
    };
    struct dir_list list;
    if (!is_driver_version(name) || !spend(budget, &budget->folders))
        return;
    int code = machine_list(context->machine, version.folder, ENTRIES_MAX, context->arena, &list);
    if (code < 0) {
        probe_note(context, "dkms", NULL, version.folder, code, "dkms", NULL);
        return;
    }
    budget->cut |= list.cut;
    for (size_t i = 0; i < list.count; i++)
        if (strcmp(list.names[i], "source") != 0 && strcmp(list.names[i], "build") != 0)
            read_kernel(context, &version, list.names[i]);
    read_failure(context, &version);
    if (!version.any)
        add(context, &version, NULL, "added", NULL, NULL);
}

static void read_module(struct probe_context *context, struct budget *budget, const char *module)
{
    struct dir_list list;
    const char *folder = arena_printf(context->arena, "%s/%s", tree, module);
    int code = machine_list(context->machine, folder, ENTRIES_MAX, context->arena, &list);
    if (code < 0 || list.cut)
        probe_note_status(
            context, "dkms", NULL, folder, code == -EACCES ? "denied" : "malformed", "dkms",
            code < 0 ? "it could not be listed" : "it has more entries than were read");
    for (size_t i = 0; code == 0 && i < list.count; i++)
        read_version(context, budget, module, list.names[i]);
}

void kernel_read_dkms(struct probe_context *context)
{
    struct dir_list list;
    struct budget budget = {FOLDERS_MAX, LOGS_MAX, false};
    int code = machine_list(context->machine, tree, ENTRIES_MAX, context->arena, &list);
    probe_note(context, "dkms", NULL, tree, code, "dkms", NULL);
    for (size_t i = 0; code == 0 && i < list.count; i++)
        /* nvidia, nvidia-open, nvidia-srv, nvidia-current, ...; nvidia-fs is no part of the driver,
         * which its version tells */
        if (text_starts(list.names[i], "nvidia"))
            read_module(context, &budget, list.names[i]);
    if (code == 0 && (list.cut || budget.cut))
        probe_note_status(context, "dkms", NULL, tree, "malformed", "dkms",
                          "it has more folders or logs than were looked at");
}
