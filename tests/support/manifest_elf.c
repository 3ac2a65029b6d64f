/* Entries for shared objects and for the loader's cache. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "elf_write.h"
#include "ldcache_write.h"
#include "manifest_tree.h"

static const struct {
    const char *name;
    enum elf_write_machine machine;
    int class_bits, cache_flags;
} machines[] = {
    {"x86_64", ELF_WRITE_X86_64, 64, LDCACHE_X86_64},
    {"aarch64", ELF_WRITE_AARCH64, 64, LDCACHE_AARCH64},
    {"i386", ELF_WRITE_I386, 32, LDCACHE_I386},
};
enum { MACHINES = sizeof machines / sizeof machines[0] };

static size_t find_machine(const char *name)
{
    size_t i = 0;
    while (i < MACHINES && strcmp(machines[i].name, name) != 0)
        i++;
    return i;
}

/* NAME, NAME@VERSION or NAME@VERSION@LIBRARY; the text is cut into its parts. */
static struct elf_symbol read_symbol(char *text)
{
    struct elf_symbol symbol = {.name = text};
    char *at = strchr(text, '@');
    if (!at)
        return symbol;
    *at = '\0';
    symbol.version = at + 1;
    at = strchr(at + 1, '@');
    if (at) {
        *at = '\0';
        symbol.library = at + 1;
    }
    return symbol;
}

static const struct elf_symbol *read_symbols(struct tree *tree, const struct manifest_entry *entry,
                                             const char *key, size_t *ret_count)
{
    char **texts = entry_list(tree, entry, key, ",", ret_count);
    struct elf_symbol *symbols = arena_alloc(tree->arena, (*ret_count + 1) * sizeof *symbols);
    for (size_t i = 0; i < *ret_count; i++)
        symbols[i] = read_symbol(texts[i]);
    return symbols;
}

static int read_machine(struct tree *tree, const struct manifest_entry *entry,
                        struct elf_spec *spec)
{
    const char *name = entry_value(entry, "machine", "x86_64");
    const char *bits = entry_value(entry, "class", NULL);
    size_t i = find_machine(name);
    if (i == MACHINES)
        return tree_error(tree, entry->line, "machine=%s is not known", name);
    if (bits && strcmp(bits, "32") != 0 && strcmp(bits, "64") != 0)
        return tree_error(tree, entry->line, "class=%s is neither 32 nor 64", bits);
    spec->machine = machines[i].machine;
    spec->class_bits = bits ? atoi(bits) : machines[i].class_bits;
    return 0;
}

static int read_spec(struct tree *tree, const struct manifest_entry *entry, struct elf_spec *spec)
{
    spec->soname = entry_value(entry, "soname", NULL);
    spec->rpath = entry_value(entry, "rpath", NULL);
    spec->runpath = entry_value(entry, "runpath", NULL);
    spec->compat_note = entry_value(entry, "compat", NULL);
    char **needed = entry_list(tree, entry, "needed", ",", &spec->needed_count);
    spec->needed = (const char *const *)needed;
    spec->defined = read_symbols(tree, entry, "define", &spec->defined_count);
    spec->undefined = read_symbols(tree, entry, "undefined", &spec->undefined_count);
    int r = read_device(tree, entry, spec);
    return r < 0 ? r : read_machine(tree, entry, spec);
}

int lay_elf(struct tree *tree, const struct manifest_entry *entry)
{
    CLEANUP_TEXT struct text object = {0};
    struct elf_spec spec = {0};
    const char *path;
    mode_t mode;
    off_t size;
    int r = tree_path(tree, entry->line, entry->words[0].value, &path);
    if (r < 0 || (r = entry_mode(tree, entry, 0755, &mode)) < 0 ||
        (r = entry_size(tree, entry, &size)) < 0 || (r = read_spec(tree, entry, &spec)) < 0)
        return r;
    r = elf_write(&spec, &object, tree->err);
    if (r < 0)
        return error_prefix(tree->err, r, "%s:%u", tree->manifest, entry->line);
    return tree_put_file(tree, entry->line, path, &object, mode, size);
}

/* "SONAME -> PATH [ARCH]", where ARCH is a machine's name or the flags as a number. */
static int read_cache_line(struct tree *tree, const struct manifest_line *line,
                           struct ldcache_entry *ret)
{
    CLEANUP_TEXT struct text text = {0};
    bool is_cut;
    int r = manifest_unescape(tree->manifest, line, &text, &is_cut, tree->err);
    if (r < 0)
        return r;
    char *soname = arena_strdup(tree->arena, text_get(&text));
    char *arrow = strstr(soname, " -> "), *bracket = strrchr(soname, '[');
    size_t length = strlen(soname);
    if (!arrow || !bracket || bracket < arrow + 5 || bracket[-1] != ' ' ||
        soname[length - 1] != ']')
        return tree_error(tree, line->line, "not of the form SONAME -> PATH [ARCH]");
    *arrow = bracket[-1] = soname[length - 1] = '\0';
    char *arch = bracket + 1, *end = NULL;
    size_t i = find_machine(arch);
    long flags = i < MACHINES ? machines[i].cache_flags : strtol(arch, &end, 0);
    if (end && (*end || end == arch))
        return tree_error(tree, line->line, "[%s] is not known", arch);
    *ret = (struct ldcache_entry){.soname = soname, .path = arrow + 4, .flags = (int32_t)flags};
    return 0;
}

int lay_ldcache(struct tree *tree, const struct manifest_entry *entry)
{
    CLEANUP_TEXT struct text cache = {0};
    size_t count = entry->line_count;
    struct ldcache_entry *entries = arena_alloc(tree->arena, (count + 1) * sizeof *entries);
    const char *path;
    mode_t mode;
    int r = tree_path(tree, entry->line, entry->words[0].value, &path);
    if (r < 0 || (r = entry_mode(tree, entry, 0644, &mode)) < 0)
        return r;
    for (size_t i = 0; i < count; i++)
        if ((r = read_cache_line(tree, &entry->lines[i], &entries[i])) < 0)
            return r;
    ldcache_write(entries, count, entry_value(entry, "generator", NULL), &cache);
    return tree_put_file(tree, entry->line, path, &cache, mode, 0);
}
