/* Discovery on the running system: what lies on other machines, and folders with very many files.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/probes.h"
#include "python/environment_reach.h"
#include "scratch.h"

enum { FILES = 40000 };

static void make_files(const char *folder)
{
    char path[256];
    for (int i = 0; i < FILES; i++) {
        snprintf(path, sizeof path, "%s/%d", folder, i);
        int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
        cr_assert_geq(fd, 0);
        close(fd);
    }
}

struct live {
    struct machine *machine;
    sqlite3 *db;
    struct facts *facts;
    struct arena arena;
    struct probe_options options;
    struct error error;
    struct probe_context context;
};

static void live_start(struct live *live)
{
    *live = (struct live){0};
    cr_assert_eq(machine_open_live(&live->machine, &live->error), 0);
    cr_assert_eq(sqlite3_open(":memory:", &live->db), SQLITE_OK);
    cr_assert_eq(facts_open(live->db, &live->facts, &live->error), 0);
    live->context = (struct probe_context){.machine = live->machine,
                                           .facts = live->facts,
                                           .options = &live->options,
                                           .arena = &live->arena,
                                           .error = &live->error};
}

static void live_done(struct live *live)
{
    facts_free(live->facts);
    sqlite3_close(live->db);
    machine_free(live->machine);
    arena_done(&live->arena);
}

static double time_discovery(void)
{
    struct live live;
    live_start(&live);
    double start = machine_clock_ms(live.machine);
    cr_assert_eq(probe_environment.run(&live.context), 0);
    cr_assert_eq(probe_search_path.run(&live.context), 0);
    cr_assert_eq(probe_launcher.run(&live.context), 0);
    double ms = machine_clock_ms(live.machine) - start;
    live_done(&live);
    return ms;
}

/* Names are neither listed nor sorted: with the sanitizers that alone would take 100 ms. */
Test(discovery, is_not_slowed_by_many_files)
{
    char *folder = scratch_new();
    setenv("HOME", folder, 1);
    cr_assert_eq(chdir(folder), 0);
    double before = time_discovery(), after;
    make_files(folder);
    after = time_discovery();
    scratch_remove(folder);
    cr_assert_lt(after, before + 60, "%.1f ms, %.1f ms with many files", before, after);
}

static void put_mounts(struct reach *reach, struct live *live, const char *text)
{
    reach_read(&live->context, "environment", reach);
    reach_done(reach);
    mount_points_parse(text, strlen(text), &live->arena, &reach->mounts);
}

Test(reach, links_are_followed_before_they_are_entered)
{
    char *folder = scratch_new(), text[1024], path[256];
    struct live live;
    struct reach reach;
    live_start(&live);
    snprintf(text, sizeof text,
             "1 0 0:1 / / rw - ext4 a rw\n2 1 0:2 / %s/remote rw - nfs4 s:/x rw\n"
             "3 1 0:3 / %s/auto rw - autofs m rw\n4 1 0:4 / %s/ro ro - ext4 b rw\n",
             folder, folder, folder);
    put_mounts(&reach, &live, text);
    snprintf(path, sizeof path, "%s/link", folder);
    cr_assert_eq(symlink("../../tmp/./nowhere/../gpudoctor-link", path), 0);
    cr_expect_not(reach_is_out(&reach, path));
    unlink(path);
    cr_assert_eq(symlink("remote/envs", path), 0);
    cr_expect(reach_is_out(&reach, path));
    cr_expect_str_eq(reach.remote, path);
    snprintf(path, sizeof path, "%s/auto/home", folder);
    cr_expect(reach_is_out(&reach, path));
    cr_expect_not(reach_is_out(&reach, folder));
    cr_expect_not(reach_is_out(&reach, "/"));
    live.options.all_environments = true;
    cr_expect(reach_is_out(&reach, path), "an automounter is never woken");
    snprintf(path, sizeof path, "%s/remote/x", folder);
    cr_expect_not(reach_is_out(&reach, path));
    cr_expect_str_eq(reach_fs_type(&reach, path), "network");
    cr_expect_str_eq(reach_fs_type(&reach, folder), "local");
    snprintf(path, sizeof path, "%s/ro/x", folder);
    cr_expect(reach_is_writable(&reach, path).known);
    cr_expect_eq(reach_is_writable(&reach, path).value, 0);
    reach_note(&reach, "environment", "", "left alone");
    reach_done(&reach);
    live_done(&live);
    scratch_remove(folder);
}
