#include "facts/insert.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"

static void insert_statement(const struct table_spec *table, struct text *sql)
{
    size_t values = 0;
    text_printf(sql, "INSERT INTO \"%s\" VALUES (", table->name);
    for (size_t i = 0; i < table->column_count; i++)
        values += table->columns[i].type == COLUMN_VERSION ? 2 : 1;
    for (size_t i = 0; i < values; i++)
        text_add(sql, i ? ",?" : "?");
    text_add(sql, ")");
}

static void bind_row(sqlite3_stmt *insert, const struct table_spec *table, const void *row)
{
    int at = 1;
    for (size_t i = 0; i < table->column_count; i++, at++) {
        const struct column_spec *c = &table->columns[i];
        const char *field = (const char *)row + c->offset;
        if (c->type == COLUMN_INT) {
            struct opt number;
            memcpy(&number, field, sizeof number);
            if (number.known)
                sqlite3_bind_int64(insert, at, number.value);
            continue;
        }
        const char *value;
        memcpy(&value, field, sizeof value);
        int64_t key;
        if (value) /* borrowed: bindings are cleared before insert_put() returns */
            sqlite3_bind_text(insert, at, value, -1, SQLITE_STATIC);
        if (c->type == COLUMN_VERSION) {
            at++;
            if (version_key(c->version, value, &key))
                sqlite3_bind_int64(insert, at, key);
        }
    }
}

int insert_prepare(sqlite3 *db, const struct table_spec *table, sqlite3_stmt **ret)
{
    CLEANUP_TEXT struct text sql = {0};
    insert_statement(table, &sql);
    int rc = sqlite3_prepare_v3(db, text_get(&sql), -1, SQLITE_PREPARE_PERSISTENT, ret, NULL);
    return rc == SQLITE_OK ? 0 : -EIO;
}

int insert_put(sqlite3_stmt *insert, const struct table_spec *table, const void *row)
{
    bind_row(insert, table, row);
    sqlite3_step(insert);
    int rc = sqlite3_reset(insert); /* what the step came to */
    sqlite3_clear_bindings(insert);
    return rc == SQLITE_OK ? 0 : -EIO;
}

/* At most, with its quotes: what is no ASCII becomes \\xNN or \uNNNN. */
static size_t json_bytes_of(const char *text)
{
    enum { CONTROL_MORE = 5, MARK_MORE = 4, OTHER_MORE = 4 };
    size_t length = strlen(text), bytes = length + 2;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        bytes += c < 0x20 ? CONTROL_MORE : 0;
        bytes += c == '\\' || c == '"' ? MARK_MORE : 0;
        bytes += c >= 0x80 ? OTHER_MORE : 0;
    }
    return bytes;
}

size_t insert_bytes(const struct table_spec *table, const void *row)
{
    enum { ROW_BYTES = 18, NAME_MORE = 14, NUMBER_BYTES = 20, NULL_BYTES = 8 };
    size_t bytes = ROW_BYTES;
    for (size_t i = 0; i < table->column_count; i++) {
        const struct column_spec *c = &table->columns[i];
        const char *value = NULL;
        struct opt number = UNKNOWN;
        if (c->type == COLUMN_INT)
            memcpy(&number, (const char *)row + c->offset, sizeof number);
        else
            memcpy(&value, (const char *)row + c->offset, sizeof value);
        bytes += !value && !number.known ? NULL_BYTES : strlen(c->name) + NAME_MORE;
        bytes += value ? json_bytes_of(value) : number.known ? NUMBER_BYTES : 0;
    }
    return bytes;
}
