/* Recorded machines: a text manifest becomes the tree that `gpudoctor check --root` reads. */
#ifndef TESTS_SUPPORT_MANIFEST_H
#define TESTS_SUPPORT_MANIFEST_H

#include "base/error.h"

/* Lays the manifest's entries out under `dir`, which is made if it is missing (its parent is not).
 * Nothing is followed or overwritten: an entry whose path goes through a link, or exists already,
 * is an error, so a manifest cannot write outside `dir`. 0, or a negative errno with a sentence
 * that begins with MANIFEST:LINE; what was laid out before the error stays. */
int tree_lay_out(const char *manifest_path, const char *dir, struct error *err);

#endif
