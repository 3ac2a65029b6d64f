#include <stdio.h>
#include <string.h>

#include "cli/command.h"

static void print_option(const struct option *o)
{
    char left[64];
    snprintf(left, sizeof left, "%s%s%s", o->name, o->argument ? " " : "",
             o->argument ? o->argument : "");
    printf("  %-24s %s%s\n", left, o->help, strcmp(o->name, "--output") == 0 ? " (also -o)" : "");
}

void command_help(const struct command *command)
{
    printf("usage: gpudoctor %s [options]%s%s\n\n%s\n", command->name, command->operands ? " " : "",
           command->operands ? command->operands : "", command->summary);
    if (command->details)
        printf("\n%s\n", command->details);
    printf("\noptions:\n");
    for (const struct option *o = command->options; o->name; o++)
        print_option(o);
    printf("\nexamples:\n");
    for (const char *const *e = command->examples; *e; e += 2)
        printf("  %s\n      %s\n", e[0], e[1]);
}
