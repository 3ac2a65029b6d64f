/* What a process loads, for people: the verdict first, then the tree, then what is wrong. */
#include <string.h>

#include "render/deps.h"

const char *deps_short(const struct deps *deps, const char *path)
{
    size_t length = deps->base ? strlen(deps->base) : 0;
    bool is_below = length && path && strncmp(path, deps->base, length) == 0 && path[length] == '/';
    return is_below && path[length + 1] ? path + length + 1 : path;
}

const char *deps_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void deps_add_place(struct text *out, const struct deps *deps, const char *path, const char *name)
{
    if (!path)
        return;
    const char *shown = deps_short(deps, path), *file = deps_file_name(shown);
    if (!name || strcmp(file, name) != 0)
        text_add(out, shown);
    else if (file == shown)
        text_add(out, "./");
    else
        text_add_bytes(out, shown, (size_t)(file - shown));
}

void deps_add_via(struct text *out, const struct deps_object *o)
{
    if (text_equal(o->how, "program")) {
        text_add(out, "program");
        return;
    }
    if (text_equal(o->how, "open"))
        text_add(out, "opened");
    else if (text_equal(o->how, "preload"))
        text_add(out, "preloaded");
    if (!o->via || (out->length && text_equal(o->via, "path")))
        return;
    text_printf(out, "%s%s", out->length ? ", " : "", o->via);
    if (o->via_path && !text_equal(o->via_path, o->loaded_by))
        text_printf(out, " of %s", deps_file_name(o->via_path));
}

/* --- the verdict --- */

static void name_subject(struct text *out, const struct deps_process *p)
{
    if (!p->framework) {
        text_add(out, p->id);
        return;
    }
    text_printf(out, "%s%s%s", p->framework, p->version ? " " : "", p->version ? p->version : "");
    if (p->environment)
        text_printf(out, " in %s", p->environment);
}

/* The loader's words, without the path that stands before them already. */
static const char *without_subject(const struct deps_process *p)
{
    size_t length = strlen(p->id);
    bool is_same =
        strncmp(p->error, p->id, length) == 0 && strncmp(p->error + length, ": ", 2) == 0;
    return is_same ? p->error + length + 2 : p->error;
}

static enum mark add_verdict(struct text *words, const struct deps *deps)
{
    const struct deps_process *p = &deps->process;
    if (text_equal(p->outcome, "fails")) {
        /* of a framework the import may work all the same, and its first use of the GPU fail */
        text_printf(words, " does not load%s: %s", p->framework ? " all that it needs" : "",
                    p->error ? without_subject(p) : "what it needs is missing or does not fit");
        return MARK_ERROR;
    }
    if (text_equal(p->outcome, "nothing")) {
        text_printf(words, ": %s", p->error ? p->error : "none of its libraries is there");
        return MARK_WARNING;
    }
    if (!text_equal(p->outcome, "loads")) {
        text_printf(words, ": whether it loads is not known%s%s", p->error ? ": " : "",
                    p->error ? p->error : "");
        return MARK_UNKNOWN;
    }
    text_add(words, " loads");
    if (p->objects > 0)
        text_printf(words, ", %ld %s in all", p->objects, p->objects == 1 ? "object" : "objects");
    if (deps->symbol_count)
        text_printf(words, ", but %zu %s not there", deps->symbol_count,
                    deps->symbol_count == 1 ? "symbol that it needs is"
                                            : "symbols that it needs are");
    return deps->symbol_count ? MARK_ERROR : MARK_OK;
}

static void verdict(struct text *out, const struct style *style, const struct deps *deps)
{
    CLEANUP_TEXT struct text subject = {0}, words = {0};
    enum mark mark = add_verdict(&words, deps);
    name_subject(&subject, &deps->process);
    style_add(out, style, style_mark_paint(mark), style_mark(style, mark));
    text_add_char(out, ' ');
    style_add(out, style, PAINT_BOLD, text_get(&subject));
    style_add(out, style, PAINT_NONE, text_get(&words));
    text_add_char(out, '\n');
}

static void setting(struct text *out, const struct style *style, const char *name,
                    const char *value)
{
    if (!value)
        return;
    CLEANUP_TEXT struct text first = {0};
    text_printf(&first, "  with %s=", name);
    style_line(out, style, text_get(&first), PAINT_NONE, value);
}

static void head(struct text *out, const struct style *style, const struct deps *deps)
{
    verdict(out, style, deps);
    setting(out, style, "LD_LIBRARY_PATH", deps->process.library_path);
    setting(out, style, "LD_PRELOAD", deps->process.preload);
    if (deps->elsewhere_count) {
        CLEANUP_TEXT struct text line = {0};
        text_printf(&line, "%s is also in ", deps->process.framework);
        for (size_t i = 0; i < deps->elsewhere_count; i++)
            text_printf(&line, "%s%s", i ? ", " : "", deps->elsewhere[i]);
        text_add(&line, " (--env PATH looks there)");
        style_paragraph(out, style, "  ", text_get(&line));
    }
    if (deps->base)
        style_line(out, style, "  paths without / in front are below ", PAINT_NONE, deps->base);
}

static void unread_block(struct text *out, const struct style *style, const struct deps *deps)
{
    if (deps->unread_count)
        text_add(out, "\nCould not be read:\n");
    for (size_t i = 0; i < deps->unread_count; i++) {
        const struct deps_unread *u = &deps->unread[i];
        CLEANUP_TEXT struct text line = {0};
        text_printf(&line, "%s: %s%s%s", u->path ? deps_short(deps, u->path) : "?", u->status,
                    u->detail ? ", " : "", u->detail ? u->detail : "");
        style_marked(out, style, "  ", MARK_UNKNOWN, text_get(&line));
    }
}

void render_deps(struct text *out, const struct style *style, const struct deps *deps, bool all)
{
    head(out, style, deps);
    if (deps->object_count)
        text_add_char(out, '\n');
    deps_draw_tree(out, style, deps, all);
    deps_add_missing(out, style, deps, all);
    deps_add_shadowed(out, style, deps, all);
    deps_add_symbols(out, style, deps, all);
    unread_block(out, style, deps);
}
