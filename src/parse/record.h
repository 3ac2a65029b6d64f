/* RECORD: the files of an installed distribution, a line of CSV each: path, hash, size
 * (specification "recording installed projects"). With 100000 lines in an environment it is read
 * piece by piece, and a line is handed on as it stands. */
#ifndef PARSE_RECORD_H
#define PARSE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/opt.h"
#include "base/span.h"
#include "parse/byte_source.h"

struct record_line {
    struct span path; /* never empty, without NUL; good until the call ends */
    struct opt size;  /* bytes; unknown where the column is empty */
};

typedef void (*record_each)(void *context, const struct record_line *line);

struct record_end {
    uint64_t lines;   /* that were handed on */
    bool is_odd;      /* lines that are none of such a file were left out */
    bool is_cut;      /* it ends within a line */
    bool is_too_long; /* more than RECORD_MAX bytes: the rest was not read */
};

#define RECORD_MAX ((uint64_t)32 << 20)
/* Bytes of all RECORDs that a probe reads, of all environments: a large environment has 10 MiB. */
#define RECORDS_MAX ((uint64_t)384 << 20)

/* 0, or what the source said. */
int record_scan(const struct byte_source *source, record_each each, void *context,
                struct record_end *ret);
/* What is wrong with a file that ended so, as a sentence; NULL: nothing. */
const char *record_end_fault(const struct record_end *end);

#endif
