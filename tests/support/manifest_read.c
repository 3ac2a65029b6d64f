#include "manifest_read.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"

int manifest_error(const char *name, unsigned line, struct error *err, const char *format, ...)
{
    char buffer[400];
    va_list args;
    va_start(args, format);
    vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    return error_set(err, -EINVAL, "%s:%u: %s", name, line, buffer);
}

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c | 0x20) : NULL;
    return at && *at ? (int)(at - digits) : -1;
}

/* Resolves the escape whose backslash is at text[*i]; *i moves to its last character. */
static bool unescape(const char *text, size_t length, size_t *i, char *ret)
{
    static const char letters[] = "ntresb\\\"", values[] = "\n\t\r\033 \b\\\"";
    if (*i + 1 >= length)
        return false;
    char c = text[++*i];
    if (c == 'x' && *i + 2 < length) {
        int high = hex_digit(text[*i + 1]), low = hex_digit(text[*i + 2]);
        *i += 2;
        *ret = (char)(high << 4 | low);
        return high >= 0 && low >= 0;
    }
    const char *at = c ? strchr(letters, c) : NULL;
    if (!at)
        return false;
    *ret = values[at - letters];
    return true;
}

int manifest_unescape(const char *name, const struct manifest_line *line, struct text *out,
                      bool *is_cut, struct error *err)
{
    *is_cut = false;
    for (size_t i = 0; i < line->length; i++) {
        char c = line->raw[i];
        if (c == '\\' && i + 1 == line->length) {
            *is_cut = true;
            break;
        }
        if (c == '\\' && !unescape(line->raw, line->length, &i, &c))
            return manifest_error(name, line->line, err, "bad escape in column %zu", i + 1);
        text_add_char(out, c);
    }
    return 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static size_t skip_blanks(const char *line, size_t length, size_t i)
{
    while (i < length && is_blank(line[i]))
        i++;
    return i;
}

/* The length of a "key=" at the start of a word without its '='; 0: a plain word. */
static size_t key_length(const char *word, size_t length)
{
    size_t i = 0;
    while (i < length && ((word[i] >= 'a' && word[i] <= 'z') || word[i] == '_'))
        i++;
    return i < length && word[i] == '=' ? i : 0;
}

static void add_word(struct manifest_reader *reader, struct manifest_entry *entry, const char *key,
                     const char *value)
{
    entry->words =
        xgrow(entry->words, &entry->word_capacity, entry->word_count + 1, sizeof *entry->words);
    entry->words[entry->word_count++] =
        (struct manifest_word){.key = key, .value = value, .line = reader->line};
}

/* Reads one word from line[*i]: quotes keep blanks together, escapes work in and out of them. */
static int read_word(struct manifest_reader *reader, struct manifest_entry *entry, const char *line,
                     size_t length, size_t *i, struct error *err)
{
    CLEANUP_TEXT struct text word = {0};
    size_t key = key_length(line + *i, length - *i);
    const char *key_text = key ? arena_strndup(reader->arena, line + *i, key) : NULL;
    bool is_quoted = false;
    for (*i += key ? key + 1 : 0; *i < length && (is_quoted || !is_blank(line[*i])); ++*i) {
        char c = line[*i];
        if (c == '"') {
            is_quoted = !is_quoted;
            continue;
        }
        if (c == '\\' && !unescape(line, length, i, &c))
            return manifest_error(reader->name, reader->line, err, "bad escape in column %zu",
                                  *i + 1);
        if (!c)
            return manifest_error(reader->name, reader->line, err, "a word cannot hold a NUL");
        text_add_char(&word, c);
    }
    if (is_quoted)
        return manifest_error(reader->name, reader->line, err, "a quote is not closed");
    add_word(reader, entry, key_text, arena_strdup(reader->arena, text_get(&word)));
    return 0;
}

static int read_words(struct manifest_reader *reader, struct manifest_entry *entry,
                      const char *line, size_t length, size_t i, struct error *err)
{
    while ((i = skip_blanks(line, length, i)) < length) {
        int r = read_word(reader, entry, line, length, &i, err);
        if (r < 0)
            return r;
    }
    return 0;
}

static void add_line(struct manifest_reader *reader, struct manifest_entry *entry, const char *line,
                     size_t length, size_t mark)
{
    size_t start = mark + 1 + (mark + 1 < length && line[mark + 1] == ' ');
    entry->lines =
        xgrow(entry->lines, &entry->line_capacity, entry->line_count + 1, sizeof *entry->lines);
    entry->lines[entry->line_count++] = (struct manifest_line){
        .mark = line[mark], .raw = line + start, .length = length - start, .line = reader->line};
}

static int read_head(struct manifest_reader *reader, struct manifest_entry *entry, const char *line,
                     size_t length, struct error *err)
{
    int r = read_words(reader, entry, line, length, 0, err);
    if (r < 0)
        return r;
    if (entry->words[0].key)
        return manifest_error(reader->name, reader->line, err, "an entry begins with its kind");
    entry->kind = entry->words[0].value;
    entry->line = reader->line;
    memmove(entry->words, entry->words + 1, --entry->word_count * sizeof *entry->words);
    return 0;
}

int manifest_next(struct manifest_reader *reader, struct manifest_entry *entry, struct error *err)
{
    const char *line;
    size_t length, before = reader->cursor;
    entry->kind = NULL;
    entry->word_count = entry->line_count = 0;
    for (; text_next_line(reader->data, reader->size, &reader->cursor, &line, &length);
         before = reader->cursor) {
        size_t first = skip_blanks(line, length, 0);
        bool is_body = first < length && (line[first] == '|' || line[first] == '+');
        bool is_ignored = first == length || (first == 0 && line[0] == '#');
        if (entry->kind && first == 0 && !is_body && !is_ignored) {
            reader->cursor = before; /* the next entry */
            return 1;
        }
        reader->line++;
        if (is_ignored)
            continue;
        if (!utf8_valid(line, length))
            return manifest_error(reader->name, reader->line, err, "not UTF-8 text");
        if (!entry->kind && (first > 0 || is_body))
            return manifest_error(reader->name, reader->line, err, "a line without its entry");
        int r = 0;
        if (is_body)
            add_line(reader, entry, line, length, first);
        else if (entry->kind)
            r = read_words(reader, entry, line, length, first, err);
        else
            r = read_head(reader, entry, line, length, err);
        if (r < 0)
            return r;
    }
    return entry->kind ? 1 : 0;
}

void manifest_entry_done(struct manifest_entry *entry)
{
    free(entry->words);
    free(entry->lines);
    *entry = (struct manifest_entry){0};
}
