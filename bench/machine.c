/* machine.c - what the machine can do: the STREAM triad (McCalpin 1995) and a loop of fused multiply-adds.
 *
 * A shared object that the benchmarks load through LuaJIT's FFI (bench/common.lua builds it), so that a kernel and the
 * machine's own limit are measured in turn within one process.
 */
#define _GNU_SOURCE /* barriers, clocks, madvise */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#if defined(__GNUC__)
#define PUBLIC __attribute__((visibility("default")))
#else
#define PUBLIC
#endif

enum { MOST_THREADS = 256, LANES = 8, CHAINS = 12 };

typedef struct machine {
    size_t count; /* doubles in each array */
    double *a, *b, *c;
} machine;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* One thread's part of a measurement. */
typedef struct part {
    machine *m;
    size_t begin, end;
    int passes;
    pthread_barrier_t *start;
    double from, to, check;
} part;

typedef void kernel(part *p);

typedef struct worker {
    part *p;
    kernel *run;
} worker;

static void *work(void *user)
{
    worker *w = user;
    pthread_barrier_wait(w->p->start);
    w->p->from = now();
    w->run(w->p);
    w->p->to = now();
    return NULL;
}

/* Seconds from the first thread's start to the last one's end; negative when a thread could not be made. */
static double measure(part *parts, int threads, kernel *run)
{
    pthread_t ids[MOST_THREADS];
    worker workers[MOST_THREADS];
    pthread_barrier_t start;
    if (pthread_barrier_init(&start, NULL, (unsigned)threads) != 0) {
        return -1;
    }
    for (int t = 0; t < threads; t++) {
        parts[t].start = &start;
        workers[t] = (worker){&parts[t], run};
        if (t > 0 && pthread_create(&ids[t], NULL, work, &workers[t]) != 0) {
            return -1; /* the others wait at the barrier: the benchmark is over */
        }
    }
    work(&workers[0]);
    double from = parts[0].from, to = parts[0].to;
    for (int t = 1; t < threads; t++) {
        pthread_join(ids[t], NULL);
        from = parts[t].from < from ? parts[t].from : from;
        to = parts[t].to > to ? parts[t].to : to;
    }
    pthread_barrier_destroy(&start);
    return to - from;
}

static void triad(part *p)
{
    double *restrict a = p->m->a;
    const double *restrict b = p->m->b, *restrict c = p->m->c;
    for (int pass = 0; pass < p->passes; pass++) {
        for (size_t i = p->begin; i < p->end; i++) {
            a[i] = b[i] + 3.0 * c[i];
        }
        __asm__ volatile("" : : "r"(a) : "memory"); /* a pass is not a repetition that may be left out */
    }
}

typedef double lanes __attribute__((vector_size(8 * LANES)));

/* Independent chains, as many as the units are deep. */
static void multiply_add(part *p)
{
    lanes sum[CHAINS], factor, term;
    for (int l = 0; l < LANES; l++) {
        factor[l] = 0.999999 + 1e-9 * l;
        term[l] = 1e-6 * (l + 1);
    }
    for (int k = 0; k < CHAINS; k++) {
        sum[k] = term * (double)k;
    }
    for (int pass = 0; pass < p->passes; pass++) {
        for (int k = 0; k < CHAINS; k++) {
            sum[k] = sum[k] * factor + term;
        }
    }
    p->check = 0;
    for (int k = 0; k < CHAINS; k++) {
        for (int l = 0; l < LANES; l++) {
            p->check += sum[k][l];
        }
    }
}

PUBLIC void bench_machine_destroy(machine *m)
{
    if (m) {
        free(m->a);
        free(m->b);
        free(m->c);
        free(m);
    }
}

/* In huge pages where there are any, as weft's own large arrays are. */
static double *allocate(size_t size)
{
    void *pages = NULL;
    if (posix_memalign(&pages, 2 << 20, size) != 0) {
        return NULL;
    }
#if defined(MADV_HUGEPAGE)
    (void)madvise(pages, size, MADV_HUGEPAGE);
#endif
    return pages;
}

/* Three arrays of `bytes` together; NULL when there is no memory. */
PUBLIC machine *bench_machine_create(double bytes)
{
    machine *m = calloc(1, sizeof *m);
    if (!m) {
        return NULL;
    }
    m->count = (size_t)(bytes / (3 * sizeof(double))) / 64 * 64 + 64;
    size_t size = m->count * sizeof(double);
    m->a = allocate(size);
    m->b = allocate(size);
    m->c = allocate(size);
    if (!m->a || !m->b || !m->c) {
        bench_machine_destroy(m);
        return NULL;
    }
    for (size_t i = 0; i < m->count; i++) {
        m->a[i] = 0;
        m->b[i] = 1;
        m->c[i] = 2;
    }
    return m;
}

/* Bytes per second that `passes` triads move, counted as STREAM does: two reads and a write. */
PUBLIC double bench_machine_triad(machine *m, int threads, int passes)
{
    part parts[MOST_THREADS];
    if (threads < 1 || threads > MOST_THREADS) {
        return -1;
    }
    for (int t = 0; t < threads; t++) {
        parts[t] = (part){.m = m, .passes = passes, .begin = m->count * (size_t)t / (size_t)threads,
                          .end = m->count * (size_t)(t + 1) / (size_t)threads};
    }
    double seconds = measure(parts, threads, triad);
    return 3.0 * sizeof(double) * (double)m->count * passes / seconds;
}

/* Floating-point operations per second of fused multiply-adds in registers. */
PUBLIC double bench_machine_multiply_add(int threads, int passes)
{
    part parts[MOST_THREADS];
    if (threads < 1 || threads > MOST_THREADS) {
        return -1;
    }
    for (int t = 0; t < threads; t++) {
        parts[t] = (part){.passes = passes};
    }
    double seconds = measure(parts, threads, multiply_add);
    return 2.0 * LANES * CHAINS * passes * threads / seconds;
}
