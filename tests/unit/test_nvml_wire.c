/* Records of the NVML child that make sense, and that do not. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "machine/nvml_wire.h"

static struct arena arena;
static struct nvml_report report;
static struct wire_reader reader;
static int ends[2];

static void set_up(void)
{
    reader = (struct wire_reader){.arena = &arena, .report = &report};
    cr_assert_eq(pipe(ends), 0);
    wire_put_number(ends[1], WIRE_COUNT, 0, 2);
    wire_put_number(ends[1], WIRE_GPU_CODE, 0, 0);
}

static void tear_down(void)
{
    close(ends[0]);
    close(ends[1]);
    arena_done(&arena);
}

TestSuite(nvml_wire, .init = set_up, .fini = tear_down);

static void put(enum wire_tag tag, int64_t number)
{
    cr_assert(wire_put_number(ends[1], tag, 0, number));
}

static void put_text(enum wire_tag tag, const char *text)
{
    cr_assert(wire_put_text(ends[1], tag, 0, text, strlen(text)));
}

static int take(void)
{
    static char bytes[32 * 1024];
    ssize_t size = read(ends[0], bytes, sizeof bytes);
    cr_assert_gt(size, 0);
    return wire_read(&reader, bytes, (size_t)size);
}

Test(nvml_wire, values_out_of_range_are_unknown)
{
    put(WIRE_GPU_MIG_PENDING, 7);
    put(WIRE_GPU_VIRTUALIZATION, 5);
    put(WIRE_GPU_RECOVERY, -1);
    put(WIRE_GPU_LINKS, 37);
    put(WIRE_GPU_LINKS_ACTIVE, -2);
    put_text(WIRE_GPU_GSP, "no version");
    put(WIRE_MIG, 63);
    put(WIRE_MIG_GPU_INSTANCE, -1);
    put(WIRE_MIG_MEMORY, INT64_MIN);
    put_text(WIRE_MIG_NAME, "N/A");
    cr_assert_eq(take(), 0);
    const struct nvml_gpu *gpu = &report.gpus[0];
    cr_expect_eq(gpu->mig_pending, -1);
    cr_expect_null(gpu->virtualization);
    cr_expect_null(gpu->recovery_action);
    cr_expect_eq(gpu->nvlinks, -1);
    cr_expect_eq(gpu->nvlinks_active, -1);
    cr_expect_null(gpu->gsp_firmware);
    cr_assert_eq(gpu->mig_count, 1);
    cr_expect_eq(gpu->migs[0].index, 63);
    cr_expect_eq(gpu->migs[0].gpu_instance, -1);
    cr_expect_eq(gpu->migs[0].memory_mib, -1);
    cr_expect_null(gpu->migs[0].name);
}

Test(nvml_wire, a_part_of_a_mig_device_that_was_not_begun)
{
    put(WIRE_MIG_GPU_INSTANCE, 1);
    cr_expect_eq(take(), -EBADMSG);
}

Test(nvml_wire, a_mig_device_of_a_gpu_that_was_not_begun)
{
    cr_assert(wire_put_number(ends[1], WIRE_MIG, 1, 0));
    cr_expect_eq(take(), -EBADMSG);
}

Test(nvml_wire, a_mig_device_with_a_wrong_number)
{
    put(WIRE_MIG, NVML_MIGS_MAX);
    cr_expect_eq(take(), -EBADMSG);
}

Test(nvml_wire, too_many_mig_devices)
{
    for (int i = 0; i <= NVML_MIGS_MAX; i++)
        put(WIRE_MIG, 0);
    cr_expect_eq(take(), -EBADMSG);
    cr_expect_eq(report.gpus[0].mig_count, NVML_MIGS_MAX);
}
