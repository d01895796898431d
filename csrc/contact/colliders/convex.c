/* convex.c - faces and convex colliders; see convex.h. */
#include "contact/colliders/convex.h"

#include "contact/distance.h"

enum { MOST_WALKS = 48, MOST_ADVANCES = 128, MOST_AHEAD = 48, MOST_SECTIONS = 72 };

/* Of the distance: the walk ends when the next farthest point gains less. */
#define WALK_TOLERANCE 1e-13
/* Of the distance: what must be proved of it; and what is as good where rounding is nearly as large as the distance:
 * then what is proved is the distance that is told. */
#define PROOF 0.99
#define ROUGH_PROOF 0.5
/* Of the size of coordinates: what is no farther apart touches. */
#define ROUNDING 1e-13

/* Up to four points of the difference of face and core, with the face's corner that each is from. */
typedef struct simplex {
    int count;
    wf_vec3 point[4];
    int corner[4];
    double weight[4]; /* of the point nearest to the origin */
} simplex;

static void keep_points(simplex *s, const int *kept, const double *weight, int count)
{
    simplex reduced = {0};
    for (int k = 0; k < count; k++) {
        if (weight[k] > 0) {
            reduced.point[reduced.count] = s->point[kept[k]];
            reduced.corner[reduced.count] = s->corner[kept[k]];
            reduced.weight[reduced.count++] = weight[k];
        }
    }
    *s = reduced;
}

/* Six times the signed volume of the tetrahedron of three points and the fourth. */
static double volume(wf_vec3 a, wf_vec3 b, wf_vec3 c, wf_vec3 d)
{
    return wf_vec3_dot(wf_vec3_sub(d, a), wf_vec3_cross(wf_vec3_sub(b, a), wf_vec3_sub(c, a)));
}

static bool holds_origin(const simplex *s)
{
    const wf_vec3 origin = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        wf_vec3 a = s->point[(k + 1) % 4], b = s->point[(k + 2) % 4], c = s->point[(k + 3) % 4];
        if (volume(a, b, c, origin) * volume(a, b, c, s->point[k]) <= 0) {
            return false;
        }
    }
    return true;
}

/* Keeps of the simplex only what the point nearest to the origin needs. False when the origin is inside. */
static bool reduce(simplex *s)
{
    const wf_vec3 origin = {0, 0, 0};
    if (s->count == 1) {
        s->weight[0] = 1;
        return true;
    }
    if (s->count == 2) {
        double at, other;
        wf_vec3 x[4] = {s->point[0], s->point[1], origin, origin};
        wf_edge_edge_distance(x, &at, &other);
        keep_points(s, (const int[]){0, 1}, (const double[]){1 - at, at}, 2);
        return true;
    }
    if (s->count == 4 && holds_origin(s)) {
        return false;
    }
    static const int sides[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
    int best = 0;
    double least = INFINITY, weight[3] = {1, 0, 0};
    for (int f = 0; f < (s->count == 3 ? 1 : 4); f++) {
        double w[3];
        double distance = wf_vertex_face_distance(
            (const wf_vec3[4]){origin, s->point[sides[f][0]], s->point[sides[f][1]], s->point[sides[f][2]]}, w);
        if (distance < least) {
            least = distance;
            best = f;
            weight[0] = w[0], weight[1] = w[1], weight[2] = w[2];
        }
    }
    keep_points(s, sides[best], weight, 3);
    return true;
}

static wf_vec3 nearest_of(const simplex *s)
{
    wf_vec3 nearest = {0, 0, 0};
    for (int k = 0; k < s->count; k++) {
        nearest = wf_vec3_muladds(nearest, s->point[k], s->weight[k]);
    }
    return nearest;
}

/* The point of face minus core that is farthest against `direction`. */
static void add_farthest(const wf_collider *collider, const wf_vec3 x[3], wf_vec3 direction, simplex *s)
{
    int corner = 0;
    for (int k = 1; k < 3; k++) {
        if (wf_vec3_dot(direction, x[k]) < wf_vec3_dot(direction, x[corner])) {
            corner = k;
        }
    }
    s->point[s->count] = wf_vec3_sub(x[corner], collider->class->support(collider, direction));
    s->corner[s->count++] = corner;
}

bool wf_convex_face_is_clear(const wf_collider *collider, const wf_vec3 x0[3], const wf_vec3 x1[3], double wanted)
{
    for (int k = 0; k < 3; k++) {
        wf_vec3 normal;
        double distance = collider->class->distance(collider, x0[k], &normal);
        double level = wf_vec3_dot(normal, x0[k]) - distance + wanted;
        bool clear = distance > wanted;
        for (int c = 0; c < 3 && clear; c++) {
            clear = wf_vec3_dot(normal, x0[c]) > level && wf_vec3_dot(normal, x1[c]) > level;
        }
        if (clear) {
            return true;
        }
    }
    return false;
}

/* ---- the least distance of a face, sought ------------------------------------------------------------------------ */

/* A face, and its point of the least distance so far. The signed distance from a convex body is a convex function, and
 * so it is along a face and along any line in it. */
typedef struct face_search {
    const wf_collider *collider;
    const wf_vec3 *x;
    double enough; /* m: what is no farther touches, and nothing nearer is sought */
    wf_face_gap least;
} face_search;

static double try_point(face_search *search, double u, double v)
{
    wf_vec3 normal, along = wf_vec3_lerp(search->x[0], search->x[1], u);
    along = wf_vec3_muladds(along, wf_vec3_sub(search->x[2], search->x[0]), v);
    double distance = search->collider->class->distance(search->collider, along, &normal);
    if (distance < search->least.distance) {
        search->least = (wf_face_gap){distance, {fmax(1 - u - v, 0), u, v}, normal};
    }
    return distance;
}

/* Golden section (Kiefer, "Sequential minimax search for a maximum", 1953) of `value`, convex, from 0 to `end`. */
static double seek_least(face_search *search, double (*value)(face_search *, double, double), double fixed, double end)
{
    const double golden = 0.5 * (sqrt(5) - 1);
    double low = 0, high = end, left = high - golden * high, right = golden * high;
    double at_left = value(search, left, fixed), at_right = value(search, right, fixed);
    double least = fmin(at_left, at_right);
    for (int k = 0; k < MOST_SECTIONS && search->least.distance > search->enough; k++) {
        if (at_left < at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - golden * (high - low);
            at_left = value(search, left, fixed);
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + golden * (high - low);
            at_right = value(search, right, fixed);
        }
        least = fmin(least, fmin(at_left, at_right));
    }
    return least;
}

/* Of the points of a face whose share of the third corner is `v`, the least distance. */
static double least_in_row(face_search *search, double v, double unused)
{
    (void)unused;
    double corners = fmin(try_point(search, 0, v), try_point(search, 1 - v, v));
    return fmin(corners, seek_least(search, try_point, v, 1 - v));
}

/* The least distance, or one that is no more than `enough`; from the point with these weights on. */
static wf_face_gap sought_gap(const wf_collider *collider, const wf_vec3 x[3], double enough, const double weights[3])
{
    face_search search = {collider, x, enough, {.distance = INFINITY}};
    try_point(&search, weights[1], weights[2]);
    try_point(&search, 0, 1);
    if (search.least.distance > enough) {
        least_in_row(&search, 0, 0);
    }
    if (search.least.distance > enough) {
        seek_least(&search, least_in_row, 0, 1);
    }
    return search.least;
}

/* ---- the distance of a face -------------------------------------------------------------------------------------- */

/* The unit direction from the origin to what is left of a simplex: that of `nearest`, made square to the simplex. The
 * nearest point is as uncertain as coordinates are; where it is but a nanometre away that would turn the direction so
 * far that planes across it prove nothing. */
static wf_vec3 direction_of(const simplex *s, wf_vec3 nearest)
{
    wf_vec3 direction = nearest, edge = s->count > 1 ? wf_vec3_sub(s->point[1], s->point[0]) : wf_vec3_make(0, 0, 0);
    if (s->count == 3) {
        wf_vec3 normal = wf_vec3_cross(edge, wf_vec3_sub(s->point[2], s->point[0]));
        direction = wf_vec3_dot(normal, nearest) < 0 ? wf_vec3_scale(normal, -1) : normal;
    } else if (wf_vec3_norm2(edge) > 0) {
        direction = wf_vec3_muladds(nearest, edge, -wf_vec3_dot(nearest, edge) / wf_vec3_norm2(edge));
    }
    return wf_vec3_normalize(wf_vec3_norm2(direction) > 0 ? direction : nearest);
}

/* A plane between face and core. */
typedef struct separating_plane {
    double gap;     /* m: how far they are apart across it; below 0 where it does not part them */
    wf_vec3 normal; /* unit, to the face */
} separating_plane;

static double gap_along(const wf_collider *collider, const wf_vec3 x[3], wf_vec3 direction, separating_plane *best)
{
    simplex farthest = {0};
    add_farthest(collider, x, direction, &farthest);
    double gap = wf_vec3_dot(direction, farthest.point[0]);
    *best = gap > best->gap ? (separating_plane){gap, direction} : *best;
    return gap;
}

/* Walks toward the point of face minus core that is nearest to the origin, which the simplex then holds. Returns the
 * plane of which most is proved. *meet: a tetrahedron holds the origin. */
static separating_plane walk(const wf_collider *collider, const wf_vec3 x[3], simplex *s, bool *meet)
{
    wf_vec3 middle = wf_vec3_scale(wf_vec3_add(x[0], wf_vec3_add(x[1], x[2])), 1.0 / 3);
    add_farthest(collider, x, middle, s);
    *meet = !reduce(s);
    wf_vec3 nearest = nearest_of(s), direction = direction_of(s, nearest);
    separating_plane best = {.gap = -INFINITY, .normal = direction};
    for (int walked = 0; walked < MOST_WALKS && !*meet; walked++) {
        const double length = wf_vec3_norm(nearest), proved = best.gap;
        simplex next = *s;
        add_farthest(collider, x, direction, &next);
        double gap = wf_vec3_dot(direction, next.point[next.count - 1]);
        best = gap > best.gap ? (separating_plane){gap, direction} : best;
        if (!(gap < length * (1 - WALK_TOLERANCE))) {
            break;
        }
        const simplex whole = next;
        bool holds = !reduce(&next);
        if (holds && best.gap > 0) {
            break; /* a flat tetrahedron, which rounding takes for one around the origin */
        }
        wf_vec3 nearer = nearest_of(&next);
        if (!holds && !(next.count < 4 && wf_vec3_norm(nearer) < length)) {
            /* Rounding goes in circles. What is square to all of the points may prove more. */
            direction = direction_of(&whole, nearest);
            if (whole.count == 4 || !(gap_along(collider, x, direction, &best) > fmax(proved, gap))) {
                break;
            }
            *s = whole;
            continue;
        }
        *meet = holds;
        *s = next;
        nearest = nearer;
        direction = direction_of(s, nearest);
    }
    *meet = !reduce(s);
    return best;
}

static double largest_size(const wf_collider *collider, const wf_vec3 x[3])
{
    double corner2 = fmax(wf_vec3_norm2(x[0]), fmax(wf_vec3_norm2(x[1]), wf_vec3_norm2(x[2])));
    return sqrt(corner2) + collider->reach;
}

/* What the walk finds. *proved: m, that of it is certain. The normal is the proving plane's, where there is one. */
static wf_face_gap walked_gap(const wf_collider *collider, const wf_vec3 x[3], double *proved)
{
    simplex s = {0};
    bool meet;
    const separating_plane best = walk(collider, x, &s, &meet);
    wf_vec3 nearest = nearest_of(&s);
    double length = meet ? 0 : wf_vec3_norm(nearest);
    wf_face_gap gap = {.distance = length - collider->rounding};
    for (int k = 0; k < s.count; k++) {
        gap.weights[s.corner[k]] += s.weight[k];
    }
    if (meet) {
        gap.weights[0] = gap.weights[1] = gap.weights[2] = 1.0 / 3;
    } else if (best.gap > 0) {
        gap.normal = best.normal;
    } else if (length > 0) {
        gap.normal = wf_vec3_scale(nearest, 1 / length);
    }
    *proved = best.gap - collider->rounding;
    return gap;
}

wf_face_gap wf_convex_face_gap(const wf_collider *collider, const wf_vec3 x[3])
{
    const double nothing = ROUNDING * largest_size(collider, x), rounding = collider->rounding;
    double proved;
    wf_face_gap gap = walked_gap(collider, x, &proved);
    if (gap.distance < -nothing) {
        return gap;
    }
    if (gap.distance > nothing && proved >= ROUGH_PROOF * gap.distance) {
        gap.distance = proved >= PROOF * gap.distance ? gap.distance : proved;
        return gap;
    }
    /* The origin may be in a side of all tetrahedra, or so near to one that rounding decides: where a face lies along
     * an axis or a side of the core, say. */
    wf_face_gap sought = sought_gap(collider, x, nothing, gap.weights);
    if (sought.distance > nothing) {
        return sought;
    }
    bool rounded = rounding > nothing; /* what meets the core overlaps, so that this but touches the surface */
    gap.distance = rounded ? fmin(gap.distance, 0) : -rounding;
    gap.normal = rounded ? gap.normal : wf_vec3_make(0, 0, 0);
    return gap;
}

wf_collider wf_convex_smaller(const wf_collider *collider)
{
    const wf_vec3 h = collider->half_size;
    const bool round = collider->radius > 0, core = collider->rounding == 0;
    const double thick = round ? collider->radius : fmin(h.x, h.z), least = core ? fmin(h.y, thick) : thick;
    const double less = fmin(WF_SHALLOW, 0.25 * least);
    wf_collider smaller = *collider;
    smaller.radius -= round ? less : 0;
    smaller.rounding -= core ? 0 : less;
    smaller.half_size = core ? wf_vec3_sub(h, wf_vec3_make(less, less, less)) : h;
    return smaller;
}

/* Spheres and capsules are rounded as they are. */
wf_face_gap wf_convex_shallow_gap(const wf_collider *collider, const wf_vec3 x[3])
{
    wf_collider smaller = *collider;
    if (collider->rounding == 0) {
        smaller = wf_convex_smaller(collider);
        smaller.rounding = collider->half_size.y - smaller.half_size.y;
    }
    double proved;
    wf_face_gap gap = walked_gap(&smaller, x, &proved);
    if (!(proved > -smaller.rounding)) {
        gap.normal = wf_vec3_make(0, 0, 0);
    }
    return gap;
}

/* m: where the plane across a unit normal that touches the collider is along it. */
static double level_along(const wf_collider *collider, wf_vec3 normal)
{
    return wf_vec3_dot(normal, collider->class->support(collider, normal)) + collider->rounding;
}

/* Until when the corners, from `time` on, stay beyond `wanted` from the surface along the unit normal: 1 and more if
 * they do to the end. `*least`: what is left of it at `time`. */
static double clear_until(const wf_collider *collider, const wf_vec3 x0[3], const wf_vec3 x1[3], wf_vec3 normal,
                          double wanted, double time, double *least)
{
    double level = level_along(collider, normal) + wanted;
    double until = INFINITY;
    *least = INFINITY;
    for (int k = 0; k < 3; k++) {
        double a = wf_vec3_dot(normal, x0[k]) - level, b = wf_vec3_dot(normal, x1[k]) - level;
        *least = fmin(*least, a + (b - a) * time);
        if (b < 0) {
            until = fmin(until, a > 0 ? a / (a - b) : 0);
        }
    }
    return until;
}

/* A moment of a face's way. */
typedef struct moment {
    double time; /* 0 at the start, 1 at the end */
    wf_vec3 x[3];
    wf_face_gap gap;
} moment;

static moment moment_at(const wf_collider *collider, const wf_vec3 x0[3], const wf_vec3 x1[3], double time)
{
    moment m = {.time = time};
    for (int k = 0; k < 3; k++) {
        m.x[k] = time < 1 ? wf_vec3_lerp(x0[k], x1[k], time) : x1[k];
    }
    m.gap = wf_convex_face_gap(collider, m.x);
    return m;
}

/* Whether all corners stay beyond a plane that turns with the face, from the normal at one moment to that at another.
 * Along n(s) = (1 - s) n_0 + s n_1, no longer than 1, the core reaches no farther than (1 - s) and s times as far as
 * along these two, for that is a convex function of the direction; so a parabola in s is to stay above 0. */
static bool clear_while_turning(const wf_collider *collider, const moment *from, const moment *to, double wanted)
{
    const wf_vec3 normal[2] = {from->gap.normal, to->gap.normal};
    double level[2] = {level_along(collider, normal[0]) + wanted, level_along(collider, normal[1]) + wanted};
    bool clear = to->gap.distance > wanted;
    for (int k = 0; k < 3 && clear; k++) {
        wf_vec3 a = from->x[k], b = to->x[k];
        double first = wf_vec3_dot(normal[0], a) - level[0], last = wf_vec3_dot(normal[1], b) - level[1];
        double across = wf_vec3_dot(normal[0], b) - level[0] + wf_vec3_dot(normal[1], a) - level[1];
        /* first (1 - s)^2 + across s (1 - s) + last s^2, whose least value is above 0 at both ends. */
        clear = first > 0 && last > 0 && (across >= 0 || across * across < 4 * first * last);
    }
    return clear;
}

/* Where to look between `from` and `end`: where the nearest point, if it stayed the nearest, would be `nearer` (m) than
 * it is; in the middle if that is not between. */
static double time_between(const wf_vec3 x0[3], const wf_vec3 x1[3], const wf_face_gap *gap, double nearer, double time,
                           double from, double end)
{
    double fall = 0;
    for (int k = 0; k < 3; k++) {
        fall -= gap->weights[k] * wf_vec3_dot(gap->normal, wf_vec3_sub(x1[k], x0[k]));
    }
    double guess = fall > 0 ? time + nearer / fall : end;
    return guess > from && guess < end ? guess : 0.5 * (from + end);
}

static double largest_motion(const wf_vec3 x0[3], const wf_vec3 x1[3])
{
    double largest2 = 0;
    for (int k = 0; k < 3; k++) {
        largest2 = fmax(largest2, wf_vec3_norm2(wf_vec3_sub(x1[k], x0[k])));
    }
    return sqrt(largest2);
}

/* From one moment to the next that is known, the end at first, a plane that turns proves the way; else a moment between
 * the two is looked at. So a face that hits is followed in as many steps as halve its way to the tolerance. A plane
 * that stays would let it go on by as little as its corners may sink, however far they are from what is hit. */
static bool comes_near(const wf_collider *collider, const wf_vec3 x0[3], const wf_vec3 x1[3], double wanted,
                       double *time, wf_face_gap *gap)
{
    const double tolerance = WF_COLLIDER_TOLERANCE * wanted;
    moment now = {.x = {x0[0], x0[1], x0[2]}, .gap = *gap}, ahead[MOST_AHEAD]; /* the next is last */
    int count = 0;
    bool near = true;
    for (int looked = 0; looked < MOST_ADVANCES;) {
        double least, until = clear_until(collider, x0, x1, now.gap.normal, wanted, now.time, &least);
        if (until >= 1 || !(least > tolerance) || !(until > now.time)) {
            near = until < 1;
            break;
        }
        if (count == 0) {
            ahead[count++] = moment_at(collider, x0, x1, 1);
            looked++;
        }
        const moment *next = &ahead[count - 1];
        if (next->time <= until || clear_while_turning(collider, &now, next, wanted)) {
            now = *next;
            if (--count == 0) {
                near = false;
                break;
            }
            continue;
        }
        double between = until;
        if (count < MOST_AHEAD) {
            between = time_between(x0, x1, &now.gap, least - 0.5 * tolerance, now.time, until, next->time);
        }
        moment found = moment_at(collider, x0, x1, between);
        looked++;
        if (count < MOST_AHEAD) {
            ahead[count++] = found;
        } else {
            now = found;
        }
    }
    *time = now.time;
    *gap = now.gap;
    return near;
}

bool wf_convex_face_impact(const wf_collider *collider, const wf_vec3 x0[3], const wf_vec3 x1[3], double separation,
                           double *time, wf_face_gap *gap)
{
    *time = 0;
    if (wf_convex_face_is_clear(collider, x0, x1, separation)) {
        *gap = (wf_face_gap){.distance = separation};
        return false;
    }
    wf_face_gap first = wf_convex_face_gap(collider, x0);
    *gap = first;
    if (!(first.distance > 0)) {
        return false;
    }
    double wanted = fmin(separation, WF_COLLIDER_KEPT_PART * first.distance);
    if (largest_motion(x0, x1) <= 0.5 * (first.distance - wanted)) {
        return false; /* above all what goes along with the collider, however badly the normal is known */
    }
    return comes_near(collider, x0, x1, wanted, time, gap);
}
