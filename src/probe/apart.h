/* Work of probes that goes on in threads of its own while other probes run. */
#ifndef PROBE_APART_H
#define PROBE_APART_H

#include "probe/probe.h"

struct apart;

/* Calls run() and, where that leaves work, starts it; *ret_code is what run() returned. NULL where
 * all is done. Where no thread can be started the work is done at once. */
struct apart *apart_start(const struct probe *probe, struct probe_context *context, int *ret_code);

bool apart_has_ended(struct apart *apart);

/* Waits for its end, tells its progress meanwhile, adds its rows to the facts of the context that
 * it was started with, and frees it. Returns how many milliseconds the work took. */
double apart_finish(struct apart *apart);

#endif
