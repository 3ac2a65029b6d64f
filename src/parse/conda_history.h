/* PREFIX/conda-meta/history: what was done to a conda environment and by which program. Only its
 * beginning is of interest; commands name paths of people and are not kept. */
#ifndef PARSE_CONDA_HISTORY_H
#define PARSE_CONDA_HISTORY_H

#include <stddef.h>

#include "base/arena.h"

enum { CONDA_HISTORY_HEAD = 8192 }; /* bytes of it that are enough */

struct conda_history {
    const char *program; /* conda, mamba, micromamba, ...: last part of the first `# cmd:` */
    const char *version; /* of the first `# conda version:`; libmamba writes a constant 3.8.0 */
};

/* What is not told is NULL. Strings come from `arena`. */
void conda_history_parse(const char *data, size_t length, struct arena *arena,
                         struct conda_history *ret);

/* PREFIX/conda-meta/pixi: JSON that pixi leaves in the environments of its projects. */
struct pixi_mark {
    const char *environment, *version, *manifest; /* name, of pixi, path of pixi.toml */
};
void pixi_mark_parse(const char *data, size_t length, struct arena *arena, struct pixi_mark *ret);

#endif
