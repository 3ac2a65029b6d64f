#include "probe/apart.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"

struct apart {
    const struct probe *probe;
    struct probe_context *whole;  /* who started it: touched by that thread alone */
    struct probe_context context; /* the probe's own: arena, rows */
    struct arena arena;
    double ms;
    bool has_thread;
    pthread_t thread;
    pthread_mutex_t mutex; /* of what follows */
    pthread_cond_t changed;
    bool has_ended;
    const char *what; /* its progress; NULL: told, or none yet */
    size_t done, total;
};

/* In its thread: who is told may not be called from there. */
static void note_progress(void *watcher, const char *what, size_t done, size_t total)
{
    struct apart *apart = watcher;
    pthread_mutex_lock(&apart->mutex);
    apart->what = what;
    apart->done = done;
    apart->total = total;
    pthread_cond_signal(&apart->changed);
    pthread_mutex_unlock(&apart->mutex);
}

static void *work(void *data)
{
    struct apart *apart = data;
    const struct machine *machine = apart->context.machine;
    double start = machine_clock_ms(machine);
    apart->probe->work(&apart->context);
    apart->ms = machine_clock_ms(machine) - start;
    pthread_mutex_lock(&apart->mutex);
    apart->has_ended = true;
    pthread_cond_signal(&apart->changed);
    pthread_mutex_unlock(&apart->mutex);
    return NULL;
}

static void apart_free(struct apart *apart)
{
    facts_free(apart->context.facts);
    arena_done(&apart->arena);
    pthread_cond_destroy(&apart->changed);
    pthread_mutex_destroy(&apart->mutex);
    free(apart);
}

/* Rows of run() go to the facts at once, for it asks them. */
static struct apart *prepare(const struct probe *probe, struct probe_context *context,
                             int *ret_code)
{
    struct apart *apart = xcalloc(1, sizeof *apart);
    apart->probe = probe;
    apart->whole = context;
    apart->context = *context;
    apart->context.arena = &apart->arena;
    *ret_code = probe->run(&apart->context);
    if (context->progress) {
        apart->context.progress = note_progress;
        apart->context.watcher = apart;
    }
    apart->context.facts = facts_open_apart(context->facts);
    pthread_mutex_init(&apart->mutex, NULL);
    pthread_cond_init(&apart->changed, NULL);
    return apart;
}

struct apart *apart_start(const struct probe *probe, struct probe_context *context, int *ret_code)
{
    if (!probe->work) {
        *ret_code = probe->run(context);
        return NULL;
    }
    struct apart *apart = prepare(probe, context, ret_code);
    if (*ret_code < 0) {
        apart_free(apart);
        return NULL;
    }
    apart->has_thread = pthread_create(&apart->thread, NULL, work, apart) == 0;
    if (!apart->has_thread)
        work(apart);
    return apart;
}

bool apart_has_ended(struct apart *apart)
{
    pthread_mutex_lock(&apart->mutex);
    bool has_ended = apart->has_ended;
    pthread_mutex_unlock(&apart->mutex);
    return has_ended;
}

static void wait_and_tell(struct apart *apart)
{
    pthread_mutex_lock(&apart->mutex);
    while (!apart->has_ended) {
        const char *what = apart->what;
        size_t done = apart->done, total = apart->total;
        apart->what = NULL;
        if (!what) {
            pthread_cond_wait(&apart->changed, &apart->mutex);
            continue;
        }
        pthread_mutex_unlock(&apart->mutex);
        probe_progress(apart->whole, what, done, total);
        pthread_mutex_lock(&apart->mutex);
    }
    pthread_mutex_unlock(&apart->mutex);
}

double apart_finish(struct apart *apart)
{
    if (apart->whole->progress)
        wait_and_tell(apart);
    if (apart->has_thread)
        pthread_join(apart->thread, NULL);
    double ms = apart->ms;
    facts_take(apart->whole->facts, apart->context.facts);
    apart_free(apart);
    return ms;
}
