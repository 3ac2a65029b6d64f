/* Writes small shared objects for recorded machines: headers, dynamic section, dynamic symbols
 * with versions, section headers. They hold no code beyond one `return`, so a loader, readelf and
 * libelf take them for what they say they are. Format: System V ABI (gabi), chapters 4 and 5; the
 * symbol versions as in the LSB core specification. */
#ifndef TESTS_SUPPORT_ELF_WRITE_H
#define TESTS_SUPPORT_ELF_WRITE_H

#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

/* A dynamic symbol. An empty name stands for the version node alone. */
struct elf_symbol {
    const char *name;
    const char *version; /* NULL: without a version */
    const char *library; /* undefined symbols: soname that bears the version; NULL without one */
};

/* Where a container of device code stands. */
enum elf_device_place {
    ELF_DEVICE_LINKED,      /* .nv_fatbin */
    ELF_DEVICE_STUB,        /* .nv_fatbin, as the result of a device link */
    ELF_DEVICE_RELOCATABLE, /* __nv_relfatbin */
    ELF_DEVICE_DATA         /* .lrodata, without a wrapper */
};

struct elf_device {
    enum elf_device_place place;
    const char *bytes; /* of one container: see fatbin_write.h */
    size_t size;
};

enum elf_write_machine { ELF_WRITE_X86_64, ELF_WRITE_AARCH64, ELF_WRITE_I386 };

struct elf_spec {
    enum elf_write_machine machine;
    int class_bits;                       /* 32 or 64 */
    const char *soname, *rpath, *runpath; /* NULL: no such entry */
    const char *const *needed;
    size_t needed_count;
    const struct elf_symbol *defined, *undefined;
    size_t defined_count, undefined_count;
    bool uses_functions;             /* what is undefined is known to be functions */
    const char *compat_note;         /* the text of a cuda-compat libcuda's ELF note; NULL: none */
    const struct elf_device *device; /* 64-bit objects only */
    size_t device_count;
};

/* Appends the object's bytes to `out`. -EINVAL: a version names no library, there are more
 * symbols or versions than the format can count, or device code in a 32-bit object. */
int elf_write(const struct elf_spec *spec, struct text *out, struct error *err);

/* Appends the low `size` bytes (1 to 8) of the value, least significant first. */
void put_little_endian(struct text *out, unsigned long long value, size_t size);
/* Writes them over what stands at `at`; nothing past the end. */
void set_little_endian(struct text *text, size_t at, unsigned long long value, size_t size);

#endif
