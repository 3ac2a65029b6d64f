/* Commands and their options: one table each, from which parsing, --help and the manual come. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "api/session.h"
#include "base/error.h"
#include "render/style.h"

/* Exit statuses of every command. */
enum {
    STATUS_OK = 0,
    STATUS_FINDINGS = 1, /* findings at or above --fail-on */
    STATUS_USAGE = 2,    /* wrong use, or input that cannot be read */
    STATUS_BROKEN = 3,   /* the tool itself failed */
};

struct list {
    const char **items;
    size_t count, capacity;
};

/* What the options of all commands hold; a command looks at those that its table names. */
struct options {
    const char *root, *facts, *rules, *format, *output, *fail_on, *color;
    struct list environments, require, only, ignore, gpus;
    bool all_environments, strict, wake, schema, tables, all, help;
    const char *nvml_timeout;
    struct list operands;
};

enum option_kind { OPTION_FLAG, OPTION_VALUE, OPTION_LIST };

struct option {
    const char *name;     /* "--root" */
    const char *argument; /* "DIR"; NULL for a flag */
    const char *help;
    enum option_kind kind;
    size_t offset; /* in struct options */
};

struct command {
    const char *name, *operands, *summary;
    const char *details;          /* a paragraph, may be NULL */
    const char *const *examples;  /* "line" and "what it does" in turn, ends with NULL */
    const struct option *options; /* ends with a zero name */
    int (*run)(struct options *options);
};

extern const struct command command_archs, command_check, command_deps, command_facts,
    command_query, command_rules;

/* --- help for commands --- */

/* Parses argv (without program and command name) into *ret. 0, or -EINVAL with a sentence. */
int options_parse(const struct command *command, int argc, char **argv, struct options *ret,
                  struct error *err);
void options_done(struct options *options);
void command_help(const struct command *command);

/* "gpudoctor: ..." on standard error, one line; returns `status`. */
int complain(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The status for a negative return of session_*(), having told the sentence. */
int complain_session(int code, const struct error *err);

/* Style for standard output: colour only on a terminal and without NO_COLOR, marks by locale,
 * width of the terminal. False when --color is no known word (told). */
bool style_for_output(const struct options *options, struct style *ret);

/* Writes all of it to `path`, or to standard output when it is NULL or "-". A file is written
 * beside and renamed, so that nothing is half there; a symbolic link at the path is replaced, and
 * what it led to stays as it is. Returns the status, having told what failed. */
int write_output(const char *path, const char *data, size_t length);
int write_json(const char *path, json_t *json); /* takes the reference */

/* A file that the user names, as a path inside the machine: as it stands in a root, else from the
 * working folder. Of `arena`. */
const char *path_in_machine(struct arena *arena, const struct options *options, const char *path);

/* Session options out of command options; borrowed from *options. */
bool session_options_from(const struct options *options, struct session_options *ret);

/* The options that every command with a machine has. */
#define MACHINE_OPTIONS \
    {"--root", "DIR", "look at a recorded machine or an unpacked image instead of this machine", \
     OPTION_VALUE, offsetof(struct options, root)}, \
        {"--facts", "FILE", "take a snapshot of facts instead of this machine", OPTION_VALUE, \
         offsetof(struct options, facts)}, \
        {"--env", "PATH", \
         "read this environment too: its folder, a python, pip or kernel.json of it, or " \
         "kernel:NAME", \
         OPTION_LIST, offsetof(struct options, environments)}, \
        {"--all-envs", NULL, "read every environment that is found, not only the active one", \
         OPTION_FLAG, offsetof(struct options, all_environments)}, \
        {"--rules", "DIR", "add the rules of a folder, or replace rules of the same id", \
         OPTION_VALUE, offsetof(struct options, rules)}, \
        {"--wake", NULL, "ask the driver even if that wakes a sleeping GPU", OPTION_FLAG, \
         offsetof(struct options, wake)}, \
    { \
        "--nvml-timeout", "SECONDS", "how long the driver may take to answer (default 5)", \
            OPTION_VALUE, offsetof(struct options, nvml_timeout) \
    }

#define COMMON_OPTIONS \
    {"--color", "WHEN", "auto, always or never", OPTION_VALUE, offsetof(struct options, color)}, \
        {"--help", NULL, "show this help", OPTION_FLAG, offsetof(struct options, help)}, \
    { \
        NULL, NULL, NULL, OPTION_FLAG, 0 \
    }

#endif
