/* Versions and specifiers of Python distributions: PEP 440 as it stands in the "Version specifiers"
 * page of the packaging guide. Versions are kept as spans of their text, so nothing is allocated
 * and a number may have any length. */
#include "base/pep440.h"
#include "base/pep440_version.h"

#include <stddef.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_local(char c)
{
    return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z');
}

bool pep440_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_mark(char c)
{
    return c == '.' || c == '-' || c == '_';
}

struct span pep440_trim(struct span text)
{
    while (text.length && pep440_is_space(*text.data)) {
        text.data++;
        text.length--;
    }
    while (text.length && pep440_is_space(text.data[text.length - 1]))
        text.length--;
    return text;
}

static void advance(struct span *text, size_t by)
{
    text->data += by;
    text->length -= by;
}

/* Takes the digits in front; an empty span where there are none. */
static struct span take_digits(struct span *text)
{
    struct span digits = {text->data, 0};
    while (digits.length < text->length && is_digit(text->data[digits.length]))
        digits.length++;
    advance(text, digits.length);
    return digits;
}

static struct span take_release(struct span *text)
{
    struct span release = take_digits(text);
    while (release.length && text->length > 1 && *text->data == '.' && is_digit(text->data[1])) {
        advance(text, 1);
        take_digits(text);
        release.length = (size_t)(text->data - release.data);
    }
    return release;
}

/* Takes "[-_.]WORD[-_.]NUMBER", both marks and the number being optional. */
static bool take_word(struct span *text, const char *word, struct span *number)
{
    size_t mark = text->length && is_mark(*text->data), length = strlen(word);
    if (text->length < mark + length || strncasecmp(text->data + mark, word, length) != 0)
        return false;
    advance(text, mark + length);
    if (text->length && is_mark(*text->data))
        advance(text, 1);
    *number = take_digits(text);
    return true;
}

static void take_pre(struct span *text, struct pep440_version *ret)
{
    /* longer words before those that begin them */
    static const struct {
        const char *word;
        char kind;
    } words[] = {{"alpha", 'a'},   {"a", 'a'},   {"beta", 'b'}, {"b", 'b'},
                 {"preview", 'c'}, {"pre", 'c'}, {"rc", 'c'},   {"c", 'c'}};
    for (size_t i = 0; i < sizeof words / sizeof *words && !ret->pre; i++)
        if (take_word(text, words[i].word, &ret->pre_number))
            ret->pre = words[i].kind;
}

static void take_post(struct span *text, struct pep440_version *ret)
{
    static const char *const words[] = {"post", "rev", "r"};
    if (text->length > 1 && *text->data == '-' && is_digit(text->data[1])) {
        advance(text, 1);
        ret->post_number = take_digits(text);
        ret->is_post = true;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words && !ret->is_post; i++)
        ret->is_post = take_word(text, words[i], &ret->post_number);
}

/* Everything behind "+": parts of letters and digits with single marks between them. */
static bool take_local(struct span *text, struct pep440_version *ret)
{
    advance(text, 1);
    ret->local = *text;
    for (size_t i = 0; i < text->length; i++) {
        bool is_edge = i == 0 || i == text->length - 1;
        if (is_local(text->data[i]))
            continue;
        if (is_edge || !is_mark(text->data[i]) || is_mark(text->data[i - 1]))
            return false;
    }
    bool is_filled = text->length > 0;
    advance(text, text->length);
    return is_filled;
}

bool pep440_parse(struct span text, struct pep440_version *ret)
{
    *ret = (struct pep440_version){0};
    text = pep440_trim(text);
    if (text.length && lower(*text.data) == 'v')
        advance(&text, 1);
    struct span before = text;
    ret->epoch = take_digits(&text);
    if (ret->epoch.length && text.length && *text.data == '!') {
        advance(&text, 1);
    } else {
        ret->epoch = (struct span){0};
        text = before;
    }
    ret->release = take_release(&text);
    if (!ret->release.length)
        return false;
    take_pre(&text, ret);
    take_post(&text, ret);
    ret->is_dev = take_word(&text, "dev", &ret->dev_number);
    if (text.length && *text.data == '+' && !take_local(&text, ret))
        return false;
    return text.length == 0;
}

/* --- order --- */

static int sign(int value)
{
    return (value > 0) - (value < 0);
}

/* An empty number is 0. */
int pep440_compare_numbers(struct span a, struct span b)
{
    while (a.length && *a.data == '0')
        advance(&a, 1);
    while (b.length && *b.data == '0')
        advance(&b, 1);
    if (a.length != b.length)
        return a.length < b.length ? -1 : 1;
    return a.length ? sign(memcmp(a.data, b.data, a.length)) : 0;
}

/* The next number of a release; an empty one past its end. */
struct span pep440_next_number(struct span *release)
{
    struct span number = take_digits(release);
    if (release->length)
        advance(release, 1);
    return number;
}

int pep440_compare_releases(struct span a, struct span b)
{
    while (a.length || b.length) {
        int order = pep440_compare_numbers(pep440_next_number(&a), pep440_next_number(&b));
        if (order)
            return order;
    }
    return 0;
}

/* 1.0.dev1 < 1.0a1 < 1.0b1 < 1.0rc1 < 1.0 <= 1.0.post1 */
static int pre_rank(const struct pep440_version *version)
{
    if (version->pre)
        return version->pre - 'a' + 1;
    return version->is_dev && !version->is_post ? 0 : 4;
}

static int compare_flags(bool a, struct span a_number, bool b, struct span b_number)
{
    return a != b ? (a ? 1 : -1) : pep440_compare_numbers(a_number, b_number);
}

static struct span next_part(struct span *local)
{
    struct span part = {local->data, 0};
    while (part.length < local->length && !is_mark(local->data[part.length]))
        part.length++;
    advance(local, part.length + (part.length < local->length));
    return part;
}

static int compare_parts(struct span a, struct span b)
{
    bool a_is_number = a.length == strspn(a.data, "0123456789") || a.length == 0;
    bool b_is_number = b.length == strspn(b.data, "0123456789") || b.length == 0;
    if (a_is_number != b_is_number)
        return a_is_number ? 1 : -1;
    if (a_is_number)
        return pep440_compare_numbers(a, b);
    int order = sign(strncasecmp(a.data, b.data, a.length < b.length ? a.length : b.length));
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

static int compare_locals(struct span a, struct span b)
{
    while (a.length && b.length) {
        int order = compare_parts(next_part(&a), next_part(&b));
        if (order)
            return order;
    }
    return (a.length > 0) - (b.length > 0);
}

/* Without the local part. */
int pep440_compare_public(const struct pep440_version *a, const struct pep440_version *b)
{
    int order = pep440_compare_numbers(a->epoch, b->epoch);
    if (!order)
        order = pep440_compare_releases(a->release, b->release);
    if (!order)
        order = sign(pre_rank(a) - pre_rank(b));
    if (!order && a->pre)
        order = pep440_compare_numbers(a->pre_number, b->pre_number);
    if (!order)
        order = compare_flags(a->is_post, a->post_number, b->is_post, b->post_number);
    if (!order) /* a development release comes before what it leads to */
        order = a->is_dev != b->is_dev ? (a->is_dev ? -1 : 1)
                                       : pep440_compare_numbers(a->dev_number, b->dev_number);
    return order;
}

int pep440_compare_parsed(const struct pep440_version *a, const struct pep440_version *b)
{
    int order = pep440_compare_public(a, b);
    return order ? order : compare_locals(a->local, b->local);
}

static bool parse_text(const char *text, struct pep440_version *ret)
{
    return text && pep440_parse((struct span){text, strlen(text)}, ret);
}

bool pep440_valid(const char *version)
{
    struct pep440_version parsed;
    return parse_text(version, &parsed);
}

bool pep440_compare(const char *a, const char *b, int *ret)
{
    struct pep440_version left, right;
    if (!parse_text(a, &left) || !parse_text(b, &right))
        return false;
    *ret = pep440_compare_parsed(&left, &right);
    return true;
}
