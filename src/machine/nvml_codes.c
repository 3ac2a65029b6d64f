/* Numbers, names and texts of nvmlReturn_t. The texts are what nvmlErrorString() answers, as
 * nvidia-smi prints them behind "Failed to initialize NVML: ". */
#include <string.h>

#include "machine/nvml.h"
#include "machine/nvml_values.h"

static const struct code {
    int number;
    const char *name, *text;
} codes[] = {
    {0, "SUCCESS", "Success"},
    {1, "UNINITIALIZED", "Uninitialized"},
    {2, "INVALID_ARGUMENT", "Invalid Argument"},
    {3, "NOT_SUPPORTED", "Not Supported"},
    {4, "NO_PERMISSION", "Insufficient Permissions"},
    {5, "ALREADY_INITIALIZED", "Already Initialized"},
    {6, "NOT_FOUND", "Not Found"},
    {7, "INSUFFICIENT_SIZE", "Insufficient Size"},
    {8, "INSUFFICIENT_POWER", "Insufficient External Power"},
    {9, "DRIVER_NOT_LOADED", "Driver Not Loaded"},
    {10, "TIMEOUT", "Timeout"},
    {11, "IRQ_ISSUE", "Interrupt Request Issue"},
    {12, "LIBRARY_NOT_FOUND", "NVML Shared Library Not Found"},
    {13, "FUNCTION_NOT_FOUND", "Function Not Found"},
    {14, "CORRUPTED_INFOROM", "Corrupted infoROM"},
    {15, "GPU_IS_LOST", "GPU is lost"},
    {16, "RESET_REQUIRED", "GPU requires reset"},
    {17, "OPERATING_SYSTEM", "GPU access blocked by the operating system"},
    {18, "LIB_RM_VERSION_MISMATCH", "Driver/library version mismatch"},
    {19, "IN_USE", "In use by another client"},
    {20, "MEMORY", "Insufficient Memory"},
    {21, "NO_DATA", "No data"},
    {22, "VGPU_ECC_NOT_SUPPORTED", "vGPU ECC Not Supported"},
    {23, "INSUFFICIENT_RESOURCES", "Insufficient Resources"},
    {24, "FREQ_NOT_SUPPORTED", "Frequency Not Supported"},
    {25, "ARGUMENT_VERSION_MISMATCH", "Argument Version Mismatch"},
    {26, "DEPRECATED", "Requested functionality has been deprecated"},
    {27, "NOT_READY", "Not Ready"},
    {28, "GPU_NOT_FOUND", "No GPU Found"},
    {29, "INVALID_STATE", "Invalid State"},
    {999, "UNKNOWN", "Unknown Error"},
};

static const struct code *find(int number)
{
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].number == number)
            return &codes[i];
    return NULL;
}

const char *nvml_code_text(int code)
{
    const struct code *found = find(code);
    return found ? found->text : NULL;
}

const char *nvml_code_name(int code)
{
    const struct code *found = find(code);
    return found ? found->name : NULL;
}

int nvml_code_in_text(const char *words)
{
    const struct code *found = NULL;
    for (size_t i = 1; i < sizeof codes / sizeof *codes; i++) /* "Success" is no failure */
        /* the longest: "Not Found" is also the end of others */
        if (strcasestr(words, codes[i].text) &&
            (!found || strlen(codes[i].text) > strlen(found->text)))
            found = &codes[i];
    return found ? found->number : -1;
}
