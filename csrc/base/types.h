/* types.h - what every part of weft's C interface shares: contexts, status codes and plain value types.
 *
 * SI units everywhere (m, kg, s, N, rad); Y is up; right-handed; faces are counter-clockwise seen from outside.
 * Indices are 0-based. Every function that can fail returns a wf_status; the sentence that explains a failure is
 * wf_context_message(). No function aborts, exits or prints. Every object belongs to the context it was made with and
 * must be destroyed before it.
 */
#ifndef WEFT_BASE_TYPES_H
#define WEFT_BASE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum wf_status {
    WF_OK = 0,
    WF_ERROR_ARGUMENT,    /* an argument is out of its range or of the wrong shape */
    WF_ERROR_MEMORY,      /* an allocation failed; the object is unchanged */
    WF_ERROR_STATE,       /* the call does not fit the object's present state */
    WF_ERROR_IO,          /* a file cannot be opened, read or written */
    WF_ERROR_FORMAT,      /* a file or table does not follow its format */
    WF_ERROR_GEOMETRY,    /* a shape that the operation cannot take (crossing outline, open body, ...) */
    WF_ERROR_NUMERIC,     /* a value is not finite, or a system is not positive definite */
    WF_ERROR_LIMIT,       /* the request is larger than a stated limit */
    WF_ERROR_INTERRUPTED  /* a callback asked to stop */
} wf_status;

/* A point or vector in space, in metres unless said otherwise. Arrays of it are packed xyz triples. */
typedef struct wf_vec3 {
    double x, y, z;
} wf_vec3;

/* A point in a pattern's plane: x is u (weft), y is v (warp), in metres. */
typedef struct wf_vec2 {
    double x, y;
} wf_vec2;

/* ---- context --------------------------------------------------------------------------------------------------- */

typedef struct wf_context wf_context;

typedef enum wf_log_level { WF_LOG_WARNING, WF_LOG_INFO } wf_log_level;

/* What the inner loops are compiled for. Results do not depend on it. */
typedef enum wf_instruction_set {
    WF_BEST_INSTRUCTION_SET, /* the best that the processor has */
    WF_SCALAR,               /* no vectors, to compare with */
    WF_BASELINE,             /* what every processor of its kind has: SSE2, NEON */
    WF_AVX2,
    WF_AVX512
} wf_instruction_set;

/* How a context gets memory, threads and a place for its warnings. All members may be left as the default sets them. */
typedef struct wf_context_def {
    /* Returns `size` bytes aligned to 16, or NULL; `old_pointer` NULL allocates, `size` 0 frees and returns NULL. */
    void *(*reallocate)(void *user, void *old_pointer, size_t old_size, size_t size);
    void *reallocate_user;
    /* Receives warnings and notes, on the thread that called into weft. NULL discards them. */
    void (*log)(void *user, wf_log_level level, const char *message);
    void *log_user;
    int thread_count;   /* threads that share the work, the caller included; 1 to 256, default 1 */
    wf_instruction_set instruction_set;
} wf_context_def;

wf_context_def wf_default_context_def(void);

/* Makes a context. Returns NULL only when memory, threads or the instruction set cannot be had. */
wf_context *wf_context_create(const wf_context_def *def);

/* Joins the threads and frees the context. Objects made with it must be gone. NULL is allowed. */
void wf_context_destroy(wf_context *context);

/* The sentence that explains the last failure; "" if nothing failed yet. Valid until the next failing call. */
const char *wf_context_message(const wf_context *context);

/* Bytes now held, and the most that were held at once. */
size_t wf_context_bytes(const wf_context *context);
size_t wf_context_peak_bytes(const wf_context *context);

/* Changes the number of threads (1 to 256). Results do not depend on it. */
wf_status wf_context_set_threads(wf_context *context, int thread_count);
int wf_context_threads(const wf_context *context);

/* Changes the instruction set; WF_ERROR_ARGUMENT when the build or the processor lacks it. Never
 * WF_BEST_INSTRUCTION_SET when read: that stands for one of the others. */
wf_status wf_context_set_instruction_set(wf_context *context, wf_instruction_set set);
wf_instruction_set wf_context_instruction_set(const wf_context *context);
const char *wf_instruction_set_name(wf_instruction_set set);

/* For tests: the allocation after `count` further ones fails, once. A negative count turns this off. */
void wf_context_fail_allocation(wf_context *context, int64_t count);

#ifdef __cplusplus
}
#endif

#endif
