#include "elf/fatbin_ahead.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/read.h"
#include "elf/fatbin_field.h"

enum { GROUP = 32 }; /* words that are compared before the first branch */

#define STRETCH_LEAST (1024ULL * 1024)
#define HELPER_LEAST (8192ULL * 1024) /* bytes that pay for a thread */

size_t fatbin_beginning(const uint64_t *words, size_t count)
{
    const uint64_t beginning = htole64(FATBIN_BEGINNING);
    size_t i = 0;
    for (; count - i >= GROUP; i += GROUP) {
        uint64_t found = 0; /* without branches, so that the compiler makes vectors of it */
        for (size_t k = 0; k < GROUP; k++)
            found |= (uint64_t)(words[i + k] == beginning);
        if (found)
            break;
    }
    while (i < count && words[i] != beginning)
        i++;
    return i;
}

static uint64_t block_size(const struct fatbin_stretch *stretch, size_t number)
{
    uint64_t rest = stretch->end - stretch->start - (uint64_t)number * FATBIN_BLOCK;
    return rest < FATBIN_BLOCK ? rest : FATBIN_BLOCK;
}

/* --- under the lock --- */

static bool is_open(const struct fatbin_stretch *stretch)
{
    return stretch->taken < stretch->blocks && stretch->stop == stretch->blocks;
}

/* Blocks are taken by rising number, so that all before the one that stops are searched. */
static bool is_decided(const struct fatbin_stretch *stretch)
{
    return stretch->done == stretch->taken && !is_open(stretch);
}

static struct fatbin_stretch *next_stretch(struct fatbin_ahead *ahead)
{
    for (size_t i = 0; i < ahead->count && !ahead->is_over; i++)
        if (is_open(&ahead->stretches[i]))
            return &ahead->stretches[i];
    return NULL;
}

static void note_stop(struct fatbin_stretch *stretch, size_t number, uint64_t found, int error)
{
    if (number >= stretch->stop)
        return;
    stretch->stop = number;
    stretch->found = found;
    stretch->error = error;
}

/* Takes a block of the stretch, and searches it without the lock. */
static void search_block(struct fatbin_ahead *ahead, struct fatbin_stretch *stretch,
                         uint64_t *block)
{
    size_t number = stretch->taken++;
    uint64_t offset = stretch->start + (uint64_t)number * FATBIN_BLOCK;
    size_t size = (size_t)block_size(stretch, number);
    pthread_mutex_unlock(&ahead->lock);
    ssize_t n = read_at(ahead->fd, block, size, offset);
    size_t words = n < 0 ? 0 : (size_t)n / sizeof *block, at = fatbin_beginning(block, words);
    pthread_mutex_lock(&ahead->lock);
    if (at < words)
        note_stop(stretch, number, offset + at * sizeof *block, 0);
    else if (n < 0 || (size_t)n < size)
        note_stop(stretch, number, 0, n < 0 ? (int)n : 0);
    stretch->done++;
    if (is_decided(stretch))
        pthread_cond_broadcast(&ahead->changed);
}

/* --- threads --- */

static void help(void *data)
{
    struct fatbin_ahead *ahead = data;
    struct fatbin_stretch *stretch;
    uint64_t *block = xmalloc(FATBIN_BLOCK);
    pthread_mutex_lock(&ahead->lock);
    while ((stretch = next_stretch(ahead)))
        search_block(ahead, stretch, block);
    pthread_mutex_unlock(&ahead->lock);
    free(block);
}

void fatbin_ahead_add(struct fatbin_ahead *ahead, const struct elf_window *window, uint64_t start,
                      uint64_t end)
{
    uint64_t left = window->budget > window->bytes_read ? window->budget - window->bytes_read : 0;
    if (start > end || end - start < STRETCH_LEAST || ahead->count == FATBIN_STRETCHES_MAX ||
        ahead->bytes > left || end - start > left - ahead->bytes)
        return;
    size_t blocks = (size_t)((end - start + FATBIN_BLOCK - 1) / FATBIN_BLOCK);
    ahead->stretches[ahead->count++] =
        (struct fatbin_stretch){.start = start, .end = end, .blocks = blocks, .stop = blocks};
    ahead->bytes += end - start;
}

/* The first block of each, since most stretches that hold containers begin with one. How many bytes
 * of the others are left. */
static uint64_t search_first(struct fatbin_ahead *ahead)
{
    uint64_t left = 0;
    uint64_t *block = xmalloc(FATBIN_BLOCK);
    pthread_mutex_lock(&ahead->lock);
    for (size_t i = 0; i < ahead->count; i++) {
        struct fatbin_stretch *stretch = &ahead->stretches[i];
        search_block(ahead, stretch, block);
        left += is_open(stretch) ? stretch->end - stretch->start - FATBIN_BLOCK : 0;
    }
    pthread_mutex_unlock(&ahead->lock);
    free(block);
    return left;
}

void fatbin_ahead_start(struct fatbin_ahead *ahead, const struct elf_window *window)
{
    if (ahead->bytes < HELPER_LEAST) {
        ahead->count = 0;
        return;
    }
    ahead->fd = window->fd;
    ahead->is_started = true;
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->changed, NULL);
    size_t helpers = window->threads < PARALLEL_FEW ? window->threads : PARALLEL_FEW;
    helpers = helpers ? helpers - 1 : 0; /* one of the threads is the caller's */
    uint64_t worth = search_first(ahead) / HELPER_LEAST;
    parallel_start(&ahead->team, worth < helpers ? (size_t)worth : helpers, help, ahead);
}

static void wait_for(struct fatbin_ahead *ahead, struct fatbin_stretch *stretch)
{
    uint64_t *block = NULL;
    pthread_mutex_lock(&ahead->lock);
    while (!is_decided(stretch)) {
        if (!is_open(stretch)) {
            pthread_cond_wait(&ahead->changed, &ahead->lock);
            continue;
        }
        block = block ? block : xmalloc(FATBIN_BLOCK);
        search_block(ahead, stretch, block);
    }
    pthread_mutex_unlock(&ahead->lock);
    free(block);
}

/* Charges the window; false, as the search from front to back would end, where it has not enough.
 */
static bool charge(struct elf_window *window, const struct fatbin_stretch *stretch)
{
    uint64_t cost = stretch->end - stretch->start;
    if (stretch->stop < stretch->blocks)
        cost = (uint64_t)stretch->stop * FATBIN_BLOCK + block_size(stretch, stretch->stop);
    uint64_t left = window->budget > window->bytes_read ? window->budget - window->bytes_read : 0;
    window->is_spent |= left < cost;
    window->bytes_read += left < cost ? left / FATBIN_BLOCK * FATBIN_BLOCK : cost;
    return left >= cost;
}

bool fatbin_ahead_first(struct fatbin_ahead *ahead, struct elf_window *window, uint64_t start,
                        uint64_t end, uint64_t *ret)
{
    struct fatbin_stretch *stretch = NULL;
    *ret = 0;
    for (size_t i = 0; i < ahead->count && !stretch; i++)
        if (ahead->stretches[i].start == start && ahead->stretches[i].end == end)
            stretch = &ahead->stretches[i];
    if (!stretch)
        return false;
    wait_for(ahead, stretch);
    if (!charge(window, stretch))
        return true;
    *ret = stretch->found;
    if (stretch->error)
        window->error = stretch->error;
    return true;
}

void fatbin_ahead_done(struct fatbin_ahead *ahead)
{
    if (!ahead->is_started)
        return;
    pthread_mutex_lock(&ahead->lock);
    ahead->is_over = true;
    pthread_mutex_unlock(&ahead->lock);
    parallel_join(&ahead->team);
    pthread_cond_destroy(&ahead->changed);
    pthread_mutex_destroy(&ahead->lock);
    ahead->is_started = false;
    ahead->count = 0;
}
