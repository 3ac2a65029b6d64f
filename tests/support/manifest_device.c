/* Device code of a shared object: device="sm_80,sm_90a,compute_90:8.7; stub:sm_75". */
#include <errno.h>
#include <string.h>

#include "fatbin_write.h"
#include "manifest_tree.h"

static const struct {
    const char *name;
    enum elf_device_place place;
} places[] = {
    {"stub:", ELF_DEVICE_STUB},
    {"relocatable:", ELF_DEVICE_RELOCATABLE},
    {"data:", ELF_DEVICE_DATA},
};

static int read_container(struct tree *tree, unsigned line, const char *text,
                          struct elf_device *ret)
{
    CLEANUP_TEXT struct text bytes = {0};
    struct fatbin_entry entries[64];
    size_t count = 0;
    ret->place = ELF_DEVICE_LINKED;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (text_starts(text, places[i].name)) {
            ret->place = places[i].place;
            text += strlen(places[i].name);
        }
    while (*text) {
        size_t length = strcspn(text, ",");
        const char *target = arena_strndup(tree->arena, text, length);
        target += strspn(target, " ");
        if (count == sizeof entries / sizeof entries[0] ||
            fatbin_entry_read(target, &entries[count]) < 0)
            return tree_error(tree, line, "'%s' is no target of device code", target);
        if (ret->place == ELF_DEVICE_STUB)
            entries[count].size = 592; /* cuFFT's */
        count++;
        text += length + (text[length] == ',');
    }
    fatbin_write(entries, count, &bytes);
    char *data = arena_alloc(tree->arena, bytes.length);
    memcpy(data, bytes.data, bytes.length);
    ret->bytes = data;
    ret->size = bytes.length;
    return 0;
}

int read_device(struct tree *tree, const struct manifest_entry *entry, struct elf_spec *spec)
{
    char **texts = entry_list(tree, entry, "device", ";", &spec->device_count);
    struct elf_device *device = arena_alloc(tree->arena, (spec->device_count + 1) * sizeof *device);
    spec->device = device;
    int r = 0;
    for (size_t i = 0; i < spec->device_count && r == 0; i++)
        r = read_container(tree, entry->line, texts[i], &device[i]);
    return r;
}
