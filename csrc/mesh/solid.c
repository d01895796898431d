/* solid.c - winding numbers and distances with a tree; see solid.h. */
#include "mesh/solid.h"

#include <string.h>

#include "base/tasks.h"
#include "base/vector.h"
#include "mesh/tree.h"

static const double PI = 3.14159265358979323846;

enum { LEAF_SIZE = 8, POINT_BLOCK = 256 };

/* Nodes are taken as a whole from this many times their radius on. With three terms of the expansion this keeps
 * the error of a body's winding number below 1e-3. */
static const double FAR_FACTOR = 3.4;

/* The far field of a node: its triangles seen from afar. With c the centre, x on a triangle, n its normal, d = x - c,
 * the integrals over all triangles of what is written behind each: */
typedef struct far_field {
    wf_vec3 centre;    /* mean of the triangles' centroids, weighted with area */
    double radius;     /* of the ball around it that holds the triangles */
    wf_vec3 dipole;    /* n */
    wf_mat3 gradient;  /* d n^T */
    wf_vec3 curvature; /* 2 (n . d) d + (d . d) n */
    double cubic[10];  /* n d d, for the products of coordinates listed in cubic_products */
} far_field;

struct wf_solid {
    int32_t face_count;
    wf_vec3 (*corners)[3]; /* [face_count] in the order of the tree's leaves */
    wf_tree tree;
    far_field *far_fields; /* [tree.node_count] */
    int32_t (*faces)[3];   /* [face_count] in that order, of one that moves; it has no far fields */
};

/* ---- building -------------------------------------------------------------------------------------------------- */

/* Across a triangle, twice as long as its area. */
static wf_vec3 across(const wf_vec3 corner[3])
{
    return wf_vec3_cross(wf_vec3_sub(corner[1], corner[0]), wf_vec3_sub(corner[2], corner[0]));
}

static wf_vec3 area_normal(const wf_vec3 corner[3])
{
    return wf_vec3_scale(across(corner), 0.5);
}

static wf_vec3 centroid(const wf_vec3 corner[3])
{
    return wf_vec3_scale(wf_vec3_add(corner[0], wf_vec3_add(corner[1], corner[2])), 1.0 / 3);
}

static void add_outer(wf_mat3 *sum, wf_vec3 a, wf_vec3 b)
{
    const double x[3] = {a.x, a.y, a.z}, y[3] = {b.x, b.y, b.z};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            sum->m[i][j] += x[i] * y[j];
        }
    }
}

/* The products of three coordinates, in the order of far_field.cubic. */
static const int cubic_products[10][3] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {0, 0, 1}, {0, 0, 2},
                                          {1, 1, 0}, {1, 1, 2}, {2, 2, 0}, {2, 2, 1}, {0, 1, 2}};

/* Adds scale n d d and what follows from it, for one offset d. */
static void add_second_order(far_field *field, wf_vec3 normal, wf_vec3 offset, double scale)
{
    const double n[3] = {normal.x, normal.y, normal.z}, d[3] = {offset.x, offset.y, offset.z};
    field->curvature = wf_vec3_muladds(field->curvature, offset, 2 * scale * wf_vec3_dot(normal, offset));
    field->curvature = wf_vec3_muladds(field->curvature, normal, scale * wf_vec3_norm2(offset));
    for (int p = 0; p < 10; p++) {
        /* n takes each of the three places once; places with equal coordinates add up, as in the binomial. */
        const int i = cubic_products[p][0], j = cubic_products[p][1], k = cubic_products[p][2];
        const double ways = i == j && j == k ? 1.0 / 3 : i == j ? 1 : 2;
        field->cubic[p] += scale * ways * (n[i] * d[j] * d[k] + n[j] * d[i] * d[k] + n[k] * d[i] * d[j]);
    }
}

static far_field make_far_field(const wf_solid *solid, const wf_tree_node *node)
{
    far_field field = {0};
    double area = 0;
    for (int32_t i = node->first; i < node->first + node->count; i++) {
        const wf_vec3 normal = area_normal(solid->corners[i]);
        field.dipole = wf_vec3_add(field.dipole, normal);
        field.centre = wf_vec3_muladds(field.centre, centroid(solid->corners[i]), wf_vec3_norm(normal));
        area += wf_vec3_norm(normal);
    }
    field.centre = area > 0 ? wf_vec3_scale(field.centre, 1 / area)
                            : wf_vec3_lerp(node->box.lower, node->box.upper, 0.5);
    for (int32_t i = node->first; i < node->first + node->count; i++) {
        const wf_vec3 *corner = solid->corners[i], normal = area_normal(corner);
        const wf_vec3 offset = wf_vec3_sub(centroid(corner), field.centre);
        add_outer(&field.gradient, offset, normal);
        /* The mean of d d^T over a triangle is 3/4 that of its centroid and 1/12 that of each corner. */
        add_second_order(&field, normal, offset, 0.75);
        for (int k = 0; k < 3; k++) {
            add_second_order(&field, normal, wf_vec3_sub(corner[k], field.centre), 1.0 / 12);
            field.radius = fmax(field.radius, wf_vec3_distance(corner[k], field.centre));
        }
    }
    return field;
}

static void set_corners(wf_solid *solid, const wf_vec3 *positions, const int32_t (*faces)[3], const int32_t *order)
{
    for (int32_t i = 0; i < solid->face_count; i++) {
        for (int k = 0; k < 3; k++) {
            solid->corners[i][k] = positions[faces[order ? order[i] : i][k]];
        }
    }
}

/* The tree and the corners of its leaves. */
static wf_status create(wf_context *context, const wf_mesh *mesh, wf_solid **result)
{
    const int32_t (*faces)[3] = (const int32_t(*)[3])mesh->faces;
    wf_solid *solid = wf_allocate(context, 1, sizeof *solid);
    *result = solid;
    if (!solid) {
        return WF_ERROR_MEMORY;
    }
    solid->face_count = mesh->face_count;
    solid->corners = wf_allocate(context, (size_t)mesh->face_count, sizeof *solid->corners);
    wf_status status = solid->corners ? wf_tree_build(context, mesh->positions, mesh->face_count, faces, LEAF_SIZE,
                                                      &solid->tree)
                                      : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        set_corners(solid, mesh->positions, faces, solid->tree.order);
    }
    return status;
}

static wf_status finish(wf_context *context, wf_status status, wf_solid **solid)
{
    if (status != WF_OK) {
        wf_solid_destroy(context, *solid);
        *solid = NULL;
    }
    return status;
}

wf_status wf_solid_create(wf_context *context, const wf_mesh *mesh, wf_solid **result)
{
    wf_status status = create(context, mesh, result);
    wf_solid *solid = *result;
    if (status == WF_OK) {
        solid->far_fields = wf_allocate(context, (size_t)solid->tree.node_count, sizeof *solid->far_fields);
        status = solid->far_fields ? WF_OK : WF_ERROR_MEMORY;
    }
    for (int32_t n = 0; status == WF_OK && n < solid->tree.node_count; n++) {
        solid->far_fields[n] = make_far_field(solid, &solid->tree.nodes[n]);
    }
    return finish(context, status, result);
}

wf_status wf_solid_create_moving(wf_context *context, const wf_mesh *mesh, wf_solid **result)
{
    wf_status status = create(context, mesh, result);
    wf_solid *solid = *result;
    if (status == WF_OK) {
        solid->faces = wf_allocate(context, (size_t)solid->face_count, sizeof *solid->faces);
        status = solid->faces ? WF_OK : WF_ERROR_MEMORY;
    }
    for (int32_t i = 0; status == WF_OK && i < solid->face_count; i++) {
        memcpy(solid->faces[i], mesh->faces[solid->tree.order[i]], sizeof *solid->faces);
    }
    return finish(context, status, result);
}

void wf_solid_move(wf_solid *solid, const wf_vec3 *positions)
{
    set_corners(solid, positions, (const int32_t(*)[3])solid->faces, NULL);
    for (int32_t n = solid->tree.node_count - 1; n >= 0; n--) { /* parents come before their children */
        wf_tree_node *node = &solid->tree.nodes[n];
        if (node->right >= 0) {
            node->box = wf_box_join(node[1].box, solid->tree.nodes[node->right].box);
        } else {
            node->box = wf_box_of(solid->corners[node->first], 3 * node->count);
        }
    }
}

void wf_solid_destroy(wf_context *context, wf_solid *solid)
{
    if (!solid) {
        return;
    }
    wf_free(context, solid->corners);
    wf_free(context, solid->far_fields);
    wf_free(context, solid->faces);
    wf_tree_free(context, &solid->tree);
    wf_free(context, solid);
}

/* ---- winding number -------------------------------------------------------------------------------------------- */

/* The solid angle of a triangle seen from `point` (A. van Oosterom and J. Strackee 1983). */
static double solid_angle(const wf_vec3 corner[3], wf_vec3 point)
{
    const wf_vec3 a = wf_vec3_sub(corner[0], point), b = wf_vec3_sub(corner[1], point);
    const wf_vec3 c = wf_vec3_sub(corner[2], point);
    const double la = wf_vec3_norm(a), lb = wf_vec3_norm(b), lc = wf_vec3_norm(c);
    const double determinant = wf_vec3_dot(a, wf_vec3_cross(b, c));
    const double denominator = la * lb * lc + wf_vec3_dot(a, b) * lc + wf_vec3_dot(b, c) * la + wf_vec3_dot(c, a) * lb;
    return 2 * atan2(determinant, denominator);
}

/* The solid angle of a node from afar: the integral of n . (r + d) / |r + d|^3, r from the point to the centre,
 * expanded to second order in d. */
static double far_solid_angle(const far_field *field, wf_vec3 r, double distance2)
{
    const double inverse2 = 1 / distance2, inverse3 = inverse2 / sqrt(distance2);
    const wf_mat3 *g = &field->gradient;
    const double trace = g->m[0][0] + g->m[1][1] + g->m[2][2];
    const double first = trace - 3 * wf_vec3_dot(r, wf_mat3_mulv(*g, r)) * inverse2;
    const double *c = field->cubic;
    const double cubic = r.x * (r.x * (c[0] * r.x + c[3] * r.y + c[4] * r.z) + c[9] * r.y * r.z) +
                         r.y * r.y * (c[1] * r.y + c[5] * r.x + c[6] * r.z) +
                         r.z * r.z * (c[2] * r.z + c[7] * r.x + c[8] * r.y);
    const double second = (7.5 * cubic * inverse2 - 1.5 * wf_vec3_dot(field->curvature, r)) * inverse2;
    return (wf_vec3_dot(field->dipole, r) + first + second) * inverse3;
}

double wf_solid_winding_at(const wf_solid *solid, wf_vec3 point)
{
    int32_t stack[WF_TREE_DEPTH];
    int depth = 0;
    double sum = 0;
    int32_t n = solid->tree.node_count > 0 ? 0 : -1;
    while (n >= 0) {
        const wf_tree_node *node = &solid->tree.nodes[n];
        const far_field *field = &solid->far_fields[n];
        const wf_vec3 r = wf_vec3_sub(field->centre, point);
        const double distance2 = wf_vec3_norm2(r), near = FAR_FACTOR * field->radius;
        if (distance2 > near * near) {
            sum += far_solid_angle(field, r, distance2);
        } else if (node->right < 0) {
            for (int32_t i = node->first; i < node->first + node->count; i++) {
                sum += solid_angle(solid->corners[i], point);
            }
        } else {
            stack[depth++] = node->right;
            n++;
            continue;
        }
        n = depth > 0 ? stack[--depth] : -1;
    }
    return sum / (4 * PI);
}

/* ---- distance -------------------------------------------------------------------------------------------------- */

static wf_vec3 closest_on_edge(wf_vec3 a, wf_vec3 b, wf_vec3 point)
{
    const wf_vec3 ab = wf_vec3_sub(b, a);
    const double length2 = wf_vec3_norm2(ab);
    const double t = length2 > 0 ? wf_vec3_dot(wf_vec3_sub(point, a), ab) / length2 : 0;
    return t <= 0 ? a : t >= 1 ? b : wf_vec3_muladds(a, ab, t);
}

/* Whether its plane is already farther than that: true of most of what a point inside a round body sees. */
static bool plane_is_beyond(const wf_vec3 corner[3], wf_vec3 normal, wf_vec3 point, double distance2)
{
    const double height = wf_vec3_dot(normal, wf_vec3_sub(point, corner[0]));
    return height * height > distance2 * wf_vec3_norm2(normal);
}

/* The closest point of a triangle, also of one without area. */
static wf_vec3 closest_on_triangle(const wf_vec3 corner[3], wf_vec3 normal, wf_vec3 point)
{
    bool over_face = wf_vec3_norm2(normal) > 0;
    for (int k = 0; k < 3 && over_face; k++) {
        const wf_vec3 inward = wf_vec3_cross(normal, wf_vec3_sub(corner[(k + 1) % 3], corner[k]));
        over_face = wf_vec3_dot(inward, wf_vec3_sub(point, corner[k])) >= 0;
    }
    if (over_face) {
        const double height = wf_vec3_dot(normal, wf_vec3_sub(point, corner[0])) / wf_vec3_norm2(normal);
        return wf_vec3_muladds(point, normal, -height);
    }
    wf_vec3 best = corner[0];
    double best2 = INFINITY;
    for (int k = 0; k < 3; k++) {
        const wf_vec3 candidate = closest_on_edge(corner[k], corner[(k + 1) % 3], point);
        const double distance2 = wf_vec3_norm2(wf_vec3_sub(candidate, point));
        if (distance2 < best2) {
            best2 = distance2;
            best = candidate;
        }
    }
    return best;
}

/* Without branches: which side it is on cannot be foretold. */
static double outside_by(double lower, double upper, double x)
{
    const double below = lower - x, above = x - upper, out = below > above ? below : above;
    return out > 0 ? out : 0;
}

static double box_distance2(const wf_tree_node *node, wf_vec3 p)
{
    const double x = outside_by(node->box.lower.x, node->box.upper.x, p.x);
    const double y = outside_by(node->box.lower.y, node->box.upper.y, p.y);
    const double z = outside_by(node->box.lower.z, node->box.upper.z, p.z);
    return x * x + y * y + z * z;
}

static double least_of(double a, double b, double c)
{
    const double ab = a < b ? a : b;
    return ab < c ? ab : c;
}

static double largest_of(double a, double b, double c)
{
    const double ab = a > b ? a : b;
    return ab > c ? ab : c;
}

/* No larger than the squared distance of a triangle, and found in a fraction of the time: that of its box. */
static double least_distance2(const wf_vec3 x[3], wf_vec3 p)
{
    const double dx = outside_by(least_of(x[0].x, x[1].x, x[2].x), largest_of(x[0].x, x[1].x, x[2].x), p.x);
    const double dy = outside_by(least_of(x[0].y, x[1].y, x[2].y), largest_of(x[0].y, x[1].y, x[2].y), p.y);
    const double dz = outside_by(least_of(x[0].z, x[1].z, x[2].z), largest_of(x[0].z, x[1].z, x[2].z), p.z);
    return dx * dx + dy * dy + dz * dz;
}

/* A node that is still to be seen, and its squared distance. */
typedef struct waiting_node {
    double distance2;
    int32_t node;
} waiting_node;

double wf_solid_distance_at(const wf_solid *solid, wf_vec3 point, bool known, wf_vec3 *closest)
{
    double best2 = known ? wf_vec3_norm2(wf_vec3_sub(*closest, point)) : INFINITY;
    waiting_node stack[2 * WF_TREE_DEPTH];
    int depth = 0;
    if (solid->tree.node_count > 0) {
        stack[depth++] = (waiting_node){0, 0};
    }
    while (depth > 0) {
        const waiting_node waiting = stack[--depth];
        if (waiting.distance2 >= best2) {
            continue;
        }
        const wf_tree_node *node = &solid->tree.nodes[waiting.node];
        if (node->right >= 0) {
            waiting_node near = {box_distance2(node + 1, point), waiting.node + 1};
            waiting_node far = {box_distance2(&solid->tree.nodes[node->right], point), node->right};
            if (far.distance2 < near.distance2) {
                const waiting_node swapped = near;
                near = far;
                far = swapped;
            }
            stack[depth] = far;
            depth += far.distance2 < best2;
            stack[depth] = near;
            depth += near.distance2 < best2;
            continue;
        }
        for (int32_t i = node->first; i < node->first + node->count; i++) {
            if (least_distance2(solid->corners[i], point) >= best2) {
                continue;
            }
            const wf_vec3 normal = across(solid->corners[i]);
            if (plane_is_beyond(solid->corners[i], normal, point, best2)) {
                continue;
            }
            const wf_vec3 candidate = closest_on_triangle(solid->corners[i], normal, point);
            const double distance2 = wf_vec3_norm2(wf_vec3_sub(candidate, point));
            if (distance2 < best2) {
                best2 = distance2;
                *closest = candidate;
            }
        }
    }
    return sqrt(best2);
}

/* ---- many points ----------------------------------------------------------------------------------------------- */

typedef struct query {
    const wf_solid *solid;
    const wf_vec3 *points;
    double *winding, *distance; /* NULL: not asked for */
    wf_vec3 *closest;           /* NULL: not asked for */
    bool with_sign;             /* distances inside are negative */
} query;

static void answer_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const query *q = user;
    for (size_t i = begin; i < end; i++) {
        const double winding = q->winding || q->with_sign ? wf_solid_winding_at(q->solid, q->points[i]) : 0;
        if (q->winding) {
            q->winding[i] = winding;
        }
        if (q->distance) {
            wf_vec3 closest = q->points[i];
            const double distance = wf_solid_distance_at(q->solid, q->points[i], false, &closest);
            q->distance[i] = winding > 0.5 ? -distance : distance;
            if (q->closest) {
                q->closest[i] = closest;
            }
        }
    }
}

void wf_solid_winding(wf_context *context, const wf_solid *solid, int32_t count, const wf_vec3 *points, double *winding)
{
    query q = {.solid = solid, .points = points, .winding = winding};
    wf_parallel_for(context, (size_t)count, POINT_BLOCK, answer_block, &q);
}

void wf_solid_distance(wf_context *context, const wf_solid *solid, int32_t count, const wf_vec3 *points,
                       double *distance, wf_vec3 *closest)
{
    query q = {.solid = solid, .points = points, .distance = distance, .closest = closest};
    wf_parallel_for(context, (size_t)count, POINT_BLOCK, answer_block, &q);
}

int32_t wf_solid_signed_distance(wf_context *context, const wf_solid *solid, int32_t count, const wf_vec3 *points,
                                 double *distance)
{
    query q = {.solid = solid, .points = points, .distance = distance, .with_sign = true};
    wf_parallel_for(context, (size_t)count, POINT_BLOCK, answer_block, &q);
    int32_t inside = 0;
    for (int32_t i = 0; i < count; i++) {
        inside += signbit(distance[i]) != 0;
    }
    return inside;
}
