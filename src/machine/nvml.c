#include "machine/nvml.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "machine/child.h"
#include "machine/nvml_child.h"
#include "machine/nvml_wire.h"
#include "machine/smi.h"

enum {
    DEADLINE_MS = 5000,
    ANSWER_CAP = 1024 * 1024,
    RECORD_CAP = 8 * 1024 * 1024,
    GRACE_MS = 50, /* a child that has answered gives its GPUs back; that may take its time */
};

struct nvml_query {
    const struct machine *machine;
    char *library, *smi; /* NULL: the usual ones */
    double started, deadline;
    int deadline_ms;
    int start_errno; /* of a child that could not be started */
    struct child child;
};

struct nvml_query *nvml_start(const struct machine *machine, const struct nvml_options *options)
{
    struct nvml_query *query = xcalloc(1, sizeof *query);
    query->machine = machine;
    query->child = (struct child){.pid = -1, .fd = -1};
    if (machine_kind(machine) != MACHINE_LIVE)
        return query;
    query->library = options && options->library ? xstrdup(options->library) : NULL;
    query->smi = options && options->smi ? xstrdup(options->smi) : NULL;
    query->deadline_ms = options && options->deadline_ms > 0 ? options->deadline_ms : DEADLINE_MS;
    query->started = monotonic_ms();
    query->deadline = query->started + query->deadline_ms;
    query->start_errno = child_start(&query->child, 3, nvml_child_run, query->library);
    query->child.waiting = options ? options->waiting : NULL;
    query->child.waiter = options ? options->waiter : NULL;
    return query;
}

/* --- the record --- */

static void report_errno(struct nvml_report *ret, int code, const char *part, struct arena *arena)
{
    ret->status = NVML_MALFORMED;
    ret->source = part;
    ret->message = arena_printf(arena, "%s: %s", part, strerror(-code));
}

/* nvidia-smi's error goes to standard output even with -x, and people put the plain table where the
 * XML should be: any part may hold any of the three. */
static void judge_output(const struct bytes *output, const char *part, struct arena *arena,
                         struct nvml_report *ret)
{
    struct error err = {0};
    struct nvml_report table, failure;
    if (nvml_parse_xml(output->data, output->length, arena, ret, &err) == 0) {
        ret->source = part;
        return;
    }
    nvml_parse_failure(output->data, output->length, arena, &failure);
    if (nvml_parse_table(output->data, output->length, arena, &table, NULL) == 0)
        *ret = table;
    else if (failure.status != NVML_FAILED || failure.code >= 0)
        *ret = failure;
    else
        ret->message = arena_strdup(arena, err.text);
    ret->source = part;
}

/* In the order of what they know. */
static const struct {
    const char *path, *name;
} parts[] = {
    {"/.record/nvidia-smi.xml", ".record/nvidia-smi.xml"},
    {"/.record/nvidia-smi.txt", ".record/nvidia-smi.txt"},
};

static void finish_recorded(const struct machine *machine, struct arena *arena,
                            struct nvml_report *ret)
{
    static const char failure[] = ".record/nvidia-smi.err";
    CLEANUP_BYTES struct bytes bytes = {0};
    int r = -ENOENT;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        r = machine_read(machine, parts[i].path, RECORD_CAP, &bytes);
        if (r == 0)
            judge_output(&bytes, parts[i].name, arena, ret);
        else if (r != -ENOENT)
            report_errno(ret, r, parts[i].name, arena);
        if (r != -ENOENT)
            return;
    }
    r = machine_read(machine, "/.record/nvidia-smi.err", RECORD_CAP, &bytes);
    if (r == 0) {
        nvml_parse_failure(bytes.data, bytes.length, arena, ret);
        ret->source = failure;
    } else if (r != -ENOENT) {
        report_errno(ret, r, failure, arena);
    }
}

/* --- the child --- */

struct answer {
    struct wire_reader reader;
    struct text bytes;
    bool malformed;
};

static bool is_enough(void *context)
{
    struct answer *answer = context;
    answer->malformed =
        wire_read(&answer->reader, text_get(&answer->bytes), answer->bytes.length) < 0;
    return answer->malformed || answer->reader.ended;
}

static void report_crash(struct nvml_report *ret, const struct child *child, const char *stage,
                         struct arena *arena)
{
    ret->status = NVML_CRASHED;
    if (child->status_known && WIFSIGNALED(child->status)) {
        int number = WTERMSIG(child->status);
        ret->message =
            arena_printf(arena, "signal %d (%s) in %s", number, strsignal(number), stage);
    } else if (child->status_known && WIFEXITED(child->status)) {
        ret->message = arena_printf(arena, "the process ended with status %d in %s",
                                    WEXITSTATUS(child->status), stage);
    } else {
        ret->message = arena_printf(arena, "the process ended in %s", stage);
    }
}

static void judge_answer(struct nvml_query *query, const struct answer *answer, enum child_end end,
                         struct arena *arena, struct nvml_report *ret)
{
    const struct wire_reader *reader = &answer->reader;
    const char *stage = reader->stage ? reader->stage : "its start";
    if (answer->malformed || end == CHILD_TOO_MUCH) {
        ret->status = NVML_MALFORMED;
        ret->message = arena_printf(arena, "the answer %s, in %s",
                                    answer->malformed ? "made no sense" : "was too large", stage);
    } else if (reader->no_library) {
        ret->status = NVML_NO_LIBRARY;
        ret->code = 12;
    } else if (reader->failed) {
        ret->status = NVML_FAILED;
        if (!ret->message)
            ret->message = nvml_code_text(ret->code);
    } else if (reader->ended) {
        ret->status = NVML_OK;
    } else if (end == CHILD_LATE) {
        ret->status = NVML_HUNG;
        ret->message =
            arena_printf(arena, "no answer within %d ms from %s", query->deadline_ms, stage);
    } else {
        report_crash(ret, &query->child, stage, arena);
    }
}

static void finish_child(struct nvml_query *query, struct arena *arena, struct nvml_report *ret)
{
    struct answer answer = {.reader = {.arena = arena, .report = ret}};
    enum child_end end =
        child_read(&query->child, query->deadline, ANSWER_CAP, &answer.bytes, is_enough, &answer);
    ret->ms = monotonic_ms() - query->started;
    bool hopeless = end == CHILD_LATE || end == CHILD_TOO_MUCH || answer.malformed;
    child_stop(&query->child, hopeless ? 0 : GRACE_MS);
    ret->source = "nvml";
    judge_answer(query, &answer, end, arena, ret);
    text_done(&answer.bytes);
}

/* --- nvidia-smi instead --- */

/* What nvidia-smi says replaces what we know only where it says more: facts, or why there are
 * none. */
static void ask_smi(struct nvml_query *query, struct arena *arena, struct nvml_report *ret)
{
    CLEANUP_TEXT struct text output = {0};
    char *program = smi_find(query->machine, query->smi, arena);
    if (!program || monotonic_ms() >= query->deadline)
        return;
    if (smi_run(program, query->deadline, &output) < 0)
        return;
    struct nvml_report answer = {0};
    struct bytes bytes = {output.data, output.length};
    if (!bytes.data)
        return;
    judge_output(&bytes, "nvidia-smi", arena, &answer);
    bool facts = answer.status == NVML_OK;
    bool reason = answer.status == NVML_FAILED && answer.code > 0;
    if (!facts && !reason)
        return;
    answer.library = ret->library;
    if (facts)
        answer.message = ret->message;
    *ret = answer;
    ret->ms = monotonic_ms() - query->started;
}

void nvml_finish(struct nvml_query *query, struct arena *arena, struct nvml_report *ret)
{
    *ret = (struct nvml_report){.status = NVML_SKIPPED};
    if (machine_kind(query->machine) == MACHINE_RECORDED) {
        finish_recorded(query->machine, arena, ret);
    } else if (query->start_errno < 0) {
        ret->status = NVML_NO_PROCESS;
        ret->message =
            arena_printf(arena, "cannot start a process: %s", strerror(-query->start_errno));
    } else if (query->child.pid > 0) {
        finish_child(query, arena, ret);
        if (ret->status == NVML_CRASHED || ret->status == NVML_NO_LIBRARY)
            ask_smi(query, arena, ret);
    }
    free(query->library);
    free(query->smi);
    free(query);
}
