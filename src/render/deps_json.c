#include <string.h>

#include "render/deps.h"
#include "render/json_text.h"

static json_t *flag_json(int flag)
{
    return flag == DEPS_NONE ? json_null() : json_boolean(flag);
}

struct member {
    const char *key, *text;
};

static json_t *texts_json(const struct member *members, size_t count)
{
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++)
        json_object_set_new(object, members[i].key, json_text_or_null(members[i].text));
    return object;
}

static json_t *process_json(const struct deps_process *p)
{
    const struct member members[] = {
        {"id", p->id},           {"environment", p->environment}, {"framework", p->framework},
        {"version", p->version}, {"program", p->program},         {"library_path", p->library_path},
        {"preload", p->preload}, {"outcome", p->outcome},         {"error", p->error},
    };
    json_t *object = texts_json(members, sizeof members / sizeof *members);
    json_object_set_new(object, "objects",
                        p->objects == DEPS_NONE ? json_null() : json_integer(p->objects));
    return object;
}

static json_t *objects_json(const struct deps *deps)
{
    json_t *list = json_array();
    for (size_t i = 0; i < deps->object_count; i++) {
        const struct deps_object *o = &deps->objects[i];
        if (o->is_dropped)
            continue;
        const struct member members[] = {
            {"path", o->path},         {"real_path", o->real_path},
            {"soname", o->soname},     {"family", o->family},
            {"version", o->version},   {"loaded_by", o->loaded_by},
            {"how", o->how},           {"via", o->via},
            {"via_list", o->via_list}, {"via_path", o->via_path},
        };
        json_array_append_new(list, texts_json(members, sizeof members / sizeof *members));
    }
    return list;
}

static json_t *requests_json(const struct deps *deps)
{
    json_t *list = json_array();
    for (size_t i = 0; i < deps->request_count; i++) {
        const struct deps_request *r = &deps->requests[i];
        const struct member members[] = {
            {"needed_by", r->needed_by}, {"name", r->name}, {"how", r->how},
            {"found", r->found_path},    {"via", r->via},
        };
        json_t *object = texts_json(members, sizeof members / sizeof *members);
        json_object_set_new(object, "required", flag_json(r->required));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *trail_json(const char *trail)
{
    json_t *list = json_array();
    size_t cursor = 0, length;
    const char *line;
    while (trail && text_next_line(trail, strlen(trail), &cursor, &line, &length)) {
        CLEANUP_TEXT struct text copy = {0};
        text_add_bytes(&copy, line, length);
        json_array_append_new(list, json_text_or_null(text_get(&copy)));
    }
    return list;
}

static json_t *missing_json(const struct deps *deps)
{
    json_t *list = json_array();
    for (size_t i = 0; i < deps->request_count; i++) {
        const struct deps_request *r = &deps->requests[i];
        if (!deps_is_missing(r))
            continue;
        const struct member members[] = {
            {"name", r->name},
            {"needed_by", r->needed_by},
            {"how", r->how},
            {"error", r->error},
            {"for", r->required == 0 ? r->purpose : NULL},
        };
        json_t *object = texts_json(members, sizeof members / sizeof *members);
        json_object_set_new(object, "required", flag_json(r->required));
        json_object_set_new(object, "trail", trail_json(r->trail));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *shadowed_json(const struct deps *deps)
{
    json_t *list = json_array();
    for (size_t i = 0; i < deps->shadowed_count; i++) {
        const struct deps_shadowed *s = &deps->shadowed[i];
        const struct member members[] = {
            {"name", s->name},
            {"needed_by", s->needed_by},
            {"path", s->path},
            {"via", s->via},
            {"winner", s->winner},
            {"winner_via", s->winner_via},
            {"winner_list", s->winner_list},
            {"family", s->family},
        };
        json_array_append_new(list, texts_json(members, sizeof members / sizeof *members));
    }
    return list;
}

static json_t *symbols_json(const struct deps *deps)
{
    json_t *list = json_array();
    for (size_t i = 0; i < deps->symbol_count; i++) {
        const struct deps_symbol *s = &deps->symbols[i];
        const struct member members[] = {
            {"path", s->path},         {"symbol", s->symbol}, {"version", s->version},
            {"provider", s->provider}, {"family", s->family},
        };
        json_t *object = texts_json(members, sizeof members / sizeof *members);
        json_object_set_new(object, "fatal", flag_json(s->fatal));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *unread_json(const struct deps *deps)
{
    json_t *list = json_array();
    for (size_t i = 0; i < deps->unread_count; i++) {
        const struct deps_unread *u = &deps->unread[i];
        const struct member members[] = {
            {"path", u->path},
            {"status", u->status},
            {"detail", u->detail},
        };
        json_array_append_new(list, texts_json(members, sizeof members / sizeof *members));
    }
    return list;
}

json_t *render_deps_json(const struct deps *deps)
{
    json_t *document = json_object(), *elsewhere = json_array();
    for (size_t i = 0; i < deps->elsewhere_count; i++)
        json_array_append_new(elsewhere, json_text_or_null(deps->elsewhere[i]));
    json_object_set_new(document, "schema", json_integer(DEPS_SCHEMA));
    json_object_set_new(document, "process", process_json(&deps->process));
    json_object_set_new(document, "elsewhere", elsewhere);
    json_object_set_new(document, "objects", objects_json(deps));
    json_object_set_new(document, "requests", requests_json(deps));
    json_object_set_new(document, "missing", missing_json(deps));
    json_object_set_new(document, "shadowed", shadowed_json(deps));
    json_object_set_new(document, "symbols", symbols_json(deps));
    json_object_set_new(document, "unread", unread_json(deps));
    return document;
}
