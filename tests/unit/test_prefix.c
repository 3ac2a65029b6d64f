#include <criterion/criterion.h>

#include "base/prefix.h"

static bool fits(const char *beginning, const char *name)
{
    struct prefix prefix = prefix_of(beginning);
    return prefix_fits(&prefix, name, prefix_head(name));
}

Test(prefix, of_any_length)
{
    static const char name[] = "cublasLtMatmul", other[] = "cublasLtMetmul";
    for (size_t length = 0; length < sizeof name; length++) {
        char beginning[sizeof name];
        memcpy(beginning, name, length);
        beginning[length] = '\0';
        cr_expect(fits(beginning, name), "%s", beginning);
        cr_expect_eq(fits(beginning, other), length <= 9, "%s", beginning);
    }
}

Test(prefix, is_not_longer_than_the_name)
{
    cr_expect(fits("", ""));
    cr_expect(fits("cublas", "cublas"));
    cr_expect_not(fits("cublas", "cubl"));
    cr_expect_not(fits("cublasLt", "cublasL"));
    cr_expect_not(fits("cublasLtM", "cublasLt"));
    cr_expect_not(fits("a", ""));
    cr_expect_not(fits("\xffz", "\xfez"));
}
