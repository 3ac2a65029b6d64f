#include "probe/order.h"

#include <stdint.h>
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

/* Sets of probes, by their numbers. */
_Static_assert(PROBES_MAX <= 64, "a set of probes is a number");

struct plan {
    const struct probe *const *probes;
    size_t count;
    uint64_t needs[PROBES_MAX]; /* of each, directly */
};

static void find_needs(struct plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        for (size_t k = 0; k < plan->count; k++)
            if (needs(plan->probes[i], plan->probes[k]))
                plan->needs[i] |= UINT64_C(1) << k;
}

/* With whatever they need, directly or by way of others. */
static uint64_t with_needs(const struct plan *plan, uint64_t set)
{
    for (uint64_t before = 0; before != set;) {
        before = set;
        for (size_t i = 0; i < plan->count; i++)
            if (set >> i & 1)
                set |= plan->needs[i];
    }
    return set;
}

static bool is_asking(const struct probe *probe)
{
    return probe->phase == PHASE_ACTIVE && !probe->waits;
}

/* The active probes that start something, and what they need. */
static uint64_t those_that_ask(const struct plan *plan)
{
    uint64_t set = 0;
    for (size_t i = 0; i < plan->count; i++)
        if (is_asking(plan->probes[i]))
            set |= UINT64_C(1) << i;
    return with_needs(plan, set);
}

static int rank(const struct probe *probe, bool urgent)
{
    if (probe->waits)
        return 4;
    return urgent ? 0 : 1 + (int)probe->phase;
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

size_t probes_order(const struct probe *const *probes, size_t count, const struct probe **ret)
{
    struct plan plan = {.probes = probes, .count = count};
    find_needs(&plan);
    uint64_t urgent = those_that_ask(&plan), done = 0;
    size_t asked = 0;
    for (size_t n = 0; n < count; n++) {
        size_t best = count, first = count;
        int lowest = 0;
        for (size_t i = 0; i < count; i++) {
            if (done >> i & 1)
                continue;
            if (first == count)
                first = i;
            int grade = rank(probes[i], urgent >> i & 1);
            if (!(plan.needs[i] & ~done) && (best == count || grade < lowest)) {
                best = i;
                lowest = grade;
            }
        }
        if (best == count)
            best = first;
        done |= UINT64_C(1) << best;
        ret[n] = probes[best];
        if (urgent && !asked && !(urgent & ~done))
            asked = n + 1;
    }
    return asked;
}
