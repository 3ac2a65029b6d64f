#include <errno.h>
#include <string.h>

#include "cli/command.h"
#include "cli/progress.h"
#include "render/render.h"

static const struct option options[] = {
    MACHINE_OPTIONS,
    {"--format", "FORMAT", "text (default) or json", OPTION_VALUE,
     offsetof(struct options, format)},
    {"--output", "FILE",
     "write to a file ('-': standard output); without TABLE, a snapshot that --facts reads",
     OPTION_VALUE, offsetof(struct options, output)},
    {"--tables", NULL, "list the tables, how many rows each has, and what it holds", OPTION_FLAG,
     offsetof(struct options, tables)},
    {"--schema", NULL, "print the JSON Schema of a snapshot, or what one table holds", OPTION_FLAG,
     offsetof(struct options, schema)},
    COMMON_OPTIONS,
};

static const char *const examples[] = {
    "gpudoctor facts",
    "what was seen, on one screen",
    "gpudoctor facts --tables",
    "the tables and how many rows each has",
    "gpudoctor facts gpu",
    "the rows of one table",
    "gpudoctor facts -o node17.json",
    "a snapshot; gpudoctor check --facts node17.json judges it anywhere",
    "gpudoctor facts driver --schema",
    "what the columns of a table mean",
    NULL,
};

static int write_columns(const struct options *o, const struct table_spec *table)
{
    CLEANUP_TEXT struct text out = {0};
    text_printf(&out, "%s: %s\n\n", table->name, table->doc);
    for (size_t i = 0; i < table->column_count; i++) {
        const struct column_spec *c = &table->columns[i];
        text_printf(&out, "  %-16s %-8s %s%s%s%s\n", c->name,
                    c->type == COLUMN_INT       ? "integer"
                    : c->type == COLUMN_VERSION ? "version"
                                                : "text",
                    c->doc, *c->unit ? " (" : "", c->unit, *c->unit ? ")" : "");
    }
    return write_output(o->output, text_get(&out), out.length);
}

static const char *const footer =
    "gpudoctor facts TABLE shows rows (--tables lists the tables), -o FILE saves everything.";

static int overview(struct session *session, const struct style *style)
{
    struct error err;
    CLEANUP_TEXT struct text out = {0};
    int code = render_overview(&out, style, session_engine(session), &err);
    if (code < 0)
        return complain(STATUS_BROKEN, "%s", err.text);
    text_add_char(&out, '\n');
    style_paragraph(&out, style, "", footer);
    return write_output(NULL, text_get(&out), out.length);
}

static int write_rows(struct session *session, const char *sql, const struct style *style,
                      const struct options *o, bool json, size_t *ret_rows)
{
    struct error err;
    sqlite3_stmt *query = NULL;
    CLEANUP_TEXT struct text out = {0};
    json_t *list = NULL;
    int code = engine_prepare_query(session_engine(session), sql, &query, &err);
    if (code == 0 && json)
        code = (list = render_rows_json(query, &err)) ? 0 : -EIO;
    else if (code == 0)
        code = render_table(&out, style, query, ret_rows, &err);
    sqlite3_finalize(query);
    if (code < 0)
        return complain(STATUS_BROKEN, "%s", err.text);
    return json ? write_json(o->output, list) : write_output(o->output, text_get(&out), out.length);
}

/* Tables that have rows, then those that have none. */
static int table_list(struct session *session, const struct style *style, const struct options *o,
                      bool json)
{
    CLEANUP_TEXT struct text sql = {0};
    struct error err;
    size_t rows;
    if (facts_make_all(engine_facts(session_engine(session)), &err) < 0)
        return complain(STATUS_BROKEN, "%s", err.text);
    text_add(&sql, "SELECT * FROM (");
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        const struct table_spec *table = facts_table((enum table_id)i);
        char *part = sqlite3_mprintf("%sSELECT %Q AS \"table\", count(*) AS rows, %Q AS holds"
                                     " FROM \"%w\"",
                                     i ? " UNION ALL " : "", table->name, table->doc, table->name);
        text_add(&sql, part);
        sqlite3_free(part);
    }
    text_add(&sql, ") ORDER BY rows = 0, \"table\"");
    return write_rows(session, text_get(&sql), style, o, json, &rows);
}

/* Somebody at a terminal is told why there are no rows: which sources were asked. */
static int tell_sources(struct session *session, const struct table_spec *table,
                        const struct style *style, const struct options *o)
{
    size_t rows;
    char *sql = sqlite3_mprintf("SELECT name AS \"no rows; asked by\", status, path, detail"
                                " FROM probe WHERE ' ' || fills || ' ' LIKE '%% %q %%'",
                                table->name);
    int status = write_rows(session, sql, style, o, false, &rows);
    sqlite3_free(sql);
    return status;
}

static int table_rows(struct session *session, const struct table_spec *table,
                      const struct style *style, const struct options *o, bool json)
{
    struct error err;
    if (json) {
        json_t *rows = facts_table_json(engine_facts(session_engine(session)), table, &err);
        return rows ? write_json(o->output, rows) : complain(STATUS_BROKEN, "%s", err.text);
    }
    CLEANUP_TEXT struct text sql = {0};
    if (facts_make_all(engine_facts(session_engine(session)), &err) < 0)
        return complain(STATUS_BROKEN, "%s", err.text);
    for (size_t i = 0; i < table->column_count; i++)
        text_printf(&sql, "%s\"%s\"", i ? ", " : "SELECT ", table->columns[i].name);
    text_printf(&sql, " FROM \"%s\"", table->name);
    size_t rows = 0;
    int status = write_rows(session, text_get(&sql), style, o, false, &rows);
    return rows || status || !style->terminal ? status : tell_sources(session, table, style, o);
}

static int show(struct session *session, const struct table_spec *table, const struct style *style,
                const struct options *o, bool json)
{
    struct engine *engine = session_engine(session);
    struct error err;
    if (table)
        return table_rows(session, table, style, o, json);
    if (o->tables)
        return table_list(session, style, o, json);
    if (!json && !o->output)
        return overview(session, style);
    json_t *snapshot =
        facts_to_json(engine_facts(engine), GPUDOCTOR_VERSION, engine_rules_version(engine), &err);
    return snapshot ? write_json(o->output, snapshot) : complain(STATUS_BROKEN, "%s", err.text);
}

static int run(struct options *o)
{
    struct style style;
    struct session_options session_options;
    const char *name = o->operands.count ? o->operands.items[0] : NULL;
    const struct table_spec *table = name ? facts_table_named(name) : NULL;
    bool json = o->format && strcmp(o->format, "json") == 0;
    if (o->operands.count > 1)
        return complain(STATUS_USAGE, "facts: unexpected argument %s", o->operands.items[1]);
    if (name && !table)
        return complain(STATUS_USAGE,
                        "facts: there is no table %s; gpudoctor facts --tables lists them", name);
    if (o->format && !json && strcmp(o->format, "text") != 0)
        return complain(STATUS_USAGE, "--format %s: must be text or json", o->format);
    if (o->schema && !table)
        return write_json(o->output, facts_json_schema());
    if (o->schema)
        return write_columns(o, table);
    if (!style_for_output(o, &style) || !session_options_from(o, &session_options))
        return STATUS_USAGE;
    struct error err;
    /* only the overview asks views */
    session_options.only_facts = table || o->tables || json || o->output;
    CLEANUP(session_freep) struct session *session = NULL;
    int code = session_open(&session_options, &session, &err);
    if (code == 0)
        code = progress_collect(session, &session_options, &err);
    return code < 0 ? complain_session(code, &err) : show(session, table, &style, o, json);
}

const struct command command_facts = {
    .name = "facts",
    .operands = "[TABLE]",
    .summary =
        "Shows or saves what was seen, without any judgement: on one screen, or as rows of tables.",
    .examples = examples,
    .options = options,
    .run = run,
};
