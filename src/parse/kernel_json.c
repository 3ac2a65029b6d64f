#include "parse/kernel_json.h"

#include <string.h>

#include <jansson.h>

#include "base/json_file.h"
#include "base/span.h"
#include "base/text.h"

enum { NAME_SHOWN = 200, WORD_MAX = 4096 };

struct arguments {
    const char *items[KERNEL_ARGUMENTS_MAX];
    size_t count;
};

static const char *leaf_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_python(const char *path)
{
    return text_starts(leaf_of(path), "python") || text_starts(leaf_of(path), "pypy");
}

static bool is_plain(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            return false;
    return true;
}

static bool take(struct kernel_json *ret, enum kernel_start start, const char *target,
                 struct arena *arena)
{
    if (!*target || !is_plain(target) || strlen(target) > WORD_MAX)
        return false;
    ret->start = start;
    ret->target = arena_strdup(arena, target);
    return true;
}

static bool is_runner(const char *leaf)
{
    return !strcmp(leaf, "conda") || !strcmp(leaf, "mamba") || !strcmp(leaf, "micromamba");
}

/* conda run [-n NAME | -p FOLDER] COMMAND */
static bool take_run(const struct arguments *args, size_t at, struct arena *arena,
                     struct kernel_json *ret)
{
    if (at + 1 >= args->count || strcmp(args->items[at + 1], "run") != 0)
        return false;
    for (size_t i = at + 2; i < args->count; i++) {
        const char *word = args->items[i], *next = i + 1 < args->count ? args->items[i + 1] : "";
        if (!strcmp(word, "-n") || !strcmp(word, "--name"))
            return take(ret, KERNEL_ENV_NAME, next, arena);
        if (!strcmp(word, "-p") || !strcmp(word, "--prefix"))
            return take(ret, KERNEL_ENV_PREFIX, next, arena);
        if (text_starts(word, "--name="))
            return take(ret, KERNEL_ENV_NAME, word + strlen("--name="), arena);
        if (text_starts(word, "--prefix="))
            return take(ret, KERNEL_ENV_PREFIX, word + strlen("--prefix="), arena);
    }
    return false;
}

static void unquote(struct span *word)
{
    while (word->length && strchr("\"'();&", word->data[0])) {
        word->data++;
        word->length--;
    }
    while (word->length && strchr("\"'();&", word->data[word->length - 1]))
        word->length--;
}

/* A line of shell: the Python in it, else the environment that it activates. */
static bool take_shell(const char *line, struct arena *arena, struct kernel_json *ret)
{
    struct span rest = {line, strlen(line)}, word;
    bool is_activated = false, is_after_activate = false;
    while (span_word(&rest, &word)) {
        bool ends_command = strchr(";&", word.data[word.length - 1]) != NULL;
        unquote(&word);
        if (!word.length || word.length > WORD_MAX) {
            is_after_activate = false;
            continue;
        }
        char *text = arena_strndup(arena, word.data, word.length);
        if (text[0] == '/' && is_python(text))
            return take(ret, KERNEL_PYTHON, text, arena);
        /* conda's own bin/activate takes a name behind it */
        bool activates = !strcmp(leaf_of(text), "activate") && !ends_command;
        if (is_after_activate && text[0] != '-')
            is_activated =
                take(ret, text[0] == '/' ? KERNEL_ENV_PREFIX : KERNEL_ENV_NAME, text, arena);
        if (text[0] == '/' && text_ends(text, "/bin/activate") && !is_activated) {
            text[strlen(text) - strlen("/bin/activate")] = '\0';
            is_activated = take(ret, KERNEL_ENV_PREFIX, text, arena);
        }
        is_after_activate = activates;
    }
    return is_activated;
}

static void take_command(const struct arguments *args, size_t at, struct arena *arena,
                         struct kernel_json *ret)
{
    if (at >= args->count)
        return;
    const char *first = args->items[at], *leaf = leaf_of(first);
    if (is_python(first)) {
        take(ret, first[0] == '/' ? KERNEL_PYTHON : KERNEL_PYTHON_NAME, first, arena);
    } else if (is_runner(leaf)) {
        take_run(args, at, arena, ret);
    } else if (!strcmp(leaf, "bash") || !strcmp(leaf, "sh") || !strcmp(leaf, "zsh")) {
        for (size_t i = at + 1; i + 1 < args->count; i++)
            if (args->items[i][0] == '-' && args->items[i][1] != '-' &&
                text_ends(args->items[i], "c")) {
                take_shell(args->items[i + 1], arena, ret);
                break;
            }
    } else if (!strcmp(leaf, "env")) {
        size_t i = at + 1;
        while (i < args->count && (args->items[i][0] == '-' || strchr(args->items[i], '=')))
            i++;
        if (i < args->count && strcmp(leaf_of(args->items[i]), "env") != 0)
            take_command(args, i, arena, ret);
        if (ret->start == KERNEL_PYTHON_NAME)
            ret->start = KERNEL_PYTHON_LOOKUP; /* not Jupyter's own: env looks it up */
    }
}

static const char *text_of(json_t *root, const char *key, struct arena *arena)
{
    const char *value = json_string_value(json_object_get(root, key));
    if (!value)
        return NULL;
    CLEANUP_TEXT struct text safe = {0};
    size_t length = strnlen(value, NAME_SHOWN);
    while (length && ((unsigned char)value[length] & 0xc0) == 0x80)
        length--;
    text_add_safe(&safe, value, length, false);
    return arena_strdup(arena, text_get(&safe));
}

bool kernel_json_parse(const char *data, size_t length, struct arena *arena,
                       struct kernel_json *ret)
{
    *ret = (struct kernel_json){0};
    CLEANUP_JSON json_t *root = json_loadb(data, length, 0, NULL);
    json_t *argv = json_object_get(root, "argv"), *item;
    size_t i;
    if (!json_is_array(argv))
        return false;
    struct arguments args = {.count = 0};
    json_array_foreach (argv, i, item) {
        if (args.count == KERNEL_ARGUMENTS_MAX || !json_is_string(item))
            break;
        args.items[args.count++] = json_string_value(item);
    }
    ret->display_name = text_of(root, "display_name", arena);
    ret->language = text_of(root, "language", arena);
    take_command(&args, 0, arena, ret);
    return true;
}
