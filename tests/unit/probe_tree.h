/* A small recorded machine made by a test, probes run on it, and its facts as text. */
#ifndef TESTS_UNIT_PROBE_TREE_H
#define TESTS_UNIT_PROBE_TREE_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "api/probes.h"
#include "base/arena.h"
#include "base/text.h"
#include "facts/facts.h"
#include "machine/machine.h"

struct probe_tree {
    char dir[64];
    struct machine *machine;
    sqlite3 *db;
    struct facts *facts;
    struct arena arena;
    struct probe_options options;
    struct probe_context context;
    struct error error;
    struct text rows; /* of the last question */
};

static inline void tree_start(struct probe_tree *tree)
{
    *tree = (struct probe_tree){0};
    snprintf(tree->dir, sizeof tree->dir, "/tmp/gpudoctor-test-XXXXXX");
    cr_assert(mkdtemp(tree->dir));
}

/* The path inside the folder, its parents made. */
static inline char *tree_inside(struct probe_tree *tree, const char *path)
{
    char *full = arena_printf(&tree->arena, "%s%s", tree->dir, path);
    for (char *at = full + strlen(tree->dir) + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        cr_assert(mkdir(full, 0755) == 0 || errno == EEXIST, "%s", full);
        *at = '/';
    }
    return full;
}

static inline void tree_put_bytes(struct probe_tree *tree, const char *path, const void *data,
                                  size_t size)
{
    FILE *file = fopen(tree_inside(tree, path), "wb");
    cr_assert(file, "%s", path);
    cr_assert_eq(fwrite(data, 1, size, file), size);
    fclose(file);
}

static inline void tree_put(struct probe_tree *tree, const char *path, const char *text)
{
    tree_put_bytes(tree, path, text, strlen(text));
}

static inline void tree_link(struct probe_tree *tree, const char *path, const char *target)
{
    cr_assert_eq(symlink(target, tree_inside(tree, path)), 0);
}

static inline void tree_folder(struct probe_tree *tree, const char *path)
{
    mkdir(tree_inside(tree, path), 0755);
}

static inline void tree_fifo(struct probe_tree *tree, const char *path)
{
    cr_assert_eq(mkfifo(tree_inside(tree, path), 0644), 0);
}

/* The first bytes of an ELF file: x86_64 (62), aarch64 (183), i386 (3). */
static inline void tree_elf(struct probe_tree *tree, const char *path, int machine)
{
    char head[64] = "\177ELF\2\1\1";
    head[4] = machine == 3 ? 1 : 2;
    head[16] = 3;
    head[18] = (char)machine;
    tree_put_bytes(tree, path, head, sizeof head);
}

static inline void tree_open(struct probe_tree *tree)
{
    cr_assert_eq(machine_open_root(tree->dir, &tree->machine, &tree->error), 0, "%s",
                 tree->error.text);
    cr_assert_eq(sqlite3_open(":memory:", &tree->db), SQLITE_OK);
    cr_assert_eq(facts_open(tree->db, &tree->facts, &tree->error), 0, "%s", tree->error.text);
    tree->context = (struct probe_context){
        .machine = tree->machine,
        .facts = tree->facts,
        .options = &tree->options,
        .arena = &tree->arena,
        .error = &tree->error,
    };
}

static inline void tree_run(struct probe_tree *tree, const struct probe *probe)
{
    cr_assert_eq(probe->run(&tree->context), 0);
    cr_assert_eq(facts_failed(tree->facts, &tree->error), 0, "%s", tree->error.text);
}

/* The rows of a query: columns joined by '|', NULL as '~', rows by '\n'. */
static inline const char *tree_rows(struct probe_tree *tree, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    text_clear(&tree->rows);
    cr_assert_eq(sqlite3_prepare_v2(tree->db, sql, -1, &statement, NULL), SQLITE_OK, "%s: %s", sql,
                 sqlite3_errmsg(tree->db));
    for (int row = 0; sqlite3_step(statement) == SQLITE_ROW; row++)
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            const char *value = (const char *)sqlite3_column_text(statement, i);
            text_printf(&tree->rows, "%s%s", i ? "|" : row ? "\n" : "", value ? value : "~");
        }
    sqlite3_finalize(statement);
    return text_get(&tree->rows);
}

#define expect_rows(tree, sql, rows) cr_expect_str_eq(tree_rows(tree, sql), rows)

static inline int tree_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

static inline void tree_finish(struct probe_tree *tree)
{
    text_done(&tree->rows);
    facts_free(tree->facts);
    sqlite3_close(tree->db);
    machine_free(tree->machine);
    arena_done(&tree->arena);
    nftw(tree->dir, tree_remove, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
