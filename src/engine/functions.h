/* SQL functions of rules: they depend on their arguments alone. */
#ifndef ENGINE_FUNCTIONS_H
#define ENGINE_FUNCTIONS_H

#include <sqlite3.h>

/* Registers pep440_match, pep440_cmp, driver_key, cuda_key, cc_key, glibc_key, code_runs and those
 * of text_functions.h; an SQLite code. */
int functions_register(sqlite3 *db);

#endif
