#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/text.h"
#include "loader/map.h"
#include "loader/world_parts.h"
#include "parse/ldcache.h"

enum {
    CACHE_CAP = 8 * 1024 * 1024, /* a full desktop's has half a megabyte */
    FLAGS_X86_64 = 0x0303,       /* ELF of libc 6, 64 bits of that architecture */
    FLAGS_AARCH64 = 0x0a03,
};

static int level_of(const struct loader_world *world, const char *name)
{
    for (size_t i = 0; name && i < world->level_count; i++)
        if (text_equal(world->levels[i], name))
            return (int)i;
    return -1;
}

/* Whether this loader would use the entry at all. Entries with other bits in `hwcap` are of glibc
 * before 2.33, for the legacy subfolders; newer ones pass over them, and so do we. */
static bool is_usable(const struct loader_world *world, const struct ld_cache_row *row,
                      int *ret_level)
{
    uint32_t flags = world->elf_machine == EM_AARCH64 ? FLAGS_AARCH64 : FLAGS_X86_64;
    *ret_level = -1;
    if (row->flags != flags)
        return false;
    if (!row->hwcap)
        return true;
    *ret_level = level_of(world, row->level);
    return *ret_level >= 0 && row->isa_level <= world->level_count + 1;
}

/* Of the entries for a name the best level wins, else the first plain one. Each name stands in the
 * table once: a cache may repeat one three hundred thousand times. */
static void index_last(struct loader_world *world)
{
    size_t number = world->cached_count - 1;
    const struct loader_cached *entry = &world->cached[number];
    if (strnlen(entry->soname, NAME_MAX + 1) > NAME_MAX)
        return; /* no file has such a name */
    size_t *known = loader_map_only(world->cache_index, entry->soname, number);
    int level = world->cached[*known].level;
    if (entry->level >= 0 && (level < 0 || entry->level < level))
        *known = number;
}

static void take_entries(struct loader_world *world, const struct ld_cache *cache)
{
    struct ld_cache_row row;
    int level;
    world->cached = arena_alloc(world->arena, (cache->count + 1) * sizeof *world->cached);
    world->cache_index = arena_alloc(world->arena, sizeof *world->cache_index);
    world->cache_index->arena = world->arena;
    loader_map_reserve(world->cache_index, cache->count);
    for (size_t i = 0; i < cache->count; i++) {
        if (!ld_cache_entry(cache, i, &row) || !is_usable(world, &row, &level))
            continue;
        world->cached[world->cached_count++] =
            (struct loader_cached){.soname = row.soname, .path = row.path, .level = level};
        index_last(world);
    }
}

void world_read_cache(struct loader_world *world)
{
    CLEANUP_BYTES struct bytes bytes = {0};
    struct ld_cache cache;
    world->cache_error = machine_read(world->machine, "/etc/ld.so.cache", CACHE_CAP, &bytes);
    if (world->cache_error < 0)
        return;
    /* the entries' names stay where they are in these bytes */
    char *copy = arena_alloc(world->arena, bytes.length + 1);
    memcpy(copy, bytes.data, bytes.length);
    world->cache_error = ld_cache_open(copy, bytes.length, &cache, &world->cache_problem);
    if (world->cache_error == 0)
        take_entries(world, &cache);
}
