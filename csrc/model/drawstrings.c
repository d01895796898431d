#include "model/drawstrings.h"

#include <string.h>

#define SHORTEST_EDGE 1e-6 /* m */
#define CRIMP 1e-3         /* the strain at which a string is straight */

typedef struct wf_drawstrings {
    wf_model head;
    int32_t (*pairs)[2];
    int32_t (*places)[4];
    int32_t string_count;
    int32_t *string_start;
    wf_drawstring *strings;
} wf_drawstrings;

/* m: how long the path of `count` edges is. */
static double path_length(int32_t count, const int32_t (*pairs)[2], const wf_vec3 *x)
{
    double sum = 0;
    for (int32_t e = 0; e < count; e++) {
        sum += wf_vec3_distance(x[pairs[e][0]], x[pairs[e][1]]);
    }
    return sum;
}

typedef struct pull {
    double energy, tension, modulus; /* J, N, N: the tension's derivative by the strain */
} pull;

static pull pull_of(const wf_drawstring *string, double path)
{
    double k = string->stiffness, e = (path - string->length) / string->length, c = CRIMP;
    if (e <= 0) {
        return (pull){0, 0, 0};
    }
    if (e < c) {
        return (pull){string->length * k * e * e * e / (6 * c), 0.5 * k * e * e / c, k * e / c};
    }
    double over = e - c;
    return (pull){string->length * k * (c * c / 6 + 0.5 * c * over + 0.5 * over * over), k * (e - 0.5 * c), k};
}

double wf_drawstring_tension(const wf_drawstring *string, double path)
{
    return pull_of(string, path).tension;
}

/* A string at x. */
typedef struct reach {
    const wf_drawstring *string;
    int32_t first, count; /* edges */
    pull pull;
} reach;

static reach reach_of(const wf_drawstrings *m, int32_t k, const wf_vec3 *x)
{
    reach r = {&m->strings[k], m->string_start[k], m->string_start[k + 1] - m->string_start[k], {0, 0, 0}};
    r.pull = pull_of(r.string, path_length(r.count, (const int32_t(*)[2])(m->pairs + r.first), x));
    return r;
}

/* The unit vector from the edge's first vertex to its second; zero where there is none. */
static wf_vec3 direction_of(const int32_t pair[2], const wf_vec3 *x, double *length)
{
    wf_vec3 way = wf_vec3_sub(x[pair[1]], x[pair[0]]);
    *length = wf_vec3_norm(way);
    return *length > SHORTEST_EDGE ? wf_vec3_scale(way, 1 / *length) : (wf_vec3){0, 0, 0};
}

/* A string counts with the first of its edges. */
static double drawstrings_energy(wf_context *context, wf_model *model, const wf_vec3 *x, int32_t first, int32_t count)
{
    (void)context;
    const wf_drawstrings *m = (const wf_drawstrings *)model;
    double sum = 0;
    for (int32_t k = 0; k < m->string_count; k++) {
        reach r = reach_of(m, k, x);
        if (r.count > 0 && r.first >= first && r.first < first + count) {
            sum += r.pull.energy;
        }
    }
    return sum;
}

static void drawstrings_add_forces(wf_context *context, wf_model *model, const wf_vec3 *x, const wf_vec3 *v, wf_vec3 *f)
{
    (void)context;
    const wf_drawstrings *m = (const wf_drawstrings *)model;
    for (int32_t k = 0; k < m->string_count; k++) {
        reach r = reach_of(m, k, x);
        double length, rate = 0;
        for (int32_t e = r.first; v && r.pull.tension > 0 && e < r.first + r.count; e++) {
            wf_vec3 way = wf_vec3_sub(v[m->pairs[e][1]], v[m->pairs[e][0]]);
            rate += wf_vec3_dot(direction_of(m->pairs[e], x, &length), way);
        }
        double pull = r.pull.tension + r.pull.modulus * r.string->viscosity / r.string->length * rate;
        for (int32_t e = r.first; r.pull.tension > 0 && e < r.first + r.count; e++) {
            wf_vec3 along = direction_of(m->pairs[e], x, &length);
            int32_t i = m->pairs[e][0], j = m->pairs[e][1];
            f[i] = wf_vec3_muladds(f[i], along, pull);
            f[j] = wf_vec3_muladds(f[j], along, -pull);
        }
    }
}

/* Semidefinite as it is, since a string only pulls. */
static void add_turning(const wf_drawstrings *m, const wf_vec3 *x, double stiffness_scale, bool exact,
                        wf_matrix_values a)
{
    for (int32_t k = 0; k < m->string_count; k++) {
        reach r = reach_of(m, k, x);
        double tension = exact ? r.pull.tension : fmin(r.pull.tension, r.string->expected);
        for (int32_t e = r.first; r.pull.tension > 0 && e < r.first + r.count; e++) {
            double length;
            wf_vec3 along = direction_of(m->pairs[e], x, &length);
            double across = length > SHORTEST_EDGE ? stiffness_scale * tension / length : 0;
            wf_mat3 block = wf_mat3_identity_plus_outer(across, -across, along, along);
            const double sign[4] = {1, -1, -1, 1};
            for (int corner = 0; corner < 4; corner++) {
                int32_t place = m->places[e][corner];
                if (place >= 0) {
                    a.blocks[place] = wf_mat3_muladds(a.blocks[place], block, sign[corner]);
                }
            }
        }
    }
}

static void drawstrings_add_matrix(wf_context *context, wf_model *model, const wf_vec3 *x, double stiffness_scale,
                                   double damping_scale, wf_matrix_values a)
{
    (void)context;
    (void)damping_scale;
    add_turning((const wf_drawstrings *)model, x, stiffness_scale, false, a);
}

static void drawstrings_add_exact_matrix(wf_context *context, wf_model *model, const wf_vec3 *x,
                                         double stiffness_scale, double damping_scale, wf_matrix_values a)
{
    (void)context;
    (void)damping_scale;
    add_turning((const wf_drawstrings *)model, x, stiffness_scale, true, a);
}

/* How the length of a path grows with its vertices: of the edges e and, after it, `next` the product of their gradients
 * at the vertex where they meet, over its mass, 1/kg. */
static double meeting(const wf_drawstrings *m, const wf_vec3 *x, const double *inverse_mass, int32_t e, int32_t next)
{
    double length, sum = 0;
    for (int k = 0; k < 4; k++) {
        int32_t vertex = m->pairs[e][k / 2];
        if (vertex == m->pairs[next][k % 2]) {
            double sign = k == 0 || k == 3 ? 1 : -1;
            sum += sign * inverse_mass[vertex] * wf_vec3_dot(direction_of(m->pairs[e], x, &length),
                                                             direction_of(m->pairs[next], x, &length));
        }
    }
    return sum;
}

void wf_drawstrings_expect(wf_model *model, const wf_vec3 *x, const double *inverse_mass, double time_step)
{
    const wf_drawstrings *m = (const wf_drawstrings *)model;
    for (int32_t k = 0; k < m->string_count; k++) {
        reach r = reach_of(m, k, x);
        double mobility = 0; /* 1/kg: |gradient|^2 / mass, summed over the vertices */
        for (int32_t e = 0; e < r.count; e++) {
            int32_t edge = r.first + e, next = r.first + (e + 1) % r.count;
            mobility += meeting(m, x, inverse_mass, edge, edge);
            if (r.count > 2 || (r.count == 2 && e == 0)) {
                mobility += 2 * meeting(m, x, inverse_mass, edge, next);
            }
        }
        double give = r.string->stiffness / r.string->length * time_step * time_step * fmax(0, mobility);
        m->strings[k].expected = fmax(2 * r.string->settled, r.pull.tension / (1 + give));
    }
}

void wf_drawstrings_settle(wf_model *model, const wf_vec3 *x0, const wf_vec3 *x1, const wf_vec3 *v1)
{
    const wf_drawstrings *m = (const wf_drawstrings *)model;
    for (int32_t k = 0; k < m->string_count; k++) {
        reach r = reach_of(m, k, x0);
        double length, longer = 0, rate = 0;
        for (int32_t e = r.first; e < r.first + r.count; e++) {
            int32_t i = m->pairs[e][0], j = m->pairs[e][1];
            wf_vec3 along = direction_of(m->pairs[e], x0, &length);
            wf_vec3 start = wf_vec3_sub(x0[j], x0[i]);
            longer += wf_vec3_dot(along, wf_vec3_sub(wf_vec3_sub(x1[j], x1[i]), start));
            rate += wf_vec3_dot(along, wf_vec3_sub(v1[j], v1[i]));
        }
        double change = r.string->stiffness * longer + r.string->viscosity * r.pull.modulus * rate;
        m->strings[k].settled = fmax(0, r.pull.tension + change / r.string->length);
    }
}

static wf_status drawstrings_add_low_rank(wf_context *context, wf_model *model, const wf_vec3 *x,
                                          double stiffness_scale, double damping_scale, bool exact, wf_low_rank *terms)
{
    const wf_drawstrings *m = (const wf_drawstrings *)model;
    for (int32_t k = 0; k < m->string_count; k++) {
        reach r = reach_of(m, k, x);
        /* A step that saw only the little stiffness of a string that begins to pull would go far beyond. */
        double modulus = exact ? r.pull.modulus : r.string->stiffness;
        double factor = (stiffness_scale * modulus + damping_scale * r.string->viscosity * r.pull.modulus) /
                        r.string->length;
        if (!(r.pull.tension > 0 && factor > 0)) {
            continue;
        }
        wf_vec3 *gradient = wf_low_rank_add(context, terms, factor);
        if (!gradient) {
            return WF_ERROR_MEMORY;
        }
        for (int32_t e = r.first; e < r.first + r.count; e++) {
            double length;
            wf_vec3 along = direction_of(m->pairs[e], x, &length);
            int32_t i = m->pairs[e][0], j = m->pairs[e][1];
            gradient[i] = wf_vec3_sub(gradient[i], along);
            gradient[j] = wf_vec3_add(gradient[j], along);
        }
    }
    return WF_OK;
}

static wf_status drawstrings_bind(wf_context *context, wf_model *model, const wf_pattern *blocks,
                                  const wf_scalar_pattern *scalars)
{
    (void)scalars;
    return wf_pattern_place_all(context, blocks, &model->stencil, (int32_t *)((wf_drawstrings *)model)->places);
}

static void drawstrings_destroy(wf_context *context, wf_model *model)
{
    wf_drawstrings *m = (wf_drawstrings *)model;
    wf_free(context, m->pairs);
    wf_free(context, m->places);
    wf_free(context, m->string_start);
    wf_free(context, m->strings);
    wf_free(context, m);
}

static const wf_model_class drawstrings_class = {
    .name = "drawstrings",
    .destroy = drawstrings_destroy,
    .energy = drawstrings_energy,
    .add_forces = drawstrings_add_forces,
    .add_matrix = drawstrings_add_matrix,
    .add_exact_matrix = drawstrings_add_exact_matrix,
    .add_low_rank = drawstrings_add_low_rank,
    .bind = drawstrings_bind,
};

static wf_status check_def(wf_context *context, const wf_drawstrings_def *def)
{
    for (int32_t e = 0; e < def->count; e++) {
        int32_t i = def->pairs[e][0], j = def->pairs[e][1];
        if (i < 0 || j < 0 || i >= def->vertex_count || j >= def->vertex_count || i == j) {
            return wf_fail(context, WF_ERROR_ARGUMENT,
                           "edge %d joins vertices %d and %d; two different ones of %d are needed", e + 1, i + 1,
                           j + 1, def->vertex_count);
        }
    }
    for (int32_t k = 0; k < def->string_count; k++) {
        const wf_drawstring *s = &def->strings[k];
        /* Written so that NaN and infinity fail too. */
        if (!(s->length > 0 && s->length < 1e6 && s->stiffness >= 0 && s->stiffness < 1e12 && s->viscosity >= 0 &&
              s->viscosity <= 1e3)) {
            return wf_fail(context, WF_ERROR_ARGUMENT,
                           "string %d needs a length > 0, a stiffness >= 0 and a viscosity from 0 to 1000, got %g m, "
                           "%g N, %g s", k + 1, s->length, s->stiffness, s->viscosity);
        }
    }
    return WF_OK;
}

wf_status wf_drawstrings_create(wf_context *context, const wf_drawstrings_def *def, wf_model **model)
{
    *model = NULL;
    wf_status status = check_def(context, def);
    if (status != WF_OK) {
        return status;
    }
    wf_drawstrings *m = wf_allocate(context, 1, sizeof *m);
    if (!m) {
        return WF_ERROR_MEMORY;
    }
    size_t count = (size_t)def->count, strings = (size_t)def->string_count;
    m->head = (wf_model){.class = &drawstrings_class, .vertex_count = def->vertex_count};
    m->string_count = def->string_count;
    m->pairs = wf_allocate(context, count, sizeof *m->pairs);
    m->places = wf_allocate(context, count, sizeof *m->places);
    m->string_start = wf_allocate(context, strings + 1, sizeof *m->string_start);
    m->strings = wf_allocate(context, strings, sizeof *m->strings);
    if (!m->pairs || !m->places || !m->string_start || !m->strings) {
        drawstrings_destroy(context, &m->head);
        return WF_ERROR_MEMORY;
    }
    if (count > 0) {
        memcpy(m->pairs, def->pairs, count * sizeof *m->pairs);
    }
    memcpy(m->string_start, def->string_start, (strings + 1) * sizeof *m->string_start);
    if (strings > 0) {
        memcpy(m->strings, def->strings, strings * sizeof *m->strings);
    }
    m->head.stencil = (wf_stencil){def->count, 2, &m->pairs[0][0]};
    *model = &m->head;
    return WF_OK;
}

wf_drawstring *wf_drawstrings_of(wf_model *model)
{
    return ((wf_drawstrings *)model)->strings;
}
