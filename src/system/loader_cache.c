/* The loader's cache: its entries for the libraries that GPU programs need. */
#include "system/loader_cache.h"

#include "parse/ldcache.h"
#include "probe/look.h"

enum { CACHE_CAP = 8 * 1024 * 1024 }; /* a full desktop's has half a megabyte */

/* The thousands of others would be rows that nothing asks for. */
bool loader_cache_keeps(const char *soname)
{
    static const char *const starts[] = {
        "libcuda.",    "libcudart.", "libcudadebugger.", "libcudnn",
        "libcublas",   "libcufft",   "libcurand.",       "libcusolver",
        "libcusparse", "libcufile",  "libcupti.",        "libcutensor",
        "libnv",       "libnccl",    "libnpp",           "libEGL_",
        "libGLX_",     "libOpenCL",  "libMesaOpenCL",    "libRusticlOpenCL",
        "libpocl",     "libamdocl",  "libigdrcl",        "libintelocl",
        "libvulkan_",
    };
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (text_starts(soname, starts[i]))
            return true;
    return false;
}

static int run(struct probe_context *context)
{
    static const char path[] = "/etc/ld.so.cache";
    CLEANUP_BYTES struct bytes bytes = {0};
    struct ld_cache cache;
    const char *why = NULL;
    if (look_read(context, "loader_cache", path, CACHE_CAP, "loader_cache", &bytes) < 0)
        return 0;
    int code = ld_cache_open(bytes.data, bytes.length, &cache, &why);
    if (code < 0) {
        probe_note(context, "loader_cache", NULL, path, code, "loader_cache", why);
        return 0;
    }
    size_t bad = 0;
    for (size_t i = 0; i < cache.count; i++) {
        struct ld_cache_row entry;
        if (!ld_cache_entry(&cache, i, &entry)) {
            bad++;
            continue;
        }
        if (!loader_cache_keeps(entry.soname))
            continue;
        facts_add_loader_cache(context->facts,
                               &(struct row_loader_cache){
                                   .position = known((int64_t)i),
                                   .soname = entry.soname,
                                   .path = entry.path,
                                   .arch = entry.arch,
                                   .present = known(machine_exists(context->machine, entry.path)),
                               });
    }
    probe_note_status(
        context, "loader_cache", NULL, path, cache.count && bad == cache.count ? "malformed" : "ok",
        "loader_cache",
        bad ? arena_printf(context->arena, "%zu of %zu entries are no libraries", bad, cache.count)
            : NULL);
    return 0;
}

const struct probe probe_loader_cache = {
    .name = "loader_cache",
    .phase = PHASE_PASSIVE,
    .writes = "loader_cache",
    .run = run,
};
