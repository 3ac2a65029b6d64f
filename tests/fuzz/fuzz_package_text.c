/* The small files of a distribution (direct_url.json, WHEEL, requires.txt), specifications of
 * conda, and addresses: the same bytes as each of them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "parse/address.h"
#include "parse/conda_meta.h"
#include "parse/direct_url.h"
#include "parse/requires_txt.h"
#include "parse/wheel_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool is_good)
{
    if (!is_good)
        abort();
}

/* Nothing is left to take away, and no name and password before a host. */
static void check_address(const char *data, size_t size, struct arena *arena)
{
    char *clean = address_clean(data, size, arena);
    if (!clean)
        return;
    must(text_equal(address_clean(clean, strlen(clean), arena), clean));
    const char *host = strstr(clean, "://");
    bool is_folder = *clean && strchr("./~", *clean);
    if (!host || is_folder)
        return;
    size_t length = strcspn(host + 3, "/");
    must(!memchr(host + 3, '@', length) || host == clean);
    address_path(clean, arena);
}

static void check_requirements(const char *data, size_t size, struct arena *arena)
{
    struct metadata found = {0};
    requires_txt_parse(data, size, arena, &found);
    for (size_t i = 0; i < found.requirement_count; i++)
        must(found.requirements[i].name != NULL);
    metadata_done(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *data = (const char *)bytes;
    struct arena arena = {0};
    struct direct_url direct;
    struct conda_spec spec;
    check_address(data, size, &arena);
    if (direct_url_parse(data, size, &arena, &direct))
        must(direct.origin != NULL);
    const char *platform = wheel_platform(data, size, &arena);
    must(!platform || (*platform && !strpbrk(platform, "-. \x1b")));
    check_requirements(data, size, &arena);
    if (conda_spec_parse(arena_strndup(&arena, data, size), &arena, &spec))
        must(*spec.name && spec.specifier && !strpbrk(spec.name, " \x1b/"));
    arena_done(&arena);
    return 0;
}
