/* Packages of the GPU stack, from the databases of the system's package managers. None of the
 * managers is run: they take locks, and some repair what they read. */
#include "system/system_package.h"

#include <string.h>

#include "parse/proc.h"

enum { VERSION_LENGTH_MAX = 128 };

char *system_package_driver_version(struct span version, struct arena *arena)
{
    const char *colon = version.length ? memchr(version.data, ':', version.length) : NULL;
    if (colon)
        version = (struct span){colon + 1, version.length - (size_t)(colon - version.data) - 1};
    size_t length = 0;
    /* "580.95.05-0ubuntu1", "535.261.03~deb12u1", and "580.95.05_k6.4.0_150600.21" of SUSE */
    while (length < version.length && !strchr("-~+_", version.data[length]))
        length++;
    char *text = arena_strndup(arena, version.data, length);
    return is_driver_version(text) ? text : NULL;
}

/* Only these have the driver's version: a tool or a toolkit may have one that looks like it. */
static bool has_driver_version(const char *kind)
{
    static const char *const kinds[] = {"driver", "module", "fabric", "compat"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kind, kinds[i]) == 0)
            return true;
    return false;
}

static char *copy(struct arena *arena, struct span text)
{
    size_t length = text.length < VERSION_LENGTH_MAX ? text.length : VERSION_LENGTH_MAX;
    return text.data && length ? arena_strndup(arena, text.data, length) : NULL;
}

void system_package_add(struct probe_context *context, const struct package_seen *package)
{
    struct arena *arena = context->arena;
    struct span bare = package->bare.data ? package->bare : package->version;
    bool is_driver = has_driver_version(package->kind) && bare.data;
    facts_add_system_package(
        context->facts,
        &(struct row_system_package){
            .name = arena_strndup(arena, package->name.data, package->name.length),
            .version = copy(arena, package->version),
            .upstream = is_driver ? system_package_driver_version(bare, arena) : NULL,
            .kind = package->kind,
            .arch = copy(arena, package->arch),
            .manager = package->manager,
            .state = package->state,
            .path = package->path,
        });
}

static int run(struct probe_context *context)
{
    bool any = system_package_dpkg(context);
    any |= system_package_rpm(context);
    any |= system_package_apk(context);
    any |= system_package_pacman(context);
    if (!any)
        probe_note_status(context, "system_package", NULL, "/var/lib", "absent", "system_package",
                          "there is no database of dpkg, rpm, apk or pacman");
    system_package_runfile(context);
    return 0;
}

const struct probe probe_system_package = {
    .name = "system_package",
    .phase = PHASE_PASSIVE,
    .reads = "",
    .writes = "system_package",
    .run = run,
};
