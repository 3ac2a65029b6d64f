/* Text for a terminal: width, colour, marks, and that nothing out of a file steers it. */
#include <criterion/criterion.h>
#include <string.h>

#include "render/style.h"

static const struct style plain = {.unicode = true};
static const struct style ascii = {.unicode = false};
static const struct style coloured = {.colour = true, .unicode = true};

static struct text out;

static void tear_down(void)
{
    text_done(&out);
}

TestSuite(style, .fini = tear_down);

static const char *paragraph(size_t width, const char *first, const char *text)
{
    text_clear(&out);
    style_paragraph(&out, &(struct style){.unicode = true, .width = width}, first, text);
    return text_get(&out);
}

static const char *added(const struct style *style, enum paint paint, const char *text)
{
    text_clear(&out);
    style_add(&out, style, paint, text);
    return text_get(&out);
}

static const char *line(const struct style *style, const char *text)
{
    text_clear(&out);
    style_line(&out, style, "$ ", PAINT_BOLD, text);
    return text_get(&out);
}

/* --- width --- */

Test(style, a_paragraph_breaks_at_the_width)
{
    cr_expect_str_eq(paragraph(10, "", "aaa bbb cc dd"), "aaa bbb cc\ndd\n", "10 columns fit");
    cr_expect_str_eq(paragraph(9, "", "aaa bbb cc dd"), "aaa bbb\ncc dd\n");
}

Test(style, other_lines_stand_below_the_first_word)
{
    cr_expect_str_eq(paragraph(9, " 1. ", "aaa bbb"), " 1. aaa\n    bbb\n");
    cr_expect_str_eq(paragraph(8, "  • ", "aaa bbb"), "  • aaa\n    bbb\n",
                     "the bullet is one column of three bytes");
}

Test(style, colour_in_front_takes_no_columns)
{
    cr_expect_str_eq(paragraph(7, "\033[32m✓\033[0m ", "aaa bbb"), "\033[32m✓\033[0m aaa\n  bbb\n");
}

Test(style, a_word_longer_than_a_line_stays_whole)
{
    cr_expect_str_eq(paragraph(6, "", "a /usr/lib/libcuda.so b"), "a\n/usr/lib/libcuda.so\nb\n");
    cr_expect_str_eq(paragraph(3, "  - ", "/usr/lib x"), "  - /usr/lib\n    x\n",
                     "no empty line in front, also where the margin alone is too wide");
}

Test(style, width_zero_never_breaks)
{
    char text[4001];
    for (size_t i = 0; i < sizeof text - 1; i++)
        text[i] = i % 10 == 9 ? ' ' : 'x';
    text[sizeof text - 1] = '\0';
    const char *got = paragraph(0, "", text);
    cr_expect_eq(strchr(got, '\n'), got + strlen(got) - 1);
}

Test(style, blanks_of_any_kind_and_number_are_one)
{
    cr_expect_str_eq(paragraph(80, "  ", " \n a\t\tb  c \n"), "  a b c\n");
    cr_expect_str_eq(paragraph(80, "  ", "a\nb c\n\n"), "  a\\x0ab c\n");
    cr_expect_str_eq(paragraph(80, "  ", ""), "  \n");
    cr_expect_str_eq(paragraph(80, "  ", "\n"), "  \n");
}

Test(style, wide_characters_take_two_columns)
{
    cr_expect_str_eq(paragraph(9, "", "深度 学习"), "深度 学习\n");
    cr_expect_str_eq(paragraph(8, "", "深度 学习"), "深度\n学习\n");
    cr_expect_str_eq(paragraph(4, "", "\U0001f525 ab"), "\U0001f525\nab\n", "an emoji is wide");
}

Test(style, combining_characters_take_none)
{
    cr_expect_str_eq(paragraph(5, "", "e\u0301e\u0301 ab"), "e\u0301e\u0301 ab\n");
    cr_expect_str_eq(paragraph(4, "", "e\u0301e\u0301 ab"), "e\u0301e\u0301\nab\n");
}

Test(style, an_escape_is_measured_as_it_is_printed)
{
    cr_expect_str_eq(paragraph(7, "", "\x1b ab"), "\\x1b ab\n");
    cr_expect_str_eq(paragraph(6, "", "\x1b ab"), "\\x1b\nab\n");
}

/* --- what could steer a terminal --- */

/* What is given, and how it must look in a paragraph; all but blanks looks so on a line too. */
static const struct {
    const char *given, *want;
} hostile[] = {
    {"\x1b[2J", "\\x1b[2J"},                    /* clears the screen */
    {"\x1b]0;title\x07", "\\x1b]0;title\\x07"}, /* sets the window's title */
    {"a\x07", "a\\x07"},                        /* rings */
    {"a\rb", "a\\x0db"},                        /* overwrites the line */
    {"a\x08", "a\\x08"},                        /* steps back */
    {"a\x7f", "a\\x7f"},                        /* DEL */
    {"\xc2\x9b"
     "2J",
     "\\x9b2J"}, /* CSI of C1, as UTF-8 */
    {"\x9b"
     "2J",
     "\\x9b2J"},                                  /* and as a byte */
    {"\u202egnp.exe", "\\u{202e}gnp.exe"},        /* right-to-left override */
    {"\u2066a\u2069", "\\u{2066}a\\u{2069}"},     /* isolates */
    {"\u200fa", "\\u{200f}a"},                    /* right-to-left mark */
    {"a\u200b", "a\\u{200b}"},                    /* zero width: two names look alike */
    {"\u2028", "\\u{2028}"},                      /* line separator */
    {"\ufeff", "\\u{feff}"},                      /* byte order mark */
    {"\xff\xfe", "\\xff\\xfe"},                   /* no UTF-8 */
    {"a\xc3", "a\\xc3"},                          /* cut in the middle */
    {"\xc0\xaf", "\\xc0\\xaf"},                   /* overlong */
    {"\xed\xa0\x80", "\\xed\\xa0\\x80"},          /* a surrogate */
    {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, /* above U+10FFFF */
};
enum { HOSTILE_COUNT = sizeof hostile / sizeof *hostile };

Test(style, nothing_steers_the_terminal)
{
    for (size_t i = 0; i < HOSTILE_COUNT; i++) {
        CLEANUP_TEXT struct text want = {0};
        cr_expect_str_eq(added(&plain, PAINT_NONE, hostile[i].given), hostile[i].want, "%zu", i);
        text_printf(&want, "%s\n", hostile[i].want);
        cr_expect_str_eq(paragraph(80, "", hostile[i].given), text_get(&want), "%zu", i);
        text_clear(&want);
        text_printf(&want, "$ %s\n", hostile[i].want);
        cr_expect_str_eq(line(&plain, hostile[i].given), text_get(&want), "%zu", i);
        for (const char *c = text_get(&out); *c; c++)
            cr_expect((unsigned char)*c >= 0x20 || c[1] == '\0', "%zu: byte %02x", i,
                      (unsigned char)*c);
    }
}

/* A name that holds what stands for another's byte. */
Test(style, no_two_names_look_the_same)
{
    for (size_t i = 0; i < HOSTILE_COUNT; i++)
        cr_expect_str_neq(added(&plain, PAINT_NONE, hostile[i].want), hostile[i].want, "%zu", i);
    cr_expect_str_eq(added(&plain, PAINT_NONE, "e\\xff"), "e\\x5cxff");
    cr_expect_str_eq(added(&ascii, PAINT_NONE, "\\u{4e2d}"), "\\x5cu{4e2d}");
    cr_expect_str_eq(added(&plain, PAINT_NONE, "\\xf \\xFF \\u C:\\x"), "\\xf \\xFF \\u C:\\x");
}

Test(style, a_command_is_one_line_and_never_wrapped)
{
    struct style narrow = {.unicode = true, .width = 10};
    cr_expect_str_eq(line(&narrow, "sudo apt install nvidia-driver-580"),
                     "$ sudo apt install nvidia-driver-580\n");
    cr_expect_str_eq(line(&narrow, "a\nrm -rf /\tb"), "$ a\\x0arm -rf /\\x09b\n");
}

Test(style, bytes_after_a_nul_are_shown)
{
    style_safe(&out, &plain, "a\0b", 3);
    cr_expect_str_eq(text_get(&out), "a\\x00b");
}

/* --- colour and marks --- */

Test(style, colour_only_when_it_is_on)
{
    cr_expect_str_eq(added(&plain, PAINT_RED, "a"), "a");
    cr_expect_str_eq(added(&coloured, PAINT_RED, "a"), "\033[1;31ma\033[0m");
    cr_expect_str_eq(added(&coloured, PAINT_NONE, "a"), "a");
    cr_expect_str_eq(line(&coloured, "a"), "$ \033[1ma\033[0m\n");
}

Test(style, colour_does_not_let_escapes_through)
{
    cr_expect_str_eq(added(&coloured, PAINT_DIM, "\033[0m"), "\033[2m\\x1b[0m\033[0m");
}

Test(style, ascii_only_where_the_locale_has_no_more)
{
    cr_expect_str_eq(added(&ascii, PAINT_NONE, "Größe 深 \U0001f525"),
                     "Gr\\u{f6}\\u{df}e \\u{6df1} \\u{1f525}");
    cr_expect_str_eq(added(&ascii, PAINT_NONE, "\x1b\xff"), "\\x1b\\xff");
    text_clear(&out);
    style_paragraph(&out, &(struct style){.width = 12}, "- ", "深 abcd");
    cr_expect_str_eq(text_get(&out), "- \\u{6df1}\n  abcd\n", "measured as it is printed");
}

Test(style, marks_have_an_ascii_form)
{
    static const enum mark all[] = {MARK_OK,   MARK_ERROR,   MARK_WARNING,
                                    MARK_INFO, MARK_UNKNOWN, MARK_BULLET};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        cr_expect_eq(utf8_width(style_mark(&plain, all[i])), 1, "columns line up");
        for (const char *c = style_mark(&ascii, all[i]); *c; c++)
            cr_expect((unsigned char)*c < 0x80);
    }
    cr_expect_str_eq(style_mark(&plain, MARK_ERROR), "✗");
    cr_expect_str_eq(style_mark(&ascii, MARK_ERROR), "ERROR");
    cr_expect_str_eq(style_mark(&plain, MARK_OK), "✓");
    cr_expect_str_eq(style_mark(&ascii, MARK_OK), "ok");
    cr_expect_eq(style_mark_paint(MARK_ERROR), PAINT_RED);
    cr_expect_eq(style_mark_paint(MARK_WARNING), PAINT_YELLOW);
    cr_expect_eq(style_mark_paint(MARK_OK), PAINT_GREEN);
}
