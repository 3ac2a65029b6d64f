/* The descriptors of rules/frameworks against what real wheels hold: names, lines and sonames as
 * they stand in the releases that are named. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "base/text.h"
#include "elf_write.h"
#include "python_tree.h"

#define SITE "/v/lib/python3.11/site-packages"

enum { FILES_MAX = 4, MORE_MAX = 3 };

struct wheel_file {
    const char *path; /* below the site folder, or below the prefix where it starts with "^" */
    const char *text;
    const char *needed; /* a shared object that asks for this ("a b" for two), before the text */
};

struct wheel {
    const char *descriptor, *dist, *version, *requires;
    struct wheel_file files[FILES_MAX];
    const char *more[MORE_MAX]; /* "name version" of other distributions there */
    const char *row; /* variant, cuda, cuda_tag, cudnn, nccl, channel, package, version, evidence */
};

#define PADDLE(cuda, cudnn) \
    "# THIS FILE IS GENERATED FROM PADDLEPADDLE SETUP.PY\n#\n" \
    "full_version     = '2.6.2'\nmajor            = '2'\ncuda_version     = " \
    "'" cuda "'\ncudnn_version    = '" cudnn "'\nxpu_version      = 'False'\n"

static const struct wheel wheels[] = {
    {"cupy",
     "cupy_cuda12x",
     "14.2.0",
     "",
     {{"cupy/.data/_wheel.json",
       "{\"cuda\": \"12.x\", \"packaging\": \"pip\", \"cutensor\": {\"version\": \"2.4.1\", "
       "\"filenames\": [\"libcutensor.so.2.4.1\"]}, \"nccl\": {\"version\": \"2.25.1\", "
       "\"min_pypi_version\": \"2.18.1\", \"filenames\": [\"libnccl.so.2.25.1\"]}}",
       NULL},
      {"cupy/_version.py", "from __future__ import annotations\n\n__version__ = '14.2.0'\n", NULL}},
     {NULL},
     "cuda 12 - - 2.25.1 pypi cupy-cuda12x 14.2.0 \"cuda\": \"12.x\""},
    {"cupy",
     "cupy_cuda11x",
     "12.3.0",
     "",
     {{"cupy/.data/_wheel.json",
       "{\"cuda\": \"11.x\", \"packaging\": \"pip\", \"cutensor\": {\"version\": \"1.6.2\"}, "
       "\"nccl\": {\"version\": \"2.16.2\", \"filenames\": [\"libnccl.so.2.16.2\"]}, \"cudnn\": "
       "{\"version\": \"8.8.1\", \"filenames\": [\"libcudnn.so.8.8.1\"]}}",
       NULL}},
     {NULL},
     "cuda 11 - 8.8.1 2.16.2 pypi cupy-cuda11x 12.3.0 \"cuda\": \"11.x\""},
    /* both installed: the files are those of the one that came last */
    {"cupy",
     "cupy_cuda13x",
     "14.2.0",
     "",
     {{"cupy/.data/_wheel.json", "{\"cuda\": \"12.x\", \"packaging\": \"pip\"}", NULL}},
     {"cupy_cuda12x 14.2.0"},
     "cuda 12 - - - pypi cupy-cuda12x 14.2.0 \"cuda\": \"12.x\""},
    /* NCCL of another CUDA is left over from an older torch */
    {"torch",
     "torch",
     "2.8.0+cu128",
     "",
     {{"torch/version.py", "__version__ = '2.8.0+cu128'\ncuda: Optional[str] = '12.8'\n", NULL}},
     {"nvidia_nccl_cu11 2.14.3", "nvidia_nccl_cu12 2.27.3"},
     "cuda 12.8 cu128 - 2.27.3 pytorch torch 2.8.0+cu128 cuda: Optional[str] = '12.8'"},
    {"numba", "numba", "0.68.1", "", {{NULL, NULL, NULL}}, {NULL}, "- - - - - pypi numba 0.68.1 -"},
    {"numba-cuda",
     "numba_cuda",
     "0.30.4",
     "",
     {{NULL, NULL, NULL}},
     {"cuda_bindings 13.5.0"},
     "cuda 13 - - - pypi numba-cuda 0.30.4 cuda-bindings 13.5.0"},
    {"numba-cuda",
     "numba_cuda",
     "0.4.0",
     "",
     {{NULL, NULL, NULL}},
     {NULL},
     "- - - - - pypi numba-cuda 0.4.0 -"},
    {"onnxruntime",
     "onnxruntime_gpu",
     "1.31.1",
     "Requires-Dist: nvidia-cudnn-cu13~=9.0; extra == \"cudnn\"\n",
     {{"onnxruntime/capi/build_and_package_info.py",
       "package_name = 'onnxruntime-gpu'\n__version__ = '1.31.1'\ncuda_version = '13.0'\n", NULL},
      {"onnxruntime/capi/libonnxruntime_providers_cuda.so", NULL,
       "libcublas.so.13 libcudart.so.13"}},
     {NULL},
     "cuda 13.0 - 9 - pypi onnxruntime-gpu 1.31.1 cuda_version = '13.0'"},
    {"onnxruntime",
     "onnxruntime_gpu",
     "1.18.1",
     "",
     {{"onnxruntime/__init__.py", "__version__ = \"1.18.1\"\n", NULL},
      {"onnxruntime/capi/libonnxruntime_providers_cuda.so", NULL,
       "libcublasLt.so.11 libcudnn.so.8 libcufft.so.10 libcudart.so.11.0"}},
     {NULL},
     "cuda 11 - 8 - pypi onnxruntime-gpu 1.18.1 libcublasLt.so.11"},
    {"onnxruntime",
     "onnxruntime",
     "1.32.0",
     "",
     {{"onnxruntime/capi/build_and_package_info.py",
       "package_name = 'onnxruntime'\n__version__ = '1.32.0'\n", NULL}},
     {NULL},
     "cpu - - - - pypi onnxruntime 1.32.0 package_name = 'onnxruntime'"},
    /* the CPU package was installed over the GPU one, whose provider is left behind */
    {"onnxruntime",
     "onnxruntime_gpu",
     "1.31.1",
     "",
     {{"onnxruntime/capi/build_and_package_info.py",
       "package_name = 'onnxruntime'\n__version__ = '1.31.1'\n", NULL},
      {"onnxruntime/capi/libonnxruntime_providers_cuda.so", NULL, "libcudart.so.13"}},
     {"onnxruntime 1.31.1"},
     "cpu - - - - pypi onnxruntime 1.31.1 package_name = 'onnxruntime'"},
    {"triton",
     "triton",
     "3.9.0",
     "",
     {{"triton/__init__.py", "\"\"\"isort:skip_file\"\"\"\n__version__ = '3.9.0'\n", NULL},
      {"triton/backends/nvidia/bin/ptxas",
       "\x7f"
       "ELF Cuda compilation tools, release 12.9, V12.9.86 %s",
       NULL}},
     {NULL},
     "cuda 12.9 - - - pypi triton 3.9.0 Cuda compilation tools, release 12.9"},
    {"triton",
     "triton",
     "2.1.0",
     "",
     {{"triton/third_party/cuda/bin/ptxas",
       "\x7f"
       "ELF Cuda compilation tools, release 12.1, V12.1.105",
       NULL}},
     {NULL},
     "cuda 12.1 - - - pypi triton 2.1.0 Cuda compilation tools, release 12.1"},
    {"triton",
     "pytorch_triton_rocm",
     "3.2.0",
     "",
     {{NULL, NULL, NULL}},
     {NULL},
     "rocm - - - - pytorch pytorch-triton-rocm 3.2.0 -rocm"},
    {"vllm",
     "vllm",
     "0.33.0",
     "",
     {{"vllm/_version.py", "version: str\n__version__ = version = '0.33.0'\n", NULL},
      {"vllm/_C_stable_libtorch.abi3.so", NULL, "libtorch.so libcudart.so.13 libcuda.so.1"}},
     {NULL},
     "cuda 13 - - - pypi vllm 0.33.0 libcudart.so.13"},
    {"vllm",
     "vllm",
     "0.6.3",
     "",
     {{"vllm/_C.abi3.so", NULL, "libc10.so libcudart.so.12"}},
     {NULL},
     "cuda 12 - - - pypi vllm 0.6.3 libcudart.so.12"},
    {"vllm",
     "vllm",
     "0.11.0+cpu",
     "",
     {{NULL, NULL, NULL}},
     {NULL},
     "cpu - - - - - vllm 0.11.0+cpu +cpu"},
    {"flash-attn",
     "flash_attn",
     "2.7.4.post1",
     "",
     {{"flash_attn/__init__.py", "__version__ = \"2.7.4.post1\"\n", NULL},
      {"flash_attn_2_cuda.cpython-311-x86_64-linux-gnu.so", NULL, "libc10.so libcudart.so.12"}},
     {NULL},
     "cuda 12 - - - pypi flash-attn 2.7.4.post1 libcudart.so.12"},
    {"xformers",
     "xformers",
     "0.0.35",
     "",
     {{"xformers/cpp_lib.json",
       "{\"version\": {\"cuda\": 1208, \"hip\": null, \"torch\": \"2.10.0+cu128\", \"python\": "
       "\"3.10.19\"}, \"env\": {\"TORCH_CUDA_ARCH_LIST\": \"7.5 8.0+PTX 8.0 9.0a\"}}",
       NULL}},
     {NULL},
     "cuda 12.8 - - - pypi xformers 0.0.35 \"cuda\": 1208"},
    {"bitsandbytes",
     "bitsandbytes",
     "0.50.2",
     "",
     {{"bitsandbytes/libbitsandbytes_cpu.so", "", NULL},
      {"bitsandbytes/libbitsandbytes_cuda118.so", "", NULL},
      {"bitsandbytes/libbitsandbytes_cuda130.so", "", NULL},
      {"bitsandbytes/libbitsandbytes_rocm72.so", "", NULL}},
     {NULL},
     "cuda - - - - pypi bitsandbytes 0.50.2 libbitsandbytes_cuda118.so, "
     "libbitsandbytes_cuda130.so"},
    {"bitsandbytes",
     "bitsandbytes",
     "0.50.2",
     "",
     {{"bitsandbytes/libbitsandbytes_cuda126.so", "", NULL}},
     {NULL},
     "cuda 12.6 - - - pypi bitsandbytes 0.50.2 libbitsandbytes_cuda126.so"},
    {"deepspeed",
     "deepspeed",
     "0.15.4",
     "",
     {{"deepspeed/git_version_info_installed.py",
       "version='0.15.4'\ngit_hash='unknown'\ntorch_info={'version': '2.5', 'bf16_support': True, "
       "'cuda_version': '12.4', 'nccl_version': '2.21', 'hip_version': '0.0'}\n",
       NULL}},
     {NULL},
     "cuda 12.4 - - 2.21 pypi deepspeed 0.15.4 'cuda_version': '12.4'"},
    {"deepspeed",
     "deepspeed",
     "0.15.4",
     "",
     {{"deepspeed/git_version_info_installed.py",
       "version='0.15.4'\ntorch_info={'version': '0.0', 'cuda_version': '0.0', 'nccl_version': "
       "'0.0', 'hip_version': '0.0'}\n",
       NULL}},
     {NULL},
     "- - - - - pypi deepspeed 0.15.4 -"},
    {"ctranslate2",
     "ctranslate2",
     "4.4.0",
     "",
     {{"ctranslate2.libs/libctranslate2-d3638643.so.4.4.0", NULL,
       "libgomp-a34b3233.so.1.0.0 libcudnn-463fd6d5.so.8.9.7"}},
     {NULL},
     "- - - 8.9.7 - pypi ctranslate2 4.4.0 -"},
    {"ctranslate2",
     "ctranslate2",
     "4.8.5",
     "",
     {{"ctranslate2.libs/libctranslate2-a7a60d30.so.4.8.5", "libcublas.so.12",
       "libgomp-e985bcbb.so.1.0.0"}},
     {NULL},
     "cuda 12 - - - pypi ctranslate2 4.8.5 libcublas.so.12"},
    {"llama-cpp-python",
     "llama_cpp_python",
     "0.3.16",
     "",
     {{"llama_cpp/lib/libggml-cpu.so", "", NULL},
      {"llama_cpp/lib/libggml-cuda.so", NULL, "libcudart.so.12 libcublas.so.12 libcuda.so.1"}},
     {NULL},
     "cuda 12 - - - - llama-cpp-python 0.3.16 libcudart.so.12"},
    {"llama-cpp-python",
     "llama_cpp_python",
     "0.3.16",
     "",
     {{"llama_cpp/lib/libggml-cpu.so", "", NULL}, {"llama_cpp/lib/libllama.so", "", NULL}},
     {NULL},
     "cpu - - - - pypi llama-cpp-python 0.3.16 llama_cpp/lib/libggml-cpu.so"},
    {"paddlepaddle",
     "paddlepaddle_gpu",
     "2.6.2",
     "",
     {{"paddle/version/__init__.py", PADDLE("11.8", "8.6.0"), NULL}},
     {NULL},
     "cuda 11.8 - 8.6.0 - pypi paddlepaddle-gpu 2.6.2 cuda_version     = '11.8'"},
    {"paddlepaddle",
     "paddlepaddle",
     "3.3.1",
     "",
     {{"paddle/version/__init__.py", PADDLE("False", "False"), NULL}},
     {NULL},
     "cpu - - - - pypi paddlepaddle 3.3.1 cuda_version     = 'False'"},
    {"paddlepaddle",
     "paddlepaddle_gpu",
     "2.6.1.post120",
     "",
     {{NULL, NULL, NULL}},
     {NULL},
     "cuda 12.0 - - - paddle paddlepaddle-gpu 2.6.1.post120 .post120"},
    {"cudf",
     "cudf_cu12",
     "26.10.2",
     "",
     {{NULL, NULL, NULL}},
     {NULL},
     "cuda 12 - - - pypi cudf-cu12 26.10.2 -cu12"},
    {"cuml",
     "cuml_cu13",
     "26.10.0",
     "",
     {{NULL, NULL, NULL}},
     {NULL},
     "cuda 13 - - - pypi cuml-cu13 26.10.0 -cu13"},
    {"tensorrt",
     "tensorrt",
     "11.4.0.106",
     "",
     {{"tensorrt_bindings/__init__.py", "__version__ = \"11.4.0.106\"\n", NULL}},
     {"tensorrt_cu12 11.4.0.106", "tensorrt_cu12_bindings 11.4.0.106",
      "tensorrt_cu12_libs 11.4.0.106"},
     "cuda 12 - - - pypi tensorrt 11.4.0.106 tensorrt-cu12 11.4.0.106"},
    {"mxnet",
     "mxnet_cu112",
     "1.9.1",
     "",
     {{"mxnet/libmxnet.so", NULL, "libcudnn.so.8 libnccl.so.2 libcudart.so.11.0"}},
     {NULL},
     "cuda 11.2 - 8 - pypi mxnet-cu112 1.9.1 mxnet-cu112"},
    {"mxnet",
     "mxnet",
     "1.9.1",
     "",
     {{"mxnet/libmxnet.so", NULL, "libopenblas.so.0"}},
     {NULL},
     "cpu - - - - pypi mxnet 1.9.1 mxnet"},
    {"vtk", "vtk", "9.7.2", "", {{NULL, NULL, NULL}}, {NULL}, "- - - - - pypi vtk 9.7.2 -"},
    {"pyopencl",
     "pyopencl",
     "2026.1.4",
     "",
     {{NULL, NULL, NULL}},
     {NULL},
     "- - - - - pypi pyopencl 2026.1.4 -"},
    {"faiss",
     "faiss_gpu_cu12",
     "1.14.1.post1",
     "",
     {{NULL, NULL, NULL}},
     {NULL},
     "cuda 12 - - - pypi faiss-gpu-cu12 1.14.1.post1 faiss-gpu-cu12"},
    {"torchcodec",
     "torchcodec",
     "0.17.0",
     "",
     {{"torchcodec/version.py", "__version__ = '0.17.0+cu130'", NULL}},
     {NULL},
     "cuda 13.0 cu130 - - pypi torchcodec 0.17.0+cu130 +cu130"},
    {"transformer-engine",
     "transformer_engine",
     "2.20.2",
     "",
     {{"transformer_engine/wheel_lib/libtransformer_engine.so", NULL,
       "libcublas.so.12 libcudart.so.12 libcudnn.so.9"}},
     {"transformer_engine_cu12 2.20.2"},
     "cuda 12 - 9 - pypi transformer-engine-cu12 2.20.2 -cu12"},
    {"nvidia-dali",
     "nvidia_dali_cuda120",
     "2.4.0",
     "",
     {{"nvidia/dali/__init__.py",
       "__version__ = '2.4.0'\n__cuda_version__ = int('12.9.86'.replace('.', ''))\n", NULL}},
     {NULL},
     "cuda 12.9 - - - pypi nvidia-dali-cuda120 2.4.0 __cuda_version__ = int('12.9.86'"},
    {"sgl-kernel",
     "sgl_kernel",
     "0.3.21",
     "",
     {{"sgl_kernel/flash_ops.abi3.so", NULL, "libc10.so libcudart.so.12"}},
     {NULL},
     "cuda 12 - - - pypi sgl-kernel 0.3.21 libcudart.so.12"},
    {"torch-scatter",
     "torch_scatter",
     "2.1.2+pt24cu121",
     "",
     {{NULL, NULL, NULL}},
     {NULL},
     "cuda 12.1 cu121 - - - torch-scatter 2.1.2+pt24cu121 +pt24cu121"},
    {"torch",
     "torch",
     "2.6.0",
     "",
     {{"torch/version.py",
       "__version__ = '2.6.0+cu124'\ncuda: Optional[str] = '12.4'\nhip: Optional[str] = None\n",
       NULL}},
     {NULL},
     "cuda 12.4 cu124 - - pypi torch 2.6.0+cu124 cuda: Optional[str] = '12.4'"},
    /* a Jetson's index, or a wheel of one's own: no tag in the file, no wheels of NVIDIA's */
    {"torch",
     "torch",
     "2.8.0",
     "",
     {{"torch/version.py",
       "__version__ = '2.8.0'\ncuda: Optional[str] = '12.6'\nhip: Optional[str] = None\n", NULL}},
     {NULL},
     "cuda 12.6 - - - - torch 2.8.0 cuda: Optional[str] = '12.6'"},
    {"torch",
     "torch",
     "2.4.1",
     "Requires-Dist: nvidia-cuda-runtime-cu12==12.1.105; sys_platform == 'linux'\n",
     {{NULL, NULL, NULL}},
     {NULL},
     "cuda 12.1 - - - pypi torch 2.4.1 nvidia-cuda-runtime-cu12==12.1.105"},
    {"torch",
     "torch",
     "2.6.0+cpu.cxx11.abi",
     "",
     {{"torch/version.py", "__version__ = '2.6.0+cpu.cxx11.abi'\ncuda: Optional[str] = None\n",
       NULL}},
     {NULL},
     "cpu - - - - pytorch torch 2.6.0+cpu.cxx11.abi cuda: Optional[str] = None"},
    {"torchvision",
     "torchvision",
     "0.23.0",
     "",
     {{"torchvision/version.py", "__version__ = '0.23.0'\ngit_version = 'x'\n", NULL}},
     {NULL},
     "- - - - - - torchvision 0.23.0 -"},
    {"tensorflow",
     "tensorflow",
     "2.17.0+nv25.2",
     "",
     {{NULL, NULL, NULL}},
     {NULL},
     "cuda - - - - nvidia tensorflow 2.17.0+nv25.2 +nv2"},
    {"tensorflow",
     "nvidia_tensorflow",
     "1.15.5+nv23.3",
     "Requires-Dist: nvidia-cuda-runtime-cu12 (==12.1.55)\n",
     {{NULL, NULL, NULL}},
     {NULL},
     "cuda 12.1 - - - nvidia nvidia-tensorflow 1.15.5+nv23.3 +nv2"},
    {"tensorflow",
     "tensorflow_rocm",
     "2.14.0.600",
     "",
     {{NULL, NULL, NULL}},
     {NULL},
     "rocm - - - - pypi tensorflow-rocm 2.14.0.600 tensorflow-rocm"},
    {"tensorflow",
     "tensorflow_cpu",
     "2.18.0",
     "",
     {{NULL, NULL, NULL}},
     {NULL},
     "cpu - - - - pypi tensorflow-cpu 2.18.0 tensorflow-cpu 2.18.0"},
    {"tensorflow",
     "intel_tensorflow",
     "2.15.0",
     "",
     {{NULL, NULL, NULL}},
     {NULL},
     "cpu - - - - pypi intel-tensorflow 2.15.0 intel-tensorflow"},
    {"tensorflow",
     "tf_nightly",
     "2.21.0.dev20251101",
     "",
     {{NULL, NULL, NULL}},
     {NULL},
     "- - - - - pypi tf-nightly 2.21.0.dev20251101 -"},
    {"onnxruntime",
     "onnxruntime_migraphx",
     "1.20.0",
     "",
     {{NULL, NULL, NULL}},
     {NULL},
     "rocm - - - - pypi onnxruntime-migraphx 1.20.0 onnxruntime-migraphx"},
    {"onnxruntime",
     "onnxruntime_rocm",
     "1.20.0",
     "",
     {{NULL, NULL, NULL}},
     {NULL},
     "rocm - - - - pypi onnxruntime-rocm 1.20.0 onnxruntime-rocm"},
    {"onnxruntime",
     "onnxruntime_directml",
     "1.20.1",
     "",
     {{NULL, NULL, NULL}},
     {NULL},
     "- - - - - pypi onnxruntime-directml 1.20.1 -"},
    {"onnxruntime",
     "onnxruntime_openvino",
     "1.20.1",
     "",
     {{NULL, NULL, NULL}},
     {NULL},
     "- - - - - pypi onnxruntime-openvino 1.20.1 -"},
    {"onnxruntime",
     "onnxruntime_qnn",
     "1.20.1",
     "",
     {{NULL, NULL, NULL}},
     {NULL},
     "- - - - - pypi onnxruntime-qnn 1.20.1 -"},
    {"jax",
     "jax",
     "0.4.16",
     "",
     {{NULL, NULL, NULL}},
     {"jaxlib 0.4.16+cuda11.cudnn86"},
     "cuda 11 - 8.6 - pypi jax 0.4.16 jaxlib 0.4.16+cuda11.cudnn86"},
    {"jax",
     "jax",
     "0.4.23",
     "",
     {{NULL, NULL, NULL}},
     {"jaxlib 0.4.23+cuda12.cudnn89"},
     "cuda 12 - 8.9 - pypi jax 0.4.23 jaxlib 0.4.23+cuda12.cudnn89"},
    {"jax",
     "jax",
     "0.3.5",
     "",
     {{NULL, NULL, NULL}},
     {"jaxlib 0.3.5+cuda11.cudnn805"},
     "cuda 11 - 8.0.5 - pypi jax 0.3.5 jaxlib 0.3.5+cuda11.cudnn805"},
};

static void put_library(struct python_tree *tree, const char *path, const char *needed,
                        const char *constants)
{
    const char *names[16];
    size_t count = 0;
    char *words = arena_strdup(&tree->arena, needed), *rest = words;
    for (char *word; (word = strsep(&rest, " "));)
        names[count++] = word;
    struct elf_spec spec = {
        .machine = ELF_WRITE_X86_64, .class_bits = 64, .needed = names, .needed_count = count};
    CLEANUP_TEXT struct text bytes = {0};
    struct error error;
    cr_assert_eq(elf_write(&spec, &bytes, &error), 0);
    text_add(&bytes, constants ? constants : "");
    tree_bytes(tree, path, bytes.data, bytes.length);
}

static void put_wheel(struct python_tree *tree, const struct wheel *wheel)
{
    tree_start(tree, NULL, NULL);
    tree_text(tree, "/v/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.7\n");
    tree_dist(tree, SITE, wheel->dist, wheel->version, wheel->requires);
    for (int i = 0; i < MORE_MAX && wheel->more[i]; i++) {
        char *name = arena_strdup(&tree->arena, wheel->more[i]);
        char *version = strchr(name, ' ');
        *version++ = '\0';
        tree_dist(tree, SITE, name, version, "");
    }
    for (int i = 0; i < FILES_MAX && wheel->files[i].path; i++) {
        const struct wheel_file *file = &wheel->files[i];
        const char *path = arena_printf(&tree->arena, "%s/%s", SITE, file->path);
        if (file->needed)
            put_library(tree, path, file->needed, file->text);
        else
            tree_text(tree, path, file->text);
    }
}

static char *read_descriptor(struct python_tree *tree, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, SOURCE_DIR "/rules/frameworks/%s.json", name);
    FILE *file = fopen(path, "rb");
    cr_assert(file, "%s", path);
    char *text = arena_alloc(&tree->arena, 64 * 1024);
    size_t n = fread(text, 1, 64 * 1024 - 1, file);
    fclose(file);
    text[n] = '\0';
    return text;
}

/* What conda-forge, defaults and the projects' own channels call their builds. */
static const struct {
    const char *descriptor, *name, *build, *row; /* variant, cuda */
} builds[] = {
    {"torch", "pytorch", "cuda126_generic_py310_h478ca45_202", "cuda 12.6"},
    {"torch", "pytorch", "gpu_cuda118py310h1b4f0a8_100", "cuda 11.8"},
    {"torch", "pytorch", "cuda120py310ha3e0d6a_301", "cuda 12.0"},
    {"torch", "pytorch", "cuda_12.6_py310_0", "cuda 12.6"},
    {"torch", "pytorch", "cuda12_py311_h1_0", "cuda 12"},
    {"torch", "pytorch", "cuda92py36h7c0aa8c_0", "cuda 9.2"},
    {"torch", "pytorch", "py3.8_cuda11.0.221_cudnn8.0.5_0", "cuda 11.0"},
    {"torch", "pytorch", "cpu_generic_py310h0a2f2b2_0", "cpu -"},
    {"torch", "pytorch", "py3.10_cpu_0", "cpu -"},
    {"torchvision", "torchvision", "cuda126_py310_h1_0", "cuda 12.6"},
    {"torchvision", "torchvision", "cuda12_py310_h1_0", "cuda 12"},
    {"torchaudio", "torchaudio", "py310_cu121", "cuda 12.1"},
    {"tensorflow", "tensorflow-base", "cuda120py311h013dac2_0", "cuda 12.0"},
    {"tensorflow", "tensorflow-base", "cuda12_py311_h1_0", "cuda 12"},
    {"tensorflow", "tensorflow-base", "gpu_py39h29c2da4_0", "cuda -"},
    {"tensorflow", "tensorflow-base", "mkl_py310he5f8e37_0", "cpu -"},
    {"tensorflow", "tensorflow-base", "cpu_py311hf06be6a_55", "cpu -"},
    {"jax", "jaxlib", "cuda126py310h7c2b3d4_200", "cuda 12.6"},
    {"jax", "jaxlib", "cuda12_py310_h1_0", "cuda 12"},
    {"jax", "jaxlib", "cpu_py310h2c8d8e2_1", "cpu -"},
    {"bitsandbytes", "bitsandbytes", "cuda126_py310hff16b0e_0", "cuda 12.6"},
    {"bitsandbytes", "bitsandbytes", "cpu_py310h1_0", "cpu -"},
    {"onnxruntime", "onnxruntime", "py310h3c4d5e6_0_cuda", "cuda -"},
    {"cudf", "cudf", "cuda12_py311_250213_g1234_0", "cuda 12"},
    {"cudf", "cudf", "cuda_11.0_py38_g1_0", "cuda 11.0"},
    {"paddlepaddle", "paddlepaddle-gpu", "py39_gpu_cuda11.2_many_linux", "cuda 11.2"},
    {"paddlepaddle", "paddlepaddle", "py38_cpu_many_linux", "cpu -"},
    {"ctranslate2", "ctranslate2", "cuda12_py311_h1_0", "cuda 12"},
    {"flash-attn", "flash-attn", "py311h1_0_cuda", "cuda -"},
    {"triton", "triton", "cuda126py312h1_1", "cuda 12.6"},
};

Test(framework_wheels, builds_of_conda)
{
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++) {
        struct python_tree tree;
        tree_start(&tree, NULL, NULL);
        struct descriptor descriptor = {"x.json", read_descriptor(&tree, builds[i].descriptor)};
        tree_text(&tree,
                  arena_printf(&tree.arena, "/c/conda-meta/%s-1.0-%s.json", builds[i].name,
                               builds[i].build),
                  arena_printf(&tree.arena,
                               "{\"build\":\"%s\",\"channel\":\"conda-forge\",\"depends\":[],"
                               "\"name\":\"%s\",\"version\":\"1.0\"}",
                               builds[i].build, builds[i].name));
        tree.context.descriptors = &descriptor;
        tree.context.descriptor_count = 1;
        cr_assert_eq(tree_run(&tree, &probe_environment), 0);
        cr_assert_eq(tree_run(&tree, &probe_package), 0);
        cr_assert_eq(tree_run(&tree, &probe_framework), 0);
        const char *row = tree_ask(&tree, "SELECT ifnull(variant, '-') || ' ' || ifnull(cuda, '-') "
                                          "FROM framework");
        cr_expect(text_equal(row, builds[i].row), "%s %s: %s, not %s", builds[i].name,
                  builds[i].build, row ? row : "no row", builds[i].row);
        tree_done(&tree);
    }
}

Test(framework_wheels, every_one)
{
    for (size_t i = 0; i < sizeof wheels / sizeof *wheels; i++) {
        struct python_tree tree;
        put_wheel(&tree, &wheels[i]);
        struct descriptor descriptor = {"x.json", read_descriptor(&tree, wheels[i].descriptor)};
        tree.context.descriptors = &descriptor;
        tree.context.descriptor_count = 1;
        cr_assert_eq(tree_run(&tree, &probe_environment), 0);
        cr_assert_eq(tree_run(&tree, &probe_package), 0);
        cr_assert_eq(tree_run(&tree, &probe_framework), 0);
        const char *row = tree_ask(
            &tree, "SELECT group_concat(ifnull(variant, '-') || ' ' || ifnull(cuda, '-') || ' ' || "
                   "ifnull(cuda_tag, '-') || ' ' || ifnull(cudnn, '-') || ' ' || ifnull(nccl, '-') "
                   "|| ' ' || ifnull(channel, '-') || ' ' || package || ' ' || version || ' ' || "
                   "ifnull(evidence, '-'), ';') FROM framework");
        cr_expect(text_equal(row, wheels[i].row), "%s %s: %s, not %s", wheels[i].dist,
                  wheels[i].version, row ? row : "no row", wheels[i].row);
        cr_expect_eq(tree_count(&tree, "SELECT count(*) FROM probe WHERE name = 'framework' AND "
                                       "status NOT IN ('ok', 'absent')"),
                     0, "%s", wheels[i].dist);
        tree_done(&tree);
    }
}
