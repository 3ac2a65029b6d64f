/* Reads the entries of a machine manifest (fixtures/README.md tells the format). */
#ifndef TESTS_SUPPORT_MANIFEST_READ_H
#define TESTS_SUPPORT_MANIFEST_READ_H

#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

struct manifest_word {
    const char *key; /* NULL: a plain word; else the word was KEY=VALUE */
    const char *value;
    unsigned line;
};

/* A line below an entry that begins with '|' (content) or '+' (a file that a package owns). */
struct manifest_line {
    char mark;
    const char *raw; /* what follows the mark and one blank; escapes are still in it */
    size_t length;
    unsigned line;
};

struct manifest_entry {
    unsigned line;
    const char *kind;
    struct manifest_word *words; /* without the kind */
    size_t word_count, word_capacity;
    struct manifest_line *lines;
    size_t line_count, line_capacity;
};

struct manifest_reader {
    const char *name; /* for messages */
    const char *data;
    size_t size, cursor;
    unsigned line;       /* of the last line read */
    struct arena *arena; /* holds the words */
};

/* Reads the next entry into *entry, whose arrays are used again. 1: read, 0: at the end, or a
 * negative errno with a message that begins with NAME:LINE. Lines point into the reader's data. */
int manifest_next(struct manifest_reader *reader, struct manifest_entry *entry, struct error *err);
void manifest_entry_done(struct manifest_entry *entry);

/* Sets "NAME:LINE: ..." and returns -EINVAL. */
int manifest_error(const char *name, unsigned line, struct error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Appends the line with its escapes resolved. *is_cut: the line ended in a lone backslash, so no
 * newline belongs after it. */
int manifest_unescape(const char *name, const struct manifest_line *line, struct text *out,
                      bool *is_cut, struct error *err);

#endif
