/* context.c - the context: allocator, messages, log, task pool. */
#if defined(__linux__)
#define _DEFAULT_SOURCE /* madvise */
#include <sys/mman.h>
#endif

#include "base/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dispatch.h"
#include "base/tasks.h"

enum { MESSAGE_SIZE = 1024, ALIGNMENT = 64 };

struct wf_context {
    wf_context_def def;
    struct wf_tasks *tasks;
    wf_instruction_set instruction_set;
    size_t bytes, peak_bytes;
    int64_t allocations_until_failure; /* negative: off */
    uint64_t last_identity;
    char message[MESSAGE_SIZE];
};

/* Lies directly below the aligned block that a caller sees. */
typedef struct block_header {
    void *raw;         /* what the allocator returned */
    size_t raw_size;
    size_t size;       /* usable bytes */
    size_t references; /* the owner's and those of wf_retain */
} block_header;

#if defined(MADV_HUGEPAGE)

enum { HUGE_PAGE = 2 << 20, LEAST_HUGE = 2 * HUGE_PAGE };

/* Large arrays in huge pages, where the system gives them on request: a sparse product reads so many arrays side by
 * side that looking up small pages costs it a fifth of its time. */
static void *allocate_raw(size_t size)
{
    void *pages = NULL;
    if (size < LEAST_HUGE) {
        return malloc(size);
    }
    if (posix_memalign(&pages, HUGE_PAGE, size) != 0) {
        return NULL;
    }
    (void)madvise(pages, size, MADV_HUGEPAGE); /* refused, the pages are small ones */
    return pages;
}

#else

static void *allocate_raw(size_t size)
{
    return malloc(size);
}

#endif

static void *libc_reallocate(void *user, void *old_pointer, size_t old_size, size_t size)
{
    (void)user;
    (void)old_size;
    if (size == 0) {
        free(old_pointer);
        return NULL;
    }
    return old_pointer ? realloc(old_pointer, size) : allocate_raw(size);
}

wf_context_def wf_default_context_def(void)
{
    return (wf_context_def){.reallocate = libc_reallocate, .thread_count = 1};
}

wf_context *wf_context_create(const wf_context_def *def)
{
    wf_context_def used = def ? *def : wf_default_context_def();
    if (!used.reallocate) {
        used.reallocate = libc_reallocate;
    }
    wf_context *context = used.reallocate(used.reallocate_user, NULL, 0, sizeof *context);
    if (!context) {
        return NULL;
    }
    memset(context, 0, sizeof *context);
    context->def = used;
    context->allocations_until_failure = -1;
    if (wf_context_set_instruction_set(context, used.instruction_set) != WF_OK ||
        wf_context_set_threads(context, used.thread_count) != WF_OK) {
        wf_context_destroy(context);
        return NULL;
    }
    return context;
}

void wf_context_destroy(wf_context *context)
{
    if (!context) {
        return;
    }
    wf_tasks_destroy(context, context->tasks);
    wf_context_def def = context->def;
    def.reallocate(def.reallocate_user, context, sizeof *context, 0);
}

const char *wf_context_message(const wf_context *context)
{
    return context->message;
}

size_t wf_context_bytes(const wf_context *context)
{
    return context->bytes;
}

size_t wf_context_peak_bytes(const wf_context *context)
{
    return context->peak_bytes;
}

struct wf_tasks *wf_context_tasks(wf_context *context)
{
    return context->tasks;
}

uint64_t wf_context_new_identity(wf_context *context)
{
    return ++context->last_identity;
}

wf_status wf_context_set_threads(wf_context *context, int thread_count)
{
    if (thread_count < 1 || thread_count > 256) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "threads must be from 1 to 256, got %d", thread_count);
    }
    struct wf_tasks *tasks = wf_tasks_create(context, thread_count);
    if (!tasks) {
        return WF_ERROR_MEMORY;
    }
    wf_tasks_destroy(context, context->tasks);
    context->tasks = tasks;
    return WF_OK;
}

int wf_context_threads(const wf_context *context)
{
    return wf_tasks_thread_count(context->tasks);
}

wf_status wf_context_set_instruction_set(wf_context *context, wf_instruction_set set)
{
    if (!wf_instruction_set_available(set)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "this processor or build has no %s instructions",
                       wf_instruction_set_name(set));
    }
    context->instruction_set = set == WF_BEST_INSTRUCTION_SET ? wf_best_instruction_set() : set;
    return WF_OK;
}

wf_instruction_set wf_context_instruction_set(const wf_context *context)
{
    return context->instruction_set;
}

void wf_context_fail_allocation(wf_context *context, int64_t count)
{
    context->allocations_until_failure = count;
}

wf_status wf_fail(wf_context *context, wf_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(context->message, sizeof context->message, format, arguments);
    va_end(arguments);
    return status;
}

void wf_warn(wf_context *context, const char *format, ...)
{
    if (!context->def.log) {
        return;
    }
    char message[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    context->def.log(context->def.log_user, WF_LOG_WARNING, message);
}

/* Whether the failure that a test asked for falls on this allocation. */
static bool failure_is_due(wf_context *context)
{
    if (context->allocations_until_failure < 0) {
        return false;
    }
    return context->allocations_until_failure-- == 0;
}

static void *allocate_bytes(wf_context *context, size_t size)
{
    size_t raw_size = size + sizeof(block_header) + ALIGNMENT;
    void *raw = failure_is_due(context) ? NULL
                                        : context->def.reallocate(context->def.reallocate_user, NULL, 0, raw_size);
    if (!raw) {
        wf_fail(context, WF_ERROR_MEMORY, "out of memory: %zu bytes could not be had", size);
        return NULL;
    }
    uintptr_t address = (uintptr_t)raw + sizeof(block_header);
    address = (address + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
    block_header *header = (block_header *)address - 1;
    *header = (block_header){raw, raw_size, size, 1};
    context->bytes += raw_size;
    if (context->bytes > context->peak_bytes) {
        context->peak_bytes = context->bytes;
    }
    return (void *)address;
}

void *wf_allocate(wf_context *context, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX / 4) / size) {
        wf_fail(context, WF_ERROR_MEMORY, "out of memory: %zu elements of %zu bytes", count, size);
        return NULL;
    }
    void *pointer = allocate_bytes(context, count * size);
    if (pointer) {
        memset(pointer, 0, count * size);
    }
    return pointer;
}

void wf_free(wf_context *context, void *pointer)
{
    if (!pointer) {
        return;
    }
    block_header header = ((block_header *)pointer)[-1];
    if (header.references > 1) {
        ((block_header *)pointer)[-1].references--;
        return;
    }
    context->bytes -= header.raw_size;
    context->def.reallocate(context->def.reallocate_user, header.raw, header.raw_size, 0);
}

void wf_retain(void *pointer)
{
    ((block_header *)pointer)[-1].references++;
}

size_t wf_block_size(const void *pointer)
{
    return ((const block_header *)pointer)[-1].size;
}

wf_status wf_reserve(wf_context *context, void *array_address, size_t *capacity, size_t needed, size_t element_size)
{
    if (needed <= *capacity) {
        return WF_OK;
    }
    size_t grown = *capacity + *capacity / 2 + 16;
    if (grown < needed) {
        grown = needed;
    }
    if (grown > (SIZE_MAX / 4) / element_size) {
        return wf_fail(context, WF_ERROR_MEMORY, "out of memory: %zu elements of %zu bytes", needed, element_size);
    }
    void *old_array, *new_array = allocate_bytes(context, grown * element_size);
    if (!new_array) {
        return WF_ERROR_MEMORY;
    }
    memcpy(&old_array, array_address, sizeof old_array);
    if (old_array) {
        memcpy(new_array, old_array, *capacity * element_size);
        wf_free(context, old_array);
    }
    memcpy(array_address, &new_array, sizeof new_array);
    *capacity = grown;
    return WF_OK;
}
