/* Headers of packages as the databases of RPM hold them: an index of tags, then their data
 * (rpm's docs/manual/format_header.md; numbers are big endian, a blob has no magic before it). */
#ifndef PARSE_RPM_HEADER_H
#define PARSE_RPM_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/opt.h"
#include "base/span.h"

/* As many bytes hold the tags that are asked for: the index has about a hundred entries of 16
 * bytes, and the data is in the order of the tags, of which name and version are the first. */
enum { RPM_HEADER_HEAD = 16 * 1024 };

struct rpm_header {
    struct span name, version, release, arch; /* of the blob; data NULL where it is not there */
    struct opt epoch;
};

/* `data` may be the first bytes of a blob only: what lies behind them is taken for missing. False
 * when it is no header or has no name. */
bool rpm_header_parse(const char *data, size_t size, struct rpm_header *ret);

#endif
