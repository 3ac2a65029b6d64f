/* Which process `gpudoctor deps` shows, and what to say where there is none. */
#ifndef CLI_DEPS_PROCESS_H
#define CLI_DEPS_PROCESS_H

#include "engine/engine.h"
#include "render/deps.h"

struct options;

/* What is asked. */
struct deps_question {
    const char *name;      /* as it was given */
    const char *framework; /* NULL: a file */
    const char *path;      /* of the file, inside the machine */
};

/* Both read the process, or complain: a status. */
int deps_of_framework(struct facts *facts, struct arena *arena, const struct options *o,
                      const struct deps_question *q, struct deps *ret);
int deps_of_file(struct engine *engine, struct arena *arena, const struct deps_question *q,
                 struct deps *ret);

#endif
