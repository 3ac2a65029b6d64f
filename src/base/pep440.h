/* PEP 440: versions and specifiers of Python distributions. */
#ifndef BASE_PEP440_H
#define BASE_PEP440_H

#include <stdbool.h>

/* Whether the text is a valid version (normalisable form: "v1.0-RC.1" is). */
bool pep440_valid(const char *version);

/* Orders two versions as the standard does (epoch, release, pre, post, dev, local): sets *ret to
 * <0, 0 or >0. False when either is no version. */
bool pep440_compare(const char *a, const char *b, int *ret);

/* Whether `version` satisfies every clause of `specifier` ("~=2.1, !=2.3.*, <3"; "" fits all):
 * 1 yes, 0 no, -1 when specifier or version is malformed. Operators: == != <= >= < > ~= ===, with
 * ".*" for == and !=. Pre-releases are judged by order alone, as for a version that is installed.
 */
int pep440_match(const char *specifier, const char *version);

#endif
