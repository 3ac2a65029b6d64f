/* Text files of Windows: INI, INF and the state of Visual Studio; the first byte chooses which. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "parse/ini.h"
#include "parse/vs_state.h"
#include "parse/windows_driver.h"
#include "parse/windows_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void each_line(struct span text)
{
    struct ini ini;
    struct ini_line line;
    size_t count = 0;
    ini_start(&ini, text);
    while (ini_next(&ini, &line)) {
        struct opt memory = ini_memory(&line);
        if (memory.known && memory.value < 0)
            abort();
        ini_bool(&line);
        count++;
    }
    if (ini.bad > ini.lines || count > ini.lines)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct vs_state state;
    if (size == 0)
        return 0;
    struct span text = windows_text((const char *)data + 1, size - 1, &arena);
    switch (data[0] % 3) {
    case 0:
        each_line(text);
        break;
    case 1: {
        char *driver = parse_inf_driver(text, &arena);
        if (driver && strlen(driver) != 6)
            abort();
        break;
    }
    default:
        if (parse_vs_state(text, &arena, &state) && !state.path)
            abort();
    }
    arena_done(&arena);
    return 0;
}
