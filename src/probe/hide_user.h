/* Paths without the names of people in them. */
#ifndef PROBE_HIDE_USER_H
#define PROBE_HIDE_USER_H

#include "probe/probe.h"

/* The path with "<user>" in place of a user's name: behind /home/, /Users/ and C:\Users\, in the
 * home folder wherever it is, and wherever a component is the name of who runs the check. NULL for
 * NULL; from the arena. */
const char *hide_user(const struct probe_context *context, const char *path);
/* The same for a sentence with paths in it. */
const char *hide_user_in_text(const struct probe_context *context, const char *text);

#endif
