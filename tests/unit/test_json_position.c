/* Where a JSON path leads in the text. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_position.h"

static const char document[] = "{\n"
                               "  \"id\": \"x\", \"query\": [\"a\",\n"
                               "    \"\\u00e9\\n\\\"b\", 12 ],\n"
                               "  \"steps\": [{\"text\": \"{[\\\"\"}, {\"text\": true, "
                               "\"in\": {\"a\": [[], [1, 2]]}}],\n"
                               "  \"\xc3\xa9t\xc3\xa9\": null\n"
                               "}\n";

Test(json_position, values)
{
    static const struct {
        const char *path, *begins;
    } cases[] = {
        {"", "{\n  \"id\""},
        {"id", "\"x\","},
        {"query", "[\"a\""},
        {"query[0]", "\"a\""},
        {"query[1]", "\"\\u00e9"},
        {"query[2]", "12 ]"},
        {"steps[0]", "{\"text\": \"{["},
        {"steps[0].text", "\"{["},
        {"steps[1].text", "true"},
        {"steps[1].in.a", "[[], [1"},
        {"steps[1].in.a[0]", "[],"},
        {"steps[1].in.a[1][1]", "2]"},
        {"\xc3\xa9t\xc3\xa9", "null"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t at = 0;
        cr_expect(json_position(document, strlen(document), cases[i].path, &at), "%s",
                  cases[i].path);
        cr_expect_eq(strncmp(document + at, cases[i].begins, strlen(cases[i].begins)), 0,
                     "%s: %.20s", cases[i].path, document + at);
    }
}

Test(json_position, keys)
{
    size_t at;
    cr_expect(json_position_key(document, strlen(document), "steps[1].in", &at));
    cr_expect_eq(strncmp(document + at, "\"in\": {", 7), 0);
    cr_expect(json_position_key(document, strlen(document), "id", &at));
    cr_expect_eq(strncmp(document + at, "\"id\"", 4), 0);
}

Test(json_position, a_path_that_leads_nowhere_gives_the_deepest_value)
{
    static const char *const cases[][2] = {
        {"none", "{\n  \"id\""},
        {"query[3]", "[\"a\""},
        {"query.id", "[\"a\""},
        {"id[0]", "\"x\""},
        {"steps[0].no", "{\"text\": \"{["},
        {"steps[9].text", "[{"},
        {"query[x]", "[\"a\""},
        {"query[1", "[\"a\""},
        {"steps[1].in.a[0][0]", "[], ["},
        {"query[99999999999999999999]", "[\"a\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t at = 0;
        cr_expect_not(json_position(document, strlen(document), cases[i][0], &at), "%s",
                      cases[i][0]);
        cr_expect_eq(strncmp(document + at, cases[i][1], strlen(cases[i][1])), 0, "%s: %.20s",
                     cases[i][0], document + at);
    }
}

/* Every cut of the text and every path: nothing may be read past the end, nothing may hang. */
Test(json_position, a_text_that_is_cut)
{
    static const char *const paths[] = {"", "query[1]", "steps[1].in.a[1][1]", "none", "[0]"};
    for (size_t length = 0; length <= strlen(document); length++) {
        for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
            size_t at, line, column;
            char *exact = malloc(length ? length : 1); /* no NUL behind it */
            memcpy(exact, document, length);
            json_position(exact, length, paths[i], &at);
            cr_expect_leq(at, length);
            cr_expect_leq(json_string_position(exact, length, at, 3), length);
            json_line_column(exact, length, at, &line, &column);
            cr_expect_geq(line, 1);
            free(exact);
        }
    }
}

Test(json_position, bytes_of_a_string)
{
    /* the value of query[1] is é (2 bytes), newline, ", b */
    static const struct {
        size_t decoded;
        const char *begins;
    } cases[] = {{0, "\\u00e9"}, {2, "\\n"},    {3, "\\\"b"},
                 {4, "b\""},     {5, "\", 12"}, {99, "\", 12"}};
    size_t at;
    json_position(document, strlen(document), "query[1]", &at);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t place = json_string_position(document, strlen(document), at, cases[i].decoded);
        cr_expect_eq(strncmp(document + place, cases[i].begins, strlen(cases[i].begins)), 0,
                     "%zu: %.10s", cases[i].decoded, document + place);
    }
}

Test(json_position, surrogates_are_four_bytes)
{
    static const char text[] = "\"\\ud83d\\ude00x\"";
    cr_expect_eq(json_string_position(text, strlen(text), 0, 4), 13);
    cr_expect_eq(text[13], 'x');
}

Test(json_position, columns_count_characters)
{
    size_t at, line, column;
    json_position(document, strlen(document), "\xc3\xa9t\xc3\xa9", &at);
    json_line_column(document, strlen(document), at, &line, &column);
    cr_expect_eq(line, 5);
    cr_expect_eq(column, 10);
}
