/* The conversation with a driver library that may fail in every way. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "machine/child.h"
#include "machine/nvml.h"
#include "scratch.h"

static struct machine *machine;
static struct arena arena;
static struct nvml_report report;
static const char *library = FAKE_NVML;
static const char *smi = "";

static void set_up(void)
{
    cr_assert_eq(machine_open_live(&machine, NULL), 0);
}

static void tear_down(void)
{
    arena_done(&arena);
    machine_free(machine);
}

TestSuite(nvml, .init = set_up, .fini = tear_down, .timeout = 60);

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Asks the fake in this mode; checks what must hold of every answer. Returns milliseconds. */
static double ask(const char *mode, int deadline_ms)
{
    struct nvml_options options = {.library = library, .deadline_ms = deadline_ms, .smi = smi};
    size_t files = scratch_open_files();
    setenv("FAKE_NVML", mode, 1);
    double start = now_ms();
    nvml_finish(nvml_start(machine, &options), &arena, &report);
    double took = now_ms() - start;
    cr_expect_eq(scratch_open_files(), files, "%s leaves descriptors", mode);
    cr_expect_eq(scratch_children(), 0, "%s leaves a child", mode);
    return took;
}

Test(nvml, two_gpus_answer_in_full)
{
    ask("ok", 10000);
    cr_assert_eq(report.status, NVML_OK);
    cr_expect_str_eq(report.source, "nvml");
    cr_expect_str_eq(report.library, FAKE_NVML);
    cr_expect_eq(report.code, 0);
    cr_expect_null(report.message);
    cr_expect_str_eq(report.driver_version, "580.159.04");
    cr_expect_str_eq(report.cuda_version, "13.0");
    cr_expect_str_eq(report.nvml_version, "13.580.159.04");
    cr_expect_gt(report.ms, 0);
    cr_assert_eq(report.gpu_count, 2);
    const struct nvml_gpu *gpu = &report.gpus[0];
    cr_expect_eq(gpu->index, 0);
    cr_expect_eq(gpu->code, 0);
    cr_expect_str_eq(gpu->pci, "0000:01:00.0");
    cr_expect_str_eq(gpu->uuid, "GPU-1111");
    cr_expect_str_eq(gpu->name, "NVIDIA H200");
    cr_expect_str_eq(gpu->cc, "9.0");
    cr_expect_eq(gpu->memory_mib, 143771);
    cr_expect_eq(gpu->minor, 1);
    cr_expect_eq(gpu->mig_mode, 0);
    cr_expect_eq(gpu->mig_instances, 0);
    cr_expect_str_eq(gpu->compute_mode, "Default");
    cr_expect_eq(gpu->persistence, 1);
    cr_expect_str_eq(gpu->fabric_state, "Completed");
    cr_expect_str_eq(gpu->fabric_status, "Success");
    cr_expect_str_eq(gpu->ecc_mode, "Enabled");
    cr_expect_str_eq(gpu->addressing_mode, "None");
    cr_expect_eq(gpu->mig_pending, 1);
    cr_expect_eq(gpu->mig_count, 0);
    cr_expect_str_eq(gpu->virtualization, "passthrough");
    cr_expect_str_eq(gpu->recovery_action, "None");
    cr_expect_str_eq(gpu->gsp_firmware, "580.159.04");
    cr_expect_eq(gpu->nvlinks, 4);
    cr_expect_eq(gpu->nvlinks_active, 3);
    gpu = &report.gpus[1];
    cr_expect_eq(gpu->index, 1);
    cr_expect_str_eq(gpu->pci, "000a:0b:00.0");
    cr_expect_eq(gpu->mig_mode, 1);
    cr_expect_eq(gpu->mig_instances, 2);
    cr_expect_str_eq(gpu->compute_mode, "Exclusive_Process");
    cr_expect_str_eq(gpu->fabric_state, "In Progress");
    cr_expect_null(gpu->fabric_status);
    cr_expect_str_eq(gpu->ecc_mode, "Disabled");
    cr_expect_str_eq(gpu->addressing_mode, "HMM");
    cr_expect_eq(gpu->mig_pending, 1);
    cr_expect_str_eq(gpu->virtualization, "host-vgpu");
    cr_expect_null(gpu->recovery_action);
    cr_expect_null(gpu->gsp_firmware);
    cr_expect_eq(gpu->nvlinks, 0);
    cr_expect_eq(gpu->nvlinks_active, 0);
}

Test(nvml, mig_devices_are_described)
{
    ask("ok", 10000);
    cr_assert_eq(report.gpu_count, 2);
    cr_assert_eq(report.gpus[1].mig_count, 2);
    const struct nvml_mig *mig = report.gpus[1].migs;
    cr_expect_eq(mig[0].index, 0);
    cr_expect_eq(mig[0].gpu_instance, 1);
    cr_expect_eq(mig[0].compute_instance, 0);
    cr_expect_str_eq(mig[0].uuid, "MIG-0000");
    cr_expect_str_eq(mig[0].name, "NVIDIA A100 MIG 3g.20gb");
    cr_expect_eq(mig[0].memory_mib, 20096);
    cr_expect_eq(mig[1].index, 3);
    cr_expect_eq(mig[1].gpu_instance, 2);
    cr_expect_str_eq(mig[1].uuid, "MIG-3333");
}

Test(nvml, a_hidden_mig_device_leaves_their_number_open)
{
    ask("hidden-mig", 10000);
    cr_assert_eq(report.gpu_count, 2);
    cr_expect_eq(report.gpus[1].mig_mode, 1);
    cr_expect_eq(report.gpus[1].mig_instances, -1);
    cr_expect_eq(report.gpus[1].mig_count, 2);
    ask("many-mig", 10000);
    cr_expect_eq(report.status, NVML_OK);
    cr_expect_eq(report.gpus[1].mig_instances, -1);
    cr_expect_eq(report.gpus[1].mig_count, NVML_MIGS_MAX);
    cr_expect_eq(report.gpus[1].migs[NVML_MIGS_MAX - 1].index, NVML_MIGS_MAX - 1);
}

Test(nvml, nvlinks_are_counted_in_every_numbering)
{
    ask("gaps", 10000);
    cr_assert_eq(report.gpu_count, 2);
    cr_expect_eq(report.gpus[0].nvlinks, 3);
    cr_expect_eq(report.gpus[0].nvlinks_active, 2);

    ask("uncounted", 10000); /* the answers to each link tell, and no link is not supported */
    cr_expect_eq(report.gpus[0].nvlinks, 4);
    cr_expect_eq(report.gpus[0].nvlinks_active, 3);
    cr_expect_eq(report.gpus[1].nvlinks, -1);
    cr_expect_eq(report.gpus[1].nvlinks_active, -1);

    ask("sick", 10000); /* a link that answers with an error is neither up nor down */
    cr_expect_eq(report.gpus[0].nvlinks, 4);
    cr_expect_eq(report.gpus[0].nvlinks_active, -1);
}

Test(nvml, states_that_only_some_machines_have)
{
    ask("guest", 10000);
    cr_expect_str_eq(report.gpus[0].virtualization, "vgpu");
    ask("firmware-off", 10000);
    cr_expect_str_eq(report.gpus[0].gsp_firmware, "none");
    cr_expect_null(report.gpus[1].gsp_firmware);
    ask("sick", 10000);
    cr_expect_str_eq(report.gpus[0].recovery_action, "Reset");
    ask("future", 10000);
    cr_expect_null(report.gpus[0].virtualization);
    cr_expect_str_eq(report.gpus[0].recovery_action, "code 9");
    cr_expect_eq(report.gpus[0].nvlinks_active, 0);
    ask("hostile", 10000);
    cr_assert_eq(report.gpu_count, 2);
    cr_expect_null(report.gpus[0].gsp_firmware);
}

Test(nvml, a_crash_in_a_part_keeps_the_rest)
{
    ask("crash-links", 10000);
    cr_expect_eq(report.status, NVML_OK); /* the second GPU states none: they are not asked */
    ask("crash-mig", 10000);
    cr_expect_eq(report.status, NVML_CRASHED);
    cr_expect_str_eq(report.message, "signal 11 (Segmentation fault) in the queries of GPU 1");
    cr_assert_eq(report.gpu_count, 2);
    cr_expect_eq(report.gpus[1].mig_mode, 1);
    cr_expect_eq(report.gpus[1].mig_count, 1);
    cr_expect_eq(report.gpus[1].mig_instances, -1);
    cr_expect_str_eq(report.gpus[1].uuid, "GPU-2222");
}

Test(nvml, a_hang_in_the_links_keeps_the_rest)
{
    double took = ask("hang-links-uncounted", 400);
    cr_expect_eq(report.status, NVML_HUNG);
    cr_expect_str_eq(report.message, "no answer within 400 ms from the NVLinks of GPU 1");
    cr_assert_eq(report.gpu_count, 2);
    cr_expect_eq(report.gpus[0].nvlinks, 4);
    cr_expect_eq(report.gpus[1].nvlinks, -1);
    cr_expect_str_eq(report.gpus[1].virtualization, "host-vgpu");
    cr_expect(took >= 390 && took < 700, "%f", took);
}

Test(nvml, not_supported_is_unknown_and_no_fault)
{
    ask("plain", 10000);
    cr_assert_eq(report.status, NVML_OK);
    cr_assert_eq(report.gpu_count, 2);
    const struct nvml_gpu *gpu = &report.gpus[0];
    cr_expect_eq(gpu->code, 0);
    cr_expect_eq(gpu->mig_mode, -1);
    cr_expect_eq(gpu->mig_instances, -1);
    cr_expect_null(gpu->fabric_state);
    cr_expect_null(gpu->ecc_mode);
    cr_expect_null(gpu->addressing_mode);
    cr_expect_null(gpu->virtualization);
    cr_expect_null(gpu->recovery_action);
    cr_expect_null(gpu->gsp_firmware);
    cr_expect_eq(gpu->mig_pending, -1);
    cr_expect_eq(gpu->nvlinks, -1);
    cr_expect_eq(gpu->nvlinks_active, -1);
}

Test(nvml, an_old_library_is_asked_in_its_own_words)
{
    library = FAKE_NVML_OLD;
    ask("ok", 10000);
    cr_assert_eq(report.status, NVML_OK);
    cr_expect_str_eq(report.driver_version, "580.159.04");
    cr_expect_str_eq(report.cuda_version, "13.0");
    cr_assert_eq(report.gpu_count, 2);
    cr_expect_str_eq(report.gpus[1].pci, "0000:0a:00.0");
    cr_expect_eq(report.gpus[1].memory_mib, 80 * 1024);
    cr_expect_null(report.gpus[1].cc);
    cr_expect_eq(report.gpus[1].minor, -1);
    cr_expect_null(report.gpus[1].compute_mode);
    cr_expect_null(report.gpus[1].virtualization);
    cr_expect_null(report.gpus[1].recovery_action);
    cr_expect_null(report.gpus[1].gsp_firmware);
    cr_expect_eq(report.gpus[1].mig_pending, -1);
    cr_expect_eq(report.gpus[1].nvlinks, -1);
    cr_expect_eq(report.gpus[1].mig_count, 0);
}

Test(nvml, every_code_of_the_start_is_reported)
{
    for (int code = 1; code <= 999; code = code == 29 ? 999 : code + 1) {
        char mode[32];
        snprintf(mode, sizeof mode, "init=%d", code);
        ask(mode, 10000);
        cr_expect_eq(report.status, NVML_FAILED, "%d", code);
        cr_expect_eq(report.code, code);
        cr_expect_str_eq(report.message,
                         code == 18 ? "Driver/library version mismatch" : "Some Error");
        cr_expect_eq(report.gpu_count, 0);
        cr_expect_not_null(nvml_code_text(code));
        cr_expect_not_null(nvml_code_name(code));
    }
    ask("init=77", 10000); /* neither the library nor we have words for it */
    cr_expect_eq(report.status, NVML_FAILED);
    cr_expect_eq(report.code, 77);
    cr_expect_null(report.message);
}

Test(nvml, one_bad_gpu_does_not_hide_the_other)
{
    ask("handle=15", 10000);
    cr_assert_eq(report.status, NVML_OK);
    cr_assert_eq(report.gpu_count, 2);
    cr_expect_eq(report.gpus[0].code, 0);
    cr_expect_str_eq(report.gpus[0].name, "NVIDIA H200");
    cr_expect_eq(report.gpus[1].code, 15);
    cr_expect_null(report.gpus[1].name);
    cr_expect_eq(report.gpus[1].memory_mib, -1);
}

Test(nvml, a_crash_is_told_with_its_signal_and_place)
{
    ask("crash-init", 10000);
    cr_expect_eq(report.status, NVML_CRASHED);
    cr_expect_str_eq(report.message, "signal 11 (Segmentation fault) in nvmlInitWithFlags");
    cr_expect_str_eq(report.library, FAKE_NVML);

    ask("crash-handle", 10000);
    cr_expect_eq(report.status, NVML_CRASHED);
    cr_expect_str_eq(report.message, "signal 11 (Segmentation fault) in the look-up of GPU 1");
    cr_expect_str_eq(report.driver_version, "580.159.04");
    cr_assert_eq(report.gpu_count, 1);
    cr_expect_str_eq(report.gpus[0].name, "NVIDIA H200");

    ask("abort-handle", 10000);
    cr_expect_eq(report.status, NVML_CRASHED);
    cr_expect_str_eq(report.message, "signal 6 (Aborted) in the look-up of GPU 1");

    ask("exit-init", 10000);
    cr_expect_eq(report.status, NVML_CRASHED);
    cr_expect_str_eq(report.message, "the process ended with status 3 in nvmlInitWithFlags");
}

Test(nvml, a_hang_ends_at_the_deadline_and_keeps_what_came)
{
    double took = ask("hang-init", 400);
    cr_expect_eq(report.status, NVML_HUNG);
    cr_expect_str_eq(report.message, "no answer within 400 ms from nvmlInit_v2");
    cr_expect_str_eq(report.driver_version, "580.159.04");
    cr_expect_str_eq(report.cuda_version, "13.0");
    cr_expect(took >= 390 && took < 700, "%f", took);

    took = ask("hang-handle", 400);
    cr_expect_eq(report.status, NVML_HUNG);
    cr_expect_str_eq(report.message, "no answer within 400 ms from the look-up of GPU 1");
    cr_assert_eq(report.gpu_count, 1);
    cr_expect_str_eq(report.gpus[0].uuid, "GPU-1111");
    cr_expect(took >= 390 && took < 700, "%f", took);
}

Test(nvml, an_answer_counts_although_it_is_read_late)
{
    struct nvml_options options = {.library = FAKE_NVML, .deadline_ms = 1500, .smi = ""};
    setenv("FAKE_NVML", "ok", 1);
    struct nvml_query *query = nvml_start(machine, &options);
    usleep(1600 * 1000);
    nvml_finish(query, &arena, &report);
    cr_expect_eq(report.status, NVML_OK);
    cr_expect_eq(report.gpu_count, 2);
}

static int write_much(int fd, void *context)
{
    char bytes[1024];
    memset(bytes, 'x', sizeof bytes);
    for (int i = 0; i < 40; i++)
        if (write(fd, bytes, sizeof bytes) != (ssize_t)sizeof bytes)
            return 1;
    (void)context;
    return 0;
}

/* What is in the pipe already is read in full, in whatever number of pieces. */
Test(nvml, a_late_look_empties_the_pipe)
{
    struct child child;
    struct text out = {0};
    cr_assert_eq(child_start(&child, 3, write_much, NULL), 0);
    usleep(200 * 1000);
    cr_expect_eq(child_read(&child, monotonic_ms() - 100, 1024 * 1024, &out, NULL, NULL),
                 CHILD_ENDED);
    cr_expect_eq(out.length, 40 * 1024);
    child_stop(&child, 1000);
    cr_expect(child.ended);
    text_done(&out);
}

Test(nvml, a_flood_is_cut)
{
    double took = ask("flood", 20000);
    cr_expect_eq(report.status, NVML_MALFORMED);
    cr_expect_str_eq(report.message, "the answer made no sense, in nvmlInitWithFlags");
    cr_expect_lt(took, 10000);
    took = ask("flood-records", 20000);
    cr_expect_eq(report.status, NVML_MALFORMED);
    cr_expect_str_eq(report.message, "the answer was too large, in abcd");
    cr_expect_lt(took, 10000);
    ask("many", 10000);
    cr_expect_eq(report.status, NVML_MALFORMED);
    cr_expect_eq(report.gpu_count, 0);
}

Test(nvml, texts_are_bounded_and_safe)
{
    ask("long", 10000);
    cr_assert_eq(report.status, NVML_OK);
    cr_assert_eq(report.gpu_count, 2);
    cr_expect_eq(strlen(report.gpus[0].name), 96);
    cr_expect_eq(strlen(report.gpus[0].uuid), 96);
    cr_expect_null(report.driver_version); /* no version */
    ask("hostile", 10000);
    cr_assert_eq(report.gpu_count, 2);
    cr_expect_null(strpbrk(report.gpus[0].name, "\x1b\n\xff"));
    cr_expect(strstr(report.gpus[0].name, "H200") != NULL);
}

Test(nvml, the_child_is_restrained)
{
    int extra = open("/etc/passwd", O_RDONLY); /* must not be seen in the child */
    ask("streams", 10000);
    cr_assert_eq(report.gpu_count, 2);
    cr_expect_str_eq(report.gpus[0].name,
                     "/dev/null /dev/null /dev/null fds=4 nnp=1 group=1 core=0");
    close(extra);
}

Test(nvml, closed_standard_streams_do_not_confuse_it)
{
    int kept[3];
    for (int fd = 0; fd < 3; fd++) {
        kept[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 10);
        close(fd);
    }
    ask("streams", 10000);
    for (int fd = 0; fd < 3; fd++) {
        dup2(kept[fd], fd);
        close(kept[fd]);
    }
    cr_assert_eq(report.gpu_count, 2);
    cr_expect_str_eq(report.gpus[0].name,
                     "/dev/null /dev/null /dev/null fds=4 nnp=1 group=1 core=0");
}

Test(nvml, ignored_children_do_not_confuse_it)
{
    signal(SIGCHLD, SIG_IGN);
    ask("ok", 10000);
    cr_expect_eq(report.status, NVML_OK);
    ask("crash-init", 10000);
    cr_expect_eq(report.status, NVML_CRASHED);
    cr_expect_str_eq(report.message, "the process ended in nvmlInitWithFlags");
    signal(SIGCHLD, SIG_DFL); /* the leak check at the end waits for a child of its own */
}

Test(nvml, a_missing_library_is_told)
{
    library = "/nonexistent/libnvidia-ml.so.1";
    ask("ok", 10000);
    cr_expect_eq(report.status, NVML_NO_LIBRARY);
    cr_expect_eq(report.code, 12);
    cr_expect_null(report.library);
    cr_expect(strstr(report.message, "No such file or directory") != NULL);
}

/* --- nvidia-smi instead --- */

static char *write_smi(const char *root, const char *body)
{
    char *path = arena_printf(&arena, "%s/nvidia-smi", root);
    char *script = arena_printf(&arena, "#!/bin/sh\n%s\n", body);
    scratch_write(root, "nvidia-smi", script);
    cr_assert_eq(chmod(path, 0755), 0);
    return path;
}

Test(nvml, nvidia_smi_is_asked_after_a_crash)
{
    char *root = scratch_new();
    smi = write_smi(root, "[ \"$*\" = '-q -x' ] || exit 1\n"
                          "echo '<nvidia_smi_log><driver_version>550.54.15</driver_version>"
                          "<gpu id=\"00000000:3B:00.0\"><product_name>Tesla T4</product_name></gpu>"
                          "</nvidia_smi_log>'");
    ask("crash-init", 10000);
    cr_expect_eq(report.status, NVML_OK);
    cr_expect_str_eq(report.source, "nvidia-smi");
    cr_expect_str_eq(report.driver_version, "550.54.15");
    cr_expect_str_eq(report.message, "signal 11 (Segmentation fault) in nvmlInitWithFlags");
    cr_assert_eq(report.gpu_count, 1);
    cr_expect_str_eq(report.gpus[0].pci, "0000:3b:00.0");

    smi = write_smi(root,
                    "echo 'Failed to initialize NVML: Driver/library version mismatch'; exit 18");
    ask("crash-init", 10000);
    cr_expect_eq(report.status, NVML_FAILED);
    cr_expect_eq(report.code, 18);
    cr_expect_str_eq(report.source, "nvidia-smi");

    smi = write_smi(root, "echo nonsense; exit 1");
    ask("crash-init", 10000);
    cr_expect_eq(report.status, NVML_CRASHED);
    cr_expect_str_eq(report.source, "nvml");

    smi = write_smi(root, "exec sleep 60");
    double took = ask("crash-init", 700);
    cr_expect_eq(report.status, NVML_CRASHED);
    cr_expect(took < 1000, "%f", took);
    scratch_remove(root);
}

Test(nvml, nvidia_smi_is_not_asked_after_a_hang)
{
    char *root = scratch_new();
    smi = write_smi(root, arena_printf(&arena, "touch %s/asked", root));
    ask("hang-init", 300);
    cr_expect_eq(report.status, NVML_HUNG);
    ask("init=18", 10000);
    cr_expect_eq(report.status, NVML_FAILED);
    cr_expect_neq(access(arena_printf(&arena, "%s/asked", root), F_OK), 0);
    scratch_remove(root);
}

Test(nvml, nvidia_smi_that_leaves_a_process_behind_is_no_trap)
{
    char *root = scratch_new();
    smi = write_smi(root, "sleep 3 & echo '<nvidia_smi_log></nvidia_smi_log>'");
    library = "/nonexistent/libnvidia-ml.so.1";
    double took = ask("ok", 10000);
    cr_expect_eq(report.status, NVML_OK);
    cr_expect_lt(took, 2000, "%f", took);
    scratch_remove(root);
}

/* --- the record --- */

static void ask_record_parts(const char *xml, const char *txt, const char *err)
{
    char *root = scratch_new();
    struct machine *recorded;
    scratch_folder(root, ".record");
    if (xml)
        scratch_write(root, ".record/nvidia-smi.xml", xml);
    if (txt)
        scratch_write(root, ".record/nvidia-smi.txt", txt);
    if (err)
        scratch_write(root, ".record/nvidia-smi.err", err);
    cr_assert_eq(machine_open_root(root, &recorded, NULL), 0);
    nvml_finish(nvml_start(recorded, NULL), &arena, &report);
    machine_free(recorded);
    scratch_remove(root);
    cr_expect_eq(report.ms, 0);
}

static void ask_record(const char *xml, const char *err)
{
    ask_record_parts(xml, NULL, err);
}

/* People paste the plain table; into whichever part, it is read, after the XML. */
Test(nvml, a_pasted_table_answers_instead)
{
    static const char table[] =
        "| NVIDIA-SMI 550.54.15     Driver Version: 550.54.15     CUDA Version: 12.4   |\n"
        "|   0  Tesla T4       On  | 00000000:3B:00.0 Off |  0 |\n"
        "| N/A   41C    P0         |  0MiB / 15360MiB     |  0%  Default |\n";
    ask_record_parts(NULL, table, "Failed to initialize NVML: Unknown Error\n");
    cr_expect_eq(report.status, NVML_OK);
    cr_expect_str_eq(report.source, ".record/nvidia-smi.txt");
    cr_expect_str_eq(report.driver_version, "550.54.15");
    cr_assert_eq(report.gpu_count, 1);
    cr_expect_str_eq(report.gpus[0].pci, "0000:3b:00.0");

    ask_record_parts(table, NULL, NULL);
    cr_expect_eq(report.status, NVML_OK);
    cr_expect_str_eq(report.source, ".record/nvidia-smi.xml");

    ask_record_parts("<nvidia_smi_log><driver_version>535.1</driver_version></nvidia_smi_log>",
                     table, NULL);
    cr_expect_str_eq(report.driver_version, "535.1");

    ask_record_parts(NULL,
                     "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA "
                     "driver.\n",
                     NULL);
    cr_expect_eq(report.status, NVML_FAILED);
    cr_expect_eq(report.code, 9);
    cr_expect_str_eq(report.source, ".record/nvidia-smi.txt");

    ask_record_parts(NULL, "\x01\x02 nothing\n", NULL);
    cr_expect_eq(report.status, NVML_MALFORMED);
}

Test(nvml, a_record_answers_instead)
{
    ask_record("<nvidia_smi_log><driver_version>550.1</driver_version></nvidia_smi_log>", NULL);
    cr_expect_eq(report.status, NVML_OK);
    cr_expect_str_eq(report.source, ".record/nvidia-smi.xml");
    cr_expect_str_eq(report.driver_version, "550.1");

    ask_record(NULL, "Failed to initialize NVML: Driver/library version mismatch\n"
                     "NVML library version: 535.183\n");
    cr_expect_eq(report.status, NVML_FAILED);
    cr_expect_eq(report.code, 18);
    cr_expect_str_eq(report.source, ".record/nvidia-smi.err");
    cr_expect_str_eq(report.nvml_version, "535.183");

    ask_record("Failed to initialize NVML: Unknown Error\n", NULL); /* printed to stdout with -x */
    cr_expect_eq(report.status, NVML_FAILED);
    cr_expect_eq(report.code, 999);
    cr_expect_str_eq(report.source, ".record/nvidia-smi.xml");

    ask_record("<nvidia_smi_log><driver_vers", NULL);
    cr_expect_eq(report.status, NVML_MALFORMED);

    ask_record(NULL, NULL);
    cr_expect_eq(report.status, NVML_SKIPPED);
    cr_expect_null(report.source);
}

Test(nvml, an_image_is_not_asked)
{
    char *root = scratch_new();
    struct machine *image;
    cr_assert_eq(machine_open_root(root, &image, NULL), 0);
    nvml_finish(nvml_start(image, NULL), &arena, &report);
    cr_expect_eq(report.status, NVML_SKIPPED);
    machine_free(image);
    scratch_remove(root);
}
