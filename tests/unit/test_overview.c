/* The overview: what is known stands in it, what is not leaves no trace. */
#include <criterion/criterion.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/image.h"
#include "render/render.h"

static struct engine *engine;
static struct facts *facts;
static struct text out;

static void set_up(void)
{
    struct error err;
    size_t size = (size_t)(gd_rules_image_end - gd_rules_image);
    cr_assert_eq(engine_open(gd_rules_image, size, &engine, &err), 0, "%s", err.text);
    facts = engine_facts(engine);
}

static void tear_down(void)
{
    text_done(&out);
    engine_free(engine);
}

TestSuite(overview, .init = set_up, .fini = tear_down);

static const char *overview(void)
{
    static const struct style style = {.unicode = true, .width = 100};
    struct error err;
    text_clear(&out);
    cr_assert_eq(render_overview(&out, &style, engine, &err), 0, "%s", err.text);
    return text_get(&out);
}

static void expect_line(const char *line)
{
    const char *text = overview(), *at = strstr(text, line);
    cr_expect(at && (at == text || at[-1] == '\n') && at[strlen(line)] == '\n', "no line %s in\n%s",
              line, text);
}

Test(overview, is_empty_without_facts)
{
    cr_expect_str_eq(overview(), "");
}

Test(overview, unknown_parts_are_left_out_with_their_commas)
{
    facts_add_host(facts, &(struct row_host){.machine_kind = "live", .os_name = "Debian 12"});
    expect_line("Machine       Debian 12");
    cr_expect_null(strstr(text_get(&out), ","));
    facts_clear(facts, TABLE_host, NULL);
    facts_add_host(facts, &(struct row_host){.machine_kind = "recorded",
                                             .os_name = "Debian 12",
                                             .arch = "x86_64",
                                             .memory_mib = known(65536)});
    expect_line("Machine       Debian 12, x86_64 (recorded)");
    expect_line("Hardware      memory 64 GiB");
}

Test(overview, equal_gpus_are_one_line)
{
    for (int i = 0; i < 8; i++) {
        char address[] = "0000:01:00.0";
        address[5] = (char)('1' + i);
        facts_add_gpu(facts, &(struct row_gpu){.source = "nvml",
                                               .pci_address = address,
                                               .gpu_index = known(i),
                                               .name = "NVIDIA H100 80GB HBM3",
                                               .cc = "9.0",
                                               .memory_mib = known(81559)});
    }
    expect_line("GPU           0,1,2,3,4,5,6,7: 8 x NVIDIA H100 80GB HBM3, compute capability 9.0, "
                "81559 MiB");
}

Test(overview, a_bus_without_gpus_and_a_bus_that_was_not_read_differ)
{
    facts_add_probe(
        facts,
        &(struct row_probe){.name = "pci", .scope = "machine", .status = "denied", .path = "/sys"});
    cr_expect_null(strstr(overview(), "none on the PCI bus"));
    expect_line("Not readable  /sys: denied");
    facts_clear(facts, TABLE_probe, NULL);
    facts_add_probe(facts, &(struct row_probe){.name = "pci", .scope = "machine", .status = "ok"});
    expect_line("GPU           none on the PCI bus");
}

Test(overview, long_lists_are_counted)
{
    for (int i = 0; i < 20; i++) {
        char text[] = "NVRM: Xid (PCI:0000:01:00): 79, line 00";
        text[strlen(text) - 1] = (char)('0' + i % 10);
        text[strlen(text) - 2] = (char)('0' + i / 10);
        facts_add_kernel_log(
            facts, &(struct row_kernel_log){
                       .position = known(i), .kind = "xid", .text = text, .count = known(1)});
    }
    expect_line("Kernel log    NVRM: Xid (PCI:0000:01:00): 79, line 19");
    expect_line("              ... and 17 more");
}

Test(overview, nothing_of_a_fact_steers_the_terminal)
{
    facts_add_host(facts,
                   &(struct row_host){.machine_kind = "live", .os_name = "evil\033[2J\nGPU fine"});
    cr_expect_null(strchr(overview(), '\033'));
    cr_expect_null(strstr(text_get(&out), "\nGPU"));
}
