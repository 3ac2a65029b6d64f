/* The library that the child has loaded, how its functions are called, and how answers are told. */
#ifndef MACHINE_NVML_SESSION_H
#define MACHINE_NVML_SESSION_H

#include <stdint.h>

#include "machine/nvml_abi.h"
#include "machine/nvml_wire.h"

struct nvml_session {
    int fd;        /* the pipe to the parent */
    void *library; /* of dlopen() */
};

typedef void (*nvml_function)(void);
/* NULL in a library that is too old to have it. */
nvml_function nvml_find(const struct nvml_session *session, const char *name);

/* Calls `name` with `arguments` as a function of `type`; a function that this library does not have
 * answers like NVML itself would. */
#define NVML_CALL(session, name, type, arguments) \
    (nvml_find(session, name) ? ((type)nvml_find(session, name))arguments \
                              : NVML_CODE_FUNCTION_NOT_FOUND)

typedef int (*get_nothing)(void);
typedef int (*get_flags)(unsigned);
typedef int (*get_number)(int *);
typedef int (*get_unsigned)(unsigned *);
typedef int (*get_text)(char *, unsigned);
typedef int (*get_handle)(unsigned, nvml_device *);
typedef int (*device_text)(nvml_device, char *, unsigned);
typedef int (*device_unbounded_text)(nvml_device, char *);
typedef int (*device_unsigned)(nvml_device, unsigned *);
typedef int (*device_two_ints)(nvml_device, int *, int *);
typedef int (*device_two)(nvml_device, unsigned *, unsigned *);
typedef int (*device_handle)(nvml_device, unsigned, nvml_device *);
typedef int (*device_link)(nvml_device, unsigned, unsigned *);
typedef int (*device_fields)(nvml_device, int, struct nvml_field *);
typedef int (*device_struct)(nvml_device, void *);
typedef const char *(*code_text)(int);

/* `text` ends in a NUL or fills its buffer. */
void nvml_tell_text(const struct nvml_session *session, enum wire_tag tag, int gpu,
                    const char *text, size_t size);
void nvml_tell_number(const struct nvml_session *session, enum wire_tag tag, int gpu,
                      int64_t number);
/* What is asked next, for the sentence about a crash or a hang: "WHAT GPU N", or WHAT alone where
 * `gpu` is negative. */
void nvml_tell_stage(const struct nvml_session *session, const char *what, int gpu);

/* Asks all that is known of one GPU. */
void nvml_ask_gpu(const struct nvml_session *session, int gpu);
/* Memory of a GPU or of a MIG device, told under `tag`. */
void nvml_ask_memory(const struct nvml_session *session, enum wire_tag tag, int gpu,
                     nvml_device device);
/* MIG mode, and each MIG device. */
void nvml_ask_mig(const struct nvml_session *session, int gpu, nvml_device device);
/* NVLinks: how many, and how many are up; `count` as the driver states it, or negative. */
void nvml_ask_links(const struct nvml_session *session, int gpu, nvml_device device, int count);

#endif
