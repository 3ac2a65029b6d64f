/* A YAML document as a small tree, with limits on everything that a document can choose. */
#ifndef PARSE_YAML_TREE_H
#define PARSE_YAML_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAP };

struct yaml_node {
    enum yaml_kind kind;
    const char *text;              /* of a scalar; "" for one that is empty or null */
    bool is_plain;                 /* a scalar without quotes */
    const char *key;               /* of a member of a map; NULL where the key is no scalar */
    struct yaml_node *child;       /* first one of a list or map */
    struct yaml_node *last, *next; /* last child; the one behind this one */
};

/* The first document. NULL with an empty document (*ret_is_bad false) and where it is no YAML or
 * larger, deeper or fuller than any such file is (true). An alias counts as an empty scalar. Nodes
 * come from `arena`. */
struct yaml_node *yaml_tree(const char *data, size_t length, struct arena *arena, bool *ret_is_bad);

/* Member of a map; NULL where there is none, or no map. The last of equal keys counts. */
const struct yaml_node *yaml_member(const struct yaml_node *map, const char *key);

#endif
