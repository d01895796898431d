/* scene.c - the contact scene: its tables, and what the candidate list covers; see scene.h. */
#include "contact/scene.h"

#include <stdlib.h>
#include <string.h>

#include "base/tasks.h"
#include "contact/scene_private.h"
#include "mesh/union_find.h"

enum { MOST_FACES = 1 << 25, /* what wf_packed_face.index holds */
       MOST_MOTIONS_AHEAD = 3,
       CROWDED_PAIRS_PER_FACE = 16, SHORT_LISTS = 64, /* made before another that lasts is tried */
       LASTING_PART = 3, /* of the bound on all lists that one may have that a smaller skin would make shorter */
       FEW_SKIN_PARTS = 8 };

/* Coordinates beyond this (m) are taken for an explosion. */
#define LARGEST_COORDINATE 1e6

/* A list that will not cover the next motion needs of the skin but what contact may push vertices farther than they
 * were going. */
#define SKIN_OF_ONE_MOTION 0.25
/* The same where pairs crowd, of the largest motion; and of the margin at rest, where nothing moves. */
#define SKIN_OF_LARGEST_MOTION 0.25
#define SKIN_OF_MARGIN 0.05

/* The least of the wanted skin that a list is made with. */
#define SMALLEST_SKIN_SHARE (1.0 / 64)

/* ---- tables ----------------------------------------------------------------------------------------------------- */

typedef struct half_edge {
    int32_t low, high, face, corner;
} half_edge;

static int compare_half_edges(const void *a, const void *b)
{
    const half_edge *p = a, *q = b;
    if (p->low != q->low) {
        return p->low < q->low ? -1 : 1;
    }
    if (p->high != q->high) {
        return p->high < q->high ? -1 : 1;
    }
    return p->face != q->face ? (p->face < q->face ? -1 : 1) : p->corner - q->corner;
}

/* Numbers the edges of faces [begin, end) from *edge_count on, in the order of their vertices. */
static void number_edges(wf_contact_scene *scene, half_edge *halves, int32_t begin, int32_t end, int32_t *edge_count)
{
    size_t count = 0;
    for (int32_t f = begin; f < end; f++) {
        for (int k = 0; k < 3; k++) {
            int32_t a = scene->faces[f][k], b = scene->faces[f][(k + 1) % 3];
            halves[count++] = (half_edge){a < b ? a : b, a < b ? b : a, f, k};
        }
    }
    qsort(halves, count, sizeof *halves, compare_half_edges);
    for (size_t i = 0; i < count; i++) {
        const half_edge *h = &halves[i];
        if (i == 0 || h->low != h[-1].low || h->high != h[-1].high) {
            int32_t e = (*edge_count)++;
            scene->edges[e][0] = h->low;
            scene->edges[e][1] = h->high;
            scene->edge_faces[e][0] = h->face;
            scene->edge_faces[e][1] = -1;
            scene->face_owns[h->face] |= (uint8_t)(8 << h->corner);
        } else if (scene->edge_faces[*edge_count - 1][1] < 0) {
            scene->edge_faces[*edge_count - 1][1] = h->face;
        }
        scene->face_edges[h->face][h->corner] = *edge_count - 1;
    }
}

static void own_vertices(wf_contact_scene *scene)
{
    memset(scene->vertex_face, 0xff, (size_t)scene->vertex_count * sizeof *scene->vertex_face);
    for (int32_t f = 0; f < scene->face_count; f++) {
        for (int k = 0; k < 3; k++) {
            int32_t v = scene->faces[f][k];
            if (scene->vertex_face[v] < 0) {
                scene->vertex_face[v] = f;
                scene->face_owns[f] |= (uint8_t)(1 << k);
            }
        }
    }
}

/* Compressed rows of a symmetric relation given by pairs, but for those of equals: start[rows + 1] must be zero,
 * joined[2 * pairs]. */
static void fill_rows(int32_t rows, int32_t pairs, const int32_t (*pair)[2], const int32_t *label, int32_t *start,
                      int32_t *joined)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t p = 0; p < pairs; p++) {
            for (int k = 0; k < 2; k++) {
                int32_t from = pair[p][k], to = pair[p][1 - k];
                from = label ? label[from] : from;
                to = label ? label[to] : to;
                if (from == to) { /* all edges of a rigid body, which are of one class */
                    continue;
                }
                if (pass == 0) {
                    start[from + 1]++;
                } else {
                    joined[start[from]++] = to;
                }
            }
        }
        if (pass == 0) {
            for (int32_t i = 0; i < rows; i++) {
                start[i + 1] += start[i];
            }
        }
    }
    /* The second pass moved each start to its end. */
    memmove(start + 1, start, (size_t)rows * sizeof *start);
    start[0] = 0;
}

static void fill_fans(wf_contact_scene *scene)
{
    int32_t *start = scene->fan_start;
    for (int32_t f = 0; f < scene->face_count; f++) {
        for (int k = 0; k < 3; k++) {
            start[scene->faces[f][k] + 1]++;
        }
    }
    for (int32_t i = 0; i < scene->vertex_count; i++) {
        start[i + 1] += start[i];
    }
    for (int32_t f = scene->face_count; f-- > 0;) { /* each start moves from the end of its row to its beginning */
        for (int k = 0; k < 3; k++) {
            scene->fan[--start[scene->faces[f][k] + 1]] = f;
        }
    }
    memmove(start, start + 1, (size_t)scene->vertex_count * sizeof *start);
    start[scene->vertex_count] = 3 * scene->face_count;
}

static void set_materials(wf_contact_scene *scene, const wf_contact_scene_def *def)
{
    memcpy(scene->half_thickness, def->half_thickness, (size_t)def->vertex_count * sizeof *def->half_thickness);
    memcpy(scene->friction, def->friction, (size_t)def->vertex_count * sizeof *def->friction);
    for (int32_t i = 0; i < scene->cloth_count; i++) {
        scene->vertex_loose[i] = def->vertex_loose ? def->vertex_loose[i] : WF_HELD;
        scene->any_loose |= scene->vertex_loose[i] != WF_HELD;
        scene->any_loose_to_bodies |= scene->vertex_loose[i] == WF_LOOSE_TO_BODIES;
        scene->neighbour_half[i] = def->neighbour_half_thickness ? def->neighbour_half_thickness[i] : 0;
    }
    for (int32_t e = 0; e < scene->edge_count; e++) {
        scene->edge_half[e] = fmax(def->half_thickness[scene->edges[e][0]], def->half_thickness[scene->edges[e][1]]);
    }
    for (int32_t f = 0; f < scene->face_count; f++) {
        const int32_t *v = scene->faces[f];
        scene->face_half[f] =
            fmax(def->half_thickness[v[0]], fmax(def->half_thickness[v[1]], def->half_thickness[v[2]]));
        for (int k = 0; k < 3; k++) {
            scene->widest_half[v[k]] = fmax(scene->widest_half[v[k]], scene->face_half[f]);
        }
    }
}

wf_detection_params wf_default_detection_params(void)
{
    return (wf_detection_params){.planes = 6, .arity = 4, .update = WF_UPDATE_REFIT, .pruning = WF_PRUNE_DIRECTIONS,
                                 .contour_test = true};
}

/* ---- creation --------------------------------------------------------------------------------------------------- */

static wf_status check_faces(wf_context *context, const char *whose, int32_t count, const int32_t (*faces)[3],
                             int32_t first, int32_t end)
{
    for (int32_t f = 0; f < count; f++) {
        const int32_t *v = faces[f];
        for (int k = 0; k < 3; k++) {
            if (v[k] < first || v[k] >= end) {
                return wf_fail(context, WF_ERROR_ARGUMENT, "%s face %d has vertex %d, expected %d to %d", whose,
                               f + 1, v[k] + 1, first + 1, end);
            }
        }
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "%s face %d has vertex %d twice", whose, f + 1,
                           (v[0] == v[1] ? v[0] : v[2]) + 1);
        }
    }
    return WF_OK;
}

static wf_status check_classes(wf_context *context, int32_t count, const int32_t *vertex_class)
{
    for (int32_t i = 0; vertex_class && i < count; i++) {
        if (vertex_class[i] < 0 || vertex_class[i] >= count) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "vertex %d has class %d, expected 0 to %d", i + 1,
                           vertex_class[i], count - 1);
        }
    }
    return WF_OK;
}

static wf_status check_def(wf_context *context, const wf_contact_scene_def *def)
{
    if (def->cloth_count < 0 || def->vertex_count < def->cloth_count || def->cloth_face_count < 0 ||
        def->body_face_count < 0) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "counts must not be negative, got %d of %d vertices, "
                       "%d and %d faces", def->cloth_count, def->vertex_count, def->cloth_face_count,
                       def->body_face_count);
    }
    if ((int64_t)def->cloth_face_count + def->body_face_count >= MOST_FACES) {
        return wf_fail(context, WF_ERROR_LIMIT, "%lld faces, expected fewer than %d",
                       (long long)def->cloth_face_count + def->body_face_count, MOST_FACES);
    }
    for (int32_t i = 0; i < def->vertex_count; i++) {
        if (!(def->half_thickness[i] >= 0 && def->half_thickness[i] <= 1)) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "vertex %d has half thickness %g, expected 0 to 1 m", i + 1,
                           def->half_thickness[i]);
        }
        if (!(def->friction[i] >= 0 && isfinite(def->friction[i]))) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "vertex %d has friction %g, expected 0 or more", i + 1,
                           def->friction[i]);
        }
    }
    const wf_detection_params *d = def->detection;
    if (d && !((d->planes == 6 || d->planes == 14 || d->planes == 18 || d->planes == 26) &&
               (d->arity == 2 || d->arity == 4 || d->arity == 8))) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "volumes have 6, 14, 18 or 26 planes and nodes 2, 4 or 8 "
                       "children, got %d and %d", d->planes, d->arity);
    }
    wf_status status = check_faces(context, "cloth", def->cloth_face_count, def->cloth_faces, 0, def->cloth_count);
    if (status == WF_OK) {
        status = check_faces(context, "body", def->body_face_count, def->body_faces, def->cloth_count,
                             def->vertex_count);
    }
    for (int32_t i = 0; status == WF_OK && def->neighbour_half_thickness && i < def->cloth_count; i++) {
        double half = def->neighbour_half_thickness[i];
        if (!(half >= 0 && half <= def->half_thickness[i])) {
            status = wf_fail(context, WF_ERROR_ARGUMENT,
                             "neighbours' half thickness of vertex %d must be from 0 to its own, %g, got %g",
                             i + 1, def->half_thickness[i], half);
        }
    }
    return status == WF_OK ? check_classes(context, def->cloth_count, def->vertex_class) : status;
}

static void *allocate(wf_contact_scene *scene, int64_t count, size_t size, bool *failed)
{
    void *pointer = *failed ? NULL : wf_allocate(scene->context, (size_t)count, size);
    *failed = pointer == NULL;
    return pointer;
}

static void allocate_numbers(wf_contact_scene *scene, wf_numbers *numbers, bool *failed)
{
    numbers->vertex = allocate(scene, scene->vertex_count, sizeof *numbers->vertex, failed);
    numbers->edge = allocate(scene, 3 * (int64_t)scene->face_count, sizeof *numbers->edge, failed);
    numbers->face = allocate(scene, scene->face_count, sizeof *numbers->face, failed);
}

static bool allocate_tables(wf_contact_scene *scene)
{
    int64_t faces = scene->face_count, edges = 3 * faces, vertices = scene->vertex_count;
    bool failed = false;
    scene->faces = allocate(scene, faces, sizeof *scene->faces, &failed);
    scene->face_edges = allocate(scene, faces, sizeof *scene->face_edges, &failed);
    scene->face_owns = allocate(scene, faces, sizeof *scene->face_owns, &failed);
    scene->face_half = allocate(scene, faces, sizeof *scene->face_half, &failed);
    scene->packed = allocate(scene, faces, sizeof *scene->packed, &failed);
    scene->widest_half = allocate(scene, vertices, sizeof *scene->widest_half, &failed);
    scene->ball_volumes = allocate(scene, vertices * 2 * scene->slabs, sizeof *scene->ball_volumes, &failed);
    scene->volumes = allocate(scene, faces * 2 * scene->slabs, sizeof *scene->volumes, &failed);
    scene->edges = allocate(scene, edges, sizeof *scene->edges, &failed);
    scene->edge_faces = allocate(scene, edges, sizeof *scene->edge_faces, &failed);
    scene->edge_half = allocate(scene, edges, sizeof *scene->edge_half, &failed);
    scene->vertex_face = allocate(scene, vertices, sizeof *scene->vertex_face, &failed);
    scene->star_start = allocate(scene, vertices + 1, sizeof *scene->star_start, &failed);
    scene->star = allocate(scene, 2 * edges, sizeof *scene->star, &failed);
    scene->fan_start = allocate(scene, vertices + 1, sizeof *scene->fan_start, &failed);
    scene->fan = allocate(scene, 3 * faces, sizeof *scene->fan, &failed);
    scene->face_rank = allocate(scene, faces, sizeof *scene->face_rank, &failed);
    scene->vertex_class = allocate(scene, scene->cloth_count, sizeof *scene->vertex_class, &failed);
    scene->body_class = allocate(scene, vertices - scene->cloth_count, sizeof *scene->body_class, &failed);
    scene->vertex_piece = allocate(scene, scene->cloth_count, sizeof *scene->vertex_piece, &failed);
    scene->vertex_loose = allocate(scene, scene->cloth_count, sizeof *scene->vertex_loose, &failed);
    scene->neighbour_half = allocate(scene, scene->cloth_count, sizeof *scene->neighbour_half, &failed);
    scene->half_thickness = allocate(scene, vertices, sizeof *scene->half_thickness, &failed);
    scene->friction = allocate(scene, vertices, sizeof *scene->friction, &failed);
    allocate_numbers(scene, &scene->reach, &failed);
    allocate_numbers(scene, &scene->near, &failed);
    scene->changed.vertex = allocate(scene, vertices, sizeof *scene->changed.vertex, &failed);
    scene->changed.edge = allocate(scene, edges, sizeof *scene->changed.edge, &failed);
    scene->changed.face = allocate(scene, faces, sizeof *scene->changed.face, &failed);
    scene->given = allocate(scene, vertices, sizeof *scene->given, &failed);
    scene->start = allocate(scene, vertices, sizeof *scene->start, &failed);
    scene->target = allocate(scene, vertices, sizeof *scene->target, &failed);
    scene->step = allocate(scene, vertices, sizeof *scene->step, &failed);
    scene->level = allocate(scene, vertices, sizeof *scene->level, &failed);
    scene->touched = allocate(scene, vertices, sizeof *scene->touched, &failed);
    scene->reference = allocate(scene, vertices, sizeof *scene->reference, &failed);
    scene->travel = allocate(scene, vertices, sizeof *scene->travel, &failed);
    scene->half_way = allocate(scene, vertices, sizeof *scene->half_way, &failed);
    return !failed;
}

static bool copy_materials(wf_contact_scene *scene, const wf_contact_scene_def *def)
{
    if (!def->material) {
        return true;
    }
    size_t vertices = (size_t)def->vertex_count, pairs = (size_t)def->material_count * (size_t)def->material_count;
    scene->material = wf_allocate(scene->context, vertices, sizeof *scene->material);
    scene->material_pairs = wf_allocate(scene->context, pairs, sizeof *scene->material_pairs);
    scene->material_count = def->material_count;
    if (!scene->material || !scene->material_pairs) {
        return false;
    }
    memcpy(scene->material, def->material, vertices * sizeof *scene->material);
    memcpy(scene->material_pairs, def->material_pairs, pairs * sizeof *scene->material_pairs);
    return true;
}

/* Joins the pieces of edges' ends. `piece`: scratch, the sets of classes. */
static void find_pieces(wf_contact_scene *scene, int32_t *piece)
{
    const int32_t *class = scene->vertex_class;
    wf_union_find_reset(piece, scene->cloth_count);
    for (int32_t e = 0; e < scene->cloth_edge_count; e++) {
        wf_union_find_join(piece, class[scene->edges[e][0]], class[scene->edges[e][1]]);
    }
    for (int32_t i = 0; i < scene->cloth_count; i++) {
        scene->vertex_piece[i] = wf_union_find_root(piece, class[i]);
    }
}

/* NULL: each vertex its own. */
static wf_status set_classes(wf_contact_scene *scene, const int32_t *vertex_class)
{
    wf_context *context = scene->context;
    scene->class_start = wf_allocate(context, (size_t)scene->cloth_count + 1, sizeof *scene->class_start);
    scene->class_joined = wf_allocate(context, 2 * (size_t)scene->cloth_edge_count, sizeof *scene->class_joined);
    int32_t *piece = wf_allocate(context, (size_t)scene->cloth_count, sizeof *piece);
    if (!scene->class_start || !scene->class_joined || !piece) {
        wf_free(context, piece);
        return WF_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < scene->cloth_count; i++) {
        scene->vertex_class[i] = vertex_class ? vertex_class[i] : i;
    }
    for (int32_t f = 0; f < scene->cloth_face_count; f++) {
        const int32_t *class = scene->vertex_class, *v = scene->faces[f];
        scene->any_face_of_one_class |= class[v[0]] == class[v[1]] && class[v[1]] == class[v[2]];
    }
    fill_rows(scene->cloth_count, scene->cloth_edge_count, (const int32_t(*)[2])scene->edges, scene->vertex_class,
              scene->class_start, scene->class_joined);
    find_pieces(scene, piece);
    wf_free(context, piece);
    return WF_OK;
}

static wf_status build_tables(wf_contact_scene *scene, const wf_contact_scene_def *def)
{
    if (!allocate_tables(scene) || !copy_materials(scene, def)) {
        return WF_ERROR_MEMORY;
    }
    half_edge *halves = wf_allocate(scene->context, 3 * (size_t)scene->face_count, sizeof *halves);
    if (!halves) {
        return WF_ERROR_MEMORY;
    }
    if (def->cloth_face_count > 0) {
        memcpy(scene->faces, def->cloth_faces, (size_t)def->cloth_face_count * sizeof *scene->faces);
    }
    if (def->body_face_count > 0) {
        memcpy(scene->faces + def->cloth_face_count, def->body_faces,
               (size_t)def->body_face_count * sizeof *scene->faces);
    }
    number_edges(scene, halves, 0, scene->cloth_face_count, &scene->edge_count);
    scene->cloth_edge_count = scene->edge_count;
    number_edges(scene, halves, scene->cloth_face_count, scene->face_count, &scene->edge_count);
    wf_free(scene->context, halves);
    own_vertices(scene);
    for (int32_t i = scene->cloth_count; i < scene->vertex_count; i++) {
        scene->body_class[i - scene->cloth_count] =
            def->body_class ? def->body_class[i - scene->cloth_count] : scene->cloth_count;
    }
    fill_rows(scene->vertex_count, scene->edge_count, (const int32_t(*)[2])scene->edges, NULL, scene->star_start,
              scene->star);
    fill_fans(scene);
    set_materials(scene, def);
    return set_classes(scene, def->vertex_class);
}

wf_status wf_contact_scene_create(wf_context *context, const wf_contact_scene_def *def, wf_contact_scene **scene_out)
{
    *scene_out = NULL;
    wf_status status = check_def(context, def);
    if (status != WF_OK) {
        return status;
    }
    wf_contact_scene *scene = wf_allocate(context, 1, sizeof *scene);
    if (!scene) {
        return WF_ERROR_MEMORY;
    }
    scene->context = context;
    scene->cloth_count = def->cloth_count;
    scene->vertex_count = def->vertex_count;
    scene->rigid_start = def->rigid_start > 0 && def->vertex_class ? def->rigid_start : def->cloth_count;
    scene->cloth_face_count = def->cloth_face_count;
    scene->face_count = def->cloth_face_count + def->body_face_count;
    scene->detection = def->detection ? *def->detection : wf_default_detection_params();
    scene->slabs = scene->detection.planes / 2;
    scene->cover.skin_share = 1;
    status = build_tables(scene, def);
    if (status != WF_OK) {
        wf_contact_scene_destroy(scene);
        return status;
    }
    *scene_out = scene;
    return WF_OK;
}

wf_contact_stats wf_contact_scene_stats(const wf_contact_scene *scene)
{
    return scene->stats;
}

void wf_contact_scene_destroy(wf_contact_scene *scene)
{
    if (!scene) {
        return;
    }
    wf_context *context = scene->context;
    void *tables[] = {scene->faces, scene->face_edges, scene->face_owns, scene->face_half, scene->widest_half,
                      scene->ball_volumes, scene->volumes,
                      scene->packed, scene->edges, scene->edge_faces, scene->edge_half, scene->vertex_face,
                      scene->star_start, scene->star, scene->fan_start, scene->fan, scene->face_rank,
                      scene->vertex_class, scene->body_class, scene->vertex_piece, scene->vertex_loose,
                      scene->neighbour_half, scene->class_start, scene->class_joined, scene->half_thickness,
                      scene->friction, scene->material, scene->material_pairs,
                      scene->reference, scene->travel, scene->half_way, scene->fronts, scene->contacts,
                      scene->block_start, scene->reach.vertex, scene->reach.edge, scene->reach.face,
                      scene->near.vertex, scene->near.edge, scene->near.face,
                      scene->changed.vertex, scene->changed.edge, scene->changed.face, scene->given, scene->start,
                      scene->step, scene->target, scene->level, scene->touched};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        wf_free(context, tables[i]);
    }
    wf_hierarchy_free(context, &scene->cloth_tree);
    wf_hierarchy_free(context, &scene->body_tree);
    wf_near_free(context, &scene->cloth_near);
    wf_near_free(context, &scene->body_near);
    wf_curvature_free(context, &scene->curvature);
    for (int kind = 0; kind < WF_PAIR_KINDS; kind++) {
        wf_free(context, scene->list[kind].items);
        wf_free(context, scene->list[kind].marked);
    }
    for (size_t b = 0; b < scene->buffer_count; b++) {
        wf_free(context, scene->buffers[b].items);
    }
    wf_free(context, scene->buffers);
    wf_impact_zones_free(context, &scene->zones);
    wf_caught_free(context, &scene->caught);
    wf_free(context, scene);
}

wf_status wf_contact_check_updated(const wf_contact_scene *scene, const char *what)
{
    return scene->cover.wanted_skin > 0
               ? WF_OK
               : wf_fail(scene->context, WF_ERROR_STATE, "contact: %s before the first update", what);
}

size_t wf_contact_candidate_count(const wf_contact_scene *scene, int kind)
{
    return scene->list[kind].count;
}

void wf_contact_candidate(const wf_contact_scene *scene, int kind, size_t index, int32_t vertex[4])
{
    const wf_candidate *c = &scene->list[kind].items[index];
    wf_pair_vertices(scene, kind, c->first, c->second, vertex);
}

/* ---- what the list covers ---------------------------------------------------------------------------------------- */

static wf_status check_positions(const wf_contact_scene *scene, const wf_vec3 *x)
{
    for (int32_t i = 0; i < scene->vertex_count; i++) {
        /* Written so that a value that is not a number fails. */
        if (!(fabs(x[i].x) <= LARGEST_COORDINATE && fabs(x[i].y) <= LARGEST_COORDINATE &&
              fabs(x[i].z) <= LARGEST_COORDINATE)) {
            return wf_fail(scene->context, WF_ERROR_NUMERIC, "contact: vertex %d is at (%g, %g, %g) m, expected finite "
                           "coordinates below 1e6", i + 1, x[i].x, x[i].y, x[i].z);
        }
    }
    return WF_OK;
}

bool wf_contact_rests_at_end(const wf_contact_scene *scene, const wf_vec3 *x)
{
    if (!scene->cover.by_paths && wf_vec3_norm2(scene->cover.frame) == 0) {
        return false;
    }
    double nearer = 0; /* to the end than to the start */
    for (int32_t i = 0; i < scene->cloth_count; i++) {
        nearer += wf_vec3_norm2(wf_vec3_sub(x[i], wf_listed_place(scene, i, false))) -
                  wf_vec3_norm2(wf_vec3_sub(x[i], wf_listed_place(scene, i, true)));
    }
    return nearer > 0;
}

/* Whether the list holds all pairs of the motion that come within `margin` (m) beyond their contact distance. Balls are
 * convex, and the distance between two points that move evenly is largest at an end: it is enough to look at both. */
static bool is_covered(const wf_contact_scene *scene, const wf_vec3 *x0, const wf_vec3 *x1, double margin)
{
    const wf_cover *cover = &scene->cover;
    double room = 0.5 * (cover->skin + cover->margin - margin); /* a margin that is not asked for is room as well */
    if (!cover->made || room <= 0) {
        return false;
    }
    const bool at_end = x1 == x0 && wf_contact_rests_at_end(scene, x0);
    for (int32_t i = 0; i < scene->vertex_count; i++) {
        double radius = (wf_listed_radius(scene, i) + room) * (1 - 1e-12);
        if (wf_vec3_norm2(wf_vec3_sub(x0[i], wf_listed_place(scene, i, at_end))) > radius * radius ||
            (x1 != x0 && wf_vec3_norm2(wf_vec3_sub(x1[i], wf_listed_place(scene, i, true))) > radius * radius)) {
            return false;
        }
    }
    return true;
}

/* The displacement of the frame in which the list is made: the cloth's mean, if that is worth it. */
static wf_vec3 choose_frame(const wf_contact_scene *scene, const wf_vec3 *x0, const wf_vec3 *x1)
{
    wf_vec3 sum = {0, 0, 0};
    for (int32_t i = 0; i < scene->cloth_count; i++) {
        sum = wf_vec3_add(sum, wf_vec3_sub(x1[i], x0[i]));
    }
    sum = wf_vec3_scale(sum, 1 / fmax(1, scene->cloth_count));
    return wf_vec3_norm(sum) > scene->cover.skin && !scene->cover.frame_rests ? sum : wf_vec3_make(0, 0, 0);
}

/* m */
static double mean_motion(const wf_contact_scene *scene, const wf_vec3 *x0, const wf_vec3 *x1)
{
    double sum = 0;
    for (int32_t i = 0; x1 != x0 && i < scene->cloth_count; i++) {
        sum += wf_vec3_distance(x0[i], x1[i]);
    }
    return sum / fmax(1, scene->cloth_count);
}

/* How many more motions like this one the list should cover: what moves goes on moving, and the ball around a motion
 * continued holds that of the motion. As many as lead through half the skin, on average; farther, the list would become
 * much longer than without. */
static int motions_ahead(double motion, double skin)
{
    return motion > 0 ? (int)fmin(MOST_MOTIONS_AHEAD, 0.5 * skin / motion) : 0;
}

/* m: of any vertex. */
static double largest_motion(const wf_contact_scene *scene, const wf_vec3 *x0, const wf_vec3 *x1)
{
    double largest2 = 0;
    for (int32_t i = 0; x1 != x0 && i < scene->vertex_count; i++) {
        largest2 = fmax(largest2, wf_vec3_norm2(wf_vec3_sub(x1[i], x0[i])));
    }
    return sqrt(largest2);
}

/* Where a list that was to last has very many pairs the next ones had better be short. */
static void note_crowding(wf_contact_scene *scene, bool short_one, bool too_many)
{
    if (short_one) {
        scene->cover.short_lists--;
    } else if (too_many || scene->stats.candidates > (int64_t)CROWDED_PAIRS_PER_FACE * scene->cloth_face_count) {
        scene->cover.short_lists = SHORT_LISTS;
    }
}

/* m, the largest. */
static double contact_distance(const wf_contact_scene *scene)
{
    double largest = 0;
    for (int32_t e = 0; e < scene->edge_count; e++) {
        largest = fmax(largest, 2 * scene->edge_half[e]);
    }
    return largest;
}

/* The bound on a list that is to last. Among layers pairs grow with the skin as much as the time that the list lasts
 * does, and memory with them; so the skin is rather cut, but not below the distance that is looked at anyway, nor below
 * the largest way (m) of the motion, which response may turn around. */
static int64_t most_that_last(const wf_contact_scene *scene, double skin, double largest)
{
    int64_t most = wf_most_candidates(scene);
    return skin > contact_distance(scene) + scene->cover.margin + 2 * largest ? most / LASTING_PART : most;
}

/* Makes the list for the motion and `ahead` times as much once more after it. */
static wf_status make_list(wf_contact_scene *scene, const wf_vec3 *x0, const wf_vec3 *x1, int ahead, double skin,
                           int64_t most, bool *too_many)
{
    scene->stale = false;
    scene->list_identity = wf_context_new_identity(scene->context);
    scene->cover.made = false;
    scene->cover.skin = skin;
    scene->cover.frame = choose_frame(scene, x0, x1);
    double part = 0.5 * (1 + ahead);
    for (int32_t i = 0; i < scene->vertex_count; i++) {
        wf_vec3 sweep = wf_vec3_sub(wf_vec3_sub(x1[i], x0[i]), scene->cover.frame);
        wf_vec3 middle = wf_vec3_muladds(x0[i], sweep, part);
        double travel = part * wf_vec3_norm(sweep);
        scene->half_way[i][0] = (float)(part * sweep.x);
        scene->half_way[i][1] = (float)(part * sweep.y);
        scene->half_way[i][2] = (float)(part * sweep.z);
        if (i >= scene->cloth_count && !(wf_vec3_equal(middle, scene->reference[i]) && travel == scene->travel[i])) {
            scene->body_moved = true;
        }
        scene->reference[i] = middle;
        scene->travel[i] = travel;
    }
    scene->stats.rebuilds++;
    wf_status status = wf_candidates_rebuild(scene, most, too_many);
    scene->cover.made = status == WF_OK && !*too_many;
    return status;
}

wf_status wf_contact_cover(wf_contact_scene *scene, const wf_vec3 *x0, const wf_vec3 *x1, double margin, bool *too_many)
{
    *too_many = false;
    wf_status status = check_positions(scene, x0);
    if (status == WF_OK && x1 != x0) {
        status = check_positions(scene, x1);
    }
    if (status == WF_OK && scene->stale && scene->cover.made) {
        status = wf_candidates_rebuild(scene, wf_most_candidates(scene), too_many);
        scene->stale = status != WF_OK;
        scene->cover.made = status != WF_OK || !*too_many; /* one that broke off covers nothing: a shorter one may */
    }
    if (status != WF_OK || is_covered(scene, x0, x1, margin)) {
        return status;
    }
    const double motion = mean_motion(scene, x0, x1), largest = largest_motion(scene, x0, x1);
    for (;;) {
        const double skin = scene->cover.skin_share * scene->cover.wanted_skin;
        /* A list that would not outlast a few such motions is, among many pairs, for just this one. */
        bool just_this = scene->cover.short_lists > 0 && !scene->cover.by_balls && !scene->cover.frame_rests &&
                         fmax(largest, margin) > skin / FEW_SKIN_PARTS;
        int ahead = just_this ? 0 : motions_ahead(motion, skin);
        bool once = motion > 0 && ahead == 0;
        double used = once ? SKIN_OF_ONE_MOTION * skin : skin;
        if (just_this) {
            used = fmin(used, largest > 0 ? SKIN_OF_LARGEST_MOTION * largest : SKIN_OF_MARGIN * margin);
        }
        scene->cover.by_paths = just_this && largest > 0;
        scene->cover.margin = just_this ? margin : fmax(scene->cover.margin, margin);
        /* Smaller skins do not help what the motion sweeps over. */
        bool by_motion = motion > 0.5 * skin || scene->cover.skin_share <= SMALLEST_SKIN_SHARE;
        int64_t most = just_this || by_motion ? wf_most_candidates(scene) : most_that_last(scene, skin, largest);
        status = make_list(scene, x0, x1, ahead, used, most, too_many);
        note_crowding(scene, just_this, *too_many);
        if (status != WF_OK || !*too_many || by_motion) {
            /* Pairs grow at most with the third power of what is looked for around them. */
            if (status == WF_OK && !*too_many && !just_this && 8 * scene->stats.candidates < most) {
                scene->cover.skin_share = fmin(2 * scene->cover.skin_share, 1);
            }
            return status;
        }
        scene->cover.skin_share *= 0.5;
    }
}

wf_status wf_contact_fail_for_thickness(const wf_contact_scene *scene, const wf_vec3 *x, double margin)
{
    double thickness = 0, shortest = INFINITY;
    for (int32_t e = 0; e < scene->edge_count; e++) {
        double length = wf_vec3_distance(x[scene->edges[e][0]], x[scene->edges[e][1]]);
        double distance = 2 * scene->edge_half[e];
        if ((distance + margin) * shortest > (thickness + margin) * length || !(thickness + margin > 0)) {
            thickness = distance;
            shortest = length;
        }
    }
    bool margin_to_blame = margin > thickness;
    return wf_fail(scene->context, WF_ERROR_LIMIT, "contact: too many pairs lie within the contact distance; a "
                   "%s of %.3g m is too large for edges of %.3g m", margin_to_blame ? "margin" : "thickness",
                   margin_to_blame ? margin : thickness, shortest);
}

wf_status wf_contact_cover_rest(wf_contact_scene *scene, const wf_vec3 *x, double margin)
{
    const double margin_before = scene->cover.margin;
    bool too_many;
    wf_status status = wf_contact_cover(scene, x, x, margin, &too_many);
    if (status != WF_OK || too_many) {
        scene->cover.margin = margin_before; /* or nothing could be found with a smaller one either */
    }
    return status == WF_OK && too_many ? wf_contact_fail_for_thickness(scene, x, margin) : status;
}

wf_status wf_contact_update(wf_contact_scene *scene, const wf_vec3 *x0, const wf_vec3 *x1, double skin)
{
    if (!(skin > 0 && skin <= 1)) {
        return wf_fail(scene->context, WF_ERROR_ARGUMENT, "contact: skin must be above 0 and at most 1 m, got %g",
                       skin);
    }
    double start = wf_clock_seconds();
    /* The list may be kept, and with it how many pairs it has. */
    scene->stats = (wf_contact_stats){.candidates = scene->stats.candidates, .slices = 1, .kept_motion = 1};
    scene->cover.wanted_skin = skin;
    scene->cover.by_balls = scene->cover.frame_rests = false;
    bool too_many;
    wf_status status = wf_contact_cover(scene, x0, x1, 0, &too_many);
    if (status == WF_OK && too_many) {
        status = wf_contact_cover_rest(scene, x0, 0);
    }
    scene->stats.broad_seconds += wf_clock_seconds() - start;
    return status;
}

void wf_contact_confine(const wf_contact_scene *scene, wf_vec3 *x1)
{
    for (int32_t i = 0; i < scene->rigid_start; i++) {
        double radius = (wf_listed_radius(scene, i) + 0.5 * scene->cover.skin) * (1 - 1e-9);
        wf_vec3 middle = wf_listed_place(scene, i, true);
        wf_vec3 out = wf_vec3_sub(x1[i], middle);
        double distance = wf_vec3_norm(out);
        if (distance > radius) {
            x1[i] = wf_vec3_muladds(middle, out, radius / distance);
            scene->changed.vertex[i] = 1;
        }
    }
}
