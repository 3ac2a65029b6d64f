#include "parse/conda_meta.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "parse/json_scan.h"

enum { WORDS_MAX = 4096 };

/* The strings come first, in the order of `texts` in read_member(). */
enum key {
    KEY_NAME,
    KEY_VERSION,
    KEY_BUILD,
    KEY_CHANNEL,
    KEY_NOARCH,
    KEY_SUBDIR,
    KEY_SPEC,
    KEY_SPECS,
    KEY_DEPENDS,
    KEY_CONSTRAINS,
    KEY_OTHER
};

struct scan {
    struct json_scan json;
    struct arena *arena;
};

/* A string, or null for what is not known. */
static bool read_value(struct scan *scan, const char **ret)
{
    if (json_scan_blanks(&scan->json) == 'n')
        return json_scan_skip(&scan->json);
    if (!json_scan_string(&scan->json))
        return false;
    if (!*ret)
        *ret = arena_strdup(scan->arena, text_get(&scan->json.word));
    return true;
}

/* The same where a value of another type does no harm (noarch was true in old records). */
static bool read_detail(struct scan *scan, const char **ret)
{
    return json_scan_blanks(&scan->json) == '"' ? read_value(scan, ret)
                                                : json_scan_skip(&scan->json);
}

static bool read_words(struct scan *scan, struct conda_words *ret)
{
    if (json_scan_blanks(&scan->json) != '[')
        return json_scan_skip(&scan->json);
    scan->json.at++;
    if (json_scan_blanks(&scan->json) == ']') {
        scan->json.at++;
        return true;
    }
    for (;;) {
        if (ret->count >= WORDS_MAX || !json_scan_string(&scan->json))
            return json_scan_fail(&scan->json);
        ret->items = xgrow(ret->items, &ret->capacity, ret->count + 1, sizeof *ret->items);
        ret->items[ret->count++] = arena_strdup(scan->arena, text_get(&scan->json.word));
        int c = json_scan_blanks(&scan->json);
        if (c != ',' && c != ']')
            return json_scan_fail(&scan->json);
        scan->json.at++;
        if (c == ']')
            return true;
    }
}

/* conda writes the text "None" for a package that nobody asked for, others leave it empty. */
static bool read_requested(struct scan *scan, struct opt *ret)
{
    const char *spec = NULL;
    bool is_good = read_detail(scan, &spec);
    if (spec && !ret->known)
        *ret = known(*spec && strcmp(spec, "None") != 0);
    return is_good;
}

/* Newer tools write a list. */
static bool read_requests(struct scan *scan, struct opt *ret)
{
    struct conda_words specs = {0};
    bool is_list = json_scan_blanks(&scan->json) == '[', is_good = read_words(scan, &specs);
    if (is_list && !(ret->known && ret->value))
        *ret = known(specs.count > 0);
    free(specs.items);
    return is_good;
}

static enum key key_of(const char *word)
{
    static const char *const keys[] = {
        "name",   "version",        "build",           "channel", "noarch",
        "subdir", "requested_spec", "requested_specs", "depends", "constrains",
    };
    size_t i = 0;
    while (i < KEY_OTHER && strcmp(word, keys[i]) != 0)
        i++;
    return (enum key)i;
}

static bool read_member(struct scan *scan, struct conda_meta *ret, unsigned *seen)
{
    if (!json_scan_string(&scan->json))
        return false;
    enum key key = key_of(text_get(&scan->json.word));
    if (json_scan_blanks(&scan->json) != ':')
        return json_scan_fail(&scan->json);
    scan->json.at++;
    if (key != KEY_OTHER && (*seen & (1u << key)))
        key = KEY_OTHER; /* the first one counts */
    *seen |= 1u << key;
    const char **texts[] = {&ret->name,    &ret->version, &ret->build,
                            &ret->channel, &ret->noarch,  &ret->subdir};
    if (key == KEY_OTHER)
        return json_scan_skip(&scan->json);
    if (key == KEY_SPEC)
        return read_requested(scan, &ret->requested);
    if (key == KEY_SPECS)
        return read_requests(scan, &ret->requested);
    if (key == KEY_DEPENDS || key == KEY_CONSTRAINS)
        return read_words(scan, key == KEY_DEPENDS ? &ret->depends : &ret->constrains);
    return key >= KEY_NOARCH ? read_detail(scan, texts[key]) : read_value(scan, texts[key]);
}

static void read_object(struct scan *scan, struct conda_meta *ret)
{
    unsigned seen = 0;
    if (json_scan_blanks(&scan->json) != '{') {
        json_scan_fail(&scan->json);
        return;
    }
    scan->json.at++;
    if (json_scan_blanks(&scan->json) == '}')
        return;
    while (read_member(scan, ret, &seen)) {
        int c = json_scan_blanks(&scan->json);
        if (c == '}')
            return;
        if (c != ',') {
            json_scan_fail(&scan->json);
            return;
        }
        scan->json.at++;
    }
}

int conda_meta_scan(const struct byte_source *source, struct arena *arena, struct conda_meta *ret)
{
    *ret = (struct conda_meta){0};
    CLEANUP_FREE char *chunk = xmalloc(JSON_SCAN_CHUNK);
    struct scan scan = {.json = {.source = source, .chunk = chunk}, .arena = arena};
    read_object(&scan, ret);
    text_done(&scan.json.word);
    if (!scan.json.error && (!ret->name || !ret->version))
        scan.json.error = -EBADMSG;
    return scan.json.error;
}

void conda_meta_done(struct conda_meta *meta)
{
    free(meta->depends.items);
    free(meta->constrains.items);
    *meta = (struct conda_meta){0};
}
