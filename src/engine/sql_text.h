/* A little of SQL's lexical rules, for what SQLite does not tell. */
#ifndef ENGINE_SQL_TEXT_H
#define ENGINE_SQL_TEXT_H

#include <stddef.h>

/* Past white space, comments and the characters in `also`. */
const char *sql_skip_space(const char *sql, const char *also);

/* Past one token: a word, a quoted text or name, or one character. "" at the end. */
const char *sql_skip_token(const char *sql);

#endif
