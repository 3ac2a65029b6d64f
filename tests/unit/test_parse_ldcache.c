#include <criterion/criterion.h>

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "elf_write.h"
#include "ldcache_write.h"
#include "parse/ldcache.h"

static const struct ldcache_entry entries[] = {
    {"libcuda.so.1", "/usr/lib/x86_64-linux-gnu/libcuda.so.1", LDCACHE_X86_64},
    {"libcuda.so.1", "/usr/lib/i386-linux-gnu/libcuda.so.1", LDCACHE_I386},
    {"libc.so.6", "/lib/aarch64-linux-gnu/libc.so.6", LDCACHE_AARCH64},
};
static struct text bytes;

static void start(void)
{
    ldcache_write(entries, 3, "ldconfig (test) stable release version 2.39", &bytes);
}

static void finish(void)
{
    text_done(&bytes);
}

TestSuite(parse_ldcache, .init = start, .fini = finish);

static int open_cache(struct ld_cache *ret)
{
    const char *why = NULL;
    int code = ld_cache_open(bytes.data, bytes.length, ret, &why);
    cr_assert_eq(code < 0, why != NULL);
    return code;
}

static void check_entries(const struct ld_cache *cache)
{
    const char *arch[] = {"x86_64", "i386", "aarch64"};
    struct ld_cache_row row;
    cr_assert_eq(cache->count, 3);
    for (size_t i = 0; i < 3; i++) {
        cr_assert(ld_cache_entry(cache, i, &row));
        cr_expect_str_eq(row.soname, entries[i].soname);
        cr_expect_str_eq(row.path, entries[i].path);
        cr_expect_str_eq(row.arch, arch[i]);
    }
    cr_expect_not(ld_cache_entry(cache, 3, &row));
}

Test(parse_ldcache, new_format)
{
    struct ld_cache cache;
    cr_assert_eq(open_cache(&cache), 0);
    check_entries(&cache);
}

/* One old entry: 16 + 12 bytes, so the new header stands at 32, after padding to 8. */
Test(parse_ldcache, old_format_in_front)
{
    struct text both = {0};
    struct ld_cache cache;
    const char *why = NULL;
    char old[32] = "ld.so-1.7.0";
    old[12] = 1;
    text_add_bytes(&both, old, sizeof old);
    text_add_bytes(&both, bytes.data, bytes.length);
    cr_assert_eq(ld_cache_open(both.data, both.length, &cache, &why), 0);
    check_entries(&cache);
    memset(both.data + 12, 0xff, 4);
    cr_expect_eq(ld_cache_open(both.data, both.length, &cache, &why), -EBADMSG);
    text_done(&both);
}

Test(parse_ldcache, refuses)
{
    struct ld_cache cache;
    bytes.data[28] = 3;
    cr_expect_eq(open_cache(&cache), -EBADMSG, "big endian");
    bytes.data[28] = 2;
    memset(bytes.data + 20, 0xff, 4);
    cr_expect_eq(open_cache(&cache), -EBADMSG, "count beyond the file");
    memset(bytes.data + 20, 0, 4);
    cr_expect_eq(open_cache(&cache), 0, "no entries at all");
    bytes.data[0] = 'x';
    cr_expect_eq(open_cache(&cache), -EBADMSG, "no magic");
    bytes.length = 10;
    cr_expect_eq(open_cache(&cache), -EBADMSG, "too short");
}

Test(parse_ldcache, strings_outside)
{
    struct ld_cache cache;
    struct ld_cache_row row;
    memset(bytes.data + 48 + 4, 0xff, 4);      /* soname of the first: far outside */
    memset(bytes.data + 48 + 24 + 8, 0x7f, 4); /* path of the second */
    cr_assert_eq(open_cache(&cache), 0);
    cr_expect_not(ld_cache_entry(&cache, 0, &row));
    cr_expect_not(ld_cache_entry(&cache, 1, &row));
    cr_expect(ld_cache_entry(&cache, 2, &row));
    bytes.data[48 + 48] = 0; /* type: not a shared library */
    cr_expect_not(ld_cache_entry(&cache, 2, &row));
}

/* A string that runs into the end of the file has no NUL. */
Test(parse_ldcache, string_without_end)
{
    const struct ldcache_entry one = {"libcuda.so.1", "/lib/libcuda.so.1", LDCACHE_X86_64};
    struct text small = {0};
    struct ld_cache cache;
    struct ld_cache_row row;
    const char *why = NULL;
    ldcache_write(&one, 1, NULL, &small);
    cr_assert_eq(ld_cache_open(small.data, small.length, &cache, &why), 0);
    cr_expect(ld_cache_entry(&cache, 0, &row));
    for (size_t cut = 1; cut < 5; cut++) {
        cr_assert_eq(ld_cache_open(small.data, small.length - cut, &cache, &why), 0);
        if (small.data[small.length - cut - 1] != '\0')
            cr_expect_not(ld_cache_entry(&cache, 0, &row));
    }
    text_done(&small);
}

/* glibc before 2.2 wrote the old format alone: entries of 12 bytes, strings behind them. */
Test(parse_ldcache, old_format_alone)
{
    struct text old = {0};
    struct ld_cache cache;
    struct ld_cache_row row;
    const char *why = NULL;
    text_add_bytes(&old, "ld.so-1.7.0\0\1\0\0\0\3\3\0\0\0\0\0\0\x0a\0\0\0", 28);
    text_add_bytes(&old, "libx.so.1\0/lib/libx.so.1", 25);
    cr_assert_eq(ld_cache_open(old.data, old.length, &cache, &why), 0);
    cr_assert_eq(cache.count, 1);
    cr_assert(ld_cache_entry(&cache, 0, &row));
    cr_expect_str_eq(row.soname, "libx.so.1");
    cr_expect_str_eq(row.path, "/lib/libx.so.1");
    cr_expect_eq(row.flags, 0x303);
    cr_expect_eq(row.hwcap, 0);
    cr_expect_null(row.level);
    old.data[12] = 9;
    cr_expect_eq(ld_cache_open(old.data, old.length, &cache, &why), -EBADMSG);
    text_done(&old);
}

/* The names of glibc-hwcaps subfolders stand in an extension at the end (glibc 2.33). */
Test(parse_ldcache, levels)
{
    struct ld_cache cache;
    struct ld_cache_row row;
    size_t names = bytes.length, extension;
    text_add_bytes(&bytes, "x86-64-v2", sizeof "x86-64-v2");
    text_add_bytes(&bytes, "x86-64-v3", sizeof "x86-64-v3");
    while (bytes.length % 4)
        text_add_char(&bytes, '\0');
    extension = bytes.length;
    for (int i = 0; i < 32; i++)
        text_add_char(&bytes, '\0');
    set_little_endian(&bytes, 32, extension, 4);
    set_little_endian(&bytes, extension, 0xeaa42174, 4);
    set_little_endian(&bytes, extension + 4, 1, 4);
    set_little_endian(&bytes, extension + 8, 1, 4); /* tag; then flags, offset, size */
    set_little_endian(&bytes, extension + 16, extension + 24, 4);
    set_little_endian(&bytes, extension + 20, 8, 4);
    set_little_endian(&bytes, extension + 24, names, 4);
    set_little_endian(&bytes, extension + 28, names + 10, 4);
    set_little_endian(&bytes, 48 + 16, 1ULL << 62 | 3ULL << 32 | 1, 8);
    set_little_endian(&bytes, 72 + 16, 1ULL << 62 | 2, 8);
    set_little_endian(&bytes, 96 + 16, 1ULL << 20, 8);
    cr_assert_eq(open_cache(&cache), 0);
    cr_expect_eq(cache.level_count, 2);
    cr_assert(ld_cache_entry(&cache, 0, &row));
    cr_expect_str_eq(row.level, "x86-64-v3");
    cr_expect_eq(row.isa_level, 3);
    cr_assert(ld_cache_entry(&cache, 1, &row));
    cr_expect_null(row.level, "a number that has no name");
    cr_assert(ld_cache_entry(&cache, 2, &row));
    cr_expect_eq(row.hwcap, 1 << 20);
    cr_expect_null(row.level, "a legacy capability");
    set_little_endian(&bytes, extension + 20, 0xffffff00, 4); /* longer than the file: left out */
    cr_assert_eq(open_cache(&cache), 0);
    cr_expect_eq(cache.level_count, 0);
}
