/* The small files beside a distribution's METADATA, conda's specifications, and addresses. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "parse/address.h"
#include "parse/conda_meta.h"
#include "parse/direct_url.h"
#include "parse/record.h"
#include "parse/requires_txt.h"
#include "parse/wheel_file.h"

/* --- addresses --- */

Test(address, loses_what_is_secret)
{
    static const char *const cases[][2] = {
        {"https://download.pytorch.org/whl/cu126", "https://download.pytorch.org/whl/cu126"},
        {"https://user:secret@host:8080/simple/", "https://host:8080/simple/"},
        {"https://secret@host/simple", "https://host/simple"},
        {"https://user:p@ss@host/simple", "https://host/simple"},
        {"https://user:pa/ss@host/simple", "https://host/simple"},
        {"https://user:secret@[::1]:80/x", "https://[::1]:80/x"},
        {"https://user:p@secret/q@host/x", "https://host/x"},
        {"https://user:secret%40host/x", "https://user/x"},
        {"https:/user:secret@host/x", "https:/host/x"},
        {"https:///user:secret@host/x", "https:///host/x"},
        {"https//user:secret@host/x", "https//host/x"},
        {"../user:secret@host/x", "../host/x"},
        {"https://host/x?token=secret#sha256=1", "https://host/x"},
        {"git+https://secret@github.com/o/r.git@v1.0#egg=r", "git+https://github.com/o/r.git@v1.0"},
        {"git@github.com:o/r.git", "github.com:o/r.git"},
        {"https://conda.anaconda.org/t/tk-123-secret/nvidia", "https://conda.anaconda.org/nvidia"},
        {"conda.anaconda.org/t/secret", "conda.anaconda.org"},
        {"//user:secret@host/x", "//host/x"},
        {"https://dl.cloudsmith.io/aB3dE5gH7jK9mN1p/org/python/",
         "https://dl.cloudsmith.io/***/org/python/"},
        {"https://host/npat_1234567890abcdefgh-xyz/simple", "https://host/***/simple"},
        {"x@https://user:secret@host/y", "https://host/y"},
        {"pkg @ https://u:p@host/y https://u:p@host/z", "https://host/y"},
        {"https://host/y,https://u:p@host/z", "https://host/y,"},
        {"conda-forge", "conda-forge"},
        {"nvidia/label/cuda-12.4.1", "nvidia/label/cuda-12.4.1"},
        {"/srv/wheels/a?b#c@d", "/srv/wheels/a?b#c@d"},
        {"./wheels", "./wheels"},
        {"~/t/wheels", "~/t/wheels"},
        {"  https://host/x \t", "https://host/x"},
        {"", ""},
        {"https://", "https://"},
        {"https://host/\x1b[31m", NULL},
    };
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *seen = address_clean(cases[i][0], strlen(cases[i][0]), &arena);
        cr_expect(text_equal(seen, cases[i][1]), "%s: %s", cases[i][0], seen);
    }
    arena_done(&arena);
}

Test(address, inside_a_text)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"numpy 1.*", "numpy 1.*"},
        {"/opt/a:/opt/b@c", "/opt/a:/opt/b@c"},
        {"--x=https://u:secret@h/y?k=secret --z", "--x=https://h/y --z"},
        {"https://u:secret@h::numpy >=1", "https://h >=1"},
        {"a://u:secret@h b://t:secret@i", "a://h b://i"},
        {"://", "://"},
        {"x\ny://u:secret@h\x01", "x\n***"},
    };
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *seen = address_scrub(cases[i][0], &arena);
        cr_expect_str_eq(seen, cases[i][1], "%s: %s", cases[i][0], seen);
    }
    arena_done(&arena);
}

Test(address, of_a_folder)
{
    struct arena arena = {0};
    cr_expect_str_eq(address_path("file:///home/u/my%20proj", &arena), "/home/u/my proj");
    cr_expect_str_eq(address_path("file://localhost/x%zz%4", &arena), "/x%zz%4");
    cr_expect_null(address_path("https://host/x", &arena));
    cr_expect_null(address_path("file:///x%0ay", &arena));
    cr_expect_null(address_path("file://host", &arena));
    arena_done(&arena);
}

/* --- direct_url.json, WHEEL --- */

static void check_direct(const char *text, const char *expected)
{
    struct arena arena = {0};
    struct direct_url found;
    bool is_good = direct_url_parse(text, strlen(text), &arena, &found);
    const char *seen =
        is_good ? arena_printf(&arena, "%s %s", found.origin, found.url ? found.url : "-") : NULL;
    cr_expect(text_equal(seen, expected), "%s: %s", text, seen);
    arena_done(&arena);
}

Test(direct_url, kinds)
{
    check_direct("{\"url\":\"file:///p\",\"dir_info\":{\"editable\":true}}", "editable /p");
    check_direct("{\"url\":\"file:///p\",\"dir_info\":{}}", "folder /p");
    check_direct("{\"url\":\"https://u:t@h/a.whl?x=1\",\"archive_info\":{}}",
                 "archive https://h/a.whl");
    check_direct("{\"url\":\"https://tok@h/r\",\"vcs_info\":{\"vcs\":\"git\"}}", "vcs https://h/r");
    check_direct("{\"url\":\"https://h/r\"}", NULL);
    check_direct("{\"url\":1,\"dir_info\":{}}", NULL);
    check_direct("[]", NULL);
    check_direct("{\"url\":\"file:///p\",\"dir_info\":{\"edit", NULL);
    check_direct("", NULL);
}

static void check_wheel(const char *text, const char *expected)
{
    struct arena arena = {0};
    const char *seen = wheel_platform(text, strlen(text), &arena);
    cr_expect(text_equal(seen, expected), "%s: %s", text, seen);
    arena_done(&arena);
}

Test(wheel_file, platforms)
{
    check_wheel("Wheel-Version: 1.0\nTag: py3-none-any\n", "any");
    check_wheel("Tag: cp312-cp312-manylinux_2_28_x86_64\r\nTag: cp312-cp312-manylinux_2_27_x86_64",
                "manylinux_2_27_x86_64");
    check_wheel("Tag: cp312-cp312-manylinux2014_x86_64\nTag: cp312-cp312-manylinux_2_17_x86_64\n",
                "manylinux_2_17_x86_64");
    check_wheel("Tag: cp38-abi3-manylinux1_x86_64.manylinux2010_x86_64\n", "manylinux1_x86_64");
    check_wheel("Tag: cp312-cp312-linux_x86_64\n", "linux_x86_64");
    check_wheel("Tag: cp312-cp312-musllinux_1_2_x86_64\n", "musllinux_1_2_x86_64");
    check_wheel("Tag: nothing\n", NULL);
    check_wheel("Tag: a-b-\x1b[1m\n", NULL);
    check_wheel("\0\0", NULL);
}

/* --- requires.txt --- */

Test(requires_txt, sections)
{
    static const char text[] = "six>=1.0\n\n[:python_version<\"3\"]\nenum34\n\n[gpu]\n"
                               "cupy-cuda12x[x]>=13\n[gpu:sys_platform==\"linux\"]\nnvidia-ml-py\n"
                               "[-bad]\nleft-out\n[open\nleft-out\n[Two_Words]\n# no\n-bad\nb\n";
    struct arena arena = {0};
    struct metadata found = {0};
    CLEANUP_TEXT struct text seen = {0};
    requires_txt_parse(text, sizeof text - 1, &arena, &found);
    for (size_t i = 0; i < found.requirement_count; i++) {
        const struct metadata_requirement *item = &found.requirements[i];
        text_printf(&seen, "%s%s|%s|%s|%s;", item->name, item->specifier,
                    item->extras ? item->extras : "", item->extra ? item->extra : "",
                    item->marker ? item->marker : "");
    }
    cr_expect_str_eq(text_get(&seen),
                     "six>=1.0|||;enum34|||python_version<\"3\";"
                     "cupy-cuda12x>=13|x|gpu|extra == 'gpu';"
                     "nvidia-ml-py||gpu|(sys_platform==\"linux\") and extra == 'gpu';"
                     "b||two-words|extra == 'two-words';");
    metadata_done(&found);
    arena_done(&arena);
}

/* --- specifications of conda --- */

Test(conda_spec, forms)
{
    static const char *const cases[][2] = {
        {"__cuda", "__cuda||-"},
        {"cuda-version >=12.4,<13", "cuda-version|>=12.4,<13|-"},
        {"cuda-version >= 12.4, <13", "cuda-version|>=12.4,<13|-"},
        {"pytorch 2.5.* *cuda*", "pytorch|2.5.*|*cuda*"},
        {"python_abi 3.12.* *_cp312", "python_abi|3.12.*|*_cp312"},
        {"numpy=1.26", "numpy|1.26.*|-"},
        {"numpy=1.26=py*", "numpy|1.26|py*"},
        {"pytorch=2.6=cuda*", "pytorch|2.6|cuda*"},
        {"pytorch =2.6 cuda*", "pytorch|2.6|cuda*"},
        {"pytorch=2.6.*=cuda*", "pytorch|2.6.*|cuda*"},
        {"pytorch[version='=2.6',build=cuda*]", "pytorch|2.6.*|cuda*"},
        {"numpy==1.26.4=py_0", "numpy|==1.26.4|py_0"},
        {"numpy 1.26 *", "numpy|1.26|-"},
        {"numpy *", "numpy||-"},
        {"Numpy * py312*", "numpy||py312*"},
        {"numpy[version='>=1.2,<2',build=py*]", "numpy|>=1.2,<2|py*"},
        {"conda-forge::numpy[version=1.2]", "numpy|1.2|-"},
        {"nvidia/label/x::cuda-toolkit 12.4.*", "cuda-toolkit|12.4.*|-"},
        {"x >=1 | <0.5", "x|>=1|<0.5|-"},
        {"a!=1=2", "a|!=1=2|-"},
        {"a[version='open", "a|'open|-"},
        {"", NULL},
        {" >=1", NULL},
        {"$(x) 1", NULL},
        {"a\x1b[1m", NULL},
    };
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct conda_spec spec;
        const char *seen = conda_spec_parse(cases[i][0], &arena, &spec)
                               ? arena_printf(&arena, "%s|%s|%s", spec.name, spec.specifier,
                                              spec.build ? spec.build : "-")
                               : NULL;
        cr_expect(text_equal(seen, cases[i][1]), "%s: %s", cases[i][0], seen);
    }
    arena_done(&arena);
}

/* --- RECORD --- */

struct memory {
    const char *data;
    size_t size, at, step;
};

static ssize_t read_memory(void *context, void *buffer, size_t size)
{
    struct memory *memory = context;
    size_t left = memory->size - memory->at, take = left < size ? left : size;
    take = take < memory->step ? take : memory->step;
    memcpy(buffer, memory->data + memory->at, take);
    memory->at += take;
    return (ssize_t)take;
}

static void keep_line(void *context, const struct record_line *line)
{
    text_printf(context, "%.*s=%lld;", (int)line->path.length, line->path.data,
                line->size.known ? (long long)line->size.value : -1);
}

static void scan_record(const char *data, size_t size, size_t step, struct text *seen,
                        struct record_end *end)
{
    struct memory memory = {data, size, 0, step};
    text_clear(seen);
    cr_assert_eq(record_scan(&(struct byte_source){read_memory, &memory}, keep_line, seen, end), 0);
}

Test(record, lines)
{
    static const char text[] = "a/b.py,sha256=xy_-,12\r\n\"with, \"\"comma\"\"\",sha256=x,3\n\n"
                               "../../../bin/t,,\nx.dist-info/RECORD,,\nlast,sha256=q,0";
    CLEANUP_TEXT struct text seen = {0};
    struct record_end end;
    for (size_t step = 1; step < 30; step++) {
        scan_record(text, sizeof text - 1, step, &seen, &end);
        cr_expect_str_eq(text_get(&seen), "a/b.py=12;with, \"comma\"=3;../../../bin/t=-1;"
                                          "x.dist-info/RECORD=-1;last=0;");
        cr_expect(!end.is_odd && !end.is_cut && !end.is_too_long && end.lines == 5);
    }
}

Test(record, broken_ones)
{
    CLEANUP_TEXT struct text seen = {0};
    struct record_end end;
    scan_record("a,sha256=x,1\nb/c", 16, 5, &seen, &end);
    cr_expect(end.is_cut && !end.is_odd);
    cr_expect_str_eq(text_get(&seen), "a=1;");
    scan_record("\"open,sha256=x,1\na,h,x\nc\0d,h,1\n,h,1\ngood,h,1\n", 44, 7, &seen, &end);
    cr_expect(end.is_odd && !end.is_cut);
    cr_expect_str_eq(text_get(&seen), "good=1;");
    CLEANUP_TEXT struct text line = {0};
    for (int i = 0; i < 100000; i++)
        text_add(&line, "long");
    text_add(&line, ",h,1\nnext,h,2\n");
    scan_record(line.data, line.length, 100, &seen, &end);
    cr_expect(end.is_odd);
    cr_expect(text_ends(text_get(&seen), "next=2;"));
}

static ssize_t read_endless(void *context, void *buffer, size_t size)
{
    (void)context;
    memset(buffer, '\n', size);
    return (ssize_t)size;
}

static ssize_t read_broken(void *context, void *buffer, size_t size)
{
    (void)context, (void)buffer, (void)size;
    return -EIO;
}

Test(record, has_an_end)
{
    CLEANUP_TEXT struct text seen = {0};
    struct record_end end;
    cr_expect_eq(record_scan(&(struct byte_source){read_endless, NULL}, keep_line, &seen, &end), 0);
    cr_expect(end.is_too_long);
    cr_expect_eq(record_scan(&(struct byte_source){read_broken, NULL}, keep_line, &seen, &end),
                 -EIO);
}
