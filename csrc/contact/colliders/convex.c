/* convex.c - faces and convex colliders; see convex.h. */
#include "contact/colliders/convex.h"

#include "contact/distance.h"

enum { MOST_WALKS = 48, MOST_ADVANCES = 128 };

/* Of the squared distance: the walk ends when the next farthest point gains less. */
#define WALK_TOLERANCE 1e-10
/* Of the squared distance: rounding of what is compared with it is far less. */
#define PROOF 1e-6

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

/* Whether a corner of the face, or its point nearest to the core so far, is inside. */
static bool has_point_inside(const wf_collider *collider, const wf_vec3 x[3], const simplex *s)
{
    wf_vec3 unused, nearest = {0, 0, 0};
    bool inside = false;
    for (int k = 0; k < s->count; k++) {
        nearest = wf_vec3_muladds(nearest, x[s->corner[k]], s->weight[k]);
    }
    for (int k = 0; k < 3 && !inside; k++) {
        inside = collider->class->distance(collider, x[k], &unused) < 0;
    }
    return inside || collider->class->distance(collider, nearest, &unused) < 0;
}

wf_face_gap wf_convex_face_gap(const wf_collider *collider, const wf_vec3 x[3])
{
    simplex s = {0};
    wf_vec3 middle = wf_vec3_scale(wf_vec3_add(x[0], wf_vec3_add(x[1], x[2])), 1.0 / 3);
    add_farthest(collider, x, middle, &s);
    bool apart = reduce(&s), proved = false;
    wf_vec3 nearest = nearest_of(&s);
    for (int walk = 0; walk < MOST_WALKS && apart; walk++) {
        double distance2 = wf_vec3_norm2(nearest);
        simplex next = s;
        add_farthest(collider, x, nearest, &next);
        double reached = wf_vec3_dot(nearest, next.point[next.count - 1]);
        proved = proved || reached > PROOF * distance2; /* a plane is between */
        if (!(reached < distance2 * (1 - WALK_TOLERANCE))) {
            break;
        }
        apart = reduce(&next) || proved;
        wf_vec3 nearer = nearest_of(&next);
        if (apart && !(next.count < 4 && wf_vec3_norm2(nearer) < distance2)) {
            break; /* rounding goes in circles, or takes a flat tetrahedron for one around the origin */
        }
        s = next;
        nearest = nearer;
    }
    if (!proved && apart) { /* the origin may be in a side of all tetrahedra: on an axis of a box, say */
        apart = !has_point_inside(collider, x, &s);
    }
    wf_face_gap gap = {.distance = -collider->rounding};
    double length = apart ? wf_vec3_norm(nearest) : 0;
    if (length > 0) {
        gap.distance = length - collider->rounding;
        gap.normal = wf_vec3_scale(nearest, 1 / length);
    }
    for (int k = 0; k < s.count; k++) {
        gap.weights[s.corner[k]] += s.weight[k];
    }
    if (!apart) {
        gap.weights[0] = gap.weights[1] = gap.weights[2] = 1.0 / 3;
    }
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
