#include "parse/rpm_ndb.h"

#include <string.h>

enum { BLOCK = 16, PAGES_MAX = 1024 };

static uint32_t little_endian(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

/* magic, version (0 is the only one), generation, pages */
bool ndb_header(const char *data, size_t size, uint32_t *ret_pages)
{
    if (size < NDB_HEADER || memcmp(data, "RpmP", 4) != 0 || little_endian(data + 4) != 0)
        return false;
    *ret_pages = little_endian(data + 12);
    return *ret_pages > 0 && *ret_pages <= PAGES_MAX;
}

/* magic, number of the package, first block, number of blocks */
bool ndb_slot(const char slot[NDB_SLOT], uint32_t *ret_package, uint64_t *ret_offset)
{
    if (memcmp(slot, "Slot", 4) != 0)
        return false;
    *ret_package = little_endian(slot + 4);
    *ret_offset = (uint64_t)little_endian(slot + 8) * BLOCK;
    return true;
}

/* magic, number of the package, generation, bytes */
bool ndb_blob(const char blob[NDB_BLOB], uint32_t package, uint32_t *ret_length)
{
    if (memcmp(blob, "BlbS", 4) != 0 || little_endian(blob + 4) != package)
        return false;
    *ret_length = little_endian(blob + 12);
    return true;
}
