/* pressure.c - serial: a face costs three cross products, a hundredth of what its membrane costs. */
#include "model/pressure.h"

#include <stdlib.h>
#include <string.h>

#include "base/symmetric.h"

/* m3: gases are not compressed further; their pressure stays finite. */
#define SMALLEST_VOLUME 1e-9
#define LARGEST_PRESSURE 1e9

typedef struct wf_pressure {
    wf_model head;
    int32_t (*faces)[3];
    int32_t (*places)[9];
    int32_t chamber_count;
    int32_t *chamber_start;
    wf_chamber *chambers;
} wf_pressure;

static double face_volume(const int32_t face[3], const wf_vec3 *x)
{
    return wf_vec3_dot(x[face[0]], wf_vec3_cross(x[face[1]], x[face[2]])) / 6;
}

double wf_pressure_volume(const wf_model *model, int32_t chamber, const wf_vec3 *x)
{
    const wf_pressure *m = (const wf_pressure *)model;
    double sum = 0;
    for (int32_t f = m->chamber_start[chamber]; f < m->chamber_start[chamber + 1]; f++) {
        sum += face_volume(m->faces[f], x);
    }
    return sum;
}

double wf_pressure_at(const wf_chamber *chamber, double volume)
{
    return chamber->gas ? chamber->amount / fmax(volume, SMALLEST_VOLUME) - chamber->outside : chamber->pressure;
}

/* The energy of a gas goes on in a straight line below the smallest volume, as its pressure stays there. */
static double gas_energy(const wf_chamber *chamber, double volume)
{
    double kept = fmax(volume, SMALLEST_VOLUME);
    return chamber->outside * volume - chamber->amount * (log(kept) + (volume - kept) / kept);
}

/* A gas counts with the first of its faces. */
static double pressure_energy(wf_context *context, wf_model *model, const wf_vec3 *x, int32_t first, int32_t count)
{
    (void)context;
    const wf_pressure *m = (const wf_pressure *)model;
    double sum = 0;
    for (int32_t c = 0; c < m->chamber_count; c++) {
        int32_t begin = m->chamber_start[c], end = m->chamber_start[c + 1];
        if (m->chambers[c].gas && begin < end && begin >= first && begin < first + count) {
            sum += gas_energy(&m->chambers[c], wf_pressure_volume(model, c, x));
        }
        for (int32_t f = begin > first ? begin : first; !m->chambers[c].gas && f < end && f < first + count; f++) {
            sum -= m->chambers[c].pressure * face_volume(m->faces[f], x);
        }
    }
    return sum;
}

/* p A n / 3 on each corner. */
static void pressure_add_forces(wf_context *context, wf_model *model, const wf_vec3 *x, const wf_vec3 *v, wf_vec3 *f)
{
    (void)context;
    (void)v;
    const wf_pressure *m = (const wf_pressure *)model;
    for (int32_t c = 0; c < m->chamber_count; c++) {
        double volume = m->chambers[c].gas ? wf_pressure_volume(model, c, x) : 0;
        double third = wf_pressure_at(&m->chambers[c], volume) / 6;
        for (int32_t k = m->chamber_start[c]; k < m->chamber_start[c + 1]; k++) {
            const int32_t *face = m->faces[k];
            wf_vec3 along = wf_vec3_sub(x[face[1]], x[face[0]]), across = wf_vec3_sub(x[face[2]], x[face[0]]);
            wf_vec3 push = wf_vec3_scale(wf_vec3_cross(along, across), third);
            for (int i = 0; i < 3; i++) {
                f[face[i]] = wf_vec3_add(f[face[i]], push);
            }
        }
    }
}

static wf_mat3 cross_matrix(wf_vec3 a, double scale)
{
    a = wf_vec3_scale(a, scale);
    return (wf_mat3){{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}};
}

/* -d force / d x_j of any corner is p/6 [x_{j+1} - x_{j+2}]x, the same for all three; it is not symmetric:
 * the part against its transpose cancels over the faces around an inner edge, and is left out at once. */
static void face_matrix(const int32_t face[3], const wf_vec3 *x, double pressure, double matrix[81])
{
    for (int j = 0; j < 3; j++) {
        wf_vec3 side = wf_vec3_sub(x[face[(j + 1) % 3]], x[face[(j + 2) % 3]]);
        wf_mat3 block = cross_matrix(side, pressure / 6);
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 9; k++) {
                matrix[(3 * i + k / 3) * 9 + 3 * j + k % 3] = block.m[k / 3][k % 3];
            }
        }
    }
}

static void make_symmetric(double matrix[81])
{
    for (int r = 0; r < 9; r++) {
        for (int c = 0; c < r; c++) {
            matrix[9 * r + c] = matrix[9 * c + r] = 0.5 * (matrix[9 * r + c] + matrix[9 * c + r]);
        }
    }
}

static void add_any_matrix(const wf_pressure *m, const wf_vec3 *x, double scale, wf_matrix_values a, bool exact)
{
    for (int32_t c = 0; c < m->chamber_count; c++) {
        double volume = m->chambers[c].gas ? wf_pressure_volume(&m->head, c, x) : 0;
        double pressure = scale * wf_pressure_at(&m->chambers[c], volume);
        for (int32_t f = m->chamber_start[c]; pressure != 0 && f < m->chamber_start[c + 1]; f++) {
            double matrix[81];
            face_matrix(m->faces[f], x, pressure, matrix);
            make_symmetric(matrix);
            if (!exact) {
                wf_symmetric_clamp(9, matrix);
            }
            for (int k = 0; k < 81; k++) {
                int r = k / 9, s = k % 9;
                int32_t place = m->places[f][3 * (r / 3) + s / 3];
                if (place >= 0) {
                    a.blocks[place].m[r % 3][s % 3] += matrix[k];
                }
            }
        }
    }
}

static void pressure_add_matrix(wf_context *context, wf_model *model, const wf_vec3 *x, double stiffness_scale,
                                double damping_scale, wf_matrix_values a)
{
    (void)context;
    (void)damping_scale;
    add_any_matrix((const wf_pressure *)model, x, stiffness_scale, a, false);
}

static void pressure_add_exact_matrix(wf_context *context, wf_model *model, const wf_vec3 *x, double stiffness_scale,
                                      double damping_scale, wf_matrix_values a)
{
    (void)context;
    (void)damping_scale;
    add_any_matrix((const wf_pressure *)model, x, stiffness_scale, a, true);
}

/* amount / V^2 (dV/dx)(dV/dx)^T */
static wf_status pressure_add_low_rank(wf_context *context, wf_model *model, const wf_vec3 *x, double stiffness_scale,
                                       double damping_scale, bool exact, wf_low_rank *terms)
{
    (void)damping_scale;
    (void)exact;
    const wf_pressure *m = (const wf_pressure *)model;
    for (int32_t c = 0; c < m->chamber_count; c++) {
        double volume = m->chambers[c].gas ? wf_pressure_volume(model, c, x) : 0;
        if (!(volume > SMALLEST_VOLUME && stiffness_scale > 0)) {
            continue;
        }
        wf_vec3 *gradient = wf_low_rank_add(context, terms,
                                            stiffness_scale * m->chambers[c].amount / (volume * volume));
        if (!gradient) {
            return WF_ERROR_MEMORY;
        }
        for (int32_t f = m->chamber_start[c]; f < m->chamber_start[c + 1]; f++) {
            const int32_t *face = m->faces[f];
            wf_vec3 along = wf_vec3_sub(x[face[1]], x[face[0]]), across = wf_vec3_sub(x[face[2]], x[face[0]]);
            wf_vec3 third = wf_vec3_scale(wf_vec3_cross(along, across), 1.0 / 6);
            for (int i = 0; i < 3; i++) {
                gradient[face[i]] = wf_vec3_add(gradient[face[i]], third);
            }
        }
    }
    return WF_OK;
}

static wf_status pressure_bind(wf_context *context, wf_model *model, const wf_pattern *blocks,
                               const wf_scalar_pattern *scalars)
{
    (void)scalars;
    return wf_pattern_place_all(context, blocks, &model->stencil, (int32_t *)((wf_pressure *)model)->places);
}

static void pressure_destroy(wf_context *context, wf_model *model)
{
    wf_pressure *m = (wf_pressure *)model;
    wf_free(context, m->faces);
    wf_free(context, m->places);
    wf_free(context, m->chamber_start);
    wf_free(context, m->chambers);
    wf_free(context, m);
}

static const wf_model_class pressure_class = {
    .name = "pressure",
    .destroy = pressure_destroy,
    .energy = pressure_energy,
    .add_forces = pressure_add_forces,
    .add_matrix = pressure_add_matrix,
    .add_exact_matrix = pressure_add_exact_matrix,
    .add_low_rank = pressure_add_low_rank,
    .bind = pressure_bind,
};

/* ---- checks ---------------------------------------------------------------------------------------------------- */

typedef struct half_edge {
    int32_t low, high, way; /* way 1: from low to high */
} half_edge;

static int compare_edges(const void *a, const void *b)
{
    const half_edge *p = a, *q = b;
    return p->low != q->low ? (p->low < q->low ? -1 : 1) : p->high != q->high ? (p->high < q->high ? -1 : 1) : 0;
}

wf_status wf_pressure_check_closed(wf_context *context, int32_t count, const int32_t (*faces)[3],
                                   const int32_t *source)
{
    size_t edges = 3 * (size_t)count;
    half_edge *list = wf_allocate(context, edges, sizeof *list);
    if (!list) {
        return WF_ERROR_MEMORY;
    }
    for (size_t e = 0; e < edges; e++) {
        int32_t a = faces[e / 3][e % 3], b = faces[e / 3][(e + 1) % 3];
        list[e] = a < b ? (half_edge){a, b, 1} : (half_edge){b, a, -1};
    }
    qsort(list, edges, sizeof *list, compare_edges);
    wf_status status = WF_OK;
    for (size_t e = 0, next; status == WF_OK && e < edges; e = next) {
        int32_t balance = 0;
        for (next = e; next < edges && compare_edges(&list[e], &list[next]) == 0; next++) {
            balance += list[next].way;
        }
        int32_t low = source ? source[list[e].low] : list[e].low, high = source ? source[list[e].high] : list[e].high;
        if (next - e == 1) {
            status = wf_fail(context, WF_ERROR_GEOMETRY,
                             "a gas needs a closed piece, and this one is open at the edge between vertices %d and %d",
                             low + 1, high + 1);
        } else if (balance != 0) {
            status = wf_fail(context, WF_ERROR_GEOMETRY,
                             "a gas needs a piece with one inside, and the %d faces at the edge between vertices %d "
                             "and %d do not face the same side",
                             (int)(next - e), low + 1, high + 1);
        }
    }
    wf_free(context, list);
    return status;
}

static wf_status check_chamber(wf_context *context, const wf_pressure_def *def, int32_t c)
{
    const wf_chamber *chamber = &def->chambers[c];
    int32_t begin = def->chamber_start[c], end = def->chamber_start[c + 1];
    for (int32_t f = begin; f < end; f++) {
        const int32_t *v = def->faces[f];
        for (int k = 0; k < 3; k++) {
            if (v[k] < 0 || v[k] >= def->vertex_count || v[k] == v[(k + 1) % 3]) {
                return wf_fail(context, WF_ERROR_ARGUMENT,
                               "face %d needs three different vertices of %d, got %d, %d, %d", f + 1,
                               def->vertex_count, v[0] + 1, v[1] + 1, v[2] + 1);
            }
        }
    }
    /* Written so that NaN fails too. */
    if (!chamber->gas && !(fabs(chamber->pressure) <= LARGEST_PRESSURE)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "a pressure must be from -%g to %g Pa, got %g", LARGEST_PRESSURE,
                       LARGEST_PRESSURE, chamber->pressure);
    }
    if (!chamber->gas) {
        return WF_OK;
    }
    if (!(chamber->amount > 0 && chamber->amount <= 1e12 && chamber->outside >= 0 &&
          chamber->outside <= LARGEST_PRESSURE)) {
        return wf_fail(context, WF_ERROR_ARGUMENT,
                       "a gas needs an amount above 0 J and an outside pressure from 0 to %g Pa, got %g and %g",
                       LARGEST_PRESSURE, chamber->amount, chamber->outside);
    }
    return wf_pressure_check_closed(context, end - begin, def->faces + begin, NULL);
}

wf_status wf_pressure_create(wf_context *context, const wf_pressure_def *def, wf_model **model)
{
    *model = NULL;
    for (int32_t c = 0; c < def->chamber_count; c++) {
        wf_status status = check_chamber(context, def, c);
        if (status != WF_OK) {
            return status;
        }
    }
    wf_pressure *m = wf_allocate(context, 1, sizeof *m);
    if (!m) {
        return WF_ERROR_MEMORY;
    }
    size_t count = (size_t)def->count, chambers = (size_t)def->chamber_count;
    m->head = (wf_model){.class = &pressure_class, .vertex_count = def->vertex_count};
    m->chamber_count = def->chamber_count;
    m->faces = wf_allocate(context, count, sizeof *m->faces);
    m->places = wf_allocate(context, count, sizeof *m->places);
    m->chamber_start = wf_allocate(context, chambers + 1, sizeof *m->chamber_start);
    m->chambers = wf_allocate(context, chambers, sizeof *m->chambers);
    if (!m->faces || !m->places || !m->chamber_start || !m->chambers) {
        pressure_destroy(context, &m->head);
        return WF_ERROR_MEMORY;
    }
    memcpy(m->faces, def->faces, count * sizeof *m->faces);
    memcpy(m->chamber_start, def->chamber_start, (chambers + 1) * sizeof *m->chamber_start);
    memcpy(m->chambers, def->chambers, chambers * sizeof *m->chambers);
    m->head.stencil = (wf_stencil){def->count, 3, &m->faces[0][0]};
    *model = &m->head;
    return WF_OK;
}

wf_chamber *wf_pressure_chambers(wf_model *model)
{
    return ((wf_pressure *)model)->chambers;
}
