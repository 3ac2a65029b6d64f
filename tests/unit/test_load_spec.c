/* What descriptors say about libraries: read, and refused with the reason. */
#include <errno.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/text.h"
#include "engine/engine.h"
#include "engine/image.h"
#include "library/load_spec.h"

static struct arena arena;
static struct error err;
static struct load_spec spec;
static struct library_spec library;

static int parse(const char *json)
{
    return load_spec_parse(json, &arena, &spec, &err);
}

static int parse_library(const char *json)
{
    return library_spec_parse(json, &arena, &library, &err);
}

static void done(void)
{
    arena_done(&arena);
}

#define refuses(load, sentence) \
    do { \
        cr_expect_eq(parse("{\"name\":\"torch\"," load "}"), -EINVAL); \
        cr_expect_str_eq(err.text, sentence); \
    } while (0)
#define refuses_library(members, sentence) \
    do { \
        cr_expect_eq(parse_library("{\"schema\":1,\"name\":\"x\",\"title\":\"X\",\"origin\":" \
                                   "\"toolkit\"," members "}"), \
                     -EINVAL); \
        cr_expect_str_eq(err.text, sentence); \
    } while (0)

TestSuite(load_spec, .fini = done);

Test(load_spec, steps)
{
    cr_assert_eq(parse("{\"name\":\"x\",\"device\":[\"x/lib/*.so\"],\"load\":["
                       "{\"after\":\"torch\"},"
                       "{\"open\":\"x/lib/liba.so\",\"global\":true},"
                       "{\"open\":[\"nvidia/cu{cuda_major}/lib/libb.so.*\",\"libc.so.1\"],"
                       "\"optional\":true,\"by\":\"liba.so\",\"if\":\"libcudart.so\","
                       "\"below\":\"prefix\",\"cuda\":\"12\"},"
                       "{\"first\":[\"libcuda.so\",\"libcuda.so.1\"]}]}"),
                 0, "%s", err.text);
    cr_expect_str_eq(spec.name, "x");
    cr_assert_eq(spec.step_count, 4);
    cr_expect_eq(spec.steps[0].kind, LOAD_AFTER);
    cr_expect_str_eq(spec.steps[0].after, "torch");
    const struct load_step *step = &spec.steps[1];
    cr_expect(step->kind == LOAD_OPEN && step->global && !step->optional && !step->by);
    cr_assert_eq(step->path_count, 1);
    cr_expect_str_eq(step->paths[0], "x/lib/liba.so");
    step = &spec.steps[2];
    cr_expect(step->optional && step->below_prefix && !step->global);
    cr_expect_str_eq(step->by, "liba.so");
    cr_expect_str_eq(step->only_if, "libcudart.so");
    cr_expect_str_eq(step->cuda, "12");
    cr_assert_eq(step->path_count, 2);
    cr_expect_str_eq(step->paths[1], "libc.so.1");
    cr_expect_eq(spec.steps[3].kind, LOAD_FIRST);
    cr_expect_eq(spec.steps[3].path_count, 2);
    cr_assert_eq(spec.device_count, 1);
    cr_expect_str_eq(spec.device[0], "x/lib/*.so");
}

Test(load_spec, nothing_said)
{
    cr_assert_eq(parse("{\"name\":\"torch\",\"sources\":[],\"title\":\"PyTorch\"}"), 0);
    cr_expect_eq(spec.step_count, 0);
    cr_expect_eq(spec.device_count, 0);
}

Test(load_spec, hostile)
{
    cr_expect_eq(parse("{"), -EINVAL);
    cr_expect(text_starts(err.text, "line 1: "), "%s", err.text);
    cr_expect_eq(parse("[]"), -EINVAL);
    cr_expect_str_eq(err.text, "it is not an object");
    cr_expect_eq(parse("{}"), -EINVAL);
    cr_expect_str_eq(err.text, "\"name\" is missing, empty or not text");
    refuses("\"load\":{}", "\"load\" is not a list");
    refuses("\"load\":[1]", "\"load\", step 1: it is not an object");
    refuses("\"load\":[{\"after\":\"a\"},{}]",
            "\"load\", step 2: it has not one of \"after\", \"open\" and \"first\"");
    refuses("\"load\":[{\"open\":\"a.so\",\"after\":\"b\"}]",
            "\"load\", step 1: it has not one of \"after\", \"open\" and \"first\"");
    refuses("\"load\":[{\"after\":\"a\",\"optional\":true}]",
            "\"load\", step 1: \"optional\" is not known");
    refuses("\"load\":[{\"open\":\"a.so\",\"iff\":\"b\"}]",
            "\"load\", step 1: \"iff\" is not known");
    refuses("\"load\":[{\"open\":[]}]", "\"load\", step 1: \"open\" is empty");
    refuses("\"load\":[{\"first\":\"a\"}]", "\"load\", step 1: \"first\" is not a list");
    refuses("\"load\":[{\"open\":[\"a\",\"\"]}]",
            "\"load\", step 1: \"open\" holds what is empty or not text");
    refuses("\"load\":[{\"open\":\"a\",\"optional\":1}]",
            "\"load\", step 1: \"optional\" is neither true nor false");
    refuses("\"load\":[{\"open\":\"/etc/passwd\"}]",
            "\"load\", step 1: \"/etc/passwd\" leads out of the folders that are searched");
    refuses("\"load\":[{\"open\":\"a/../../b\"}]",
            "\"load\", step 1: \"a/../../b\" leads out of the folders that are searched");
    refuses("\"load\":[{\"open\":\"a*/b.so\"}]",
            "\"load\", step 1: \"a*/b.so\" has a \"*\" elsewhere than in the name of a file");
    refuses("\"load\":[{\"open\":\"lib*.so\"}]",
            "\"load\", step 1: \"lib*.so\" has a \"*\" elsewhere than in the name of a file");
    refuses("\"load\":[{\"open\":\"a/{cuda}/b\"}]",
            "\"load\", step 1: \"a/{cuda}/b\": the only word in braces is {cuda_major}");
    refuses("\"load\":[{\"open\":\"a/b\",\"below\":\"site\"}]",
            "\"load\", step 1: \"below\" is neither \"prefix\" nor \"cuda_home\"");
    refuses("\"load\":[{\"open\":\"a/b\",\"since\":\"new\"}]",
            "\"load\", step 1: \"since\": \"new\" is no version");
    refuses("\"load\":[{\"after\":\"a\",\"before\":2}]",
            "\"load\", step 1: \"before\" is missing, empty or not text");
    refuses("\"device\":[\"libx.so\"]", "\"device\": \"libx.so\" is no path: it has no \"/\"");
    refuses("\"device\":\"a/b\"", "\"device\" is not a list");
}

Test(load_spec, releases)
{
    cr_assert_eq(parse("{\"name\":\"x\",\"load\":[{\"open\":\"a/b\",\"since\":\"2.10\"},"
                       "{\"after\":\"torch\",\"before\":\"4.8.2\"},{\"open\":\"a/c\"}]}"),
                 0, "%s", err.text);
    const struct load_step *since = &spec.steps[0], *before = &spec.steps[1];
    cr_expect(load_step_fits(since, "2.10.0") && load_step_fits(since, "2.15.0"));
    cr_expect(!load_step_fits(since, "2.9.1") && !load_step_fits(since, "1.13.1"));
    cr_expect(load_step_fits(before, "4.8.1") && load_step_fits(before, "4.6"));
    cr_expect(!load_step_fits(before, "4.8.2") && !load_step_fits(before, "5.0"));
    /* one that is not known counts as new */
    cr_expect(load_step_fits(since, NULL) && !load_step_fits(before, NULL));
    cr_expect(load_step_fits(since, "main") && !load_step_fits(before, "main"));
    cr_expect(load_step_fits(&spec.steps[2], NULL) && load_step_fits(&spec.steps[2], "0.1"));
}

Test(load_spec, too_many)
{
    CLEANUP_TEXT struct text json = {0};
    text_add(&json, "{\"name\":\"x\",\"load\":[{\"after\":\"a\"}");
    for (int i = 0; i < LOAD_STEPS_MAX; i++)
        text_add(&json, ",{\"after\":\"a\"}");
    text_add(&json, "]}");
    cr_expect_eq(parse(text_get(&json)), -EINVAL);
    cr_expect_str_eq(err.text, "\"load\" has more than 128 steps");
}

Test(load_spec, library)
{
    cr_assert_eq(parse_library("{\"schema\":1,\"name\":\"cudnn\",\"title\":\"cuDNN\",\"origin\":"
                               "\"cudnn\",\"sonames\":[\"libcudnn.so.\",\"libcudnn_\"],"
                               "\"symbols\":[\"cudnn\"],\"literal\":\"CUDNN (?<version>[0-9.]+)\","
                               "\"opens\":[{\"by\":\"libcudnn.so.\",\"open\":"
                               "\"libcudnn_graph.so.{major}\",\"optional\":true}]}"),
                 0, "%s", err.text);
    cr_assert(library.soname_count == 2 && library.symbol_count == 1 && library.open_count == 1);
    cr_expect_null(library.sonames[2]);
    cr_expect_str_eq(library.sonames[1], "libcudnn_");
    cr_expect(library.opens[0].optional);
    cr_expect_str_eq(library.opens[0].names[0], "libcudnn_graph.so.{major}");
}

Test(load_spec, hostile_library)
{
    cr_expect_eq(parse_library("{\"name\":\"x\",\"sonames\":[\"libx\"]}"), -EINVAL);
    cr_expect_str_eq(err.text, "\"schema\" is not 1");
    refuses_library("\"symbols\":[]", "\"sonames\" is missing or empty");
    refuses_library("\"sonames\":[\"libx\"],\"soname\":1", "\"soname\" is not known");
    refuses_library("\"sonames\":[\"libx\"],\"literal\":\"x\"",
                    "\"literal\": it has no group (?<version>...)");
    cr_expect_eq(parse_library("{\"schema\":1,\"name\":\"x\",\"sonames\":[\"libx\"],"
                               "\"literal\":\"(?<version>[\"}"),
                 -EINVAL);
    cr_expect(text_starts(err.text, "\"literal\": "), "%s", err.text);
    refuses_library("\"sonames\":[\"libx\"],\"opens\":[{\"by\":\"libx\"}]",
                    "\"opens\", entry 1: \"open\" is missing or empty");
    refuses_library("\"sonames\":[\"libx\"],\"opens\":[{\"by\":\"libx\",\"open\":\"a/b\"}]",
                    "\"opens\", entry 1: \"a/b\" is no bare name");
    refuses_library("\"sonames\":[\"libx\"],\"opens\":[{\"by\":\"libx\",\"open\":\"b{minor}\"}]",
                    "\"opens\", entry 1: \"b{minor}\": the only word in braces is {major}");
}

Test(load_spec, families)
{
    static const char *blas[] = {"libcublas.so", NULL}, *lt[] = {"libcublasLt.so", NULL};
    static const char *cudnn[] = {"libcudnn.so", "libcudnn_", NULL}, *any[] = {"libcu", NULL};
    struct library_spec items[] = {
        {.name = "any", .sonames = any, .soname_count = 1},
        {.name = "cublas", .sonames = blas, .soname_count = 1},
        {.name = "cublasLt", .sonames = lt, .soname_count = 1},
        {.name = "cudnn", .sonames = cudnn, .soname_count = 2},
    };
    struct library_set set = {items, 4};
    cr_expect_str_eq(library_set_find(&set, "libcublas.so.12")->name, "cublas");
    cr_expect_str_eq(library_set_find(&set, "libcublasLt.so.12")->name, "cublasLt");
    cr_expect_str_eq(library_set_find(&set, "libcudnn_ops.so.9")->name, "cudnn");
    cr_expect_str_eq(library_set_find(&set, "libcufft.so.11")->name, "any");
    cr_expect_null(library_set_find(&set, "libc.so.6"));
    cr_expect_null(library_set_find(&set, NULL));
}

Test(load_spec, by_name)
{
    static const struct descriptor items[] = {{"frameworks/torch.json", ""},
                                              {"/etc/x/torchvision.json", ""}};
    cr_expect_eq(descriptor_named(items, 2, "torch"), &items[0]);
    cr_expect_eq(descriptor_named(items, 2, "torchvision"), &items[1]);
    cr_expect_null(descriptor_named(items, 2, "vision"));
}

/* The engine takes descriptors as they are; a fault in one would show on users' machines only. */
Test(load_spec, all_that_are_shipped_can_be_read)
{
    struct engine *engine;
    const struct descriptor *items;
    size_t size = (size_t)(gd_descriptors_end - gd_descriptors), steps = 0;
    cr_assert_eq(engine_open_bare(gd_descriptors, size, &engine, &err), 0, "%s", err.text);
    size_t count = engine_descriptors(engine, &items);
    for (size_t i = 0; i < count; i++) {
        cr_expect_eq(parse(items[i].json), 0, "%s: %s", items[i].file, err.text);
        for (size_t k = 0; k < spec.step_count; k++)
            cr_expect(spec.steps[k].kind != LOAD_AFTER ||
                          descriptor_named(items, count, spec.steps[k].after),
                      "%s: no framework %s", items[i].file, spec.steps[k].after);
        steps += spec.step_count;
    }
    cr_expect_gt(steps, 100);
    count = engine_libraries(engine, &items);
    cr_expect_gt(count, 20);
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(parse_library(items[i].json), 0, "%s: %s", items[i].file, err.text);
    engine_free(engine);
}
