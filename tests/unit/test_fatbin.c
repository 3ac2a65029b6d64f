/* Containers of device code, by themselves: what compilers write, and what is cut, broken or made
 * to harm. */
#include <fcntl.h>

#include "device_made.h"

static const struct fatbin_entry sm_80 = {.kind = FATBIN_CUBIN, .sm = 80};

static void add(struct text *out, const char *target)
{
    struct fatbin_entry entry;
    cr_assert_eq(fatbin_entry_read(target, &entry), 0);
    fatbin_write(&entry, 1, out);
}

Test(fatbin, kinds_suffixes_and_order)
{
    struct text file = {0};
    const char *const targets[] = {"lto_75", "compute_90:8.7",   "sm_120f",
                                   "sm_90a", "sm_100a",          "sm_90",
                                   "sm_75",  "compute_120f:9.0", "compute_90a"};
    struct fatbin_entry entries[9];
    for (size_t i = 0; i < 9; i++)
        cr_assert_eq(fatbin_entry_read(targets[i], &entries[i]), 0);
    fatbin_write(entries, 9, &file);
    device_expect(&file, DEVICE_SCAN_HEADERS,
                  "linked sm_75 1/1, linked sm_90 1/1, linked sm_90a 1/1, linked sm_100a 1/1, "
                  "linked sm_120f 1/1, linked compute_90 1/1, linked compute_90a 1/1, "
                  "linked compute_120f 1/1, linked lto_75 1/1",
                  NULL);
    text_done(&file);
}

Test(fatbin, isa_of_ptx_is_a_range)
{
    struct text file = {0};
    struct device_seen seen;
    add(&file, "compute_90:8.7");
    add(&file, "compute_90:9.1");
    add(&file, "compute_90:7.8");
    add(&file, "compute_90:8.10");
    device_see(&seen, file.data, file.length, DEVICE_SCAN_HEADERS);
    cr_assert_eq(seen.code.target_count, 1);
    const struct device_target *target = seen.code.targets;
    cr_expect_eq(target->isa_major, 9);
    cr_expect_eq(target->isa_minor, 1);
    cr_expect_eq(target->isa_low_major, 7);
    cr_expect_eq(target->isa_low_minor, 8);
    cr_expect_eq(target->containers, 4);
    cr_expect_eq(target->bytes, 4 * 4096);
    cr_expect_eq(seen.code.containers, 4);
    cr_expect_not(seen.code.is_deep);
    arena_done(&seen.arena);
    text_done(&file);
}

Test(fatbin, header_sizes_differ)
{
    struct text file = {0};
    struct fatbin_entry entries[6];
    for (size_t i = 0; i < 6; i++)
        entries[i] = (struct fatbin_entry){
            .kind = FATBIN_CUBIN, .sm = 80, .header_size = (uint32_t)(64 + 16 * i), .size = 8};
    fatbin_write(entries, 6, &file);
    device_expect(&file, DEVICE_SCAN_HEADERS, "linked sm_80 1/6", NULL);
    text_done(&file);
}

/* `ld -r` pads in front of an aligned section. */
Test(fatbin, zeros_in_front_between_and_behind)
{
    struct text file = {0};
    add(&file, "sm_75");
    put_little_endian(&file, 0, 8);
    add(&file, "sm_80");
    for (int i = 0; i < 3; i++)
        put_little_endian(&file, 0, 8);
    add(&file, "sm_86");
    put_little_endian(&file, 0, 4);
    device_expect(&file, DEVICE_SCAN_HEADERS,
                  "linked sm_75 1/1, linked sm_80 1/1, linked sm_86 1/1", NULL);
    text_done(&file);
}

Test(fatbin, empty_container)
{
    struct text file = {0};
    struct device_seen seen;
    fatbin_write_header(1, 16, 0, &file);
    add(&file, "sm_80");
    device_see(&seen, file.data, file.length, DEVICE_SCAN_HEADERS);
    cr_expect_eq(seen.code.containers, 2);
    cr_expect_str_eq(seen.words, "linked sm_80 1/1");
    cr_expect_eq((void *)seen.code.problem, NULL);
    arena_done(&seen.arena);
    text_done(&file);
}

/* A bare fatbin is no link's result, however small it is. */
Test(fatbin, small_code_in_a_bare_file_counts)
{
    struct text file = {0};
    struct fatbin_entry entry = {.kind = FATBIN_CUBIN, .sm = 75, .size = 592};
    fatbin_write(&entry, 1, &file);
    device_expect(&file, DEVICE_SCAN_HEADERS, "linked sm_75 1/1", NULL);
    text_done(&file);
}

Test(fatbin, unknown_versions_and_kinds)
{
    struct text file = {0};
    struct fatbin_entry entries[] = {{.kind = FATBIN_CUBIN, .sm = 75, .version = 0x0102},
                                     {.kind = 0x40, .sm = 90},
                                     {.kind = FATBIN_CUBIN, .sm = 80}};
    fatbin_write(entries, 3, &file);
    device_expect(&file, DEVICE_SCAN_HEADERS, "linked sm_80 1/1, linked other_90 1/1",
                  "unknown version (0x102)");
    fatbin_write_header(2, 16, 64, &file);
    for (int i = 0; i < 8; i++)
        put_little_endian(&file, 0xFF, 8);
    add(&file, "sm_86");
    device_expect(&file, DEVICE_SCAN_HEADERS,
                  "linked sm_80 1/1, linked sm_86 1/1, linked other_90 1/1",
                  "unknown version (0x102) was skipped (and 1 more");
    text_done(&file);
}

Test(fatbin, cut_within_a_payload)
{
    struct text file = {0};
    struct fatbin_entry entries[] = {sm_80, {.kind = FATBIN_CUBIN, .sm = 90}};
    fatbin_write(entries, 2, &file);
    for (size_t cut = 1; cut < file.length; cut += 97) {
        struct device_seen seen;
        device_see(&seen, file.data, file.length - cut, DEVICE_SCAN_HEADERS);
        bool has_first = file.length - cut >= 16 + 64 + 4096;
        if (file.length - cut >= 16) {
            cr_expect_eq(seen.result, 0);
            cr_expect_str_eq(seen.words, has_first ? "linked sm_80 1/1" : "");
            cr_expect_neq((void *)seen.code.problem, NULL);
        }
        arena_done(&seen.arena);
    }
    text_done(&file);
}

/* What an entry may claim of its sizes; each is refused without a step back or beyond. */
Test(fatbin, hostile_sizes)
{
    static const uint64_t sizes[] = {UINT64_MAX, UINT64_MAX - 63, INT64_MAX, 1ULL << 32, 4096 + 64};
    static const uint32_t header_sizes[] = {0, 1, 8, 63, 65, 60, 64 * 1024 + 8, UINT32_MAX - 7};
    struct text file = {0};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        text_clear(&file);
        fatbin_write(&sm_80, 1, &file);
        set_little_endian(&file, 16 + 8, sizes[i], 8);
        add(&file, "sm_90");
        device_expect(&file, DEVICE_SCAN_HEADERS, "linked sm_90 1/1", "byte 16 is cut off");
    }
    for (size_t i = 0; i < sizeof header_sizes / sizeof header_sizes[0]; i++) {
        text_clear(&file);
        fatbin_write(&sm_80, 1, &file);
        set_little_endian(&file, 16 + 4, header_sizes[i], 4);
        add(&file, "sm_90");
        device_expect(&file, DEVICE_SCAN_HEADERS, "linked sm_90 1/1", "byte 16 is cut off");
    }
    text_done(&file);
}

Test(fatbin, hostile_container_sizes)
{
    static const uint64_t sizes[] = {UINT64_MAX, UINT64_MAX - 15, INT64_MAX, 1ULL << 40, 6000};
    struct text file = {0};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        text_clear(&file);
        fatbin_write_header(1, 16, sizes[i], &file);
        fatbin_write_entry(&sm_80, &file);
        device_expect(&file, DEVICE_SCAN_HEADERS, "linked sm_80 1/1", "byte 0 is cut off");
    }
    text_clear(&file);
    fatbin_write_header(1, 0, 0, &file); /* would end where it begins */
    fatbin_write_header(1, 0, 0, &file);
    device_expect(&file, DEVICE_SCAN_HEADERS, "", "unknown version");
    text_done(&file);
}

Test(fatbin, garbage_between_containers_is_searched)
{
    struct text file = {0};
    add(&file, "sm_75");
    put_little_endian(&file, 0x1122334455667788, 8);
    put_little_endian(&file, 0x00100001BA55ED50, 8); /* a container's beginning that is none */
    put_little_endian(&file, UINT64_MAX, 8);
    add(&file, "sm_80");
    add(&file, "sm_86");
    device_expect(&file, DEVICE_SCAN_HEADERS,
                  "linked sm_75 1/1, linked sm_80 1/1, linked sm_86 1/1",
                  "no device code stands at byte");
    text_done(&file);
}

Test(fatbin, too_many_targets_are_told)
{
    struct text file = {0};
    for (unsigned i = 0; i < 300; i++) {
        struct fatbin_entry entry = {.kind = FATBIN_CUBIN, .sm = 1000 + i, .size = 8};
        fatbin_write(&entry, 1, &file);
    }
    struct device_seen seen;
    device_see(&seen, file.data, file.length, DEVICE_SCAN_HEADERS);
    cr_expect_eq(seen.code.target_count, 256);
    cr_expect_neq(strstr(seen.code.problem, "too many different targets"), NULL);
    arena_done(&seen.arena);
    text_done(&file);
}

static void write_at(int fd, const struct text *bytes, off_t offset)
{
    cr_assert_eq((size_t)pwrite(fd, bytes->data, bytes->length, offset), bytes->length);
}

/* 64 entries of 64 MiB each: only their headers are read. */
Test(fatbin, payloads_are_not_read)
{
    enum { ENTRIES = 64 };
    const uint64_t payload = 64ULL << 20, step = 64 + payload;
    struct text bytes = {0};
    struct device_seen seen = {0};
    int fd = memfd_create("device", MFD_CLOEXEC);
    fatbin_write_header(1, 16, ENTRIES * step, &bytes);
    write_at(fd, &bytes, 0);
    for (unsigned i = 0; i < ENTRIES; i++) {
        text_clear(&bytes);
        fatbin_write_entry(&sm_80, &bytes);
        set_little_endian(&bytes, 8, payload, 8);
        bytes.length = 64;
        write_at(fd, &bytes, (off_t)(16 + i * step));
    }
    cr_assert_eq(ftruncate(fd, (off_t)(16 + ENTRIES * step)), 0);
    int r = device_code_scan(fd, DEVICE_SCAN_HEADERS, 0, &seen.arena, &seen.code, &seen.err);
    cr_expect_eq(r, 0);
    cr_expect_eq(seen.code.entries, ENTRIES);
    cr_expect_eq(seen.code.targets[0].bytes, ENTRIES * payload);
    cr_expect_lt(seen.code.bytes_read, ENTRIES * 256);
    cr_expect_eq((void *)seen.code.problem, NULL);
    arena_done(&seen.arena);
    text_done(&bytes);
    close(fd);
}

/* 1.1 million empty containers, and a hole of 8 TiB: both end soon, and say so. */
Test(fatbin, counts_and_bytes_are_bounded)
{
    struct text bytes = {0};
    struct device_seen seen;
    for (unsigned i = 0; i < 1100000; i++)
        fatbin_write_header(1, 16, 0, &bytes);
    device_see(&seen, bytes.data, bytes.length, DEVICE_SCAN_HEADERS);
    cr_expect_eq(seen.code.containers, 1000000);
    cr_expect_neq(strstr(seen.code.problem, "too many containers"), NULL);
    arena_done(&seen.arena);

    int fd = memfd_create("device", MFD_CLOEXEC);
    bytes.length = 16;
    write_at(fd, &bytes, 0);
    cr_assert_eq(ftruncate(fd, 8LL << 40), 0);
    seen = (struct device_seen){0};
    int r = device_code_scan(fd, DEVICE_SCAN_HEADERS, 0, &seen.arena, &seen.code, &seen.err);
    cr_expect_eq(r, 0);
    cr_expect_leq(seen.code.bytes_read, 512ULL << 20);
    cr_expect_neq((void *)seen.code.problem, NULL);
    arena_done(&seen.arena);
    text_done(&bytes);
    close(fd);
}
