#include "engine/engine.h"

#include <string.h>

static const char *const severities[] = {
    [SEVERITY_INFO] = "info",
    [SEVERITY_WARNING] = "warning",
    [SEVERITY_ERROR] = "error",
};

const char *severity_name(enum severity severity)
{
    return severities[severity];
}

bool severity_from_name(const char *name, enum severity *ret)
{
    for (size_t i = 0; name && i < sizeof severities / sizeof *severities; i++) {
        if (strcmp(severities[i], name) == 0) {
            *ret = (enum severity)i;
            return true;
        }
    }
    return false;
}

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[] = {
        [VERDICT_OK] = "ok",
        [VERDICT_FAIL] = "fail",
        [VERDICT_UNKNOWN] = "unknown",
        [VERDICT_SKIP] = "skip",
    };
    return names[verdict];
}
