#include "render/archs.h"

#include <string.h>

#include "base/text.h"

enum { KIND_WIDTH = 14 };

/* Where the lines of a kind begin. */
static const char indent[] = "  ";

/* --- sizes --- */

static void add_size(struct text *out, int64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    double size = (double)bytes;
    size_t unit = 0;
    while (size >= 1024 && unit + 1 < sizeof units / sizeof *units) {
        size /= 1024;
        unit++;
    }
    text_printf(out, unit ? "%.1f %s" : "%.0f %s", size, units[unit]);
}

static void add_count(struct text *out, struct opt count, const char *one, const char *many)
{
    if (count.known)
        text_printf(out, "%lld %s", (long long)count.value, count.value == 1 ? one : many);
}

static void add_head(struct text *out, const struct style *style, const struct archs_file *file)
{
    CLEANUP_TEXT struct text words = {0};
    style_add(out, style, PAINT_BOLD, file->name);
    if (file->containers.known && file->containers.value) {
        add_count(&words, file->containers, "container", "containers");
        text_add(&words, ", ");
        add_count(&words, file->entries, "entry", "entries");
    }
    if (file->bytes_read.known && file->size.known) {
        text_add(&words, words.length ? "; read " : "read ");
        if (file->bytes_read.value < file->size.value) {
            add_size(&words, file->bytes_read.value);
            text_add(&words, " of ");
        }
        add_size(&words, file->size.value);
    }
    if (words.length) {
        text_add(out, indent);
        style_add(out, style, PAINT_DIM, text_get(&words));
    }
    text_add_char(out, '\n');
}

/* --- targets --- */

static void add_isa(struct text *out, const struct archs_target *target)
{
    if (!target->isa)
        return;
    if (target->isa_low && strcmp(target->isa, target->isa_low) != 0)
        text_printf(out, " (ISA %s to %s)", target->isa_low, target->isa);
    else
        text_printf(out, " (ISA %s)", target->isa);
}

/* Those of a PTX with the ISA version behind the last that has it. */
static bool same_isa(const struct archs_target *a, const struct archs_target *b)
{
    return text_equal(a->isa, b->isa) && text_equal(a->isa_low, b->isa_low);
}

static bool is_of(const struct archs_target *target, const char *kind, const char *place)
{
    return text_equal(target->kind, kind) && text_equal(target->place, place);
}

static void add_targets(struct text *words, const struct archs_file *file, const char *kind,
                        const char *place)
{
    const struct archs_target *last = NULL;
    for (size_t i = 0; i < file->target_count; i++) {
        const struct archs_target *target = &file->targets[i];
        if (!is_of(target, kind, place))
            continue;
        if (last && !same_isa(last, target)) {
            add_isa(words, last);
            text_add_char(words, ',');
        }
        text_printf(words, "%s%s", last ? " " : "", target->target);
        last = target;
    }
    if (last)
        add_isa(words, last);
}

static void add_line(struct text *out, const struct style *style, const char *label,
                     const char *words)
{
    CLEANUP_TEXT struct text first = {0};
    text_printf(&first, "%s%-*s", indent, KIND_WIDTH, label);
    style_paragraph(out, style, text_get(&first), words);
}

static void add_kinds(struct text *out, const struct style *style, const struct archs_file *file,
                      const char *place, const char *remark)
{
    static const struct {
        const char *kind, *label;
    } kinds[] = {
        {"cubin", "machine code"}, {"ptx", "PTX"}, {"lto", "link-time"}, {"other", "other"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        CLEANUP_TEXT struct text words = {0};
        add_targets(&words, file, kinds[i].kind, place);
        if (!words.length)
            continue;
        text_add(&words, remark);
        add_line(out, style, kinds[i].label, text_get(&words));
    }
}

static void add_code(struct text *out, const struct style *style, const struct archs_file *file)
{
    bool stub = text_equal(file->status, "stub");
    add_kinds(out, style, file, "linked", "");
    add_kinds(out, style, file, "relocatable", ", to be linked");
    if (text_equal(file->status, "none"))
        text_printf(out, "%sno device code\n", indent);
    if (stub)
        style_paragraph(out, style, indent,
                        "no device code but the empty container that a device link leaves, whose "
                        "targets say nothing of the file");
    if (file->problem && !archs_file_failed(file))
        add_line(out, style, "left out", file->problem);
}

/* --- verdicts --- */

static void add_ptx_words(struct text *words, const struct archs_verdict *v)
{
    text_printf(words, "runs by PTX (%s): the driver compiles it at the first start",
                v->by->target);
    if (v->needs_cuda)
        text_printf(words, "; needs a driver of CUDA %s or newer (PTX %s)", v->needs_cuda,
                    v->by->isa);
    else if (v->by->isa)
        text_printf(words, "; needs a driver that accepts PTX %s", v->by->isa);
}

static void add_verdict(struct text *out, const struct style *style, const struct archs_gpu *gpu,
                        const struct archs_verdict *v)
{
    static const enum mark marks[] = {[ARCHS_NATIVE] = MARK_OK,
                                      [ARCHS_PTX] = MARK_WARNING,
                                      [ARCHS_NO] = MARK_ERROR,
                                      [ARCHS_UNKNOWN] = MARK_UNKNOWN};
    CLEANUP_TEXT struct text first = {0}, words = {0};
    text_add(&first, indent);
    style_add(&first, style, style_mark_paint(marks[v->runs]), style_mark(style, marks[v->runs]));
    text_add_char(&first, ' ');
    struct code_target number;
    if (code_target_parse(gpu->name, &number))
        text_printf(&words, "%u.%u: ", gpu->cc.major, gpu->cc.minor);
    else
        text_printf(&words, "%s (%u.%u): ", gpu->name, gpu->cc.major, gpu->cc.minor);
    switch (v->runs) {
    case ARCHS_NATIVE:
        text_printf(&words, "runs natively (%s)", v->by->target);
        break;
    case ARCHS_PTX:
        add_ptx_words(&words, v);
        break;
    case ARCHS_NO:
        text_add(&words, "does not run: ");
        if (v->why)
            text_add(&words, v->why);
        else
            text_printf(&words, "no code for %u.%u", gpu->cc.major, gpu->cc.minor);
        break;
    case ARCHS_UNKNOWN:
        text_add(&words, "not known: ");
        text_add(&words, v->why);
        if (v->by)
            text_printf(&words, " (%s)", v->by->target);
        break;
    }
    style_paragraph(out, style, text_get(&first), text_get(&words));
}

void render_archs(struct text *out, const struct style *style, const struct archs *archs)
{
    bool first = true;
    for (size_t i = 0; i < archs->file_count; i++) {
        const struct archs_file *file = &archs->files[i];
        if (archs_file_failed(file))
            continue; /* told on standard error */
        if (!first)
            text_add_char(out, '\n');
        first = false;
        add_head(out, style, file);
        add_code(out, style, file);
        /* of a file without device code the lines above have said all */
        for (size_t g = 0; g < archs->gpu_count && !archs_file_without_code(file); g++)
            add_verdict(out, style, &archs->gpus[g], &file->verdicts[g]);
    }
}
