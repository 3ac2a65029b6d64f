/* GPUs as people write them, against the real matrix. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "api/gpu_name.h"
#include "engine/image.h"

static struct engine *engine;

static void set_up(void)
{
    struct error err;
    cr_assert_eq(
        engine_open(gd_rules_image, (size_t)(gd_rules_image_end - gd_rules_image), &engine, &err),
        0, "%s", err.text);
}

static void tear_down(void)
{
    engine_free(engine);
}

TestSuite(gpu_name, .init = set_up, .fini = tear_down);

static void expect_cc(const char *text, uint32_t major, uint32_t minor)
{
    struct compute_capability cc;
    struct error err;
    cr_assert_eq(gpu_from_name(engine, text, &cc, &err), 0, "%s: %s", text, err.text);
    cr_expect_eq(cc.major, major, "%s: %u.%u", text, cc.major, cc.minor);
    cr_expect_eq(cc.minor, minor, "%s: %u.%u", text, cc.major, cc.minor);
}

static void expect_refused(const char *text, const char *part)
{
    struct compute_capability cc;
    struct error err;
    cr_assert_eq(gpu_from_name(engine, text, &cc, &err), -EINVAL, "%s", text);
    cr_expect(strstr(err.text, part), "%s: %s", text, err.text);
}

Test(gpu_name, numbers)
{
    expect_cc("8.9", 8, 9);
    expect_cc("86", 8, 6);
    expect_cc("sm_90", 9, 0);
    expect_cc("SM_121", 12, 1);
    expect_cc("10.1", 10, 1);
    expect_cc("14.0", 14, 0); /* newer than all that is known */
    expect_refused("99.0", "no GPU has the compute capability 99.0");
    expect_refused("sm_999", "no GPU has the compute capability 99.9");
    expect_refused("9.7", "no GPU has the compute capability 9.7");
    expect_refused("sm_90a", "the GPU is 9.0");
    expect_refused("compute_80", "the GPU is 8.0");
    expect_refused("9", "such as 8.9");
    expect_refused("8,9", "with its dot");
    expect_refused("A100,H100", "one GPU each");
    expect_refused("12", "no GPU has the compute capability 1.2, as it is read");
}

Test(gpu_name, names)
{
    expect_cc("RTX 4090", 8, 9);
    expect_cc("4090", 8, 9);
    expect_cc("NVIDIA GeForce RTX 4090", 8, 9);
    expect_cc("h200", 9, 0);
    expect_cc("H100", 9, 0);
    expect_cc("GH200", 9, 0);
    expect_cc("B200", 10, 0);
    expect_cc("GB300", 10, 3);
    expect_cc("A100", 8, 0);
    expect_cc("a100-sxm4-80gb", 8, 0);
    expect_cc("L4", 8, 9);
    expect_cc("T4", 7, 5);
    expect_cc("V100", 7, 0);
    expect_cc("GTX 1080", 6, 1);
    expect_cc("Jetson Orin", 8, 7);
    expect_cc("thor", 11, 0);
    expect_cc("GB10", 12, 1);
    expect_cc("ad102", 8, 9);
    expect_cc("Quadro RTX 6000", 7, 5);
    expect_cc("rtx4090", 8, 9);
    expect_cc("RTX3060Ti", 8, 6);
    expect_cc("h-100", 9, 0);
}

Test(gpu_name, what_it_may_be)
{
    expect_refused("RTX 6000", "Quadro RTX 6000 (7.5)");
    expect_refused("RTX 6000", "RTX 6000 Ada Generation (8.9)");
    expect_refused("titan", "give the compute capability");
    expect_refused("xyz", "no GPU of that name is known");
    expect_refused("", "no GPU of that name is known");
    expect_refused("nvidia", "no GPU of that name is known");
    expect_refused("-1", "no GPU of that name is known");
    expect_refused("  -- ", "no GPU of that name is known");
    expect_refused("\033[31m\xff", "no GPU of that name is known");
    char long_name[300];
    memset(long_name, 'a', sizeof long_name);
    long_name[sizeof long_name - 1] = '\0';
    expect_refused(long_name, "no GPU has such a long name");
}
