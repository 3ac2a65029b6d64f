/* Jupyter kernels: where they are described, and which Python each would start. */
#ifndef PYTHON_LAUNCHER_KERNEL_H
#define PYTHON_LAUNCHER_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "parse/kernel_json.h"
#include "probe/reach.h"
#include "python/launcher_program.h"

enum { KERNELS_MAX = 256 };

struct kernel {
    const char *name; /* its folder's */
    const char *path; /* kernel.json */
    const char *home; /* environment in whose share/jupyter it lies; NULL: of the user or system */
    struct kernel_json json;
};

struct kernel_list {
    struct kernel *items;
    size_t count, capacity;
    size_t looks; /* files that were looked for */
    bool is_cut;  /* there were more than are kept */
};

/* Kernels of Python in the folders of the user and the system, in Jupyter's order: of two with one
 * name the first counts. Strings come from the context's arena, the array is the caller's:
 * kernels_done(). */
void kernels_find(struct probe_context *context, struct reach *reach, struct kernel_list *ret);
/* Adds those of PREFIX/share/jupyter/kernels. */
void kernels_add_prefix(struct probe_context *context, struct reach *reach, const char *prefix,
                        struct kernel_list *list);
void kernels_done(struct kernel_list *list);

/* Reads one kernel.json. False where it is none, or one of another language; a note tells why. */
bool kernel_read(struct probe_context *context, const char *path, struct kernel *ret);
/* The Python that it starts. False where the command does not tell, or where that Python lies out
 * of `reach` (NULL: nothing does). KERNEL_ENV_NAME is left to those who know the environments. */
bool kernel_program(struct probe_context *context, struct reach *reach, const struct kernel *kernel,
                    struct program *ret);

#endif
