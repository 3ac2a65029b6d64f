/* Which definitions a reference binds to, as glibc decides it. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "elf/symbol.h"
#include "elf_made.h"
#include "elf_write.h"

/* 1 defined, 0 not; "NAME" or "NAME@VERSION". */
static void expect_defined(struct elf_opened *x, const char *what, int expected)
{
    CLEANUP_TEXT struct text name = {0};
    const char *at = strchr(what, '@');
    text_add_bytes(&name, what, at ? (size_t)(at - what) : strlen(what));
    cr_expect_eq(elf_symbol_defined(&x->file, &x->object, text_get(&name), at ? at + 1 : NULL),
                 expected, "%s", what);
}

static const char source[] =
    "__asm__(\".symver both1,both@V1\"); __asm__(\".symver both2,both@@V2\");\n"
    "__asm__(\".symver gone1,gone@V1\"); __asm__(\".symver third2,third@V2\");\n"
    "int both1, both2, gone1, third2, first = 1, second = 1, late = 1, inner = 1, loose = 1;\n";
static const char map[] = "V1 { global: first; both; gone; };\n"
                          "V2 { global: second; both; third; } V1;\n"
                          "V3 { global: late; local: inner; both1; both2; gone1; third2; } V2;\n";

Test(elf_symbol, versions)
{
    static const struct {
        const char *what;
        int defined;
    } expected[] = {{"first@V1", 1},
                    {"first@V2", 0},
                    {"first", 1},
                    {"second@V2", 1},
                    {"late@V3", 1},
                    {"late@V2", 0},
                    {"both@V1", 1},
                    {"both@V2", 1},
                    {"both@V3", 0},
                    {"inner", 0},
                    {"inner@V1", 0},
                    {"none", 0},
                    {"none@V1", 0},
                    {"third@V2", 1},
                    {"third@V1", 0},
                    {"second", 1},
                    {"late", 1},
                    {"both", 1},
                    {"gone@V1", 1},
                    /* not the default of their names: index 2 is the first version of the object,
                       which references from before it had versions mean, index 3 is not */
                    {"gone", 1},
                    {"third", 0},
                    /* of no version, and of the base version: anyone may have it */
                    {"loose", 1},
                    {"loose@V1", 1},
                    {"loose@OTHER", 1}};
    static const char *const styles[] = {"gnu", "sysv", "both"};
    char *root = scratch_new();
    scratch_write(root, "map", map);
    for (size_t k = 0; k < 3; k++) {
        CLEANUP_TEXT struct text flags = {0};
        struct elf_opened x;
        text_printf(&flags, "-shared -fPIC -Wl,--version-script=map,--hash-style=%s", styles[k]);
        elf_make(root, "a.so", source, text_get(&flags));
        cr_assert_eq(elf_open_at(&x, root, "a.so"), 0);
        for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
            expect_defined(&x, expected[i].what, expected[i].defined);
        elf_close(&x);
    }
    scratch_remove(root);
}

/* An object without any versions answers every reference. */
Test(elf_symbol, no_versions)
{
    char *root = scratch_new();
    struct elf_opened x;
    elf_make(root, "a.so",
             "int f(void) { return 1; } int weak(void) __attribute__((weak));\n"
             "int weak(void) { return 1; } __thread int local; extern int undefined;\n"
             "int use(void) { return undefined; }\n"
             "__attribute__((visibility(\"protected\"))) int guarded(void) { return 1; }\n",
             "-shared -fPIC -nostdlib");
    cr_assert_eq(elf_open_at(&x, root, "a.so"), 0);
    cr_expect_eq(x.object.tables.versions, 0);
    expect_defined(&x, "f", 1);
    expect_defined(&x, "f@ANY_1", 1);
    expect_defined(&x, "weak", 1);
    expect_defined(&x, "local", 1);
    expect_defined(&x, "guarded", 1);
    expect_defined(&x, "undefined", 0);
    expect_defined(&x, "", 0);
    elf_close(&x);
    scratch_remove(root);
}

/* A library of CUDA: each release adds functions to the one version that they all have. */
Test(elf_symbol, a_version_without_the_symbol)
{
    static const struct elf_symbol functions[] = {
        {.name = "__nvJitLinkAddData_12_0", .version = "libnvJitLink.so.12"}};
    struct elf_spec spec = {
        .class_bits = 64, .soname = "libnvJitLink.so.12", .defined = functions, .defined_count = 1};
    CLEANUP_TEXT struct text bytes = {0};
    struct elf_opened x;
    cr_assert_eq(elf_write(&spec, &bytes, NULL), 0);
    cr_assert_eq(elf_open_bytes(&x, bytes.data, bytes.length), 0);
    expect_defined(&x, "__nvJitLinkAddData_12_0@libnvJitLink.so.12", 1);
    expect_defined(&x, "__nvJitLinkAddData_12_1@libnvJitLink.so.12", 0);
    elf_close(&x);
}

/* The bytes of a variable, as in the file. */
Test(elf_symbol, data)
{
    static const char *const styles[] = {"gnu", "sysv"};
    char *root = scratch_new();
    scratch_write(root, "map", "LIB { global: part_version; empty; part; inner; };\n");
    for (size_t k = 0; k < 2; k++) {
        CLEANUP_TEXT struct text flags = {0};
        struct elf_opened x;
        unsigned char bytes[8] = {0};
        text_printf(&flags, "-shared -fPIC -nostdlib -Wl,--version-script=map,--hash-style=%s",
                    styles[k]);
        elf_make(root, "a.so",
                 "extern const unsigned part_version; const unsigned part_version = 0x90a02;\n"
                 "int empty; int part(void) { return 1; } static int inner = 1;\n"
                 "int *use(void) { return &inner; }\n",
                 text_get(&flags));
        cr_assert_eq(elf_open_at(&x, root, "a.so"), 0);
        cr_expect(elf_symbol_data(&x.file, &x.object, "part_version", bytes, 4));
        cr_expect_arr_eq(bytes, "\x02\x0a\x09\0", 4);
        cr_expect_not(elf_symbol_data(&x.file, &x.object, "part_version", bytes, 8), "its size");
        cr_expect_not(elf_symbol_data(&x.file, &x.object, "part", bytes, 4), "a function");
        cr_expect_not(elf_symbol_data(&x.file, &x.object, "empty", bytes, 4), "not in the file");
        cr_expect_not(elf_symbol_data(&x.file, &x.object, "inner", bytes, 4), "not for others");
        cr_expect_not(elf_symbol_data(&x.file, &x.object, "none", bytes, 4));
        elf_close(&x);
    }
    scratch_remove(root);
}

/* --- what is needed --- */

struct wish {
    const char *file;
    struct text told;
    size_t most;
};

static bool wants(void *data, const struct elf_version_need *need)
{
    const struct wish *wish = data;
    return !wish->file || (need && strcmp(need->file, wish->file) == 0);
}

static bool tell(void *data, const struct elf_undefined *symbol)
{
    struct wish *wish = data;
    text_printf(&wish->told, "%s@%s%s ", symbol->name, symbol->need ? symbol->need->version : "",
                symbol->is_weak ? "?" : "");
    return wish->most == 0 || --wish->most > 0;
}

static void expect_undefined(struct elf_opened *x, const char *file, size_t most,
                             const char *expected)
{
    struct wish wish = {.file = file, .most = most};
    const struct elf_undefined_filter filter = {.wants = wants};
    cr_assert_eq(elf_each_undefined(&x->file, &x->object, &filter, tell, &wish), 0);
    cr_expect_str_eq(text_get(&wish.told), expected);
    text_done(&wish.told);
}

Test(elf_symbol, undefined)
{
    static const struct elf_symbol symbols[] = {
        {.name = "printf", .version = "GLIBC_2.2.5", .library = "libc.so.6"},
        {.name = "zed"},
        {.name = "q", .version = "BAR_1", .library = "libbar.so.2"},
        {.name = "puts", .version = "GLIBC_2.34", .library = "libc.so.6"}};
    static const struct elf_symbol defined[] = {{.name = "here"}};
    for (size_t count = 0; count < 2; count++) {
        struct elf_spec spec = {.class_bits = 64,
                                .undefined = symbols,
                                .undefined_count = 4,
                                .defined = defined,
                                .defined_count = count};
        CLEANUP_TEXT struct text bytes = {0};
        struct elf_opened x;
        cr_assert_eq(elf_write(&spec, &bytes, NULL), 0);
        cr_assert_eq(elf_open_bytes(&x, bytes.data, bytes.length), 0);
        expect_undefined(&x, NULL, 0, "printf@GLIBC_2.2.5 zed@ q@BAR_1 puts@GLIBC_2.34 ");
        expect_undefined(&x, "libc.so.6", 0, "printf@GLIBC_2.2.5 puts@GLIBC_2.34 ");
        expect_undefined(&x, NULL, 2, "printf@GLIBC_2.2.5 zed@ ");
        expect_undefined(&x, "libcuda.so.1", 0, "");
        elf_close(&x);
    }
}

static bool wants_long(void *data, const char *name)
{
    (void)data;
    return strlen(name) > 2;
}

/* Only names without a version are asked about. */
Test(elf_symbol, undefined_that_are_wanted)
{
    static const struct elf_symbol symbols[] = {
        {.name = "q", .version = "BAR_1", .library = "libbar.so.2"},
        {.name = "no"},
        {.name = "yes"},
        {.name = "perhaps"}};
    struct elf_spec spec = {.class_bits = 64, .undefined = symbols, .undefined_count = 4};
    CLEANUP_TEXT struct text bytes = {0};
    struct elf_opened x;
    cr_assert_eq(elf_write(&spec, &bytes, NULL), 0);
    cr_assert_eq(elf_open_bytes(&x, bytes.data, bytes.length), 0);
    Elf64_Sym *table = (Elf64_Sym *)(bytes.data + x.object.tables.symbols);
    for (size_t i = 1; i <= 4; i++)
        if (!strcmp(bytes.data + x.object.tables.strings + table[i].st_name, "perhaps"))
            table[i].st_info = ELF64_ST_INFO(STB_WEAK, STT_NOTYPE);
    elf_close(&x);
    cr_assert_eq(elf_open_bytes(&x, bytes.data, bytes.length), 0);
    struct elf_undefined_filter filter = {.wants_name = wants_long};
    for (int skips_weak = 0; skips_weak < 2; skips_weak++) {
        struct wish wish = {0};
        filter.skips_weak = skips_weak;
        cr_assert_eq(elf_each_undefined(&x.file, &x.object, &filter, tell, &wish), 0);
        cr_expect_str_eq(text_get(&wish.told),
                         skips_weak ? "q@BAR_1 yes@ " : "q@BAR_1 yes@ perhaps@? ");
        text_done(&wish.told);
    }
    elf_close(&x);
}

/* Over many pages of the string table, and more than are read at once: each name, in the order of
 * the symbols, also those that begin in one window and end in the next. */
Test(elf_symbol, undefined_of_many_pages, .timeout = 60)
{
    enum { COUNT = 20000, LENGTH = 24, LONG = 20000 };
    static char names[COUNT][LENGTH], longest[LONG + 1];
    static struct elf_symbol symbols[COUNT];
    CLEANUP_TEXT struct text bytes = {0}, expected = {0};
    struct elf_opened x;
    memset(longest, 'x', LONG);
    for (size_t i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "%zu_%.*s", i * 7919 % COUNT, (int)(i % 13),
                 "abcdefghijklm");
        symbols[i].name = i == 777 ? longest : names[i];
        text_printf(&expected, "%s@ ", symbols[i].name);
    }
    struct elf_spec spec = {.class_bits = 64, .undefined = symbols, .undefined_count = COUNT};
    cr_assert_eq(elf_write(&spec, &bytes, NULL), 0);
    cr_assert_eq(elf_open_bytes(&x, bytes.data, bytes.length), 0);
    struct wish wish = {0};
    cr_assert_eq(elf_each_undefined(&x.file, &x.object, NULL, tell, &wish), 0);
    cr_expect(strcmp(text_get(&wish.told), text_get(&expected)) == 0);
    text_done(&wish.told);
    elf_close(&x);
}

static bool count_one(void *data, const struct elf_undefined *symbol)
{
    (void)symbol;
    ++*(size_t *)data;
    return true;
}

/* All of them have one name of a million bytes: reading it again and again is bounded. */
Test(elf_symbol, undefined_of_one_long_name, .timeout = 60)
{
    enum { COUNT = 2000, LONG = 1000000 };
    static char names[COUNT][8], longest[LONG + 1];
    static struct elf_symbol symbols[COUNT];
    CLEANUP_TEXT struct text bytes = {0};
    struct elf_opened x;
    size_t told = 0;
    memset(longest, 'x', LONG);
    for (size_t i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "s%zu", i);
        symbols[i].name = i ? names[i] : longest;
    }
    struct elf_spec spec = {.class_bits = 64, .undefined = symbols, .undefined_count = COUNT};
    cr_assert_eq(elf_write(&spec, &bytes, NULL), 0);
    cr_assert_eq(elf_open_bytes(&x, bytes.data, bytes.length), 0);
    Elf64_Sym *table = (Elf64_Sym *)(bytes.data + x.object.tables.symbols);
    uint32_t name = 0;
    for (size_t i = 1; i <= COUNT && !name; i++)
        if (bytes.data[x.object.tables.strings + table[i].st_name] == 'x')
            name = table[i].st_name;
    elf_close(&x);
    for (size_t i = 1; i <= COUNT; i++)
        table[i].st_name = name;
    cr_assert_eq(elf_open_bytes(&x, bytes.data, bytes.length), 0);
    cr_expect_eq(elf_each_undefined(&x.file, &x.object, NULL, count_one, &told), -EBADMSG);
    cr_expect(told > 200 && told < 300, "%zu", told);
    elf_close(&x);
}

Test(elf_symbol, undefined_weak)
{
    char *root = scratch_new();
    struct elf_opened x;
    elf_make(root, "a.so",
             "int maybe(void) __attribute__((weak)); int must(void);\n"
             "int use(void) { return maybe ? maybe() : must(); }",
             "-shared -fPIC -nostdlib");
    cr_assert_eq(elf_open_at(&x, root, "a.so"), 0);
    struct wish wish = {0};
    cr_assert_eq(elf_each_undefined(&x.file, &x.object, NULL, tell, &wish), 0);
    cr_expect(strstr(text_get(&wish.told), "maybe@? "), "%s", text_get(&wish.told));
    cr_expect(strstr(text_get(&wish.told), "must@ "), "%s", text_get(&wish.told));
    text_done(&wish.told);
    elf_close(&x);
    scratch_remove(root);
}
