#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/command.h"

static const struct option *find_option(const struct command *command, const char *name,
                                        size_t length)
{
    for (const struct option *o = command->options; o->name; o++)
        if (strlen(o->name) == length && strncmp(o->name, name, length) == 0)
            return o;
    return NULL;
}

static void list_add(struct list *list, const char *item)
{
    list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof *list->items);
    list->items[list->count++] = item;
}

/* The option that was probably meant: the one with the longest common beginning. */
static const char *nearest(const struct command *command, const char *name)
{
    const char *best = NULL;
    size_t longest = 3;
    for (const struct option *o = command->options; o->name; o++) {
        size_t n = 0;
        while (o->name[n] && o->name[n] == name[n])
            n++;
        if (n > longest) {
            longest = n;
            best = o->name;
        }
    }
    return best;
}

static int unknown_option(const struct command *command, const char *name, struct error *err)
{
    const char *meant = nearest(command, name);
    return error_set(err, -EINVAL, "%s: unknown option %s%s%s; see gpudoctor %s --help",
                     command->name, name, meant ? ", did you mean " : "", meant ? meant : "",
                     command->name);
}

static int take_option(const struct command *command, int argc, char **argv, int *at,
                       struct options *ret, struct error *err)
{
    const char *word = argv[*at], *value = strchr(word, '=');
    size_t length = value ? (size_t)(value - word) : strlen(word);
    if (strcmp(word, "-h") == 0) {
        ret->help = true;
        return 0;
    }
    const struct option *o = strcmp(word, "-o") == 0 ? find_option(command, "--output", 8)
                                                     : find_option(command, word, length);
    if (!o)
        return unknown_option(command, word, err);
    char *field = (char *)ret + o->offset;
    if (o->kind == OPTION_FLAG) {
        if (value)
            return error_set(err, -EINVAL, "%s: %s takes no value", command->name, o->name);
        *(bool *)field = true;
        return 0;
    }
    if (value)
        value++;
    else if (*at + 1 < argc)
        value = argv[++*at];
    if (!value || !*value)
        return error_set(err, -EINVAL, "%s: %s needs a value (%s)", command->name, o->name,
                         o->argument);
    if (o->kind == OPTION_LIST)
        list_add((struct list *)field, value);
    else
        *(const char **)field = value;
    return 0;
}

int options_parse(const struct command *command, int argc, char **argv, struct options *ret,
                  struct error *err)
{
    *ret = (struct options){0};
    bool only_operands = false;
    for (int at = 0; at < argc; at++) {
        if (!only_operands && strcmp(argv[at], "--") == 0) {
            only_operands = true;
        } else if (!only_operands && argv[at][0] == '-' && argv[at][1]) {
            int code = take_option(command, argc, argv, &at, ret, err);
            if (code < 0)
                return code;
        } else {
            list_add(&ret->operands, argv[at]);
        }
    }
    return 0;
}

void options_done(struct options *options)
{
    free(options->environments.items);
    free(options->require.items);
    free(options->only.items);
    free(options->ignore.items);
    free(options->gpus.items);
    free(options->operands.items);
}

const char *path_in_machine(struct arena *arena, const struct options *options, const char *path)
{
    char folder[PATH_MAX];
    while (text_starts(path, "./"))
        path += 1 + strspn(path + 1, "/");
    if (path[0] == '/')
        return arena_strdup(arena, path);
    if (options->root)
        return arena_printf(arena, "/%s", path);
    if (!getcwd(folder, sizeof folder))
        return arena_strdup(arena, path);
    return arena_printf(arena, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, path);
}

/* "5", "0.5": seconds above 0 and not above 600. */
static bool parse_seconds(const char *text, int *ret_ms)
{
    char *end;
    double seconds = strtod(text, &end);
    if (end == text || *end || !(seconds > 0 && seconds <= 600))
        return false;
    *ret_ms = seconds < 0.001 ? 1 : (int)(seconds * 1000 + 0.5); /* 0 would be the default */
    return true;
}

bool session_options_from(const struct options *options, struct session_options *ret)
{
    *ret = (struct session_options){
        .root = options->root,
        .facts_file = options->facts,
        .rules_dir = options->rules,
        .probe =
            {
                .environments = options->environments.items,
                .environment_count = options->environments.count,
                .all_environments = options->all_environments,
                .wake = options->wake,
            },
        .require = options->require.items,
        .require_count = options->require.count,
    };
    if (options->root && options->facts) {
        complain(STATUS_USAGE, "--root and --facts exclude each other");
        return false;
    }
    if (options->facts && (options->environments.count || options->all_environments)) {
        complain(STATUS_USAGE, "--env and --all-envs need a machine; --facts is a snapshot");
        return false;
    }
    if (options->nvml_timeout &&
        !parse_seconds(options->nvml_timeout, &ret->probe.nvml_deadline_ms)) {
        complain(STATUS_USAGE, "--nvml-timeout %s: not a number of seconds between 0 and 600",
                 options->nvml_timeout);
        return false;
    }
    return true;
}
