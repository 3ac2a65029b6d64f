/* Files that name a driver's library to the loaders of OpenCL, EGL and Vulkan. */
#ifndef PARSE_ICD_JSON_H
#define PARSE_ICD_JSON_H

#include <stddef.h>

#include "base/arena.h"

/* {"ICD": {"library_path": "libEGL_nvidia.so.0"}} of libglvnd, egl_external_platform.d and Vulkan's
 * loader; NULL where it is no such document. */
char *parse_icd_json(const char *data, size_t size, struct arena *arena);

/* The one line of OpenCL's NAME.icd; NULL where it is empty or no text. */
char *parse_icd_line(const char *data, size_t size, struct arena *arena);

#endif
