/* The table that a plain `nvidia-smi` prints. People paste it into reports, often indented or cut,
 * so lines are taken for what they are by their cells and not by their columns:
 *
 *   | NVIDIA-SMI 580.159.04     Driver Version: 580.159.04     CUDA Version: 13.0     |
 *   | NVIDIA-SMI 610.57.04      KMD Version: 610.57.04     CUDA UMD Version: 13.3     |
 *   |   0  NVIDIA H200                    On  |   00000000:00:06.0 Off |            0 |
 *   | N/A   41C    P0       128W /  700W |       0MiB / 143771MiB |   0%      Default |
 *   |                                    |                        |          Disabled |
 *   |  0    1   0   0  |     11MiB / 20224MiB | 42      0 |  3   0    2    0    0 |
 *
 * The third line of a GPU is there since driver 450, the last form stands under "MIG devices:".
 * Process names are left alone. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/pci_address.h"
#include "base/span.h"
#include "machine/nvml_values.h"
#include "machine/smi_fields.h"

enum { SIZE_MAX_BYTES = 8 * 1024 * 1024, GPUS_MAX = 256, CELLS = 4, WORDS = 8 };

enum section { HEADER, GPUS, MIG_DEVICES, REST };

struct table {
    struct arena *arena;
    struct nvml_report *report;
    size_t capacity; /* of report->gpus, which is on the heap until the end */
    enum section section;
    int gpu_line; /* of the GPU at hand: 1 to 3; 0 none is at hand */
    bool banner;
    bool mig_listed, mig_complete;
    bool too_many;
};

static char *copy(struct table *table, struct span span)
{
    return arena_strndup(table->arena, span.data, span.length);
}

static struct nvml_gpu *last_gpu(struct table *table)
{
    return &table->report->gpus[table->report->gpu_count - 1];
}

/* The words of a cell; the number of them, at most WORDS. */
static size_t split_words(struct span cell, struct span *words)
{
    size_t count = 0;
    while (count < WORDS && span_word(&cell, &words[count]))
        count++;
    return count;
}

static struct span last_word(struct span cell)
{
    struct span word = {0}, last = {0};
    while (span_word(&cell, &word))
        last = word;
    return last;
}

/* --- the banner --- */

static const char *version_after(struct table *table, struct span line, const char *key)
{
    struct span word;
    if (!span_cut_after(&line, key) || !span_word(&line, &word) || word.length > 32)
        return NULL;
    return nvml_known_version(copy(table, word));
}

/* False when the line is no banner. Drivers before 410 do not state CUDA. */
static bool take_banner(struct table *table, struct span line)
{
    struct nvml_report *report = table->report;
    if (table->banner || !span_has(line, "NVIDIA-SMI "))
        return false;
    const char *driver = version_after(table, line, "KMD Version:");
    const char *cuda = version_after(table, line, "CUDA UMD Version:");
    if (!driver)
        driver = version_after(table, line, "Driver Version:");
    if (!driver)
        return false;
    report->driver_version = driver;
    report->cuda_version = cuda ? cuda : version_after(table, line, "CUDA Version:");
    table->banner = true;
    return true;
}

/* --- GPUs --- */

static int of_switch(struct span word)
{
    return span_equal(word, "On") ? 1 : span_equal(word, "Off") ? 0 : -1;
}

/* Persistence mode stands last in the first cell; under Windows the driver's model does. */
static bool is_mode(struct span word)
{
    static const char *const modes[] = {"On", "Off", "N/A", "ERR!", "WDDM", "TCC", "MCDM"};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (span_equal(word, modes[i]))
            return true;
    return false;
}

static const char *ecc_of(struct span cell)
{
    uint64_t errors;
    if (of_switch(cell) == 0)
        return "Disabled";
    /* "On" stands for the number while MIG is on */
    return of_switch(cell) == 1 || span_number(cell, UINT64_MAX, &errors) ? "Enabled" : NULL;
}

/* Index, name, mode | address, display | ECC errors. */
static bool begin_gpu(struct table *table, const struct span *cells)
{
    struct nvml_report *report = table->report;
    struct span name = cells[0], index, address, display = cells[1];
    uint64_t number;
    if (!span_word(&name, &index) || !span_number(index, 9999, &number) ||
        !span_word(&display, &address))
        return false;
    const char *pci = pci_address(copy(table, address), table->arena);
    if (!pci)
        return false;
    if (report->gpu_count == GPUS_MAX) {
        table->too_many = true;
        return true;
    }
    report->gpus =
        xgrow(report->gpus, &table->capacity, report->gpu_count + 1, sizeof *report->gpus);
    struct nvml_gpu *gpu = &report->gpus[report->gpu_count++];
    nvml_gpu_unknown(gpu, (int)number);
    gpu->pci = pci;
    struct span mode = last_word(name);
    if (is_mode(mode)) {
        gpu->persistence = of_switch(mode);
        name.length = (size_t)(mode.data - name.data);
    }
    const char *text = copy(table, span_trim(name));
    gpu->name = nvml_known(text) ? smi_keep(table->arena, text) : NULL;
    smi_note_failure(gpu, text, true);
    gpu->ecc_mode = ecc_of(cells[2]);
    return true;
}

static const char *compute_mode_of(struct span cell)
{
    struct span mode = last_word(cell);
    if (span_equal(mode, "Default"))
        return "Default";
    if (span_equal(mode, "Prohibited"))
        return "Prohibited";
    /* "E. Process": the table has no room for more */
    if (span_has(cell, "E. Process"))
        return "Exclusive_Process";
    return span_has(cell, "E. Thread") ? "Exclusive_Thread" : NULL;
}

/* "0MiB / 143771MiB" */
static int64_t total_of(struct table *table, struct span cell)
{
    if (!span_cut_after(&cell, "/"))
        return -1;
    cell = span_trim(cell);
    return cell.length <= 32 ? smi_memory(copy(table, cell)) : -1;
}

/* The star says that this is the mode after the next reset, and so not the present one: ECC errors
 * are still counted for the whole GPU then (an A30 with driver 535, before and after a reboot). */
static void take_mig_mode(struct table *table, struct nvml_gpu *gpu, struct span cell)
{
    bool pending = cell.length && cell.data[cell.length - 1] == '*';
    cell.length -= pending;
    int mode = smi_switch(copy(table, cell));
    gpu->mig_pending = mode;
    gpu->mig_mode = mode < 0 ? -1 : pending ? !mode : mode;
    if (gpu->mig_mode == 0)
        gpu->mig_instances = 0;
}

static void go_on_with_gpu(struct table *table, const struct span *cells)
{
    struct nvml_gpu *gpu = last_gpu(table);
    if (table->gpu_line == 3)
        return;
    for (size_t i = 0; i < 3; i++)
        smi_note_failure(gpu, copy(table, cells[i]), false);
    if (++table->gpu_line == 2) {
        gpu->memory_mib = total_of(table, cells[1]);
        gpu->compute_mode = compute_mode_of(cells[2]);
    } else if (table->gpu_line == 3 && cells[0].length == 0) {
        take_mig_mode(table, gpu, cells[2]);
    }
}

/* --- MIG devices --- */

static struct nvml_gpu *find_gpu(struct nvml_report *report, uint64_t index)
{
    for (size_t i = 0; i < report->gpu_count; i++)
        if (report->gpus[i].index == (int)index)
            return &report->gpus[i];
    return NULL;
}

/* GPU, GPU instance, compute instance, number | memory | ... */
static void take_mig(struct table *table, const struct span *cells)
{
    struct span words[WORDS];
    uint64_t ids[4];
    if (split_words(cells[0], words) != 4)
        return;
    for (size_t i = 0; i < 4; i++)
        if (!span_number(words[i], 9999, &ids[i]))
            return;
    struct nvml_gpu *gpu = find_gpu(table->report, ids[0]);
    if (!gpu)
        return;
    struct nvml_mig *mig = nvml_mig_add(gpu, (int)ids[3], table->arena);
    if (!mig) {
        table->too_many = true;
        return;
    }
    mig->gpu_instance = (int)ids[1];
    mig->compute_instance = (int)ids[2];
    mig->memory_mib = total_of(table, cells[1]);
}

/* --- lines --- */

/* Cells between bars, without blanks around them; the number of them, at most CELLS. */
static size_t split_cells(struct span line, struct span *cells)
{
    size_t count = 0;
    struct span cell;
    if (!span_cut_after(&line, "|"))
        return 0;
    /* what follows the last bar is no cell */
    while (count < CELLS && line.data && memchr(line.data, '|', line.length) &&
           span_split(&line, '|', &cell))
        cells[count++] = span_trim(cell);
    return count;
}

/* The list of MIG devices is complete where another part follows it. */
static void take_title(struct table *table, struct span title)
{
    if (span_has(title, "MIG devices:")) {
        table->section = MIG_DEVICES;
        table->mig_listed = true;
    } else if (span_has(title, "Processes:")) {
        table->section = REST;
        table->mig_complete = table->mig_listed;
    } else if (span_has(title, "No MIG devices found")) {
        table->mig_complete = table->mig_listed;
    }
}

static void take_line(struct table *table, struct span line)
{
    struct span cells[CELLS] = {0};
    line = span_trim(line);
    if (take_banner(table, line)) {
        table->section = GPUS;
        return;
    }
    size_t count = split_cells(line, cells);
    if (table->section == HEADER || count == 0)
        return;
    if (count == 1) {
        take_title(table, cells[0]);
    } else if (table->section == GPUS && count == 3) {
        if (begin_gpu(table, cells))
            table->gpu_line = 1;
        else if (table->gpu_line > 0)
            go_on_with_gpu(table, cells);
    } else if (table->section == MIG_DEVICES && count == 4) {
        take_mig(table, cells);
    }
}

static void count_mig(const struct table *table)
{
    for (size_t i = 0; i < table->report->gpu_count; i++) {
        struct nvml_gpu *gpu = &table->report->gpus[i];
        if (gpu->mig_mode == 1 && table->mig_complete)
            gpu->mig_instances = (int)gpu->mig_count;
    }
}

static int complain(struct nvml_report *ret, struct arena *arena, struct error *err,
                    const char *sentence)
{
    *ret = (struct nvml_report){
        .status = NVML_MALFORMED,
        .message = arena_printf(arena, "not a table of nvidia-smi: %s", sentence),
    };
    return error_set(err, -EBADMSG, "%s", ret->message);
}

int nvml_parse_table(const char *data, size_t size, struct arena *arena, struct nvml_report *ret,
                     struct error *err)
{
    *ret = (struct nvml_report){.status = NVML_OK};
    if (size > SIZE_MAX_BYTES)
        return complain(ret, arena, err, "it is too large");
    struct table table = {.arena = arena, .report = ret};
    size_t cursor = 0;
    struct span line;
    while (!table.too_many && span_line(data, size, &cursor, &line))
        take_line(&table, line);
    count_mig(&table);
    struct nvml_gpu *gpus = ret->gpus;
    ret->gpus = arena_alloc(arena, (ret->gpu_count + 1) * sizeof *gpus);
    if (ret->gpu_count)
        memcpy(ret->gpus, gpus, ret->gpu_count * sizeof *gpus);
    free(gpus);
    if (table.too_many)
        return complain(ret, arena, err, "it lists too many GPUs or MIG devices");
    return table.banner ? 0 : complain(ret, arena, err, "it has no line with the driver's version");
}
