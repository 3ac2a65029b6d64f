#include "system/host_kind.h"

#include <errno.h>
#include <string.h>

#include "probe/look.h"
#include "system/container_engine.h"

enum { TEXT_CAP = 64 * 1024 };

static bool exists(const struct probe_context *context, const char *path)
{
    return machine_exists(context->machine, path);
}

static bool is_image(const struct probe_context *context)
{
    return machine_kind(context->machine) == MACHINE_IMAGE;
}

/* --- WSL --- */

static struct opt find_wsl(const struct probe_context *context, const char *release)
{
    if (is_image(context))
        return UNKNOWN; /* no kernel runs it */
    int version = release ? wsl_of_release(release) : 0;
    if (version)
        return known(version);
    /* a kernel of one's own; dxg alone is any Hyper-V guest with a GPU partition */
    if (ask(context, "SELECT 1 FROM device_node WHERE path = '/dev/dxg'") &&
        exists(context, "/usr/lib/wsl"))
        return known(2);
    return release ? known(0) : UNKNOWN;
}

/* --- Tegra --- */

static struct opt find_tegra(struct probe_context *context, const char *release)
{
    CLEANUP_BYTES struct bytes tree = {0};
    if (exists(context, "/etc/nv_tegra_release"))
        return known(1);
    int code = machine_read(context->machine, "/proc/device-tree/compatible", TEXT_CAP, &tree);
    if (code == 0 && parse_tegra_compatible(tree.data, tree.length))
        return known(1);
    if (release && text_ends(release, "-tegra"))
        return known(1);
    bool is_read = code == 0 || code == -ENOENT || code == -ENOTDIR;
    return is_image(context) || !is_read ? UNKNOWN : known(0);
}

struct host_kind host_kind(struct probe_context *context, const char *release)
{
    struct container_engine engine = {0};
    if (!is_image(context))
        engine = container_engine(context, release);
    return (struct host_kind){
        .wsl = find_wsl(context, release),
        .tegra = find_tegra(context, release),
        .container = is_image(context) ? NULL : container_word(&engine),
    };
}

/* --- Secure Boot and system image --- */

/* An EFI variable of one byte: four bytes of attributes stand before it. */
static struct opt efi_flag(struct probe_context *context, const char *name)
{
    CLEANUP_BYTES struct bytes value = {0};
    const char *path = arena_printf(context->arena, "/sys/firmware/efi/efivars/%s", name);
    int code = machine_read(context->machine, path, 64, &value);
    if (code == 0 && value.length != 5)
        code = -EBADMSG;
    if (code != -ENOENT && code != -ENOTDIR)
        probe_note(context, "host", NULL, path, code, NULL, NULL);
    return code == 0 ? known(value.data[4] == 1) : UNKNOWN;
}

struct opt host_secure_boot(struct probe_context *context, const char *container)
{
    struct opt on = efi_flag(context, "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c");
    if (!on.known) {
        /* a system that did not start by EFI has no Secure Boot; a container merely hides it */
        bool bare = machine_kind(context->machine) == MACHINE_LIVE &&
                    text_equal(container, "none") && exists(context, "/sys/firmware") &&
                    !exists(context, "/sys/firmware/efi");
        return bare ? known(0) : UNKNOWN;
    }
    /* with shim's validation off the kernel takes unsigned modules although Secure Boot is on */
    struct opt shim_off = efi_flag(context, "MokSBStateRT-605dab50-e046-4300-abb6-3dd810dd8b23");
    return known(on.value && !(shim_off.known && shim_off.value));
}

struct opt host_immutable(const struct probe_context *context, const struct os_release *os)
{
    static const char *const ids[] = {"nixos",        "flatcar", "talos",
                                      "bottlerocket", "cos",     "chromeos"};
    if (exists(context, "/run/ostree-booted") || exists(context, "/etc/NIXOS"))
        return known(1);
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        if (text_equal(os->id, ids[i]))
            return known(1);
    return os->id ? known(0) : UNKNOWN;
}
