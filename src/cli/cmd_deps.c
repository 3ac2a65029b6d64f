#include <string.h>

#include "base/alloc.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "engine/slot_type.h"
#include "render/deps.h"

static const struct option options[] = {
    {"--env", "PATH",
     "the environment whose Python loads it: its folder, a python or pip of it, or kernel:NAME",
     OPTION_LIST, offsetof(struct options, environments)},
    {"--all", NULL, "show system libraries, every request and the whole trail as well", OPTION_FLAG,
     offsetof(struct options, all)},
    {"--root", "DIR", "look at a recorded machine or an unpacked image instead of this machine",
     OPTION_VALUE, offsetof(struct options, root)},
    {"--facts", "FILE", "take a snapshot of facts instead of this machine (for a FRAMEWORK)",
     OPTION_VALUE, offsetof(struct options, facts)},
    {"--rules", "DIR", "add the rules of a folder, or replace rules of the same id", OPTION_VALUE,
     offsetof(struct options, rules)},
    {"--format", "FORMAT", "text (default) or json", OPTION_VALUE,
     offsetof(struct options, format)},
    {"--output", "FILE", "write to a file instead of standard output", OPTION_VALUE,
     offsetof(struct options, output)},
    COMMON_OPTIONS,
};

static const char *const examples[] = {
    "gpudoctor deps torch",
    "which libraries `import torch` loads, from where, and which copies they keep out",
    "gpudoctor deps torch --env ~/venvs/train",
    "the same in that environment",
    "gpudoctor deps ./build/libkernels.so",
    "what one file needs, and where it comes from",
    "gpudoctor deps /usr/local/bin/app --format json",
    "for a program to read",
    NULL,
};

/* What is asked. */
struct question {
    const char *name;      /* as it was given */
    const char *framework; /* NULL: a file */
    const char *path;      /* of the file, inside the machine */
};

/* --- a framework --- */

/* The environment that is meant: what --env names, else the active one, else the first that has
 * it. --env may name one that was found in another way as well. */
static const char environment_sql[] =
    "SELECT environment_id FROM environment WHERE depth = 'read' AND (?2 OR environment_id IN"
    " (SELECT environment_id FROM framework WHERE name = ?1))"
    " ORDER BY ?2 AND prefix = rtrim(?3, '/') DESC, ?2 AND found_by = '--env' DESC, active = 1 "
    "DESC,"
    " prefix LIMIT 1";

static const char *choose_environment(struct facts *facts, struct arena *arena,
                                      const struct options *o, const char *framework)
{
    CLEANUP_STATEMENT sqlite3_stmt *query = facts_query(facts, environment_sql);
    bool is_named = o->environments.count;
    const char *path = is_named ? path_in_machine(arena, o, o->environments.items[0]) : "";
    if (!query)
        return NULL;
    sqlite3_bind_text(query, 1, framework, -1, SQLITE_STATIC);
    sqlite3_bind_int(query, 2, is_named);
    sqlite3_bind_text(query, 3, path, -1, SQLITE_STATIC);
    return sqlite3_step(query) == SQLITE_ROW ? facts_text(query, 0, arena) : NULL;
}

static int tell_not_installed(struct facts *facts, const char *framework, const char *environment)
{
    enum { SHOWN = 6 };
    CLEANUP_STATEMENT sqlite3_stmt *query =
        facts_query(facts, "SELECT prefix, count(*) OVER () FROM environment WHERE depth = 'read'"
                           " AND (?1 IS NULL OR environment_id = ?1)"
                           " ORDER BY active = 1 DESC, prefix");
    CLEANUP_TEXT struct text places = {0};
    int shown = 0, count = 0;
    if (query)
        sqlite3_bind_text(query, 1, environment, -1, SQLITE_STATIC);
    for (; query && sqlite3_step(query) == SQLITE_ROW && shown < SHOWN; shown++) {
        count = sqlite3_column_int(query, 1);
        text_printf(&places, "%s%s", shown ? ", " : "",
                    (const char *)sqlite3_column_text(query, 0));
    }
    if (count > shown)
        text_printf(&places, " and %d more", count - shown);
    if (!places.length)
        return complain(STATUS_USAGE, "deps: %s is not installed: no Python environment was found",
                        framework);
    return complain(STATUS_USAGE,
                    "deps: %s is not installed in %s; --env PATH looks into another environment",
                    framework, text_get(&places));
}

static void find_elsewhere(struct facts *facts, struct arena *arena, const char *framework,
                           const char *environment, struct deps *deps)
{
    CLEANUP_STATEMENT sqlite3_stmt *query =
        facts_query(facts, "SELECT DISTINCT environment_id FROM framework WHERE name = ?1 AND"
                           " environment_id <> ?2 ORDER BY 1 LIMIT 20");
    const char **items = arena_alloc(arena, 20 * sizeof *items);
    deps->elsewhere = items;
    if (!query)
        return;
    sqlite3_bind_text(query, 1, framework, -1, SQLITE_STATIC);
    sqlite3_bind_text(query, 2, environment, -1, SQLITE_STATIC);
    while (sqlite3_step(query) == SQLITE_ROW)
        items[deps->elsewhere_count++] = facts_text(query, 0, arena);
}

static int read_framework(struct facts *facts, struct arena *arena, const struct options *o,
                          const struct question *q, struct deps *ret)
{
    const char *environment = choose_environment(facts, arena, o, q->framework);
    CLEANUP_STATEMENT sqlite3_stmt *query = facts_query(
        facts, "SELECT (SELECT process_id FROM process p WHERE p.framework_id = f.framework_id)"
               " FROM framework f WHERE name = ?1 AND environment_id = ?2");
    struct error err;
    if (query) {
        sqlite3_bind_text(query, 1, q->framework, -1, SQLITE_STATIC);
        sqlite3_bind_text(query, 2, environment, -1, SQLITE_STATIC);
    }
    if (!query || sqlite3_step(query) != SQLITE_ROW)
        return tell_not_installed(facts, q->framework, o->environments.count ? environment : NULL);
    const char *process = facts_text(query, 0, arena);
    if (!process && o->facts)
        return complain(STATUS_USAGE, "deps: the snapshot does not tell what %s in %s loads",
                        q->framework, environment);
    if (!process)
        return complain(STATUS_USAGE,
                        "deps: what %s in %s loads is not known; give one of its files instead",
                        q->framework, environment);
    if (deps_read(facts, process, arena, ret, &err) < 0)
        return complain(o->facts ? STATUS_USAGE : STATUS_BROKEN, "%s", err.text);
    find_elsewhere(facts, arena, q->framework, environment, ret);
    return STATUS_OK;
}

/* --- a file --- */

/* The probe's own words for what is no file to be loaded. */
static int tell_unreadable(struct facts *facts, const struct question *q)
{
    CLEANUP_STATEMENT sqlite3_stmt *query = facts_query(
        facts, "SELECT coalesce(detail, status) FROM probe WHERE path = ?1 AND status <> 'ok'"
               " ORDER BY detail IS NULL LIMIT 1");
    const char *words = NULL;
    if (query)
        sqlite3_bind_text(query, 1, q->path, -1, SQLITE_STATIC);
    if (query && sqlite3_step(query) == SQLITE_ROW)
        words = (const char *)sqlite3_column_text(query, 0);
    if (words && strcmp(words, "absent") == 0)
        words = "no such file";
    return complain(STATUS_USAGE, "deps: %s: %s", q->path,
                    words ? words : "it cannot be read as a program or shared library");
}

/* Whether the file itself is not there, or none that can be loaded. */
static bool is_no_object(const struct deps *deps)
{
    if (!text_equal(deps->process.outcome, "fails"))
        return false;
    for (size_t i = 0; i < deps->request_count; i++)
        if (deps_is_missing(&deps->requests[i]) &&
            text_equal(deps->requests[i].name, deps->process.id))
            return true;
    return !deps->object_count && !deps->request_count;
}

/* A word without '/' may be meant for a framework, or for a soname as the loader would look it up.
 */
static int tell_no_such_file(struct engine *engine, struct arena *arena, const char *name)
{
    if (strstr(name, ".so"))
        return complain(STATUS_USAGE,
                        "deps: %s: no such file here; give its path or a framework that loads it",
                        name);
    const char *meant = engine_framework_meant(engine, name, arena);
    return complain(STATUS_USAGE, "deps: %s: neither a framework that is known nor a file here%s%s",
                    name, meant ? "; did you mean " : "", meant ? meant : "");
}

static int tell_error(struct engine *engine, struct arena *arena, const struct question *q,
                      const struct deps *deps)
{
    const char *words = deps->process.error ? deps->process.error : "it cannot be loaded";
    bool is_gone = strstr(words, "No such file") != NULL;
    if (is_gone && !strchr(q->name, '/'))
        return tell_no_such_file(engine, arena, q->name);
    return complain(STATUS_USAGE, "deps: %s%s", words,
                    is_gone ? "" : "; a program or a shared library is needed");
}

static int read_file(struct engine *engine, struct arena *arena, const struct question *q,
                     struct deps *ret)
{
    struct facts *facts = engine_facts(engine);
    struct error err;
    CLEANUP_STATEMENT sqlite3_stmt *query =
        facts_query(facts, "SELECT process_id FROM process WHERE framework_id IS NULL AND"
                           " process_id <> 'program' ORDER BY process_id = ?1 DESC LIMIT 1");
    if (query)
        sqlite3_bind_text(query, 1, q->path, -1, SQLITE_STATIC);
    if (!query || sqlite3_step(query) != SQLITE_ROW)
        return tell_unreadable(facts, q);
    if (deps_read(facts, facts_text(query, 0, arena), arena, ret, &err) < 0)
        return complain(STATUS_BROKEN, "%s", err.text);
    return is_no_object(ret) ? tell_error(engine, arena, q, ret) : STATUS_OK;
}

/* --- the command --- */

/* What is wrong is shown; how it is mended is for the rules to say. */
static void add_way_on(struct text *out, const struct options *o, const struct style *style,
                       const char *environment)
{
    CLEANUP_TEXT struct text line = {0};
    text_add(&line, "gpudoctor check");
    if (!o->root && !o->facts && environment) {
        text_add(&line, " --env ");
        shell_quote(&line, environment);
    }
    text_add_char(out, '\n');
    style_line(out, style, "How to mend it: ", PAINT_NONE, text_get(&line));
}

static int write_deps(const struct options *o, const struct style *style, bool json,
                      const struct deps *deps)
{
    if (json)
        return write_json(o->output, render_deps_json(deps));
    CLEANUP_TEXT struct text text = {0};
    render_deps(&text, style, deps, o->all);
    if (deps->process.framework && deps_is_broken(deps))
        add_way_on(&text, o, style, deps->process.environment);
    return write_output(o->output, text_get(&text), text.length);
}

static int status_of(const struct deps *deps)
{
    if (deps_is_broken(deps))
        return STATUS_FINDINGS;
    bool is_known =
        text_equal(deps->process.outcome, "loads") || text_equal(deps->process.outcome, "nothing");
    return is_known ? STATUS_OK : STATUS_USAGE;
}

/* Which probes have to run: for a file alone no environment is looked for. */
static void choose_probes(const struct options *o, const struct question *q,
                          struct session_options *ret)
{
    if (q->framework) {
        ret->tables = "process framework environment";
        ret->probe.framework = q->framework;
        return;
    }
    ret->tables = "process";
    ret->without = o->environments.count ? NULL : "environment search_path package framework";
    ret->probe.loaded_files = &q->path;
    ret->probe.loaded_file_count = 1;
}

static int answer(const struct options *o, const struct style *style, bool json,
                  struct session_options *session_options, struct question *q, struct arena *arena)
{
    struct error err;
    CLEANUP(session_freep) struct session *session = NULL;
    session_options->tables = "process";
    int code = session_open(session_options, &session, &err);
    if (code < 0)
        return complain_session(code, &err);
    if (!strchr(q->name, '/'))
        q->framework = engine_framework_called(session_engine(session), q->name, arena);
    if (!q->framework && o->facts)
        return complain(
            STATUS_USAGE,
            "deps: %s is no framework, and a snapshot (--facts) tells of no single file", q->name);
    choose_probes(o, q, session_options);
    if ((code = progress_collect(session, session_options, &err)) < 0)
        return complain_session(code, &err);
    struct deps deps = {0};
    struct engine *engine = session_engine(session);
    struct facts *facts = engine_facts(engine);
    int status = q->framework ? read_framework(facts, arena, o, q, &deps)
                              : read_file(engine, arena, q, &deps);
    if (status == STATUS_OK && facts_failed(facts, &err) < 0)
        status = complain(STATUS_BROKEN, "%s", err.text);
    if (status == STATUS_OK)
        status = write_deps(o, style, json, &deps);
    return status == STATUS_OK ? status_of(&deps) : status;
}

static int run(struct options *o)
{
    struct style style;
    struct session_options session_options;
    bool json = o->format && strcmp(o->format, "json") == 0;
    if (!o->operands.count)
        return complain(STATUS_USAGE, "deps: a file or a framework is needed");
    if (o->operands.count > 1)
        return complain(STATUS_USAGE, "deps: unexpected argument %s", o->operands.items[1]);
    if (!*o->operands.items[0])
        return complain(STATUS_USAGE, "deps: the name is empty");
    if (o->environments.count > 1)
        return complain(STATUS_USAGE, "deps: one --env only");
    if (o->format && !json && strcmp(o->format, "text") != 0)
        return complain(STATUS_USAGE, "--format %s: must be text or json", o->format);
    if (!style_for_output(o, &style) || !session_options_from(o, &session_options))
        return STATUS_USAGE;
    struct arena arena = {0};
    struct question question = {.name = o->operands.items[0]};
    question.path = path_in_machine(&arena, o, question.name);
    int status = answer(o, &style, json, &session_options, &question, &arena);
    arena_done(&arena);
    return status;
}

const struct command command_deps = {
    .name = "deps",
    .operands = "FILE|FRAMEWORK",
    .summary = "Draws what a file or a framework's import loads, from where and why.",
    .details =
        "A framework goes by its name or a package's, such as torch, PyTorch, onnxruntime-gpu; "
        "./torch\n"
        "is a file. Nothing is run: the loader's rules are followed on the files. Exit "
        "status 1\n"
        "when something is missing or does not fit; gpudoctor check says how to mend it.",
    .examples = examples,
    .options = options,
    .run = run,
};
