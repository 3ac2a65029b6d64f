/* Directives and comments: PTX ISA, "PTX Module Directives" and "Syntax". */
#include "elf/ptx_text.h"

#include <string.h>

#include "base/span.h"

static bool cut_comment(struct span *rest)
{
    if (span_cut_prefix(rest, "//")) {
        const char *end = memchr(rest->data, '\n', rest->length);
        size_t length = end ? (size_t)(end - rest->data) : rest->length;
        rest->data += length;
        rest->length -= length;
        return true;
    }
    return span_cut_prefix(rest, "/*") && span_cut_after(rest, "*/");
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

static void cut_blanks_and_comments(struct span *rest)
{
    do
        while (rest->length && is_blank(*rest->data)) {
            rest->data++;
            rest->length--;
        }
    while (cut_comment(rest));
}

/* A word behind the directive of that name. */
static bool cut_directive(struct span *rest, const char *name, struct span *ret)
{
    cut_blanks_and_comments(rest);
    if (!span_cut_prefix(rest, name) || !rest->length || !is_blank(*rest->data))
        return false;
    cut_blanks_and_comments(rest);
    *ret = (struct span){rest->data, 0};
    while (rest->length && !is_blank(*rest->data) && *rest->data != ',' && *rest->data != '/') {
        rest->data++;
        rest->length--;
        ret->length++;
    }
    return ret->length > 0;
}

static bool read_version(struct span word, struct device_entry *ret)
{
    struct span major;
    uint64_t numbers[2]; /* major, minor */
    if (!span_split(&word, '.', &major) || !span_number(major, UINT16_MAX, &numbers[0]) ||
        !span_number(word, UINT16_MAX, &numbers[1]))
        return false;
    ret->isa_major = (uint16_t)numbers[0];
    ret->isa_minor = (uint16_t)numbers[1];
    return true;
}

bool ptx_text_read(const char *text, size_t size, struct device_entry *ret)
{
    struct span rest = {text, size}, version, target;
    *ret = (struct device_entry){.kind = DEVICE_PTX};
    return cut_directive(&rest, ".version", &version) && read_version(version, ret) &&
           cut_directive(&rest, ".target", &target) && device_entry_target(ret, target);
}
