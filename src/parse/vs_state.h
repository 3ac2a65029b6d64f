/* state.json of a Visual Studio installation, as its installer keeps it below
 * ProgramData/Microsoft/VisualStudio/Packages/_Instances. */
#ifndef PARSE_VS_STATE_H
#define PARSE_VS_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/opt.h"
#include "base/span.h"

struct vs_state {
    char *path;     /* as Windows writes it: C:\Program Files\... */
    char *product;  /* "Community" of Microsoft.VisualStudio.Product.Community */
    char *version;  /* "17.11.5", or the long "17.11.35327.3" where no other is told */
    struct opt cxx; /* 1 where a workload or component with the C++ compiler was chosen; unknown
                       where no packages are listed */
};

/* False where it is no such file. `text` may be as long as you like: reading it is linear. */
bool parse_vs_state(struct span text, struct arena *arena, struct vs_state *ret);

#endif
