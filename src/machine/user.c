/* Who runs this: names come from /etc/passwd and /etc/group alone, since asking the name service
 * would load foreign libraries and may wait for a network. */
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/span.h"
#include "machine/internal.h"

enum { ACCOUNTS_CAP = 4 * 1024 * 1024, GROUPS_MAX = 4096 };

void accounts_load(const struct machine *machine, struct accounts *ret)
{
    *ret = (struct accounts){0};
    if (machine_read(machine, "/etc/passwd", ACCOUNTS_CAP, &ret->users) < 0)
        ret->users = (struct bytes){0};
    if (machine_read(machine, "/etc/group", ACCOUNTS_CAP, &ret->groups) < 0)
        ret->groups = (struct bytes){0};
}

void accounts_done(struct accounts *accounts)
{
    bytes_done(&accounts->users);
    bytes_done(&accounts->groups);
}

/* A line of passwd(5) or group(5): name, password, number, ... */
static bool parse_account(const char *line, size_t length, struct span *ret_name, uint32_t *ret_id)
{
    struct span rest = {line, length}, password, number;
    return span_split(&rest, ':', ret_name) && span_split(&rest, ':', &password) &&
           span_split(&rest, ':', &number) && ret_name->length > 0 && span_uint32(number, ret_id);
}

char *account_name(const struct bytes *file, uint32_t id, struct arena *arena)
{
    size_t cursor = 0, length;
    const char *line;
    while (text_next_line(file->data, file->length, &cursor, &line, &length)) {
        struct span name;
        uint32_t number;
        if (parse_account(line, length, &name, &number) && number == id &&
            utf8_valid(name.data, name.length))
            return arena_strndup(arena, name.data, name.length);
    }
    return id == 0 ? arena_strdup(arena, "root") : NULL;
}

bool account_id(const struct bytes *file, const char *name, uint32_t *ret)
{
    size_t cursor = 0, length;
    const char *line;
    while (text_next_line(file->data, file->length, &cursor, &line, &length)) {
        struct span found;
        if (parse_account(line, length, &found, ret) && span_equal(found, name))
            return true;
    }
    *ret = 0;
    return strcmp(name, "root") == 0;
}

/* Room for the most groups there can be; the counts say how many are used. */
struct group_lists {
    uint32_t *gids;
    const char **names;
    size_t gid_count, name_count, capacity;
};

static struct group_lists group_lists(struct machine *machine, size_t capacity)
{
    return (struct group_lists){
        .gids = arena_alloc(&machine->arena, (capacity + 1) * sizeof(uint32_t)),
        .names = arena_alloc(&machine->arena, (capacity + 1) * sizeof(char *)),
        .capacity = capacity,
    };
}

static void add_gid(struct group_lists *lists, uint32_t gid)
{
    for (size_t i = 0; i < lists->gid_count; i++)
        if (lists->gids[i] == gid)
            return;
    if (lists->gid_count < lists->capacity)
        lists->gids[lists->gid_count++] = gid;
}

static void add_name(struct group_lists *lists, const char *name)
{
    for (size_t i = 0; i < lists->name_count; i++)
        if (strcmp(lists->names[i], name) == 0)
            return;
    if (lists->name_count < lists->capacity)
        lists->names[lists->name_count++] = name;
}

static void set_groups(struct machine_user *user, const struct group_lists *lists)
{
    user->gids = lists->gids;
    user->gid_count = lists->gid_count;
    user->groups = lists->names;
    user->group_count = lists->name_count;
}

static void name_gids(struct machine *machine, struct group_lists *lists,
                      const struct accounts *accounts)
{
    for (size_t i = 0; i < lists->gid_count; i++) {
        const char *name = account_name(&accounts->groups, lists->gids[i], &machine->arena);
        if (name)
            add_name(lists, name);
    }
}

void user_fill_live(struct machine *machine)
{
    CLEANUP(accounts_done) struct accounts accounts;
    accounts_load(machine, &accounts);
    struct machine_user *user = &machine->user;
    user->known = true;
    user->uid = geteuid(); /* what the kernel judges access by */
    user->name = account_name(&accounts.users, user->uid, &machine->arena);
    if (!user->name)
        user->name = machine_getenv(machine, "USER"); /* an account of a directory service */

    int count = getgroups(0, NULL);
    CLEANUP_FREE gid_t *gids = xcalloc(count > 0 ? (size_t)count : 1, sizeof *gids);
    count = count > 0 ? getgroups(count, gids) : 0;
    struct group_lists lists = group_lists(machine, (count > 0 ? (size_t)count : 0) + 1);
    add_gid(&lists, getegid());
    for (int i = 0; i < count; i++)
        add_gid(&lists, gids[i]);
    name_gids(machine, &lists, &accounts);
    set_groups(user, &lists);
}

/* `NAME UID GROUP...`, a group being a number or a name. */
void user_fill_record(struct machine *machine, const char *line, size_t length)
{
    struct span rest = {line, length}, name, number, group;
    uint32_t uid, gid;
    if (!span_word(&rest, &name) || !span_word(&rest, &number) || !span_uint32(number, &uid)) {
        record_problem(machine, ".record/user: not `NAME UID GROUP...`");
        return;
    }
    CLEANUP(accounts_done) struct accounts accounts;
    accounts_load(machine, &accounts);
    struct group_lists lists = group_lists(machine, GROUPS_MAX);
    while (span_word(&rest, &group)) {
        if (span_uint32(group, &gid)) {
            add_gid(&lists, gid);
            continue;
        }
        const char *text = arena_strndup(&machine->arena, group.data, group.length);
        add_name(&lists, text);
        if (account_id(&accounts.groups, text, &gid))
            add_gid(&lists, gid);
    }
    name_gids(machine, &lists, &accounts);
    struct machine_user *user = &machine->user;
    user->known = true;
    user->name = arena_strndup(&machine->arena, name.data, name.length);
    user->uid = uid;
    set_groups(user, &lists);
}

void home_fill(struct machine *machine)
{
    const char *home = machine_getenv(machine, "HOME");
    const struct machine_user *user = &machine->user;
    if (home && home[0] == '/')
        machine->home = home;
    else if (user->known && user->uid == 0)
        machine->home = "/root";
    else if (user->known && user->name && !strchr(user->name, '/'))
        machine->home = arena_printf(&machine->arena, "/home/%s", user->name);
}
