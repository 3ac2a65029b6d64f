#include "base/read.h"

#include <errno.h>
#include <unistd.h>

ssize_t read_at(int fd, void *buffer, size_t size, uint64_t offset)
{
    size_t have = 0;
    if (offset > (uint64_t)INT64_MAX - size)
        return -EINVAL;
    while (have < size) {
        ssize_t n = pread(fd, (char *)buffer + have, size - have, (off_t)(offset + have));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        have += (size_t)n;
    }
    return (ssize_t)have;
}
