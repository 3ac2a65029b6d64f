/* The kernel's log: dmesg's output and syslog files. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/pci_address.h"
#include "base/text.h"
#include "parse/nvidia_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct log_message m;
    size_t cursor = 0, before = 0, offset;
    char *release;
    while (log_next((const char *)data, size, &cursor, &arena, &m)) {
        if (cursor <= before || cursor > size || m.offset < before || !m.kind ||
            !utf8_valid(m.text, strlen(m.text)) || strlen(m.fold) > strlen(m.text) ||
            strstr(m.text, "pid=") || (m.pci_address && !pci_address(m.pci_address, &arena)))
            abort();
        before = cursor;
    }
    if (log_last_start((const char *)data, size, &arena, &offset, &release) && offset >= size)
        abort();
    arena_done(&arena);
    return 0;
}
