/* What the loader of a machine goes by, read from small recorded machines. */
#include <errno.h>

#include "elf_write.h"
#include "ldcache_write.h"
#include "loader/map.h"
#include "loader/world.h"
#include "probe_tree.h"

static struct probe_tree tree;
static struct arena arena;
static struct loader_world world;

static void start(void)
{
    tree_start(&tree);
    tree_put(&tree, "/.record/uname", "Linux 6.8.0 #1 SMP x86_64\n");
}

static void finish(void)
{
    tree_finish(&tree);
    arena_done(&arena);
}

TestSuite(loader_world, .init = start, .fini = finish);

static void read_world(void)
{
    tree_open(&tree);
    loader_world_read(tree.machine, &arena, &world);
}

static const char *joined(const char *const *items, size_t count)
{
    struct text out = {0};
    for (size_t i = 0; i < count; i++)
        text_printf(&out, "%s%s", i ? " " : "", items[i]);
    char *text = arena_strdup(&arena, text_get(&out));
    text_done(&out);
    return text;
}

Test(loader_world, of_debian)
{
    tree_folder(&tree, "/usr/lib/x86_64-linux-gnu/x");
    read_world();
    cr_expect_str_eq(world.arch, "x86_64");
    cr_expect_eq(world.elf_machine, 62);
    cr_expect_str_eq(world.lib, "lib/x86_64-linux-gnu");
    cr_expect_str_eq(world.platform, "x86_64");
    cr_expect_str_eq(joined(world.defaults, world.default_count),
                     "/lib/x86_64-linux-gnu /usr/lib/x86_64-linux-gnu /lib /usr/lib");
    cr_expect_eq(world.level_count, 0, "nothing is known of the processor");
    cr_expect_eq(world.legacy_count, 0);
    cr_expect_eq(world.cache_error, -ENOENT);
    cr_expect_null(world.library_path);
    cr_expect_null(world.file_preload);
    cr_expect_not(world.is_musl);
}

Test(loader_world, of_fedora)
{
    tree_put(&tree, "/etc/os-release", "NAME=Fedora\nID=fedora\n");
    read_world();
    cr_expect_str_eq(world.lib, "lib64");
    cr_expect_str_eq(joined(world.defaults, world.default_count), "/lib64 /usr/lib64");
}

Test(loader_world, of_arch)
{
    tree_put(&tree, "/etc/os-release", "ID=manjaro\nID_LIKE=arch\n");
    read_world();
    cr_expect_str_eq(world.lib, "lib");
    cr_expect_str_eq(joined(world.defaults, world.default_count), "/usr/lib");
}

/* NixOS and others compile other folders into their loader. */
Test(loader_world, folders_of_the_loader_itself)
{
    static const char bytes[] = "\177ELF\0/lib/no-slash\0x/lib/\0/nix/store/abc-glibc-2.40/lib/\0"
                                "/opt/lib64/\0\0/usr/lib/\0";
    tree_put_bytes(&tree, "/lib64/ld-linux-x86-64.so.2", bytes, sizeof bytes);
    read_world();
    cr_expect_str_eq(joined(world.defaults, world.default_count),
                     "/nix/store/abc-glibc-2.40/lib /opt/lib64");
    cr_expect_str_eq(world.lib, "lib");
}

Test(loader_world, loader_without_folders)
{
    tree_put(&tree, "/lib64/ld-linux-x86-64.so.2", "/lib/");
    read_world();
    cr_expect_str_eq(world.lib, "lib64");
}

Test(loader_world, of_arm)
{
    tree_put(&tree, "/.record/uname", "Linux 6.8.0 #1 SMP aarch64\n");
    tree_put(&tree, "/proc/cpuinfo", "flags : avx2\n");
    tree_folder(&tree, "/lib/aarch64-linux-gnu/x");
    read_world();
    cr_expect_str_eq(world.arch, "aarch64");
    cr_expect_eq(world.elf_machine, 183);
    cr_expect_str_eq(world.lib, "lib/aarch64-linux-gnu");
    cr_expect_str_eq(world.platform, "aarch64");
    cr_expect_eq(world.level_count, 0);
}

Test(loader_world, musl)
{
    tree_put(&tree, "/lib/ld-musl-x86_64.so.1", "");
    read_world();
    cr_expect(world.is_musl);
}

/* A package for building against musl, on a machine with glibc. */
Test(loader_world, musl_beside_glibc)
{
    tree_put(&tree, "/lib/ld-musl-x86_64.so.1", "");
    tree_put(&tree, "/lib64/ld-linux-x86-64.so.2", "");
    read_world();
    cr_expect_not(world.is_musl);
}

#define LEVEL_2 "cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3 "
#define LEVEL_3 LEVEL_2 "avx avx2 bmi1 bmi2 f16c fma abm movbe "
#define LEVEL_4 LEVEL_3 "avx512f avx512bw avx512cd avx512dq avx512vl"

static void put_processor(const char *vendor, const char *flags, const char *glibc)
{
    tree_put(&tree, "/proc/cpuinfo",
             arena_printf(&arena, "processor\t: 0\nvendor_id\t: %s\nflags\t\t: fpu %s\n\n", vendor,
                          flags));
    if (glibc)
        tree_put(&tree, "/.record/glibc", glibc);
    read_world();
}

Test(loader_world, levels)
{
    put_processor("GenuineIntel", LEVEL_4, "2.39");
    cr_expect_str_eq(joined(world.levels, world.level_count), "x86-64-v4 x86-64-v3 x86-64-v2");
    cr_expect_str_eq(world.platform, "haswell");
    cr_expect_eq(world.legacy_count, 0);
}

Test(loader_world, fewer_levels)
{
    put_processor("AuthenticAMD", LEVEL_3, NULL);
    cr_expect_str_eq(joined(world.levels, world.level_count), "x86-64-v3 x86-64-v2");
    cr_expect_str_eq(world.platform, "x86_64", "other vendors have no platform of their own");
}

Test(loader_world, one_flag_is_missing)
{
    put_processor("GenuineIntel", "cx16 popcnt pni sse4_1 sse4_2 ssse3", "2.39");
    cr_expect_eq(world.level_count, 0);
}

Test(loader_world, no_levels_in_old_glibc)
{
    put_processor("GenuineIntel", LEVEL_3, "2.31");
    cr_expect_eq(world.level_count, 0);
    cr_expect_str_eq(joined(world.legacy, world.legacy_count),
                     "tls/haswell/x86_64 tls/haswell tls/x86_64 tls haswell/x86_64 haswell x86_64");
}

Test(loader_world, legacy_with_avx512)
{
    put_processor("GenuineIntel", LEVEL_4, "2.36");
    cr_expect_eq(world.level_count, 3);
    cr_assert_eq(world.legacy_count, 15);
    cr_expect_str_eq(world.legacy[0], "tls/haswell/avx512_1/x86_64");
    cr_expect_str_eq(world.legacy[1], "tls/haswell/avx512_1");
    cr_expect_str_eq(world.legacy[14], "x86_64");
}

/* The kernel's modalias has the same features by their numbers, and is asked first. */
Test(loader_world, modalias)
{
    tree_put(&tree, "/proc/cpuinfo", "vendor_id : AuthenticAMD\nflags : " LEVEL_2 "\n");
    tree_put(&tree, "/sys/devices/system/cpu/modalias",
             "cpu:type:x86,ven0000fam0006mod00CF:feature:,0000,0001,0080,0089,008C,008D,0093,0094,"
             "0096,0097,009C,009D,00C0,00C5,0123,0125,0128\n");
    tree_put(&tree, "/.record/glibc", "2.39");
    read_world();
    cr_expect_str_eq(joined(world.levels, world.level_count), "x86-64-v3 x86-64-v2");
    cr_expect_str_eq(world.platform, "haswell");
}

Test(loader_world, modalias_of_another_kind)
{
    tree_put(&tree, "/sys/devices/system/cpu/modalias", "cpu:type:aarch64:feature:,0000,0001\n");
    put_processor("AuthenticAMD", LEVEL_2, "2.39");
    cr_expect_str_eq(joined(world.levels, world.level_count), "x86-64-v2");
    cr_expect_str_eq(world.platform, "x86_64");
}

Test(loader_world, processor_without_flags)
{
    tree_put(&tree, "/proc/cpuinfo", "vendor_id : GenuineIntel\nflags :\n");
    tree_put(&tree, "/.record/glibc", "2.39");
    read_world();
    cr_expect_eq(world.level_count, 0);
    cr_expect_str_eq(world.platform, "x86_64");
}

Test(loader_world, variables)
{
    tree_put(&tree, "/.record/environ", "LD_LIBRARY_PATH=/a:/b\nLD_PRELOAD=\n");
    tree_put(&tree, "/.record/cwd", "/home/user\n");
    tree_put(&tree, "/etc/ld.so.preload",
             "# all of it\n /a/x.so:liby.so\t/z.so # end\n#\n\nlast.so");
    read_world();
    cr_expect_str_eq(world.library_path, "/a:/b");
    cr_expect_null(world.preload, "empty is not set");
    cr_expect_str_eq(world.cwd, "/home/user");
    cr_expect_str_eq(world.file_preload, "/a/x.so liby.so /z.so last.so");
}

/* --- the cache --- */

/* A cache with names of levels, as glibc 2.33 and newer write them. */
static void put_cache(uint64_t hwcap_of_first, uint64_t hwcap_of_second)
{
    static const struct ldcache_entry entries[] = {
        {"libx.so.1", "/d/glibc-hwcaps/one/libx.so.1", LDCACHE_X86_64},
        {"libx.so.1", "/d/glibc-hwcaps/two/libx.so.1", LDCACHE_X86_64},
        {"libx.so.1", "/d/libx.so.1", LDCACHE_X86_64},
        {"libx.so.1", "/d32/libx.so.1", LDCACHE_I386},
        {"libo.so.1", "/o/libo.so.1", 1},
    };
    struct text out = {0};
    ldcache_write(entries, 5, NULL, &out);
    set_little_endian(&out, 48 + 16, hwcap_of_first, 8);
    set_little_endian(&out, 48 + 24 + 16, hwcap_of_second, 8);
    size_t names = out.length;
    text_add_bytes(&out, "x86-64-v2", sizeof "x86-64-v2");
    text_add_bytes(&out, "x86-64-v3", sizeof "x86-64-v3");
    while (out.length % 4)
        text_add_char(&out, '\0');
    set_little_endian(&out, 32, out.length, 4);
    put_little_endian(&out, 0xeaa42174, 4);
    put_little_endian(&out, 1, 4);
    put_little_endian(&out, 1, 4);
    put_little_endian(&out, 0, 4);
    put_little_endian(&out, out.length + 8, 4);
    put_little_endian(&out, 8, 4);
    put_little_endian(&out, names, 4);
    put_little_endian(&out, names + 10, 4);
    tree_put_bytes(&tree, "/etc/ld.so.cache", out.data, out.length);
    text_done(&out);
}

static const uint64_t named = 1ULL << 62;

static const char *cached(void)
{
    struct text out = {0};
    for (size_t i = 0; i < world.cached_count; i++)
        text_printf(&out, "%s%s %d", i ? "; " : "", world.cached[i].path, world.cached[i].level);
    char *text = arena_strdup(&arena, text_get(&out));
    text_done(&out);
    return text;
}

Test(loader_world, cache_with_levels)
{
    put_cache(named | 0, named | 1);
    put_processor("GenuineIntel", LEVEL_4, NULL);
    cr_expect_eq(world.cache_error, 0);
    cr_expect_str_eq(cached(), "/d/glibc-hwcaps/one/libx.so.1 2; /d/glibc-hwcaps/two/libx.so.1 1; "
                               "/d/libx.so.1 -1");
}

Test(loader_world, cache_with_a_level_too_high)
{
    put_cache(named | 1, named | 7);
    put_processor("GenuineIntel", LEVEL_2, NULL);
    cr_expect_str_eq(cached(), "/d/libx.so.1 -1", "not this processor's, and no such name");
}

/* The file needs more than its folder says, and an entry of glibc before 2.33. */
Test(loader_world, cache_with_isa_level)
{
    put_cache(named | 4ULL << 32 | 0, 1ULL << 20);
    put_processor("GenuineIntel", LEVEL_3, NULL);
    cr_expect_str_eq(cached(), "/d/libx.so.1 -1");
}

/* One name again and again. */
Test(loader_world, cache_of_one_name, .timeout = 60)
{
    enum { COUNT = 100000 };
    struct ldcache_entry *entries = calloc(COUNT, sizeof *entries);
    struct text out = {0};
    size_t number;
    cr_assert_not_null(entries);
    for (size_t i = 0; i < COUNT; i++)
        entries[i] = (struct ldcache_entry){"libx.so.1", i ? "/d/libx.so.1" : "/first/libx.so.1",
                                            LDCACHE_X86_64};
    ldcache_write(entries, COUNT, NULL, &out);
    tree_put_bytes(&tree, "/etc/ld.so.cache", out.data, out.length);
    read_world();
    cr_expect_eq(world.cached_count, COUNT);
    cr_assert(loader_map_get(world.cache_index, "libx.so.1", &number));
    cr_expect_str_eq(world.cached[number].path, "/first/libx.so.1");
    text_done(&out);
    free(entries);
}

Test(loader_world, broken_cache)
{
    tree_put(&tree, "/etc/ld.so.cache", "this is no cache");
    read_world();
    cr_expect_eq(world.cache_error, -EBADMSG);
    cr_expect_str_eq(world.cache_problem, "it is no loader cache of glibc");
    cr_expect_eq(world.cached_count, 0);
}

Test(loader_world, cache_that_is_no_file)
{
    tree_fifo(&tree, "/etc/ld.so.cache");
    tree_fifo(&tree, "/proc/cpuinfo");
    tree_fifo(&tree, "/etc/ld.so.preload");
    read_world();
    cr_expect_eq(world.cache_error, -EINVAL);
    cr_expect_null(world.file_preload);
}
