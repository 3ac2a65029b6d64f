#include "library/name_version.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/path.h"

const char *version_in_name(const char *path)
{
    const char *at = strstr(path_name(path), ".so.");
    size_t dots = 0;
    if (!at)
        return NULL;
    const char *version = at + strlen(".so.");
    for (const char *c = version; *c; c++) {
        bool is_dot = *c == '.' && c > version && isdigit((unsigned char)c[-1]);
        if (!is_dot && !isdigit((unsigned char)*c))
            return NULL;
        dots += is_dot;
    }
    return dots && isdigit((unsigned char)version[strlen(version) - 1]) ? version : NULL;
}
