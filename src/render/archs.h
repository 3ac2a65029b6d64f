/* The device code of files, and which GPUs it runs on: what `gpudoctor archs` shows. */
#ifndef RENDER_ARCHS_H
#define RENDER_ARCHS_H

#include <jansson.h>

#include "base/arena.h"
#include "base/compute_capability.h"
#include "engine/engine.h"
#include "render/style.h"

/* A row of the table device_code. */
struct archs_target {
    const char *kind, *target, *cc, *suffix, *isa, *isa_low, *place;
    struct opt containers, entries, bytes;
    bool counts; /* it can run: linked, or all that the file has is relocatable */
};

enum archs_runs { ARCHS_NATIVE, ARCHS_PTX, ARCHS_NO, ARCHS_UNKNOWN };

struct archs_verdict {
    enum archs_runs runs;
    const struct archs_target *by; /* what runs; of ARCHS_UNKNOWN what might; may be NULL */
    const char *needs_cuda;        /* ARCHS_PTX: CUDA of the oldest driver that accepts it; NULL */
    const char *why;               /* of ARCHS_NO and ARCHS_UNKNOWN, a few words */
};

struct archs_file {
    const char *name; /* as it was given */
    const char *path; /* inside the machine */
    const char *status, *problem;
    struct opt size, bytes_read, containers, entries;
    struct archs_target *targets; /* by place, kind and number */
    size_t target_count;
    struct archs_verdict *verdicts; /* one for each GPU */
};

struct archs_gpu {
    const char *name; /* as it was given */
    struct compute_capability cc;
};

struct archs {
    struct archs_file *files;
    size_t file_count;
    const struct archs_gpu *gpus;
    size_t gpu_count;
};

/* Fills everything but `name` and `path` of the files, which are set. GPUs need an engine with the
 * matrix. Texts are the arena's. */
int archs_read(struct engine *engine, struct arena *arena, struct archs *archs, struct error *err);

void render_archs(struct text *out, const struct style *style, const struct archs *archs);
json_t *render_archs_json(const struct archs *archs); /* a new reference */

/* Whether a file could not be read, or is of no format that holds device code. */
bool archs_file_failed(const struct archs_file *file);
/* Whether it was read and holds none, so that no GPU is too old or too new for it. */
bool archs_file_without_code(const struct archs_file *file);

#endif
