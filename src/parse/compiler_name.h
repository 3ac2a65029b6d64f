/* What the name of a compiler's program says, and the version text inside one. */
#ifndef PARSE_COMPILER_NAME_H
#define PARSE_COMPILER_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct compiler_name {
    const char *name;   /* "gcc", "g++", "clang", "clang++", "cc" or "c++"; NULL for another */
    const char *family; /* "gcc" or "clang"; NULL where the name does not tell ("cc") */
    char *target;       /* "x86_64-linux-gnu" of x86_64-linux-gnu-gcc-12; NULL without */
    char *version;      /* "12"; NULL without */
    bool wrapper; /* ccache and the like, which run a compiler of the name they are called by */
};
/* `name` is a file name without folders. */
void parse_compiler_name(const char *name, struct arena *arena, struct compiler_name *ret);

/* Major number of "12" and "12.2.0"; 0 where it is no version. */
int compiler_major(const char *version);

/* A text of the form "12.2.0" that stands alone between NULs, of that major number; NULL where the
 * bytes hold none. At most VERSION_LITERAL_MAX bytes with its NULs. */
enum { VERSION_LITERAL_MAX = 16 };
char *parse_version_literal(const char *data, size_t size, int major, struct arena *arena);

#endif
