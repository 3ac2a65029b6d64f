/* Which entries of the loader's cache become facts. */
#ifndef SYSTEM_LOADER_CACHE_H
#define SYSTEM_LOADER_CACHE_H

#include <stdbool.h>

/* Names of the driver's and CUDA's libraries, and of those that OpenCL's, EGL's and Vulkan's
 * loaders are told to load. */
bool loader_cache_keeps(const char *soname);

#endif
