/* The four kinds of machine, and the parts of a record. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "machine/machine.h"
#include "scratch.h"

static char *root;
static struct machine *machine;
static struct arena arena;

static void set_up(void)
{
    root = scratch_new();
}

static void tear_down(void)
{
    arena_done(&arena);
    machine_free(machine);
    scratch_remove(root);
}

TestSuite(machine, .init = set_up, .fini = tear_down);

static void open_root(void)
{
    struct error err;
    cr_assert_eq(machine_open_root(root, &machine, &err), 0);
}

static const char *text_of(const char *path, size_t cap)
{
    struct bytes bytes = {0};
    if (machine_read(machine, path, cap, &bytes) < 0)
        return NULL;
    const char *copy = arena_strndup(&arena, bytes.data, bytes.length);
    bytes_done(&bytes);
    return copy;
}

Test(machine, kinds_are_told_by_what_the_tree_holds)
{
    open_root();
    cr_expect_eq(machine_kind(machine), MACHINE_IMAGE);
    machine_free(machine);
    scratch_write(root, "proc/version", "Linux version 6.8.0 (build@host)\n");
    open_root();
    cr_expect_eq(machine_kind(machine), MACHINE_RECORDED);
    cr_expect_eq(machine_problem_count(machine), 0);
    machine_free(machine);
    scratch_folder(root, ".record");
    open_root();
    cr_expect_eq(machine_kind(machine), MACHINE_RECORDED);
    cr_expect_not(machine_is_partial(machine));
    machine_free(machine);
    scratch_write(root, ".record/partial", "");
    open_root();
    cr_expect(machine_is_partial(machine));
    cr_expect_str_eq(machine_kind_name(machine_kind(machine)), "recorded");
}

Test(machine, a_root_that_cannot_be_opened_is_one_sentence)
{
    struct error err;
    char path[PATH_MAX], want[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/none", root);
    snprintf(want, sizeof want, "cannot open root %s: No such file or directory", path);
    cr_expect_eq(machine_open_root(path, &machine, &err), -ENOENT);
    cr_expect_str_eq(err.text, want);
    scratch_write(root, "file", "");
    snprintf(path, sizeof path, "%s/file", root);
    cr_expect_eq(machine_open_root(path, &machine, &err), -ENOTDIR);
    cr_expect(strstr(err.text, "Not a directory") != NULL);
}

Test(machine, facts_have_no_tree)
{
    struct file_stat st;
    struct machine_devices devices;
    struct bytes log;
    cr_assert_eq(machine_open_facts(&machine), 0);
    cr_expect_eq(machine_kind(machine), MACHINE_FACTS);
    cr_expect_eq(machine_stat(machine, "/etc", &st), -ENOENT);
    cr_expect_eq(machine_devices(machine, &arena, &devices), -ENODATA);
    cr_expect_eq(machine_kernel_log(machine, 100, &log), -ENODATA);
    cr_expect_null(machine_getenv(machine, "PATH"));
    cr_expect_eq(machine_clock_ms(machine), 0);
}

Test(machine, a_tree_knows_nothing_of_the_host)
{
    struct machine_uname name;
    struct machine_user user;
    struct machine_devices devices;
    struct machine_services services;
    struct bytes log;
    const char *const names[] = {"cron"};
    int64_t magic = 1;
    scratch_write(root, "proc/version", "Linux\n");
    setenv("GPUDOCTOR_TEST", "host", 1);
    open_root();
    machine_uname(machine, &name);
    machine_user(machine, &user);
    cr_expect_null(name.release);
    cr_expect_null(name.machine);
    cr_expect_not(user.known);
    cr_expect_null(machine_getenv(machine, "GPUDOCTOR_TEST"));
    cr_expect_null(machine_getenv(machine, "PATH"));
    cr_expect_not(machine_env_known(machine));
    cr_expect_null(machine_glibc(machine));
    cr_expect_null(machine_cwd(machine));
    cr_expect_null(machine_home(machine));
    cr_expect_eq(machine_devices(machine, &arena, &devices), -ENODATA);
    cr_expect_eq(machine_services(machine, names, 1, &arena, &services), -ENODATA);
    cr_expect_eq(machine_kernel_log(machine, 100, &log), -ENODATA);
    cr_expect_eq(machine_fs_magic(machine, "/proc", &magic), 0);
    cr_expect_eq(magic, 0);
    cr_expect_eq(machine_clock_ms(machine), 0);
}

static void collect(void *context, const char *name, const char *value)
{
    text_printf(context, "%s=%s;", name, value);
}

Test(machine, record_of_environment_names_and_folder)
{
    CLEANUP_TEXT struct text all = {0};
    struct machine_uname name;
    scratch_write(root, ".record/environ",
                  "PATH=/usr/bin\nEMPTY=\nnonsense\n\n=x\nA=b=c\nPATH=/second\r\nRAW=\xff\xfe\n");
    scratch_write(root, ".record/uname",
                  "Linux 6.8.0-60-generic #63-Ubuntu SMP PREEMPT_DYNAMIC Tue Apr 15 x86_64\n");
    scratch_write(root, ".record/glibc", "2.39\n");
    scratch_write(root, ".record/cwd", "/home/user/my project\n");
    open_root();
    cr_expect(machine_env_known(machine));
    cr_expect_str_eq(machine_getenv(machine, "PATH"), "/usr/bin");
    cr_expect_str_eq(machine_getenv(machine, "EMPTY"), "");
    cr_expect_str_eq(machine_getenv(machine, "RAW"), "\xff\xfe");
    machine_each_env(machine, collect, &all);
    cr_expect_str_eq(all.data, "PATH=/usr/bin;EMPTY=;A=b=c;PATH=/second;RAW=\xff\xfe;");
    machine_uname(machine, &name);
    cr_expect_str_eq(name.sysname, "Linux");
    cr_expect_str_eq(name.release, "6.8.0-60-generic");
    cr_expect_str_eq(name.version, "#63-Ubuntu SMP PREEMPT_DYNAMIC Tue Apr 15");
    cr_expect_str_eq(name.machine, "x86_64");
    cr_expect_str_eq(machine_glibc(machine), "2.39");
    cr_expect_str_eq(machine_cwd(machine), "/home/user/my project");
    cr_assert_eq(machine_problem_count(machine), 2);
    cr_expect_str_eq(machine_problem(machine, 0), ".record/environ, line 3: not `KEY=VALUE`");
    cr_expect_str_eq(machine_problem(machine, 1), ".record/environ, line 5: not `KEY=VALUE`");
    cr_expect_null(machine_problem(machine, 2));
}

Test(machine, record_parts_that_make_no_sense_are_unknown_and_reported)
{
    struct machine_uname name;
    struct machine_user user;
    scratch_fifo(root, ".record/environ");
    scratch_write(root, ".record/uname", "Linux\n");
    scratch_write(root, ".record/glibc", "two\x1b[31m\n");
    scratch_write(root, ".record/cwd", "here\n");
    scratch_write(root, ".record/user", "root zero\n");
    scratch_folder(root, ".record/dev");
    scratch_link(root, ".record/services", "/.record/services");
    open_root();
    machine_uname(machine, &name);
    machine_user(machine, &user);
    cr_expect_null(name.release);
    cr_expect_null(machine_glibc(machine));
    cr_expect_null(machine_cwd(machine));
    cr_expect_not(user.known);
    cr_expect_not(machine_env_known(machine));
    struct machine_devices devices;
    struct machine_services services;
    cr_expect_eq(machine_devices(machine, &arena, &devices), -EISDIR);
    cr_expect_eq(machine_services(machine, NULL, 0, &arena, &services), -ELOOP);
    cr_expect_eq(machine_problem_count(machine), 7);
    for (size_t i = 0; i < machine_problem_count(machine); i++)
        cr_expect_null(strchr(machine_problem(machine, i), '\x1b'));
}

Test(machine, record_of_a_user_joins_numbers_and_names)
{
    struct machine_user user;
    scratch_write(root, "etc/group", "root:x:0:\nvideo:x:44:\nrender:x:110:\nuser:x:1000:\n");
    scratch_write(root, ".record/user", "user 1000 1000 video 110 nowhere\n");
    open_root();
    machine_user(machine, &user);
    cr_expect(user.known);
    cr_expect_str_eq(user.name, "user");
    cr_expect_eq(user.uid, 1000);
    cr_assert_eq(user.gid_count, 3);
    cr_expect_eq(user.gids[0], 1000);
    cr_expect_eq(user.gids[1], 44);
    cr_expect_eq(user.gids[2], 110);
    cr_assert_eq(user.group_count, 4);
    cr_expect_str_eq(user.groups[0], "video");
    cr_expect_str_eq(user.groups[1], "nowhere");
    cr_expect_str_eq(user.groups[2], "user");
    cr_expect_str_eq(user.groups[3], "render");
    cr_expect_str_eq(machine_home(machine), "/home/user");
}

Test(machine, home_is_that_of_the_environment_first)
{
    scratch_write(root, ".record/environ", "HOME=/data/me\n");
    scratch_write(root, ".record/user", "me 1000\n");
    open_root();
    cr_expect_str_eq(machine_home(machine), "/data/me");
    machine_free(machine);
    scratch_write(root, ".record/environ", "");
    scratch_write(root, ".record/user", "root 0 0\n");
    open_root();
    cr_expect_str_eq(machine_home(machine), "/root");
}

Test(machine, record_of_devices_tells_access_from_the_mode)
{
    static const struct {
        const char *path;
        int access;
    } want[] = {
        {"/dev/nvidia0", 0},      {"/dev/nvidia1", EACCES}, {"/dev/nvidia2", 0},
        {"/dev/nvidia3", EACCES}, {"/dev/nvidia4", 0},      {"/dev/nvidia5", EACCES},
        {"/dev/dri/card0", 0},
    };
    struct machine_devices devices;
    scratch_write(root, ".record/user", "user 1000 1000 video\n");
    scratch_write(root, ".record/dev",
                  "crw-rw-rw- root root 195,0 /dev/nvidia0\n"
                  "crw-rw---- root vglusers 195,1 /dev/nvidia1\n"
                  "crw-rw---- root video 195,2 /dev/nvidia2\n"
                  "c---rw-rw- user root 195,3 /dev/nvidia3\n" /* the owner's class decides */
                  "crw-rw---- root 1000 195,4 /dev/nvidia4\n"
                  "crw-r--r-- root root 195,5 /dev/nvidia5\n"
                  "crw-rw----+ root video 226,   0 /dev/dri/card0\n"
                  "-rw-rw-rw- root root 0,0 /dev/file\n"
                  "crw-rw-rw- root root 195 /dev/nvidia9\n"
                  "garbage\n");
    open_root();
    cr_assert_eq(machine_devices(machine, &arena, &devices), 0);
    cr_assert_eq(devices.count, 7);
    for (size_t i = 0; i < devices.count; i++) {
        cr_expect_str_eq(devices.items[i].path, want[i].path);
        cr_expect_eq(devices.items[i].access_errno, want[i].access, "%s: %d", want[i].path,
                     devices.items[i].access_errno);
    }
    cr_expect_eq(devices.items[1].mode, 0660);
    cr_expect_str_eq(devices.items[1].group, "vglusers");
    cr_expect_eq(devices.items[6].major, 226);
    cr_expect_eq(devices.items[6].type, 'c');
    cr_expect_eq(machine_problem_count(machine), 3);
}

Test(machine, access_is_not_known_without_a_user)
{
    struct machine_devices devices;
    scratch_write(root, ".record/dev",
                  "crw-rw-rw- root root 195,0 /dev/nvidia0\n"
                  "crw-rw---- root video 195,1 /dev/nvidia1\n");
    open_root();
    cr_assert_eq(machine_devices(machine, &arena, &devices), 0);
    cr_expect_eq(devices.items[0].access_errno, 0);
    cr_expect_eq(devices.items[1].access_errno, -1);
}

Test(machine, record_of_services)
{
    const char *const names[] = {"nvidia-fabricmanager", "nvidia-persistenced", "absent"};
    struct machine_services services;
    scratch_write(root, ".record/services",
                  "nvidia-persistenced.service active\n"
                  "nvidia-fabricmanager.service failed\n"
                  "other.service active\nbroken\n");
    open_root();
    cr_assert_eq(machine_services(machine, names, 3, &arena, &services), 0);
    cr_assert_eq(services.count, 2);
    cr_expect_str_eq(services.items[0].name, "nvidia-fabricmanager");
    cr_expect_str_eq(services.items[0].state, "failed");
    cr_expect_str_eq(services.items[1].state, "active");
    cr_expect_eq(machine_problem_count(machine), 1);
}

Test(machine, kernel_log_gives_the_newest_whole_lines)
{
    struct bytes log;
    scratch_write(root, ".record/dmesg", "[1] first\n[2] second\n[3] third\n");
    open_root();
    cr_assert_eq(machine_kernel_log(machine, 4096, &log), 0);
    cr_expect_str_eq(log.data, "[1] first\n[2] second\n[3] third\n");
    bytes_done(&log);
    cr_assert_eq(machine_kernel_log(machine, 25, &log), 0);
    cr_expect_str_eq(log.data, "[2] second\n[3] third\n");
    bytes_done(&log);
    cr_assert_eq(machine_kernel_log(machine, 21, &log), 0);
    cr_expect_str_eq(log.data, "[2] second\n[3] third\n");
    bytes_done(&log);
    cr_assert_eq(machine_kernel_log(machine, 20, &log), 0);
    cr_expect_str_eq(log.data, "[3] third\n");
    bytes_done(&log);
    cr_assert_eq(machine_kernel_log(machine, 0, &log), 0);
    cr_expect_str_eq(log.data, "");
    bytes_done(&log);
}

Test(machine, reading_is_capped)
{
    struct bytes bytes = {0};
    scratch_write(root, "five", "12345");
    open_root();
    cr_expect_str_eq(text_of("/five", 5), "12345");
    cr_expect_eq(machine_read(machine, "/five", 4, &bytes), -EFBIG);
    cr_expect_null(bytes.data);
    cr_assert_eq(machine_read_head(machine, "/five", 4, &bytes), 0);
    cr_expect_str_eq(bytes.data, "1234");
    bytes_done(&bytes);
    cr_assert_eq(machine_read_head(machine, "/five", 0, &bytes), 0);
    cr_expect_str_eq(bytes.data, "");
    bytes_done(&bytes);
}

Test(machine, a_file_of_four_gigabytes_costs_nothing)
{
    char path[PATH_MAX];
    struct bytes bytes = {0};
    struct file_stat st;
    snprintf(path, sizeof path, "%s/huge", root);
    scratch_write(root, "huge", "");
    if (truncate(path, 1LL << 32) < 0)
        cr_skip_test("no room for a sparse file");
    open_root();
    cr_assert_eq(machine_stat(machine, "/huge", &st), 0);
    cr_expect_eq(st.size, 1ULL << 32);
    cr_expect_eq(machine_read(machine, "/huge", 65536, &bytes), -EFBIG);
}

Test(machine, a_line_is_text)
{
    char *line = NULL;
    char wide[20000];
    memset(wide, 'x', sizeof wide);
    scratch_write(root, "line", "6.8.0 \r\nmore\n");
    scratch_write(root, "empty", "");
    scratch_write(root, "open", "no end");
    scratch_write(root, "binary", "a\xff\n");
    scratch_write_bytes(root, "nul", "a\0b\n", 4);
    scratch_write_bytes(root, "wide", wide, sizeof wide);
    open_root();
    cr_assert_eq(machine_read_line(machine, "/line", &arena, &line), 0);
    cr_expect_str_eq(line, "6.8.0 ");
    cr_assert_eq(machine_read_line(machine, "/empty", &arena, &line), 0);
    cr_expect_str_eq(line, "");
    cr_assert_eq(machine_read_line(machine, "/open", &arena, &line), 0);
    cr_expect_str_eq(line, "no end");
    cr_expect_eq(machine_read_line(machine, "/binary", &arena, &line), -EBADMSG);
    cr_expect_eq(machine_read_line(machine, "/nul", &arena, &line), -EBADMSG);
    cr_expect_eq(machine_read_line(machine, "/wide", &arena, &line), -EFBIG);
    cr_expect_eq(machine_read_line(machine, "/none", &arena, &line), -ENOENT);
}

Test(machine, a_list_is_sorted_and_capped)
{
    struct dir_list list;
    scratch_write(root, "d/b", "");
    scratch_write(root, "d/B", "");
    scratch_write(root, "d/a\nb", "");
    scratch_folder(root, "empty");
    open_root();
    cr_assert_eq(machine_list(machine, "/d", 3, &arena, &list), 0);
    cr_assert_eq(list.count, 3);
    cr_expect_not(list.cut);
    cr_expect_str_eq(list.names[0], "B");
    cr_expect_str_eq(list.names[1], "a\nb");
    cr_expect_str_eq(list.names[2], "b");
    cr_assert_eq(machine_list(machine, "/d", 2, &arena, &list), 0);
    cr_expect_eq(list.count, 2);
    cr_expect(list.cut);
    cr_assert_eq(machine_list(machine, "/empty", 2, &arena, &list), 0);
    cr_expect_eq(list.count, 0);
    cr_expect_eq(machine_list(machine, "/none", 2, &arena, &list), -ENOENT);
}

/* --- the running system --- */

Test(machine, live_answers_as_the_system_does)
{
    struct machine_uname name;
    struct machine_user user;
    struct utsname host;
    struct error err;
    char cwd[PATH_MAX];
    setenv("GPUDOCTOR_TEST", "va\xff", 1);
    cr_assert_eq(machine_open_live(&machine, &err), 0);
    uname(&host);
    machine_uname(machine, &name);
    machine_user(machine, &user);
    cr_expect_eq(machine_kind(machine), MACHINE_LIVE);
    cr_expect_str_eq(name.release, host.release);
    cr_expect_str_eq(name.machine, host.machine);
    cr_expect_str_eq(machine_getenv(machine, "GPUDOCTOR_TEST"), "va\xff");
    cr_expect(user.known);
    cr_expect_eq(user.uid, geteuid());
    cr_expect_geq(user.gid_count, 1);
    cr_expect_str_eq(machine_cwd(machine), getcwd(cwd, sizeof cwd));
    cr_expect_not_null(machine_glibc(machine));
    cr_expect_gt(machine_clock_ms(machine), 0);
    cr_expect(machine_exists(machine, "/proc/self"));
    cr_expect_not_null(text_of("/proc/self/status", 65536)); /* stat says 0 bytes */
}

Test(machine, live_never_opens_what_is_no_file)
{
    struct error err;
    struct file_stat st;
    char path[PATH_MAX];
    int fd = -1;
    scratch_fifo(root, "fifo");
    scratch_link(root, "link", "fifo");
    cr_assert_eq(machine_open_live(&machine, &err), 0);
    snprintf(path, sizeof path, "%s/link", root);
    cr_expect_eq(machine_open(machine, path, &fd), -EINVAL);
    cr_expect_eq(machine_open(machine, "/dev/null", &fd), -EINVAL);
    cr_expect_eq(machine_open(machine, "/", &fd), -EISDIR);
    cr_expect_eq(machine_open(machine, "etc/passwd", &fd), -EINVAL);
    cr_expect_eq(machine_open(machine, "", &fd), -ENOENT);
    cr_assert_eq(machine_stat(machine, "/dev/null", &st), 0);
    cr_expect_eq(st.type, FILE_DEVICE);
    cr_expect_eq(st.dev_major, 1);
}

Test(machine, live_lists_without_harm)
{
    const char *const names[] = {"nvidia-persistenced", "gpudoctor-none"};
    struct machine_devices devices;
    struct machine_services services;
    struct bytes log;
    struct error err;
    size_t before = scratch_open_files();
    cr_assert_eq(machine_open_live(&machine, &err), 0);
    cr_assert_eq(machine_devices(machine, &arena, &devices), 0);
    for (size_t i = 0; i < devices.count; i++)
        cr_expect(strncmp(devices.items[i].path, "/dev/", 5) == 0);
    cr_assert_eq(machine_services(machine, names, 2, &arena, &services), 0);
    for (size_t i = 0; i < services.count; i++)
        cr_expect_str_neq(services.items[i].name, "gpudoctor-none");
    int r = machine_kernel_log(machine, 10000, &log);
    cr_expect(r == 0 || r == -EACCES || r == -ENOENT, "%d", r);
    if (r == 0) {
        cr_expect_leq(log.length, 10000);
        cr_expect(log.length == 0 || log.data[0] == '[');
        bytes_done(&log);
    }
    cr_expect_eq(scratch_open_files(), before);
}
