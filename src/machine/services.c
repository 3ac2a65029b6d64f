/* States of systemd services from files alone: asking systemd would start a program or speak a
 * protocol to a process that may not answer. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "machine/internal.h"

enum { CGROUP_CAP = 64 * 1024 };

/* Version 2, the hybrid layout, and version 1. */
static const char *const cgroup_folders[] = {
    "/sys/fs/cgroup/system.slice",
    "/sys/fs/cgroup/unified/system.slice",
    "/sys/fs/cgroup/systemd/system.slice",
};

enum { CGROUP_FOLDERS = sizeof cgroup_folders / sizeof *cgroup_folders };

/* What holds for every name, looked at once. */
struct manager {
    bool runs; /* systemd: in most containers it does not */
    bool has_folder[CGROUP_FOLDERS];
};

static struct manager find_manager(const struct machine *machine)
{
    struct manager manager = {.runs = machine_exists(machine, "/run/systemd/system")};
    for (size_t i = 0; i < CGROUP_FOLDERS; i++)
        manager.has_folder[i] = machine_exists(machine, cgroup_folders[i]);
    return manager;
}

/* In systemd's order. */
static const char *const unit_folders[] = {
    "/etc/systemd/system",     "/run/systemd/system", "/usr/local/lib/systemd/system",
    "/usr/lib/systemd/system", "/lib/systemd/system",
};

/* A cgroup with processes, of its own or (version 2 says so) of a child. */
static bool is_populated(const struct machine *machine, const char *folder, struct arena *arena)
{
    CLEANUP_BYTES struct bytes procs = {0}, events = {0};
    if (machine_read_head(machine, arena_printf(arena, "%s/cgroup.procs", folder), CGROUP_CAP,
                          &procs) == 0 &&
        procs.length > 0)
        return true;
    return machine_read_head(machine, arena_printf(arena, "%s/cgroup.events", folder), CGROUP_CAP,
                             &events) == 0 &&
           strstr(events.data, "populated 1") != NULL;
}

static bool find_active(const struct machine *machine, const struct manager *manager,
                        const char *name, struct arena *arena, struct machine_service *ret)
{
    for (size_t i = 0; i < CGROUP_FOLDERS; i++) {
        if (!manager->has_folder[i])
            continue;
        char *folder = arena_printf(arena, "%s/%s.service", cgroup_folders[i], name);
        if (!is_populated(machine, folder, arena))
            continue;
        ret->state = arena_strdup(arena, "active");
        ret->source = folder;
        return true;
    }
    return false;
}

/* Installed and without a process. While systemd keeps a note of its last start, the service may
 * have failed as well as be a finished one that counts as active: then nothing is known. Where no
 * systemd runs (a container) a unit file says nothing. */
static bool find_inactive(const struct machine *machine, const struct manager *manager,
                          const char *name, struct arena *arena, struct machine_service *ret)
{
    struct file_stat st;
    if (!manager->runs ||
        machine_lstat(machine,
                      arena_printf(arena, "/run/systemd/units/invocation:%s.service", name),
                      &st) != -ENOENT)
        return false;
    for (size_t i = 0; i < sizeof unit_folders / sizeof *unit_folders; i++) {
        char *path = arena_printf(arena, "%s/%s.service", unit_folders[i], name);
        if (machine_lstat(machine, path, &st) < 0)
            continue;
        ret->state = arena_strdup(arena, "inactive");
        ret->source = path;
        return true;
    }
    return false;
}

static bool find_recorded(const struct machine *machine, const char *name, struct arena *arena,
                          struct machine_service *ret)
{
    for (size_t i = 0; i < machine->services.count; i++) {
        const struct machine_service *service = &machine->services.items[i];
        if (strcmp(service->name, name) != 0)
            continue;
        ret->state = arena_strdup(arena, service->state);
        ret->source = arena_strdup(arena, service->source);
        return true;
    }
    return false;
}

int machine_services(const struct machine *machine, const char *const *names, size_t count,
                     struct arena *arena, struct machine_services *ret)
{
    bool live = machine->kind == MACHINE_LIVE;
    if (!live && machine->services_errno < 0)
        return machine->services_errno;
    ret->count = 0;
    ret->items = arena_alloc(arena, (count + 1) * sizeof *ret->items);
    struct manager manager = live ? find_manager(machine) : (struct manager){0};
    for (size_t i = 0; i < count; i++) {
        struct machine_service *service = &ret->items[ret->count];
        bool found = live ? find_active(machine, &manager, names[i], arena, service) ||
                                find_inactive(machine, &manager, names[i], arena, service)
                          : find_recorded(machine, names[i], arena, service);
        if (!found)
            continue;
        service->name = arena_strdup(arena, names[i]);
        ret->count++;
    }
    return 0;
}
