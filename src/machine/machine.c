#include "machine/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "machine/internal.h"

static struct machine *machine_new(enum machine_kind kind, const struct file_ops *files)
{
    struct machine *machine = xcalloc(1, sizeof *machine);
    machine->kind = kind;
    machine->files = files;
    machine->root = -1;
    machine->devices_errno = -ENODATA;
    machine->services_errno = -ENODATA;
    return machine;
}

int machine_open_live(struct machine **ret, struct error *err)
{
    (void)err; /* nothing of it can fail: what is not there is unknown */
    struct machine *machine = machine_new(MACHINE_LIVE, &files_live);
    live_fill(machine);
    *ret = machine;
    return 0;
}

static bool is_there(const struct machine *machine, const char *path)
{
    struct file_stat st;
    return machine_lstat(machine, path, &st) != -ENOENT;
}

int machine_open_root(const char *dir, struct machine **ret, struct error *err)
{
    int root = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return error_set(err, -errno, "cannot open root %s: %s", dir, strerror(errno));
    /* O_PATH needs no right to the folder itself, so ask for it: a root in which no file can be
     * reached would otherwise look like an empty machine. */
    if (faccessat(root, ".", R_OK | X_OK, AT_EACCESS) < 0) {
        int code = -errno;
        close(root);
        return error_set(err, code, "cannot open root %s: %s", dir, strerror(-code));
    }
    struct machine *machine = machine_new(MACHINE_IMAGE, &files_root);
    machine->root = root;
    if (is_there(machine, "/.record")) {
        machine->kind = MACHINE_RECORDED;
        record_fill(machine);
    } else if (is_there(machine, "/proc/version")) {
        machine->kind = MACHINE_RECORDED; /* a tree without notes: what is no file is unknown */
    }
    *ret = machine;
    return 0;
}

int machine_open_facts(struct machine **ret)
{
    *ret = machine_new(MACHINE_FACTS, &files_none);
    return 0;
}

void machine_free(struct machine *machine)
{
    if (!machine)
        return;
    if (machine->root >= 0)
        close(machine->root);
    arena_done(&machine->arena);
    free(machine);
}

enum machine_kind machine_kind(const struct machine *machine)
{
    return machine->kind;
}

const char *machine_kind_name(enum machine_kind kind)
{
    switch (kind) {
    case MACHINE_LIVE:
        return "live";
    case MACHINE_RECORDED:
        return "recorded";
    case MACHINE_IMAGE:
        return "image";
    case MACHINE_FACTS:
        return "facts";
    }
    return "unknown";
}

bool machine_is_partial(const struct machine *machine)
{
    return machine->partial;
}

size_t machine_problem_count(const struct machine *machine)
{
    return machine->problem_count;
}

const char *machine_problem(const struct machine *machine, size_t index)
{
    return index < machine->problem_count ? machine->problems[index] : NULL;
}

double machine_clock_ms(const struct machine *machine)
{
    struct timespec now;
    if (machine->kind != MACHINE_LIVE || clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return 0;
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}
