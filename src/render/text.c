#include <string.h>

#include "render/render.h"
#include "render/text_evidence.h"

bool report_nothing_checked(const struct report *report)
{
    const struct result *r = report->result;
    return r->ok == 0 && r->errors == 0 && r->warnings == 0;
}

static enum mark severity_mark(enum severity severity)
{
    return severity == SEVERITY_ERROR     ? MARK_ERROR
           : severity == SEVERITY_WARNING ? MARK_WARNING
                                          : MARK_INFO;
}

/* --- the first line --- */

static void count_words(struct text *out, size_t count, const char *one, const char *many)
{
    if (count)
        text_printf(out, "%s%zu %s", out->length ? ", " : "", count, count == 1 ? one : many);
}

static void describe_gpus(struct text *out, const struct summary *s)
{
    const char *name = s->gpu_count ? s->gpus[0].name : NULL;
    size_t same = 0;
    for (size_t i = 0; i < s->gpu_count; i++)
        same += text_equal(s->gpus[i].name, name) ? 1 : 0;
    if (!s->gpu_count)
        text_add(out, "no GPU");
    else if (s->gpu_count == 1)
        text_add(out, name ? name : "1 GPU");
    else if (same == s->gpu_count && name)
        text_printf(out, "%zu x %s", s->gpu_count, name);
    else
        text_printf(out, "%zu GPUs", s->gpu_count);
}

static void describe_machine(struct text *out, const struct summary *s)
{
    describe_gpus(out, s);
    if (!s->gpu_count && !s->framework_count)
        text_add(out, ", no GPU framework");
    if (s->driver)
        text_printf(out, ", driver %s", s->driver);
    else if (s->installed_driver)
        text_printf(out, ", driver %s not loaded", s->installed_driver);
    else
        text_add(out, ", no driver seen");
    if (s->driver && s->cuda)
        text_printf(out, " (CUDA %s)", s->cuda);
    if (s->os)
        text_printf(out, ", %s", s->os);
    if (s->wsl > 0)
        text_printf(out, " under WSL%d", (int)s->wsl);
    if (s->container && strcmp(s->container, "none") != 0)
        text_printf(out, " in %s", s->container);
}

static void verdict_line(struct text *out, const struct style *style, const struct report *report)
{
    const struct result *r = report->result;
    CLEANUP_TEXT struct text words = {0};
    enum mark mark = MARK_OK;
    count_words(&words, r->errors, "error", "errors");
    count_words(&words, r->warnings, "warning", "warnings");
    if (r->errors) {
        mark = MARK_ERROR;
    } else if (report_nothing_checked(report)) {
        text_add(&words, "Nothing could be checked");
        mark = MARK_UNKNOWN;
    } else if (r->warnings) {
        mark = MARK_WARNING;
    } else {
        text_add(&words, "No problem in what was checked");
    }
    count_words(&words, r->infos, "remark", "remarks");
    if (r->unknown)
        text_printf(&words, ", %zu not known", r->unknown);
    CLEANUP_TEXT struct text machine = {0};
    describe_machine(&machine, report->summary);
    style_add(out, style, style_mark_paint(mark), style_mark(style, mark));
    text_add_char(out, ' ');
    style_add(out, style, PAINT_BOLD, text_get(&words));
    text_add(out, ": ");
    style_add(out, style, PAINT_NONE, text_get(&machine));
    text_add_char(out, '\n');
}

/* --- findings --- */

static void evidence_block(struct text *out, const struct style *style, const struct finding *f)
{
    for (size_t i = 0; i < f->evidence_count; i++)
        text_add_evidence(out, style, &f->evidence[i]);
}

static void steps_block(struct text *out, const struct style *style, const struct finding *f)
{
    for (size_t i = 0; i < f->step_count; i++) {
        CLEANUP_TEXT struct text first = {0};
        text_printf(&first, "    %zu. ", i + 1);
        style_paragraph(out, style, text_get(&first), f->steps[i].text);
        if (f->steps[i].command)
            style_line(out, style, "       $ ", PAINT_BOLD, f->steps[i].command);
    }
}

static void finding_head(struct text *out, const struct style *style, const struct finding *f)
{
    enum mark mark = severity_mark(f->severity);
    style_add(out, style, style_mark_paint(mark), style_mark(style, mark));
    text_add_char(out, ' ');
    style_add(out, style, PAINT_BOLD, f->rule->title);
    text_add(out, "  ");
    CLEANUP_TEXT struct text tag = {0};
    text_printf(&tag, "[%s, %s]", severity_name(f->severity), f->rule->id);
    style_add(out, style, PAINT_DIM, text_get(&tag));
    text_add_char(out, '\n');
}

/* Whether two findings tell the same but for their subject: eight equal GPUs are one story. */
static bool is_same_story(const struct finding *a, const struct finding *b)
{
    bool same = a->rule == b->rule && a->severity == b->severity &&
                a->step_count == b->step_count && strcmp(a->message, b->message) == 0;
    for (size_t i = 0; same && i < a->step_count; i++)
        same = text_equal(a->steps[i].text, b->steps[i].text) &&
               text_equal(a->steps[i].command, b->steps[i].command);
    return same;
}

enum { SUBJECTS_SHOWN = 8 };

/* A root and those behind it that tell the same story; `count` of them in all. */
static void root_finding(struct text *out, const struct style *style, const struct finding *f,
                         size_t count)
{
    text_add_char(out, '\n');
    finding_head(out, style, f);
    style_paragraph(out, style, "  ", f->message);
    for (size_t i = 0; i < count && i < SUBJECTS_SHOWN && strcmp(f->kind, "machine") != 0; i++)
        style_paragraph(out, style, i ? "         " : "  Where: ", f[i].label);
    if (count > SUBJECTS_SHOWN)
        text_printf(out, "         and %zu more like it; --format json lists them all\n",
                    count - SUBJECTS_SHOWN);
    if (f->evidence_count)
        text_add(out, "  Seen:\n");
    evidence_block(out, style, f);
    if (f->step_count)
        text_add(out, "  Do:\n");
    steps_block(out, style, f);
}

static void folded_finding(struct text *out, const struct style *style, const struct finding *f)
{
    CLEANUP_TEXT struct text line = {0};
    text_printf(&line, "%s [%s]", f->message, f->rule->id);
    style_marked(out, style, "    ", MARK_BULLET, text_get(&line));
}

/* How many findings from this one on are roots of the same story. */
static size_t story_length(const struct result *r, size_t i)
{
    size_t end = i + 1;
    while (end < r->finding_count && !r->findings[end].cause &&
           is_same_story(&r->findings[i], &r->findings[end]))
        end++;
    /* what is folded under the last one belongs to it alone */
    bool has_followers = end < r->finding_count && r->findings[end].cause;
    return has_followers && end > i + 1 ? end - i - 1 : end - i;
}

static void findings_block(struct text *out, const struct style *style, const struct result *r)
{
    for (size_t i = 0; i < r->finding_count;) {
        size_t count = story_length(r, i);
        root_finding(out, style, &r->findings[i], count);
        i += count;
        if (i < r->finding_count && r->findings[i].cause)
            text_add(out, "  Follows from it:\n");
        for (; i < r->finding_count && r->findings[i].cause; i++)
            if (!r->findings[i - 1].cause || !is_same_story(&r->findings[i - 1], &r->findings[i]))
                folded_finding(out, style, &r->findings[i]);
    }
}

/* --- what is not known, what is in order --- */

enum { UNKNOWN_SHOWN = 12 };

static void unknown_block(struct text *out, const struct style *style, const struct result *r)
{
    if (!r->unknown_count)
        return;
    text_add(out, "\nNot known:\n");
    for (size_t i = 0; i < r->unknown_count && i < UNKNOWN_SHOWN; i++) {
        const struct unknown *u = &r->unknowns[i];
        CLEANUP_TEXT struct text line = {0};
        text_printf(&line, "%s: %s (%s)", u->label, u->reason, u->rule->id);
        style_marked(out, style, "  ", MARK_UNKNOWN, text_get(&line));
    }
    if (r->unknown_count > UNKNOWN_SHOWN)
        text_printf(out, "  and %zu more; --format json lists them all\n",
                    r->unknown_count - UNKNOWN_SHOWN);
}

/* A file that is damaged or closed to us may hide what would have been judged. */
static void unread_block(struct text *out, const struct style *style, const struct summary *s)
{
    if (s->unread_count)
        text_add(out, "\nCould not be read:\n");
    for (size_t i = 0; i < s->unread_shown; i++) {
        const struct summary_unread *u = &s->unread[i];
        CLEANUP_TEXT struct text line = {0};
        text_printf(&line, "%s: %s%s%s", u->path, u->status, u->detail ? ", " : "",
                    u->detail ? u->detail : "");
        style_marked(out, style, "  ", MARK_UNKNOWN, text_get(&line));
    }
    if (s->unread_count > s->unread_shown)
        text_printf(out, "  and %zu more; gpudoctor facts probe lists them all\n",
                    s->unread_count - s->unread_shown);
}

static const char *ok_words(const struct rule_info *rule)
{
    return rule->ok ? rule->ok : rule->title;
}

static void in_order_line(struct text *out, const struct style *style, const struct rule_count *c)
{
    CLEANUP_TEXT struct text line = {0};
    text_add(&line, ok_words(c->rule));
    if (c->ok + c->fail + c->unknown > 1)
        text_printf(&line, " (%zu of %zu)", c->ok, c->ok + c->fail + c->unknown);
    style_marked(out, style, "  ", MARK_OK, text_get(&line));
}

/* What speaks of the whole machine stands before what speaks of its parts. */
static void in_order_block(struct text *out, const struct style *style, const struct result *r)
{
    if (r->ok)
        text_add(out, "\nIn order:\n");
    for (int parts = 0; parts < 2; parts++)
        for (size_t i = 0; i < r->rule_count; i++) {
            const struct rule_count *c = &r->rules[i];
            if (c->ok && (strcmp(c->rule->subject, "machine") != 0) == parts)
                in_order_line(out, style, c);
        }
}

static void environments_block(struct text *out, const struct style *style, const struct summary *s)
{
    if (!s->environment_count && !s->listed_count)
        return;
    text_add(out, "\nEnvironments:\n");
    for (size_t i = 0; i < s->environment_count; i++) {
        const struct summary_environment *e = &s->environments[i];
        CLEANUP_TEXT struct text line = {0};
        text_printf(&line, "%s (%s%s%s%s): %s", e->prefix ? e->prefix : "?",
                    e->manager ? e->manager : "?", e->python ? ", Python " : "",
                    e->python ? e->python : "", e->active == 1 ? ", active" : "",
                    e->frameworks ? e->frameworks : "no GPU framework");
        style_marked(out, style, "  ", MARK_BULLET, text_get(&line));
    }
    if (s->listed_count) {
        CLEANUP_TEXT struct text line = {0};
        text_printf(&line, "%zu more not read; --all-envs reads them, --env PATH one",
                    s->listed_count);
        style_marked(out, style, "  ", MARK_BULLET, text_get(&line));
    }
}

void render_text(struct text *out, const struct style *style, const struct report *report)
{
    verdict_line(out, style, report);
    findings_block(out, style, report->result);
    unknown_block(out, style, report->result);
    unread_block(out, style, report->summary);
    in_order_block(out, style, report->result);
    environments_block(out, style, report->summary);
}
