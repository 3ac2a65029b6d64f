/* The operating system and what kind of machine it is. */
#include <errno.h>

#include "parse/elf_head.h"
#include "parse/proc.h"
#include "parse/toolkit.h"
#include "probe/look.h"
#include "probe/scan.h"
#include "system/host_hardware.h"
#include "system/host_kind.h"

enum { TEXT_CAP = 64 * 1024, LIBC_CAP = 8 * 1024 * 1024, LIBC_OVERLAP = 512 };

static void read_os_release(struct probe_context *context, struct os_release *ret)
{
    static const char *const places[] = {"/etc/os-release", "/usr/lib/os-release"};
    int first = 0;
    *ret = (struct os_release){0};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        CLEANUP_BYTES struct bytes text = {0};
        int code = machine_read(context->machine, places[i], TEXT_CAP, &text);
        if (code == 0) {
            parse_os_release(text.data, text.length, context->arena, ret);
            bool said = ret->id || ret->pretty_name;
            probe_note_status(context, "host", NULL, places[i], said ? "ok" : "malformed", NULL,
                              said ? NULL : "it names no distribution");
            return;
        }
        first = first ? first : code;
    }
    probe_note(context, "host", NULL, places[0], first, NULL, NULL);
}

/* The release as uname gives it, else as /proc/version has it. */
static const char *kernel_release(struct probe_context *context)
{
    struct machine_uname names;
    machine_uname(context->machine, &names);
    if (names.release)
        return names.release;
    CLEANUP_BYTES struct bytes text = {0};
    int code = machine_read(context->machine, "/proc/version", TEXT_CAP, &text);
    char *release = code == 0 ? parse_proc_version(text.data, text.length, context->arena) : NULL;
    if (code == 0 && !release)
        code = -EBADMSG;
    probe_note(context, "host", NULL, "/proc/version", code, NULL, NULL);
    return release;
}

static const char *const loaders[] = {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1",
                                      "/lib64/ld64.so.2"};

/* An image has no uname, but its programs say what they were made for. */
static const char *read_arch(const struct probe_context *context)
{
    struct machine_uname names;
    machine_uname(context->machine, &names);
    if (names.machine)
        return names.machine;
    static const char *const programs[] = {"/bin/sh", "/usr/bin/env", "/bin/busybox",
                                           "/usr/bin/python3"};
    for (size_t i = 0; i < sizeof programs / sizeof programs[0] + 2; i++) {
        const char *path = i < 2 ? loaders[i] : programs[i - 2];
        CLEANUP_BYTES struct bytes head = {0};
        struct elf_head elf;
        if (machine_read_head(context->machine, path, ELF_HEAD, &head) == 0 &&
            parse_elf_head(head.data, head.length, &elf) && elf.arch)
            return elf.arch;
    }
    return NULL;
}

static bool has_musl(const struct probe_context *context)
{
    struct dir_list list;
    if (machine_list(context->machine, "/lib", 4096, context->arena, &list) < 0)
        return false;
    for (size_t i = 0; i < list.count; i++)
        if (text_starts(list.names[i], "ld-musl-"))
            return true;
    return false;
}

/* glibc beside musl is musl's guest or the other way round; what needs glibc finds it either way.
 */
static const char *read_libc(const struct probe_context *context, const char *glibc)
{
    if (glibc)
        return "glibc";
    for (size_t i = 0; i < sizeof loaders / sizeof loaders[0]; i++)
        if (machine_exists(context->machine, loaders[i]))
            return "glibc";
    return has_musl(context) ? "musl" : NULL;
}

struct glibc_search {
    struct arena *arena;
    char *version;
};

static bool find_glibc(void *data, const char *chunk, size_t size)
{
    struct glibc_search *search = data;
    search->version = parse_glibc_literal(chunk, size, search->arena);
    return search->version != NULL;
}

/* Without a record of it, the library's own banner tells. */
static const char *read_glibc(const struct probe_context *context)
{
    static const char *const places[] = {"/lib/x86_64-linux-gnu/libc.so.6",
                                         "/lib/aarch64-linux-gnu/libc.so.6", "/lib64/libc.so.6",
                                         "/usr/lib/libc.so.6"};
    const char *version = machine_glibc(context->machine);
    if (version || machine_kind(context->machine) == MACHINE_LIVE)
        return version;
    struct glibc_search search = {context->arena, NULL};
    for (size_t i = 0; i < sizeof places / sizeof places[0] && !search.version; i++)
        scan_file(context->machine, places[i], LIBC_CAP, LIBC_OVERLAP, find_glibc, &search);
    return search.version;
}

static void note_record(struct probe_context *context)
{
    for (size_t i = 0; i < machine_problem_count(context->machine); i++)
        probe_note_status(context, "record", NULL, "/.record", "malformed", NULL,
                          machine_problem(context->machine, i));
}

static int run(struct probe_context *context)
{
    const struct machine *machine = context->machine;
    struct os_release os;
    struct machine_user user;
    note_record(context);
    read_os_release(context, &os);
    machine_user(machine, &user);
    const char *kernel = kernel_release(context), *glibc = read_glibc(context);
    struct host_kind kind = host_kind(context, kernel);
    struct host_hardware hardware = host_hardware(context, kind.wsl);
    facts_add_host(context->facts, &(struct row_host){
                                       .machine_kind = machine_kind_name(machine_kind(machine)),
                                       .partial = known(machine_is_partial(machine)),
                                       .os_id = os.id,
                                       .os_id_like = os.id_like,
                                       .os_version = os.version_id,
                                       .os_name = os.pretty_name,
                                       .kernel = kernel,
                                       .arch = read_arch(context),
                                       .glibc = glibc,
                                       .libc = read_libc(context, glibc),
                                       .wsl = kind.wsl,
                                       .tegra = kind.tegra,
                                       .container = kind.container,
                                       .user_name = user.known ? user.name : NULL,
                                       .uid = user.known ? known(user.uid) : UNKNOWN,
                                       .secure_boot = host_secure_boot(context, kind.container),
                                       .immutable = host_immutable(context, &os),
                                       .lockdown = hardware.lockdown,
                                       .product = hardware.product,
                                       .hypervisor = hardware.hypervisor,
                                       .memory_mib = hardware.memory_mib,
                                   });
    return 0;
}

const struct probe probe_host = {
    .name = "host",
    .phase = PHASE_PASSIVE,
    .reads = "device_node",
    .writes = "host",
    .run = run,
};
