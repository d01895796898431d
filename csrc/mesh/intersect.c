/* intersect.c - exact triangle-triangle intersection with a tree; see intersect.h. */
#include "mesh/intersect.h"

#include <stdlib.h>
#include <string.h>

#include "base/box.h"
#include "base/tasks.h"
#include "mesh/predicates.h"
#include "mesh/tree.h"

enum { LEAF_SIZE = 4, FACE_BLOCK = 256 };

static const double LARGEST = 1e60;

/* ---- two triangles --------------------------------------------------------------------------------------------- */

static int sign_of(double x)
{
    return (x > 0) - (x < 0);
}

static int side3(wf_vec3 a, wf_vec3 b, wf_vec3 c, wf_vec3 d)
{
    return sign_of(wf_orient3d(a, b, c, d));
}

static int side2(wf_vec2 a, wf_vec2 b, wf_vec2 c)
{
    return sign_of(wf_orient2d(a, b, c));
}

/* Leaves out one coordinate; exact. */
static wf_vec2 project(wf_vec3 p, int axis)
{
    return axis == 0 ? (wf_vec2){p.y, p.z} : axis == 1 ? (wf_vec2){p.z, p.x} : (wf_vec2){p.x, p.y};
}

/* A projection in which a, b, c are not collinear; -1 when they are collinear in space. */
static int choose_projection(wf_vec3 a, wf_vec3 b, wf_vec3 c)
{
    for (int axis = 0; axis < 3; axis++) {
        if (side2(project(a, axis), project(b, axis), project(c, axis)) != 0) {
            return axis;
        }
    }
    return -1;
}

static bool intervals_meet(double a, double b, double c, double d)
{
    return fmax(fmin(a, b), fmin(c, d)) <= fmin(fmax(a, b), fmax(c, d));
}

/* Closed segments a b and c d in the plane; either may be a point. */
static bool segments_meet2(wf_vec2 a, wf_vec2 b, wf_vec2 c, wf_vec2 d)
{
    /* Where one straddles the line of the other both ways, they meet; collinear ones also need their boxes to. */
    return side2(a, b, c) * side2(a, b, d) <= 0 && side2(c, d, a) * side2(c, d, b) <= 0 &&
           intervals_meet(a.x, b.x, c.x, d.x) && intervals_meet(a.y, b.y, c.y, d.y);
}

/* Closed segments a b and c d in space; either may be a point. */
static bool segments_meet3(wf_vec3 a, wf_vec3 b, wf_vec3 c, wf_vec3 d)
{
    if (side3(a, b, c, d) != 0) {
        return false;
    }
    int axis = choose_projection(a, b, c);
    axis = axis >= 0 ? axis : choose_projection(a, b, d);
    axis = axis >= 0 ? axis : choose_projection(a, c, d);
    axis = axis >= 0 ? axis : choose_projection(b, c, d);
    if (axis >= 0) {
        return segments_meet2(project(a, axis), project(b, axis), project(c, axis), project(d, axis));
    }
    /* All on one line: they meet when they do in every coordinate. */
    return intervals_meet(a.x, b.x, c.x, d.x) && intervals_meet(a.y, b.y, c.y, d.y) &&
           intervals_meet(a.z, b.z, c.z, d.z);
}

/* A segment in the plane of a triangle, or any segment and a triangle without area. */
static bool flat_segment_meets_triangle(wf_vec3 p, wf_vec3 q, const wf_vec3 t[3])
{
    const int axis = choose_projection(t[0], t[1], t[2]);
    if (axis < 0) {
        return segments_meet3(p, q, t[0], t[1]) || segments_meet3(p, q, t[1], t[2]) || segments_meet3(p, q, t[2], t[0]);
    }
    const wf_vec2 u = project(p, axis), w = project(q, axis);
    const wf_vec2 c[3] = {project(t[0], axis), project(t[1], axis), project(t[2], axis)};
    const int turn = side2(c[0], c[1], c[2]);
    bool inside = true;
    for (int k = 0; k < 3; k++) {
        if (segments_meet2(u, w, c[k], c[(k + 1) % 3])) {
            return true;
        }
        inside = inside && side2(c[k], c[(k + 1) % 3], u) * turn >= 0;
    }
    return inside;
}

bool wf_segment_meets_triangle(wf_vec3 p, wf_vec3 q, const wf_vec3 t[3])
{
    const int p_side = side3(t[0], t[1], t[2], p), q_side = side3(t[0], t[1], t[2], q);
    if (p_side == 0 && q_side == 0) {
        return flat_segment_meets_triangle(p, q, t);
    }
    if (p_side * q_side > 0) {
        return false;
    }
    /* The line crosses the plane in one point; it is in the triangle when the line passes all edges on one side. */
    const int s0 = side3(p, q, t[0], t[1]), s1 = side3(p, q, t[1], t[2]), s2 = side3(p, q, t[2], t[0]);
    return (s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0);
}

/* Whether all of a from corner `first` on lies strictly on one side of the plane of b. */
static bool clear_of_plane(const wf_vec3 a[3], const wf_vec3 b[3], int first)
{
    const int side = side3(b[0], b[1], b[2], a[first]);
    for (int k = first + 1; k < 3; k++) {
        if (side3(b[0], b[1], b[2], a[k]) != side) {
            return false;
        }
    }
    return side != 0;
}

/* Convex sets meet when an edge of one meets the other. */
static bool separate_triangles_meet(const wf_vec3 a[3], const wf_vec3 b[3])
{
    if (clear_of_plane(a, b, 0) || clear_of_plane(b, a, 0)) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        if (wf_segment_meets_triangle(a[k], a[(k + 1) % 3], b) || wf_segment_meets_triangle(b[k], b[(k + 1) % 3], a)) {
            return true;
        }
    }
    return false;
}

/* Whether the side of a opposite to the common corner a[0] = b[0] meets b away from that corner. */
static bool far_side_meets(const wf_vec3 a[3], const wf_vec3 b[3])
{
    if (!wf_segment_meets_triangle(a[1], a[2], b)) {
        return false;
    }
    if (!segments_meet3(a[1], a[2], a[0], a[0])) {
        return true;
    }
    /* A face without area, with the common corner on that side: its ends may reach beyond it. */
    return (!wf_vec3_equal(a[0], a[1]) && wf_segment_meets_triangle(a[1], a[1], b)) ||
           (!wf_vec3_equal(a[0], a[2]) && wf_segment_meets_triangle(a[2], a[2], b));
}

/* Triangles with a[0] = b[0]. A ray from the common corner within both leaves them through the far side of one. */
static bool corner_triangles_meet(const wf_vec3 a[3], const wf_vec3 b[3])
{
    if (clear_of_plane(a, b, 1) || clear_of_plane(b, a, 1)) {
        return false;
    }
    return far_side_meets(a, b) || far_side_meets(b, a);
}

/* Triangles with the edge a[0] a[1] = b[0] b[1]. */
static bool edge_triangles_meet(const wf_vec3 a[3], const wf_vec3 b[3])
{
    if (side3(a[0], a[1], a[2], b[2]) != 0) {
        return false;
    }
    const int axis = choose_projection(a[0], a[1], a[2]);
    if (axis >= 0) {
        const wf_vec2 u = project(a[0], axis), w = project(a[1], axis);
        const int a_side = side2(u, w, project(a[2], axis)), b_side = side2(u, w, project(b[2], axis));
        return a_side == b_side;
    }
    /* `a` has no area. Its third corner reaches into b, or b's into a, away from the edge. */
    const bool a_beyond = !segments_meet3(a[0], a[1], a[2], a[2]), b_beyond = !segments_meet3(a[0], a[1], b[2], b[2]);
    return (a_beyond && wf_segment_meets_triangle(a[2], a[2], b)) ||
           (b_beyond && wf_segment_meets_triangle(b[2], b[2], a));
}

/* Whether two triangles intersect beyond the `shared` corners that they have in common, which come first, in the same
 * order, in both. */
static bool triangles_meet(const wf_vec3 a[3], const wf_vec3 b[3], int shared)
{
    switch (shared) {
    case 0:
        return separate_triangles_meet(a, b);
    case 1:
        return corner_triangles_meet(a, b);
    case 2:
        return edge_triangles_meet(a, b);
    default:
        return true;
    }
}

/* ---- two surfaces ---------------------------------------------------------------------------------------------- */

typedef struct judge {
    const wf_surface *a, *b;            /* b is a for a surface with itself */
    wf_vec3 *a_positions, *b_positions; /* checked and without tiny numbers; the same array for a surface with itself */
    int32_t near_count;                 /* of the faces of b whose boxes meet that of a */
    int32_t *near;                      /* [near_count; room for b.face_count] these, ascending */
    int32_t (*near_faces)[3];           /* [near_count] their corners */
    wf_box *near_boxes;                 /* [near_count] */
    wf_tree tree;                       /* of them */
    int32_t *counts;                    /* [a.face_count] */
} judge;

static wf_status copy_positions(wf_context *context, const wf_surface *s, const char *name, wf_vec3 **copy)
{
    *copy = wf_allocate(context, (size_t)s->vertex_count, sizeof **copy);
    if (!*copy) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t v = 0; v < s->vertex_count; v++) {
        const wf_vec3 p = s->positions[v];
        if (!(fabs(p.x) <= LARGEST && fabs(p.y) <= LARGEST && fabs(p.z) <= LARGEST)) {
            return wf_fail(context, WF_ERROR_NUMERIC,
                           "vertex %d of %s must have coordinates from -%g to %g m, got {%g, %g, %g}", v + 1,
                           name, LARGEST, LARGEST, p.x, p.y, p.z);
        }
        (*copy)[v] = wf_vec3_make(fabs(p.x) < WF_PREDICATE_TINY ? 0 : p.x, fabs(p.y) < WF_PREDICATE_TINY ? 0 : p.y,
                                  fabs(p.z) < WF_PREDICATE_TINY ? 0 : p.z);
    }
    for (int32_t f = 0; f < s->face_count; f++) {
        for (int k = 0; k < 3; k++) {
            if (s->faces[f][k] < 0 || s->faces[f][k] >= s->vertex_count) {
                return wf_fail(context, WF_ERROR_ARGUMENT,
                               "face %d of %s names vertex %lld, but there are %d vertices", f + 1, name,
                               (long long)s->faces[f][k] + 1, s->vertex_count);
            }
        }
    }
    return WF_OK;
}

static wf_box face_box(const wf_vec3 *positions, const int32_t face[3])
{
    wf_box box = {positions[face[0]], positions[face[0]]};
    wf_box_include(&box, positions[face[1]]);
    wf_box_include(&box, positions[face[2]]);
    return box;
}

static bool faces_meet(const judge *j, int32_t f, int32_t g)
{
    const int32_t *a_face = j->a->faces[f], *b_face = j->b->faces[g];
    int32_t a_order[3], b_order[3];
    int shared = 0;
    bool a_taken[3] = {false}, b_taken[3] = {false};
    for (int i = 0; j->a == j->b && i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            if (a_face[i] == b_face[k] && !b_taken[k]) {
                a_order[shared] = i;
                b_order[shared++] = k;
                a_taken[i] = b_taken[k] = true;
                break;
            }
        }
    }
    for (int i = 0, a_next = shared, b_next = shared; i < 3; i++) {
        if (!a_taken[i]) {
            a_order[a_next++] = i;
        }
        if (!b_taken[i]) {
            b_order[b_next++] = i;
        }
    }
    wf_vec3 a[3], b[3];
    for (int k = 0; k < 3; k++) {
        a[k] = j->a_positions[a_face[a_order[k]]];
        b[k] = j->b_positions[b_face[b_order[k]]];
    }
    return triangles_meet(a, b, shared);
}

/* Counts the faces of b that face f meets, and lists them (unsorted) as far as there is room. */
static int32_t judge_face(const judge *j, int32_t f, int32_t (*pairs)[2], int32_t room)
{
    if (j->tree.node_count == 0) {
        return 0;
    }
    const wf_box face = face_box(j->a_positions, j->a->faces[f]);
    int32_t stack[WF_TREE_DEPTH], count = 0;
    int depth = 0;
    int32_t n = 0;
    while (n >= 0) {
        const wf_tree_node *node = &j->tree.nodes[n];
        if (wf_boxes_meet(&face, &node->box)) {
            if (node->right >= 0) {
                stack[depth++] = node->right;
                n++;
                continue;
            }
            for (int32_t i = node->first; i < node->first + node->count; i++) {
                const int32_t g = j->near[j->tree.order[i]];
                if ((j->a == j->b && g <= f) || !wf_boxes_meet(&face, &j->near_boxes[j->tree.order[i]]) ||
                    !faces_meet(j, f, g)) {
                    continue;
                }
                if (count < room) {
                    pairs[count][0] = f;
                    pairs[count][1] = g;
                }
                count++;
            }
        }
        n = depth > 0 ? stack[--depth] : -1;
    }
    return count;
}

static void count_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    judge *j = user;
    for (size_t f = begin; f < end; f++) {
        j->counts[f] = judge_face(j, (int32_t)f, NULL, 0);
    }
}

static int compare_second(const void *a, const void *b)
{
    const int32_t g = ((const int32_t *)a)[1], h = ((const int32_t *)b)[1];
    return g < h ? -1 : g > h;
}

/* Finds the pairs of the faces that have some again, in order, until the limit. */
static wf_status list_pairs(wf_context *context, const judge *j, int64_t limit, int32_t (*pairs)[2])
{
    int32_t largest = 0;
    for (int32_t f = 0; f < j->a->face_count; f++) {
        largest = j->counts[f] > largest ? j->counts[f] : largest;
    }
    int32_t (*row)[2] = wf_allocate(context, (size_t)largest, sizeof *row);
    if (!row) {
        return WF_ERROR_MEMORY;
    }
    int64_t listed = 0;
    for (int32_t f = 0; f < j->a->face_count && listed < limit; f++) {
        if (j->counts[f] == 0) {
            continue;
        }
        judge_face(j, f, row, largest);
        qsort(row, (size_t)j->counts[f], sizeof *row, compare_second);
        for (int32_t i = 0; i < j->counts[f] && listed < limit; i++) {
            memcpy(pairs[listed++], row[i], sizeof *row);
        }
    }
    wf_free(context, row);
    return WF_OK;
}

/* Finds which faces of b can meet a at all. Surfaces that lie side by side have none, and need no tree. */
static wf_status find_near(wf_context *context, judge *j)
{
    wf_box whole = wf_box_empty();
    for (int32_t f = 0; f < j->a->face_count; f++) {
        whole = wf_box_join(whole, face_box(j->a_positions, j->a->faces[f]));
    }
    j->near = wf_allocate(context, (size_t)j->b->face_count, sizeof *j->near);
    for (int32_t g = 0; j->near && g < j->b->face_count; g++) {
        const wf_box box = face_box(j->b_positions, j->b->faces[g]);
        if (wf_boxes_meet(&box, &whole)) {
            j->near[j->near_count++] = g;
        }
    }
    j->near_faces = wf_allocate(context, (size_t)j->near_count, sizeof *j->near_faces);
    j->near_boxes = wf_allocate(context, (size_t)j->near_count, sizeof *j->near_boxes);
    if (!j->near || !j->near_faces || !j->near_boxes) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < j->near_count; i++) {
        const int32_t *face = j->b->faces[j->near[i]];
        memcpy(j->near_faces[i], face, sizeof *j->near_faces);
        j->near_boxes[i] = face_box(j->b_positions, face);
    }
    return WF_OK;
}

static wf_status prepare(wf_context *context, judge *j)
{
    wf_status status = copy_positions(context, j->a, "the first surface", &j->a_positions);
    if (j->b == j->a) {
        j->b_positions = j->a_positions;
    } else if (status == WF_OK) {
        status = copy_positions(context, j->b, "the second surface", &j->b_positions);
    }
    if (status != WF_OK) {
        return status;
    }
    j->counts = wf_allocate(context, (size_t)j->a->face_count, sizeof *j->counts);
    status = j->counts ? find_near(context, j) : WF_ERROR_MEMORY;
    if (status != WF_OK) {
        return status;
    }
    return wf_tree_build(context, j->b_positions, j->near_count, (const int32_t(*)[3])j->near_faces, LEAF_SIZE,
                         &j->tree);
}

wf_status wf_intersections_find(wf_context *context, const wf_surface *a, const wf_surface *b, int64_t limit,
                                int32_t (*pairs)[2], int64_t *count)
{
    *count = 0;
    if (limit < 0 || limit > INT32_MAX) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "the limit must be from 0 to %d, got %lld", INT32_MAX,
                       (long long)limit);
    }
    judge j = {.a = a, .b = b ? b : a};
    wf_status status = prepare(context, &j);
    if (status == WF_OK) {
        wf_parallel_for(context, (size_t)a->face_count, FACE_BLOCK, count_block, &j);
        for (int32_t f = 0; f < a->face_count; f++) {
            *count += j.counts[f];
        }
        status = list_pairs(context, &j, limit, pairs);
    }
    wf_free(context, j.a_positions);
    wf_free(context, j.b == j.a ? NULL : j.b_positions);
    wf_free(context, j.near);
    wf_free(context, j.near_faces);
    wf_free(context, j.near_boxes);
    wf_free(context, j.counts);
    wf_tree_free(context, &j.tree);
    return status;
}
