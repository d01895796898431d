/* tasks.h - the context's pool of threads.
 *
 * Work is cut into blocks whose bounds depend on the count and the block size alone, never on the number of threads,
 * so that results are the same bits for any number. A block must not allocate, fail or call back into Lua. Threads
 * sleep soon after there is no work and are joined when the pool goes.
 */
#ifndef WEFT_BASE_TASKS_H
#define WEFT_BASE_TASKS_H

#include "base/context.h"

typedef struct wf_tasks wf_tasks;

/* NULL (and the context's message) on failure. */
wf_tasks *wf_tasks_create(wf_context *context, int thread_count);
void wf_tasks_destroy(wf_context *context, wf_tasks *tasks);
int wf_tasks_thread_count(const wf_tasks *tasks);

/* Works on elements [begin, end) of a range; `block` is the index of the block. */
typedef void wf_block_function(void *user, size_t block, size_t begin, size_t end);

/* Calls `function` once for each block of `block_size` elements of [0, count), in any order and on any thread.
 * Returns when all are done. Calls from within a block run on that thread alone. */
void wf_parallel_for(wf_context *context, size_t count, size_t block_size, wf_block_function *function, void *user);

/* The number of blocks that wf_parallel_for makes. */
static inline size_t wf_block_count(size_t count, size_t block_size)
{
    return (count + block_size - 1) / block_size;
}

#endif
