/* libgpudoctor: the judgement of gpudoctor for other programs.
 *
 * It reads the machine, never changes it, never runs code of an environment it looks at, and opens
 * no network connection. One call at a time per process: a live check starts a child process to
 * ask the driver. */
#ifndef GPUDOCTOR_GPUDOCTOR_H
#define GPUDOCTOR_GPUDOCTOR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GPUDOCTOR_API __attribute__((visibility("default")))

/* Zero-initialise, set size to sizeof(struct gpudoctor_options), then what is wanted. */
struct gpudoctor_options {
    size_t size;
    const char *root;                /* recorded machine or unpacked image; NULL: this machine */
    const char *facts;               /* snapshot file to judge instead; NULL: look at the machine */
    const char *rules;               /* folder with more rules; NULL: none */
    const char *const *environments; /* Python environments to read besides the active one */
    size_t environment_count;
    int all_environments; /* read every environment that is found */
};

enum gpudoctor_status {
    GPUDOCTOR_OK = 0,
    GPUDOCTOR_INPUT = 2,  /* options or input cannot be used */
    GPUDOCTOR_BROKEN = 3, /* the library itself failed; of a rule that did, the report tells */
};

/* "0.1.0"; static. */
GPUDOCTOR_API const char *gpudoctor_version(void);

/* Judges the machine. On GPUDOCTOR_OK *ret_json is the report, the document that
 * `gpudoctor check --format json` prints; else it is one sentence about what went wrong. The caller
 * frees it with gpudoctor_free() either way. */
GPUDOCTOR_API enum gpudoctor_status gpudoctor_check(const struct gpudoctor_options *options,
                                                    char **ret_json);

/* The facts alone, as a snapshot that options.facts reads; otherwise as gpudoctor_check(). */
GPUDOCTOR_API enum gpudoctor_status gpudoctor_facts(const struct gpudoctor_options *options,
                                                    char **ret_json);

GPUDOCTOR_API void gpudoctor_free(char *text);

#ifdef __cplusplus
}
#endif

#endif
