#include "library/literal.h"

#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
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

const char *literal_version(struct library_rows *rows, const struct library_spec *family,
                            const char *path, const struct loader_file *file)
{
    struct probe_context *context = rows->scene->context;
    if (!family->literal)
        return NULL;
    for (size_t i = 0; i < rows->literal_count; i++)
        if (rows->literals[i].file == file)
            return rows->literals[i].version;
    struct search search = {pattern_of(rows, family), context->arena, NULL};
    if (search.pattern)
        scan_program(context->machine, path, CONSTANTS_MAX, LITERAL_MAX, search_chunk, &search);
    rows->literals = xgrow(rows->literals, &rows->literal_capacity, rows->literal_count + 1,
                           sizeof *rows->literals);
    rows->literals[rows->literal_count++] = (struct literal){file, search.version};
    return search.version;
}
