/* Files in which a CUDA toolkit states its version: pure parsers over hostile bytes. */
#ifndef PARSE_TOOLKIT_H
#define PARSE_TOOLKIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* version.json (CUDA 11.1 and later); parts that the file does not name are NULL. False when it is
 * no JSON object with a CUDA version. */
struct toolkit_versions {
    char *cuda; /* "13.0.2" */
    char *nvcc; /* "13.0.88" */
};
bool parse_version_json(const char *data, size_t size, struct arena *arena,
                        struct toolkit_versions *ret);

/* version.txt ("CUDA Version 10.2.89"), or NULL. */
char *parse_version_txt(const char *data, size_t size, struct arena *arena);

/* cuda.h ("#define CUDA_VERSION 12080" is "12.8"), or NULL. */
char *parse_cuda_h(const char *data, size_t size, struct arena *arena);

/* The literal in nvcc and ptxas, "Cuda compilation tools, release 13.0, V13.0.88": "13.0.88"; NULL
 * where the bytes do not hold it whole. */
enum { NVCC_LITERAL_MAX = 96 };
char *parse_nvcc_literal(const char *data, size_t size, struct arena *arena);

/* "12.4" of libcudart.so.12.4.127; NULL where the name has no minor version. */
char *parse_cudart_name(const char *name, struct arena *arena);

/* The literal in libc.so.6, "... stable release version 2.39": "2.39", or NULL. */
char *parse_glibc_literal(const char *data, size_t size, struct arena *arena);

#endif
