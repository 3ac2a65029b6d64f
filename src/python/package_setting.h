/* What the parts of the probe package_setting share. */
#ifndef PYTHON_PACKAGE_SETTING_H
#define PYTHON_PACKAGE_SETTING_H

#include <stdbool.h>

#include "probe/probe.h"

enum { SETTING_FILES_MAX = 4096, SETTING_COUNTERS = 64, SETTING_FILE_MAX = 1024 * 1024 };
/* Values of one file; bytes of all files, which are some hundred kilobytes at most. */
enum { SETTING_VALUES_MAX = 512, SETTING_BYTES_MAX = 8 * 1024 * 1024 };

struct settings {
    struct probe_context *context; /* its arena lives until the probe ends */
    struct seen_file {
        const char *tool, *path;
    } * seen; /* files that were read, or tried */
    size_t seen_count, seen_capacity;
    size_t read_count;
    size_t bytes; /* of all files that were read */
    bool is_full; /* SETTING_BYTES_MAX was met, and told */
    /* the file at hand */
    size_t value_count;
    const char *tool, *path, *environment_id;
    struct {
        const char *name; /* of the static tables, or from the arena */
        size_t count;
    } counters[SETTING_COUNTERS];
    size_t counter_count;
};

/* Begins a file: false where it was read before, is not there or cannot be read (which is noted);
 * then *ret is empty. */
bool settings_read(struct settings *settings, const char *tool, const char *path,
                   const char *environment_id, size_t cap, struct bytes *ret);
/* Begins a source that is no file: a variable. */
void settings_begin(struct settings *settings, const char *tool, const char *path,
                    const char *environment_id);
/* Adds a value of the source at hand; `name` lives as long as the arena. Addresses lose their
 * credentials. */
void settings_add(struct settings *settings, const char *name, const char *value, size_t length,
                  bool is_address);
/* The file at hand does not hold what such a file holds. */
void settings_note_bad(struct settings *settings, const char *detail);

/* package_setting_var.c */
void settings_read_variables(struct settings *settings);
/* package_setting_conda.c: for all, and of one environment. */
void settings_read_conda(struct settings *settings);
void settings_read_conda_in(struct settings *settings, const char *prefix);
/* package_setting_pip.c */
void settings_read_pip(struct settings *settings);
void settings_read_pip_in(struct settings *settings, const char *prefix);
/* package_setting_toml.c: pixi and uv. */
void settings_read_toml(struct settings *settings);
void settings_read_pixi_in(struct settings *settings, const char *prefix);

#endif
