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
    cr_assert_eq(
        parse("{\"name\":\"x\",\"device\":[\"x/lib/*.so\"],\"load\":["
              "{\"after\":\"torch\"},"
              "{\"open\":\"x/lib/liba.so\",\"global\":true},"
              "{\"open\":[\"nvidia/cu{cuda_major}/lib/libb.so.*\",\"libc.so.1\"],"
              "\"optional\":true,\"binds\":\"now\",\"by\":\"liba.so\",\"if\":\"libcudart.so\","
              "\"below\":\"prefix\",\"cuda\":\"12\"},"
              "{\"first\":[\"libcuda.so\",\"libcuda.so.1\"],\"binds\":\"lazy\"}]}"),
        0, "%s", err.text);
    cr_expect_str_eq(spec.name, "x");
    cr_assert_eq(spec.step_count, 4);
    cr_expect_eq(spec.steps[0].kind, LOAD_AFTER);
    cr_expect_str_eq(spec.steps[0].after, "torch");
    const struct load_step *step = &spec.steps[1];
    cr_expect(step->kind == LOAD_OPEN && step->global && step->binding == BIND_AS_USUAL &&
              !step->optional);
    cr_expect_null(step->by);
    cr_assert_eq(step->path_count, 1);
    cr_expect_str_eq(step->paths[0], "x/lib/liba.so");
    step = &spec.steps[2];
    cr_expect(step->optional && step->binding == BIND_NOW && step->below_prefix && !step->global);
    cr_expect_str_eq(step->by, "liba.so");
    cr_expect_str_eq(step->only_if, "libcudart.so");
    cr_expect_str_eq(step->cuda, "12");
    cr_assert_eq(step->path_count, 2);
    cr_expect_str_eq(step->paths[1], "libc.so.1");
    cr_expect_eq(spec.steps[3].kind, LOAD_FIRST);
    cr_expect_eq(spec.steps[3].path_count, 2);
    cr_expect_eq(spec.steps[3].binding, BIND_LAZY);
    cr_assert_eq(spec.device_count, 1);
    cr_expect_str_eq(spec.device[0].path, "x/lib/*.so");
    cr_expect(!spec.device[0].since && !spec.device[0].before);
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
    refuses("\"load\":[{\"open\":\"a.so\",\"binds\":\"later\"}]",
            "\"load\", step 1: \"binds\" is none of \"now\" and \"lazy\"");
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
            "\"load\", step 1: \"a/{cuda}/b\": in braces stand only {cuda_major}, {cuda_minor} and "
            "{cuda_digits}, as {$VARIABLE=|FRAMEWORK.cuda_digits~} at most");
    static const char *const unclosed[] = {"{",
                                           "{cuda_major",
                                           "{$|cuda_major}",
                                           "{$A}",
                                           "{.cuda_major}",
                                           "{cuda_major~}",
                                           "{a.b.cuda_minor}"};
    for (size_t i = 0; i < sizeof unclosed / sizeof *unclosed; i++) {
        char text[128];
        snprintf(text, sizeof text, "{\"name\":\"a\",\"device\":[\"a/%s\"]}", unclosed[i]);
        cr_expect_eq(parse(text), -EINVAL, "%s", text);
    }
    refuses(
        "\"load\":[{\"open\":\"a/{cuda_digits~}*\"}]",
        "\"load\", step 1: \"a/{cuda_digits~}*\" has a \"~\" elsewhere than once in the name of a "
        "file, and without a \"*\"");
    refuses(
        "\"load\":[{\"open\":\"a{cuda_digits~}/b\"}]",
        "\"load\", step 1: \"a{cuda_digits~}/b\" has a \"~\" elsewhere than once in the name of a "
        "file, and without a \"*\"");
    refuses("\"load\":[{\"open\":\"a\",\"for\":\"b\",\"optional\":true}]",
            "\"load\", step 1: \"for\" and \"optional\" exclude each other");
    refuses("\"load\":[{\"open\":\"a/b\",\"below\":\"site\"}]",
            "\"load\", step 1: \"below\" is none of \"prefix\", \"cuda_home\" and "
            "\"default_toolkit\"");
    refuses("\"load\":[{\"open\":\"a/b\",\"since\":\"new\"}]",
            "\"load\", step 1: \"since\": \"new\" is no version");
    refuses("\"load\":[{\"after\":\"a\",\"before\":2}]",
            "\"load\", step 1: \"before\" is missing, empty or not text");
    refuses("\"device\":[\"libx.so\"]",
            "\"device\", path 1: \"libx.so\" is no path: it has no \"/\"");
    refuses("\"device\":[1]", "\"device\", path 1: it is neither text nor an object");
    refuses("\"device\":[{\"path\":\"a/b\",\"since\":\"new\"}]",
            "\"device\", path 1: \"since\": \"new\" is no version");
    refuses("\"device\":\"a/b\"", "\"device\" is not a list");
}

static bool fits(const struct load_step *step, const char *release)
{
    return load_release_fits(release, step->since, step->before);
}

Test(load_spec, releases)
{
    cr_assert_eq(parse("{\"name\":\"x\",\"load\":[{\"open\":\"a/b\",\"since\":\"2.10\"},"
                       "{\"after\":\"torch\",\"before\":\"4.8.2\"},{\"open\":\"a/c\"}]}"),
                 0, "%s", err.text);
    const struct load_step *since = &spec.steps[0], *before = &spec.steps[1];
    cr_expect(fits(since, "2.10.0") && fits(since, "2.15.0"));
    cr_expect(!fits(since, "2.9.1") && !fits(since, "1.13.1"));
    cr_expect(fits(before, "4.8.1") && fits(before, "4.6"));
    cr_expect(!fits(before, "4.8.2") && !fits(before, "5.0"));
    /* one that is not known counts as new */
    cr_expect(fits(since, NULL) && !fits(before, NULL));
    cr_expect(fits(since, "main") && !fits(before, "main"));
    cr_expect(fits(&spec.steps[2], NULL) && fits(&spec.steps[2], "0.1"));
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
                               "\"version_data\":[\"cudnn_graph_version\"],"
                               "\"opens\":[{\"by\":\"libcudnn.so.\",\"open\":"
                               "\"libcudnn_graph.so.{major}\",\"optional\":true},"
                               "{\"by\":\"libcudnn.so.\",\"first\":[\"libcudnn_ops.so.{version}\","
                               "\"libcudnn_ops.so.{major}\"]}]}"),
                 0, "%s", err.text);
    cr_assert(library.soname_count == 2 && library.symbol_count == 1 && library.open_count == 2);
    cr_expect_null(library.sonames[2]);
    cr_expect_str_eq(library.sonames[1], "libcudnn_");
    cr_expect(library.opens[0].optional);
    cr_expect_str_eq(library.opens[0].names[0], "libcudnn_graph.so.{major}");
    cr_expect(!library.opens[0].is_first && library.opens[1].is_first);
    cr_assert_eq(library.opens[1].name_count, 2);
    cr_expect_str_eq(library.opens[1].names[0], "libcudnn_ops.so.{version}");
    cr_assert_eq(library.version_data_count, 1);
    cr_expect_str_eq(library.version_data[0], "cudnn_graph_version");
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
                    "\"opens\", entry 1: it has not one of \"open\" and \"first\"");
    refuses_library(
        "\"sonames\":[\"libx\"],\"opens\":[{\"by\":\"libx\",\"open\":\"a\",\"first\":\"b\"}]",
        "\"opens\", entry 1: it has not one of \"open\" and \"first\"");
    refuses_library("\"sonames\":[\"libx\"],\"opens\":[{\"by\":\"libx\",\"first\":[]}]",
                    "\"opens\", entry 1: \"first\" is missing or empty");
    refuses_library("\"sonames\":[\"libx\"],\"version_data\":1", "\"version_data\" is not a list");
    refuses_library("\"sonames\":[\"libx\"],\"opens\":[{\"by\":\"libx\",\"open\":\"a/b\"}]",
                    "\"opens\", entry 1: \"a/b\" is no bare name");
    refuses_library("\"sonames\":[\"libx\"],\"opens\":[{\"by\":\"libx\",\"open\":\"b{minor}\"}]",
                    "\"opens\", entry 1: \"b{minor}\": the only words in braces are {major} "
                    "and {version}");
}

Test(load_spec, families)
{
    static const char *const texts[] = {
        "{\"schema\":1,\"name\":\"any\",\"sonames\":[\"libcu\"]}",
        "{\"schema\":1,\"name\":\"cublas\",\"sonames\":[\"libcublas.so\"]}",
        "{\"schema\":1,\"name\":\"cublasLt\",\"sonames\":[\"libcublasLt.so\"]}",
        "{\"schema\":1,\"name\":\"cudnn\",\"sonames\":[\"libcudnn.so\",\"libcudnn_\"]}",
    };
    struct library_spec items[4];
    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(library_spec_parse(texts[i], &arena, &items[i], &err), 0, "%s", err.text);
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
