/* Package databases' formats; the first byte chooses which. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "parse/pacman_desc.h"
#include "parse/paragraph.h"
#include "parse/rpm_header.h"
#include "parse/rpm_ndb.h"
#include "system/system_package.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool inside(struct span span, const char *text, size_t size)
{
    return !span.data || (span.data >= text && span.data + span.length <= text + size);
}

static void paragraphs(const char *text, size_t size, struct arena *arena)
{
    size_t cursor = 0;
    struct span paragraph, value;
    if (paragraph_whole(text, size) > size)
        abort();
    while (paragraph_next(text, size, &cursor, &paragraph)) {
        if (!paragraph.length || !inside(paragraph, text, size))
            abort();
        if (paragraph_field(paragraph, "Package:", &value)) {
            if (!inside(value, text, size))
                abort();
            gpu_package_kind(value);
        }
        if (paragraph_field(paragraph, "Status:", &value))
            dpkg_state(value);
        if (paragraph_field(paragraph, "Version:", &value))
            system_package_driver_version(value, arena);
    }
}

static void rpm(const char *text, size_t size)
{
    struct rpm_header header;
    if (rpm_header_parse(text, size, &header) &&
        (!header.name.data || !inside(header.name, text, size) ||
         !inside(header.version, text, size) || !inside(header.release, text, size) ||
         !inside(header.arch, text, size)))
        abort();
}

static void ndb(const char *text, size_t size)
{
    uint32_t number;
    uint64_t offset;
    if (ndb_header(text, size, &number) && !number)
        abort();
    if (size >= NDB_SLOT)
        ndb_slot(text, &number, &offset);
    if (size >= NDB_BLOB)
        ndb_blob(text, 1, &number);
}

static void pacman(const char *text, size_t size, struct arena *arena)
{
    struct pacman_desc desc;
    struct span name;
    if (parse_pacman_desc(text, size, &desc) &&
        (!inside(desc.name, text, size) || !inside(desc.version, text, size) ||
         !inside(desc.arch, text, size)))
        abort();
    pacman_folder_name(arena_strndup(arena, text, size), &name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const char *text = (const char *)data + 1;
    size--;
    struct arena arena = {0};
    switch (data[0] % 4) {
    case 0:
        paragraphs(text, size, &arena);
        break;
    case 1:
        rpm(text, size);
        break;
    case 2:
        ndb(text, size);
        break;
    default:
        pacman(text, size, &arena);
    }
    arena_done(&arena);
    return 0;
}
