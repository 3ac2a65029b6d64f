#include "elf/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/read.h"

enum {
    WINDOW = 8 * 1024, /* longer names are few */
    TEXTS_MAX = 4 * 1024 * 1024,
    DIGIT = 10, /* bits of a page's number that one pass sorts by */
    DIGITS = 1 << DIGIT,
    PAGE_BITS = 12,
};

/* --- the order of pages --- */

/* One pass of a radix sort, by ten bits from `shift` on. */
static void sort_by(const struct elf_name *items, const uint32_t *from, uint32_t *to, size_t count,
                    unsigned shift)
{
    uint32_t begins[DIGITS + 1] = {0};
    for (size_t i = 0; i < count; i++)
        begins[(items[from[i]].at >> shift & (DIGITS - 1)) + 1]++;
    for (size_t i = 1; i < DIGITS; i++)
        begins[i] += begins[i - 1];
    for (size_t i = 0; i < count; i++)
        to[begins[items[from[i]].at >> shift & (DIGITS - 1)]++] = from[i];
}

/* Numbers of the items by page; of one page in the order of symbols. */
static uint32_t *order_of(const struct elf_name *items, size_t count)
{
    uint32_t *order = xcalloc(2 * count, sizeof *order), *other = order + count;
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    sort_by(items, order, other, count, PAGE_BITS);
    sort_by(items, other, order, count, PAGE_BITS + DIGIT);
    return order;
}

/* --- reading --- */

struct window {
    uint64_t begin; /* in the string table */
    size_t length;
    char bytes[WINDOW];
};

/* The name at this offset, if its end is in the window; NULL where it is not. */
static const char *find_name(const struct window *window, uint32_t at, size_t *ret_length)
{
    if (at < window->begin || at - window->begin >= window->length)
        return NULL;
    const char *start = window->bytes + (at - window->begin);
    const char *end = memchr(start, '\0', window->length - (size_t)(at - window->begin));
    *ret_length = end ? (size_t)(end - start) : 0;
    return end ? start : NULL;
}

/* From the beginning of the page on, so that the names of it are read at once. */
static bool move_to(struct window *window, const struct elf_names *names, uint64_t begin)
{
    struct elf_file *file = names->file;
    uint64_t size = names->tables->strings_size, offset = names->tables->strings + begin;
    window->length = 0;
    if (begin >= size || offset >= file->size || offset > UINT64_MAX - file->start)
        return false;
    uint64_t left = size - begin < file->size - offset ? size - begin : file->size - offset;
    ssize_t n = read_at(file->fd, window->bytes, left < WINDOW ? (size_t)left : WINDOW,
                        file->start + offset);
    if (n <= 0)
        return false; /* who reads it by itself sees the error */
    file->bytes_read += (uint64_t)n;
    window->begin = begin;
    window->length = (size_t)n;
    return true;
}

static const char *name_at(struct window *window, const struct elf_names *names, uint32_t at,
                           size_t *ret_length)
{
    const uint64_t page = UINT64_C(1) << PAGE_BITS;
    const char *name = find_name(window, at, ret_length);
    if (!name && move_to(window, names, at / page * page))
        name = find_name(window, at, ret_length);
    return name;
}

static void read_one(struct window *window, struct elf_names *names, struct elf_name *item)
{
    size_t length;
    item->kept = ELF_NAME_UNREAD;
    if (names->bytes > names->bytes_max || names->texts.length > TEXTS_MAX ||
        names->file->bytes_read - names->read_from > names->read_max)
        return;
    const char *name = name_at(window, names, item->at, &length);
    if (!name)
        return;
    names->bytes += length + 1;
    item->kept = ELF_NAME_DROPPED;
    if (!names->wants(names->data, item, name))
        return;
    item->kept = (uint32_t)names->texts.length;
    text_add_bytes(&names->texts, name, length + 1);
}

void elf_names_read(struct elf_names *names, struct elf_name *items, size_t count)
{
    if (!count)
        return;
    CLEANUP_FREE uint32_t *order = order_of(items, count);
    struct window window = {0};
    text_clear(&names->texts);
    for (size_t i = 0; i < count; i++)
        read_one(&window, names, &items[order[i]]);
}
