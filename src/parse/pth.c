#include "parse/pth.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/span.h"
#include "base/text.h"
#include "parse/metadata.h"

/* Seen in the wheels of these distributions. */
static const struct {
    const char *file, *package;
} owners[] = {
    {"distutils-precedence.pth", "setuptools"},
    {"_virtualenv.pth", "virtualenv"},
    {"virtualenv_path_extensions.pth", "virtualenvwrapper"},
    {"_virtualenv_path_extensions.pth", "virtualenvwrapper"},
    {"_numba_cuda_redirector.pth", "numba-cuda"},
    {"_cuda_bindings_redirector.pth", "cuda-bindings"},
    {"a1_coverage.pth", "coverage"},
    {"pytest-cov.pth", "pytest-cov"},
    {"init_cov_core.pth", "cov-core"},
    {"_pdbpp_path_hack.pth", "pdbpp"},
    {"ddtrace.pth", "ddtrace"},
    {"autowrapt-init.pth", "autowrapt"},
    {"sitecustomize-entrypoints.pth", "sitecustomize-entrypoints"},
    {"pywin32.pth", "pywin32"},
};

static bool is_code(struct span line)
{
    return span_cut_prefix(&line, "import ") || span_cut_prefix(&line, "import\t");
}

/* Code may set what is nobody's business: nothing is shown from such a word on. */
static struct span before_secret(struct span line)
{
    static const char *const words[] = {"token",   "secret", "passw",      "credential",
                                        "api_key", "apikey", "access_key", "://"};
    for (size_t at = 0; at < line.length; at++)
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (line.length - at >= strlen(words[i]) &&
                strncasecmp(line.data + at, words[i], strlen(words[i])) == 0)
                return (struct span){line.data, at};
    return line;
}

/* Whole characters only, control bytes made visible. */
static char *shown(struct span line, struct arena *arena)
{
    line = before_secret((struct span){
        line.data, line.length < 4 * PTH_LINE_SHOWN ? line.length : 4 * PTH_LINE_SHOWN});
    CLEANUP_TEXT struct text safe = {0};
    text_add_safe(&safe, line.data, line.length, false);
    size_t length = safe.length < PTH_LINE_SHOWN ? safe.length : PTH_LINE_SHOWN;
    const char *text = text_get(&safe);
    while (length && length < safe.length && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    return arena_strndup(arena, text, length);
}

static char *folder(struct span line, struct arena *arena)
{
    for (size_t i = 0; i < line.length; i++)
        if ((unsigned char)line.data[i] < 0x20 || line.data[i] == 0x7f)
            return NULL;
    return line.length && line.length < 4096 ? arena_strndup(arena, line.data, line.length) : NULL;
}

void pth_parse(const char *data, size_t length, struct arena *arena, struct pth *ret)
{
    *ret = (struct pth){0};
    size_t cursor = 0;
    struct span line;
    if (length >= 3 && !memcmp(data, "\xef\xbb\xbf", 3))
        cursor = 3; /* Python decodes as utf-8-sig */
    while (span_line(data, length, &cursor, &line)) {
        struct span trimmed = span_trim(line);
        if (!trimmed.length || line.data[0] == '#')
            continue;
        if (ret->count == PTH_LINES_MAX) {
            ret->is_cut = true;
            break;
        }
        bool code = is_code(line);
        char *text = code ? shown(trimmed, arena) : folder(trimmed, arena);
        if (!text)
            continue;
        ret->items = xgrow(ret->items, &ret->capacity, ret->count + 1, sizeof *ret->items);
        ret->items[ret->count++] = (struct pth_line){code, text};
    }
}

void pth_done(struct pth *pth)
{
    free(pth->items);
    *pth = (struct pth){0};
}

/* NAME of "NAME-VERSION..."; the version begins with a digit. */
static char *before_version(const char *name, struct arena *arena)
{
    for (const char *dash = strchr(name, '-'); dash; dash = strchr(dash + 1, '-'))
        if (dash[1] >= '0' && dash[1] <= '9')
            return normalise_name(name, (size_t)(dash - name), arena);
    return NULL;
}

char *pth_package(const char *name, struct arena *arena)
{
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++)
        if (!strcmp(name, owners[i].file))
            return arena_strdup(arena, owners[i].package);
    /* setuptools: __editable__.NAME-VERSION.pth; namespace packages: NAME-VERSION-py3.8-nspkg.pth
     */
    if (text_starts(name, "__editable__."))
        return before_version(name + strlen("__editable__."), arena);
    if (text_ends(name, "-nspkg.pth"))
        return before_version(name, arena);
    return NULL;
}
