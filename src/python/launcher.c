/* Which environment the commands on PATH and the Jupyter kernels would use. */
#include <string.h>

#include "base/text.h"
#include "probe/look.h"
#include "python/launcher_kernel.h"

enum { PREFIXES_MAX = 200 };

struct known {
    const char *prefix;
    const char *name;
    bool is_conda;
};

struct known_list {
    struct known items[PREFIXES_MAX];
    size_t count;
};

/* Environments that were read, then the others: as many as are worth a look for kernels. */
static void find_known(struct probe_context *context, struct known_list *ret)
{
    CLEANUP_STATEMENT sqlite3_stmt *query =
        facts_query(context->facts, "SELECT prefix, name, kind = 'conda' FROM environment "
                                    "WHERE depth = 'read' OR fs_type IS NOT 'network' "
                                    "ORDER BY depth = 'read' DESC, rowid");
    ret->count = 0;
    while (query && ret->count < PREFIXES_MAX && sqlite3_step(query) == SQLITE_ROW)
        ret->items[ret->count++] = (struct known){
            ask_column(context, query, 0),
            ask_column(context, query, 1),
            sqlite3_column_int(query, 2) != 0,
        };
}

static const char *environment_id(struct probe_context *context, const char *prefix)
{
    char *real;
    if (!prefix || machine_realpath(context->machine, prefix, context->arena, &real) != 0)
        return NULL;
    CLEANUP_STATEMENT sqlite3_stmt *query = facts_query(
        context->facts, "SELECT environment_id FROM environment WHERE prefix = ?1 LIMIT 1");
    if (!query || sqlite3_bind_text(query, 1, real, -1, SQLITE_STATIC) != SQLITE_OK ||
        sqlite3_step(query) != SQLITE_ROW)
        return NULL;
    return ask_column(context, query, 0);
}

static void insert(struct probe_context *context, struct row_launcher *row,
                   const struct program *program)
{
    row->interpreter = program->interpreter;
    row->environment_id = environment_id(context, program->prefix);
    row->present = program->is_seen ? known(program->is_present) : UNKNOWN;
    row->via = program->via;
    facts_add_launcher(context->facts, row);
}

/* The first of that name on PATH, which runs; a shim that leads to the system's Python hands on to
 * the next one. */
static void add_command(struct probe_context *context, const char *kind, const char *name)
{
    size_t at = 0;
    const char *first = program_next(context, name, &at), *path = first;
    struct program program = {0};
    if (!first)
        return;
    bool found = program_resolve(context, path, &program);
    if (!found && text_ends(program_folder(context->arena, path), "/shims")) {
        path = program_next(context, name, &at);
        found = path && program_resolve(context, path, &program);
        program.via = "shim";
    }
    struct row_launcher row = {.kind = kind, .name = name, .path = first};
    if (!found)
        program = (struct program){.via = program.via};
    insert(context, &row, &program);
}

static bool take_environment_name(struct probe_context *context, const struct known_list *known,
                                  const char *name, struct program *ret)
{
    struct kernel kernel = {.json = {.start = KERNEL_ENV_PREFIX}};
    for (size_t i = 0; i < known->count; i++)
        if (known->items[i].is_conda && text_equal(known->items[i].name, name)) {
            kernel.json.target = known->items[i].prefix;
            return kernel_program(context, NULL, &kernel, ret);
        }
    return false;
}

static void add_kernel(struct probe_context *context, struct reach *reach,
                       const struct known_list *known, const struct kernel *kernel)
{
    struct program program;
    kernel_program(context, reach, kernel, &program);
    if (kernel->json.start == KERNEL_ENV_NAME)
        take_environment_name(context, known, kernel->json.target, &program);
    struct row_launcher row = {.kind = "kernel",
                               .name = kernel->name,
                               .display_name = kernel->json.display_name,
                               .path = kernel->path};
    insert(context, &row, &program);
}

static int run(struct probe_context *context)
{
    static const struct {
        const char *kind, *name;
    } commands[] = {{"python", "python"}, {"python", "python3"}, {"pip", "pip"}, {"pip", "pip3"}};
    struct kernel_list kernels;
    struct known_list known;
    struct reach reach;
    reach_read(context, NULL, &reach);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        add_command(context, commands[i].kind, commands[i].name);
    find_known(context, &known);
    kernels_find(context, &reach, &kernels);
    for (size_t i = 0; i < known.count; i++)
        kernels_add_prefix(context, &reach, known.items[i].prefix, &kernels);
    for (size_t i = 0; i < kernels.count; i++)
        add_kernel(context, &reach, &known, &kernels.items[i]);
    if (kernels.is_cut)
        probe_note_status(context, "launcher", NULL, NULL, "malformed", "launcher",
                          "more Jupyter kernels than are looked at");
    else
        probe_note_status(context, "launcher", NULL, NULL, "ok", "launcher", NULL);
    kernels_done(&kernels);
    reach_done(&reach);
    return 0;
}

const struct probe probe_launcher = {
    .name = "launcher",
    .phase = PHASE_PASSIVE,
    .reads = "environment",
    .writes = "launcher",
    .run = run,
};
