/* A conda-meta file of the machine, scanned as it is read. */
#ifndef PYTHON_READ_CONDA_META_H
#define PYTHON_READ_CONDA_META_H

#include <stdint.h>

#include "machine/machine.h"
#include "parse/conda_meta.h"

/* 0 or a negative errno, of machine_open() or of conda_meta_scan(). conda_meta_done() in any case.
 * The bytes that were read are added to *bytes. */
int conda_meta_read(const struct machine *machine, const char *path, struct arena *arena,
                    struct conda_meta *ret, uint64_t *bytes);

#endif
