/* What a kernel module's file says of itself. */
#include <archive.h>
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/read.h"
#include "parse/elf_head.h"
#include "system/module_file.h"

enum {
    SECTIONS_MAX = 4096,
    NAMES_MAX = 256 * 1024,
    INFO_MAX = 256 * 1024,
    INPUT = 64 * 1024,
    CARRY = MODINFO_TEXT_MAX + 32, /* the longest text that counts, its key and two NULs */
    BLOCK_MAX = 1024 * 1024,
    OUTPUT_MAX = 192 * 1024 * 1024,
    DEADLINE_MS = 3000,
};

/* --- uncompressed --- */

/* Fills the buffer whole. 0 or a negative errno. */
static int read_exactly(int fd, void *buffer, size_t size, uint64_t offset)
{
    ssize_t n = read_at(fd, buffer, size, offset);
    if (n < 0)
        return (int)n;
    return (size_t)n == size ? 0 : -EBADMSG;
}

static bool is_modinfo(const char *names, size_t size, uint32_t at)
{
    static const char wanted[] = ".modinfo";
    return at < size && size - at >= sizeof wanted &&
           memcmp(names + at, wanted, sizeof wanted) == 0;
}

static int read_section(int fd, uint64_t offset, uint64_t size, struct arena *arena,
                        struct module_facts *ret)
{
    size = size < INFO_MAX ? size : INFO_MAX;
    CLEANUP_FREE char *text = xmalloc((size_t)size + 1);
    int code = read_exactly(fd, text, (size_t)size, offset);
    if (code == 0)
        parse_modinfo(text, (size_t)size, true, arena, &ret->info);
    return code;
}

static int find_section(int fd, const char *headers, size_t count, size_t names_at,
                        struct arena *arena, struct module_facts *ret)
{
    uint32_t name;
    uint64_t offset, size;
    if (names_at >= count)
        return -EBADMSG;
    elf_section_place(headers + names_at * ELF64_SECTION, &name, &offset, &size);
    size_t length = size < NAMES_MAX ? (size_t)size : NAMES_MAX;
    CLEANUP_FREE char *names = xmalloc(length + 1);
    int code = read_exactly(fd, names, length, offset);
    for (size_t i = 0; code == 0 && i < count; i++) {
        elf_section_place(headers + i * ELF64_SECTION, &name, &offset, &size);
        if (is_modinfo(names, length, name))
            return read_section(fd, offset, size, arena, ret);
    }
    return code < 0 ? code : -EBADMSG;
}

static struct opt read_signature(int fd, uint64_t size)
{
    char tail[MODULE_SIGNATURE_MARK];
    if (size < sizeof tail || read_exactly(fd, tail, sizeof tail, size - sizeof tail) < 0)
        return UNKNOWN;
    return known(module_is_signed(tail, sizeof tail));
}

int module_file_read_elf(struct probe_context *context, const char *path, struct module_facts *ret)
{
    CLEANUP_CLOSE int fd = -1;
    char header[ELF64_HEADER];
    struct elf_sections sections;
    struct file_stat st;
    *ret = (struct module_facts){0};
    int code = machine_stat(context->machine, path, &st);
    if (code == 0)
        code = machine_open(context->machine, path, &fd);
    if (code == 0)
        code = read_exactly(fd, header, sizeof header, 0);
    if (code < 0)
        return code;
    if (!parse_elf_sections(header, sizeof header, &sections) || sections.count > SECTIONS_MAX)
        return -EBADMSG;
    size_t size = sections.count * ELF64_SECTION;
    CLEANUP_FREE char *headers = xmalloc(size);
    code = read_exactly(fd, headers, size, sections.offset);
    if (code == 0)
        code = find_section(fd, headers, sections.count, elf_names_section(header), context->arena,
                            ret);
    if (code == 0)
        ret->is_signed = read_signature(fd, st.size);
    return code;
}

/* --- compressed --- */

static void cleanup_archive(struct archive **archive)
{
    archive_read_free(*archive);
}

struct input {
    int fd;
    uint64_t at;
    char buffer[INPUT];
};

static la_ssize_t give(struct archive *archive, void *data, const void **ret)
{
    struct input *input = data;
    ssize_t n = read_at(input->fd, input->buffer, sizeof input->buffer, input->at);
    if (n < 0) {
        archive_set_error(archive, (int)-n, "cannot be read");
        return -1;
    }
    input->at += (uint64_t)n;
    *ret = input->buffer;
    return n;
}

/* A library that was built without a format would start a program for it: then it is left alone. */
static int enable_format(struct archive *archive, const char *path)
{
    int code = ARCHIVE_WARN;
    if (text_ends(path, ".gz"))
        code = archive_read_support_filter_gzip(archive);
    else if (text_ends(path, ".xz"))
        code = archive_read_support_filter_xz(archive);
    else if (text_ends(path, ".zst"))
        code = archive_read_support_filter_zstd(archive);
    return code == ARCHIVE_OK && archive_read_support_format_raw(archive) == ARCHIVE_OK ? 0
                                                                                        : -ENOTSUP;
}

/* A window on what comes out: the last bytes of the block before stand in front of each block. */
struct window {
    char *data; /* CARRY + BLOCK_MAX bytes */
    size_t have;
};

static void slide(struct window *window, const char *block, size_t size)
{
    if (window->have > CARRY) {
        memmove(window->data, window->data + window->have - CARRY, CARRY);
        window->have = CARRY;
    }
    memcpy(window->data + window->have, block, size);
    window->have += size;
}

/* One block of the decompressor, which may be larger than the window. */
static void take_block(struct window *window, const char *block, size_t size, struct arena *arena,
                       struct modinfo *ret)
{
    while (size) {
        size_t part = size < BLOCK_MAX ? size : BLOCK_MAX;
        slide(window, block, part);
        if (!modinfo_complete(ret))
            parse_modinfo(window->data, window->have, false, arena, ret);
        block += part;
        size -= part;
    }
}

static int decompress(struct probe_context *context, struct archive *archive, bool to_end,
                      struct module_facts *ret)
{
    CLEANUP_FREE char *buffer = xmalloc(CARRY + BLOCK_MAX);
    struct window window = {buffer, 0};
    uint64_t total = 0;
    double start = machine_clock_ms(context->machine);
    for (;;) {
        const void *block = NULL;
        size_t size = 0;
        la_int64_t offset = 0;
        int code = archive_read_data_block(archive, &block, &size, &offset);
        if (code == ARCHIVE_EOF)
            break;
        if (code != ARCHIVE_OK)
            return -EBADMSG;
        if (total > OUTPUT_MAX)
            return -EFBIG;
        if (machine_clock_ms(context->machine) - start > DEADLINE_MS)
            return -ETIMEDOUT;
        take_block(&window, block, size, context->arena, &ret->info);
        total += size;
        if (!to_end && modinfo_complete(&ret->info))
            return 0;
    }
    ret->is_signed = known(module_is_signed(window.data, window.have));
    return ret->info.vermagic ? 0 : -EBADMSG;
}

int module_file_read_compressed(struct probe_context *context, const char *path, bool to_end,
                                struct module_facts *ret)
{
    CLEANUP_CLOSE int fd = -1;
    *ret = (struct module_facts){0};
    int code = machine_open(context->machine, path, &fd);
    if (code < 0)
        return code;
    CLEANUP(cleanup_archive) struct archive *archive = archive_read_new();
    CLEANUP_FREE struct input *input = xmalloc(sizeof *input);
    input->fd = fd;
    input->at = 0;
    if (!archive || enable_format(archive, path) < 0)
        return -ENOTSUP;
    struct archive_entry *entry;
    if (archive_read_open(archive, input, NULL, give, NULL) != ARCHIVE_OK ||
        archive_read_next_header(archive, &entry) != ARCHIVE_OK)
        return -EBADMSG;
    return decompress(context, archive, to_end, ret);
}
