#include "model/strain_limits.h"

#include <string.h>

#include "base/tasks.h"
#include "base/vector.h"
#include "model/colouring.h"

enum { FACE_BLOCK = 64 };

typedef struct limited_face {
    int32_t fabric;      /* of limits */
    wf_vec2 gradient[3]; /* of the corners' shape functions, 1/m */
} limited_face;

struct wf_strain_limits {
    int32_t count;      /* of faces with limits */
    int32_t (*vertices)[3];
    limited_face *faces;
    double (*limits)[WF_LIMITS]; /* [fabrics] 0: none */
    double (*pulls)[WF_LIMITS];  /* [count] impulses along the gradients so far, kg m2 per unit of strain; <= 0 */
    wf_colouring colours;
    double *excess;     /* of the blocks of a sweep */
};

typedef struct sweep {
    wf_strain_limits *limits;
    const double *inverse_mass;
    wf_vec3 *x;
    const int32_t *members;
    double *excess;
} sweep;

/* ---- strains ---------------------------------------------------------------------------------------------------- */

/* The largest singular value of F = [u, v] less one, and its gradient on the columns: with c, s its right vector and a
 * its left one, d sigma = a . (c du + s dv). */
static double principal_stretch(wf_vec3 u, wf_vec3 v, wf_vec3 on_columns[2])
{
    double half = 0.5 * (wf_vec3_norm2(u) - wf_vec3_norm2(v)), mixed = wf_vec3_dot(u, v);
    double radius = sqrt(half * half + mixed * mixed), c = 1, s = 0;
    if (radius > 0 && half >= 0) {
        c = sqrt(0.5 * (1 + half / radius));
        s = mixed / (2 * radius * c);
    } else if (radius > 0) {
        s = copysign(sqrt(0.5 * (1 - half / radius)), mixed);
        c = mixed / (2 * radius * s);
    }
    wf_vec3 along = wf_vec3_muladds(wf_vec3_scale(u, c), v, s), direction = wf_vec3_normalize(along);
    on_columns[0] = wf_vec3_scale(direction, c);
    on_columns[1] = wf_vec3_scale(direction, s);
    return wf_vec3_norm(along) - 1;
}

/* |angle| by which u and v depart from a right one. */
static double shear_angle(wf_vec3 u, wf_vec3 v, wf_vec3 on_columns[2])
{
    wf_vec3 a = wf_vec3_normalize(u), b = wf_vec3_normalize(v);
    double sine = wf_vec3_dot(a, b), sign = copysign(1, sine);
    wf_vec3 across_u = wf_vec3_normalize(wf_vec3_muladds(b, a, -sine));
    wf_vec3 across_v = wf_vec3_normalize(wf_vec3_muladds(a, b, -sine));
    on_columns[0] = wf_vec3_scale(across_u, sign / fmax(wf_vec3_norm(u), 1e-6));
    on_columns[1] = wf_vec3_scale(across_v, sign / fmax(wf_vec3_norm(v), 1e-6));
    return asin(fmin(fabs(sine), 1));
}

static double strain_of(int limit, wf_vec3 u, wf_vec3 v, wf_vec3 on_columns[2])
{
    const wf_vec3 none = {0, 0, 0};
    switch (limit) {
    case 0:
        return principal_stretch(u, v, on_columns);
    case 1:
        on_columns[0] = wf_vec3_normalize(u);
        on_columns[1] = none;
        return wf_vec3_norm(u) - 1;
    case 2:
        on_columns[0] = none;
        on_columns[1] = wf_vec3_normalize(v);
        return wf_vec3_norm(v) - 1;
    default:
        return shear_angle(u, v, on_columns);
    }
}

/* A limit's strain and its gradient on the corners. */
static double face_strain(const limited_face *face, int limit, const int32_t vertex[3], const wf_vec3 *x,
                          wf_vec3 gradient[3])
{
    wf_vec3 u = {0, 0, 0}, v = {0, 0, 0}, on_columns[2];
    for (int i = 1; i < 3; i++) {
        wf_vec3 edge = wf_vec3_sub(x[vertex[i]], x[vertex[0]]);
        u = wf_vec3_muladds(u, edge, face->gradient[i].x);
        v = wf_vec3_muladds(v, edge, face->gradient[i].y);
    }
    double strain = strain_of(limit, u, v, on_columns);
    for (int i = 0; i < 3; i++) {
        gradient[i] = wf_vec3_muladds(wf_vec3_scale(on_columns[0], face->gradient[i].x), on_columns[1],
                                      face->gradient[i].y);
    }
    return strain;
}

/* ---- sweeps ----------------------------------------------------------------------------------------------------- */

static void move_face(const sweep *call, const int32_t vertex[3], const wf_vec3 gradient[3], double impulse)
{
    for (int i = 0; i < 3; i++) {
        call->x[vertex[i]] = wf_vec3_muladds(call->x[vertex[i]], gradient[i], call->inverse_mass[vertex[i]] * impulse);
    }
}

/* Changes the pull to the one that just holds: strain + change times sum of g . g / m = limit, but never pushes.
 * Returns how much strain that took. */
static double hold(const sweep *call, int32_t k, int limit, double bound)
{
    const int32_t *vertex = call->limits->vertices[k];
    const limited_face *face = &call->limits->faces[k];
    wf_vec3 gradient[3];
    double *pull = &call->limits->pulls[k][limit], mobility = 0;
    double beyond = face_strain(face, limit, vertex, call->x, gradient) - bound;
    if (beyond <= 0 && *pull == 0) {
        return 0;
    }
    for (int i = 0; i < 3; i++) {
        mobility += call->inverse_mass[vertex[i]] * wf_vec3_norm2(gradient[i]);
    }
    if (!(mobility > 0)) {
        return 0; /* all corners are pinned */
    }
    double change = fmin(*pull - beyond / mobility, 0) - *pull;
    move_face(call, vertex, gradient, change);
    *pull += change;
    return fabs(change) * mobility;
}

static void sweep_block(void *user, size_t block, size_t begin, size_t end)
{
    const sweep *call = user;
    double worst = 0;
    for (size_t m = begin; m < end; m++) {
        int32_t k = call->members[m];
        const double *bounds = call->limits->limits[call->limits->faces[k].fabric];
        for (int limit = 0; limit < WF_LIMITS; limit++) {
            if (bounds[limit] > 0) {
                worst = fmax(worst, hold(call, k, limit, bounds[limit]));
            }
        }
    }
    call->excess[block] = worst;
}

/* The largest correction of a sweep through all colours. */
static double run_sweep(wf_context *context, sweep *call)
{
    const wf_colouring *colours = &call->limits->colours;
    double worst = 0;
    for (int32_t c = 0; c <= colours->colour_count; c++) {
        bool serial = c == colours->colour_count;
        size_t count = serial ? (size_t)colours->serial_count : (size_t)(colours->start[c + 1] - colours->start[c]);
        call->members = colours->member + colours->start[c];
        call->excess = call->limits->excess;
        if (count == 0) {
            continue;
        }
        wf_parallel_for(context, count, serial ? count : FACE_BLOCK, sweep_block, call);
        for (size_t block = 0; block < wf_block_count(count, serial ? count : FACE_BLOCK); block++) {
            worst = fmax(worst, call->excess[block]);
        }
    }
    return worst;
}

static double worst_excess(const wf_strain_limits *limits, const wf_vec3 *x)
{
    double worst = 0;
    for (int32_t k = 0; k < limits->count; k++) {
        for (int limit = 0; limit < WF_LIMITS; limit++) {
            double bound = limits->limits[limits->faces[k].fabric][limit];
            wf_vec3 gradient[3];
            if (bound > 0) {
                worst = fmax(worst, face_strain(&limits->faces[k], limit, limits->vertices[k], x, gradient) - bound);
            }
        }
    }
    return worst;
}

void wf_strain_limits_apply(wf_context *context, wf_strain_limits *limits, const double *inverse_mass,
                            double tolerance, int32_t sweeps, wf_vec3 *x, wf_strain_limits_result *result)
{
    sweep call = {.limits = limits, .inverse_mass = inverse_mass, .x = x};
    memset(limits->pulls, 0, (size_t)limits->count * sizeof *limits->pulls);
    double worst = HUGE_VAL;
    int32_t done = 0;
    for (; done < sweeps && worst > tolerance; done++) {
        worst = run_sweep(context, &call);
    }
    *result = (wf_strain_limits_result){done, worst_excess(limits, x)};
}

/* ---- making them ------------------------------------------------------------------------------------------------ */

/* Whether a fabric has any limit. */
static bool is_limited(const wf_fabric *fabric)
{
    return fabric->limit > 0 || fabric->limit_weft > 0 || fabric->limit_warp > 0 || fabric->limit_shear > 0;
}

void wf_strain_limits_destroy(wf_context *context, wf_strain_limits *limits)
{
    if (limits) {
        wf_colouring_free(context, &limits->colours);
        wf_free(context, limits->vertices);
        wf_free(context, limits->faces);
        wf_free(context, limits->limits);
        wf_free(context, limits->pulls);
        wf_free(context, limits->excess);
        wf_free(context, limits);
    }
}

static wf_status fill_limits(wf_context *context, const wf_sheet_faces *sheet, size_t count, wf_strain_limits *l)
{
    l->vertices = wf_allocate(context, count, sizeof *l->vertices);
    l->faces = wf_allocate(context, count, sizeof *l->faces);
    l->limits = wf_allocate(context, (size_t)sheet->fabric_count, sizeof *l->limits);
    l->pulls = wf_allocate(context, count, sizeof *l->pulls);
    l->excess = wf_allocate(context, wf_block_count(count, FACE_BLOCK), sizeof *l->excess);
    if (!l->vertices || !l->faces || !l->limits || !l->pulls || !l->excess) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < sheet->fabric_count; i++) {
        const wf_fabric *fabric = &sheet->fabrics[i];
        const double values[WF_LIMITS] = {fabric->limit, fabric->limit_weft, fabric->limit_warp, fabric->limit_shear};
        memcpy(l->limits[i], values, sizeof values);
    }
    for (int32_t face = 0; face < sheet->face_count; face++) {
        int32_t fabric = wf_sheet_fabric(sheet, face);
        if (is_limited(&sheet->fabrics[fabric])) {
            wf_shape shape = wf_shape_of(sheet->rest[face]);
            wf_vec2 first = wf_vec2_scale(wf_vec2_add(shape.gradient1, shape.gradient2), -1);
            memcpy(l->vertices[l->count], sheet->faces[face], sizeof *l->vertices);
            l->faces[l->count++] = (limited_face){fabric, {first, shape.gradient1, shape.gradient2}};
        }
    }
    const wf_stencil stencil = {l->count, 3, &l->vertices[0][0]};
    return wf_colour_elements(context, sheet->vertex_count, &stencil, &l->colours);
}

wf_status wf_strain_limits_create(wf_context *context, const wf_sheet_faces *sheet, wf_strain_limits **limits)
{
    *limits = NULL;
    size_t count = 0;
    for (int32_t face = 0; face < sheet->face_count; face++) {
        count += is_limited(&sheet->fabrics[wf_sheet_fabric(sheet, face)]);
    }
    if (count == 0) {
        return WF_OK;
    }
    wf_strain_limits *l = wf_allocate(context, 1, sizeof *l);
    wf_status status = l ? fill_limits(context, sheet, count, l) : WF_ERROR_MEMORY;
    if (status != WF_OK) {
        wf_strain_limits_destroy(context, l);
        return status;
    }
    *limits = l;
    return WF_OK;
}
