/* Searching several files for device code, each once, in several threads. */
#ifndef LIBRARY_DEVICE_SCAN_H
#define LIBRARY_DEVICE_SCAN_H

#include "elf/device_code.h"
#include "probe/probe.h"

/* One file, whoever wants to know of it. */
struct device_file {
    const char *path; /* by which it is opened */
    enum device_scan how;
    uint64_t device, inode, size;
    int code;     /* 0, or the negative errno of opening or reading; -ENOEXEC: not such a file */
    bool is_left; /* not to be looked at: `code` is -EREMOTE */
    bool is_opened;
    struct device_code found;
    struct error error;
    struct arena arena; /* what was found lives there: arenas are no thread's but their own */
};

/* Searches all of them; afterwards `code`, `found` and `error` of each are set. */
void device_files_scan(struct probe_context *context, struct device_file *files, size_t count);
void device_files_done(struct device_file *files, size_t count);

/* The status that the table device_file has for it. */
const char *device_file_status(const struct device_file *file);
/* Whether what a file holds of this place counts as its code: relocatable code is the input of a
 * device link, whose result stands beside it if there was one. */
bool device_place_counts(const struct device_code *found, enum device_place place);

#endif
