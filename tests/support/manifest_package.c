/* Shorthands for installed packages: a machine has hundreds of them. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "manifest_tree.h"

/* Resolves one body line, which must be a whole line of its own. */
static int read_line(struct tree *tree, const struct manifest_line *line, const char **ret)
{
    CLEANUP_TEXT struct text text = {0};
    bool is_cut;
    int r = manifest_unescape(tree->manifest, line, &text, &is_cut, tree->err);
    if (r == 0 && (is_cut || strlen(text_get(&text)) != text.length))
        r = tree_error(tree, line->line, "not a whole line of text");
    *ret = arena_strdup(tree->arena, text_get(&text));
    return r;
}

static int put_text(struct tree *tree, unsigned line, const char *folder, const char *name,
                    const struct text *text)
{
    return tree_put_file(tree, line, arena_printf(tree->arena, "%s/%s", folder, name), text, 0644,
                         0);
}

/* NAME as wheels write it in file names: runs of '-', '_' and '.' become one '_'. */
static const char *folder_name(struct tree *tree, const char *name, const char *version)
{
    char *text = arena_strdup(tree->arena, name), *out = text;
    for (const char *in = name; *in; in++) {
        bool is_mark = strchr("-_.", *in) != NULL;
        if (is_mark && out > text && out[-1] == '_')
            continue;
        *out++ = (char)(is_mark ? '_' : *in);
    }
    *out = '\0';
    return arena_printf(tree->arena, "%s-%s.dist-info", text, version);
}

/* METADATA with the fields that matter and RECORD with the paths of the '+' lines, and itself. */
static int describe_wheel(struct tree *tree, const struct manifest_entry *entry,
                          struct text *metadata, struct text *record)
{
    text_printf(metadata, "Metadata-Version: 2.1\nName: %s\nVersion: %s\n", entry->words[1].value,
                entry->words[2].value);
    char **requires = entry_list(tree, entry, "requires", ";", NULL);
    for (; *requires; requires ++)
        text_printf(metadata, "Requires-Dist: %s\n", *requires);
    for (size_t i = 0; i < entry->line_count; i++) {
        const char *text;
        int r = read_line(tree, &entry->lines[i], &text);
        if (r < 0)
            return r;
        if (entry->lines[i].mark == '|')
            text_printf(metadata, "Requires-Dist: %s\n", text);
        else
            text_printf(record, "%s,,\n", text);
    }
    text_add(metadata, "\n");
    return 0;
}

int lay_distinfo(struct tree *tree, const struct manifest_entry *entry)
{
    CLEANUP_TEXT struct text metadata = {0};
    CLEANUP_TEXT struct text record = {0};
    CLEANUP_TEXT struct text installer = {0};
    const char *site, *tool = entry_value(entry, "installer", "pip");
    int r = tree_path(tree, entry->line, entry->words[0].value, &site);
    if (r < 0 || (r = describe_wheel(tree, entry, &metadata, &record)) < 0)
        return r;
    const char *name = folder_name(tree, entry->words[1].value, entry->words[2].value);
    const char *folder = arena_printf(tree->arena, "%s/%s", site, entry_value(entry, "dir", name));
    if (*tool) {
        text_printf(&installer, "%s\n", tool);
        r = put_text(tree, entry->line, folder, "INSTALLER", &installer);
    }
    if (r == 0)
        r = put_text(tree, entry->line, folder, "METADATA", &metadata);
    text_printf(&record, "%s/RECORD,,\n", entry_value(entry, "dir", name));
    return r < 0 ? r : put_text(tree, entry->line, folder, "RECORD", &record);
}

static int read_lists(struct tree *tree, const struct manifest_entry *entry, json_t *depends,
                      json_t *files)
{
    char **inline_depends = entry_list(tree, entry, "depends", ";", NULL);
    for (; *inline_depends; inline_depends++)
        json_array_append_new(depends, json_string(*inline_depends));
    for (size_t i = 0; i < entry->line_count; i++) {
        const char *text;
        int r = read_line(tree, &entry->lines[i], &text);
        if (r < 0)
            return r;
        json_array_append_new(entry->lines[i].mark == '|' ? depends : files, json_string(text));
    }
    return 0;
}

/* The keys are those that conda's own records share; a build such as "h5888daf_1" ends in its
 * number. */
static json_t *describe_package(const struct manifest_entry *entry, const char *file,
                                json_t *depends, json_t *files)
{
    const char *build = entry->words[3].value, *mark = strrchr(build, '_');
    int number = mark ? atoi(mark + 1) : 0;
    return json_pack("{s:s, s:s, s:s, s:i, s:s, s:s, s:O, s:O, s:o}", "name", entry->words[1].value,
                     "version", entry->words[2].value, "build", build, "build_number", number,
                     "channel", entry->words[4].value, "subdir",
                     entry_value(entry, "subdir", "linux-64"), "depends", depends, "files", files,
                     "fn", json_sprintf("%s.conda", file));
}

int lay_condapkg(struct tree *tree, const struct manifest_entry *entry)
{
    CLEANUP_TEXT struct text text = {0};
    const char *prefix;
    int r = tree_path(tree, entry->line, entry->words[0].value, &prefix);
    if (r < 0)
        return r;
    const char *file = arena_printf(tree->arena, "%s-%s-%s", entry->words[1].value,
                                    entry->words[2].value, entry->words[3].value);
    json_t *depends = json_array(), *files = json_array(), *record = NULL;
    r = read_lists(tree, entry, depends, files);
    if (r == 0 && !(record = describe_package(entry, file, depends, files)))
        r = tree_error(tree, entry->line, "a value is not UTF-8 text");
    if (r == 0) {
        char *dump = json_dumps(record, JSON_INDENT(2));
        text_printf(&text, "%s\n", dump);
        free(dump);
        r = put_text(tree, entry->line, arena_printf(tree->arena, "%s/conda-meta", prefix),
                     arena_printf(tree->arena, "%s.json", file), &text);
    }
    json_decref(record);
    json_decref(depends);
    json_decref(files);
    return r;
}
