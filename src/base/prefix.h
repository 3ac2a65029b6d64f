/* Beginnings of names, compared eight bytes at a time: names are held against a hundred of them. */
#ifndef BASE_PREFIX_H
#define BASE_PREFIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct prefix {
    const char *text; /* borrowed */
    size_t length;
    uint64_t head, mask; /* its first bytes, and which of eight those are */
};

/* The first eight bytes of a text, NULs behind its end. */
static inline uint64_t prefix_head(const char *text)
{
    uint64_t head = 0;
    memcpy(&head, text, strnlen(text, sizeof head));
    return head;
}

static inline struct prefix prefix_of(const char *text)
{
    struct prefix prefix = {.text = text, .length = strlen(text), .head = prefix_head(text)};
    memset(&prefix.mask, 0xff,
           prefix.length < sizeof prefix.mask ? prefix.length : sizeof prefix.mask);
    return prefix;
}

/* Whether the name, whose head is that, begins so. */
static inline bool prefix_fits(const struct prefix *prefix, const char *name, uint64_t head)
{
    return (head & prefix->mask) == prefix->head &&
           (prefix->length <= sizeof head || strncmp(name + sizeof head, prefix->text + sizeof head,
                                                     prefix->length - sizeof head) == 0);
}

#endif
