#include "api/session.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "api/probes.h"
#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/json_file.h"
#include "base/pep440.h"
#include "engine/image.h"
#include "probe/order.h"
#include "probe/round.h"

static const char site_rules[] = "/etc/gpudoctor/rules.d";

struct session {
    const struct session_options *options;
    struct engine *engine;
    struct machine *machine;
    struct arena arena;
    bool is_bare; /* no rules */
    const struct probe *probes[PROBES_MAX];
    size_t probe_count;
    struct probe_context context;
    struct probe_round *round; /* of the probes, while it goes on; NULL: there is none */
    sqlite3 *early_db;         /* what they find before the rules are open; NULL: nothing */
    struct facts *early;
};

static bool has_site_rules(const struct session *session)
{
    return machine_kind(session->machine) == MACHINE_LIVE &&
           machine_exists(session->machine, site_rules);
}

static int open_rules(struct session *session, struct error *err)
{
    const struct session_options *o = session->options;
    const char *dir = o->rules_dir;
    /* rules of a site may bring descriptors */
    bool needs_none = o->only_facts || (o->tables && !o->with_rules && !o->facts_file);
    if (needs_none && !dir && !has_site_rules(session)) {
        session->is_bare = true;
        size_t size = (size_t)(gd_descriptors_end - gd_descriptors);
        return engine_open_bare(gd_descriptors, size, &session->engine, err) < 0 ? SESSION_BROKEN
                                                                                 : 0;
    }
    if (engine_open(gd_rules_image, (size_t)(gd_rules_image_end - gd_rules_image), &session->engine,
                    err) < 0)
        return SESSION_BROKEN;
    if (has_site_rules(session) && engine_load_dir(session->engine, site_rules, err) < 0)
        return SESSION_INPUT;
    if (dir && engine_load_dir(session->engine, dir, err) < 0)
        return SESSION_INPUT;
    return 0;
}

static int open_machine(struct session *session, struct error *err)
{
    const struct session_options *o = session->options;
    int code = o->facts_file ? machine_open_facts(&session->machine)
               : o->root     ? machine_open_root(o->root, &session->machine, err)
                             : machine_open_live(&session->machine, err);
    return code < 0 ? SESSION_INPUT : 0;
}

static void choose_probes(struct session *session)
{
    const struct session_options *o = session->options;
    size_t count;
    const struct probe *const *probes = probes_all(&count);
    if (o->tables)
        count = probes_needed(probes, count, o->tables, o->without, session->probes);
    else
        memcpy(session->probes, probes, count * sizeof(struct probe *));
    session->probe_count = count;
}

/* The driver takes longer to answer than anything else: it is asked before rules are opened, with
 * facts of their own to decide whether it may be. */
static int ask_driver(struct session *session, struct error *err)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(":memory:", &session->early_db, flags, NULL) != SQLITE_OK) {
        error_set(err, -EIO, "cannot open a database in memory");
        return SESSION_BROKEN;
    }
    session->early = facts_open_lazy(session->early_db);
    session->context.facts = session->early;
    choose_probes(session);
    session->round = probe_round_begin(session->probes, session->probe_count, &session->context);
    return 0;
}

int session_open(const struct session_options *options, struct session **ret, struct error *err)
{
    struct session *session = xcalloc(1, sizeof *session);
    session->options = options;
    int code = open_machine(session, err);
    session->context = (struct probe_context){
        .machine = session->machine,
        .options = &options->probe,
        .arena = &session->arena,
    };
    if (code == 0 && options->judges && machine_kind(session->machine) == MACHINE_LIVE)
        code = ask_driver(session, err);
    if (code == 0)
        code = open_rules(session, err);
    if (code < 0) {
        session_free(session);
        return code;
    }
    *ret = session;
    return 0;
}

static void close_early(struct session *session)
{
    facts_free(session->early);
    sqlite3_close_v2(session->early_db);
    session->early = NULL;
    session->early_db = NULL;
}

void session_free(struct session *session)
{
    if (!session)
        return;
    probe_round_cancel(session->round);
    close_early(session);
    engine_free(session->engine);
    machine_free(session->machine);
    arena_done(&session->arena);
    free(session);
}

struct engine *session_engine(struct session *session)
{
    return session->engine;
}

bool session_knows_framework(struct session *session, const char *name)
{
    return engine_knows_framework(session->engine, name);
}

/* Saying it twice requires it once. */
static bool is_required(struct session *session, const char *name, const char *spec)
{
    sqlite3_stmt *select = NULL;
    bool found = false;
    if (sqlite3_prepare_v2(engine_db(session->engine),
                           "SELECT 1 FROM setting WHERE name = 'require' AND value = ?1"
                           " AND coalesce(spec, '') = ?2",
                           -1, &select, NULL) == SQLITE_OK) {
        sqlite3_bind_text(select, 1, name, -1, SQLITE_STATIC);
        sqlite3_bind_text(select, 2, spec, -1, SQLITE_STATIC);
        found = sqlite3_step(select) == SQLITE_ROW;
    }
    sqlite3_finalize(select);
    return found;
}

/* Their names with commas between. */
static const char *known_frameworks(struct session *session)
{
    sqlite3_stmt *select = NULL;
    const char *names = NULL;
    if (sqlite3_prepare_v2(engine_db(session->engine),
                           "SELECT group_concat(name, ', ') FROM (SELECT name FROM"
                           " framework_descriptor ORDER BY name)",
                           -1, &select, NULL) == SQLITE_OK &&
        sqlite3_step(select) == SQLITE_ROW)
        names = arena_strdup(&session->arena, (const char *)sqlite3_column_text(select, 0));
    sqlite3_finalize(select);
    return names ? names : "no framework";
}

/* "torch>=2.6,<3": name and specifier. */
static int add_requirement(struct session *session, const char *text, struct error *err)
{
    size_t length = strcspn(text, "<>=!~ ");
    char *name = arena_strndup(&session->arena, text, length);
    const char *spec = text + length;
    for (char *c = name; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    if (strcmp(name, "gpu") != 0 && strcmp(name, "driver") != 0 &&
        !session_knows_framework(session, name)) {
        error_set(err, -EINVAL,
                  "--require %s: must be gpu, driver, or a framework (%s), also with a version",
                  text, known_frameworks(session));
        return SESSION_INPUT;
    }
    bool spec_fits = !*spec || (pep440_match(spec, "1") >= 0 && strcmp(name, "gpu") != 0 &&
                                strcmp(name, "driver") != 0);
    if (!spec_fits) {
        error_set(err, -EINVAL, "--require %s: \"%s\" is no version specifier for %s", text, spec,
                  name);
        return SESSION_INPUT;
    }
    if (!is_required(session, name, spec))
        facts_add_setting(
            engine_facts(session->engine),
            &(struct row_setting){.name = "require", .value = name, .spec = *spec ? spec : NULL});
    return 0;
}

static int add_settings(struct session *session, struct error *err)
{
    const struct session_options *o = session->options;
    if (facts_clear(engine_facts(session->engine), TABLE_setting, err) < 0)
        return SESSION_BROKEN;
    for (size_t i = 0; i < o->require_count; i++) {
        int code = add_requirement(session, o->require[i], err);
        if (code < 0)
            return code;
    }
    return 0;
}

static int load_snapshot(struct session *session, struct error *err)
{
    CLEANUP_JSON json_t *snapshot = NULL;
    const char *file = session->options->facts_file;
    if (json_read_file(file, &snapshot, err) < 0)
        return SESSION_INPUT;
    if (facts_from_json(engine_facts(session->engine), snapshot, err) < 0) {
        error_prefix(err, 0, "%s", file);
        return SESSION_INPUT;
    }
    return 0;
}

static void warm_up(void *session)
{
    engine_warm_up(((struct session *)session)->engine);
}

static void complete_context(struct session *session, struct error *err)
{
    struct probe_context *context = &session->context;
    context->facts = engine_facts(session->engine);
    context->descriptor_count = engine_descriptors(session->engine, &context->descriptors);
    context->library_count = engine_libraries(session->engine, &context->libraries);
    context->error = err;
    context->meanwhile = session->options->judges && !session->is_bare ? warm_up : NULL;
    context->caller = session;
    context->progress = session->options->progress;
    context->watcher = session->options->watcher;
}

static int run_round(struct session *session)
{
    struct probe_round *round = session->round;
    session->round = NULL;
    if (!round) { /* what is asked for may have been settled since the session was opened */
        choose_probes(session);
        return probes_run(session->probes, session->probe_count, &session->context);
    }
    facts_take(session->context.facts, session->early);
    close_early(session);
    return probe_round_end(round);
}

static int run_probes(struct session *session, struct error *err)
{
    sqlite3 *db = engine_db(session->engine);
    complete_context(session, err);
    bool kept = sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK;
    int code = kept ? run_round(session) : 0;
    kept = kept && sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
    if (code < 0)
        return SESSION_INPUT;
    if (!kept) {
        error_set(err, -EIO, "cannot keep the facts: %s", sqlite3_errmsg(db));
        return SESSION_BROKEN;
    }
    return facts_failed(session->context.facts, err) < 0 ? SESSION_BROKEN : 0;
}

int session_collect(struct session *session, struct error *err)
{
    int code =
        session->options->facts_file ? load_snapshot(session, err) : run_probes(session, err);
    return code < 0 ? code : add_settings(session, err);
}

int session_judge(struct session *session, const struct engine_options *options, struct result *ret,
                  struct error *err)
{
    const char *file = session->options->facts_file;
    if (engine_run(session->engine, options, ret, err) == 0)
        return 0;
    if (!file)
        return SESSION_BROKEN;
    /* Rules hold for what probes find; a snapshot may say the same thing twice. */
    error_prefix(err, 0, "%s: its facts cannot be judged", file);
    return SESSION_INPUT;
}
