#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void out_of_memory(void)
{
    static const char words[] = "gpudoctor: out of memory\n";
    ssize_t ignored = write(STDERR_FILENO, words, sizeof words - 1);
    (void)ignored;
    _exit(3);
}

void *xmalloc(size_t size)
{
    void *p = malloc(size ? size : 1);
    if (!p)
        out_of_memory();
    return p;
}

void *xcalloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size ? size : 1);
    if (!p)
        out_of_memory();
    return p;
}

void *xgrow(void *array, size_t *capacity, size_t need, size_t size)
{
    if (array && need <= *capacity)
        return array;
    size_t want = *capacity < 8 ? 8 : *capacity;
    while (want < need && want <= SIZE_MAX / 2)
        want *= 2;
    if (want < need || (size && want > SIZE_MAX / size))
        out_of_memory();
    void *p = realloc(array, want * size);
    if (!p)
        out_of_memory();
    *capacity = want;
    return p;
}

char *xstrdup(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(xmalloc(size), text, size);
}
