/* The tree of what loads: each object once, below the one that brought it. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "render/deps.h"

enum { LEVEL_WIDTH = 3, FOLDED_NAMED = 8 };

struct frame {
    long object;
    long child;   /* the next of its children to be drawn; DEPS_NONE: no more */
    long request; /* the next of its other requests; DEPS_NONE: no more */
};

struct drawing {
    struct text *out;
    const struct style *style;
    const struct deps *deps;
    bool all;
    struct frame *frames; /* from a root to where we are */
    size_t depth, capacity;
    size_t levels_max; /* deeper ones are drawn as a number */
};

static long visible(const struct drawing *d, long object)
{
    while (object != DEPS_NONE && d->deps->objects[object].is_folded && !d->all)
        object = d->deps->objects[object].next;
    return object;
}

/* By default requests that came later are but counted, and what can be missed is told below. */
static long visible_request(const struct drawing *d, long request)
{
    for (; request != DEPS_NONE && !d->all; request = d->deps->requests[request].next)
        if (deps_is_missing(&d->deps->requests[request]) &&
            d->deps->requests[request].required != 0 && !d->deps->requests[request].is_repeated)
            break;
    return request;
}

static bool has_more(const struct frame *frame)
{
    return frame->child != DEPS_NONE || frame->request != DEPS_NONE;
}

/* The lines left of a node whose parent is the last frame; of the lines below it when `below`. */
static void add_margin(const struct drawing *d, struct text *line, bool below)
{
    static const char *const marks[2][4] = {{"|  ", "   ", "|- ", "`- "},
                                            {"│  ", "   ", "├─ ", "└─ "}};
    const char *const *mark = marks[d->style->unicode ? 1 : 0];
    size_t skipped = d->depth > d->levels_max ? d->depth - d->levels_max : 0;
    if (skipped)
        text_printf(line, "+%zu ", skipped);
    for (size_t i = skipped; i < d->depth; i++) {
        bool is_last_level = i + 1 == d->depth;
        size_t kind = has_more(&d->frames[i]) ? 0 : 1;
        text_add(line, mark[is_last_level && !below ? kind + 2 : kind]);
    }
}

static void add_fate(const struct deps_object *o, struct text *words)
{
    if (o->is_dropped)
        text_printf(words, "%snot loaded in the end", words->length ? ", " : "");
    if (o->requests > 1)
        text_printf(words, "%sneeded by %zu", words->length ? ", " : "", o->requests);
}

static void add_words(struct text *line, const struct style *style, enum paint paint,
                      const struct text *words)
{
    text_add(line, "  ");
    CLEANUP_TEXT struct text bracketed = {0};
    text_printf(&bracketed, "[%s]", text_get(words));
    style_add(line, style, paint, text_get(&bracketed));
}

/* "libpython3.11.so.1.0" tells its version itself. */
static bool tells_version(const char *name, const char *version)
{
    size_t length = strlen(name), end = strlen(version);
    return length > end && name[length - end - 1] == '.' &&
           strcmp(name + length - end, version) == 0;
}

static void draw_object(const struct drawing *d, long object)
{
    const struct deps_object *o = &d->deps->objects[object];
    bool has_below = visible(d, o->child) != DEPS_NONE ||
                     visible_request(d, d->deps->asked[object]) != DEPS_NONE;
    const char *name = o->soname ? o->soname : o->path ? o->path : "?";
    CLEANUP_TEXT struct text margin = {0}, version = {0}, place = {0}, words = {0}, plain = {0};
    add_margin(d, &margin, false);
    if (o->version && !tells_version(name, o->version))
        text_printf(&version, " %s", o->version);
    deps_add_place(&place, d->deps, o->path, o->soname);
    deps_add_via(&words, o);
    add_fate(o, &words);
    text_printf(&plain, "%s%s%s  %s  [%s]", text_get(&margin), name, text_get(&version),
                text_get(&place), text_get(&words));
    bool is_wide = d->style->width && utf8_width(text_get(&plain)) > d->style->width;
    text_add(d->out, text_get(&margin));
    style_add(d->out, d->style, o->family ? PAINT_BOLD : PAINT_NONE, name);
    style_add(d->out, d->style, PAINT_NONE, text_get(&version));
    if (!is_wide && place.length) {
        text_add(d->out, "  ");
        style_add(d->out, d->style, PAINT_NONE, text_get(&place));
    }
    if (words.length)
        add_words(d->out, d->style,
                  text_equal(o->via, "LD_LIBRARY_PATH") ? PAINT_YELLOW : PAINT_DIM, &words);
    text_add_char(d->out, '\n');
    if (!is_wide || !place.length)
        return;
    text_clear(&margin);
    add_margin(d, &margin, true);
    text_add(&margin, has_below && d->style->unicode ? "│   " : has_below ? "|   " : "    ");
    style_line(d->out, d->style, text_get(&margin), PAINT_NONE, text_get(&place));
}

static void draw_request(const struct drawing *d, const struct deps_request *r)
{
    CLEANUP_TEXT struct text margin = {0};
    add_margin(d, &margin, false);
    text_add(d->out, text_get(&margin));
    style_add(d->out, d->style, PAINT_NONE, r->name ? r->name : "?");
    if (deps_is_missing(r))
        style_add(d->out, d->style, r->required == 0 ? PAINT_DIM : PAINT_RED, "  [not found]");
    else
        style_add(d->out, d->style, PAINT_DIM, "  [is there already]");
    text_add_char(d->out, '\n');
}

static void enter(struct drawing *d, long object)
{
    d->frames = xgrow(d->frames, &d->capacity, d->depth + 1, sizeof *d->frames);
    d->frames[d->depth++] = (struct frame){
        .object = object,
        .child = visible(d, d->deps->objects[object].child),
        .request = visible_request(d, d->deps->asked[object]),
    };
}

/* Draws a root and everything below it. */
static void draw_root(struct drawing *d, long root)
{
    draw_object(d, root);
    enter(d, root);
    while (d->depth) {
        struct frame *frame = &d->frames[d->depth - 1];
        if (frame->child != DEPS_NONE) {
            long object = frame->child;
            frame->child = visible(d, d->deps->objects[object].next);
            draw_object(d, object);
            enter(d, object);
        } else if (frame->request != DEPS_NONE) {
            const struct deps_request *request = &d->deps->requests[frame->request];
            frame->request = visible_request(d, request->next);
            draw_request(d, request);
        } else {
            d->depth--;
        }
    }
}

static void folded_line(const struct drawing *d)
{
    CLEANUP_TEXT struct text names = {0}, line = {0};
    size_t count = 0;
    for (size_t i = 0; i < d->deps->object_count && !d->all; i++) {
        const struct deps_object *o = &d->deps->objects[i];
        if (!o->is_folded)
            continue;
        if (count++ < FOLDED_NAMED)
            text_printf(&names, "%s%s", count > 1 ? ", " : "", o->soname ? o->soname : o->path);
    }
    if (!count)
        return;
    text_printf(&line, "%zu system %s: %s%s (--all shows %s)", count,
                count == 1 ? "library" : "libraries", text_get(&names),
                count > FOLDED_NAMED ? ", ..." : "", count == 1 ? "it" : "them");
    style_paragraph(d->out, d->style, "and ", text_get(&line));
}

void deps_draw_tree(struct text *out, const struct style *style, const struct deps *deps, bool all)
{
    size_t width = style->width ? style->width : 100;
    struct drawing d = {
        .out = out,
        .style = style,
        .deps = deps,
        .all = all,
        .levels_max = width / 2 / LEVEL_WIDTH > 4 ? width / 2 / LEVEL_WIDTH : 4,
    };
    for (size_t i = 0; i < deps->object_count; i++)
        if (deps->objects[i].parent == DEPS_NONE && (all || !deps->objects[i].is_folded))
            draw_root(&d, (long)i);
    free(d.frames);
    folded_line(&d);
}
