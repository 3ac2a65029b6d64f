#include <criterion/criterion.h>

#include "system/env_allowed.h"

Test(env_allowed, names)
{
    const char *yes[] = {"PATH",
                         "LD_LIBRARY_PATH",
                         "CUDA_HOME",
                         "CUDA_VISIBLE_DEVICES",
                         "CONDA_PREFIX",
                         "CONDA_OVERRIDE_CUDA",
                         "PYTHONPATH",
                         "NCCL_P2P_DISABLE",
                         "NVIDIA_VISIBLE_DEVICES",
                         "VIRTUAL_ENV",
                         "TORCH_CUDA_ARCH_LIST"};
    const char *no[] = {"HOME",
                        "USER",
                        "PIP_INDEX_URL",
                        "UV_INDEX_URL",
                        "HF_TOKEN",
                        "NVIDIA_API_KEY",
                        "CONDA_TOKEN",
                        "CONDA_CHANNELS",
                        "CONDA_CHANNEL_ALIAS",
                        "SLURM_JOB_ACCOUNT",
                        "MASTER_ADDR",
                        "HTTPS_PROXY",
                        "WSL_INTEROP",
                        "SSH_AUTH_SOCK",
                        "NCCL_HOSTID",
                        "CUDA_SECRET",
                        "PYTHON_KEYRING_PASSWORD",
                        "",
                        "path"};
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
        cr_expect(env_allowed(yes[i]), "%s", yes[i]);
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
        cr_expect_not(env_allowed(no[i]), "%s", no[i]);
}

Test(env_allowed, secrets)
{
    const char *yes[] = {"X_API_KEY",  "x_api_key", "TOKEN",   "MY_PASSWORD_FILE",
                         "A_APIKEY_B", "DB_DSN",    "SESSION", "A_APITOKEN",
                         "A_KEYS",     "PASSWD1",   "TOKENS",  "HFTOKEN2"};
    const char *no[] = {"KEYBOARD", "TOKENIZERS_PARALLELISM", "XKEYSX", "CUDA_HOME", "PASSENGER",
                        "AUTHOR"};
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
        cr_expect(env_secret(yes[i]), "%s", yes[i]);
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
        cr_expect_not(env_secret(no[i]), "%s", no[i]);
}
