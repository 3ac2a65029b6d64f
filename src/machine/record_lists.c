/* The parts of a record with one item a line: device nodes and services. */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/span.h"
#include "machine/internal.h"

enum { LIST_CAP = 1024 * 1024, ITEMS_MAX = 4096 };

/* "rwxrwxrwx" with the set-id and sticky letters of ls(1). */
static bool parse_mode(struct span text, uint32_t *ret)
{
    static const char letters[] = "rwxrwxrwx";
    uint32_t mode = 0;
    if (text.length < 10)
        return false;
    for (size_t i = 0; i < 9; i++) {
        char c = text.data[i + 1];
        bool special = i % 3 == 2 && strchr("sStT", c) != NULL;
        if (c != letters[i] && c != '-' && !special)
            return false;
        if (c == letters[i] || c == 's' || c == 't')
            mode |= 0400U >> i;
    }
    *ret = mode;
    return true;
}

/* "195,0", or as ls(1) pads it, "195,   0". */
static bool parse_numbers(struct span *rest, uint32_t *ret_major, uint32_t *ret_minor)
{
    struct span field, first;
    if (!span_word(rest, &field) || !span_split(&field, ',', &first) ||
        !span_uint32(first, ret_major))
        return false;
    if (field.data && field.length == 0 && !span_word(rest, &field))
        return false;
    return field.data && span_uint32(field, ret_minor);
}

/* `crw-rw-rw- root root 195,0 /dev/nvidia0` */
static bool parse_device(struct span line, struct arena *arena, struct machine_device *ret)
{
    struct span mode, owner, group;
    if (!utf8_valid(line.data, line.length) || !span_word(&line, &mode) ||
        !span_word(&line, &owner) || !span_word(&line, &group) ||
        !parse_numbers(&line, &ret->major, &ret->minor) || !parse_mode(mode, &ret->mode))
        return false;
    struct span path = span_trim(line);
    if (path.length < 2 || path.data[0] != '/' || (mode.data[0] != 'c' && mode.data[0] != 'b'))
        return false;
    ret->type = mode.data[0];
    ret->owner = arena_strndup(arena, owner.data, owner.length);
    ret->group = arena_strndup(arena, group.data, group.length);
    ret->path = arena_strndup(arena, path.data, path.length);
    return true;
}

void record_fill_devices(struct machine *machine)
{
    CLEANUP_BYTES struct bytes bytes = {0};
    int r = machine_read(machine, "/.record/dev", LIST_CAP, &bytes);
    machine->devices_errno = r == -ENOENT ? -ENODATA : r;
    if (r < 0) {
        if (r != -ENOENT)
            record_problem(machine, ".record/dev: %s", strerror(-r));
        return;
    }
    struct machine_devices *devices = &machine->devices;
    CLEANUP_FREE struct machine_device *items = NULL;
    size_t capacity = 0, cursor = 0, length, number = 0;
    const char *line;
    while (devices->count < ITEMS_MAX &&
           text_next_line(bytes.data, bytes.length, &cursor, &line, &length)) {
        struct machine_device device = {0};
        number++;
        if (length == 0)
            continue;
        if (!parse_device((struct span){line, length}, &machine->arena, &device)) {
            record_problem(
                machine, ".record/dev, line %zu: not `MODE OWNER GROUP MAJOR,MINOR PATH`", number);
            continue;
        }
        items = xgrow(items, &capacity, devices->count + 1, sizeof *items);
        items[devices->count++] = device;
    }
    devices->items = arena_alloc(&machine->arena, (devices->count + 1) * sizeof *items);
    if (devices->count)
        memcpy(devices->items, items, devices->count * sizeof *items);
}

/* `NAME.service STATE` */
static bool parse_service(struct span line, struct arena *arena, struct machine_service *ret)
{
    static const char suffix[] = ".service";
    struct span name, state, more;
    if (!utf8_valid(line.data, line.length) || !span_word(&line, &name) ||
        !span_word(&line, &state) || span_word(&line, &more))
        return false;
    size_t tail = sizeof suffix - 1;
    if (name.length > tail && memcmp(name.data + name.length - tail, suffix, tail) == 0)
        name.length -= tail;
    ret->name = arena_strndup(arena, name.data, name.length);
    ret->state = arena_strndup(arena, state.data, state.length);
    ret->source = arena_strdup(arena, "/.record/services");
    return true;
}

void record_fill_services(struct machine *machine)
{
    CLEANUP_BYTES struct bytes bytes = {0};
    int r = machine_read(machine, "/.record/services", LIST_CAP, &bytes);
    machine->services_errno = r == -ENOENT ? -ENODATA : r;
    if (r < 0) {
        if (r != -ENOENT)
            record_problem(machine, ".record/services: %s", strerror(-r));
        return;
    }
    struct machine_services *services = &machine->services;
    CLEANUP_FREE struct machine_service *items = NULL;
    size_t capacity = 0, cursor = 0, length, number = 0;
    const char *line;
    while (services->count < ITEMS_MAX &&
           text_next_line(bytes.data, bytes.length, &cursor, &line, &length)) {
        struct machine_service service = {0};
        number++;
        if (length == 0)
            continue;
        if (!parse_service((struct span){line, length}, &machine->arena, &service)) {
            record_problem(machine, ".record/services, line %zu: not `NAME.service STATE`", number);
            continue;
        }
        items = xgrow(items, &capacity, services->count + 1, sizeof *items);
        items[services->count++] = service;
    }
    services->items = arena_alloc(&machine->arena, (services->count + 1) * sizeof *items);
    if (services->count)
        memcpy(services->items, items, services->count * sizeof *items);
}
