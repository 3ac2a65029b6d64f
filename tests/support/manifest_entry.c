/* Values of an entry's KEY=VALUE words. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "manifest_tree.h"

const char *entry_value(const struct manifest_entry *entry, const char *key, const char *otherwise)
{
    const char *value = otherwise;
    for (size_t i = 0; i < entry->word_count; i++)
        if (text_equal(entry->words[i].key, key))
            value = entry->words[i].value;
    return value;
}

static bool next_part(const char **cursor, const char *separators, const char **ret,
                      size_t *ret_length)
{
    const char *at = *cursor + strspn(*cursor, separators);
    at += strspn(at, " ");
    size_t length = strcspn(at, separators);
    *cursor = at + length;
    while (length && at[length - 1] == ' ')
        length--;
    *ret = at;
    *ret_length = length;
    return *at != '\0';
}

char **entry_list(struct tree *tree, const struct manifest_entry *entry, const char *key,
                  const char *separators, size_t *ret_count)
{
    size_t room = 1, count = 0;
    for (size_t i = 0; i < entry->word_count; i++)
        if (text_equal(entry->words[i].key, key))
            room += strlen(entry->words[i].value);
    char **list = arena_alloc(tree->arena, room * sizeof *list);
    for (size_t i = 0; i < entry->word_count; i++) {
        if (!text_equal(entry->words[i].key, key))
            continue;
        const char *cursor = entry->words[i].value, *part;
        size_t length;
        while (next_part(&cursor, separators, &part, &length))
            if (length)
                list[count++] = arena_strndup(tree->arena, part, length);
    }
    if (ret_count)
        *ret_count = count;
    return list;
}

int entry_mode(struct tree *tree, const struct manifest_entry *entry, mode_t otherwise, mode_t *ret)
{
    const char *text = entry_value(entry, "mode", NULL);
    char *end = NULL;
    *ret = otherwise;
    if (!text)
        return 0;
    unsigned long value = strtoul(text, &end, 8);
    if (*text < '0' || *text > '7' || *end || value > 07777)
        return tree_error(tree, entry->line, "mode=%s is not an octal mode", text);
    *ret = (mode_t)value;
    return 0;
}

int entry_size(struct tree *tree, const struct manifest_entry *entry, off_t *ret)
{
    const char *text = entry_value(entry, "size", NULL);
    char *end = NULL;
    *ret = 0;
    if (!text)
        return 0;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    end += shift != 0;
    if (*text < '0' || *text > '9' || *end || errno || value >> 40 || value << shift >> 50)
        return tree_error(tree, entry->line, "size=%s is not a size", text);
    *ret = (off_t)(value << shift);
    return 0;
}
