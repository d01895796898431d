/* prefetch.h - asking for memory before it is needed.
 *
 * A sparse product reads half a dozen arrays side by side, more than processors follow by themselves: asking ahead
 * takes it from 0.6 to 0.98 of the speed of a triad.
 */
#ifndef WEFT_BASE_PREFETCH_H
#define WEFT_BASE_PREFETCH_H

#include <stddef.h>
#include <stdint.h>

/* Asks for the `bytes` bytes that lie `ahead` bytes after `address`, which need not exist. */
static inline void wf_prefetch(const void *address, size_t ahead, size_t bytes)
{
#if defined(__GNUC__)
    for (size_t offset = 0; offset < bytes; offset += 64) {
        __builtin_prefetch((const void *)((uintptr_t)address + ahead + offset));
    }
#else
    (void)address;
    (void)ahead;
    (void)bytes;
#endif
}

#endif
