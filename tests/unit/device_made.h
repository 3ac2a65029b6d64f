/* Device code that a test has made, as a file in memory, and what the scanner says of it. */
#ifndef TESTS_DEVICE_MADE_H
#define TESTS_DEVICE_MADE_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "elf/device_code.h"
#include "elf_write.h"
#include "fatbin_write.h"

static inline int device_file(const void *bytes, size_t size)
{
    int fd = memfd_create("device", MFD_CLOEXEC);
    cr_assert_geq(fd, 0);
    cr_assert_eq((size_t)write(fd, bytes, size), size);
    return fd;
}

/* "linked sm_80 1/2, stub sm_75 3/3": each target with its containers and entries. */
static inline const char *device_words(const struct device_code *code, struct arena *arena)
{
    static const char *const places[] = {"linked", "relocatable", "stub"};
    struct text words = {0};
    for (size_t i = 0; i < code->target_count; i++) {
        const struct device_target *target = &code->targets[i];
        text_printf(&words, "%s%s %s %llu/%llu", i ? ", " : "", places[target->place],
                    device_target_name(target, arena), (unsigned long long)target->containers,
                    (unsigned long long)target->entries);
    }
    char *copy = arena_strdup(arena, text_get(&words));
    text_done(&words);
    return copy;
}

struct device_seen {
    struct arena arena;
    struct device_code code;
    struct error err;
    int result;
    const char *words;
};

static inline void device_see(struct device_seen *seen, const void *bytes, size_t size,
                              enum device_scan how)
{
    int fd = device_file(bytes, size);
    *seen = (struct device_seen){0};
    seen->result = device_code_scan(fd, how, 0, &seen->arena, &seen->code, &seen->err);
    seen->words = device_words(&seen->code, &seen->arena);
    close(fd);
}

/* The words must be these, and the problem must hold that text; NULL: there is none. */
static inline void device_expect(const struct text *file, enum device_scan how, const char *words,
                                 const char *problem)
{
    struct device_seen seen;
    device_see(&seen, text_get(file), file->length, how);
    cr_expect_eq(seen.result, 0, "%s", seen.err.text);
    cr_expect_str_eq((char *)seen.words, (char *)words);
    if (problem)
        cr_expect(seen.code.problem && strstr(seen.code.problem, problem), "problem: %s",
                  seen.code.problem ? seen.code.problem : "none");
    else
        cr_expect_eq((void *)seen.code.problem, NULL, "problem: %s", seen.code.problem);
    arena_done(&seen.arena);
}

#endif
