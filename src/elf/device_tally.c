#include "elf/device_tally.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool device_entry_target(struct device_entry *entry, struct span word)
{
    uint32_t number;
    char suffix = 0;
    if (!span_cut_prefix(&word, "sm_") || !word.length)
        return false;
    char last = word.data[word.length - 1];
    if (last == 'a' || last == 'f') {
        suffix = last;
        word.length--;
    }
    if (!span_uint32(word, &number))
        return false;
    entry->sm = number;
    entry->suffix = suffix;
    return true;
}

static bool is_full(struct device_tally *tally, const char *what)
{
    if (!tally->is_full)
        device_tally_limit(tally, "too many %s: the rest was left unread", what);
    tally->is_full = true;
    return false;
}

bool device_tally_container(struct device_tally *tally)
{
    if (tally->is_full || tally->containers >= DEVICE_CONTAINERS_MAX)
        return is_full(tally, "containers of device code");
    tally->containers++;
    return true;
}

/* Where the target is, or would be appended. */
static size_t find_target(const struct device_tally *tally, enum device_place place,
                          const struct device_entry *entry)
{
    size_t i = 0;
    for (; i < tally->target_count; i++) {
        const struct device_target *target = &tally->targets[i];
        if (target->sm == entry->sm && target->kind == entry->kind && target->place == place &&
            target->suffix == entry->suffix)
            break;
    }
    return i;
}

static uint32_t isa_key(uint16_t major, uint16_t minor)
{
    return (uint32_t)major << 16 | minor;
}

static void widen_isa(struct device_target *target, const struct device_entry *entry)
{
    uint32_t key = isa_key(entry->isa_major, entry->isa_minor);
    if (!target->entries || key > isa_key(target->isa_major, target->isa_minor)) {
        target->isa_major = entry->isa_major;
        target->isa_minor = entry->isa_minor;
    }
    if (!target->entries || key < isa_key(target->isa_low_major, target->isa_low_minor)) {
        target->isa_low_major = entry->isa_major;
        target->isa_low_minor = entry->isa_minor;
    }
}

bool device_tally_entry(struct device_tally *tally, enum device_place place,
                        const struct device_entry *entry)
{
    size_t i = find_target(tally, place, entry);
    if (tally->is_full || tally->entries >= DEVICE_ENTRIES_MAX)
        return is_full(tally, "pieces of device code");
    if (i == DEVICE_TARGETS_MAX)
        return is_full(tally, "different targets");
    struct device_target *target = &tally->targets[i];
    if (i == tally->target_count) {
        tally->target_count++;
        *target = (struct device_target){
            .kind = entry->kind, .place = place, .sm = entry->sm, .suffix = entry->suffix};
    }
    if (entry->kind == DEVICE_PTX)
        widen_isa(target, entry);
    target->entries++;
    target->bytes += entry->bytes;
    if (tally->counted_in[i] != tally->containers) {
        tally->counted_in[i] = tally->containers;
        target->containers++;
    }
    tally->entries++;
    return true;
}

void device_tally_chance(struct device_tally *tally)
{
    if (++tally->chances > DEVICE_CHANCES_MAX)
        (void)is_full(tally, "places that look like device code and are none that is known");
}

/* Keeps the first. */
static void remember(struct device_tally *tally, const char **where, const char *format,
                     va_list args)
{
    tally->problem_count++;
    if (!*where)
        *where = arena_vprintf(tally->arena, format, args);
}

void device_tally_problem(struct device_tally *tally, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    remember(tally, &tally->problem, format, args);
    va_end(args);
}

void device_tally_limit(struct device_tally *tally, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    remember(tally, &tally->limit, format, args);
    va_end(args);
}

static int compare_numbers(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int compare(const void *a, const void *b)
{
    const struct device_target *x = a, *y = b;
    int r = compare_numbers(x->place, y->place);
    if (!r)
        r = compare_numbers(x->kind, y->kind);
    if (!r)
        r = compare_numbers(x->sm, y->sm);
    return r ? r : compare_numbers((unsigned char)x->suffix, (unsigned char)y->suffix);
}

void device_tally_finish(struct device_tally *tally, struct device_code *ret)
{
    size_t size = tally->target_count * sizeof tally->targets[0];
    ret->targets = arena_alloc(tally->arena, size);
    ret->target_count = tally->target_count;
    if (size) {
        memcpy(ret->targets, tally->targets, size);
        qsort(ret->targets, ret->target_count, sizeof *ret->targets, compare);
    }
    ret->containers = tally->containers;
    ret->entries = tally->entries;
    ret->problem = tally->limit ? tally->limit : tally->problem;
    if (tally->problem_count > 1)
        ret->problem = arena_printf(tally->arena, "%s (and %u more of the kind)", ret->problem,
                                    tally->problem_count - 1);
}
