#include "engine/image_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { CHUNK = 4096 };

/* A VFS of its own for each image, since that is what xOpen() is given. */
struct image_file {
    sqlite3_vfs vfs;
    char name[48];
    const unsigned char *image;
    sqlite3_int64 image_size, size; /* as it is now */
    unsigned char **chunks;         /* what was written; NULL: as in the image, or zero */
    size_t chunk_count;
};

struct handle {
    sqlite3_file base;
    struct image_file *file;
};

static struct image_file *file_of(sqlite3_file *handle)
{
    return ((struct handle *)handle)->file;
}

/* --- reading and writing --- */

/* The bytes of a chunk that the image has. */
static size_t image_bytes(const struct image_file *file, size_t at)
{
    sqlite3_int64 start = (sqlite3_int64)at * CHUNK, left = file->image_size - start;
    return left <= 0 ? 0 : left < CHUNK ? (size_t)left : CHUNK;
}

static void read_chunk(const struct image_file *file, size_t at, size_t from, unsigned char *out,
                       size_t length)
{
    if (at < file->chunk_count && file->chunks[at]) {
        memcpy(out, file->chunks[at] + from, length);
        return;
    }
    size_t have = image_bytes(file, at), known = have > from ? have - from : 0;
    if (known > length)
        known = length;
    if (known)
        memcpy(out, file->image + at * CHUNK + from, known);
    memset(out + known, 0, length - known);
}

static int read_bytes(sqlite3_file *handle, void *data, int count, sqlite3_int64 offset)
{
    struct image_file *file = file_of(handle);
    unsigned char *out = data;
    sqlite3_int64 end = offset + count;
    for (sqlite3_int64 at = offset; at < end;) {
        size_t from = (size_t)(at % CHUNK);
        size_t length = CHUNK - from < (size_t)(end - at) ? CHUNK - from : (size_t)(end - at);
        read_chunk(file, (size_t)(at / CHUNK), from, out, length);
        out += length;
        at += (sqlite3_int64)length;
    }
    if (end <= file->size)
        return SQLITE_OK;
    sqlite3_int64 there = file->size > offset ? file->size - offset : 0;
    memset((unsigned char *)data + there, 0, (size_t)(count - there));
    return SQLITE_IOERR_SHORT_READ;
}

/* Memory is SQLite's, so that its limit holds for what is written. */
static unsigned char *own_chunk(struct image_file *file, size_t at)
{
    if (at >= file->chunk_count) {
        size_t count = at + 1 + file->chunk_count / 2;
        unsigned char **chunks = sqlite3_realloc64(file->chunks, count * sizeof *chunks);
        if (!chunks)
            return NULL;
        memset(chunks + file->chunk_count, 0, (count - file->chunk_count) * sizeof *chunks);
        file->chunks = chunks;
        file->chunk_count = count;
    }
    if (!file->chunks[at]) {
        unsigned char *chunk = sqlite3_malloc64(CHUNK);
        if (!chunk)
            return NULL;
        read_chunk(file, at, 0, chunk, CHUNK);
        file->chunks[at] = chunk;
    }
    return file->chunks[at];
}

static int write_bytes(sqlite3_file *handle, const void *data, int count, sqlite3_int64 offset)
{
    struct image_file *file = file_of(handle);
    const unsigned char *in = data;
    sqlite3_int64 end = offset + count;
    for (sqlite3_int64 at = offset; at < end;) {
        size_t from = (size_t)(at % CHUNK);
        size_t length = CHUNK - from < (size_t)(end - at) ? CHUNK - from : (size_t)(end - at);
        unsigned char *chunk = own_chunk(file, (size_t)(at / CHUNK));
        if (!chunk)
            return SQLITE_IOERR_NOMEM;
        memcpy(chunk + from, in, length);
        in += length;
        at += (sqlite3_int64)length;
    }
    if (end > file->size)
        file->size = end;
    return SQLITE_OK;
}

/* What is cut off must not come back from the image when the file grows again. */
static int truncate_at(sqlite3_file *handle, sqlite3_int64 size)
{
    struct image_file *file = file_of(handle);
    for (sqlite3_int64 at = size; at < file->size; at += CHUNK - at % CHUNK) {
        size_t i = (size_t)(at / CHUNK), from = (size_t)(at % CHUNK);
        if (i < file->chunk_count && file->chunks[i])
            memset(file->chunks[i] + from, 0, CHUNK - from);
    }
    if (size < file->image_size && size % CHUNK && !own_chunk(file, (size_t)(size / CHUNK)))
        return SQLITE_IOERR_NOMEM;
    if (size < file->image_size) {
        size_t from = (size_t)(size % CHUNK);
        if (from)
            memset(file->chunks[size / CHUNK] + from, 0, CHUNK - from);
        file->image_size = size - (sqlite3_int64)from;
    }
    file->size = size;
    return SQLITE_OK;
}

static int size_now(sqlite3_file *handle, sqlite3_int64 *ret)
{
    *ret = file_of(handle)->size;
    return SQLITE_OK;
}

/* --- what a file in memory need not do --- */

static int close_handle(sqlite3_file *handle)
{
    (void)handle;
    return SQLITE_OK;
}

static int with_flags(sqlite3_file *handle, int flags) /* xSync, xLock, xUnlock */
{
    (void)handle;
    (void)flags;
    return SQLITE_OK;
}

static int nobody_locks(sqlite3_file *handle, int *ret)
{
    (void)handle;
    *ret = 0;
    return SQLITE_OK;
}

static int no_control(sqlite3_file *handle, int operation, void *argument)
{
    (void)handle;
    (void)operation;
    (void)argument;
    return SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *handle)
{
    (void)handle;
    return CHUNK;
}

static int characteristics(sqlite3_file *handle)
{
    (void)handle;
    return SQLITE_IOCAP_ATOMIC | SQLITE_IOCAP_POWERSAFE_OVERWRITE | SQLITE_IOCAP_SAFE_APPEND |
           SQLITE_IOCAP_SEQUENTIAL;
}

static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = close_handle,
    .xRead = read_bytes,
    .xWrite = write_bytes,
    .xTruncate = truncate_at,
    .xSync = with_flags,
    .xFileSize = size_now,
    .xLock = with_flags,
    .xUnlock = with_flags,
    .xCheckReservedLock = nobody_locks,
    .xFileControl = no_control,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
};

/* --- the VFS --- */

/* The one file there is: a journal or a temporary file has no business here. */
static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *handle, int flags,
                     int *ret_flags)
{
    (void)name;
    handle->pMethods = NULL;
    if (!(flags & SQLITE_OPEN_MAIN_DB))
        return SQLITE_CANTOPEN;
    ((struct handle *)handle)->file = vfs->pAppData;
    handle->pMethods = &methods;
    if (ret_flags)
        *ret_flags = flags;
    return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int sync)
{
    (void)vfs;
    (void)name;
    (void)sync;
    return SQLITE_IOERR_DELETE_NOENT;
}

static int is_there(sqlite3_vfs *vfs, const char *name, int flags, int *ret)
{
    (void)vfs;
    (void)name;
    (void)flags;
    *ret = 0;
    return SQLITE_OK;
}

static int full_name(sqlite3_vfs *vfs, const char *name, int size, char *ret)
{
    (void)vfs;
    snprintf(ret, (size_t)size, "%s", name);
    return SQLITE_OK;
}

int image_file_open(const void *image, size_t size, struct image_file **ret, sqlite3 **ret_db)
{
    struct image_file *file = xcalloc(1, sizeof *file);
    *ret = file;
    *ret_db = NULL;
    const sqlite3_vfs *system = sqlite3_vfs_find(NULL);
    if (!system)
        return SQLITE_ERROR;
    file->image = image;
    file->image_size = file->size = (sqlite3_int64)size;
    snprintf(file->name, sizeof file->name, "image-%p", (void *)file);
    file->vfs = *system; /* its clock */
    file->vfs.iVersion = 1;
    file->vfs.szOsFile = (int)sizeof(struct handle);
    file->vfs.pNext = NULL;
    file->vfs.zName = file->name;
    file->vfs.pAppData = file;
    file->vfs.xOpen = open_file;
    file->vfs.xDelete = delete_file;
    file->vfs.xAccess = is_there;
    file->vfs.xFullPathname = full_name;
    int rc = sqlite3_vfs_register(&file->vfs, 0);
    return rc != SQLITE_OK
               ? rc
               : sqlite3_open_v2("rules", ret_db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                                 file->name);
}

void image_file_free(struct image_file *file)
{
    if (!file)
        return;
    sqlite3_vfs_unregister(&file->vfs);
    for (size_t i = 0; i < file->chunk_count; i++)
        sqlite3_free(file->chunks[i]);
    sqlite3_free(file->chunks);
    free(file);
}
