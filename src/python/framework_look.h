/* Internal to the framework probe: what is at hand while one installation is looked at. */
#ifndef PYTHON_FRAMEWORK_LOOK_H
#define PYTHON_FRAMEWORK_LOOK_H

#include "base/text.h"
#include "python/framework.h"

struct look {
    struct probe_context *context;
    const struct framework_environment *environment;
    const struct framework_install *install;
    struct framework_findings *found;
    /* the file and the folder read last: several sources look at the same one */
    const char *file;
    struct bytes text;
    int file_error;
    const char *folder;
    struct dir_list names;
    int folder_error;
};

/* Takes what the matched patterns and "set" say, and is true then; `path` and `words` are where it
 * stands. */
bool look_take(struct look *look, const struct framework_source *source, const char *path,
               const char *words);

/* Takes what a match of the source's pattern in the text says; false without one. */
bool look_search(struct look *look, const struct framework_source *source, const char *path,
                 const char *text, size_t length);

/* The sources that are files, shared objects and folders. */
void look_at_files(struct look *look, const struct framework_source *source);

#endif
