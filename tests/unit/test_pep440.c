/* Versions of Python distributions: every line of tests/data/pep440.txt, and text that is none. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/pep440.h"

enum { FIELDS = 3 };

/* Cuts the line at "|". */
static int split(char *line, char *fields[FIELDS])
{
    int count = 0;
    for (char *at = line; at && count < FIELDS; count++) {
        fields[count] = at;
        at = strchr(at, '|');
        if (at)
            *at++ = '\0';
    }
    return count;
}

static void check_order(char *text, int line)
{
    char *fields[FIELDS];
    int order;
    cr_assert_eq(split(text, fields), 3, "line %d", line);
    cr_assert(pep440_compare(fields[0], fields[2], &order), "line %d", line);
    cr_expect_eq("<=>"[(order > 0) - (order < 0) + 1], *fields[1], "line %d: %s %s", line,
                 fields[0], fields[2]);
    cr_assert(pep440_compare(fields[2], fields[0], &order), "line %d", line);
    cr_expect_eq(">=<"[(order > 0) - (order < 0) + 1], *fields[1], "line %d, turned round", line);
}

static void check_match(char *text, int line)
{
    char *fields[FIELDS];
    cr_assert_eq(split(text, fields), 3, "line %d", line);
    int expected = !strcmp(fields[2], "yes") ? 1 : !strcmp(fields[2], "no") ? 0 : -1;
    cr_expect_eq(pep440_match(fields[0], fields[1]), expected, "line %d: %s %s", line, fields[0],
                 fields[1]);
}

Test(pep440, table)
{
    char text[512];
    int line = 0;
    FILE *file = fopen(SOURCE_DIR "/tests/data/pep440.txt", "r");
    cr_assert_not_null(file);
    while (fgets(text, sizeof text, file)) {
        line++;
        text[strcspn(text, "\n")] = '\0';
        char *rest = strchr(text, ' ');
        if (text[0] == '#' || !rest)
            continue;
        *rest++ = '\0';
        if (!strcmp(text, "order"))
            check_order(rest, line);
        else if (!strcmp(text, "match"))
            check_match(rest, line);
        else
            cr_expect_eq(pep440_valid(rest), !strcmp(text, "valid"), "line %d: %s", line, rest);
    }
    fclose(file);
    cr_assert_gt(line, 150);
}

Test(pep440, what_is_no_text)
{
    int order = 7;
    cr_assert_not(pep440_valid(NULL));
    cr_assert_not(pep440_valid(""));
    cr_assert_not(pep440_compare(NULL, "1", &order));
    cr_assert_not(pep440_compare("1", "x", &order));
    cr_assert_eq(order, 7);
    cr_assert_eq(pep440_match(NULL, "1"), -1);
    cr_assert_eq(pep440_match("", NULL), -1);
    cr_assert_not(pep440_valid("1.0\x1b[31m"));
    cr_assert_not(pep440_valid("1.0\nx"));
}
