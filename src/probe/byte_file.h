/* A file of the machine as a source of bytes for a parser that reads piece by piece. */
#ifndef PROBE_BYTE_FILE_H
#define PROBE_BYTE_FILE_H

#include <stdint.h>

#include "parse/byte_source.h"

struct byte_file {
    int fd; /* borrowed */
    uint64_t offset;
};

struct byte_source byte_file_source(struct byte_file *file);

#endif
