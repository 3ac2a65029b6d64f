/* Inside of the simulator; nobody outside of this room includes it. */
#ifndef LOADER_PROCESS_PARTS_H
#define LOADER_PROCESS_PARTS_H

#include "loader/folder.h"
#include "loader/map.h"
#include "loader/process.h"

enum {
    LOADER_ELEMENTS_MAX = 512,
    LOADER_STEPS_MAX = 4096,
    LOADER_REQUESTS_MAX = 64 * 1024,
    /* of all requests of a process: objects whose lists are inherited from one to the next can ask
     * for billions of each, within the limits of one object */
    LOADER_LOOKS_MAX = 1024 * 1024,       /* into folders; vLLM's import takes 3604 */
    LOADER_KEPT_MAX = 32 * 1024,          /* steps of trails, and shadowed files */
    LOADER_LOOKUPS_MAX = 8 * 1024 * 1024, /* comparisons to look up symbols; PyTorch's 6086 */
};

/* A folder of a search list. */
struct loader_element {
    const char *shown; /* as the loader writes it, with a slash at the end; "" is the current one */
    struct loader_folder *folder;
};
struct loader_list {
    struct loader_element *items;
    size_t count;
};

/* What is known of an object beside what everybody may know. */
struct loader_info {
    const struct loader_list *rpath, *runpath; /* NULL: has none; ready where is_expanded */
    bool is_expanded;
    size_t root; /* object whose dlopen() brought it; SIZE_MAX: it came with the program */
    size_t *deps;
    size_t dep_count, dep_capacity;
};

struct loader_names {
    struct loader_map by_name; /* every name by which an object is known, to its number */
    struct loader_map by_base; /* file names, to object numbers */
    struct loader_info *infos; /* one for each object */
    size_t info_capacity;
    struct loader_map lists; /* origin and text to numbers of `list_items` */
    const struct loader_list **list_items;
    size_t list_count, list_capacity;
    const struct loader_list *library_path, *defaults;
    const char **subs; /* subfolders that each folder is searched in first */
    size_t sub_count;
    size_t program; /* number of the program's object; SIZE_MAX: it is not known */
    const char *preload_source;
    bool is_starting;            /* the loader itself reports errors, not dlopen() */
    size_t looks, kept, lookups; /* so far */
};

/* Grows an array in the arena to hold one more; what it took before stays there. */
void *loader_grow(struct arena *arena, void *items, size_t *capacity, size_t count, size_t size);

/* --- names --- */

/* The first loaded object that is known by the name; SIZE_MAX: none. */
size_t loader_known(const struct loader_process *process, const char *name);
/* The loaded object that is this file; SIZE_MAX: none. The program and its interpreter were mapped
 * by the kernel, so the loader does not know their files. */
size_t loader_known_file(const struct loader_process *process, const struct loader_file *file);
void loader_know(struct loader_process *process, size_t object, const char *name);

/* --- tokens and lists --- */

/* $ORIGIN, $LIB and $PLATFORM in a text. NULL where one of them has no value here: then the whole
 * text counts for nothing. `origin` may be NULL. From the arena. */
const char *loader_expand(const struct loader_world *world, const char *text, const char *origin,
                          struct arena *arena);
/* Folders of a list: `separators` is ":" or ":;". */
const struct loader_list *loader_list_of(struct loader_process *process, const char *text,
                                         const char *origin, const char *separators,
                                         bool is_program);
const struct loader_list *loader_default_list(struct loader_process *process);
/* Fills in the lists of the object. */
const struct loader_info *loader_lists(struct loader_process *process, size_t object);
/* The path below the current folder, where it is relative; NULL where that is not known. */
const char *loader_absolute(const struct loader_world *world, const char *path,
                            struct arena *arena);

/* --- search --- */

/* What a search came to. */
struct loader_found {
    const struct loader_file *file; /* that fits, or stops the search; NULL: none */
    enum loader_via via;
    const char *shown, *path; /* as the loader writes it; absolute */
    const char *list;         /* element that gave it */
    size_t owner;
    bool is_other_class;    /* objects of another word size were passed over */
    const char *left_alone; /* first place that was not looked at before the answer */
    int error;              /* of the last file that was tried: what a message says */
    struct loader_step *steps, *shadowed;
    size_t step_count, shadowed_count;
};
/* Searches a name without slash as that object (SIZE_MAX: nobody in particular) would. */
void loader_search(struct loader_process *process, const char *name, size_t requester,
                   struct loader_found *ret);
/* Only what the search would come to beside the file that answers already. */
void loader_search_others(struct loader_process *process, const char *name, size_t requester,
                          const struct loader_file *answer, struct loader_found *ret);

/* --- messages --- */

const char *loader_message(const struct loader_process *process, const char *name,
                           const struct loader_found *found);
/* Why an object that fits is refused all the same; NULL: it is not. */
const char *loader_refusal(const struct loader_process *process, const struct loader_file *file);

/* --- loading --- */

enum loader_how { LOADER_NEEDED, LOADER_PRELOADED, LOADER_OPENED };
/* Notes the request and answers it: its number. */
size_t loader_ask(struct loader_process *process, const char *name, size_t requester,
                  enum loader_how how);
size_t loader_add_object(struct loader_process *process, const struct loader_object *object);
/* Loads the needs of the objects from that number on, breadth first. The number of the first
 * request that failed; SIZE_MAX: none. */
size_t loader_load_needs(struct loader_process *process, size_t first);
/* The object and all that it needs, each once: numbers, in the order of loading. */
size_t loader_closure(const struct loader_process *process, size_t object, struct arena *arena,
                      size_t **ret);

#endif
