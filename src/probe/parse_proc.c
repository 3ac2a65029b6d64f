#include "probe/parse_proc.h"

#include <string.h>

#include "base/text.h"
#include "probe/parse_piece.h"

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

/* The two flavours put the version in different places:
 *   NVRM version: NVIDIA UNIX x86_64 Kernel Module  515.76  Mon Sep 12 ...
 *   NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  580.95.05  Release Build  (user@host)
 * so it is the first word after "Kernel Module" that is a version. What follows names who built
 * the module and is left alone. */
bool parse_nvrm_version(const char *data, size_t size, struct arena *arena,
                        struct nvrm_version *ret)
{
    size_t cursor = 0;
    struct piece line;
    while (piece_line(data, size, &cursor, &line)) {
        if (!piece_cut_prefix(&line, "NVRM version:"))
            continue;
        struct piece head = line, word;
        if (!piece_cut_after(&line, "Kernel Module"))
            return false;
        head.length = (size_t)(line.data - head.data);
        while (piece_word(&line, &word)) {
            char *text = arena_strndup(arena, word.data, word.length);
            if (!is_driver_version(text))
                continue;
            ret->version = text;
            ret->flavour = piece_has(head, "Open Kernel Module") ? "open" : "proprietary";
            return true;
        }
        return false;
    }
    return false;
}

static const char *module_state(struct piece word)
{
    if (piece_is(word, "Live"))
        return "live";
    if (piece_is(word, "Loading"))
        return "loading";
    return piece_is(word, "Unloading") ? "unloading" : NULL;
}

/* nvidia_uvm 1830912 2 - Live 0x0000000000000000 (OE) */
bool parse_module_line(const char *data, size_t size, size_t *cursor, struct arena *arena,
                       struct module_line *ret)
{
    struct piece line, word = {0};
    *ret = (struct module_line){0};
    if (!piece_line(data, size, cursor, &line))
        return false;
    struct piece name;
    if (!piece_word(&line, &name) || name.length > 64 || !utf8_valid(name.data, name.length))
        return true;
    size_t fields = 1;
    while (fields < 5 && piece_word(&line, &word)) {
        /* size in bytes and number of users, which is "-" where modules cannot be unloaded */
        if (fields < 3 && !piece_digits(word) && !(fields == 2 && piece_is(word, "-")))
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
static char *unquote(struct piece value, struct arena *arena)
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
    struct piece line;
    while (piece_line(data, size, &cursor, &line)) {
        line = piece_trim_blank(line);
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
            struct piece value = line;
            if (!piece_cut_prefix(&value, keys[i].key))
                continue;
            char *text = value.length <= 256 ? unquote(value, arena) : NULL;
            *keys[i].value = text && *text ? text : NULL;
        }
    }
}

bool parse_gpu_information(const char *data, size_t size, struct arena *arena,
                           struct gpu_information *ret)
{
    *ret = (struct gpu_information){0};
    bool any = false;
    size_t cursor = 0;
    struct piece line;
    while (piece_line(data, size, &cursor, &line)) {
        const char *colon = memchr(line.data, ':', line.length);
        if (!colon)
            continue;
        struct piece key = {line.data, (size_t)(colon - line.data)};
        struct piece rest = {colon + 1, line.length - key.length - 1};
        key = piece_trim_blank(key);
        rest = piece_trim_blank(rest);
        if (!utf8_valid(rest.data, rest.length))
            continue;
        char *value = arena_strndup(arena, rest.data, rest.length);
        if (piece_is(key, "Model")) {
            any = true;
            ret->model = *value && strcmp(value, "Unknown") != 0 ? value : NULL;
        } else if (piece_is(key, "GPU UUID")) {
            any = true;
            ret->uuid = text_starts(value, "GPU-") && !strchr(value, '?') ? value : NULL;
        } else if (piece_is(key, "Bus Location")) {
            any = true;
            ret->bus = parse_pci_address(value, arena);
        } else if (piece_is(key, "Device Minor")) {
            any = true;
            ret->minor = piece_number(rest);
        }
    }
    return any;
}

char *parse_proc_version(const char *data, size_t size, struct arena *arena)
{
    struct piece text = {data, size}, word;
    if (!piece_cut_prefix(&text, "Linux version ") || !piece_word(&text, &word) ||
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

static bool hex_run(const char **s, size_t least, size_t most, char *out)
{
    size_t n = strspn(*s, "0123456789abcdefABCDEF");
    if (n < least || n > most)
        return false;
    for (size_t i = 0; i < n; i++) {
        char c = (*s)[i];
        out[i] = (char)(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
    }
    out[n] = '\0';
    *s += n;
    return true;
}

char *parse_pci_address(const char *text, struct arena *arena)
{
    char domain[9], bus[3], device[3], function[2];
    const char *s = text;
    if (!hex_run(&s, 4, 8, domain) || *s++ != ':' || !hex_run(&s, 2, 2, bus) || *s++ != ':' ||
        !hex_run(&s, 2, 2, device) || *s++ != '.' || !hex_run(&s, 1, 1, function) || *s)
        return NULL;
    /* NVML writes eight digits; a domain that needs more than four (VMD) keeps them */
    const char *start = domain;
    while (strlen(start) > 4 && *start == '0')
        start++;
    return arena_printf(arena, "%s:%s:%s.%s", start, bus, device, function);
}
