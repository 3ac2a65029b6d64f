#include "python_tree.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

static void must(bool is_good, const char *what)
{
    if (is_good)
        return;
    perror(what);
    abort();
}

/* The path on this machine, its folders made. */
static void locate(struct python_tree *tree, const char *path, struct text *ret)
{
    text_printf(ret, "%s%s", tree->dir, path);
    for (char *c = ret->data + strlen(tree->dir) + 1; *c; c++)
        if (*c == '/') {
            *c = '\0';
            mkdir(ret->data, 0755);
            *c = '/';
        }
}

void tree_start(struct python_tree *tree, const char *variables, const char *cwd)
{
    *tree = (struct python_tree){.dir = "/tmp/python-tree-XXXXXX"};
    must(mkdtemp(tree->dir) != NULL, "mkdtemp");
    tree_folder(tree, "/.record");
    tree_folder(tree, "/proc");
    if (variables)
        tree_text(tree, "/.record/environ", variables);
    if (cwd)
        tree_text(tree, "/.record/cwd", cwd);
}

void tree_bytes(struct python_tree *tree, const char *path, const void *data, size_t size)
{
    CLEANUP_TEXT struct text full = {0};
    locate(tree, path, &full);
    FILE *file = fopen(full.data, "wb");
    must(file != NULL, full.data);
    must(fwrite(data, 1, size, file) == size, "fwrite");
    must(fclose(file) == 0, "fclose");
}

void tree_text(struct python_tree *tree, const char *path, const char *text)
{
    tree_bytes(tree, path, text, strlen(text));
}

void tree_folder(struct python_tree *tree, const char *path)
{
    CLEANUP_TEXT struct text full = {0};
    locate(tree, path, &full);
    mkdir(full.data, 0755);
}

void tree_link(struct python_tree *tree, const char *path, const char *target)
{
    CLEANUP_TEXT struct text full = {0};
    locate(tree, path, &full);
    must(symlink(target, full.data) == 0, full.data);
}

void tree_fifo(struct python_tree *tree, const char *path)
{
    CLEANUP_TEXT struct text full = {0};
    locate(tree, path, &full);
    must(mkfifo(full.data, 0644) == 0, full.data);
}

void tree_extend(struct python_tree *tree, const char *path, int64_t size)
{
    CLEANUP_TEXT struct text full = {0};
    locate(tree, path, &full);
    must(truncate(full.data, (off_t)size) == 0, full.data);
}

void tree_dist(struct python_tree *tree, const char *site, const char *name, const char *version,
               const char *more)
{
    CLEANUP_TEXT struct text path = {0};
    CLEANUP_TEXT struct text text = {0};
    text_printf(&path, "%s/%s-%s.dist-info/METADATA", site, name, version);
    text_printf(&text, "Metadata-Version: 2.1\nName: %s\nVersion: %s\n%s\nLong words\n", name,
                version, more);
    tree_text(tree, path.data, text.data);
    text_clear(&path);
    text_printf(&path, "%s/%s-%s.dist-info/INSTALLER", site, name, version);
    tree_text(tree, path.data, "pip\n");
}

static void start_probes(struct python_tree *tree)
{
    must(machine_open_root(tree->dir, &tree->machine, &tree->error) == 0, tree->error.text);
    must(sqlite3_open(":memory:", &tree->db) == SQLITE_OK, "sqlite3_open");
    must(facts_open(tree->db, &tree->facts, &tree->error) == 0, tree->error.text);
    tree->context.machine = tree->machine;
    tree->context.facts = tree->facts;
    tree->context.options = &tree->options;
    tree->context.arena = &tree->arena;
    tree->context.error = &tree->error;
}

int tree_run(struct python_tree *tree, const struct probe *probe)
{
    if (!tree->machine)
        start_probes(tree);
    int r = probe->run(&tree->context);
    struct error error = {0};
    must(facts_failed(tree->facts, &error) == 0, error.text);
    return r;
}

const char *tree_ask(struct python_tree *tree, const char *sql)
{
    sqlite3_stmt *query = NULL;
    if (sqlite3_prepare_v2(tree->db, sql, -1, &query, NULL) != SQLITE_OK)
        return sqlite3_errmsg(tree->db);
    const char *text = sqlite3_step(query) == SQLITE_ROW
                           ? arena_strdup(&tree->arena, (const char *)sqlite3_column_text(query, 0))
                           : NULL;
    sqlite3_finalize(query);
    return text;
}

int64_t tree_count(struct python_tree *tree, const char *sql)
{
    const char *text = tree_ask(tree, sql);
    return text ? atoll(text) : -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
    (void)st, (void)type, (void)walk;
    return remove(path);
}

void tree_done(struct python_tree *tree)
{
    facts_free(tree->facts);
    sqlite3_close(tree->db);
    machine_free(tree->machine);
    arena_done(&tree->arena);
    nftw(tree->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
