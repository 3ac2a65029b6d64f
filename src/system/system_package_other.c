/* apk's and pacman's databases, and the traces of NVIDIA's own installer. */
#include <errno.h>
#include <string.h>

#include "parse/pacman_desc.h"
#include "parse/paragraph.h"
#include "parse/proc.h"
#include "probe/look.h"
#include "system/system_package.h"

enum { APK_CAP = 32 * 1024 * 1024, DESC_CAP = 16 * 1024, LOG_CAP = 4096 };

static bool is_absent(int code)
{
    return code == -ENOENT || code == -ENOTDIR;
}

/* --- apk --- */

static void take_apk(struct probe_context *context, struct span paragraph, const char *path)
{
    struct package_seen package = {.manager = "apk", .state = "installed", .path = path};
    if (!paragraph_field(paragraph, "P:", &package.name))
        return;
    package.kind = gpu_package_kind(package.name);
    if (!package.kind)
        return;
    paragraph_field(paragraph, "V:", &package.version);
    paragraph_field(paragraph, "A:", &package.arch);
    system_package_add(context, &package);
}

bool system_package_apk(struct probe_context *context)
{
    static const char *const paths[] = {"/lib/apk/db/installed", "/usr/lib/apk/db/installed"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        CLEANUP_BYTES struct bytes text = {0};
        int code = machine_read(context->machine, paths[i], APK_CAP, &text);
        if (is_absent(code))
            continue;
        size_t cursor = 0, count = 0;
        struct span paragraph;
        while (code == 0 && paragraph_next(text.data, text.length, &cursor, &paragraph))
            if (++count > PACKAGES_MAX)
                code = -EFBIG;
            else
                take_apk(context, paragraph, paths[i]);
        probe_note(context, "system_package", NULL, paths[i], code, "system_package", NULL);
        return true;
    }
    return false;
}

/* --- pacman --- */

static void take_pacman(struct probe_context *context, const char *path, const char *kind)
{
    CLEANUP_BYTES struct bytes text = {0};
    struct pacman_desc desc;
    /* Arch calls the modules for its own kernel what elsewhere is a name for everything together */
    if (strstr(path, "/nvidia-open-") && strcmp(kind, "driver") == 0)
        kind = "module";
    int code = machine_read_head(context->machine, path, DESC_CAP, &text);
    if (code == 0 && !parse_pacman_desc(text.data, text.length, &desc))
        code = -EBADMSG;
    if (code < 0)
        probe_note(context, "system_package", NULL, path, code, "system_package", NULL);
    else
        system_package_add(context, &(struct package_seen){.name = desc.name,
                                                           .kind = kind,
                                                           .version = desc.version,
                                                           .arch = desc.arch,
                                                           .manager = "pacman",
                                                           .state = "installed",
                                                           .path = path});
}

bool system_package_pacman(struct probe_context *context)
{
    static const char folder[] = "/var/lib/pacman/local";
    struct dir_list list;
    int code = machine_list(context->machine, folder, PACKAGES_MAX, context->arena, &list);
    if (is_absent(code))
        return false;
    probe_note(context, "system_package", NULL, folder, code, "system_package", NULL);
    for (size_t i = 0; code == 0 && i < list.count; i++) {
        struct span name;
        const char *kind = pacman_folder_name(list.names[i], &name) ? gpu_package_kind(name) : NULL;
        if (kind)
            take_pacman(context, arena_printf(context->arena, "%s/%s/desc", folder, list.names[i]),
                        kind);
    }
    if (code == 0 && list.cut)
        probe_note_status(context, "system_package", NULL, folder, "malformed", "system_package",
                          "it has more packages than were read");
    return true;
}

/* --- NVIDIA's own installer --- */

/* The first version of a driver in the line. The list of installed files begins with it, in new
 * versions of the installer behind one that old versions understand: "1.0-10014 (100.14)". */
static char *version_in(struct span line, struct arena *arena)
{
    struct span word;
    while (span_word(&line, &word)) {
        while (word.length && (*word.data == '(' || word.data[word.length - 1] == ')')) {
            bool open = *word.data == '(';
            word = (struct span){word.data + open, word.length - 1};
        }
        char *text = arena_strndup(arena, word.data, word.length);
        if (is_driver_version(text))
            return text;
    }
    return NULL;
}

/* The list is root's alone (mode 0600); the log, which anyone may read, says "installer version:
 * 535.104.05" in its third line. */
static char *runfile_version(struct probe_context *context, const char **ret_path)
{
    static const struct {
        const char *path, *key;
    } places[] = {{"/var/lib/nvidia/log", ""},
                  {"/var/log/nvidia-installer.log", "installer version:"}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        CLEANUP_BYTES struct bytes text = {0};
        if (machine_read_head(context->machine, places[i].path, LOG_CAP, &text) < 0)
            continue;
        size_t cursor = 0;
        struct span line;
        while (span_line(text.data, text.length, &cursor, &line)) {
            if (!span_cut_prefix(&line, places[i].key))
                continue;
            char *version = version_in(line, context->arena);
            if (version)
                *ret_path = places[i].path;
            if (version)
                return version;
            if (!*places[i].key) /* the first line alone has it */
                break;
        }
    }
    return NULL;
}

/* The log alone is of an installation that failed or was taken back: it stays. */
void system_package_runfile(struct probe_context *context)
{
    static const char *const marks[] = {"/usr/bin/nvidia-uninstall", "/var/lib/nvidia/log"};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        struct file_stat st;
        int code = machine_stat(context->machine, marks[i], &st);
        if (code == 0 && st.type == FILE_REGULAR) {
            const char *path = marks[i];
            char *version = runfile_version(context, &path);
            facts_add_system_package(context->facts,
                                     &(struct row_system_package){.name = "NVIDIA-Linux",
                                                                  .version = version,
                                                                  .upstream = version,
                                                                  .kind = "driver",
                                                                  .manager = "runfile",
                                                                  .state = "installed",
                                                                  .path = path});
            return;
        }
    }
}
