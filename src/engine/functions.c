#include "engine/functions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compute_capability.h"
#include "base/pep440.h"
#include "base/version.h"
#include "engine/text_functions.h"

static const char *argument(sqlite3_value *value)
{
    return (const char *)sqlite3_value_text(value); /* NULL for NULL */
}

/* pep440_match(specifier, version): 1, 0, or NULL where one of them is unknown or malformed */
static void match(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const char *specifier = argument(values[0]), *version = argument(values[1]);
    int fits = specifier && version ? pep440_match(specifier, version) : -1;
    if (fits >= 0)
        sqlite3_result_int(context, fits);
}

/* pep440_cmp(a, b): -1, 0, 1, or NULL */
static void compare(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const char *a = argument(values[0]), *b = argument(values[1]);
    int order;
    if (a && b && pep440_compare(a, b, &order))
        sqlite3_result_int(context, order < 0 ? -1 : order > 0);
}

static void key(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const enum version_kind *kind = sqlite3_user_data(context);
    int64_t number;
    if (version_key(*kind, argument(values[0]), &number))
        sqlite3_result_int64(context, number);
}

static bool parse_code(const char *kind, const char *cc, const char *suffix,
                       struct code_target *ret)
{
    if (!kind || !code_target_parse(cc, ret) || ret->kind != CODE_ANY)
        return false;
    if (strcmp(kind, "cubin") != 0 && strcmp(kind, "ptx") != 0 && strcmp(kind, "lto") != 0)
        return false;
    ret->kind = *kind == 'c' ? CODE_CUBIN : *kind == 'p' ? CODE_PTX : CODE_LTO;
    if (suffix)
        ret->suffix = *suffix;
    return !suffix || strcmp(suffix, "a") == 0 || strcmp(suffix, "f") == 0;
}

/* code_runs(kind, cc, suffix, gpu_cc): whether code runs on a GPU, 'native', 'ptx', 'across' the
 * border between desktop and Tegra, or 'no'; NULL where kind or a number is not known. The suffix
 * is 'a', 'f' or NULL for neither, as in the table device_code. */
static void runs(sqlite3_context *context, int count, sqlite3_value **values)
{
    static const char *const words[] = {[CODE_RUNS_NOT] = "no",
                                        [CODE_RUNS_NATIVE] = "native",
                                        [CODE_RUNS_BY_PTX] = "ptx",
                                        [CODE_RUNS_ACROSS] = "across"};
    (void)count;
    struct code_target code, gpu;
    if (parse_code(argument(values[0]), argument(values[1]), argument(values[2]), &code) &&
        code_target_parse(argument(values[3]), &gpu) && gpu.kind == CODE_ANY && !gpu.suffix)
        sqlite3_result_text(context, words[code_runs_on(&code, gpu.cc)], -1, SQLITE_STATIC);
}

int functions_register(sqlite3 *db)
{
    static const enum version_kind driver = VERSION_DRIVER, cuda = VERSION_CUDA, cc = VERSION_CC,
                                   glibc = VERSION_GLIBC;
    static const struct {
        const char *name;
        int arguments;
        const enum version_kind *kind;
        void (*function)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {
        {"pep440_match", 2, NULL, match}, {"pep440_cmp", 2, NULL, compare},
        {"driver_key", 1, &driver, key},  {"cuda_key", 1, &cuda, key},
        {"cc_key", 1, &cc, key},          {"glibc_key", 1, &glibc, key},
        {"code_runs", 4, NULL, runs},
    };
    int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    int rc = text_functions_register(db, flags);
    for (size_t i = 0; i < sizeof functions / sizeof *functions && rc == SQLITE_OK; i++)
        rc = sqlite3_create_function_v2(db, functions[i].name, functions[i].arguments, flags,
                                        (void *)(uintptr_t)functions[i].kind, functions[i].function,
                                        NULL, NULL, NULL);
    return rc;
}
