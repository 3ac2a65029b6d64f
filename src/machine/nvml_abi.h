/* The part of NVML's binary interface that the child uses. Written from the layouts that NVIDIA
 * publishes for nvml.h (CUDA 12.2 to 13.x; the go-nvml project carries the header): no header of
 * theirs is needed to build. A structure with a version field is asked for by
 * size | version << 24. */
#ifndef MACHINE_NVML_ABI_H
#define MACHINE_NVML_ABI_H

#include <stdint.h>

typedef void *nvml_device;

enum {
    NVML_CODE_SUCCESS = 0,
    NVML_CODE_INVALID_ARGUMENT = 2,
    NVML_CODE_NOT_SUPPORTED = 3,
    NVML_CODE_NOT_FOUND = 6,
    NVML_CODE_FUNCTION_NOT_FOUND = 13,

    NVML_INIT_NO_GPUS = 1,   /* do not fail when there is no GPU */
    NVML_INIT_NO_ATTACH = 2, /* do not attach the GPUs: cheap, and wakes none */

    NVML_TEXT_SIZE = 96, /* the largest of the header's buffers for versions, UUIDs and names */
    NVML_LINKS_MAX = 36, /* NVLinks of a GPU; 18 in headers before CUDA 13 */

    NVML_FIELD_LINK_COUNT = 91,       /* NVML_FI_DEV_NVLINK_LINK_COUNT */
    NVML_FIELD_RECOVERY_ACTION = 230, /* NVML_FI_DEV_GET_GPU_RECOVERY_ACTION, since driver 570 */
    NVML_VALUE_UNSIGNED = 1,          /* NVML_VALUE_TYPE_UNSIGNED_INT */
};

/* nvmlPciInfo_t, filled by nvmlDeviceGetPciInfo_v3 */
struct nvml_pci_info {
    char bus_id_legacy[16];
    unsigned domain, bus, device;
    unsigned device_id, subsystem_id;
    char bus_id[32];
};

/* nvmlMemory_t */
struct nvml_memory {
    unsigned long long total, free, used; /* bytes */
};

/* nvmlMemory_v2_t: here `reserved` is not hidden in `used` */
struct nvml_memory_v2 {
    unsigned version;
    unsigned long long total, reserved, free, used; /* bytes */
};

/* nvmlGpuFabricInfo_t */
struct nvml_fabric {
    unsigned char cluster[16];
    unsigned status; /* a code like those that functions return */
    unsigned clique;
    unsigned char state;
};

/* nvmlGpuFabricInfo_v2_t */
struct nvml_fabric_v2 {
    unsigned version;
    unsigned char cluster[16];
    unsigned status;
    unsigned clique;
    unsigned char state;
    unsigned health;
};

/* nvmlDeviceAddressingMode_t */
struct nvml_addressing {
    unsigned version;
    unsigned value; /* 0 none, 1 HMM, 2 ATS */
};

/* nvmlFieldValue_t; `scope` was unused in older headers */
struct nvml_field {
    unsigned id, scope;
    long long timestamp, latency; /* microseconds */
    int type;                     /* which member of the union */
    int code;                     /* of this field alone */
    union {
        unsigned number;
        unsigned long long widest;
    } value;
};
_Static_assert(sizeof(struct nvml_field) == 40, "as the library lays it out");

#define NVML_STRUCT_VERSION(type, version) ((unsigned)sizeof(type) | (version) << 24)

#endif
