/* Folders in which the driver's libraries may lie. */
#ifndef SYSTEM_DRIVER_PLACES_H
#define SYSTEM_DRIVER_PLACES_H

#include "probe/probe.h"

struct driver_place {
    const char *folder;
    const char *found_by; /* "LD_LIBRARY_PATH" or "place" */
    bool standard;        /* an installer's own folder: files without the soname's link count too */
};

enum { DRIVER_PLACES_MAX = 256 };
struct driver_places {
    struct driver_place items[DRIVER_PLACES_MAX]; /* strings from the context's arena */
    size_t count;
};

/* The elements of LD_LIBRARY_PATH, as the loader splits it, but for those on other machines: a row
 * under the name of the probe, which is that of its table too, tells of these (NULL: another
 * tells).
 */
void driver_places_of_loader(struct probe_context *context, const char *name,
                             struct driver_places *ret);
/* Known folders, those that the loader searches by itself first, but for those on other machines.
 * Returns the first of these (from the context's arena), NULL where there is none. */
const char *driver_places_known(struct probe_context *context, struct driver_places *ret);

#endif
