/* Notes: small named records that tools leave in an object. */
#ifndef ELF_NOTE_H
#define ELF_NOTE_H

#include "base/arena.h"
#include "base/text.h"
#include "elf/file.h"

/* The build id in a segment of notes, in hexadecimal digits, from the arena; NULL: none. */
const char *elf_note_build_id(struct elf_file *file, const Elf64_Phdr *segment,
                              struct arena *arena);

/* The text in the section .note.cuda.fwd_compatibility of a cuda-compat libcuda: JSON that lists
 * driver branches and GPU classes it may be used with. 1 with *ret (bytes_done() by the caller), 0
 * where there is none, -EBADMSG with a sentence. */
int elf_note_cuda_compat(struct elf_file *file, struct bytes *ret, struct error *err);

#endif
