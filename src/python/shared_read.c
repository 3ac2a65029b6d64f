#include "python/shared_read.h"

#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "probe/byte_file.h"
#include "python/shared_set.h"

struct state {
    const struct shared_reader *reader;
    const char *own_folder;
    struct text raw;    /* folder of the line before, as it stands there */
    struct text folder; /* the same as others have it */
    struct shared_folder at;
    bool has_folder, is_wanted;
};

/* --- folders --- */

/* Takes the last part off an absolute path. */
static void go_up(struct text *path)
{
    while (path->length && path->data[--path->length] != '/')
        ;
    if (path->data)
        path->data[path->length] = '\0';
}

/* Appends the parts of a path to an absolute one; ".." goes up. */
static void add_parts(struct text *path, struct span rest)
{
    for (struct span part; span_split(&rest, '/', &part);) {
        if (span_equal(part, ".."))
            go_up(path);
        else if (part.length && !span_equal(part, ".")) {
            text_add_char(path, '/');
            text_add_bytes(path, part.data, part.length);
        }
    }
}

/* "../../../bin" and absolute paths become absolute; what leads back into the site loses it. */
static void set_folder(struct state *state, struct span raw)
{
    text_clear(&state->folder);
    if (!raw.length || (*raw.data != '.' && *raw.data != '/')) {
        text_add_bytes(&state->folder, raw.data, raw.length);
        return;
    }
    const char *site = state->reader->owners->site;
    if (*raw.data == '.')
        text_add(&state->folder, site);
    add_parts(&state->folder, raw);
    const char *folder = text_get(&state->folder);
    size_t length = strlen(site);
    if (text_starts(folder, site) && (!folder[length] || folder[length] == '/')) {
        CLEANUP_FREE char *below = xstrdup(folder + length + (folder[length] == '/'));
        text_clear(&state->folder);
        text_add(&state->folder, below);
    }
}

/* Compiled modules belong to their sources, and a dist-info folder to nobody else. */
static bool is_left_out(const struct state *state)
{
    const char *folder = text_get(&state->folder);
    size_t length = strlen(state->own_folder);
    bool is_record =
        !strncmp(folder, state->own_folder, length) && (!folder[length] || folder[length] == '/');
    return is_record || text_ends(folder, "__pycache__");
}

static void enter_folder(struct state *state, struct span raw)
{
    text_clear(&state->raw);
    text_add_bytes(&state->raw, raw.data, raw.length);
    set_folder(state, raw);
    const char *folder = text_get(&state->folder);
    state->has_folder = true;
    state->is_wanted = false;
    if (raw.length >= SHARED_PATH_MAX || is_left_out(state))
        return;
    state->at = (struct shared_folder){
        .path = folder,
        .length = state->folder.length,
        .hash = shared_hash(SHARED_HASH_START, folder, state->folder.length),
        .is_common = !*folder || *folder == '/',
    };
    state->is_wanted = state->reader->wants(state->reader->data, &state->at);
}

static void take_line(void *data, const struct record_line *line)
{
    struct state *state = data;
    const char *slash = memrchr(line->path.data, '/', line->path.length);
    struct span raw = {line->path.data, slash ? (size_t)(slash - line->path.data) : 0};
    if (!state->has_folder || raw.length != state->raw.length ||
        memcmp(raw.data, text_get(&state->raw), raw.length) != 0)
        enter_folder(state, raw);
    if (!state->is_wanted)
        return;
    size_t skip = slash ? raw.length + 1 : 0;
    struct span leaf = {line->path.data + skip, line->path.length - skip};
    if (!leaf.length || leaf.length > SHARED_PATH_MAX)
        return;
    uint64_t key = shared_hash(shared_hash(state->at.hash, "/", 1), leaf.data, leaf.length);
    state->reader->file(state->reader->data, &state->at, leaf, key, line->size);
}

/* --- the file --- */

struct limited {
    struct byte_file file;
    uint64_t most;
    bool is_longer;
};

static ssize_t read_limited(void *context, void *buffer, size_t size)
{
    struct limited *limited = context;
    struct byte_source source = byte_file_source(&limited->file);
    limited->is_longer = limited->file.offset >= limited->most;
    return limited->is_longer ? 0 : source.read(source.context, buffer, size);
}

void shared_record_path(const struct owner *owner, struct text *ret)
{
    text_printf(ret, "%s/RECORD", owner->folder);
}

void shared_read(const struct machine *machine, const struct shared_reader *reader,
                 struct shared_read *ret)
{
    CLEANUP_CLOSE int fd = -1;
    CLEANUP_TEXT struct text path = {0};
    *ret = (struct shared_read){0};
    shared_record_path(reader->owner, &path);
    ret->code = machine_open(machine, path.data, &fd);
    if (ret->code < 0)
        return;
    struct state state = {.reader = reader, .own_folder = strrchr(reader->owner->folder, '/') + 1};
    struct limited limited = {.file = {fd, 0}, .most = reader->most};
    struct byte_source source = {read_limited, &limited};
    ret->code = record_scan(&source, take_line, &state, &ret->end);
    ret->bytes = limited.file.offset;
    ret->is_longer = limited.is_longer;
    text_done(&state.raw);
    text_done(&state.folder);
}
