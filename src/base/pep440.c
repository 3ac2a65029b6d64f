/* Versions and specifiers of Python distributions: PEP 440 as it stands in the "Version specifiers"
 * page of the packaging guide. Versions are kept as spans of their text, so nothing is allocated
 * and a number may have any length. */
#include "base/pep440.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

struct span {
    const char *at; /* NULL: not there */
    size_t length;
};

struct version {
    struct span epoch;   /* digits; not there: 0 */
    struct span release; /* digits with dots */
    char pre;            /* 'a', 'b', 'c' (release candidate); 0 none */
    struct span pre_number, post_number, dev_number;
    bool is_post, is_dev;
    struct span local; /* without "+" */
};

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

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_mark(char c)
{
    return c == '.' || c == '-' || c == '_';
}

static struct span trim(struct span text)
{
    while (text.length && is_space(*text.at)) {
        text.at++;
        text.length--;
    }
    while (text.length && is_space(text.at[text.length - 1]))
        text.length--;
    return text;
}

static void advance(struct span *text, size_t by)
{
    text->at += by;
    text->length -= by;
}

/* Takes the digits in front; an empty span where there are none. */
static struct span take_digits(struct span *text)
{
    struct span digits = {text->at, 0};
    while (digits.length < text->length && is_digit(text->at[digits.length]))
        digits.length++;
    advance(text, digits.length);
    return digits;
}

static struct span take_release(struct span *text)
{
    struct span release = take_digits(text);
    while (release.length && text->length > 1 && *text->at == '.' && is_digit(text->at[1])) {
        advance(text, 1);
        take_digits(text);
        release.length = (size_t)(text->at - release.at);
    }
    return release;
}

/* Takes "[-_.]WORD[-_.]NUMBER", both marks and the number being optional. */
static bool take_word(struct span *text, const char *word, struct span *number)
{
    size_t mark = text->length && is_mark(*text->at), length = strlen(word);
    if (text->length < mark + length || strncasecmp(text->at + mark, word, length) != 0)
        return false;
    advance(text, mark + length);
    if (text->length && is_mark(*text->at))
        advance(text, 1);
    *number = take_digits(text);
    return true;
}

static void take_pre(struct span *text, struct version *ret)
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

static void take_post(struct span *text, struct version *ret)
{
    static const char *const words[] = {"post", "rev", "r"};
    if (text->length > 1 && *text->at == '-' && is_digit(text->at[1])) {
        advance(text, 1);
        ret->post_number = take_digits(text);
        ret->is_post = true;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words && !ret->is_post; i++)
        ret->is_post = take_word(text, words[i], &ret->post_number);
}

/* Everything behind "+": parts of letters and digits with single marks between them. */
static bool take_local(struct span *text, struct version *ret)
{
    advance(text, 1);
    ret->local = *text;
    for (size_t i = 0; i < text->length; i++) {
        bool is_edge = i == 0 || i == text->length - 1;
        if (is_local(text->at[i]))
            continue;
        if (is_edge || !is_mark(text->at[i]) || is_mark(text->at[i - 1]))
            return false;
    }
    bool is_filled = text->length > 0;
    advance(text, text->length);
    return is_filled;
}

static bool parse(struct span text, struct version *ret)
{
    *ret = (struct version){0};
    text = trim(text);
    if (text.length && lower(*text.at) == 'v')
        advance(&text, 1);
    struct span before = text;
    ret->epoch = take_digits(&text);
    if (ret->epoch.length && text.length && *text.at == '!') {
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
    if (text.length && *text.at == '+' && !take_local(&text, ret))
        return false;
    return text.length == 0;
}

/* --- order --- */

static int sign(int value)
{
    return (value > 0) - (value < 0);
}

/* An empty number is 0. */
static int compare_numbers(struct span a, struct span b)
{
    while (a.length && *a.at == '0')
        advance(&a, 1);
    while (b.length && *b.at == '0')
        advance(&b, 1);
    if (a.length != b.length)
        return a.length < b.length ? -1 : 1;
    return a.length ? sign(memcmp(a.at, b.at, a.length)) : 0;
}

/* The next number of a release; an empty one past its end. */
static struct span next_number(struct span *release)
{
    struct span number = take_digits(release);
    if (release->length)
        advance(release, 1);
    return number;
}

static int compare_releases(struct span a, struct span b)
{
    while (a.length || b.length) {
        int order = compare_numbers(next_number(&a), next_number(&b));
        if (order)
            return order;
    }
    return 0;
}

/* 1.0.dev1 < 1.0a1 < 1.0b1 < 1.0rc1 < 1.0 <= 1.0.post1 */
static int pre_rank(const struct version *version)
{
    if (version->pre)
        return version->pre - 'a' + 1;
    return version->is_dev && !version->is_post ? 0 : 4;
}

static int compare_flags(bool a, struct span a_number, bool b, struct span b_number)
{
    return a != b ? (a ? 1 : -1) : compare_numbers(a_number, b_number);
}

static struct span next_part(struct span *local)
{
    struct span part = {local->at, 0};
    while (part.length < local->length && !is_mark(local->at[part.length]))
        part.length++;
    advance(local, part.length + (part.length < local->length));
    return part;
}

static int compare_parts(struct span a, struct span b)
{
    bool a_is_number = a.length == strspn(a.at, "0123456789") || a.length == 0;
    bool b_is_number = b.length == strspn(b.at, "0123456789") || b.length == 0;
    if (a_is_number != b_is_number)
        return a_is_number ? 1 : -1;
    if (a_is_number)
        return compare_numbers(a, b);
    int order = sign(strncasecmp(a.at, b.at, a.length < b.length ? a.length : b.length));
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
static int compare_public(const struct version *a, const struct version *b)
{
    int order = compare_numbers(a->epoch, b->epoch);
    if (!order)
        order = compare_releases(a->release, b->release);
    if (!order)
        order = sign(pre_rank(a) - pre_rank(b));
    if (!order && a->pre)
        order = compare_numbers(a->pre_number, b->pre_number);
    if (!order)
        order = compare_flags(a->is_post, a->post_number, b->is_post, b->post_number);
    if (!order) /* a development release comes before what it leads to */
        order = a->is_dev != b->is_dev ? (a->is_dev ? -1 : 1)
                                       : compare_numbers(a->dev_number, b->dev_number);
    return order;
}

static int compare(const struct version *a, const struct version *b)
{
    int order = compare_public(a, b);
    return order ? order : compare_locals(a->local, b->local);
}

static bool parse_text(const char *text, struct version *ret)
{
    return text && parse((struct span){text, strlen(text)}, ret);
}

bool pep440_valid(const char *version)
{
    struct version parsed;
    return parse_text(version, &parsed);
}

bool pep440_compare(const char *a, const char *b, int *ret)
{
    struct version left, right;
    if (!parse_text(a, &left) || !parse_text(b, &right))
        return false;
    *ret = compare(&left, &right);
    return true;
}

/* --- specifiers --- */

enum comparison { OP_ARBITRARY, OP_EQUAL, OP_NOT, OP_COMPATIBLE, OP_LE, OP_GE, OP_LT, OP_GT };

struct clause {
    enum comparison op;
    bool is_prefix; /* ends in ".*" */
    struct span text;
    struct version version;
};

static size_t count_numbers(struct span release)
{
    size_t count = 0;
    for (; release.length; count++)
        next_number(&release);
    return count;
}

static bool is_same_base(const struct version *a, const struct version *b)
{
    return compare_numbers(a->epoch, b->epoch) == 0 &&
           compare_releases(a->release, b->release) == 0;
}

/* Whether the first `count` numbers agree; a short version is padded with zeros. */
static bool is_release_prefix(struct span prefix, size_t count, struct span release)
{
    for (; count; count--)
        if (compare_numbers(next_number(&prefix), next_number(&release)) != 0)
            return false;
    return true;
}

static bool fits_prefix(const struct version *prefix, const struct version *version)
{
    return compare_numbers(prefix->epoch, version->epoch) == 0 &&
           is_release_prefix(prefix->release, count_numbers(prefix->release), version->release);
}

static bool fits_equal(const struct clause *clause, const struct version *version)
{
    if (clause->is_prefix)
        return fits_prefix(&clause->version, version);
    return (clause->version.local.length ? compare(version, &clause->version)
                                         : compare_public(version, &clause->version)) == 0;
}

static bool fits_compatible(const struct version *least, const struct version *version)
{
    return compare_public(version, least) >= 0 &&
           compare_numbers(version->epoch, least->epoch) == 0 &&
           is_release_prefix(least->release, count_numbers(least->release) - 1, version->release);
}

/* "<2" does not take 2.0rc1, nor "<2.post1" 2.post1.dev0: pre-releases of the bound itself. */
static bool fits_less(const struct version *bound, const struct version *version)
{
    if (compare_public(version, bound) >= 0)
        return false;
    if (bound->pre || bound->is_dev || !is_same_base(version, bound))
        return true;
    if (!bound->is_post)
        return !version->pre && !version->is_dev;
    return version->pre || !version->is_dev || !version->is_post ||
           compare_numbers(version->post_number, bound->post_number) != 0;
}

/* ">2" takes neither 2.post1 nor 2+local. */
static bool fits_greater(const struct version *bound, const struct version *version)
{
    if (compare_public(version, bound) <= 0)
        return false;
    struct version before = *version;
    before.is_post = before.is_dev = false;
    before.post_number = before.dev_number = (struct span){0};
    return !version->is_post || bound->is_post || compare_public(&before, bound) != 0;
}

static bool fits(const struct clause *clause, struct span text, const struct version *version)
{
    switch (clause->op) {
    case OP_ARBITRARY:
        text = trim(text);
        return text.length == clause->text.length &&
               strncasecmp(text.at, clause->text.at, text.length) == 0;
    case OP_EQUAL:
        return fits_equal(clause, version);
    case OP_NOT:
        return !fits_equal(clause, version);
    case OP_COMPATIBLE:
        return fits_compatible(&clause->version, version);
    case OP_LE:
        return compare_public(version, &clause->version) <= 0;
    case OP_GE:
        return compare_public(version, &clause->version) >= 0;
    case OP_LT:
        return fits_less(&clause->version, version);
    default:
        return fits_greater(&clause->version, version);
    }
}

static bool take_operator(struct span *text, enum comparison *ret)
{
    static const struct {
        const char *text;
        enum comparison op;
    } operators[] = {{"===", OP_ARBITRARY}, {"==", OP_EQUAL}, {"!=", OP_NOT}, {"~=", OP_COMPATIBLE},
                     {"<=", OP_LE},         {">=", OP_GE},    {"<", OP_LT},   {">", OP_GT}};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        size_t length = strlen(operators[i].text);
        if (text->length < length || memcmp(text->at, operators[i].text, length) != 0)
            continue;
        advance(text, length);
        *ret = operators[i].op;
        return true;
    }
    return false;
}

static bool parse_arbitrary(struct clause *ret)
{
    for (size_t i = 0; i < ret->text.length; i++)
        if (is_space(ret->text.at[i]) || strchr(";)", ret->text.at[i]))
            return false;
    return ret->text.length > 0;
}

static bool parse_clause(struct span text, struct clause *ret)
{
    *ret = (struct clause){0};
    text = trim(text);
    if (!take_operator(&text, &ret->op))
        return false;
    ret->text = text = trim(text);
    if (ret->op == OP_ARBITRARY)
        return parse_arbitrary(ret);
    bool is_equality = ret->op == OP_EQUAL || ret->op == OP_NOT;
    if (is_equality && text.length > 2 && memcmp(text.at + text.length - 2, ".*", 2) == 0) {
        ret->is_prefix = true;
        text.length -= 2;
        if (is_space(text.at[text.length - 1]))
            return false;
    }
    if (!parse(text, &ret->version))
        return false;
    if (ret->is_prefix)
        return !ret->version.pre && !ret->version.is_post && !ret->version.is_dev &&
               !ret->version.local.length;
    if (ret->op == OP_COMPATIBLE && count_numbers(ret->version.release) < 2)
        return false;
    return is_equality || !ret->version.local.length;
}

int pep440_match(const char *specifier, const char *version)
{
    struct version parsed;
    if (!specifier || !parse_text(version, &parsed))
        return -1;
    bool is_fit = true;
    for (const char *cursor = specifier; *cursor;) {
        struct span text = {cursor, strcspn(cursor, ",")};
        cursor += text.length;
        if (*cursor)
            cursor++;
        struct clause clause;
        if (!trim(text).length)
            continue;
        if (!parse_clause(text, &clause))
            return -1;
        if (is_fit)
            is_fit = fits(&clause, (struct span){version, strlen(version)}, &parsed);
    }
    return is_fit;
}
