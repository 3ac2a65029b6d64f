#include "probe/look.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"

int look_read(struct probe_context *context, const char *name, const char *path, size_t cap,
              const char *fills, struct bytes *ret)
{
    int code = machine_read(context->machine, path, cap, ret);
    if (code < 0)
        probe_note(context, name, NULL, path, code, fills, NULL);
    return code;
}

char *look_line(struct probe_context *context, const char *name, const char *path,
                const char *fills)
{
    char *line = NULL;
    int code = machine_read_line(context->machine, path, context->arena, &line);
    if (code == 0)
        return line;
    if (code != -ENOENT && code != -ENOTDIR)
        probe_note(context, name, NULL, path, code, fills, NULL);
    return NULL;
}

static void finalize(sqlite3_stmt **statement)
{
    sqlite3_finalize(*statement);
}

bool ask(const struct probe_context *context, const char *sql)
{
    CLEANUP(finalize) sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(facts_db(context->facts), sql, -1, &statement, NULL) != SQLITE_OK)
        return false;
    return sqlite3_step(statement) == SQLITE_ROW;
}

char *ask_text(const struct probe_context *context, const char *sql)
{
    CLEANUP(finalize) sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(facts_db(context->facts), sql, -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW)
        return NULL;
    return arena_strdup(context->arena, (const char *)sqlite3_column_text(statement, 0));
}

struct opt parse_number(const char *text)
{
    int64_t value = 0;
    if (!text || !*text)
        return UNKNOWN;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || value > INT64_C(1000000000000))
            return UNKNOWN;
        value = value * 10 + (*text - '0');
    }
    return known(value);
}
