/* libgpudoctor as another program uses it: only the public header, linked only with the library. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpudoctor/gpudoctor.h"

static char folder[] = "/tmp/gpudoctor-library-XXXXXX";
static char root[sizeof folder + 8];
static char snapshot[sizeof folder + 16];
static char *text;
static json_t *json;

static void set_up(void)
{
    char command[1024];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(root, sizeof root, "%s/root", folder);
    snprintf(snapshot, sizeof snapshot, "%s/facts.json", folder);
    snprintf(command, sizeof command, "'%s' '%s/fixtures/machines/%s.tree' '%s' >/dev/null",
             LAY_OUT, SOURCE_DIR, "driver-570-torch-cu130", root);
    cr_assert_eq(system(command), 0, "%s", command);
}

static void tear_down(void)
{
    char command[sizeof folder + 16];
    gpudoctor_free(text);
    json_decref(json);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(library, .init = set_up, .fini = tear_down);

typedef enum gpudoctor_status call(const struct gpudoctor_options *, char **);

static struct gpudoctor_options options(void)
{
    return (struct gpudoctor_options){.size = sizeof(struct gpudoctor_options)};
}

/* Calls, and reads the document where there is one. */
static enum gpudoctor_status answer(call *ask, const struct gpudoctor_options *given)
{
    gpudoctor_free(text);
    json_decref(json);
    text = NULL;
    enum gpudoctor_status status = ask(given, &text);
    cr_assert_not_null(text, "there is always something to say");
    json = json_loads(text, 0, NULL);
    cr_expect_eq(json != NULL, status == GPUDOCTOR_OK, "%s", text);
    cr_expect_null(status == GPUDOCTOR_OK ? NULL : strchr(text, '\n'), "one sentence: %s", text);
    return status;
}

static const char *driver(void)
{
    return json_string_value(json_object_get(json_object_get(json, "machine"), "driver"));
}

Test(library, has_a_version)
{
    int major, minor, patch;
    char more;
    cr_expect_eq(sscanf(gpudoctor_version(), "%d.%d.%d%c", &major, &minor, &patch, &more), 3);
}

Test(library, judges_a_recorded_machine)
{
    struct gpudoctor_options given = options();
    given.root = root;
    cr_assert_eq(answer(gpudoctor_check, &given), GPUDOCTOR_OK, "%s", text);
    cr_expect_str_eq(driver(), "570.86.10");
    const json_t *findings = json_object_get(json, "findings");
    cr_assert_eq(json_array_size(findings), 1);
    cr_expect_str_eq(json_string_value(json_object_get(json_array_get(findings, 0), "rule")),
                     "driver-too-old-for-cuda");
    cr_expect_str_eq(json_string_value(json_object_get(json, "gpudoctor")), gpudoctor_version());
}

Test(library, facts_are_a_snapshot_that_is_judged_alike)
{
    struct gpudoctor_options given = options();
    given.root = root;
    cr_assert_eq(answer(gpudoctor_facts, &given), GPUDOCTOR_OK, "%s", text);
    cr_expect_eq(json_array_size(json_object_get(json_object_get(json, "tables"), "host")), 1);
    FILE *file = fopen(snapshot, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
    cr_assert_eq(answer(gpudoctor_check, &given), GPUDOCTOR_OK, "%s", text);
    char *looked = strdup(text);
    given.root = NULL;
    given.facts = snapshot;
    cr_assert_eq(answer(gpudoctor_check, &given), GPUDOCTOR_OK, "%s", text);
    cr_expect_str_eq(text, looked);
    free(looked);
}

Test(library, judges_twice_in_one_process)
{
    struct gpudoctor_options given = options();
    given.root = root;
    cr_assert_eq(answer(gpudoctor_check, &given), GPUDOCTOR_OK);
    cr_assert_eq(answer(gpudoctor_check, &given), GPUDOCTOR_OK);
    cr_expect_str_eq(driver(), "570.86.10");
}

Test(library, options_of_another_size_are_refused)
{
    struct gpudoctor_options given = options();
    given.root = root;
    given.size = 0;
    cr_expect_eq(answer(gpudoctor_check, &given), GPUDOCTOR_INPUT);
    given.size = sizeof given + 8;
    cr_expect_eq(answer(gpudoctor_facts, &given), GPUDOCTOR_INPUT);
}

Test(library, input_that_cannot_be_used_is_told)
{
    struct gpudoctor_options given = options();
    given.root = "/no/such/folder";
    cr_expect_eq(answer(gpudoctor_check, &given), GPUDOCTOR_INPUT);
    cr_expect_not_null(strstr(text, "/no/such/folder"), "%s", text);
    given = options();
    given.facts = root; /* a folder */
    cr_expect_eq(answer(gpudoctor_check, &given), GPUDOCTOR_INPUT);
    given = options();
    given.root = root;
    given.rules = "/no/such/rules";
    cr_expect_eq(answer(gpudoctor_facts, &given), GPUDOCTOR_INPUT);
    cr_expect_not_null(strstr(text, "/no/such/rules"), "%s", text);
}

Test(library, root_and_facts_exclude_each_other)
{
    struct gpudoctor_options given = options();
    given.root = root;
    given.facts = snapshot;
    cr_expect_eq(answer(gpudoctor_check, &given), GPUDOCTOR_INPUT);
}

Test(library, an_environment_outside_the_default_is_read)
{
    static const char *const environments[] = {"/home/user/venv"};
    struct gpudoctor_options given = options();
    given.root = root;
    given.environments = environments;
    given.environment_count = 1;
    cr_assert_eq(answer(gpudoctor_check, &given), GPUDOCTOR_OK, "%s", text);
    given.all_environments = 1;
    cr_assert_eq(answer(gpudoctor_check, &given), GPUDOCTOR_OK, "%s", text);
}

Test(library, nothing_is_written_to_the_standard_streams)
{
    struct gpudoctor_options given = options();
    char path[sizeof folder + 8];
    snprintf(path, sizeof path, "%s/out", folder);
    fflush(NULL);
    int out = dup(1), err = dup(2);
    cr_assert(freopen(path, "w", stdout) && freopen(path, "a", stderr));
    given.root = root;
    enum gpudoctor_status good = answer(gpudoctor_check, &given);
    given.root = "/no/such/folder";
    enum gpudoctor_status bad = answer(gpudoctor_check, &given);
    fflush(NULL);
    dup2(out, 1);
    dup2(err, 2);
    close(out);
    close(err);
    cr_expect_eq(good, GPUDOCTOR_OK);
    cr_expect_eq(bad, GPUDOCTOR_INPUT);
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    cr_expect_eq(fgetc(file), EOF);
    fclose(file);
}

Test(library, frees_nothing_without_harm)
{
    gpudoctor_free(NULL);
}
