/* Which files hold the device code of an environment's frameworks, as their descriptors say. */
#ifndef LIBRARY_DEVICE_FIND_H
#define LIBRARY_DEVICE_FIND_H

#include "probe/reach.h"

struct device_owner {
    const char *environment_id, *framework_id; /* NULL: a file that was named */
    const char *path;
    bool is_open; /* the path stands for files that may be there and are not known */
};

struct device_owners {
    struct device_owner *items;
    size_t count, capacity;
    bool is_cut; /* there were more than are kept */
};

/* Adds the files of all frameworks that are there, those of a framework by path. Texts are the
 * arena's. A descriptor or folder that cannot be read is noted. */
void device_owners_find(struct probe_context *context, struct reach *reach,
                        struct device_owners *ret);
void device_owners_add(struct device_owners *owners, const char *environment_id,
                       const char *framework_id, const char *path);
void device_owners_done(struct device_owners *owners);

#endif
