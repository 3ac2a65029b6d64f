/* What a site folder adds to the search path and to the start of Python: its .pth files, in the
 * order of their names, as Lib/site.py takes them. Nothing in them is run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/text.h"
#include "parse/pth.h"
#include "python/search_path.h"
#include "python/site.h"

enum { PTH_MAX = 64 * 1024, PTH_FILES_MAX = 256, FOLDERS_MAX = 512 };

static void note(struct search *search, const char *path, int code, const char *detail)
{
    if (code != -ENOENT && code != -ENOTDIR)
        probe_note(search->context, "search_path", search->environment_id, path, code,
                   SEARCH_PATH_FILLS, detail);
}

/* The environment whose own folder this is; NULL for the one at hand and for folders of nobody. */
static const char *owner_of(const struct search *search, const char *path)
{
    const char *best = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < search->owner_count; i++) {
        const struct search_owner *owner = &search->owners[i];
        size_t length = strlen(owner->prefix);
        if (length < longest || strncmp(path, owner->prefix, length) != 0)
            continue;
        if (!strcmp(owner->kind, "folder") && !path[length]) {
            best = owner->prefix;
            longest = length;
        } else if (text_starts(path + length, "/lib/python3") ||
                   text_starts(path + length, "/lib64/python3")) {
            best = owner->prefix;
            longest = length;
        }
    }
    return best && strcmp(best, search->environment_id) != 0 ? best : NULL;
}

static bool is_seen(const struct search *search, const char *path)
{
    for (size_t i = 0; i < search->count; i++)
        if (!strcmp(search->seen[i], path))
            return true;
    return false;
}

static void insert(struct search *search, const char *path, const char *kind, const char *source,
                   bool is_present)
{
    facts_add_search_path(search->context->facts, &(struct row_search_path){
                                                      .environment_id = search->environment_id,
                                                      .position = known((int64_t)search->count),
                                                      .path = path,
                                                      .kind = kind,
                                                      .owner_id = owner_of(search, path),
                                                      .source = source,
                                                      .present = known(is_present),
                                                  });
    search->seen = xgrow(search->seen, &search->capacity, search->count + 1, sizeof *search->seen);
    search->seen[search->count++] = arena_strdup(search->arena, path);
}

static void insert_code(struct search *search, const char *path, const char *line,
                        const char *package)
{
    facts_add_startup_code(search->context->facts, &(struct row_startup_code){
                                                       .environment_id = search->environment_id,
                                                       .path = path,
                                                       .line = line,
                                                       .package = package,
                                                   });
}

void search_find_custom(struct search *search, const char *folder)
{
    static const char *const names[] = {"sitecustomize.py", "usercustomize.py"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = arena_printf(search->arena, "%s/%s", folder, names[i]);
        if (machine_exists(search->context->machine, path))
            insert_code(search, path, NULL, NULL);
    }
}

/* Whether the file is named like a distribution of this folder: what uv, poetry, flit and pdm write
 * for an editable installation. */
static bool has_distribution(const struct dir_list *names, const char *file)
{
    size_t length = strlen(file) - strlen(".pth");
    if (*file == '_') { /* _NAME.pth of hatchling */
        file++;
        length--;
    }
    for (size_t i = 0; i < names->count; i++)
        if (!strncasecmp(names->names[i], file, length) && names->names[i][length] == '-' &&
            text_ends(names->names[i], ".dist-info"))
            return true;
    return false;
}

static const char *kind_of(const struct dir_list *names, const char *site, const char *file,
                           const char *path)
{
    size_t length = strlen(site);
    bool is_inside = text_starts(path, site) && (path[length] == '/' || !path[length]);
    if (text_starts(file, "__editable__") || text_starts(file, "_editable_impl_"))
        return "editable";
    if (is_inside)
        return "pth";
    if (!strcmp(file, "easy-install.pth")) /* setup.py develop */
        return "egg-link";
    return has_distribution(names, file) ? "editable" : "pth";
}

/* A line of a .pth file counts where it leads to something. */
static void take_folder(struct search *search, const char *site, const struct dir_list *names,
                        const char *file, const char *line)
{
    struct file_stat st;
    char *path = line[0] == '/' ? arena_strdup(search->arena, line)
                                : arena_printf(search->arena, "%s/%s", site, line);
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        path[--length] = '\0';
    if (is_seen(search, path) || machine_stat(search->context->machine, path, &st) < 0)
        return;
    const char *kind = st.type == FILE_DIRECTORY ? kind_of(names, site, file, path) : "zip";
    search_add(search, path, kind, arena_printf(search->arena, "%s/%s", site, file), false);
}

static void take_pth(struct search *search, const char *site, const struct dir_list *names,
                     const char *file)
{
    CLEANUP_BYTES struct bytes text = {0};
    struct pth pth;
    const char *path = arena_printf(search->arena, "%s/%s", site, file);
    int r = machine_read(search->context->machine, path, PTH_MAX, &text);
    if (r < 0) {
        note(search, path, r, NULL);
        return;
    }
    if (!utf8_valid(text.data, text.length)) {
        note(search, path, -EBADMSG,
             "it is no UTF-8 text: Python stops at it, except in a locale that reads it");
        return;
    }
    pth_parse(text.data, text.length, search->arena, &pth);
    for (size_t i = 0; i < pth.count; i++) {
        if (pth.items[i].is_code)
            insert_code(search, path, pth.items[i].text, pth_package(file, search->arena));
        else
            take_folder(search, site, names, file, pth.items[i].text);
    }
    if (pth.is_cut)
        note(search, path, -EFBIG, "more lines than are looked at");
    pth_done(&pth);
}

/* Newer Pythons pass over hidden ones. */
static bool is_pth(const char *name)
{
    return text_ends(name, ".pth") && name[0] != '.';
}

static void follow(struct search *search, const char *site)
{
    struct dir_list names;
    int taken = 0;
    int r = machine_list(search->context->machine, site, SITE_ENTRIES_MAX, search->arena, &names);
    if (r < 0) {
        note(search, site, r, NULL);
        return;
    }
    for (size_t i = 0; i < names.count && taken <= PTH_FILES_MAX; i++)
        if (is_pth(names.names[i]) && ++taken <= PTH_FILES_MAX)
            take_pth(search, site, &names, names.names[i]);
    if (names.cut || taken > PTH_FILES_MAX)
        note(search, site, -EFBIG, "more files than are looked at");
}

void search_add(struct search *search, const char *path, const char *kind, const char *source,
                bool is_site)
{
    if (is_seen(search, path))
        return;
    if (search->count == FOLDERS_MAX) {
        if (!search->is_cut)
            note(search, path, -EFBIG, "more folders are searched than are looked at");
        search->is_cut = true;
        return;
    }
    bool is_present = machine_exists(search->context->machine, path);
    insert(search, path, kind, source, is_present);
    if (!is_present)
        return;
    if (strcmp(kind, "zip") != 0)
        search_find_custom(search, path);
    if (is_site)
        follow(search, path);
}

void search_done(struct search *search)
{
    free(search->seen);
    arena_done(search->arena);
}
