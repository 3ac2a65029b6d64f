/* dpkg's database: one file of paragraphs, or in images without a package manager one for each
 * package. */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/read.h"
#include "parse/paragraph.h"
#include "probe/look.h"
#include "system/system_package.h"

static const char status_path[] = "/var/lib/dpkg/status";
static const char parts_path[] = "/var/lib/dpkg/status.d";

/* The file is some megabytes (a workstation's 3000 packages make 5), so it goes through a window
 * that stays in the processor's cache. A paragraph of GCC's size has 10 kB. */
enum { WINDOW = 256 * 1024, STATUS_CAP = 128 * 1024 * 1024, PART_CAP = 64 * 1024 };

static void add(struct probe_context *context, struct span name, const char *kind,
                struct span paragraph, const char *path)
{
    struct package_seen package = {
        .name = name, .kind = kind, .manager = "dpkg", .state = "installed", .path = path};
    struct span status;
    if (paragraph_field(paragraph, "Status:", &status)) {
        package.state = dpkg_state(status);
        if (!package.state)
            return;
    }
    paragraph_field(paragraph, "Version:", &package.version);
    paragraph_field(paragraph, "Architecture:", &package.arch);
    system_package_add(context, &package);
}

/* Number of packages, of whatever kind. */
static size_t take(struct probe_context *context, const char *data, size_t size, const char *path)
{
    size_t cursor = 0, count = 0;
    struct span paragraph, name;
    while (paragraph_next(data, size, &cursor, &paragraph)) {
        struct span head = paragraph;
        /* dpkg writes the name first; anything else in front of it makes the search longer */
        if (span_cut_prefix(&head, "Package: ")) {
            const char *end = memchr(head.data, '\n', head.length);
            name = (struct span){head.data, end ? (size_t)(end - head.data) : head.length};
        } else if (!paragraph_field(paragraph, "Package:", &name)) {
            continue;
        }
        count++;
        const char *kind = gpu_package_kind(name);
        if (kind)
            add(context, name, kind, paragraph, path);
    }
    return count;
}

struct outcome {
    size_t packages;
    bool cut; /* there is more than was read, or a paragraph that is larger than the window */
};

/* 0 or a negative errno. */
static int read_windows(struct probe_context *context, int fd, struct outcome *ret)
{
    CLEANUP_FREE char *window = xmalloc(WINDOW);
    size_t have = 0;
    for (uint64_t at = 0; at < STATUS_CAP;) {
        ssize_t n = read_at(fd, window + have, WINDOW - have, at);
        if (n < 0)
            return (int)n;
        bool last = (size_t)n < WINDOW - have;
        at += (uint64_t)n;
        have += (size_t)n;
        size_t whole = last ? have : paragraph_whole(window, have);
        ret->packages += take(context, window, whole, status_path);
        if (last)
            return 0;
        if (ret->packages > PACKAGES_MAX)
            break;
        if (!whole) { /* no end in sight: what was read of it is given up */
            ret->cut = true;
            whole = have;
        }
        have -= whole;
        memmove(window, window + whole, have);
    }
    ret->cut = true;
    return 0;
}

static bool read_status(struct probe_context *context)
{
    CLEANUP_CLOSE int fd = -1;
    struct outcome outcome = {0};
    int code = machine_open(context->machine, status_path, &fd);
    if (code == -ENOENT || code == -ENOTDIR)
        return false;
    if (code == 0)
        code = read_windows(context, fd, &outcome);
    if (code == 0 && (outcome.cut || !outcome.packages))
        probe_note_status(context, "system_package", NULL, status_path, "malformed",
                          "system_package",
                          outcome.packages ? "not all of it was read" : "it lists no package");
    else
        probe_note(context, "system_package", NULL, status_path, code, "system_package", NULL);
    return true;
}

static bool read_parts(struct probe_context *context)
{
    struct dir_list list;
    int code = machine_list(context->machine, parts_path, PACKAGES_MAX, context->arena, &list);
    if (code == -ENOENT || code == -ENOTDIR)
        return false;
    probe_note(context, "system_package", NULL, parts_path, code, "system_package", NULL);
    for (size_t i = 0; code == 0 && i < list.count; i++) {
        CLEANUP_BYTES struct bytes text = {0};
        const char *path = arena_printf(context->arena, "%s/%s", parts_path, list.names[i]);
        if (text_ends(path, ".md5sums"))
            continue;
        int failed = machine_read_head(context->machine, path, PART_CAP, &text);
        if (failed < 0)
            probe_note(context, "system_package", NULL, path, failed, "system_package", NULL);
        else
            take(context, text.data, text.length, path);
    }
    if (code == 0 && list.cut)
        probe_note_status(context, "system_package", NULL, parts_path, "malformed",
                          "system_package", "it has more files than were read");
    return true;
}

bool system_package_dpkg(struct probe_context *context)
{
    bool status = read_status(context);
    bool parts = read_parts(context);
    return status || parts;
}
