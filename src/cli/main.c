/* gpudoctor: finds what is wrong between GPU, driver, CUDA and frameworks, and how to mend it. */
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"

static const struct command *const commands[] = {
    &command_archs, &command_check, &command_deps, &command_facts, &command_query, &command_rules,
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void print_usage(FILE *to)
{
    fprintf(to,
            "usage: gpudoctor COMMAND [options]\n\n"
            "Finds what does not fit together between GPU, driver, CUDA and frameworks, and the\n"
            "exact steps that mend it. Changes nothing, sends nothing, runs no Python.\n\n"
            "commands:\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(to, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(to, "\n  gpudoctor COMMAND --help   options and examples of a command\n"
                "  gpudoctor --version        version of the tool and of its rules\n\n"
                "exit status: 0 nothing found at or above --fail-on, 1 findings, 2 wrong use or\n"
                "unreadable input, 3 the tool itself failed\n");
}

static int print_version(void)
{
    struct session_options options = {0};
    CLEANUP(session_freep) struct session *session = NULL;
    struct error err;
    int code = session_open(&options, &session, &err);
    if (code < 0)
        return complain_session(code, &err);
    printf("gpudoctor %s, rules %s\n", GPUDOCTOR_VERSION,
           engine_rules_version(session_engine(session)));
    return STATUS_OK;
}

static int run_command(const struct command *command, int argc, char **argv)
{
    struct options options;
    struct error err;
    int status;
    if (options_parse(command, argc, argv, &options, &err) < 0) {
        status = complain(STATUS_USAGE, "%s", err.text);
    } else if (options.help) {
        command_help(command);
        status = STATUS_OK;
    } else {
        status = command->run(&options);
    }
    options_done(&options);
    return status;
}

/* The one that begins so, or that the word begins with: "arch", "deps-tree". */
static const char *command_meant(const char *word)
{
    for (size_t i = 0; *word && i < COMMAND_COUNT; i++)
        if (text_starts(commands[i]->name, word) || text_starts(word, commands[i]->name))
            return commands[i]->name;
    return NULL;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return STATUS_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        for (size_t i = 0; argc > 2 && i < COMMAND_COUNT; i++)
            if (strcmp(argv[2], commands[i]->name) == 0) {
                command_help(commands[i]);
                return STATUS_OK;
            }
        print_usage(stdout);
        return STATUS_OK;
    }
    if (strcmp(argv[1], "--version") == 0)
        return print_version();
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(argv[1], commands[i]->name) == 0)
            return run_command(commands[i], argc - 2, argv + 2);
    const char *meant = command_meant(argv[1]);
    return complain(STATUS_USAGE, "unknown command %s%s%s; gpudoctor --help lists the commands",
                    argv[1], meant ? ", did you mean " : "", meant ? meant : "");
}

/* A standard stream that our caller closed would become the next file that is opened, and a message
 * would be written into it. Read-only, so that what cannot be printed is still noticed. */
static void hold_standard_streams(void)
{
    int fd;
    while ((fd = open("/dev/null", O_RDONLY)) >= 0)
        if (fd > STDERR_FILENO) {
            close(fd);
            break;
        }
}

/* A run takes some megabytes and ends: memory that is given back is asked for again, page by page.
 * It costs a thirtieth of the time. */
static void keep_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_TRIM_THRESHOLD, 64 * 1024 * 1024);
    mallopt(M_TOP_PAD, 1024 * 1024);
#endif
}

int main(int argc, char **argv)
{
    keep_memory();
    hold_standard_streams();
    signal(SIGPIPE, SIG_IGN);
    sqlite3_config(SQLITE_CONFIG_SINGLETHREAD); /* used in one thread: no locks */
    int status = dispatch(argc, argv);
    if (fflush(stdout) != 0 && status == STATUS_OK)
        status = complain(STATUS_BROKEN, "cannot write standard output");
    return status;
}
