/* stability.c - see stability.h. */
#include "step/stability.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "step/scheme.h"

enum {
    UNKNOWN_LIMIT = 16,
    STATE_LIMIT = 2 * UNKNOWN_LIMIT * (WF_HISTORY_STATES + 2), /* of the map */
    EXACT_SQUARINGS = 50, /* the radius to rounding */
    MAP_SQUARINGS = 22    /* and for pictures */
};

/* An eigenvalue on the unit circle is stable; this is what rounding may add to it. */
#define MARGIN 1e-10

struct wf_stability {
    wf_context *context;
    wf_integrator *integrator;
    wf_stability_test test;
    wf_equation *equation;       /* of a test, ours */
    const wf_system *inner;      /* the system measured */
    wf_system system;            /* the same with impulses */
    size_t size;                 /* of the system */
    bool velocities_only;        /* what is observed of a state: v, or x and v */
    bool complex_structure;      /* observed pairs are complex numbers, and the map commutes with i */
    size_t observed, memory, states; /* numbers of a state, states in a row, their product */

    double stiffness[2], damping[2]; /* of the test at z: s and c stand for s I and c I + (rotation) */
    double kick[UNKNOWN_LIMIT];
    bool kicking;
    uint64_t random;

    double *x, *v, *x1, *v1;     /* [size] */
    double *before, *after;      /* [states][states] columns: states in a row, and one step later */
    double *map, *square;        /* [states][states] */
    size_t *rows;                /* [states] */
};

/* ---- the test problems ----------------------------------------------------------------------------------------- */

/* f = -K x - D v with K = stiffness[0] I and D = damping[0] I + damping[1] J, J a quarter turn: y' = z y is D = -z. */
static wf_status probe_forces(void *user, double t, const double *x, const double *v, double *force)
{
    const wf_stability *s = user;
    (void)t;
    for (size_t i = 0; i < s->size; i++) {
        force[i] = -s->stiffness[0] * x[i] - s->damping[0] * v[i];
    }
    if (s->size == 2) {
        force[0] += s->damping[1] * v[1];
        force[1] -= s->damping[1] * v[0];
    }
    return WF_OK;
}

static wf_status probe_stiffness(void *user, double t, const double *x, const double *v, double *matrix)
{
    const wf_stability *s = user;
    (void)t, (void)x, (void)v;
    for (size_t i = 0; i < s->size * s->size; i++) {
        matrix[i] = i % (s->size + 1) == 0 ? s->stiffness[0] : 0;
    }
    return WF_OK;
}

static wf_status probe_damping(void *user, double t, const double *x, const double *v, double *matrix)
{
    const wf_stability *s = user;
    (void)t, (void)x, (void)v;
    for (size_t i = 0; i < s->size * s->size; i++) {
        matrix[i] = i % (s->size + 1) == 0 ? s->damping[0] : 0;
    }
    if (s->size == 2) {
        matrix[1] = -s->damping[1];
        matrix[2] = s->damping[1];
    }
    return WF_OK;
}

static void set_eigenvalue(wf_stability *s, const double z[2])
{
    if (s->test == WF_TEST_DAHLQUIST) {
        s->damping[0] = -z[0];
        s->damping[1] = -z[1];
    } else {
        s->stiffness[0] = z[0] * z[0] + z[1] * z[1];
        s->damping[0] = -2 * z[0];
    }
}

/* ---- the system with impulses ----------------------------------------------------------------------------------- */

static wf_status kicked_forces(void *user, double t, const double *x, const double *v, double *force)
{
    const wf_stability *s = user;
    wf_status status = s->inner->forces(s->inner->user, t, x, v, force);
    for (size_t i = 0; s->kicking && i < s->size; i++) {
        force[i] += s->kick[i];
    }
    return status;
}

static wf_status inner_stiff_forces(void *user, double t, const double *x, const double *v, double *force)
{
    const wf_stability *s = user;
    return s->inner->stiff_forces(s->inner->user, t, x, v, force);
}

static void inner_multiply_mass(void *user, const double *v, double *y)
{
    const wf_stability *s = user;
    s->inner->multiply_mass(s->inner->user, v, y);
}

static void inner_divide_mass(void *user, const double *f, double *a)
{
    const wf_stability *s = user;
    s->inner->divide_mass(s->inner->user, f, a);
}

static wf_status inner_linearise(void *user, double t, const double *x, const double *v, wf_linearisation kind,
                                 double stiffness_scale, double damping_scale)
{
    const wf_stability *s = user;
    return s->inner->linearise(s->inner->user, t, x, v, kind, stiffness_scale, damping_scale);
}

static void inner_multiply(void *user, const double *v, double *y)
{
    const wf_stability *s = user;
    s->inner->multiply(s->inner->user, v, y);
}

static wf_status inner_divide_diagonal(void *user, const double *r, double *z)
{
    const wf_stability *s = user;
    return s->inner->divide_diagonal(s->inner->user, r, z);
}

static wf_status inner_constant_matrix(void *user, double stiffness_scale, double damping_scale,
                                       const struct wf_pattern **pattern, const double **values)
{
    const wf_stability *s = user;
    return s->inner->constant_matrix(s->inner->user, stiffness_scale, damping_scale, pattern, values);
}

static wf_status inner_correct(void *user, double h, const double *x, double *x1, double *v1)
{
    const wf_stability *s = user;
    return s->inner->correct(s->inner->user, h, x, x1, v1);
}

static wf_status inner_solve(void *user, const double *b, double *v, double tolerance, wf_solve_work *work)
{
    const wf_stability *s = user;
    return s->inner->solve(s->inner->user, b, v, tolerance, work);
}

/* ---- the map --------------------------------------------------------------------------------------------------- */

/* From -1 to 1, the same in every run (Marsaglia 2003, xorshift). */
static double random_number(wf_stability *s)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return (double)(s->random >> 11) * 0x1p-52 - 1;
}

static void observe(const wf_stability *s, double *state)
{
    if (!s->velocities_only) {
        memcpy(state, s->x, s->size * sizeof *state);
        state += s->size;
    }
    memcpy(state, s->v, s->size * sizeof *state);
}

static wf_status step(wf_stability *s, int64_t index, double h)
{
    wf_status status = wf_integrator_step(s->integrator, &s->system, (double)index * h, h, s->x, s->v, s->x1, s->v1);
    memcpy(s->x, s->x1, s->size * sizeof *s->x);
    memcpy(s->v, s->v1, s->size * sizeof *s->v);
    return status;
}

/* From the state in x and v: a column of `before` and one of `after`, each `memory` observed states in a row, the
 * second one step later. A scheme without memory needs one step. Otherwise some steps start the memory, with an impulse
 * each so that what is remembered is as good as arbitrary, and one without lets a scheme forget the impulses
 * themselves. */
static wf_status run(wf_stability *s, double h, bool random, double *before, double *after)
{
    enum { STATES = WF_HISTORY_STATES + 3 };
    double seen[STATES][2 * UNKNOWN_LIMIT];
    size_t starting = s->memory > 1 ? s->memory + 1 : 0;
    wf_integrator_restart(s->integrator);
    for (size_t k = 0; k < starting + s->memory; k++) {
        s->kicking = random && k + 1 < starting;
        for (size_t i = 0; s->kicking && i < s->size; i++) {
            s->kick[i] = random_number(s);
        }
        if (k >= starting) {
            observe(s, seen[k - starting]);
        }
        wf_status status = step(s, (int64_t)k, h);
        if (status != WF_OK) {
            return status;
        }
    }
    observe(s, seen[s->memory]);
    for (size_t k = 0; k < s->memory; k++) {
        memcpy(before + k * s->observed, seen[k], s->observed * sizeof *before);
        memcpy(after + k * s->observed, seen[k + 1], s->observed * sizeof *after);
    }
    return WF_OK;
}

static void start_randomly(wf_stability *s)
{
    for (size_t i = 0; i < s->size; i++) {
        s->x[i] = random_number(s);
        s->v[i] = random_number(s);
    }
}

static void start_at(wf_stability *s, size_t unit)
{
    memset(s->x, 0, s->size * sizeof *s->x);
    memset(s->v, 0, s->size * sizeof *s->v);
    if (unit < s->observed) {
        size_t offset = s->velocities_only ? 0 : s->size;
        if (unit < offset) {
            s->x[unit] = 1;
        } else {
            s->v[unit - offset] = 1;
        }
    }
}

/* i times a column of complex numbers (pairs). */
static void turn(size_t count, const double *column, double *turned)
{
    for (size_t i = 0; i < count; i += 2) {
        turned[i] = -column[i + 1];
        turned[i + 1] = column[i];
    }
}

/* Columns are divided by their largest number, and differ from the run that starts at zero, which an inhomogeneous
 * system makes move. */
static bool scale_columns(size_t n, double *before, double *after, const double *origin)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        before[i] -= origin[i];
        after[i] -= origin[n + i];
        largest = fmax(largest, fabs(before[i]));
    }
    for (size_t i = 0; i < n; i++) {
        before[i] /= largest;
        after[i] /= largest;
    }
    return largest > 0 && isfinite(largest);
}

static wf_status fill_columns(wf_stability *s, double h, bool *usable)
{
    size_t n = s->states;
    double origin[2 * STATE_LIMIT];
    *usable = true;
    s->random = 88172645463325252u;
    start_at(s, SIZE_MAX);
    wf_status status = s->equation ? WF_OK : run(s, h, false, origin, origin + n);
    if (s->equation) { /* a test problem rests at zero */
        memset(origin, 0, 2 * n * sizeof *origin);
    }
    size_t stride = s->complex_structure ? 2 : 1;
    for (size_t c = 0; c < n && status == WF_OK; c += stride) {
        if (s->memory > 1) {
            start_randomly(s);
        } else {
            start_at(s, c);
        }
        double *before = s->before + c * n, *after = s->after + c * n;
        status = run(s, h, true, before, after);
        if (status != WF_OK) {
            break;
        }
        *usable = scale_columns(n, before, after, origin) && *usable;
        if (s->complex_structure) {
            turn(n, before, before + n);
            turn(n, after, after + n);
        }
    }
    return status;
}

static void swap_columns(size_t n, double *a, double *b)
{
    for (size_t i = 0; i < n; i++) {
        double kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

/* Elimination with complete pivoting finds how many states are independent: a scheme may remember less than it could.
 * The pivots' columns come first, the pivots' rows are in `rows`. Works in `map`. */
static size_t find_rank(wf_stability *s)
{
    size_t n = s->states, rank = 0;
    double first = 0;
    memcpy(s->map, s->before, n * n * sizeof *s->map);
    for (size_t r = 0; r < n; r++) {
        s->rows[r] = r;
    }
    for (; rank < n; rank++) {
        size_t row = rank, column = rank;
        for (size_t c = rank; c < n; c++) {
            for (size_t r = rank; r < n; r++) {
                if (fabs(s->map[c * n + s->rows[r]]) > fabs(s->map[column * n + s->rows[row]])) {
                    row = r;
                    column = c;
                }
            }
        }
        double pivot = s->map[column * n + s->rows[row]];
        first = rank == 0 ? fabs(pivot) : first;
        if (!(fabs(pivot) > 1e-12 * first)) {
            break;
        }
        size_t kept = s->rows[rank];
        s->rows[rank] = s->rows[row];
        s->rows[row] = kept;
        if (column != rank) {
            swap_columns(n, s->map + rank * n, s->map + column * n);
            swap_columns(n, s->before + rank * n, s->before + column * n);
            swap_columns(n, s->after + rank * n, s->after + column * n);
        }
        for (size_t c = rank + 1; c < n; c++) {
            double factor = s->map[c * n + s->rows[rank]] / pivot;
            for (size_t r = rank; r < n; r++) {
                s->map[c * n + s->rows[r]] -= factor * s->map[rank * n + s->rows[r]];
            }
        }
    }
    return rank;
}

/* The map on the span of the first `rank` columns, in their coordinates: after = before map, read at pivots' rows. */
static bool form_map(wf_stability *s, size_t rank)
{
    size_t n = s->states;
    double b[STATE_LIMIT], x[STATE_LIMIT];
    size_t order[STATE_LIMIT];
    for (size_t r = 0; r < rank; r++) {
        for (size_t c = 0; c < rank; c++) {
            s->square[r * rank + c] = s->before[c * n + s->rows[r]];
        }
    }
    if (!wf_dense_factor(rank, s->square, order)) {
        return false;
    }
    for (size_t c = 0; c < rank; c++) {
        for (size_t r = 0; r < rank; r++) {
            b[r] = s->after[c * n + s->rows[r]];
        }
        wf_dense_solve(rank, s->square, order, b, x);
        for (size_t r = 0; r < rank; r++) {
            s->map[r * rank + c] = x[r];
        }
    }
    return true;
}

/* Gelfand's formula: the radius is the limit of |A^k|^(1/k), taken at k = 2^squarings. Each square is scaled to norm 1,
 * and its rounding counts 2^-j, so no eigenvalues need to be told apart. */
static double spectral_radius(double *a, double *square, size_t n, int squarings)
{
    double logarithm = 0, weight = 1;
    for (int j = 0; j <= squarings; j++) {
        double norm = 0;
        for (size_t i = 0; i < n * n; i++) {
            norm += a[i] * a[i];
        }
        norm = sqrt(norm);
        if (!(norm > 0)) {
            return norm; /* nilpotent, or NaN */
        }
        if (isinf(norm)) {
            return norm;
        }
        logarithm += weight * log(norm);
        weight *= 0.5;
        for (size_t i = 0; i < n * n; i++) {
            a[i] /= norm;
        }
        for (size_t r = 0; r < n; r++) {
            for (size_t c = 0; c < n; c++) {
                double sum = 0;
                for (size_t k = 0; k < n; k++) {
                    sum += a[r * n + k] * a[k * n + c];
                }
                square[r * n + c] = sum;
            }
        }
        memcpy(a, square, n * n * sizeof *a);
    }
    return exp(logarithm);
}

static wf_status measure(wf_stability *s, const double z[2], int squarings, double *radius, double *root)
{
    bool usable;
    double h = s->equation ? 1 : z[0];
    if (s->equation) {
        set_eigenvalue(s, z);
    }
    *radius = INFINITY;
    if (root) {
        root[0] = root[1] = NAN;
    }
    wf_status status = fill_columns(s, h, &usable);
    if (status == WF_ERROR_NUMERIC) { /* overflow or a pole of R: as unstable as can be */
        return WF_OK;
    }
    if (status != WF_OK || !usable) {
        return status;
    }
    if (s->test == WF_TEST_DAHLQUIST && s->equation && s->memory == 1) {
        *radius = hypot(s->after[0], s->after[1]);
        if (root) {
            memcpy(root, s->after, 2 * sizeof *root);
        }
        return WF_OK;
    }
    size_t rank = find_rank(s);
    if (form_map(s, rank)) {
        double found = spectral_radius(s->map, s->square, rank, squarings);
        *radius = isnan(found) ? INFINITY : found;
    }
    return WF_OK;
}

wf_status wf_stability_radius(wf_stability *stability, const double z[2], double *radius, double *root)
{
    return measure(stability, z, EXACT_SQUARINGS, radius, root);
}

/* ---- making ---------------------------------------------------------------------------------------------------- */

static wf_status check_scheme(wf_context *context, const wf_integrator *integrator, const wf_system *system)
{
    const wf_integrator_class *class = wf_integrator_get_class(integrator);
    if (class->needs_elements && !(system && system->elements)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "%s works element by element and has no function of its own on test "
                       "equations", class->name);
    }
    if (class->needs_stiff_forces && system && !system->stiff_forces) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "%s needs a stiff part, which the equation does not have",
                       class->name);
    }
    return WF_OK;
}

static wf_status allocate_arrays(wf_stability *s)
{
    size_t n = s->size, m = s->states;
    s->x = wf_allocate(s->context, n, sizeof(double));
    s->v = wf_allocate(s->context, n, sizeof(double));
    s->x1 = wf_allocate(s->context, n, sizeof(double));
    s->v1 = wf_allocate(s->context, n, sizeof(double));
    s->before = wf_allocate(s->context, m * m, sizeof(double));
    s->after = wf_allocate(s->context, m * m, sizeof(double));
    s->map = wf_allocate(s->context, m * m, sizeof(double));
    s->square = wf_allocate(s->context, m * m, sizeof(double));
    s->rows = wf_allocate(s->context, m, sizeof *s->rows);
    bool complete = s->x && s->v && s->x1 && s->v1 && s->before && s->after && s->map && s->square && s->rows;
    return complete ? WF_OK : WF_ERROR_MEMORY;
}

static void open_system(wf_stability *s)
{
    const wf_system *inner = s->inner;
    s->system = *inner; /* size, masses held, flops */
    s->system.user = s;
    s->system.forces = kicked_forces;
    s->system.stiff_forces = inner->stiff_forces ? inner_stiff_forces : NULL;
    s->system.other_forces = NULL; /* impulses belong there: the difference has them */
    s->system.energy = NULL; /* of a problem with impulses it would be another one, and a linear one needs none */
    s->system.multiply_mass = inner->multiply_mass ? inner_multiply_mass : NULL;
    s->system.divide_mass = inner->divide_mass ? inner_divide_mass : NULL;
    s->system.linearise = inner->linearise ? inner_linearise : NULL;
    s->system.multiply = inner->multiply ? inner_multiply : NULL;
    s->system.solve = inner->solve ? inner_solve : NULL;
    s->system.divide_diagonal = inner->divide_diagonal ? inner_divide_diagonal : NULL;
    s->system.constant_matrix = inner->constant_matrix ? inner_constant_matrix : NULL;
    s->system.turnless_damping = inner->turnless_damping;
    s->system.correct = inner->correct ? inner_correct : NULL;
    s->system.max_step = NULL;
    s->system.elements = NULL;
}

/* Fills what remains of an object whose `inner` system is set. */
static wf_status open(wf_stability *s, bool velocities_only)
{
    const wf_integrator_class *class = wf_integrator_get_class(s->integrator);
    s->size = s->inner->size;
    s->velocities_only = velocities_only;
    s->observed = velocities_only ? s->size : 2 * s->size;
    /* Schemes that take positions and velocities in turn may keep a velocity of their own between. */
    s->memory = 1 + (size_t)class->history + (class->partitioned ? 1 : 0);
    s->states = s->observed * s->memory;
    open_system(s);
    return allocate_arrays(s);
}

wf_status wf_stability_create(wf_context *context, wf_integrator *integrator, wf_stability_test test,
                              wf_stability **result)
{
    *result = NULL;
    wf_status status = check_scheme(context, integrator, NULL);
    if (status != WF_OK) {
        return status;
    }
    wf_stability *s = wf_allocate(context, 1, sizeof *s);
    if (!s) {
        return WF_ERROR_MEMORY;
    }
    *s = (wf_stability){.context = context, .integrator = integrator, .test = test};
    wf_equation_def def = wf_default_equation_def();
    def.name = "the test equation";
    def.size = test == WF_TEST_DAHLQUIST ? 2 : 1;
    s->size = def.size;
    s->complex_structure = test == WF_TEST_DAHLQUIST;
    def.user = s;
    def.forces = probe_forces;
    def.stiff_forces = probe_forces; /* IMEX schemes take all of it implicitly */
    def.stiffness = def.stiff_stiffness = probe_stiffness;
    def.damping = def.stiff_damping = probe_damping;
    def.linear_in_velocity = true;
    status = wf_equation_create(context, &def, &s->equation);
    if (status == WF_OK) {
        s->inner = &s->equation->system;
        status = open(s, test == WF_TEST_DAHLQUIST);
    }
    if (status != WF_OK) {
        wf_stability_destroy(s);
        return status;
    }
    *result = s;
    return WF_OK;
}

wf_status wf_stability_create_for(wf_context *context, wf_integrator *integrator, const wf_equation *equation,
                                  wf_stability **result)
{
    *result = NULL;
    wf_status status = check_scheme(context, integrator, &equation->system);
    if (status == WF_OK && equation->def.size > UNKNOWN_LIMIT) {
        status = wf_fail(context, WF_ERROR_ARGUMENT, "the stability is measured on at most %d unknowns, %s has %zu",
                         UNKNOWN_LIMIT, equation->name, equation->def.size);
    }
    if (status != WF_OK) {
        return status;
    }
    wf_stability *s = wf_allocate(context, 1, sizeof *s);
    if (!s) {
        return WF_ERROR_MEMORY;
    }
    *s = (wf_stability){.context = context, .integrator = integrator, .test = WF_TEST_OSCILLATOR};
    s->inner = &equation->system;
    status = open(s, equation->def.first_order);
    if (status != WF_OK) {
        wf_stability_destroy(s);
        return status;
    }
    *result = s;
    return WF_OK;
}

void wf_stability_destroy(wf_stability *s)
{
    if (!s) {
        return;
    }
    wf_context *context = s->context;
    wf_equation_destroy(s->equation);
    void *arrays[] = {s->x, s->v, s->x1, s->v1, s->before, s->after, s->map, s->square, s->rows};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        wf_free(context, arrays[i]);
    }
    wf_free(context, s);
}

/* ---- limits ---------------------------------------------------------------------------------------------------- */

static wf_status is_stable(wf_stability *s, const double direction[2], double distance, bool *stable)
{
    double z[2] = {direction[0] * distance, direction[1] * distance}, radius;
    wf_status status = measure(s, z, EXACT_SQUARINGS, &radius, NULL);
    *stable = radius <= 1 + MARGIN;
    return status;
}

wf_status wf_stability_limit(wf_stability *stability, const double direction[2], double farthest, double *limit)
{
    double low = 0, high = ldexp(farthest, -30);
    const double growth = 1.25; /* small, so as not to step over a gap of the region */
    bool stable = true;
    wf_status status = is_stable(stability, direction, high, &stable);
    while (status == WF_OK && stable && high < farthest) {
        low = high;
        high = fmin(growth * high, farthest);
        status = is_stable(stability, direction, high, &stable);
    }
    if (status != WF_OK || stable) {
        *limit = INFINITY;
        return status;
    }
    while (status == WF_OK && high - low > 1e-9 * high) {
        double middle = 0.5 * (low + high);
        status = is_stable(stability, direction, middle, &stable);
        *(stable ? &low : &high) = middle;
    }
    *limit = low;
    return status;
}

/* The largest stable angle at one distance: bisection between the negative real axis and the imaginary one. */
static wf_status angle_at(wf_stability *s, double distance, double *angle)
{
    double low = 0, high = 1.57079632679489661923;
    bool stable;
    wf_status status = WF_OK;
    for (int i = 0; i < 40 && status == WF_OK; i++) {
        double middle = i == 0 ? high : 0.5 * (low + high), direction[2] = {-cos(middle), sin(middle)};
        status = is_stable(s, direction, distance, &stable);
        if (i == 0 && stable) {
            low = high;
            break;
        }
        *(stable ? &low : &high) = middle;
    }
    *angle = low;
    return status;
}

/* The smallest angle over all distances, by samples in a geometric row and ternary search around the smallest one. */
wf_status wf_stability_angle(wf_stability *stability, double *angle)
{
    enum { SAMPLES = 61, REFINEMENTS = 30 };
    const double ratio = pow(10, 0.1); /* from 1e-3 to 1e3 */
    double best = 2, where = 1;
    wf_status status = WF_OK;
    for (int i = 0; i < SAMPLES && status == WF_OK; i++) {
        double distance = 1e-3 * pow(ratio, i), found;
        status = angle_at(stability, distance, &found);
        if (found < best) {
            best = found;
            where = distance;
        }
    }
    double low = where / ratio, high = where * ratio;
    for (int i = 0; i < REFINEMENTS && status == WF_OK; i++) {
        double left = low + (high - low) / 3, right = high - (high - low) / 3, at_left, at_right;
        status = angle_at(stability, left, &at_left);
        status = status == WF_OK ? angle_at(stability, right, &at_right) : status;
        if (status == WF_OK) {
            *(at_left < at_right ? &high : &low) = at_left < at_right ? right : left;
            best = fmin(best, fmin(at_left, at_right));
        }
    }
    *angle = best;
    return status;
}

/* ---- pictures -------------------------------------------------------------------------------------------------- */

wf_status wf_stability_map(wf_stability *stability, const double real[2], const double imaginary[2], int32_t width,
                           int32_t height, int32_t first, int32_t count, double *radius)
{
    for (int32_t row = first; row < first + count; row++) {
        for (int32_t column = 0; column < width; column++) {
            double z[2] = {real[0] + (real[1] - real[0]) * (column + 0.5) / width,
                           imaginary[1] - (imaginary[1] - imaginary[0]) * (row + 0.5) / height};
            double *pixel = &radius[(size_t)(row - first) * (size_t)width + (size_t)column];
            wf_status status = measure(stability, z, MAP_SQUARINGS, pixel, NULL);
            if (status != WF_OK) {
                return status;
            }
        }
    }
    return WF_OK;
}
