#include "base/parallel.h"

#include <sched.h>
#include <stdatomic.h>

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

size_t parallel_threads(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    int count = CPU_COUNT(&set);
    return count < 1 ? 1 : count > PARALLEL_MOST ? PARALLEL_MOST : (size_t)count;
}

void parallel_for(size_t count, void (*work)(void *data, size_t number), void *data)
{
    parallel_for_most(PARALLEL_MOST, count, work, data);
}

void parallel_for_most(size_t most, size_t count, void (*work)(void *data, size_t number),
                       void *data)
{
    struct job job = {.work = work, .data = data, .count = count};
    pthread_t threads[PARALLEL_MOST];
    size_t wanted = count < 2 || most < 2 ? 0 : parallel_threads() - 1, started = 0;
    if (wanted > most - 1)
        wanted = most - 1;
    for (; started < wanted && started < count - 1; started++)
        if (pthread_create(&threads[started], NULL, run, &job) != 0)
            break;
    run(&job);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

static void *help(void *argument)
{
    struct parallel_team *team = argument;
    team->work(team->data);
    return NULL;
}

void parallel_start(struct parallel_team *team, size_t wanted, void (*work)(void *data), void *data)
{
    size_t most = parallel_threads() - 1;
    *team = (struct parallel_team){.work = work, .data = data};
    /* a thread that runs already reads no more than the two fields above */
    while (team->count < wanted && team->count < most &&
           pthread_create(&team->threads[team->count], NULL, help, team) == 0)
        team->count++;
}

void parallel_join(struct parallel_team *team)
{
    for (size_t i = 0; i < team->count; i++)
        pthread_join(team->threads[i], NULL);
    team->count = 0;
}
