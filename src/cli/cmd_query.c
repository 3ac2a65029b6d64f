#include <string.h>

#include "cli/command.h"
#include "cli/progress.h"
#include "render/render.h"

static const struct option options[] = {
    MACHINE_OPTIONS,
    {"--format", "FORMAT", "text (default, a table) or json", OPTION_VALUE,
     offsetof(struct options, format)},
    {"--tables", NULL, "list what can be asked: facts, matrix tables and views, with their columns",
     OPTION_FLAG, offsetof(struct options, tables)},
    {"--output", "FILE", "write to a file instead of standard output", OPTION_VALUE,
     offsetof(struct options, output)},
    COMMON_OPTIONS,
};

static const char *const examples[] = {
    "gpudoctor query --tables",
    "all tables and views there are, with their columns",
    "gpudoctor query \"SELECT name, version, cuda FROM framework\"",
    "frameworks and the CUDA they were built with",
    "gpudoctor query \"SELECT cuda, minor_floor FROM m_cuda_floor\" --format json",
    "what the matrix says of driver floors",
    "gpudoctor query \"SELECT name, cc, cc_source FROM merged_gpu\"",
    "a view that rules use: every GPU once, whoever told of it",
    NULL,
};

static int answer(struct session *session, const struct options *o, const struct style *style,
                  bool json)
{
    struct error err;
    sqlite3_stmt *query = NULL;
    const char *sql = o->tables ? "SELECT kind, name, columns FROM catalogue ORDER BY kind, name"
                                : o->operands.items[0];
    if (engine_prepare_query(session_engine(session), sql, &query, &err) < 0)
        return complain(STATUS_USAGE, "query: %s", err.text);
    int status;
    CLEANUP_TEXT struct text out = {0};
    size_t rows;
    if (json) {
        json_t *list = render_rows_json(query, &err);
        status = list ? write_json(o->output, list) : complain(STATUS_USAGE, "query: %s", err.text);
    } else if (render_table(&out, style, query, &rows, &err) < 0) {
        status = complain(STATUS_USAGE, "query: %s", err.text);
    } else {
        status = write_output(o->output, text_get(&out), out.length);
    }
    sqlite3_finalize(query);
    return status;
}

static int run(struct options *o)
{
    struct style style;
    struct session_options session_options;
    bool json = o->format && strcmp(o->format, "json") == 0;
    if (o->operands.count != (o->tables ? 0 : 1))
        return complain(STATUS_USAGE, o->tables ? "query: --tables takes no argument"
                                                : "query: needs one argument, the SQL text");
    if (o->format && !json && strcmp(o->format, "text") != 0)
        return complain(STATUS_USAGE, "--format %s: must be text or json", o->format);
    if (!style_for_output(o, &style) || !session_options_from(o, &session_options))
        return STATUS_USAGE;
    struct error err;
    CLEANUP(session_freep) struct session *session = NULL;
    int code = session_open(&session_options, &session, &err);
    if (code == 0 && !o->tables)
        code = progress_collect(session, &session_options, &err);
    return code < 0 ? complain_session(code, &err) : answer(session, o, &style, json);
}

const struct command command_query = {
    .name = "query",
    .operands = "SQL",
    .summary = "Answers a question in SQL about facts, matrix and views (read-only).",
    .examples = examples,
    .options = options,
    .run = run,
};
