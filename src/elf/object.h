/* What a shared object or program says to the loader, read from its segments as the loader does:
 * section headers are not needed. */
#ifndef ELF_OBJECT_H
#define ELF_OBJECT_H

#include "base/arena.h"
#include "elf/file.h"

enum {
    ELF_NEEDED_MAX = 4096,
    ELF_STRING_MAX = 64 * 1024,        /* an RPATH of Nix has dozens of folders */
    ELF_STRINGS_MAX = 4 * 1024 * 1024, /* all of one object */
    ELF_VERSIONS_MAX = 16 * 1024,
};

/* A version of a library that the object asks for (DT_VERNEED). */
struct elf_version_need {
    const char *file;    /* soname that must define it */
    const char *version; /* node, for example "GLIBC_2.34" */
    uint16_t index;      /* by which symbols refer to it, without the hidden bit */
    bool is_weak;        /* its absence is only a warning (VER_FLG_WEAK) */
};

struct elf_version_definition { /* DT_VERDEF */
    const char *version;
    uint16_t index;
    bool is_base; /* names the file itself */
};

/* Where its dynamic symbols are, as offsets in the file; 0 where it has none. */
struct elf_symbol_tables {
    uint64_t symbols, strings, strings_size, versions /* DT_VERSYM */, gnu_hash, hash;
};

struct elf_object {
    const char *interpreter;     /* PT_INTERP: a program; NULL for a library */
    const char *soname;          /* NULL where it has none */
    const char *rpath, *runpath; /* as written, tokens unexpanded; NULL where it has none */
    const char **needed;         /* in the file's order */
    size_t needed_count;
    uint64_t flags, flags_1; /* DT_FLAGS (DF_*), DT_FLAGS_1 (DF_1_*) */
    bool binds_now;          /* by DT_BIND_NOW, DF_BIND_NOW or DF_1_NOW */
    bool is_dynamic;         /* has a dynamic segment at all */
    bool is_hollow;          /* which names no strings or no symbols: glibc takes such an object
                                without a word and dies of it (SIGSEGV) */
    struct elf_version_need *needs;
    size_t need_count;
    struct elf_version_definition *definitions;
    size_t definition_count;
    struct elf_symbol_tables tables;
    const char *build_id; /* hexadecimal; NULL where it has none */
};

/* Strings and arrays live in `arena`. 0, or -EBADMSG with a sentence; *ret then holds what could be
 * read. */
int elf_object_read(struct elf_file *file, struct arena *arena, struct elf_object *ret,
                    struct error *err);

#endif
