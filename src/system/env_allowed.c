#include "system/env_allowed.h"

#include <string.h>
#include <strings.h>

#include "base/text.h"

/* No name of a host, user, account or index server: those may carry addresses and passwords. */
static const char *const names[] = {
    /* shell, loader, compiler */
    "PATH",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "LD_AUDIT",
    "LD_BIND_NOW",
    "LIBRARY_PATH",
    "CPATH",
    "LANG",
    "LC_ALL",
    "SHELL",
    "TERM",
    "CC",
    "CXX",
    /* Python environments */
    "VIRTUAL_ENV",
    "PIP_USER",
    "PIP_TARGET",
    "PIP_PREFIX",
    "PIP_NO_BINARY",
    "PIP_REQUIRE_VIRTUALENV",
    "PIP_BREAK_SYSTEM_PACKAGES",
    "UV_PROJECT_ENVIRONMENT",
    "UV_PYTHON",
    "UV_SYSTEM_PYTHON",
    "UV_TORCH_BACKEND",
    "UV_LINK_MODE",
    "MAMBA_ROOT_PREFIX",
    "MAMBA_EXE",
    "PIXI_PROJECT_ROOT",
    "PIXI_ENVIRONMENT_NAME",
    "POETRY_ACTIVE",
    "PYENV_VERSION",
    "PYENV_ROOT",
    /* CUDA toolkits */
    "CUDACXX",
    "CUDAHOSTCXX",
    "CUDAARCHS",
    "CUDAToolkit_ROOT",
    "NVHPC_ROOT",
    "NVHPC_CUDA_HOME",
    "EBROOTCUDA",
    "EBVERSIONCUDA",
    "SPACK_ROOT",
    "SPACK_ENV",
    "LOADEDMODULES",
    "MODULEPATH",
    "GPU_DEVICE_ORDINAL",
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "OCL_ICD_FILENAMES",
    "OCL_ICD_VENDORS",
    "OPENCL_VENDOR_PATH",
    "_CUDA_COMPAT_STATUS",
    "_CUDA_COMPAT_PATH",
    /* frameworks */
    "TORCH_CUDA_ARCH_LIST",
    "TORCH_USE_CUDA_DSA",
    "TORCH_HOME",
    "PYTORCH_CUDA_ALLOC_CONF",
    "PYTORCH_ALLOC_CONF",
    "PYTORCH_NVML_BASED_CUDA_CHECK",
    "USE_CUDA",
    "FORCE_CUDA",
    "XLA_FLAGS",
    "JAX_PLATFORMS",
    "JAX_PLATFORM_NAME",
    "JAX_SKIP_CUDA_CONSTRAINTS_CHECK",
    "TF_FORCE_GPU_ALLOW_GROWTH",
    "TF_XLA_FLAGS",
    "TF_CPP_MIN_LOG_LEVEL",
    "BNB_CUDA_VERSION",
    "OMP_NUM_THREADS",
    "CUBLAS_WORKSPACE_CONFIG",
    "VLLM_TARGET_DEVICE",
    /* containers, WSL, clusters */
    "container",
    "KUBERNETES_SERVICE_HOST",
    "SINGULARITY_CONTAINER",
    "APPTAINER_CONTAINER",
    "SINGULARITY_NV",
    "APPTAINER_NV",
    "ENROOT_VERSION",
    "COLAB_GPU",
    "WSL_DISTRO_NAME",
    "SLURM_JOB_ID",
    "SLURM_JOB_GPUS",
    "SLURM_STEP_GPUS",
    "SLURM_GPUS_ON_NODE",
    "SLURM_LOCALID",
    "SLURM_PROCID",
    "PBS_ENVIRONMENT",
    "PBS_GPUFILE",
    "LSB_JOBID",
    "LSF_ENVDIR",
    "SGE_TASK_ID",
    "SGE_HGR_gpu",
    "SGE_GPU",
    "SGE_ROOT",
    "FLUX_JOB_ID",
    "RAY_JOB_ID",
    "RANK",
    "LOCAL_RANK",
    "WORLD_SIZE",
    "CI",
    /* display */
    "__EGL_VENDOR_LIBRARY_FILENAMES",
    "__EGL_VENDOR_LIBRARY_DIRS",
    "__NV_PRIME_RENDER_OFFLOAD",
    "__GLX_VENDOR_LIBRARY_NAME",
    "VK_ICD_FILENAMES",
    "VK_DRIVER_FILES",
    "VK_ADD_DRIVER_FILES",
};

static const char *const prefixes[] = {
    "CUDA_", "CUDNN_", "CUPY_",   "CONDA_", "NCCL_", "NUMBA_",
    "NVCC_", "NV_",    "NVIDIA_", "PYTHON", "ORT_",  "TRITON_",
};

/* TOKEN, TOKENS, TOKEN2, and the longer ones also at the end of a word: APITOKEN. */
static bool is_secret_word(const char *word, size_t length)
{
    static const char *const secrets[] = {
        "TOKEN", "SECRET",  "PASS",    "PASSWD",    "PASSWORD",   "PASSPHRASE", "CREDENTIAL",
        "AUTH",  "COOKIE",  "SESSION", "KEY",       "SALT",       "PRIVATE",    "SIGNATURE",
        "DSN",   "WEBHOOK", "APIKEY",  "ACCESSKEY", "ACCOUNTKEY", "LICENSEKEY",
    };
    enum { LONG = 5 };
    size_t bare = length;
    while (bare && word[bare - 1] >= '0' && word[bare - 1] <= '9')
        bare--;
    size_t singular = bare && (word[bare - 1] == 'S' || word[bare - 1] == 's') ? bare - 1 : bare;
    for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++) {
        size_t n = strlen(secrets[i]);
        for (int k = 0; k < 2; k++) {
            size_t end = k ? singular : bare;
            if ((end == n || (end > n && n >= LONG)) &&
                strncasecmp(word + end - n, secrets[i], n) == 0)
                return true;
        }
    }
    return false;
}

bool env_secret(const char *name)
{
    while (*name) {
        size_t n = strcspn(name, "_");
        if (is_secret_word(name, n))
            return true;
        name += n + (name[n] == '_');
    }
    return false;
}

/* Variables of an allowed kind that hold what is not to be told: the host of a job, addresses
 * that may carry a password or a token (the probe package_setting tells them without). */
static bool is_carrier(const char *name)
{
    static const char *const carriers[] = {
        "NCCL_HOSTID",
        "CONDA_CHANNELS",
        "CONDA_DEFAULT_CHANNELS",
        "CONDA_CHANNEL_ALIAS",
        "CONDA_CUSTOM_CHANNELS",
        "CONDA_CUSTOM_MULTICHANNELS",
        "CONDA_MIGRATED_CHANNEL_ALIASES",
        "CONDA_PROXY_SERVERS",
    };
    for (size_t i = 0; i < sizeof carriers / sizeof carriers[0]; i++)
        if (strcmp(name, carriers[i]) == 0)
            return true;
    return text_starts(name, "CONDA_PROXY") || text_ends(name, "_CHANNELS");
}

bool env_allowed(const char *name)
{
    bool listed = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !listed; i++)
        listed = strcmp(names[i], name) == 0;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0] && !listed; i++)
        listed = text_starts(name, prefixes[i]);
    return listed && !env_secret(name) && !is_carrier(name);
}
