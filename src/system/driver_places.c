#include "system/driver_places.h"

#include <string.h>

#include "probe/reach.h"

static void add(struct driver_places *places, const char *folder, const char *found_by,
                bool standard)
{
    if (places->count < DRIVER_PLACES_MAX)
        places->items[places->count++] = (struct driver_place){folder, found_by, standard};
}

/* One element of LD_LIBRARY_PATH. An empty one is the current folder; $ORIGIN and $LIB mean another
 * place for every program. */
static void add_element(struct driver_places *places, struct reach *reach, const char *element,
                        const char *cwd)
{
    struct arena *arena = reach->context->arena;
    const char *folder = element;
    if (element[0] != '/')
        folder = !cwd || strchr(element, '$') ? NULL
                 : *element                   ? arena_printf(arena, "%s/%s", cwd, element)
                                              : cwd;
    if (folder && !reach_is_out(reach, folder))
        add(places, folder, "LD_LIBRARY_PATH", false);
}

void driver_places_of_loader(struct probe_context *context, const char *name,
                             struct driver_places *ret)
{
    ret->count = 0;
    const char *path = machine_getenv(context->machine, "LD_LIBRARY_PATH");
    if (!path || !*path)
        return;
    CLEANUP(reach_done) struct reach reach;
    reach_read(context, NULL, &reach);
    for (bool more = true; more; path++) {
        size_t length = strcspn(path, ":;"), n = length;
        char *element = arena_strndup(context->arena, path, n);
        while (n > 1 && element[n - 1] == '/')
            element[--n] = '\0';
        add_element(ret, &reach, element, machine_cwd(context->machine));
        path += length;
        more = *path;
    }
    if (name)
        reach_note(
            &reach, name, name,
            "this folder of LD_LIBRARY_PATH lies on another machine: it was not looked into; "
            "--all-envs looks there, too");
}

static void add_near(struct driver_places *places, struct reach *reach, const char *folder,
                     bool standard)
{
    if (!reach_is_out(reach, folder))
        add(places, folder, "place", standard);
}

/* PARENT/PREFIX*SUFFIX */
static void add_matching(struct driver_places *places, struct reach *reach, const char *parent,
                         const char *prefix, const char *suffix)
{
    struct dir_list list;
    struct arena *arena = reach->context->arena;
    if (reach_is_out(reach, parent) ||
        machine_list(reach->context->machine, parent, 4096, arena, &list) < 0)
        return;
    for (size_t i = 0; i < list.count; i++)
        if (text_starts(list.names[i], prefix))
            add_near(places, reach, arena_printf(arena, "%s/%s%s", parent, list.names[i], suffix),
                     false);
}

const char *driver_places_known(struct probe_context *context, struct driver_places *ret)
{
    static const struct {
        const char *folder;
        bool standard;
    } known_places[] = {
        {"/usr/lib/x86_64-linux-gnu", true},
        {"/usr/lib/aarch64-linux-gnu", true},
        {"/usr/lib64", true},
        {"/usr/lib", true},
        {"/usr/lib/wsl/lib", false},
        {"/usr/local/nvidia/lib64", true}, /* GKE, container images */
        {"/usr/local/nvidia/lib", true},
        {"/usr/lib64-nvidia", true},                        /* Colab */
        {"/usr/lib/x86_64-linux-gnu/nvidia/current", true}, /* Debian's alternatives */
        {"/usr/lib/aarch64-linux-gnu/nvidia/current", true},
        {"/usr/lib/aarch64-linux-gnu/nvidia", false},          /* Jetson, JetPack 6 */
        {"/usr/lib/aarch64-linux-gnu/tegra", false},           /* Jetson before */
        {"/usr/lib64/nvidia", true},                           /* negativo17 */
        {"/run/opengl-driver/lib", true},                      /* NixOS */
        {"/.singularity.d/libs", true},                        /* apptainer --nv */
        {"/run/nvidia/driver/usr/lib/x86_64-linux-gnu", true}, /* GPU Operator */
        {"/run/nvidia/driver/usr/lib64", true},
        {"/home/kubernetes/bin/nvidia/lib64", true}, /* Container-Optimized OS */
        {"/opt/nvidia/current/usr/lib64", true},     /* Flatcar's system extension */
        {"/opt/nvidia/current/usr/lib", true},
        {"/usr/local/glibc/usr/lib", true}, /* Talos */
        {"/x86_64-bottlerocket-linux-gnu/sys-root/usr/lib/nvidia/tesla", true},
        {"/aarch64-bottlerocket-linux-gnu/sys-root/usr/lib/nvidia/tesla", true},
    };
    ret->count = 0;
    CLEANUP(reach_done) struct reach reach;
    reach_read(context, NULL, &reach);
    for (size_t i = 0; i < sizeof known_places / sizeof known_places[0]; i++)
        add_near(ret, &reach, known_places[i].folder, known_places[i].standard);
    add_matching(ret, &reach, "/usr/lib", "nvidia-", ""); /* Ubuntu before 18.04 */
    add_matching(ret, &reach, "/usr/local", "cuda", "/compat");
    const char *conda = machine_getenv(context->machine, "CONDA_PREFIX");
    if (conda && conda[0] == '/')
        add_near(ret, &reach, arena_printf(context->arena, "%s/cuda-compat", conda), false);
    return reach.remote;
}
