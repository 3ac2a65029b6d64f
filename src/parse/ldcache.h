/* /etc/ld.so.cache (format: glibc, sysdeps/generic/dl-cache.h): a pure parser over hostile bytes.
 */
#ifndef PARSE_LDCACHE_H
#define PARSE_LDCACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A cache that was found sound as far as its header goes; borrows the bytes. */
struct ld_cache {
    const char *base; /* from here offsets count: the new header, or the old format's strings */
    size_t size;      /* bytes from there on */
    size_t count;     /* entries, all of which lie inside */
    const char *entries;
    size_t entry_size;
    const char *levels; /* offsets of the names of glibc-hwcaps subfolders; NULL: none */
    size_t level_count;
};

struct ld_cache_row {
    const char *soname, *path; /* borrowed from the bytes */
    const char *arch;          /* "x86_64", "i386", "aarch64", ...; NULL for one not known here */
    uint32_t flags;            /* type in the low byte (3: ELF of libc 6), ABI above it */
    uint64_t hwcap;            /* as it stands; 0 for a plain entry */
    const char *level;         /* "x86-64-v3": of a file in a glibc-hwcaps subfolder; NULL: none */
    unsigned isa_level; /* x86: the instructions it needs: 1 baseline, 2 v2, ...; 0: unsaid */
};

/* 0, or -EBADMSG; *ret_why is a sentence then. */
int ld_cache_open(const char *data, size_t size, struct ld_cache *ret, const char **ret_why);
/* False for an entry that is no shared library, or whose strings lie outside. */
bool ld_cache_entry(const struct ld_cache *cache, size_t number, struct ld_cache_row *ret);

#endif
