/* untangle_contours.c - the curves in which surfaces cross, and the moves that make them shorter (P. Volino and N.
 * Magnenat-Thalmann, 2006; see untangle.h). */
#include "contact/untangle_private.h"
#include "mesh/intersect.h"

#define REACH_OF_BORDERS 8 /* mean edges: what sticks out farther is not drawn back as such */

static wf_surface cloth_surface(const wf_untangler *u, const wf_vec3 *x)
{
    return (wf_surface){u->vertex_count, x, u->cloth_faces, u->def->scene.cloth_faces};
}

static wf_surface body_surface(const wf_untangler *u, const wf_vec3 *x)
{
    return (wf_surface){u->vertex_count, x, u->body_faces, u->def->scene.body_faces};
}

wf_status wf_untangle_find_crossings(wf_untangler *u)
{
    const wf_surface cloth = cloth_surface(u, u->x), bodies = body_surface(u, u->x);
    wf_status status = WF_OK;
    if (u->def->with_itself) {
        status = wf_intersections_find(u->context, &cloth, NULL, WF_UNTANGLE_MOST_PAIRS, u->self, &u->self_count);
    }
    if (status == WF_OK && u->body_faces > 0) {
        status = wf_intersections_find(u->context, &cloth, &bodies, WF_UNTANGLE_MOST_PAIRS, u->with_bodies,
                                       &u->body_count);
    }
    return status;
}

/* Whether the edge p q pierces the face; then where along the edge, and the weights of the face's corners. */
static bool pierces(const wf_vec3 *x, int32_t p, int32_t q, const int32_t face[3], double *along, double corner[3])
{
    wf_vec3 a = x[face[0]], ab = wf_vec3_sub(x[face[1]], a), ac = wf_vec3_sub(x[face[2]], a);
    wf_vec3 normal = wf_vec3_cross(ab, ac), way = wf_vec3_sub(x[q], x[p]);
    double before = wf_vec3_dot(wf_vec3_sub(x[p], a), normal), after = wf_vec3_dot(wf_vec3_sub(x[q], a), normal);
    if (before * after > 0 || before == after) {
        return false;
    }
    *along = before / (before - after);
    wf_vec3 r = wf_vec3_sub(wf_vec3_muladds(x[p], way, *along), a);
    double area2 = wf_vec3_norm2(normal);
    corner[1] = wf_vec3_dot(wf_vec3_cross(r, ac), normal) / area2;
    corner[2] = wf_vec3_dot(wf_vec3_cross(ab, r), normal) / area2;
    corner[0] = 1 - corner[1] - corner[2];
    return corner[0] >= 0 && corner[1] >= 0 && corner[2] >= 0; /* false for NaN, of a face without area */
}

/* The direction in which the crossing curve goes into a face from the place where its edge pierces another with the
 * normal n: in both planes, to the side of the face's third corner. */
static wf_vec3 curve_direction(const wf_vec3 *x, const int32_t face[3], int32_t p, int32_t q, wf_vec3 n)
{
    int32_t third = face[0];
    for (int k = 0; k < 3; k++) {
        third = face[k] != p && face[k] != q ? face[k] : third;
    }
    wf_vec3 along = wf_vec3_sub(x[q], x[p]), to_third = wf_vec3_sub(x[third], x[p]);
    wf_vec3 direction = wf_vec3_normalize(wf_vec3_cross(wf_untangle_face_normal(x, face), n));
    wf_vec3 inward = wf_vec3_muladds(to_third, along, -wf_vec3_dot(to_third, along) / wf_vec3_norm2(along));
    return wf_vec3_dot(direction, inward) < 0 ? wf_vec3_scale(direction, -1) : direction;
}

/* Volino and Magnenat-Thalmann's vector: how the edge, with its one or two faces, must go against the pierced face for
 * the curve to become shorter. The end of each piece of the curve goes with the edge and stays in the pierced plane. */
static wf_vec3 shortening_direction(const wf_vec3 *x, const wf_mesh *mesh, int32_t edge, wf_vec3 n)
{
    int32_t p = mesh->edges[edge][0], q = mesh->edges[edge][1];
    wf_vec3 along = wf_vec3_normalize(wf_vec3_sub(x[q], x[p])), sum = {0, 0, 0};
    double steepness = wf_vec3_dot(along, n);
    if (fabs(steepness) < 0.05) {
        steepness = steepness < 0 ? -0.05 : 0.05; /* an edge that grazes the face would go anywhere */
    }
    for (int k = 0; k < 2; k++) {
        int32_t f = mesh->edge_faces[edge][k];
        if (f >= 0) {
            wf_vec3 r = curve_direction(x, mesh->faces[f], p, q, n);
            sum = wf_vec3_add(sum, wf_vec3_muladds(r, n, -wf_vec3_dot(along, r) / steepness));
        }
    }
    return sum;
}

/* m: how far a place is from the nearest border, by its weights at vertices. */
static double border_at(const wf_untangler *u, int count, const int32_t *vertex, const double *weight)
{
    double sum = 0;
    for (int k = 0; k < count; k++) {
        sum += weight[k] > 0 ? weight[k] * u->border[vertex[k]] : 0; /* no border is infinitely far away */
    }
    return sum;
}

/* A straight curve says nothing about the way out. Where the edge's sheet ends nearer to the curve than the pierced one
 * does, what sticks out there is drawn back, away from its border. */
static wf_vec3 retreat(const wf_untangler *u, const int32_t vertex[5], const double weight[5])
{
    double own = border_at(u, 2, vertex, weight);
    double other = vertex[2] < u->cloth_count ? border_at(u, 3, vertex + 2, weight + 2) : INFINITY;
    double reach = REACH_OF_BORDERS * u->edge_length[vertex[0]];
    if (!(own < other && own < reach)) {
        return (wf_vec3){0, 0, 0};
    }
    wf_vec3 along = wf_vec3_sub(u->x[vertex[1]], u->x[vertex[0]]);
    double rise = u->border[vertex[1]] - u->border[vertex[0]], length2 = wf_vec3_norm2(along);
    return length2 > 0 ? wf_vec3_scale(along, 4 * (1 - own / reach) * rise / length2) : along;
}

static double mobility_of(const wf_untangler *u, int32_t i)
{
    return i < u->cloth_count ? u->def->inverse_mass[i] : 0;
}

/* Moves an edge and the face that it pierces against each other along `direction`, as their mobilities say. */
static void part_edge_and_face(wf_untangler *u, const int32_t vertex[5], const double weight[5], wf_vec3 direction)
{
    double length = wf_vec3_norm(direction), edge = 0, face = 0;
    for (int k = 0; k < 5; k++) {
        *(k < 2 ? &edge : &face) += weight[k] * mobility_of(u, vertex[k]);
    }
    if (!(length > 0) || !(edge + face > 0)) {
        return;
    }
    /* Straight curves say little about where to go: their moves are short. */
    double share = length / sqrt(length * length + 0.01);
    for (int k = 0; k < 5; k++) {
        int32_t i = vertex[k];
        if (i < u->cloth_count) {
            double part = (k < 2 ? edge : -face) / (edge + face);
            wf_untangle_wish(u, i, wf_vec3_scale(direction, part * share * wf_untangle_step(u, i) / length), weight[k]);
        }
    }
}

/* All edges of face f of one mesh that pierce face g of the other. An edge of two faces has its turn with the first. */
static void part_faces(wf_untangler *u, const wf_mesh *mesh, int32_t f, const wf_mesh *other, int32_t g)
{
    const int32_t *face = other->faces[g];
    for (int k = 0; k < 3; k++) {
        int32_t e = mesh->face_edges[f][k], p = mesh->edges[e][0], q = mesh->edges[e][1];
        bool joined = false;
        for (int c = 0; c < 3; c++) {
            joined = joined || face[c] == p || face[c] == q;
        }
        double along, corner[3];
        if (joined || mesh->edge_faces[e][0] != f || !pierces(u->x, p, q, face, &along, corner)) {
            continue;
        }
        const int32_t vertex[5] = {p, q, face[0], face[1], face[2]};
        const double weight[5] = {1 - along, along, corner[0], corner[1], corner[2]};
        wf_vec3 direction = shortening_direction(u->x, mesh, e, wf_untangle_face_normal(u->x, face));
        if (mesh == &u->cloth) {
            direction = wf_vec3_add(direction, retreat(u, vertex, weight));
        }
        part_edge_and_face(u, vertex, weight, direction);
    }
}

void wf_untangle_shorten_curves(wf_untangler *u)
{
    for (int64_t k = 0; k < wf_untangle_listed(u->self_count); k++) {
        int32_t f = u->self[k][0], g = u->self[k][1];
        if (u->def->face_layer && u->def->face_layer[f] != u->def->face_layer[g]) {
            continue; /* layers know where to go */
        }
        part_faces(u, &u->cloth, f, &u->cloth, g);
        part_faces(u, &u->cloth, g, &u->cloth, f);
    }
    for (int64_t k = 0; k < wf_untangle_listed(u->body_count); k++) {
        part_faces(u, &u->cloth, u->with_bodies[k][0], &u->bodies, u->with_bodies[k][1]);
        part_faces(u, &u->bodies, u->with_bodies[k][1], &u->cloth, u->with_bodies[k][0]);
    }
}
