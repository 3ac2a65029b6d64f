/* Visual Studio on the Windows side: CUDA's compiler on Windows needs its C++ compiler. */
#include <errno.h>
#include <string.h>

#include "parse/vs_state.h"
#include "parse/windows_text.h"
#include "probe/hide_user.h"
#include "probe/look.h"
#include "system/wsl.h"

enum { INSTANCES_MAX = 16, STATE_CAP = 8 * 1024 * 1024, TOOLSETS_MAX = 64 };
enum { STATES_CAP = 24 * 1024 * 1024 }; /* of all of them, which have one or two megabytes each */
static const char table[] = "visual_studio";

/* Orders "14.9.1" before "14.41.34120". */
static int compare_dotted(const char *a, const char *b)
{
    struct span left = {a, strlen(a)}, right = {b, strlen(b)}, x, y;
    while (span_split(&left, '.', &x) && span_split(&right, '.', &y)) {
        uint64_t m = 0, n = 0;
        span_number(x, UINT32_MAX, &m);
        span_number(y, UINT32_MAX, &n);
        if (m != n)
            return m < n ? -1 : 1;
    }
    return left.data ? 1 : right.data ? -1 : 0;
}

/* "none" where the folder of compilers is not there. */
static const char *newest_compiler(struct probe_context *context, const char *path)
{
    struct dir_list list = {0};
    const char *folder = arena_printf(context->arena, "%s/VC/Tools/MSVC", path), *best = NULL;
    int code = machine_list(context->machine, folder, TOOLSETS_MAX, context->arena, &list);
    if (code == -ENOENT || code == -ENOTDIR)
        return "none";
    if (code < 0) {
        probe_note(context, "wsl", NULL, hide_user(context, folder), code, table, NULL);
        return NULL;
    }
    for (size_t i = 0; i < list.count; i++)
        if (list.names[i][0] >= '0' && list.names[i][0] <= '9' &&
            (!best || compare_dotted(best, list.names[i]) < 0))
            best = list.names[i];
    return best ? best : "none";
}

static void read_instance(struct probe_context *context, const char *drive, const char *path,
                          size_t *left)
{
    CLEANUP_BYTES struct bytes text = {0};
    struct vs_state state = {0};
    int code = machine_read(context->machine, path, *left < STATE_CAP ? *left : STATE_CAP, &text);
    if (code == -ENOENT || code == -ENOTDIR)
        return; /* the folder of one that was removed */
    *left -= code == 0 ? text.length : 0;
    if (code == 0 && !parse_vs_state(windows_text(text.data, text.length, context->arena),
                                     context->arena, &state))
        code = -EBADMSG;
    probe_note(context, "wsl", NULL, path, code, table, NULL);
    if (code < 0)
        return;
    char *folder = wsl_path(context, drive, state.path);
    facts_add_visual_studio(context->facts,
                            &(struct row_visual_studio){
                                .path = hide_user(context, folder ? folder : state.path),
                                .product = state.product,
                                .version = state.version,
                                .msvc = folder ? newest_compiler(context, folder) : NULL,
                                .cxx_workload = state.cxx,
                            });
}

void wsl_read_studios(struct probe_context *context, const char *drive)
{
    struct dir_list list = {0};
    const char *folder = arena_printf(
        context->arena, "%s/ProgramData/Microsoft/VisualStudio/Packages/_Instances", drive);
    size_t left = STATES_CAP;
    int code = machine_list(context->machine, folder, INSTANCES_MAX, context->arena, &list);
    if (code < 0) {
        probe_note(context, "wsl", NULL, folder, code, table, NULL);
        return;
    }
    for (size_t i = 0; i < list.count; i++)
        read_instance(context, drive,
                      arena_printf(context->arena, "%s/%s/state.json", folder, list.names[i]),
                      &left);
    if (list.cut)
        probe_note_status(context, "wsl", NULL, folder, "malformed", table,
                          "it has more installations than were read");
}
