/* Queries of evidence and steps: within limits, and without harm to the finding when they fail. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/run.h"

enum { WORDS_STEPS_MAX = 5 * RULE_STEPS_MAX };

void words_begin(struct words *words)
{
    *words = (struct words){.steps_left = WORDS_STEPS_MAX};
}

static void forget(struct answer *answer)
{
    for (int i = 0; i < answer->parameter_count; i++)
        sqlite3_value_free(answer->parameters[i]);
    for (size_t i = 0; i < answer->row_count; i++)
        row_done(&answer->rows[i]);
    free(answer->parameters);
    answer->parameters = NULL;
    answer->parameter_count = 0;
    answer->row_count = 0;
}

void words_end(struct words *words)
{
    for (size_t i = 0; i < words->answer_count; i++) {
        forget(&words->answers[i]);
        free(words->answers[i].rows);
    }
    free(words->answers);
    words->answers = NULL;
    words->answer_count = words->answer_capacity = 0;
}

static void note_failure(struct words *words, int code, const struct error *err)
{
    if (words->code)
        return;
    words->code = code;
    words->error = *err;
}

static struct answer *answer_of(struct words *words, const struct statement *statement)
{
    for (size_t i = 0; i < words->answer_count; i++)
        if (words->answers[i].statement == statement)
            return &words->answers[i];
    return NULL;
}

static struct answer *add_answer(struct words *words, const struct statement *statement)
{
    words->answers = xgrow(words->answers, &words->answer_capacity, words->answer_count + 1,
                           sizeof *words->answers);
    struct answer *answer = &words->answers[words->answer_count++];
    *answer = (struct answer){.statement = statement};
    return answer;
}

/* --- parameters --- */

/* What parameter `i` (from 1) is: borrowed from the row, NULL where it has no such column. */
static sqlite3_value *parameter(const struct statement *statement, int i, const struct row *row)
{
    const char *name = sqlite3_bind_parameter_name(statement->stmt, i);
    int column = name ? statement_column(row->statement, name + 1) : -1;
    return column < 0 ? NULL : row->values[column];
}

static bool same_value(sqlite3_value *a, sqlite3_value *b)
{
    if (!a || !b)
        return a == b;
    if (sqlite3_value_type(a) != sqlite3_value_type(b))
        return false;
    const void *x = sqlite3_value_blob(a), *y = sqlite3_value_blob(b);
    int size = sqlite3_value_bytes(a);
    return size == sqlite3_value_bytes(b) && (!size || memcmp(x, y, (size_t)size) == 0);
}

static bool is_the_same(const struct answer *answer, const struct row *row)
{
    for (int i = 0; i < answer->parameter_count; i++)
        if (!same_value(answer->parameters[i], parameter(answer->statement, i + 1, row)))
            return false;
    return true;
}

static void bind(struct answer *answer, const struct row *row)
{
    sqlite3_stmt *stmt = answer->statement->stmt;
    answer->parameter_count = sqlite3_bind_parameter_count(stmt);
    answer->parameters = xcalloc((size_t)answer->parameter_count, sizeof *answer->parameters);
    for (int i = 0; i < answer->parameter_count; i++) {
        sqlite3_value *value = parameter(answer->statement, i + 1, row);
        if (value)
            sqlite3_bind_value(stmt, i + 1, value);
        answer->parameters[i] = sqlite3_value_dup(value);
    }
}

/* --- asking --- */

static int get_ready(struct words *words, struct engine *engine, const struct rule *rule,
                     struct statement *statement, struct error *err)
{
    if (words->steps_left <= 0)
        return rule_error(rule, err, "%s: its findings take too many steps", statement->key);
    int code = statement->stmt ? 0 : statement_compile(engine, rule, statement, err);
    return code ? code : once_need(engine, &statement->reads, err);
}

static int fetch(struct words *words, struct engine *engine, const struct rule *rule,
                 struct answer *answer, size_t most, struct error *err)
{
    const struct statement *statement = answer->statement;
    int64_t allowed = words->steps_left < RULE_STEPS_MAX ? words->steps_left : RULE_STEPS_MAX;
    int rc = SQLITE_ROW, code = 0;
    guard_limit(&engine->guard, allowed, RULE_MS_MAX);
    while (answer->row_count < most && (rc = sqlite3_step(statement->stmt)) == SQLITE_ROW) {
        answer->rows =
            xgrow(answer->rows, &answer->row_capacity, answer->row_count + 1, sizeof *answer->rows);
        row_keep(&answer->rows[answer->row_count++], statement);
    }
    words->steps_left -= allowed - engine->guard.steps_left;
    if (rc != SQLITE_DONE && rc != SQLITE_ROW)
        code = rule_error(rule, err, "%s: %s", statement->key,
                          guard_reason(&engine->guard, engine->db));
    guard_unlimit(&engine->guard);
    sqlite3_reset(statement->stmt);
    return code;
}

const struct row *words_ask(struct words *words, struct engine *engine, const struct rule *rule,
                            struct statement *statement, const struct row *row, size_t most,
                            size_t *ret_count)
{
    struct answer *answer = answer_of(words, statement);
    struct error err;
    *ret_count = 0;
    if (!answer || !is_the_same(answer, row)) {
        int code = get_ready(words, engine, rule, statement, &err);
        if (code) {
            note_failure(words, code, &err);
            return NULL;
        }
        answer = answer ? answer : add_answer(words, statement);
        forget(answer);
        bind(answer, row);
        if ((code = fetch(words, engine, rule, answer, most, &err)))
            note_failure(words, code, &err);
    }
    *ret_count = answer->row_count;
    return answer->rows;
}
