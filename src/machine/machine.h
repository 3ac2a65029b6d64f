/* The machine: the only door to the outside. A probe sees files, environment variables, devices
 * and the driver through this handle alone, so that a recorded machine answers like a live one.
 *
 * Paths are absolute inside the machine ("/etc/os-release"). In a recorded tree or an image every
 * symbolic link, absolute ones too, is resolved inside the root.
 *
 * Functions return 0 or a negative errno: -ENOENT absent (always so without a tree), -EACCES/-EPERM
 * denied, -EFBIG larger than allowed, -ELOOP a link cycle, -EINVAL not a regular file (FIFO,
 * device, socket) or a path that is not absolute, -EISDIR, -ENOTDIR. */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

enum machine_kind {
    MACHINE_LIVE,     /* "/" of the running system */
    MACHINE_RECORDED, /* a tree with .record/ */
    MACHINE_IMAGE,    /* an unpacked image: neither .record nor /proc/version */
    MACHINE_FACTS,    /* no tree at all: facts were loaded, no probe runs */
};

struct machine;

/* Each returns 0 and a machine that the caller frees with machine_free(). */
int machine_open_live(struct machine **ret, struct error *err);
/* `dir` is a recorded tree or an image. */
int machine_open_root(const char *dir, struct machine **ret, struct error *err);
int machine_open_facts(struct machine **ret);
void machine_free(struct machine *machine);
static inline void machine_freep(struct machine **machine)
{
    machine_free(*machine);
}

enum machine_kind machine_kind(const struct machine *machine);
const char *machine_kind_name(enum machine_kind kind); /* "live", "recorded", "image", "facts" */
/* A recorded tree that holds only what matters to its story (.record/partial). */
bool machine_is_partial(const struct machine *machine);
/* What could not be understood in .record/: one sentence each, borrowed. The rest was taken. */
size_t machine_problem_count(const struct machine *machine);
const char *machine_problem(const struct machine *machine, size_t index); /* NULL past the end */

/* --- files --- */

enum file_type { FILE_REGULAR, FILE_DIRECTORY, FILE_LINK, FILE_DEVICE, FILE_OTHER };

struct file_stat {
    enum file_type type;
    uint32_t mode; /* permission bits */
    uint32_t uid, gid;
    uint64_t size; /* bytes */
    uint64_t device, inode;
    uint32_t dev_major, dev_minor; /* of a device node */
};

/* Follows links. */
int machine_stat(const struct machine *machine, const char *path, struct file_stat *ret);
/* Does not follow the last component. */
int machine_lstat(const struct machine *machine, const char *path, struct file_stat *ret);
/* Whether the path leads to something (links followed). */
bool machine_exists(const struct machine *machine, const char *path);
/* Opens a regular file for pread(); never blocks, never opens a device. */
int machine_open(const struct machine *machine, const char *path, int *ret_fd);
/* The same of what machine_stat() said a moment ago to be a regular file: spares another look. */
int machine_open_seen(const struct machine *machine, const char *path, int *ret_fd);
/* Reads a regular file (also of /proc and /sys, whose size says nothing) up to `cap` bytes.
 * -EFBIG when there is more; then nothing is returned. */
int machine_read(const struct machine *machine, const char *path, size_t cap, struct bytes *ret);
/* Reads at most `cap` first bytes of a file that may be longer. */
int machine_read_head(const struct machine *machine, const char *path, size_t cap,
                      struct bytes *ret);
/* One line of a small text file without its end, valid UTF-8 (else -EBADMSG), from `arena`. */
int machine_read_line(const struct machine *machine, const char *path, struct arena *arena,
                      char **ret);
/* The text of a link. */
int machine_readlink(const struct machine *machine, const char *path, struct arena *arena,
                     char **ret);
/* The path with every link resolved, as seen inside the machine; it must exist. */
int machine_realpath(const struct machine *machine, const char *path, struct arena *arena,
                     char **ret);

struct dir_list {
    char **names; /* sorted bytewise, without "." and ".." */
    size_t count;
    bool cut; /* there were more than `cap` entries */
};
/* Names of a folder, at most `cap`; strings live in `arena`. */
int machine_list(const struct machine *machine, const char *path, size_t cap, struct arena *arena,
                 struct dir_list *ret);
/* Type of file system that holds `path` (statfs magic); 0 in a recorded tree. For "do not walk
 * NFS". */
int machine_fs_magic(const struct machine *machine, const char *path, int64_t *ret);

/* --- what is not a file --- */

const char *machine_getenv(const struct machine *machine, const char *name); /* borrowed or NULL */
/* Whether the environment is known at all: live, or a record with .record/environ. */
bool machine_env_known(const struct machine *machine);
/* Calls back for each variable, in the order they stand. Values may be no valid UTF-8. */
void machine_each_env(const struct machine *machine,
                      void (*each)(void *context, const char *name, const char *value),
                      void *context);

struct machine_uname {
    const char *sysname, *release, *version, *machine; /* borrowed; NULL where unknown */
};
void machine_uname(const struct machine *machine, struct machine_uname *ret);
const char *machine_glibc(const struct machine *machine); /* "2.39" or NULL (unknown or musl) */
const char *machine_cwd(const struct machine *machine);   /* absolute or NULL */

struct machine_user {
    bool known;
    const char *name; /* may be NULL */
    uint32_t uid;
    const uint32_t *gids; /* numeric groups, borrowed */
    size_t gid_count;
    const char *const *groups; /* group names, where the record or /etc/group gives them */
    size_t group_count;
};
void machine_user(const struct machine *machine, struct machine_user *ret);
/* The user's home folder: $HOME, else /root or /home/NAME; NULL where unknown. */
const char *machine_home(const struct machine *machine);

/* A device node, live from /dev, recorded from .record/dev. */
struct machine_device {
    char *path;
    uint32_t mode;       /* permission bits */
    char *owner, *group; /* names, or numbers as text */
    uint32_t major, minor;
    char type;        /* 'c' or 'b' */
    int access_errno; /* 0: this user may read and write it; else EACCES or EPERM; -1: not known.
                         From mode and groups; a live node is never opened (that would wake or
                         initialise the GPU). */
};
/* A folder whose names could not be read, or not all of them. */
struct machine_unread {
    const char *path;
    int error; /* negative errno; -EFBIG: there are more nodes than are listed; 0: likewise, but
                  the rest are like those (IMEX channels) */
};
struct machine_devices {
    struct machine_device *items;
    size_t count;
    struct machine_unread *unread; /* folders that are there and are not listed in full */
    size_t unread_count;
};
/* NVIDIA, GDRCopy, DRI, DXG and Tegra nodes below /dev. -ENODATA: this machine has no record of
 * them. */
int machine_devices(const struct machine *machine, struct arena *arena,
                    struct machine_devices *ret);

struct machine_service {
    char *name;   /* "nvidia-fabricmanager" */
    char *state;  /* "active", "failed", "inactive" */
    char *source; /* where it was seen */
};
struct machine_services {
    struct machine_service *items;
    size_t count;
};
/* States of the services that were asked for by name, without starting a program: from
 * .record/services, from the cgroup tree (active) and from enabled unit files (inactive). Services
 * of which nothing is known are left out. -ENODATA: this machine has no record of them. */
int machine_services(const struct machine *machine, const char *const *names, size_t count,
                     struct arena *arena, struct machine_services *ret);

/* Kernel log text as dmesg prints it, at most about `cap` bytes (the newest whole lines):
 * .record/dmesg, else /dev/kmsg read without blocking. -EACCES when the kernel refuses, -ENODATA
 * when the recorded machine has none. */
int machine_kernel_log(const struct machine *machine, size_t cap, struct bytes *ret);

/* Monotonic milliseconds, for deadlines and the `ms` of probe rows. 0 for a recorded machine, so
 * that two runs on it give the same facts. */
double machine_clock_ms(const struct machine *machine);

#endif
