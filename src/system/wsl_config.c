/* What WSL is told to do: /etc/wsl.conf by the distribution, .wslconfig by Windows' user. Names and
 * defaults: learn.microsoft.com/windows/wsl/wsl-config. */
#include <errno.h>
#include <string.h>

#include "parse/ini.h"
#include "parse/windows_text.h"
#include "probe/hide_user.h"
#include "probe/look.h"
#include "system/wsl.h"

enum { USERS_MAX = 64 };
static const char conf_path[] = "/etc/wsl.conf", table[] = "wsl";

static void take_bool(const struct ini_line *line, const char *section, const char *key,
                      struct opt *ret)
{
    if (ini_is(line, section, key) && ini_bool(line).known)
        *ret = ini_bool(line);
}

static char *text_of(struct probe_context *context, const struct ini_line *line)
{
    return arena_strndup(context->arena, line->value.data, line->value.length);
}

static void note_ini(struct probe_context *context, const struct ini *ini, const char *path)
{
    bool is_ini = ini->bad == 0 || ini->bad < ini->lines;
    probe_note_status(context, "wsl", NULL, path, is_ini ? "ok" : "malformed", table,
                      ini->bad ? arena_printf(context->arena, "%zu of %zu lines cannot be read",
                                              ini->bad, ini->lines)
                               : NULL);
}

/* "/mnt/" without the slash at its end; a root of "/" is "". */
static char *folder_of(struct probe_context *context, const struct ini_line *line)
{
    char *root = text_of(context, line);
    for (size_t n = strlen(root); n && root[n - 1] == '/'; n--)
        root[n - 1] = '\0';
    return root;
}

struct wsl_config wsl_read_conf(struct probe_context *context)
{
    static const struct wsl_config unknown = {.mount_root = "/mnt"};
    CLEANUP_BYTES struct bytes text = {0};
    struct ini ini;
    struct ini_line line;
    int code = machine_read(context->machine, conf_path, WSL_FILE_CAP, &text);
    bool absent = code == -ENOENT || code == -ENOTDIR;
    if (code < 0)
        probe_note(context, "wsl", NULL, conf_path, code, table, NULL);
    if (code < 0 && !absent)
        return unknown;
    struct wsl_config config = {
        .mount_root = "/mnt",
        .gpu = known(1),
        .append_lib_path = known(1),
        .ldconfig = known(1),
        .interop = known(1),
        .systemd = known(0),
    };
    if (absent)
        return config;
    ini_start(&ini, windows_text(text.data, text.length, context->arena));
    while (ini_next(&ini, &line)) {
        take_bool(&line, "automount", "ldconfig", &config.ldconfig);
        take_bool(&line, "interop", "enabled", &config.interop);
        take_bool(&line, "gpu", "enabled", &config.gpu);
        take_bool(&line, "gpu", "appendLibPath", &config.append_lib_path);
        take_bool(&line, "boot", "systemd", &config.systemd);
        if (ini_is(&line, "automount", "root") && line.value.length && *line.value.data == '/')
            config.mount_root = folder_of(context, &line);
    }
    note_ini(context, &ini, conf_path);
    return config;
}

/* --- .wslconfig --- */

/* Whether PATH has a folder of that user of Windows: WSL appends Windows' own PATH. */
static bool on_path(const struct probe_context *context, const char *user_folder)
{
    const char *path = machine_getenv(context->machine, "PATH");
    size_t n = strlen(user_folder);
    for (const char *at = path; at && (at = strstr(at, user_folder)); at += n)
        if ((at == path || at[-1] == ':') && at[n] == '/')
            return true;
    return false;
}

/* The one file there is, or that of the user whose folders are on PATH. NULL with *ret_code 0 where
 * none has one, else with a negative errno. */
static char *find_wslconfig(struct probe_context *context, const char *drive, int *ret_code)
{
    static const char *const nobody[] = {"All Users", "Default", "Default User", "Public"};
    struct dir_list list = {0};
    const char *folder = arena_printf(context->arena, "%s/Users", drive);
    char *found = NULL;
    size_t count = 0;
    *ret_code = machine_list(context->machine, folder, USERS_MAX, context->arena, &list);
    for (size_t i = 0; *ret_code == 0 && i < list.count; i++) {
        bool skip = list.names[i][0] == '.';
        for (size_t k = 0; k < sizeof nobody / sizeof nobody[0]; k++)
            skip = skip || strcmp(nobody[k], list.names[i]) == 0;
        char *user = arena_printf(context->arena, "%s/%s", folder, list.names[i]);
        char *path = arena_printf(context->arena, "%s/.wslconfig", user);
        if (skip || !machine_exists(context->machine, path))
            continue;
        if (on_path(context, user))
            return path;
        found = path;
        count++;
    }
    if (count > 1)
        *ret_code = -ENOTUNIQ;
    return count == 1 ? found : NULL;
}

/* Backslashes stand doubled in the file. */
static const char *kernel_path(struct probe_context *context, const struct ini_line *line)
{
    char *path = text_of(context, line), *to = path;
    for (const char *from = path; *from; from++) {
        *to++ = *from;
        from += from[0] == '\\' && from[1] == '\\';
    }
    *to = '\0';
    return *path ? hide_user(context, path) : NULL;
}

struct wsl_windows_config wsl_read_wslconfig(struct probe_context *context, const char *drive)
{
    struct wsl_windows_config config = {0};
    CLEANUP_BYTES struct bytes text = {0};
    struct ini ini;
    struct ini_line line;
    int code = 0;
    char *path = find_wslconfig(context, drive, &code);
    if (code < 0) {
        const char *folder = arena_printf(context->arena, "%s/Users", drive);
        if (code == -ENOTUNIQ)
            probe_note_status(context, "wsl", NULL, folder, "skipped", table,
                              "several users of Windows have a .wslconfig");
        else
            probe_note(context, "wsl", NULL, folder, code, table, NULL);
        return config;
    }
    config.gpu = known(1);
    config.safe_mode = known(0);
    if (!path)
        return config;
    config.path = hide_user(context, path);
    code = machine_read(context->machine, path, WSL_FILE_CAP, &text);
    if (code < 0) {
        probe_note(context, "wsl", NULL, config.path, code, table, NULL);
        return (struct wsl_windows_config){.path = config.path};
    }
    ini_start(&ini, windows_text(text.data, text.length, context->arena));
    while (ini_next(&ini, &line)) {
        take_bool(&line, "wsl2", "gpuSupport", &config.gpu);
        take_bool(&line, "wsl2", "safeMode", &config.safe_mode);
        struct opt memory = ini_memory(&line);
        if (ini_is(&line, "wsl2", "memory") && memory.known)
            config.memory_mib = known(memory.value >> 20);
        if (ini_is(&line, "wsl2", "kernel"))
            config.kernel = kernel_path(context, &line);
    }
    note_ini(context, &ini, config.path);
    return config;
}
