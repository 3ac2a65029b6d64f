#include "machine/smi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/span.h"
#include "machine/child.h"

enum { OUTPUT_CAP = 8 * 1024 * 1024, GRACE_MS = 50 };

static bool is_program(const struct machine *machine, const char *path)
{
    struct file_stat st;
    return machine_stat(machine, path, &st) == 0 && st.type == FILE_REGULAR && (st.mode & 0111);
}

char *smi_find(const struct machine *machine, const char *wanted, struct arena *arena)
{
    static const char *const usual[] = {
        "/usr/bin/nvidia-smi",
        "/usr/local/nvidia/bin/nvidia-smi", /* GKE and older container images */
        "/usr/lib/wsl/lib/nvidia-smi",      /* WSL2; not on PATH under sudo and ssh */
    };
    if (wanted)
        return wanted[0] && is_program(machine, wanted) ? arena_strdup(arena, wanted) : NULL;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (is_program(machine, usual[i]))
            return arena_strdup(arena, usual[i]);
    const char *path = machine_getenv(machine, "PATH");
    struct span rest = {path, path ? strlen(path) : 0}, folder;
    while (span_split(&rest, ':', &folder)) {
        if (folder.length == 0 || folder.data[0] != '/' || folder.length > 4096)
            continue;
        char *file = arena_printf(arena, "%.*s/nvidia-smi", (int)folder.length, folder.data);
        if (is_program(machine, file))
            return file;
    }
    return NULL;
}

static int run_program(int fd, void *context)
{
    (void)fd; /* standard output */
    char name[] = "nvidia-smi", query[] = "-q", xml[] = "-x";
    char *const arguments[] = {name, query, xml, NULL};
    setenv("LC_ALL", "C", 1);
    execv(context, arguments);
    return 127;
}

int smi_run(char *program, double deadline, struct text *out)
{
    struct child child;
    int r = child_start(&child, STDOUT_FILENO, run_program, program);
    if (r < 0)
        return r;
    enum child_end end = child_read(&child, deadline, OUTPUT_CAP, out, NULL, NULL);
    child_stop(&child, end == CHILD_ENDED ? GRACE_MS : 0);
    if (end == CHILD_LATE)
        return -ETIME;
    return end == CHILD_TOO_MUCH ? -EFBIG : 0;
}
