/* /etc/ld.so.cache (format: glibc, sysdeps/generic/dl-cache.h): a pure parser over hostile bytes.
 */
#ifndef PARSE_LDCACHE_H
#define PARSE_LDCACHE_H

#include <stdbool.h>
#include <stddef.h>

/* A cache that was found sound as far as its header goes; borrows the bytes. */
struct ld_cache {
    const char *base; /* the new header, from which offsets count */
    size_t size;      /* bytes from there on */
    size_t count;     /* entries, all of which lie inside */
};

struct ld_cache_row {
    const char *soname, *path; /* borrowed from the bytes */
    const char *arch;          /* "x86_64", "i386", "aarch64", ...; NULL for one not known here */
};

/* 0, or -EBADMSG; *ret_why is a sentence then. */
int ld_cache_open(const char *data, size_t size, struct ld_cache *ret, const char **ret_why);
/* False for an entry that is no shared library, or whose strings lie outside. */
bool ld_cache_entry(const struct ld_cache *cache, size_t number, struct ld_cache_row *ret);

#endif
