#include <string.h>

#include "render/json_text.h"
#include "render/render.h"

static void set_known(json_t *object, const char *key, const char *text)
{
    if (text)
        json_object_set_new(object, key, json_text(text));
}

static json_t *machine_json(const struct summary *s)
{
    json_t *gpus = json_array(), *environments = json_array();
    for (size_t i = 0; i < s->gpu_count; i++) {
        const struct summary_gpu *g = &s->gpus[i];
        json_array_append_new(
            gpus,
            json_pack("{s:o, s:o, s:o, s:o}", "name", json_text_or_null(g->name), "cc",
                      json_text_or_null(g->cc), "pci", json_text_or_null(g->pci_address),
                      "memory_mib", g->memory_mib < 0 ? json_null() : json_integer(g->memory_mib)));
    }
    for (size_t i = 0; i < s->environment_count; i++) {
        const struct summary_environment *e = &s->environments[i];
        json_array_append_new(
            environments,
            json_pack("{s:o, s:o, s:o, s:o, s:o}", "prefix", json_text_or_null(e->prefix), "kind",
                      json_text_or_null(e->kind), "manager", json_text_or_null(e->manager),
                      "python", json_text_or_null(e->python), "active",
                      e->active < 0 ? json_null() : json_boolean(e->active)));
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kind", json_text_or_null(s->kind),
                     "os", json_text_or_null(s->os), "kernel", json_text_or_null(s->kernel), "arch",
                     json_text_or_null(s->arch), "driver", json_text_or_null(s->driver), "cuda",
                     json_text_or_null(s->cuda), "gpus", gpus, "environments", environments);
}

static json_t *subject_json(const char *kind, const char *key, const char *label)
{
    return json_pack("{s:s, s:o, s:o}", "kind", kind, "key", json_text(key), "label",
                     json_text(label));
}

static json_t *evidence_json(const struct finding *finding)
{
    json_t *list = json_array();
    for (size_t i = 0; i < finding->evidence_count; i++) {
        const struct evidence *e = &finding->evidence[i];
        json_t *object = json_pack("{s:o}", "what", json_text(e->what));
        set_known(object, "value", e->value);
        set_known(object, "path", e->path);
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *steps_json(const struct finding *finding)
{
    json_t *list = json_array();
    for (size_t i = 0; i < finding->step_count; i++) {
        json_t *object = json_pack("{s:o}", "text", json_text(finding->steps[i].text));
        set_known(object, "command", finding->steps[i].command);
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *finding_json(const struct finding *f)
{
    json_t *links = json_array();
    for (size_t i = 0; i < f->rule->link_count; i++)
        json_array_append_new(links, json_string(f->rule->links[i]));
    json_t *object = json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:s}", "rule", f->rule->id,
                               "severity", severity_name(f->severity), "verdict", "fail", "subject",
                               subject_json(f->kind, f->key, f->label), "message",
                               json_text(f->message), "evidence", evidence_json(f), "steps",
                               steps_json(f), "links", links, "fingerprint", f->fingerprint);
    set_known(object, "confidence", f->confidence);
    if (f->cause)
        json_object_set_new(object, "caused_by",
                            json_pack("{s:s, s:s}", "rule", f->cause->rule->id, "fingerprint",
                                      f->cause->fingerprint));
    return object;
}

json_t *render_json(const struct report *report)
{
    const struct result *r = report->result;
    json_t *findings = json_array(), *unknown = json_array(), *checked = json_array();
    json_t *failed = json_array();
    for (size_t i = 0; i < r->finding_count; i++)
        json_array_append_new(findings, finding_json(&r->findings[i]));
    for (size_t i = 0; i < r->unknown_count; i++) {
        const struct unknown *u = &r->unknowns[i];
        json_array_append_new(unknown, json_pack("{s:s, s:o, s:o}", "rule", u->rule->id, "subject",
                                                 subject_json(u->kind, u->key, u->label), "reason",
                                                 json_text(u->reason)));
    }
    for (size_t i = 0; i < r->rule_count; i++) {
        const struct rule_count *c = &r->rules[i];
        json_array_append_new(checked,
                              json_pack("{s:s, s:I, s:I, s:I, s:I}", "rule", c->rule->id, "ok",
                                        (json_int_t)c->ok, "fail", (json_int_t)c->fail, "unknown",
                                        (json_int_t)c->unknown, "skip", (json_int_t)c->skip));
    }
    for (size_t i = 0; i < r->failed_count; i++)
        json_array_append_new(failed, json_pack("{s:s, s:o}", "rule", r->failed[i].rule->id,
                                                "error", json_text(r->failed[i].error)));
    return json_pack(
        "{s:i, s:s, s:s, s:o, s:{s:I, s:I, s:I, s:I, s:I, s:I, s:I}, s:o, s:o, s:o, s:o}", "schema",
        REPORT_SCHEMA, "gpudoctor", report->program_version, "rules", report->rules_version,
        "machine", machine_json(report->summary), "summary", "error", (json_int_t)r->errors,
        "warning", (json_int_t)r->warnings, "info", (json_int_t)r->infos, "ok", (json_int_t)r->ok,
        "unknown", (json_int_t)r->unknown, "skip", (json_int_t)r->skip, "folded",
        (json_int_t)r->folded, "findings", findings, "unknown", unknown, "checked", checked,
        "failed_rules", failed);
}
