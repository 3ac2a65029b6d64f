/* Packages.db, the database that RPM of SUSE keeps (rpm's lib/backend/ndb/rpmpkg.c): a table of
 * slots, each of which says where the header of one package lies. Numbers are little endian. */
#ifndef PARSE_RPM_NDB_H
#define PARSE_RPM_NDB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NDB_HEADER = 32, NDB_SLOT = 16, NDB_PAGE = 4096, NDB_BLOB = 16 };

/* Number of pages of slots, from the first NDB_HEADER bytes; the first two slots of the first page
 * are this header. False when it is no such database. */
bool ndb_header(const char *data, size_t size, uint32_t *ret_pages);

/* One slot. False when it is none at all; *ret_offset is 0 for an empty one, else where in the file
 * the package's blob begins. */
bool ndb_slot(const char slot[NDB_SLOT], uint32_t *ret_package, uint64_t *ret_offset);

/* The NDB_BLOB bytes that stand before a package's header: how long that is. False when they are
 * not those of this package. */
bool ndb_blob(const char blob[NDB_BLOB], uint32_t package, uint32_t *ret_length);

#endif
