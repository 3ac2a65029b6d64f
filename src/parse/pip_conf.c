#include "parse/pip_conf.h"

#include <string.h>

#include "base/text.h"

enum { WORD_MAX = 64 };

struct reader {
    void (*each)(void *context, const struct pip_setting *setting);
    void *context;
    char section[WORD_MAX], name[WORD_MAX]; /* "" where there is none, or none that can be read */
};

static bool take_word(struct span word, char *ret)
{
    ret[0] = '\0';
    if (!word.length || word.length >= WORD_MAX)
        return false;
    for (size_t i = 0; i < word.length; i++) {
        char c = word.data[i];
        if ((unsigned char)c < 0x20 || c == 0x7f) {
            ret[0] = '\0';
            return false;
        }
        ret[i] = c == '_' ? '-' : c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
        ret[i + 1] = '\0';
    }
    return true;
}

static void give(const struct reader *reader, struct span value)
{
    value = span_trim(value);
    if (value.length && *reader->name && !memchr(value.data, '\0', value.length))
        reader->each(reader->context, &(struct pip_setting){reader->section, reader->name, value});
}

static bool take_section(struct reader *reader, struct span line)
{
    reader->name[0] = '\0';
    const char *close = memchr(line.data, ']', line.length);
    return close && take_word((struct span){line.data + 1, (size_t)(close - line.data - 1)},
                              reader->section);
}

/* "name = value" or "name: value". */
static bool take_option(struct reader *reader, struct span line)
{
    size_t length = 0;
    while (length < line.length && line.data[length] != '=' && line.data[length] != ':')
        length++;
    reader->name[0] = '\0';
    if (length == line.length || !*reader->section ||
        !take_word(span_trim((struct span){line.data, length}), reader->name))
        return false;
    give(reader, (struct span){line.data + length + 1, line.length - length - 1});
    return true;
}

bool pip_conf_each(const char *data, size_t length,
                   void (*each)(void *context, const struct pip_setting *setting), void *context)
{
    struct reader reader = {.each = each, .context = context};
    struct span line;
    bool is_good = true;
    size_t cursor = 0;
    while (span_line(data, length, &cursor, &line)) {
        struct span text = span_trim(line);
        if (!text.length || *text.data == '#' || *text.data == ';')
            continue;
        if (text.data > line.data && *reader.name)
            give(&reader, text); /* a line that begins with a blank goes on with the value */
        else if (*text.data == '[')
            is_good &= take_section(&reader, text);
        else
            is_good &= take_option(&reader, text);
    }
    return is_good;
}
