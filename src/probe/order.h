/* The order of probes, from their phases and the tables they read and write. */
#ifndef PROBE_ORDER_H
#define PROBE_ORDER_H

#include "probe/probe.h"

enum { PROBES_MAX = 64 };

/* Puts `count` (at most PROBES_MAX) probes in order into `ret`, a place for as many. Returns how
 * many come first so that the driver can be asked, with those that ask it.
 *
 * A probe comes after all that write a table it reads, as far as these are of an earlier phase, or
 * of its own and do not wait. Among those whose turn it could be: what an active probe needs comes
 * first, so that the driver is asked early; then active probes; then the rest in the order given;
 * what waits comes last. Where probes need each other in a circle the order given decides. */
size_t probes_order(const struct probe *const *probes, size_t count, const struct probe **ret);

/* Puts into `ret`, a place for `count`, those probes that write one of the `tables` and, again and
 * again, those that write what these read, in the order given; returns how many. `without` (may be
 * NULL) are tables that nobody asks for: they stay empty, unless who writes them writes others that
 * are wanted as well. Both lists are separated by spaces. */
size_t probes_needed(const struct probe *const *probes, size_t count, const char *tables,
                     const char *without, const struct probe **ret);

/* Whether the space-separated `list` (may be NULL) has the word. */
bool word_in_list(const char *list, const char *word, size_t length);

#endif
