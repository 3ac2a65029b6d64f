/* Mounts that matter to GPU programs. */
#include <errno.h>
#include <string.h>

#include "probe/hide_user.h"
#include "probe/look.h"
#include "system/mount_list.h"

enum { ROWS_PER_PURPOSE = 64 };

static void add(struct probe_context *context, const struct mount_line *mount, const char *purpose)
{
    bool readonly = mount_option(mount->options, "ro") || mount_option(mount->super_options, "ro");
    facts_add_mount(context->facts, &(struct row_mount){
                                        .path = hide_user(context, mount->path),
                                        .type = mount->type,
                                        .purpose = purpose,
                                        .readonly = known(readonly),
                                        .noexec = known(mount_option(mount->options, "noexec")),
                                        .network = mount_is_network(mount),
                                    });
}

static bool is_windows(const struct mount_line *mount)
{
    return mount_is_windows(mount, NULL);
}

/* All mounts of a kind; false where not all got a row. */
static bool add_kind(struct probe_context *context, const struct mount_list *list,
                     bool (*is)(const struct mount_line *), const char *purpose)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        if (is(&list->items[i]) && count++ < ROWS_PER_PURPOSE)
            add(context, &list->items[i], purpose);
    return count <= ROWS_PER_PURPOSE;
}

static void add_place(struct probe_context *context, const struct mount_list *list,
                      const char *path, const char *purpose)
{
    const struct mount_line *mount = mount_of(list, path);
    if (mount)
        add(context, mount, purpose);
}

/* The mounts on which environments lie, each once. */
static bool add_environments(struct probe_context *context, const struct mount_list *list)
{
    const struct mount_line *seen[ROWS_PER_PURPOSE];
    size_t count = 0;
    CLEANUP_STATEMENT sqlite3_stmt *query =
        facts_query(context->facts, "SELECT prefix FROM environment ORDER BY prefix");
    while (query && sqlite3_step(query) == SQLITE_ROW) {
        const struct mount_line *mount = mount_of(list, ask_column(context, query, 0));
        bool known_mount = !mount;
        for (size_t i = 0; i < count && !known_mount; i++)
            known_mount = seen[i] == mount;
        if (known_mount)
            continue;
        if (count == ROWS_PER_PURPOSE)
            return false;
        seen[count++] = mount;
        add(context, mount, "environment");
    }
    return true;
}

/* The mount point itself, not a folder of another mount. */
static void add_point(struct probe_context *context, const struct mount_list *list,
                      const char *path, const char *purpose)
{
    const struct mount_line *mount = mount_of(list, path);
    if (mount && strcmp(mount->path, path) == 0)
        add(context, mount, purpose);
}

static int run(struct probe_context *context)
{
    struct mount_list list;
    if (machine_kind(context->machine) == MACHINE_IMAGE)
        return 0; /* it is not mounted */
    int code = mount_list_read(context, &list);
    if (code < 0) {
        /* no Linux is without it: then the record is */
        bool live = machine_kind(context->machine) == MACHINE_LIVE;
        probe_note(context, "mount", NULL, mount_list_path,
                   code == -ENOENT && !live ? -ENODATA : code, "mount", NULL);
        return 0;
    }
    add_point(context, &list, "/", "root");
    add_point(context, &list, "/dev/shm", "shm");
    bool complete = add_kind(context, &list, mount_is_driver, "driver");
    complete &= add_kind(context, &list, mount_is_device, "device");
    complete &= add_kind(context, &list, is_windows, "windows");
    complete &= add_environments(context, &list);
    add_place(context, &list, machine_home(context->machine), "home");
    const char *detail = NULL;
    if (list.cut)
        detail = "it has more mounts than were read";
    else if (list.bad)
        detail = arena_printf(context->arena, "%zu lines are no mounts", list.bad);
    else if (!complete)
        detail = "of some kinds not every mount is listed";
    bool malformed = list.cut || list.bad;
    probe_note_status(context, "mount", NULL, mount_list_path, malformed ? "malformed" : "ok",
                      "mount", detail);
    return 0;
}

const struct probe probe_mount = {
    .name = "mount",
    .phase = PHASE_PASSIVE,
    .reads = "environment",
    .writes = "mount",
    .run = run,
};
