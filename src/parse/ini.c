#include "parse/ini.h"

#include <string.h>
#include <strings.h>

void ini_start(struct ini *ini, struct span text)
{
    *ini = (struct ini){.data = text.data, .size = text.length};
}

static bool same(struct span span, const char *text)
{
    return span.length == strlen(text) && strncasecmp(span.data, text, span.length) == 0;
}

/* Without the comment that "#" begins outside of quotes, and without the quotes. */
static struct span clean_value(struct span value)
{
    value = span_trim(value);
    if (value.length && *value.data == '"') {
        const char *end = memchr(value.data + 1, '"', value.length - 1);
        if (end)
            return (struct span){value.data + 1, (size_t)(end - value.data - 1)};
    }
    const char *comment = value.length ? memchr(value.data, '#', value.length) : NULL;
    if (comment)
        value.length = (size_t)(comment - value.data);
    return span_trim(value);
}

static bool read_section(struct ini *ini, struct span line)
{
    const char *end = memchr(line.data, ']', line.length);
    if (!end)
        return false;
    ini->section = span_trim((struct span){line.data + 1, (size_t)(end - line.data - 1)});
    return true;
}

bool ini_next(struct ini *ini, struct ini_line *ret)
{
    struct span line;
    while (span_line(ini->data, ini->size, &ini->cursor, &line)) {
        line = span_trim(line);
        if (line.length == 0 || *line.data == '#' || *line.data == ';')
            continue;
        ini->lines++;
        if (*line.data == '[') {
            ini->bad += !read_section(ini, line);
            continue;
        }
        const char *equals = memchr(line.data, '=', line.length);
        if (!equals) {
            ini->bad++;
            continue;
        }
        size_t n = (size_t)(equals - line.data);
        *ret = (struct ini_line){
            .section = ini->section,
            .key = span_trim((struct span){line.data, n}),
            .value = clean_value((struct span){equals + 1, line.length - n - 1}),
        };
        return true;
    }
    return false;
}

bool ini_is(const struct ini_line *line, const char *section, const char *key)
{
    return same(line->section, section) && same(line->key, key);
}

struct opt ini_bool(const struct ini_line *line)
{
    if (same(line->value, "true") || same(line->value, "1"))
        return known(1);
    if (same(line->value, "false") || same(line->value, "0"))
        return known(0);
    return UNKNOWN;
}

struct opt ini_memory(const struct ini_line *line)
{
    static const struct {
        const char *unit;
        int shift;
    } units[] = {{"", 0},    {"B", 0},  {"K", 10},  {"KB", 10}, {"M", 20},
                 {"MB", 20}, {"G", 30}, {"GB", 30}, {"T", 40},  {"TB", 40}};
    struct span digits = {line->value.data, 0};
    while (digits.length < line->value.length && digits.data[digits.length] >= '0' &&
           digits.data[digits.length] <= '9')
        digits.length++;
    struct span unit =
        span_trim((struct span){digits.data + digits.length, line->value.length - digits.length});
    uint64_t number;
    if (!span_number(digits, UINT64_C(1) << 50, &number))
        return UNKNOWN;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (same(unit, units[i].unit) && number <= UINT64_C(1) << (60 - units[i].shift))
            return known((int64_t)(number << units[i].shift));
    return UNKNOWN;
}
