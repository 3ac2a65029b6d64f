#include "parse/docker_daemon.h"

#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/json_file.h"
#include "base/text.h"

static void add(struct docker_daemon *daemon, struct arena *arena, const char *name,
                const char *value)
{
    if (name && value && daemon->count < DOCKER_SETTINGS_MAX)
        daemon->items[daemon->count++] = (struct docker_setting){name, arena_strdup(arena, value)};
}

static void add_runtimes(struct docker_daemon *daemon, struct arena *arena, const json_t *runtimes)
{
    const char *name;
    json_t *runtime;
    json_object_foreach ((json_t *)runtimes, name, runtime) {
        const char *path = json_string_value(json_object_get(runtime, "path"));
        const char *type = json_string_value(json_object_get(runtime, "runtimeType"));
        const char *value = path ? path : type;
        if (strstr(name, "nvidia") || (value && strstr(value, "nvidia")))
            add(daemon, arena, arena_printf(arena, "runtime.%s", name), value ? value : "");
    }
}

static void add_flag(struct docker_daemon *daemon, struct arena *arena, const char *name,
                     const json_t *value)
{
    if (json_is_boolean(value))
        add(daemon, arena, name, json_is_true(value) ? "true" : "false");
}

/* "native.cgroupdriver=systemd" decides who manages the rules for devices. */
static void add_options(struct docker_daemon *daemon, struct arena *arena, const json_t *list,
                        const char *prefix, const char *name)
{
    size_t at;
    json_t *item;
    json_array_foreach (list, at, item) {
        const char *text = json_string_value(item);
        if (text && text_starts(text, prefix))
            add(daemon, arena, name, text + strlen(prefix));
    }
}

bool parse_docker_daemon(const char *data, size_t size, struct arena *arena,
                         struct docker_daemon *ret)
{
    json_error_t error;
    *ret = (struct docker_daemon){0};
    CLEANUP_JSON json_t *root = json_loadb(data, size, 0, &error);
    if (!json_is_object(root)) {
        /* what stands near the mistake may be an address with a password */
        const char *near = root ? NULL : strstr(error.text, " near ");
        int length = near ? (int)(near - error.text) : (int)sizeof error.text - 1;
        snprintf(ret->message, sizeof ret->message, "line %d: %.*s", root ? 1 : error.line, length,
                 root ? "no JSON object" : error.text);
        return false;
    }
    add(ret, arena, "default-runtime", json_string_value(json_object_get(root, "default-runtime")));
    add_runtimes(ret, arena, json_object_get(root, "runtimes"));
    add_flag(ret, arena, "cdi", json_object_get(json_object_get(root, "features"), "cdi"));
    add_options(ret, arena, json_object_get(root, "cdi-spec-dirs"), "", "cdi-spec-dirs");
    add_options(ret, arena, json_object_get(root, "exec-opts"),
                "native.cgroupdriver=", "cgroup-driver");
    add(ret, arena, "default-shm-size",
        json_string_value(json_object_get(root, "default-shm-size")));
    return true;
}
