/* Writes docs/facts.md, the page of all fact tables, from their specifications. A tool of the
 * build: facts-page > docs/facts.md */
#include <stdio.h>
#include <string.h>

#include "api/probes.h"
#include "base/text.h"
#include "facts/facts.h"

static const char *const head[] = {
    "# Facts",
    "",
    "Everything that gpudoctor sees becomes rows of these tables. Rules ask them in SQL, and so "
    "can you:",
    "",
    "    gpudoctor facts framework",
    "    gpudoctor query \"SELECT name, version, cuda, evidence_path FROM framework\"",
    "    gpudoctor query \"SELECT name FROM package WHERE pep440_match('<2', version)\"",
    "",
    "NULL (`-` in the tables that gpudoctor prints) means \"not known\", never \"none\": what is "
    "known to be",
    "none says so, and an empty text is an empty value. A column of type version has an integer "
    "column",
    "`NAME_key` beside it that sorts as versions do; versions of packages are compared by",
    "`pep440_match(specifier, version)` and `pep440_cmp(a, b)`.",
    "",
    "Tables about an environment are joined by `environment_id`; they hold rows only of "
    "environments",
    "whose `depth` is `read`. `probe` tells of each place whether it could be read.",
    "",
    "This page is made from `src/facts/tables.def` by the build target `facts-page`.",
    "",
};

/* A cell of a Markdown table. */
static void add_cell(struct text *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            text_add(out, "\\|");
        else if (*text == '*' || *text == '_' || *text == '<')
            text_printf(out, "\\%c", *text);
        else
            text_add_char(out, *text);
    }
}

static const char *type_name(enum column_type type)
{
    return type == COLUMN_INT ? "integer" : type == COLUMN_VERSION ? "version" : "text";
}

static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; at && (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

static void add_writers(struct text *out, const struct table_spec *table)
{
    size_t count, found = 0;
    const struct probe *const *probes = probes_all(&count);
    for (size_t i = 0; i < count; i++)
        if (has_word(probes[i]->writes, table->name))
            text_printf(out, "%s`%s`", found++ ? ", " : " Filled by the probe ", probes[i]->name);
    if (found)
        text_add_char(out, '.');
}

static void add_table(struct text *out, const struct table_spec *table)
{
    text_printf(out, "## %s\n\n", table->name);
    add_cell(out, table->doc);
    text_printf(out, ". About %s.", table->per_environment ? "an environment" : "the machine");
    add_writers(out, table);
    text_add(out, "\n\n| column | type | unit | meaning |\n| --- | --- | --- | --- |\n");
    for (size_t i = 0; i < table->column_count; i++) {
        const struct column_spec *c = &table->columns[i];
        text_printf(out, "| `%s` | %s | %s | ", c->name, type_name(c->type), c->unit);
        add_cell(out, c->doc);
        text_add(out, " |\n");
    }
}

int main(void)
{
    CLEANUP_TEXT struct text out = {0};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        text_printf(&out, "%s\n", head[i]);
    text_add(&out, "| table | holds |\n| --- | --- |\n");
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        const struct table_spec *table = facts_table((enum table_id)i);
        text_printf(&out, "| [%s](#%s) | ", table->name, table->name);
        add_cell(&out, table->doc);
        text_add(&out, " |\n");
    }
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        text_add_char(&out, '\n');
        add_table(&out, facts_table((enum table_id)i));
    }
    return fwrite(out.data, 1, out.length, stdout) == out.length && fflush(stdout) == 0 ? 0 : 1;
}
