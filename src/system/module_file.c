/* GPU kernel modules on disk. For the kernel that runs, modules.dep tells which one modprobe would
 * load; other copies, and those of other kernels, lie in folders that are known. */
#include "system/module_file.h"

#include <errno.h>
#include <string.h>

#include "base/span.h"
#include "parse/proc.h"
#include "probe/look.h"
#include "system/kernel.h"

/* Below a kernel's folder. A name that ends in "-" is the beginning of one. */
static const char *const folders[] = {
    "updates/dkms", /* DKMS of Debian, Ubuntu and Arch */
    "updates",      /* SUSE */
    "extra",        /* DKMS of Red Hat's family; kmod packages */
    "extra/nvidia", /* RPM Fusion */
    "weak-updates", /* links to modules of other kernels */
    "weak-updates/nvidia",
    "weak-updates/updates",
    "extramodules",         /* Arch */
    "kernel/drivers/video", /* NVIDIA's own installer */
    "kernel/nvidia-",       /* Ubuntu's signed modules: nvidia-580, nvidia-580srv-open, ... */
    "misc",                 /* NixOS */
};
enum {
    FOLDER_COUNT = sizeof folders / sizeof folders[0],
    FILES_MAX = 512,
    FOUND_MAX = 64,
    FOLDERS_MAX = 32, /* of one beginning */
    DEP_CAP = 16 * 1024 * 1024,
};

static const char *const suffixes[][2] = {
    {".ko", "none"}, {".ko.xz", "xz"}, {".ko.zst", "zst"}, {".ko.gz", "gz"}};

struct found {
    const char *name, *path, *compression;
    struct opt preferred;
};

struct search {
    struct probe_context *context;
    const struct kernel_entry *kernel;
    bool has_dep; /* modules.dep was read: what it does not list is not loaded */
    bool full;
    struct arena names; /* of the folders that are listed */
    size_t count;
    struct found found[FOUND_MAX];
};

/* --- names --- */

/* Debian has nvidia-current, nvidia-current-uvm, nvidia-tesla-470-drm, nvidia-legacy-390xx. */
static const char *of_debian(const char *name)
{
    if (!text_starts(name, "nvidia_current") && !text_starts(name, "nvidia_tesla") &&
        !text_starts(name, "nvidia_legacy"))
        return NULL;
    if (text_ends(name, "_uvm"))
        return "nvidia_uvm";
    if (text_ends(name, "_drm"))
        return "nvidia_drm";
    if (text_ends(name, "_modeset"))
        return "nvidia_modeset";
    return text_ends(name, "_peermem") ? "nvidia_peermem" : "nvidia";
}

const char *gpu_module_name(const char *name, size_t length)
{
    static const char *const names[] = {"nvidia",  "nvidia_uvm",     "nvidia_modeset", "nvidia_drm",
                                        "nouveau", "nvidia_peermem", "nova_core",      "nova_drm"};
    char plain[64];
    if (length < 6 || length >= sizeof plain || name[0] != 'n')
        return NULL;
    for (size_t i = 0; i < length; i++)
        plain[i] = name[i];
    plain[length] = '\0';
    /* the kernel takes both for the same */
    for (char *dash = plain; (dash = strchr(dash, '-'));)
        *dash = '_';
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(plain, names[i]) == 0)
            return names[i];
    return of_debian(plain);
}

/* A file's name without the suffix of a module; NULL for what is no GPU module. */
static const char *module_of(const char *file, size_t length, const char **ret_compression)
{
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        size_t n = strlen(suffixes[i][0]);
        if (length > n && memcmp(file + length - n, suffixes[i][0], n) == 0) {
            *ret_compression = suffixes[i][1];
            return gpu_module_name(file, length - n);
        }
    }
    return NULL;
}

/* --- where they are --- */

static void keep(struct search *search, const char *name, const char *path, const char *compression,
                 struct opt preferred)
{
    for (size_t i = 0; i < search->count; i++)
        if (strcmp(search->found[i].path, path) == 0)
            return;
    if (search->count == FOUND_MAX)
        search->full = true;
    else
        search->found[search->count++] = (struct found){name, path, compression, preferred};
}

/* "updates/dkms/nvidia-uvm.ko: updates/dkms/nvidia.ko kernel/..." */
static void read_dep(struct search *search)
{
    CLEANUP_BYTES struct bytes text = {0};
    const char *path =
        arena_printf(search->context->arena, "%s/modules.dep", search->kernel->folder);
    int code = machine_read(search->context->machine, path, DEP_CAP, &text);
    search->has_dep = code == 0;
    if (code < 0 && code != -ENOENT)
        probe_note(search->context, "kernel", NULL, path, code, "module_file", NULL);
    size_t cursor = 0;
    struct span line;
    while (code == 0 && span_line(text.data, text.length, &cursor, &line)) {
        const char *colon = line.length ? memchr(line.data, ':', line.length) : NULL;
        if (!colon)
            continue;
        size_t length = (size_t)(colon - line.data);
        const char *slash = memrchr(line.data, '/', length);
        const char *file = slash ? slash + 1 : line.data, *compression;
        const char *name = module_of(file, (size_t)(colon - file), &compression);
        if (name)
            keep(search, name,
                 arena_printf(search->context->arena, "%s%s%.*s",
                              *line.data == '/' ? "" : search->kernel->folder,
                              *line.data == '/' ? "" : "/", (int)length, line.data),
                 compression, known(1));
    }
}

/* False where it is not there or cannot be read, which is told. */
static bool list_folder(struct search *search, const char *folder, struct dir_list *ret)
{
    int code = machine_list(search->context->machine, folder, FILES_MAX, &search->names, ret);
    if (code < 0 && code != -ENOENT && code != -ENOTDIR)
        probe_note(search->context, "kernel", NULL, folder, code, "module_file", NULL);
    if (code == 0 && ret->cut)
        search->full = true;
    return code == 0;
}

static void read_folder(struct search *search, const char *folder)
{
    struct dir_list list;
    if (!list_folder(search, folder, &list))
        return;
    for (size_t i = 0; i < list.count; i++) {
        const char *compression;
        const char *name = module_of(list.names[i], strlen(list.names[i]), &compression);
        if (name)
            keep(search, name, arena_printf(search->context->arena, "%s/%s", folder, list.names[i]),
                 compression, search->has_dep ? known(0) : UNKNOWN);
    }
}

/* The folders of this beginning: "kernel/nvidia-" gives kernel/nvidia-580. */
static void read_folders(struct search *search, const char *beginning)
{
    struct arena *arena = search->context->arena;
    const char *slash = strrchr(beginning, '/');
    const char *parent =
        arena_printf(arena, "%s/%.*s", search->kernel->folder, (int)(slash - beginning), beginning);
    struct dir_list list;
    size_t count = 0;
    if (!list_folder(search, parent, &list))
        return;
    for (size_t i = 0; i < list.count; i++)
        if (text_starts(list.names[i], slash + 1) && count++ < FOLDERS_MAX)
            read_folder(search, arena_printf(arena, "%s/%s", parent, list.names[i]));
    search->full |= count > FOLDERS_MAX;
}

static void find_files(struct search *search)
{
    if (search->kernel->running)
        read_dep(search);
    for (size_t i = 0; i < FOLDER_COUNT; i++) {
        if (text_ends(folders[i], "-"))
            read_folders(search, folders[i]);
        else
            read_folder(search, arena_printf(search->context->arena, "%s/%s",
                                             search->kernel->folder, folders[i]));
    }
}

/* --- what they say --- */

/* Whether it is worth half a second to know: nothing else can say what the next start would load.
 */
static bool must_decompress(const struct search *search)
{
    const struct probe_context *context = search->context;
    return !ask(context, "SELECT 1 FROM kernel_module WHERE name = 'nvidia'") ||
           ask(context, "SELECT 1 FROM kernel_module AS m JOIN system_package AS p ON p.upstream "
                        "<> m.version WHERE m.name = 'nvidia' AND p.kind IN ('driver', 'module') "
                        "AND p.state IN ('installed', 'held')");
}

/* The proprietary driver's other modules have the open licence too. */
static bool tells_flavour(const struct found *file)
{
    return strcmp(file->name, "nvidia") == 0 || strcmp(file->name, "nvidia_modeset") == 0;
}

static const char *flavour_of(const struct found *file, const struct modinfo *info)
{
    if (!tells_flavour(file) || !info->license)
        return NULL;
    if (strcmp(info->license, "NVIDIA") == 0)
        return "proprietary";
    return strstr(info->license, "GPL") ? "open" : NULL;
}

static void take(struct search *search, const struct found *file, int code,
                 const struct module_facts *facts, struct row_module_file *row)
{
    if (code == -ETIMEDOUT)
        probe_note_status(search->context, "kernel", NULL, file->path, "timeout", "module_file",
                          "decompressing it took too long");
    else if (code < 0 && code != -ENOTSUP)
        probe_note(search->context, "kernel", NULL, file->path, code, "module_file", NULL);
    if (code < 0)
        return;
    if (facts->info.version) {
        row->version = facts->info.version;
        row->version_from = "modinfo";
    }
    const char *flavour = flavour_of(file, &facts->info);
    row->flavour = flavour ? flavour : row->flavour;
    row->vermagic = facts->info.vermagic;
    row->is_signed = facts->is_signed;
}

static void add_file(struct search *search, const struct found *file)
{
    struct row_module_file row = {
        .name = file->name,
        .kernel = search->kernel->release,
        .path = file->path,
        .compression = file->compression,
        .preferred = file->preferred,
    };
    struct module_facts facts;
    bool main_module = strcmp(file->name, "nvidia") == 0;
    bool plain = strcmp(file->compression, "none") == 0;
    /* nouveau and nova have the kernel's version */
    bool of_driver = text_starts(file->name, "nvidia");
    if (plain && of_driver && (main_module || search->kernel->running)) {
        take(search, file, module_file_read_elf(search->context, file->path, &facts), &facts, &row);
    } else if (!plain && of_driver) {
        module_file_read_names(search->context, search->kernel, &row);
        if (!tells_flavour(file))
            row.flavour = NULL;
        bool first = !file->preferred.known || file->preferred.value;
        if (!row.version && main_module && search->kernel->running && first &&
            must_decompress(search)) {
            bool to_end = ask(search->context, "SELECT 1 FROM host WHERE secure_boot = 1");
            take(search, file,
                 module_file_read_compressed(search->context, file->path, to_end, &facts), &facts,
                 &row);
        }
    }
    if (!row.version)
        row.version_from = NULL;
    facts_add_module_file(search->context->facts, &row);
}

void kernel_read_module_files(struct probe_context *context, const struct kernel_set *kernels)
{
    for (size_t i = 0; i < kernels->count; i++) {
        struct search *search = arena_alloc(context->arena, sizeof *search);
        search->context = context;
        search->kernel = &kernels->items[i];
        find_files(search);
        arena_done(&search->names);
        for (size_t k = 0; k < search->count; k++)
            add_file(search, &search->found[k]);
        if (search->full)
            probe_note_status(context, "kernel", NULL, search->kernel->folder, "malformed",
                              "module_file", "it has more GPU modules than were read");
    }
}
