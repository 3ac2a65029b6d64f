/* The version resource of a Windows program. */
#include <stdint.h>
#include <string.h>

#include "parse/pe_version.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct memory {
    const uint8_t *data;
    size_t size;
};

static ssize_t read_memory(void *context, void *buffer, size_t size, uint64_t offset)
{
    const struct memory *memory = context;
    size_t n = offset < memory->size ? memory->size - (size_t)offset : 0;
    n = n < size ? n : size;
    if (n)
        memcpy(buffer, memory->data + offset, n);
    return (ssize_t)n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memory memory = {data, size};
    struct pe_version version;
    pe_version_read(&(struct pe_file){read_memory, &memory}, &version);
    return 0;
}
