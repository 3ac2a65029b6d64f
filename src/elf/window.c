#include "elf/window.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/read.h"

/* Measured on libraries of 50 to 1000 MB in the page cache: a call costs about what copying a page
 * does, so far hops read a header and its neighbour's beginning and no more. */
enum { LEAST = 144, NEAR = 1024 };

static size_t bytes_to_read(struct elf_window *window, uint64_t offset, size_t size)
{
    bool is_near = window->length && offset >= window->last && offset - window->last <= NEAR;
    size_t ahead = is_near ? window->ahead * 2 : LEAST;
    if (is_near && ahead < NEAR)
        ahead = NEAR;
    if (ahead < size)
        ahead = size;
    if (ahead > ELF_WINDOW_SIZE)
        ahead = ELF_WINDOW_SIZE;
    window->ahead = ahead;
    return ahead > window->end - offset ? (size_t)(window->end - offset) : ahead;
}

static bool holds(const struct elf_window *window, uint64_t offset, size_t size)
{
    uint64_t skip = offset - window->offset; /* huge when it stands before */
    return skip <= window->length && window->length - skip >= size;
}

size_t elf_window_read(struct elf_window *window, void *buffer, size_t size, uint64_t offset)
{
    if (window->bytes_read > window->budget || window->budget - window->bytes_read < size) {
        window->is_spent = true;
        return 0;
    }
    ssize_t n = read_at(window->fd, buffer, size, offset);
    if (n < 0) {
        window->error = (int)n;
        return 0;
    }
    window->bytes_read += (uint64_t)n;
    return (size_t)n;
}

const unsigned char *elf_window_at(struct elf_window *window, uint64_t offset, size_t size)
{
    if (!size || size > ELF_WINDOW_SIZE || offset > window->end || window->end - offset < size)
        return NULL;
    if (!holds(window, offset, size)) {
        size_t want = bytes_to_read(window, offset, size);
        window->length = 0;
        if (!window->data)
            window->data = xmalloc(ELF_WINDOW_SIZE);
        window->offset = offset;
        window->length = elf_window_read(window, window->data, want, offset);
        if (window->length < size) /* the file may have shrunk */
            return NULL;
    }
    window->last = offset;
    return window->data + (offset - window->offset);
}

void elf_window_done(struct elf_window *window)
{
    free(window->data);
    window->data = NULL;
    window->length = 0;
}
