/* What stands before the kernel's words in a line of its log. Formats: dmesg(1) with its options
 * for times, journalctl(1) with its outputs, rsyslog's and syslog-ng's files. */
#include <string.h>

#include "parse/nvidia_log.h"
#include "parse/nvidia_log_text.h"

enum { HEAD_MAX = 192, TIME_MIN = 12 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "[   12.345678] ", and "[ T1234] " behind it where the kernel names the caller. */
static void strip_brackets(struct span *line, struct opt *ret_seconds)
{
    for (int i = 0; i < 2 && line->length && line->data[0] == '['; i++) {
        size_t most = line->length < 48 ? line->length : 48;
        const char *end = memchr(line->data, ']', most);
        if (!end)
            return;
        struct span inside =
            span_trim((struct span){line->data + 1, (size_t)(end - line->data) - 1});
        struct span whole;
        uint64_t seconds;
        if (i == 0 && span_split(&inside, '.', &whole) &&
            span_number(whole, UINT64_C(100000000000), &seconds))
            *ret_seconds = known((int64_t)seconds);
        size_t past = (size_t)(end - line->data) + 1;
        line->data += past;
        line->length -= past;
        while (line->length && line->data[0] == ' ') {
            line->data++;
            line->length--;
        }
    }
}

/* Who speaks in a line of a syslog file, "Nov  3 10:00:01 host kernel: ..." or with an ISO time:
 * true where it is the kernel, or a program that tells why it could not load a module. */
static bool strip_syslog(struct span *line)
{
    static const char *const speakers[] = {" kernel", " modprobe[", " systemd-modules-load["};
    size_t most = line->length < HEAD_MAX ? line->length : HEAD_MAX;
    const char *colon = most > TIME_MIN ? line->data + TIME_MIN : NULL;
    while (colon && (colon = memchr(colon, ':', (size_t)(line->data + most - colon))))
        if (++colon < line->data + line->length && *colon == ' ')
            break; /* the colons of a time have no blank behind them */
    if (!colon)
        return false;
    struct span head = {line->data, (size_t)(colon - line->data)};
    for (size_t i = 0; i < sizeof speakers / sizeof speakers[0]; i++) {
        struct span rest = head;
        if (!span_cut_after(&rest, speakers[i]) || (i == 0 && rest.length != 1))
            continue;
        line->length -= head.length + 1;
        line->data = colon + 1;
        return true;
    }
    return false;
}

/* "2026-11-30T10:00:00,000000+00:00 " of dmesg --time-format iso. Log services write a point there,
 * and who speaks behind it. */
static bool strip_iso(struct span *line)
{
    static const char form[] = "####-##-##T##:##:##,";
    if (line->length < sizeof form)
        return false;
    for (size_t i = 0; form[i]; i++)
        if (form[i] == '#' ? !is_digit(line->data[i]) : line->data[i] != form[i])
            return false;
    struct span word;
    return span_word(line, &word);
}

/* "kern  :warn  : " of dmesg --decode. */
static void strip_level(struct span *line)
{
    struct span rest = *line, part;
    if (!span_cut_prefix(&rest, "kern ") || !span_split(&rest, ':', &part) ||
        span_trim(part).length || !span_split(&rest, ':', &part) || span_trim(part).length > 6)
        return;
    *line = span_trim(rest);
}

/* "host kernel: " behind the time of journalctl -o short-monotonic. */
static void strip_host(struct span *line)
{
    struct span rest = *line, host;
    if (!log_is_message(*line) && span_word(&rest, &host) && span_cut_prefix(&rest, " kernel: "))
        *line = rest;
}

/* The time that the line begins with, and what else of dmesg's stands before the kernel's words;
 * false where there is no time. */
static bool strip_time(struct span *line, struct opt *ret_seconds)
{
    if (line->data[0] != '[' && !strip_iso(line))
        return false;
    *line = span_trim(*line);
    strip_brackets(line, ret_seconds);
    strip_host(line);
    return true;
}

bool log_strip(struct span *line, struct opt *ret_seconds)
{
    *ret_seconds = UNKNOWN;
    if (line->length > 3 && line->data[0] == '<' && is_digit(line->data[1])) { /* /proc/kmsg */
        size_t most = line->length < 6 ? line->length : 6;
        const char *end = memchr(line->data, '>', most);
        size_t past = end ? (size_t)(end - line->data) + 1 : 0;
        line->data += past;
        line->length -= past;
    }
    if (line->length == 0)
        return true;
    if (line->data[0] == 'k')
        strip_level(line);
    if (line->length && strip_time(line, ret_seconds))
        return true;
    /* dmesg without times; it and journalctl print the further lines of a message with blanks where
     * the time stands in the first */
    struct span bare = span_trim(*line);
    if (log_is_message(bare)) {
        *line = bare;
        return true;
    }
    if (!strip_syslog(line))
        return false;
    strip_brackets(line, ret_seconds);
    return true;
}
