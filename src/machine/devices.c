/* Device nodes, looked at and never opened. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/span.h"
#include "machine/internal.h"

enum { ENTRIES_MAX = 8192, NODES_MAX = 1024, CHANNELS_MAX = 64 };

/* Folders of /dev and the names in them that speak of an NVIDIA GPU, or of a display device. */
static const struct {
    const char *folder, *prefix;
    size_t most; /* nodes that are looked at */
} places[] = {
    /* nvidia0, nvidiactl, nvidia-uvm, nvidia-modeset, nvidia-nvswitch0, nvidia-nvlink, nvidia-fs0
     */
    {"/dev", "nvidia", NODES_MAX},
    {"/dev", "gdrdrv", NODES_MAX},
    {"/dev", "dxg", NODES_MAX},     /* WSL2 */
    {"/dev", "nvhost-", NODES_MAX}, /* Tegra, with nvmap and nvgpu */
    {"/dev", "nvmap", NODES_MAX},
    {"/dev/nvgpu", "", NODES_MAX},
    {"/dev/nvidia-caps", "", NODES_MAX},
    {"/dev/nvidia-caps-imex-channels", "", CHANNELS_MAX}, /* 2048 where all were made */
    {"/dev/dri", "", NODES_MAX},
};
enum { PLACES = sizeof places / sizeof *places };

/* --- access --- */

static bool is_id(const char *text, uint32_t id)
{
    uint32_t number;
    return span_uint32((struct span){text, strlen(text)}, &number) && number == id;
}

static bool is_owner(const struct machine_user *user, const char *owner)
{
    return text_equal(user->name, owner) || is_id(owner, user->uid) ||
           (user->uid == 0 && strcmp(owner, "root") == 0);
}

static bool is_member(const struct machine_user *user, const char *group)
{
    for (size_t i = 0; i < user->group_count; i++)
        if (strcmp(user->groups[i], group) == 0)
            return true;
    for (size_t i = 0; i < user->gid_count; i++)
        if (is_id(group, user->gids[i]) || (user->gids[i] == 0 && strcmp(group, "root") == 0))
            return true;
    return false;
}

/* As the kernel judges: the first class that fits decides, even when a later one would allow. */
static int access_by_mode(const struct machine_user *user, const struct machine_device *device)
{
    uint32_t mode = device->mode;
    if (!user->known)
        return (mode & 0666) == 0666 ? 0 : -1;
    if (user->uid == 0)
        return 0;
    unsigned shift = is_owner(user, device->owner) ? 6 : is_member(user, device->group) ? 3 : 0;
    return ((mode >> shift) & 06) == 06 ? 0 : EACCES;
}

/* The kernel's own answer, which knows of ACLs and security modules; it asks no driver. */
static int access_live(const struct machine_user *user, const struct machine_device *device)
{
    if (faccessat(AT_FDCWD, device->path, R_OK | W_OK, AT_EACCESS) == 0)
        return 0;
    if (errno == EACCES || errno == EPERM)
        return errno;
    return access_by_mode(user, device);
}

/* --- live --- */

struct node_list {
    struct machine_device *items;
    size_t count, capacity;
};

static char *id_text(const struct bytes *file, uint32_t id, struct arena *arena)
{
    char *name = account_name(file, id, arena);
    return name ? name : arena_printf(arena, "%u", id);
}

static void add_node(const struct machine *machine, const struct accounts *accounts,
                     const char *path, struct arena *arena, struct node_list *list)
{
    struct stat st;
    struct file_stat info;
    /* Links (by-path names, or a container's) lead to nodes that are listed already. */
    if (machine->files->stat(machine, path, false, &st) < 0 ||
        (!S_ISCHR(st.st_mode) && !S_ISBLK(st.st_mode)) || machine_lstat(machine, path, &info) < 0)
        return;
    struct machine_device device = {
        .path = arena_strdup(arena, path),
        .mode = info.mode & 0777,
        .owner = id_text(&accounts->users, info.uid, arena),
        .group = id_text(&accounts->groups, info.gid, arena),
        .major = info.dev_major,
        .minor = info.dev_minor,
        .type = S_ISCHR(st.st_mode) ? 'c' : 'b',
    };
    device.access_errno = access_live(&machine->user, &device);
    list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof *list->items);
    list->items[list->count++] = device;
}

static int compare_devices(const void *a, const void *b)
{
    const struct machine_device *left = a, *right = b;
    return strcmp(left->path, right->path);
}

static void note_unread(struct machine_devices *ret, const char *folder, int error)
{
    if (ret->unread_count > 0 && strcmp(ret->unread[ret->unread_count - 1].path, folder) == 0)
        return;
    ret->unread[ret->unread_count++] = (struct machine_unread){folder, error};
}

static void list_place(const struct machine *machine, const struct accounts *accounts,
                       const struct dir_list *names, size_t place, struct arena *arena,
                       struct node_list *list, struct machine_devices *ret)
{
    const char *folder = places[place].folder;
    size_t seen = 0;
    bool more = names->cut, alike = false;
    for (size_t i = 0; i < names->count; i++) {
        if (!text_starts(names->names[i], places[place].prefix))
            continue;
        more |= list->count == NODES_MAX;
        alike = seen++ == places[place].most;
        if (more || alike)
            break;
        add_node(machine, accounts, arena_printf(arena, "%s/%s", folder, names->names[i]), arena,
                 list);
    }
    if (more || alike)
        note_unread(ret, folder, more ? -EFBIG : 0);
}

static int list_live(const struct machine *machine, struct arena *arena,
                     struct machine_devices *ret)
{
    struct dir_list top, names = {0};
    int r = machine_list(machine, "/dev", ENTRIES_MAX, arena, &top);
    if (r < 0)
        return r;
    CLEANUP(accounts_done) struct accounts accounts;
    accounts_load(machine, &accounts);
    struct node_list list = {0};
    ret->unread = arena_alloc(arena, PLACES * sizeof *ret->unread);
    for (size_t i = 0; i < PLACES; i++) {
        bool is_top = strcmp(places[i].folder, "/dev") == 0;
        r = is_top ? 0 : machine_list(machine, places[i].folder, ENTRIES_MAX, arena, &names);
        if (r == 0)
            list_place(machine, &accounts, is_top ? &top : &names, i, arena, &list, ret);
        else if (r != -ENOENT)
            note_unread(ret, places[i].folder, r);
    }
    if (list.count > 1)
        qsort(list.items, list.count, sizeof *list.items, compare_devices);
    ret->count = list.count;
    ret->items = arena_alloc(arena, (list.count + 1) * sizeof *list.items);
    if (list.count)
        memcpy(ret->items, list.items, list.count * sizeof *list.items);
    free(list.items);
    return 0;
}

static int list_recorded(const struct machine *machine, struct arena *arena,
                         struct machine_devices *ret)
{
    if (machine->devices_errno < 0)
        return machine->devices_errno;
    const struct machine_devices *from = &machine->devices;
    ret->count = from->count;
    ret->items = arena_alloc(arena, (from->count + 1) * sizeof *ret->items);
    for (size_t i = 0; i < from->count; i++) {
        struct machine_device *device = &ret->items[i];
        *device = from->items[i];
        device->path = arena_strdup(arena, from->items[i].path);
        device->owner = arena_strdup(arena, from->items[i].owner);
        device->group = arena_strdup(arena, from->items[i].group);
        device->access_errno = access_by_mode(&machine->user, device);
    }
    return 0;
}

int machine_devices(const struct machine *machine, struct arena *arena, struct machine_devices *ret)
{
    *ret = (struct machine_devices){0};
    if (machine->kind == MACHINE_LIVE)
        return list_live(machine, arena, ret);
    return list_recorded(machine, arena, ret);
}
