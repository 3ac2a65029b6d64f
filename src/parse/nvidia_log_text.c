#include "parse/nvidia_log_text.h"

#include <string.h>
#include <strings.h>

#include "base/pci_address.h"
#include "base/span.h"

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Removes [from, to) of the text. */
static void cut(struct text *text, const char *from, const char *to)
{
    size_t start = (size_t)(from - text->data), end = (size_t)(to - text->data);
    memmove(text->data + start, text->data + end, text->length - end + 1);
    text->length -= end - start;
}

/* Each "KEY=value, ", or what is left where nothing follows. */
static void cut_fields(struct text *text, const char *key)
{
    char *at;
    while (text->data && (at = strstr(text->data, key))) {
        char *end = strstr(at, ", ");
        cut(text, at, end ? end + 2 : text->data + text->length);
    }
}

/* The client of an API mismatch: " the client 'python3' (pid 123)" becomes " the client". The name
 * may hold quotes, so the last one counts that "(pid" or " has" follows. */
static void cut_client(struct text *text)
{
    static const char words[] = "the client '";
    char *at = text->data ? strstr(text->data, words) : NULL;
    if (!at)
        return;
    at += strlen("the client");
    char *end = strstr(at, "' (pid ");
    end = end ? strchr(end + 7, ')') : strstr(at, "' ");
    if (end)
        cut(text, at, end + 1);
    else
        cut(text, at, text->data + text->length);
}

/* "Lockdown: systemd-udevd: unsigned module loading is restricted" */
static void cut_lockdown(struct text *text)
{
    static const char start[] = "Lockdown: ";
    if (!text->data || !text_starts(text->data, start))
        return;
    char *at = text->data + strlen(start), *end = strstr(at, "unsigned module loading");
    if (end)
        cut(text, at, end);
}

/* "(dvs-builder@U22-I3)": who built the driver, and where. */
static void cut_people(struct text *text)
{
    static const char ends[] = " \t()<>'\"";
    char *at = text->data ? strchr(text->data, '@') : NULL;
    while (at) {
        char *from = at, *to = at + strcspn(at, ends);
        while (from > text->data && !strchr(ends, from[-1]))
            from--;
        bool is_name = from < at && to > at + 1;
        if (is_name)
            cut(text, from, to);
        at = strchr(is_name ? from : at + 1, '@');
    }
}

/* --- serial numbers, board numbers, UUIDs --- */

enum { UUID_LENGTH = 36, SERIAL_MIN = 4, LONG_NUMBER = 8 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_uuid(const char *at)
{
    for (size_t i = 0; i < UUID_LENGTH; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? at[i] != '-' : !is_hex(at[i]))
            return false;
    }
    return true;
}

/* "GPU-5ed1bd95-..." and "MIG-GPU-..." with what stands before them. */
static void cut_uuids(struct text *text)
{
    for (char *at = text->data; at && *at && (at = strchr(at, '-'));) {
        char *from = at - text->data >= 8 ? at - 8 : at;
        if (!is_uuid(from)) {
            at++;
            continue;
        }
        char *to = from + UUID_LENGTH;
        while (from > text->data && (is_word(from[-1]) || from[-1] == '-'))
            from--;
        cut(text, from, to);
        at = from;
    }
}

/* Whether the word stands there, in any case; its length, or 0. */
static size_t word_at(const char *at, const char *word)
{
    size_t n = strlen(word);
    return strncasecmp(at, word, n) == 0 ? n : 0;
}

/* Behind words such as "number is" and what separates them. */
static char *skip_filler(char *at)
{
    static const char *const words[] = {"numbers", "number", "num", "nr", "no",
                                        "id",      "is",     "was", "of", "for"};
    for (bool more = true; more;) {
        while (*at && (!is_word(*at) || *at == '_'))
            at++;
        more = false;
        for (size_t i = 0; !more && i < sizeof words / sizeof words[0]; i++) {
            size_t n = word_at(at, words[i]);
            more = n && (!is_word(at[n]) || at[n] == '_');
            at += more ? n : 0;
        }
    }
    return at;
}

/* The number that such a word stands before. */
static void cut_number_at(struct text *text, char *at)
{
    char *to = at;
    bool digit = false;
    for (; is_word(*to) || *to == '-'; to++)
        digit = digit || is_digit(*to);
    /* "Board 0" is a place, "0000:01:00.0" a device */
    if (digit && to - at >= SERIAL_MIN && *to != ':')
        cut(text, at, to);
}

/* Every number with so many digits as a serial number has. */
static void cut_long_numbers(struct text *text)
{
    for (char *at = text->data; *at;) {
        size_t n = 0;
        while (is_digit(at[n]))
            n++;
        if (n >= LONG_NUMBER && at[n] != ':')
            cut(text, at, at + n);
        else
            at += n ? n : 1;
    }
}

/* "GPU serial number is 1653923026510", "Serial#: 1", "S/N 1", "GPU is on Board 1", "board_id=1" */
static void cut_serials(struct text *text)
{
    static const char *const words[] = {"serial", "s/n", "sn:", "sn=", "board", "uuid", "guid"};
    bool serial = false;
    for (char *at = text->data; at && *at; at++) {
        if (at > text->data && is_word(at[-1]) && at[-1] != '_')
            continue;
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            size_t n = word_at(at, words[i]);
            if (!n)
                continue;
            serial = serial || i < 4;
            cut_number_at(text, skip_filler(at + n));
            break;
        }
    }
    if (serial)
        cut_long_numbers(text);
}

void log_drop_names(struct text *text)
{
    cut_uuids(text);
    cut_serials(text);
    cut_people(text);
    cut_fields(text, "pid=");
    cut_fields(text, "name=");
    cut_client(text);
    cut_lockdown(text);
}

struct opt log_xid(const char *text)
{
    const char *at = strstr(text, "Xid (");
    at = at ? strstr(at, "): ") : NULL;
    if (!at)
        return UNKNOWN;
    at += 3;
    uint64_t number;
    struct span digits = {at, strspn(at, "0123456789")};
    return span_number(digits, 1000000, &number) ? known((int64_t)number) : UNKNOWN;
}

/* How many hexadecimal digits stand at the place. */
static size_t hex_run(const char *at)
{
    size_t n = 0;
    while (is_hex(at[n]))
        n++;
    return n;
}

/* "dddd:bb:dd" with or without ".f" at the place, or "bb:dd.f"; its length, 0 for none. */
static size_t address_length(const char *at, bool *ret_domain, bool *ret_function)
{
    size_t n = hex_run(at), total = n;
    *ret_domain = n >= 4 && n <= 8;
    if ((n != 2 && !*ret_domain) || at[n] != ':')
        return 0;
    if (*ret_domain) {
        if (hex_run(at + total + 1) != 2 || at[total + 3] != ':')
            return 0;
        total += 3;
    }
    if (hex_run(at + total + 1) != 2)
        return 0;
    total += 3;
    *ret_function = at[total] == '.' && at[total + 1] >= '0' && at[total + 1] <= '7';
    total += *ret_function ? 2 : 0;
    /* without a domain or a function it may be a time or anything else */
    return (*ret_domain || *ret_function) && !is_hex(at[total]) ? total : 0;
}

static char *first_address(const char *text, struct arena *arena)
{
    for (const char *at = text; *at; at++) {
        if (!is_hex(*at) || (at > text && (is_hex(at[-1]) || at[-1] == 'x')))
            continue;
        bool domain, function;
        size_t n = address_length(at, &domain, &function);
        if (!n)
            continue;
        char *found = pci_address(arena_printf(arena, "%s%.*s%s", domain ? "" : "0000:", (int)n, at,
                                               function ? "" : ".0"),
                                  arena);
        if (found)
            return found;
    }
    return NULL;
}

char *log_pci_address(const char *text, struct arena *arena)
{
    /* a port reports the error of a device behind it: "error received: 0000:01:00.0" */
    const char *received = strstr(text, " received");
    char *source = received ? first_address(received, arena) : NULL;
    return source ? source : first_address(text, arena);
}

char *log_fold(const char *text, struct arena *arena)
{
    char *out = arena_strdup(arena, text), *to = out;
    while (*text) {
        size_t n = 0;
        bool digit = false;
        for (; is_word(text[n]); n++)
            digit = digit || (text[n] >= '0' && text[n] <= '9');
        if (digit) {
            *to++ = '#';
        } else {
            n = n ? n : 1;
            memmove(to, text, n);
            to += n;
        }
        text += n;
    }
    *to = '\0';
    return out;
}
