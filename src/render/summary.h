/* What kind of machine was judged, for the head of every output. */
#ifndef RENDER_SUMMARY_H
#define RENDER_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "engine/engine.h"

struct summary_gpu {
    const char *name, *cc, *pci_address; /* NULL where unknown */
    int64_t memory_mib;                  /* -1 where unknown */
};

struct summary_environment {
    const char *prefix, *kind, *manager, *python;
    int64_t active;         /* 1, 0; -1 unknown */
    const char *frameworks; /* "torch 2.8.0+cu128, jax 0.7.2"; NULL none */
};

/* A source of facts that is here and did not give any. */
struct summary_unread {
    const char *path;
    const char *status, *detail; /* "denied", "malformed" or "timeout"; a sentence or NULL */
};

struct summary {
    const char *kind, *os, *kernel, *arch, *container;
    const char *driver, *cuda;    /* of the driver that runs */
    const char *installed_driver; /* of the libraries, running or not */
    int64_t wsl;                  /* -1 unknown */
    struct summary_gpu *gpus;
    size_t gpu_count;
    struct summary_environment *environments; /* those that were read */
    size_t environment_count;
    size_t listed_count; /* environments that were only listed */
    size_t framework_count;
    struct summary_unread *unread; /* the first of them */
    size_t unread_shown, unread_count;
};

/* Reads it from views and tables. Strings live in `arena`. */
int summary_read(struct engine *engine, struct arena *arena, struct summary *ret,
                 struct error *err);

#endif
