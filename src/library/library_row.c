#include "library/library_row.h"

#include <string.h>

#include "base/alloc.h"
#include "base/path.h"
#include "base/text.h"
#include "library/literal.h"
#include "library/name_version.h"
#include "probe/library_folder.h"

void library_rows_start(struct library_rows *rows, struct scene *scene)
{
    *rows = (struct library_rows){.scene = scene};
    rows->patterns =
        arena_alloc(scene->context->arena, (scene->known.count + 1) * sizeof *rows->patterns);
}

void library_rows_done(struct library_rows *rows)
{
    for (size_t i = 0; i < rows->scene->known.count; i++)
        pattern_free(rows->patterns[i]);
    free(rows->literals);
    string_set_done(&rows->seen);
}

void library_rows_enter(struct library_rows *rows, const struct place *place)
{
    if (rows->place != place)
        string_set_done(&rows->seen);
    rows->place = place;
}

static const char *relative_to(const char *path, const char *site)
{
    if (!site)
        return NULL;
    const char *at = path + strlen(site);
    while (*at == '/')
        at++;
    return at;
}

void library_rows_add(struct library_rows *rows, const char *path, const struct loader_file *file)
{
    struct scene *scene = rows->scene;
    struct probe_context *context = scene->context;
    if (file->class == LOADER_ABSENT || !string_set_add(&rows->seen, path))
        return;
    const struct elf_object *object =
        file->class == LOADER_FITS ? &loader_store_read(scene->store, file)->object : NULL;
    const char *soname = object ? object->soname : NULL, *site = NULL;
    const struct library_spec *family = scene_family(scene, soname, path);
    const char *real_path = loader_store_realpath(scene->store, path);
    const char *version = real_path ? version_in_name(real_path) : NULL;
    bool is_inside = rows->place && place_holds(rows->place, path, &site);
    facts_add_library(context->facts,
                      &(struct row_library){
                          .environment_id = rows->place ? rows->place->id : NULL,
                          .path = path,
                          .real_path = real_path,
                          .soname = soname,
                          .family = family ? family->name : NULL,
                          .file_version = version,
                          .literal_version = family && object && !version
                                                 ? literal_version(rows, family, path, file)
                                                 : NULL,
                          .inside = rows->place ? known(is_inside) : UNKNOWN,
                          .site = site,
                          .relative = relative_to(path, site),
                          .rpath = object ? object->rpath : NULL,
                          .runpath = object ? object->runpath : NULL,
                          .build_id = object ? object->build_id : NULL,
                          .size = known((int64_t)file->size),
                          .stub = !family      ? known(0)
                                  : !real_path ? UNKNOWN
                                               : known(library_is_stub(path, real_path)),
                          .compat = !family      ? known(0)
                                    : !real_path ? UNKNOWN
                                                 : known(library_is_compat(path, real_path)),
                      });
}
