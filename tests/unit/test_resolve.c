/* Hostile links: whatever a tree holds, a path stays inside it. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/machine.h"
#include "machine/resolve.h"
#include "scratch.h"

static char *root;
static struct machine *machine;
static struct arena arena;

static void set_up(void)
{
    root = scratch_new();
    scratch_write(root, "etc/hostname", "inside\n");
    scratch_write(root, "etc/passwd", "root:x:0:0::/root:/bin/sh\n");
    scratch_folder(root, "usr/local/cuda-12.4/lib64");
    scratch_link(root, "usr/local/cuda", "/etc/alternatives/cuda");
    scratch_link(root, "etc/alternatives/cuda", "/usr/local/cuda-12.4");
    scratch_link(root, "abs-host", "/etc/passwd");
    scratch_link(root, "host-only", "/bin/sh");
    scratch_link(root, "up", "../../../../../../etc/hostname");
    scratch_link(root, "etc/up-dir", "../../..");
    scratch_link(root, "self", "self");
    scratch_link(root, "ping", "/pong");
    scratch_link(root, "pong", "ping");
    scratch_link(root, "dangling", "nothing/here");
    scratch_link(root, "through", "etc/hostname/more");
    scratch_link(root, "slashes", "//etc////hostname");
    scratch_link(root, "to-dir", "etc/");
    scratch_link(root, "file-slash", "etc/hostname/");
    scratch_link(root, "dot", ".");
    scratch_fifo(root, "fifo");
    scratch_link(root, "to-fifo", "fifo");
    scratch_socket(root, "socket");
    scratch_write(root, "odd\nname\x1b[31m", "odd\n");
    scratch_link(root, "to-odd", "odd\nname\x1b[31m");
    scratch_link(root, "chain-0", "etc/hostname");
    for (int i = 1; i <= 41; i++) {
        char name[32], target[32];
        snprintf(name, sizeof name, "chain-%d", i);
        snprintf(target, sizeof target, "/chain-%d", i - 1);
        scratch_link(root, name, target);
    }
    struct error err;
    cr_assert_eq(machine_open_root(root, &machine, &err), 0);
}

static void tear_down(void)
{
    arena_done(&arena);
    machine_free(machine);
    scratch_remove(root);
}

TestSuite(resolve, .init = set_up, .fini = tear_down);

static void expect_paths(void)
{
    static const struct {
        const char *path;
        int code;
        const char *real; /* where the code is 0 */
    } table[] = {
        {"/etc/hostname", 0, "/etc/hostname"},
        {"//etc///hostname", 0, "/etc/hostname"},
        {"/etc/./hostname", 0, "/etc/hostname"},
        {"/etc/../etc/hostname", 0, "/etc/hostname"},
        {"/", 0, "/"},
        {"/..", 0, "/"},
        {"/../../../..", 0, "/"},
        {"/../etc/hostname", 0, "/etc/hostname"},
        {"/etc/", 0, "/etc"},
        {"/etc/.", 0, "/etc"},
        {"/etc/..", 0, "/"},
        {"/usr/local/cuda", 0, "/usr/local/cuda-12.4"},
        {"/usr/local/cuda/lib64", 0, "/usr/local/cuda-12.4/lib64"},
        {"/usr/local/cuda/../cuda-12.4", 0, "/usr/local/cuda-12.4"},
        {"/abs-host", 0, "/etc/passwd"},
        {"/host-only", -ENOENT, NULL},
        {"/up", 0, "/etc/hostname"},
        {"/etc/up-dir", 0, "/"},
        {"/etc/up-dir/etc/up-dir/etc/hostname", 0, "/etc/hostname"},
        {"/self", -ELOOP, NULL},
        {"/ping", -ELOOP, NULL},
        {"/ping/more", -ELOOP, NULL},
        {"/dangling", -ENOENT, NULL},
        {"/through", -ENOTDIR, NULL},
        {"/etc/hostname/more", -ENOTDIR, NULL},
        {"/etc/hostname/", -ENOTDIR, NULL},
        {"/etc/hostname/.", -ENOTDIR, NULL},
        {"/etc/hostname/..", -ENOTDIR, NULL},
        {"/file-slash", -ENOTDIR, NULL},
        {"/slashes", 0, "/etc/hostname"},
        {"/to-dir", 0, "/etc"},
        {"/to-dir/hostname", 0, "/etc/hostname"},
        {"/dot/dot/dot/etc", 0, "/etc"},
        {"/to-odd", 0, "/odd\nname\x1b[31m"},
        {"/chain-39", 0, "/etc/hostname"}, /* 40 links */
        {"/chain-40", -ELOOP, NULL},       /* 41 links */
        {"/none", -ENOENT, NULL},
        {"/none/none", -ENOENT, NULL},
        {"", -ENOENT, NULL},
        {"etc/hostname", -EINVAL, NULL},
        {"/to-fifo", 0, "/fifo"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char *real = NULL;
        int r = machine_realpath(machine, table[i].path, &arena, &real);
        cr_expect_eq(r, table[i].code, "%s: %d, not %d", table[i].path, r, table[i].code);
        if (table[i].real)
            cr_expect_str_eq(real ? real : "(null)", table[i].real, "%s", table[i].path);
        struct file_stat st;
        r = machine_stat(machine, table[i].path, &st);
        cr_expect_eq(r, table[i].code, "stat %s: %d", table[i].path, r);
    }
}

Test(resolve, paths_lead_where_they_should)
{
    expect_paths();
}

Test(resolve, a_link_to_a_host_file_reads_the_file_of_the_tree)
{
    struct bytes bytes = {0};
    cr_assert_eq(machine_read(machine, "/abs-host", 4096, &bytes), 0);
    cr_expect_str_eq(bytes.data, "root:x:0:0::/root:/bin/sh\n");
    bytes_done(&bytes);
}

static void expect_kinds(void)
{
    static const struct {
        const char *path;
        int code;
    } table[] = {
        {"/etc/hostname", 0}, {"/up", 0},         {"/fifo", -EINVAL}, {"/to-fifo", -EINVAL},
        {"/socket", -EINVAL}, {"/etc", -EISDIR},  {"/", -EISDIR},     {"/usr/local/cuda", -EISDIR},
        {"/self", -ELOOP},    {"/none", -ENOENT},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        int fd = -1;
        int r = machine_open(machine, table[i].path, &fd);
        cr_expect_eq(r, table[i].code, "%s: %d", table[i].path, r);
        cr_expect_eq(fd >= 0, r == 0);
        if (fd >= 0)
            close(fd);
    }
    struct dir_list list;
    cr_expect_eq(machine_list(machine, "/etc/hostname", 10, &arena, &list), -ENOTDIR);
    cr_expect_eq(machine_list(machine, "/fifo", 10, &arena, &list), -ENOTDIR);
    cr_expect_eq(machine_list(machine, "/", 100, &arena, &list), 0);
    cr_expect_gt(list.count, 20);
    cr_expect_eq(machine_list(machine, "/usr/local/cuda", 10, &arena, &list), 0);
    cr_expect_eq(list.count, 1);
}

Test(resolve, what_is_no_regular_file_is_not_opened)
{
    expect_kinds();
}

/* A kernel before 5.6, or a container that does not let the call through. */
Test(resolve, without_openat2_paths_are_walked)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof code / sizeof *code, code};
    cr_assert_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0)
        cr_skip_test("needs filters of system calls");
    cr_assert_eq(syscall(SYS_openat2, -1, "/", NULL, 0), -1);
    cr_assert_eq(errno, ENOSYS);
    expect_kinds();
    expect_paths();
}

Test(resolve, a_device_is_seen_and_not_opened)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/null", root);
    if (mknod(path, S_IFCHR | 0666, (dev_t)(1 << 8 | 3)) < 0)
        cr_skip_test("needs the right to make a device node");
    struct file_stat st;
    int fd = -1;
    cr_assert_eq(machine_stat(machine, "/null", &st), 0);
    cr_expect_eq(st.type, FILE_DEVICE);
    cr_expect_eq(st.dev_major, 1);
    cr_expect_eq(st.dev_minor, 3);
    cr_expect_eq(machine_open(machine, "/null", &fd), -EINVAL);
}

Test(resolve, links_are_seen_as_links_when_asked)
{
    struct file_stat st;
    char *text = NULL;
    cr_assert_eq(machine_lstat(machine, "/usr/local/cuda", &st), 0);
    cr_expect_eq(st.type, FILE_LINK);
    cr_assert_eq(machine_lstat(machine, "/usr/local/cuda/", &st), 0);
    cr_expect_eq(st.type, FILE_DIRECTORY);
    cr_assert_eq(machine_lstat(machine, "/self", &st), 0);
    cr_assert_eq(machine_readlink(machine, "/usr/local/cuda", &arena, &text), 0);
    cr_expect_str_eq(text, "/etc/alternatives/cuda");
    cr_assert_eq(machine_readlink(machine, "/self", &arena, &text), 0);
    cr_expect_str_eq(text, "self");
    cr_expect_eq(machine_readlink(machine, "/etc", &arena, &text), -EINVAL);
    cr_expect_not(machine_exists(machine, "/dangling"));
    cr_expect(machine_exists(machine, "/up"));
}

Test(resolve, long_paths_are_refused)
{
    size_t size = 5000;
    char *path = arena_alloc(&arena, size + 1);
    struct file_stat st;
    memset(path, 'a', size);
    path[0] = '/';
    cr_expect_eq(machine_stat(machine, path, &st), -ENAMETOOLONG);
    path[300] = '\0'; /* one name of 299 bytes */
    cr_expect_eq(machine_stat(machine, path, &st), -ENAMETOOLONG);
    for (size_t i = 0; i + 1 < 4000; i += 2)
        memcpy(path + i, "/.", 2);
    path[4000] = '\0';
    cr_expect_eq(machine_stat(machine, path, &st), 0);
}

Test(resolve, links_that_grow_the_path_are_bounded)
{
    char target[3000], *real = NULL;
    memset(target, 'b', sizeof target);
    for (size_t i = 0; i < sizeof target; i += 100)
        target[i] = '/';
    target[sizeof target - 1] = '\0';
    scratch_link(root, "long", target);
    char path[2100] = "/long/";
    for (size_t i = 6; i + 1 < sizeof path; i += 2)
        memcpy(path + i, "x/", 2);
    path[sizeof path - 1] = '\0';
    cr_expect_eq(machine_realpath(machine, path, &arena, &real), -ENAMETOOLONG);
}

Test(resolve, a_deep_folder_is_reached_and_one_too_deep_is_not)
{
    char path[PATH_MAX] = "", *real = NULL;
    int fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < 300; i++) {
        cr_assert_eq(mkdirat(fd, "d", 0755), 0);
        int below = openat(fd, "d", O_PATH | O_DIRECTORY | O_CLOEXEC);
        close(fd);
        fd = below;
        strcat(path, "/d");
        if (i == 250)
            cr_expect_eq(machine_realpath(machine, path, &arena, &real), 0);
    }
    close(fd);
    cr_expect_eq(machine_realpath(machine, path, &arena, &real), -ENAMETOOLONG);
}

/* In a process of its own, since the superuser, who is denied nothing, has to become nobody. */
static int denied_as_nobody(void)
{
    struct machine *closed = NULL;
    struct file_stat st;
    struct error err;
    char path[PATH_MAX];
    if (geteuid() == 0 && setuid(65534) < 0)
        return 1;
    if (machine_open_root(root, &closed, &err) != 0)
        return 2;
    if (machine_stat(closed, "/etc/hostname", &st) != -EACCES)
        return 3;
    if (machine_stat(closed, "/etc", &st) != 0)
        return 4;
    snprintf(path, sizeof path, "%s/closed", root);
    if (machine_open_root(path, &closed, &err) != -EACCES)
        return 5;
    return strstr(err.text, "/closed: Permission denied") ? 0 : 6;
}

Test(resolve, denied_is_not_absent)
{
    char path[PATH_MAX];
    int status = -1;
    scratch_folder(root, "closed");
    cr_assert_eq(chmod(root, 0755), 0);
    snprintf(path, sizeof path, "%s/closed", root);
    cr_assert_eq(chmod(path, 0), 0);
    snprintf(path, sizeof path, "%s/etc", root);
    cr_assert_eq(chmod(path, 0), 0);
    pid_t pid = fork();
    if (pid == 0)
        _exit(denied_as_nobody());
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    chmod(path, 0755);
    cr_expect_eq(WEXITSTATUS(status), 0, "step %d", WEXITSTATUS(status));
}

Test(resolve, no_descriptor_is_left_open)
{
    static const char *const paths[] = {"/etc/hostname", "/self",     "/through", "/usr/local/cuda",
                                        "/etc/up-dir",   "/chain-40", "/none/x",  "/"};
    size_t before = scratch_open_files();
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct file_stat st;
        struct bytes bytes = {0};
        char *text;
        machine_stat(machine, paths[i], &st);
        machine_realpath(machine, paths[i], &arena, &text);
        if (machine_read(machine, paths[i], 100, &bytes) == 0)
            bytes_done(&bytes);
    }
    cr_expect_eq(scratch_open_files(), before);
}
