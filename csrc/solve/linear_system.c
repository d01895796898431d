#include "solve/linear_system.h"

#include <stdatomic.h>

#include "base/tasks.h"
#include "solve/definite.h"
#include "solve/product_kernels.h"

enum { ROW_BLOCK = 512 };

void wf_linear_system_multiply_rows(const wf_context *context, const wf_linear_system *system, const wf_vec3 *x,
                                    wf_vec3 *y, size_t begin, size_t end)
{
    wf_product_kernels_for(context)->multiply_double(system->matrix, x, y, begin, end);
    wf_contact_blocks_multiply_rows(system->contacts, x, y, begin, end);
}

typedef struct product {
    const wf_context *context;
    const wf_linear_system *system;
    const wf_vec3 *x;
    wf_vec3 *y;
} product;

static void product_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const product *p = user;
    wf_linear_system_multiply_rows(p->context, p->system, p->x, p->y, begin, end);
}

void wf_linear_system_multiply(wf_context *context, const wf_linear_system *system, const wf_vec3 *x, wf_vec3 *y)
{
    product p = {context, system, x, y};
    wf_parallel_for(context, (size_t)system->matrix->row_count, ROW_BLOCK, product_block, &p);
}

/* S B S plus a multiple of I - S. */
static wf_mat3 restrict_to_free(const wf_filter *filter, size_t row, const wf_mat3 *b)
{
    double scale = (b->m[0][0] + b->m[1][1] + b->m[2][2]) / 3;
    wf_mat3 both = wf_filter_apply_block(filter, row, row, *b);
    for (int r = 0; r < 3; r++) {
        wf_vec3 unit = {r == 0, r == 1, r == 2}, fixed = wf_vec3_sub(unit, wf_filter_apply(filter, row, unit));
        both.m[r][0] += scale * fixed.x;
        both.m[r][1] += scale * fixed.y;
        both.m[r][2] += scale * fixed.z;
    }
    return both;
}

static wf_mat3 diagonal_of(const wf_linear_system *system, size_t row)
{
    const wf_block_matrix *a = system->matrix;
    wf_mat3 sum = wf_contact_blocks_diagonal(system->contacts, (int32_t)row);
    const wf_mat3 *fixed_part = &a->values.blocks[wf_pattern_diagonal_place(&a->block_pattern, (int32_t)row)];
    double scalar = wf_block_matrix_diagonal_scalar(a, row);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            sum.m[i][j] += fixed_part->m[i][j];
        }
        sum.m[i][i] += scalar;
    }
    const wf_filter *filter = system->filter;
    if (!filter || filter->fixed_count[row] == 0) {
        return sum;
    }
    return filter->fixed_count[row] == 3 ? (wf_mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}
                                         : restrict_to_free(filter, row, &sum);
}

typedef struct diagonals {
    const wf_linear_system *system;
    wf_mat3 *diagonal;
    _Atomic int32_t first_bad; /* the least row, so that the order of the blocks does not matter */
} diagonals;

static void diagonal_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    diagonals *d = user;
    for (size_t row = begin; row < end; row++) {
        wf_mat3 inverse;
        d->diagonal[row] = diagonal_of(d->system, row);
        if (!wf_invert_definite(&d->diagonal[row], &inverse)) {
            int32_t known = atomic_load(&d->first_bad);
            while ((int32_t)row < known && !atomic_compare_exchange_weak(&d->first_bad, &known, (int32_t)row)) {
            }
        }
    }
}

int32_t wf_linear_system_diagonal(wf_context *context, const wf_linear_system *system, wf_mat3 *diagonal)
{
    diagonals d = {system, diagonal, INT32_MAX};
    wf_parallel_for(context, (size_t)system->matrix->row_count, ROW_BLOCK, diagonal_block, &d);
    int32_t first = atomic_load(&d.first_bad);
    return first == INT32_MAX ? -1 : first;
}
