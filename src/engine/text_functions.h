/* SQL functions that compare and cut text byte by byte. A fact may hold any bytes: SQLite's own
 * instr() and substr() count characters in two ways where it is not UTF-8, and LIKE and GLOB take
 * their right side for a pattern, of a thousand bytes at most. */
#ifndef ENGINE_TEXT_FUNCTIONS_H
#define ENGINE_TEXT_FUNCTIONS_H

#include <sqlite3.h>

/* Registers starts_with, ends_with, is_below, before_first, after_first, before_last, folder_of and
 * normal_path; an SQLite code. */
int text_functions_register(sqlite3 *db, int flags);

#endif
