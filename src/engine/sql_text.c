#include "engine/sql_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

const char *sql_skip_space(const char *sql, const char *also)
{
    for (;;) {
        if (isspace((unsigned char)*sql) || (*sql && strchr(also, *sql))) {
            sql++;
        } else if (sql[0] == '-' && sql[1] == '-') {
            sql += strcspn(sql, "\n");
        } else if (sql[0] == '/' && sql[1] == '*') {
            const char *end = strstr(sql + 2, "*/");
            sql = end ? end + 2 : sql + strlen(sql);
        } else {
            return sql;
        }
    }
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

const char *sql_skip_token(const char *sql)
{
    if (!*sql)
        return sql;
    if (*sql == '\'' || *sql == '"' || *sql == '`') {
        char quote = *sql++;
        /* a doubled quote is one of the text; skipping the text in two halves comes to the same */
        while (*sql && *sql != quote)
            sql++;
        return *sql ? sql + 1 : sql;
    }
    if (*sql == '[') {
        sql += strcspn(sql, "]");
        return *sql ? sql + 1 : sql;
    }
    if (!is_word(*sql))
        return sql + 1;
    while (is_word(*sql))
        sql++;
    return sql;
}
