/* Settings of package managers that choose GPU builds: which channels and indexes they ask, what
 * they believe of the GPU, what they hold fast. Addresses lose their credentials at the door. */
#include "python/package_setting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "parse/address.h"
#include "probe/look.h"

static bool is_seen(struct settings *settings, const char *tool, const char *path)
{
    for (size_t i = 0; i < settings->seen_count; i++)
        if (!strcmp(settings->seen[i].path, path) && !strcmp(settings->seen[i].tool, tool))
            return true;
    if (settings->seen_count < SETTING_FILES_MAX) {
        settings->seen = xgrow(settings->seen, &settings->seen_capacity, settings->seen_count + 1,
                               sizeof *settings->seen);
        settings->seen[settings->seen_count++] = (struct seen_file){tool, path};
    }
    return false;
}

void settings_begin(struct settings *settings, const char *tool, const char *path,
                    const char *environment_id)
{
    settings->tool = tool;
    settings->path = path;
    settings->environment_id = environment_id;
    settings->counter_count = 0;
    settings->value_count = 0;
}

bool settings_read(struct settings *settings, const char *tool, const char *path,
                   const char *environment_id, size_t cap, struct bytes *ret)
{
    settings_begin(settings, tool, path, environment_id);
    struct file_stat st;
    int r = machine_lstat(settings->context->machine, path, &st);
    /* PIP_CONFIG_FILE=/dev/null means none */
    if (r == -ENOENT || r == -ENOTDIR || (r == 0 && st.type == FILE_DEVICE))
        return false;
    path = arena_strdup(settings->context->arena, path);
    settings->path = path;
    if (is_seen(settings, tool, path))
        return false;
    if (settings->bytes > SETTING_BYTES_MAX) {
        if (!settings->is_full)
            settings_note_bad(settings, "there are more settings than are read, from here on");
        settings->is_full = true;
        return false;
    }
    r = machine_read(settings->context->machine, path, cap, ret);
    if (r < 0 && r != -ENOENT)
        probe_note(settings->context, "package_setting", environment_id, path, r, "package_setting",
                   NULL);
    settings->read_count += r == 0;
    settings->bytes += r == 0 ? ret->length : 0;
    return r == 0;
}

void settings_note_bad(struct settings *settings, const char *detail)
{
    probe_note_status(settings->context, "package_setting", settings->environment_id,
                      settings->path, "malformed", "package_setting", detail);
}

/* Unknown where the file has more names than are counted. */
static struct opt position_of(struct settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->counter_count; i++)
        if (!strcmp(settings->counters[i].name, name))
            return known((int64_t)settings->counters[i].count++);
    if (settings->counter_count == SETTING_COUNTERS)
        return UNKNOWN;
    settings->counters[settings->counter_count].name = name;
    settings->counters[settings->counter_count++].count = 1;
    return known(0);
}

void settings_add(struct settings *settings, const char *name, const char *value, size_t length,
                  bool is_address)
{
    struct arena arena = {0};
    if (settings->value_count == SETTING_VALUES_MAX)
        settings_note_bad(settings, "it has more values than are read");
    if (settings->value_count++ >= SETTING_VALUES_MAX)
        return;
    const char *text = is_address ? address_clean(value, length, &arena)
                                  : address_scrub(arena_strndup(&arena, value, length), &arena);
    if (text)
        facts_add_package_setting(settings->context->facts,
                                  &(struct row_package_setting){
                                      .tool = settings->tool,
                                      .name = name,
                                      .value = text,
                                      .position = position_of(settings, name),
                                      .path = settings->path,
                                      .environment_id = settings->environment_id,
                                  });
    arena_done(&arena);
}

/* Files beside or above each environment that is read. */
static void read_environments(struct settings *settings)
{
    CLEANUP_STATEMENT sqlite3_stmt *query =
        facts_query(settings->context->facts, "SELECT prefix, kind FROM environment "
                                              "WHERE depth = 'read' ORDER BY rowid");
    while (query && sqlite3_step(query) == SQLITE_ROW) {
        const char *prefix = ask_column(settings->context, query, 0);
        const char *kind = (const char *)sqlite3_column_text(query, 1);
        if (!prefix || text_equal(kind, "user") || text_equal(kind, "folder"))
            continue;
        settings_read_pip_in(settings, prefix);
        if (text_equal(kind, "conda")) {
            settings_read_conda_in(settings, prefix);
            settings_read_pixi_in(settings, prefix);
        }
    }
}

static int run(struct probe_context *context)
{
    struct settings settings = {.context = context};
    settings_read_conda(&settings);
    settings_read_pip(&settings);
    read_environments(&settings);
    settings_read_toml(&settings);
    settings_read_variables(&settings); /* they count more than any file */
    probe_note_status(context, "package_setting", NULL, NULL, settings.read_count ? "ok" : "absent",
                      "package_setting",
                      arena_printf(context->arena, "%zu files of settings of package managers",
                                   settings.read_count));
    free(settings.seen);
    return 0;
}

const struct probe probe_package_setting = {
    .name = "package_setting",
    .phase = PHASE_PASSIVE,
    .reads = "environment",
    .writes = "package_setting",
    .run = run,
};
