/* The list of probes. */
#ifndef API_PROBES_H
#define API_PROBES_H

#include "probe/probe.h"

#define PROBE(name) extern const struct probe probe_##name;
#include "api/probes.def"
#undef PROBE

/* All of them, in no order. */
const struct probe *const *probes_all(size_t *ret_count);

#endif
