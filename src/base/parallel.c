#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { THREADS_MAX = 16 };

struct job {
    void (*work)(void *data, size_t number);
    void *data;
    size_t count;
    atomic_size_t next;
};

static void *run(void *argument)
{
    struct job *job = argument;
    for (size_t i; (i = atomic_fetch_add(&job->next, 1)) < job->count;)
        job->work(job->data, i);
    return NULL;
}

static size_t processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    int count = CPU_COUNT(&set);
    return count < 1 ? 1 : count > THREADS_MAX ? THREADS_MAX : (size_t)count;
}

void parallel_for(size_t count, void (*work)(void *data, size_t number), void *data)
{
    parallel_for_most(THREADS_MAX, count, work, data);
}

void parallel_for_most(size_t most, size_t count, void (*work)(void *data, size_t number),
                       void *data)
{
    struct job job = {.work = work, .data = data, .count = count};
    pthread_t threads[THREADS_MAX];
    size_t wanted = count < 2 || most < 2 ? 0 : processors() - 1, started = 0;
    if (wanted > most - 1)
        wanted = most - 1;
    for (; started < wanted && started < count - 1; started++)
        if (pthread_create(&threads[started], NULL, run, &job) != 0)
            break;
    run(&job);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}
