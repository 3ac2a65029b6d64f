#include <string.h>

#include "api/gpu_name.h"
#include "base/alloc.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "render/archs.h"

static const struct option options[] = {
    {"--gpu", "GPU",
     "say whether each file runs on this GPU: a compute capability such as 8.9, or a name such as "
     "\"RTX 4090\" (may be repeated)",
     OPTION_LIST, offsetof(struct options, gpus)},
    {"--root", "DIR", "look at a recorded machine or an unpacked image instead of this machine",
     OPTION_VALUE, offsetof(struct options, root)},
    {"--format", "FORMAT", "text (default) or json", OPTION_VALUE,
     offsetof(struct options, format)},
    {"--output", "FILE", "write to a file instead of standard output", OPTION_VALUE,
     offsetof(struct options, output)},
    COMMON_OPTIONS,
};

static const char *const examples[] = {
    "gpudoctor archs /usr/local/cuda/lib64/libcublas.so",
    "for which GPUs a library has machine code, for which PTX",
    "gpudoctor archs build/*.so --gpu 8.9 --gpu h200",
    "a gate: exit status 0 when all of them run on both GPUs, or hold no device code",
    "gpudoctor archs kernel.cubin libkernels.a --format json",
    "for a program to read",
    NULL,
};

enum { FILES_MAX = 4096, GPUS_MAX = 256 };

static bool is_named(const struct archs *archs, const char *path)
{
    for (size_t i = 0; i < archs->file_count; i++)
        if (strcmp(archs->files[i].path, path) == 0)
            return true;
    return false;
}

/* Each file once. */
static const char *const *take_files(const struct options *o, struct arena *arena,
                                     struct archs *ret)
{
    const char **paths = arena_alloc(arena, (o->operands.count + 1) * sizeof *paths);
    ret->files = arena_alloc(arena, (o->operands.count + 1) * sizeof *ret->files);
    for (size_t i = 0; i < o->operands.count; i++) {
        const char *path = path_in_machine(arena, o, o->operands.items[i]);
        if (is_named(ret, path))
            continue;
        paths[ret->file_count] = path;
        ret->files[ret->file_count++] =
            (struct archs_file){.name = o->operands.items[i], .path = path};
    }
    return paths;
}

static int take_gpus(const struct options *o, struct engine *engine, struct arena *arena,
                     struct archs *ret)
{
    struct archs_gpu *gpus = arena_alloc(arena, (o->gpus.count + 1) * sizeof *gpus);
    for (size_t i = 0; i < o->gpus.count; i++) {
        struct error err;
        gpus[i].name = o->gpus.items[i];
        if (gpu_from_name(engine, gpus[i].name, &gpus[i].cc, &err) < 0)
            return complain(STATUS_USAGE, "--gpu %.80s: %s", gpus[i].name, err.text);
    }
    ret->gpus = gpus;
    ret->gpu_count = o->gpus.count;
    return STATUS_OK;
}

/* What may help with a name that is no file of device code. */
static const char *hint_for(struct engine *engine, struct arena *arena,
                            const struct archs_file *file)
{
    static const char *const packed[] = {".whl", ".conda", ".zip", ".tar", ".gz",
                                         ".tgz", ".bz2",   ".xz",  ".zst", NULL};
    for (const char *const *end = packed; *end; end++)
        if (text_ends(file->name, *end))
            return "; unpack it, and give the files in it";
    if (text_equal(file->problem, "it is a folder"))
        return "; give the files in it";
    if (text_equal(file->problem, "no such file") && !strchr(file->name, '/') &&
        engine_framework_called(engine, file->name, arena))
        return "; of a framework, give the files: gpudoctor deps shows them";
    return "";
}

/* Whoever asks whether it runs must not be told yes where that is not known; a no is certain. */
static int status_of_gpus(const struct archs *archs)
{
    bool is_known = true;
    for (size_t i = 0; i < archs->file_count; i++) {
        const struct archs_file *file = &archs->files[i];
        for (size_t g = 0; g < archs->gpu_count; g++) {
            if (file->verdicts[g].runs == ARCHS_NO)
                return STATUS_FINDINGS;
            if (file->verdicts[g].runs == ARCHS_UNKNOWN && !archs_file_without_code(file))
                is_known = false;
        }
    }
    return is_known ? STATUS_OK : STATUS_USAGE;
}

/* Files that could not be read are told one by one; the others are shown all the same. */
static int status_of(struct engine *engine, struct arena *arena, const struct archs *archs)
{
    int status = status_of_gpus(archs);
    for (size_t i = 0; i < archs->file_count; i++) {
        const struct archs_file *file = &archs->files[i];
        if (archs_file_failed(file))
            status = complain(STATUS_USAGE, "archs: %s: %s%s", file->name,
                              file->problem ? file->problem : "it cannot be read",
                              hint_for(engine, arena, file));
    }
    return status;
}

static int write_archs(const struct options *o, const struct style *style, bool json,
                       const struct archs *archs)
{
    if (json)
        return write_json(o->output, render_archs_json(archs));
    CLEANUP_TEXT struct text text = {0};
    render_archs(&text, style, archs);
    return write_output(o->output, text_get(&text), text.length);
}

static int answer(const struct options *o, const struct style *style, bool json,
                  struct session_options *session_options, struct arena *arena)
{
    struct error err;
    struct archs archs = {0};
    CLEANUP(session_freep) struct session *session = NULL;
    session_options->tables = "device_file device_code";
    session_options->without = "environment search_path package framework";
    session_options->with_rules = o->gpus.count;
    session_options->probe.code_files = take_files(o, arena, &archs);
    session_options->probe.code_file_count = archs.file_count;
    int code = session_open(session_options, &session, &err);
    if (code < 0)
        return complain_session(code, &err);
    struct engine *engine = session_engine(session);
    int status = take_gpus(o, engine, arena, &archs);
    if (status != STATUS_OK)
        return status;
    if ((code = progress_collect(session, session_options, &err)) < 0)
        return complain_session(code, &err);
    if (archs_read(engine, arena, &archs, &err) < 0)
        return complain(STATUS_BROKEN, "%s", err.text);
    status = write_archs(o, style, json, &archs);
    return status == STATUS_OK ? status_of(engine, arena, &archs) : status;
}

static int run(struct options *o)
{
    struct style style;
    struct session_options session_options;
    bool json = o->format && strcmp(o->format, "json") == 0;
    if (!o->operands.count)
        return complain(STATUS_USAGE, "archs: a file is needed");
    if (o->operands.count > FILES_MAX)
        return complain(STATUS_USAGE, "archs: more than %d files", FILES_MAX);
    if (o->gpus.count > GPUS_MAX)
        return complain(STATUS_USAGE, "archs: more than %d GPUs", GPUS_MAX);
    for (size_t i = 0; i < o->operands.count; i++)
        if (!*o->operands.items[i])
            return complain(STATUS_USAGE, "archs: the name of a file is empty");
    if (o->format && !json && strcmp(o->format, "text") != 0)
        return complain(STATUS_USAGE, "--format %s: must be text or json", o->format);
    if (!style_for_output(o, &style) || !session_options_from(o, &session_options))
        return STATUS_USAGE;
    struct arena arena = {0};
    int status = answer(o, &style, json, &session_options, &arena);
    arena_done(&arena);
    return status;
}

const struct command command_archs = {
    .name = "archs",
    .operands = "FILE...",
    .summary = "Shows what device code files carry, and whether given GPUs run it.",
    .details =
        "FILE is a shared library, a program, an object (.o), an archive (.a), a fatbin, a cubin\n"
        "or PTX; unpack a wheel first. Payloads of device code are not read. Exit status 1 when a\n"
        "file does not run on a --gpu; 2 when it cannot be told whether it does, or a file cannot\n"
        "be read (the others are shown); a file without device code does not fail.",
    .examples = examples,
    .options = options,
    .run = run,
};
