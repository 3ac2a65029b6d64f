#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "probe/order.h"

static const struct probe
    node = {.name = "node", .phase = PHASE_PASSIVE, .writes = "device_node"},
    host = {.name = "host", .phase = PHASE_PASSIVE, .reads = "device_node", .writes = "host"},
    kernel = {.name = "kernel", .phase = PHASE_PASSIVE, .writes = "driver"},
    files = {.name = "files", .phase = PHASE_PASSIVE, .writes = "toolkit"},
    library = {.name = "library", .phase = PHASE_DERIVED, .reads = "host", .writes = "driver"},
    ask = {.name = "ask", .phase = PHASE_ACTIVE, .reads = "host driver", .writes = "nvml"},
    answer = {.name = "answer",
              .phase = PHASE_ACTIVE,
              .reads = "nvml",
              .writes = "nvml driver gpu",
              .waits = true},
    env = {.name = "env", .phase = PHASE_DERIVED, .reads = "host", .writes = "environment"},
    package = {.name = "package", .phase = PHASE_DERIVED, .reads = "environment"};

static void check(const struct probe *const *probes, size_t count, const char *const *names)
{
    const struct probe *order[PROBES_MAX];
    probes_order(probes, count, order);
    for (size_t i = 0; i < count; i++)
        cr_expect_str_eq(order[i]->name, names[i], "at %zu: %s", i, order[i]->name);
}

Test(probe_order, driver_is_asked_early_and_answers_last)
{
    const struct probe *const probes[] = {&answer, &package, &env,  &library, &ask,
                                          &files,  &host,    &node, &kernel};
    const char *const names[] = {"node", "host",    "kernel",  "ask",   "files",
                                 "env",  "package", "library", "answer"};
    check(probes, 9, names);
}

Test(probe_order, tells_how_many_ask_the_driver)
{
    const struct probe *const probes[] = {&files, &answer, &env, &ask, &host, &node};
    const struct probe *order[PROBES_MAX];
    cr_expect_eq(probes_order(probes, 6, order), 3);
    cr_expect_str_eq(order[2]->name, "ask");
    const struct probe *const quiet[] = {&files, &env};
    cr_expect_eq(probes_order(quiet, 2, order), 0);
}

Test(probe_order, circle_ends)
{
    static const struct probe a = {.name = "a", .reads = "y", .writes = "x"},
                              b = {.name = "b", .reads = "x", .writes = "y"};
    const struct probe *const probes[] = {&a, &b};
    const char *const names[] = {"a", "b"};
    check(probes, 2, names);
}

Test(probe_order, words)
{
    cr_expect(word_in_list("gpu driver", "driver", 6));
    cr_expect_not(word_in_list("gpu driver_library", "driver", 6));
    cr_expect_not(word_in_list(NULL, "gpu", 3));
}

static void check_needed(const char *tables, const char *without, const char *want)
{
    const struct probe *const probes[] = {&node, &host,   &kernel,  &files,  &ask,
                                          &env,  &answer, &package, &library};
    const struct probe *ret[PROBES_MAX];
    char have[200] = "";
    size_t count = probes_needed(probes, 9, tables, without, ret);
    for (size_t i = 0; i < count; i++)
        snprintf(have + strlen(have), sizeof have - strlen(have), "%s ", ret[i]->name);
    cr_expect_str_eq(have, want, "%s without %s: %s", tables, without ? without : "nothing", have);
}

Test(probe_order, only_what_is_needed)
{
    check_needed("toolkit", NULL, "files ");
    check_needed("environment", NULL, "node host env ");
    check_needed("environment", "host", "env ");
    check_needed("environment", "device_node", "host env ");
    check_needed("environment", "environment", "");
    check_needed("gpu", NULL, "node host kernel ask answer ");
    check_needed("toolkit host", "device_node", "host files ");
    check_needed("no_such_table", NULL, "");
    check_needed("", NULL, "");
}
