#include "engine/template.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "engine/slot_type.h"

/* Bytes that are shown of a value: a path or a list of places that stands alone is shown whole. */
enum { VALUE_IN_SENTENCE_MAX = 1024, VALUE_ALONE_MAX = 4096 };

struct parser {
    struct arena *arena;
    const char *source, *at;
    enum template_kind kind;
    struct text literal;
    char quote; /* of the shell, in a command: ' or " or 0 */
    struct piece *pieces;
    size_t count, capacity;
};

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static struct piece *add_piece(struct parser *p)
{
    p->pieces = xgrow(p->pieces, &p->capacity, p->count + 1, sizeof *p->pieces);
    p->pieces[p->count] = (struct piece){0};
    return &p->pieces[p->count++];
}

static void flush_literal(struct parser *p)
{
    if (!p->literal.length)
        return;
    add_piece(p)->literal = arena_strndup(p->arena, p->literal.data, p->literal.length);
    text_clear(&p->literal);
}

/* Whether the template's own quotes of the shell are open. */
static void follow_quotes(struct parser *p, char c)
{
    if (!p->quote && (c == '\'' || c == '"'))
        p->quote = c;
    else if (p->quote == c)
        p->quote = 0;
}

static int parse_type(struct parser *p, const char *name, size_t length, enum slot_type *ret,
                      struct error *err)
{
    const char *type = name + length;
    *ret = SLOT_TEXT;
    if (p->kind == TEMPLATE_TEXT) {
        if (*type == ':')
            return error_set(err, -EINVAL, "a slot has a type only in a command");
        return 0;
    }
    if (*type != ':')
        return error_set(err, -EINVAL, "the slot {%.*s} of a command needs a type", (int)length,
                         name);
    size_t n = strcspn(type + 1, "}");
    if (!slot_type_named(type + 1, n, ret))
        return error_set(err, -EINVAL, "unknown slot type \"%.*s\"", (int)(n < 40 ? n : 40),
                         type + 1);
    if (p->quote && *ret != SLOT_WORD && *ret != SLOT_VERSION)
        return error_set(err, -EINVAL,
                         "the slot {%.*s} stands inside quotes: only word and version may",
                         (int)length, name);
    p->at = type + 1 + n;
    return 0;
}

static int parse_slot(struct parser *p, struct error *err)
{
    const char *start = p->at, *name = start + 1;
    size_t length = 0;
    enum slot_type type;
    while (is_name(name[length]))
        length++;
    if (!length)
        return error_set(err, -EINVAL, "a slot is {name}; a brace is written {{");
    p->at = name + length;
    int code = parse_type(p, name, length, &type, err);
    if (code) {
        p->at = start;
        return code;
    }
    if (*p->at != '}') {
        p->at = start;
        return error_set(err, -EINVAL, "the slot {%.*s is not closed", (int)length, name);
    }
    p->at++;
    flush_literal(p);
    struct piece *piece = add_piece(p);
    piece->slot = arena_strndup(p->arena, name, length);
    piece->type = type;
    piece->quoted = p->quote != 0;
    piece->offset = (size_t)(start - p->source);
    return 0;
}

static int parse(struct parser *p, struct error *err)
{
    while (*p->at) {
        char c = *p->at;
        if ((c == '{' || c == '}') && p->at[1] == c) {
            text_add_char(&p->literal, c);
            p->at += 2;
        } else if (c == '{') {
            int code = parse_slot(p, err);
            if (code)
                return code;
        } else if (c == '}') {
            return error_set(err, -EINVAL, "a lone }; a brace is written }}");
        } else if (p->kind == TEMPLATE_COMMAND && (c == '\n' || c == '\r')) {
            return error_set(err, -EINVAL, "a command is one line");
        } else {
            follow_quotes(p, c);
            text_add_char(&p->literal, c);
            p->at++;
        }
    }
    flush_literal(p);
    for (size_t i = 0; i < p->count; i++) {
        if (p->pieces[i].type == SLOT_LINE && p->count > 1) {
            p->at = p->source + p->pieces[i].offset;
            return error_set(err, -EINVAL, "a slot of type line must be the whole command");
        }
    }
    return 0;
}

int template_parse(struct arena *arena, const char *source, enum template_kind kind,
                   struct template *ret, size_t *ret_offset, struct error *err)
{
    struct parser p = {.arena = arena, .source = source, .at = source, .kind = kind};
    int code = parse(&p, err);
    *ret_offset = (size_t)(p.at - source);
    if (!code) {
        ret->source = source;
        ret->count = p.count;
        ret->pieces = arena_alloc(arena, p.count * sizeof *p.pieces);
        if (p.count)
            memcpy(ret->pieces, p.pieces, p.count * sizeof *p.pieces);
    }
    free(p.pieces);
    text_done(&p.literal);
    return code;
}

/* Where a value that is longer than `most` is cut: never inside a character of UTF-8. */
static size_t cut_at(const char *value, size_t length, size_t most)
{
    if (length <= most)
        return length;
    while (most && ((unsigned char)value[most] & 0xc0) == 0x80)
        most--;
    return most;
}

/* A query can make text of any bytes; what people and JSON see is UTF-8. Names out of files can be
 * of any length: the beginning tells which it is. */
static void add_value(struct text *out, const char *value, size_t most)
{
    size_t length = strlen(value), shown = cut_at(value, length, most);
    text_add_utf8(out, value, shown);
    if (shown < length)
        text_printf(out, "\xe2\x80\xa6 (%zu bytes in all)", length);
}

char *template_value(const char *value, struct arena *arena)
{
    CLEANUP_TEXT struct text out = {0};
    add_value(&out, value, VALUE_IN_SENTENCE_MAX);
    return arena_strndup(arena, text_get(&out), out.length);
}

char *template_text(const struct template *template, slot_lookup *lookup, const void *context,
                    struct arena *arena, size_t *ret_known)
{
    CLEANUP_TEXT struct text out = {0};
    size_t most = template->count == 1 ? VALUE_ALONE_MAX : VALUE_IN_SENTENCE_MAX;
    *ret_known = 0;
    for (size_t i = 0; i < template->count; i++) {
        const struct piece *piece = &template->pieces[i];
        const char *value = NULL;
        if (piece->literal) {
            text_add(&out, piece->literal);
            continue;
        }
        if (lookup(context, piece->slot, &value) && value)
            ++*ret_known;
        add_value(&out, value ? value : "unknown", most);
    }
    return arena_strndup(arena, text_get(&out), out.length);
}

char *template_command(const struct template *template, slot_lookup *lookup, const void *context,
                       struct arena *arena)
{
    CLEANUP_TEXT struct text out = {0};
    for (size_t i = 0; i < template->count; i++) {
        const struct piece *piece = &template->pieces[i];
        const char *value = NULL;
        if (piece->literal) {
            text_add(&out, piece->literal);
            continue;
        }
        if (!lookup(context, piece->slot, &value) || !value || !slot_fits(piece->type, value))
            return NULL;
        /* quotes inside the template's quotes would be part of the word */
        if (piece->quoted && !shell_plain(value))
            return NULL;
        shell_quote(&out, value);
    }
    return arena_strndup(arena, text_get(&out), out.length);
}

bool template_is_line(const struct template *template)
{
    return template->count == 1 && template->pieces[0].type == SLOT_LINE;
}

size_t template_slot_count(const struct template *template)
{
    size_t slots = 0;
    for (size_t i = 0; i < template->count; i++)
        slots += template->pieces[i].slot != NULL;
    return slots;
}
