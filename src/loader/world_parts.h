/* The parts of reading a world; nobody outside of this room includes it. */
#ifndef LOADER_WORLD_PARTS_H
#define LOADER_WORLD_PARTS_H

#include "loader/world.h"

/* "2.36" as 236; 0 where it is not known. */
int world_glibc(const struct machine *machine);

/* Subfolders that depend on the processor, and $PLATFORM. */
void world_read_processor(struct loader_world *world);
/* Default folders and $LIB. */
void world_read_folders(struct loader_world *world);
/* /etc/ld.so.cache; needs the levels. */
void world_read_cache(struct loader_world *world);

/* The loader's own file: PT_INTERP of the usual programs of that architecture. */
const char *world_interpreter(const struct loader_world *world);

#endif
