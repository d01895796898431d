/* product_kernels.c - rows of the block matrix, and of its copy in single precision, times a vector.
 *
 * Of a symmetric matrix the lower half is stored. A row gathers from its own blocks, and from the transposes of those
 * that later rows have in its column, so that rows do not wait for each other and each is written once. The nine
 * products of an own block go to nine sums, which are added up at the row's end; those of a transposed one are added up
 * along its columns as they are: no block is shuffled. Eight lanes gain nothing over four, since nearly every block
 * would straddle two lines of the cache.
 *
 * What bounds it beyond the caches is memory: half a dozen arrays are read side by side, more than processors follow by
 * themselves. Blocks are first read as twins, from as far down as rows reach: there they come from memory, and later,
 * when their own row's turn has come, from the cache.
 */
#include "solve/product_kernels.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "base/prefetch.h"

/* ---- three lanes of double precision --------------------------------------------------------------------------- */

#if defined(__AVX__)

enum { LANES = 4, PARTS = 8 / LANES };
typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef double loose_lanes __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

typedef lanes triple; /* the fourth lane is noise */

/* Nothing past the three is read; the fourth lane is 0. (AVX-512's own masked load was measured a sixth slower.) */
static inline triple load_triple(const double *from)
{
    return _mm256_maskload_pd(from, _mm256_setr_epi64x(-1, -1, -1, 0));
}

/* The same where a fourth number may be read. */
static inline triple load_inner_triple(const double *from)
{
    return *(const loose_lanes *)from;
}

static inline triple make_triple(double x, double y, double z)
{
    return (triple){x, y, z, 0};
}

static inline triple add(triple a, triple b)
{
    return a + b;
}

static inline triple scale(double factor, triple v)
{
    return factor * v;
}

static inline wf_vec3 to_vec3(triple v)
{
    return (wf_vec3){v[0], v[1], v[2]};
}

/* What eight entries of a block are multiplied with in a product with v. */
static inline void spread(const wf_vec3 *v, lanes to[PARTS])
{
    lanes xyz = load_triple(&v->x);
    to[0] = __builtin_shufflevector(xyz, xyz, 0, 1, 2, 0);
    to[1] = __builtin_shufflevector(xyz, xyz, 1, 2, 0, 1);
}

#else

enum { LANES = 2, PARTS = 8 / LANES };
typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef double loose_lanes __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

typedef struct triple {
    lanes xy;
    double z;
} triple;

static inline triple load_triple(const double *from)
{
    return (triple){*(const loose_lanes *)from, from[2]};
}

static inline triple load_inner_triple(const double *from)
{
    return load_triple(from);
}

static inline triple make_triple(double x, double y, double z)
{
    return (triple){(lanes){x, y}, z};
}

static inline triple add(triple a, triple b)
{
    return (triple){a.xy + b.xy, a.z + b.z};
}

static inline triple scale(double factor, triple v)
{
    return (triple){factor * v.xy, factor * v.z};
}

static inline wf_vec3 to_vec3(triple v)
{
    return (wf_vec3){v.xy[0], v.xy[1], v.z};
}

static inline void spread(const wf_vec3 *v, lanes to[PARTS])
{
    to[0] = to[3] = *(const loose_lanes *)&v->x;
    to[1] = (lanes){v->z, v->x};
    to[2] = *(const loose_lanes *)&v->y;
}

#endif

/* ---- double precision ------------------------------------------------------------------------------------------ */

/* The part of a row's product that comes from blocks on and below the diagonal. */
static inline triple sum_lower(const wf_mat3 *restrict blocks, const int32_t *restrict column, int32_t count,
                               const wf_vec3 *restrict x)
{
    lanes sums[PARTS];
    double last = 0;
    for (int p = 0; p < PARTS; p++) {
        sums[p] = (lanes){0};
    }
    for (int32_t k = 0; k < count; k++) {
        const double *entries = &blocks[k].m[0][0];
        const wf_vec3 *v = &x[column[k]];
        lanes components[PARTS];
        spread(v, components);
        for (int p = 0; p < PARTS; p++) {
            sums[p] += *(const loose_lanes *)(entries + LANES * p) * components[p];
        }
        last += entries[8] * v->z;
    }
#define SUM(entry) sums[(entry) / LANES][(entry) % LANES]
    return make_triple(SUM(0) + SUM(1) + SUM(2), SUM(3) + SUM(4) + SUM(5), SUM(6) + SUM(7) + last);
#undef SUM
}

/* The part from those above it: transposed blocks of the rows that the columns name. */
static inline triple sum_upper(const wf_mat3 *restrict blocks, const int32_t *restrict upper,
                               const int32_t *restrict column, int32_t count, const wf_vec3 *restrict x)
{
    triple sum = make_triple(0, 0, 0);
    for (int32_t k = 0; k < count; k++) {
        const double *entries = &blocks[upper[k] + column[k]].m[0][0];
        const wf_vec3 *v = &x[column[k]];
        triple product = add(scale(v->x, load_inner_triple(entries)), scale(v->y, load_inner_triple(entries + 3)));
        sum = add(sum, add(product, scale(v->z, load_triple(entries + 6))));
    }
    return sum;
}

static inline triple lower_scalar(const wf_scalar_pattern *p, const double *restrict scalars, int32_t row, int32_t k,
                                  const wf_vec3 *restrict x)
{
    return scale(scalars[wf_scalar_pattern_lower_place(row, k)],
                 load_triple(&x[wf_scalar_pattern_lower_column(p, row, k)].x));
}

static inline triple upper_scalar(const wf_scalar_pattern *p, const double *restrict scalars, int32_t row, int32_t k,
                                  const wf_vec3 *restrict x)
{
    int32_t column = wf_scalar_pattern_upper_column(p, row, k);
    return scale(scalars[wf_scalar_pattern_upper_place(p, row, column, k)], load_triple(&x[column].x));
}

/* The part that comes from scalars: two sums in turn, so that an addition need not wait for the one before. */
static inline triple sum_scalars(const wf_scalar_pattern *p, const double *restrict scalars, int32_t row,
                                 const wf_vec3 *restrict x)
{
    triple next = make_triple(0, 0, 0), after = next;
    int32_t k = p->lower_start[row], end = p->lower_start[row + 1];
    for (; k + 1 < end; k += 2) {
        next = add(next, lower_scalar(p, scalars, row, k, x));
        after = add(after, lower_scalar(p, scalars, row, k + 1, x));
    }
    triple own = scale(scalars[wf_scalar_pattern_diagonal_place(p, row)], load_triple(&x[row].x));
    if (k < end) {
        next = add(next, lower_scalar(p, scalars, row, k, x));
        after = add(after, own);
    } else {
        own = add(next, own);
        next = after;
        after = own;
    }
    k = p->upper_start[row];
    end = p->upper_start[row + 1];
    for (; k + 1 < end; k += 2) {
        next = add(next, upper_scalar(p, scalars, row, k, x));
        after = add(after, upper_scalar(p, scalars, row, k + 1, x));
    }
    if (k < end) {
        next = add(next, upper_scalar(p, scalars, row, k, x));
    }
    return add(next, after);
}

static void multiply_double(const wf_block_matrix *matrix, const wf_vec3 *restrict x, wf_vec3 *restrict y, size_t begin,
                            size_t end)
{
    const wf_pattern *b = &matrix->block_pattern;
    const wf_scalar_pattern *s = &matrix->scalar_pattern;
    const wf_mat3 *blocks = matrix->values.blocks;
    for (size_t row = begin; row < end; row++) {
        int32_t slot = b->row_start[row], lower = b->diagonal[row] + 1 - slot, slots = b->row_start[row + 1] - slot;
        int32_t place = wf_pattern_first_place(b, (int32_t)row), scalar = s->lower_start[row] + (int32_t)row;
        int32_t farthest = b->column[slot + slots - 1];
        wf_prefetch(blocks + wf_pattern_first_place(b, farthest), 4096, 320);
        wf_prefetch(blocks + place, 2048, 320);
        wf_prefetch(b->column + slot, 512, 64);
        wf_prefetch(matrix->scalars + scalar, 2048, 192);
        triple sum = add(sum_lower(blocks + place, b->column + slot, lower, x),
                         sum_upper(blocks, b->upper + wf_pattern_upper_start(b, (int32_t)row),
                                   b->column + slot + lower, slots - lower, x));
        sum = add(sum, scale(matrix->scalar_diagonal[row], load_triple(&x[row].x)));
        triple rest = sum_scalars(s, matrix->scalars, (int32_t)row, x);
        y[row] = to_vec3(add(sum, scale(matrix->scalar_factor, rest)));
    }
}

/* ---- single precision ------------------------------------------------------------------------------------------ */

static void multiply_single(const wf_single_matrix *m, const wf_float4 *restrict x, wf_float4 *restrict y, size_t begin,
                            size_t end)
{
    const wf_pattern *pattern = m->pattern;
    const int32_t *column = pattern->column + pattern->row_start[begin];
    const int32_t *upper = pattern->upper + wf_pattern_upper_start(pattern, (int32_t)begin);
    const int16_t *near = m->near_offset;
    const int32_t *far = m->is_far ? m->far_offset : NULL;
    for (size_t row = begin; row < end; row++) {
        int32_t scalar = m->scalar_start[row], lower = pattern->lower_start[row];
        int32_t farthest = pattern->column[pattern->row_start[row + 1] - 1];
        wf_prefetch(m->lower[pattern->lower_start[farthest]], 2048, 128);
        wf_prefetch(m->lower[lower], 1024, 128);
        wf_prefetch(m->diagonal[row], 1024, 64);
        wf_prefetch(column, 512, 64);
        wf_prefetch(m->scalars + scalar, 1024, 64);
        if (!far) {
            wf_prefetch(near + scalar, 512, 64);
        }
        wf_row_products products = {{0}, {0}, {0}};
        for (; lower < pattern->lower_start[row + 1]; lower++) {
            wf_add_products(&products, m->lower[lower], x[*column++]);
        }
        wf_float4 sum = wf_transposed_product(m->diagonal[row], x[row]); /* it is symmetric */
        const int32_t *end_column = pattern->column + pattern->row_start[row + 1];
        for (column++; column < end_column; upper++) {
            sum += wf_transposed_product(m->lower[*upper], x[*column++]);
        }
        const wf_float4 *around = x + row;
        for (; !far && scalar < m->scalar_start[row + 1]; scalar++) {
            sum += m->scalars[scalar] * around[near[scalar]];
        }
        for (; far && scalar < m->scalar_start[row + 1]; scalar++) {
            sum += m->scalars[scalar] * around[far[scalar]];
        }
        if (m->extra_count > 0) {
            wf_single_row extra = wf_single_extra_row(m, row);
            for (int32_t k = 0; k < extra.count; k++) {
                wf_add_products(&products, extra.blocks[k], x[extra.column[k]]);
            }
        }
        sum += wf_sum_products(&products);
        sum[3] = 0;
        y[row] = sum;
    }
}

const wf_product_kernels WF_KERNELS(wf_product_kernels) = {.multiply_double = multiply_double,
                                                           .multiply_single = multiply_single};
