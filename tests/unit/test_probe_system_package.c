/* Package databases: real forms, written small, and broken ones. */
#include "parse/rpm_header.h"
#include "probe_tree.h"
#include "system/system_package.h"

static struct probe_tree tree;

static void start(void)
{
    tree_start(&tree);
}

static void finish(void)
{
    tree_finish(&tree);
}

TestSuite(probe_system_package, .init = start, .fini = finish);

static void run(void)
{
    tree_open(&tree);
    tree_run(&tree, &probe_system_package);
}

#define ALL \
    "SELECT name, version, upstream, kind, arch, manager, state FROM system_package ORDER BY name"
#define NOTES "SELECT path, status FROM probe WHERE fills = 'system_package' ORDER BY path"

/* --- names and versions --- */

static const char *kind(const char *name)
{
    const char *found = gpu_package_kind((struct span){name, strlen(name)});
    return found ? found : "~";
}

Test(probe_system_package, names)
{
    cr_expect_str_eq(kind("nvidia-driver-580-server-open"), "driver");
    cr_expect_str_eq(kind("libnvidia-compute-535"), "driver");
    cr_expect_str_eq(kind("libcuda1"), "driver");
    cr_expect_str_eq(kind("xorg-x11-drv-nvidia-cuda"), "driver");
    cr_expect_str_eq(kind("nvidia-compute-utils-G06"), "driver");
    cr_expect_str_eq(kind("nvidia-dkms-580-open"), "module");
    cr_expect_str_eq(kind("linux-modules-nvidia-580-6.8.0-60-generic"), "module");
    cr_expect_str_eq(kind("akmod-nvidia-580xx"), "module");
    cr_expect_str_eq(kind("kmod-nvidia-open-dkms"), "module");
    cr_expect_str_eq(kind("nvidia-open-driver-G06-signed-cuda-kmp-default"), "module");
    cr_expect_str_eq(kind("cuda-compat-12-8"), "compat");
    cr_expect_str_eq(kind("cuda-drivers-580"), "driver");
    cr_expect_str_eq(kind("cuda-drivers-fabricmanager-580"), "fabric");
    cr_expect_str_eq(kind("cuda-toolkit-13-0"), "cuda");
    cr_expect_str_eq(kind("nvidia-cuda-toolkit"), "cuda");
    cr_expect_str_eq(kind("libcudnn9-cuda-12"), "cudnn");
    cr_expect_str_eq(kind("cudnn-local-repo-ubuntu2404-9.10.2"), "repository");
    cr_expect_str_eq(kind("libnccl2"), "nccl");
    cr_expect_str_eq(kind("libnvinfer10"), "tensorrt");
    cr_expect_str_eq(kind("libnvidia-container1"), "container");
    cr_expect_str_eq(kind("nvidia-container-toolkit"), "container");
    cr_expect_str_eq(kind("nvidia-fabricmanager-535"), "fabric");
    cr_expect_str_eq(kind("datacenter-gpu-manager-4-cuda12"), "monitor");
    cr_expect_str_eq(kind("nvidia-l4t-core"), "jetson");
    cr_expect_str_eq(kind("linux-headers-6.8.0-60-generic"), "headers");
    cr_expect_str_eq(kind("xserver-xorg-video-nouveau"), "nouveau");
    cr_expect_str_eq(kind("nvidia-detect"), "tool");
    cr_expect_str_eq(kind("dkms"), "dkms");
    cr_expect_str_eq(kind("akmods"), "dkms");
    cr_expect_str_eq(kind("dkms-nvidia"), "module");
    cr_expect_str_eq(kind("firmware-nvidia-gsp"), "driver");
    cr_expect_str_eq(kind("gds-tools-13-0"), "cuda");
    cr_expect_str_eq(kind("kernel-devel-matched"), "headers");
    cr_expect_str_eq(kind("lib32-nvidia-utils"), "driver");
    cr_expect_str_eq(kind("libegl-nvidia0"), "driver");
    cr_expect_str_eq(kind("libgles-nvidia2"), "driver");
    cr_expect_str_eq(kind("libnpp-12-8"), "cuda");
    cr_expect_str_eq(kind("nccl"), "nccl");
    cr_expect_str_eq(kind("nv-tensorrt-local-repo-ubuntu2404"), "repository");
    cr_expect_str_eq(kind("nvlsm"), "fabric");
    cr_expect_str_eq(kind("nvlink5-580"), "fabric");
    cr_expect_str_eq(kind("opencl-nvidia"), "driver");
    cr_expect_str_eq(kind("python3-libnvinfer"), "tensorrt");
    cr_expect_str_eq(kind("tensorrt-libs"), "tensorrt");
    cr_expect_str_eq(kind("x11-video-nvidiaG06"), "driver");
    cr_expect_str_eq(kind("xf86-video-nouveau"), "nouveau");
    cr_expect_str_eq(kind("xorg-x11-drv-nouveau"), "nouveau");
    cr_expect_str_eq(kind("xserver-xorg-video-nvidia"), "driver");
    cr_expect_str_eq(kind("nvidia"), "module");
    cr_expect_str_eq(kind("nvidia-open"), "driver");
    cr_expect_str_eq(kind("gcc-12"), "~");
    cr_expect_str_eq(kind("cups"), "~");
    cr_expect_str_eq(kind("libcurl4"), "~");
    cr_expect_str_eq(kind("nvme-cli"), "~");
    cr_expect_str_eq(kind("nv"), "~");
    cr_expect_str_eq(kind(""), "~");
}

static const char *upstream(const char *version)
{
    struct span text = {version, strlen(version)};
    const char *found = system_package_driver_version(text, &tree.arena);
    return found ? found : "~";
}

Test(probe_system_package, driver_versions)
{
    cr_expect_str_eq(upstream("1:535.161.08-0ubuntu1"), "535.161.08");
    cr_expect_str_eq(upstream("580.95.05-0ubuntu0.24.04.2"), "580.95.05");
    cr_expect_str_eq(upstream("535.261.03-1~deb12u1"), "535.261.03");
    cr_expect_str_eq(upstream("580.95.05_k6.4.0_150600.21-lp156.28.1"), "580.95.05");
    cr_expect_str_eq(upstream("580.126.09"), "580.126.09");
    cr_expect_str_eq(upstream("6.8.0-60.63+1"), "~"); /* a package of modules has the kernel's */
    cr_expect_str_eq(upstream("12.8.90-1"), "~");
    cr_expect_str_eq(upstream(""), "~");
}

/* --- dpkg --- */

#define PARAGRAPH(name, status, version) \
    "Package: " name "\nStatus: " status \
    "\nPriority: optional\nSection: x\nMaintainer: A <a@b.c>\n" \
    "Architecture: amd64\nVersion: " version "\nDepends: nvidia-kernel-common-580\n" \
    "Description: text\n Package: not-this\n .\n more\n\n"

Test(probe_system_package, dpkg)
{
    tree_put(
        &tree, "/var/lib/dpkg/status",
        PARAGRAPH("adduser", "install ok installed", "3.137") PARAGRAPH(
            "nvidia-driver-580", "install ok installed", "580.95.05-0ubuntu0.24.04.2")
            PARAGRAPH("nvidia-dkms-580", "install ok half-configured", "580.95.05-0ubuntu0.24.04.2")
                PARAGRAPH("nvidia-utils-535", "deinstall ok config-files",
                          "535.183.01-0ubuntu0.22.04.1")
                    PARAGRAPH("libnccl2", "hold ok installed", "2.27.3-1+cuda12.9")
                        PARAGRAPH("nvidia-utils-470", "purge ok not-installed", "470.1") PARAGRAPH(
                            "libcudnn9-cuda-12", "install reinstreq installed", "9.10.2.21-1"));
    run();
    expect_rows(
        &tree, ALL,
        "libcudnn9-cuda-12|9.10.2.21-1|~|cudnn|amd64|dpkg|broken\n"
        "libnccl2|2.27.3-1+cuda12.9|~|nccl|amd64|dpkg|held\n"
        "nvidia-dkms-580|580.95.05-0ubuntu0.24.04.2|580.95.05|module|amd64|dpkg|broken\n"
        "nvidia-driver-580|580.95.05-0ubuntu0.24.04.2|580.95.05|driver|amd64|dpkg|"
        "installed\n"
        "nvidia-utils-535|535.183.01-0ubuntu0.22.04.1|535.183.01|driver|amd64|dpkg|removed");
    expect_rows(&tree, NOTES, "/var/lib/dpkg/status|ok");
}

/* More than one window, with a paragraph across each border, and one larger than a window. */
Test(probe_system_package, dpkg_of_megabytes)
{
    struct text text = {0};
    for (int i = 0; i < 3000; i++) {
        text_printf(&text,
                    "Package: p%d\nStatus: install ok installed\nVersion: 1\nDescription: ", i);
        for (int k = 0; k < 200 + i % 7; k++)
            text_add_char(&text, 'x');
        text_add(&text, "\n\n");
        if (i % 100 == 0)
            text_printf(&text,
                        "Package: nvidia-utils-%d\nStatus: install ok installed\nVersion: "
                        "580.95.05\n\n",
                        i);
    }
    tree_put(&tree, "/var/lib/dpkg/status", text_get(&text));
    run();
    expect_rows(&tree, "SELECT count(*), count(DISTINCT name), min(upstream) FROM system_package",
                "30|30|580.95.05");
    expect_rows(&tree, NOTES, "/var/lib/dpkg/status|ok");
    text_done(&text);
}

Test(probe_system_package, dpkg_without_end)
{
    struct text text = {0};
    text_add(&text, "Package: nvidia-utils-580\nVersion: 580.95.05\n\nPackage: x\nDescription: ");
    for (int k = 0; k < 600 * 1000; k++)
        text_add_char(&text, 'x');
    text_add(&text, "\n\nPackage: libnccl2\nVersion: 2\n\n");
    tree_put(&tree, "/var/lib/dpkg/status", text_get(&text));
    run();
    expect_rows(&tree, "SELECT name FROM system_package ORDER BY name",
                "libnccl2\nnvidia-utils-580");
    expect_rows(&tree, "SELECT status, detail FROM probe WHERE fills = 'system_package'",
                "malformed|not all of it was read");
    text_done(&text);
}

Test(probe_system_package, dpkg_binary)
{
    static const char rubbish[] = "\0\1\2\n\n\n\n\377\376\n\nPackage\n\n";
    tree_put_bytes(&tree, "/var/lib/dpkg/status", rubbish, sizeof rubbish);
    run();
    expect_rows(&tree, "SELECT count(*) FROM system_package", "0");
    expect_rows(&tree, NOTES, "/var/lib/dpkg/status|malformed");
}

Test(probe_system_package, distroless)
{
    tree_put(&tree, "/var/lib/dpkg/status.d/libc6", "Package: libc6\nVersion: 2.36\n");
    tree_put(&tree, "/var/lib/dpkg/status.d/cuda-cudart-12-8",
             "Package: cuda-cudart-12-8\nVersion: 12.8.90-1\nArchitecture: amd64\n");
    tree_put(&tree, "/var/lib/dpkg/status.d/cuda-cudart-12-8.md5sums", "Package: cuda-x\n");
    tree_fifo(&tree, "/var/lib/dpkg/status.d/fifo");
    run();
    expect_rows(&tree, ALL, "cuda-cudart-12-8|12.8.90-1|~|cuda|amd64|dpkg|installed");
    expect_rows(&tree, NOTES, "/var/lib/dpkg/status.d|ok\n/var/lib/dpkg/status.d/fifo|malformed");
}

Test(probe_system_package, nothing)
{
    tree_put(&tree, "/etc/os-release", "ID=x\n");
    run();
    expect_rows(&tree, "SELECT count(*) FROM system_package", "0");
    expect_rows(&tree, "SELECT status, detail FROM probe",
                "absent|there is no database of dpkg, rpm, apk or pacman");
}

/* --- rpm --- */

static void big_endian(struct text *out, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        text_add_char(out, (char)(value >> shift & 0xff));
}

static void entry(struct text *out, uint32_t tag, uint32_t type, uint32_t offset)
{
    big_endian(out, tag);
    big_endian(out, type);
    big_endian(out, offset);
    big_endian(out, 1);
}

/* A header as the databases hold it; epoch 0: none. */
static void header(struct text *out, const char *name, const char *version, const char *release,
                   uint32_t epoch, const char *arch)
{
    struct text store = {0};
    uint32_t at[4];
    const char *values[] = {name, version, release, arch};
    text_add_bytes(&store, "C\0", 2);
    for (int i = 0; i < 4; i++) {
        at[i] = (uint32_t)store.length;
        text_add_bytes(&store, values[i], strlen(values[i]) + 1);
    }
    while (store.length % 4)
        text_add_char(&store, '\0');
    uint32_t epoch_at = (uint32_t)store.length;
    big_endian(&store, epoch);
    big_endian(out, epoch ? 6 : 5);
    big_endian(out, (uint32_t)store.length);
    entry(out, 100, 8, 0);
    entry(out, 1000, 6, at[0]);
    entry(out, 1001, 6, at[1]);
    entry(out, 1002, 6, at[2]);
    if (epoch)
        entry(out, 1003, 4, epoch_at);
    entry(out, 1022, 6, at[3]);
    text_add_bytes(out, store.data, store.length);
    text_done(&store);
}

static void sql(sqlite3 *db, const char *text)
{
    cr_assert_eq(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK, "%s", sqlite3_errmsg(db));
}

static void add_blob(sqlite3 *db, const char *name, const struct text *blob)
{
    sqlite3_stmt *insert = NULL;
    sqlite3_prepare_v2(db, "INSERT INTO Packages(blob) VALUES(?1)", -1, &insert, NULL);
    sqlite3_bind_blob(insert, 1, blob->data, (int)blob->length, SQLITE_STATIC);
    cr_assert_eq(sqlite3_step(insert), SQLITE_DONE);
    sqlite3_finalize(insert);
    sqlite3_prepare_v2(db, "INSERT INTO Name VALUES(?1, last_insert_rowid(), 0)", -1, &insert,
                       NULL);
    sqlite3_bind_text(insert, 1, name, -1, SQLITE_STATIC);
    cr_assert_eq(sqlite3_step(insert), SQLITE_DONE);
    sqlite3_finalize(insert);
}

/* As RPM 4.18 makes it, with the journal of its kind. */
static sqlite3 *rpm_database(const char *path)
{
    sqlite3 *db = NULL;
    cr_assert_eq(sqlite3_open(tree_inside(&tree, path), &db), SQLITE_OK);
    sql(db, "PRAGMA journal_mode = WAL");
    sql(db, "CREATE TABLE 'Packages' (hnum INTEGER PRIMARY KEY AUTOINCREMENT,blob BLOB NOT NULL);"
            "CREATE TABLE 'Name' (key 'TEXT' NOT NULL, hnum INTEGER NOT NULL, idx INTEGER NOT "
            "NULL, FOREIGN KEY (hnum) REFERENCES 'Packages'(hnum));"
            "CREATE INDEX 'Name_key_idx' ON 'Name'(key ASC);");
    return db;
}

static void put_package(sqlite3 *db, const char *name, const char *version, const char *release,
                        uint32_t epoch, const char *arch)
{
    struct text blob = {0};
    header(&blob, name, version, release, epoch, arch);
    /* a package with many files: nothing of this may be read */
    for (int i = 0; i < 50 * 1000; i++)
        text_add_char(&blob, 'f');
    add_blob(db, name, &blob);
    text_done(&blob);
}

Test(probe_system_package, rpm_sqlite)
{
    sqlite3 *db = rpm_database("/usr/lib/sysimage/rpm/rpmdb.sqlite");
    put_package(db, "bash", "5.2.26", "3.fc41", 0, "x86_64");
    put_package(db, "kmod-nvidia-open-dkms", "580.95.05", "1.fc41", 3, "noarch");
    put_package(db, "cuda-toolkit-13-0", "13.0.2", "1", 0, "x86_64");
    sqlite3_close(db);
    tree_link(&tree, "/var/lib/rpm", "../../usr/lib/sysimage/rpm");
    run();
    expect_rows(&tree, ALL,
                "cuda-toolkit-13-0|13.0.2-1|~|cuda|x86_64|rpm|installed\n"
                "kmod-nvidia-open-dkms|3:580.95.05-1.fc41|580.95.05|module|noarch|rpm|installed");
    expect_rows(&tree, NOTES, "/usr/lib/sysimage/rpm/rpmdb.sqlite|ok");
    /* read-only and without a lock: no journal, no shared memory */
    cr_expect_neq(access(tree_inside(&tree, "/usr/lib/sysimage/rpm/rpmdb.sqlite-shm"), F_OK), 0);
}

Test(probe_system_package, rpm_sqlite_broken_header)
{
    sqlite3 *db = rpm_database("/var/lib/rpm/rpmdb.sqlite");
    struct text blob = {0};
    text_add_bytes(&blob, "\377\377\377\377\377\377\377\377", 8);
    add_blob(db, "nvidia-driver", &blob);
    put_package(db, "nvidia-driver-cuda", "580.95.05", "1.el9", 0, "x86_64");
    sqlite3_close(db);
    text_done(&blob);
    run();
    expect_rows(&tree, "SELECT name FROM system_package", "nvidia-driver-cuda");
    expect_rows(&tree, "SELECT status, detail FROM probe WHERE fills = 'system_package'",
                "malformed|some of its packages could not be read");
}

/* A table that is a query without end must not hold us up, nor a view run functions. */
Test(probe_system_package, rpm_sqlite_hostile_view)
{
    sqlite3 *db = NULL;
    cr_assert_eq(sqlite3_open(tree_inside(&tree, "/var/lib/rpm/rpmdb.sqlite"), &db), SQLITE_OK);
    sql(db, "CREATE TABLE Packages(hnum INTEGER PRIMARY KEY, blob BLOB);"
            "CREATE VIEW Name AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
            "SELECT 'x' AS key, i AS hnum FROM n WHERE i < 0;");
    sqlite3_close(db);
    run();
    expect_rows(&tree, "SELECT status FROM probe WHERE fills = 'system_package'", "malformed");
}

Test(probe_system_package, rpm_sqlite_is_none)
{
    tree_put(&tree, "/var/lib/rpm/rpmdb.sqlite", "SQLite format 3\0 and then nothing of the kind");
    run();
    expect_rows(&tree, "SELECT count(*) FROM system_package", "0");
    expect_rows(&tree, NOTES, "/var/lib/rpm/rpmdb.sqlite|malformed");
}

Test(probe_system_package, rpm_sqlite_cut)
{
    sqlite3 *db = rpm_database("/var/lib/rpm/rpmdb.sqlite");
    for (int i = 0; i < 20; i++)
        put_package(db, "nvidia-driver", "580.95.05", "1", 0, "x86_64");
    sqlite3_close(db);
    cr_assert_eq(truncate(tree_inside(&tree, "/var/lib/rpm/rpmdb.sqlite"), 40000), 0);
    run();
    expect_rows(&tree, "SELECT status FROM probe WHERE fills = 'system_package'", "malformed");
}

static void little_endian(struct text *out, uint32_t value)
{
    for (int shift = 0; shift < 32; shift += 8)
        text_add_char(out, (char)(value >> shift & 0xff));
}

static void slot(struct text *out, uint32_t package, uint32_t block, uint32_t count)
{
    text_add(out, "Slot");
    little_endian(out, package);
    little_endian(out, block);
    little_endian(out, count);
}

static void ndb_blob_of(struct text *out, uint32_t package, const struct text *blob)
{
    text_add(out, "BlbS");
    little_endian(out, package);
    little_endian(out, 1);
    little_endian(out, (uint32_t)blob->length);
    text_add_bytes(out, blob->data, blob->length);
    while (out->length % 16)
        text_add_char(out, '\0');
}

/* Packages.db of one page of slots, with these two packages and one slot that was freed. */
static void ndb_database(struct text *out, uint32_t pages)
{
    struct text one = {0}, two = {0}, body = {0};
    header(&one, "nvidia-open-driver-G06-signed-kmp-default", "580.95.05_k6.4.0_150600.21",
           "lp156.1", 0, "x86_64");
    header(&two, "aaa_base", "84.87", "1", 0, "x86_64");
    ndb_blob_of(&body, 1, &one);
    uint32_t second = (uint32_t)(4096 + body.length) / 16;
    ndb_blob_of(&body, 7, &two);
    text_add(out, "RpmP");
    little_endian(out, 0);
    little_endian(out, 5);
    little_endian(out, pages);
    little_endian(out, 8);
    while (out->length < 32)
        text_add_char(out, '\0');
    slot(out, 1, 4096 / 16, 10);
    slot(out, 0, 0, 0);
    slot(out, 7, second, 10);
    while (out->length < 4096)
        slot(out, 0, 0, 0);
    text_add_bytes(out, body.data, body.length);
    text_done(&one);
    text_done(&two);
    text_done(&body);
}

Test(probe_system_package, rpm_ndb)
{
    struct text file = {0};
    ndb_database(&file, 1);
    tree_put_bytes(&tree, "/usr/lib/sysimage/rpm/Packages.db", file.data, file.length);
    run();
    expect_rows(&tree, ALL,
                "nvidia-open-driver-G06-signed-kmp-default|580.95.05_k6.4.0_150600.21-lp156.1|"
                "580.95.05|module|x86_64|rpm|installed");
    expect_rows(&tree, NOTES, "/usr/lib/sysimage/rpm/Packages.db|ok");
    text_done(&file);
}

Test(probe_system_package, rpm_ndb_broken)
{
    struct text file = {0};
    ndb_database(&file, 900); /* claims pages that are not there */
    file.data[4096 + 4] = 9;  /* a blob of another package */
    tree_put_bytes(&tree, "/var/lib/rpm/Packages.db", file.data, file.length);
    run();
    expect_rows(&tree, "SELECT count(*) FROM system_package", "0");
    expect_rows(&tree, NOTES, "/var/lib/rpm/Packages.db|malformed");
    text_done(&file);
}

Test(probe_system_package, rpm_berkeley)
{
    tree_put(&tree, "/var/lib/rpm/Packages", "x");
    run();
    expect_rows(&tree, NOTES, "/var/lib/rpm/Packages|skipped");
}

Test(probe_system_package, rpm_header_cut)
{
    struct text blob = {0};
    header(&blob, "nvidia-driver", "580.95.05", "1", 3, "x86_64");
    for (size_t size = 0; size <= blob.length; size++) {
        struct rpm_header parsed;
        char *exact = malloc(size + 1);
        memcpy(exact, blob.data, size);
        if (rpm_header_parse(exact, size, &parsed))
            cr_expect_eq(parsed.name.length, strlen("nvidia-driver"));
        free(exact);
    }
    struct rpm_header parsed;
    cr_assert(rpm_header_parse(blob.data, blob.length, &parsed));
    cr_expect_eq(parsed.epoch.value, 3);
    text_done(&blob);
}

/* --- apk, pacman, runfile --- */

Test(probe_system_package, apk)
{
    tree_put(&tree, "/lib/apk/db/installed",
             "C:Q1x=\nP:musl\nV:1.2.4-r2\nA:x86_64\n\nC:Q1y=\nP:cuda-toolkit\nV:12.8.1-r0\nA:x86_64"
             "\nF:usr\n\n");
    run();
    expect_rows(&tree, ALL, "cuda-toolkit|12.8.1-r0|~|cuda|x86_64|apk|installed");
}

Test(probe_system_package, pacman)
{
    tree_put(&tree, "/var/lib/pacman/local/nvidia-open-580.95.05-4/desc",
             "%NAME%\nnvidia-open\n\n%VERSION%\n580.95.05-4\n\n%ARCH%\nx86_64\n\n");
    tree_put(&tree, "/var/lib/pacman/local/nvidia-utils-580.95.05-1/desc",
             "%NAME%\nnvidia-utils\n\n%VERSION%\n580.95.05-1\n\n%BASE%\nx\n\n%ARCH%\nx86_64\n");
    tree_put(&tree, "/var/lib/pacman/local/bash-5.2-1/desc", "%NAME%\nbash\n");
    tree_put(&tree, "/var/lib/pacman/local/cuda-13.0.2-1/desc", "rubbish");
    run();
    expect_rows(&tree, ALL,
                "nvidia-open|580.95.05-4|580.95.05|module|x86_64|pacman|installed\n"
                "nvidia-utils|580.95.05-1|580.95.05|driver|x86_64|pacman|installed");
    expect_rows(&tree, NOTES,
                "/var/lib/pacman/local|ok\n/var/lib/pacman/local/cuda-13.0.2-1/desc|malformed");
}

Test(probe_system_package, runfile)
{
    tree_put(&tree, "/usr/bin/nvidia-installer", "x");
    tree_link(&tree, "/usr/bin/nvidia-uninstall", "nvidia-installer");
    tree_put(&tree, "/var/log/nvidia-installer.log",
             "nvidia-installer log file '/var/log/nvidia-installer.log'\ncreation time: x\n"
             "installer version: 535.104.05\n\nPATH: /bin\n");
    run();
    expect_rows(&tree, "SELECT name, version, upstream, manager, state, path FROM system_package",
                "NVIDIA-Linux|535.104.05|535.104.05|runfile|installed|"
                "/var/log/nvidia-installer.log");
}

Test(probe_system_package, runfile_list)
{
    tree_put(&tree, "/var/lib/nvidia/log",
             "1.0-57015 (570.153.02)\nNVIDIA Accelerated Graphics Driver\n0: /usr/bin/x\n");
    run();
    expect_rows(&tree, "SELECT version, path FROM system_package",
                "570.153.02|/var/lib/nvidia/log");
}

/* A log alone is of an installation that failed or was taken back. */
Test(probe_system_package, runfile_gone)
{
    tree_put(&tree, "/var/log/nvidia-installer.log", "installer version: 535.104.05\n");
    run();
    expect_rows(&tree, "SELECT count(*) FROM system_package", "0");
}
