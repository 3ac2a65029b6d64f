/* Numbers in files of the machine. */
#ifndef PARSE_NUMBER_H
#define PARSE_NUMBER_H

#include "base/opt.h"
#include "base/span.h"

/* A whole decimal number up to 10^12 (no such file has a larger one), or unknown. */
static inline struct opt parse_number(struct span span)
{
    uint64_t value;
    return span_number(span, UINT64_C(1000000000000), &value) ? known((int64_t)value) : UNKNOWN;
}

#endif
