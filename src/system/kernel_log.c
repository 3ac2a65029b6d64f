/* Lines of the kernel's log that speak of GPUs. Equal ones are one row: a fault that repeats may
 * fill the whole log. */
#include <string.h>

#include "parse/nvidia_log.h"
#include "system/kernel_log_place.h"

enum { ROWS_MAX = 500, SCRATCH_MESSAGES = 64 };

struct row {
    struct log_message message; /* texts of the first, time and place of the last */
    uint32_t hash;
    int64_t position, count;
};

struct rows {
    struct row items[ROWS_MAX];
    size_t count, last; /* the one that was found last: repeats follow each other */
    size_t left_out;
    int64_t position;
};

static uint32_t add_hash(uint32_t hash, const char *text)
{
    for (; text && *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619U;
    return (hash ^ 0xff) * 16777619U;
}

static uint32_t hash_of(const struct log_message *m)
{
    uint32_t hash = add_hash(add_hash(2166136261U, m->kind), m->fold);
    return add_hash(hash, m->pci_address) ^ (uint32_t)m->xid.value;
}

static bool is_same(const struct row *row, uint32_t hash, const struct log_message *m)
{
    return row->hash == hash && row->message.kind == m->kind &&
           row->message.xid.known == m->xid.known && row->message.xid.value == m->xid.value &&
           text_equal(row->message.pci_address, m->pci_address) &&
           strcmp(row->message.fold, m->fold) == 0;
}

static struct row *find_row(struct rows *rows, uint32_t hash, const struct log_message *m)
{
    if (rows->count && is_same(&rows->items[rows->last], hash, m))
        return &rows->items[rows->last];
    for (size_t i = 0; i < rows->count; i++)
        if (is_same(&rows->items[i], hash, m)) {
            rows->last = i;
            return &rows->items[i];
        }
    return NULL;
}

/* Room for a new one; the oldest goes where there is none. */
static struct row *new_row(struct rows *rows)
{
    size_t at = 0;
    if (rows->count < ROWS_MAX) {
        at = rows->count++;
    } else {
        for (size_t i = 1; i < ROWS_MAX; i++)
            at = rows->items[i].position < rows->items[at].position ? i : at;
        rows->left_out++;
    }
    rows->last = at;
    rows->items[at] = (struct row){0};
    return &rows->items[at];
}

/* The message's texts live in the caller's scratch: a new row keeps copies. A repeat keeps the
 * first text, which differs from its own in numbers alone. */
static void add_message(struct rows *rows, const struct log_message *m, struct arena *arena)
{
    uint32_t hash = hash_of(m);
    struct row *row = find_row(rows, hash, m);
    if (!row) {
        row = new_row(rows);
        row->hash = hash;
        row->message = *m;
        row->message.text = arena_strdup(arena, m->text);
        row->message.fold = arena_strdup(arena, m->fold);
        row->message.pci_address = arena_strdup(arena, m->pci_address);
    }
    row->message.seconds = m->seconds;
    row->message.offset = m->offset;
    row->position = ++rows->position;
    row->count++;
}

static struct opt this_boot(const struct kernel_log_text *log, const struct log_message *m)
{
    if (log->boot_offset.known && (int64_t)m->offset >= log->boot_offset.value)
        return known(1);
    return log->older_known ? known(0) : UNKNOWN;
}

static void add_rows(struct probe_context *context, const struct rows *rows,
                     const struct kernel_log_text *log)
{
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->items[i];
        facts_add_kernel_log(context->facts, &(struct row_kernel_log){
                                                 .position = known(row->position),
                                                 .kind = row->message.kind,
                                                 .xid = row->message.xid,
                                                 .pci_address = row->message.pci_address,
                                                 .text = row->message.text,
                                                 .count = known(row->count),
                                                 .seconds = row->message.seconds,
                                                 .source = log->source,
                                                 .this_boot = this_boot(log, &row->message),
                                             });
    }
}

static void read_messages(struct probe_context *context, const struct kernel_log_text *log)
{
    struct rows *rows = arena_alloc(context->arena, sizeof *rows);
    struct arena scratch = {0};
    struct log_message message;
    size_t cursor = 0;
    while (log_next(log->bytes.data, log->bytes.length, &cursor, &scratch, &message)) {
        add_message(rows, &message, context->arena);
        if (rows->position % SCRATCH_MESSAGES == 0)
            arena_done(&scratch);
    }
    arena_done(&scratch);
    add_rows(context, rows, log);
    if (rows->left_out)
        probe_note_status(context, "kernel_log", NULL, log->source, "malformed", "kernel_log",
                          arena_printf(context->arena,
                                       "it holds more than %d different lines about GPUs; the "
                                       "oldest %zu were left out",
                                       ROWS_MAX, rows->left_out));
}

static int run(struct probe_context *context)
{
    struct kernel_log_text log;
    if (kernel_log_read(context, &log))
        read_messages(context, &log);
    bytes_done(&log.bytes);
    return 0;
}

const struct probe probe_kernel_log = {
    .name = "kernel_log",
    .phase = PHASE_PASSIVE,
    .reads = "",
    .writes = "kernel_log",
    .run = run,
};
