/* RPM's database: it has one of three forms, in one of three folders. */
#include <string.h>

#include "base/cleanup.h"
#include "base/read.h"
#include "parse/rpm_header.h"
#include "parse/rpm_ndb.h"
#include "probe/look.h"
#include "system/system_package.h"

static const char *const folders[] = {"/usr/lib/sysimage/rpm", "/var/lib/rpm", "/usr/share/rpm"};
enum { FOLDER_COUNT = sizeof folders / sizeof folders[0] };

/* "3:580.95.05-1.el9" as the manager writes it */
static struct span full_version(struct arena *arena, const struct rpm_header *header)
{
    if (!header->version.data)
        return (struct span){0};
    const char *epoch = header->epoch.known && header->epoch.value
                            ? arena_printf(arena, "%lld:", (long long)header->epoch.value)
                            : "";
    const char *text =
        arena_printf(arena, "%s%.*s%s%.*s", epoch, (int)header->version.length,
                     header->version.data, header->release.length ? "-" : "",
                     (int)header->release.length, header->release.data ? header->release.data : "");
    return (struct span){text, strlen(text)};
}

bool system_package_rpm_header(struct probe_context *context, const char *path, const char *data,
                               size_t size)
{
    struct rpm_header header;
    if (!rpm_header_parse(data, size, &header))
        return false;
    const char *kind = gpu_package_kind(header.name);
    if (kind)
        system_package_add(context, &(struct package_seen){
                                        .name = header.name,
                                        .kind = kind,
                                        .version = full_version(context->arena, &header),
                                        .bare = header.version,
                                        .arch = header.arch,
                                        .manager = "rpm",
                                        .state = "installed",
                                        .path = path,
                                    });
    return true;
}

/* --- ndb --- */

struct ndb {
    struct probe_context *context;
    const char *path;
    int fd;
    size_t packages, bad;
};

static void read_blob(struct ndb *ndb, uint32_t package, uint64_t offset)
{
    char data[NDB_BLOB + RPM_HEADER_HEAD];
    uint32_t length;
    ssize_t n = read_at(ndb->fd, data, NDB_PAGE, offset);
    bool good = n >= NDB_BLOB && ndb_blob(data, package, &length);
    size_t size = good ? (size_t)n - NDB_BLOB : 0;
    if (good && length < size)
        size = length;
    /* the first page has the name of nearly every package, and its version */
    good = good && system_package_rpm_header(ndb->context, ndb->path, data + NDB_BLOB, size);
    if (!good && n == NDB_PAGE && ndb_blob(data, package, &length)) {
        n = read_at(ndb->fd, data, sizeof data, offset);
        size = n > NDB_BLOB ? (size_t)n - NDB_BLOB : 0;
        size = length < size ? length : size;
        good = system_package_rpm_header(ndb->context, ndb->path, data + NDB_BLOB, size);
    }
    ndb->packages += good;
    ndb->bad += !good;
}

static void read_page(struct ndb *ndb, uint32_t page)
{
    char data[NDB_PAGE];
    ssize_t n = read_at(ndb->fd, data, sizeof data, (uint64_t)page * NDB_PAGE);
    if (n < NDB_PAGE) {
        ndb->bad++;
        return;
    }
    for (size_t at = page ? 0 : NDB_HEADER; at < NDB_PAGE; at += NDB_SLOT) {
        uint32_t package;
        uint64_t offset;
        if (ndb->packages + ndb->bad >= PACKAGES_MAX)
            return;
        if (!ndb_slot(data + at, &package, &offset))
            ndb->bad++;
        else if (offset)
            read_blob(ndb, package, offset);
    }
}

void system_package_rpm_ndb(struct probe_context *context, const char *path)
{
    CLEANUP_CLOSE int fd = -1;
    char header[NDB_HEADER];
    uint32_t pages = 0;
    int code = machine_open(context->machine, path, &fd);
    ssize_t n = code == 0 ? read_at(fd, header, sizeof header, 0) : code;
    struct ndb ndb = {.context = context, .path = path, .fd = fd};
    if (n >= 0 && ndb_header(header, (size_t)n, &pages))
        for (uint32_t page = 0; page < pages; page++)
            read_page(&ndb, page);
    if (n < 0)
        probe_note(context, "system_package", NULL, path, (int)n, "system_package", NULL);
    else if (ndb.bad || !ndb.packages)
        probe_note_status(context, "system_package", NULL, path, "malformed", "system_package",
                          ndb.packages ? "some of its packages could not be read"
                                       : "it lists no package that can be read");
    else
        probe_note(context, "system_package", NULL, path, 0, "system_package", NULL);
}

/* --- which form --- */

static bool read_folder(struct probe_context *context, const char *folder)
{
    const char *path = arena_printf(context->arena, "%s/rpmdb.sqlite", folder);
    if (machine_exists(context->machine, path)) {
        system_package_rpm_sqlite(context, path);
        return true;
    }
    path = arena_printf(context->arena, "%s/Packages.db", folder);
    if (machine_exists(context->machine, path)) {
        system_package_rpm_ndb(context, path);
        return true;
    }
    path = arena_printf(context->arena, "%s/Packages", folder);
    if (!machine_exists(context->machine, path))
        return false;
    probe_note_status(context, "system_package", NULL, path, "skipped", "system_package",
                      "it is a Berkeley DB, of RPM before 4.16, which is not read here");
    return true;
}

/* /var/lib/rpm is often a link into /usr, so the first that has one is the only one. */
bool system_package_rpm(struct probe_context *context)
{
    for (size_t i = 0; i < FOLDER_COUNT; i++)
        if (read_folder(context, folders[i]))
            return true;
    return false;
}
