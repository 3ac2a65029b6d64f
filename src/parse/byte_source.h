/* Where a parser that reads piece by piece gets its bytes from. */
#ifndef PARSE_BYTE_SOURCE_H
#define PARSE_BYTE_SOURCE_H

#include <stddef.h>
#include <sys/types.h>

struct byte_source {
    /* Like read(): 0 at the end, negative errno on error. */
    ssize_t (*read)(void *context, void *buffer, size_t size);
    void *context;
};

#endif
