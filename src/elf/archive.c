/* Format: ar(5). Headers stand at even offsets. A name of more than 15 bytes stands in the member
 * "//" (GNU), or in front of the data (BSD: "#1/LENGTH"). */
#include "elf/archive.h"

#include <errno.h>
#include <string.h>

#include "base/span.h"

const char archive_magic[] = "!<arch>\n", archive_thin_magic[] = "!<thin>\n";

enum { HEADER = 60, NAME_SIZE = 16, SIZE_AT = 48, SIZE_SIZE = 10, END_AT = 58 };

/* A long name ends in "/\n". */
static void long_name(struct archive *archive, struct span number, char *ret)
{
    uint64_t at;
    if (!span_number(number, archive->names_size, &at) || at >= archive->names_size)
        return;
    uint64_t left = archive->names_size - at;
    size_t want = left < ARCHIVE_NAME_MAX - 1 ? (size_t)left : ARCHIVE_NAME_MAX - 1;
    const unsigned char *data = elf_window_at(archive->window, archive->names + at, want);
    if (!data)
        return;
    const char *end = memchr(data, '\n', want);
    size_t length = end ? (size_t)(end - (const char *)data) : want;
    if (length && data[length - 1] == '/')
        length--;
    memcpy(ret, data, length);
    ret[length] = '\0';
}

static void short_name(struct span name, char *ret)
{
    if (name.length && name.data[name.length - 1] == '/')
        name.length--;
    memcpy(ret, name.data, name.length);
    ret[name.length] = '\0';
}

static void bsd_name(struct archive *archive, struct span number, struct archive_member *member)
{
    uint64_t length;
    if (!span_number(number, member->size, &length))
        return;
    size_t want = length < ARCHIVE_NAME_MAX - 1 ? (size_t)length : ARCHIVE_NAME_MAX - 1;
    const unsigned char *data = elf_window_at(archive->window, member->start, want);
    if (data) {
        memcpy(member->name, data, want); /* padded with NUL */
        member->name[want] = '\0';
    }
    member->start += length;
    member->size -= length;
}

static bool read_header(struct archive *archive, char name[NAME_SIZE], uint64_t *ret_size)
{
    const unsigned char *at = elf_window_at(archive->window, archive->offset, HEADER);
    if (!at || memcmp(at + END_AT, "`\n", 2) != 0)
        return false;
    memcpy(name, at, NAME_SIZE);
    struct span size = span_trim((struct span){(const char *)at + SIZE_AT, SIZE_SIZE});
    return span_number(size, INT64_MAX, ret_size);
}

/* False for what is no file: symbol tables and the table of names. */
static bool take_name(struct archive *archive, const char *raw, struct archive_member *member)
{
    struct span name = span_trim((struct span){raw, NAME_SIZE});
    member->name[0] = '\0';
    if (span_equal(name, "//")) {
        archive->names = member->start;
        archive->names_size = member->size;
        return false;
    }
    if (span_equal(name, "/") || span_equal(name, "/SYM64/") || span_cut_prefix(&name, "__.SYMDEF"))
        return false;
    if (span_cut_prefix(&name, "#1/"))
        bsd_name(archive, name, member);
    else if (span_cut_prefix(&name, "/"))
        long_name(archive, name, member->name);
    else
        short_name(name, member->name);
    return true;
}

int archive_next(struct archive *archive, struct archive_member *ret)
{
    char name[NAME_SIZE];
    for (;;) {
        if (archive->offset >= archive->end || archive->end - archive->offset < 2)
            return 0;
        if (!read_header(archive, name, &ret->size))
            return -EBADMSG;
        ret->start = archive->offset + HEADER;
        ret->is_cut = ret->size > archive->end - ret->start;
        if (ret->is_cut)
            ret->size = archive->end - ret->start;
        archive->offset = ret->start + ret->size + ret->size % 2;
        if (take_name(archive, name, ret))
            return 1;
    }
}
