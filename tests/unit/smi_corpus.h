/* What the tests of nvidia-smi's outputs share: samples of the fuzz corpus. */
#ifndef TESTS_SMI_CORPUS_H
#define TESTS_SMI_CORPUS_H

#include <criterion/criterion.h>
#include <stdio.h>

#include "base/text.h"

/* Adds the whole of tests/fuzz/corpus/NAME to `ret`. */
static inline void read_sample(const char *name, struct text *ret)
{
    char path[512];
    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/%s", SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    for (int c; (c = fgetc(file)) != EOF;)
        text_add_char(ret, (char)c);
    fclose(file);
}

#endif
