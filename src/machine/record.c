/* DIR/.record/: what was not a file on the machine that a tree was recorded from. Every part is
 * optional; a line that makes no sense is left out and reported. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/span.h"
#include "machine/internal.h"

enum { ENVIRON_CAP = 1024 * 1024, LINE_CAP = 64 * 1024 };

void record_problem(struct machine *machine, const char *format, ...)
{
    if (machine->problem_count == PROBLEMS_MAX)
        return;
    struct text safe = {0};
    va_list args;
    va_start(args, format);
    char *sentence = arena_vprintf(&machine->arena, format, args);
    va_end(args);
    text_add_safe(&safe, sentence, strlen(sentence), false);
    machine->problems[machine->problem_count++] = arena_strdup(&machine->arena, text_get(&safe));
    text_done(&safe);
}

/* The first line of a part; false when there is none, or when it is no text. */
static bool first_line(struct machine *machine, const char *part, const char **ret,
                       size_t *ret_length)
{
    struct bytes bytes = {0};
    const char *path = arena_printf(&machine->arena, "/.record/%s", part);
    int r = machine_read(machine, path, LINE_CAP, &bytes);
    if (r < 0) {
        if (r != -ENOENT)
            record_problem(machine, ".record/%s: %s", part, strerror(-r));
        return false;
    }
    size_t cursor = 0, length = 0;
    const char *line = "";
    text_next_line(bytes.data, bytes.length, &cursor, &line, &length);
    struct span span = span_trim((struct span){line, length});
    bool good = utf8_valid(span.data, span.length);
    if (!good)
        record_problem(machine, ".record/%s: not valid UTF-8", part);
    *ret = arena_strndup(&machine->arena, span.data, span.length);
    *ret_length = span.length;
    bytes_done(&bytes);
    return good && span.length > 0;
}

static char *keep(struct machine *machine, struct span span)
{
    return arena_strndup(&machine->arena, span.data, span.length);
}

/* `uname -srvm`: the version in the middle has blanks of its own. */
static void fill_uname(struct machine *machine)
{
    const char *line;
    size_t length;
    if (!first_line(machine, "uname", &line, &length))
        return;
    struct span rest = {line, length}, sysname, release;
    if (!span_word(&rest, &sysname) || !span_word(&rest, &release)) {
        record_problem(machine, ".record/uname: not a line of `uname -srvm`");
        return;
    }
    machine->uname.sysname = keep(machine, sysname);
    machine->uname.release = keep(machine, release);
    rest = span_trim(rest);
    if (rest.length == 0)
        return;
    size_t start = rest.length;
    while (start > 0 && rest.data[start - 1] != ' ')
        start--;
    machine->uname.machine = keep(machine, (struct span){rest.data + start, rest.length - start});
    struct span version = span_trim((struct span){rest.data, start});
    if (version.length > 0)
        machine->uname.version = keep(machine, version);
}

static void fill_glibc(struct machine *machine)
{
    const char *line;
    size_t length;
    if (!first_line(machine, "glibc", &line, &length))
        return;
    if (line[0] >= '0' && line[0] <= '9' && strspn(line, "0123456789.") == length)
        machine->glibc = line;
    else
        record_problem(machine, ".record/glibc: \"%.64s\" is no version", line);
}

static void fill_cwd(struct machine *machine)
{
    const char *line;
    size_t length;
    if (!first_line(machine, "cwd", &line, &length))
        return;
    if (line[0] == '/' && length < PATH_MAX)
        machine->cwd = line;
    else
        record_problem(machine, ".record/cwd: not an absolute path");
}

static void fill_user(struct machine *machine)
{
    const char *line;
    size_t length;
    if (first_line(machine, "user", &line, &length))
        user_fill_record(machine, line, length);
}

static size_t count_lines(const struct bytes *bytes)
{
    size_t count = 1;
    for (size_t i = 0; i < bytes->length; i++)
        count += bytes->data[i] == '\n';
    return count;
}

/* `KEY=VALUE` lines. Values are kept as they are, valid UTF-8 or not, as in a live environment. */
static void fill_environ(struct machine *machine)
{
    CLEANUP_BYTES struct bytes bytes = {0};
    int r = machine_read(machine, "/.record/environ", ENVIRON_CAP, &bytes);
    if (r < 0) {
        if (r != -ENOENT)
            record_problem(machine, ".record/environ: %s", strerror(-r));
        return;
    }
    machine->env = arena_alloc(&machine->arena, count_lines(&bytes) * sizeof *machine->env);
    machine->env_known = true;
    size_t cursor = 0, length, number = 0;
    const char *line;
    while (text_next_line(bytes.data, bytes.length, &cursor, &line, &length)) {
        number++;
        if (length == 0)
            continue;
        const char *equal = memchr(line, '=', length);
        if (!equal || equal == line || memchr(line, '\0', length)) {
            record_problem(machine, ".record/environ, line %zu: not `KEY=VALUE`", number);
            continue;
        }
        size_t name = (size_t)(equal - line);
        machine->env[machine->env_count++] = (struct env_var){
            .name = arena_strndup(&machine->arena, line, name),
            .value = arena_strndup(&machine->arena, equal + 1, length - name - 1),
        };
    }
}

void record_fill(struct machine *machine)
{
    struct file_stat st;
    machine->partial = machine_exists(machine, "/.record/partial");
    if (machine_stat(machine, "/.record", &st) < 0 || st.type != FILE_DIRECTORY)
        record_problem(machine, ".record: not a folder");
    fill_environ(machine);
    fill_uname(machine);
    fill_glibc(machine);
    fill_cwd(machine);
    fill_user(machine);
    record_fill_devices(machine);
    record_fill_services(machine);
    home_fill(machine);
}
