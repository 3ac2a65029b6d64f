#include "parse/nvidia_log.h"

#include <string.h>

#include "base/text.h"
#include "parse/nvidia_log_text.h"

enum { START_MAX = 192, PIECE_MAX = 400, ADVICE_MAX = 8, ESCAPED_MAX = 4096 };

enum {
    EXACT = 1, /* its numbers are versions or devices: none of them is alike */
    CUT = 2,   /* nothing behind the words is kept: names of programs and groups stand there */
    IGNORE = 4,
};

/* The first entry that fits counts: a line that begins with `start` and holds `words`. */
struct rule {
    const char *start, *words, *kind;
    int flags;
    int more; /* lines that may follow as parts of it, the last of which ends its sentence */
};

static const struct rule rules[] = {
    {"NVRM: Xid (", "", "xid", 0, 0},
    {"NVRM: ", "Board Serial Number", NULL, IGNORE, 0},
    {"NVRM: ", ": GPU serial number is", NULL, IGNORE, 0}, /* after "fallen off the bus" */
    {"NVRM: ", ": GPU is on Board", NULL, IGNORE, 0},
    {"NVRM: GPU at ", "", NULL, IGNORE, 0},        /* its UUID, before each Xid */
    {"NVRM: loading NVIDIA", "", NULL, IGNORE, 0}, /* with who built it, and where */
    {"NVRM: API mismatch", "", "api-mismatch", EXACT, 2},
    {"NVRM: The NVIDIA GPU ", "", "unsupported-gpu", EXACT, 3},
    {"NVRM: The NVIDIA ", "GPU installed in this system is", "legacy-gpu", EXACT, 5},
    {"NVRM: ignoring the legacy GPU", "", "legacy-gpu", EXACT, 0},
    {"NVRM: ", "fallen off the bus", "fallen-off", 0, 0},
    {"NVRM: ", "RmInitAdapter failed", "init-failed", 0, 0},
    {"NVRM: ", "rm_init_adapter failed", "init-failed", 0, 0},
    {"NVRM: The NVIDIA probe routine failed", "", "init-failed", 0, 0},
    {"NVRM: This PCI I/O region", "", "bar", 0, 1},
    {"NVRM: BAR", "", "bar", 0, 0},
    {"NVRM: The NVIDIA probe routine was not", "", "probe-missed", 0, 2},
    {"NVRM: ", "is already bound to", "probe-missed", 0, 0},
    {"NVRM: No NVIDIA GPU found", "", "no-gpu", 0, 0},
    {"NVRM: No NVIDIA devices probed", "", "no-gpu", 0, 0},
    {"NVRM: No NVIDIA graphics adapter", "", "no-gpu", 0, 0},
    {"NVRM: None of the NVIDIA devices", "", "no-gpu", 0, 0},
    {"NVRM: ", "", "nvrm", 0, 0},
    {"nvidia-nvswitch", ": SXid (", "sxid", 0, 0},
    {"nvidia-modeset: Version mismatch", "", "module-version", EXACT, 0},
    {"nvidia-modeset: ERROR", "", "nvrm", 0, 0},
    {"nvidia", ": version magic ", "module-version", EXACT, 0},
    {"nvidia", ": disagrees about version of symbol", "module-version", 0, 0},
    {"nvidia", ": Unknown symbol", "module-version", 0, 0},
    {"nvidia", ": module verification failed", "module-signature", 0, 0},
    {"nvidia", ": module license", NULL, IGNORE, 0},
    {"nvidia", "AMD-Vi: Event logged [", "iommu", 0, 0},
    {"nvidia", "PCIe Bus Error", "aer", 0, 0},
    {"nvidia", ": AER: ", "aer", 0, 0},
    {"nvidia", "failed with error", "init-failed", EXACT, 0},
    {"nvidia", ": Refused to change power state", "fallen-off", 0, 0},
    {"nvidia", ": can't change power state from D3cold", "fallen-off", 0, 0},
    {"nvidia", ": Unable to change power state from D3cold", "fallen-off", 0, 0},
    {"pcieport ", "AER: enabled", NULL, IGNORE, 0},
    {"pcieport ", "AER: ", "aer", 0, 0},
    {"pcieport ", "PCIe Bus Error", "aer", 0, 0},
    {"pcieport ", "DPC: containment event", "aer", 0, 0},
    {"nouveau ", "", "nouveau", 0, 0},
    {"nouveau: ", "", "nouveau", 0, 0},
    {"DMAR: ", "Request device [", "iommu", 0, 0},
    {"AMD-Vi: Event logged [", "", "iommu", 0, 0},
    {"Loading of ", " is rejected", "module-signature", 0, 0},
    {"Lockdown: ", "unsigned module loading is restricted", "module-signature", 0, 0},
    {"PKCS#7 signature not signed with a trusted key", "", "module-signature", 0, 0},
    {"modprobe: ERROR: could not insert 'nvidia", "Key was rejected", "module-signature", 0, 0},
    {"Failed to insert module 'nvidia", "Key was rejected", "module-signature", 0, 0},
    {"oom-kill:", "constraint=CONSTRAINT_", "oom", CUT, 0},
    {"Out of memory: Kill", "", "oom", CUT, 0},
    {"Memory cgroup out of memory: Kill", "", "oom", CUT, 0},
};

/* No other byte begins a line that matters. */
static bool may_begin(char c)
{
    return c == 'N' || c == 'n' || c == 'p' || c == 'D' || c == 'A' || c == 'L' || c == 'P' ||
           c == 'm' || c == 'F' || c == 'o' || c == 'O' || c == 'M';
}

static const struct rule *find_rule(struct span line)
{
    if (line.length < 2 || !may_begin(line.data[0]))
        return NULL;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        struct span rest = line;
        if (rules[i].start[0] == line.data[0] && rules[i].start[1] == line.data[1] &&
            span_cut_prefix(&rest, rules[i].start) &&
            (!rules[i].words[0] || span_has(rest, rules[i].words)))
            return &rules[i];
    }
    return NULL;
}

bool log_is_message(struct span line)
{
    return find_rule(line) != NULL;
}

/* rsyslog writes the end of a line inside a message as "#012": the rest is the next line. Returns
 * where that begins; NULL where there is none. */
static const char *cut_escaped_end(struct span *line)
{
    struct span rest = *line;
    if (line->length > ESCAPED_MAX || !span_cut_after(&rest, "#012"))
        return NULL;
    line->length = (size_t)(rest.data - line->data) - strlen("#012");
    return rest.length ? rest.data : NULL;
}

/* The next line, without what stands before the kernel's words. False for one of another speaker
 * and at the end, which *ret_end tells. */
static bool next_spoken(const char *data, size_t size, size_t *cursor, struct span *ret,
                        struct opt *ret_seconds, bool *ret_end)
{
    *ret_end = !span_line(data, size, cursor, ret);
    if (*ret_end)
        return false;
    const char *next = cut_escaped_end(ret);
    while (span_cut_prefix(ret, "#011")) /* a tab */
        ;
    if (!log_strip(ret, ret_seconds))
        return false;
    if (next)
        *cursor = (size_t)(next - data);
    return true;
}

static bool starts_with(struct span span, const char *prefix)
{
    return span_cut_prefix(&span, prefix);
}

/* The next line if it is the driver's too, and where the one behind it begins. */
static bool next_part(const char *data, size_t size, size_t cursor, struct span *ret,
                      size_t *ret_next)
{
    struct opt seconds;
    bool end;
    *ret_next = cursor;
    if (!next_spoken(data, size, ret_next, ret, &seconds, &end))
        return false;
    const struct rule *rule = find_rule(*ret);
    if (!rule || rule->flags & IGNORE || !span_cut_prefix(ret, "NVRM: "))
        return false;
    /* what falls off the bus is named before these words, or in the line before */
    bool part = strcmp(rule->kind, "nvrm") == 0 || strcmp(rule->kind, "bar") == 0 ||
                starts_with(*ret, "fallen off the bus");
    if (!part)
        return false; /* a message of its own */
    *ret = span_trim(*ret);
    return true;
}

/* A log full of one fault has ten thousand lines, and next to all lines are plain ASCII. */
static void add_bytes(struct text *text, struct span piece)
{
    bool plain = true;
    for (size_t i = 0; i < piece.length; i++)
        plain = plain && piece.data[i] >= ' ' && piece.data[i] < 0x7f;
    if (plain)
        text_add_bytes(text, piece.data, piece.length);
    else
        text_add_safe(text, piece.data, piece.length, false);
}

static void add_piece(struct text *text, struct span piece)
{
    piece.length = piece.length < PIECE_MAX ? piece.length : PIECE_MAX;
    /* a tab, as rsyslog writes it */
    for (struct span rest = piece; span_cut_after(&rest, "#011"); piece = rest) {
        add_bytes(text, (struct span){piece.data, (size_t)(rest.data - piece.data) - 4});
        text_add_char(text, ' ');
    }
    add_bytes(text, piece);
}

static bool ends_sentence(struct span part)
{
    return part.length && part.data[part.length - 1] == '.';
}

/* Adds the lines that belong to the message: they follow each other. */
static void join_parts(const char *data, size_t size, size_t *cursor, int most, struct text *text)
{
    struct span part = {0};
    for (int i = 0; i < most && !ends_sentence(part); i++) {
        size_t next;
        if (!next_part(data, size, *cursor, &part, &next))
            return;
        *cursor = next;
        text_add_char(text, ' ');
        add_piece(text, part);
    }
}

/* Where to find help is no message of its own. */
static void skip_advice(const char *data, size_t size, size_t *cursor)
{
    struct span part = {0};
    for (int i = 0; i < ADVICE_MAX && !ends_sentence(part); i++) {
        size_t next;
        if (!next_part(data, size, *cursor, &part, &next))
            return;
        bool starts = part.length && ((part.data[0] >= 'a' && part.data[0] <= 'z') ||
                                      starts_with(part, "Please ") || starts_with(part, "Try "));
        if (i == 0 && !starts)
            return;
        *cursor = next;
    }
}

/* What "The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:1b80)" is about stands in the lines after it. */
static const char *kind_of(const struct rule *rule, const char *text)
{
    if (strcmp(rule->kind, "unsupported-gpu") != 0)
        return rule->kind;
    if (strstr(text, "Legacy driver"))
        return "legacy-gpu";
    if (strstr(text, "fallen off the bus"))
        return "fallen-off";
    return strstr(text, "not supported by") || strstr(text, "requires use of") ||
                   strstr(text, "open kernel modules")
               ? "unsupported-gpu"
               : "nvrm";
}

static void cut_words(struct text *text, const struct rule *rule)
{
    if (!(rule->flags & CUT) || !text->data)
        return;
    char *end = strstr(text->data, rule->words[0] ? rule->words : rule->start);
    end = end ? end + strlen(rule->words[0] ? rule->words : rule->start) : text->data;
    /* the kind of limit that was hit is a word; what follows names groups and programs */
    end += strspn(end, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_ed");
    text->length = (size_t)(end - text->data);
    text->data[text->length] = '\0';
}

bool log_next(const char *data, size_t size, size_t *cursor, struct arena *arena,
              struct log_message *ret)
{
    bool end = false;
    for (size_t start = *cursor; !end; start = *cursor) {
        struct span line;
        struct opt seconds;
        if (!next_spoken(data, size, cursor, &line, &seconds, &end))
            continue;
        const struct rule *rule = find_rule(line);
        if (!rule || rule->flags & IGNORE)
            continue;
        CLEANUP_TEXT struct text text = {0};
        add_piece(&text, span_trim(line));
        if (rule->more) {
            join_parts(data, size, cursor, rule->more, &text);
            skip_advice(data, size, cursor);
        }
        cut_words(&text, rule);
        log_drop_names(&text);
        *ret = (struct log_message){
            .kind = kind_of(rule, text_get(&text)),
            .xid = log_xid(text_get(&text)),
            .pci_address = log_pci_address(text_get(&text), arena),
            .text = arena_strdup(arena, text_get(&text)),
            .fold = rule->flags & EXACT ? arena_strdup(arena, text_get(&text))
                                        : log_fold(text_get(&text), arena),
            .seconds = seconds,
            .offset = start,
        };
        return true;
    }
    return false;
}

bool log_last_start(const char *data, size_t size, struct arena *arena, size_t *ret_offset,
                    char **ret_release)
{
    static const char words[] = "Linux version ";
    bool found = false;
    for (struct span rest = {data, size}; span_cut_after(&rest, words);) {
        const char *begin = rest.data - strlen(words);
        size_t head = begin - data < START_MAX ? (size_t)(begin - data) : START_MAX;
        const char *before = memrchr(begin - head, '\n', head);
        struct span line = {before ? before + 1 : begin - head, 0}, release;
        line.length = (size_t)(rest.data - line.data);
        struct opt seconds;
        struct span tail = rest;
        /* only where the kernel begins to speak, not where a program quotes it */
        if ((line.data == begin || (log_strip(&line, &seconds) && line.data == begin)) &&
            span_word(&tail, &release) && release.length <= 128) {
            *ret_offset = (size_t)(begin - data);
            *ret_release = arena_strndup(arena, release.data, release.length);
            found = true;
        }
    }
    return found;
}
