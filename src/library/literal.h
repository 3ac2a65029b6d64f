/* Versions that stand in libraries as text or as a number. */
#ifndef LIBRARY_LITERAL_H
#define LIBRARY_LITERAL_H

#include "library/library_row.h"

/* What the library's variables for it or, by its pattern, the constants of the file say; NULL where
 * it has neither, or they say nothing. A file is searched once. */
const char *literal_version(struct library_rows *rows, const struct library_spec *family,
                            const char *path, const struct loader_file *file);

#endif
