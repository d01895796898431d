/* flow_pressure_kernels.c - rows of the pressure solver's grids: see flow_pressure_kernels.h. */
#include "air/flow_pressure_kernels.h"

#include "air/flow_lanes.h"

enum { SUMS = 16 }; /* partial sums, added up in a fixed order, so that all vector widths give the same bits */

typedef struct row {
    ptrdiff_t at;     /* of the row's first cell */
    ptrdiff_t sy, sz; /* strides */
    int32_t length;
} row;

static inline row row_of(const wf_flow_grid *grid, size_t r)
{
    int32_t j = (int32_t)(r % (size_t)grid->cells[1]), k = (int32_t)(r / (size_t)grid->cells[1]);
    return (row){wf_flow_index(grid, 0, j, k), grid->stride[1], grid->stride[2], grid->cells[0]};
}

/* (A x) of a cell; all pointers at the cell. */
static WF_ALWAYS_INLINE float apply(const float *cx, const float *cy, const float *cz, const float *x, ptrdiff_t sy,
                                    ptrdiff_t sz)
{
    float own = x[0];
    float along_x = cx[0] * (own - x[-1]) + cx[1] * (own - x[1]);
    float along_y = cy[0] * (own - x[-sy]) + cy[sy] * (own - x[sy]);
    float along_z = cz[0] * (own - x[-sz]) + cz[sz] * (own - x[sz]);
    return (along_x + along_y) + along_z;
}

static double add_up(const double sums[SUMS])
{
    double total = 0;
    for (int s = 0; s < SUMS; s++) {
        total += sums[s];
    }
    return total;
}

/* Adds the products of two rows to the partial sums. */
static WF_ALWAYS_INLINE void add_products(const float *restrict a, const float *restrict b, int32_t length,
                                          double sums[restrict SUMS])
{
    int32_t i = 0;
    for (; i + SUMS <= length; i += SUMS) {
        WF_LANE_LOOP
        for (int s = 0; s < SUMS; s++) {
            sums[s] += (double)a[i + s] * (double)b[i + s];
        }
    }
    for (int s = 0; i + s < length; s++) {
        sums[s] += (double)a[i + s] * (double)b[i + s];
    }
}

/* A x of a row or, where b is not NULL, b - A x. */
static WF_ALWAYS_INLINE void apply_row(const wf_flow_level *level, row w, const float *x, const float *b, float *out)
{
    const float *restrict cx = level->conductance[0] + w.at, *restrict cy = level->conductance[1] + w.at,
                          *restrict cz = level->conductance[2] + w.at, *restrict from = x + w.at,
                          *restrict right = b ? b + w.at : NULL;
    float *restrict to = out + w.at;
    WF_LANE_LOOP
    for (int32_t i = 0; i < w.length; i++) {
        const float product = apply(cx + i, cy + i, cz + i, from + i, w.sy, w.sz);
        to[i] = right ? right[i] - product : product;
    }
}

static double multiply(const wf_flow_level *level, const float *x, float *out, size_t begin, size_t end)
{
    double sums[SUMS] = {0};
    for (size_t r = begin; r < end; r++) {
        const row w = row_of(&level->grid, r);
        apply_row(level, w, x, NULL, out);
        add_products(x + w.at, out + w.at, w.length, sums);
    }
    return add_up(sums);
}

static void residual(const wf_flow_level *level, const float *b, const float *x, float *out, size_t begin, size_t end)
{
    for (size_t r = begin; r < end; r++) {
        apply_row(level, row_of(&level->grid, r), x, b, out);
    }
}

static void scale(const wf_flow_level *level, const float *b, float factor, float *out, size_t begin, size_t end)
{
    for (size_t r = begin; r < end; r++) {
        const row w = row_of(&level->grid, r);
        const float *restrict inverse = level->inverse_diagonal + w.at, *restrict right = b + w.at;
        float *restrict to = out + w.at;
        WF_LANE_LOOP
        for (int32_t i = 0; i < w.length; i++) {
            to[i] = factor * (inverse[i] * right[i]);
        }
    }
}

static void sweep(const wf_flow_level *level, const float *b, const float *x, float keep, const float *old,
                  float old_factor, float step, float *out, size_t begin, size_t end)
{
    for (size_t r = begin; r < end; r++) {
        const row w = row_of(&level->grid, r);
        const float *restrict cx = level->conductance[0] + w.at, *restrict cy = level->conductance[1] + w.at,
                              *restrict cz = level->conductance[2] + w.at, *restrict from = x + w.at,
                              *restrict right = b + w.at, *restrict inverse = level->inverse_diagonal + w.at;
        const float *before = old + w.at;
        float *to = out + w.at;
        WF_LANE_LOOP
        for (int32_t i = 0; i < w.length; i++) {
            float change = inverse[i] * (right[i] - apply(cx + i, cy + i, cz + i, from + i, w.sy, w.sz));
            to[i] = (keep * from[i] + old_factor * before[i]) + step * change;
        }
    }
}

/* ---- between grids --------------------------------------------------------------------------------------------- */

/* A row of the coarse grid and the fine rows that belong to it. Along x, r[-1] and r[1] are neighbours in a row; along
 * other axes they are in rows beside it: children are `fine_step` apart, `child` is the first. */
typedef struct family {
    row coarse;
    ptrdiff_t child, fine_step, coarse_step;
    bool has_second; /* (of other axes than x) the second child is in the box */
} family;

static family family_of(const wf_flow_level *fine, const wf_flow_level *coarse, size_t r)
{
    const int32_t rows = coarse->grid.cells[1];
    const int32_t j = (int32_t)(r % (size_t)rows), k = (int32_t)(r / (size_t)rows);
    const int axis = coarse->axis;
    family f = {row_of(&coarse->grid, r), 0, fine->grid.stride[axis], coarse->grid.stride[axis], true};
    f.child = wf_flow_index(&fine->grid, 0, axis == 1 ? 2 * j : j, axis == 2 ? 2 * k : k);
    f.has_second = axis == 1 ? 2 * j + 1 < fine->grid.cells[1] : axis == 2 ? 2 * k + 1 < fine->grid.cells[2] : true;
    return f;
}

/* step: between entries of one child in the row, 2 along x and else 1. */
static WF_ALWAYS_INLINE void restrict_row(bool has_walls, int32_t step, const family *f, const wf_flow_level *coarse,
                                          const float *residual, float *b)
{
    const ptrdiff_t at = f->coarse.at, up = f->coarse_step, next = f->fine_step;
    const float *restrict w = coarse->weight + at, *restrict r = residual + f->child;
    const float *restrict stays = has_walls ? coarse->stays + at : w, *restrict adopted =
                                                                          has_walls ? coarse->adopted + at : w;
    float *restrict to = b + at;
    WF_LANE_LOOP
    for (int32_t i = 0; i < f->coarse.length; i++) {
        const float low = w[i], high = w[i + up];
        const float first = r[step * i], second = r[step * i + next], before = r[step * i - next],
                    after = r[step * i + 2 * next];
        if (has_walls) {
            to[i] = ((1 - low) * first + (1 - high) * (stays[i] * second)) +
                    ((low * stays[i - up] + adopted[i - up]) * before + high * after);
        } else {
            to[i] = ((1 - low) * first + (1 - high) * second) + (low * before + high * after);
        }
    }
}

static void restrict_rows(const wf_flow_level *fine, const wf_flow_level *coarse, const float *residual, float *b,
                          size_t begin, size_t end)
{
    for (size_t r = begin; r < end; r++) {
        const family f = family_of(fine, coarse, r);
        if (coarse->axis == 0) {
            if (coarse->has_walls) {
                restrict_row(true, 2, &f, coarse, residual, b);
            } else {
                restrict_row(false, 2, &f, coarse, residual, b);
            }
        } else if (coarse->has_walls) {
            restrict_row(true, 1, &f, coarse, residual, b);
        } else {
            restrict_row(false, 1, &f, coarse, residual, b);
        }
    }
}

static WF_ALWAYS_INLINE float first_child(const float *x, const float *w, ptrdiff_t up)
{
    return x[0] + w[0] * (x[-up] - x[0]);
}

static WF_ALWAYS_INLINE float second_child(bool has_walls, const float *x, const float *w, const float *stays,
                                           const float *adopted, ptrdiff_t up)
{
    const float usual = x[0] + w[up] * (x[up] - x[0]);
    return has_walls ? stays[0] * usual + adopted[0] * x[up] : usual;
}

/* keep: 1 adds to what is there, 0 does not. */
static WF_ALWAYS_INLINE void prolong_row(bool has_walls, const family *f, const wf_flow_level *fine,
                                         const wf_flow_level *coarse, float keep)
{
    const ptrdiff_t at = f->coarse.at, up = f->coarse_step;
    const float *restrict w = coarse->weight + at, *restrict x = coarse->x + at;
    const float *restrict stays = has_walls ? coarse->stays + at : w, *restrict adopted =
                                                                          has_walls ? coarse->adopted + at : w;
    float *restrict to = fine->x + f->child;
    const int32_t length = f->coarse.length;
    if (coarse->axis == 0) {
        const int32_t pairs = fine->grid.cells[0] / 2;
        WF_LANE_LOOP
        for (int32_t i = 0; i < pairs; i++) {
            to[2 * i] = keep * to[2 * i] + first_child(x + i, w + i, 1);
            to[2 * i + 1] = keep * to[2 * i + 1] + second_child(has_walls, x + i, w + i, stays + i, adopted + i, 1);
        }
        if (pairs < length) {
            to[2 * pairs] = keep * to[2 * pairs] + first_child(x + pairs, w + pairs, 1);
        }
        return;
    }
    WF_LANE_LOOP
    for (int32_t i = 0; i < length; i++) {
        to[i] = keep * to[i] + first_child(x + i, w + i, up);
    }
    if (f->has_second) {
        float *restrict second = to + f->fine_step;
        WF_LANE_LOOP
        for (int32_t i = 0; i < length; i++) {
            second[i] = keep * second[i] + second_child(has_walls, x + i, w + i, stays + i, adopted + i, up);
        }
    }
}

static void prolong(const wf_flow_level *fine, const wf_flow_level *coarse, bool adds, size_t begin, size_t end)
{
    const float keep = adds ? 1.0f : 0.0f;
    for (size_t r = begin; r < end; r++) {
        const family f = family_of(fine, coarse, r);
        if (coarse->has_walls) {
            prolong_row(true, &f, fine, coarse, keep);
        } else {
            prolong_row(false, &f, fine, coarse, keep);
        }
    }
}

/* ---- vectors --------------------------------------------------------------------------------------------------- */

static float advance(const wf_flow_level *level, float alpha, const float *p, const float *q, float *phi, float *r,
                     size_t begin, size_t end)
{
    float largest = 0;
    for (size_t k = begin; k < end; k++) {
        const row w = row_of(&level->grid, k);
        const float *restrict direction = p + w.at, *restrict product = q + w.at;
        float *restrict solution = phi + w.at, *restrict rest = r + w.at;
        WF_LANE_LOOP
        for (int32_t i = 0; i < w.length; i++) {
            solution[i] += alpha * direction[i];
            rest[i] -= alpha * product[i];
        }
        largest = wf_greater_or_nan(wf_largest_of(rest, w.length), largest);
    }
    return largest;
}

static void turn(const wf_flow_level *level, const float *z, float beta, float *p, size_t begin, size_t end)
{
    for (size_t r = begin; r < end; r++) {
        const row w = row_of(&level->grid, r);
        const float *restrict from = z + w.at;
        float *restrict to = p + w.at;
        WF_LANE_LOOP
        for (int32_t i = 0; i < w.length; i++) {
            to[i] = from[i] + beta * to[i];
        }
    }
}

static double dot(const wf_flow_level *level, const float *a, const float *b, size_t begin, size_t end)
{
    double sums[SUMS] = {0};
    for (size_t r = begin; r < end; r++) {
        const row w = row_of(&level->grid, r);
        add_products(a + w.at, b + w.at, w.length, sums);
    }
    return add_up(sums);
}

extern const wf_flow_pressure_kernels WF_KERNELS(wf_flow_pressure_kernels);
const wf_flow_pressure_kernels WF_KERNELS(wf_flow_pressure_kernels) = {multiply, residual, scale, sweep, restrict_rows,
                                                                       prolong,  advance,  turn,  dot};
