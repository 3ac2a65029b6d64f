/* A driver library that behaves as the environment variable FAKE_NVML tells it to:
 *
 *   ok                two GPUs, the second with MIG and two compute instances
 *   init=CODE         nvmlInit_v2 and nvmlInitWithFlags fail with CODE
 *   handle=CODE       the second GPU's handle fails with CODE
 *   crash-init, crash-handle, exit-init, abort-handle
 *   hang-init, hang-handle   the latter after the versions and the first GPU were told
 *   flood             writes without end to every descriptor
 *   flood-records     likewise, in the shape of the child's own records
 *   long              names without a NUL, filling their buffers
 *   hostile           names with escape sequences and bytes that are no UTF-8
 *   many              counts 100000 GPUs
 *   plain             supports nothing that a GeForce does not
 *   guest             a vGPU inside a virtual machine
 *   sick              asks for a reset; its NVLinks answer that the GPU is lost
 *   future            a recovery action and a link state that nobody knows yet
 *   gaps              states 3 NVLinks that are not numbered in a row
 *   uncounted         states no number of NVLinks
 *   firmware-off      runs without its system processor
 *   hidden-mig        one MIG device may not be seen
 *   many-mig          counts 1000 MIG devices of the second GPU
 *   crash-links, crash-mig   in the second GPU's, of which it states none and some
 *   hang-links-uncounted     in the second GPU's; states no number of NVLinks
 *   streams           the GPU's name tells what the process's descriptors are
 *
 * With FAKE_OLD it is a library of the time before every _v2 and before nvmlInitWithFlags. */
#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static int is_mode(const char *wanted)
{
    const char *mode = getenv("FAKE_NVML");
    return mode && strcmp(mode, wanted) == 0;
}

static int code_of(const char *key)
{
    const char *mode = getenv("FAKE_NVML");
    size_t length = strlen(key);
    return mode && strncmp(mode, key, length) == 0 ? atoi(mode + length) : 0;
}

static void hang(void)
{
    for (;;)
        pause();
}

static void crash(void)
{
    raise(SIGSEGV);
}

static void flood(const void *bytes, size_t size)
{
    for (;;)
        for (int fd = 0; fd < 64; fd++)
            if (write(fd, bytes, size) < 0)
                continue;
}

static int put(char *buffer, unsigned size, const char *text)
{
    if (is_mode("long")) {
        memset(buffer, 'x', size);
        return 0;
    }
    if (strlen(text) + 1 > size)
        return 7;
    memcpy(buffer, text, strlen(text) + 1);
    return 0;
}

static int start(void)
{
    struct {
        uint16_t magic, tag, gpu, length;
        char text[4];
    } record = {0x474e, 1, 0, 4, "abcd"};
    if (is_mode("crash-init"))
        crash();
    if (is_mode("exit-init"))
        exit(3);
    if (is_mode("hang-init"))
        hang();
    if (is_mode("flood"))
        flood("garbage without end\n", 20);
    if (is_mode("flood-records"))
        flood(&record, sizeof record);
    return code_of("init=");
}

/* As the real one: with a start that wanted no GPUs still standing there are none. */
static int starts, blind;

static int count_start(int code, int without_gpus)
{
    if (code == 0 && starts++ == 0)
        blind = without_gpus;
    return code;
}

static int get_handle(unsigned index, void **device)
{
    if (index == 1) {
        if (is_mode("crash-handle"))
            crash();
        if (is_mode("abort-handle"))
            abort();
        if (is_mode("hang-handle"))
            hang();
        if (code_of("handle="))
            return code_of("handle=");
    }
    *device = (void *)(uintptr_t)(index + 1);
    return 0;
}

static int is_second(void *device)
{
    return device == (void *)(uintptr_t)2;
}

/* A handle of a MIG device is 100 and its number; -1 for a GPU's. */
static int mig_number(void *device)
{
    return (int)(uintptr_t)device - 100;
}

EXPORT int nvmlInit_v2(void);
EXPORT int nvmlInit(void);
EXPORT int nvmlInitWithFlags(unsigned flags);
EXPORT int nvmlShutdown(void);
EXPORT int nvmlDeviceGetCount_v2(unsigned *count);
EXPORT int nvmlDeviceGetCount(unsigned *count);
EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device);
EXPORT int nvmlDeviceGetHandleByIndex(unsigned index, void **device);
EXPORT const char *nvmlErrorString(int code);
EXPORT int nvmlSystemGetDriverVersion(char *text, unsigned size);
EXPORT int nvmlSystemGetNVMLVersion(char *text, unsigned size);
EXPORT int nvmlSystemGetCudaDriverVersion_v2(int *version);
EXPORT int nvmlSystemGetCudaDriverVersion(int *version);
EXPORT int nvmlDeviceGetUUID(void *device, char *text, unsigned size);
EXPORT int nvmlDeviceGetName(void *device, char *text, unsigned size);
EXPORT int nvmlDeviceGetPciInfo_v3(void *device, void *info);
EXPORT int nvmlDeviceGetPciInfo_v2(void *device, void *info);
EXPORT int nvmlDeviceGetCudaComputeCapability(void *device, int *major, int *minor);
EXPORT int nvmlDeviceGetMemoryInfo_v2(void *device, void *info);
EXPORT int nvmlDeviceGetMemoryInfo(void *device, void *info);
EXPORT int nvmlDeviceGetMigMode(void *device, unsigned *mode, unsigned *pending);
EXPORT int nvmlDeviceGetMaxMigDeviceCount(void *device, unsigned *count);
EXPORT int nvmlDeviceGetMigDeviceHandleByIndex(void *device, unsigned index, void **mig);
EXPORT int nvmlDeviceGetMinorNumber(void *device, unsigned *minor);
EXPORT int nvmlDeviceGetComputeMode(void *device, unsigned *mode);
EXPORT int nvmlDeviceGetPersistenceMode(void *device, unsigned *mode);
EXPORT int nvmlDeviceGetEccMode(void *device, unsigned *mode, unsigned *pending);
EXPORT int nvmlDeviceGetAddressingMode(void *device, void *mode);
EXPORT int nvmlDeviceGetGpuFabricInfoV(void *device, void *info);
EXPORT int nvmlDeviceGetGpuInstanceId(void *device, unsigned *id);
EXPORT int nvmlDeviceGetComputeInstanceId(void *device, unsigned *id);
EXPORT int nvmlDeviceGetVirtualizationMode(void *device, unsigned *mode);
EXPORT int nvmlDeviceGetNvLinkState(void *device, unsigned link, unsigned *state);
EXPORT int nvmlDeviceGetGspFirmwareMode(void *device, unsigned *on, unsigned *usual);
EXPORT int nvmlDeviceGetGspFirmwareVersion(void *device, char *version);
EXPORT int nvmlDeviceGetFieldValues(void *device, int count, void *values);

int nvmlInit(void)
{
    return count_start(start(), 0);
}

int nvmlShutdown(void)
{
    starts--;
    return 0;
}

int nvmlDeviceGetCount(unsigned *count)
{
    *count = is_mode("many") ? 100000 : blind ? 0 : 2;
    return 0;
}

int nvmlDeviceGetHandleByIndex(unsigned index, void **device)
{
    return get_handle(index, device);
}

const char *nvmlErrorString(int code)
{
    return code == 18 ? "Driver/library version mismatch" : code == 77 ? NULL : "Some Error";
}

int nvmlSystemGetDriverVersion(char *text, unsigned size)
{
    return put(text, size, "580.159.04");
}

int nvmlSystemGetNVMLVersion(char *text, unsigned size)
{
    return put(text, size, "13.580.159.04");
}

int nvmlSystemGetCudaDriverVersion(int *version)
{
    *version = 13000;
    return 0;
}

/* What the process looks like from inside, for the test of its restraints. */
static int put_streams(char *buffer, unsigned size)
{
    char text[512] = "", path[64], target[64];
    size_t used = 0;
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        count += entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(folder);
    if (folder)
        closedir(folder);
    for (int fd = 0; fd < 3; fd++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        ssize_t length = readlink(path, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        used += (size_t)snprintf(text + used, sizeof text - used, "%s ", target);
    }
    struct rlimit core = {1, 1};
    getrlimit(RLIMIT_CORE, &core);
    snprintf(text + used, sizeof text - used, "fds=%d nnp=%d group=%d core=%d", count,
             prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), getpgrp() == getpid(), (int)core.rlim_cur);
    return put(buffer, size, text);
}

int nvmlDeviceGetName(void *device, char *text, unsigned size)
{
    if (is_mode("streams"))
        return put_streams(text, size);
    if (is_mode("hostile"))
        return put(text, size, "NVIDIA \x1b[31mH200\n\xff");
    if (mig_number(device) >= 0)
        return put(text, size, "NVIDIA A100 MIG 3g.20gb");
    return put(text, size, is_second(device) ? "NVIDIA A100" : "NVIDIA H200");
}

int nvmlDeviceGetUUID(void *device, char *text, unsigned size)
{
    if (mig_number(device) >= 0)
        return put(text, size, mig_number(device) ? "MIG-3333" : "MIG-0000");
    return put(text, size, is_second(device) ? "GPU-2222" : "GPU-1111");
}

int nvmlDeviceGetMemoryInfo(void *device, void *info)
{
    (void)device;
    *(unsigned long long *)info = 80ULL << 30;
    return 0;
}

int nvmlDeviceGetPciInfo_v2(void *device, void *info)
{
    memcpy(info, is_second(device) ? "0000:0A:00.0" : "0000:01:00.0", 13);
    return 0;
}

#ifndef FAKE_OLD

int nvmlInit_v2(void)
{
    return count_start(start(), 0);
}

int nvmlInitWithFlags(unsigned flags)
{
    return count_start(is_mode("hang-init") ? 0 : start(), flags != 0);
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    return nvmlDeviceGetCount(count);
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
    return get_handle(index, device);
}

int nvmlSystemGetCudaDriverVersion_v2(int *version)
{
    return nvmlSystemGetCudaDriverVersion(version);
}

int nvmlDeviceGetPciInfo_v3(void *device, void *info)
{
    const char *text = is_second(device) ? "0000000A:0B:00.0" : "00000000:01:00.0";
    memcpy((char *)info + 36, text, strlen(text) + 1);
    return 0;
}

int nvmlDeviceGetCudaComputeCapability(void *device, int *major, int *minor)
{
    *major = is_second(device) ? 8 : 9;
    *minor = 0;
    return 0;
}

int nvmlDeviceGetMemoryInfo_v2(void *device, void *info)
{
    if (*(unsigned *)info != (40 | 2 << 24))
        return 25;
    ((unsigned long long *)info)[1] = (mig_number(device) >= 0 ? 20096ULL : 143771ULL) << 20;
    return 0;
}

/* The first GPU's is on from the next reset. */
int nvmlDeviceGetMigMode(void *device, unsigned *mode, unsigned *pending)
{
    if (is_mode("plain"))
        return 3;
    *mode = is_second(device);
    *pending = 1;
    return 0;
}

int nvmlDeviceGetMaxMigDeviceCount(void *device, unsigned *count)
{
    (void)device;
    *count = is_mode("many-mig") ? 1000 : 7;
    return 0;
}

int nvmlDeviceGetMigDeviceHandleByIndex(void *device, unsigned index, void **mig)
{
    (void)device;
    if (is_mode("crash-mig") && index == 3)
        crash();
    *mig = (void *)(uintptr_t)(100 + index);
    if (is_mode("many-mig"))
        return 0;
    if (is_mode("hidden-mig") && index == 1)
        return 4;
    return index == 0 || index == 3 ? 0 : 6;
}

int nvmlDeviceGetGpuInstanceId(void *device, unsigned *id)
{
    *id = mig_number(device) ? 2 : 1;
    return mig_number(device) < 0 ? 3 : 0;
}

int nvmlDeviceGetComputeInstanceId(void *device, unsigned *id)
{
    *id = 0;
    return mig_number(device) < 0 ? 3 : 0;
}

int nvmlDeviceGetVirtualizationMode(void *device, unsigned *mode)
{
    *mode = is_mode("guest") ? 2 : is_mode("future") ? 9 : is_second(device) ? 3 : 1;
    return is_mode("plain") ? 3 : 0;
}

/* Four links of the first GPU, the last one down; the second GPU has none. */
int nvmlDeviceGetNvLinkState(void *device, unsigned link, unsigned *state)
{
    if (is_second(device) && is_mode("crash-links"))
        crash();
    if (is_second(device) && is_mode("hang-links-uncounted"))
        hang();
    if (is_mode("plain") || is_second(device))
        return 3;
    if (is_mode("sick"))
        return link == 2 ? 15 : 0;
    if (is_mode("gaps")) {
        *state = link != 7;
        return link == 1 || link == 7 || link == 11 ? 0 : 3;
    }
    *state = is_mode("future") ? 7 : link != 3;
    return link < 4 ? 0 : 2;
}

int nvmlDeviceGetGspFirmwareMode(void *device, unsigned *on, unsigned *usual)
{
    *on = !is_mode("firmware-off");
    *usual = 1;
    return is_second(device) || is_mode("plain") ? 3 : 0;
}

int nvmlDeviceGetGspFirmwareVersion(void *device, char *version)
{
    if (is_second(device) || is_mode("plain") || is_mode("firmware-off"))
        return 3;
    put(version, 64, is_mode("hostile") ? "580.1\x1b[31m" : "580.159.04");
    return 0;
}

struct field {
    unsigned id, scope;
    long long timestamp, latency;
    int type, code;
    unsigned long long value;
};

int nvmlDeviceGetFieldValues(void *device, int count, void *values)
{
    struct field *fields = values;
    if (is_mode("plain"))
        return 3;
    for (int i = 0; i < count; i++) {
        struct field *field = &fields[i];
        field->type = 1;
        field->code = 0;
        if (field->id == 230 && !is_second(device))
            field->value = is_mode("sick") ? 1 : is_mode("future") ? 9 : 0;
        else if (field->id == 91 && !strstr(getenv("FAKE_NVML"), "uncounted"))
            field->value = is_mode("many")     ? 100000
                           : is_second(device) ? 0
                           : is_mode("gaps")   ? 3
                                               : 4;
        else
            field->code = 2;
    }
    return 0;
}

int nvmlDeviceGetMinorNumber(void *device, unsigned *minor)
{
    *minor = is_second(device) ? 0 : 1;
    return 0;
}

int nvmlDeviceGetComputeMode(void *device, unsigned *mode)
{
    *mode = is_second(device) ? 3 : 0;
    return 0;
}

int nvmlDeviceGetPersistenceMode(void *device, unsigned *mode)
{
    *mode = is_second(device) ? 0 : 1;
    return 0;
}

int nvmlDeviceGetEccMode(void *device, unsigned *mode, unsigned *pending)
{
    *mode = *pending = !is_second(device);
    return is_mode("plain") ? 3 : 0;
}

int nvmlDeviceGetAddressingMode(void *device, void *mode)
{
    if (*(unsigned *)mode != (8 | 1 << 24))
        return 25;
    ((unsigned *)mode)[1] = is_second(device) ? 1 : 0;
    return is_mode("plain") ? 3 : 0;
}

int nvmlDeviceGetGpuFabricInfoV(void *device, void *info)
{
    unsigned char *bytes = info;
    if (*(unsigned *)info != (36 | 2 << 24))
        return 25;
    memset(bytes + 20, 0, 4);
    bytes[28] = is_second(device) ? 2 : 3;
    return is_mode("plain") ? 3 : 0;
}

#endif
