/* Manifests of recorded machines: what each kind of entry lays out, and what is refused. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "manifest.h"

static char folder[64];

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info, (void)type, (void)place;
    return remove(path);
}

static int unlock_one(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info, (void)place;
    return type == FTW_D ? chmod(path, 0700) : 0;
}

static void remove_tree(const char *path)
{
    nftw(path, unlock_one, 16, FTW_PHYS);
    nftw(path, remove_one, 16, FTW_PHYS | FTW_DEPTH);
}

static void make_folder(void)
{
    strcpy(folder, "/tmp/test-manifest-XXXXXX");
    cr_assert(mkdtemp(folder));
}

static void drop_folder(void)
{
    remove_tree(folder);
}

TestSuite(manifest, .init = make_folder, .fini = drop_folder);

static const char *in_folder(const char *name)
{
    static char path[4][4096];
    static unsigned turn;
    char *out = path[turn++ % 4];
    snprintf(out, sizeof path[0], "%s/%s", folder, name);
    return out;
}

static int lay(const char *manifest, struct error *err)
{
    FILE *file = fopen(in_folder("m.tree"), "w");
    cr_assert(file);
    fputs(manifest, file);
    fclose(file);
    return tree_lay_out(in_folder("m.tree"), in_folder("root"), err);
}

static void lay_well(const char *manifest)
{
    struct error err = {0};
    cr_assert_eq(lay(manifest, &err), 0, "%s", err.text);
}

static void read_bytes(const char *path, struct text *out)
{
    char buffer[4096];
    size_t n;
    FILE *file = fopen(in_folder(path), "rb");
    cr_assert(file, "%s: %s", path, strerror(errno));
    while ((n = fread(buffer, 1, sizeof buffer, file)) > 0)
        text_add_bytes(out, buffer, n);
    fclose(file);
}

static void expect_file(const char *path, const char *bytes, size_t length)
{
    CLEANUP_TEXT struct text text = {0};
    read_bytes(path, &text);
    cr_assert_eq(text.length, length, "%s has %zu bytes", path, text.length);
    cr_assert(memcmp(text_get(&text), bytes, length) == 0, "%s: '%s'", path, text_get(&text));
}

#define EXPECT_FILE(path, literal) expect_file("root/" path, literal, sizeof(literal) - 1)

static unsigned mode_of(const char *path)
{
    struct stat info;
    cr_assert_eq(lstat(in_folder(path), &info), 0, "%s: %s", path, strerror(errno));
    return info.st_mode;
}

static void expect_link(const char *path, const char *target)
{
    char buffer[256] = "";
    cr_assert(readlink(in_folder(path), buffer, sizeof buffer - 1) > 0);
    cr_assert_str_eq(buffer, target);
}

Test(manifest, files_hold_their_lines)
{
    lay_well("# a comment\n"
             "\n"
             "file /.record/environ\n"
             "| A=b c\n"
             "|\n"
             "|   d\n"
             "  | e \\\\ \\x41\\e[0m\\s\n"
             "| cut\\\n"
             "file /empty\n"
             "file /nul\n"
             "| a\\x00b\n");
    EXPECT_FILE(".record/environ", "A=b c\n\n  d\ne \\ A\033[0m \ncut");
    EXPECT_FILE("empty", "");
    EXPECT_FILE("nul", "a\0b\n");
}

Test(manifest, a_comment_or_blank_line_does_not_end_an_entry)
{
    lay_well("file /a\n| 1\n# between\n\n| 2\n");
    EXPECT_FILE("a", "1\n2\n");
}

Test(manifest, names_may_hold_anything)
{
    lay_well("file \"/a b/$(touch x);'\\n\\e[31m\\\"\"\n| 1\n"
             "in /a\\sb\n"
             "file \"k=v\"\n| 2\n"
             "file /caf\303\251\n| 3\n"
             "link l -> \"../x y\"\n");
    EXPECT_FILE("a b/$(touch x);'\n\033[31m\"", "1\n");
    EXPECT_FILE("a b/k=v", "2\n");
    EXPECT_FILE("caf\303\251", "3\n");
    expect_link("root/a b/l", "../x y");
}

Test(manifest, modes_are_exact_and_independent_of_the_umask)
{
    umask(077);
    lay_well("dir /closed mode=0000\n"
             "file /closed/inside mode=4755\n"
             "dir /open/empty\n"
             "dir /closed/deep mode=1777\n"
             "fifo /pipe mode=0622\n"
             "file /plain\n");
    cr_assert_eq(mode_of("root/closed"), S_IFDIR | 0000);
    chmod(in_folder("root/closed"), 0700);
    cr_assert_eq(mode_of("root/closed/inside"), S_IFREG | 04755);
    cr_assert_eq(mode_of("root/closed/deep"), S_IFDIR | 01777);
    cr_assert_eq(mode_of("root/open"), S_IFDIR | 0755);
    cr_assert_eq(mode_of("root/open/empty"), S_IFDIR | 0755);
    cr_assert_eq(mode_of("root/pipe"), S_IFIFO | 0622);
    cr_assert_eq(mode_of("root/plain"), S_IFREG | 0644);
}

Test(manifest, binary_and_huge_files)
{
    struct stat info;
    lay_well("hex /efi\n| 06 00 0000\n| fF\n"
             "file /huge size=4G\n| head\n");
    EXPECT_FILE("efi", "\006\0\0\0\377");
    cr_assert_eq(stat(in_folder("root/huge"), &info), 0);
    cr_assert_eq(info.st_size, 4LL << 30);
    cr_assert_lt(info.st_blocks, 1024, "the file has no hole");
}

Test(manifest, distinfo_becomes_metadata_installer_and_record)
{
    lay_well("in /v/lib/python3.12/site-packages\n"
             "distinfo . zope.interface--x 1.0 installer=uv requires=\"a==1; b>=2\"\n"
             "| c; extra == \"t\"\n"
             "+ nvidia/nccl/lib/libnccl.so.2\n"
             "distinfo /s PyYAML 6 dir=pyyaml-6.dist-info installer=\n");
#define SITE "v/lib/python3.12/site-packages/"
    EXPECT_FILE(SITE "zope_interface_x-1.0.dist-info/METADATA",
                "Metadata-Version: 2.1\nName: zope.interface--x\nVersion: 1.0\n"
                "Requires-Dist: a==1\nRequires-Dist: b>=2\n"
                "Requires-Dist: c; extra == \"t\"\n\n");
    EXPECT_FILE(SITE "zope_interface_x-1.0.dist-info/INSTALLER", "uv\n");
    EXPECT_FILE(SITE "zope_interface_x-1.0.dist-info/RECORD",
                "nvidia/nccl/lib/libnccl.so.2,,\n"
                "zope_interface_x-1.0.dist-info/RECORD,,\n");
    EXPECT_FILE("s/pyyaml-6.dist-info/RECORD", "pyyaml-6.dist-info/RECORD,,\n");
    cr_assert_eq(access(in_folder("root/s/pyyaml-6.dist-info/INSTALLER"), F_OK), -1);
}

Test(manifest, condapkg_becomes_a_conda_meta_record)
{
    lay_well("condapkg /c pytorch 2.6.0 cuda126_py313_201 conda-forge depends=\"x 1.*; y\"\n"
             "| z >=3\n"
             "+ lib/libtorch.so\n");
    json_error_t error;
    json_t *record = json_load_file(
        in_folder("root/c/conda-meta/pytorch-2.6.0-cuda126_py313_201.json"), 0, &error);
    json_t *expected =
        json_pack("{s:s, s:s, s:s, s:i, s:s, s:s, s:[s, s, s], s:[s], s:s}", "name", "pytorch",
                  "version", "2.6.0", "build", "cuda126_py313_201", "build_number", 201, "channel",
                  "conda-forge", "subdir", "linux-64", "depends", "x 1.*", "y", "z >=3", "files",
                  "lib/libtorch.so", "fn", "pytorch-2.6.0-cuda126_py313_201.conda");
    cr_assert(record, "%s", error.text);
    cr_assert(json_equal(record, expected));
    json_decref(record);
    json_decref(expected);
}

static const struct {
    const char *manifest, *message; /* the message after "...m.tree:" */
} refused[] = {
    {"file /a\nfil /b\n", "2: 'fil' is not a kind of entry"},
    {"| x\n", "1: a line without its entry"},
    {"  mode=1\n", "1: a line without its entry"},
    {"# c\n\nfile /a\n| x\\q\n", "4: bad escape in column 3"},
    {"file /a\n| x\\x4\n", "2: bad escape in column 3"},
    {"file /\\z\n", "1: bad escape in column 8"},
    {"file \"/a\n", "1: a quote is not closed"},
    {"file /a\\x00b\n", "1: a word cannot hold a NUL"},
    {"file \377\n", "1: not UTF-8 text"},
    {"mode=1 file\n", "1: an entry begins with its kind"},
    {"file\n", "1: file takes 1 words, not 0"},
    {"file /a /b\n", "1: file takes 1 words, not 2"},
    {"file /a\n  mode=0644\n  sise=1\n", "3: file does not take sise="},
    {"elf soname=x /a\n", "1: '/a' comes after a KEY=VALUE"},
    {"dir /a\n| x\n", "2: dir does not take lines with '|'"},
    {"file /a\n| x\n+ y\n", "3: file does not take lines with '+'"},
    {"file /a mode=9\n", "1: mode=9 is not an octal mode"},
    {"file /a mode=\n", "1: mode= is not an octal mode"},
    {"file /a mode=-1\n", "1: mode=-1 is not an octal mode"},
    {"file /a mode=10000\n", "1: mode=10000 is not an octal mode"},
    {"file /a size=1T\n", "1: size=1T is not a size"},
    {"file /a size=99999999999999999999\n", "1: size=99999999999999999999 is not a size"},
    {"file /a size=1\n| long\n", "1: a already has 5 bytes"},
    {"hex /a\n| 0g\n", "2: not pairs of hexadecimal digits"},
    {"hex /a\n| 012\n", "2: an odd number of hexadecimal digits"},
    {"link /a b c\n", "1: a link is written PATH -> TARGET"},
    {"elf /a machine=mips\n", "1: machine=mips is not known"},
    {"elf /a class=16\n", "1: class=16 is neither 32 nor 64"},
    {"elf /a device=sm_90a,ptx_120\n", "1: 'ptx_120' is no target of device code"},
    {"elf /a class=32 device=sm_90\n", "1: a 32-bit object cannot hold device code"},
    {"elf /a undefined=f@V\n", "1: version V of f names no library"},
    {"ldcache /a\n| x -> /x [x86_64]\n| y /y [x86_64]\n",
     "3: not of the form SONAME -> PATH [ARCH]"},
    {"ldcache /a\n| x -> /x [mips]\n", "2: [mips] is not known"},
    {"distinfo /s a 1\n| b\\\n", "2: not a whole line of text"},
    {"file /../a\n", "1: '/../a' is not a plain path"},
    {"file /a//b\n", "1: '/a//b' is not a plain path"},
    {"file /a/./b\n", "1: '/a/./b' is not a plain path"},
    {"dir /\n", "1: '/' is not a plain path"},
    {"file /a\nfile /a\n", "2: a: File exists"},
    {"file /a\nfile /a/b\n", "2: folder a: Not a directory"},
    {"link /etc -> /tmp\nfile /etc/x\n", "2: folder etc: Not a directory"},
    {"link /a -> /tmp\ndir /a\n", "2: a: Not a directory"},
};

Test(manifest, mistakes_are_named_with_their_line)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct error err = {0};
        char expected[512];
        int r = lay(refused[i].manifest, &err);
        snprintf(expected, sizeof expected, "%s:%s", in_folder("m.tree"), refused[i].message);
        cr_expect_lt(r, 0, "accepted: %s", refused[i].manifest);
        cr_expect_str_eq(err.text, expected);
        remove_tree(in_folder("root"));
    }
}

Test(manifest, a_missing_manifest_or_folder_is_an_error)
{
    struct error err = {0};
    cr_assert_eq(tree_lay_out(in_folder("none"), folder, &err), -ENOENT);
    cr_assert(text_ends(err.text, "/none: No such file or directory"));
    cr_assert_eq(lay("file /a\n", &err), 0);
    cr_assert_eq(tree_lay_out(in_folder("m.tree"), in_folder("x/y"), &err), -ENOENT);
    cr_assert_eq(tree_lay_out(folder, in_folder("z"), &err), -EISDIR);
}

/* What the expectation file of every recorded machine must hold. */
static void check_expectation(const char *path)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    cr_assert(root, "%s:%d: %s", path, error.line, error.text);
    cr_expect(json_is_array(json_object_get(root, "any")), "%s: any", path);
    cr_expect(json_is_array(json_object_get(root, "none")), "%s: none", path);
    cr_expect(json_is_string(json_object_get(root, "severity")), "%s: severity", path);
    cr_expect(json_is_integer(json_object_get(root, "status")), "%s: status", path);
    cr_expect(json_is_object(json_object_get(root, "facts")), "%s: facts", path);
    json_decref(root);
}

Test(manifest, every_recorded_machine_lays_out, .timeout = 100)
{
    DIR *dir = opendir(SOURCE_DIR "/fixtures/machines");
    cr_assert(dir);
    unsigned count = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        struct error err = {0};
        char path[4096];
        if (!text_ends(entry->d_name, ".tree"))
            continue;
        snprintf(path, sizeof path, SOURCE_DIR "/fixtures/machines/%s", entry->d_name);
        cr_expect_eq(tree_lay_out(path, in_folder("root"), &err), 0, "%s", err.text);
        /* without a record a tree is an unpacked image */
        if (!text_starts(entry->d_name, "sysroot-"))
            cr_expect(mode_of("root/.record") & S_IFDIR, "%s has no /.record", path);
        remove_tree(in_folder("root"));
        snprintf(path + strlen(path) - strlen(".tree"), 32, ".expect.json");
        check_expectation(path);
        count++;
    }
    closedir(dir);
    cr_assert_geq(count, 37);
}
