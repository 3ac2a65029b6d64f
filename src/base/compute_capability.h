/* Compute capabilities, the targets that compilers write code for, and which code runs on which
 * GPU. The one place for that question: rules ask it in SQL as code_runs(). */
#ifndef BASE_COMPUTE_CAPABILITY_H
#define BASE_COMPUTE_CAPABILITY_H

#include <stdbool.h>
#include <stdint.h>

struct compute_capability {
    uint32_t major, minor;
};

enum code_kind {
    CODE_ANY,   /* a bare number, "9.0" or "90": no kind is said */
    CODE_CUBIN, /* sm_: machine code */
    CODE_PTX,   /* compute_: the driver compiles it */
    CODE_LTO,   /* lto_: only nvJitLink makes something of it */
};

struct code_target {
    enum code_kind kind;
    struct compute_capability cc;
    char suffix; /* 'a' this capability alone, 'f' its family, 0 neither */
};

/* "9.0", "90", "sm_90a", "compute_120f", "lto_75"; case does not matter. In a number without a dot
 * the last digit is the minor one. False for anything else, and for numbers that no GPU has
 * (above 99.9). */
bool code_target_parse(const char *text, struct code_target *ret);

/* The number that compilers write: 90 for 9.0, 120 for 12.0. */
struct compute_capability compute_capability_of_number(uint32_t number);

/* Whether it is one of Tegra chips (Jetson, DRIVE) alone. Not 12.1: GB10 takes desktop code. */
bool compute_capability_is_tegra(struct compute_capability cc);

enum code_runs {
    CODE_RUNS_NOT,
    CODE_RUNS_NATIVE,
    CODE_RUNS_BY_PTX, /* if the driver accepts the PTX's ISA version */
    CODE_RUNS_ACROSS, /* machine code of the same major from the other side of the border between
                         desktop and Tegra: not promised, and seen to run and to fail */
};

/* CODE_ANY and CODE_LTO never run by themselves. */
enum code_runs code_runs_on(const struct code_target *code, struct compute_capability gpu);

#endif
