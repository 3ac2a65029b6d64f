#include "parse/windows_text.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"

static void add_point(struct text *out, uint32_t c)
{
    if (c < 0x80) {
        text_add_char(out, (char)c);
        return;
    }
    if (c >= 0x10000) {
        text_add_char(out, (char)(0xf0 | c >> 18));
        text_add_char(out, (char)(0x80 | (c >> 12 & 0x3f)));
    } else if (c >= 0x800) {
        text_add_char(out, (char)(0xe0 | c >> 12));
    } else {
        text_add_char(out, (char)(0xc0 | c >> 6));
    }
    if (c >= 0x800)
        text_add_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
    text_add_char(out, (char)(0x80 | (c & 0x3f)));
}

static uint32_t unit_at(const unsigned char *at, bool big)
{
    return big ? (uint32_t)(at[0] << 8 | at[1]) : (uint32_t)(at[1] << 8 | at[0]);
}

static void add_utf16(struct text *out, const unsigned char *data, size_t size, bool big)
{
    for (size_t i = 0; i + 1 < size; i += 2) {
        uint32_t c = unit_at(data + i, big);
        if (c >= 0xd800 && c < 0xe000) {
            uint32_t low = i + 3 < size ? unit_at(data + i + 2, big) : 0;
            if (c < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
                c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
                i += 2;
            } else {
                c = 0xfffd;
            }
        }
        add_point(out, c);
    }
}

struct span windows_text(const char *data, size_t size, struct arena *arena)
{
    if (size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0)
        return (struct span){data + 3, size - 3};
    bool little = size >= 2 && memcmp(data, "\xff\xfe", 2) == 0;
    bool big = size >= 2 && memcmp(data, "\xfe\xff", 2) == 0;
    if (!little && !big)
        return (struct span){data, size};
    CLEANUP_TEXT struct text out = {0};
    add_utf16(&out, (const unsigned char *)data + 2, size - 2, big);
    return (struct span){arena_strndup(arena, text_get(&out), out.length), out.length};
}
