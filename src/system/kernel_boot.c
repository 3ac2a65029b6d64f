/* Which kernel the machine starts next, where its boot loader's files say so plainly: GRUB with a
 * menu of its own (Debian, Ubuntu, SUSE), GRUB with entries (Fedora, Red Hat) and systemd-boot. */
#include <errno.h>
#include <string.h>

#include "base/span.h"
#include "probe/look.h"
#include "system/kernel.h"

enum { FILE_CAP = 512 * 1024, ENVIRONMENT_CAP = 4096 };

/* False where it is not there, or is root's alone (which is told). */
static bool read_text(struct probe_context *context, const char *path, size_t cap,
                      struct bytes *ret)
{
    int code = machine_read_head(context->machine, path, cap, ret);
    if (code < 0 && code != -ENOENT && code != -ENOTDIR)
        probe_note(context, "kernel", NULL, path, code, NULL, NULL);
    return code == 0;
}

/* The installed release that the text ends in or holds behind a "-": the longest, as one release
 * may be the beginning of another. */
static const char *release_in(struct span text, const struct kernel_set *kernels)
{
    const char *best = NULL;
    for (size_t i = 0; i < kernels->count; i++) {
        const char *release = kernels->items[i].release;
        size_t length = strlen(release);
        if (text.length <= length || (best && strlen(best) >= length))
            continue;
        const char *tail = text.data + text.length - length;
        if (memcmp(tail, release, length) == 0 && tail[-1] == '-')
            best = release;
    }
    return best;
}

/* --- entries: FOLDER/ID.conf with a line "linux /ID/6.8.0/linux" and "version 6.8.0" --- */

static const char *release_of_entry(struct probe_context *context, const char *folder,
                                    struct span id, const struct kernel_set *kernels)
{
    CLEANUP_BYTES struct bytes text = {0};
    if (memchr(id.data, '/', id.length) || id.length > 200)
        return NULL;
    bool named = id.length > 5 && memcmp(id.data + id.length - 5, ".conf", 5) == 0;
    const char *path = arena_printf(context->arena, "%s/%.*s%s", folder, (int)id.length, id.data,
                                    named ? "" : ".conf");
    if (!read_text(context, path, ENVIRONMENT_CAP, &text))
        return NULL;
    size_t cursor = 0;
    struct span line, key, value;
    while (span_line(text.data, text.length, &cursor, &line)) {
        if (!span_word(&line, &key) || !span_word(&line, &value))
            continue;
        for (size_t i = 0; span_equal(key, "version") && i < kernels->count; i++)
            if (span_equal(value, kernels->items[i].release))
                return kernels->items[i].release;
        const char *release = span_equal(key, "linux") ? release_in(value, kernels) : NULL;
        if (release)
            return release;
    }
    return NULL;
}

/* --- GRUB's environment block --- */

static bool environment_value(const struct bytes *block, const char *key, struct span *ret)
{
    size_t cursor = 0;
    struct span line;
    while (span_line(block->data, block->length, &cursor, &line))
        if (span_cut_prefix(&line, key) && line.length) {
            *ret = line;
            return true;
        }
    return false;
}

/* --- GRUB's menu --- */

/* The default is the number 0, or a title that is not resolved here. */
static bool starts_first(const struct bytes *menu)
{
    size_t cursor = 0;
    struct span line;
    while (span_line(menu->data, menu->length, &cursor, &line)) {
        line = span_trim(line);
        if (span_cut_prefix(&line, "menuentry "))
            return false;
        if (span_equal(line, "set default=\"0\""))
            return true;
    }
    return false;
}

static const char *first_of_menu(const struct bytes *menu, const struct kernel_set *kernels)
{
    size_t cursor = 0;
    struct span line, word;
    bool inside = false;
    while (span_line(menu->data, menu->length, &cursor, &line)) {
        line = span_trim(line);
        inside |= span_cut_prefix(&line, "menuentry ");
        if (inside && span_word(&line, &word) &&
            (span_equal(word, "linux") || span_equal(word, "linuxefi")))
            return span_word(&line, &word) ? release_in(word, kernels) : NULL;
    }
    return NULL;
}

static const char *grub_next(struct probe_context *context, const char *folder,
                             const struct kernel_set *kernels)
{
    CLEANUP_BYTES struct bytes block = {0}, menu = {0};
    const char *path = arena_printf(context->arena, "%s/grubenv", folder);
    int code = machine_read_head(context->machine, path, ENVIRONMENT_CAP, &block);
    struct span value;
    if (code < 0 && code != -ENOENT && code != -ENOTDIR)
        return NULL; /* what is saved in it would decide */
    if (code == 0 && environment_value(&block, "next_entry=", &value))
        return NULL; /* a single start of something else */
    if (code == 0 && environment_value(&block, "saved_entry=", &value))
        return release_of_entry(context, "/boot/loader/entries", value, kernels);
    path = arena_printf(context->arena, "%s/grub.cfg", folder);
    if (!read_text(context, path, FILE_CAP, &menu) || !starts_first(&menu))
        return NULL;
    return first_of_menu(&menu, kernels);
}

/* --- systemd-boot --- */

static const char *systemd_next(struct probe_context *context, const char *folder,
                                const struct kernel_set *kernels)
{
    CLEANUP_BYTES struct bytes text = {0};
    const char *path = arena_printf(context->arena, "%s/loader.conf", folder);
    if (!read_text(context, path, ENVIRONMENT_CAP, &text))
        return NULL;
    size_t cursor = 0;
    struct span line, key, value;
    while (span_line(text.data, text.length, &cursor, &line))
        if (span_word(&line, &key) && span_equal(key, "default") && span_word(&line, &value) &&
            !memchr(value.data, '*', value.length) && *value.data != '@')
            return release_of_entry(context, arena_printf(context->arena, "%s/entries", folder),
                                    value, kernels);
    return NULL;
}

const char *kernel_next_boot(struct probe_context *context, const struct kernel_set *kernels)
{
    static const char *const grub[] = {"/boot/grub", "/boot/grub2"};
    static const char *const systemd[] = {"/boot/loader", "/efi/loader", "/boot/efi/loader"};
    const char *next = NULL;
    for (size_t i = 0; i < sizeof grub / sizeof grub[0] && !next; i++)
        next = grub_next(context, grub[i], kernels);
    for (size_t i = 0; i < sizeof systemd / sizeof systemd[0] && !next; i++)
        next = systemd_next(context, systemd[i], kernels);
    return next;
}
