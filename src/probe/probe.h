/* A probe: one source of facts. It looks at the machine, adds rows, and says what became of each
 * place it looked at. Probes know nothing of each other, of rules or of output. */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "facts/descriptor.h"
#include "facts/facts.h"
#include "machine/machine.h"
#include "machine/nvml.h"

enum probe_phase {
    PHASE_PASSIVE, /* reads files that touching cannot disturb */
    PHASE_ACTIVE,  /* asks the driver; runs while later passive work goes on */
    PHASE_DERIVED, /* reads tables that others have filled */
};

struct probe_options {
    const char *const *environments; /* --env, paths inside the machine */
    size_t environment_count;
    bool all_environments;
    bool wake;                /* ask NVML although a GPU sleeps */
    const char *nvml_library; /* NULL: the loader's */
    int nvml_deadline_ms;
    /* Files, as paths inside the machine, that are looked at beside or instead of what environments
     * hold: what they load (`gpudoctor deps`), what device code they carry (`gpudoctor archs`, with
     * whole data sections searched). */
    const char *const *loaded_files, *const *code_files;
    size_t loaded_file_count, code_file_count;
    const char *framework; /* only what this framework loads; NULL: all */
};

struct probe_context {
    const struct machine *machine;
    struct facts *facts;
    const struct probe_options *options;
    const struct descriptor *descriptors;
    size_t descriptor_count;
    const struct descriptor *libraries; /* known libraries: rules/libraries */
    size_t library_count;
    struct arena *arena;     /* lives until all probes are done */
    struct nvml_query *nvml; /* between start and finish of the active phase */
    /* Work of the caller that needs no facts, done while the driver's answer is awaited; NULL:
     * none. */
    void (*meanwhile)(void *caller);
    void *caller;
    /* Is told what is being done, often, by long work: it must cost nothing. NULL: nobody asks. */
    void (*progress)(void *watcher, const char *what, size_t done, size_t total);
    void *watcher;
    struct error *error; /* sentence for a probe that returns negative (wrong use: --env) */
};

struct probe {
    const char *name;
    enum probe_phase phase;
    const char *reads;  /* tables it reads, separated by spaces; the order follows from it */
    const char *writes; /* tables it fills */
    bool waits;         /* it waits for an answer: it comes as late as the others allow */
    /* 0; negative only for input of the user that cannot be used (context->error says what).
     * Everything that goes wrong on the machine is a probe row instead. */
    int (*run)(struct probe_context *context);
};

/* What a probe that may take long calls every now and then; see context->progress. `total` 0: not
 * known. */
static inline void probe_progress(const struct probe_context *context, const char *what,
                                  size_t done, size_t total)
{
    if (context->progress)
        context->progress(context->watcher, what, done, total);
}

/* Runs them in an order that their phases and tables allow: passive ones first (NVML needs to
 * know whether a driver is loaded before it may be asked), then NVML is started, the environments
 * are read while it works, its answer is taken. Adds a probe row "all" with the total time; on this
 * machine its detail names the probes that took most of it. */
int probes_run(const struct probe *const *probes, size_t count, struct probe_context *context);

/* Notes what became of one place that was looked at. `scope` NULL is the machine; `code` is 0 or
 * the negative errno of machine_*(): it chooses ok, absent, denied or malformed. `fills` names the
 * tables that this place could have filled. */
void probe_note(struct probe_context *context, const char *name, const char *scope,
                const char *path, int code, const char *fills, const char *detail);
/* The same with the status given. */
void probe_note_status(struct probe_context *context, const char *name, const char *scope,
                       const char *path, const char *status, const char *fills, const char *detail);

#endif
