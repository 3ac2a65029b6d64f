/* Reports of nvidia-smi, of several generations and of none. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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

TestSuite(smi_xml, .fini = tear_down);

static int parse(const char *text)
{
    return nvml_parse_xml(text, strlen(text), &arena, &report, &err);
}

static int parse_file(const char *name)
{
    CLEANUP_TEXT struct text all = {0};
    char sample[256];
    snprintf(sample, sizeof sample, "smi_xml/%s", name);
    read_sample(sample, &all);
    return nvml_parse_xml(all.data, all.length, &arena, &report, &err);
}

Test(smi_xml, hopper_with_driver_580)
{
    cr_assert_eq(parse_file("h200-580.xml"), 0);
    cr_expect_eq(report.status, NVML_OK);
    cr_expect_str_eq(report.driver_version, "580.159.04");
    cr_expect_str_eq(report.cuda_version, "13.0");
    cr_assert_eq(report.gpu_count, 1);
    const struct nvml_gpu *gpu = &report.gpus[0];
    cr_expect_eq(gpu->index, 0);
    cr_expect_eq(gpu->code, 0);
    cr_expect_str_eq(gpu->pci, "0000:00:06.0");
    cr_expect_str_eq(gpu->uuid, "GPU-00000000-1111-2222-3333-444444444444");
    cr_expect_str_eq(gpu->name, "NVIDIA H200");
    cr_expect_null(gpu->cc);
    cr_expect_eq(gpu->memory_mib, 143771);
    cr_expect_eq(gpu->minor, 0);
    cr_expect_eq(gpu->mig_mode, 0);
    cr_expect_eq(gpu->mig_instances, 0);
    cr_expect_str_eq(gpu->compute_mode, "Default");
    cr_expect_eq(gpu->persistence, 1);
    cr_expect_null(gpu->fabric_state);
    cr_expect_null(gpu->fabric_status);
    cr_expect_str_eq(gpu->ecc_mode, "Enabled");
    cr_expect_str_eq(gpu->addressing_mode, "None");
    cr_expect_eq(gpu->mig_pending, 0);
}

Test(smi_xml, mig_and_fabric)
{
    cr_assert_eq(parse_file("mig-fabric.xml"), 0);
    cr_assert_eq(report.gpu_count, 2);
    cr_expect_eq(report.gpus[0].mig_mode, 1);
    cr_expect_eq(report.gpus[0].mig_instances, 2);
    cr_expect_eq(report.gpus[0].memory_mib, 81559); /* the card's, not an instance's */
    cr_expect_str_eq(report.gpus[0].fabric_state, "In Progress");
    cr_expect_null(report.gpus[0].fabric_status);
    cr_expect_eq(report.gpus[1].mig_mode, 1);
    cr_expect_eq(report.gpus[1].mig_instances, 0);
    cr_expect_str_eq(report.gpus[1].fabric_state, "Completed");
    cr_expect_str_eq(report.gpus[1].fabric_status, "Success");
    cr_expect_eq(report.gpus[1].index, 1);
}

Test(smi_xml, layouts_of_drivers_390_and_418)
{
    cr_assert_eq(parse_file("geforce-390.xml"), 0);
    cr_expect_str_eq(report.driver_version, "390.48");
    cr_expect_null(report.cuda_version);
    cr_assert_eq(report.gpu_count, 1);
    const struct nvml_gpu *gpu = &report.gpus[0];
    cr_expect_str_eq(gpu->virtualization, "none");
    cr_expect_eq(gpu->mig_mode, -1);
    cr_expect_eq(gpu->mig_pending, -1);
    cr_expect_null(gpu->ecc_mode);
    cr_expect_null(gpu->gsp_firmware);
    cr_expect_null(gpu->recovery_action);
    cr_expect_null(gpu->addressing_mode);
    cr_expect_eq(gpu->nvlinks, -1);

    cr_assert_eq(parse_file("titan-418.xml"), 0);
    cr_expect_str_eq(report.cuda_version, "10.1");
    gpu = &report.gpus[0];
    cr_expect_str_eq(gpu->virtualization, "passthrough");
    cr_expect_str_eq(gpu->compute_mode, "Exclusive_Process");
    cr_expect_eq(gpu->minor, 1);
    cr_expect_str_eq(gpu->ecc_mode, "Disabled");
}

Test(smi_xml, mig_devices_of_driver_470)
{
    cr_assert_eq(parse_file("a100-mig-470.xml"), 0);
    cr_assert_eq(report.gpu_count, 2);
    const struct nvml_gpu *gpu = &report.gpus[0];
    cr_expect_eq(gpu->mig_instances, 2);
    cr_expect_eq(gpu->mig_pending, 1);
    cr_expect_str_eq(gpu->virtualization, "host-vgpu");
    cr_expect_eq(gpu->memory_mib, 40536);
    cr_assert_eq(gpu->mig_count, 2);
    cr_expect_eq(gpu->migs[0].index, 0);
    cr_expect_eq(gpu->migs[0].gpu_instance, 3);
    cr_expect_eq(gpu->migs[0].compute_instance, 0);
    cr_expect_null(gpu->migs[0].uuid);
    cr_expect_null(gpu->migs[0].name);
    cr_expect_eq(gpu->migs[0].memory_mib, 9856);
    cr_expect_eq(gpu->migs[1].gpu_instance, 5);
    cr_expect_eq(gpu->migs[1].compute_instance, 1);
    cr_expect_str_eq(gpu->migs[1].uuid, "MIG-22220000-0000-0000-0000-000000000470");
    cr_expect_eq(gpu->migs[1].memory_mib, -1);
    gpu = &report.gpus[1];
    cr_expect_eq(gpu->mig_mode, 0);
    cr_expect_eq(gpu->mig_pending, 1);
    cr_expect_eq(gpu->mig_instances, 0);
    cr_expect_eq(gpu->mig_count, 0);
}

Test(smi_xml, a_guest_of_a_vgpu_host)
{
    cr_assert_eq(parse_file("vgpu-guest-535.xml"), 0);
    cr_assert_eq(report.gpu_count, 1);
    const struct nvml_gpu *gpu = &report.gpus[0];
    cr_expect_str_eq(gpu->virtualization, "vgpu");
    cr_expect_str_eq(gpu->name, "GRID A100D-20C");
    cr_expect_null(gpu->gsp_firmware);
    cr_expect_null(gpu->recovery_action);
    cr_expect_null(gpu->addressing_mode);
    cr_expect_eq(gpu->code, 0);
}

/* Before an action had a name, two questions were answered with yes or no. */
Test(smi_xml, fabric_and_reset_of_driver_550)
{
    cr_assert_eq(parse_file("h100-fabric-550.xml"), 0);
    cr_assert_eq(report.gpu_count, 2);
    const struct nvml_gpu *gpu = &report.gpus[0];
    cr_expect_str_eq(gpu->fabric_state, "Completed");
    cr_expect_str_eq(gpu->fabric_status, "Success");
    cr_expect_str_eq(gpu->recovery_action, "Drain and Reset");
    cr_expect_str_eq(gpu->gsp_firmware, "550.54.15");
    cr_expect_str_eq(gpu->virtualization, "none");
    cr_expect_null(report.gpus[1].recovery_action);
    cr_expect_str_eq(report.gpus[1].fabric_status, "Insufficient Resources");
}

Test(smi_xml, a_laptop_with_driver_575)
{
    cr_assert_eq(parse_file("laptop-575.xml"), 0);
    cr_assert_eq(report.gpu_count, 1);
    const struct nvml_gpu *gpu = &report.gpus[0];
    cr_expect_str_eq(gpu->recovery_action, "None");
    cr_expect_str_eq(gpu->gsp_firmware, "575.51.02");
    cr_expect_str_eq(gpu->addressing_mode, "HMM");
    cr_expect_eq(gpu->memory_mib, -1);
    cr_expect_eq(gpu->mig_mode, -1);
    cr_expect_eq(gpu->mig_pending, -1);
    cr_expect_eq(gpu->code, 0);
}

Test(smi_xml, a_gpu_that_requires_a_reset)
{
    cr_assert_eq(parse_file("requires-reset-570.xml"), 0);
    cr_expect_null(report.cuda_version);
    cr_assert_eq(report.gpu_count, 2);
    const struct nvml_gpu *gpu = &report.gpus[0];
    cr_expect_eq(gpu->code, 16);
    cr_expect_str_eq(gpu->name, "NVIDIA H100 80GB HBM3");
    cr_expect_str_eq(gpu->recovery_action, "Reset");
    cr_expect_null(gpu->gsp_firmware);
    cr_expect_null(gpu->virtualization);
    cr_expect_null(gpu->compute_mode);
    cr_expect_null(gpu->fabric_state);
    cr_expect_eq(gpu->memory_mib, -1);
    cr_expect_eq(report.gpus[1].code, 999);
    cr_expect_null(report.gpus[1].name);
}

/* Whatever stands first, the newer spelling says more exactly what it is. */
Test(smi_xml, both_names_of_driver_610)
{
    cr_assert_eq(parse_file("both-names-610.xml"), 0);
    cr_expect_str_eq(report.driver_version, "610.57.04");
    cr_expect_str_eq(report.cuda_version, "13.3");
    cr_assert_eq(report.gpu_count, 1);
    cr_expect_str_eq(report.gpus[0].pci, "000f:01:00.0");
    cr_expect_str_eq(report.gpus[0].addressing_mode, "ATS");
    cr_expect_str_eq(report.gpus[0].recovery_action, "Drain P2P");
    cr_expect_eq(report.gpus[0].memory_mib, -1);
    cr_assert_eq(parse("<nvidia_smi_log><kmd_version>N/A</kmd_version>"
                       "<driver_version>610.1.2</driver_version></nvidia_smi_log>"),
                 0);
    cr_expect_str_eq(report.driver_version, "610.1.2");
}

Test(smi_xml, names_of_driver_610)
{
    cr_assert_eq(parse_file("kmd-610.xml"), 0);
    cr_expect_str_eq(report.driver_version, "610.57.04");
    cr_expect_str_eq(report.cuda_version, "13.3");
}

Test(smi_xml, layout_of_driver_319)
{
    cr_assert_eq(parse_file("old-319.xml"), 0);
    cr_expect_str_eq(report.driver_version, "319.37");
    cr_expect_null(report.cuda_version);
    cr_assert_eq(report.gpu_count, 1);
    cr_expect_str_eq(report.gpus[0].pci, "0000:02:00.0");
    cr_expect_eq(report.gpus[0].memory_mib, 5119);
    cr_expect_eq(report.gpus[0].minor, -1);
    cr_expect_eq(report.gpus[0].mig_mode, -1);
    cr_expect_eq(report.gpus[0].mig_instances, -1);
    cr_expect_str_eq(report.gpus[0].ecc_mode, "Disabled");
}

Test(smi_xml, values_that_stand_for_nothing)
{
    cr_assert_eq(parse("<nvidia_smi_log><driver_version>N/A</driver_version>"
                       "<cuda_version>Not Found</cuda_version><gpu>"
                       "<product_name>[Unknown Error]</product_name><uuid>ERR!</uuid>"
                       "<minor_number>N/A</minor_number><persistence_mode>N/A</persistence_mode>"
                       "<compute_mode>[Not Supported]</compute_mode>"
                       "<fb_memory_usage><total>N/A</total></fb_memory_usage>"
                       "<ecc_mode><current_ecc></current_ecc></ecc_mode>"
                       "<mig_mode><current_mig>N/A</current_mig></mig_mode>"
                       "<mig_devices>None</mig_devices></gpu></nvidia_smi_log>"),
                 0);
    cr_expect_null(report.driver_version);
    cr_expect_null(report.cuda_version);
    cr_assert_eq(report.gpu_count, 1);
    const struct nvml_gpu *gpu = &report.gpus[0];
    cr_expect_eq(gpu->code, 999);
    cr_expect_null(gpu->name);
    cr_expect_null(gpu->uuid);
    cr_expect_null(gpu->pci);
    cr_expect_eq(gpu->minor, -1);
    cr_expect_eq(gpu->persistence, -1);
    cr_expect_eq(gpu->memory_mib, -1);
    cr_expect_null(gpu->compute_mode);
    cr_expect_null(gpu->ecc_mode);
    cr_expect_eq(gpu->mig_instances, -1);
}

Test(smi_xml, a_lost_gpu_has_its_code)
{
    cr_assert_eq(parse("<nvidia_smi_log><gpu id='00000000:03:00.0'><uuid>GPU is lost</uuid></gpu>"
                       "<gpu id='00010000:04:00.1'><uuid>[GPU requires reset]</uuid></gpu>"
                       "<gpu id='junk'><uuid>GPU-1</uuid></gpu></nvidia_smi_log>"),
                 0);
    cr_assert_eq(report.gpu_count, 3);
    cr_expect_eq(report.gpus[0].code, 15);
    cr_expect_eq(report.gpus[1].code, 16);
    cr_expect_str_eq(report.gpus[1].pci, "10000:04:00.1");
    cr_expect_eq(report.gpus[2].code, 0);
    cr_expect_null(report.gpus[2].pci);
}

Test(smi_xml, warnings_around_the_document)
{
    cr_assert_eq(parse("WARNING: something\n<?xml version='1.0'?><nvidia_smi_log>"
                       "<driver_version>550.54.15</driver_version></nvidia_smi_log>\n"
                       "WARNING: infoROM is corrupted at gpu 0000:01:00.0\n"),
                 0);
    cr_expect_str_eq(report.driver_version, "550.54.15");
}

Test(smi_xml, texts_are_made_safe)
{
    cr_assert_eq(parse("<nvidia_smi_log><driver_version>1&lt;2</driver_version><gpu>"
                       "<product_name>A\xc2\x9b"
                       "31m\xe2\x80\xae&amp;B</product_name></gpu></nvidia_smi_log>"),
                 0);
    cr_expect_null(report.driver_version);
    cr_expect_null(strstr(report.gpus[0].name, "\xc2\x9b"));
    cr_expect_null(strstr(report.gpus[0].name, "\xe2\x80\xae"));
    cr_expect(strstr(report.gpus[0].name, "&B") != NULL);
}

Test(smi_xml, what_is_no_report)
{
    static const struct {
        const char *text, *words;
    } table[] = {
        {"", "it is empty"},
        {"no xml", "syntax error"},
        {"<html></html>", "its root is not nvidia_smi_log"},
        {"<html/>", "its root is not nvidia_smi_log"},
        {"<nvidia_smi_log><gpu>", "no element found"},
        {"<nvidia_smi_log><gpu></nvidia_smi_log>", "mismatched tag"},
        {"<!DOCTYPE n [<!ENTITY a 'b'>]><nvidia_smi_log>&a;</nvidia_smi_log>",
         "it declares entities"},
        {"<!DOCTYPE n [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><nvidia_smi_log/>",
         "it declares entities"},
        {"<!DOCTYPE n [<!ENTITY % a 'b'>]><nvidia_smi_log/>", "it declares entities"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        cr_expect_eq(parse(table[i].text), -EBADMSG, "%s", table[i].text);
        cr_expect_eq(report.status, NVML_MALFORMED);
        cr_expect(strstr(err.text, table[i].words) != NULL, "%s: %s", table[i].text, err.text);
        cr_expect_str_eq(report.message, err.text);
    }
}

Test(smi_xml, a_document_type_is_not_fetched)
{
    cr_expect_eq(parse("<!DOCTYPE nvidia_smi_log SYSTEM 'nvsmi_device_v13.dtd'>"
                       "<nvidia_smi_log><driver_version>1.2</driver_version></nvidia_smi_log>"),
                 0);
    cr_expect_str_eq(report.driver_version, "1.2");
}

Test(smi_xml, depth_count_and_length_are_bounded)
{
    CLEANUP_TEXT struct text deep = {0}, many = {0}, wide = {0}, name = {0};
    text_add(&deep, "<nvidia_smi_log>");
    for (int i = 0; i < 40; i++)
        text_add(&deep, "<a>");
    cr_expect_eq(parse(deep.data), -EBADMSG);
    cr_expect(strstr(err.text, "nested too deep") != NULL);

    text_add(&many, "<nvidia_smi_log>");
    for (int i = 0; i < 300; i++)
        text_add(&many, "<gpu/>");
    cr_expect_eq(parse(many.data), -EBADMSG);
    cr_expect(strstr(err.text, "too many GPUs") != NULL);

    text_clear(&many);
    text_add(&many, "<nvidia_smi_log><gpu><mig_devices>");
    for (int i = 0; i < 65; i++)
        text_add(&many, "<mig_device/>");
    cr_expect_eq(parse(many.data), -EBADMSG);
    cr_expect(strstr(err.text, "too many MIG devices") != NULL);

    text_add(&wide, "<nvidia_smi_log><gpu><product_name>");
    for (int i = 0; i < 5000; i++)
        text_add_char(&wide, 'x');
    text_add(&wide, "</product_name></gpu></nvidia_smi_log>");
    cr_expect_eq(parse(wide.data), 0);
    cr_expect_eq(strlen(report.gpus[0].name), 1024);

    text_add(&name, "<nvidia_smi_log><gpu><");
    for (int i = 0; i < 1000; i++)
        text_add_char(&name, 'n');
    text_add(&name, "><uuid>no</uuid></");
    for (int i = 0; i < 1000; i++)
        text_add_char(&name, 'n');
    text_add(&name, "><uuid>GPU-1</uuid></gpu></nvidia_smi_log>");
    cr_expect_eq(parse(name.data), 0);
    cr_expect_str_eq(report.gpus[0].uuid, "GPU-1");
}

Test(smi_xml, utf_16)
{
    static const char text[] = "<nvidia_smi_log><driver_version>551.86</driver_version>"
                               "</nvidia_smi_log>";
    char wide[2 * sizeof text];
    size_t size = 0;
    wide[size++] = '\xff';
    wide[size++] = '\xfe';
    for (size_t i = 0; text[i]; i++) {
        wide[size++] = text[i];
        wide[size++] = '\0';
    }
    cr_assert_eq(nvml_parse_xml(wide, size, &arena, &report, &err), 0, "%s", err.text);
    cr_expect_str_eq(report.driver_version, "551.86");
}

Test(smi_xml, failures_have_their_codes)
{
    static const struct {
        const char *text;
        enum nvml_status status;
        int code;
    } table[] = {
        {"Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 535.1",
         NVML_FAILED, 18},
        {"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure "
         "that the latest NVIDIA driver is installed and running.\n\n",
         NVML_FAILED, 9},
        {"NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. Please make sure that "
         "the NVIDIA Display Driver is properly installed and present in your system.\n",
         NVML_NO_LIBRARY, 12},
        {"No devices were found\n", NVML_FAILED, 28},
        {"Failed to initialize NVML: Insufficient Permissions\n", NVML_FAILED, 4},
        {"Failed to initialize NVML: Unknown Error\n", NVML_FAILED, 999},
        {"Failed to initialize NVML: Driver Not Loaded\n", NVML_FAILED, 9},
        {"Failed to initialize NVML: GPU access blocked by the operating system\n", NVML_FAILED,
         17},
        {"Unable to determine the device handle for GPU 0000:03:00.0: GPU is lost.  Reboot the "
         "system to recover this GPU\n",
         NVML_FAILED, 15},
        {"Failed to initialize NVML: Function Not Found\n", NVML_FAILED, 13},
        {"bash: nvidia-smi: command not found\n", NVML_SKIPPED, 0},
        {"something new\n", NVML_FAILED, -1},
        {"", NVML_FAILED, -1},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        nvml_parse_failure(table[i].text, strlen(table[i].text), &arena, &report);
        cr_expect_eq(report.status, table[i].status, "%s", table[i].text);
        cr_expect_eq(report.code, table[i].code, "%s: %d", table[i].text, report.code);
    }
    cr_expect_null(report.message);
    nvml_parse_failure("a\x1b[31m\nb", 8, &arena, &report);
    cr_expect_null(strchr(report.message, '\x1b'));
}

Test(smi_xml, codes)
{
    cr_expect_str_eq(nvml_code_text(18), "Driver/library version mismatch");
    cr_expect_str_eq(nvml_code_name(18), "LIB_RM_VERSION_MISMATCH");
    cr_expect_str_eq(nvml_code_name(999), "UNKNOWN");
    cr_expect_null(nvml_code_text(30));
    cr_expect_null(nvml_code_name(-1));
}
