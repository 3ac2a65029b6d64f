/* Makes the table specifications out of the declarations. */
#include <stddef.h>
#include <string.h>

#include "facts/facts.h"

#define TABLE(table, about, doc) static const struct column_spec columns_##table[] = {
#define TEXT(table, column, unit, doc) \
    {#column, unit, doc, COLUMN_TEXT, 0, offsetof(struct row_##table, column)},
#define INT(table, column, unit, doc) \
    {#column, unit, doc, COLUMN_INT, 0, offsetof(struct row_##table, column)},
#define VERSION(table, column, kind, doc) \
    {#column, "", doc, COLUMN_VERSION, VERSION_##kind, offsetof(struct row_##table, column)},
#define END(table) \
    } \
    ;
#include "facts/tables.def"
#undef TABLE
#undef TEXT
#undef INT
#undef VERSION
#undef END

#define ABOUT_MACHINE false
#define ABOUT_ENVIRONMENT true

static const struct table_spec tables[] = {
#define TABLE(table, about, doc) \
    {#table, \
     doc, \
     ABOUT_##about, \
     columns_##table, \
     sizeof columns_##table / sizeof *columns_##table, \
     sizeof(struct row_##table)},
#define TEXT(table, column, unit, doc)
#define INT(table, column, unit, doc)
#define VERSION(table, column, kind, doc)
#define END(table)
#include "facts/tables.def"
#undef TABLE
#undef TEXT
#undef INT
#undef VERSION
#undef END
};

const struct table_spec *facts_table(enum table_id id)
{
    return &tables[id];
}

const struct table_spec *facts_table_named(const char *name)
{
    for (size_t i = 0; i < TABLE_COUNT; i++)
        if (strcmp(tables[i].name, name) == 0)
            return &tables[i];
    return NULL;
}
