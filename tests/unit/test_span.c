/* Spans, and reading a file in one piece. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/read.h"
#include "base/span.h"

static struct span of(const char *text)
{
    return (struct span){text, strlen(text)};
}

Test(span, words_end_at_blanks_and_lines)
{
    struct span rest = of("  a\tbc\n\r d"), word;
    cr_assert(span_word(&rest, &word) && span_equal(word, "a"));
    cr_assert(span_word(&rest, &word) && span_equal(word, "bc"));
    cr_assert(span_word(&rest, &word) && span_equal(word, "d"));
    cr_assert_not(span_word(&rest, &word));
    cr_expect_eq(word.length, 0);
}

Test(span, fields_may_be_empty)
{
    struct span rest = of("a::b:"), field;
    cr_assert(span_split(&rest, ':', &field) && span_equal(field, "a"));
    cr_assert(span_split(&rest, ':', &field) && span_equal(field, ""));
    cr_assert(span_split(&rest, ':', &field) && span_equal(field, "b"));
    cr_assert(span_split(&rest, ':', &field) && span_equal(field, ""));
    cr_assert_not(span_split(&rest, ':', &field));
}

Test(span, cuts)
{
    struct span span = of("key=value");
    cr_expect_not(span_cut_prefix(&span, "keys"));
    cr_expect(span_equal(span, "key=value"));
    cr_expect(span_has(span, "=") && !span_has(span, "=="));
    cr_assert(span_cut_after(&span, "="));
    cr_expect(span_equal(span, "value"));
    cr_expect_not(span_cut_after(&span, "="));
    cr_assert(span_cut_prefix(&span, "value"));
    cr_expect_not(span_has(span, "v"));
    cr_expect(span_equal(span_trim(of(" \t x y\r")), "x y"));
    cr_expect(span_equal(span_trim(of(" \t ")), ""));
}

Test(span, numbers)
{
    static const char *const none[] = {"",   "-1", "+1",         " 1",
                                       "1 ", "1x", "4294967296", "99999999999999999999999"};
    uint32_t small;
    uint64_t large;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        cr_expect_not(span_uint32(of(none[i]), &small), "%s", none[i]);
    cr_assert(span_uint32(of("4294967295"), &small));
    cr_expect_eq(small, UINT32_MAX);
    cr_assert(span_number(of("18446744073709551615"), UINT64_MAX, &large));
    cr_expect_eq(large, UINT64_MAX);
    cr_expect_not(span_number(of("18446744073709551616"), UINT64_MAX, &large));
    cr_assert(span_number(of("007"), 7, &large));
    cr_expect_eq(large, 7);
    cr_expect_not(span_number(of("8"), 7, &large));
}

Test(read, stops_at_the_end_of_the_file)
{
    char buffer[8] = "";
    int fd = memfd_create("read", MFD_CLOEXEC);
    cr_assert(fd >= 0 && write(fd, "abcdef", 6) == 6);
    cr_expect_eq(read_at(fd, buffer, 4, 1), 4);
    cr_expect_arr_eq(buffer, "bcde", 4);
    cr_expect_eq(read_at(fd, buffer, sizeof buffer, 4), 2);
    cr_expect_arr_eq(buffer, "ef", 2);
    cr_expect_eq(read_at(fd, buffer, sizeof buffer, 100), 0);
    cr_expect_eq(read_at(fd, buffer, sizeof buffer, UINT64_MAX), -EINVAL);
    close(fd);
    cr_expect_eq(read_at(fd, buffer, 1, 0), -EBADF);
}
