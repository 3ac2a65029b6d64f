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

/* The text in the device tree ends in a NUL, which is no line's end. */
char *look_tree_model(struct probe_context *context, const char *name, const char *fills)
{
    static const char path[] = "/proc/device-tree/model";
    CLEANUP_BYTES struct bytes text = {0};
    int code = machine_read_head(context->machine, path, 256, &text);
    if (code < 0 && code != -ENOENT && code != -ENOTDIR)
        probe_note(context, name, NULL, path, code, fills, NULL);
    if (code < 0)
        return NULL;
    size_t length = strnlen(text.data, text.length);
    return length ? arena_strndup(context->arena, text.data, length) : NULL;
}

char *ask_column(const struct probe_context *context, sqlite3_stmt *query, int at)
{
    return facts_text(query, at, context->arena);
}

bool ask(const struct probe_context *context, const char *sql)
{
    CLEANUP_STATEMENT sqlite3_stmt *query = facts_query(context->facts, sql);
    return query && sqlite3_step(query) == SQLITE_ROW;
}

char *ask_text(const struct probe_context *context, const char *sql)
{
    CLEANUP_STATEMENT sqlite3_stmt *query = facts_query(context->facts, sql);
    return query && sqlite3_step(query) == SQLITE_ROW ? ask_column(context, query, 0) : NULL;
}
