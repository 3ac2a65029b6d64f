/* A parsed PEP 440 version, for those who compare and match. */
#ifndef BASE_PEP440_VERSION_H
#define BASE_PEP440_VERSION_H

#include <stdbool.h>

#include "base/span.h"

/* Spans of the version's own text, which must outlive it. A number may have any length. */
struct pep440_version {
    struct span epoch;   /* digits; empty: 0 */
    struct span release; /* digits with dots */
    char pre;            /* 'a', 'b', 'c' (release candidate); 0 none */
    struct span pre_number, post_number, dev_number;
    bool is_post, is_dev;
    struct span local; /* without "+" */
};

/* False when it is no version. Blanks around it are allowed. */
bool pep440_parse(struct span text, struct pep440_version *ret);

/* <0, 0, >0; digits of any length, an empty number is 0. */
int pep440_compare_numbers(struct span a, struct span b);
/* The next number of a release, which is advanced behind it; an empty one past its end. */
struct span pep440_next_number(struct span *release);
/* Numbers with dots; a shorter release counts as padded with zeros. */
int pep440_compare_releases(struct span a, struct span b);
/* Order without the local part, and with it. */
int pep440_compare_public(const struct pep440_version *a, const struct pep440_version *b);
int pep440_compare_parsed(const struct pep440_version *a, const struct pep440_version *b);

/* A blank as the standard means it. */
bool pep440_is_space(char c);
struct span pep440_trim(struct span text);

#endif
