/* membrane_kernels.c - what a membrane's faces do, eight at a time.
 *
 * Each batch is read into arrays of lanes, worked on by loops over the lanes, and written out. Lanes that have (nearly)
 * lost a dimension get their decomposition one by one; from there on they are like all others.
 */
#include "model/membrane_kernels.h"

typedef struct lane_vectors {
    double x[WF_LANES], y[WF_LANES], z[WF_LANES];
} lane_vectors;

/* wf_polar, side by side; the normal is never needed. */
typedef struct lane_polars {
    lane_vectors r1, r2;
    double u11[WF_LANES], u12[WF_LANES], u22[WF_LANES], trace[WF_LANES], determinant[WF_LANES];
} lane_polars;

static inline wf_vec3 lane_vector(const lane_vectors *vectors, int lane)
{
    return (wf_vec3){vectors->x[lane], vectors->y[lane], vectors->z[lane]};
}

static inline void set_lane_vector(lane_vectors *vectors, int lane, wf_vec3 value)
{
    vectors->x[lane] = value.x;
    vectors->y[lane] = value.y;
    vectors->z[lane] = value.z;
}

static inline wf_polar lane_polar(const lane_polars *polars, int lane)
{
    return (wf_polar){.r1 = lane_vector(&polars->r1, lane),
                      .r2 = lane_vector(&polars->r2, lane),
                      .u11 = polars->u11[lane],
                      .u12 = polars->u12[lane],
                      .u22 = polars->u22[lane],
                      .trace = polars->trace[lane],
                      .determinant = polars->determinant[lane]};
}

static inline void set_lane_polar(lane_polars *polars, int lane, const wf_polar *p)
{
    set_lane_vector(&polars->r1, lane, p->r1);
    set_lane_vector(&polars->r2, lane, p->r2);
    polars->u11[lane] = p->u11;
    polars->u12[lane] = p->u12;
    polars->u22[lane] = p->u22;
    polars->trace[lane] = p->trace;
    polars->determinant[lane] = p->determinant;
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

/* The moduli of a batch's faces. */
typedef struct lane_materials {
    double c11[WF_LANES], c12[WF_LANES], c22[WF_LANES], c33[WF_LANES], viscosity[WF_LANES];
} lane_materials;

/* Lanes beyond the last face repeat it. */
static inline int32_t face_of(const wf_membrane *m, size_t batch, int lane)
{
    size_t face = batch * WF_LANES + (size_t)lane;
    return face < (size_t)m->face_count ? (int32_t)face : m->face_count - 1;
}

static inline void read_materials(const wf_membrane *m, size_t batch, lane_materials *materials)
{
    for (int lane = 0; lane < WF_LANES; lane++) {
        const wf_membrane_material *c = wf_membrane_face_material(m, face_of(m, batch, lane));
        materials->c11[lane] = c->c11;
        materials->c12[lane] = c->c12;
        materials->c22[lane] = c->c22;
        materials->c33[lane] = c->c33;
        materials->viscosity[lane] = c->viscosity;
    }
}

/* The columns of the sum over corners of (value x shape gradient): F for positions, dF/dt for velocities. */
static inline void read_columns(const wf_membrane *m, size_t batch, const wf_vec3 *values, lane_vectors *column1,
                                lane_vectors *column2)
{
    lane_vectors edge1, edge2;
    for (int lane = 0; lane < WF_LANES; lane++) {
        const int32_t *vertex = m->faces[face_of(m, batch, lane)];
        wf_vec3 origin = values[vertex[0]];
        set_lane_vector(&edge1, lane, wf_vec3_sub(values[vertex[1]], origin));
        set_lane_vector(&edge2, lane, wf_vec3_sub(values[vertex[2]], origin));
    }
    const wf_shape_batch *shape = &m->shapes[batch];
    WF_LANE_LOOP
    for (int lane = 0; lane < WF_LANES; lane++) {
        wf_vec3 e1 = lane_vector(&edge1, lane), e2 = lane_vector(&edge2, lane);
        set_lane_vector(column1, lane, wf_shape_column(shape->gradient1x[lane], shape->gradient2x[lane], e1, e2));
        set_lane_vector(column2, lane, wf_shape_column(shape->gradient1y[lane], shape->gradient2y[lane], e1, e2));
    }
}

static inline void read_polars(const wf_membrane *m, size_t batch, const wf_vec3 *x, lane_polars *polars)
{
    lane_vectors column1, column2;
    read_columns(m, batch, x, &column1, &column2);
    int64_t degenerate[WF_LANES], any = 0; /* as wide as the doubles */
    WF_LANE_LOOP
    for (int lane = 0; lane < WF_LANES; lane++) {
        wf_polar p;
        degenerate[lane] = !wf_polar_regular(lane_vector(&column1, lane), lane_vector(&column2, lane), &p);
        set_lane_polar(polars, lane, &p);
    }
    for (int lane = 0; lane < WF_LANES; lane++) {
        any |= degenerate[lane];
    }
    for (int lane = 0; any && lane < WF_LANES; lane++) {
        if (degenerate[lane]) {
            wf_polar p = wf_polar_degenerate(lane_vector(&column1, lane), lane_vector(&column2, lane));
            set_lane_polar(polars, lane, &p);
        }
    }
}

/* ---- stress ---------------------------------------------------------------------------------------------------- */

/* C : strain, with the shear strain as the tensor's component */
static inline wf_stress lane_stress(const lane_materials *c, int lane, double e11, double e12, double e22)
{
    return (wf_stress){c->c11[lane] * e11 + c->c12[lane] * e22, 2 * c->c33[lane] * e12,
                       c->c12[lane] * e11 + c->c22[lane] * e22};
}

/* The rate of strain whose work the viscous stress does: dU/dt, or the thesis' sym(R^T dF/dt). */
static inline wf_stress viscous_stress(const lane_materials *c, int lane, bool exact, const wf_polar *p, wf_vec3 rate1,
                                       wf_vec3 rate2)
{
    double a11 = wf_vec3_dot(p->r1, rate1), a12 = wf_vec3_dot(p->r1, rate2);
    double a21 = wf_vec3_dot(p->r2, rate1), a22 = wf_vec3_dot(p->r2, rate2);
    /* R^T dF/dt = spin [[0, -1], [1, 0]] U + dU/dt */
    double spin = (a21 - a12) / (p->trace > WF_LEAST_TRACE ? p->trace : WF_LEAST_TRACE);
    wf_stress s = exact ? lane_stress(c, lane, a11 + spin * p->u12, a12 + spin * p->u22, a22 - spin * p->u12)
                        : lane_stress(c, lane, a11, 0.5 * (a12 + a21), a22);
    double viscosity = c->viscosity[lane];
    return (wf_stress){viscosity * s.s11, viscosity * s.s12, viscosity * s.s22};
}

/* ---- forces ---------------------------------------------------------------------------------------------------- */

static inline void batch_forces(const wf_membrane *m, size_t batch, bool exact, const lane_materials *materials,
                                const wf_vec3 *x, const wf_vec3 *v, wf_corner_forces *forces)
{
    lane_polars polars;
    lane_vectors rate1, rate2, corner1, corner2;
    read_polars(m, batch, x, &polars);
    if (v) {
        read_columns(m, batch, v, &rate1, &rate2);
    }
    const wf_shape_batch *shape = &m->shapes[batch];
    WF_LANE_LOOP
    for (int lane = 0; lane < WF_LANES; lane++) {
        wf_polar p = lane_polar(&polars, lane);
        wf_stress s = lane_stress(materials, lane, p.u11 - 1, p.u12, p.u22 - 1);
        if (v) {
            wf_stress viscous = viscous_stress(materials, lane, exact, &p, lane_vector(&rate1, lane),
                                               lane_vector(&rate2, lane));
            s.s11 += viscous.s11;
            s.s12 += viscous.s12;
            s.s22 += viscous.s22;
        }
        double w = exact ? wf_stress_spin(&p, &s) : 0;
        /* R (stress + w [[0, 1], [-1, 0]]), column by column */
        wf_vec3 column1 = wf_vec3_muladds(wf_vec3_scale(p.r1, s.s11), p.r2, s.s12 - w);
        wf_vec3 column2 = wf_vec3_muladds(wf_vec3_scale(p.r1, s.s12 + w), p.r2, s.s22);
        double area = -shape->area[lane];
        set_lane_vector(&corner1, lane, wf_vec3_muladds(wf_vec3_scale(column1, area * shape->gradient1x[lane]), column2,
                                                        area * shape->gradient1y[lane]));
        set_lane_vector(&corner2, lane, wf_vec3_muladds(wf_vec3_scale(column1, area * shape->gradient2x[lane]), column2,
                                                        area * shape->gradient2y[lane]));
    }
    for (int lane = 0; lane < WF_LANES; lane++) {
        forces[lane] = (wf_corner_forces){lane_vector(&corner1, lane), lane_vector(&corner2, lane)};
    }
}

static void all_forces(const wf_membrane *m, const wf_vec3 *x, const wf_vec3 *v, wf_corner_forces *forces, size_t begin,
                       size_t end)
{
    lane_materials materials;
    for (size_t batch = begin; batch < end; batch++) {
        read_materials(m, batch, &materials);
        /* A copy of the loop for each case: no questions inside. */
        if (m->form == WF_MEMBRANE_EXACT && v) {
            batch_forces(m, batch, true, &materials, x, v, forces + batch * WF_LANES);
        } else if (m->form == WF_MEMBRANE_EXACT) {
            batch_forces(m, batch, true, &materials, x, NULL, forces + batch * WF_LANES);
        } else {
            batch_forces(m, batch, false, &materials, x, v, forces + batch * WF_LANES);
        }
    }
}

const wf_membrane_kernels WF_KERNELS(wf_membrane_kernels) = {
    .forces = all_forces,
};
