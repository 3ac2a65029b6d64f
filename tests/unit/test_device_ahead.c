/* Long data that several threads search: the answer is that of one thread. */
#include <criterion/criterion.h>
#include <elf.h>

#include "base/cleanup.h"
#include "device_made.h"

enum { MIB = 1024 * 1024, LONG = 20 * MIB, WORD = 8 };

struct data {
    struct text bytes, file;
};

static void start(struct data *data)
{
    *data = (struct data){0};
    /* not zeros: nothing may take them for padding */
    while (data->bytes.length < LONG)
        put_little_endian(&data->bytes, 0xBA55ED50, WORD);
}

static void put(struct data *data, size_t at, unsigned sm)
{
    CLEANUP_TEXT struct text container = {0};
    struct fatbin_entry entry = {.kind = FATBIN_CUBIN, .sm = sm, .size = 4096}; /* no stub */
    fatbin_write(&entry, 1, &container);
    cr_assert_leq(at + container.length, data->bytes.length);
    memcpy(data->bytes.data + at, container.data, container.length);
}

static void finish(struct data *data)
{
    struct error err;
    struct elf_device device = {ELF_DEVICE_DATA, data->bytes.data, data->bytes.length};
    struct elf_spec spec = {.class_bits = 64, .device = &device, .device_count = 1};
    cr_assert_eq(elf_write(&spec, &data->file, &err), 0, "%s", err.text);
}

/* Whatever the number of threads; bytes are 0 where they are of no interest. */
static void expect(struct data *data, const char *words, uint64_t least, uint64_t most)
{
    static const size_t threads[] = {0, 1, 2, 3, 16, 1000};
    int fd = device_file(data->file.data, data->file.length);
    uint64_t first = 0;
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        struct device_seen seen = {0};
        cr_expect_eq(
            device_code_scan(fd, DEVICE_SCAN_DEEP, threads[i], &seen.arena, &seen.code, &seen.err),
            0);
        cr_expect_str_eq(device_words(&seen.code, &seen.arena), words, "%zu threads", threads[i]);
        cr_expect_null(seen.code.problem);
        first = first ? first : seen.code.bytes_read;
        cr_expect_eq(seen.code.bytes_read, first, "%zu threads", threads[i]);
        arena_done(&seen.arena);
    }
    cr_expect(first >= least && first <= most, "%llu bytes read", (unsigned long long)first);
    close(fd);
    text_done(&data->bytes);
    text_done(&data->file);
}

Test(device_ahead, nothing_in_it)
{
    struct data data;
    start(&data);
    finish(&data);
    expect(&data, "", LONG, LONG + 64 * 1024);
}

Test(device_ahead, first_word_and_last_place)
{
    struct data data;
    start(&data);
    put(&data, 0, 75);
    put(&data, LONG - 8192, 90);
    finish(&data);
    expect(&data, "linked sm_75 1/1, linked sm_90 1/1", LONG, LONG + MIB);
}

/* What stands in later blocks is read by other threads at the same time, and is not lost. */
Test(device_ahead, many_in_many_blocks)
{
    struct data data;
    start(&data);
    size_t count = 0;
    for (size_t at = 5 * MIB + WORD; at + 8192 < LONG; at += 300 * 1024 + WORD, count++)
        put(&data, at, 80);
    finish(&data);
    CLEANUP_TEXT struct text words = {0};
    text_printf(&words, "linked sm_80 %zu/%zu", count, count);
    expect(&data, text_get(&words), LONG, 2 * LONG);
}

/* The first that is found is none: the search goes on behind it, in the same block. */
Test(device_ahead, chance_before_the_first)
{
    struct data data;
    start(&data);
    set_little_endian(&data.bytes, 9 * MIB, 0x00100001BA55ED50, WORD);
    put(&data, 9 * MIB + 512, 86);
    put(&data, 9 * MIB - 8192 - 3, 70); /* at no aligned place */
    finish(&data);
    expect(&data, "linked sm_86 1/1", LONG, LONG + MIB);
}

/* One that spans blocks is passed over, with what looks like others in its payload. */
Test(device_ahead, payload_is_not_searched)
{
    struct data data;
    struct fatbin_entry entry = {.kind = FATBIN_CUBIN, .sm = 100, .size = 8 * MIB};
    CLEANUP_TEXT struct text container = {0};
    start(&data);
    fatbin_write(&entry, 1, &container);
    memcpy(data.bytes.data + 3 * MIB, container.data, container.length);
    put(&data, 6 * MIB, 50);
    finish(&data);
    expect(&data, "linked sm_100 1/1", LONG - 9 * MIB, LONG - 7 * MIB);
}

/* As the file's segments lie where there are no section headers. */
Test(device_ahead, without_section_headers)
{
    struct data data;
    start(&data);
    put(&data, 11 * MIB, 89);
    finish(&data);
    Elf64_Ehdr *header = (Elf64_Ehdr *)data.file.data;
    header->e_shoff = 0;
    header->e_shnum = header->e_shstrndx = 0;
    expect(&data, "linked sm_89 1/1", 11 * MIB, 2 * LONG);
}
