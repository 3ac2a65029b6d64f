#include "elf/fatbin.h"

#include "elf/fatbin_field.h"

enum {
    VERSION = 1,
    ENTRY_VERSION = 0x0101,
    ENTRY_HEADER_MAX = 64 * 1024, /* seen: 144 */
    PADDING_MAX = 64 * 1024,      /* between two containers; seen: 24 */
    /* A device link without device code leaves a cubin of 1464 to 2568 bytes for each target. */
    STUB_CUBIN_MAX = 3072,
    STUB_ENTRIES_MAX = 64
};

enum { KIND_PTX = 1, KIND_CUBIN = 2, KIND_LTO = 8 };

#define FLAG_ARCH_SPECIFIC (1ULL << 20) /* sm_90a */
#define FLAG_FAMILY (1ULL << 21)        /* sm_100f */

struct header { /* of a container */
    uint32_t magic;
    uint16_t version, header_size;
    uint64_t size; /* of what follows */
};

static bool read_header(struct elf_window *window, uint64_t offset, uint64_t end,
                        struct header *ret)
{
    if (offset > end || end - offset < FATBIN_HEADER)
        return false;
    /* the first entry's header is wanted next */
    uint64_t rest = end - offset;
    size_t want = FATBIN_HEADER + FATBIN_ENTRY_HEADER;
    const unsigned char *at = elf_window_at(window, offset, rest < want ? (size_t)rest : want);
    if (!at)
        return false;
    *ret = (struct header){.magic = fatbin_u32(at),
                           .version = fatbin_u16(at + 4),
                           .header_size = fatbin_u16(at + 6),
                           .size = fatbin_u64(at + 8)};
    return true;
}

static bool is_known(const struct header *header)
{
    return header->version == VERSION && header->header_size >= FATBIN_HEADER &&
           header->header_size % FATBIN_ALIGN == 0;
}

struct entry {
    uint16_t kind, version;
    uint64_t header_size, size;
    uint64_t unpacked; /* bytes of the payload when it is not compressed */
    struct device_entry says;
};

static enum device_kind kind_of(uint16_t kind)
{
    switch (kind) {
    case KIND_PTX:
        return DEVICE_PTX;
    case KIND_CUBIN:
        return DEVICE_CUBIN;
    case KIND_LTO:
        return DEVICE_LTO;
    default:
        return DEVICE_OTHER;
    }
}

static void decode_entry(const unsigned char *at, struct entry *ret)
{
    uint64_t flags = fatbin_u64(at + 0x28), unpacked = fatbin_u64(at + 0x38);
    *ret = (struct entry){.kind = fatbin_u16(at),
                          .version = fatbin_u16(at + 2),
                          .header_size = fatbin_u32(at + 4),
                          .size = fatbin_u64(at + 8)};
    ret->unpacked = unpacked ? unpacked : ret->size;
    ret->says.kind = kind_of(ret->kind);
    ret->says.sm = fatbin_u32(at + 0x1C);
    ret->says.bytes = ret->size;
    /* the number alone is 90 for sm_90 and for sm_90a */
    if (flags & FLAG_ARCH_SPECIFIC)
        ret->says.suffix = 'a';
    else if (flags & FLAG_FAMILY)
        ret->says.suffix = 'f';
    if (ret->kind == KIND_PTX) {
        ret->says.isa_minor = fatbin_u16(at + 0x18);
        ret->says.isa_major = fatbin_u16(at + 0x1A);
    }
}

/* Reads the entry at `offset` of a container that ends at `end`; false when its sizes are wrong.
 * Whoever goes on behind it has moved by its header at least. */
static bool read_entry(struct elf_window *window, uint64_t offset, uint64_t end, struct entry *ret)
{
    if (end - offset < FATBIN_ENTRY_HEADER)
        return false;
    const unsigned char *at = elf_window_at(window, offset, FATBIN_ENTRY_HEADER);
    if (!at)
        return false;
    decode_entry(at, ret);
    return ret->header_size >= FATBIN_ENTRY_HEADER && ret->header_size <= ENTRY_HEADER_MAX &&
           ret->header_size % FATBIN_ALIGN == 0 && ret->header_size <= end - offset &&
           ret->size <= end - offset - ret->header_size;
}

bool fatbin_is_here(struct elf_window *window, uint64_t offset, uint64_t end)
{
    struct header header;
    struct entry entry;
    if (!read_header(window, offset, end, &header) || header.magic != FATBIN_MAGIC ||
        !is_known(&header))
        return false;
    uint64_t room = end - offset;
    if (room < header.header_size || header.size > room - header.header_size)
        return false;
    uint64_t first = offset + header.header_size;
    return read_entry(window, first, first + header.size, &entry) && entry.version == ENTRY_VERSION;
}

/* Entries of a container that may still turn out to be a stub. */
struct pending {
    struct device_entry entries[STUB_ENTRIES_MAX];
    size_t count;
    bool is_open;
};

static bool flush(struct fatbin_walk *walk, struct pending *pending, enum device_place place)
{
    pending->is_open = false;
    for (size_t i = 0; i < pending->count; i++)
        if (!device_tally_entry(walk->tally, place, &pending->entries[i]))
            return false;
    return true;
}

static bool take_entry(struct fatbin_walk *walk, struct pending *pending, const struct entry *entry)
{
    if (entry->version != ENTRY_VERSION) {
        device_tally_problem(walk->tally, "device code of an unknown version (%#x) was skipped",
                             entry->version);
        device_tally_chance(walk->tally);
        return !walk->tally->is_full;
    }
    if (pending->is_open) {
        if (entry->kind == KIND_CUBIN && entry->unpacked <= STUB_CUBIN_MAX &&
            pending->count < STUB_ENTRIES_MAX) {
            pending->entries[pending->count++] = entry->says;
            return true;
        }
        if (!flush(walk, pending, walk->place))
            return false;
    }
    return device_tally_entry(walk->tally, walk->place, &entry->says);
}

static void take_entries(struct fatbin_walk *walk, uint64_t container, uint64_t offset,
                         uint64_t end)
{
    struct pending pending = {.is_open = walk->is_stub != NULL};
    while (offset < end) {
        struct entry entry;
        if (!read_entry(walk->window, offset, end, &entry)) {
            if (!walk->window->is_spent)
                device_tally_problem(walk->tally,
                                     "the device code at byte %llu is cut off or broken: the rest "
                                     "of its container was skipped",
                                     (unsigned long long)offset);
            break;
        }
        if (!take_entry(walk, &pending, &entry))
            return;
        offset += entry.header_size + entry.size;
    }
    if (pending.is_open && pending.count)
        (void)flush(walk, &pending,
                    walk->is_stub(walk->data, container) ? DEVICE_STUB : walk->place);
}

uint64_t fatbin_container(struct fatbin_walk *walk, uint64_t offset, uint64_t end)
{
    struct header header;
    if (!read_header(walk->window, offset, end, &header) || header.magic != FATBIN_MAGIC)
        return 0;
    uint64_t room = end - offset;
    bool is_cut = header.header_size > room || header.size > room - header.header_size;
    uint64_t behind = is_cut ? end : offset + header.header_size + header.size;
    if (!is_known(&header)) {
        device_tally_problem(walk->tally,
                             "a container of device code of an unknown version (%u) was skipped",
                             header.version);
        return is_cut || behind < offset + FATBIN_HEADER ? 0 : behind;
    }
    if (!device_tally_container(walk->tally))
        return end;
    if (is_cut)
        device_tally_problem(walk->tally, "the container of device code at byte %llu is cut off",
                             (unsigned long long)offset);
    take_entries(walk, offset, offset + header.header_size, behind);
    return behind;
}

/* Zeros are padding: `ld -r` puts them in front of an aligned section. Where they end, or the first
 * that is too far. */
static uint64_t skip_padding(struct elf_window *window, uint64_t offset, uint64_t end)
{
    for (uint64_t start = offset; end - offset >= FATBIN_ALIGN && offset - start < PADDING_MAX;
         offset += FATBIN_ALIGN) {
        const unsigned char *at = elf_window_at(window, offset, FATBIN_ALIGN);
        if (!at || fatbin_u64(at) != 0)
            break;
    }
    return offset;
}

void fatbin_walk(struct fatbin_walk *walk, uint64_t start, uint64_t end)
{
    uint64_t offset = start;
    while (!walk->tally->is_full) {
        offset = skip_padding(walk->window, offset, end);
        if (end - offset < FATBIN_HEADER)
            return;
        uint64_t next = fatbin_container(walk, offset, end);
        if (!next && walk->window->is_spent)
            return;
        if (!next) {
            device_tally_problem(walk->tally,
                                 "no device code stands at byte %llu, where it should: searched on",
                                 (unsigned long long)offset);
            fatbin_search(walk, offset + FATBIN_ALIGN - (offset - start) % FATBIN_ALIGN, end);
            return;
        }
        offset = next;
    }
}
