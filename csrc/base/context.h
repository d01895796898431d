/* context.h - what every layer asks of the context: error messages, warnings, memory.
 *
 * Memory comes from the context's allocator, aligned to 64 bytes, and is counted. Every allocation is checked by its
 * caller; wf_allocate has then already set the message.
 */
#ifndef WEFT_BASE_CONTEXT_H
#define WEFT_BASE_CONTEXT_H

#include "base/types.h"

struct wf_tasks;

/* Stores a formatted message and returns `status`, so that a failing function ends with `return wf_fail(...)`. */
wf_status wf_fail(wf_context *context, wf_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* Sends a formatted warning to the log callback. */
void wf_warn(wf_context *context, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* `count` elements of `size` bytes, zeroed, aligned to 64. NULL (and the message) on failure or overflow.
 * A count of 0 gives a valid pointer that must be freed. */
void *wf_allocate(wf_context *context, size_t count, size_t size);

/* Frees what wf_allocate or wf_reserve gave. NULL is allowed. A retained block lives on until each wf_retain is matched
 * by one more wf_free. */
void wf_free(wf_context *context, void *pointer);

/* Keeps a block alive past the wf_free of its owner, for views that outlive a closed object or a topology change. Call
 * it, like wf_free, on the thread that owns the context. */
void wf_retain(void *pointer);

/* The usable bytes of a block. */
size_t wf_block_size(const void *pointer);

/* Makes the growing array `*array` of `element_size` hold at least `needed` elements; grows by half.
 * New space is not zeroed. On failure the array is unchanged. */
wf_status wf_reserve(wf_context *context, void *array_address, size_t *capacity, size_t needed, size_t element_size);

/* A number that this context never gave before, from 1 up: for caches that must know what they were made from. */
uint64_t wf_context_new_identity(wf_context *context);

/* The context's pool, for tasks.h. */
struct wf_tasks *wf_context_tasks(wf_context *context);

#endif
