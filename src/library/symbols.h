/* Whether the symbols of what a process loads fit. Frameworks of one environment share most of
 * their objects, so what was found right in one process is not looked up again in the next. */
#ifndef LIBRARY_SYMBOLS_H
#define LIBRARY_SYMBOLS_H

#include "library/simulate.h"

/* Adds the rows of the tables symbol_check and missing_symbol. A required object that cannot load
 * for a symbol makes the process fail, where nothing else does. */
void symbols_check(struct simulation *simulation);

#endif
