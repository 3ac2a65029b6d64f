/* What nvidia-smi prints instead of a report. */
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "machine/nvml.h"
#include "machine/nvml_values.h"

enum { MESSAGE_MAX = 512 };

/* Its own sentences; the rest are the texts of NVML's codes. */
static const struct {
    const char *words;
    enum nvml_status status;
    int code;
} sentences[] = {
    {"couldn't communicate with the NVIDIA driver", NVML_FAILED, 9},
    {"couldn't find libnvidia-ml.so", NVML_NO_LIBRARY, 12},
    /* Initialised, but no GPU came up: nvidia-smi ends with 6, which NVML calls "not found" of
     * anything; 28 is its code for a GPU. */
    {"No devices were found", NVML_FAILED, 28},
    /* The shell's words, not nvidia-smi's: nobody was asked. */
    {"command not found", NVML_SKIPPED, 0},
    {"nvidia-smi: not found", NVML_SKIPPED, 0},
    {"No such file or directory", NVML_SKIPPED, 0},
};

static void judge(const char *words, struct nvml_report *ret)
{
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++) {
        if (!strcasestr(words, sentences[i].words))
            continue;
        ret->status = sentences[i].status;
        ret->code = sentences[i].code;
        return;
    }
    ret->status = NVML_FAILED;
    ret->code = nvml_code_in_text(words);
}

/* "NVML library version: 535.183" below a version mismatch, since driver 535. */
static void find_version(const char *line, size_t length, struct arena *arena,
                         struct nvml_report *ret)
{
    static const char key[] = "NVML library version: ";
    if (length < sizeof key || memcmp(line, key, sizeof key - 1) != 0)
        return;
    ret->nvml_version =
        nvml_known_version(arena_strndup(arena, line + sizeof key - 1, length - (sizeof key - 1)));
}

void nvml_parse_failure(const char *data, size_t size, struct arena *arena, struct nvml_report *ret)
{
    *ret = (struct nvml_report){0};
    CLEANUP_TEXT struct text words = {0};
    size_t cursor = 0, length;
    const char *line;
    while (words.length < MESSAGE_MAX && text_next_line(data, size, &cursor, &line, &length)) {
        find_version(line, length, arena, ret);
        if (length == 0)
            continue;
        if (words.length)
            text_add_char(&words, ' ');
        text_add_safe(&words, line, length < MESSAGE_MAX ? length : MESSAGE_MAX, false);
    }
    judge(text_get(&words), ret);
    if (words.length)
        ret->message = arena_strdup(arena, words.data);
}
