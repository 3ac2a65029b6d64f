#include "parse/proc_limits.h"

#include <string.h>

#include "base/span.h"
#include "base/text.h"

enum { PATH_CAP = 4096 };
/* PAGE_COUNTER_MAX in bytes is near 2^63; no machine has 2^60 bytes. */
static const uint64_t number_max = UINT64_MAX, none_from = UINT64_C(1) << 60;

static bool limit_word(struct span word, struct opt *ret, bool *ret_unlimited)
{
    uint64_t number;
    *ret = UNKNOWN;
    *ret_unlimited = span_equal(word, "unlimited") || span_equal(word, "max");
    if (*ret_unlimited)
        return true;
    if (!span_number(word, number_max, &number))
        return false;
    *ret_unlimited = number >= none_from;
    *ret = *ret_unlimited ? UNKNOWN : known((int64_t)number);
    return true;
}

/* Max locked memory         8388608              8388608              bytes */
bool parse_proc_limit(const char *data, size_t size, const char *name, struct limit *ret)
{
    size_t cursor = 0;
    struct span line, soft, hard;
    bool ignored;
    *ret = (struct limit){0};
    while (span_line(data, size, &cursor, &line)) {
        if (!span_cut_prefix(&line, name) || line.length == 0 || line.data[0] != ' ')
            continue;
        return span_word(&line, &soft) && span_word(&line, &hard) &&
               limit_word(soft, &ret->soft, &ret->unlimited) &&
               limit_word(hard, &ret->hard, &ignored);
    }
    return false;
}

bool parse_cgroup_limit(const char *data, size_t size, struct limit *ret)
{
    struct span rest = {data, size}, word, more;
    *ret = (struct limit){0};
    return span_word(&rest, &word) && !span_word(&rest, &more) &&
           limit_word(word, &ret->soft, &ret->unlimited);
}

static bool names_controller(struct span list, const char *controller)
{
    struct span name;
    while (span_split(&list, ',', &name))
        if (span_equal(name, controller))
            return true;
    return false;
}

/* "4:memory:/user.slice" and, for version 2, "0::/user.slice" (cgroups(7)) */
char *parse_cgroup_path(const char *data, size_t size, const char *controller, struct arena *arena)
{
    size_t cursor = 0;
    struct span line, number, list;
    while (span_line(data, size, &cursor, &line)) {
        if (!span_split(&line, ':', &number) || !span_split(&line, ':', &list) || !line.data)
            continue;
        bool fits = controller ? names_controller(list, controller)
                               : list.length == 0 && span_equal(number, "0");
        if (!fits)
            continue;
        if (line.length == 0 || line.length > PATH_CAP || line.data[0] != '/' ||
            span_has(line, "/../") || span_has(line, "//") || !utf8_valid(line.data, line.length))
            return NULL;
        char *path = arena_strndup(arena, line.data, line.length);
        return text_ends(path, "/..") ? NULL : path;
    }
    return NULL;
}

/* "65536k", "2g", "50%" (tmpfs(5)) */
static struct opt tmpfs_size(struct span value, struct opt total)
{
    size_t digits = 0;
    uint64_t number, factor = 1;
    while (digits < value.length && value.data[digits] >= '0' && value.data[digits] <= '9')
        digits++;
    if (!span_number((struct span){value.data, digits}, none_from, &number) ||
        value.length - digits > 1)
        return UNKNOWN;
    char unit = value.length > digits ? value.data[digits] : 'b';
    switch (unit) {
    case '%':
        return total.known && number <= 100 ? known(total.value / 100 * (int64_t)number) : UNKNOWN;
    case 'k':
    case 'K':
        factor = UINT64_C(1) << 10;
        break;
    case 'm':
    case 'M':
        factor = UINT64_C(1) << 20;
        break;
    case 'g':
    case 'G':
        factor = UINT64_C(1) << 30;
        break;
    case 'b':
        break;
    default:
        return UNKNOWN;
    }
    return number <= none_from / factor ? known((int64_t)(number * factor)) : UNKNOWN;
}

static void shm_options(struct span options, struct opt total, struct shm_mount *ret)
{
    struct span option;
    while (span_split(&options, ',', &option))
        if (span_cut_prefix(&option, "size=")) {
            ret->sized = true;
            ret->bytes = tmpfs_size(option, total);
        }
}

/* 30 25 0:27 / /dev/shm rw,nosuid shared:4 - tmpfs tmpfs rw,size=65536k (proc_pid_mountinfo(5)) */
void parse_shm_mount(const char *data, size_t size, struct opt total, struct shm_mount *ret)
{
    size_t cursor = 0;
    struct span line, word = {0};
    *ret = (struct shm_mount){0};
    while (span_line(data, size, &cursor, &line)) {
        struct span rest = line;
        int fields = 0;
        while (fields < 5 && span_word(&rest, &word))
            fields++;
        if (fields < 5 || (!span_equal(word, "/dev/shm") && !span_equal(word, "/run/shm")))
            continue;
        struct span source;
        if (!span_cut_after(&rest, " - ") || !span_word(&rest, &word) || !span_word(&rest, &source))
            continue;
        *ret = (struct shm_mount){.found = span_equal(word, "tmpfs")};
        if (ret->found)
            shm_options(span_trim(rest), total, ret);
    }
}

struct opt parse_memory_total(const char *data, size_t size)
{
    size_t cursor = 0;
    struct span line, word;
    uint64_t kib;
    while (span_line(data, size, &cursor, &line))
        if (span_cut_prefix(&line, "MemTotal:"))
            return span_word(&line, &word) && span_number(word, UINT64_C(1) << 50, &kib)
                       ? known((int64_t)(kib * 1024))
                       : UNKNOWN;
    return UNKNOWN;
}
