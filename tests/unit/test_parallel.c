/* Work in several threads: each piece once, and all of them done. */
#include <criterion/criterion.h>
#include <stdatomic.h>

#include "base/parallel.h"

enum { MANY = 5000 };

static atomic_int times[MANY];
static atomic_size_t calls;

/* Assertions belong to the thread of the test. */
static void count(void *data, size_t number)
{
    if (data == times && number < MANY)
        atomic_fetch_add(&times[number], 1);
    atomic_fetch_add(&calls, 1);
}

Test(parallel, each_once)
{
    static const size_t counts[] = {0, 1, 2, 17, MANY};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        for (size_t k = 0; k < MANY; k++)
            atomic_store(&times[k], 0);
        atomic_store(&calls, 0);
        parallel_for(counts[i], count, times);
        cr_expect_eq(atomic_load(&calls), counts[i]);
        for (size_t k = 0; k < MANY; k++)
            cr_assert_eq(atomic_load(&times[k]), k < counts[i], "%zu of %zu", k, counts[i]);
    }
}

static void count_once(void *data)
{
    atomic_fetch_add((atomic_size_t *)data, 1);
}

Test(parallel, helpers_are_waited_for)
{
    static const size_t wanted[] = {0, 1, 3, 1000};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct parallel_team team;
        atomic_store(&calls, 0);
        parallel_start(&team, wanted[i], count_once, &calls);
        size_t started = team.count;
        cr_expect(started <= wanted[i] && started < parallel_threads());
        parallel_join(&team);
        cr_expect_eq(atomic_load(&calls), started);
    }
    cr_expect(parallel_threads() >= 1 && parallel_threads() <= PARALLEL_MOST);
}
