#include <errno.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/text.h"
#include "parse/ini.h"
#include "parse/pe_version.h"
#include "parse/vs_state.h"
#include "parse/windows_driver.h"
#include "parse/windows_text.h"

#include "pe_file.h"

static struct arena arena;

static void finish(void)
{
    arena_done(&arena);
}

TestSuite(parse_windows, .fini = finish);

static struct span span_of(const char *text)
{
    return (struct span){text, strlen(text)};
}

static const char *decoded(const char *data, size_t size)
{
    struct span span = windows_text(data, size, &arena);
    return arena_strndup(&arena, span.data, span.length);
}

Test(parse_windows, text)
{
    cr_expect_str_eq(decoded("\xff\xfe"
                             "A\0\xfc\0\xac\x20=\xd8\x00\xde",
                             12),
                     "A\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80");
    cr_expect_str_eq(decoded("\xfe\xff\0A\0", 5), "A");
    cr_expect_str_eq(decoded("\xff\xfe\0\xdc", 4), "\xef\xbf\xbd");
    cr_expect_str_eq(decoded("\xef\xbb\xbfx", 4), "x");
    cr_expect_str_eq(decoded("plain", 5), "plain");
    cr_expect_str_eq(decoded("", 0), "");
}

Test(parse_windows, ini)
{
    struct ini ini;
    struct ini_line line;
    ini_start(&ini, span_of("# c\n[WSL2]\nMemory = 8GB # half\r\ngpuSupport=FALSE\n"
                            "kernel = \"C:\\\\k#1\"\nno equals\n[broken\nx=\n"));
    cr_assert(ini_next(&ini, &line));
    cr_expect(ini_is(&line, "wsl2", "memory"));
    cr_expect_eq(ini_memory(&line).value, INT64_C(8) << 30);
    cr_assert(ini_next(&ini, &line));
    cr_expect(ini_is(&line, "wsl2", "gpuSupport"));
    cr_expect(ini_bool(&line).known && ini_bool(&line).value == 0);
    cr_assert(ini_next(&ini, &line));
    cr_expect(span_equal(line.value, "C:\\\\k#1"));
    cr_expect_not(ini_bool(&line).known);
    cr_expect_not(ini_memory(&line).known);
    cr_assert(ini_next(&ini, &line));
    cr_expect(ini_is(&line, "wsl2", "x"));
    cr_expect_eq(line.value.length, 0);
    cr_expect_not(ini_next(&ini, &line));
    cr_expect_eq(ini.bad, 2);
    cr_expect_eq(ini.lines, 7);
}

Test(parse_windows, driver_numbers)
{
    cr_expect_str_eq(windows_driver_number(span_of("32.0.15.6590"), &arena), "565.90");
    cr_expect_str_eq(windows_driver_number(span_of("32.0.16.1058"), &arena), "610.58");
    cr_expect_str_eq(windows_driver_number(span_of("27.21.14.5671"), &arena), "456.71");
    cr_expect_str_eq(windows_driver_number(span_of("31.0.15.3101"), &arena), "531.01");
    cr_expect_null(windows_driver_number(span_of("10.0.22621.4317"), &arena));
    cr_expect_null(windows_driver_number(span_of("32.0.15"), &arena));
    cr_expect_null(windows_driver_number(span_of("32.0.15.6590.1"), &arena));
    cr_expect_null(windows_driver_number(span_of("6.14.1.2"), &arena), "another maker's");
    cr_expect_str_eq(
        parse_inf_driver(span_of("; NVIDIA\r\n[Version]\r\nSignature = \"$Windows "
                                 "NT$\"\r\nDriverVer   = 10/16/2024, 32.0.15.6590\r\n"),
                         &arena),
        "565.90");
    cr_expect_null(
        parse_inf_driver(span_of("[Other]\nDriverVer = 1/1/2024, 32.0.15.6590\n"), &arena));
    cr_expect_null(parse_inf_driver(span_of("[Version]\nDriverVer = 10/16/2024\n"), &arena));
}

static int version_of(const unsigned char *data, size_t size, struct pe_version *version)
{
    struct pe_memory memory = {data, size};
    return pe_version_read(&(struct pe_file){pe_memory_read, &memory}, version);
}

Test(parse_windows, pe_version)
{
    unsigned char file[PE_SIZE];
    struct pe_version v;
    pe_make(file, 10, 0, 22621, 4317);
    cr_assert_eq(version_of(file, sizeof file, &v), 0);
    cr_expect_eq(v.part[0], 10);
    cr_expect_eq(v.part[1], 0);
    cr_expect_eq(v.part[2], 22621);
    cr_expect_eq(v.part[3], 4317);
}

Test(parse_windows, pe_cut_anywhere)
{
    unsigned char file[PE_SIZE];
    struct pe_version v;
    pe_make(file, 32, 0, 15, 6590);
    for (size_t size = 0; size < PE_INFO_END; size++)
        cr_expect_eq(version_of(file, size, &v), -EBADMSG, "%zu", size);
    cr_expect_eq(version_of(file, PE_INFO_END, &v), 0);
}

Test(parse_windows, pe_with_any_byte_changed)
{
    unsigned char file[PE_SIZE];
    struct pe_version v;
    for (size_t i = 0; i < PE_SIZE; i++) {
        pe_make(file, 32, 0, 15, 6590);
        file[i] = 0xff;
        int code = version_of(file, sizeof file, &v);
        cr_expect(code == 0 || code == -EBADMSG, "%zu: %d", i, code);
    }
}

Test(parse_windows, visual_studio)
{
    struct vs_state state;
    cr_assert(parse_vs_state(
        span_of("{\"installationPath\":\"C:\\\\VS\",\"installationVersion\":\"17.11.35327.3\","
                "\"product\":{\"id\":\"Microsoft.VisualStudio.Product.BuildTools\"},"
                "\"catalogInfo\":{\"productDisplayVersion\":\"17.11.5\"},"
                "\"selectedPackages\":[{\"id\":\"x\"},1,"
                "{\"id\":\"Microsoft.VisualStudio.Workload.VCTools\"}]}"),
        &arena, &state));
    cr_expect_str_eq(state.path, "C:\\VS");
    cr_expect_str_eq(state.product, "BuildTools");
    cr_expect_str_eq(state.version, "17.11.5");
    cr_expect(state.cxx.known && state.cxx.value == 1);
    cr_assert(parse_vs_state(span_of("{\"installationPath\":\"D:\\\\\",\"packages\":[]}"), &arena,
                             &state));
    cr_expect_null(state.version);
    cr_expect(state.cxx.known && state.cxx.value == 0);
    cr_assert(parse_vs_state(span_of("{\"installationPath\":\"D:\\\\\"}"), &arena, &state));
    cr_expect_not(state.cxx.known);
    cr_expect_not(parse_vs_state(span_of("{\"installationPath\":1}"), &arena, &state));
    cr_expect_not(parse_vs_state(span_of("{\"installationPath\":\"C:"), &arena, &state));
    cr_expect_not(parse_vs_state(span_of(""), &arena, &state));
}
