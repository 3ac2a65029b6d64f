#include "parse/modinfo.h"

#include <string.h>

#include "base/span.h"
#include "base/text.h"
#include "parse/proc.h"

static bool is_printable(struct span text)
{
    for (size_t i = 0; i < text.length; i++)
        if (text.data[i] < ' ' || text.data[i] > '~')
            return false;
    return text.length > 0;
}

static void take_version(struct span text, struct arena *arena, struct modinfo *ret)
{
    char *version = arena_strndup(arena, text.data, text.length);
    if (is_driver_version(version))
        ret->version = version;
}

/* "6.8.0-60-generic SMP preempt mod_unload modversions " */
static void take_vermagic(struct span text, struct arena *arena, struct modinfo *ret)
{
    struct span release;
    if (span_word(&text, &release) && release.data[0] >= '1' && release.data[0] <= '9')
        ret->vermagic = arena_strndup(arena, release.data, release.length);
}

static void take(struct span text, struct arena *arena, struct modinfo *ret)
{
    if (text.length < 9 || text.length > MODINFO_TEXT_MAX || !is_printable(text))
        return;
    if (!ret->version && span_cut_prefix(&text, "version="))
        take_version(text, arena, ret);
    else if (!ret->license && span_cut_prefix(&text, "license="))
        ret->license = arena_strndup(arena, text.data, text.length);
    else if (!ret->vermagic && span_cut_prefix(&text, "vermagic="))
        take_vermagic(text, arena, ret);
}

void parse_modinfo(const char *data, size_t size, bool whole, struct arena *arena,
                   struct modinfo *ret)
{
    size_t start = 0;
    for (bool counts = whole; start < size; counts = true) {
        const char *end = memchr(data + start, '\0', size - start);
        if (!end)
            return;
        char first = data[start];
        if (counts && (first == 'v' || first == 'l'))
            take((struct span){data + start, (size_t)(end - data) - start}, arena, ret);
        start = (size_t)(end - data) + 1;
    }
}

bool modinfo_complete(const struct modinfo *modinfo)
{
    return modinfo->version && modinfo->license && modinfo->vermagic;
}

bool module_is_signed(const char *tail, size_t size)
{
    static const char mark[] = "~Module signature appended~\n";
    return size >= MODULE_SIGNATURE_MARK &&
           memcmp(tail + size - MODULE_SIGNATURE_MARK, mark, MODULE_SIGNATURE_MARK) == 0;
}
