/* RECORD: it must not matter in what pieces the bytes come. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "parse/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct memory {
    const uint8_t *data;
    size_t size, at, step;
};

static ssize_t read_memory(void *context, void *buffer, size_t size)
{
    struct memory *memory = context;
    size_t left = memory->size - memory->at, take = left < size ? left : size;
    take = take < memory->step ? take : memory->step;
    if (take)
        memcpy(buffer, memory->data + memory->at, take);
    memory->at += take;
    return (ssize_t)take;
}

static void must(bool is_good)
{
    if (!is_good)
        abort();
}

static void keep(void *context, const struct record_line *line)
{
    must(line->path.length && !memchr(line->path.data, '\0', line->path.length));
    text_add_bytes(context, line->path.data, line->path.length);
    text_printf(context, "=%lld\n", line->size.known ? (long long)line->size.value : -1);
}

static struct record_end scan(const uint8_t *data, size_t size, size_t step, struct text *seen)
{
    struct memory memory = {data, size, 0, step};
    struct record_end end;
    must(record_scan(&(struct byte_source){read_memory, &memory}, keep, seen, &end) == 0);
    return end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_TEXT struct text whole = {0}, pieces = {0};
    struct record_end a = scan(data, size, SIZE_MAX, &whole), b = scan(data, size, 5, &pieces);
    must(whole.length == pieces.length && !strcmp(text_get(&whole), text_get(&pieces)));
    must(a.lines == b.lines && a.is_cut == b.is_cut && a.is_odd == b.is_odd);
    return 0;
}
