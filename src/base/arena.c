#include "base/arena.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { BLOCK_SIZE = 16 * 1024, SHORT = 512 };

struct arena_block {
    struct arena_block *older;
    size_t used, size;
    alignas(max_align_t) char data[];
};

static void *take(struct arena *arena, size_t size)
{
    const size_t align = alignof(max_align_t);
    size_t want = (size + align - 1) / align * align;
    struct arena_block *block = arena->newest;
    if (!block || block->size - block->used < want) {
        size_t room = want > BLOCK_SIZE ? want : BLOCK_SIZE;
        block = xmalloc(sizeof *block + room);
        block->older = arena->newest;
        block->used = 0;
        block->size = room;
        arena->newest = block;
    }
    void *p = block->data + block->used;
    block->used += want;
    return p;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    return memset(take(arena, size), 0, size);
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
    char *copy = take(arena, length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
    return text ? arena_strndup(arena, text, strlen(text)) : NULL;
}

char *arena_vprintf(struct arena *arena, const char *format, va_list args)
{
    char room[SHORT]; /* most texts fit, and are formatted once */
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(room, sizeof room, format, again);
    va_end(again);
    if (length < 0)
        return arena_strdup(arena, "");
    if ((size_t)length < sizeof room)
        return arena_strndup(arena, room, (size_t)length);
    char *text = take(arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, args);
    return text;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = arena_vprintf(arena, format, args);
    va_end(args);
    return text;
}

void arena_done(struct arena *arena)
{
    for (struct arena_block *block = arena->newest; block;) {
        struct arena_block *older = block->older;
        free(block);
        block = older;
    }
    arena->newest = NULL;
}
