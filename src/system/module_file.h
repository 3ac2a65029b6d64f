/* What the parts that read kernel modules share. */
#ifndef SYSTEM_MODULE_FILE_H
#define SYSTEM_MODULE_FILE_H

#include "parse/modinfo.h"
#include "system/kernel.h"

struct module_facts {
    struct modinfo info;
    struct opt is_signed;
};

/* The section .modinfo and the end of an uncompressed module. 0 or a negative errno; -EBADMSG when
 * it is no module. */
int module_file_read_elf(struct probe_context *context, const char *path, struct module_facts *ret);

/* Fills version, version_from and flavour, as far as path, DKMS and packages tell; reads the row's
 * path. The flavour is that of the driver, which its modules' licences need not be. */
void module_file_read_names(struct probe_context *context, const struct kernel_entry *kernel,
                            struct row_module_file *row);

/* Decompresses (gz, xz, zst) until all is found, `to_end` until the signature is seen too. This
 * takes up to half a second. 0 or a negative errno; -EBADMSG for what does not decompress or says
 * nothing, -EFBIG for what is larger than any module, -ENOTSUP where the library lacks the format,
 * -ETIMEDOUT. */
int module_file_read_compressed(struct probe_context *context, const char *path, bool to_end,
                                struct module_facts *ret);

#endif
