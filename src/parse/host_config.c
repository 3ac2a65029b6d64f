#include "parse/host_config.h"

#include <string.h>

#include "base/span.h"
#include "base/text.h"

enum { MAJOR_MAX = 1000, EVIDENCE_MAX = 240 };

/* The number at the start, blanks before it allowed. */
static struct opt number_at(struct span span)
{
    uint64_t number;
    size_t n = 0;
    while (span.length && (*span.data == ' ' || *span.data == '\t')) {
        span.data++;
        span.length--;
    }
    while (n < span.length && span.data[n] >= '0' && span.data[n] <= '9')
        n++;
    return span_number((struct span){span.data, n}, MAJOR_MAX, &number) ? known((int64_t)number)
                                                                        : UNKNOWN;
}

/* The bounds in a condition that refuses: "#if (__clang_major__ >= 20) || (__clang_major__ < 3)" */
static void bounds_of_condition(struct span condition, const char *macro,
                                struct compiler_bounds *ret)
{
    while (span_cut_after(&condition, macro)) {
        struct span rest = span_trim(condition);
        struct opt number;
        if (span_cut_prefix(&rest, ">=")) {
            number = number_at(rest);
            if (number.known && number.value > 0)
                ret->max_major = known(number.value - 1);
        } else if (span_cut_prefix(&rest, ">")) {
            number = number_at(rest);
            if (number.known)
                ret->max_major = number;
        } else if (span_cut_prefix(&rest, "<") && !span_cut_prefix(&rest, "=")) {
            number = number_at(rest);
            if (number.known)
                ret->min_major = number;
        }
    }
}

/* The same out of the words: "later than 13", "less than 3.9 and greater than 3.2". Below 3.9 there
 * are other versions 3, below 20 there is no version 20. */
static void bounds_of_words(struct span words, struct compiler_bounds *ret)
{
    struct span rest = words;
    if (!ret->max_major.known && span_cut_after(&rest, "later than "))
        ret->max_major = number_at(rest);
    rest = words;
    if (!ret->max_major.known && span_cut_after(&rest, "less than ")) {
        struct opt major = number_at(rest);
        size_t digits = 0;
        while (digits < rest.length && rest.data[digits] >= '0' && rest.data[digits] <= '9')
            digits++;
        struct opt minor = UNKNOWN;
        if (digits + 1 < rest.length && rest.data[digits] == '.')
            minor = number_at((struct span){rest.data + digits + 1, rest.length - digits - 1});
        if (major.known && major.value > 0)
            ret->max_major = known(minor.known && minor.value > 0 ? major.value : major.value - 1);
    }
    rest = words;
    if (!ret->min_major.known && span_cut_after(&rest, "greater than "))
        ret->min_major = number_at(rest);
}

/* The words without the advice behind them, which is the same everywhere. */
static char *keep_words(struct span words, struct arena *arena)
{
    const char *advice = memmem(words.data, words.length, " The nvcc flag", 14);
    if (advice)
        words.length = (size_t)(advice - words.data);
    words.length = words.length < EVIDENCE_MAX ? words.length : EVIDENCE_MAX;
    words = span_trim(words);
    CLEANUP_TEXT struct text safe = {0};
    text_add_safe(&safe, words.data, words.length, false);
    return arena_strdup(arena, text_get(&safe));
}

static void take_error(struct span words, struct span condition, const char *macro,
                       struct arena *arena, struct compiler_bounds *ret)
{
    if (ret->evidence)
        return; /* the first is Linux's */
    struct compiler_bounds bounds = {0};
    bounds_of_condition(condition, macro, &bounds);
    bounds_of_words(words, &bounds);
    if (!bounds.max_major.known)
        return;
    bounds.evidence = keep_words(words, arena);
    *ret = bounds;
}

/* #if __GNUC__ > 13
 *
 * #error -- unsupported GNU version! gcc versions later than 13 are not supported! The nvcc ... */
bool parse_host_config(const char *data, size_t size, struct arena *arena, struct host_config *ret)
{
    size_t cursor = 0;
    struct span line, condition = {"", 0};
    *ret = (struct host_config){0};
    while (span_line(data, size, &cursor, &line)) {
        line = span_trim(line);
        struct span rest = line;
        if (!span_cut_prefix(&rest, "#"))
            continue;
        rest = span_trim(rest);
        if (span_cut_prefix(&rest, "if ") || span_cut_prefix(&rest, "elif ")) {
            condition = rest;
        } else if (span_cut_prefix(&rest, "error")) {
            span_cut_prefix(&rest, " -- ");
            if (span_has(rest, "unsupported GNU version!"))
                take_error(rest, condition, "__GNUC__", arena, &ret->gcc);
            else if (span_has(rest, "unsupported clang version!"))
                take_error(rest, condition, "__clang_major__", arena, &ret->clang);
        }
    }
    return ret->gcc.evidence || ret->clang.evidence;
}
