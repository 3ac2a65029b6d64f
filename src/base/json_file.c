#include "base/json_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

static int read_all(int fd, size_t cap, struct bytes *ret)
{
    size_t capacity = 0;
    struct bytes bytes = {0};
    for (;;) {
        bytes.data = xgrow(bytes.data, &capacity, bytes.length + 64 * 1024 + 1, 1);
        ssize_t n = read(fd, bytes.data + bytes.length, 64 * 1024);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || bytes.length > cap) {
            int code = n < 0 ? -errno : -EFBIG;
            bytes_done(&bytes);
            return code;
        }
        bytes.length += (size_t)n;
        bytes.data[bytes.length] = '\0';
        if (n == 0)
            break;
    }
    *ret = bytes;
    return 0;
}

static int too_large(const char *path, size_t cap, struct error *err)
{
    return error_set(err, -EFBIG, "%s: larger than %zu bytes", path, cap);
}

int file_read(const char *path, size_t cap, struct bytes *ret, struct error *err)
{
    struct stat status;
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &status) < 0)
        return error_set(err, -errno, "%s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return error_set(err, -EINVAL, "%s: not a regular file", path);
    if ((uint64_t)status.st_size > cap)
        return too_large(path, cap, err);
    int code = read_all(fd, cap, ret);
    if (code == -EFBIG)
        return too_large(path, cap, err);
    return code < 0 ? error_set(err, code, "%s: %s", path, strerror(-code)) : 0;
}

int json_read_file(const char *path, json_t **ret, struct error *err)
{
    CLEANUP_BYTES struct bytes bytes = {0};
    int code = file_read(path, JSON_FILE_CAP, &bytes, err);
    if (code < 0)
        return code;
    json_error_t where;
    *ret = json_loadb(bytes.data, bytes.length, JSON_REJECT_DUPLICATES, &where);
    if (!*ret)
        return error_set(err, -EINVAL, "%s:%d:%d: %s", path, where.line, where.column, where.text);
    return 0;
}
