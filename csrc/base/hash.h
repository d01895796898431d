/* hash.h - a hash of memory, for comparing states bit by bit. */
#ifndef WEFT_BASE_HASH_H
#define WEFT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t wf_hash_start(void)
{
    return 0xcbf29ce484222325u;
}

/* FNV-1a (Fowler, Noll, Vo 1991) over `size` bytes, continuing from `hash`. */
static inline uint64_t wf_hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    }
    return hash;
}

#endif
