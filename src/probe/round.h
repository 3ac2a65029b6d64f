/* One round of probes, in two parts: the driver can be asked before there is anything to judge its
 * answer by. */
#ifndef PROBE_ROUND_H
#define PROBE_ROUND_H

#include "probe/probe.h"

struct probe_round;

/* Runs the probes that an active one needs, and that one, which asks the driver; where none does,
 * nothing. The context must outlive the round. It may be given other facts, with the rows of these,
 * and descriptors before the round goes on. */
struct probe_round *probe_round_begin(const struct probe *const *probes, size_t count,
                                      struct probe_context *context);
/* Runs all others, as probes_run() has it, and ends the round. */
int probe_round_end(struct probe_round *round);
/* Ends it without them: takes back what was asked. NULL is fine. */
void probe_round_cancel(struct probe_round *round);

#endif
