/* One process: what a framework's import, a file or a program would load. */
#ifndef LIBRARY_SIMULATE_H
#define LIBRARY_SIMULATE_H

#include "library/scene.h"

/* One dlopen(). */
struct opening {
    size_t request;    /* what was asked for */
    size_t first, end; /* it and what followed from it, among the process's requests */
    bool optional;
    const char *purpose; /* what of the framework fails without it; NULL: all, or nothing */
    bool binds_now;      /* RTLD_NOW, as Python does; libraries bind lazily */
    size_t by; /* the object that calls dlopen() by itself; SIZE_MAX: a step of a framework */
};

struct simulation {
    struct scene *scene;
    struct place *place;                                    /* NULL: of no environment */
    const char *process_id, *environment_id, *framework_id; /* NULL: none */
    struct loader_process process;
    size_t start_requests; /* those of the program's start */
    const char **shown;    /* of each object, the path that the tables name; filled as asked for */
    size_t shown_count;
    struct opening *openings;
    size_t opening_count, opening_capacity;
    const char *unopened; /* why not all is known of what it opens; NULL: all is */
    const char *lacks; /* NULL: none; a framework that is not there and would decide what opens */
    /* by simulation_judge() */
    bool *is_required;     /* for each request: the framework cannot do without */
    bool *needs_object;    /* for each object: likewise */
    const char *outcome;   /* as in the table process */
    const char *error;     /* NULL: none */
    size_t failed_request; /* whose error that is; SIZE_MAX */
};

/* Starts the process with the program at this path, or with one that is not known where it is not
 * there or no program. Memory is the context's arena. 0, -ENOTSUP for musl, or the negative errno
 * of a program that was `wanted` and cannot be loaded. */
int simulation_start(struct simulation *simulation, const char *program, bool is_wanted);

/* dlopen() by the program. Whether it loads. */
bool simulation_open(struct simulation *simulation, const char *name, bool optional);

/* What is known of a framework that is imported, and of its environment. */
struct imported {
    const char *cuda;                                 /* what it was built with; NULL: not known */
    const char *cudnn;                                /* likewise */
    const char *variant;                              /* "cuda", "cpu", ...; likewise */
    const char *release;                              /* its version without local part; likewise */
    void (*after)(void *data, const char *framework); /* called for those that come first */
    bool (*cuda_of)(void *data, const char *framework, const char **ret_cuda); /* as in fill.h */
    void *data;
};

/* The framework's own steps. */
void simulation_run(struct simulation *simulation, const struct load_spec *spec,
                    const struct imported *imported);

/* What the loaded libraries open by themselves, until nothing new comes. */
void simulation_open_inner(struct simulation *simulation);

/* What becomes of a process that loads the object, where its file is cut; NULL where it is not, and
 * in trees that hold only a part of their machine: they may hold a part of the file. */
const char *simulation_cut(const struct simulation *simulation, size_t object);

/* Which requests and objects are required, and what comes of it all. */
void simulation_judge(struct simulation *simulation);

#endif
