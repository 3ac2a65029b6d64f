/* Writes containers of device code, whose payloads are zeros: docs/device-code.md tells the format.
 * Fields that a test does not set have the values that compilers write. */
#ifndef TESTS_SUPPORT_FATBIN_WRITE_H
#define TESTS_SUPPORT_FATBIN_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

enum fatbin_kind { FATBIN_PTX = 1, FATBIN_CUBIN = 2, FATBIN_LTO = 8 };
enum { FATBIN_WRAPPER_SIZE = 24 };

struct fatbin_entry {
    unsigned kind; /* enum fatbin_kind, or one that is not known */
    unsigned sm;
    char suffix; /* 'a', 'f' or 0 */
    unsigned isa_major, isa_minor;
    unsigned version;     /* 0: 0x0101 */
    uint32_t header_size; /* 0: 64 for cubins below sm_100, 72 for others, 112 for newer cubins */
    uint64_t size;        /* of the payload; 0: 4096 */
    uint64_t unpacked;    /* when it is compressed; else 0 */
};

/* Appends a container of these entries. */
void fatbin_write(const struct fatbin_entry *entries, size_t count, struct text *out);
/* Appends a container's header alone: size is that of what follows. */
void fatbin_write_header(unsigned version, unsigned header_size, uint64_t size, struct text *out);
/* Appends an entry alone. */
void fatbin_write_entry(const struct fatbin_entry *entry, struct text *out);
/* Appends a wrapper, which gives the address of a container. */
void fatbin_write_wrapper(unsigned version, uint64_t address, struct text *out);

/* Reads "sm_90a", "compute_90:8.7" (8.0 when no ISA is given) or "lto_75". -EINVAL for anything
 * else. */
int fatbin_entry_read(const char *text, struct fatbin_entry *ret);

#endif
