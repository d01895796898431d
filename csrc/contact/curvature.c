/* curvature.c - regions that cannot touch themselves; see curvature.h.
 *
 * Claim. Let M be faces seen along V (projected onto a plane), each to the left of its edges, such that
 *   (1) every edge has at most two faces, which run along it in opposite directions;
 *   (2) every projected face has heights above R;
 *   (3) a vertex and an edge of the contour (edges with one face in M) that do not belong together are farther apart
 *       than R, contour edges do not cross, and one of them starts at each vertex of the contour;
 *   (4) just outside each loop of the contour that runs around its inside, the winding number of the other loops is 0.
 * Then any two vertices, edges or faces of M that share no vertex are farther apart than R.
 *
 * Proof. Sum the faces as chains: by (1) inner edges cancel, and how many projected faces cover a point is the winding
 * number of the contour around it. It changes by one across each contour edge and nowhere else. Where it is largest
 * one stands inside of a loop that runs around its inside, or the number would be larger across the loop; outside of
 * it the number is 0 by (4), so it is at most 1: projected faces do not overlap.
 * The distance in space is no less than that in the plane, where that of two primitives without overlap is that of a
 * vertex a of one from a primitive B that does not hold a. Follow the straight way from a to B. It begins inside of a
 * face at a, and leaves this one's part of the star of a through the opposite edge, after more than R by (2); or along
 * an edge at a, which is longer than R by (2); or outside of M, so that a is on the contour, and the way enters M
 * again through a contour edge, which does not belong to a since it is met after a, at more than R by (3). Before that
 * it cannot meet B: B does not hold a, faces do not overlap, so that B is not within the star, and B lies in M.
 * Distance 0, where the way has no direction, is excluded likewise: some face of B would overlap the star of a unless
 * both are at contours, which (3) keeps apart. []
 *
 * R is the sum of the largest reaches in the region, so the vertices may be anywhere in the balls that the candidate
 * list covers: how they get there does not matter, and nothing has to be swept along with them.
 *
 * Sample directions or cones of normals, united from the faces upward, propose V; (1) to (4) are then tested.
 */
#include "contact/curvature.h"

#include <float.h>
#include <string.h>

#include "base/tasks.h"
#include "contact/scene_private.h"

/* Smaller regions are not worth the test. */
enum { SMALLEST_REGION = 8 };
/* In a mesh of no few faces one of so many patches, the smallest nodes of so many faces, is looked at first. Where less
 * of their faces than that share lie in patches whose normals share a half space, cloth is crumpled: regions are small,
 * and finding them takes longer than the pairs that they leave out, 4 of 1000 on a sheet of 92,000 faces in folds. */
enum { PATCH = 64, SAMPLED = 8, FEW_FACES = 4096 };
#define LEAST_SMOOTH 0.5

enum { NOT_A_SURFACE = -2, MOST_GROUPS = 512, SMALLEST_GROUP = 8 };

/* ---- tables ------------------------------------------------------------------------------------------------------ */

void wf_curvature_free(wf_context *context, wf_curvature *curvature)
{
    void *tables[] = {curvature->neighbour, curvature->nodes, curvature->open, curvature->open_next,
                      curvature->certified, curvature->contour, curvature->region_end};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        wf_free(context, tables[i]);
    }
    *curvature = (wf_curvature){0};
}

/* The ranks across each edge. An edge that has a third face, or that its two faces follow in the same direction, makes
 * both ends of (1) fail: NOT_A_SURFACE. */
static void join_neighbours(wf_contact_scene *scene, const int32_t *rank_of, const uint8_t *uses)
{
    for (int32_t f = 0; f < scene->cloth_face_count; f++) {
        for (int k = 0; k < 3; k++) {
            int32_t e = scene->face_edges[f][k], across = -1;
            const int32_t *faces = scene->edge_faces[e];
            int32_t other = faces[0] == f ? faces[1] : faces[0];
            if (uses[e] > 2) {
                across = NOT_A_SURFACE;
            } else if (other >= 0) {
                bool opposite = false;
                for (int j = 0; j < 3; j++) {
                    opposite = opposite || (scene->face_edges[other][j] == e &&
                                            scene->faces[other][j] == scene->faces[f][k == 2 ? 0 : k + 1]);
                }
                across = opposite ? rank_of[other] : NOT_A_SURFACE;
            }
            scene->curvature.neighbour[rank_of[f]][k] = across;
        }
    }
}

/* Ranks below each node, from the last node to the first. */
static void measure_nodes(wf_contact_scene *scene)
{
    const wf_hierarchy *tree = &scene->cloth_tree;
    for (int32_t index = tree->node_count - 1; index >= 0; index--) {
        const wf_node_word *child = wf_hierarchy_children(tree, index);
        wf_region_node *node = &scene->curvature.nodes[index];
        int32_t first = child[0].index;
        node->begin = first < 0 ? tree->leaf_begin[~first] : scene->curvature.nodes[first].begin;
        for (int lane = 0; lane < tree->arity; lane++) {
            int32_t end = child[tree->arity + lane].index;
            node->end = end > node->end ? end : node->end;
        }
    }
}

wf_status wf_curvature_create(wf_contact_scene *scene)
{
    wf_context *context = scene->context;
    wf_curvature *c = &scene->curvature;
    size_t faces = (size_t)scene->cloth_face_count, nodes = (size_t)scene->cloth_tree.node_count;
    wf_curvature_free(context, c);
    c->neighbour = wf_allocate(context, faces, sizeof *c->neighbour);
    c->nodes = wf_allocate(context, nodes, sizeof *c->nodes);
    c->open = wf_allocate(context, nodes, sizeof *c->open);
    c->open_next = wf_allocate(context, nodes, sizeof *c->open_next);
    c->certified = wf_allocate(context, nodes, sizeof *c->certified);
    c->contour = wf_allocate(context, faces, sizeof *c->contour);
    c->region_end = wf_allocate(context, faces, sizeof *c->region_end);
    int32_t *rank_of = wf_allocate(context, faces, sizeof *rank_of);
    uint8_t *uses = wf_allocate(context, (size_t)scene->cloth_edge_count, sizeof *uses);
    bool made = c->neighbour && c->nodes && c->open && c->open_next && c->certified && c->contour && c->region_end &&
                rank_of && uses;
    if (made) {
        for (int32_t rank = 0; rank < scene->cloth_face_count; rank++) {
            rank_of[scene->cloth_tree.order[rank]] = rank;
            for (int k = 0; k < 3; k++) {
                uint8_t *use = &uses[scene->face_edges[rank][k]];
                *use += *use < 3;
            }
        }
        join_neighbours(scene, rank_of, uses);
        measure_nodes(scene);
    }
    wf_free(context, rank_of);
    wf_free(context, uses);
    if (!made) {
        wf_curvature_free(context, c);
        return WF_ERROR_MEMORY;
    }
    return WF_OK;
}

/* ---- normals of nodes -------------------------------------------------------------------------------------------- */

/* The directions of a volume with 26 planes; a sample direction is one of these or its opposite. */
enum { AXES = 13 };

static uint32_t directions_of(const float n[3])
{
    float yz[2] = {n[1] + n[2], n[1] - n[2]};
    const float along[AXES] = {n[0], n[1], n[2], yz[0], yz[1], n[0] + n[2], n[0] - n[2], n[0] + n[1], n[0] - n[1],
                               n[0] + yz[0], n[0] + yz[1], n[0] - yz[1], yz[0] - n[0]};
    uint32_t bits = 0;
    for (int d = 0; d < AXES; d++) {
        bits |= (uint32_t)(along[d] > 0) << d | (uint32_t)(along[d] < 0) << (AXES + d);
    }
    return bits;
}

static wf_vec3 mean_direction(uint32_t bits)
{
    const wf_vec3 *axis = wf_volume_directions(AXES);
    wf_vec3 sum = {0, 0, 0};
    for (int d = 0; d < 2 * AXES; d++) {
        if (bits >> d & 1) {
            sum = wf_vec3_muladds(sum, wf_vec3_normalize(axis[d % AXES]), d < AXES ? 1 : -1);
        }
    }
    return wf_vec3_normalize(sum);
}

static wf_region_node summary_of_face(const wf_contact_scene *scene, int32_t rank)
{
    const wf_packed_face *face = &scene->packed[rank];
    const int32_t *class = scene->vertex_class, *v = face->vertex, *across = scene->curvature.neighbour[rank];
    float p[3], q[3];
    for (int k = 0; k < 3; k++) {
        p[k] = face->corner[1][k] - face->corner[0][k];
        q[k] = face->corner[2][k] - face->corner[0][k];
    }
    wf_region_node node = {
        .axis = {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]},
        .reach = scene->reach.face[face->index], .cosine = -1, .common_class = -1};
    if (across[0] != NOT_A_SURFACE && across[1] != NOT_A_SURFACE && across[2] != NOT_A_SURFACE) {
        node.directions = directions_of(node.axis);
    }
    if (scene->detection.pruning == WF_PRUNE_CONES) {
        wf_vec3 n = wf_vec3_normalize(wf_vec3_make(node.axis[0], node.axis[1], node.axis[2]));
        const float axis[3] = {(float)n.x, (float)n.y, (float)n.z};
        memcpy(node.axis, axis, sizeof axis);
        node.cosine = node.directions != 0 ? 1 : -1;
    }
    if (scene->any_face_of_one_class && class[v[0]] == class[v[1]] && class[v[1]] == class[v[2]]) {
        node.common_class = class[v[0]];
    }
    return node;
}

/* The cone around the sum of the axes of `parts` that holds theirs, by the cosine of a sum of angles. */
static void unite_cones(wf_region_node *node, const wf_region_node *parts, int count)
{
    float sum[3] = {0, 0, 0}, length = 0;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            sum[k] += parts[i].axis[k];
        }
    }
    length = sqrtf(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    node->cosine = length > 1e-3f ? 1 : -1;
    for (int k = 0; k < 3; k++) {
        node->axis[k] = node->cosine > 0 ? sum[k] / length : 0;
    }
    for (int i = 0; i < count; i++) {
        const float *axis = parts[i].axis, cosine = parts[i].cosine;
        float between = node->axis[0] * axis[0] + node->axis[1] * axis[1] + node->axis[2] * axis[2];
        between = between < 1 ? between : 1;
        float of_sum = between * cosine - sqrtf((1 - between * between) * (1 - cosine * cosine));
        /* Sums above a right angle give no cone, also those so large that their cosine is positive again. */
        of_sum = between > 0 && cosine > 0 ? of_sum : -1;
        node->cosine = of_sum < node->cosine ? of_sum : node->cosine;
    }
}

static wf_region_node unite(const wf_contact_scene *scene, const wf_region_node *parts, int count)
{
    wf_region_node node = parts[0];
    for (int i = 1; i < count; i++) {
        node.directions &= parts[i].directions;
        node.reach = parts[i].reach > node.reach ? parts[i].reach : node.reach;
        node.common_class = parts[i].common_class == node.common_class ? node.common_class : -1;
    }
    if (scene->detection.pruning == WF_PRUNE_CONES) {
        unite_cones(&node, parts, count);
    }
    return node;
}

static wf_region_node summary_of_leaf(const wf_contact_scene *scene, int32_t leaf)
{
    wf_region_node parts[WF_LARGEST_LEAF];
    int count = 0;
    for (int32_t rank = scene->cloth_tree.leaf_begin[leaf]; rank < scene->cloth_tree.leaf_begin[leaf + 1]; rank++) {
        parts[count++] = summary_of_face(scene, rank);
    }
    return unite(scene, parts, count);
}

static void summarize_nodes(wf_contact_scene *scene)
{
    const wf_hierarchy *tree = &scene->cloth_tree;
    wf_region_node *nodes = scene->curvature.nodes;
    for (int32_t index = tree->node_count - 1; index >= 0; index--) {
        const wf_node_word *child = wf_hierarchy_children(tree, index);
        wf_region_node parts[8], node;
        int count = 0;
        for (int lane = 0; lane < tree->arity; lane++) {
            int32_t below = child[lane].index;
            if (below != index) {
                parts[count++] = below < 0 ? summary_of_leaf(scene, ~below) : nodes[below];
            }
        }
        node = unite(scene, parts, count);
        node.begin = nodes[index].begin;
        node.end = nodes[index].end;
        nodes[index] = node;
    }
}

/* ---- the contour ------------------------------------------------------------------------------------------------- */

typedef struct planar_view {
    wf_vec3 u, w; /* V = u x w */
} planar_view;

static void project(const planar_view *view, const float corner[3], double planar[2])
{
    planar[0] = view->u.x * corner[0] + view->u.y * corner[1] + view->u.z * corner[2];
    planar[1] = view->w.x * corner[0] + view->w.y * corner[1] + view->w.z * corner[2];
}

/* (2): twice the area is more than R times the longest side. */
static bool faces_are_high(const wf_contact_scene *scene, const wf_region_node *node, const planar_view *view,
                           double reach)
{
    for (int32_t rank = node->begin; rank < node->end; rank++) {
        double p[3][2], longest2 = 0;
        for (int k = 0; k < 3; k++) {
            project(view, scene->packed[rank].corner[k], p[k]);
        }
        for (int k = 0; k < 3; k++) {
            const double *a = p[k], *b = p[k == 2 ? 0 : k + 1];
            double length2 = (b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]);
            longest2 = length2 > longest2 ? length2 : longest2;
        }
        double area2 = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
        if (!(area2 > 0 && area2 * area2 > reach * reach * longest2)) {
            return false;
        }
    }
    return true;
}

/* Collects the contour; its number of edges, or -1 when there are more than faces: it is not worth looking at. */
static int32_t collect_contour(const wf_contact_scene *scene, const wf_region_node *node, const planar_view *view,
                               wf_contour_edge *contour)
{
    int32_t count = 0;
    for (int32_t rank = node->begin; rank < node->end; rank++) {
        const wf_packed_face *face = &scene->packed[rank];
        for (int k = 0; k < 3; k++) {
            int32_t across = scene->curvature.neighbour[rank][k], next = k == 2 ? 0 : k + 1;
            if (across >= node->begin && across < node->end) {
                continue;
            }
            if (count == node->end - node->begin) {
                return -1;
            }
            wf_contour_edge *edge = &contour[count++];
            edge->start = face->vertex[k];
            edge->end = face->vertex[next];
            edge->next = edge->loop = -1;
            project(view, face->corner[k], edge->from);
            project(view, face->corner[next], edge->to);
        }
    }
    return count;
}

static double cross2(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static double point_segment_distance2(const double p[2], const double a[2], const double b[2])
{
    double side[2] = {b[0] - a[0], b[1] - a[1]}, to[2] = {p[0] - a[0], p[1] - a[1]};
    double length2 = side[0] * side[0] + side[1] * side[1];
    double t = length2 > 0 ? (side[0] * to[0] + side[1] * to[1]) / length2 : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    double off[2] = {to[0] - t * side[0], to[1] - t * side[1]};
    return off[0] * off[0] + off[1] * off[1];
}

/* Whether two contour edges are apart as (3) wants it; links them where one starts at the other's end. */
static bool edges_are_apart(wf_contour_edge *contour, int32_t i, int32_t j, double reach)
{
    wf_contour_edge *p = &contour[i], *q = &contour[j];
    double reach2 = reach * reach;
    if (p->start == q->start || p->end == q->end) {
        return false;
    }
    if (p->end == q->start || q->end == p->start) {
        wf_contour_edge *before = p->end == q->start ? p : q, *after = before == p ? q : p;
        before->next = before == p ? j : i;
        return point_segment_distance2(before->from, after->from, after->to) > reach2 &&
               point_segment_distance2(after->to, before->from, before->to) > reach2;
    }
    bool cross = (cross2(p->from, p->to, q->from) > 0) != (cross2(p->from, p->to, q->to) > 0) &&
                 (cross2(q->from, q->to, p->from) > 0) != (cross2(q->from, q->to, p->to) > 0);
    return !cross && point_segment_distance2(p->from, q->from, q->to) > reach2 &&
           point_segment_distance2(p->to, q->from, q->to) > reach2 &&
           point_segment_distance2(q->from, p->from, p->to) > reach2 &&
           point_segment_distance2(q->to, p->from, p->to) > reach2;
}

typedef struct planar_box {
    double low[2], high[2];
} planar_box;

static planar_box box_of_edges(const wf_contour_edge *contour, int32_t begin, int32_t end)
{
    planar_box box = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    for (int32_t i = begin; i < end; i++) {
        for (int k = 0; k < 2; k++) {
            box.low[k] = fmin(box.low[k], fmin(contour[i].from[k], contour[i].to[k]));
            box.high[k] = fmax(box.high[k], fmax(contour[i].from[k], contour[i].to[k]));
        }
    }
    return box;
}

static bool boxes_are_apart(const planar_box *a, const planar_box *b, double reach)
{
    return a->low[0] - b->high[0] > reach || b->low[0] - a->high[0] > reach || a->low[1] - b->high[1] > reach ||
           b->low[1] - a->high[1] > reach;
}

/* (3) for all pairs, by boxes of consecutive edges, which lie near each other. */
static bool contour_is_simple(wf_contour_edge *contour, int32_t count, double reach)
{
    planar_box box[MOST_GROUPS];
    int32_t size = (count + MOST_GROUPS - 1) / MOST_GROUPS;
    size = size > SMALLEST_GROUP ? size : SMALLEST_GROUP;
    for (int32_t g = 0; g * size < count; g++) {
        int32_t end = (g + 1) * size < count ? (g + 1) * size : count;
        box[g] = box_of_edges(contour, g * size, end);
        for (int32_t h = 0; h <= g; h++) {
            if (boxes_are_apart(&box[g], &box[h], reach)) {
                continue;
            }
            for (int32_t i = g * size; i < end; i++) {
                planar_box of_edge = box_of_edges(contour, i, i + 1);
                int32_t stop = h == g ? i : (h + 1) * size;
                for (int32_t j = h * size; j < stop && !boxes_are_apart(&of_edge, &box[h], reach); j++) {
                    if (!edges_are_apart(contour, i, j, reach)) {
                        return false;
                    }
                }
            }
        }
    }
    return true;
}

/* How often the edges that are not in the loop run around its first point. */
static int winding_of_others(const wf_contour_edge *contour, int32_t count, int32_t loop)
{
    const double *point = contour[loop].from;
    int winding = 0;
    for (int32_t i = 0; i < count; i++) {
        const wf_contour_edge *edge = &contour[i];
        bool starts_above = edge->from[1] > point[1], ends_above = edge->to[1] > point[1];
        if (edge->loop != loop && starts_above != ends_above) {
            double side = cross2(edge->from, edge->to, point);
            winding += ends_above && side > 0 ? 1 : starts_above && side < 0 ? -1 : 0;
        }
    }
    return winding;
}

/* (4) */
static bool loops_are_apart(wf_contour_edge *contour, int32_t count)
{
    for (int32_t first = 0; first < count; first++) {
        for (int32_t i = first; contour[i].loop < 0; i = contour[i].next) {
            if (contour[i].next < 0) {
                return false;
            }
            contour[i].loop = first;
        }
    }
    for (int32_t first = 0; first < count; first++) {
        if (contour[first].loop != first) {
            continue;
        }
        double area2 = 0;
        int32_t i = first;
        do {
            area2 += cross2(contour[first].from, contour[i].from, contour[i].to);
            i = contour[i].next;
        } while (i != first);
        if (area2 > 0 && winding_of_others(contour, count, first) > 0) {
            return false;
        }
    }
    return true;
}

/* ---- certifying -------------------------------------------------------------------------------------------------- */

/* The direction that a node's normals propose; false when there is none. */
static bool propose(const wf_contact_scene *scene, const wf_region_node *node, wf_vec3 *direction)
{
    if (scene->detection.pruning == WF_PRUNE_CONES) {
        *direction = wf_vec3_normalize(wf_vec3_make(node->axis[0], node->axis[1], node->axis[2]));
        return node->cosine > 0;
    }
    if (node->directions == 0) {
        return false;
    }
    *direction = mean_direction(node->directions);
    return wf_vec3_norm2(*direction) > 0;
}

static bool certify(const wf_contact_scene *scene, const wf_region_node *node)
{
    wf_vec3 direction;
    if (node->common_class >= 0) {
        return true;
    }
    if (!propose(scene, node, &direction)) {
        return false;
    }
    wf_vec3 across = fabs(direction.x) < 0.6 ? wf_vec3_make(1, 0, 0) : wf_vec3_make(0, 1, 0);
    planar_view view;
    view.u = wf_vec3_normalize(wf_vec3_cross(direction, across));
    view.w = wf_vec3_cross(direction, view.u);
    double reach = (2 * (double)node->reach + scene->cover.margin + scene->packing_error) * (1 + 8 * FLT_EPSILON);
    if (!faces_are_high(scene, node, &view, reach)) {
        return false;
    }
    if (!scene->detection.contour_test) {
        return true;
    }
    wf_contour_edge *contour = scene->curvature.contour + node->begin;
    int32_t count = collect_contour(scene, node, &view, contour);
    return count >= 0 && contour_is_simple(contour, count, reach) && loops_are_apart(contour, count);
}

static void certify_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    wf_contact_scene *scene = user;
    for (size_t i = begin; i < end; i++) {
        scene->curvature.certified[i] = certify(scene, &scene->curvature.nodes[scene->curvature.open[i]]);
    }
}

static bool is_patch(const wf_contact_scene *scene, int32_t index)
{
    const wf_region_node *nodes = scene->curvature.nodes;
    const wf_node_word *child = wf_hierarchy_children(&scene->cloth_tree, index);
    bool smallest = nodes[index].end - nodes[index].begin >= PATCH;
    for (int lane = 0; lane < scene->cloth_tree.arity && smallest; lane++) {
        int32_t below = child[lane].index;
        smallest = below <= index || nodes[below].end - nodes[below].begin < PATCH;
    }
    return smallest;
}

/* Whether regions may leave out enough pairs to be worth finding. What is all of one class is left out whatever its
 * shape. */
static bool may_pay(const wf_contact_scene *scene)
{
    const wf_hierarchy *tree = &scene->cloth_tree;
    int64_t seen = 0, smooth = 0, patches = 0;
    if (scene->any_face_of_one_class || tree->count < FEW_FACES) {
        return true;
    }
    for (int32_t index = 0; index < tree->node_count; index++) {
        const wf_region_node *node = &scene->curvature.nodes[index];
        if (!is_patch(scene, index) || patches++ % SAMPLED != 0) {
            continue;
        }
        uint32_t directions = ~0u;
        for (int32_t rank = node->begin; rank < node->end && directions != 0; rank++) {
            directions &= summary_of_face(scene, rank).directions;
        }
        seen += node->end - node->begin;
        smooth += directions != 0 ? node->end - node->begin : 0;
    }
    return (double)smooth >= LEAST_SMOOTH * (double)seen;
}

void wf_curvature_find_regions(wf_contact_scene *scene)
{
    wf_curvature *c = &scene->curvature;
    const wf_hierarchy *tree = &scene->cloth_tree;
    c->regions = c->faces = 0;
    for (int32_t rank = 0; rank < tree->count; rank++) {
        c->region_end[rank] = rank + 1;
    }
    if (scene->detection.pruning == WF_PRUNE_NOTHING || tree->count == 0 || !may_pay(scene)) {
        return;
    }
    summarize_nodes(scene);
    int32_t open = 1;
    c->open[0] = 0;
    while (open > 0) {
        wf_parallel_for(scene->context, (size_t)open, 1, certify_block, scene);
        int32_t next = 0;
        for (int32_t i = 0; i < open; i++) {
            const wf_region_node *node = &c->nodes[c->open[i]];
            c->regions += c->certified[i];
            c->faces += c->certified[i] ? node->end - node->begin : 0;
            for (int32_t rank = node->begin; c->certified[i] && rank < node->end; rank++) {
                c->region_end[rank] = node->end;
            }
            const wf_node_word *child = wf_hierarchy_children(tree, c->open[i]);
            for (int lane = 0; lane < tree->arity && !c->certified[i]; lane++) {
                int32_t below = child[lane].index;
                if (below > c->open[i] && c->nodes[below].end - c->nodes[below].begin >= SMALLEST_REGION) {
                    c->open_next[next++] = below;
                }
            }
        }
        int32_t *kept = c->open;
        c->open = c->open_next;
        c->open_next = kept;
        open = next;
    }
}
