/* Versions of NVIDIA's driver as Windows writes them. */
#ifndef PARSE_WINDOWS_DRIVER_H
#define PARSE_WINDOWS_DRIVER_H

#include <stddef.h>

#include "base/arena.h"
#include "base/span.h"

/* The number that NVIDIA gives its driver: the last five digits of Windows' four numbers,
 * "32.0.15.6590" is "565.90". NULL where the text is none such. */
char *windows_driver_number(struct span version, struct arena *arena);

/* The driver of an INF file, from its line "DriverVer = 10/16/2024, 32.0.15.6590" in the section
 * [Version]; NULL where it has none. `text` is the file's head, decoded. */
char *parse_inf_driver(struct span text, struct arena *arena);

#endif
