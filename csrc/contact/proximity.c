/* proximity.c - contacts at one set of positions; see proximity.h.
 *
 * Two parallel passes over fixed blocks of the list: the first marks the pairs that are contacts, the second, which
 * then knows where each block's contacts go, fills them in.
 */
#include "contact/proximity.h"

#include <string.h>

#include "base/tasks.h"
#include "contact/distance.h"
#include "contact/sieve.h"

/* Edges at a smaller sin² than this do not make a contact; their ends do. */
#define PARALLEL_SINE2 1e-4
/* Of the distance: closest points so near each other are the same. */
#define SAME_POINT 0.05
/* Cosine: contacts of a vertex whose directions are so near each other lie one behind the other, */
#define ONE_DIRECTION 0.98
/* when they are so far from each other, of the thickness. */
#define BEHIND 0.5
/* Below this distance (m) a difference of positions does not give a direction. */
#define NO_DIRECTION 1e-9

typedef struct finder {
    wf_contact_scene *scene;
    const wf_vec3 *x;
    double margin;
    wf_contact_choice choice;
    int kind;
} finder;

/* ---- which pairs are contacts ------------------------------------------------------------------------------------ */

/* The closest point of a vertex on a face, and how far (m) it is. */
typedef struct closest_point {
    double distance;
    wf_vec3 from_vertex;
} closest_point;

static closest_point closest_of(const wf_vec3 x[4], const double weight[3], double distance)
{
    closest_point closest = {distance, {0, 0, 0}};
    for (int k = 0; k < 3; k++) {
        closest.from_vertex = wf_vec3_muladds(closest.from_vertex, wf_vec3_sub(x[k + 1], x[0]), weight[k]);
    }
    return closest;
}

/* Whether another face on its list has about the same point for the vertex, nearer or as near and first. */
static bool has_it_too(const finder *find, int kind, const wf_candidate *c, const closest_point *closest, int32_t other)
{
    const wf_contact_scene *scene = find->scene;
    int32_t vertex = c->first, face = c->second;
    if (other == face || wf_pair_list(scene, WF_VERTEX_FACE, vertex, other) != (wf_pair_kind)kind ||
        wf_pair_thickness(scene, kind, vertex, other) < wf_pair_thickness(scene, kind, vertex, face) ||
        wf_in_one_region(scene, scene->vertex_face[vertex], other)) {
        return false;
    }
    int32_t corners[4];
    wf_vec3 x[4];
    double weight[3];
    wf_pair_vertices(scene, kind, vertex, other, corners);
    wf_gather(find->x, corners, x);
    double distance = wf_vertex_face_distance(x, weight);
    closest_point there = closest_of(x, weight, distance);
    double same = SAME_POINT * closest->distance;
    /* In single precision, in which faces side by side are as near as each other. */
    float ours = (float)closest->distance, theirs = (float)distance;
    return (theirs < ours || (theirs == ours && other < face)) &&
           wf_vec3_norm2(wf_vec3_sub(there.from_vertex, closest->from_vertex)) <= same * same;
}

/* Whether a point lies within `near` (m) of the line from a to b. */
static bool lies_along(wf_vec3 point, wf_vec3 a, wf_vec3 b, double near)
{
    wf_vec3 along = wf_vec3_sub(b, a);
    return wf_vec3_norm2(wf_vec3_cross(wf_vec3_sub(point, a), along)) <= near * near * wf_vec3_norm2(along);
}

/* Whether a face around the corner or beside the edge about which the closest point lies makes the contact. As distance
 * and number order the faces, one of them always does. */
static bool is_made_by_another(const finder *find, int kind, const wf_candidate *c, const wf_vec3 x[4],
                               const double weight[3], double distance)
{
    const wf_contact_scene *scene = find->scene;
    const closest_point closest = closest_of(x, weight, distance);
    const wf_vec3 point = wf_vec3_add(x[0], closest.from_vertex);
    const double near = SAME_POINT * distance;
    int nearest = weight[1] > weight[0] ? 1 : 0;
    nearest = weight[2] > weight[nearest] ? 2 : nearest;
    if (wf_vec3_norm2(wf_vec3_sub(x[nearest + 1], point)) <= near * near) {
        int32_t corner = scene->faces[c->second][nearest];
        for (int32_t i = scene->fan_start[corner]; i < scene->fan_start[corner + 1]; i++) {
            if (has_it_too(find, kind, c, &closest, scene->fan[i])) {
                return true;
            }
        }
        return false;
    }
    for (int k = 0; k < 3; k++) {
        int next = k == 2 ? 0 : k + 1;
        const int32_t *of_edge = scene->edge_faces[scene->face_edges[c->second][k]];
        int32_t other = of_edge[0] == c->second ? of_edge[1] : of_edge[0];
        if (other >= 0 && lies_along(point, x[k + 1], x[next + 1], near) &&
            has_it_too(find, kind, c, &closest, other)) {
            return true;
        }
    }
    return false;
}

/* Whether an end of the first edge is about where the edges are closest, and a contact with a face beside the
 * second. */
static bool end_has_it_too(const finder *find, int kind, const wf_candidate *c, int end, wf_vec3 point, double distance)
{
    const wf_contact_scene *scene = find->scene;
    const int32_t vertex = scene->edges[c->first][end];
    const int list = kind == WF_EDGE_EDGE ? WF_VERTEX_FACE : WF_VERTEX_FACE_NEIGHBOUR;
    const double same = SAME_POINT * distance, thickness = wf_pair_thickness(scene, kind, c->first, c->second);
    if (wf_vec3_norm2(wf_vec3_sub(find->x[vertex], point)) > same * same) {
        return false;
    }
    for (int k = 0; k < 2; k++) {
        int32_t face = scene->edge_faces[c->second][k], corners[4];
        if (face < 0 || wf_pair_list(scene, WF_VERTEX_FACE, vertex, face) != (wf_pair_kind)list ||
            wf_pair_thickness(scene, list, vertex, face) < thickness ||
            wf_in_one_region(scene, scene->vertex_face[vertex], face)) {
            continue;
        }
        wf_vec3 x[4];
        double weight[3];
        wf_pair_vertices(scene, list, vertex, face, corners);
        wf_gather(find->x, corners, x);
        if (wf_vertex_face_distance(x, weight) < thickness + find->margin) {
            return true;
        }
    }
    return false;
}

/* Whether edges that cross are closest about where one of them ends, and that end makes the contact. */
static bool is_made_by_an_end(const finder *find, int kind, const wf_candidate *c, const wf_vec3 x[4], double s,
                              double t)
{
    const wf_vec3 p = wf_vec3_lerp(x[0], x[1], s), q = wf_vec3_lerp(x[2], x[3], t);
    const double distance = wf_vec3_distance(p, q);
    const wf_candidate turned = {.first = c->second, .second = c->first};
    return end_has_it_too(find, kind, c, 0, p, distance) || end_has_it_too(find, kind, c, 1, p, distance) ||
           end_has_it_too(find, kind, &turned, 0, q, distance) || end_has_it_too(find, kind, &turned, 1, q, distance);
}

static bool is_contact(const void *user, int kind, const wf_candidate *c, float bound)
{
    (void)bound;
    const finder *find = user;
    const wf_contact_scene *scene = find->scene;
    int32_t vertex[4];
    wf_vec3 x[4];
    if (wf_pair_passes(scene, kind, c->first, c->second)) {
        return false;
    }
    wf_pair_vertices(scene, kind, c->first, c->second, vertex);
    wf_gather(find->x, vertex, x);
    double reach = wf_pair_thickness(scene, kind, c->first, c->second) + find->margin;
    if (wf_is_edge_edge(kind)) {
        double s, t;
        return wf_edge_edge_distance(x, &s, &t) < reach &&
               (find->choice == WF_CONTACTS_ALL ||
                (s > 0 && s < 1 && t > 0 && t < 1 && wf_edge_edge_sine2(x) > PARALLEL_SINE2 &&
                 !(find->choice == WF_CONTACTS_FEWEST && is_made_by_an_end(find, kind, c, x, s, t))));
    }
    double weight[3], distance = wf_vertex_face_distance(x, weight);
    return distance < reach &&
           !(find->choice == WF_CONTACTS_FEWEST && is_made_by_another(find, kind, c, x, weight, distance));
}

/* ---- filling them in --------------------------------------------------------------------------------------------- */

static wf_vec3 face_normal(const wf_contact_scene *scene, const wf_vec3 *x, int32_t face)
{
    const int32_t *v = scene->faces[face];
    return wf_vec3_normalize(wf_vec3_cross(wf_vec3_sub(x[v[1]], x[v[0]]), wf_vec3_sub(x[v[2]], x[v[0]])));
}

/* The direction of a pair that touches: the face's normal, or the edges' common perpendicular turned to the outside of
 * the second edge's faces; it does not jump while the pair moves a little. */
static wf_vec3 fallback_normal(const finder *find, const wf_candidate *c, const int32_t vertex[4])
{
    const wf_contact_scene *scene = find->scene;
    const wf_vec3 *x = find->x;
    wf_vec3 normal;
    if (wf_is_edge_edge(find->kind)) {
        normal = wf_vec3_normalize(wf_vec3_cross(wf_vec3_sub(x[vertex[1]], x[vertex[0]]),
                                                 wf_vec3_sub(x[vertex[3]], x[vertex[2]])));
        wf_vec3 outside = face_normal(scene, x, scene->edge_faces[c->second][0]);
        if (scene->edge_faces[c->second][1] >= 0) {
            outside = wf_vec3_add(outside, face_normal(scene, x, scene->edge_faces[c->second][1]));
        }
        if (wf_vec3_dot(normal, outside) < 0) {
            normal = wf_vec3_scale(normal, -1);
        }
    } else {
        normal = face_normal(scene, x, c->second);
    }
    return wf_vec3_norm2(normal) > 0 ? normal : wf_vec3_make(0, 1, 0);
}

static void fill_contact(const finder *find, const wf_candidate *c, wf_contact *contact)
{
    const wf_contact_scene *scene = find->scene;
    bool edges = wf_is_edge_edge(find->kind);
    wf_vec3 x[4];
    wf_pair_vertices(scene, find->kind, c->first, c->second, contact->vertex);
    wf_gather(find->x, contact->vertex, x);
    if (edges) {
        double s, t;
        contact->distance = wf_edge_edge_distance(x, &s, &t);
        contact->weight[0] = 1 - s;
        contact->weight[1] = s;
        contact->weight[2] = t - 1;
        contact->weight[3] = -t;
    } else {
        double weight[3];
        contact->distance = wf_vertex_face_distance(x, weight);
        contact->weight[0] = 1;
        for (int k = 0; k < 3; k++) {
            contact->weight[k + 1] = -weight[k];
        }
    }
    wf_vec3 gap = {0, 0, 0};
    double mu[2] = {0, 0};
    bool body = false;
    for (int k = 0; k < 4; k++) {
        /* From a point of the pair: the weights add up to zero. */
        gap = wf_vec3_muladds(gap, wf_vec3_sub(x[k], x[0]), contact->weight[k]);
        mu[k >= (edges ? 2 : 1)] += scene->friction[contact->vertex[k]];
        body = body || contact->vertex[k] >= scene->cloth_count;
    }
    contact->normal = contact->distance > NO_DIRECTION ? wf_vec3_normalize(gap)
                                                       : fallback_normal(find, c, contact->vertex);
    contact->thickness = wf_pair_thickness(scene, find->kind, c->first, c->second);
    double mean = edges ? sqrt(mu[0] / 2 * mu[1] / 2) : sqrt(mu[0] * mu[1] / 3);
    contact->friction = wf_pair_friction(scene, edges, contact->vertex, mean);
    contact->kind = (int8_t)((edges ? WF_CONTACT_EDGE_EDGE : 0) | (body ? WF_CONTACT_BODY : 0));
    contact->key = wf_pair_key(find->kind, c);
}

static void fill_block(void *user, size_t block, size_t begin, size_t end)
{
    finder *find = user;
    wf_contact_scene *scene = find->scene;
    const wf_candidate_list *list = &scene->list[find->kind];
    wf_contact *contact = scene->contacts + scene->block_start[block];
    for (size_t word = begin / 64; word < wf_block_count(end, 64); word++) {
        for (uint64_t marks = list->marked[word]; marks != 0; marks &= marks - 1) {
            fill_contact(find, &list->items[64 * word + (size_t)__builtin_ctzll(marks)], contact++);
        }
    }
}

/* Appends the contacts of one kind to the *count there are. */
static wf_status find_kind(finder *find, size_t *count)
{
    wf_contact_scene *scene = find->scene;
    size_t pairs = scene->list[find->kind].count, blocks = wf_block_count(pairs, WF_SIEVE_BLOCK);
    wf_sieve sieve = {.scene = scene, .kind = find->kind, .x = find->x, .distance = find->margin, .test = is_contact,
                      .user = find, .inner_edges = find->choice != WF_CONTACTS_ALL, .least_sine2 = PARALLEL_SINE2};
    wf_status status = wf_sieve_run(&sieve);
    if (status != WF_OK) {
        return status;
    }
    for (size_t b = 0; b < blocks; b++) {
        size_t marked = scene->block_start[b];
        scene->block_start[b] = *count;
        *count += marked;
    }
    status = wf_reserve(scene->context, &scene->contacts, &scene->contact_capacity, *count, sizeof *scene->contacts);
    if (status == WF_OK) {
        wf_parallel_for(scene->context, pairs, WF_SIEVE_BLOCK, fill_block, find);
    }
    return status;
}

/* ---- which lie behind others ------------------------------------------------------------------------------------- */

static bool is_vertex_face(const wf_contact *contact)
{
    return !(contact->kind & WF_CONTACT_EDGE_EDGE);
}

static void note_front(wf_vertex_fronts *fronts, const wf_contact *contact)
{
    for (int k = 0; k < 2; k++) {
        bool none = fronts->distance[k] == 0;
        if (none || wf_vec3_dot(fronts->normal[k], contact->normal) > ONE_DIRECTION) {
            if (none || contact->distance < fronts->distance[k]) {
                fronts->distance[k] = contact->distance;
                fronts->normal[k] = contact->normal;
            }
            return;
        }
    }
}

static bool is_hidden(const wf_vertex_fronts *fronts, const wf_contact *contact)
{
    for (int k = 0; k < 2; k++) {
        if (fronts->distance[k] > 0 && contact->distance > fronts->distance[k] + BEHIND * contact->thickness &&
            wf_vec3_dot(fronts->normal[k], contact->normal) > ONE_DIRECTION) {
            return true;
        }
    }
    return false;
}

/* Leaves out the contacts of vertices with faces behind nearer ones: layers behind the next are held off by that. */
static wf_status drop_hidden(wf_contact_scene *scene, size_t *count)
{
    size_t vertices = (size_t)scene->vertex_count, kept = 0;
    if (!scene->fronts && !(scene->fronts = wf_allocate(scene->context, vertices, sizeof *scene->fronts))) {
        return WF_ERROR_MEMORY;
    }
    memset(scene->fronts, 0, vertices * sizeof *scene->fronts);
    for (size_t i = 0; i < *count; i++) {
        if (is_vertex_face(&scene->contacts[i])) {
            note_front(&scene->fronts[scene->contacts[i].vertex[0]], &scene->contacts[i]);
        }
    }
    for (size_t i = 0; i < *count; i++) {
        const wf_contact *contact = &scene->contacts[i];
        if (!is_vertex_face(contact) || !is_hidden(&scene->fronts[contact->vertex[0]], contact)) {
            scene->contacts[kept++] = *contact;
        }
    }
    *count = kept;
    return WF_OK;
}

wf_status wf_contact_find(wf_contact_scene *scene, const wf_vec3 *x, double margin, wf_contact_choice choice,
                          const wf_contact **contacts, int32_t *count)
{
    *contacts = NULL;
    *count = 0;
    if (!(margin >= 0 && margin <= 1)) {
        return wf_fail(scene->context, WF_ERROR_ARGUMENT, "contact: margin must be from 0 to 1 m, got %g", margin);
    }
    double start = wf_clock_seconds();
    wf_status status = wf_contact_check_updated(scene, "find");
    status = status == WF_OK ? wf_contact_cover_rest(scene, x, margin) : status;
    if (status != WF_OK) {
        return status;
    }
    double covered = wf_clock_seconds();
    scene->stats.broad_seconds += covered - start;
    wf_measure_thickness(scene, &scene->near);
    wf_measure_reach(scene, x, x, &scene->reach);
    wf_add_numbers(scene, &scene->near, &scene->reach);
    finder find = {scene, x, margin, choice, WF_VERTEX_FACE};
    size_t total = 0;
    for (; status == WF_OK && find.kind < WF_PAIR_KINDS; find.kind++) {
        status = find_kind(&find, &total);
    }
    if (status == WF_OK && choice == WF_CONTACTS_FEWEST) {
        status = drop_hidden(scene, &total);
    }
    if (status == WF_OK && total > INT32_MAX) {
        status = wf_fail(scene->context, WF_ERROR_LIMIT, "contact: %zu contacts", total);
    }
    if (status != WF_OK) {
        return status;
    }
    scene->stats.contacts = (int32_t)total;
    scene->stats.narrow_seconds += wf_clock_seconds() - covered;
    *contacts = scene->contacts;
    *count = (int32_t)total;
    return WF_OK;
}

/* ---- which pairs are the nearest ones around --------------------------------------------------------------------- */

/* Sine: neighbours that lead only so little nearer do not count, lest pairs on flat surfaces come and go. */
#define LEADS_NEARER 0.05

static bool leads_nearer(wf_vec3 way, wf_vec3 towards)
{
    return wf_vec3_dot(way, towards) > LEADS_NEARER * wf_vec3_norm(way) * wf_vec3_norm(towards);
}

/* Whether the face leads nearer from its edge a b. */
static bool face_leads_nearer(const wf_contact_scene *scene, const wf_vec3 *x, int32_t face, const int32_t edge[2],
                              wf_vec3 towards)
{
    const int32_t *v = scene->faces[face];
    int32_t opposite = v[0] + v[1] + v[2] - edge[0] - edge[1];
    wf_vec3 along = wf_vec3_sub(x[edge[1]], x[edge[0]]), inward = wf_vec3_sub(x[opposite], x[edge[0]]);
    double length2 = wf_vec3_norm2(along);
    inward = length2 > 0 ? wf_vec3_muladds(inward, along, -wf_vec3_dot(inward, along) / length2) : inward;
    return leads_nearer(inward, towards);
}

/* The first of a list of faces that meets what owns the vertex `other`; -1: none does. */
static int32_t first_that_meets(const wf_contact_scene *scene, const int32_t *faces, int32_t count, int32_t other)
{
    for (int32_t i = 0; i < count; i++) {
        if (faces[i] >= 0 && !wf_face_passes(scene, faces[i], other)) {
            return faces[i];
        }
    }
    return -1;
}

/* `other`: a vertex of what the edge is near to. */
static bool edge_is_nearest(const wf_contact_scene *scene, const wf_vec3 *x, int32_t edge, wf_vec3 towards,
                            int32_t other)
{
    for (int k = 0; k < 2; k++) {
        int32_t face = scene->edge_faces[edge][k];
        if (face >= 0 && !wf_face_passes(scene, face, other) &&
            face_leads_nearer(scene, x, face, scene->edges[edge], towards)) {
            return false;
        }
    }
    return true;
}

static bool vertex_is_nearest(const wf_contact_scene *scene, const wf_vec3 *x, int32_t vertex, wf_vec3 towards,
                              int32_t other)
{
    for (int32_t i = scene->star_start[vertex]; i < scene->star_start[vertex + 1]; i++) {
        if (leads_nearer(wf_vec3_sub(x[scene->star[i]], x[vertex]), towards) &&
            !wf_way_passes(scene, vertex, scene->star[i], other)) {
            return false;
        }
    }
    return true;
}

/* Of a vertex, and its closest point on a face by the weights. Inside of the face their direction is the face's own,
 * whatever is beside the vertex. */
static bool vertex_face_is_nearest(const wf_contact_scene *scene, const wf_vec3 *x, int32_t vertex, int32_t face,
                                   const double weight[3], wf_vec3 normal)
{
    int inside = 0, last = 0;
    for (int k = 0; k < 3; k++) {
        inside += weight[k] != 0;
        last = weight[k] != 0 ? k : last;
    }
    if (inside == 3) {
        return true;
    }
    int32_t corner = scene->faces[face][last];
    if (!vertex_is_nearest(scene, x, vertex, wf_vec3_scale(normal, -1), corner)) {
        return false;
    }
    if (inside == 1) {
        const int32_t start = scene->fan_start[corner], count = scene->fan_start[corner + 1] - start;
        return first_that_meets(scene, scene->fan + start, count, vertex) == face &&
               vertex_is_nearest(scene, x, corner, normal, vertex);
    }
    int outside = weight[0] == 0 ? 0 : weight[1] == 0 ? 1 : 2;
    int32_t edge = scene->face_edges[face][(outside + 1) % 3]; /* that leads away from the next corner */
    return first_that_meets(scene, scene->edge_faces[edge], 2, vertex) == face &&
           edge_is_nearest(scene, x, edge, normal, vertex);
}

bool wf_contact_is_nearest(const wf_contact_scene *scene, const wf_contact *contact, const wf_vec3 *x)
{
    const wf_candidate pair = wf_pair_of_key(contact->key);
    if (contact->kind & WF_CONTACT_EDGE_EDGE) {
        return edge_is_nearest(scene, x, pair.first, wf_vec3_scale(contact->normal, -1), contact->vertex[2]) &&
               edge_is_nearest(scene, x, pair.second, contact->normal, contact->vertex[0]);
    }
    return vertex_face_is_nearest(scene, x, pair.first, pair.second, contact->weight + 1, contact->normal);
}
