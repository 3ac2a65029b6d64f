/* Windows' system drive, as WSL mounts it. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/read.h"
#include "probe/look.h"
#include "system/mount_list.h"
#include "system/wsl.h"

/* With virtiofs the source of a drive may be any text; its folder is named by the letter. */
static bool is_virtiofs_drive(const struct wsl_config *config, const struct mount_line *mount,
                              char *ret_letter)
{
    size_t n = strlen(config->mount_root);
    if (strcmp(mount->type, "virtiofs") != 0 || strncmp(mount->path, config->mount_root, n) != 0 ||
        mount->path[n] != '/' || !isalpha((unsigned char)mount->path[n + 1]) || mount->path[n + 2])
        return false;
    *ret_letter = (char)tolower((unsigned char)mount->path[n + 1]);
    return true;
}

/* Windows is on C: unless somebody took pains; then the drive with the folder is the one. */
const char *wsl_system_drive(struct probe_context *context, const struct wsl_config *config)
{
    struct mount_list list;
    const char *first = NULL;
    int code = mount_list_read(context, &list);
    for (size_t i = 0; code == 0 && i < list.count; i++) {
        const struct mount_line *mount = &list.items[i];
        char letter;
        if (!mount_is_windows(mount, &letter) && !is_virtiofs_drive(config, mount, &letter))
            continue;
        if (letter == 'c')
            return mount->path;
        if (!first &&
            machine_exists(context->machine,
                           arena_printf(context->arena, "%s/Windows/System32", mount->path)))
            first = mount->path;
    }
    if (code == 0)
        return first ? first : "none";
    /* a record may lack the list of mounts */
    const char *usual = arena_printf(context->arena, "%s/c", config->mount_root);
    bool there =
        machine_exists(context->machine, arena_printf(context->arena, "%s/Windows", usual));
    return there ? usual : NULL;
}

static ssize_t read_file(void *context, void *buffer, size_t size, uint64_t offset)
{
    return read_at(*(int *)context, buffer, size, offset);
}

int wsl_file_version(struct probe_context *context, const char *path, struct pe_version *ret)
{
    CLEANUP_CLOSE int fd = -1;
    int code = machine_open(context->machine, path, &fd);
    if (code == 0)
        code = pe_version_read(&(struct pe_file){read_file, &fd}, ret);
    if (code != -ENOENT && code != -ENOTDIR)
        probe_note(context, "wsl", NULL, path, code, "wsl",
                   code == -EBADMSG ? "it states no version" : NULL);
    return code;
}

char *wsl_path(struct probe_context *context, const char *drive, const char *windows_path)
{
    const char *last = strrchr(drive, '/');
    int letter = tolower((unsigned char)windows_path[0]);
    if (!isalpha(letter) || windows_path[1] != ':' || windows_path[2] != '\\')
        return NULL;
    if (letter != 'c' && (!last || strcmp(last, "/c") != 0))
        return NULL;
    char *path = letter == 'c' ? arena_printf(context->arena, "%s/%s", drive, windows_path + 3)
                               : arena_printf(context->arena, "%.*s/%c/%s", (int)(last - drive),
                                              drive, letter, windows_path + 3);
    for (char *at = path + strlen(drive); *at; at++)
        if (*at == '\\')
            *at = '/';
    return path;
}
