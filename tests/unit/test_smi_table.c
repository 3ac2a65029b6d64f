/* The table of a plain nvidia-smi, of several generations and of none. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "machine/nvml.h"
#include "smi_corpus.h"

static struct arena arena;
static struct nvml_report report;
static struct error err;

static void tear_down(void)
{
    arena_done(&arena);
}

TestSuite(smi_table, .fini = tear_down);

static int parse(const char *text)
{
    return nvml_parse_table(text, strlen(text), &arena, &report, &err);
}

static int parse_file(const char *name)
{
    CLEANUP_TEXT struct text all = {0};
    char sample[256];
    snprintf(sample, sizeof sample, "smi_table/%s", name);
    read_sample(sample, &all);
    return nvml_parse_table(all.data, all.length, &arena, &report, &err);
}

Test(smi_table, hopper_with_driver_580)
{
    cr_assert_eq(parse_file("h200-580"), 0);
    cr_expect_eq(report.status, NVML_OK);
    cr_expect_str_eq(report.driver_version, "580.159.04");
    cr_expect_str_eq(report.cuda_version, "13.0");
    cr_assert_eq(report.gpu_count, 1);
    const struct nvml_gpu *gpu = &report.gpus[0];
    cr_expect_eq(gpu->index, 0);
    cr_expect_eq(gpu->code, 0);
    cr_expect_str_eq(gpu->pci, "0000:00:06.0");
    cr_expect_str_eq(gpu->name, "NVIDIA H200");
    cr_expect_eq(gpu->memory_mib, 143771);
    cr_expect_eq(gpu->persistence, 1);
    cr_expect_str_eq(gpu->ecc_mode, "Enabled");
    cr_expect_str_eq(gpu->compute_mode, "Default");
    cr_expect_eq(gpu->mig_mode, 0);
    cr_expect_eq(gpu->mig_pending, 0);
    cr_expect_eq(gpu->mig_instances, 0);
    /* what a table does not say */
    cr_expect_null(gpu->uuid);
    cr_expect_null(gpu->cc);
    cr_expect_null(gpu->virtualization);
    cr_expect_null(gpu->recovery_action);
    cr_expect_null(gpu->gsp_firmware);
    cr_expect_null(gpu->fabric_state);
    cr_expect_eq(gpu->minor, -1);
    cr_expect_eq(gpu->nvlinks, -1);
}

Test(smi_table, without_cuda_and_mig_with_driver_375)
{
    cr_assert_eq(parse_file("k80-375"), 0);
    cr_expect_str_eq(report.driver_version, "375.51");
    cr_expect_null(report.cuda_version);
    cr_assert_eq(report.gpu_count, 2);
    cr_expect_str_eq(report.gpus[0].pci, "0000:06:00.0");
    cr_expect_str_eq(report.gpus[0].name, "Tesla K80");
    cr_expect_str_eq(report.gpus[0].compute_mode, "Exclusive_Process");
    cr_expect_eq(report.gpus[0].persistence, 1);
    cr_expect_eq(report.gpus[0].mig_mode, -1);
    cr_expect_eq(report.gpus[0].mig_instances, -1);
    cr_expect_eq(report.gpus[1].index, 2);
    cr_expect_eq(report.gpus[1].persistence, 0);
    cr_expect_str_eq(report.gpus[1].compute_mode, "Prohibited");
    cr_expect_str_eq(report.gpus[1].ecc_mode, "Disabled");
    cr_expect_eq(report.gpus[1].memory_mib, 11519);
}

Test(smi_table, indented_and_cut_name_with_driver_418)
{
    cr_assert_eq(parse_file("geforce-418-indented"), 0);
    cr_expect_str_eq(report.driver_version, "418.116.00");
    cr_expect_null(report.cuda_version);
    cr_assert_eq(report.gpu_count, 1);
    cr_expect_str_eq(report.gpus[0].name, "GeForce RTX 208...");
    cr_expect_null(report.gpus[0].ecc_mode);
    cr_expect_eq(report.gpus[0].memory_mib, 10986);
}

Test(smi_table, mig_devices_and_pending_mig)
{
    cr_assert_eq(parse_file("a100-mig-535"), 0);
    cr_expect_str_eq(report.cuda_version, "12.2");
    cr_assert_eq(report.gpu_count, 2);
    const struct nvml_gpu *gpu = &report.gpus[0];
    cr_expect_eq(gpu->mig_mode, 1);
    cr_expect_eq(gpu->mig_pending, 1);
    cr_expect_eq(gpu->mig_instances, 2);
    cr_expect_str_eq(gpu->ecc_mode, "Enabled");
    cr_assert_eq(gpu->mig_count, 2);
    cr_expect_eq(gpu->migs[1].index, 1);
    cr_expect_eq(gpu->migs[1].gpu_instance, 4);
    cr_expect_eq(gpu->migs[1].compute_instance, 0);
    cr_expect_eq(gpu->migs[1].memory_mib, 9856);
    cr_expect_null(gpu->migs[1].uuid);
    gpu = &report.gpus[1];
    cr_expect_eq(gpu->mig_mode, 0);
    cr_expect_eq(gpu->mig_pending, 1);
    cr_expect_eq(gpu->mig_instances, 0);
    cr_expect_eq(gpu->mig_count, 0);
}

/* A table that ends within its list of MIG devices does not tell how many there are. */
Test(smi_table, a_cut_list_of_mig_devices_is_not_counted)
{
    static const char head[] = "| NVIDIA-SMI 535.1 Driver Version: 535.1 CUDA Version: 12.2 |\n"
                               "| 0 NVIDIA A100 On | 00000000:21:00.0 Off | On |\n"
                               "| N/A | 50MiB / 40960MiB | N/A Default |\n"
                               "| | | Enabled |\n";
    cr_assert_eq(parse(head), 0);
    cr_expect_eq(report.gpus[0].mig_mode, 1);
    cr_expect_eq(report.gpus[0].mig_instances, -1);

    cr_assert_eq(parse(arena_printf(
                     &arena, "%s| MIG devices: |\n| 0 1 0 0 | 1MiB / 9MiB | 1 | 1 |\n", head)),
                 0);
    cr_expect_eq(report.gpus[0].mig_count, 1);
    cr_expect_eq(report.gpus[0].mig_instances, -1);

    cr_assert_eq(
        parse(arena_printf(&arena, "%s| MIG devices: |\n| No MIG devices found |\n", head)), 0);
    cr_expect_eq(report.gpus[0].mig_instances, 0);
    cr_assert_eq(parse(arena_printf(&arena, "%s| Processes: |\n", head)), 0);
    cr_expect_eq(report.gpus[0].mig_instances, -1);
}

Test(smi_table, names_of_driver_610)
{
    cr_assert_eq(parse_file("geforce-610"), 0);
    cr_expect_str_eq(report.driver_version, "610.57.04");
    cr_expect_str_eq(report.cuda_version, "13.3");
    cr_assert_eq(report.gpu_count, 1);
    cr_expect_eq(report.gpus[0].memory_mib, 4096);
    cr_expect_eq(report.gpus[0].mig_mode, -1);
    cr_expect_eq(report.gpus[0].persistence, 0);
}

Test(smi_table, gpus_in_a_bad_state)
{
    cr_assert_eq(parse_file("reset-580"), 0);
    cr_assert_eq(report.gpu_count, 2);
    cr_expect_str_eq(report.gpus[0].pci, "000f:01:00.0");
    cr_expect_str_eq(report.gpus[0].name, "NVIDIA GB10");
    cr_expect_eq(report.gpus[0].memory_mib, -1);
    cr_expect_eq(report.gpus[0].code, 0);
    cr_expect_eq(report.gpus[0].mig_mode, -1);
    cr_expect_null(report.gpus[1].name);
    cr_expect_eq(report.gpus[1].code, 16);
    cr_expect_eq(report.gpus[1].persistence, -1);
    cr_expect_null(report.gpus[1].compute_mode);
    cr_expect_null(report.gpus[1].ecc_mode);
}

Test(smi_table, what_is_no_table)
{
    cr_expect_eq(parse(""), -EBADMSG);
    cr_expect_eq(report.status, NVML_MALFORMED);
    cr_expect_str_eq(report.message, err.text);
    cr_expect_eq(parse("| 0 NVIDIA A100 On | 00000000:21:00.0 Off | On |\n"), -EBADMSG);
    cr_expect_eq(parse_file("failure"), -EBADMSG);
    cr_expect_eq(parse_file("broken"), 0); /* of which the driver can be read */
    cr_expect_str_eq(report.driver_version, "1.2");
    cr_expect_eq(parse_file("cut"), 0);
    cr_expect_eq(report.gpu_count, 1);
    cr_expect_eq(report.gpus[0].memory_mib, -1);
}

Test(smi_table, texts_are_safe_and_counts_bounded)
{
    CLEANUP_TEXT struct text many = {0};
    cr_assert_eq(parse("| NVIDIA-SMI 1 Driver Version: 550.1 |\n"
                       "| 0 A\x1b[31m\xff On | 00000000:21:00.0 Off | x |\n"),
                 0);
    cr_assert_eq(report.gpu_count, 1);
    cr_expect_null(strpbrk(report.gpus[0].name, "\x1b\xff"));

    text_add(&many, "| NVIDIA-SMI 1 Driver Version: 550.1 |\n");
    for (int i = 0; i < 300; i++)
        text_printf(&many, "| %d A On | 0000:%02x:00.0 Off | x |\n", i, i % 256);
    cr_expect_eq(parse(many.data), -EBADMSG);
    cr_expect(strstr(err.text, "too many GPUs") != NULL);
}
