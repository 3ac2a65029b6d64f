#include "library/literal.h"

#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "elf/symbol.h"
#include "probe/scan.h"

enum { LITERAL_MAX = 256, CONSTANTS_MAX = 4 * 1024 * 1024 };

struct literal {
    const struct loader_file *file;
    const char *version;
};

struct search {
    struct pattern *pattern;
    struct arena *arena;
    const char *version;
};

/* A match that reaches the end of a chunk may be cut ("2.2" of "2.27"): what the chunks share has
 * it whole in the next one. */
static bool is_cut(struct pattern *pattern, struct arena *arena, const char *chunk, size_t size)
{
    if (size < SCAN_CHUNK)
        return false;
    const char *whole = pattern_match(pattern, arena);
    return !pattern_search(pattern, chunk, size - 1) ||
           !text_equal(whole, pattern_match(pattern, arena));
}

static bool search_chunk(void *data, const char *chunk, size_t size)
{
    struct search *search = data;
    if (!pattern_search(search->pattern, chunk, size) ||
        is_cut(search->pattern, search->arena, chunk, size) ||
        !pattern_search(search->pattern, chunk, size))
        return false;
    const char *version = pattern_group(search->pattern, "version", search->arena);
    if (!version || !*version || !utf8_valid(version, strlen(version)))
        return false;
    search->version = version;
    return true;
}

static struct pattern *pattern_of(struct library_rows *rows, const struct library_spec *family)
{
    struct pattern **pattern = &rows->patterns[family - rows->scene->known.items];
    if (!*pattern)
        pattern_compile(family->literal, pattern, NULL);
    return *pattern;
}

static const char *search_text(struct library_rows *rows, const struct library_spec *family,
                               const char *path)
{
    struct probe_context *context = rows->scene->context;
    struct search search = {pattern_of(rows, family), context->arena, NULL};
    if (search.pattern)
        scan_program(context->machine, path, CONSTANTS_MAX, LITERAL_MAX, search_chunk, &search);
    return search.version;
}

/* Parts of cuDNN compare such numbers with each other: 0x00090100 is 9.1.0. */
static const char *search_data(struct library_rows *rows, const struct library_spec *family,
                               const struct loader_file *file)
{
    struct elf_file *elf = family->version_data_count && file->class == LOADER_FITS
                               ? loader_store_reopen(rows->scene->store, file)
                               : NULL;
    unsigned char bytes[4]; /* patch, minor, major, 0 */
    for (size_t i = 0; elf && i < family->version_data_count; i++)
        if (elf_symbol_data(elf, &file->object, family->version_data[i], bytes, sizeof bytes) &&
            bytes[2] && !bytes[3])
            return arena_printf(rows->scene->context->arena, "%u.%u.%u", bytes[2], bytes[1],
                                bytes[0]);
    return NULL;
}

const char *literal_version(struct library_rows *rows, const struct library_spec *family,
                            const char *path, const struct loader_file *file)
{
    if (!family->literal && !family->version_data_count)
        return NULL;
    for (size_t i = 0; i < rows->literal_count; i++)
        if (rows->literals[i].file == file)
            return rows->literals[i].version;
    const char *version = search_data(rows, family, file);
    if (!version && family->literal)
        version = search_text(rows, family, path);
    rows->literals = xgrow(rows->literals, &rows->literal_capacity, rows->literal_count + 1,
                           sizeof *rows->literals);
    rows->literals[rows->literal_count++] = (struct literal){file, version};
    return version;
}
