/* aerodynamic_kernels.c - what the air does to faces, a vector of them at a time, and how that is put together. */
#define WF_WIDE_KERNELS
#include "air/aerodynamic_kernels.h"

#include "air/aerodynamic_formulas.h"

/* ---- points ------------------------------------------------------------------------------------------------------ */

/* A point as one register, where there are such wide ones: three reads of two points each are as many as of one number,
 * and turning four points into lanes takes seven shuffles and not twelve reads. */
#if defined(WF_WIDE_VECTORS) && defined(__AVX__) && WF_VECTOR_BYTES >= 32

typedef __m256d point;

static WF_ALWAYS_INLINE point read_point(const double *from)
{
#if defined(__AVX512VL__)
    return _mm256_maskz_loadu_pd(7, from);
#else
    return _mm256_maskload_pd(from, _mm256_set_epi64x(0, -1, -1, -1));
#endif
}

static WF_ALWAYS_INLINE point point_add(point a, point b)
{
    return _mm256_add_pd(a, b);
}

static WF_ALWAYS_INLINE point point_sub(point a, point b)
{
    return _mm256_sub_pd(a, b);
}

static WF_ALWAYS_INLINE point point_scale(point a, double s)
{
    return _mm256_mul_pd(a, _mm256_set1_pd(s));
}

static WF_ALWAYS_INLINE void four_lanes(const point p[4], __m256d lanes[3])
{
    __m256d low0 = _mm256_unpacklo_pd(p[0], p[1]), high0 = _mm256_unpackhi_pd(p[0], p[1]);
    __m256d low1 = _mm256_unpacklo_pd(p[2], p[3]), high1 = _mm256_unpackhi_pd(p[2], p[3]);
    lanes[0] = _mm256_permute2f128_pd(low0, low1, 0x20);
    lanes[1] = _mm256_permute2f128_pd(high0, high1, 0x20);
    lanes[2] = _mm256_permute2f128_pd(low0, low1, 0x31);
}

static WF_ALWAYS_INLINE wf_wide3 lanes_of(const point p[WF_WIDTH])
{
    __m256d first[3];
    four_lanes(p, first);
#if WF_VECTOR_BYTES == 64
    __m256d second[3];
    wf_wide all[3];
    four_lanes(p + 4, second);
    for (int k = 0; k < 3; k++) {
        all[k] = (wf_wide)_mm512_insertf64x4(_mm512_castpd256_pd512(first[k]), second[k], 1);
    }
    return (wf_wide3){all[0], all[1], all[2]};
#else
    return (wf_wide3){(wf_wide)first[0], (wf_wide)first[1], (wf_wide)first[2]};
#endif
}

#else

typedef wf_vec3 point;

static WF_ALWAYS_INLINE point read_point(const double *from)
{
    return (point){from[0], from[1], from[2]};
}

static WF_ALWAYS_INLINE point point_add(point a, point b)
{
    return wf_vec3_add(a, b);
}

static WF_ALWAYS_INLINE point point_sub(point a, point b)
{
    return wf_vec3_sub(a, b);
}

static WF_ALWAYS_INLINE point point_scale(point a, double s)
{
    return wf_vec3_scale(a, s);
}

static WF_ALWAYS_INLINE wf_wide3 lanes_of(const point p[WF_WIDTH])
{
    _Alignas(64) double lanes[3][WF_WIDTH];
    for (int lane = 0; lane < WF_WIDTH; lane++) {
        lanes[0][lane] = p[lane].x;
        lanes[1][lane] = p[lane].y;
        lanes[2][lane] = p[lane].z;
    }
    return (wf_wide3){wf_wide_load(lanes[0]), wf_wide_load(lanes[1]), wf_wide_load(lanes[2])};
}

#endif

/* ---- faces ------------------------------------------------------------------------------------------------------- */

/* The mean of three points that lie `stride` doubles apart. */
static WF_ALWAYS_INLINE point mean(const double *points, ptrdiff_t stride, const int32_t v[3])
{
    point sum = point_add(point_add(read_point(points + stride * v[0]), read_point(points + stride * v[1])),
                          read_point(points + stride * v[2]));
    return point_scale(sum, 1.0 / 3);
}

/* D v */
static WF_ALWAYS_INLINE wf_wide3 damp(const wf_wide d[6], wf_wide3 v)
{
    return (wf_wide3){d[0] * v.x + d[1] * v.y + d[2] * v.z, d[1] * v.x + d[3] * v.y + d[4] * v.z,
                      d[2] * v.x + d[4] * v.y + d[5] * v.z};
}

static WF_ALWAYS_INLINE void store(const wf_air_job *job, size_t face, int count, const wf_face_air *air, bool matrix)
{
    const wf_wide *d = air->damping;
    const wf_wide forces[4] = {air->force.x, air->force.y, air->force.z, matrix ? d[5] : wf_wide_set(0)};
    bool all = count == WF_WIDTH;
    wf_face_forces some_forces[WF_WIDTH];
    wf_face_forces *to = all ? job->forces + face : some_forces;
    wf_wide_store_fours(forces, (double(*)[4])to);
    for (int lane = 0; !all && lane < count; lane++) {
        job->forces[face + (size_t)lane] = some_forces[lane];
    }
    if (matrix && job->damping) {
        const wf_wide rows[8] = {d[0], d[1], d[2], d[1], d[3], d[4], d[2], d[4]};
        wf_face_damping some_damping[WF_WIDTH];
        wf_face_damping *rows_to = all ? job->damping + face : some_damping;
        wf_wide_store_eights(rows, (double(*)[8])rows_to);
        for (int lane = 0; !all && lane < count; lane++) {
            job->damping[face + (size_t)lane] = some_damping[lane];
        }
    }
}

/* `count` faces from `face` on, at most a vector of them. law, stride, tangent (job->about is not NULL) and matrix: best
 * constants. */
static WF_ALWAYS_INLINE void some_faces(const wf_air_job *job, size_t face, int count, wf_aerodynamic_law law,
                                        ptrdiff_t stride, bool tangent, bool matrix)
{
    const wf_aerodynamic_model *m = job->model;
    const double *about = tangent ? job->about : job->v;
    point edge1[WF_WIDTH], edge2[WF_WIDTH], relative[WF_WIDTH], change[WF_WIDTH];
    for (int lane = 0; lane < WF_WIDTH; lane++) {
        size_t f = face + (size_t)(lane < count ? lane : count - 1);
        const int32_t *v = m->faces[f];
        point origin = read_point(job->x + stride * v[0]), at = mean(about, stride, v);
        edge1[lane] = point_sub(read_point(job->x + stride * v[1]), origin);
        edge2[lane] = point_sub(read_point(job->x + stride * v[2]), origin);
        relative[lane] = point_sub(at, read_point(&m->wind[f].x));
        if (tangent) {
            change[lane] = point_sub(mean(job->v, stride, v), at);
        }
    }
    wf_wide3 twice = wf_wide3_cross(lanes_of(edge1), lanes_of(edge2));
    wf_face_air air = wf_face_air_of(law, wf_law_factors_of(&job->range->air), wf_wide_set(0.25 * m->density), twice,
                                     lanes_of(relative), matrix, true);
    if (tangent) {
        air.force = wf_wide3_sub(air.force, damp(air.damping, lanes_of(change)));
    }
    store(job, face, count, &air, matrix);
}

static WF_ALWAYS_INLINE void all_faces(const wf_air_job *job, size_t begin, size_t end, wf_aerodynamic_law law,
                                       ptrdiff_t stride, bool tangent, bool matrix)
{
    size_t face = begin;
    for (; face + WF_WIDTH <= end; face += WF_WIDTH) {
        some_faces(job, face, WF_WIDTH, law, stride, tangent, matrix);
    }
    if (face < end) {
        some_faces(job, face, (int)(end - face), law, stride, tangent, matrix);
    }
}

static WF_ALWAYS_INLINE void law_faces(const wf_air_job *job, size_t begin, size_t end, wf_aerodynamic_law law)
{
    if (job->about) {
        all_faces(job, begin, end, law, 3, true, true);
    } else if (job->stride == 4) {
        all_faces(job, begin, end, law, 4, false, true);
    } else if (job->damping) {
        all_faces(job, begin, end, law, 3, false, true);
    } else {
        all_faces(job, begin, end, law, 3, false, false);
    }
}

/* A copy of the loop for each case: no questions inside. */
static void evaluate(const wf_air_job *job, size_t begin, size_t end)
{
    switch (job->range->air.law) {
    case WF_PLATE:
        law_faces(job, begin, end, WF_PLATE);
        break;
    case WF_KECKEISEN:
        law_faces(job, begin, end, WF_KECKEISEN);
        break;
    case WF_KECKEISEN_PRINTED:
        law_faces(job, begin, end, WF_KECKEISEN_PRINTED);
        break;
    default:
        law_faces(job, begin, end, WF_KANG_PRINTED);
        break;
    }
}

/* ---- vertices and edges ------------------------------------------------------------------------------------------ */

static void add_forces(const wf_air_job *job, size_t begin, size_t end)
{
    const wf_incidence *incidence = &job->model->incidence;
    for (size_t i = begin; i < end; i++) {
        double sum[4] = {0};
        for (int32_t k = incidence->start[i]; k < incidence->start[i + 1]; k++) {
            const double *force = job->forces[incidence->corner[k]].of;
            for (int c = 0; c < 4; c++) {
                sum[c] += force[c];
            }
        }
        job->f[i] = wf_vec3_muladds(job->f[i], (wf_vec3){sum[0], sum[1], sum[2]}, 1.0 / 3);
    }
}

/* The damping of faces, added up. */
typedef struct damping_sum {
    double rows[8], last;
} damping_sum;

static WF_ALWAYS_INLINE void add_face(const wf_air_job *job, int32_t face, damping_sum *sum)
{
    const double *rows = job->damping[face].of;
    for (int k = 0; k < 8; k++) {
        sum->rows[k] += rows[k];
    }
    sum->last += job->forces[face].of[3];
}

static WF_ALWAYS_INLINE void add_block(const damping_sum *sum, double scale, wf_mat3 *block)
{
    double *to = &block->m[0][0];
    for (int k = 0; k < 8; k++) {
        to[k] += scale * sum->rows[k];
    }
    to[8] += scale * sum->last;
}

static void add_edges(const wf_air_job *job, size_t begin, size_t end)
{
    const wf_aerodynamic_model *m = job->model;
    for (size_t e = begin; e < end; e++) {
        damping_sum sum = {{0}, 0};
        for (int32_t k = m->edge_start[e]; k < m->edge_start[e + 1]; k++) {
            add_face(job, m->edge_face[k], &sum);
        }
        add_block(&sum, job->scale, &job->blocks[m->edge_place[e]]);
    }
}

static void add_diagonals(const wf_air_job *job, size_t begin, size_t end)
{
    const wf_aerodynamic_model *m = job->model;
    for (size_t i = begin; i < end; i++) {
        damping_sum sum = {{0}, 0};
        for (int32_t k = m->incidence.start[i]; k < m->incidence.start[i + 1]; k++) {
            add_face(job, m->incidence.corner[k], &sum);
        }
        if (m->incidence.start[i] < m->incidence.start[i + 1]) {
            add_block(&sum, job->scale, &job->blocks[wf_pattern_diagonal_place(m->pattern, (int32_t)i)]);
        }
    }
}

const wf_aerodynamic_kernels WF_KERNELS(wf_aerodynamic_kernels) = {
    .evaluate = evaluate,
    .add_forces = add_forces,
    .add_edges = add_edges,
    .add_diagonals = add_diagonals,
};
