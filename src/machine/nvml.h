/* What NVML says, asked in a child process with a deadline.
 *
 * The driver can crash or hang whoever calls it, so the library is only ever loaded in a child:
 * standard streams on /dev/null, every other descriptor but the result pipe closed, an own process
 * group, PR_SET_NO_NEW_PRIVS, waited for with WNOHANG (a child in state D cannot be killed). */
#ifndef MACHINE_NVML_H
#define MACHINE_NVML_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "machine/machine.h"

enum nvml_status {
    NVML_OK,         /* init worked; gpus[] may still carry codes of their own */
    NVML_FAILED,     /* the library answered with an error: code, message */
    NVML_NO_LIBRARY, /* no libnvidia-ml.so.1 */
    NVML_CRASHED,    /* the child died of a signal */
    NVML_HUNG,       /* no answer within the deadline */
    NVML_MALFORMED,  /* the answer made no sense, or was larger than allowed */
    NVML_NO_PROCESS, /* no child could be started to ask it (a limit on processes) */
    NVML_SKIPPED, /* not asked: no loaded driver, a sleeping GPU, a recorded machine without it */
};

enum { NVML_MIGS_MAX = 64 }; /* of a GPU; today's have 7 */

/* A MIG device: one compute instance. */
struct nvml_mig {
    int index;                          /* among those of its GPU; may have gaps; -1 unknown */
    int gpu_instance, compute_instance; /* ids; -1 unknown */
    const char *uuid;                   /* "MIG-..."; NULL unknown (nvidia-smi leaves it out) */
    const char *name;                   /* with its profile; NULL unknown */
    int64_t memory_mib;                 /* -1 unknown */
};

struct nvml_gpu {
    int index;       /* NVML's order: by PCI bus id */
    int code;        /* NVML code of the handle look-up; 0 fine, else the rest is unknown */
    const char *pci; /* "0000:01:00.0": four-digit domain, lower case; NULL unknown */
    const char *uuid;
    const char *name;
    const char *cc;           /* "9.0" */
    int64_t memory_mib;       /* -1 unknown */
    int minor;                /* N of /dev/nvidiaN; -1 unknown */
    int mig_mode;             /* 0, 1; -1 unknown or not supported */
    int mig_pending;          /* likewise, after the next reset */
    int mig_instances;        /* compute instances; -1 unknown */
    const char *compute_mode; /* "Default", "Exclusive_Process", "Prohibited"; NULL unknown */
    int persistence;          /* 0, 1; -1 unknown */
    const char *fabric_state; /* "Completed", "In Progress", ...; NULL not supported */
    const char *fabric_status;
    const char *ecc_mode;        /* "Enabled", "Disabled"; NULL unknown */
    const char *addressing_mode; /* "None", "HMM", "ATS"; NULL unknown */
    const char *virtualization;  /* "none", "passthrough", "vgpu", "host-vgpu", "host-vsga"; NULL */
    const char *recovery_action; /* nvidia-smi's words: "None", "Reset", ...; NULL unknown */
    const char *gsp_firmware;    /* version, or "none" where it is off; NULL unknown */
    int nvlinks;                 /* that the driver states; -1 unknown or not supported */
    int nvlinks_active;
    struct nvml_mig *migs; /* NULL none */
    size_t mig_count;      /* those that are described: at most NVML_MIGS_MAX */
};

struct nvml_report {
    enum nvml_status status;
    const char *source;  /* "nvml", "nvidia-smi", ".record/nvidia-smi.xml": who was asked last */
    const char *library; /* path or soname that was loaded; NULL none */
    int code;            /* NVML code where status is NVML_FAILED (-1 unknown), 12 with
                            NVML_NO_LIBRARY, else 0 */
    const char *message; /* the library's or nvidia-smi's own words, or ours for a crash or hang
                            (in which call); NULL none. With NVML_OK from nvidia-smi: why it was
                            asked */
    const char *driver_version; /* NULL unknown */
    const char *cuda_version;   /* the driver's CUDA, "13.0"; NULL unknown */
    const char *nvml_version;
    struct nvml_gpu *gpus;
    size_t gpu_count; /* those that answered, also with an error, before a crash or hang */
    double ms;        /* from start to answer; 0 for a recorded machine */
};

/* A question that is under way while the caller does other work. */
struct nvml_query;

struct nvml_options {
    const char *library; /* NULL: "libnvidia-ml.so.1" */
    int deadline_ms;     /* <= 0: 5000 */
    bool wake;           /* also ask when a GPU sleeps (the caller decides; not used here) */
    /* Called every few milliseconds while nvml_finish() waits; NULL: none. */
    void (*waiting)(void *waiter);
    void *waiter;
    const char *smi; /* the fallback program; NULL: nvidia-smi where it usually is and on PATH,
                        "": none */
};

/* Starts the child (live machine) or opens the record. Never fails: what cannot be started ends up
 * in the report. The caller must finish it. */
struct nvml_query *nvml_start(const struct machine *machine, const struct nvml_options *options);
/* Waits for the answer at most until the deadline, falls back to `nvidia-smi -q -x` in the same
 * kind of child when the library crashed or is missing; frees the query. Strings live in `arena`.
 */
void nvml_finish(struct nvml_query *query, struct arena *arena, struct nvml_report *ret);

/* Parses `nvidia-smi -q -x` of any driver generation; `size` bytes of hostile input. 0, or
 * -EBADMSG with a sentence when it is no such document; then *ret says NVML_MALFORMED. `source` and
 * `ms` are left to the caller. */
int nvml_parse_xml(const char *data, size_t size, struct arena *arena, struct nvml_report *ret,
                   struct error *err);
/* Parses the table that a plain `nvidia-smi` prints, as people paste it: a weaker source (long
 * names are cut, much is left out). 0, or -EBADMSG when there is no such table. `source` and `ms`
 * are left to the caller. */
int nvml_parse_table(const char *data, size_t size, struct arena *arena, struct nvml_report *ret,
                     struct error *err);
/* What nvidia-smi printed when it failed ("Failed to initialize NVML: ..."): status, code and
 * message. */
void nvml_parse_failure(const char *data, size_t size, struct arena *arena,
                        struct nvml_report *ret);

/* "Driver/library version mismatch" for 18; NULL for a number that is no NVML code. */
const char *nvml_code_text(int code);
/* The stable name, "LIB_RM_VERSION_MISMATCH"; NULL likewise. */
const char *nvml_code_name(int code);

#endif
