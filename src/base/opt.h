/* An integer that may be unknown. */
#ifndef BASE_OPT_H
#define BASE_OPT_H

#include <stdbool.h>
#include <stdint.h>

struct opt {
    bool known;
    int64_t value;
};
static inline struct opt known(int64_t value)
{
    return (struct opt){true, value};
}
#define UNKNOWN ((struct opt){0})
/* For C interfaces that say -1 for "not known". */
static inline struct opt known_unless_negative(int64_t value)
{
    return value < 0 ? UNKNOWN : known(value);
}

#endif
