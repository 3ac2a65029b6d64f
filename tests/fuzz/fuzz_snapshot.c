/* A facts snapshot of any bytes; what was loaded is written and loaded again. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/json_file.h"
#include "facts/facts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static sqlite3 *open_facts(struct facts **ret)
{
    sqlite3 *db;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK || facts_open(db, ret, NULL) < 0)
        abort();
    return db;
}

static void close_facts(sqlite3 *db, struct facts *facts)
{
    facts_free(facts);
    sqlite3_close(db);
}

/* What we wrote ourselves must be taken back, and come out the same. */
static void round_trip(const json_t *written)
{
    struct facts *facts;
    sqlite3 *db = open_facts(&facts);
    if (facts_from_json(facts, written, NULL) < 0)
        abort();
    CLEANUP_JSON json_t *again = facts_to_json(facts, "1", "1", NULL);
    if (!json_equal(again, written))
        abort();
    close_facts(db, facts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_JSON json_t *snapshot =
        json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
    if (!snapshot)
        return 0;
    struct facts *facts;
    struct error err;
    sqlite3 *db = open_facts(&facts);
    if (facts_from_json(facts, snapshot, &err) == 0) {
        CLEANUP_JSON json_t *written = facts_to_json(facts, "1", "1", &err);
        if (!written)
            abort();
        round_trip(written);
    }
    close_facts(db, facts);
    return 0;
}
