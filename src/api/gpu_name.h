/* A GPU as somebody writes it on a command line: its compute capability or its name. */
#ifndef API_GPU_NAME_H
#define API_GPU_NAME_H

#include "base/compute_capability.h"
#include "engine/engine.h"

/* "8.6", "86", "sm_86", or a name or chip that the matrix knows: "RTX 4090", "h200", "Jetson Orin",
 * "AD102"; all words of it must stand in the GPU's full name, case and "NVIDIA" aside. 0, or
 * -EINVAL with a sentence that names what it may be. */
int gpu_from_name(struct engine *engine, const char *text, struct compute_capability *ret,
                  struct error *err);

#endif
