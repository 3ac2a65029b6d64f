#include "parse/rpm_header.h"

#include <string.h>

#include "base/text.h"

enum {
    PREFIX = 8, /* number of entries, bytes of data */
    ENTRY = 16, /* tag, type, offset, count */
    ENTRIES_MAX = 64 * 1024,
    VALUE_MAX = 256,
    TYPE_INT32 = 4,
    TYPE_STRING = 6,
    TAG_NAME = 1000,
    TAG_VERSION = 1001,
    TAG_RELEASE = 1002,
    TAG_EPOCH = 1003,
    TAG_ARCH = 1022,
};

static uint32_t big_endian(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static void take_string(const char *store, size_t size, uint32_t offset, struct span *ret)
{
    if (offset >= size)
        return;
    size_t most = size - offset < VALUE_MAX ? size - offset : VALUE_MAX;
    const char *end = memchr(store + offset, '\0', most);
    if (!end)
        return;
    struct span value = {store + offset, (size_t)(end - store) - offset};
    if (value.length && utf8_valid(value.data, value.length))
        *ret = value;
}

static void take(const char *entry, const char *store, size_t size, struct rpm_header *ret)
{
    uint32_t tag = big_endian(entry), type = big_endian(entry + 4), offset = big_endian(entry + 8);
    if (tag == TAG_EPOCH && type == TYPE_INT32 && offset < size && size - offset >= 4)
        ret->epoch = known(big_endian(store + offset));
    if (type != TYPE_STRING)
        return;
    if (tag == TAG_NAME)
        take_string(store, size, offset, &ret->name);
    else if (tag == TAG_VERSION)
        take_string(store, size, offset, &ret->version);
    else if (tag == TAG_RELEASE)
        take_string(store, size, offset, &ret->release);
    else if (tag == TAG_ARCH)
        take_string(store, size, offset, &ret->arch);
}

bool rpm_header_parse(const char *data, size_t size, struct rpm_header *ret)
{
    *ret = (struct rpm_header){0};
    if (size < PREFIX)
        return false;
    uint32_t entries = big_endian(data), bytes = big_endian(data + 4);
    size_t index = (size_t)entries * ENTRY;
    if (!entries || entries > ENTRIES_MAX || size - PREFIX < index)
        return false;
    const char *store = data + PREFIX + index;
    size_t have = size - PREFIX - index;
    have = bytes < have ? bytes : have;
    for (uint32_t i = 0; i < entries; i++)
        take(data + PREFIX + (size_t)i * ENTRY, store, have, ret);
    return ret->name.data != NULL;
}
