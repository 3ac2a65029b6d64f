#include "machine/nvml_session.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* A pointer to data may not be cast to one to a function in C, but POSIX's dlsym() needs it. */
nvml_function nvml_find(const struct nvml_session *session, const char *name)
{
    void *symbol = dlsym(session->library, name);
    nvml_function function;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

void nvml_tell_text(const struct nvml_session *session, enum wire_tag tag, int gpu,
                    const char *text, size_t size)
{
    wire_put_text(session->fd, tag, gpu, text, strnlen(text, size));
}

void nvml_tell_number(const struct nvml_session *session, enum wire_tag tag, int gpu,
                      int64_t number)
{
    wire_put_number(session->fd, tag, gpu, number);
}

void nvml_tell_stage(const struct nvml_session *session, const char *what, int gpu)
{
    char stage[64];
    if (gpu < 0)
        snprintf(stage, sizeof stage, "%s", what);
    else
        snprintf(stage, sizeof stage, "%s GPU %d", what, gpu);
    nvml_tell_text(session, WIRE_STAGE, gpu < 0 ? 0 : gpu, stage, sizeof stage);
}
