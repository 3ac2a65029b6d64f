#include "parse/yaml_tree.h"

#include <string.h>
#include <yaml.h>

#include "base/text.h"

enum { DEPTH_MAX = 16, NODES_MAX = 20000, TAGS_MAX = 64 };

struct reader {
    yaml_parser_t parser;
    struct arena *arena;
    struct yaml_node *root, *open[DEPTH_MAX];
    const char *key[DEPTH_MAX]; /* read, its value is awaited */
    bool has_key[DEPTH_MAX];
    size_t depth, count;
};

static bool is_null(const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    return event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
           (!strcmp(text, "~") || !strcmp(text, "null") || !strcmp(text, "Null"));
}

static struct yaml_node *make_node(struct reader *reader, enum yaml_kind kind)
{
    struct yaml_node *node = arena_alloc(reader->arena, sizeof *node);
    node->kind = kind;
    node->text = "";
    reader->count++;
    return node;
}

static struct yaml_node *make_scalar(struct reader *reader, const yaml_event_t *event)
{
    struct yaml_node *node = make_node(reader, YAML_SCALAR);
    node->is_plain = true;
    if (event->type != YAML_SCALAR_EVENT || is_null(event))
        return node;
    const char *text = (const char *)event->data.scalar.value;
    node->is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (event->data.scalar.length == strlen(text)) /* else it holds NUL */
        node->text = arena_strdup(reader->arena, text);
    return node;
}

/* Puts the node where it belongs; in a map every second one is a key. */
static void place(struct reader *reader, struct yaml_node *node)
{
    if (!reader->depth) {
        reader->root = reader->root ? reader->root : node;
        return;
    }
    size_t at = reader->depth - 1;
    struct yaml_node *parent = reader->open[at];
    if (parent->kind == YAML_MAP && !reader->has_key[at]) {
        reader->key[at] = node->kind == YAML_SCALAR ? node->text : NULL;
        reader->has_key[at] = true;
        return;
    }
    if (parent->kind == YAML_MAP) {
        node->key = reader->key[at];
        reader->has_key[at] = false;
    }
    if (parent->last)
        parent->last->next = node;
    else
        parent->child = node;
    parent->last = node;
}

/* False where the document goes beyond the limits. */
static bool take(struct reader *reader, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
    case YAML_ALIAS_EVENT:
        place(reader, make_scalar(reader, event));
        break;
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT: {
        bool is_map = event->type == YAML_MAPPING_START_EVENT;
        struct yaml_node *node = make_node(reader, is_map ? YAML_MAP : YAML_LIST);
        if (reader->depth == DEPTH_MAX)
            return false;
        place(reader, node);
        reader->has_key[reader->depth] = false;
        reader->open[reader->depth++] = node;
        break;
    }
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        reader->depth--;
        break;
    default:
        break;
    }
    return reader->count <= NODES_MAX;
}

static bool read_document(struct reader *reader)
{
    for (bool is_done = false; !is_done;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&reader->parser, &event))
            return false;
        bool is_good = take(reader, &event);
        is_done = event.type == YAML_DOCUMENT_END_EVENT || event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        if (!is_good)
            return false;
    }
    return true;
}

/* libyaml compares each %TAG with all before it. */
static bool has_many_tags(const char *data, size_t length)
{
    const char *end = data + length;
    size_t count = 0;
    for (const char *at = data; at && (at = memmem(at, (size_t)(end - at), "%TAG", 4)); at += 4)
        if (++count > TAGS_MAX)
            return true;
    return false;
}

struct yaml_node *yaml_tree(const char *data, size_t length, struct arena *arena, bool *ret_is_bad)
{
    struct reader reader = {.arena = arena};
    *ret_is_bad = true;
    if (has_many_tags(data, length) || !yaml_parser_initialize(&reader.parser))
        return NULL;
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)data, length);
    *ret_is_bad = !read_document(&reader);
    yaml_parser_delete(&reader.parser);
    return *ret_is_bad ? NULL : reader.root;
}

const struct yaml_node *yaml_member(const struct yaml_node *map, const char *key)
{
    const struct yaml_node *found = NULL;
    for (const struct yaml_node *at = map && map->kind == YAML_MAP ? map->child : NULL; at;
         at = at->next)
        if (text_equal(at->key, key))
            found = at;
    return found;
}
