/* A 64-bit little-endian ELF file that is open for reading, or a piece of a file that is one (a
 * member of an archive). Everything is read by pread() through a small cache of blocks: a file may
 * be gigabytes, may shrink while it is read (which a mapping would answer with SIGBUS), and may say
 * anything in its headers. Nothing here is shared between files: each may be read in a thread of
 * its own. */
#ifndef ELF_FILE_H
#define ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"

enum { ELF_SEGMENTS_MAX = 1024, ELF_SECTIONS_MAX = 64 * 1024 };

struct elf_blocks; /* what has been read */

struct elf_file {
    int fd;                              /* borrowed */
    uint64_t start, size;                /* the piece, in bytes of the file */
    uint64_t bytes_read;                 /* out of the file so far */
    uint64_t lookups;                    /* symbols, hashes and versions that were compared so far,
                                            to look up names */
    Elf64_Ehdr header;                   /* as it stands in the file, of another class too; zero
                                            where the file ends before */
    size_t segment_count, section_count; /* within the caps, and inside the file */
    bool sections_cut;                   /* there are more than are counted */
    uint64_t hash_at;                    /* table of hashes whose header was read last; 0: none */
    uint32_t hash_header[4];
    int error; /* a negative errno once reading has failed; 0 before. What could not be read looks
                  as if it were not there */
    struct elf_blocks *blocks;
};

/* Reads the header. `size` is that of the piece. 0; -ENOEXEC for what is no ELF file, -EBADMSG with
 * a sentence for a broken one and for one of another class or byte order, a negative errno of
 * reading. elf_file_done() in any case. */
int elf_file_open(struct elf_file *file, int fd, uint64_t start, uint64_t size, struct error *err);
void elf_file_done(struct elf_file *file); /* does not close the descriptor */
/* Gives up what was read but for the headers: the file stays open, to be read again. */
void elf_file_forget(struct elf_file *file);
#define CLEANUP_ELF CLEANUP(elf_file_done)

/* Up to `size` bytes from this offset of the piece: how many, less only at its end, or a negative
 * errno. */
ssize_t elf_file_read(struct elf_file *file, void *buffer, size_t size, uint64_t offset);
/* The same, all or nothing: false where the piece ends before, or reading fails. */
bool elf_file_get(struct elf_file *file, void *buffer, size_t size, uint64_t offset);

/* Whether these bytes stand there. */
bool elf_file_is(struct elf_file *file, uint64_t offset, const void *bytes, size_t size);
/* Replaces the text by the one that stands there, without its NUL, which must come within `most`
 * bytes; false where it does not. */
bool elf_file_string(struct elf_file *file, uint64_t offset, size_t most, struct text *ret);

/* The text that stands there, NULL as above: the file's own copy of it where one block holds it,
 * else `room`. Valid until more is read. */
const char *elf_file_text(struct elf_file *file, uint64_t offset, size_t most, struct text *room,
                          size_t *ret_length);

/* Headers by number; false past the end. Sizes and offsets in them are what the file says. */
bool elf_file_segment(const struct elf_file *file, size_t number, Elf64_Phdr *ret);
bool elf_file_section(struct elf_file *file, size_t number, Elf64_Shdr *ret);
/* Whether all section headers that the file's own header tells of are zeros: they stand at the end,
 * which was not written, while the size is right. The first is zeros in any file. */
bool elf_file_sections_are_zeros(struct elf_file *file);
/* A section's name, cut to the buffer and ended by NUL; false where it lies outside. */
bool elf_file_section_name(struct elf_file *file, const Elf64_Shdr *section, char *buffer,
                           size_t size);
/* The first section of that name. */
bool elf_file_section_named(struct elf_file *file, const char *name, Elf64_Shdr *ret);
/* Where in the piece the byte of a virtual address lies; false when no loaded segment holds it. */
bool elf_file_offset(const struct elf_file *file, uint64_t address, uint64_t *ret);

#endif
