/* The version that a Windows program or library (PE file) states in its resources. Only headers and
 * the way to the resource are read, some hundred bytes of a file of megabytes. Format: Microsoft's
 * PE specification, "The .rsrc Section", and VS_VERSIONINFO. */
#ifndef PARSE_PE_VERSION_H
#define PARSE_PE_VERSION_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pe_version {
    uint16_t part[4]; /* 10.0.22621.4317 */
};

struct pe_file {
    /* As read_at(): fills the buffer as far as the file goes, or a negative errno. */
    ssize_t (*read)(void *context, void *buffer, size_t size, uint64_t offset);
    void *context;
};

/* The file version. 0; -EBADMSG for what is no PE file or has none; or what `read` said. */
int pe_version_read(const struct pe_file *file, struct pe_version *ret);

#endif
