/* One sentence about what went wrong, for a person. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

struct error {
    char text[512];
};

/* Writes the sentence (cut at the end of the buffer, control bytes replaced) and returns `code`,
 * so a caller can `return error_set(err, -EINVAL, ...)`. `err` may be NULL: nobody wants to know.
 * `code` is a negative errno. */
int error_set(struct error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "prefix: " in front of the sentence that is there already. Returns `code`. */
int error_prefix(struct error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
