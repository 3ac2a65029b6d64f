#include <criterion/criterion.h>

#include <string.h>

#include "parse/toolkit.h"

static struct arena arena;

static void done(void)
{
    arena_done(&arena);
}

TestSuite(parse_toolkit, .fini = done);

#define PARSE(fn, text) fn(text, sizeof text - 1, &arena)

Test(parse_toolkit, version_json)
{
    struct toolkit_versions v;
    const char *whole =
        "{\"cuda\":{\"version\":\"13.0.2\"},\"cuda_nvcc\":{\"version\":\"13.0.88\"}}";
    cr_assert(parse_version_json(whole, strlen(whole), &arena, &v));
    cr_expect_str_eq(v.cuda, "13.0.2");
    cr_expect_str_eq(v.nvcc, "13.0.88");
    const char *part = "{\"cuda\":{\"version\":\"11.8.0\"}}";
    cr_assert(parse_version_json(part, strlen(part), &arena, &v));
    cr_expect_null(v.nvcc);
    const char *bad[] = {"",
                         "{",
                         "[]",
                         "{\"cuda\":3}",
                         "{\"cuda\":{\"version\":\"x\"}}",
                         "{\"cuda\":{\"version\":12}}",
                         "{\"cuda\":{\"version\":\"13.0"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_expect_not(parse_version_json(bad[i], strlen(bad[i]), &arena, &v), "%s", bad[i]);
}

Test(parse_toolkit, text_files)
{
    cr_expect_str_eq(PARSE(parse_version_txt, "CUDA Version 10.2.89\n"), "10.2.89");
    cr_expect_null(PARSE(parse_version_txt, "CUDA Version ten\n"));
    cr_expect_str_eq(PARSE(parse_cuda_h, "/*\n * x\n */\n#define CUDA_VERSION 12080\n"), "12.8");
    cr_expect_str_eq(PARSE(parse_cuda_h, "#define CUDA_VERSION 13000\n"), "13.0");
    cr_expect_null(PARSE(parse_cuda_h, "#define CUDA_VERSION_X 13000\n#define CUDA_VERSION y\n"));
}

Test(parse_toolkit, nvcc_literal)
{
    cr_expect_str_eq(
        PARSE(parse_nvcc_literal, "\0\1Cuda compilation tools, release 11.8, V11.8.89\0more"),
        "11.8.89");
    cr_expect_null(PARSE(parse_nvcc_literal, "Cuda compilation tools, release 13.0, V13.0.8"),
                   "cut by the end of the chunk");
    cr_expect_null(PARSE(parse_nvcc_literal, "Cuda compilation tools, release %s, V%s\0"));
}

Test(parse_toolkit, names_and_banner)
{
    cr_expect_str_eq(parse_cudart_name("libcudart.so.12.4.127", &arena), "12.4");
    cr_expect_null(parse_cudart_name("libcudart.so.11.0", &arena));
    cr_expect_null(parse_cudart_name("libcudart.so.12", &arena));
    cr_expect_null(parse_cudart_name("libcudart_static.a", &arena));
    cr_expect_str_eq(PARSE(parse_glibc_literal, "\0GNU C Library (Ubuntu GLIBC 2.39-0ubuntu8.4) "
                                                "stable release version 2.39.\nCopyright"),
                     "2.39");
    cr_expect_null(PARSE(parse_glibc_literal, "stable release version 2.39"));
}
