#include "probe/order.h"

#include <string.h>

bool word_in_list(const char *list, const char *word, size_t length)
{
    while (list && *list) {
        size_t n = strcspn(list, " ");
        if (n == length && memcmp(list, word, n) == 0)
            return true;
        list += n + strspn(list + n, " ");
    }
    return false;
}

static bool lists_meet(const char *a, const char *b)
{
    while (a && *a) {
        size_t n = strcspn(a, " ");
        if (n && word_in_list(b, a, n))
            return true;
        a += n + strspn(a + n, " ");
    }
    return false;
}

static bool needs(const struct probe *reader, const struct probe *writer)
{
    if (reader == writer || !lists_meet(writer->writes, reader->reads))
        return false;
    return writer->phase < reader->phase || (writer->phase == reader->phase && !writer->waits);
}

/* Marks whatever the active probes that start something need, directly or by way of others. */
static void mark_urgent(const struct probe *const *probes, size_t count, bool *urgent)
{
    for (size_t i = 0; i < count; i++)
        urgent[i] = probes[i]->phase == PHASE_ACTIVE && !probes[i]->waits;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; urgent[i] && k < count; k++)
                if (!urgent[k] && needs(probes[i], probes[k]))
                    urgent[k] = more = true;
    }
}

static bool ready(const struct probe *const *probes, size_t count, const bool *done, size_t at)
{
    for (size_t k = 0; k < count; k++)
        if (!done[k] && needs(probes[at], probes[k]))
            return false;
    return true;
}

static int rank(const struct probe *probe, bool urgent)
{
    if (probe->waits)
        return 4;
    if (urgent)
        return 0;
    return 1 + (int)probe->phase;
}

/* Whether the probe writes a table of the list that is not one of `without`. */
static bool serves(const struct probe *probe, const char *list, const char *without)
{
    for (const char *word = list; word && *word;) {
        size_t n = strcspn(word, " ");
        if (n && word_in_list(probe->writes, word, n) && !word_in_list(without, word, n))
            return true;
        word += n + strspn(word + n, " ");
    }
    return false;
}

size_t probes_needed(const struct probe *const *probes, size_t count, const char *tables,
                     const char *without, const struct probe **ret)
{
    bool needed[PROBES_MAX] = {0};
    for (size_t i = 0; i < count; i++)
        needed[i] = serves(probes[i], tables, without);
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; needed[i] && k < count; k++)
                if (!needed[k] && needs(probes[i], probes[k]) &&
                    serves(probes[k], probes[i]->reads, without))
                    needed[k] = more = true;
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (needed[i])
            ret[kept++] = probes[i];
    return kept;
}

void probes_order(const struct probe *const *probes, size_t count, const struct probe **ret)
{
    bool urgent[PROBES_MAX] = {0}, done[PROBES_MAX] = {0};
    mark_urgent(probes, count, urgent);
    for (size_t n = 0; n < count; n++) {
        size_t best = count, first = count;
        for (size_t i = 0; i < count; i++) {
            if (done[i])
                continue;
            if (first == count)
                first = i;
            if (ready(probes, count, done, i) &&
                (best == count || rank(probes[i], urgent[i]) < rank(probes[best], urgent[best])))
                best = i;
        }
        if (best == count)
            best = first;
        done[best] = true;
        ret[n] = probes[best];
    }
}
