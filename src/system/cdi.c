/* Container Device Interface: files that tell container engines what belongs to a GPU. */
#include "parse/cdi.h"

#include <errno.h>
#include <string.h>

#include "probe/look.h"

enum { FILE_CAP = 4 * 1024 * 1024, FILES_MAX = 32, LOOKS_MAX = 500 };
static const char table[] = "cdi_spec";

/* --root sees device nodes in the record alone. */
struct nodes {
    struct machine_devices list;
    bool live, known;
};

enum presence { PRESENT, MISSING, NOT_TOLD };

static enum presence look_for(const struct probe_context *context, const struct nodes *nodes,
                              const char *path)
{
    struct file_stat st;
    if (!nodes->live && text_starts(path, "/dev/")) {
        for (size_t i = 0; i < nodes->list.count; i++)
            if (strcmp(nodes->list.items[i].path, path) == 0)
                return PRESENT;
        /* the record names GPU nodes only */
        return nodes->known && text_starts(path, "/dev/nvidia") ? MISSING : NOT_TOLD;
    }
    int code = machine_stat(context->machine, path, &st);
    return code == 0 ? PRESENT : code == -ENOENT || code == -ENOTDIR ? MISSING : NOT_TOLD;
}

static void add_spec(struct probe_context *context, const struct nodes *nodes, const char *path,
                     const struct cdi_spec *spec)
{
    int64_t missing = 0;
    const char *first = NULL;
    size_t looks = spec->path_count < LOOKS_MAX ? spec->path_count : LOOKS_MAX;
    for (size_t i = 0; i < looks; i++) {
        if (look_for(context, nodes, spec->paths[i]) != MISSING)
            continue;
        missing++;
        first = first ? first : spec->paths[i];
    }
    facts_add_cdi_spec(context->facts, &(struct row_cdi_spec){
                                           .path = path,
                                           .kind = spec->kind,
                                           .version = spec->version,
                                           .devices = known((int64_t)spec->devices),
                                           .driver = spec->driver,
                                           .missing = known(missing),
                                           .first_missing = first,
                                       });
    bool cut = spec->cut || looks < spec->path_count;
    probe_note_status(context, "cdi", NULL, path, "ok", table,
                      cut ? "it names more paths than were looked for" : NULL);
}

static void read_spec(struct probe_context *context, const struct nodes *nodes, const char *path)
{
    CLEANUP_BYTES struct bytes text = {0};
    struct cdi_spec spec;
    struct arena arena = {0}; /* the file's tree is as large as the file */
    if (look_read(context, "cdi", path, FILE_CAP, table, &text) < 0)
        return;
    if (parse_cdi(text.data, text.length, &arena, &spec))
        add_spec(context, nodes, path, &spec);
    else
        probe_note_status(context, "cdi", NULL, path, "malformed", table,
                          "it is no CDI specification");
    arena_done(&arena);
}

static bool is_spec_name(const char *name)
{
    return text_ends(name, ".yaml") || text_ends(name, ".yml") || text_ends(name, ".json");
}

/* Whether the folder is there; its files become rows. */
static bool read_folder(struct probe_context *context, const struct nodes *nodes,
                        const char *folder)
{
    struct dir_list list = {0};
    size_t read = 0;
    int code = machine_list(context->machine, folder, 1024, context->arena, &list);
    if (code == -ENOENT || code == -ENOTDIR)
        return false;
    for (size_t i = 0; code == 0 && i < list.count; i++) {
        if (!is_spec_name(list.names[i]))
            continue;
        if (read++ == FILES_MAX) {
            list.cut = true;
            break;
        }
        read_spec(context, nodes, arena_printf(context->arena, "%s/%s", folder, list.names[i]));
    }
    if (code < 0)
        probe_note(context, "cdi", NULL, folder, code, table, NULL);
    else if (list.cut)
        probe_note_status(context, "cdi", NULL, folder, "malformed", table,
                          "it has more files than were read");
    return true;
}

static int run(struct probe_context *context)
{
    /* /var/run is a link to /run nearly everywhere */
    static const char *const folders[] = {"/etc/cdi", "/var/run/cdi", "/run/cdi"};
    const char *seen[3] = {0};
    bool any = false;
    if (machine_kind(context->machine) == MACHINE_IMAGE)
        return 0; /* what is on its host is not there to look for */
    struct nodes nodes = {.live = machine_kind(context->machine) == MACHINE_LIVE};
    nodes.known =
        !nodes.live && machine_devices(context->machine, context->arena, &nodes.list) == 0;
    for (size_t i = 0; i < 3; i++) {
        char *real = NULL;
        machine_realpath(context->machine, folders[i], context->arena, &real);
        bool again = false;
        for (size_t k = 0; real && k < i; k++)
            again = again || text_equal(seen[k], real);
        seen[i] = real;
        if (!again)
            any |= read_folder(context, &nodes, folders[i]);
    }
    if (!any)
        probe_note(context, "cdi", NULL, folders[0], -ENOENT, table, NULL);
    return 0;
}

const struct probe probe_cdi = {
    .name = "cdi",
    .phase = PHASE_PASSIVE,
    .reads = "",
    .writes = "cdi_spec",
    .run = run,
};
