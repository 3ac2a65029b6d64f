/* Folders that are searched again and again: whether they are there, and soon what they hold, so
 * that sixty names in twenty folders cost few system calls. */
#ifndef LOADER_FOLDER_H
#define LOADER_FOLDER_H

#include "loader/map.h"
#include "loader/store.h"

struct loader_folder {
    const char *path;           /* absolute, with a slash at the end */
    bool is_there, is_left;     /* left alone: not known to be there */
    const char *real_path;      /* NULL: not asked for yet */
    struct loader_folder *same; /* the first that is this folder, under whatever name: itself, or a
                                   link's; what follows is kept there */
    bool is_listed;             /* `names` holds all there is */
    bool is_large;              /* not to be listed: `lacking` holds what it was found to lack */
    struct loader_map names, lacking;
    struct loader_folder **subs; /* by number, NULL where there is none; NULL: not looked for yet */
};

/* The folder of that absolute path, which may lack the slash at its end; never NULL. */
struct loader_folder *loader_store_folder(struct loader_store *store, const char *path);
/* True where the folder certainly holds no such name. */
bool loader_folder_lacks(struct loader_store *store, struct loader_folder *folder,
                         const char *name);
/* It was asked for the name, and has none. */
void loader_folder_note_lack(struct loader_store *store, struct loader_folder *folder,
                             const char *name);
/* Subfolders of a folder that is there, by number of `subs` ("glibc-hwcaps/x86-64-v3/"), NULL for
 * those that are not. The names must be the same at each call. */
struct loader_folder *const *loader_folder_subs(struct loader_store *store,
                                                struct loader_folder *folder,
                                                const char *const *subs, size_t count);

#endif
