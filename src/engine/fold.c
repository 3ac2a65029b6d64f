/* A finding folds under the failing rule that explains it; the list is put in order. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "engine/run.h"

/* A finding on its way into the result: a tree of causes, threaded by child and sibling. */
struct node {
    const struct finding *finding;
    struct node *cause, *child, *sibling;
    struct finding *placed;
};

static int by_weight(const void *a, const void *b)
{
    const struct finding *x = (*(struct node *const *)a)->finding;
    const struct finding *y = (*(struct node *const *)b)->finding;
    if (x->severity != y->severity)
        return x->severity > y->severity ? -1 : 1;
    int order = strcmp(x->rule->id, y->rule->id);
    if (!order)
        order = strcmp(x->key, y->key);
    return order ? order : strcmp(x->subject, y->subject);
}

/* The finding of a rule on one of the subjects, the nearest first. What weighs less explains
 * nothing: a remark must not take an error out of the exit status. */
static struct node *find_cause(struct node *nodes, size_t count, const char *rule,
                               enum severity least, const struct ancestor *line, size_t length)
{
    for (size_t a = 0; a < length; a++) {
        for (size_t i = 0; i < count; i++) {
            const struct finding *f = nodes[i].finding;
            if (strcmp(f->rule->id, rule) == 0 && f->severity >= least &&
                strcmp(f->kind, line[a].kind) == 0 && strcmp(f->subject, line[a].name) == 0)
                return &nodes[i];
        }
    }
    return NULL;
}

static void link_causes(const struct run *run, struct node *nodes, size_t count)
{
    struct ancestor line[ANCESTORS_MAX];
    for (size_t i = 0; i < count; i++) {
        const struct finding *f = nodes[i].finding;
        if (!f->rule->caused_by_count)
            continue;
        size_t length = parents_walk(&run->parents, f->kind, f->subject, line);
        for (size_t k = 0; k < f->rule->caused_by_count && !nodes[i].cause; k++)
            nodes[i].cause =
                find_cause(nodes, count, f->rule->caused_by[k], f->severity, line, length);
    }
}

/* Sorted children: the heaviest is linked last, at the head of its cause's list. */
static struct node *link_children(struct node **sorted, size_t count)
{
    struct node *roots = NULL;
    for (size_t i = count; i-- > 0;) {
        struct node **head = sorted[i]->cause ? &sorted[i]->cause->child : &roots;
        sorted[i]->sibling = *head;
        *head = sorted[i];
    }
    return roots;
}

/* In preorder, without recursion: from child to sibling to the cause's sibling. */
static struct node *next_node(struct node *node)
{
    if (node->child)
        return node->child;
    while (node && !node->sibling)
        node = node->cause;
    return node ? node->sibling : NULL;
}

static void count_finding(const struct node *node, struct result *result)
{
    if (node->cause)
        result->folded++;
    else if (node->finding->severity == SEVERITY_ERROR)
        result->errors++;
    else if (node->finding->severity == SEVERITY_WARNING)
        result->warnings++;
    else
        result->infos++;
}

void fold(const struct run *run, struct finding *findings, size_t count, struct result *result)
{
    CLEANUP_FREE struct node *nodes = xcalloc(count, sizeof *nodes);
    CLEANUP_FREE struct node **sorted = xcalloc(count, sizeof *sorted);
    for (size_t i = 0; i < count; i++) {
        nodes[i].finding = &findings[i];
        sorted[i] = &nodes[i];
    }
    link_causes(run, nodes, count);
    qsort(sorted, count, sizeof *sorted, by_weight);
    result->findings = arena_alloc(&result->arena, count * sizeof *findings);
    for (struct node *n = link_children(sorted, count); n; n = next_node(n)) {
        n->placed = &result->findings[result->finding_count++];
        *n->placed = *n->finding;
        n->placed->cause = n->cause ? n->cause->placed : NULL; /* a cause is placed first */
        count_finding(n, result);
    }
}
