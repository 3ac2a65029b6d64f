#include "probe/byte_file.h"

#include "base/read.h"

static ssize_t read_file(void *context, void *buffer, size_t size)
{
    struct byte_file *file = context;
    ssize_t got = read_at(file->fd, buffer, size, file->offset);
    file->offset += got > 0 ? (uint64_t)got : 0;
    return got;
}

struct byte_source byte_file_source(struct byte_file *file)
{
    return (struct byte_source){read_file, file};
}
