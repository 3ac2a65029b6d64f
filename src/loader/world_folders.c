/* The default folders and $LIB are compiled into the loader. They stand in its file as a table of
 * strings that follow each other, each with a slash at its end ("/lib64/\0/usr/lib64/\0"); where
 * there is no such file (a recorded machine), the distribution tells. */
#include <elf.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "elf/file.h"
#include "loader/world_parts.h"

enum {
    LOADER_CAP = 4 * 1024 * 1024,
    FOLDERS_MAX = 8,
    FOLDER_SIZE_MAX = 256,
    RELEASE_CAP = 64 * 1024
};

struct layout {
    const char *lib;        /* $LIB */
    const char *folders[5]; /* NULL at the end */
};
static const struct layout debian_x86_64 = {
    "lib/x86_64-linux-gnu",
    {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib", "/usr/lib"}};
static const struct layout debian_aarch64 = {
    "lib/aarch64-linux-gnu",
    {"/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/lib", "/usr/lib"}};
static const struct layout lib64 = {"lib64", {"/lib64", "/usr/lib64"}};
static const struct layout arch_linux = {"lib", {"/usr/lib"}};

/* A string of the table: the span of it, where one begins here. */
static size_t folder_at(const char *data, size_t size)
{
    const char *end = memchr(data, '\0', size < FOLDER_SIZE_MAX ? size : FOLDER_SIZE_MAX);
    size_t length = end ? (size_t)(end - data) : 0;
    if (length < 5 || data[0] != '/' || end[-1] != '/')
        return 0;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)data[i] <= ' ' || (unsigned char)data[i] >= 0x7f)
            return 0;
    return memmem(data, length, "/lib", 4) ? length : 0;
}

static bool take_table(struct loader_world *world, const char *data, size_t size)
{
    const char **items = arena_alloc(world->arena, FOLDERS_MAX * sizeof *items);
    size_t count = 0, length;
    while (count < FOLDERS_MAX && (length = folder_at(data, size)) > 0) {
        items[count++] = arena_strndup(world->arena, data, length - 1);
        data += length + 1;
        size -= length + 1;
    }
    world->defaults = items;
    world->default_count = count;
    return count > 0;
}

/* The first place where a string of that form begins, behind a NUL. */
static bool find_table(struct loader_world *world, const char *data, size_t size)
{
    const char *at = data, *end = data + size;
    while ((at = memmem(at, (size_t)(end - at), "/lib", 4))) {
        const char *start = at++;
        while (start > data && at - start < FOLDER_SIZE_MAX && start[-1] != '\0')
            start--;
        if (start > data && folder_at(start, (size_t)(end - start)))
            return take_table(world, start, (size_t)(end - start));
    }
    return false;
}

/* Constants of newer loaders have segments of their own, a fifth of the file. */
static bool read_constants(struct loader_world *world, const char *path)
{
    CLEANUP_CLOSE int fd = -1;
    CLEANUP_ELF struct elf_file file = {0};
    struct file_stat st;
    Elf64_Phdr segment;
    if (machine_stat(world->machine, path, &st) < 0 ||
        machine_open(world->machine, path, &fd) < 0 ||
        elf_file_open(&file, fd, 0, st.size, NULL) < 0)
        return false;
    bool found = false;
    for (size_t i = 0; !found && elf_file_segment(&file, i, &segment); i++) {
        if (segment.p_type != PT_LOAD || segment.p_flags != PF_R || segment.p_filesz > LOADER_CAP)
            continue;
        CLEANUP_FREE char *data = xmalloc(segment.p_filesz + 1);
        ssize_t n = elf_file_read(&file, data, segment.p_filesz, segment.p_offset);
        found = n > 0 && find_table(world, data, (size_t)n);
    }
    return found;
}

static bool read_loader(struct loader_world *world)
{
    CLEANUP_BYTES struct bytes bytes = {0};
    const char *path = world_interpreter(world);
    return read_constants(world, path) ||
           (machine_read(world->machine, path, LOADER_CAP, &bytes) == 0 &&
            find_table(world, bytes.data, bytes.length));
}

/* "/lib/x86_64-linux-gnu" gives "lib/x86_64-linux-gnu", "/usr/lib" gives "lib": it is the folder of
 * libraries below the prefix. */
static const char *lib_of(const char *folder)
{
    if (text_starts(folder, "/usr/"))
        return folder + strlen("/usr/");
    const char *last = strrchr(folder, '/');
    if (text_starts(folder, "/lib"))
        return folder + 1;
    return last[1] ? last + 1 : "lib";
}

static bool release_says(const struct machine *machine, const char *const *names)
{
    CLEANUP_BYTES struct bytes bytes = {0};
    if (machine_read(machine, "/etc/os-release", RELEASE_CAP, &bytes) < 0)
        return false;
    size_t cursor = 0, length;
    const char *line;
    while (text_next_line(bytes.data, bytes.length, &cursor, &line, &length)) {
        if (!text_starts(line, "ID=") && !text_starts(line, "ID_LIKE="))
            continue;
        for (size_t i = 0; names[i]; i++)
            if (memmem(line, length, names[i], strlen(names[i])))
                return true;
    }
    return false;
}

static const struct layout *guess(const struct loader_world *world)
{
    static const char *const with_lib64[] = {"fedora", "rhel",    "suse",       "centos", "amzn",
                                             "gentoo", "mariner", "azurelinux", NULL};
    static const char *const with_lib[] = {"arch", "nixos", NULL};
    const struct machine *machine = world->machine;
    bool is_arm = world->elf_machine == EM_AARCH64;
    const struct layout *debian = is_arm ? &debian_aarch64 : &debian_x86_64;
    if (machine_exists(machine, debian->folders[1]) || machine_exists(machine, debian->folders[0]))
        return debian;
    if (release_says(machine, with_lib64))
        return &lib64;
    if (release_says(machine, with_lib))
        return &arch_linux;
    return machine_exists(machine, "/usr/lib64") || machine_exists(machine, "/lib64") ? &lib64
                                                                                      : debian;
}

void world_read_folders(struct loader_world *world)
{
    if (read_loader(world)) {
        world->lib = lib_of(world->defaults[0]);
        return;
    }
    const struct layout *layout = guess(world);
    world->lib = layout->lib;
    world->defaults = layout->folders;
    world->default_count = 0;
    while (layout->folders[world->default_count])
        world->default_count++;
}
