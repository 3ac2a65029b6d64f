#include "api/gpu_name.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

/* GPUs that a sentence names, and bytes of a name that is looked for. */
enum { SHOWN_MAX = 6, NAME_MAX_BYTES = 100 };
/* Majors above the newest that is known; what is higher is a slip of the finger. */
enum { NEWER_MAX = 4 };

struct candidates {
    struct text shown; /* "GeForce GTX TITAN X (5.2), ..." */
    struct compute_capability cc;
    const char *seen[SHOWN_MAX]; /* the compute capabilities, each once; the arena's */
    size_t count;
};

/* Words of lower-case letters and digits, with a blank around each; "NVIDIA" and "GeForce", which
 * people leave out, are none. */
static void add_words(struct text *out, const char *name)
{
    text_clear(out);
    text_add_char(out, ' ');
    for (const char *at = name; *at;) {
        while (*at && !isalnum((unsigned char)*at))
            at++;
        size_t n = 0;
        while (isalnum((unsigned char)at[n]))
            n++;
        bool is_left_out = (n == 6 && strncasecmp(at, "nvidia", n) == 0) ||
                           (n == 7 && strncasecmp(at, "geforce", n) == 0);
        for (size_t i = 0; !is_left_out && i < n; i++)
            text_add_char(out, (char)tolower((unsigned char)at[i]));
        if (n && !is_left_out)
            text_add_char(out, ' ');
        at += n;
    }
}

/* Whether each word of `few` is one of `many`. */
static bool has_words(const char *many, const char *few)
{
    char word[NAME_MAX_BYTES + 3];
    for (const char *at = few; at[1]; at = strchr(at + 1, ' ')) {
        size_t n = (size_t)(strchr(at + 1, ' ') - at) + 1; /* with both blanks */
        if (n >= sizeof word)
            return false;
        memcpy(word, at, n);
        word[n] = '\0';
        if (!strstr(many, word))
            return false;
    }
    return true;
}

/* "rtx4090" and "h-100" for "RTX 4090" and "H100": the same but for where words end. */
static bool same_unspaced(const char *a, const char *b)
{
    for (;;) {
        a += strspn(a, " ");
        b += strspn(b, " ");
        if (*a != *b || !*a)
            return *a == *b;
        a++;
        b++;
    }
}

static void add_candidate(struct candidates *found, struct arena *arena, const char *name,
                          const char *cc)
{
    for (size_t i = 0; i < found->count; i++)
        if (strcmp(found->seen[i], cc) == 0)
            return;
    if (found->count == SHOWN_MAX)
        return;
    struct code_target target;
    if (!code_target_parse(cc, &target))
        return;
    text_printf(&found->shown, "%s%s (%s)", found->count ? ", " : "", name, cc);
    found->seen[found->count++] = arena_strdup(arena, cc);
    found->cc = target.cc;
}

static const char names_sql[] =
    "SELECT name, cc FROM m_gpu UNION SELECT smi_name, cc FROM m_gpu WHERE smi_name IS NOT NULL"
    " UNION SELECT name, cc FROM m_pci_device WHERE name IS NOT NULL AND confidence <> 'low'"
    " UNION SELECT chip, cc FROM m_chip_cc WHERE confidence <> 'low' ORDER BY name, cc";

/* One that is named exactly so counts alone: "GTX 1080" is not the "GTX 1080 Ti". */
static int find_names(struct engine *engine, struct arena *arena, const char *text,
                      struct candidates *exact, struct candidates *found, struct error *err)
{
    CLEANUP_STATEMENT sqlite3_stmt *query = facts_query(engine_facts(engine), names_sql);
    CLEANUP_TEXT struct text wanted = {0}, words = {0};
    add_words(&wanted, text);
    while (query && wanted.length > 3 && sqlite3_step(query) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(query, 0);
        const char *cc = (const char *)sqlite3_column_text(query, 1);
        add_words(&words, name);
        if (same_unspaced(text_get(&words), text_get(&wanted)))
            add_candidate(exact, arena, name, cc);
        if (has_words(text_get(&words), text_get(&wanted)))
            add_candidate(found, arena, name, cc);
    }
    return facts_failed(engine_facts(engine), err);
}

/* --- by number --- */

/* Whether it is one that is on record, or newer than all that are by a few years. */
static bool is_possible(struct engine *engine, struct compute_capability cc)
{
    CLEANUP_STATEMENT sqlite3_stmt *query =
        facts_query(engine_facts(engine),
                    "SELECT ?1 BETWEEN max(cc_key) AND max(cc_key) + ?2 OR max(cc_key = ?1) "
                    "FROM m_arch");
    int64_t key = (int64_t)cc.major * 100 + cc.minor;
    if (!query)
        return true;
    sqlite3_bind_int64(query, 1, key);
    sqlite3_bind_int64(query, 2, (int64_t)NEWER_MAX * 100);
    return sqlite3_step(query) != SQLITE_ROW || sqlite3_column_int(query, 0);
}

static int take_number(struct engine *engine, const char *text, const struct code_target *target,
                       struct compute_capability *ret, struct error *err)
{
    if (target->suffix || (target->kind != CODE_ANY && target->kind != CODE_CUBIN))
        return error_set(err, -EINVAL,
                         "that is a target of code; the GPU is %u.%u: give that number",
                         target->cc.major, target->cc.minor);
    if (!is_possible(engine, target->cc))
        return error_set(err, -EINVAL, "no GPU has the compute capability %u.%u%s",
                         target->cc.major, target->cc.minor,
                         strchr(text, '.') ? "" : ", as it is read; give it with its dot");
    *ret = target->cc;
    return 0;
}

int gpu_from_name(struct engine *engine, const char *text, struct compute_capability *ret,
                  struct error *err)
{
    struct code_target target;
    struct arena arena = {0};
    struct candidates exact = {0}, found = {0};
    if (code_target_parse(text, &target))
        return take_number(engine, text, &target, ret, err);
    if (isdigit((unsigned char)text[0]) && !text[1])
        return error_set(err, -EINVAL, "give both numbers of the compute capability, such as 8.9");
    if (strchr(text, ','))
        return error_set(err, -EINVAL, "one GPU each, a compute capability with its dot");
    if (strlen(text) > NAME_MAX_BYTES)
        return error_set(err, -EINVAL, "no GPU has such a long name");
    int code = find_names(engine, &arena, text, &exact, &found, err);
    const struct candidates *best = exact.count ? &exact : &found;
    if (code == 0 && best->count == 1)
        *ret = best->cc;
    else if (code == 0 && best->count)
        code = error_set(err, -EINVAL, "it may be %s%s: give the compute capability",
                         text_get(&best->shown), best->count == SHOWN_MAX ? ", ..." : "");
    else if (code == 0)
        code = error_set(err, -EINVAL,
                         "no GPU of that name is known; give its compute capability, such as 8.9 "
                         "(nvidia-smi --query-gpu=compute_cap --format=csv)");
    text_done(&exact.shown);
    text_done(&found.shown);
    arena_done(&arena);
    return code;
}
