/* Shared objects that a distribution of the GPU stack lists in its RECORD and that are gone, empty
 * or cut. A loader names such a file only when something opens it at last, often in the middle of
 * a run: cuDNN's parts, cuSOLVER, NVRTC. */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "elf/file.h"
#include "parse/record.h"
#include "probe/byte_file.h"
#include "probe/look.h"
#include "probe/reach.h"

enum { ROWS_MAX = 64, FILES_MAX = 8192, PATH_BYTES_MAX = 4096 }; /* of one distribution */
enum { RUN_ROWS_MAX = 2000 };

/* What a run has read and found, and the environments that were told last of what is not read, or
 * not told of, any more. */
struct reading {
    uint64_t bytes;
    size_t rows;
    struct text told, told_rows;
};

struct check {
    struct probe_context *context;
    struct reach *reach;
    const char *environment_id, *site, *name, *package_id;
    struct row_damaged_file rows[ROWS_MAX];
    size_t row_count, damaged, whole, unread;
    int unread_code;         /* why the first that could not be judged could not, and which it is */
    const char *unread_path; /* NULL: all could */
};

/* lib.so and lib.so.9.1: lib.so.hmac and lib.so.debug are opened by no loader. */
static bool is_shared_object(struct span path)
{
    static const char version[] = ".0123456789";
    size_t length = path.length;
    while (length && memchr(version, path.data[length - 1], sizeof version - 1))
        length--;
    return length >= 3 && !memcmp(path.data + length - 3, ".so", 3) &&
           (length == path.length || path.data[length] == '.');
}

/* Whether it ends before what its headers tell to load, or within these. */
static bool is_cut(const struct elf_file *file)
{
    Elf64_Phdr segment;
    for (size_t i = 0; elf_file_segment(file, i, &segment); i++)
        if (segment.p_type == PT_LOAD &&
            (segment.p_offset > file->size || segment.p_filesz > file->size - segment.p_offset))
            return true;
    return file->segment_count < file->header.e_phnum;
}

/* What is wrong with a file that has bytes, or NULL: 0, or a negative errno. Another size alone is
 * no damage: files are stripped, and their RPATH is edited. What is no ELF file of this class was
 * meant so where it has its size. */
static int judge(const struct machine *machine, const char *path, uint64_t size, bool is_shorter,
                 const char **ret_state)
{
    static const Elf64_Ehdr zeros = {0};
    CLEANUP_CLOSE int fd = -1;
    CLEANUP_ELF struct elf_file file = {0};
    int r = machine_open(machine, path, &fd);
    if (r == 0)
        r = elf_file_open(&file, fd, 0, size, NULL);
    bool is_broken = r == -ENOEXEC || r == -EBADMSG;
    if (r < 0 && !is_broken)
        return r;
    if (is_shorter &&
        (is_broken ? size < sizeof file.header || file.header.e_ident[EI_CLASS] == ELFCLASS64
                   : is_cut(&file)))
        *ret_state = "cut";
    else if (size >= sizeof zeros && (is_broken ? !memcmp(&file.header, &zeros, sizeof zeros)
                                                : elf_file_sections_are_zeros(&file)))
        *ret_state = "not written whole";
    return file.error;
}

/* 0 with the state, NULL for a file that is in order as far as can be seen, or a negative errno.
 * *ret_size is -1 where there is no file. */
static int look_at(const struct machine *machine, const char *path, struct opt wanted,
                   const char **ret_state, int64_t *ret_size)
{
    struct file_stat st;
    int r = machine_stat(machine, path, &st);
    *ret_state = NULL;
    *ret_size = -1;
    if (r == -ENOENT || r == -ENOTDIR || r == -ELOOP) {
        *ret_state = "gone";
        return 0;
    }
    if (r < 0)
        return r;
    if (st.type != FILE_REGULAR) {
        *ret_state = "no regular file";
        return 0;
    }
    *ret_size = (int64_t)st.size;
    bool is_shorter = wanted.known && *ret_size < wanted.value;
    if (st.size)
        return judge(machine, path, st.size, is_shorter, ret_state);
    if (is_shorter)
        *ret_state = "empty";
    return 0;
}

static void take_line(void *data, const struct record_line *line)
{
    struct check *check = data;
    CLEANUP_TEXT struct text path = {0};
    const char *state;
    int64_t size;
    if (line->path.length > PATH_BYTES_MAX || !is_shared_object(line->path))
        return;
    bool is_absolute = line->path.data[0] == '/';
    text_printf(&path, "%s%s%.*s", is_absolute ? "" : check->site, is_absolute ? "" : "/",
                (int)line->path.length, line->path.data);
    if (reach_is_out(check->reach, path.data))
        return;
    int r = check->whole + check->damaged < FILES_MAX
                ? look_at(check->context->machine, path.data, line->size, &state, &size)
                : -E2BIG;
    if (r < 0) {
        if (!check->unread++) {
            check->unread_code = r;
            check->unread_path = arena_strdup(check->context->arena, path.data);
        }
        return;
    }
    if (!state) {
        check->whole++;
        return;
    }
    if (check->damaged++ >= ROWS_MAX)
        return;
    check->rows[check->row_count++] = (struct row_damaged_file){
        .environment_id = check->environment_id,
        .site = check->site,
        .path = arena_strndup(check->context->arena, line->path.data, line->path.length),
        .package = check->name,
        .package_id = check->package_id,
        .state = state,
        .size = line->size,
        .found_size = size < 0 ? UNKNOWN : known(size),
    };
}

/* Once for each environment. */
static void tell_limit(const struct check *check, struct text *told, const char *detail)
{
    if (text_equal(text_get(told), check->environment_id))
        return;
    text_clear(told);
    text_add(told, check->environment_id);
    probe_note_status(check->context, "damaged_file", check->environment_id, check->site, "skipped",
                      "damaged_file", detail);
}

static bool has_room(const struct check *check, struct reading *reading)
{
    if (reading->rows++ < RUN_ROWS_MAX)
        return true;
    tell_limit(check, &reading->told_rows, "packages lack more files than are told of");
    return false;
}

static void add_rows(struct check *check, struct reading *reading)
{
    for (size_t i = 0; i < check->row_count && has_room(check, reading); i++) {
        check->rows[i].whole = known((int64_t)check->whole);
        facts_add_damaged_file(check->context->facts, &check->rows[i]);
    }
    if (check->damaged > ROWS_MAX)
        probe_note_status(check->context, "damaged_file", check->environment_id, check->site,
                          "skipped", "",
                          arena_printf(check->context->arena,
                                       "%s lacks more files than are told of", check->name));
    if (check->unread_code == -E2BIG)
        probe_note_status(check->context, "damaged_file", check->environment_id, check->unread_path,
                          "skipped", "damaged_file",
                          arena_printf(check->context->arena,
                                       "%s lists more files than are looked at", check->name));
    else if (check->unread)
        probe_note(check->context, "damaged_file", check->environment_id, check->unread_path,
                   check->unread_code, "damaged_file", NULL);
}

static int read_record(struct check *check, const char *record, struct reading *reading)
{
    CLEANUP_CLOSE int fd = -1;
    int r = machine_open(check->context->machine, record, &fd);
    if (r < 0)
        return r;
    struct byte_file file = {fd, 0};
    struct byte_source source = byte_file_source(&file);
    struct record_end end;
    r = record_scan(&source, take_line, check, &end);
    reading->bytes += file.offset;
    add_rows(check, reading);
    const char *fault = r == 0 ? record_end_fault(&end) : NULL;
    if (r == 0 && !fault && !end.lines)
        fault = "it lists nothing";
    if (fault)
        probe_note_status(check->context, "damaged_file", check->environment_id, record,
                          "malformed", "damaged_file", fault);
    return r;
}

/* METADATA that is a link into nothing, as all files of the distribution are when the cache that
 * they lead to is gone. */
static void add_dead_link(struct check *check, const char *metadata, struct reading *reading)
{
    const struct machine *machine = check->context->machine;
    struct file_stat st;
    if (check->whole || !text_starts(metadata, check->site) ||
        machine_stat(machine, metadata, &st) != -ENOENT ||
        machine_lstat(machine, metadata, &st) < 0)
        return;
    struct row_damaged_file row = (struct row_damaged_file){
        .environment_id = check->environment_id,
        .site = check->site,
        .path = metadata + strlen(check->site) + 1,
        .package = check->name,
        .package_id = check->package_id,
        .state = "gone",
    };
    if (has_room(check, reading))
        facts_add_damaged_file(check->context->facts, &row);
}

/* A distribution of the system or of conda may have none. */
static void note_absent(struct check *check, const char *record, const char *installer)
{
    struct file_stat st;
    bool is_link = machine_lstat(check->context->machine, record, &st) == 0;
    if (is_link || text_equal(installer, "pip") || text_equal(installer, "uv"))
        probe_note_status(check->context, "damaged_file", check->environment_id, record,
                          "malformed", "damaged_file",
                          is_link ? "a link that leads nowhere" : "a dist-info folder without it");
}

/* The distribution that the query stands at. */
static void check_package(struct probe_context *context, struct reach *reach, sqlite3_stmt *query,
                          struct reading *reading)
{
    struct check check = {
        .context = context,
        .reach = reach,
        .environment_id = ask_column(context, query, 0),
        .site = ask_column(context, query, 1),
        .name = ask_column(context, query, 2),
        .package_id = ask_column(context, query, 3),
    };
    char *metadata = ask_column(context, query, 4);
    char *record = metadata, *slash = record ? strrchr(record, '/') : NULL;
    if (!check.site || !check.name || !slash)
        return;
    reach_visited(reach, check.site);
    record = arena_printf(context->arena, "%.*s/RECORD", (int)(slash - record), record);
    if (reading->bytes > RECORDS_MAX) {
        tell_limit(&check, &reading->told, "the RECORDs of all distributions are too large");
        return;
    }
    int r = read_record(&check, record, reading);
    add_dead_link(&check, metadata, reading);
    if (r == -ENOENT || r == -ENOTDIR)
        note_absent(&check, record, ask_column(context, query, 5));
    else if (r < 0)
        probe_note(context, "damaged_file", check.environment_id, record, r, "damaged_file", NULL);
}

static int run(struct probe_context *context)
{
    CLEANUP_STATEMENT sqlite3_stmt *query = facts_query(
        context->facts,
        "SELECT p.environment_id, p.site, p.name, p.package_id, p.path, p.installer "
        "FROM package p WHERE p.kind = 'dist' AND (p.name GLOB 'nvidia-*' OR EXISTS (SELECT 1 FROM "
        "framework f WHERE f.environment_id = p.environment_id AND f.package = p.name))"
        " ORDER BY p.rowid");
    CLEANUP(reach_done) struct reach reach;
    struct reading reading = {0};
    reach_read(context, NULL, &reach);
    while (query && sqlite3_step(query) == SQLITE_ROW) {
        struct arena arena = {0};
        struct probe_context scratch = *context;
        scratch.arena = &arena;
        probe_progress(context, "looking for files of packages", 0, 0);
        check_package(&scratch, &reach, query, &reading);
        arena_done(&arena);
    }
    text_done(&reading.told);
    text_done(&reading.told_rows);
    reach_note(&reach, "damaged_file", "",
               "this file of a package lies on another machine: not looked at; --all-envs looks "
               "there, too");
    return 0;
}

const struct probe probe_damaged_file = {
    .name = "damaged_file",
    .phase = PHASE_DERIVED,
    .reads = "package framework",
    .writes = "damaged_file",
    .run = run,
};
