#include "parse/slurm_conf.h"

#include <string.h>
#include <strings.h>

enum { GPUS_MAX = 4096 };

bool slurm_is(struct span value, const char *word)
{
    return value.length == strlen(word) && strncasecmp(value.data, word, value.length) == 0;
}

bool slurm_list_has(struct span list, const char *word)
{
    struct span item;
    while (span_split(&list, ',', &item))
        if (slurm_is(span_trim(item), word))
            return true;
    return false;
}

/* The next NAME=VALUE of a line; a comment ends it. */
static bool next_pair(struct span *line, struct span *ret_name, struct span *ret_value)
{
    struct span word;
    while (span_word(line, &word)) {
        if (word.data[0] == '#')
            return false;
        const char *equal = memchr(word.data, '=', word.length);
        if (!equal)
            continue;
        *ret_name = (struct span){word.data, (size_t)(equal - word.data)};
        *ret_value = (struct span){equal + 1, word.length - ret_name->length - 1};
        return true;
    }
    return false;
}

bool parse_slurm_value(const char *data, size_t size, const char *name, struct span *ret)
{
    size_t cursor = 0;
    struct span line, key, value;
    bool found = false;
    while (span_line(data, size, &cursor, &line))
        while (next_pair(&line, &key, &value))
            if (slurm_is(key, name)) {
                *ret = value;
                found = true;
            }
    return found;
}

bool parse_gres_gpus(const char *data, size_t size)
{
    size_t cursor = 0;
    struct span line, key, value;
    while (span_line(data, size, &cursor, &line))
        while (next_pair(&line, &key, &value))
            if ((slurm_is(key, "Name") && slurm_is(value, "gpu")) ||
                (slurm_is(key, "AutoDetect") &&
                 (slurm_is(value, "nvml") || slurm_is(value, "nvidia"))))
                return true;
    return false;
}

/* "3", "0-3", "GPU-...", "MIG-..."; 0 for anything else. */
static uint64_t count_item(struct span item)
{
    uint64_t first, last;
    if (span_number(item, GPUS_MAX, &first))
        return 1;
    struct span rest = item, from;
    if (span_split(&rest, '-', &from) && rest.data && span_number(from, GPUS_MAX, &first) &&
        span_number(rest, GPUS_MAX, &last) && last >= first)
        return last - first + 1;
    return item.length > 8 &&
           (memcmp(item.data, "GPU-", 4) == 0 || memcmp(item.data, "MIG-", 4) == 0);
}

struct opt parse_gpu_list_count(const char *list)
{
    struct span rest = span_trim((struct span){list, strlen(list)}), item;
    uint64_t count = 0;
    if (rest.length == 0)
        return known(0);
    while (span_split(&rest, ',', &item)) {
        struct span word;
        while (span_word(&item, &word)) { /* Grid Engine puts blanks between them */
            uint64_t more = count_item(word);
            if (!more || (count += more) > GPUS_MAX)
                return UNKNOWN;
        }
    }
    return known((int64_t)count);
}

struct opt parse_gpu_count(const char *text)
{
    struct span rest = span_trim((struct span){text, strlen(text)}), item;
    uint64_t count = 0, number;
    while (span_split(&rest, ',', &item)) {
        const char *colon = item.length ? memrchr(item.data, ':', item.length) : NULL;
        struct span last = item;
        if (colon)
            last = (struct span){colon + 1, (size_t)(item.data + item.length - colon) - 1};
        if (!span_number(last, GPUS_MAX, &number) || (count += number) > GPUS_MAX)
            return UNKNOWN;
    }
    return known((int64_t)count);
}
