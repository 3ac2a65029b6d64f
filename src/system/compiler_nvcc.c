#include "system/compiler_nvcc.h"

#include <errno.h>
#include <string.h>

#include "parse/host_config.h"
#include "probe/look.h"

enum { HEADER_CAP = 64 * 1024 };
static const char probe_name[] = "compiler";
static const char fills[] = "nvcc_host";

/* Below the toolkit's folder: NVIDIA's own installers, conda and the cross-compilers, CUDA 9.0 and
 * older. */
static const char *const headers[] = {
    "include/crt/host_config.h",
    "targets/x86_64-linux/include/crt/host_config.h",
    "targets/sbsa-linux/include/crt/host_config.h",
    "targets/aarch64-linux/include/crt/host_config.h",
    "include/host_config.h",
};
/* Debian has the headers of its toolkit beside all others. */
static const char debian_root[] = "/usr/lib/nvidia-cuda-toolkit";
static const char debian_header[] = "/usr/include/crt/host_config.h";

static void add_row(struct probe_context *context, const char *toolkit, const char *path,
                    const char *compiler, const struct compiler_bounds *bounds)
{
    if (!bounds->evidence)
        return;
    facts_add_nvcc_host(context->facts, &(struct row_nvcc_host){
                                            .toolkit = toolkit,
                                            .compiler = compiler,
                                            .min_major = bounds->min_major,
                                            .max_major = bounds->max_major,
                                            .path = path,
                                            .evidence = bounds->evidence,
                                        });
}

/* False where there is no such file; another one is to be tried then. */
static bool read_header(struct probe_context *context, const char *toolkit, const char *path)
{
    CLEANUP_BYTES struct bytes text = {0};
    struct host_config config = {0};
    int code = machine_read_head(context->machine, path, HEADER_CAP, &text);
    if (code == -ENOENT || code == -ENOTDIR)
        return false;
    if (code == 0 && !parse_host_config(text.data, text.length, context->arena, &config))
        code = -EBADMSG;
    probe_note(context, probe_name, NULL, path, code, fills, NULL);
    add_row(context, toolkit, path, "gcc", &config.gcc);
    add_row(context, toolkit, path, "clang", &config.clang);
    return true;
}

static void add_toolkit(struct probe_context *context, const char *toolkit)
{
    if (strcmp(toolkit, debian_root) == 0 && read_header(context, toolkit, debian_header))
        return;
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        if (read_header(context, toolkit,
                        arena_printf(context->arena, "%s/%s", toolkit, headers[i])))
            return;
    probe_note(context, probe_name, NULL,
               arena_printf(context->arena, "%s/%s", toolkit, headers[0]), -ENOENT, fills, NULL);
}

void add_nvcc_hosts(struct probe_context *context)
{
    CLEANUP_STATEMENT sqlite3_stmt *query =
        facts_query(context->facts, "SELECT path FROM toolkit WHERE nvcc IS NOT NULL");
    while (query && sqlite3_step(query) == SQLITE_ROW)
        add_toolkit(context, ask_column(context, query, 0));
}
