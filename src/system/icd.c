/* Drivers that the loaders of OpenCL, EGL and Vulkan know: small files in known folders, and those
 * that environment variables add or put in their place. */
#include <errno.h>
#include <string.h>

#include "parse/icd_json.h"
#include "probe/hide_user.h"
#include "probe/look.h"
#include "system/icd_library.h"

enum { FILES_MAX = 256, ENTRIES_MAX = 512, FILE_CAP = 64 * 1024 };

enum format { FORMAT_LINE, FORMAT_JSON, FORMAT_NAME };

static const struct kind {
    const char *api, *suffix;
    enum format format;
} opencl = {"opencl", ".icd", FORMAT_LINE}, egl = {"egl", ".json", FORMAT_JSON},
  platform = {"egl-platform", ".json", FORMAT_JSON}, gbm = {"gbm", "_gbm.so", FORMAT_NAME},
  vulkan = {"vulkan", ".json", FORMAT_JSON};

/* "~" is the home folder, "$NAME" a variable. */
static const struct place {
    const struct kind *kind;
    const char *folder;
} places[] = {
    {&opencl, "/etc/OpenCL/vendors"},
    {&opencl, "$CONDA_PREFIX/etc/OpenCL/vendors"},
    {&egl, "/etc/glvnd/egl_vendor.d"},
    {&egl, "/usr/share/glvnd/egl_vendor.d"},
    {&platform, "/etc/egl/egl_external_platform.d"},
    {&platform, "/usr/share/egl/egl_external_platform.d"},
    {&vulkan, "~/.local/share/vulkan/icd.d"},
    {&vulkan, "/etc/vulkan/icd.d"},
    {&vulkan, "/usr/local/share/vulkan/icd.d"},
    {&vulkan, "/usr/share/vulkan/icd.d"},
    {&gbm, "/usr/lib/x86_64-linux-gnu/gbm"},
    {&gbm, "/usr/lib/aarch64-linux-gnu/gbm"},
    {&gbm, "/usr/lib64/gbm"},
    {&gbm, "/usr/lib/gbm"},
    /* NixOS; what it has for 32-bit programs lies beside it in /run/opengl-driver-32 */
    {&opencl, "/run/opengl-driver/etc/OpenCL/vendors"},
    {&egl, "/run/opengl-driver/share/glvnd/egl_vendor.d"},
    {&platform, "/run/opengl-driver/share/egl/egl_external_platform.d"},
    {&vulkan, "/run/opengl-driver/share/vulkan/icd.d"},
    {&gbm, "/run/opengl-driver/lib/gbm"},
};

/* Lists, separated by colons, of folders or files. */
static const struct {
    const struct kind *kind;
    const char *name;
} variables[] = {
    {&opencl, "OCL_ICD_VENDORS"},
    {&opencl, "OPENCL_VENDOR_PATH"},
    {&egl, "__EGL_VENDOR_LIBRARY_FILENAMES"},
    {&egl, "__EGL_VENDOR_LIBRARY_DIRS"},
    {&vulkan, "VK_DRIVER_FILES"},
    {&vulkan, "VK_ICD_FILENAMES"},
    {&vulkan, "VK_ADD_DRIVER_FILES"},
};

struct icds {
    struct probe_context *context;
    const char *seen[FILES_MAX];
    size_t count;
    bool cut;
};

static void note(struct icds *icds, const char *path, int code, const char *detail)
{
    probe_note(icds->context, "icd", NULL, hide_user(icds->context, path), code, "icd", detail);
}

static bool is_new(struct icds *icds, const char *path)
{
    for (size_t i = 0; i < icds->count; i++)
        if (strcmp(icds->seen[i], path) == 0)
            return false;
    if (icds->count == FILES_MAX) {
        icds->cut = true;
        return false;
    }
    icds->seen[icds->count++] = path;
    return true;
}

/* The library that the file names; NULL with a note where it names none. */
static const char *read_library(struct icds *icds, const struct kind *kind, const char *path,
                                const char *named_by)
{
    struct probe_context *context = icds->context;
    CLEANUP_BYTES struct bytes text = {0};
    int code = machine_read(context->machine, path, FILE_CAP, &text);
    const char *library = NULL;
    if (code == 0) {
        library = kind->format == FORMAT_JSON
                      ? parse_icd_json(text.data, text.length, context->arena)
                      : parse_icd_line(text.data, text.length, context->arena);
        code = library ? 0 : -EBADMSG;
    }
    if (code < 0)
        note(icds, path, code,
             named_by ? arena_printf(context->arena, "%s names it", named_by) : NULL);
    return library;
}

static void add_file(struct icds *icds, const struct kind *kind, const char *path,
                     const char *prefix, const char *named_by)
{
    struct probe_context *context = icds->context;
    const char *slash = strrchr(path, '/');
    if (!slash || !is_new(icds, path))
        return;
    bool itself = kind->format == FORMAT_NAME;
    const char *library = itself ? slash + 1 : read_library(icds, kind, path, named_by);
    if (!library)
        return;
    /* OpenCL hands the line to dlopen(), so a relative path means the working folder */
    const char *folder = kind->format == FORMAT_JSON
                             ? arena_strndup(context->arena, path, (size_t)(slash - path))
                             : NULL;
    const char *where = icd_library_path(context, itself ? path : library, folder, prefix);
    facts_add_icd(context->facts, &(struct row_icd){
                                      .api = kind->api,
                                      .path = hide_user(context, path),
                                      .library = hide_user(context, library),
                                      .vendor = icd_vendor(library),
                                      .library_path = hide_user(context, where),
                                  });
}

/* 0, or why the folder could not be read. */
static int add_folder(struct icds *icds, const struct kind *kind, const char *folder,
                      const char *prefix)
{
    struct probe_context *context = icds->context;
    struct dir_list list;
    int code = machine_list(context->machine, folder, ENTRIES_MAX, context->arena, &list);
    if (code < 0)
        return code;
    icds->cut = icds->cut || list.cut;
    for (size_t i = 0; i < list.count; i++)
        if (text_ends(list.names[i], kind->suffix))
            add_file(icds, kind, arena_printf(context->arena, "%s/%s", folder, list.names[i]),
                     prefix, NULL);
    return 0;
}

static void add_place(struct icds *icds, const struct place *place)
{
    struct probe_context *context = icds->context;
    const char *folder = place->folder, *prefix = NULL;
    if (folder[0] == '$') {
        size_t n = strcspn(folder, "/");
        prefix = machine_getenv(context->machine, arena_strndup(context->arena, folder + 1, n - 1));
        if (!prefix || prefix[0] != '/')
            return;
        folder = arena_printf(context->arena, "%s%s", prefix, folder + n);
    } else if (folder[0] == '~') {
        const char *home = machine_home(context->machine);
        if (!home)
            return;
        folder = arena_printf(context->arena, "%s%s", home, folder + 1);
    }
    int code = add_folder(icds, place->kind, folder, prefix);
    if (code < 0 && code != -ENOENT && code != -ENOTDIR)
        note(icds, folder, code, NULL);
}

static void add_variable(struct icds *icds, const struct kind *kind, const char *name)
{
    struct probe_context *context = icds->context;
    const char *list = machine_getenv(context->machine, name);
    for (int i = 0; list && *list && i < 64; i++) {
        size_t n = strcspn(list, ":");
        char *path = arena_strndup(context->arena, list, n < 4096 ? n : 0);
        if (path[0] == '/') {
            int code = add_folder(icds, kind, path, NULL);
            if (code == -ENOTDIR)
                add_file(icds, kind, path, NULL, name);
            else if (code < 0)
                note(icds, path, code, arena_printf(context->arena, "%s names it", name));
        }
        list += n + (list[n] == ':');
    }
}

static int run(struct probe_context *context)
{
    struct icds icds = {.context = context};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        add_variable(&icds, variables[i].kind, variables[i].name);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        add_place(&icds, &places[i]);
    probe_note_status(context, "icd", NULL, NULL,
                      icds.cut     ? "malformed"
                      : icds.count ? "ok"
                                   : "absent",
                      "icd", icds.cut ? "there are more files than are read" : NULL);
    return 0;
}

const struct probe probe_icd = {
    .name = "icd",
    .phase = PHASE_PASSIVE,
    .reads = "loader_cache",
    .writes = "icd",
    .run = run,
};
