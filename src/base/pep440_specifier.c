/* Specifiers of PEP 440 ("~=2.1, !=2.3.*, <3") held against a version. */
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/pep440.h"
#include "base/pep440_version.h"

enum comparison { OP_ARBITRARY, OP_EQUAL, OP_NOT, OP_COMPATIBLE, OP_LE, OP_GE, OP_LT, OP_GT };

struct clause {
    enum comparison op;
    bool is_prefix; /* ends in ".*" */
    struct span text;
    struct pep440_version version;
};

static size_t count_numbers(struct span release)
{
    size_t count = 0;
    for (; release.length; count++)
        pep440_next_number(&release);
    return count;
}

static bool is_same_base(const struct pep440_version *a, const struct pep440_version *b)
{
    return pep440_compare_numbers(a->epoch, b->epoch) == 0 &&
           pep440_compare_releases(a->release, b->release) == 0;
}

/* Whether the first `count` numbers agree; a short version is padded with zeros. */
static bool is_release_prefix(struct span prefix, size_t count, struct span release)
{
    for (; count; count--)
        if (pep440_compare_numbers(pep440_next_number(&prefix), pep440_next_number(&release)) != 0)
            return false;
    return true;
}

static bool fits_prefix(const struct pep440_version *prefix, const struct pep440_version *version)
{
    return pep440_compare_numbers(prefix->epoch, version->epoch) == 0 &&
           is_release_prefix(prefix->release, count_numbers(prefix->release), version->release);
}

static bool fits_equal(const struct clause *clause, const struct pep440_version *version)
{
    if (clause->is_prefix)
        return fits_prefix(&clause->version, version);
    return (clause->version.local.length ? pep440_compare_parsed(version, &clause->version)
                                         : pep440_compare_public(version, &clause->version)) == 0;
}

static bool fits_compatible(const struct pep440_version *least,
                            const struct pep440_version *version)
{
    return pep440_compare_public(version, least) >= 0 &&
           pep440_compare_numbers(version->epoch, least->epoch) == 0 &&
           is_release_prefix(least->release, count_numbers(least->release) - 1, version->release);
}

/* "<2" does not take 2.0rc1, nor "<2.post1" 2.post1.dev0: pre-releases of the bound itself. */
static bool fits_less(const struct pep440_version *bound, const struct pep440_version *version)
{
    if (pep440_compare_public(version, bound) >= 0)
        return false;
    if (bound->pre || bound->is_dev || !is_same_base(version, bound))
        return true;
    if (!bound->is_post)
        return !version->pre && !version->is_dev;
    return version->pre || !version->is_dev || !version->is_post ||
           pep440_compare_numbers(version->post_number, bound->post_number) != 0;
}

/* ">2" takes neither 2.post1 nor 2+local. */
static bool fits_greater(const struct pep440_version *bound, const struct pep440_version *version)
{
    if (pep440_compare_public(version, bound) <= 0)
        return false;
    struct pep440_version before = *version;
    before.is_post = before.is_dev = false;
    before.post_number = before.dev_number = (struct span){0};
    return !version->is_post || bound->is_post || pep440_compare_public(&before, bound) != 0;
}

static bool fits(const struct clause *clause, struct span text,
                 const struct pep440_version *version)
{
    switch (clause->op) {
    case OP_ARBITRARY:
        text = pep440_trim(text);
        return text.length == clause->text.length &&
               strncasecmp(text.data, clause->text.data, text.length) == 0;
    case OP_EQUAL:
        return fits_equal(clause, version);
    case OP_NOT:
        return !fits_equal(clause, version);
    case OP_COMPATIBLE:
        return fits_compatible(&clause->version, version);
    case OP_LE:
        return pep440_compare_public(version, &clause->version) <= 0;
    case OP_GE:
        return pep440_compare_public(version, &clause->version) >= 0;
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
        if (text->length < length || memcmp(text->data, operators[i].text, length) != 0)
            continue;
        text->data += length;
        text->length -= length;
        *ret = operators[i].op;
        return true;
    }
    return false;
}

static bool parse_arbitrary(struct clause *ret)
{
    for (size_t i = 0; i < ret->text.length; i++)
        if (pep440_is_space(ret->text.data[i]) || strchr(";)", ret->text.data[i]))
            return false;
    return ret->text.length > 0;
}

static bool parse_clause(struct span text, struct clause *ret)
{
    *ret = (struct clause){0};
    text = pep440_trim(text);
    if (!take_operator(&text, &ret->op))
        return false;
    ret->text = text = pep440_trim(text);
    if (ret->op == OP_ARBITRARY)
        return parse_arbitrary(ret);
    bool is_equality = ret->op == OP_EQUAL || ret->op == OP_NOT;
    if (is_equality && text.length > 2 && memcmp(text.data + text.length - 2, ".*", 2) == 0) {
        ret->is_prefix = true;
        text.length -= 2;
        if (pep440_is_space(text.data[text.length - 1]))
            return false;
    }
    if (!pep440_parse(text, &ret->version))
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
    struct pep440_version parsed;
    if (!specifier || !version || !pep440_parse((struct span){version, strlen(version)}, &parsed))
        return -1;
    bool is_fit = true;
    for (const char *cursor = specifier; *cursor;) {
        struct span text = {cursor, strcspn(cursor, ",")};
        cursor += text.length;
        if (*cursor)
            cursor++;
        struct clause clause;
        if (!pep440_trim(text).length)
            continue;
        if (!parse_clause(text, &clause))
            return -1;
        if (is_fit)
            is_fit = fits(&clause, (struct span){version, strlen(version)}, &parsed);
    }
    return is_fit;
}
