/* Host compilers, and which of them nvcc accepts: "unsupported GNU version!" is the most frequent
 * reason why an extension does not build. */
#include <string.h>

#include "parse/compiler_name.h"
#include "system/compiler_find.h"
#include "system/compiler_nvcc.h"
#include "system/compiler_version.h"

/* Links and names lead to few programs: each is asked once. */
static void find_versions(struct probe_context *context, const struct compilers *compilers,
                          struct compiler_version *versions)
{
    for (size_t i = 0; i < compilers->count; i++) {
        const char *real = compilers->items[i].real_path;
        size_t k = 0;
        while (k < i && !text_equal(compilers->items[k].real_path, real))
            k++;
        versions[i] = (struct compiler_version){0};
        if (k < i)
            versions[i] = versions[k];
        else if (real)
            compiler_version(context, real, &versions[i]);
    }
}

static int run(struct probe_context *context)
{
    struct compilers *compilers = arena_alloc(context->arena, sizeof *compilers);
    struct compiler_version versions[COMPILERS_MAX];
    compilers->context = context;
    compilers_find(compilers);
    find_versions(context, compilers, versions);
    for (size_t i = 0; i < compilers->count; i++) {
        const struct compiler_item *item = &compilers->items[i];
        int major = compiler_major(versions[i].version);
        facts_add_compiler(context->facts, &(struct row_compiler){
                                               .name = item->name,
                                               .path = item->path,
                                               .real_path = item->real_path,
                                               .family = versions[i].family,
                                               .version = versions[i].version,
                                               .major = major ? known(major) : UNKNOWN,
                                               .found_by = item->found_by,
                                           });
    }
    const char *status = compilers->cut ? "malformed" : compilers->count ? "ok" : "absent";
    probe_note_status(context, "compiler", NULL, NULL, status, "compiler",
                      compilers->cut ? "there are more compilers than are looked at" : NULL);
    add_nvcc_hosts(context);
    return 0;
}

const struct probe probe_compiler = {
    .name = "compiler",
    .phase = PHASE_PASSIVE,
    .reads = "toolkit",
    .writes = "compiler nvcc_host",
    .run = run,
};
