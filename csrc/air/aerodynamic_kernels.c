/* aerodynamic_kernels.c - what the air does to faces, a vector of them at a time, and how that is put together. */
#define WF_WIDE_KERNELS
#include "air/aerodynamic_kernels.h"

#include "air/aerodynamic_formulas.h"

/* ---- faces ------------------------------------------------------------------------------------------------------- */

static WF_ALWAYS_INLINE wf_wide3 gather(const double *points, const int32_t index[WF_WIDTH])
{
    return (wf_wide3){wf_wide_gather(points, index), wf_wide_gather(points + 1, index),
                      wf_wide_gather(points + 2, index)};
}

static WF_ALWAYS_INLINE wf_wide3 mean(const double *points, int32_t index[3][WF_WIDTH])
{
    wf_wide3 sum = wf_wide3_add(wf_wide3_add(gather(points, index[0]), gather(points, index[1])),
                                gather(points, index[2]));
    return wf_wide3_scale(sum, wf_wide_set(1.0 / 3));
}

/* D v */
static WF_ALWAYS_INLINE wf_wide3 damp(const wf_wide d[6], wf_wide3 v)
{
    return (wf_wide3){d[0] * v.x + d[1] * v.y + d[2] * v.z, d[1] * v.x + d[3] * v.y + d[4] * v.z,
                      d[2] * v.x + d[4] * v.y + d[5] * v.z};
}

static WF_ALWAYS_INLINE void store(const wf_air_job *job, size_t face, int count, const wf_face_air *air, bool matrix)
{
    _Alignas(64) double out[9][WF_WIDTH];
    wf_wide_store(out[0], air->force.x);
    wf_wide_store(out[1], air->force.y);
    wf_wide_store(out[2], air->force.z);
    for (int k = 0; matrix && k < 6; k++) {
        wf_wide_store(out[3 + k], air->damping[k]);
    }
    for (int lane = 0; lane < count; lane++) {
        job->forces[face + (size_t)lane] = (wf_vec3){out[0][lane], out[1][lane], out[2][lane]};
    }
    for (int lane = 0; matrix && job->damping && lane < count; lane++) {
        double *to = job->damping[face + (size_t)lane];
        for (int k = 0; k < 6; k++) {
            to[k] = out[3 + k][lane];
        }
    }
}

/* `count` faces from `face` on, at most a vector of them. */
static WF_ALWAYS_INLINE void some_faces(const wf_air_job *job, size_t face, int count, wf_aerodynamic_law law,
                                        bool matrix)
{
    const wf_aerodynamic_model *m = job->model;
    int32_t index[3][WF_WIDTH], winds[WF_WIDTH];
    for (int lane = 0; lane < WF_WIDTH; lane++) {
        size_t f = face + (size_t)(lane < count ? lane : count - 1);
        winds[lane] = 3 * (int32_t)f;
        for (int k = 0; k < 3; k++) {
            index[k][lane] = job->stride * m->faces[f][k];
        }
    }
    wf_wide3 x0 = gather(job->x, index[0]);
    wf_wide3 cross = wf_wide3_cross(wf_wide3_sub(gather(job->x, index[1]), x0),
                                    wf_wide3_sub(gather(job->x, index[2]), x0));
    wf_wide length = wf_wide_sqrt(wf_wide3_dot(cross, cross)); /* twice the area */
    wf_wide3 n = wf_wide3_scale(cross, 1.0 / wf_wide_greater(length, wf_wide_set(WF_NO_SPEED)));
    wf_wide3 at = mean(job->about ? job->about : job->v, index);
    wf_wide3 relative = wf_wide3_sub(at, gather(&m->wind->x, winds));
    wf_face_air air = wf_face_air_of(law, wf_law_factors_of(&job->range->air), 0.25 * m->density * length, n, relative,
                                     matrix, true);
    if (matrix && job->about) {
        wf_wide3 change = damp(air.damping, wf_wide3_sub(mean(job->v, index), at));
        air.force = wf_wide3_sub(air.force, change);
    }
    store(job, face, count, &air, matrix);
}

static WF_ALWAYS_INLINE void all_faces(const wf_air_job *job, size_t begin, size_t end, wf_aerodynamic_law law,
                                       bool matrix)
{
    for (size_t face = begin; face < end; face += WF_WIDTH) {
        some_faces(job, face, end - face < WF_WIDTH ? (int)(end - face) : WF_WIDTH, law, matrix);
    }
}

/* A copy of the loop for each law: no questions inside. */
static void evaluate(const wf_air_job *job, size_t begin, size_t end)
{
    bool matrix = job->damping || job->about;
    switch (job->range->air.law) {
    case WF_PLATE:
        if (matrix) {
            all_faces(job, begin, end, WF_PLATE, true);
        } else {
            all_faces(job, begin, end, WF_PLATE, false);
        }
        break;
    case WF_KECKEISEN:
        all_faces(job, begin, end, WF_KECKEISEN, true);
        break;
    case WF_KECKEISEN_PRINTED:
        all_faces(job, begin, end, WF_KECKEISEN_PRINTED, true);
        break;
    default:
        all_faces(job, begin, end, WF_KANG_PRINTED, true);
        break;
    }
}

/* ---- vertices and edges ------------------------------------------------------------------------------------------ */

static void add_forces(const wf_air_job *job, size_t begin, size_t end)
{
    const wf_incidence *incidence = &job->model->incidence;
    for (size_t i = begin; i < end; i++) {
        wf_vec3 sum = {0, 0, 0};
        for (int32_t k = incidence->start[i]; k < incidence->start[i + 1]; k++) {
            sum = wf_vec3_add(sum, job->forces[(uint32_t)incidence->corner[k] / 3]);
        }
        job->f[i] = wf_vec3_muladds(job->f[i], sum, 1.0 / 3);
    }
}

static WF_ALWAYS_INLINE void add_block(const double d[6], double scale, wf_mat3 *block)
{
    static const int of[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    double *to = &block->m[0][0];
    for (int k = 0; k < 9; k++) {
        to[k] += scale * d[of[k]];
    }
}

static void add_edges(const wf_air_job *job, size_t begin, size_t end)
{
    const wf_aerodynamic_model *m = job->model;
    for (size_t e = begin; e < end; e++) {
        double sum[6] = {0};
        for (int32_t k = m->edge_start[e]; k < m->edge_start[e + 1]; k++) {
            const double *d = job->damping[m->edge_face[k]];
            for (int c = 0; c < 6; c++) {
                sum[c] += d[c];
            }
        }
        add_block(sum, job->scale, &job->blocks[m->edge_place[e]]);
    }
}

static void add_diagonals(const wf_air_job *job, size_t begin, size_t end)
{
    const wf_aerodynamic_model *m = job->model;
    for (size_t i = begin; i < end; i++) {
        double sum[6] = {0};
        for (int32_t k = m->incidence.start[i]; k < m->incidence.start[i + 1]; k++) {
            const double *d = job->damping[(uint32_t)m->incidence.corner[k] / 3];
            for (int c = 0; c < 6; c++) {
                sum[c] += d[c];
            }
        }
        if (m->incidence.start[i] < m->incidence.start[i + 1]) {
            add_block(sum, job->scale, &job->blocks[wf_pattern_diagonal_place(m->pattern, (int32_t)i)]);
        }
    }
}

const wf_aerodynamic_kernels WF_KERNELS(wf_aerodynamic_kernels) = {
    .evaluate = evaluate,
    .add_forces = add_forces,
    .add_edges = add_edges,
    .add_diagonals = add_diagonals,
};
