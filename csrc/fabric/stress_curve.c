#include "fabric/stress_curve.h"

#include <math.h>

/* Whether a curve can go from one point to the next: as steeply as the moduli that it takes the place of may be, and
 * not within so little that slopes, or what their tangents divide by, leave the range of numbers. */
static bool can_follow(const wf_stress_point *from, const wf_stress_point *to)
{
    const double least_distance = 1e-9, most_slope = 1e9;
    double distance = to->strain - from->strain;
    return distance >= least_distance && to->stress - from->stress <= most_slope * distance;
}

wf_status wf_stress_curve_check(wf_context *context, const wf_stress_curve *curve, const char *name)
{
    const double most_strain = 10, most_stress = 1e9;
    const wf_stress_point origin = {0, 0};
    for (int32_t i = 0; i < curve->count; i++) {
        const wf_stress_point *p = &curve->point[i];
        /* Written so that a NaN fails too. */
        if (!(fabs(p->strain) <= most_strain && fabs(p->stress) <= most_stress)) {
            return wf_fail(context, WF_ERROR_ARGUMENT,
                           "%s: point %d must have a strain within %g and a stress within %g N/m, got %g and %g", name,
                           i + 1, most_strain, most_stress, p->strain, p->stress);
        }
        if (i > 0 && !(p->strain > p[-1].strain && p->stress >= p[-1].stress)) {
            return wf_fail(context, WF_ERROR_ARGUMENT,
                           "%s must ascend: point %d (%g, %g N/m) follows point %d (%g, %g N/m)", name, i + 1,
                           p->strain, p->stress, i, p[-1].strain, p[-1].stress);
        }
        if (p->strain * p->stress < 0 || (p->strain == 0 && p->stress != 0)) {
            return wf_fail(context, WF_ERROR_ARGUMENT,
                           "%s must pass through the origin: point %d has the strain %g and the stress %g N/m", name,
                           i + 1, p->strain, p->stress);
        }
        bool far = p->strain > 0 ? can_follow(&origin, p) : p->strain == 0 || can_follow(p, &origin);
        if (!far || (i > 0 && !can_follow(&p[-1], p))) {
            return wf_fail(context, WF_ERROR_ARGUMENT,
                           "%s: point %d must be 1e-9 away in strain from the origin and the point before, and rise "
                           "by at most 1e9 N/m, got %g and %g N/m", name, i + 1, p->strain, p->stress);
        }
    }
    if (curve->count == 1 && curve->point[0].strain == 0) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "%s must have a point beside the origin", name);
    }
    return WF_OK;
}

/* The curve's last strain. */
static double end_of(const wf_stress_curve *curve)
{
    return curve->point[curve->count - 1].strain;
}

wf_status wf_unloading_curve_check(wf_context *context, const wf_stress_curve *curve, const wf_stress_curve *unloading,
                                   const char *name)
{
    const double slack = 1e-9;
    if (unloading->count == 0) {
        return WF_OK;
    }
    if (curve->count == 0 || !(end_of(curve) > 0)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "%s has an unloading branch, but no loading branch in tension",
                       name);
    }
    wf_status status = wf_stress_curve_check(context, unloading, name);
    if (status != WF_OK) {
        return status;
    }
    const wf_stress_point *top = &curve->point[curve->count - 1], *last = &unloading->point[unloading->count - 1];
    if (unloading->point[0].strain < 0 || last->strain > top->strain * (1 + slack)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "%s: the unloading branch must lie between the strains 0 and %g",
                       name, top->strain);
    }
    wf_stress_spline up, down;
    wf_stress_spline_of(curve, false, &up);
    wf_stress_spline_of(unloading, false, &down);
    for (int k = 0; k < 2; k++) { /* at the points of one, and of the other */
        const wf_stress_curve *points = k == 0 ? unloading : curve;
        for (int32_t i = 0; i < points->count && points->point[i].strain <= last->strain; i++) {
            double strain = points->point[i].strain, above, below;
            wf_stress_spline_at(&up, strain, NULL, &above, NULL);
            wf_stress_spline_at(&down, strain, NULL, &below, NULL);
            if (strain > 0 && below > above + slack * top->stress) {
                return wf_fail(context, WF_ERROR_ARGUMENT,
                               "%s: the unloading branch must not lie above the loading branch, but at the strain %g "
                               "it has %g and that %g N/m", name, strain, below, above);
            }
        }
    }
    return WF_OK;
}

/* ---- the spline ------------------------------------------------------------------------------------------------ */

static void append(wf_stress_spline *spline, double strain, double stress)
{
    spline->point[spline->count].strain = strain;
    spline->point[spline->count].stress = stress;
    spline->count++;
}

/* The points with the origin and, mirrored, those of the other side. */
static void gather(const wf_stress_curve *curve, bool mirrored, wf_stress_spline *spline)
{
    spline->count = 0;
    if (mirrored && curve->point[0].strain >= 0) {
        for (int32_t i = curve->count - 1; i >= 0; i--) {
            if (curve->point[i].strain > 0) {
                append(spline, -curve->point[i].strain, -curve->point[i].stress);
            }
        }
    }
    bool origin = false;
    for (int32_t i = 0; i < curve->count; i++) {
        const wf_stress_point *p = &curve->point[i];
        if (!origin && p->strain >= 0) {
            append(spline, 0, 0);
            origin = true;
        }
        if (p->strain != 0) {
            append(spline, p->strain, p->stress);
        }
    }
    if (!origin) {
        append(spline, 0, 0);
    }
}

static double width_of(const wf_stress_spline *spline, int32_t i)
{
    return spline->point[i + 1].strain - spline->point[i].strain;
}

static double secant_of(const wf_stress_spline *spline, int32_t i)
{
    return (spline->point[i + 1].stress - spline->point[i].stress) / width_of(spline, i);
}

/* At an end, from the two intervals next to it: the parabola's slope, kept between a quarter of the secant, so that
 * what lies beyond does not go slack, and three times, so that the curve rises. */
static double end_slope(double width, double secant, double next_width, double next_secant)
{
    if (secant < 0) { /* of gaps */
        return -end_slope(width, -secant, next_width, -next_secant);
    }
    double slope = ((2 * width + next_width) * secant - width * next_secant) / (width + next_width);
    return fmin(fmax(slope, 0.25 * secant), 3 * secant);
}

static void set_slopes(wf_stress_spline *spline)
{
    int32_t last = spline->count - 1;
    if (last == 1) {
        spline->point[0].slope = spline->point[1].slope = secant_of(spline, 0);
        return;
    }
    for (int32_t i = 1; i < last; i++) {
        double a = secant_of(spline, i - 1), b = secant_of(spline, i);
        double share = (1 + width_of(spline, i) / (width_of(spline, i - 1) + width_of(spline, i))) / 3;
        double mean = share * b + (1 - share) * a;
        spline->point[i].slope = a * b > 0 ? a * b / mean : 0;
    }
    spline->point[0].slope = end_slope(width_of(spline, 0), secant_of(spline, 0), width_of(spline, 1),
                                       secant_of(spline, 1));
    spline->point[last].slope = end_slope(width_of(spline, last - 1), secant_of(spline, last - 1),
                                          width_of(spline, last - 2), secant_of(spline, last - 2));
}

static void set_energies(wf_stress_spline *spline)
{
    double sum = 0, at_origin = 0;
    for (int32_t i = 0; i < spline->count; i++) {
        spline->point[i].energy = sum;
        at_origin = spline->point[i].strain == 0 ? sum : at_origin;
        if (i + 1 < spline->count) {
            double h = width_of(spline, i);
            sum += 0.5 * h * (spline->point[i].stress + spline->point[i + 1].stress) +
                   h * h / 12 * (spline->point[i].slope - spline->point[i + 1].slope);
        }
    }
    for (int32_t i = 0; i < spline->count; i++) {
        spline->point[i].energy -= at_origin;
    }
}

void wf_stress_spline_of(const wf_stress_curve *curve, bool mirrored, wf_stress_spline *spline)
{
    spline->count = 0;
    if (curve->count > 0) {
        gather(curve, mirrored, spline);
    }
    if (spline->count == 1) { /* the origin alone */
        spline->point[0].slope = spline->point[0].energy = 0;
    } else if (spline->count > 1) {
        set_slopes(spline);
        set_energies(spline);
    }
}

void wf_stress_spline_at(const wf_stress_spline *spline, double strain, double *energy, double *stress, double *slope)
{
    int32_t last = spline->count - 1, low = 0, high = last;
    double value, rate, integral;
    if (strain <= spline->point[0].strain || strain >= spline->point[last].strain) {
        int32_t end = strain <= spline->point[0].strain ? 0 : last;
        double beyond = strain - spline->point[end].strain;
        rate = spline->point[end].slope;
        value = spline->point[end].stress + rate * beyond;
        integral = spline->point[end].energy + beyond * (spline->point[end].stress + 0.5 * rate * beyond);
    } else {
        while (high - low > 1) {
            int32_t middle = (low + high) / 2;
            *(strain < spline->point[middle].strain ? &high : &low) = middle;
        }
        /* stress = s + m t + q t^2 + c t^3 from the lower point */
        double h = width_of(spline, low), t = strain - spline->point[low].strain, secant = secant_of(spline, low);
        double m = spline->point[low].slope, n = spline->point[high].slope;
        double q = (3 * secant - 2 * m - n) / h, c = (m + n - 2 * secant) / (h * h), s = spline->point[low].stress;
        value = s + t * (m + t * (q + t * c));
        rate = m + t * (2 * q + t * 3 * c);
        integral = spline->point[low].energy + t * (s + t * (m / 2 + t * (q / 3 + t * c / 4)));
    }
    if (energy) {
        *energy = integral;
    }
    if (stress) {
        *stress = value;
    }
    if (slope) {
        *slope = rate;
    }
}

/* ---- gaps ------------------------------------------------------------------------------------------------------ */

/* The branch goes on to the curve's last point where it does not name it. */
static wf_stress_spline unloading_spline(const wf_stress_curve *curve, const wf_stress_curve *unloading)
{
    wf_stress_spline spline;
    wf_stress_curve whole = *unloading;
    const wf_stress_point *top = &curve->point[curve->count - 1];
    if (whole.point[whole.count - 1].strain >= top->strain * (1 - 1e-9)) {
        whole.count--;
    }
    wf_stress_spline_of(&whole, false, &spline);
    if (spline.count == 0) { /* the top alone: a line */
        append(&spline, 0, 0);
    }
    append(&spline, top->strain, top->stress);
    set_slopes(&spline);
    set_energies(&spline);
    return spline;
}

/* value, slope and integrals over a distance t from a point on, of the cubic s + m t + q t^2 + c t^3. */
static wf_gap_value integrals_at(const wf_stress_spline *gap, int32_t i, double t)
{
    double h = width_of(gap, i), secant = secant_of(gap, i), s = gap->point[i].stress, m = gap->point[i].slope;
    double n = gap->point[i + 1].slope, q = (3 * secant - 2 * m - n) / h, c = (m + n - 2 * secant) / (h * h);
    double e = gap->point[i].energy, w = gap->point[i].twice, v = gap->point[i].thrice;
    return (wf_gap_value){m + t * (2 * q + t * 3 * c), s + t * (m + t * (q + t * c)),
                          e + t * (s + t * (m / 2 + t * (q / 3 + t * c / 4))),
                          w + t * (e + t * (s / 2 + t * (m / 6 + t * (q / 12 + t * c / 20)))),
                          v + t * (w + t * (e / 2 + t * (s / 6 + t * (m / 24 + t * (q / 60 + t * c / 120)))))};
}

void wf_stress_gap_of(const wf_stress_curve *curve, const wf_stress_curve *unloading, wf_stress_spline *gap)
{
    gap->count = 0;
    if (unloading->count == 0) {
        return;
    }
    wf_stress_spline up, down = unloading_spline(curve, unloading);
    wf_stress_spline_of(curve, false, &up);
    int32_t i = 0, k = 0;
    while (i < up.count || k < down.count) { /* the points of both, in one order */
        double next_up = i < up.count ? up.point[i].strain : INFINITY;
        double next_down = k < down.count ? down.point[k].strain : INFINITY;
        double strain = fmin(next_up, next_down), above, below, close = 1e-9 * end_of(curve);
        i += next_up <= strain + close;
        k += next_down <= strain + close;
        if (strain >= 0) {
            wf_stress_spline_at(&up, strain, NULL, &above, NULL);
            wf_stress_spline_at(&down, strain, NULL, &below, NULL);
            append(gap, strain, fmax(0.5 * (above - below), 0));
        }
    }
    set_slopes(gap);
    set_energies(gap);
    gap->point[0].twice = gap->point[0].thrice = 0;
    for (int32_t p = 0; p + 1 < gap->count; p++) {
        wf_gap_value end = integrals_at(gap, p, width_of(gap, p));
        gap->point[p + 1].twice = end.twice;
        gap->point[p + 1].thrice = end.thrice;
    }
}

wf_gap_value wf_stress_gap_at(const wf_stress_spline *gap, bool mirrored, double strain)
{
    double x = mirrored ? fabs(strain) : strain;
    int32_t last = gap->count - 1, low = 0, high = last;
    wf_gap_value at = {0, 0, 0, 0, 0};
    if (x >= gap->point[last].strain) {
        double t = x - gap->point[last].strain, once = gap->point[last].energy, twice = gap->point[last].twice;
        at = (wf_gap_value){0, 0, once, twice + t * once, gap->point[last].thrice + t * (twice + 0.5 * t * once)};
    } else if (x > 0) {
        while (high - low > 1) {
            int32_t middle = (low + high) / 2;
            *(x < gap->point[middle].strain ? &high : &low) = middle;
        }
        at = integrals_at(gap, low, x - gap->point[low].strain);
    }
    if (strain < 0) {
        at.slope = -at.slope;
        at.once = -at.once;
        at.thrice = -at.thrice;
    }
    return at;
}

double wf_stress_spline_least_slope(const wf_stress_spline *spline)
{
    double least = spline->point[0].slope;
    for (int32_t i = 0; i + 1 < spline->count; i++) {
        double secant = secant_of(spline, i), m = spline->point[i].slope;
        double n = spline->point[i + 1].slope, c = m + n - 2 * secant, q = 3 * secant - 2 * m - n;
        least = fmin(least, n);
        double t = c > 0 ? -q / (3 * c) : 0; /* the slope's lowest point, as a fraction of the interval */
        if (t > 0 && t < 1) {
            least = fmin(least, m + t * (2 * q + t * 3 * c));
        }
    }
    return least;
}
