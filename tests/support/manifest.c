#include "manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "manifest_tree.h"

enum { MAX_MANIFEST = 64 * 1024 * 1024 };

static int lay_in(struct tree *tree, const struct manifest_entry *entry)
{
    if (strcmp(entry->words[0].value, "/") == 0) {
        tree->prefix = "";
        return 0;
    }
    return tree_path(tree, entry->line, entry->words[0].value, &tree->prefix);
}

/* The path and the mode that most kinds begin with. */
static int read_place(struct tree *tree, const struct manifest_entry *entry, mode_t otherwise,
                      const char **ret_path, mode_t *ret_mode)
{
    int r = tree_path(tree, entry->line, entry->words[0].value, ret_path);
    return r < 0 ? r : entry_mode(tree, entry, otherwise, ret_mode);
}

static int lay_dir(struct tree *tree, const struct manifest_entry *entry)
{
    const char *path;
    mode_t mode;
    int r = read_place(tree, entry, 0755, &path, &mode);
    return r < 0 ? r : tree_put_dir(tree, entry->line, path, mode);
}

static int lay_fifo(struct tree *tree, const struct manifest_entry *entry)
{
    const char *path;
    mode_t mode;
    int r = read_place(tree, entry, 0644, &path, &mode);
    return r < 0 ? r : tree_put_fifo(tree, entry->line, path, mode);
}

static int lay_link(struct tree *tree, const struct manifest_entry *entry)
{
    const char *path;
    if (strcmp(entry->words[1].value, "->") != 0)
        return tree_error(tree, entry->line, "a link is written PATH -> TARGET");
    int r = tree_path(tree, entry->line, entry->words[0].value, &path);
    return r < 0 ? r : tree_put_link(tree, entry->line, path, entry->words[2].value);
}

static int lay_file(struct tree *tree, const struct manifest_entry *entry)
{
    CLEANUP_TEXT struct text text = {0};
    const char *path;
    mode_t mode;
    off_t size;
    int r = read_place(tree, entry, 0644, &path, &mode);
    if (r < 0 || (r = entry_size(tree, entry, &size)) < 0)
        return r;
    for (size_t i = 0; i < entry->line_count; i++) {
        bool is_cut;
        r = manifest_unescape(tree->manifest, &entry->lines[i], &text, &is_cut, tree->err);
        if (r < 0)
            return r;
        if (!is_cut)
            text_add_char(&text, '\n');
    }
    return tree_put_file(tree, entry->line, path, &text, mode, size);
}

static int add_hex_line(struct tree *tree, const struct manifest_line *line, struct text *out)
{
    int high = -1;
    for (size_t i = 0; i < line->length; i++) {
        static const char digits[] = "0123456789abcdefABCDEF";
        if (line->raw[i] == ' ' && high < 0)
            continue;
        const char *at = line->raw[i] ? strchr(digits, line->raw[i]) : NULL;
        if (!at)
            return tree_error(tree, line->line, "not pairs of hexadecimal digits");
        int value = (int)(at - digits);
        value -= value > 15 ? 6 : 0;
        if (high >= 0)
            text_add_char(out, (char)(high << 4 | value));
        high = high < 0 ? value : -1;
    }
    return high < 0 ? 0 : tree_error(tree, line->line, "an odd number of hexadecimal digits");
}

static int lay_hex(struct tree *tree, const struct manifest_entry *entry)
{
    CLEANUP_TEXT struct text bytes = {0};
    const char *path;
    mode_t mode;
    int r = read_place(tree, entry, 0644, &path, &mode);
    for (size_t i = 0; r == 0 && i < entry->line_count; i++)
        r = add_hex_line(tree, &entry->lines[i], &bytes);
    return r < 0 ? r : tree_put_file(tree, entry->line, path, &bytes, mode, 0);
}

static const struct kind {
    const char *name;
    size_t words;      /* plain words after the kind */
    const char *keys;  /* that it takes, each between blanks */
    const char *marks; /* of body lines that it takes */
    int (*lay)(struct tree *tree, const struct manifest_entry *entry);
} kinds[] = {
    {"in", 1, "", "", lay_in},
    {"dir", 1, " mode ", "", lay_dir},
    {"file", 1, " mode size ", "|", lay_file},
    {"hex", 1, " mode ", "|", lay_hex},
    {"link", 3, "", "", lay_link},
    {"fifo", 1, " mode ", "", lay_fifo},
    {"elf", 1,
     " mode size soname needed rpath runpath define undefined class machine device compat ", "",
     lay_elf},
    {"ldcache", 1, " mode generator ", "|", lay_ldcache},
    {"distinfo", 3, " dir installer requires ", "|+", lay_distinfo},
    {"condapkg", 5, " subdir depends ", "|+", lay_condapkg},
};

static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

/* Plain words come first, so that words[0..] are those. */
static int check_entry(struct tree *tree, const struct manifest_entry *entry,
                       const struct kind *kind)
{
    size_t plain = 0;
    for (size_t i = 0; i < entry->word_count; i++) {
        const struct manifest_word *word = &entry->words[i];
        if (!word->key && plain++ != i)
            return tree_error(tree, word->line, "'%s' comes after a KEY=VALUE", word->value);
        if (word->key && !strstr(kind->keys, arena_printf(tree->arena, " %s ", word->key)))
            return tree_error(tree, word->line, "%s does not take %s=", kind->name, word->key);
    }
    if (plain != kind->words)
        return tree_error(tree, entry->line, "%s takes %zu words, not %zu", kind->name, kind->words,
                          plain);
    for (size_t i = 0; i < entry->line_count; i++)
        if (!strchr(kind->marks, entry->lines[i].mark))
            return tree_error(tree, entry->lines[i].line, "%s does not take lines with '%c'",
                              kind->name, entry->lines[i].mark);
    return 0;
}

static int lay_entries(struct tree *tree, struct manifest_reader *reader)
{
    CLEANUP(manifest_entry_done) struct manifest_entry entry = {0};
    int r;
    while ((r = manifest_next(reader, &entry, tree->err)) > 0) {
        const struct kind *kind = find_kind(entry.kind);
        if (!kind)
            return tree_error(tree, entry.line, "'%s' is not a kind of entry", entry.kind);
        r = check_entry(tree, &entry, kind);
        if (r == 0)
            r = kind->lay(tree, &entry);
        if (r < 0)
            return r;
    }
    return r < 0 ? r : tree_set_modes(tree);
}

static int read_manifest(const char *path, struct text *out, struct error *err)
{
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = -1;
    char buffer[16 * 1024];
    while (fd >= 0 && (n = read(fd, buffer, sizeof buffer)) > 0) {
        text_add_bytes(out, buffer, (size_t)n);
        if (out->length > MAX_MANIFEST)
            return error_set(err, -EFBIG, "%s: too large for a manifest", path);
    }
    return n < 0 ? error_set(err, -errno, "%s: %s", path, strerror(errno)) : 0;
}

int tree_lay_out(const char *manifest_path, const char *dir, struct error *err)
{
    CLEANUP_TEXT struct text data = {0};
    int r = read_manifest(manifest_path, &data, err);
    if (r < 0)
        return r;
    CLEANUP_CLOSE int root = -1;
    if ((mkdir(dir, 0755) < 0 && errno != EEXIST) ||
        (root = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
        return error_set(err, -errno, "%s: %s", dir, strerror(errno));
    CLEANUP(arena_done) struct arena arena = {0};
    struct tree tree = {
        .manifest = manifest_path, .prefix = "", .root = root, .arena = &arena, .err = err};
    struct manifest_reader reader = {
        .name = manifest_path, .data = text_get(&data), .size = data.length, .arena = &arena};
    r = lay_entries(&tree, &reader);
    free(tree.modes);
    return r;
}
