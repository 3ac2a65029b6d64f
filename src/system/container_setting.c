#include "system/container_setting.h"

#include <errno.h>
#include <string.h>

#include "parse/docker_daemon.h"
#include "parse/ini.h"
#include "parse/toml_lines.h"
#include "probe/hide_user.h"
#include "probe/look.h"

enum {
    FILE_CAP = 1024 * 1024,
    FILES_MAX = 32,
    IMPORTS_MAX = 8,
    VALUE_MAX = 512,
    ROWS_MAX = 2000, /* of all files: each has a dozen */
};
static const char table[] = "container_setting";

struct reader {
    struct probe_context *context;
    const char *tool, *path;
    const struct toml_key *keys;
    bool any; /* a file of some tool was there */
    const char *imports[IMPORTS_MAX];
    size_t import_count;
    size_t rows;
};

static void add(struct reader *reader, const char *name, const char *value)
{
    struct probe_context *context = reader->context;
    if (strlen(value) > VALUE_MAX || ++reader->rows > ROWS_MAX)
        return;
    facts_add_container_setting(context->facts, &(struct row_container_setting){
                                                    .tool = reader->tool,
                                                    .name = name,
                                                    .value = hide_user(context, value),
                                                    .path = hide_user(context, reader->path),
                                                });
}

static void note(const struct reader *reader, const char *status, const char *detail)
{
    probe_note_status(reader->context, "container", NULL, hide_user(reader->context, reader->path),
                      status, table, detail);
}

/* --- TOML --- */

static void add_key(struct reader *reader, const struct toml_key *key, const char *name,
                    const char *value)
{
    struct arena *arena = reader->context->arena;
    if (!key->after) {
        if (text_ends(name, key->before))
            add(reader, key->name, value);
        return;
    }
    const char *at = strstr(name, key->before);
    if (!at || !text_ends(name, key->after))
        return;
    at += strlen(key->before);
    size_t length = strlen(at), end = strlen(key->after);
    if (length <= end)
        return;
    const char *between = arena_strndup(arena, at, length - end);
    if (!key->nvidia_only || strstr(between, "nvidia") || strstr(value, "nvidia"))
        add(reader, arena_printf(arena, "%s.%s", key->name, between), value);
}

static void take_value(void *data, const struct toml_value *value)
{
    struct reader *reader = data;
    for (const struct toml_key *key = reader->keys; key->before; key++)
        add_key(reader, key, value->name, value->text);
    if (strcmp(value->name, "imports") == 0 && reader->import_count < IMPORTS_MAX)
        reader->imports[reader->import_count++] = arena_strdup(reader->context->arena, value->text);
}

static void read_toml(struct reader *reader, const struct bytes *text)
{
    bool whole = toml_each(text->data, text->length, take_value, reader);
    note(reader, whole ? "ok" : "malformed", whole ? NULL : "it is no TOML from some line on");
}

/* --- other formats --- */

static void read_docker(struct reader *reader, const struct bytes *text)
{
    struct docker_daemon daemon;
    if (!parse_docker_daemon(text->data, text->length, reader->context->arena, &daemon)) {
        note(reader, "malformed",
             arena_printf(reader->context->arena, "it is no JSON: %s", daemon.message));
        return;
    }
    for (size_t i = 0; i < daemon.count; i++)
        add(reader, daemon.items[i].name, daemon.items[i].value);
    note(reader, "ok", NULL);
}

static void read_apptainer(struct reader *reader, const struct bytes *text)
{
    static const char *const keys[] = {"always use nv", "use nvidia-container-cli",
                                       "nvidia-container-cli path"};
    struct ini ini;
    struct ini_line line;
    ini_start(&ini, (struct span){text->data, text->length});
    while (ini_next(&ini, &line))
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
            if (span_equal(line.key, keys[i]) && line.value.length)
                add(reader, keys[i],
                    arena_strndup(reader->context->arena, line.value.data, line.value.length));
    note(reader, "ok", NULL);
}

/* enroot.conf: a name and a value between blanks. */
static void read_enroot(struct reader *reader, const struct bytes *text)
{
    static const char *const keys[] = {"ENROOT_RESTRICT_DEV", "ENROOT_MOUNT_HOME",
                                       "ENROOT_ROOTFS_WRITABLE", "ENROOT_REMAP_ROOT"};
    size_t cursor = 0;
    struct span line, name, value;
    while (span_line(text->data, text->length, &cursor, &line)) {
        if (!span_word(&line, &name) || !span_word(&line, &value))
            continue;
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
            if (span_equal(name, keys[i]))
                add(reader, keys[i],
                    arena_strndup(reader->context->arena, value.data, value.length));
    }
    note(reader, "ok", NULL);
}

/* --- places --- */

typedef void (*read_format)(struct reader *reader, const struct bytes *text);

/* "~" is the user's home. A folder's name ends in "/" and its files in `ending`; CRI-O takes all
 * files of its folder. */
static const struct place {
    const char *tool, *path, *ending;
    read_format read; /* NULL: that it is there is the fact, under the name `present` */
    const struct toml_key *keys;
    const char *present;
} places[] = {
    {"docker", "/etc/docker/daemon.json", NULL, read_docker, NULL, NULL},
    {"docker", "~/.config/docker/daemon.json", NULL, read_docker, NULL, NULL},
    {"docker", "/var/snap/docker/current/config/daemon.json", NULL, read_docker, NULL, NULL},
    {"containerd", "/etc/containerd/config.toml", NULL, read_toml, containerd_keys, NULL},
    {"containerd", "/var/lib/rancher/k3s/agent/etc/containerd/config.toml", NULL, read_toml,
     containerd_keys, NULL},
    {"containerd", "/var/lib/rancher/rke2/agent/etc/containerd/config.toml", NULL, read_toml,
     containerd_keys, NULL},
    {"containerd", "/var/snap/microk8s/current/args/containerd.toml", NULL, read_toml,
     containerd_keys, NULL},
    {"crio", "/etc/crio/crio.conf", NULL, read_toml, crio_keys, NULL},
    {"crio", "/etc/crio/crio.conf.d/", "", read_toml, crio_keys, NULL},
    {"podman", "/usr/share/containers/containers.conf", NULL, read_toml, podman_keys, NULL},
    {"podman", "/etc/containers/containers.conf", NULL, read_toml, podman_keys, NULL},
    {"podman", "~/.config/containers/containers.conf", NULL, read_toml, podman_keys, NULL},
    {"podman", "/usr/share/containers/oci/hooks.d/oci-nvidia-hook.json", NULL, NULL, NULL,
     "hook.nvidia"},
    {"podman", "/etc/containers/oci/hooks.d/oci-nvidia-hook.json", NULL, NULL, NULL, "hook.nvidia"},
    {"nvidia-container-runtime", "/etc/nvidia-container-runtime/config.toml", NULL, read_toml,
     toolkit_keys, NULL},
    {"nvidia-container-runtime", "~/.config/nvidia-container-runtime/config.toml", NULL, read_toml,
     toolkit_keys, NULL},
    {"nvidia-container-runtime",
     "/usr/local/nvidia/toolkit/.config/nvidia-container-runtime/config.toml", NULL, read_toml,
     toolkit_keys, NULL},
    {"apptainer", "/etc/apptainer/apptainer.conf", NULL, read_apptainer, NULL, NULL},
    {"apptainer", "/etc/singularity/singularity.conf", NULL, read_apptainer, NULL, NULL},
    {"apptainer", "/etc/apptainer/nvliblist.conf", NULL, NULL, NULL, "nvliblist"},
    {"apptainer", "/etc/singularity/nvliblist.conf", NULL, NULL, NULL, "nvliblist"},
    {"enroot", "/etc/enroot/enroot.conf", NULL, read_enroot, NULL, NULL},
    {"enroot", "/etc/enroot/hooks.d/98-nvidia.sh", NULL, NULL, NULL, "hook.nvidia"},
};

static void read_file(struct reader *reader, const char *path, read_format read)
{
    CLEANUP_BYTES struct bytes text = {0};
    int code = machine_read(reader->context->machine, path, FILE_CAP, &text);
    if (code == -ENOENT || code == -ENOTDIR)
        return;
    reader->any = true;
    reader->path = path;
    if (code < 0)
        probe_note(reader->context, "container", NULL, hide_user(reader->context, path), code,
                   table, NULL);
    else
        read(reader, &text);
}

static bool is_folder(const struct probe_context *context, const char *path)
{
    struct file_stat st;
    return machine_stat(context->machine, path, &st) == 0 && st.type == FILE_DIRECTORY;
}

static void read_folder(struct reader *reader, const char *folder, const char *ending,
                        read_format read)
{
    struct probe_context *context = reader->context;
    struct dir_list list;
    size_t count = 0;
    int code = machine_list(context->machine, folder, 1024, context->arena, &list);
    if (code < 0) {
        if (code != -ENOENT && code != -ENOTDIR)
            probe_note(context, "container", NULL, folder, code, table, NULL);
        return;
    }
    for (size_t i = 0; i < list.count; i++) {
        const char *path = arena_printf(context->arena, "%s%s", folder, list.names[i]);
        if (text_ends(list.names[i], ending) && !is_folder(context, path) && count++ < FILES_MAX)
            read_file(reader, path, read);
    }
    if (list.cut || count > FILES_MAX)
        probe_note_status(context, "container", NULL, folder, "malformed", table,
                          "it has more files than were read");
}

/* Files that a file of containerd brings in, by name or as all of a folder with an ending. Theirs
 * are not followed. */
static void read_imports(struct reader *reader)
{
    struct arena *arena = reader->context->arena;
    size_t count = reader->import_count;
    for (size_t i = 0; i < count; i++) {
        const char *path = reader->imports[i], *star = strstr(path, "/*");
        if (*path != '/')
            continue;
        if (star && !strpbrk(star + 2, "*?[/"))
            read_folder(reader, arena_strndup(arena, path, (size_t)(star - path) + 1), star + 2,
                        read_toml);
        else if (!strpbrk(path, "*?["))
            read_file(reader, path, read_toml);
    }
    reader->import_count = 0;
}

static void read_place(struct reader *reader, const struct place *place)
{
    struct probe_context *context = reader->context;
    const char *path = place->path;
    if (*path == '~') {
        const char *home = machine_home(context->machine);
        if (!home)
            return;
        path = arena_printf(context->arena, "%s%s", home, path + 1);
    }
    reader->tool = place->tool;
    reader->keys = place->keys;
    if (place->ending) {
        read_folder(reader, path, place->ending, place->read);
    } else if (place->read) {
        read_file(reader, path, place->read);
        read_imports(reader);
    } else if (machine_exists(context->machine, path)) {
        reader->any = true;
        reader->path = path;
        add(reader, place->present, path);
    }
}

void container_settings(struct probe_context *context)
{
    struct reader reader = {.context = context};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        read_place(&reader, &places[i]);
    if (reader.rows > ROWS_MAX)
        probe_note_status(context, "container", NULL, NULL, "malformed", table,
                          "there are more settings of container engines than are kept");
    if (!reader.any)
        probe_note_status(context, "container", NULL, places[0].path, "absent", table,
                          "no container engine has settings in any known place");
}
