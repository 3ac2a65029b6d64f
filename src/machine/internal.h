/* What the files of this room share; nobody else includes it. */
#ifndef MACHINE_INTERNAL_H
#define MACHINE_INTERNAL_H

#include <sys/stat.h>

#include "base/arena.h"
#include "machine/machine.h"

enum open_as {
    OPEN_FILE, /* a regular one */
    OPEN_SEEN, /* likewise, and known to be one */
    OPEN_FOLDER,
};

/* How a kind of machine reaches its files. Paths are absolute; each returns 0 or -errno. */
struct file_ops {
    int (*stat)(const struct machine *machine, const char *path, bool follow, struct stat *ret);
    /* For reading; never blocks, never opens a device. */
    int (*open)(const struct machine *machine, const char *path, enum open_as as, int *ret_fd);
    /* Length of the link's text, which is cut at `size` and has no NUL. */
    ssize_t (*readlink)(const struct machine *machine, const char *path, char *ret, size_t size);
    int (*realpath)(const struct machine *machine, const char *path, struct arena *arena,
                    char **ret);
    int (*fs_magic)(const struct machine *machine, const char *path, int64_t *ret);
};

extern const struct file_ops files_live;
extern const struct file_ops files_root;
extern const struct file_ops files_none;

struct env_var {
    const char *name, *value;
};

enum { PROBLEMS_MAX = 64 };

struct machine {
    enum machine_kind kind;
    const struct file_ops *files;
    int root; /* O_PATH descriptor of the tree; -1 without one */
    bool partial;
    struct arena arena; /* of everything below */

    struct env_var *env;
    size_t env_count;
    bool env_known;
    struct machine_uname uname;
    const char *glibc, *cwd, *home;
    struct machine_user user;

    /* Of a recorded machine; the errno is -ENODATA where the record has no such part. */
    int devices_errno, services_errno;
    struct machine_devices devices; /* access_errno is filled in on demand */
    struct machine_services services;

    const char *problems[PROBLEMS_MAX];
    size_t problem_count;
};

/* live.c: the running system's environment, names and user into the machine. */
void live_fill(struct machine *machine);
/* record.c: what DIR/.record holds into the machine. */
void record_fill(struct machine *machine);
void record_problem(struct machine *machine, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* record_lists.c: the parts with many lines. */
void record_fill_devices(struct machine *machine);
void record_fill_services(struct machine *machine);
/* kernel_log.c: adds one record of /dev/kmsg as dmesg prints it. */
void kernel_log_add_record(struct text *log, const char *record, size_t length);
/* user.c */
void user_fill_live(struct machine *machine);
void user_fill_record(struct machine *machine, const char *line, size_t length);
void home_fill(struct machine *machine);

/* Where /etc/passwd or /etc/group is missing or not readable, its names are simply not known. */
struct accounts {
    struct bytes users, groups;
};
void accounts_load(const struct machine *machine, struct accounts *ret);
void accounts_done(struct accounts *accounts);
/* Name of a number; NULL where the file has none. From `arena`. */
char *account_name(const struct bytes *file, uint32_t id, struct arena *arena);
bool account_id(const struct bytes *file, const char *name, uint32_t *ret);

#endif
