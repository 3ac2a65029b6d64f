/* A check file of any bytes: parsed, prepared and run over a few facts. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char schema[] =
    "CREATE VIEW subject_machine AS SELECT 'machine' AS subject, 'machine' AS key,"
    " 'm' AS label, 'machine' AS scope;"
    "CREATE VIEW subject_gpu AS SELECT pci_address AS subject, uuid AS key, name AS label,"
    " 'machine' AS scope FROM gpu;"
    "CREATE VIEW subject_parent AS SELECT 'gpu' AS kind, pci_address AS subject,"
    " 'machine' AS parent_kind, 'machine' AS parent FROM gpu;"
    "CREATE TABLE m_fix (name TEXT, command TEXT, confidence TEXT, source TEXT) STRICT;"
    "INSERT INTO m_fix VALUES ('a', 'install {name:word}', 'low', 's'),"
    " ('b', 'pip install \"x=={v:version}\"', 'high', 's');"
    "INSERT INTO gpu (pci_address, name, cc, cc_key) VALUES ('0000:01:00.0', 'A $(x)', '9.0', 900),"
    " ('0000:02:00.0', NULL, NULL, NULL);"
    "INSERT INTO kernel_module (name, version) VALUES ('nvidia', '570.86.10'), ('-y', '');"
    "INSERT INTO probe (name, scope, status, path, fills) VALUES"
    " ('p', 'machine', 'denied', '/x', 'driver toolkit');";

static void check_result(const struct result *result)
{
    if (result->errors + result->warnings + result->infos + result->folded != result->finding_count)
        abort();
    for (size_t i = 0; i < result->finding_count; i++) {
        const struct finding *f = &result->findings[i];
        if (!f->message || strlen(f->fingerprint) != 64)
            abort();
        for (size_t k = 0; k < f->step_count; k++)
            if (f->steps[k].command && strchr(f->steps[k].command, '\n'))
                abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct engine *engine;
    struct rule *rule;
    struct result result;
    struct error err;
    if (engine_open_empty(&engine, &err) < 0 || engine_exec(engine, schema, &err) < 0)
        abort();
    if (rule_parse("x.json", (const char *)data, size, NULL, &rule, &err) == 0) {
        engine_add_rule(engine, rule);
        if (rule_compile(engine, rule, &err) == 0 && check_causes(engine, &err) == 0 &&
            engine_run(engine, NULL, &result, &err) == 0) {
            check_result(&result);
            result_done(&result);
        }
    }
    engine_free(engine);
    return 0;
}
