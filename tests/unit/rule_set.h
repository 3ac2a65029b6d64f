/* Small sets of rules, written into a scratch folder and loaded into an engine. */
#ifndef TESTS_RULE_SET_H
#define TESTS_RULE_SET_H

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/engine.h"
#include "scratch.h"

/* One machine, its GPUs, its environments and their frameworks. */
static const char rule_set_views[] =
    "-- kinds of subjects\n"
    "CREATE VIEW subject_machine AS SELECT 'machine' AS subject, 'machine' AS key,\n"
    "  'this machine' AS label, 'machine' AS scope;\n"
    "CREATE VIEW subject_gpu AS SELECT pci_address AS subject, 'gpu ' || gpu_index AS key,\n"
    "  name AS label, 'machine' AS scope FROM gpu;\n"
    "CREATE VIEW subject_environment AS SELECT environment_id AS subject,\n"
    "  environment_id AS key, prefix AS label, environment_id AS scope FROM environment;\n"
    "CREATE VIEW subject_framework AS SELECT framework_id AS subject, framework_id AS key,\n"
    "  name AS label, environment_id AS scope FROM framework;\n"
    "CREATE VIEW subject_parent AS\n"
    "  SELECT 'gpu' AS kind, pci_address AS subject, 'machine' AS parent_kind,\n"
    "    'machine' AS parent FROM gpu\n"
    "  UNION ALL SELECT 'environment', environment_id, 'machine', 'machine' FROM environment\n"
    "  UNION ALL SELECT 'framework', framework_id, 'environment', environment_id\n"
    "    FROM framework;\n";

struct rule_set {
    char *root;
    struct engine *engine;
    struct result result;
    struct error err;
};

static inline void rule_set_start(struct rule_set *set)
{
    *set = (struct rule_set){.root = scratch_new()};
    scratch_write(set->root, "views.sql", rule_set_views);
}

static inline void rule_set_end(struct rule_set *set)
{
    result_done(&set->result);
    engine_free(set->engine);
    scratch_remove(set->root);
}

/* Writes checks/ID.json; `more` is members of the object, each ending with a comma. */
static inline void rule_set_add(struct rule_set *set, const char *id, const char *subject,
                                const char *query, const char *more)
{
    CLEANUP_TEXT struct text json = {0};
    CLEANUP_TEXT struct text path = {0};
    text_printf(&json, "{%s\n", more);
    if (!strstr(more, "\"severity\""))
        text_add(&json, "\"severity\": \"error\",\n");
    if (!strstr(more, "\"message\""))
        text_add(&json, "\"message\": \"it is broken\",\n");
    text_printf(&json,
                "\"id\": \"%s\", \"title\": \"t\", \"summary\": \"s\",\n"
                "\"subject\": \"%s\",\n\"query\": \"%s\"}\n",
                id, subject, query);
    text_printf(&path, "checks/%s.json", id);
    scratch_write(set->root, text_get(&path), text_get(&json));
}

/* Loads the folder; the status, with the sentence in set->err. */
static inline int rule_set_load(struct rule_set *set)
{
    engine_free(set->engine);
    set->engine = NULL;
    cr_assert_eq(engine_open_empty(&set->engine, &set->err), 0, "%s", set->err.text);
    return engine_load_dir(set->engine, set->root, &set->err);
}

static inline void rule_set_must_load(struct rule_set *set)
{
    int code = rule_set_load(set);
    cr_assert_eq(code, 0, "%s", set->err.text);
}

/* Facts as {"table":[rows]}. */
static inline void rule_set_facts(struct rule_set *set, const char *json)
{
    json_t *rows = json_loads(json, 0, NULL);
    cr_assert_not_null(rows, "%s", json);
    int code = facts_rows_from_json(engine_facts(set->engine), rows, false, &set->err);
    json_decref(rows);
    cr_assert_eq(code, 0, "%s", set->err.text);
}

static inline void rule_set_run(struct rule_set *set, const struct engine_options *options)
{
    result_done(&set->result);
    int code = engine_run(set->engine, options, &set->result, &set->err);
    cr_assert_eq(code, 0, "%s", set->err.text);
}

static inline const struct finding *rule_set_finding(const struct rule_set *set, const char *rule)
{
    for (size_t i = 0; i < set->result.finding_count; i++)
        if (strcmp(set->result.findings[i].rule->id, rule) == 0)
            return &set->result.findings[i];
    return NULL;
}

/* The sentence without the scratch folder in front. */
static inline const char *rule_set_error(const struct rule_set *set)
{
    size_t skip = strlen(set->root) + 1;
    return strncmp(set->err.text, set->root, skip - 1) == 0 ? set->err.text + skip : set->err.text;
}

#endif
