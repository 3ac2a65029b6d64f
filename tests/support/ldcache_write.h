/* Writes a loader cache as ldconfig of glibc 2.32 and newer does: format "glibc-ld.so.cache1.1",
 * without the older table in front. Source of the format: glibc, sysdeps/generic/dl-cache.h. */
#ifndef TESTS_SUPPORT_LDCACHE_WRITE_H
#define TESTS_SUPPORT_LDCACHE_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum {
    LDCACHE_I386 = 0x0003,    /* FLAG_ELF_LIBC6 */
    LDCACHE_X86_64 = 0x0303,  /* with FLAG_X8664_LIB64 */
    LDCACHE_AARCH64 = 0x0a03, /* with FLAG_AARCH64_LIB64 */
};

struct ldcache_entry {
    const char *soname;
    const char *path;
    int32_t flags; /* LDCACHE_*, or any other value of the field */
};

/* Appends the cache's bytes. Entries are written in the order given (ldconfig sorts them in
 * descending order, and glibc's search relies on it). `generator` is the text of ldconfig's own
 * name and version; NULL: no such extension. */
void ldcache_write(const struct ldcache_entry *entries, size_t count, const char *generator,
                   struct text *out);

#endif
