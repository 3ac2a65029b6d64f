/* The library that a driver's file names: whose it is, and where it lies. */
#ifndef SYSTEM_ICD_LIBRARY_H
#define SYSTEM_ICD_LIBRARY_H

#include "probe/probe.h"

/* "nvidia", "mesa", ... of the library's name. */
const char *icd_vendor(const char *library);

/* Its path; "none" where it is not there; NULL where that cannot be told. `folder` is where the
 * file lies that names it, `prefix` the conda environment that the file belongs to (or NULL). A
 * path with a "/" in it is relative to the folder. */
const char *icd_library_path(struct probe_context *context, const char *library, const char *folder,
                             const char *prefix);

#endif
