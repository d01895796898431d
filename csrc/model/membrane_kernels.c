/* membrane_kernels.c - what the faces of a corotational membrane do, a vector of them at a time, and how the results of
 * faces are put together. */
#define WF_WIDE_KERNELS
#include "model/membrane_kernels.h"

#include "model/membrane_faces.h"

static inline wf_polar read_polar(const wf_membrane *m, size_t batch, int lane, const wf_faces *f, const wf_vec3 *x)
{
    wf_wide3 columns[2];
    wf_read_columns(m, batch, lane, f, x, columns);
    return wf_polar_of(columns[0], columns[1]);
}

/* ---- energies and forces ---------------------------------------------------------------------------------------- */

static void all_energies(const wf_membrane *m, const wf_vec3 *x, size_t begin, size_t end, double (*energies)[WF_LANES])
{
    for (size_t batch = begin; batch < end; batch++) {
        for (int lane = 0; lane < WF_LANES; lane += WF_WIDTH) {
            wf_faces f = wf_read_faces(m, batch, lane);
            wf_polar p = read_polar(m, batch, lane, &f, x);
            wf_wide e11 = p.u11 - 1.0, e12 = p.u12, e22 = p.u22 - 1.0;
            wf_stress s = wf_stress_of(f.moduli, e11, e12, e22);
            wf_wide_store(energies[batch - begin] + lane,
                          0.5 * f.area * (s.s11 * e11 + 2.0 * s.s12 * e12 + s.s22 * e22));
        }
    }
}

/* The stress of the rate of strain: of dU/dt, or of the thesis' sym(R^T dF/dt). */
static inline wf_stress viscous_stress(const wf_faces *f, bool exact, const wf_polar *p, const wf_wide3 rate[2])
{
    wf_wide a11 = wf_wide3_dot(p->r1, rate[0]), a12 = wf_wide3_dot(p->r1, rate[1]);
    wf_wide a21 = wf_wide3_dot(p->r2, rate[0]), a22 = wf_wide3_dot(p->r2, rate[1]);
    /* R^T dF/dt = spin [[0, -1], [1, 0]] U + dU/dt */
    wf_wide spin = (a21 - a12) * wf_over_trace(p);
    wf_stress s = exact ? wf_stress_of(f->moduli, a11 + spin * p->u12, a12 + spin * p->u22, a22 - spin * p->u12)
                        : wf_stress_of(f->moduli, a11, 0.5 * (a12 + a21), a22);
    return (wf_stress){f->viscosity * s.s11, f->viscosity * s.s12, f->viscosity * s.s22};
}

/* The same over a step. */
static inline wf_stress past_stress(const wf_membrane *m, size_t batch, int lane, const wf_faces *f, const wf_polar *p)
{
    const wf_past_strains *past = &m->past[batch];
    wf_wide scale = f->viscosity * m->past_rate;
    wf_stress s = wf_stress_of(f->moduli, p->u11 - wf_wide_load(past->strains[0] + lane),
                               p->u12 - wf_wide_load(past->strains[1] + lane),
                               p->u22 - wf_wide_load(past->strains[2] + lane));
    return (wf_stress){scale * s.s11, scale * s.s12, scale * s.s22};
}

static inline wf_stress stress_sum(wf_stress a, wf_stress b)
{
    return (wf_stress){a.s11 + b.s11, a.s12 + b.s12, a.s22 + b.s22};
}

static void add_past(wf_membrane *m, const wf_vec3 *x, double weight, size_t begin, size_t end)
{
    for (size_t batch = begin; batch < end; batch++) {
        for (int lane = 0; lane < WF_LANES; lane += WF_WIDTH) {
            wf_faces f = wf_read_faces(m, batch, lane);
            wf_polar p = read_polar(m, batch, lane, &f, x);
            const wf_wide u[3] = {p.u11, p.u12, p.u22};
            wf_add_past_strains(m, batch, lane, weight, u);
        }
    }
}

static WF_ALWAYS_INLINE void some_forces(const wf_membrane *m, size_t batch, int lane, bool exact, const wf_vec3 *x,
                                         const wf_vec3 *v, wf_membrane_results *results)
{
    wf_faces f = wf_read_faces(m, batch, lane);
    wf_polar p = read_polar(m, batch, lane, &f, x);
    wf_stress s = wf_stress_of(f.moduli, p.u11 - 1.0, p.u12, p.u22 - 1.0);
    if (v && exact && m->past_rate > 0) {
        s = stress_sum(s, past_stress(m, batch, lane, &f, &p));
    } else if (v) {
        wf_wide3 rate[2];
        wf_read_columns(m, batch, lane, &f, v, rate);
        s = stress_sum(s, viscous_stress(&f, exact, &p, rate));
    }
    wf_wide w = exact ? wf_stress_spin(&p, &s) : wf_wide_set(0);
    /* R (stress + w [[0, 1], [-1, 0]]), column by column */
    wf_wide3 column1 = wf_wide3_muladds(wf_wide3_scale(p.r1, s.s11), p.r2, s.s12 - w);
    wf_wide3 column2 = wf_wide3_muladds(wf_wide3_scale(p.r1, s.s12 + w), p.r2, s.s22);
    wf_store_forces(results, lane, &f, column1, column2);
}

static void all_forces(const wf_membrane *m, const wf_vec3 *x, const wf_vec3 *v, size_t begin, size_t end,
                       wf_membrane_results *results)
{
    /* A copy of the loops for each case: no questions inside. */
    for (size_t batch = begin; batch < end; batch++, results++) {
        for (int lane = 0; lane < WF_LANES; lane += WF_WIDTH) {
            if (m->form == WF_MEMBRANE_THESIS) {
                some_forces(m, batch, lane, false, x, v, results);
            } else if (v) {
                some_forces(m, batch, lane, true, x, v, results);
            } else {
                some_forces(m, batch, lane, true, x, NULL, results);
            }
        }
    }
}

static void add_forces(const wf_membrane *m, const wf_membrane_vertex *vertices, size_t count, int32_t first,
                       int32_t end, wf_vec3 *f)
{
    for (size_t k = 0; k < count; k++) {
        int32_t vertex = vertices[k].vertex, after = m->incidence.start[vertex + 1];
        wf_vec3 sum = {0, 0, 0};
        for (int32_t i = vertices[k].corner; i < after; i++) {
            uint32_t corner = (uint32_t)m->incidence.corner[i], face = corner / 3;
            if (face >= (uint32_t)end * WF_LANES) {
                break;
            }
            const wf_membrane_results *results = &m->results[face / WF_LANES - (uint32_t)first];
            const double *force = &results->forces[corner - 3 * face][0][face % WF_LANES];
            sum = wf_vec3_add(sum, (wf_vec3){force[0], force[WF_LANES], force[2 * WF_LANES]});
        }
        f[vertex] = wf_vec3_add(f[vertex], sum);
    }
}

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

/* How a corner's displacement along r1 and r2 changes (spin, U11, U22, 2 U12): the columns of a 4 x 2 matrix. With
 * `frozen`, dU is replaced by sym(A): the rotation held fixed. */
typedef struct strain_columns {
    wf_wide along1[4], along2[4];
} strain_columns;

static WF_ALWAYS_INLINE strain_columns strain_columns_of(wf_wide gx, wf_wide gy, const wf_polar *p, bool frozen)
{
    if (frozen) {
        wf_wide none = wf_wide_set(0);
        return (strain_columns){{none, gx, none, gy}, {none, none, gy, gx}};
    }
    wf_wide over = wf_over_trace(p), hx = gx * over, hy = gy * over;
    return (strain_columns){{-hy, gx - p->u12 * hy, p->u12 * hy, 2.0 * (gy - p->u22 * hy)},
                            {hx, p->u12 * hx, gy - p->u12 * hx, 2.0 * p->u22 * hx}};
}

static WF_ALWAYS_INLINE void form_times(const wf_tangent *t, const wf_wide r[4], wf_wide product[4])
{
    product[0] = t->spin * r[0] + t->coupling[0] * r[1] + t->coupling[1] * r[2] + t->coupling[2] * r[3];
    for (int i = 0; i < 3; i++) {
        product[i + 1] = t->coupling[i] * r[0] + t->strain[i][0] * r[1] + t->strain[i][1] * r[2] +
                         t->strain[i][2] * r[3];
    }
}

static inline wf_wide dot4(const wf_wide a[4], const wf_wide b[4])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/* -(a + b^T) */
static inline wf_plane_block minus_sum(wf_plane_block a, wf_plane_block b)
{
    return (wf_plane_block){-(a.m11 + b.m11), -(a.m12 + b.m21), -(a.m21 + b.m12), -(a.m22 + b.m22),
                            -(a.rest + b.rest)};
}

/* From blocks whose `rest` acts along the normal alone, n n^T = I - R R^T. */
static WF_ALWAYS_INLINE void store_frame_block(wf_membrane_results *results, int side, int lane, const wf_polar *p,
                                               wf_plane_block b)
{
    b.m11 -= b.rest;
    b.m22 -= b.rest;
    wf_store_block(results, side, lane, p->r1, p->r2, b);
}

static WF_ALWAYS_INLINE void store_blocks(const wf_faces *f, const wf_polar *p, bool frozen, const wf_tangent *t,
                                          int lane, wf_membrane_results *results)
{
    wf_wide g1x = f->gradient1x, g1y = f->gradient1y, g2x = f->gradient2x, g2y = f->gradient2y;
    strain_columns of1 = strain_columns_of(g1x, g1y, p, frozen), of2 = strain_columns_of(g2x, g2y, p, frozen);
    wf_wide form11[4], form12[4], form21[4], form22[4];
    form_times(t, of1.along1, form11);
    form_times(t, of1.along2, form12);
    form_times(t, of2.along1, form21);
    form_times(t, of2.along2, form22);
    wf_wide n1x = t->normal11 * g1x + t->normal12 * g1y, n1y = t->normal12 * g1x + t->normal22 * g1y;
    wf_wide n2x = t->normal11 * g2x + t->normal12 * g2y, n2y = t->normal12 * g2x + t->normal22 * g2y;
    wf_wide mixed1 = dot4(of1.along1, form12), mixed2 = dot4(of2.along1, form22);
    wf_plane_block k11 = {dot4(of1.along1, form11), mixed1, mixed1, dot4(of1.along2, form12), g1x * n1x + g1y * n1y};
    wf_plane_block k22 = {dot4(of2.along1, form21), mixed2, mixed2, dot4(of2.along2, form22), g2x * n2x + g2y * n2y};
    wf_plane_block k12 = {dot4(of1.along1, form21), dot4(of1.along1, form22), dot4(of1.along2, form21),
                       dot4(of1.along2, form22), g1x * n2x + g1y * n2y};
    /* (0, 1) = -(1, 1) - (2, 1) and (2, 0) = -(2, 2) - (2, 1) */
    store_frame_block(results, 0, lane, p, minus_sum(k11, k12));
    store_frame_block(results, 1, lane, p, k12);
    store_frame_block(results, 2, lane, p, minus_sum(k22, k12));
}

/* t times stiffness, plus damping C */
static WF_ALWAYS_INLINE wf_tangent scaled_tangent(wf_tangent t, wf_wide stiffness, wf_wide damping,
                                                  const wf_wide moduli[4])
{
    t.spin *= stiffness;
    for (int i = 0; i < 3; i++) {
        t.coupling[i] *= stiffness;
        for (int j = 0; j < 3; j++) {
            t.strain[i][j] *= stiffness;
        }
    }
    t.normal11 *= stiffness;
    t.normal12 *= stiffness;
    t.normal22 *= stiffness;
    t.strain[0][0] += damping * moduli[0];
    t.strain[0][1] += damping * moduli[1];
    t.strain[1][0] += damping * moduli[1];
    t.strain[1][1] += damping * moduli[2];
    t.strain[2][2] += damping * moduli[3];
    return t;
}

/* Each stage of the work is done for several vectors of faces before the next: one fills what another waits for. */
enum { STAGED = 32 / WF_WIDTH };

static WF_ALWAYS_INLINE void staged_blocks(const wf_membrane *m, size_t batch, bool frozen, bool exact,
                                           const wf_vec3 *x, double stiffness_scale, double damping_scale, int count,
                                           wf_membrane_results *results)
{
    enum { PARTS = WF_LANES / WF_WIDTH };
    wf_faces f[STAGED];
    wf_polar p[STAGED];
    wf_tangent t[STAGED];
    for (int k = 0; k < count; k++) {
        f[k] = wf_read_faces(m, batch + (size_t)(k / PARTS), k % PARTS * WF_WIDTH);
        p[k] = read_polar(m, batch + (size_t)(k / PARTS), k % PARTS * WF_WIDTH, &f[k], x);
    }
    for (int k = 0; k < count && !frozen; k++) {
        wf_stress s = wf_stress_of(f[k].moduli, p[k].u11 - 1.0, p[k].u12, p[k].u22 - 1.0);
        if (m->past_rate > 0) {
            s = stress_sum(s, past_stress(m, batch + (size_t)(k / PARTS), k % PARTS * WF_WIDTH, &f[k], &p[k]));
        }
        wf_exact_tangent(&p[k], &s, f[k].moduli, exact ? WF_LARGEST_EXACT : WF_LARGEST_SEMIDEFINITE, &t[k]);
        if (!exact) {
            wf_clamp_normal(&t[k]);
        }
    }
    for (int k = 0; k < count && !frozen && !exact; k++) {
        wf_clamp_spin(&t[k]);
    }
    for (int k = 0; k < count; k++) {
        wf_wide stiffness = stiffness_scale * f[k].area, damping = damping_scale * f[k].viscosity * f[k].area;
        wf_tangent scaled;
        if (frozen) {
            /* Stiffness and viscosity act on sym(R^T dF) alike. */
            wf_wide none = wf_wide_set(0);
            scaled = (wf_tangent){.spin = none};
            scaled = scaled_tangent(scaled, none, stiffness + damping, f[k].moduli);
        } else {
            scaled = scaled_tangent(t[k], stiffness, damping, f[k].moduli);
        }
        store_blocks(&f[k], &p[k], frozen, &scaled, k % PARTS * WF_WIDTH, &results[k / PARTS]);
    }
}

static void all_blocks(const wf_membrane *m, const wf_vec3 *x, double stiffness_scale, double damping_scale, bool exact,
                       size_t begin, size_t end, wf_membrane_results *results)
{
    enum { BATCHES = STAGED * WF_WIDTH / WF_LANES };
    for (size_t batch = begin; batch < end; batch += BATCHES, results += BATCHES) {
        int count = (int)(end - batch < BATCHES ? end - batch : BATCHES) * (WF_LANES / WF_WIDTH);
        if (m->form == WF_MEMBRANE_THESIS) {
            staged_blocks(m, batch, true, false, x, stiffness_scale, damping_scale, count, results);
        } else if (exact) {
            staged_blocks(m, batch, false, true, x, stiffness_scale, damping_scale, count, results);
        } else {
            staged_blocks(m, batch, false, false, x, stiffness_scale, damping_scale, count, results);
        }
    }
}

/* ---- the matrix -------------------------------------------------------------------------------------------------- */

static void set_edges(const wf_membrane_edge *edges, size_t count, const wf_membrane_results *results, wf_mat3 *blocks)
{
    for (size_t e = 0; e < count; e++) {
        double *to = &blocks[edges[e].place >> 1].m[0][0];
#if defined(WF_WIDE_VECTORS) && WF_VECTOR_BYTES == 64
        const __m512i transposed = _mm512_setr_epi64(0, 3, 6, 1, 4, 7, 2, 5);
        double last_a, last_b;
        __m512d sum = _mm512_load_pd(wf_membrane_block(results, edges[e].first >> 1, &last_a));
        __m512d other = _mm512_load_pd(wf_membrane_block(results, edges[e].second >> 1, &last_b));
        if (edges[e].second & 1) {
            other = _mm512_permutexvar_pd(transposed, other);
        }
        sum = _mm512_add_pd(sum, other);
        if (edges[e].place & 1) {
            sum = _mm512_permutexvar_pd(transposed, sum);
        }
        double last = last_a + last_b;
        if (edges[e].first & 1) {
            sum = _mm512_add_pd(sum, _mm512_loadu_pd(to));
            last += to[8];
        }
        _mm512_storeu_pd(to, sum);
        to[8] = last;
#else
        wf_mat3 sum = wf_membrane_edge_block(&edges[e], results);
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) {
                double entry = edges[e].place & 1 ? sum.m[c][r] : sum.m[r][c];
                to[3 * r + c] = edges[e].first & 1 ? entry + to[3 * r + c] : entry;
            }
        }
#endif
    }
}

/* Sums of 3 x 3 blocks: the first eight entries in one register where that is wide enough. */
#if defined(WF_WIDE_VECTORS) && WF_VECTOR_BYTES == 64
typedef struct block_sum {
    __m512d first;
    double last;
} block_sum;

static inline void add_block(block_sum *sum, const wf_mat3 *block)
{
    sum->first = _mm512_add_pd(sum->first, _mm512_loadu_pd(&block->m[0][0]));
    sum->last += block->m[2][2];
}

/* -a - b^T */
static inline void store_minus(const block_sum *a, const block_sum *b, wf_mat3 *to)
{
    __m512d transposed = _mm512_permutexvar_pd(_mm512_setr_epi64(0, 3, 6, 1, 4, 7, 2, 5), b->first);
    _mm512_storeu_pd(&to->m[0][0], _mm512_sub_pd(-a->first, transposed));
    to->m[2][2] = -a->last - b->last;
}
#else
typedef wf_mat3 block_sum;

static inline void add_block(block_sum *sum, const wf_mat3 *block)
{
    for (int e = 0; e < 9; e++) {
        (&sum->m[0][0])[e] += (&block->m[0][0])[e];
    }
}

static inline void store_minus(const block_sum *a, const block_sum *b, wf_mat3 *to)
{
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            to->m[r][c] = -a->m[r][c] - b->m[c][r];
        }
    }
}
#endif

static void set_diagonals(const wf_membrane *m, const wf_membrane_vertex *vertices, size_t count, int32_t end,
                          wf_mat3 *blocks)
{
    const wf_pattern *pattern = m->assembly.pattern;
    for (size_t k = 0; k < count; k++) {
        int32_t row = vertices[k].vertex;
        if (m->incidence.corner[m->incidence.start[row + 1] - 1] / 3 >= end * WF_LANES) {
            continue;
        }
        block_sum lower = {0}, upper = {0}; /* the latter of the transposed blocks */
        int32_t diagonal = wf_pattern_diagonal_place(pattern, row);
        for (int32_t place = wf_pattern_first_place(pattern, row); place < diagonal; place++) {
            add_block(&lower, &blocks[place]);
        }
        int32_t index = wf_pattern_upper_start(pattern, row), row_end = pattern->row_start[row + 1];
        for (int32_t slot = pattern->diagonal[row] + 1; slot < row_end; slot++, index++) {
            if (pattern->column[slot] >= m->head.end_row) {
                break; /* that row is another model's, and its blocks may not have been cleared yet */
            }
            add_block(&upper, &blocks[wf_pattern_upper_place(pattern, index, pattern->column[slot])]);
        }
        store_minus(&lower, &upper, &blocks[diagonal]);
    }
}

const wf_membrane_kernels WF_KERNELS(wf_membrane_kernels) = {
    .corotational = {all_energies, add_past, all_forces, all_blocks},
    .set_edges = set_edges,
    .set_diagonals = set_diagonals,
    .add_forces = add_forces,
};
