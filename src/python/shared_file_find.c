/* Compares the RECORDs of a site folder. An environment can have 200 of them with 100000 lines,
 * and hardly any file has two owners: so the first time only folders are compared (most lines lie
 * in the folder of the line before), then the files of the few folders that two distributions use,
 * and only then names are kept; of RECORDs that cannot matter any more nothing is read again. The
 * site itself and the folders outside (scripts in ../../../bin) have many users and few files:
 * there files are compared at once. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "parse/record.h"
#include "probe/byte_file.h"
#include "python/shared_file.h"
#include "python/shared_set.h"

enum { CLAIMS_MAX = 100000, PATH_MAX_LENGTH = 4096, CLAIM_BYTES_MAX = 32 * 1024 * 1024 };

/* Of all RECORDs of a site folder; ten times those of a large environment. */
#define BYTES_MAX ((uint64_t)128 << 20)

enum stage { STAGE_FOLDERS, STAGE_FILES, STAGE_CLAIMS };

struct search {
    struct probe_context *context;
    struct owners *owners;
    struct shared_set folders, files;
    struct shared_claim *claims;
    size_t claim_count, claim_capacity, claim_bytes;
    bool is_cut;      /* there were more claims than are kept */
    uint64_t bytes;   /* read so far in this stage */
    bool is_too_much; /* BYTES_MAX was met: the other RECORDs were not read */
    /* while one RECORD is read */
    enum stage stage;
    struct owner *owner;
    const char *own_folder;
    struct text raw;    /* folder of the line before, as it stands there */
    struct text folder; /* the same below the site, or absolute; "" is the site itself */
    uint64_t hash;      /* of it */
    bool is_common;     /* the site itself, or a folder outside of it */
    bool is_wanted;     /* files of this folder are looked at */
    bool has_folder;
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
static void set_folder(struct search *search, struct span raw)
{
    text_clear(&search->folder);
    if (!raw.length || (*raw.data != '.' && *raw.data != '/')) {
        text_add_bytes(&search->folder, raw.data, raw.length);
        return;
    }
    const char *site = search->owners->site;
    if (*raw.data == '.')
        text_add(&search->folder, site);
    add_parts(&search->folder, raw);
    const char *folder = text_get(&search->folder);
    size_t length = strlen(site);
    if (text_starts(folder, site) && (!folder[length] || folder[length] == '/')) {
        CLEANUP_FREE char *below = xstrdup(folder + length + (folder[length] == '/'));
        text_clear(&search->folder);
        text_add(&search->folder, below);
    }
}

/* Compiled modules belong to their sources, and a dist-info folder to nobody else. */
static bool is_left_out(const struct search *search)
{
    const char *folder = text_get(&search->folder);
    size_t length = strcspn(folder, "/");
    bool is_record =
        length == strlen(search->own_folder) && !memcmp(folder, search->own_folder, length);
    return is_record || text_ends(folder, "__pycache__");
}

static struct owner *first_of_name(const struct search *search, uint32_t number)
{
    return &search->owners->items[number];
}

/* Adds a folder; whoever shares one has its files looked at later. */
static void add_folder(struct search *search)
{
    uint32_t number = search->owner->name_number;
    const struct shared_slot *slot = shared_set_add(&search->folders, search->hash, number);
    if (slot && slot->is_shared)
        first_of_name(search, slot->owner)->shares_folder =
            first_of_name(search, number)->shares_folder = true;
}

static void enter_folder(struct search *search, struct span raw)
{
    text_clear(&search->raw);
    text_add_bytes(&search->raw, raw.data, raw.length);
    set_folder(search, raw);
    const char *folder = text_get(&search->folder);
    search->has_folder = true;
    search->is_common = !*folder || *folder == '/';
    search->is_wanted = !is_left_out(search) && raw.length < PATH_MAX_LENGTH;
    if (!search->is_wanted)
        return;
    search->hash = shared_hash(SHARED_HASH_START, folder, search->folder.length);
    if (search->is_common)
        search->is_wanted = search->stage != STAGE_FILES;
    else if (search->stage == STAGE_FOLDERS)
        add_folder(search);
    else
        search->is_wanted = shared_set_has_shared(&search->folders, search->hash);
}

/* --- files --- */

static void add_claim(struct search *search, struct span leaf, struct opt size)
{
    if (search->claim_count == CLAIMS_MAX || search->claim_bytes > CLAIM_BYTES_MAX) {
        search->is_cut = true;
        return;
    }
    const char *folder = text_get(&search->folder);
    search->claim_bytes += search->folder.length + 1 + leaf.length;
    search->claims = xgrow(search->claims, &search->claim_capacity, search->claim_count + 1,
                           sizeof *search->claims);
    search->claims[search->claim_count++] = (struct shared_claim){
        .path = arena_printf(search->context->arena, "%s%s%.*s", folder, *folder ? "/" : "",
                             (int)leaf.length, leaf.data),
        .owner = search->owner,
        .size = size,
    };
}

static void add_file(struct search *search, uint64_t key)
{
    uint32_t number = search->owner->name_number;
    const struct shared_slot *slot = shared_set_add(&search->files, key, number);
    if (slot && slot->is_shared)
        first_of_name(search, slot->owner)->shares_file =
            first_of_name(search, number)->shares_file = true;
}

static void take_line(void *data, const struct record_line *line)
{
    struct search *search = data;
    const char *slash = memrchr(line->path.data, '/', line->path.length);
    struct span raw = {line->path.data, slash ? (size_t)(slash - line->path.data) : 0};
    if (!search->has_folder || raw.length != search->raw.length ||
        memcmp(raw.data, text_get(&search->raw), raw.length) != 0)
        enter_folder(search, raw);
    if (!search->is_wanted || (search->stage == STAGE_FOLDERS && !search->is_common))
        return;
    size_t skip = slash ? raw.length + 1 : 0;
    struct span leaf = {line->path.data + skip, line->path.length - skip};
    if (!leaf.length || leaf.length > PATH_MAX_LENGTH)
        return;
    uint64_t key = shared_hash(shared_hash(search->hash, "/", 1), leaf.data, leaf.length);
    if (search->stage != STAGE_CLAIMS)
        add_file(search, key);
    else if (shared_set_has_shared(&search->files, key))
        add_claim(search, leaf, line->size);
}

/* --- RECORDs --- */

static void note_end(struct search *search, const char *path, const struct record_end *end)
{
    const char *what = end->is_too_long ? "it is larger than any such file is"
                       : end->is_cut    ? "it ends within a line"
                                        : "a line of it is not path, hash and size";
    if (end->is_too_long || end->is_cut || end->is_odd)
        probe_note_status(search->context, "shared_file", search->owners->environment_id, path,
                          "malformed", "shared_file", what);
}

static void read_record(struct search *search, struct owner *owner, enum stage stage)
{
    CLEANUP_CLOSE int fd = -1;
    CLEANUP_TEXT struct text path = {0};
    struct record_end end;
    text_printf(&path, "%s/RECORD", owner->folder);
    int r = machine_open(search->context->machine, path.data, &fd);
    if (r == 0) {
        struct byte_file file = {fd, 0};
        struct byte_source source = byte_file_source(&file);
        search->stage = stage;
        search->owner = owner;
        search->own_folder = strrchr(owner->folder, '/') + 1;
        search->has_folder = false;
        r = record_scan(&source, take_line, search, &end);
        search->bytes += file.offset;
        *search->owners->bytes_left -=
            file.offset < *search->owners->bytes_left ? file.offset : *search->owners->bytes_left;
    }
    if (stage != STAGE_FOLDERS)
        return;
    owner->is_read = r == 0;
    if (r == 0)
        note_end(search, path.data, &end);
    else if (r != -ENOENT && r != -ENOTDIR) /* Debian's packages have none */
        probe_note(search->context, "shared_file", search->owners->environment_id, path.data, r,
                   "shared_file", NULL);
}

static void add_rows(struct search *search, size_t *room)
{
    if (!shared_file_add_rows(search->context, search->owners, search->claims, search->claim_count,
                              room))
        search->is_cut = true;
    if (search->is_too_much)
        probe_note_status(search->context, "shared_file", search->owners->environment_id,
                          search->owners->site, "malformed", "shared_file",
                          "its distributions list more files than are compared");
    if (search->is_cut || search->folders.is_full || search->files.is_full)
        probe_note_status(search->context, "shared_file", search->owners->environment_id,
                          search->owners->site, "malformed", "shared_file",
                          "more files with several owners than are listed");
}

static void read_records(struct search *search, enum stage stage)
{
    search->bytes = 0;
    for (size_t i = 0; i < search->owners->count; i++) {
        struct owner *owner = &search->owners->items[i];
        const struct owner *first = first_of_name(search, owner->name_number);
        bool is_wanted =
            stage == STAGE_FOLDERS ||
            (owner->is_read && (stage == STAGE_FILES ? first->shares_folder : first->shares_file));
        if (is_wanted && search->bytes < BYTES_MAX && *search->owners->bytes_left)
            read_record(search, owner, stage);
        else if (is_wanted)
            search->is_too_much = true;
    }
}

void shared_file_find(struct probe_context *context, struct owners *owners, size_t *room)
{
    /* a file has two owners at least, and so two claims */
    struct search search = {
        .context = context, .owners = owners, .files.shared_max = CLAIMS_MAX / 2};
    read_records(&search, STAGE_FOLDERS);
    read_records(&search, STAGE_FILES);
    read_records(&search, STAGE_CLAIMS);
    add_rows(&search, room);
    free(search.claims);
    text_done(&search.raw);
    text_done(&search.folder);
    shared_set_done(&search.folders);
    shared_set_done(&search.files);
}
