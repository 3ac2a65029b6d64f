#include "parse/proc.h"

#include <string.h>

#include "base/pci_address.h"
#include "base/text.h"
#include "parse/number.h"

bool is_driver_version(const char *text)
{
    size_t fields = 0, length = 0;
    for (const char *s = text; *s;) {
        size_t n = strspn(s, "0123456789");
        /* majors have had three digits since 2010; "1.1" of WSL and Jetson is a soname */
        if (n == 0 || n > 4 || (fields == 0 && n < 3))
            return false;
        fields++;
        length += n;
        s += n;
        if (*s == '\0')
            break;
        if (*s++ != '.' || *s == '\0')
            return false;
    }
    return fields >= 2 && fields <= 3 && length <= 12;
}

const char *driver_version_in(const char *path)
{
    const char *slash = strrchr(path, '/'), *at = strstr(slash ? slash : path, ".so.");
    return at && is_driver_version(at + 4) ? at + 4 : NULL;
}

/* The two flavours put the version in different places:
 *   NVRM version: NVIDIA UNIX x86_64 Kernel Module  515.76  Mon Sep 12 ...
 *   NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  580.95.05  Release Build  (user@host)
 * so it is the first word after "Kernel Module" that is a version. What follows names who built
 * the module and is left alone. */
bool parse_nvrm_version(const char *data, size_t size, struct arena *arena,
                        struct nvrm_version *ret)
{
    size_t cursor = 0;
    struct span line;
    while (span_line(data, size, &cursor, &line)) {
        if (!span_cut_prefix(&line, "NVRM version:"))
            continue;
        struct span head = line, word;
        if (!span_cut_after(&line, "Kernel Module"))
            return false;
        head.length = (size_t)(line.data - head.data);
        while (span_word(&line, &word)) {
            char *text = arena_strndup(arena, word.data, word.length);
            if (!is_driver_version(text))
                continue;
            ret->version = text;
            ret->flavour = span_has(head, "Open Kernel Module") ? "open" : "proprietary";
            return true;
        }
        return false;
    }
    return false;
}

static const char *module_state(struct span word)
{
    if (span_equal(word, "Live"))
        return "live";
    if (span_equal(word, "Loading"))
        return "loading";
    return span_equal(word, "Unloading") ? "unloading" : NULL;
}

/* nvidia_uvm 1830912 2 - Live 0x0000000000000000 (OE) */
bool parse_module_line(const char *data, size_t size, size_t *cursor, struct arena *arena,
                       struct module_line *ret)
{
    struct span line, word = {0};
    *ret = (struct module_line){0};
    if (!span_line(data, size, cursor, &line))
        return false;
    struct span name;
    if (!span_word(&line, &name) || name.length > 64 || !utf8_valid(name.data, name.length))
        return true;
    size_t fields = 1;
    while (fields < 5 && span_word(&line, &word)) {
        /* size in bytes and number of users, which is "-" where modules cannot be unloaded */
        if (fields < 3 && !parse_number(word).known && !(fields == 2 && span_equal(word, "-")))
            return true;
        fields++;
    }
    if (fields < 3)
        return true;
    ret->name = arena_strndup(arena, name.data, name.length);
    ret->state = fields == 5 ? module_state(word) : NULL;
    return true;
}

/* A value as os-release(5) has it: shell quoting without any expansion. */
static char *unquote(struct span value, struct arena *arena)
{
    char *out = arena_alloc(arena, value.length + 1);
    size_t n = 0;
    char quote = 0;
    for (size_t i = 0; i < value.length; i++) {
        char c = value.data[i];
        if (quote ? c == quote : c == '"' || c == '\'') {
            quote = quote ? 0 : c;
            continue;
        }
        if (c == '\\' && quote != '\'' && i + 1 < value.length)
            c = value.data[++i];
        out[n++] = c;
    }
    return utf8_valid(out, n) ? out : NULL;
}

void parse_os_release(const char *data, size_t size, struct arena *arena, struct os_release *ret)
{
    *ret = (struct os_release){0};
    const struct {
        const char *key;
        char **value;
    } keys[] = {
        {"ID=", &ret->id},
        {"ID_LIKE=", &ret->id_like},
        {"VERSION_ID=", &ret->version_id},
        {"PRETTY_NAME=", &ret->pretty_name},
        {"VARIANT_ID=", &ret->variant_id},
    };
    size_t cursor = 0;
    struct span line;
    while (span_line(data, size, &cursor, &line)) {
        line = span_trim(line);
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
            struct span value = line;
            if (!span_cut_prefix(&value, keys[i].key))
                continue;
            char *text = value.length <= 256 ? unquote(value, arena) : NULL;
            *keys[i].value = text && *text ? text : NULL;
        }
    }
}

static struct opt yes_or_no(const char *value)
{
    return strcmp(value, "Yes") == 0 ? known(1) : strcmp(value, "No") == 0 ? known(0) : UNKNOWN;
}

/* False when the key is none of ours. */
static bool take_gpu_line(struct span key, struct span rest, struct arena *arena,
                          struct gpu_information *ret)
{
    char *value = arena_strndup(arena, rest.data, rest.length);
    if (span_equal(key, "Model"))
        ret->model = *value && strcmp(value, "Unknown") != 0 ? value : NULL;
    else if (span_equal(key, "GPU UUID"))
        ret->uuid = text_starts(value, "GPU-") && !strchr(value, '?') ? value : NULL;
    else if (span_equal(key, "Bus Location"))
        ret->bus = pci_address(value, arena);
    else if (span_equal(key, "Device Minor"))
        ret->minor = parse_number(rest);
    else if (span_equal(key, "GPU Firmware"))
        ret->gsp_firmware = is_driver_version(value) ? value : NULL;
    else if (span_equal(key, "GPU Excluded"))
        ret->excluded = yes_or_no(value);
    else
        return false;
    return true;
}

bool parse_gpu_information(const char *data, size_t size, struct arena *arena,
                           struct gpu_information *ret)
{
    *ret = (struct gpu_information){0};
    bool any = false;
    size_t cursor = 0;
    struct span line;
    while (span_line(data, size, &cursor, &line)) {
        const char *colon = memchr(line.data, ':', line.length);
        if (!colon)
            continue;
        struct span key = {line.data, (size_t)(colon - line.data)};
        struct span rest = {colon + 1, line.length - key.length - 1};
        rest = span_trim(rest);
        if (utf8_valid(rest.data, rest.length))
            any |= take_gpu_line(span_trim(key), rest, arena, ret);
    }
    return any;
}

char *parse_proc_version(const char *data, size_t size, struct arena *arena)
{
    struct span text = {data, size}, word;
    if (!span_cut_prefix(&text, "Linux version ") || !span_word(&text, &word) ||
        word.length > 128 || !utf8_valid(word.data, word.length))
        return NULL;
    return arena_strndup(arena, word.data, word.length);
}

/* WSL 1 says 4.4.0-19041-Microsoft, WSL 2 4.19.84-microsoft-standard and later
 * 5.15.90.1-microsoft-standard-WSL2. Kernels of one's own drop the first part or both. */
int wsl_of_release(const char *release)
{
    if (strstr(release, "WSL2") || strstr(release, "microsoft-standard"))
        return 2;
    return strstr(release, "Microsoft") ? 1 : 0;
}
