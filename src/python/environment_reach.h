/* What the table of mounts says of an environment's folders. */
#ifndef PYTHON_ENVIRONMENT_REACH_H
#define PYTHON_ENVIRONMENT_REACH_H

#include "probe/reach.h"

/* "network" or "local"; NULL where no table of mounts was read, or where a FUSE program that
 * is not known serves the files. */
const char *reach_fs_type(const struct reach *reach, const char *prefix);
/* Whether this user may add files to the folder; unknown on other machines than this one. */
struct opt reach_is_writable(const struct reach *reach, const char *folder);

#endif
