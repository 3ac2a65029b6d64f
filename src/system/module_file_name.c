/* What names tell of a kernel module that is compressed, which costs nothing: its path, DKMS, its
 * package. */
#include <string.h>

#include "base/span.h"
#include "parse/proc.h"
#include "probe/look.h"
#include "system/module_file.h"

/* The one value of a query's column, with the kernel's release as its parameter; NULL where there
 * is none or more than one. */
static const char *only_value(struct probe_context *context, const char *kernel, const char *sql)
{
    CLEANUP_STATEMENT sqlite3_stmt *query = facts_query(context->facts, sql);
    if (!query)
        return NULL;
    sqlite3_bind_text(query, 1, kernel, -1, SQLITE_STATIC);
    if (sqlite3_step(query) != SQLITE_ROW)
        return NULL;
    const char *value = ask_column(context, query, 0);
    return sqlite3_step(query) == SQLITE_DONE ? value : NULL;
}

/* The path itself where it leads nowhere. */
static const char *real_path(const struct probe_context *context, const char *path)
{
    char *real = NULL;
    int code = machine_realpath(context->machine, path, context->arena, &real);
    return code < 0 ? path : real;
}

/* A folder of the real path that names it: /nix/store/...-nvidia-x11-580.95.05-6.12/lib/... */
static const char *version_of_path(const struct probe_context *context, const char *real)
{
    for (const char *part = real; *part;) {
        size_t length = strcspn(part, "/-_");
        char *word = arena_strndup(context->arena, part, length);
        if (is_driver_version(word))
            return word;
        part += length + (part[length] != '\0');
    }
    return NULL;
}

/* The version that the modules have which DKMS or a package of theirs put there. */
static const char *version_of_package(struct probe_context *context, const char *kernel)
{
    /* packages of modules that are built already, made for this kernel or for the one that the
     * distribution has */
    return only_value(
        context, kernel,
        "SELECT DISTINCT upstream FROM system_package WHERE upstream IS NOT NULL AND state IN "
        "('installed', 'held') AND (name IN ('kmod-nvidia-' || ?1, 'kmod-nvidia-open-' || ?1) OR "
        "(manager = 'pacman' AND kind = 'module' AND name NOT LIKE '%dkms%'))");
}

/* That of the source's package, where what is loaded has it too: alone it says only what would be
 * built next. */
static const char *version_of_source(struct probe_context *context, const char *kernel)
{
    return only_value(context, kernel,
                      "SELECT DISTINCT p.upstream FROM system_package AS p JOIN kernel_module AS m "
                      "ON m.name = 'nvidia' AND m.version = p.upstream WHERE p.kind = 'module' AND "
                      "p.state IN ('installed', 'held')");
}

static void find_version(struct probe_context *context, const struct kernel_entry *kernel,
                         const char *real, struct row_module_file *row)
{
    bool built_here = strstr(row->path, "/updates/") || strstr(row->path, "/extra/");
    row->version = version_of_path(context, real);
    row->version_from = "path";
    if (!row->version && built_here) {
        row->version = only_value(context, kernel->release,
                                  "SELECT DISTINCT version FROM dkms WHERE kernel = ?1 AND status "
                                  "= 'installed'");
        row->version_from = "dkms";
    }
    if (row->version)
        return;
    row->version = version_of_package(context, kernel->release);
    if (!row->version && built_here && kernel->running)
        row->version = version_of_source(context, kernel->release);
    row->version_from = row->version ? "package" : NULL;
}

/* "nvidia-580-open", "nvidia-current-open.ko.xz", "abc-nvidia-open-580.95.05" */
static bool is_open_path(const char *path)
{
    for (; *path; path += strspn(path, "/")) {
        size_t n = strcspn(path, "/");
        struct span part = {path, n};
        if (span_cut_after(&part, "nvidia") && span_has(part, "-open"))
            return true;
        path += n;
    }
    return false;
}

static bool is_open_dkms(struct probe_context *context, const char *kernel)
{
    const char *module =
        only_value(context, kernel,
                   "SELECT DISTINCT module FROM dkms WHERE kernel = ?1 AND status = 'installed'");
    return module && strstr(module, "-open");
}

/* Whether all packages of modules that have this version are named so. */
static bool is_open_package(const struct probe_context *context, const char *version)
{
    CLEANUP_STATEMENT sqlite3_stmt *query = facts_query(
        context->facts, "SELECT min(name LIKE '%-open%') FROM system_package WHERE kind = "
                        "'module' AND upstream = ?1 AND state IN ('installed', 'held')");
    if (!query)
        return false;
    sqlite3_bind_text(query, 1, version, -1, SQLITE_STATIC);
    return sqlite3_step(query) == SQLITE_ROW && sqlite3_column_int(query, 0);
}

void module_file_read_names(struct probe_context *context, const struct kernel_entry *kernel,
                            struct row_module_file *row)
{
    const char *real = real_path(context, row->path);
    find_version(context, kernel, real, row);
    /* nothing is named proprietary */
    if (is_open_path(real) ||
        (text_equal(row->version_from, "dkms") && is_open_dkms(context, kernel->release)) ||
        (row->version && is_open_package(context, row->version)))
        row->flavour = "open";
}
