/* Docker's daemon.json, as far as it concerns GPUs; registries, proxies and logs are never taken.
 */
#ifndef PARSE_DOCKER_DAEMON_H
#define PARSE_DOCKER_DAEMON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum { DOCKER_SETTINGS_MAX = 64, DOCKER_MESSAGE_MAX = 200 };

struct docker_setting {
    const char *name; /* "runtime.nvidia", "default-runtime", "cdi", ... */
    const char *value;
};

struct docker_daemon {
    struct docker_setting items[DOCKER_SETTINGS_MAX];
    size_t count;
    char message[DOCKER_MESSAGE_MAX]; /* where the file is no JSON: what is wrong, in which line */
};

/* False where it is no JSON object. An empty file is none either: Docker does not start with it. */
bool parse_docker_daemon(const char *data, size_t size, struct arena *arena,
                         struct docker_daemon *ret);

#endif
