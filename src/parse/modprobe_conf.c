#include "parse/modprobe_conf.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\\';
}

/* The line with those that it goes on in. */
static bool joined_line(const char *data, size_t size, size_t *cursor, struct span *ret)
{
    if (!span_line(data, size, cursor, ret))
        return false;
    struct span more = *ret;
    while (more.length && more.data[more.length - 1] == '\\' &&
           span_line(data, size, cursor, &more))
        ret->length = (size_t)(more.data + more.length - ret->data);
    return true;
}

bool modprobe_next(const char *data, size_t size, size_t *cursor, struct modprobe_line *ret)
{
    struct span line;
    while (joined_line(data, size, cursor, &line)) {
        struct span rest = line;
        if (!span_word(&rest, &ret->command) || *ret->command.data == '#' ||
            !span_word(&rest, &ret->module))
            continue;
        ret->rest = span_trim(rest);
        return true;
    }
    return false;
}

bool modprobe_word(struct span *rest, struct span *ret_name, struct span *ret_value)
{
    size_t i = 0;
    while (i < rest->length && is_blank(rest->data[i]))
        i++;
    size_t start = i, equals = 0;
    bool quoted = false, has_value = false;
    for (; i < rest->length && (quoted || !is_blank(rest->data[i])); i++) {
        quoted ^= rest->data[i] == '"';
        if (rest->data[i] == '=' && !has_value) {
            has_value = true;
            equals = i;
        }
    }
    *ret_name = (struct span){rest->data + start, (has_value ? equals : i) - start};
    *ret_value = (struct span){0};
    if (has_value)
        *ret_value = (struct span){rest->data + equals + 1, i - equals - 1};
    *rest = (struct span){rest->data + i, rest->length - i};
    return i > start;
}
