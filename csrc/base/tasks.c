/* tasks.c - a small pool of POSIX threads; see tasks.h. */
#define _POSIX_C_SOURCE 200809L
#include "base/tasks.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

/* How often a thread looks for work, or for others to end theirs, before it sleeps: about 30 microseconds. Waking takes
 * longer than many a range does, and the next one mostly follows at once. */
enum { LOOKS = 600 };

struct wf_tasks {
    int thread_count;
    pthread_t *workers; /* thread_count - 1 */
    int started;
    pthread_mutex_t mutex;
    pthread_cond_t work_ready, work_done;
    int looks; /* LOOKS, or 0 where threads would take each other's processor */
    /* These change with the mutex held. */
    atomic_ullong generation;
    atomic_int busy_workers; /* that work on blocks of the present generation */
    bool open;               /* workers may still join it: those that wake too late need not be waited for */
    atomic_bool stopping;

    bool running; /* a range is being worked on: nested calls run in place */

    wf_block_function *function;
    void *user;
    size_t count, block_size, block_count;
    atomic_size_t next_block;
};

static void work_on_blocks(wf_tasks *tasks)
{
    for (;;) {
        size_t block = atomic_fetch_add_explicit(&tasks->next_block, 1, memory_order_relaxed);
        if (block >= tasks->block_count) {
            return;
        }
        size_t begin = block * tasks->block_size;
        size_t end = begin + tasks->block_size < tasks->count ? begin + tasks->block_size : tasks->count;
        tasks->function(tasks->user, block, begin, end);
    }
}

static inline void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

static void look_for_work(wf_tasks *tasks, unsigned long long seen)
{
    for (int k = 0;
         k < tasks->looks && atomic_load(&tasks->generation) == seen && !atomic_load(&tasks->stopping); k++) {
        pause_briefly();
    }
}

static void *worker_main(void *argument)
{
    wf_tasks *tasks = argument;
    unsigned long long seen = 0;
    for (;;) {
        look_for_work(tasks, seen);
        pthread_mutex_lock(&tasks->mutex);
        while (!tasks->stopping && tasks->generation == seen) {
            pthread_cond_wait(&tasks->work_ready, &tasks->mutex);
        }
        bool stopping = tasks->stopping, joins = tasks->open;
        seen = tasks->generation;
        tasks->busy_workers += joins;
        pthread_mutex_unlock(&tasks->mutex);
        if (stopping) {
            return NULL;
        }
        if (joins) {
            work_on_blocks(tasks);
            pthread_mutex_lock(&tasks->mutex);
            if (--tasks->busy_workers == 0) {
                pthread_cond_signal(&tasks->work_done);
            }
            pthread_mutex_unlock(&tasks->mutex);
        }
    }
}

static void wait_for_workers(wf_tasks *tasks)
{
    pthread_mutex_lock(&tasks->mutex);
    tasks->open = false;
    pthread_mutex_unlock(&tasks->mutex);
    for (int k = 0; k < tasks->looks && atomic_load(&tasks->busy_workers) > 0; k++) {
        pause_briefly();
    }
    pthread_mutex_lock(&tasks->mutex);
    while (tasks->busy_workers > 0) {
        pthread_cond_wait(&tasks->work_done, &tasks->mutex);
    }
    pthread_mutex_unlock(&tasks->mutex);
}

wf_tasks *wf_tasks_create(wf_context *context, int thread_count)
{
    wf_tasks *tasks = wf_allocate(context, 1, sizeof *tasks);
    if (!tasks) {
        return NULL;
    }
    tasks->thread_count = thread_count;
    tasks->looks = thread_count <= sysconf(_SC_NPROCESSORS_ONLN) ? LOOKS : 0;
    tasks->workers = wf_allocate(context, (size_t)thread_count, sizeof *tasks->workers);
    if (!tasks->workers) {
        wf_free(context, tasks);
        return NULL;
    }
    pthread_mutex_init(&tasks->mutex, NULL);
    pthread_cond_init(&tasks->work_ready, NULL);
    pthread_cond_init(&tasks->work_done, NULL);
    /* Workers must not take the host's signals. */
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    while (tasks->started < thread_count - 1 &&
           pthread_create(&tasks->workers[tasks->started], NULL, worker_main, tasks) == 0) {
        tasks->started++;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (tasks->started < thread_count - 1) {
        wf_fail(context, WF_ERROR_MEMORY, "only %d of %d threads could be started", tasks->started + 1, thread_count);
        wf_tasks_destroy(context, tasks);
        return NULL;
    }
    return tasks;
}

void wf_tasks_destroy(wf_context *context, wf_tasks *tasks)
{
    if (!tasks) {
        return;
    }
    pthread_mutex_lock(&tasks->mutex);
    tasks->stopping = true;
    pthread_cond_broadcast(&tasks->work_ready);
    pthread_mutex_unlock(&tasks->mutex);
    for (int i = 0; i < tasks->started; i++) {
        pthread_join(tasks->workers[i], NULL);
    }
    pthread_cond_destroy(&tasks->work_done);
    pthread_cond_destroy(&tasks->work_ready);
    pthread_mutex_destroy(&tasks->mutex);
    wf_free(context, tasks->workers);
    wf_free(context, tasks);
}

int wf_tasks_thread_count(const wf_tasks *tasks)
{
    return tasks->thread_count;
}

static void run_in_place(size_t count, size_t block_size, wf_block_function *function, void *user)
{
    for (size_t begin = 0, block = 0; begin < count; begin += block_size, block++) {
        function(user, block, begin, begin + block_size < count ? begin + block_size : count);
    }
}

void wf_parallel_for(wf_context *context, size_t count, size_t block_size, wf_block_function *function, void *user)
{
    wf_tasks *tasks = wf_context_tasks(context);
    if (tasks->started == 0 || tasks->running || count <= block_size) {
        run_in_place(count, block_size, function, user);
        return;
    }
    tasks->running = true;
    pthread_mutex_lock(&tasks->mutex);
    tasks->function = function;
    tasks->user = user;
    tasks->count = count;
    tasks->block_size = block_size;
    tasks->block_count = wf_block_count(count, block_size);
    atomic_store_explicit(&tasks->next_block, 0, memory_order_relaxed);
    tasks->open = true;
    tasks->generation++;
    pthread_cond_broadcast(&tasks->work_ready);
    pthread_mutex_unlock(&tasks->mutex);

    work_on_blocks(tasks);

    wait_for_workers(tasks);
    tasks->running = false;
}
