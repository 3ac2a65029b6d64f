/* What a statement may do: read, with functions that answer the same each time. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "engine/guard.h"

/* Functions whose answer depends on their arguments alone. random(), date('now') and the like are
 * not here: the same facts must give the same verdicts. */
static const char *const functions[] = {
    "abs",
    "after_first",
    "avg",
    "before_first",
    "before_last",
    "ceil",
    "ceiling",
    "char",
    "coalesce",
    "code_runs",
    "count",
    "cuda_key",
    "cume_dist",
    "cc_key",
    "dense_rank",
    "driver_key",
    "ends_with",
    "first_value",
    "floor",
    "folder_of",
    "format",
    "glob",
    "glibc_key",
    "group_concat",
    "hex",
    "ifnull",
    "iif",
    "instr",
    "is_below",
    "json",
    "json_array",
    "json_array_length",
    "json_extract",
    "json_group_array",
    "json_group_object",
    "json_object",
    "json_type",
    "json_valid",
    "lag",
    "last_value",
    "lead",
    "length",
    "like",
    "likelihood",
    "likely",
    "lower",
    "ltrim",
    "max",
    "min",
    "normal_path",
    "nth_value",
    "ntile",
    "nullif",
    "pep440_cmp",
    "pep440_match",
    "percent_rank",
    "printf",
    "quote",
    "rank",
    "replace",
    "round",
    "row_number",
    "rtrim",
    "sign",
    "starts_with",
    "substr",
    "substring",
    "sum",
    "total",
    "trim",
    "typeof",
    "unicode",
    "unlikely",
    "upper",
    "->",
    "->>",
};

static int deny(struct guard *guard, const char *word, const char *format, const char *what)
{
    if (!guard->denied[0]) {
        snprintf(guard->denied, sizeof guard->denied, format, what);
        snprintf(guard->word, sizeof guard->word, "%s", word ? word : "");
    }
    return SQLITE_DENY;
}

static int allow_function(struct guard *guard, const char *name)
{
    for (size_t i = 0; name && i < sizeof functions / sizeof *functions; i++)
        if (strcasecmp(functions[i], name) == 0)
            return SQLITE_OK;
    return deny(guard, name, "the function %.60s() is not allowed here", name ? name : "?");
}

static void copy_name(char *to, size_t size, const char *name)
{
    size_t length = strnlen(name, size - 1);
    memcpy(to, name, length);
    to[length] = '\0';
}

static void note_known(struct guard *guard, size_t place)
{
    struct reads *reads = guard->reads;
    for (size_t i = 0; i < reads->known_count; i++)
        if (reads->known[i] == place)
            return;
    reads->known =
        xgrow(reads->known, &reads->known_capacity, reads->known_count + 1, sizeof *reads->known);
    reads->known[reads->known_count++] = place;
    reads_add(reads, &guard->known[place]->reads);
}

/* Most names differ in their first letter. */
static bool same_name(const char *ours, const char *name)
{
    return ((ours[0] ^ name[0]) & ~0x20) == 0 && strcasecmp(ours, name) == 0;
}

static void note_table(struct guard *guard, const char *table)
{
    for (size_t i = 0; i < TABLE_COUNT; i++)
        if (same_name(facts_table((enum table_id)i)->name, table))
            guard->reads->facts[i] = true;
    for (size_t i = 0; i < guard->known_count; i++)
        if (same_name(guard->known[i]->table, table))
            note_known(guard, i);
}

/* A name that is no table of ours is a common table expression or a subquery: a table that does
 * not exist is an error of its own. */
static int allow_read(struct guard *guard, const char *table, const char *column)
{
    if (!table)
        return SQLITE_OK;
    if (strncasecmp(table, "sqlite_", 7) == 0 || strncasecmp(table, "pragma_", 7) == 0)
        return deny(guard, table, "%.60s may not be read here", table);
    if (!guard->reads)
        return SQLITE_OK;
    if (strncasecmp(table, "m_", 2) == 0)
        reads_add_matrix(guard->reads, table, column);
    size_t slot = ((unsigned char)table[0] * 5 + strlen(table)) % GUARD_LAST;
    if (strcmp(table, guard->last[slot]) != 0) {
        note_table(guard, table);
        copy_name(guard->last[slot], sizeof guard->last[slot], table);
    }
    return SQLITE_OK;
}

static const char *action_name(int action)
{
    switch (action) {
    case SQLITE_INSERT:
        return "INSERT";
    case SQLITE_UPDATE:
        return "UPDATE";
    case SQLITE_DELETE:
        return "DELETE";
    case SQLITE_ATTACH:
        return "ATTACH";
    case SQLITE_DETACH:
        return "DETACH";
    case SQLITE_PRAGMA:
        return "PRAGMA";
    case SQLITE_TRANSACTION:
        return "a transaction";
    case SQLITE_SAVEPOINT:
        return "SAVEPOINT";
    case SQLITE_REINDEX:
        return "REINDEX";
    case SQLITE_ANALYZE:
        return "ANALYZE";
    case SQLITE_ALTER_TABLE:
        return "ALTER";
    case SQLITE_CREATE_VTABLE:
        return "a virtual table";
    case SQLITE_DROP_TABLE:
    case SQLITE_DROP_VIEW:
    case SQLITE_DROP_INDEX:
    case SQLITE_DROP_TRIGGER:
    case SQLITE_DROP_VTABLE:
        return "DROP";
    default:
        return "CREATE";
    }
}

static bool is_schema_table(const char *name)
{
    return name && (strcmp(name, "sqlite_master") == 0 || strcmp(name, "sqlite_schema") == 0);
}

int guard_authorize(void *context, int action, const char *a, const char *b, const char *database,
                    const char *inner)
{
    struct guard *guard = context;
    (void)database;
    (void)inner;
    if (guard->mode == GUARD_OPEN)
        return SQLITE_OK;
    if (guard->mode == GUARD_VIEW &&
        (action == SQLITE_CREATE_VIEW ||
         ((action == SQLITE_INSERT || action == SQLITE_UPDATE || action == SQLITE_READ) &&
          is_schema_table(a))))
        return SQLITE_OK;
    if (guard->mode == GUARD_FILL && action == SQLITE_INSERT)
        return SQLITE_OK;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_READ:
        return allow_read(guard, a, b);
    case SQLITE_FUNCTION:
        return allow_function(guard, b);
    default:
        return deny(guard, NULL, "only reading is allowed: %s is refused",
                    is_schema_table(a) ? "a change of the schema" : action_name(action));
    }
}
