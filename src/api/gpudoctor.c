#include "gpudoctor/gpudoctor.h"

#include <string.h>

#include "api/session.h"
#include "base/alloc.h"
#include "base/json_file.h"
#include "render/render.h"

const char *gpudoctor_version(void)
{
    return GPUDOCTOR_VERSION;
}

void gpudoctor_free(char *text)
{
    free(text);
}

static enum gpudoctor_status refuse(int code, const struct error *err, char **ret)
{
    *ret = xstrdup(err->text);
    return code == SESSION_INPUT ? GPUDOCTOR_INPUT : GPUDOCTOR_BROKEN;
}

static json_t *report_json(struct session *session, struct error *err)
{
    struct engine *engine = session_engine(session);
    const struct engine_options judge = {0};
    struct result result;
    struct summary summary;
    json_t *json = NULL;
    if (session_judge(session, &judge, &result, err) < 0)
        return NULL;
    if (summary_read(engine, &result.arena, &summary, err) == 0) {
        struct report report = {&result, &summary, GPUDOCTOR_VERSION, engine_rules_version(engine)};
        json = render_json(&report);
    }
    result_done(&result);
    return json;
}

static json_t *facts_json(struct session *session, struct error *err)
{
    struct engine *engine = session_engine(session);
    return facts_to_json(engine_facts(engine), GPUDOCTOR_VERSION, engine_rules_version(engine),
                         err);
}

static enum gpudoctor_status run(const struct gpudoctor_options *options,
                                 json_t *(*make)(struct session *, struct error *), char **ret)
{
    struct error err = {{0}};
    if (options->size != sizeof *options) {
        *ret = xstrdup("options.size does not fit this version of the library");
        return GPUDOCTOR_INPUT;
    }
    if (options->root && options->facts) {
        *ret = xstrdup("options.root and options.facts exclude each other");
        return GPUDOCTOR_INPUT;
    }
    const struct session_options session_options = {
        .root = options->root,
        .facts_file = options->facts,
        .rules_dir = options->rules,
        .judges = make == report_json,
        .probe = {.environments = options->environments,
                  .environment_count = options->environment_count,
                  .all_environments = options->all_environments != 0},
    };
    CLEANUP(session_freep) struct session *session = NULL;
    int code = session_open(&session_options, &session, &err);
    if (code == 0)
        code = session_collect(session, &err);
    if (code < 0)
        return refuse(code, &err, ret);
    CLEANUP_JSON json_t *json = make(session, &err);
    *ret = json ? json_dumps(json, JSON_INDENT(2) | JSON_ENSURE_ASCII) : NULL;
    return *ret ? GPUDOCTOR_OK : refuse(SESSION_BROKEN, &err, ret);
}

enum gpudoctor_status gpudoctor_check(const struct gpudoctor_options *options, char **ret_json)
{
    return run(options, report_json, ret_json);
}

enum gpudoctor_status gpudoctor_facts(const struct gpudoctor_options *options, char **ret_json)
{
    return run(options, facts_json, ret_json);
}
