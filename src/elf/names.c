#include "elf/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/read.h"

enum {
    WINDOW = 16 * 1024, /* longer names are few */
    TAIL = 256,         /* most names end within */
    GAP = 2 * 1024,     /* that are copied sooner than another call is made */
    TEXTS_MAX = 4 * 1024 * 1024,
    GRAIN_BITS = 10, /* names of one such piece of the table are read together anyway */
    DIGIT = 11,      /* bits of a piece's number that one pass sorts by */
    DIGITS = 1 << DIGIT,
    FEW = 64, /* are sorted by insertion */
};

/* --- the order of pieces --- */

static uint32_t piece_of(const struct elf_name *item)
{
    return item->at >> GRAIN_BITS;
}

/* One pass of a radix sort, by eleven bits from `shift` on. */
static void sort_by(const struct elf_name *items, const uint32_t *from, uint32_t *to, size_t count,
                    unsigned shift)
{
    uint32_t begins[DIGITS + 1] = {0};
    for (size_t i = 0; i < count; i++)
        begins[(piece_of(&items[from[i]]) >> shift & (DIGITS - 1)) + 1]++;
    for (size_t i = 1; i < DIGITS; i++)
        begins[i] += begins[i - 1];
    for (size_t i = 0; i < count; i++)
        to[begins[piece_of(&items[from[i]]) >> shift & (DIGITS - 1)]++] = from[i];
}

static void sort_few(const struct elf_name *items, uint32_t *order, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint32_t number = order[i];
        size_t at = i;
        for (; at && piece_of(&items[order[at - 1]]) > piece_of(&items[number]); at--)
            order[at] = order[at - 1];
        order[at] = number;
    }
}

/* Numbers of the items by piece; of one piece in the order of symbols. The caller frees it. */
static uint32_t *order_of(const struct elf_name *items, size_t count)
{
    uint32_t *order = xcalloc(2 * count, sizeof *order), *other = order + count;
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    if (count <= FEW) {
        sort_few(items, order, count);
        return order;
    }
    sort_by(items, order, other, count, 0);
    sort_by(items, other, order, count, DIGIT);
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

static bool move_to(struct window *window, const struct elf_names *names, uint64_t begin,
                    size_t length)
{
    struct elf_file *file = names->file;
    uint64_t size = names->tables->strings_size, offset = names->tables->strings + begin;
    window->length = 0;
    if (begin >= size || offset >= file->size || offset > UINT64_MAX - file->start)
        return false;
    uint64_t left = size - begin < file->size - offset ? size - begin : file->size - offset;
    ssize_t n = read_at(file->fd, window->bytes, left < length ? (size_t)left : length,
                        file->start + offset);
    if (n <= 0)
        return false; /* who reads it by itself sees the error */
    file->bytes_read += (uint64_t)n;
    window->begin = begin;
    window->length = (size_t)n;
    return true;
}

/* How much to read from the beginning of the first one's piece on, for it and for those that lie
 * close behind it. */
static size_t reach_of(const struct elf_name *items, const uint32_t *order, size_t count)
{
    const uint32_t most = (WINDOW - TAIL) >> GRAIN_BITS, gap = GAP >> GRAIN_BITS;
    uint32_t first = piece_of(&items[order[0]]), last = first;
    for (size_t i = 1; i < count; i++) {
        uint32_t piece = piece_of(&items[order[i]]);
        if (piece - last > gap || piece - first >= most)
            break;
        last = piece;
    }
    return ((size_t)(last - first + 1) << GRAIN_BITS) + TAIL;
}

/* The first of these names. */
static const char *next_name(struct window *window, const struct elf_names *names,
                             const struct elf_name *items, const uint32_t *order, size_t count,
                             size_t *ret_length)
{
    const struct elf_name *item = &items[order[0]];
    uint64_t begin = (uint64_t)piece_of(item) << GRAIN_BITS;
    const char *name = find_name(window, item->at, ret_length);
    if (!name && move_to(window, names, begin, reach_of(items, order, count)))
        name = find_name(window, item->at, ret_length);
    if (!name && window->length && move_to(window, names, item->at, WINDOW)) /* a long one */
        name = find_name(window, item->at, ret_length);
    return name;
}

static void read_one(struct window *window, struct elf_names *names, struct elf_name *items,
                     const uint32_t *order, size_t count)
{
    struct elf_name *item = &items[order[0]];
    size_t length;
    item->kept = ELF_NAME_UNREAD;
    if (names->bytes > names->bytes_max || names->texts.length > TEXTS_MAX ||
        names->file->bytes_read - names->read_from > names->read_max)
        return;
    const char *name = next_name(window, names, items, order, count, &length);
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
    struct window window;
    window.begin = window.length = 0;
    text_clear(&names->texts);
    for (size_t i = 0; i < count; i++)
        read_one(&window, names, items, order + i, count - i);
}
