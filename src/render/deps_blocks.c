/* Below the tree: what is missing, which copies lose, which symbols are not there. */
#include <string.h>

#include "render/deps.h"

enum { TRAIL_SHOWN = 12, SYMBOLS_SHOWN = 5, BLOCK_SHOWN = 40, BLOCK_MOST = 2000 };

/* --- what is missing --- */

static void lines(struct text *out, const struct style *style, const char *margin, const char *text,
                  size_t most)
{
    size_t cursor = 0, shown = 0, more = 0, length;
    const char *line;
    struct {
        const char *line;
        size_t length;
    } last = {0};
    while (text && text_next_line(text, strlen(text), &cursor, &line, &length)) {
        if (last.line && last.length == length && memcmp(last.line, line, length) == 0)
            continue; /* two lists with one folder */
        last.line = line;
        last.length = length;
        if (shown >= most) {
            more++;
            continue;
        }
        shown++;
        text_add(out, margin);
        style_safe(out, style, line, length);
        text_add_char(out, '\n');
    }
    if (more)
        text_printf(out, "%sand %zu more (--all shows them)\n", margin, more);
}

/* Whether an earlier request already told of that name with the same weight. */
static bool is_told(const struct deps *deps, size_t at)
{
    const struct deps_request *r = &deps->requests[at];
    for (size_t i = 0; i < at; i++)
        if (deps_is_missing(&deps->requests[i]) && deps->requests[i].required == r->required &&
            text_equal(deps->requests[i].name, r->name))
            return true;
    return false;
}

static void add_users(struct text *line, const struct deps *deps, size_t at)
{
    enum { USERS_SHOWN = 4 };
    const struct deps_request *r = &deps->requests[at];
    size_t count = 0;
    for (size_t i = at; i < deps->request_count; i++) {
        const struct deps_request *other = &deps->requests[i];
        if (!deps_is_missing(other) || other->required != r->required || other->is_repeated ||
            !text_equal(other->name, r->name) || count++ >= USERS_SHOWN)
            continue;
        const char *verb = text_equal(other->how, "need") ? "needed by " : "opened by ";
        text_printf(line, "%s%s", count == 1 ? verb : ", ",
                    !other->needed_by ? "the program"
                    : count == 1      ? deps_short(deps, other->needed_by)
                                      : deps_file_name(other->needed_by));
    }
    if (count > USERS_SHOWN)
        text_printf(line, " and %zu more", count - USERS_SHOWN);
}

static void missing_entry(struct text *out, const struct style *style, const struct deps *deps,
                          size_t at, bool all)
{
    const struct deps_request *r = &deps->requests[at];
    CLEANUP_TEXT struct text line = {0};
    text_printf(&line, "%s, ", r->name ? r->name : "?");
    add_users(&line, deps, at);
    bool is_part = r->required == 0 && r->purpose;
    if (is_part)
        text_printf(&line, "; needed for %s", r->purpose);
    else if (r->required == 0)
        text_add(&line, "; it does without");
    if (text_equal(r->family, "driver"))
        text_add(&line, " (comes with the NVIDIA driver)");
    style_marked(out, style, "  ",
                 is_part            ? MARK_WARNING
                 : r->required == 0 ? MARK_INFO
                                    : MARK_ERROR,
                 text_get(&line));
    if (r->required == 0 && !all)
        return;
    if (r->error && !text_equal(r->error, deps->process.error))
        style_line(out, style, "      ", PAINT_NONE, r->error);
    if (r->trail && *r->trail) {
        text_add(out, "      looked for in\n");
        lines(out, style, "        ", r->trail, all ? (size_t)-1 : TRAIL_SHOWN);
    }
}

/* What must be there first. */
void deps_add_missing(struct text *out, const struct style *style, const struct deps *deps,
                      bool all)
{
    size_t shown = 0, more = 0, most = all ? BLOCK_MOST : BLOCK_SHOWN;
    for (int optional = 0; optional < 2; optional++)
        for (size_t i = 0; i < deps->request_count; i++) {
            const struct deps_request *r = &deps->requests[i];
            if (!deps_is_missing(r) || (r->required == 0) != optional)
                continue;
            if (shown >= most) {
                more++;
                continue;
            }
            if (is_told(deps, i))
                continue;
            if (!shown++)
                text_add(out, "\nMissing:\n");
            missing_entry(out, style, deps, i, all);
        }
    if (more)
        text_printf(out, "  and %zu more requests (--all shows them)\n", more);
}

/* --- copies that lose --- */

/* "RPATH", and the folder where that is not the file's own. */
static void add_list(struct text *line, const char *path, const char *via, const char *list)
{
    size_t length = list ? strlen(list) : 0;
    bool is_own = list && path && strncmp(path, list, length) == 0 && path[length] == '/' &&
                  !strchr(path + length + 1, '/');
    if (via)
        text_printf(line, " (%s%s%s)", via, list && !is_own ? ": " : "",
                    list && !is_own ? list : "");
}

static bool is_surprise(const struct deps_shadowed *s)
{
    return text_equal(s->winner_via, "LD_LIBRARY_PATH") || text_equal(s->winner_via, "preload");
}

static void winner_line(struct text *out, const struct style *style, const struct deps *deps,
                        const struct deps_shadowed *s)
{
    CLEANUP_TEXT struct text line = {0};
    text_printf(&line, "%s: loaded is %s", s->name ? s->name : "?",
                s->winner ? deps_short(deps, s->winner) : "?");
    add_list(&line, s->winner, s->winner_via, s->winner_list);
    style_marked(out, style, "  ", is_surprise(s) ? MARK_WARNING : MARK_BULLET, text_get(&line));
}

/* That LD_LIBRARY_PATH decides is what surprises people. The rest is how it is meant to be: a line
 * for the copy that loses, the one that is loaded stands in the tree. */
static void shadowed_entry(struct text *out, const struct style *style, const struct deps *deps,
                           const struct deps_shadowed *s, bool is_new, bool all)
{
    bool is_long = is_surprise(s) || all;
    CLEANUP_TEXT struct text line = {0};
    if (is_long && is_new)
        winner_line(out, style, deps, s);
    if (is_long)
        text_add(&line, "not ");
    text_add(&line, s->path ? deps_short(deps, s->path) : "?");
    add_list(&line, NULL, s->via, NULL);
    if (is_long)
        style_line(out, style, "      ", PAINT_NONE, text_get(&line));
    else
        style_marked(out, style, "  ", MARK_BULLET, text_get(&line));
}

/* Copies of system libraries are everywhere; they are counted only. */
void deps_add_shadowed(struct text *out, const struct style *style, const struct deps *deps,
                       bool all)
{
    size_t shown = 0, more = 0;
    const struct deps_shadowed *last = NULL;
    for (size_t i = 0; i < deps->shadowed_count; i++) {
        const struct deps_shadowed *s = &deps->shadowed[i];
        if (!all && (!s->family || shown >= BLOCK_SHOWN)) {
            more++;
            continue;
        }
        if (!shown++)
            text_add(out, "\nShadowed (found later, not loaded):\n");
        shadowed_entry(
            out, style, deps, s,
            !last || !text_equal(last->name, s->name) || !text_equal(last->winner, s->winner), all);
        last = s;
    }
    if (more && shown)
        text_printf(out, "  and %zu more of other libraries (--all shows them)\n", more);
}

/* --- symbols --- */

static void symbol_head(struct text *out, const struct style *style, const struct deps *deps,
                        const struct deps_symbol *s)
{
    CLEANUP_TEXT struct text line = {0};
    text_printf(&line, "%s needs of %s", s->path ? deps_short(deps, s->path) : "?",
                s->provider ? deps_short(deps, s->provider)
                : s->family ? s->family
                            : "any library that is loaded");
    style_marked(out, style, "  ", s->fatal == 0 ? MARK_WARNING : MARK_ERROR, text_get(&line));
}

static void symbol_line(struct text *out, const struct style *style, const struct deps_symbol *s)
{
    CLEANUP_TEXT struct text line = {0};
    if (s->symbol)
        text_add(&line, s->symbol);
    if (s->version)
        text_printf(&line, "%sversion %s", s->symbol ? ", " : "", s->version);
    text_add(&line, s->fatal == 0   ? " (its first call fails)"
                    : s->fatal == 1 ? " (loading fails)"
                                    : "");
    style_line(out, style, "      ", PAINT_NONE, text_get(&line));
}

void deps_add_symbols(struct text *out, const struct style *style, const struct deps *deps,
                      bool all)
{
    size_t shown = 0, more = 0;
    if (deps->symbol_count)
        text_add(out, "\nSymbols that are not there:\n");
    for (size_t i = 0; i < deps->symbol_count; i++) {
        const struct deps_symbol *s = &deps->symbols[i], *last = i ? s - 1 : NULL;
        bool is_new = !last || !text_equal(last->path, s->path) ||
                      !text_equal(last->provider, s->provider) || last->fatal != s->fatal;
        if (is_new && more)
            text_printf(out, "      and %zu more (--all shows them)\n", more);
        if (is_new) {
            symbol_head(out, style, deps, s);
            shown = more = 0;
        }
        if (shown >= SYMBOLS_SHOWN && !all)
            more++;
        else
            symbol_line(out, style, s);
        shown++;
    }
    if (more)
        text_printf(out, "      and %zu more (--all shows them)\n", more);
}
