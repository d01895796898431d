/* aerodynamic_kernels.c - what the air does to faces, a vector of them at a time, and how that is put together. */
#define WF_WIDE_KERNELS
#include "air/aerodynamic_kernels.h"

#include <string.h>

#include "air/aerodynamic_formulas.h"

/* ---- points ------------------------------------------------------------------------------------------------------ */

/* Points as whole registers, one or two to each: a read takes three numbers at once, means and differences are made of
 * what was read, and turning their results into lanes takes fewer shuffles than making lanes number by number. */
#if defined(WF_WIDE_VECTORS) && WF_VECTOR_BYTES == 64

enum { POINTS = 2 };
typedef __m512d points;

/* One point to the lower half and one to the upper. Nothing behind them is touched. */
static WF_ALWAYS_INLINE points read_points(const double *first, const double *second)
{
    __m256d low = _mm256_maskz_loadu_pd(7, first), high = _mm256_maskz_loadu_pd(7, second);
    return _mm512_insertf64x4(_mm512_castpd256_pd512(low), high, 1);
}

static WF_ALWAYS_INLINE wf_wide3 lanes_of(const points p[WF_WIDTH / POINTS])
{
    const __m512i xy = _mm512_setr_epi64(0, 4, 8, 12, 1, 5, 9, 13), z = _mm512_setr_epi64(2, 6, 10, 14, 2, 6, 10, 14);
    __m512d low = _mm512_permutex2var_pd(p[0], xy, p[1]), high = _mm512_permutex2var_pd(p[2], xy, p[3]);
    __m512d low_z = _mm512_permutex2var_pd(p[0], z, p[1]), high_z = _mm512_permutex2var_pd(p[2], z, p[3]);
    return (wf_wide3){(wf_wide)_mm512_shuffle_f64x2(low, high, 0x44), (wf_wide)_mm512_shuffle_f64x2(low, high, 0xee),
                      (wf_wide)_mm512_mask_blend_pd(0xf0, low_z, high_z)};
}

#elif defined(WF_WIDE_VECTORS) && WF_VECTOR_BYTES == 32 && defined(__AVX__)

enum { POINTS = 1 };
typedef __m256d points;

static WF_ALWAYS_INLINE points read_points(const double *first, const double *second)
{
    (void)second;
    return _mm256_maskload_pd(first, _mm256_set_epi64x(0, -1, -1, -1));
}

static WF_ALWAYS_INLINE wf_wide3 lanes_of(const points p[WF_WIDTH / POINTS])
{
    __m256d low0 = _mm256_unpacklo_pd(p[0], p[1]), high0 = _mm256_unpackhi_pd(p[0], p[1]);
    __m256d low1 = _mm256_unpacklo_pd(p[2], p[3]), high1 = _mm256_unpackhi_pd(p[2], p[3]);
    return (wf_wide3){(wf_wide)_mm256_permute2f128_pd(low0, low1, 0x20),
                      (wf_wide)_mm256_permute2f128_pd(high0, high1, 0x20),
                      (wf_wide)_mm256_permute2f128_pd(low0, low1, 0x31)};
}

#else

enum { POINTS = 1 };
typedef wf_vec3 points;

static WF_ALWAYS_INLINE points read_points(const double *first, const double *second)
{
    (void)second;
    return (points){first[0], first[1], first[2]};
}

static WF_ALWAYS_INLINE wf_wide3 lanes_of(const points p[WF_WIDTH / POINTS])
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

#if defined(WF_WIDE_VECTORS) && defined(__AVX__) && WF_VECTOR_BYTES >= 32

static WF_ALWAYS_INLINE points points_add(points a, points b)
{
    return a + b;
}

static WF_ALWAYS_INLINE points points_sub(points a, points b)
{
    return a - b;
}

static WF_ALWAYS_INLINE points points_scale(points a, double s)
{
    return a * s;
}

#else

static WF_ALWAYS_INLINE points points_add(points a, points b)
{
    return wf_vec3_add(a, b);
}

static WF_ALWAYS_INLINE points points_sub(points a, points b)
{
    return wf_vec3_sub(a, b);
}

static WF_ALWAYS_INLINE points points_scale(points a, double s)
{
    return wf_vec3_scale(a, s);
}

#endif

/* ---- faces ------------------------------------------------------------------------------------------------------- */

/* A corner of as many faces as points go to a register, from points that lie `stride` doubles apart. */
static WF_ALWAYS_INLINE points corner_of(const double *from, ptrdiff_t stride, const int32_t (*faces)[3], int corner)
{
    return read_points(from + stride * faces[0][corner], from + stride * faces[POINTS - 1][corner]);
}

/* The mean of the corners. */
static WF_ALWAYS_INLINE points mean(const double *from, ptrdiff_t stride, const int32_t (*faces)[3])
{
    points sum = points_add(points_add(corner_of(from, stride, faces, 0), corner_of(from, stride, faces, 1)),
                            corner_of(from, stride, faces, 2));
    return points_scale(sum, 1.0 / 3);
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
    bool all = count == WF_WIDTH;
    _Alignas(64) wf_face_forces some_forces[WF_WIDTH];
    double(*to)[4] = (double(*)[4])(all ? job->forces + face : some_forces);
    if (matrix) {
        const wf_wide fours[4] = {air->force.x, air->force.y, air->force.z, d[5]};
        wf_wide_store_fours(fours, to);
    } else {
        const wf_wide threes[3] = {air->force.x, air->force.y, air->force.z};
        wf_wide_store_threes(threes, to);
    }
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

/* A vector of faces half way. */
typedef struct face_vector {
    wf_face_flow flow;
    wf_wide3 change; /* of the velocity, from that of the tangent */
} face_vector;

static WF_ALWAYS_INLINE void begin_faces(const wf_air_job *job, const int32_t (*faces)[3], const wf_vec3 *wind,
                                         wf_aerodynamic_law law, ptrdiff_t stride, bool tangent, face_vector *to)
{
    enum { REGISTERS = WF_WIDTH / POINTS };
    const double *about = tangent ? job->about : job->v;
    points edge1[REGISTERS], edge2[REGISTERS], relative[REGISTERS], change[REGISTERS];
#pragma GCC unroll 4
    for (int k = 0; k < REGISTERS; k++) {
        const int32_t(*v)[3] = faces + k * POINTS;
        const wf_vec3 *w = wind + k * POINTS;
        points origin = corner_of(job->x, stride, v, 0), at = mean(about, stride, v);
        edge1[k] = points_sub(corner_of(job->x, stride, v, 1), origin);
        edge2[k] = points_sub(corner_of(job->x, stride, v, 2), origin);
        relative[k] = points_sub(at, read_points(&w[0].x, &w[POINTS - 1].x));
        if (tangent) {
            change[k] = points_sub(mean(job->v, stride, v), at);
        }
    }
    wf_face_flow_of(law, wf_wide3_cross(lanes_of(edge1), lanes_of(edge2)), lanes_of(relative), &to->flow);
    if (tangent) {
        to->change = lanes_of(change);
    }
}

/* `count` faces from `face` on, at most a vector of them. */
static WF_ALWAYS_INLINE void end_faces(const wf_air_job *job, const face_vector *from, size_t face, int count,
                                       wf_aerodynamic_law law, wf_law_factors factors, bool tangent, bool matrix)
{
    wf_face_air air = wf_face_air_of(law, factors, &from->flow, matrix, true);
    if (tangent) {
        air.force = wf_wide3_sub(air.force, damp(air.damping, from->change));
    }
    store(job, face, count, &air, matrix);
}

/* Vectors that are begun before the first of them is ended, so that their roots and quotients are not waited for one
 * after the other. */
enum { STAGED = 32 / WF_WIDTH };

/* law, stride, tangent (job->about is not NULL) and matrix: best constants. */
static WF_ALWAYS_INLINE void all_faces(const wf_air_job *job, size_t begin, size_t end, wf_aerodynamic_law law,
                                       ptrdiff_t stride, bool tangent, bool matrix)
{
    const int32_t(*faces)[3] = (const int32_t(*)[3])job->model->faces;
    const wf_vec3 *wind = job->model->wind;
    const wf_law_factors factors = wf_law_factors_of(&job->range->air, job->model->density);
    face_vector vectors[STAGED];
    size_t face = begin;
    while (face + WF_WIDTH <= end) {
        size_t left = (end - face) / WF_WIDTH;
        int count = left < STAGED ? (int)left : STAGED;
        for (int k = 0; k < count; k++) {
            size_t f = face + (size_t)(k * WF_WIDTH);
            begin_faces(job, faces + f, wind + f, law, stride, tangent, &vectors[k]);
        }
        for (int k = 0; k < count; k++, face += WF_WIDTH) {
            end_faces(job, &vectors[k], face, WF_WIDTH, law, factors, tangent, matrix);
        }
    }
    if (face < end) { /* a vector that ends in copies of the last face */
        int32_t last_faces[WF_WIDTH][3];
        wf_vec3 last_wind[WF_WIDTH];
        for (size_t lane = 0; lane < WF_WIDTH; lane++) {
            size_t f = face + lane < end ? face + lane : end - 1;
            memcpy(last_faces[lane], faces[f], sizeof last_faces[lane]);
            last_wind[lane] = wind[f];
        }
        begin_faces(job, (const int32_t(*)[3])last_faces, last_wind, law, stride, tangent, vectors);
        end_faces(job, vectors, face, (int)(end - face), law, factors, tangent, matrix);
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

/* Four numbers, in as few registers as there are for them. */
typedef double four_numbers __attribute__((vector_size(32), may_alias));

static void add_forces(const wf_air_job *job, size_t begin, size_t end)
{
    const wf_incidence *incidence = &job->model->incidence;
    const int32_t *restrict start = incidence->start, *restrict face = incidence->corner + start[begin];
    const wf_face_forces *restrict forces = job->forces;
    wf_vec3 *restrict f = job->f;
    for (size_t i = begin; i < end; i++) {
        const int32_t *after = incidence->corner + start[i + 1];
        four_numbers sum = {0};
        for (; after - face >= 2; face += 2) {
            sum += *(const four_numbers *)forces[face[0]].of;
            sum += *(const four_numbers *)forces[face[1]].of;
        }
        if (face < after) {
            sum += *(const four_numbers *)forces[*face++].of;
        }
        f[i] = wf_vec3_muladds(f[i], (wf_vec3){sum[0], sum[1], sum[2]}, 1.0 / 3);
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
