/* flow_kernels.c - rows of the velocity's grid: see flow_kernels.h. */
#include "air/flow_kernels.h"

#include "air/flow_lanes.h"

#include <math.h>

/* Faces of a row at a time, so that fluxes stay on the stack; fluxes are found for whole vectors of LANES, also beyond
 * the end of a row, where they stand for nothing. (Rows of 63 faces took twice as long otherwise.) */
enum { CHUNK = 256, LANES = 16 };

static int32_t whole_vectors(int32_t count)
{
    return (count + LANES - 1) / LANES * LANES;
}

static WF_ALWAYS_INLINE float lesser(float a, float b)
{
    return a < b ? a : b;
}

static WF_ALWAYS_INLINE float greater(float a, float b)
{
    return a > b ? a : b;
}

/* ---- fluxes ---------------------------------------------------------------------------------------------------- */

/* From the upwind value to the value between the two: `ahead` is the difference between them, `behind` the one before.
 * Koren's limiter (1993) as the smallest of three where all have one sign. */
static WF_ALWAYS_INLINE float increment(wf_flow_advection advection, float ahead, float behind)
{
    const float third = (2 * ahead + behind) * (1.0f / 6);
    if (advection == WF_FLOW_UNLIMITED) {
        return third;
    }
    if (advection == WF_FLOW_FIRST_ORDER) {
        return 0;
    }
    return greater(0, lesser(lesser(ahead, behind), third)) + lesser(0, greater(greater(ahead, behind), third));
}

/* How many spacings a face is nearer to a wall than to its neighbour beyond the wall, as the factor 1 / distance: from
 * the open fractions of both, of which exactly one has a solid centre. */
static WF_ALWAYS_INLINE float wall_factor(float here, float there)
{
    const float distance = here + there - 0.5f;
    const bool between = (here < 0.5f) != (there < 0.5f);
    return between ? 1 / greater(distance, 0.25f) : 1;
}

/* Momentum per mass through the lower sides along one axis of `count` control volumes: of a face at q, its neighbour
 * below at q - s. carrier: of that axis; sa: the stride of the component's own axis. */
static WF_ALWAYS_INLINE void find_fluxes(wf_flow_advection advection, bool has_walls, const float *restrict q,
                                         ptrdiff_t s, const float *restrict carrier, ptrdiff_t sa, float friction,
                                         const float *restrict open, int32_t count, float *restrict flux)
{
    const int32_t end = whole_vectors(count);
    WF_LANE_LOOP
    for (int32_t i = 0; i < end; i++) {
        const float here = q[i], below = q[i - s];
        const float ahead = here - below;
        float rub = friction * ahead;
        if (has_walls) {
            rub *= wall_factor(open[i], open[i - s]);
        }
        if (advection == WF_FLOW_NO_ADVECTION) {
            flux[i] = -rub;
            continue;
        }
        const float speed = 0.5f * (carrier[i] + carrier[i - sa]);
        const bool up = speed > 0;
        const float far = up ? q[i - 2 * s] : q[i + s];
        const float behind = up ? below - far : far - here;
        const float more = increment(advection, ahead, behind);
        const float value = up ? below + more : here - more;
        flux[i] = speed * value - rub;
    }
}

typedef struct fluxes {
    float x[CHUNK + LANES], y_low[CHUNK], y_high[CHUNK], z_low[CHUNK], z_high[CHUNK];
} fluxes;

/* The rest of a stage for a chunk of a row, once its fluxes are known. */
static void combine(const wf_flow_stage *stage, const fluxes *f, const float *y_low, const float *y_high, ptrdiff_t at,
                    int32_t count)
{
    const float ix = stage->inverse_spacing[0], iy = stage->inverse_spacing[1], iz = stage->inverse_spacing[2];
    const float push = stage->push, time = stage->time, factor = stage->factor, old_factor = stage->old_factor,
                rate_factor = stage->rate_factor;
    const float *restrict q = stage->q + at, *restrict base = stage->base + at, *restrict rate = stage->rate + at;
    const float *restrict fx = f->x, *restrict fy = y_low, *restrict gy = y_high, *restrict fz = f->z_low,
                          *restrict gz = f->z_high;
    const float *old = stage->old + at;
    float *out = stage->out + at;
    const int32_t end = whole_vectors(count);
    float change[CHUNK];
    WF_LANE_LOOP
    for (int32_t i = 0; i < end; i++) {
        change[i] = (((fx[i] - fx[i + 1]) * ix + (fy[i] - gy[i]) * iy) + (fz[i] - gz[i]) * iz) + push;
    }
    if (stage->carrier_diverges && stage->advection != WF_FLOW_NO_ADVECTION) {
        for (int d = 0; d < 3; d++) {
            const ptrdiff_t s = stage->grid->stride[d], sa = stage->grid->stride[stage->axis];
            const float *restrict u = stage->carrier[d] + at;
            const float half = 0.5f * stage->inverse_spacing[d];
            WF_LANE_LOOP
            for (int32_t i = 0; i < end; i++) {
                change[i] += q[i] * (half * ((u[i + s] + u[i + s - sa]) - (u[i] + u[i - sa])));
            }
        }
    }
    if (stage->pressure) {
        const ptrdiff_t s = stage->grid->stride[stage->axis];
        const float *restrict p = stage->pressure + at;
        const float inverse = stage->inverse_spacing[stage->axis];
        WF_LANE_LOOP
        for (int32_t i = 0; i < end; i++) {
            change[i] -= (p[i] - p[i - s]) * inverse;
        }
    }
    if (stage->acceleration) {
        const float *restrict a = stage->acceleration + at;
        WF_LANE_LOOP
        for (int32_t i = 0; i < end; i++) {
            change[i] += a[i];
        }
    }
    WF_LANE_LOOP
    for (int32_t i = 0; i < count; i++) {
        const float kept = factor * (q[i] - base[i]) + old_factor * (old[i] - base[i]);
        out[i] = base[i] + ((kept + rate_factor * (rate[i] - base[i])) + time * change[i]);
    }
}

/* Faces whose centres are solid move with the solid. */
static void hold(const wf_flow_stage *stage, ptrdiff_t at, int32_t count)
{
    const float *restrict open = stage->open + at, *restrict solid = stage->solid + at;
    float *restrict out = stage->out + at;
    WF_LANE_LOOP
    for (int32_t i = 0; i < count; i++) {
        out[i] = open[i] < 0.5f ? solid[i] : out[i];
    }
}

static WF_ALWAYS_INLINE void work_on_chunk(wf_flow_advection advection, bool has_walls, const wf_flow_stage *stage,
                                           int32_t from, int32_t count, size_t begin, size_t end)
{
    const wf_flow_grid *grid = stage->grid;
    const ptrdiff_t *stride = grid->stride;
    const ptrdiff_t sa = stride[stage->axis];
    const size_t rows = (size_t)(stage->end[1] - stage->begin[1]);
    fluxes f;
    float *y_low = f.y_low, *y_high = f.y_high;
    for (int32_t i = 0; i < CHUNK; i++) {
        f.z_low[i] = f.z_high[i] = 0;
    }
    for (size_t r = begin; r < end; r++) {
        const int32_t j = stage->begin[1] + (int32_t)(r % rows), k = stage->begin[2] + (int32_t)(r / rows);
        const ptrdiff_t at = wf_flow_index(grid, from, j, k);
        const float *q = stage->q + at, *open = has_walls ? stage->open + at : q;
        for (int d = 0; d < 3; d++) {
            const ptrdiff_t s = stride[d];
            const float *carrier = stage->carrier[d] + at;
            const float friction = stage->friction[d];
            const bool walls = has_walls && d != stage->axis;
            if (d == 0) {
                find_fluxes(advection, walls, q, 1, carrier, sa, friction, open, count + 1, f.x);
            } else if (d == 1) {
                if (r == begin || j == stage->begin[1]) {
                    find_fluxes(advection, walls, q, s, carrier, sa, friction, open, count, y_low);
                } else { /* what left the row before */
                    float *swapped = y_low;
                    y_low = y_high;
                    y_high = swapped;
                }
                find_fluxes(advection, walls, q + s, s, carrier + s, sa, friction, open + s, count, y_high);
            } else if (s != 0) {
                find_fluxes(advection, walls, q, s, carrier, sa, friction, open, count, f.z_low);
                find_fluxes(advection, walls, q + s, s, carrier + s, sa, friction, open + s, count, f.z_high);
            }
        }
        combine(stage, &f, y_low, y_high, at, count);
        if (has_walls) {
            hold(stage, at, count);
        }
    }
}

static WF_ALWAYS_INLINE void work_on_rows(wf_flow_advection advection, bool has_walls, const wf_flow_stage *stage,
                                          size_t begin, size_t end)
{
    for (int32_t from = stage->begin[0]; from < stage->end[0]; from += CHUNK) {
        const int32_t left = stage->end[0] - from;
        work_on_chunk(advection, has_walls, stage, from, left < CHUNK ? left : CHUNK, begin, end);
    }
}

static void stage_rows(const wf_flow_stage *stage, size_t begin, size_t end)
{
    const bool has_walls = stage->open != NULL;
    switch (stage->advection) {
    case WF_FLOW_LIMITED:
        if (has_walls) {
            work_on_rows(WF_FLOW_LIMITED, true, stage, begin, end);
        } else {
            work_on_rows(WF_FLOW_LIMITED, false, stage, begin, end);
        }
        break;
    case WF_FLOW_UNLIMITED:
        work_on_rows(WF_FLOW_UNLIMITED, has_walls, stage, begin, end);
        break;
    case WF_FLOW_FIRST_ORDER:
        work_on_rows(WF_FLOW_FIRST_ORDER, has_walls, stage, begin, end);
        break;
    case WF_FLOW_NO_ADVECTION:
        work_on_rows(WF_FLOW_NO_ADVECTION, has_walls, stage, begin, end);
        break;
    }
}

/* ---- the whole box --------------------------------------------------------------------------------------------- */

static WF_ALWAYS_INLINE float through(const float *u, const float *open, const float *solid, ptrdiff_t c)
{
    return open ? open[c] * u[c] + (1 - open[c]) * solid[c] : u[c];
}

static WF_ALWAYS_INLINE float divergence_rows(bool has_solids, const wf_flow_box *box, float *b, size_t begin,
                                              size_t end)
{
    const wf_flow_grid *grid = box->grid;
    const ptrdiff_t sy = grid->stride[1], sz = grid->stride[2];
    const float ax = box->area[0], ay = box->area[1], az = box->area[2];
    float largest = 0;
    for (size_t r = begin; r < end; r++) {
        const int32_t j = (int32_t)(r % (size_t)grid->cells[1]), k = (int32_t)(r / (size_t)grid->cells[1]);
        const ptrdiff_t at = wf_flow_index(grid, 0, j, k);
        const float *restrict u = box->velocity[0] + at, *restrict v = box->velocity[1] + at,
                              *restrict w = box->velocity[2] + at;
        const float *restrict ou = has_solids ? box->open[0] + at : NULL,
                              *restrict ov = has_solids ? box->open[1] + at : NULL,
                              *restrict ow = has_solids ? box->open[2] + at : NULL;
        const float *restrict su = has_solids ? box->solid[0] + at : NULL,
                              *restrict sv = has_solids ? box->solid[1] + at : NULL,
                              *restrict sw = has_solids ? box->solid[2] + at : NULL;
        float *restrict to = b + at;
        WF_LANE_LOOP
        for (int32_t i = 0; i < grid->cells[0]; i++) {
            const float out_x = through(u, ou, su, i + 1) - through(u, ou, su, i);
            const float out_y = through(v, ov, sv, i + sy) - through(v, ov, sv, i);
            const float out_z = through(w, ow, sw, i + sz) - through(w, ow, sw, i);
            to[i] = -((ax * out_x + ay * out_y) + az * out_z);
        }
        largest = wf_greater_or_nan(wf_largest_of(to, grid->cells[0]), largest);
    }
    return largest;
}

static float divergence(const wf_flow_box *box, float *b, size_t begin, size_t end)
{
    return box->open[0] ? divergence_rows(true, box, b, begin, end) : divergence_rows(false, box, b, begin, end);
}

static float correct_row(const float *restrict c, const float *restrict phi, ptrdiff_t s, float inverse,
                         float *restrict u, int32_t count)
{
    WF_LANE_LOOP
    for (int32_t i = 0; i < count; i++) {
        const float gradient = (phi[i] - phi[i - s]) * inverse;
        u[i] -= c[i] > 0 ? gradient : 0;
    }
    return wf_largest_of(u, count);
}

static float correct(const wf_flow_box *box, float *const conductance[3], const float *phi, size_t begin, size_t end)
{
    const wf_flow_grid *grid = box->grid;
    float largest = 0;
    for (size_t r = begin; r < end; r++) {
        const int32_t j = (int32_t)(r % (size_t)grid->cells[1]), k = (int32_t)(r / (size_t)grid->cells[1]);
        const ptrdiff_t at = wf_flow_index(grid, 0, j, k);
        for (int a = 0; a < wf_flow_axes(grid); a++) {
            const ptrdiff_t s = grid->stride[a];
            const bool last = a == 1 ? j == grid->cells[1] - 1 : a == 2 && k == grid->cells[2] - 1;
            const float inverse = box->inverse_spacing[a];
            const float top = correct_row(conductance[a] + at, phi + at, s, inverse, box->target[a] + at,
                                          grid->cells[0] + (a == 0 && !box->periodic[0]));
            largest = wf_greater_or_nan(top, largest);
            if (last && !box->periodic[a]) {
                const ptrdiff_t up = at + s;
                const float beyond = correct_row(conductance[a] + up, phi + up, s, inverse, box->target[a] + up,
                                                 grid->cells[0]);
                largest = wf_greater_or_nan(beyond, largest);
            }
        }
    }
    return largest;
}

static float crossings(const wf_flow_box *box, size_t begin, size_t end)
{
    const wf_flow_grid *grid = box->grid;
    const ptrdiff_t sy = grid->stride[1], sz = grid->stride[2];
    const float ix = box->inverse_spacing[0], iy = box->inverse_spacing[1], iz = sz ? box->inverse_spacing[2] : 0;
    float largest = 0;
    for (size_t r = begin; r < end; r++) {
        const int32_t j = (int32_t)(r % (size_t)grid->cells[1]), k = (int32_t)(r / (size_t)grid->cells[1]);
        const ptrdiff_t at = wf_flow_index(grid, 0, j, k);
        const float *restrict u = box->velocity[0] + at, *restrict v = box->velocity[1] + at,
                              *restrict w = box->velocity[2] + at;
        for (int32_t from = 0; from < grid->cells[0]; from += CHUNK) {
            const int32_t left = grid->cells[0] - from, count = left < CHUNK ? left : CHUNK;
            float sums[CHUNK];
            WF_LANE_LOOP
            for (int32_t n = 0; n < count; n++) {
                const int32_t i = from + n;
                const float x = greater(fabsf(u[i]), fabsf(u[i + 1])), y = greater(fabsf(v[i]), fabsf(v[i + sy])),
                            z = greater(fabsf(w[i]), fabsf(w[i + sz]));
                /* 0 only where all six are finite. */
                const float all = ((u[i] - u[i]) + (u[i + 1] - u[i + 1])) + ((v[i] - v[i]) + (v[i + sy] - v[i + sy])) +
                                  ((w[i] - w[i]) + (w[i + sz] - w[i + sz]));
                sums[n] = all == 0 ? (x * ix + y * iy) + z * iz : INFINITY;
            }
            largest = wf_greater_or_nan(wf_largest_of(sums, count), largest);
        }
    }
    return largest;
}

static void extrapolate(const float *u, const float *old, float factor, float *out, size_t begin, size_t end)
{
    const float *restrict now = u, *restrict before = old;
    float *restrict to = out;
    WF_LANE_LOOP
    for (size_t i = begin; i < end; i++) {
        to[i] = now[i] + factor * (now[i] - before[i]);
    }
}

static void weigh(const float *open, const float *solid, float *u, size_t begin, size_t end)
{
    const float *restrict fraction = open, *restrict fill = solid;
    float *restrict value = u;
    WF_LANE_LOOP
    for (size_t i = begin; i < end; i++) {
        value[i] = fraction[i] * value[i] + (1 - fraction[i]) * fill[i];
    }
}

static void add(const float *b, float factor, float *a, size_t begin, size_t end)
{
    const float *restrict from = b;
    float *restrict to = a;
    WF_LANE_LOOP
    for (size_t i = begin; i < end; i++) {
        to[i] += factor * from[i];
    }
}

static void subtract(const float *b, float factor, float *a, size_t begin, size_t end)
{
    const float *restrict from = b;
    float *restrict to = a;
    WF_LANE_LOOP
    for (size_t i = begin; i < end; i++) {
        to[i] = factor * (to[i] - from[i]);
    }
}

extern const wf_flow_kernels WF_KERNELS(wf_flow_kernels);
const wf_flow_kernels WF_KERNELS(wf_flow_kernels) = {stage_rows,  divergence, correct, crossings,
                                                     extrapolate, weigh,      add,     subtract};
