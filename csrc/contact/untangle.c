/* untangle.c - see untangle.h. */
#include "contact/untangle.h"

#include <string.h>

#include "base/vector.h"
#include "contact/response.h"
#include "mesh/intersect.h"
#include "mesh/solid.h"

enum {
    MOST_PAIRS = 200000, /* looked at in one round; the others have their turn later */
    PATIENCE = 40,       /* rounds without a better state before it is given up */
    SMOOTHINGS = 2,      /* moves are spread over so many rings, or cloth would be drawn into spikes */
    LOOSE_RINGS = 2
};

#define STEP 0.25            /* of the mean length of the edges at a vertex: the longest move in a round */
#define REACH_OF_BORDERS 8   /* mean edges: what sticks out farther is not drawn back as such */
#define REACH_OF_LAYERS 0.05 /* m: layers further from each other are not compared */
#define DOOR_SKIN 0.004      /* m */

typedef struct untangler {
    wf_context *context;
    const wf_untangle_def *def;
    int32_t cloth_count, vertex_count, cloth_faces, body_faces;
    wf_vec3 *x, *target;
    wf_mesh cloth, bodies;   /* linked; positions are not used */
    double *edge_length;     /* [cloth_count] m, mean at each vertex */
    double *border;          /* [cloth_count] m, from the nearest border along edges; INFINITY where there is none */
    wf_vec3 *move, *spread;  /* [cloth_count] */
    double *weight;          /* [cloth_count] of moves that were added */
    uint8_t *loose, *ring;   /* [cloth_count] of wf_looseness */
    uint8_t *passing;        /* [cloth_count] misplaced, or what such vertices must pass through */
    int32_t (*self)[2], (*with_bodies)[2]; /* [MOST_PAIRS] crossing faces */
    int64_t self_count, body_count;        /* all of them */
    wf_solid *solid;         /* of the bodies with an inside, NULL for none */
    wf_vec3 *closest;        /* [cloth_count] on the solid */
    double *distance;        /* [cloth_count] from it, negative inside */
    int32_t *piece;          /* [cloth_count] scratch */
    int32_t *vertex_layer;   /* [cloth_count] the largest of its faces'; -1 of none */
    int32_t inside, misplaced;
} untangler;

/* ---- what is wrong ----------------------------------------------------------------------------------------------- */

static wf_surface cloth_surface(const untangler *u, const wf_vec3 *x)
{
    return (wf_surface){u->vertex_count, x, u->cloth_faces, u->def->scene.cloth_faces};
}

static wf_surface body_surface(const untangler *u, const wf_vec3 *x)
{
    return (wf_surface){u->vertex_count, x, u->body_faces, u->def->scene.body_faces};
}

static wf_status find_crossings(untangler *u)
{
    const wf_surface cloth = cloth_surface(u, u->x), bodies = body_surface(u, u->x);
    wf_status status = WF_OK;
    if (u->def->with_itself) {
        status = wf_intersections_find(u->context, &cloth, NULL, MOST_PAIRS, u->self, &u->self_count);
    }
    if (status == WF_OK && u->body_faces > 0) {
        status = wf_intersections_find(u->context, &cloth, &bodies, MOST_PAIRS, u->with_bodies, &u->body_count);
    }
    return status;
}

static int64_t listed(int64_t count)
{
    return count < MOST_PAIRS ? count : MOST_PAIRS;
}

/* ---- moves ------------------------------------------------------------------------------------------------------- */

/* Wishes a move of a cloth vertex; the mean of all wishes is made. */
static void wish(untangler *u, int32_t i, wf_vec3 move, double weight)
{
    if (i < u->cloth_count && weight > 0 && u->def->inverse_mass[i] > 0) {
        u->move[i] = wf_vec3_muladds(u->move[i], move, weight);
        u->weight[i] += weight;
    }
}

static double step_of(const untangler *u, int32_t i)
{
    return STEP * u->edge_length[i];
}

static wf_vec3 shortened(wf_vec3 move, double longest)
{
    double length = wf_vec3_norm(move);
    return length > longest ? wf_vec3_scale(move, longest / length) : move;
}

static wf_vec3 face_normal(const wf_vec3 *x, const int32_t face[3])
{
    return wf_vec3_normalize(wf_vec3_cross(wf_vec3_sub(x[face[1]], x[face[0]]), wf_vec3_sub(x[face[2]], x[face[0]])));
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
    wf_vec3 direction = wf_vec3_normalize(wf_vec3_cross(face_normal(x, face), n));
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

/* A straight curve says nothing about the way out. Where the edge's sheet ends nearer to the curve than the pierced one
 * does, what sticks out there is drawn back, away from its border. */
static wf_vec3 retreat(const untangler *u, const int32_t vertex[5], const double weight[5])
{
    double own = weight[0] * u->border[vertex[0]] + weight[1] * u->border[vertex[1]], other = INFINITY;
    if (vertex[2] < u->cloth_count) {
        other = weight[2] * u->border[vertex[2]] + weight[3] * u->border[vertex[3]] +
                weight[4] * u->border[vertex[4]];
    }
    double reach = REACH_OF_BORDERS * u->edge_length[vertex[0]];
    if (!(own < other && own < reach)) {
        return (wf_vec3){0, 0, 0};
    }
    wf_vec3 along = wf_vec3_sub(u->x[vertex[1]], u->x[vertex[0]]);
    double rise = u->border[vertex[1]] - u->border[vertex[0]], length2 = wf_vec3_norm2(along);
    return length2 > 0 ? wf_vec3_scale(along, 4 * (1 - own / reach) * rise / length2) : along;
}

static double mobility_of(const untangler *u, int32_t i)
{
    return i < u->cloth_count ? u->def->inverse_mass[i] : 0;
}

/* Moves an edge and the face that it pierces against each other along `direction`, as their mobilities say. */
static void part_edge_and_face(untangler *u, const int32_t vertex[5], const double weight[5], wf_vec3 direction)
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
            wish(u, i, wf_vec3_scale(direction, part * share * step_of(u, i) / length), weight[k]);
        }
    }
}

/* All edges of face f of one mesh that pierce face g of the other. An edge of two faces has its turn with the first. */
static void part_faces(untangler *u, const wf_mesh *mesh, int32_t f, const wf_mesh *other, int32_t g)
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
        wf_vec3 direction = shortening_direction(u->x, mesh, e, face_normal(u->x, face));
        if (mesh == &u->cloth) {
            direction = wf_vec3_add(direction, retreat(u, vertex, weight));
        }
        part_edge_and_face(u, vertex, weight, direction);
    }
}

static void shorten_curves(untangler *u)
{
    for (int64_t k = 0; k < listed(u->self_count); k++) {
        int32_t f = u->self[k][0], g = u->self[k][1];
        if (u->def->face_layer && u->def->face_layer[f] != u->def->face_layer[g]) {
            continue; /* layers know where to go */
        }
        part_faces(u, &u->cloth, f, &u->cloth, g);
        part_faces(u, &u->cloth, g, &u->cloth, f);
    }
    for (int64_t k = 0; k < listed(u->body_count); k++) {
        part_faces(u, &u->cloth, u->with_bodies[k][0], &u->bodies, u->with_bodies[k][1]);
        part_faces(u, &u->bodies, u->with_bodies[k][1], &u->cloth, u->with_bodies[k][0]);
    }
}

/* ---- bodies with an inside --------------------------------------------------------------------------------------- */

static wf_status make_solid(untangler *u)
{
    const wf_untangle_def *def = u->def;
    int32_t (*faces)[3] = wf_allocate(u->context, (size_t)u->body_faces, sizeof *faces), count = 0;
    if (!faces) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t f = 0; f < u->body_faces; f++) {
        if (def->body_solid[f]) {
            memcpy(faces[count++], def->scene.body_faces[f], sizeof *faces);
        }
    }
    wf_mesh mesh = {0};
    wf_status status = WF_OK;
    if (count > 0) {
        status = wf_mesh_build_bare(u->context, u->vertex_count, u->x, count, (const int32_t(*)[3])faces, &mesh);
    }
    if (status == WF_OK && count > 0) {
        status = wf_solid_create(u->context, &mesh, &u->solid);
    }
    wf_mesh_free(u->context, &mesh);
    wf_free(u->context, faces);
    return status;
}

static void look_at_solid(untangler *u)
{
    u->inside = 0;
    if (!u->solid) {
        return;
    }
    u->inside = wf_solid_signed_distance(u->context, u->solid, u->cloth_count, u->x, u->distance);
    wf_solid_distance(u->context, u->solid, u->cloth_count, u->x, u->weight, u->closest); /* weight: scratch here */
}

/* Numbers the connected pieces of cloth that are inside, in u->piece; -1 outside. Returns how many there are. */
static int32_t find_pieces(untangler *u)
{
    for (int32_t i = 0; i < u->cloth_count; i++) {
        u->piece[i] = u->distance[i] < 0 ? i : -1;
    }
    for (bool changed = true; changed;) { /* the smallest number spreads */
        changed = false;
        for (int32_t e = 0; e < u->cloth.edge_count; e++) {
            int32_t *a = &u->piece[u->cloth.edges[e][0]], *b = &u->piece[u->cloth.edges[e][1]];
            if (*a >= 0 && *b >= 0 && *a != *b) {
                *a = *b = *a < *b ? *a : *b;
                changed = true;
            }
        }
    }
    int32_t count = 0;
    for (int32_t i = 0; i < u->cloth_count; i++) { /* the first of each piece has its own number */
        if (u->piece[i] >= 0) {
            u->piece[i] = u->piece[i] == i ? count++ : u->piece[u->piece[i]];
        }
    }
    return count;
}

/* Sums of each piece: of the directions to the surface, and of the cloth's normals. */
typedef struct piece_sum {
    wf_vec3 ways, normals;
    int32_t count;
} piece_sum;

/* Nearest places are the way out while they lie on one side. A piece that reaches across the middle of a body would be
 * torn apart by them: it goes along its normal, to the side on which more of it is near. */
#define ONE_SIDED 0.6

static wf_vec3 way_out(const untangler *u, int32_t i, const piece_sum *sum)
{
    wf_vec3 way = wf_vec3_sub(u->closest[i], u->x[i]);
    double beyond = u->def->scene.half_thickness[i], longest = 2 * step_of(u, i);
    if (wf_vec3_norm(sum->ways) >= ONE_SIDED * sum->count) {
        return shortened(wf_vec3_muladds(way, wf_vec3_normalize(way), beyond), longest);
    }
    wf_vec3 along = wf_vec3_normalize(sum->normals);
    return wf_vec3_scale(along, wf_vec3_dot(along, sum->ways) < 0 ? -longest : longest);
}

static wf_status leave_solids(untangler *u)
{
    if (!u->solid || u->inside == 0) {
        return WF_OK;
    }
    int32_t pieces = find_pieces(u);
    piece_sum *sums = wf_allocate(u->context, (size_t)pieces, sizeof *sums);
    wf_vec3 *normals = wf_allocate(u->context, (size_t)u->vertex_count, sizeof *normals);
    wf_status status = sums && normals ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        wf_mesh_vertex_normals(&u->cloth, u->x, normals);
    }
    for (int32_t i = 0; status == WF_OK && i < u->cloth_count; i++) {
        if (u->piece[i] >= 0) {
            piece_sum *sum = &sums[u->piece[i]];
            sum->ways = wf_vec3_add(sum->ways, wf_vec3_normalize(wf_vec3_sub(u->closest[i], u->x[i])));
            sum->normals = wf_vec3_add(sum->normals, normals[i]);
            sum->count++;
        }
    }
    for (int32_t i = 0; status == WF_OK && i < u->cloth_count; i++) {
        if (u->piece[i] >= 0) {
            wish(u, i, way_out(u, i, &sums[u->piece[i]]), 4);
        }
    }
    wf_free(u->context, sums);
    wf_free(u->context, normals);
    return status;
}

/* ---- layers ------------------------------------------------------------------------------------------------------ */

/* Away from the nearest solid; zero where there is none near. */
static wf_vec3 outward(const untangler *u, int32_t i)
{
    if (!u->solid || !(fabs(u->distance[i]) < 10 * REACH_OF_LAYERS)) {
        return (wf_vec3){0, 0, 0};
    }
    wf_vec3 away = wf_vec3_normalize(wf_vec3_sub(u->x[i], u->closest[i]));
    return u->distance[i] < 0 ? wf_vec3_scale(away, -1) : away;
}

/* Distances of all cloth vertices from the faces that are marked, and the places there (`closest` may be NULL). */
static wf_status measure_from(untangler *u, const uint8_t *marked, double *distance, wf_vec3 *closest)
{
    int32_t (*faces)[3] = wf_allocate(u->context, (size_t)u->cloth_faces, sizeof *faces), count = 0;
    if (!faces) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t f = 0; f < u->cloth_faces; f++) {
        if (marked[f]) {
            memcpy(faces[count++], u->def->scene.cloth_faces[f], sizeof *faces);
        }
    }
    wf_mesh mesh = {0};
    wf_solid *surface = NULL;
    wf_status status =
        wf_mesh_build_bare(u->context, u->vertex_count, u->x, count, (const int32_t(*)[3])faces, &mesh);
    if (status == WF_OK) {
        status = wf_solid_create(u->context, &mesh, &surface);
    }
    if (status == WF_OK) {
        wf_solid_distance(u->context, surface, u->cloth_count, u->x, distance, closest);
    }
    wf_solid_destroy(u->context, surface);
    wf_mesh_free(u->context, &mesh);
    wf_free(u->context, faces);
    return status;
}

typedef struct layer_scratch {
    wf_vec3 *normals, *closest;
    double *distance;
    uint8_t *marked; /* faces */
} layer_scratch;

/* Counts the vertices of faces further out than `layer` that are on the wrong side of it; they wish to cross over. Of
 * the layer's faces those that they have to pass are marked as passing, too. */
static wf_status order_layer(untangler *u, int32_t layer, layer_scratch *s)
{
    const int32_t *face_layer = u->def->face_layer;
    for (int32_t f = 0; f < u->cloth_faces; f++) {
        s->marked[f] = face_layer[f] == layer;
    }
    wf_status status = measure_from(u, s->marked, s->distance, s->closest);
    int32_t before = u->misplaced;
    double deepest = 0;
    for (int32_t i = 0; status == WF_OK && i < u->cloth_count; i++) {
        if (u->vertex_layer[i] <= layer || s->distance[i] > REACH_OF_LAYERS) {
            continue;
        }
        wf_vec3 out = outward(u, i), off = wf_vec3_sub(u->x[i], s->closest[i]);
        out = wf_vec3_norm2(out) > 0 ? out : s->normals[i];
        double height = wf_vec3_dot(off, out), wanted = 2 * u->def->scene.half_thickness[i];
        /* Beside the layer, past its border, is neither over it nor under it. */
        if (height < 0 && height < -0.7 * s->distance[i]) {
            u->misplaced++;
            u->passing[i] = 1;
            deepest = fmax(deepest, s->distance[i]);
            wish(u, i, wf_vec3_scale(out, fmin(wanted - height, step_of(u, i))), 4);
        }
    }
    if (status != WF_OK || u->misplaced == before) {
        return status;
    }
    for (int32_t f = 0; f < u->cloth_faces; f++) {
        const int32_t *v = u->def->scene.cloth_faces[f];
        s->marked[f] = face_layer[f] > layer && (u->passing[v[0]] || u->passing[v[1]] || u->passing[v[2]]);
    }
    status = measure_from(u, s->marked, s->distance, NULL);
    for (int32_t i = 0; status == WF_OK && i < u->cloth_count; i++) {
        u->passing[i] |= u->vertex_layer[i] == layer && s->distance[i] <= deepest + 2 * step_of(u, i);
    }
    return status;
}

static int32_t next_layer(const untangler *u, int32_t layer)
{
    int32_t next = INT32_MAX;
    for (int32_t f = 0; f < u->cloth_faces; f++) {
        int32_t of_face = u->def->face_layer[f];
        next = of_face > layer && of_face < next ? of_face : next;
    }
    return next;
}

/* Where there is no body, cloth takes its own normals for outward: near another layer it lies along it. */
static wf_status order_layers(untangler *u)
{
    u->misplaced = 0;
    memset(u->passing, 0, (size_t)u->cloth_count);
    if (!u->def->face_layer) {
        return WF_OK;
    }
    int32_t least = INT32_MAX, largest = INT32_MIN;
    for (int32_t f = 0; f < u->cloth_faces; f++) {
        least = u->def->face_layer[f] < least ? u->def->face_layer[f] : least;
        largest = u->def->face_layer[f] > largest ? u->def->face_layer[f] : largest;
    }
    layer_scratch s = {.normals = wf_allocate(u->context, (size_t)u->vertex_count, sizeof *s.normals),
                       .closest = wf_allocate(u->context, (size_t)u->cloth_count, sizeof *s.closest),
                       .distance = wf_allocate(u->context, (size_t)u->cloth_count, sizeof *s.distance),
                       .marked = wf_allocate(u->context, (size_t)u->cloth_faces, sizeof *s.marked)};
    wf_status status = s.normals && s.closest && s.distance && s.marked ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        wf_mesh_vertex_normals(&u->cloth, u->x, s.normals);
    }
    for (int32_t layer = least; status == WF_OK && layer < largest; layer = next_layer(u, layer)) {
        status = order_layer(u, layer, &s);
    }
    wf_free(u->context, s.normals);
    wf_free(u->context, s.closest);
    wf_free(u->context, s.distance);
    wf_free(u->context, s.marked);
    return status;
}

/* Crossing faces of different layers: the outer one goes outward. */
static void part_layers(untangler *u)
{
    for (int64_t k = 0; u->def->face_layer && k < listed(u->self_count); k++) {
        int32_t f = u->self[k][0], g = u->self[k][1];
        int32_t f_layer = u->def->face_layer[f], g_layer = u->def->face_layer[g];
        if (f_layer == g_layer) {
            continue;
        }
        const int32_t *outer = u->def->scene.cloth_faces[f_layer > g_layer ? f : g];
        const int32_t *inner = u->def->scene.cloth_faces[f_layer > g_layer ? g : f];
        wf_vec3 normal = face_normal(u->x, inner);
        for (int c = 0; c < 3; c++) {
            wf_vec3 out = outward(u, outer[c]);
            out = wf_vec3_norm2(out) > 0 ? out : normal;
            wish(u, outer[c], wf_vec3_scale(out, step_of(u, outer[c])), 1);
        }
    }
}

/* ---- a round ----------------------------------------------------------------------------------------------------- */

/* Means of the wishes, spread over the neighbourhood. */
static void settle_moves(untangler *u)
{
    for (int32_t i = 0; i < u->cloth_count; i++) {
        u->move[i] = u->weight[i] > 0 ? wf_vec3_scale(u->move[i], 1 / u->weight[i]) : u->move[i];
    }
    for (int pass = 0; pass < SMOOTHINGS; pass++) {
        memset(u->spread, 0, (size_t)u->cloth_count * sizeof *u->spread);
        memset(u->weight, 0, (size_t)u->cloth_count * sizeof *u->weight);
        for (int32_t e = 0; e < u->cloth.edge_count; e++) {
            for (int k = 0; k < 2; k++) {
                int32_t i = u->cloth.edges[e][k], j = u->cloth.edges[e][1 - k];
                u->spread[i] = wf_vec3_add(u->spread[i], u->move[j]);
                u->weight[i] += 1;
            }
        }
        for (int32_t i = 0; i < u->cloth_count; i++) {
            if (u->weight[i] > 0) {
                wf_vec3 mean = wf_vec3_scale(u->spread[i], 1 / u->weight[i]);
                u->move[i] = wf_vec3_lerp(u->move[i], mean, wf_vec3_norm2(u->move[i]) > 0 ? 0.3 : 0.7);
            }
        }
    }
    for (int32_t i = 0; i < u->cloth_count; i++) {
        bool held = u->def->inverse_mass[i] == 0;
        u->move[i] = held ? (wf_vec3){0, 0, 0} : shortened(u->move[i], 2 * step_of(u, i));
    }
}

static void loosen_face(untangler *u, const int32_t face[3], uint8_t looseness)
{
    for (int k = 0; k < 3; k++) {
        u->loose[face[k]] = u->loose[face[k]] > looseness ? u->loose[face[k]] : looseness;
    }
}

/* What crosses, is inside or is on the wrong side may pass, and so may what is around it. */
static void loosen(untangler *u)
{
    const int32_t(*faces)[3] = u->def->scene.cloth_faces;
    for (int32_t i = 0; i < u->cloth_count; i++) {
        u->loose[i] = u->passing[i] ? WF_LOOSE_TO_ALL : WF_HELD;
        u->loose[i] = u->solid && u->distance[i] < 0 ? WF_LOOSE_TO_BODIES : u->loose[i];
    }
    for (int64_t k = 0; k < listed(u->self_count); k++) {
        loosen_face(u, faces[u->self[k][0]], WF_LOOSE_TO_ALL);
        loosen_face(u, faces[u->self[k][1]], WF_LOOSE_TO_ALL);
    }
    for (int64_t k = 0; k < listed(u->body_count); k++) {
        loosen_face(u, faces[u->with_bodies[k][0]], WF_LOOSE_TO_BODIES);
    }
    for (int ring = 0; ring < LOOSE_RINGS; ring++) {
        memcpy(u->ring, u->loose, (size_t)u->cloth_count);
        for (int32_t e = 0; e < u->cloth.edge_count; e++) {
            const int32_t *v = u->cloth.edges[e];
            for (int k = 0; k < 2; k++) {
                u->ring[v[k]] = u->ring[v[k]] > u->loose[v[1 - k]] ? u->ring[v[k]] : u->loose[v[1 - k]];
            }
        }
        memcpy(u->loose, u->ring, (size_t)u->cloth_count);
    }
}

/* From x to target through the door; x is then where it let them. */
static wf_status pass_door(untangler *u)
{
    wf_contact_scene_def def = u->def->scene;
    def.vertex_loose = u->loose;
    wf_contact_scene *scene;
    wf_status status = wf_contact_scene_create(u->context, &def, &scene);
    if (status != WF_OK) {
        return status;
    }
    wf_contact_resolve_params params = wf_default_contact_resolve_params();
    params.rounds = 0; /* the fail-safe alone: it adds no moves of its own */
    status = wf_contact_update(scene, u->x, u->target, DOOR_SKIN);
    if (status == WF_OK) {
        status = wf_contact_resolve(scene, u->x, u->target, u->def->inverse_mass, &params, NULL);
    }
    if (status == WF_OK) {
        memcpy(u->x, u->target, (size_t)u->vertex_count * sizeof *u->x);
    }
    wf_contact_scene_destroy(scene);
    return status;
}

static wf_status look(untangler *u)
{
    wf_status status = find_crossings(u);
    if (status == WF_OK) {
        look_at_solid(u);
        memset(u->move, 0, (size_t)u->cloth_count * sizeof *u->move);
        memset(u->weight, 0, (size_t)u->cloth_count * sizeof *u->weight);
        status = order_layers(u);
    }
    return status;
}

/* After `look`, which has the wishes of misplaced layers. */
static wf_status make_round(untangler *u)
{
    wf_status status = leave_solids(u);
    if (status != WF_OK) {
        return status;
    }
    part_layers(u);
    shorten_curves(u);
    loosen(u);
    settle_moves(u);
    memcpy(u->target, u->x, (size_t)u->vertex_count * sizeof *u->x);
    for (int32_t i = 0; i < u->cloth_count; i++) {
        u->target[i] = u->def->keep_outside(u->def->user, i, u->x[i], wf_vec3_add(u->x[i], u->move[i]));
    }
    return pass_door(u);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static void measure_edges(untangler *u)
{
    for (int32_t e = 0; e < u->cloth.edge_count; e++) {
        const int32_t *v = u->cloth.edges[e];
        double length = wf_vec3_distance(u->x[v[0]], u->x[v[1]]);
        for (int k = 0; k < 2; k++) {
            u->edge_length[v[k]] += length;
            u->weight[v[k]] += 1;
        }
    }
    for (int32_t i = 0; i < u->cloth_count; i++) {
        u->edge_length[i] = u->weight[i] > 0 ? u->edge_length[i] / u->weight[i] : 0;
        u->vertex_layer[i] = -1;
    }
    for (int32_t f = 0; u->def->face_layer && f < u->cloth_faces; f++) {
        for (int k = 0; k < 3; k++) {
            int32_t *layer = &u->vertex_layer[u->def->scene.cloth_faces[f][k]];
            *layer = *layer > u->def->face_layer[f] ? *layer : u->def->face_layer[f];
        }
    }
}

/* Along edges, to where no edge brings it nearer. */
static void measure_borders(untangler *u)
{
    for (int32_t i = 0; i < u->cloth_count; i++) {
        u->border[i] = INFINITY;
    }
    bool nearer = true;
    for (bool first = true; nearer; first = false) {
        nearer = false;
        for (int32_t e = 0; e < u->cloth.edge_count; e++) {
            int32_t i = u->cloth.edges[e][0], j = u->cloth.edges[e][1];
            double length = wf_vec3_distance(u->x[i], u->x[j]);
            if (first && u->cloth.edge_faces[e][1] < 0) {
                u->border[i] = u->border[j] = 0;
                nearer = true;
            }
            double by_j = u->border[j] + length, by_i = u->border[i] + length;
            nearer = nearer || by_j < u->border[i] || by_i < u->border[j];
            u->border[i] = fmin(u->border[i], by_j);
            u->border[j] = fmin(u->border[j], by_i);
        }
    }
}

static wf_status prepare(untangler *u)
{
    wf_context *context = u->context;
    size_t cloth = (size_t)u->cloth_count, all = (size_t)u->vertex_count;
    u->x = wf_allocate(context, all, sizeof *u->x);
    u->target = wf_allocate(context, all, sizeof *u->target);
    u->edge_length = wf_allocate(context, cloth, sizeof *u->edge_length);
    u->border = wf_allocate(context, cloth, sizeof *u->border);
    u->move = wf_allocate(context, cloth, sizeof *u->move);
    u->spread = wf_allocate(context, cloth, sizeof *u->spread);
    u->weight = wf_allocate(context, cloth, sizeof *u->weight);
    u->loose = wf_allocate(context, cloth, sizeof *u->loose);
    u->ring = wf_allocate(context, cloth, sizeof *u->ring);
    u->passing = wf_allocate(context, cloth, sizeof *u->passing);
    u->closest = wf_allocate(context, cloth, sizeof *u->closest);
    u->distance = wf_allocate(context, cloth, sizeof *u->distance);
    u->piece = wf_allocate(context, cloth, sizeof *u->piece);
    u->vertex_layer = wf_allocate(context, cloth, sizeof *u->vertex_layer);
    u->self = wf_allocate(context, MOST_PAIRS, sizeof *u->self);
    u->with_bodies = wf_allocate(context, MOST_PAIRS, sizeof *u->with_bodies);
    return u->x && u->target && u->edge_length && u->border && u->move && u->spread && u->weight && u->loose &&
                   u->ring && u->passing && u->closest && u->distance && u->piece && u->vertex_layer && u->self &&
                   u->with_bodies
               ? WF_OK
               : WF_ERROR_MEMORY;
}

static void release(untangler *u)
{
    void *const arrays[] = {u->x,     u->target,  u->edge_length, u->border,   u->move,  u->spread,
                            u->weight, u->loose,  u->ring,        u->passing,  u->closest, u->distance,
                            u->piece, u->vertex_layer, u->self,   u->with_bodies};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        wf_free(u->context, arrays[k]);
    }
    wf_solid_destroy(u->context, u->solid);
    wf_mesh_free(u->context, &u->cloth);
    wf_mesh_free(u->context, &u->bodies);
}

/* How bad a state is: crossings first, then what is inside or misplaced. */
static double badness(const untangler *u)
{
    return (double)(u->self_count + u->body_count) + u->inside + u->misplaced;
}

static void list_places(const untangler *u, const wf_vec3 *x, wf_vec3 *places, int32_t *count)
{
    *count = 0;
    for (int list = 0; list < 2; list++) {
        const int32_t (*pairs)[2] = (const int32_t(*)[2])(list == 0 ? u->self : u->with_bodies);
        for (int64_t k = 0; k < listed(list == 0 ? u->self_count : u->body_count) && *count < WF_MOST_PLACES; k++) {
            const int32_t *v = u->def->scene.cloth_faces[pairs[k][0]];
            wf_vec3 sum = wf_vec3_add(wf_vec3_add(x[v[0]], x[v[1]]), x[v[2]]);
            places[(*count)++] = wf_vec3_scale(sum, 1.0 / 3);
        }
    }
}

static wf_status run(untangler *u, wf_vec3 *best, wf_untangle_report *report)
{
    wf_status status = look(u);
    report->crossings_before = u->self_count + u->body_count;
    report->inside_before = u->inside;
    report->misplaced_before = u->misplaced;
    double least = badness(u);
    for (int round = 0, since = 0; status == WF_OK && badness(u) > 0 && round < u->def->rounds && since < PATIENCE;
         round++, since++) {
        status = make_round(u);
        status = status == WF_OK ? look(u) : status;
        report->rounds++;
        if (status == WF_OK && badness(u) < least && u->self_count + u->body_count <= report->crossings_before) {
            since = 0;
            least = badness(u);
            memcpy(best, u->x, (size_t)u->vertex_count * sizeof *best);
        }
    }
    if (status == WF_OK) {
        memcpy(u->x, best, (size_t)u->vertex_count * sizeof *best);
        status = look(u);
    }
    return status;
}

wf_status wf_untangle(wf_context *context, const wf_untangle_def *def, wf_vec3 *x, wf_vec3 *places,
                      int32_t *place_count, wf_untangle_report *report)
{
    *report = (wf_untangle_report){0};
    *place_count = 0;
    if (def->rounds < 1 || def->rounds > 10000) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "rounds must be from 1 to 10000, got %d", def->rounds);
    }
    const wf_contact_scene_def *scene = &def->scene;
    untangler u = {.context = context, .def = def, .cloth_count = scene->cloth_count,
                   .vertex_count = scene->vertex_count, .cloth_faces = scene->cloth_face_count,
                   .body_faces = scene->body_face_count};
    wf_vec3 *best = wf_allocate(context, (size_t)scene->vertex_count, sizeof *best);
    wf_status status = best ? prepare(&u) : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        memcpy(best, x, (size_t)scene->vertex_count * sizeof *x);
        memcpy(u.x, x, (size_t)scene->vertex_count * sizeof *x);
        status = wf_mesh_build(context, u.vertex_count, x, u.cloth_faces, scene->cloth_faces, &u.cloth);
    }
    if (status == WF_OK) {
        status = wf_mesh_build(context, u.vertex_count, x, u.body_faces, scene->body_faces, &u.bodies);
    }
    if (status == WF_OK) {
        measure_edges(&u);
        measure_borders(&u);
        status = make_solid(&u);
    }
    if (status == WF_OK) {
        status = run(&u, best, report);
    }
    if (status == WF_OK) {
        report->crossings = u.self_count + u.body_count;
        report->inside = u.inside;
        report->misplaced = u.misplaced;
        for (int32_t i = 0; i < u.cloth_count; i++) {
            double way = wf_vec3_distance(x[i], best[i]);
            report->moved_vertices += way > 0;
            report->largest_move = fmax(report->largest_move, way);
        }
        list_places(&u, best, places, place_count);
        memcpy(x, best, (size_t)scene->vertex_count * sizeof *x);
    }
    release(&u);
    wf_free(context, best);
    return status;
}
