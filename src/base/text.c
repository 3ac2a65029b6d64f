#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { SHORT = 512 };

static void reserve(struct text *text, size_t more)
{
    text->data = xgrow(text->data, &text->capacity, text->length + more + 1, 1);
}

void text_add_bytes(struct text *text, const void *bytes, size_t length)
{
    reserve(text, length);
    if (length)
        memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void text_add(struct text *text, const char *more)
{
    text_add_bytes(text, more, strlen(more));
}

void text_add_char(struct text *text, char c)
{
    text_add_bytes(text, &c, 1);
}

void text_printf(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    char room[SHORT]; /* most texts fit, and are formatted once */
    int length = vsnprintf(room, sizeof room, format, again);
    va_end(again);
    if (length > 0 && (size_t)length < sizeof room) {
        text_add_bytes(text, room, (size_t)length);
    } else if (length > 0) {
        reserve(text, (size_t)length);
        vsnprintf(text->data + text->length, (size_t)length + 1, format, args);
        text->length += (size_t)length;
    }
    va_end(args);
}

void text_clear(struct text *text)
{
    text->length = 0;
    if (text->data)
        text->data[0] = '\0';
}

const char *text_get(const struct text *text)
{
    return text->data ? text->data : "";
}

void text_done(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}

void bytes_done(struct bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct bytes){0};
}

void bytes_fit(struct bytes *bytes)
{
    char *data = bytes->data ? realloc(bytes->data, bytes->length + 1) : NULL;
    if (data)
        bytes->data = data;
}

bool text_equal(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

bool text_starts(const char *text, const char *prefix)
{
    /* most calls end at the first byte, before a call of the C library would have begun */
    while (*prefix)
        if (*text++ != *prefix++)
            return false;
    return true;
}

bool text_ends(const char *text, const char *suffix)
{
    size_t length = strlen(text), tail = strlen(suffix);
    return length >= tail && strcmp(text + length - tail, suffix) == 0;
}

bool text_next_line(const char *data, size_t size, size_t *cursor, const char **line,
                    size_t *length)
{
    if (*cursor >= size)
        return false;
    const char *start = data + *cursor;
    const char *end = memchr(start, '\n', size - *cursor);
    size_t n = end ? (size_t)(end - start) : size - *cursor;
    *cursor += n + (end ? 1 : 0);
    if (n && start[n - 1] == '\r')
        n--;
    *line = start;
    *length = n;
    return true;
}
