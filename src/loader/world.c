#include "loader/world.h"

#include <elf.h>
#include <string.h>

#include "base/span.h"
#include "base/text.h"
#include "base/version.h"
#include "loader/world_parts.h"

enum { PRELOAD_CAP = 64 * 1024 };

int world_glibc(const struct machine *machine)
{
    int64_t key;
    const char *version = machine_glibc(machine);
    return version_key(VERSION_GLIBC, version, &key) ? (int)key : 0;
}

const char *world_interpreter(const struct loader_world *world)
{
    return world->elf_machine == EM_AARCH64 ? "/lib/ld-linux-aarch64.so.1"
                                            : "/lib64/ld-linux-x86-64.so.2";
}

/* An unpacked image has no kernel to ask; its loader tells. */
static void read_arch(struct loader_world *world)
{
    struct machine_uname name;
    machine_uname(world->machine, &name);
    bool is_arm = name.machine
                      ? text_equal(name.machine, "aarch64") || text_equal(name.machine, "arm64")
                      : !machine_exists(world->machine, "/lib64/ld-linux-x86-64.so.2") &&
                            (machine_exists(world->machine, "/lib/ld-linux-aarch64.so.1") ||
                             machine_exists(world->machine, "/lib/ld-musl-aarch64.so.1"));
    world->arch = is_arm ? "aarch64" : "x86_64";
    world->elf_machine = is_arm ? EM_AARCH64 : EM_X86_64;
}

/* musl's loader may lie beside glibc's, for programs that were built with it on purpose. */
static void read_musl(struct loader_world *world)
{
    const char *musl =
        world->elf_machine == EM_AARCH64 ? "/lib/ld-musl-aarch64.so.1" : "/lib/ld-musl-x86_64.so.1";
    world->is_musl = machine_exists(world->machine, musl) &&
                     !machine_exists(world->machine, world_interpreter(world));
}

static const char *variable(const struct loader_world *world, const char *name)
{
    const char *value = machine_getenv(world->machine, name);
    return value && *value ? value : NULL;
}

/* Names with blanks, colons or ends of lines between; '#' begins a comment. */
static void read_file_preload(struct loader_world *world)
{
    CLEANUP_BYTES struct bytes bytes = {0};
    CLEANUP_TEXT struct text names = {0};
    if (machine_read(world->machine, "/etc/ld.so.preload", PRELOAD_CAP, &bytes) < 0)
        return;
    size_t cursor = 0;
    struct span line, name;
    while (span_line(bytes.data, bytes.length, &cursor, &line)) {
        const char *comment = memchr(line.data, '#', line.length);
        if (comment)
            line.length = (size_t)(comment - line.data);
        while (span_split(&line, ':', &name)) {
            struct span rest = name, word;
            while (span_word(&rest, &word)) {
                if (names.length)
                    text_add_char(&names, ' ');
                text_add_bytes(&names, word.data, word.length);
            }
        }
    }
    if (names.length && !memchr(names.data, '\0', names.length))
        world->file_preload = arena_strdup(world->arena, text_get(&names));
}

void loader_world_read(const struct machine *machine, struct arena *arena, struct loader_world *ret)
{
    *ret = (struct loader_world){.machine = machine, .arena = arena, .cwd = machine_cwd(machine)};
    read_arch(ret);
    read_musl(ret);
    ret->library_path = variable(ret, "LD_LIBRARY_PATH");
    ret->preload = variable(ret, "LD_PRELOAD");
    read_file_preload(ret);
    world_read_processor(ret);
    world_read_folders(ret);
    world_read_cache(ret);
}
