/* What a kernel module says of itself: "key=value" texts, each ended by a NUL, in its section
 * .modinfo. */
#ifndef PARSE_MODINFO_H
#define PARSE_MODINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "parse/elf_head.h"

/* From the arena; NULL where the module does not say. */
struct modinfo {
    char *version;  /* "580.95.05"; of the GPU driver only */
    char *license;  /* "Dual MIT/GPL", "NVIDIA" */
    char *vermagic; /* the kernel release alone: "6.8.0-60-generic" */
};

enum { MODINFO_TEXT_MAX = 256 };

/* Takes what the bytes hold and `ret` does not have yet. They may be a section or any piece of a
 * module, and begin and end anywhere: a text counts only between two NULs (or at the very start,
 * where `whole`). */
void parse_modinfo(const char *data, size_t size, bool whole, struct arena *arena,
                   struct modinfo *ret);

/* Whether all three are there. */
bool modinfo_complete(const struct modinfo *modinfo);

/* Whether the last bytes of a module are the mark of an appended signature. */
enum { MODULE_SIGNATURE_MARK = 28 };
bool module_is_signed(const char *tail, size_t size);

#endif
