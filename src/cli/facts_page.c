/* Writes docs/facts.md, the page of all fact tables, from their specifications. A tool of the
 * build: facts-page > docs/facts.md */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "facts/facts.h"
#include "probe/probe.h"

static const char *const head =
    "# Facts\n\n"
    "Everything that gpudoctor sees becomes rows of these tables; rules ask them in SQL, and so "
    "can "
    "you\n(`gpudoctor query`). An empty cell (NULL) means \"not known\", never \"none\": what is "
    "known "
    "to be none says\nso. A column of type version has an integer column `NAME_key` beside it that "
    "sorts as versions do.\nThis page is made from `src/facts/tables.def` by the build target "
    "`facts-page`.\n\n";

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
    text_add(&out, head);
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
