/* An arena: many small allocations, released together. Zero-initialise, then use. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *newest;
};

/* Memory is zeroed and aligned for any type; it lives until arena_done(). */
void *arena_alloc(struct arena *arena, size_t size);
char *arena_strdup(struct arena *arena, const char *text);                 /* NULL gives NULL */
char *arena_strndup(struct arena *arena, const char *text, size_t length); /* adds the NUL */
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3), nonnull(2)));
char *arena_vprintf(struct arena *arena, const char *format, va_list args)
    __attribute__((format(printf, 2, 0), nonnull(2)));

/* Releases everything; the arena can be used again. */
void arena_done(struct arena *arena);

#endif
