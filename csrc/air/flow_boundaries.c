/* flow_boundaries.c - the sides of the box. */
#include <math.h>
#include <string.h>

#include "air/flow_private.h"
#include "base/tasks.h"
#include "base/vector.h"

/* ---- margins --------------------------------------------------------------------------------------------------- */

/* One component on one side. */
typedef struct side_view {
    const wf_flow *flow;
    int side, axis, component;
    int first, second; /* the other axes */
    float *q;
    const float *carrier; /* across the side; NULL where q is a carrier */
} side_view;

/* A line of `count` values on a side, `along` apart, of the first inside (the faces on the side itself, of the
 * component across it). inward: the stride that leads into the box. given: the side's velocities, given_step 0 or 1
 * apart. */
typedef struct line {
    float *q;
    ptrdiff_t along, inward;
    int32_t count;
    const float *given;
    ptrdiff_t given_step;
    const float *carrier; /* of the side's faces; NULL: air does not come in */
    float sign;           /* of a carrier that comes in */
} line;

static inline void put_beyond(float *q, ptrdiff_t inward, float first, float second)
{
    q[-inward] = first;
    q[-2 * inward] = second;
}

static void fill_line(const line *l, wf_flow_side_kind kind, bool across)
{
    const ptrdiff_t in = l->inward;
    float *q = l->q;
    const float *given = l->given;
    if (kind == WF_FLOW_INFLOW || (across && kind != WF_FLOW_OPEN)) {
        const bool enters = kind == WF_FLOW_INFLOW;
        for (int32_t n = 0; n < l->count; n++, q += l->along, given += l->given_step) {
            if (across) {
                q[0] = enters ? *given : 0;
            }
            put_beyond(q, in, enters ? *given : -q[in], enters ? *given : -q[2 * in]);
        }
    } else if (kind == WF_FLOW_WALL) {
        for (int32_t n = 0; n < l->count; n++, q += l->along, given += l->given_step) {
            put_beyond(q, in, 2 * *given - q[0], 2 * *given - q[in]);
        }
    } else if (kind == WF_FLOW_SLIP) {
        for (int32_t n = 0; n < l->count; n++, q += l->along) {
            put_beyond(q, in, q[0], q[in]);
        }
    } else {
        for (int32_t n = 0; n < l->count; n++, q += l->along, given += l->given_step) {
            const bool enters = l->carrier && l->sign * l->carrier[n * l->along] > 0;
            const float outside = enters ? *given : q[0];
            put_beyond(q, in, outside, outside);
        }
    }
}

/* The ends of the component's faces along an axis of the side; `margins` too along axes that are filled by now. */
static void find_extent(const side_view *v, int e, int32_t *low, int32_t *high)
{
    const wf_flow_grid *grid = &v->flow->grid;
    const bool margins = e < v->axis && grid->stride[e] != 0;
    *low = margins ? -grid->margin : 0;
    *high = grid->stride[e] == 0 ? 1
            : margins            ? grid->cells[e] + grid->margin + 1
                                 : grid->cells[e] + (v->component == e);
}

static int32_t nearest(int32_t n, int32_t count)
{
    return n < 0 ? 0 : n >= count ? count - 1 : n;
}

static void fill_side(const side_view *v)
{
    const wf_flow_grid *grid = &v->flow->grid;
    const wf_flow_side *side = &v->flow->params.sides[v->side];
    const float one = (float)wf_component(side->velocity, v->component);
    const float *field = v->flow->sides[v->side].velocity[v->component];
    const bool upper = v->side & 1, across = v->component == v->axis;
    const ptrdiff_t s = grid->stride[v->axis], inside = upper ? (grid->cells[v->axis] - (across ? 0 : 1)) * s : 0;
    const ptrdiff_t own_faces = upper ? grid->cells[v->axis] * s : 0;
    const int32_t width = grid->cells[v->first] + 1, height = grid->cells[v->second] + 1;
    int32_t low[2], high[2];
    find_extent(v, v->first, &low[0], &high[0]);
    find_extent(v, v->second, &low[1], &high[1]);
    line l = {.along = grid->stride[v->first], .inward = upper ? -s : s, .given = &one, .sign = upper ? -1 : 1};
    for (int32_t q = low[1]; q < high[1]; q++) {
        const ptrdiff_t row = grid->first + q * grid->stride[v->second];
        const float *given = field ? field + (size_t)nearest(q, height) * (size_t)width : NULL;
        for (int32_t p = low[0]; p < high[0]; p += l.count) { /* beyond a field's ends one value at a time */
            const ptrdiff_t at = row + p * l.along;
            l.count = !field ? high[0] - p : p < 0 || p >= width ? 1 : (high[0] < width ? high[0] : width) - p;
            l.given = field ? given + nearest(p, width) : &one;
            l.given_step = field ? 1 : 0;
            l.q = v->q + at + inside;
            l.carrier = v->carrier ? v->carrier + at + own_faces : NULL;
            fill_line(&l, side->kind, across);
        }
    }
}

static void wrap_axis(const wf_flow_grid *grid, int axis, float *values)
{
    const int first = (axis + 1) % 3, second = (axis + 2) % 3;
    const ptrdiff_t s = grid->stride[axis], n = grid->cells[axis] * s;
    const int32_t m = grid->margin;
    const int32_t ends[2] = {grid->stride[first] ? grid->cells[first] + m + 1 : 1,
                             grid->stride[second] ? grid->cells[second] + m + 1 : 1};
    const int32_t starts[2] = {grid->stride[first] ? -m : 0, grid->stride[second] ? -m : 0};
    for (int32_t q = starts[1]; q < ends[1]; q++) {
        for (int32_t p = starts[0]; p < ends[0]; p++) {
            float *at = values + grid->first + p * grid->stride[first] + q * grid->stride[second];
            at[-s] = at[n - s];
            at[-2 * s] = at[n - 2 * s];
            at[n] = at[0];
            at[n + s] = at[s];
            at[n + 2 * s] = at[2 * s];
        }
    }
}

void wf_flow_wrap_solids(wf_flow *flow)
{
    for (int axis = 0; axis < wf_flow_axes(&flow->grid); axis++) {
        for (int a = 0; a < 3 && flow->open[0] && flow->periodic[axis]; a++) {
            wrap_axis(&flow->grid, axis, flow->open[a]);
            wrap_axis(&flow->grid, axis, flow->solid[a]);
        }
    }
}

typedef struct sides_job {
    wf_flow *flow;
    float *const *velocity, *const *carrier;
} sides_job;

static void fill_component(void *user, size_t block, size_t begin, size_t end)
{
    const sides_job *job = user;
    const wf_flow_grid *grid = &job->flow->grid;
    (void)block;
    for (size_t c = begin; c < end; c++) {
        for (int axis = 0; axis < wf_flow_axes(grid); axis++) {
            if (job->flow->periodic[axis]) {
                wrap_axis(grid, axis, job->velocity[c]);
                continue;
            }
            side_view view = {.flow = job->flow,
                              .axis = axis,
                              .component = (int)c,
                              .q = job->velocity[c],
                              .first = axis == 0 ? 1 : 0,
                              .second = axis == 2 ? 1 : 2,
                              .carrier = job->carrier ? job->carrier[axis] : NULL};
            for (int upper = 0; upper < 2; upper++) {
                view.side = 2 * axis + upper;
                fill_side(&view);
            }
        }
    }
}

void wf_flow_apply_sides(wf_flow *flow, float *const velocity[3], float *const carrier[3])
{
    sides_job job = {flow, velocity, carrier};
    bool shared = false;
    for (int a = 0; a < 3; a++) {
        shared = shared || (carrier && carrier[a] == velocity[a]);
    }
    if (shared) { /* open sides ask the component across them, which is being written: one after the other */
        fill_component(&job, 0, 0, 3);
    } else {
        wf_parallel_for(flow->context, 3, 1, fill_component, &job);
    }
}

void wf_flow_free_faces(const wf_flow *flow, int axis, int32_t begin[3], int32_t end[3])
{
    for (int e = 0; e < 3; e++) {
        const bool across = e == axis && !flow->periodic[e];
        begin[e] = across && flow->params.sides[2 * e].kind != WF_FLOW_OPEN ? 1 : 0;
        end[e] = flow->grid.cells[e] + (across && flow->params.sides[2 * e + 1].kind == WF_FLOW_OPEN ? 1 : 0);
    }
}

/* ---- sponges --------------------------------------------------------------------------------------------------- */

static void soak(wf_flow *flow, int side, float *q, int component_axis, double step)
{
    const wf_flow_grid *grid = &flow->grid;
    const wf_flow_side *given = &flow->params.sides[side];
    const int axis = side / 2;
    const bool upper = side & 1;
    const double spacing = flow->params.spacing[axis], size = spacing * grid->cells[axis];
    const double target = wf_component(given->velocity, component_axis), offset = component_axis == axis ? 0 : 0.5;
    int32_t begin[3], end[3];
    wf_flow_free_faces(flow, component_axis, begin, end);
    for (int32_t k = begin[2]; k < end[2]; k++) {
        for (int32_t j = begin[1]; j < end[1]; j++) {
            for (int32_t i = begin[0]; i < end[0]; i++) {
                const int32_t at[3] = {i, j, k};
                const double from_low = (at[axis] + offset) * spacing, depth = upper ? size - from_low : from_low;
                if (depth < given->sponge) {
                    const double share = 1 - depth / given->sponge, pull = step * given->sponge_rate * share * share;
                    float *u = &q[wf_flow_index(grid, i, j, k)];
                    *u = (float)(((double)*u + pull * target) / (1 + pull));
                }
            }
        }
    }
}

void wf_flow_apply_sponges(wf_flow *flow, float *const velocity[3], double step)
{
    for (int side = 0; side < 2 * wf_flow_axes(&flow->grid); side++) {
        const wf_flow_side *given = &flow->params.sides[side];
        for (int c = 0; c < 3 && given->sponge > 0 && given->sponge_rate > 0; c++) {
            soak(flow, side, velocity[c], c, step);
        }
    }
}

/* ---- velocities of a side -------------------------------------------------------------------------------------- */

static void other_axes(int side, int *first, int *second)
{
    const int axis = side / 2;
    *first = axis == 0 ? 1 : 0;
    *second = axis == 2 ? 1 : 2;
}

size_t wf_flow_side_count(const wf_flow *flow, int side)
{
    int first, second;
    other_axes(side, &first, &second);
    return (size_t)flow->grid.cells[first] * (size_t)flow->grid.cells[second];
}

void wf_flow_side_points(const wf_flow *flow, int side, wf_vec3 *points)
{
    int first, second;
    const int axis = side / 2;
    other_axes(side, &first, &second);
    for (int32_t q = 0, n = 0; q < flow->grid.cells[second]; q++) {
        for (int32_t p = 0; p < flow->grid.cells[first]; p++, n++) {
            double at[3];
            at[axis] = side & 1 ? flow->grid.cells[axis] : 0;
            at[first] = p + 0.5;
            at[second] = q + 0.5;
            points[n] = (wf_vec3){flow->params.origin.x + at[0] * flow->params.spacing[0],
                                  flow->params.origin.y + at[1] * flow->params.spacing[1],
                                  flow->params.origin.z + at[2] * flow->params.spacing[2]};
        }
    }
}

static wf_status make_side_field(wf_flow *flow, int side)
{
    int first, second;
    other_axes(side, &first, &second);
    const size_t count = (size_t)(flow->grid.cells[first] + 1) * (size_t)(flow->grid.cells[second] + 1);
    float *made[3] = {NULL, NULL, NULL};
    if (flow->sides[side].velocity[0]) {
        return WF_OK;
    }
    for (int c = 0; c < 3; c++) {
        made[c] = wf_allocate(flow->context, count, sizeof *made[c]);
    }
    if (!made[0] || !made[1] || !made[2]) {
        for (int c = 0; c < 3; c++) {
            wf_free(flow->context, made[c]);
        }
        return WF_ERROR_MEMORY;
    }
    memcpy(flow->sides[side].velocity, made, sizeof made);
    flow->bytes += 3 * count * sizeof *made[0];
    return WF_OK;
}

wf_status wf_flow_set_side_velocities(wf_flow *flow, int side, const wf_vec3 *velocities)
{
    const wf_flow_side_kind kind = flow->params.sides[side].kind;
    if (kind != WF_FLOW_INFLOW && kind != WF_FLOW_OPEN) {
        return wf_fail(flow->context, WF_ERROR_STATE, "only sides of inflow and open ones take velocities by face");
    }
    for (size_t n = 0; n < wf_flow_side_count(flow, side); n++) {
        const wf_vec3 v = velocities[n];
        if (!(fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))) <= WF_FLOW_FASTEST) || !wf_vec3_isfinite(v)) {
            return wf_fail(flow->context, WF_ERROR_NUMERIC,
                           "velocities of a side must be at most %g m/s, got {%g, %g, %g} at face %zu", WF_FLOW_FASTEST,
                           v.x, v.y, v.z, n + 1);
        }
    }
    wf_status status = make_side_field(flow, side);
    if (status != WF_OK) {
        return status;
    }
    int first, second;
    other_axes(side, &first, &second);
    const int32_t width = flow->grid.cells[first], height = flow->grid.cells[second];
    for (int c = 0; c < 3; c++) {
        for (int32_t q = 0; q <= height; q++) {
            for (int32_t p = 0; p <= width; p++) {
                /* Between the centres of faces along the component's own axis, at them along others. */
                const int32_t p1 = p < width ? p : width - 1, q1 = q < height ? q : height - 1;
                const int32_t p0 = c == first && p > 0 ? p - 1 : p1, q0 = c == second && q > 0 ? q - 1 : q1;
                const double sum = wf_component(velocities[(size_t)q0 * (size_t)width + (size_t)p0], c) +
                                   wf_component(velocities[(size_t)q1 * (size_t)width + (size_t)p1], c);
                flow->sides[side].velocity[c][(size_t)q * (size_t)(width + 1) + (size_t)p] = (float)(0.5 * sum);
            }
        }
    }
    return WF_OK;
}

void wf_flow_free_side_fields(wf_flow *flow)
{
    for (int side = 0; side < WF_FLOW_SIDES; side++) {
        for (int c = 0; c < 3; c++) {
            wf_free(flow->context, flow->sides[side].velocity[c]);
        }
    }
}
