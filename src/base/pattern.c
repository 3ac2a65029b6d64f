#define PCRE2_CODE_UNIT_WIDTH 8
#include "base/pattern.h"

#include <errno.h>
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { MATCH_LIMIT = 200000, DEPTH_LIMIT = 1000 };

struct pattern {
    pcre2_code *code;
    pcre2_match_data *match;
    pcre2_match_context *context;
    const char *subject; /* borrowed for the time between search and group */
};

int pattern_compile(const char *source, struct pattern **ret, struct error *err)
{
    int number;
    PCRE2_SIZE offset;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)source, PCRE2_ZERO_TERMINATED,
                                     PCRE2_MULTILINE | PCRE2_NEVER_UTF, &number, &offset, NULL);
    if (!code) {
        PCRE2_UCHAR words[200];
        pcre2_get_error_message(number, words, sizeof words);
        return error_set(err, -EINVAL, "pattern: %s at character %zu", (char *)words, offset + 1);
    }
    struct pattern *pattern = xcalloc(1, sizeof *pattern);
    pattern->code = code;
    pattern->match = pcre2_match_data_create_from_pattern(code, NULL);
    pattern->context = pcre2_match_context_create(NULL);
    pcre2_set_match_limit(pattern->context, MATCH_LIMIT);
    pcre2_set_depth_limit(pattern->context, DEPTH_LIMIT);
    *ret = pattern;
    return 0;
}

void pattern_free(struct pattern *pattern)
{
    if (!pattern)
        return;
    pcre2_match_context_free(pattern->context);
    pcre2_match_data_free(pattern->match);
    pcre2_code_free(pattern->code);
    free(pattern);
}

bool pattern_search(struct pattern *pattern, const char *data, size_t length)
{
    pattern->subject = data;
    return pcre2_match(pattern->code, (PCRE2_SPTR)data, length, 0, 0, pattern->match,
                       pattern->context) > 0;
}

static char *group(struct pattern *pattern, uint32_t number, struct arena *arena)
{
    const PCRE2_SIZE *at = pcre2_get_ovector_pointer(pattern->match);
    PCRE2_SIZE from = at[2 * number], to = at[2 * number + 1];
    if (from == PCRE2_UNSET || to < from)
        return NULL;
    return arena_strndup(arena, pattern->subject + from, to - from);
}

char *pattern_group(struct pattern *pattern, const char *name, struct arena *arena)
{
    int number = pcre2_substring_number_from_name(pattern->code, (PCRE2_SPTR)name);
    return number > 0 ? group(pattern, (uint32_t)number, arena) : NULL;
}

char *pattern_match(struct pattern *pattern, struct arena *arena)
{
    return group(pattern, 0, arena);
}
