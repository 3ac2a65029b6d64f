/* Rules in an image: what each start needs lies in columns of their own, so that opening an image
 * parses nothing; the files are there for the rules that fail. */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "engine/internal.h"

#define COLUMNS \
    "id, file, title, severity, summary, subject, ok, why, query, applies, links, caused_by"
enum {
    COLUMN_ID,
    COLUMN_FILE,
    COLUMN_TITLE,
    COLUMN_SEVERITY,
    COLUMN_SUMMARY,
    COLUMN_SUBJECT,
    COLUMN_OK,
    COLUMN_WHY,
    COLUMN_QUERY,
    COLUMN_APPLIES,
    COLUMN_LINKS,
    COLUMN_CAUSED_BY,
    COLUMN_JSON,
};

/* --- out of it --- */

static char *text_at(struct rule *rule, sqlite3_stmt *row, int column)
{
    return arena_strdup(&rule->arena, (const char *)sqlite3_column_text(row, column));
}

/* One a line. */
static const char *const *list_at(struct rule *rule, sqlite3_stmt *row, int column, size_t *ret)
{
    char *text = text_at(rule, row, column);
    size_t count = 0;
    for (const char *at = text; at && *at; at++)
        count += *at == '\n';
    const char **items = arena_alloc(&rule->arena, count * sizeof *items);
    for (size_t i = 0; i < count; i++) {
        items[i] = text;
        text = strchr(text, '\n');
        *text++ = '\0';
    }
    *ret = count;
    return items;
}

static struct rule *read_rule(sqlite3_stmt *row)
{
    struct rule *rule = xcalloc(1, sizeof *rule);
    struct rule_info *info = &rule->info;
    rule->from_image = true;
    rule->source.path = info->file = text_at(rule, row, COLUMN_FILE);
    rule->source.text = "";
    info->id = text_at(rule, row, COLUMN_ID);
    info->title = text_at(rule, row, COLUMN_TITLE);
    info->summary = text_at(rule, row, COLUMN_SUMMARY);
    info->subject = text_at(rule, row, COLUMN_SUBJECT);
    info->ok = text_at(rule, row, COLUMN_OK);
    info->why = text_at(rule, row, COLUMN_WHY);
    info->links = list_at(rule, row, COLUMN_LINKS, &info->link_count);
    info->caused_by = list_at(rule, row, COLUMN_CAUSED_BY, &info->caused_by_count);
    rule->query = (struct statement){.key = "query", .sql = text_at(rule, row, COLUMN_QUERY)};
    rule->applies = (struct statement){.key = "applies", .sql = text_at(rule, row, COLUMN_APPLIES)};
    const char *severity = (const char *)sqlite3_column_text(row, COLUMN_SEVERITY);
    if (!info->file || !info->id || !info->title || !info->summary || !info->subject ||
        !info->why || !rule->query.sql || !severity ||
        !severity_from_name(severity, &info->severity)) {
        rule_free(rule);
        return NULL;
    }
    return rule;
}

int rules_from_image(struct engine *engine, const char *only, struct error *err)
{
    CLEANUP_STATEMENT sqlite3_stmt *select = NULL;
    int code = engine_prepare(
        engine, "SELECT " COLUMNS " FROM rule_file WHERE ?1 IS NULL OR id = ?1 ORDER BY id",
        &select, err);
    if (code)
        return error_prefix(err, code, "not an image of rules");
    if (only)
        sqlite3_bind_text(select, 1, only, -1, SQLITE_STATIC);
    int rc;
    while ((rc = sqlite3_step(select)) == SQLITE_ROW) {
        struct rule *rule = read_rule(select);
        if (!rule)
            return error_set(err, -EINVAL, "not an image of rules: a rule lacks its head");
        engine_add_rule(engine, rule);
    }
    return rc == SQLITE_DONE
               ? 0
               : error_set(err, -EIO, "cannot read the rules: %s", sqlite3_errmsg(engine->db));
}

int rule_read_text(struct engine *engine, struct rule *rule, struct error *err)
{
    CLEANUP_STATEMENT sqlite3_stmt *select = NULL;
    if (rule->info.json)
        return 0;
    int code = engine_prepare(engine, "SELECT json FROM rule_file WHERE id = ?1", &select, err);
    if (code)
        return code;
    sqlite3_bind_text(select, 1, rule->info.id, -1, SQLITE_STATIC);
    if (sqlite3_step(select) != SQLITE_ROW || !sqlite3_column_text(select, 0))
        return error_set(err, -EIO, "%s: cannot be read", rule->info.file);
    rule->info.json = rule->source.text = text_at(rule, select, 0);
    rule->source.length = strlen(rule->source.text);
    return 0;
}

/* --- into it --- */

static void bind_list(sqlite3_stmt *insert, int at, const char *const *items, size_t count)
{
    CLEANUP_TEXT struct text lines = {0};
    for (size_t i = 0; i < count; i++)
        text_printf(&lines, "%s\n", items[i]);
    sqlite3_bind_text(insert, at, text_get(&lines), (int)lines.length, SQLITE_TRANSIENT);
}

static int write_rule(struct engine *engine, const struct rule *rule, const char *file,
                      sqlite3_stmt *insert, struct error *err)
{
    const struct rule_info *info = &rule->info;
    const char *texts[COLUMN_LINKS] = {
        [COLUMN_ID] = info->id,           [COLUMN_FILE] = file,
        [COLUMN_TITLE] = info->title,     [COLUMN_SEVERITY] = severity_name(info->severity),
        [COLUMN_SUMMARY] = info->summary, [COLUMN_SUBJECT] = info->subject,
        [COLUMN_OK] = info->ok,           [COLUMN_WHY] = info->why,
        [COLUMN_QUERY] = rule->query.sql, [COLUMN_APPLIES] = rule->applies.sql,
    };
    for (int i = 0; i < COLUMN_LINKS; i++)
        sqlite3_bind_text(insert, i + 1, texts[i], -1, SQLITE_STATIC);
    bind_list(insert, COLUMN_LINKS + 1, info->links, info->link_count);
    bind_list(insert, COLUMN_CAUSED_BY + 1, info->caused_by, info->caused_by_count);
    sqlite3_bind_text(insert, COLUMN_JSON + 1, rule->source.text, (int)rule->source.length,
                      SQLITE_STATIC);
    int rc = sqlite3_step(insert);
    sqlite3_reset(insert);
    return rc == SQLITE_DONE
               ? 0
               : error_set(err, -EIO, "%s: %s", info->file, sqlite3_errmsg(engine->db));
}

int rules_to_image(struct engine *engine, const char *dir, struct error *err)
{
    CLEANUP_STATEMENT sqlite3_stmt *insert = NULL;
    size_t skip = strlen(dir);
    int code = engine_prepare(engine,
                              "INSERT OR REPLACE INTO rule_file (" COLUMNS ", json) VALUES"
                              " (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
                              &insert, err);
    for (size_t i = 0; !code && i < engine->rule_count; i++) {
        const char *file = engine->rules[i]->info.file;
        if (engine->rules[i]->from_image)
            continue;
        if (text_starts(file, dir) && file[skip] == '/')
            file += skip + 1;
        code = write_rule(engine, engine->rules[i], file, insert, err);
    }
    return code;
}
