/* convex.c - faces and convex colliders; see convex.h. */
#include "contact/colliders/convex.h"

#include "contact/distance.h"

enum { MOST_WALKS = 48, MOST_ADVANCES = 128, MOST_SECTIONS = 72 };

/* Of the squared distance: the walk ends when the next farthest point gains less. */
#define WALK_TOLERANCE 1e-10
/* Of the distance: what must be proved of it. */
#define PROOF 0.99
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

/* Walks toward the point of face minus core that is nearest to the origin. Returns how far, m, they are apart at
 * least: the plane of which that is proved is between them. *meet: a tetrahedron holds the origin. */
static double walk(const wf_collider *collider, const wf_vec3 x[3], simplex *s, bool *meet)
{
    double proved = 0;
    wf_vec3 middle = wf_vec3_scale(wf_vec3_add(x[0], wf_vec3_add(x[1], x[2])), 1.0 / 3);
    add_farthest(collider, x, middle, s);
    *meet = !reduce(s);
    wf_vec3 nearest = nearest_of(s);
    for (int walked = 0; walked < MOST_WALKS && !*meet; walked++) {
        double distance2 = wf_vec3_norm2(nearest);
        simplex next = *s;
        add_farthest(collider, x, nearest, &next);
        double reached = wf_vec3_dot(nearest, next.point[next.count - 1]);
        proved = distance2 > 0 ? fmax(proved, reached / sqrt(distance2)) : proved;
        if (!(reached < distance2 * (1 - WALK_TOLERANCE))) {
            break;
        }
        bool holds = !reduce(&next);
        wf_vec3 nearer = nearest_of(&next);
        if (!holds && !(next.count < 4 && wf_vec3_norm2(nearer) < distance2)) {
            break; /* rounding goes in circles, or takes a flat tetrahedron for one around the origin */
        }
        if (holds && proved > 0) {
            break; /* a flat one again */
        }
        *meet = holds;
        *s = next;
        nearest = nearer;
    }
    return proved;
}

static double largest_size(const wf_collider *collider, const wf_vec3 x[3])
{
    double corner2 = fmax(wf_vec3_norm2(x[0]), fmax(wf_vec3_norm2(x[1]), wf_vec3_norm2(x[2])));
    return sqrt(corner2) + collider->reach;
}

wf_face_gap wf_convex_face_gap(const wf_collider *collider, const wf_vec3 x[3])
{
    const double nothing = ROUNDING * largest_size(collider, x), rounding = collider->rounding;
    simplex s = {0};
    bool meet;
    double proved = walk(collider, x, &s, &meet) - rounding;
    wf_vec3 nearest = nearest_of(&s);
    double length = meet ? 0 : wf_vec3_norm(nearest);
    wf_face_gap gap = {.distance = length - rounding};
    for (int k = 0; k < s.count; k++) {
        gap.weights[s.corner[k]] += s.weight[k];
    }
    if (meet) {
        gap.weights[0] = gap.weights[1] = gap.weights[2] = 1.0 / 3;
    } else if (length > 0) {
        gap.normal = wf_vec3_scale(nearest, 1 / length);
    }
    bool apart = gap.distance > nothing && proved >= PROOF * gap.distance, overlap = gap.distance < -nothing;
    if (apart || overlap) {
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

/* Until when the corners, from `time` on, stay beyond `wanted` from the surface along the unit normal: 1 and more if
 * they do to the end. `*least`: what is left of it at `time`. */
static double clear_until(const wf_collider *collider, const wf_vec3 x0[3], const wf_vec3 x1[3], wf_vec3 normal,
                          double wanted, double time, double *least)
{
    double level = wf_vec3_dot(normal, collider->class->support(collider, normal)) + collider->rounding + wanted;
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

static double largest_motion(const wf_vec3 x0[3], const wf_vec3 x1[3])
{
    double largest2 = 0;
    for (int k = 0; k < 3; k++) {
        largest2 = fmax(largest2, wf_vec3_norm2(wf_vec3_sub(x1[k], x0[k])));
    }
    return sqrt(largest2);
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
    double tolerance = WF_COLLIDER_TOLERANCE * wanted;
    for (int advance = 0; advance < MOST_ADVANCES; advance++) {
        double least;
        double until = clear_until(collider, x0, x1, gap->normal, wanted, *time, &least);
        if (until >= 1) {
            return false;
        }
        if (!(least > tolerance) || !(until > *time)) {
            return true;
        }
        *time = until;
        wf_vec3 x[3];
        for (int k = 0; k < 3; k++) {
            x[k] = wf_vec3_lerp(x0[k], x1[k], *time);
        }
        *gap = wf_convex_face_gap(collider, x);
    }
    return true;
}
