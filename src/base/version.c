#include "base/version.h"

static const struct {
    int fields;           /* at most so many are read */
    int required;         /* fewer are no version */
    int64_t scale;        /* each field is below this */
    bool text_may_follow; /* "-60-generic", "rc1" */
} kinds[] = {
    [VERSION_DRIVER] = {3, 1, 1000, false}, [VERSION_KERNEL] = {3, 2, 1000, true},
    [VERSION_CUDA] = {2, 1, 100, false},    [VERSION_CC] = {2, 2, 100, false},
    [VERSION_GLIBC] = {2, 2, 100, false},
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Skips ".N" fields that do not order (the patch level of CUDA). */
static const char *skip_fields(const char *s)
{
    while (s[0] == '.' && is_digit(s[1]))
        for (s++; is_digit(*s); s++)
            ;
    return s;
}

bool version_key(enum version_kind kind, const char *text, int64_t *ret_key)
{
    if (!text)
        return false;
    int64_t key = 0, top = 1000000;
    int seen = 0;
    const char *s = text;
    for (; seen < kinds[kind].fields; seen++) {
        if (seen && *s != '.')
            break;
        const char *digits = s + (seen ? 1 : 0);
        if (!is_digit(*digits))
            break;
        int64_t value = 0;
        for (s = digits; is_digit(*s); s++)
            if ((value = value * 10 + (*s - '0')) >= top)
                return false;
        /* the first field may be larger than the others: nothing stands above it */
        if (seen && value >= kinds[kind].scale)
            return false;
        key = key * kinds[kind].scale + value;
    }
    if (seen < kinds[kind].required)
        return false;
    if (!kinds[kind].text_may_follow && *skip_fields(s))
        return false;
    for (; seen < kinds[kind].fields; seen++)
        key *= kinds[kind].scale;
    *ret_key = key;
    return true;
}
