#include "elf/device_code.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "elf/archive.h"
#include "elf/cubin.h"
#include "elf/device_places.h"
#include "elf/fatbin.h"
#include "elf/fatbin_field.h"
#include "elf/ptx_text.h"

enum {
    MEMBERS_MAX = 256 * 1024,  /* of an archive */
    PTX_BEGINNING = 64 * 1024, /* in which a PTX text names its target */
    SENTENCE_MAX = 256
};

/* Bytes: the most that is known is 38 MiB (cuBLASLt), and 400 MiB with data sections. `check` reads
 * dozens of files of an environment, which may all be hostile. */
#define BUDGET_HEADERS (128ULL * 1024 * 1024)
#define BUDGET_DEEP (4096ULL * 1024 * 1024)
/* To search writable segments where there are no section headers. */
#define BUDGET_WRAPPERS (64ULL * 1024 * 1024)

struct scan {
    int fd;
    uint64_t size; /* of the file */
    enum device_scan how;
    struct elf_window window;
    struct device_tally tally;
    uint64_t bytes_read; /* besides the window's */
};

/* A file that is one piece of device code. */
static void take_bare(struct scan *scan, struct device_entry *entry, uint64_t bytes)
{
    entry->bytes = bytes;
    if (device_tally_container(&scan->tally))
        (void)device_tally_entry(&scan->tally, DEVICE_LINKED, entry);
}

static void scan_cubin(struct scan *scan, struct elf_file *file)
{
    struct device_entry entry;
    bool is_suffix_known;
    if (!cubin_read(file, &entry, &is_suffix_known)) {
        device_tally_problem(&scan->tally, "a cubin of an unknown generation (OS/ABI %#x)",
                             file->header.e_ident[EI_OSABI]);
        return;
    }
    if (!is_suffix_known)
        device_tally_problem(&scan->tally,
                             "the cubin does not tell whether it is for sm_%u or for sm_%ua alone",
                             entry.sm, entry.sm);
    take_bare(scan, &entry, file->size);
}

static int scan_elf(struct scan *scan, uint64_t start, uint64_t size, struct error *err)
{
    CLEANUP_ELF struct elf_file file;
    int r = elf_file_open(&file, scan->fd, start, size, err);
    if (r == 0 && file.header.e_machine == CUBIN_MACHINE)
        scan_cubin(scan, &file);
    else if (r == 0)
        device_places_scan(&file, scan->how, &scan->window, &scan->tally);
    scan->bytes_read += file.bytes_read;
    if (file.error && !scan->window.error)
        scan->window.error = file.error;
    return r;
}

/* An object in an archive that is broken does not hide the others. */
static void scan_member(struct scan *scan, const struct archive_member *member)
{
    struct error err = {{0}};
    const unsigned char *at = elf_window_at(&scan->window, member->start, SELFMAG);
    if (member->size < SELFMAG || !at || memcmp(at, ELFMAG, SELFMAG) != 0)
        return;
    scan->window.is_spent |= scan->bytes_read > scan->window.budget;
    if (scan->window.is_spent)
        return;
    if (scan_elf(scan, member->start, member->size, &err) < 0)
        device_tally_problem(&scan->tally, "%.*s: %.*s", SENTENCE_MAX, member->name, SENTENCE_MAX,
                             err.text);
}

static void scan_archive(struct scan *scan)
{
    struct archive archive = {.window = &scan->window, .offset = ARCHIVE_MAGIC, .end = scan->size};
    struct archive_member member;
    int r = 0;
    bool is_over = false;
    for (unsigned i = 0; i < MEMBERS_MAX && !is_over; i++) {
        r = archive_next(&archive, &member);
        if (r <= 0)
            break;
        if (member.is_cut)
            device_tally_problem(&scan->tally, "the archive is cut off within %s", member.name);
        scan_member(scan, &member);
        is_over = scan->tally.is_full || scan->window.is_spent;
    }
    if (r < 0 && !scan->window.is_spent)
        device_tally_problem(&scan->tally, "the archive is broken at byte %llu",
                             (unsigned long long)archive.offset);
    else if (r > 0 && !is_over)
        device_tally_limit(&scan->tally, "the archive has more than %d members", MEMBERS_MAX);
}

static bool scan_ptx(struct scan *scan)
{
    size_t size = scan->size < PTX_BEGINNING ? (size_t)scan->size : PTX_BEGINNING;
    const unsigned char *text = elf_window_at(&scan->window, 0, size);
    struct device_entry entry;
    if (!text || !ptx_text_read((const char *)text, size, &entry))
        return false;
    take_bare(scan, &entry, scan->size);
    return true;
}

/* What kind of file it is, its first bytes tell. */
static int scan_file(struct scan *scan, struct error *err)
{
    unsigned char first[ARCHIVE_MAGIC];
    const unsigned char *at = elf_window_at(&scan->window, 0, sizeof first);
    if (at)
        memcpy(first, at, sizeof first);
    else
        memset(first, 0, sizeof first);
    if (memcmp(first, ELFMAG, SELFMAG) == 0)
        return scan_elf(scan, 0, scan->size, err);
    if (memcmp(first, archive_magic, sizeof first) == 0) {
        scan_archive(scan);
    } else if (memcmp(first, archive_thin_magic, sizeof first) == 0) {
        device_tally_problem(&scan->tally,
                             "a thin archive holds the names of its members, not the members");
    } else if (fatbin_u32(first) == FATBIN_MAGIC) {
        struct fatbin_walk walk = {
            .window = &scan->window, .tally = &scan->tally, .place = DEVICE_LINKED};
        fatbin_walk(&walk, 0, scan->size);
    } else if (!scan_ptx(scan)) {
        return error_set(err, -ENOEXEC, "%s",
                         scan->size ? "it is no ELF file, archive of them (.a), fatbin or PTX"
                                    : "it is empty");
    }
    return 0;
}

int device_code_scan(int fd, enum device_scan how, size_t threads, struct arena *arena,
                     struct device_code *ret, struct error *err)
{
    struct stat status;
    *ret = (struct device_code){.is_deep = how == DEVICE_SCAN_DEEP};
    if (fstat(fd, &status) < 0)
        return error_set(err, -errno, "cannot be looked at: %s", strerror(errno));
    if (!S_ISREG(status.st_mode))
        return error_set(err, -ENOEXEC, "is not a regular file");
    struct scan scan = {.fd = fd, .size = (uint64_t)status.st_size, .how = how};
    scan.window =
        (struct elf_window){.fd = fd,
                            .end = scan.size,
                            .threads = threads,
                            .budget = how == DEVICE_SCAN_DEEP ? BUDGET_DEEP : BUDGET_HEADERS};
    scan.tally.arena = arena;
    scan.tally.wrapper_budget = BUDGET_WRAPPERS;
    int r = scan_file(&scan, err);
    if (scan.window.error)
        r = error_set(err, scan.window.error, "cannot be read: %s", strerror(-scan.window.error));
    if (scan.window.is_spent)
        device_tally_limit(&scan.tally, "more than %llu MiB were to be read: the rest was not",
                           (unsigned long long)(scan.window.budget >> 20));
    device_tally_finish(&scan.tally, ret);
    ret->bytes_read = scan.bytes_read + scan.window.bytes_read;
    elf_window_done(&scan.window);
    return r;
}

const char *device_target_name(const struct device_target *target, struct arena *arena)
{
    static const char *const prefixes[] = {
        [DEVICE_CUBIN] = "sm",
        [DEVICE_PTX] = "compute",
        [DEVICE_LTO] = "lto",
        [DEVICE_OTHER] = "other",
    };
    char suffix[2] = {target->suffix, '\0'};
    return arena_printf(arena, "%s_%u%s", prefixes[target->kind], target->sm, suffix);
}
