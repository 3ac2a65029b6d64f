/* What this program reads of ELF files against what elfutils reads: by sections there, by segments
 * and hash tables here. */
#include <dirent.h>
#include <gelf.h>
#include <string.h>

#include "elf/symbol.h"
#include "elf_made.h"

enum { FILES_MAX = 300, SYMBOLS_MAX = 1500 };

/* --- elfutils --- */

struct oracle {
    Elf *elf;
    const char *versions[0x8000]; /* by index, without those of the file itself */
    size_t defined_count;
    const char **defined; /* names, sorted */
};

static Elf_Data *section(Elf *elf, unsigned type, GElf_Shdr *ret)
{
    Elf_Scn *at = NULL;
    while ((at = elf_nextscn(elf, at)))
        if (gelf_getshdr(at, ret) && ret->sh_type == type)
            return elf_getdata(at, NULL);
    return NULL;
}

static void tell_dynamic(Elf *elf, struct text *out)
{
    static const struct {
        int64_t tag;
        const char *name;
    } tags[] = {
        {DT_SONAME, "soname"}, {DT_RPATH, "rpath"}, {DT_RUNPATH, "runpath"}, {DT_NEEDED, "needed"}};
    GElf_Shdr header;
    GElf_Dyn dyn;
    Elf_Data *data = section(elf, SHT_DYNAMIC, &header);
    uint64_t flags = 0, flags_1 = 0;
    bool now = false;
    for (size_t k = 0; k < sizeof tags / sizeof *tags; k++)
        for (int i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++)
            if (dyn.d_tag == tags[k].tag)
                text_printf(out, "%s %s\n", tags[k].name,
                            elf_strptr(elf, header.sh_link, dyn.d_un.d_val));
    for (int i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
        flags = dyn.d_tag == DT_FLAGS ? dyn.d_un.d_val : flags;
        flags_1 = dyn.d_tag == DT_FLAGS_1 ? dyn.d_un.d_val : flags_1;
        now |= dyn.d_tag == DT_BIND_NOW;
    }
    now |= (flags & DF_BIND_NOW) || (flags_1 & DF_1_NOW);
    text_printf(out, "dynamic %d flags %lx %lx now %d\n", data != NULL, (unsigned long)flags,
                (unsigned long)flags_1, now);
}

static void tell_versions(struct oracle *oracle, struct text *out)
{
    GElf_Shdr header;
    GElf_Verneed need;
    GElf_Vernaux part;
    GElf_Verdef definition;
    GElf_Verdaux name;
    Elf *elf = oracle->elf;
    Elf_Data *data = section(elf, SHT_GNU_verneed, &header);
    for (int at = 0; data && gelf_getverneed(data, at, &need); at += (int)need.vn_next) {
        for (int i = 0, k = at + (int)need.vn_aux; i < need.vn_cnt; i++, k += (int)part.vna_next) {
            cr_assert(gelf_getvernaux(data, k, &part));
            oracle->versions[part.vna_other & 0x7fff] =
                elf_strptr(elf, header.sh_link, part.vna_name);
            text_printf(out, "need %s %s %u %d\n", elf_strptr(elf, header.sh_link, need.vn_file),
                        elf_strptr(elf, header.sh_link, part.vna_name), part.vna_other & 0x7fff,
                        (part.vna_flags & VER_FLG_WEAK) != 0);
        }
        if (!need.vn_next)
            break;
    }
    data = section(elf, SHT_GNU_verdef, &header);
    for (int at = 0; data && gelf_getverdef(data, at, &definition); at += (int)definition.vd_next) {
        cr_assert(gelf_getverdaux(data, at + (int)definition.vd_aux, &name));
        const char *version = elf_strptr(elf, header.sh_link, name.vda_name);
        bool is_base = definition.vd_flags & VER_FLG_BASE;
        if (!is_base)
            oracle->versions[definition.vd_ndx & 0x7fff] = version;
        text_printf(out, "defines %s %u %d\n", version, definition.vd_ndx & 0x7fff, is_base);
        if (!definition.vd_next)
            break;
    }
}

/* --- ours, in the same words --- */

static void tell_ours(const struct elf_object *object, struct text *out)
{
    if (object->soname)
        text_printf(out, "soname %s\n", object->soname);
    if (object->rpath)
        text_printf(out, "rpath %s\n", object->rpath);
    if (object->runpath)
        text_printf(out, "runpath %s\n", object->runpath);
    for (size_t i = 0; i < object->needed_count; i++)
        text_printf(out, "needed %s\n", object->needed[i]);
    text_printf(out, "dynamic %d flags %lx %lx now %d\n", object->is_dynamic,
                (unsigned long)object->flags, (unsigned long)object->flags_1, object->binds_now);
    for (size_t i = 0; i < object->need_count; i++)
        text_printf(out, "need %s %s %u %d\n", object->needs[i].file, object->needs[i].version,
                    object->needs[i].index, object->needs[i].is_weak);
    for (size_t i = 0; i < object->definition_count; i++)
        text_printf(out, "defines %s %u %d\n", object->definitions[i].version,
                    object->definitions[i].index, object->definitions[i].is_base);
}

static bool tell_undefined(void *data, const struct elf_undefined *symbol)
{
    text_printf(data, "%s@%s %d%d\n", symbol->name, symbol->need ? symbol->need->version : "",
                symbol->is_weak, symbol->is_function);
    return true;
}

/* --- symbols --- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_definition(const GElf_Sym *symbol)
{
    unsigned bind = GELF_ST_BIND(symbol->st_info), type = GELF_ST_TYPE(symbol->st_info);
    unsigned visibility = GELF_ST_VISIBILITY(symbol->st_other);
    return symbol->st_shndx != SHN_UNDEF && bind != STB_LOCAL && type != STT_SECTION &&
           type != STT_FILE && visibility != STV_HIDDEN && visibility != STV_INTERNAL &&
           (symbol->st_value || symbol->st_shndx == SHN_ABS || type == STT_TLS);
}

/* Every symbol that elfutils sees in the table is found or not found by its hash; those that are
 * undefined are told in the same order. */
static void expect_symbols(struct oracle *oracle, struct elf_opened *ours, const char *path)
{
    GElf_Shdr header, other;
    GElf_Sym symbol;
    Elf_Data *data = section(oracle->elf, SHT_DYNSYM, &header);
    Elf_Data *indexes = section(oracle->elf, SHT_GNU_versym, &other);
    size_t count = data ? (size_t)(header.sh_size / header.sh_entsize) : 0;
    CLEANUP_TEXT struct text theirs = {0}, mine = {0};
    oracle->defined = calloc(count + 1, sizeof *oracle->defined);
    for (size_t i = 1; i < count; i++) {
        GElf_Versym index = 0;
        gelf_getsym(data, (int)i, &symbol);
        if (indexes)
            gelf_getversym(indexes, (int)i, &index);
        const char *name = elf_strptr(oracle->elf, header.sh_link, symbol.st_name);
        const char *version = oracle->versions[index & 0x7fff];
        unsigned type = GELF_ST_TYPE(symbol.st_info);
        if (is_definition(&symbol))
            oracle->defined[oracle->defined_count++] = name;
        else if (symbol.st_shndx == SHN_UNDEF && GELF_ST_BIND(symbol.st_info) != STB_LOCAL)
            text_printf(&theirs, "%s@%s %d%d\n", name, version ? version : "",
                        GELF_ST_BIND(symbol.st_info) == STB_WEAK,
                        type == STT_FUNC || type == STT_GNU_IFUNC);
    }
    qsort(oracle->defined, oracle->defined_count, sizeof *oracle->defined, by_name);
    cr_assert_eq(elf_each_undefined(&ours->file, &ours->object, NULL, tell_undefined, &mine), 0);
    cr_expect_str_eq(text_get(&mine), text_get(&theirs), "%s", path);
    size_t step = count / SYMBOLS_MAX + 1;
    for (size_t i = 1; i < count; i += step) {
        GElf_Versym index = 1;
        gelf_getsym(data, (int)i, &symbol);
        if (indexes)
            gelf_getversym(indexes, (int)i, &index);
        const char *name = elf_strptr(oracle->elf, header.sh_link, symbol.st_name);
        const char *version = oracle->versions[index & 0x7fff];
        if (is_definition(&symbol)) {
            cr_expect_eq(elf_symbol_defined(&ours->file, &ours->object, name, version), 1,
                         "%s: %s@%s", path, name, version ? version : "");
            if (version && index & 0x8000) /* hidden */
                continue;
            cr_expect_eq(elf_symbol_defined(&ours->file, &ours->object, name, NULL), 1, "%s: %s",
                         path, name);
        } else if (!bsearch(&name, oracle->defined, oracle->defined_count, sizeof *oracle->defined,
                            by_name)) {
            cr_expect_eq(elf_symbol_defined(&ours->file, &ours->object, name, NULL), 0, "%s: %s",
                         path, name);
        }
    }
    free(oracle->defined);
}

/* False for what is no 64-bit object. */
static bool expect_same(const char *path)
{
    struct elf_opened ours;
    int r = elf_open(&ours, path);
    if (r < 0) {
        elf_close(&ours);
        return false;
    }
    struct oracle *oracle = calloc(1, sizeof *oracle);
    CLEANUP_TEXT struct text theirs = {0}, mine = {0};
    oracle->elf = elf_begin(ours.fd, ELF_C_READ, NULL);
    cr_assert(oracle->elf, "%s: %s", path, elf_errmsg(-1));
    tell_dynamic(oracle->elf, &theirs);
    tell_versions(oracle, &theirs);
    tell_ours(&ours.object, &mine);
    cr_expect_str_eq(text_get(&mine), text_get(&theirs), "%s", path);
    expect_symbols(oracle, &ours, path);
    elf_end(oracle->elf);
    free(oracle);
    elf_close(&ours);
    return true;
}

TestSuite(elf_oracle, .timeout = 100);

Test(elf_oracle, libraries_of_the_system)
{
    static const struct {
        const char *path, *part; /* of the names of its files */
    } folders[] = {{"/usr/lib/x86_64-linux-gnu", ".so"},
                   {"/usr/lib/aarch64-linux-gnu", ".so"},
                   {"/usr/lib64", ".so"},
                   {"/usr/bin", ""}};
    cr_assert_neq(elf_version(EV_CURRENT), EV_NONE);
    size_t same = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        DIR *folder = opendir(folders[i].path);
        size_t here = 0;
        for (struct dirent *entry; folder && here < FILES_MAX && (entry = readdir(folder));) {
            CLEANUP_TEXT struct text path = {0};
            struct stat st;
            text_printf(&path, "%s/%s", folders[i].path, entry->d_name);
            if (strstr(entry->d_name, folders[i].part) && lstat(text_get(&path), &st) == 0 &&
                S_ISREG(st.st_mode) && access(text_get(&path), R_OK) == 0)
                here += expect_same(text_get(&path));
        }
        same += here;
        if (folder)
            closedir(folder);
    }
    if (!same)
        cr_skip_test("no libraries where distributions put them");
}

static const char source[] = "#include <stdio.h>\n"
                             "extern int other(void) __attribute__((weak));\n"
                             "__thread int local; int data = 3; int zero;\n"
                             "static int pick(void) { return 1; }\n"
                             "static void *choose(void) { return pick; }\n"
                             "int chosen(void) __attribute__((ifunc(\"choose\")));\n"
                             "int first(void) { return puts(\"a\"); }\n"
                             "int second(void) { return other ? other() : local; }\n"
                             "int old(void) { return 1; } int new(void) { return 2; }\n";
static const char versioned[] = "__asm__(\".symver old,both@V1\"); "
                                "__asm__(\".symver new,both@@V2\");\n"
                                "int old(void) { return 1; } int new(void) { return 2; }\n"
                                "int first(void) { return 3; } int second(void) { return 4; }\n";
static const char map[] = "V1 { global: first; both; local: old; new; };\n"
                          "V2 { global: second; both; } V1;\n";

Test(elf_oracle, objects_of_the_compiler)
{
    static const struct {
        const char *name, *flags;
        bool is_versioned, may_fail; /* not every tool chain has it */
    } kinds[] = {
        {"plain.so", "-shared -fPIC", false, false},
        {"rpath.so", "-shared -fPIC -Wl,--disable-new-dtags,-rpath,'$ORIGIN/../x:/y'", false,
         false},
        {"runpath.so", "-shared -fPIC -Wl,--enable-new-dtags,-rpath,'$ORIGIN'", false, false},
        {"soname.so", "-shared -fPIC -Wl,-soname,libodd.so.1", false, false},
        {"now.so", "-shared -fPIC -Wl,-z,now", false, false},
        {"lazy.so", "-shared -fPIC -Wl,-z,lazy", false, false},
        {"nodefault.so", "-shared -fPIC -Wl,-z,nodefaultlib", false, false},
        {"sysv.so", "-shared -fPIC -Wl,--hash-style=sysv", false, false},
        {"gnu.so", "-shared -fPIC -Wl,--hash-style=gnu", false, false},
        {"both.so", "-shared -fPIC -Wl,--hash-style=both", false, false},
        {"stripped.so", "-shared -fPIC -s", false, false},
        {"versions.so", "-shared -fPIC -Wl,--version-script=map", true, false},
        {"versions-sysv.so", "-shared -fPIC -Wl,--version-script=map,--hash-style=sysv", true,
         false},
        {"hidden.so", "-shared -fPIC -fvisibility=hidden", false, false},
        {"hidden-both.so", "-shared -fPIC -fvisibility=hidden -Wl,--hash-style=both", false, false},
        {"static", "-static -DPROGRAM", false, true},
        {"program", "-DPROGRAM", false, false},
        {"exporting", "-DPROGRAM -rdynamic -no-pie", false, true},
        {"lld.so", "-shared -fPIC -fuse-ld=lld", false, true},
        {"gold.so", "-shared -fPIC -fuse-ld=gold", false, true},
        {"gold-hidden.so", "-shared -fPIC -fvisibility=hidden -fuse-ld=gold", false, true},
    };
    CLEANUP_TEXT struct text program = {0};
    char *root = scratch_new();
    cr_assert_neq(elf_version(EV_CURRENT), EV_NONE);
    scratch_write(root, "map", map);
    text_printf(&program, "%s#ifdef PROGRAM\nint main(void) { return stdout != 0; }\n#endif\n",
                source);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        CLEANUP_TEXT struct text path = {0};
        text_printf(&path, "%s/%s", root, kinds[i].name);
        bool made =
            elf_try_make(root, kinds[i].name,
                         kinds[i].is_versioned ? versioned : text_get(&program), kinds[i].flags);
        cr_assert(made || kinds[i].may_fail, "%s", kinds[i].flags);
        if (made)
            cr_expect(expect_same(text_get(&path)), "%s", kinds[i].name);
    }
    scratch_remove(root);
}

/* Without section headers elfutils has no words for it: it says the same as before. */
Test(elf_oracle, no_section_headers)
{
    static const char *const flags[] = {
        "-shared -fPIC -Wl,-soname,a.so.1", "-shared -fPIC -Wl,--hash-style=sysv",
        "-shared -fPIC -fvisibility=hidden", "-shared -fPIC -Wl,--version-script=map"};
    char *root = scratch_new();
    scratch_write(root, "map", map);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        CLEANUP_TEXT struct text before = {0}, after = {0};
        struct elf_opened opened;
        elf_make(root, "a.so", i == 3 ? versioned : source, flags[i]);
        cr_assert_eq(elf_open_at(&opened, root, "a.so"), 0);
        tell_ours(&opened.object, &before);
        cr_assert_eq(
            elf_each_undefined(&opened.file, &opened.object, NULL, tell_undefined, &before), 0);
        Elf64_Ehdr header = opened.file.header;
        elf_close(&opened);
        header.e_shoff = 0;
        header.e_shnum = header.e_shstrndx = 0;
        CLEANUP_TEXT struct text path = {0};
        text_printf(&path, "%s/a.so", root);
        int fd = open(text_get(&path), O_WRONLY | O_CLOEXEC);
        cr_assert_eq(pwrite(fd, &header, sizeof header, 0), (ssize_t)sizeof header);
        close(fd);
        cr_assert_eq(elf_open_at(&opened, root, "a.so"), 0);
        cr_expect_eq(opened.file.section_count, 0);
        tell_ours(&opened.object, &after);
        cr_assert_eq(elf_each_undefined(&opened.file, &opened.object, NULL, tell_undefined, &after),
                     0);
        cr_expect_str_eq(text_get(&after), text_get(&before));
        elf_close(&opened);
    }
    scratch_remove(root);
}
