/* A machine made in a temporary folder, and the Python probes run on it. */
#ifndef TESTS_SUPPORT_PYTHON_TREE_H
#define TESTS_SUPPORT_PYTHON_TREE_H

#include <stdint.h>

#include <sqlite3.h>

#include "api/probes.h"

struct python_tree {
    char dir[64];
    struct machine *machine;
    sqlite3 *db;
    struct facts *facts;
    struct arena arena;
    struct error error;
    struct probe_options options;
    struct probe_context context;
};

/* An empty recorded tree; "variables" (.record/environ) and "cwd" are parts of its record, NULL for
 * none. */
void tree_start(struct python_tree *tree, const char *variables, const char *cwd);
/* Folders on the way are made. */
void tree_text(struct python_tree *tree, const char *path, const char *text);
void tree_bytes(struct python_tree *tree, const char *path, const void *data, size_t size);
void tree_folder(struct python_tree *tree, const char *path);
void tree_link(struct python_tree *tree, const char *path, const char *target);
void tree_fifo(struct python_tree *tree, const char *path);
/* Makes the file this long; what is not written is a hole. */
void tree_extend(struct python_tree *tree, const char *path, int64_t size);
/* NAME-VERSION.dist-info with METADATA (more headers in `more`) and INSTALLER "pip". */
void tree_dist(struct python_tree *tree, const char *site, const char *name, const char *version,
               const char *more);
/* Runs the probe; its result. The tree is opened by the first one. */
int tree_run(struct python_tree *tree, const struct probe *probe);
/* First column of the first row, until the next call of the same tree ends; NULL without one. */
const char *tree_ask(struct python_tree *tree, const char *sql);
int64_t tree_count(struct python_tree *tree, const char *sql);
/* Removes it all. */
void tree_done(struct python_tree *tree);

#endif
