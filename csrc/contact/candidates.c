/* candidates.c - the broad phase: from overlapping boxes of triangles to the list of candidate pairs.
 *
 * Every vertex and edge is owned by one of its faces, so that a pair of faces whose boxes overlap tests just the pairs
 * of primitives that it owns and no pair is met twice (the representative triangles of Curtis, Tamstorf, Manocha,
 * "Fast collision detection for deformable models using representative-triangles", 2008).
 */
#include <float.h>
#include <stdatomic.h>
#include <string.h>

#include "base/tasks.h"
#include "contact/bounds.h"
#include "contact/scene_private.h"
#include "contact/sieve.h"

/* Faces in one block of the traversal. */
enum { BLOCK_FACES = 64 };
/* The bound on the list, per face of the scene, and on the pairs looked at for each one that is kept. */
enum { MOST_CANDIDATES_PER_FACE = 48, MOST_LOOKS_PER_CANDIDATE = 8, SMALLEST_BOUND = 1 << 16 };

typedef struct rebuild {
    wf_contact_scene *scene;
    size_t most_candidates, most_looks;
    atomic_size_t candidates, looks; /* so far; only whether they end above their bounds matters, not the order */
} rebuild;

/* Of a tree that is asked: the faces near the face that asks and what they own, side by side for vector loops. */
enum { MOST_NEAR = 256 };
typedef struct near_faces {
    int face_count, edge_count, vertex_count;
    int32_t face[MOST_NEAR], edge[3 * MOST_NEAR], vertex[3 * MOST_NEAR];
    float corner[3][3][MOST_NEAR];                               /* [corner][component] */
    float start[3][3 * MOST_NEAR], side[3][3 * MOST_NEAR];       /* of edges */
    float point[3][3 * MOST_NEAR];                               /* of vertices */
} near_faces;

/* Pairs whose distances are bounded together. */
typedef struct pair_batch {
    int32_t first[WF_LANES], second[WF_LANES];
    int count;
    wf_pair_lanes lanes;
} pair_batch;

/* One block's traversal. */
typedef struct walker {
    rebuild *job;
    wf_contact_scene *scene;
    wf_pair_buffer *buffer;
    const wf_packed_face *face, *others; /* the cloth face that asks; those of the tree that is asked, by rank */
    bool body;                           /* whether that is the bodies' tree */
    bool owns_edges, owns_vertices;      /* the face that asks */
    near_faces near;
    pair_batch batch;
    size_t looks;
    bool stopped;
} walker;

/* ---- which pairs count ------------------------------------------------------------------------------------------- */

static bool classes_joined(const wf_contact_scene *scene, int32_t a, int32_t b)
{
    for (int32_t i = scene->class_start[a]; i < scene->class_start[a + 1]; i++) {
        if (scene->class_joined[i] == b) {
            return true;
        }
    }
    return false;
}

/* The kind of a pair of cloth primitives, or WF_PAIR_KINDS when they are not tested: they share a class, or both
 * own loose vertices. */
static wf_pair_kind classify(const wf_contact_scene *scene, wf_pair_kind kind, const int32_t vertex[4])
{
    int first_count = kind == WF_EDGE_EDGE ? 2 : 1;
    bool joined = false;
    int looseness[2] = {0, 0};
    for (int i = 0; i < 4; i++) {
        int *of_primitive = &looseness[i >= first_count];
        *of_primitive = *of_primitive > scene->vertex_loose[vertex[i]] ? *of_primitive : scene->vertex_loose[vertex[i]];
    }
    int loose = looseness[0] < looseness[1] ? looseness[0] : looseness[1];
    for (int i = 0; i < first_count; i++) {
        int32_t a = scene->vertex_class[vertex[i]];
        for (int j = first_count; j < 4; j++) {
            int32_t b = scene->vertex_class[vertex[j]];
            if (a == b) {
                return WF_PAIR_KINDS;
            }
            joined = joined || classes_joined(scene, a, b);
        }
    }
    if (loose == WF_LOOSE_TO_ALL || (joined && loose == WF_LOOSE_TO_NEIGHBOURS)) {
        return WF_PAIR_KINDS;
    }
    return joined ? kind + WF_VERTEX_FACE_NEIGHBOUR : kind;
}

/* The list of a pair of cloth primitives whose distance is at least `distance` and less than `reach`, or WF_PAIR_KINDS
 * for none. */
static wf_pair_kind judge_cloth(const wf_contact_scene *scene, wf_pair_kind kind, int32_t first, int32_t second,
                                float distance, float reach)
{
    int32_t vertex[4];
    wf_pair_vertices(scene, kind, first, second, vertex);
    wf_pair_kind list = classify(scene, kind, vertex);
    if (list != kind && list != WF_PAIR_KINDS) {
        /* Neighbours are looked at up to their own thickness, and never let nearer than half of the others'. */
        double others = wf_pair_thickness(scene, kind, first, second);
        double excess = others - fmax(wf_pair_thickness(scene, list, first, second), 0.5 * others);
        if (distance > reach - (float)excess * (1 - FLT_EPSILON)) {
            return WF_PAIR_KINDS;
        }
    }
    return list;
}

/* Settles a batch: what may come within reach goes to the block's buffer. */
static void settle(walker *w, wf_pair_kind kind)
{
    const wf_contact_scene *scene = w->scene;
    const pair_batch *batch = &w->batch;
    wf_pair_buffer *buffer = w->buffer;
    const float *first_reach = kind == WF_EDGE_EDGE ? scene->reach.edge : scene->reach.vertex;
    const float *second_reach = kind == WF_EDGE_EDGE ? scene->reach.edge : scene->reach.face;
    float margin = (float)scene->margin + scene->packing_error, bound[WF_LANES];
    if (kind == WF_EDGE_EDGE) {
        wf_edge_edge_bounds(&batch->lanes, batch->count, bound);
    } else {
        wf_vertex_face_bounds(&batch->lanes, batch->count, bound);
    }
    /* Which pass cannot be predicted, so they are gathered before anything is done with them. */
    int kept[WF_LANES], kept_count = 0;
    float reach[WF_LANES];
    for (int i = 0; i < batch->count; i++) {
        reach[i] = (first_reach[batch->first[i]] + second_reach[batch->second[i]] + margin) * (1 + 4 * FLT_EPSILON);
        kept[kept_count] = i;
        kept_count += bound[i] <= reach[i];
    }
    for (int k = 0; k < kept_count; k++) {
        int i = kept[k];
        int32_t first = batch->first[i], second = batch->second[i];
        wf_pair_kind list = w->body ? kind : judge_cloth(scene, kind, first, second, bound[i], reach[i]);
        if (list == WF_PAIR_KINDS) {
            continue;
        }
        if (buffer->count < buffer->capacity) {
            float distance = bound[i] - scene->packing_error;
            buffer->items[buffer->count] = (wf_found_pair){{first, second, distance}, (int32_t)list};
        }
        buffer->count++;
        buffer->kind_count[list]++;
    }
    w->looks += (size_t)batch->count;
}

/* How far (m) volumes must be from each other for their faces to be out of reach. */
static float list_padding(const wf_contact_scene *scene)
{
    return (float)(scene->skin + scene->margin) * (1 + 2 * FLT_EPSILON);
}

/* ---- the traversal ----------------------------------------------------------------------------------------------- */

static int batch_size(int count, int begin)
{
    return count - begin < WF_LANES ? count - begin : WF_LANES;
}

/* An edge of the face that asks with all edges near. */
static void pair_edge(walker *w, int corner)
{
    const wf_packed_face *f = w->face;
    const near_faces *near = &w->near;
    pair_batch *batch = &w->batch;
    const float *a = f->corner[corner], *b = f->corner[corner == 2 ? 0 : corner + 1];
    for (int begin = 0; begin < near->edge_count; begin += WF_LANES) {
        batch->count = batch_size(near->edge_count, begin);
        for (int c = 0; c < 3; c++) {
            for (int i = 0; i < batch->count; i++) {
                batch->lanes.a[c][i] = b[c] - a[c];
                batch->lanes.b[c][i] = near->side[c][begin + i];
                batch->lanes.c[c][i] = a[c] - near->start[c][begin + i];
            }
        }
        for (int i = 0; i < batch->count; i++) {
            batch->first[i] = f->edge[corner];
            batch->second[i] = near->edge[begin + i];
        }
        settle(w, WF_EDGE_EDGE);
    }
}

/* A corner of the face that asks with all faces near. */
static void pair_corner(walker *w, int corner)
{
    const wf_packed_face *f = w->face;
    const near_faces *near = &w->near;
    pair_batch *batch = &w->batch;
    const float *x = f->corner[corner];
    for (int begin = 0; begin < near->face_count; begin += WF_LANES) {
        batch->count = batch_size(near->face_count, begin);
        for (int c = 0; c < 3; c++) {
            for (int i = 0; i < batch->count; i++) {
                batch->lanes.a[c][i] = near->corner[0][c][begin + i] - x[c];
                batch->lanes.b[c][i] = near->corner[1][c][begin + i] - x[c];
                batch->lanes.c[c][i] = near->corner[2][c][begin + i] - x[c];
            }
        }
        for (int i = 0; i < batch->count; i++) {
            batch->first[i] = f->vertex[corner];
            batch->second[i] = near->face[begin + i];
        }
        settle(w, WF_VERTEX_FACE);
    }
}

/* The face that asks with all vertices near. */
static void pair_face(walker *w)
{
    const wf_packed_face *f = w->face;
    const near_faces *near = &w->near;
    pair_batch *batch = &w->batch;
    for (int begin = 0; begin < near->vertex_count; begin += WF_LANES) {
        batch->count = batch_size(near->vertex_count, begin);
        for (int c = 0; c < 3; c++) {
            for (int i = 0; i < batch->count; i++) {
                batch->lanes.a[c][i] = f->corner[0][c] - near->point[c][begin + i];
                batch->lanes.b[c][i] = f->corner[1][c] - near->point[c][begin + i];
                batch->lanes.c[c][i] = f->corner[2][c] - near->point[c][begin + i];
            }
        }
        for (int i = 0; i < batch->count; i++) {
            batch->first[i] = near->vertex[begin + i];
            batch->second[i] = f->index;
        }
        settle(w, WF_VERTEX_FACE);
    }
}

/* All pairs of what the face that asks owns with the faces near, and of what these own with the face. */
static void pair_faces(walker *w)
{
    for (int k = 0; k < 3; k++) {
        if (w->face->owns >> k & 1) {
            pair_corner(w, k);
        }
        if (w->face->owns >> (3 + k) & 1) {
            pair_edge(w, k);
        }
    }
    pair_face(w);
    w->near.face_count = w->near.edge_count = w->near.vertex_count = 0;
}

/* Notes a face whose box overlaps. Edges and vertices are written in any case and kept by counting on when they are
 * owned: branches on ownership could not be predicted. */
static bool note_face(void *user, int32_t rank)
{
    walker *w = user;
    near_faces *near = &w->near;
    const wf_packed_face *g = &w->others[rank];
    if (near->face_count == MOST_NEAR) {
        pair_faces(w);
    }
    if (w->owns_vertices) {
        for (int k = 0; k < 3; k++) {
            for (int c = 0; c < 3; c++) {
                near->corner[k][c][near->face_count] = g->corner[k][c];
            }
        }
        near->face[near->face_count] = g->index;
    }
    near->face_count++;
    for (int k = 0; k < 3; k++) {
        int n = near->vertex_count;
        for (int c = 0; c < 3; c++) {
            near->point[c][n] = g->corner[k][c];
        }
        near->vertex[n] = g->vertex[k];
        near->vertex_count += (int)(g->owns >> k & 1);
    }
    for (int k = 0; k < 3 && w->owns_edges; k++) {
        int n = near->edge_count, next = k == 2 ? 0 : k + 1;
        for (int c = 0; c < 3; c++) {
            near->start[c][n] = g->corner[k][c];
            near->side[c][n] = g->corner[next][c] - g->corner[k][c];
        }
        near->edge[n] = g->edge[k];
        near->edge_count += (int)(g->owns >> (3 + k) & 1);
    }
    return !w->stopped;
}

/* Asks a tree which of its faces are near. */
static void ask(walker *w, const wf_hierarchy *tree, const float *volume, int32_t first_rank, bool body)
{
    w->others = w->scene->packed + (body ? w->scene->cloth_face_count : 0);
    w->body = body;
    wf_hierarchy_query(tree, volume, first_rank, note_face, w);
    pair_faces(w);
}

/* Adds what the block has looked at and found since the last call to the job's totals, and stops when they are above
 * the bounds. */
static void report(walker *w, size_t *reported)
{
    rebuild *job = w->job;
    size_t found = w->buffer->count - *reported;
    *reported = w->buffer->count;
    size_t candidates = atomic_fetch_add_explicit(&job->candidates, found, memory_order_relaxed) + found;
    size_t looks = atomic_fetch_add_explicit(&job->looks, w->looks, memory_order_relaxed) + w->looks;
    w->looks = 0;
    w->stopped = candidates > job->most_candidates || looks > job->most_looks;
}

static void walk_block(void *user, size_t block, size_t begin, size_t end)
{
    rebuild *job = user;
    wf_contact_scene *scene = job->scene;
    walker w;
    w.job = job;
    w.scene = scene;
    w.buffer = &scene->buffers[block];
    w.near.face_count = w.near.edge_count = w.near.vertex_count = 0;
    w.looks = 0;
    w.stopped = false;
    w.buffer->count = 0;
    memset(w.buffer->kind_count, 0, sizeof w.buffer->kind_count);
    size_t reported = 0, size = 2 * (size_t)scene->slabs;
    float padding = list_padding(scene);
    for (size_t rank = begin; rank < end && !w.stopped; rank++) {
        w.face = &scene->packed[rank];
        float volume[2 * WF_MOST_SLABS];
        memcpy(volume, scene->volumes + (size_t)w.face->index * size, size * sizeof *volume);
        wf_volume_inflate(scene->slabs, volume, padding);
        w.owns_vertices = (w.face->owns & 7) != 0;
        w.owns_edges = (w.face->owns & 56) != 0;
        ask(&w, &scene->cloth_tree, volume, scene->curvature.region_end[rank], false);
        ask(&w, &scene->body_tree, volume, 0, true);
        report(&w, &reported);
    }
}

/* ---- rebuilding -------------------------------------------------------------------------------------------------- */

static void volume_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    wf_contact_scene *scene = user;
    for (size_t f = begin; f < end; f++) {
        float *volume = scene->volumes + f * 2 * (size_t)scene->slabs;
        wf_volume_clear(scene->slabs, volume);
        for (int k = 0; k < 3; k++) {
            int32_t v = scene->faces[f][k];
            wf_volume_include_ball(scene->slabs, volume, scene->reference[v], scene->travel[v] + scene->face_half[f]);
        }
    }
}

/* Packs the faces of a tree by rank. */
static void pack_faces(wf_contact_scene *scene, const wf_hierarchy *tree, int32_t first_face)
{
    for (int32_t rank = 0; rank < tree->count; rank++) {
        int32_t f = first_face + tree->order[rank];
        wf_packed_face *packed = &scene->packed[first_face + rank];
        packed->index = f;
        packed->owns = scene->face_owns[f];
        for (int k = 0; k < 3; k++) {
            wf_vec3 x = wf_vec3_sub(scene->reference[scene->faces[f][k]], scene->packing_origin);
            packed->corner[k][0] = (float)x.x;
            packed->corner[k][1] = (float)x.y;
            packed->corner[k][2] = (float)x.z;
            packed->vertex[k] = scene->faces[f][k];
            packed->edge[k] = scene->face_edges[f][k];
        }
    }
}

/* Single precision holds positions as seen from a point of the cloth; how well depends on how far the rest is. */
static void choose_packing(wf_contact_scene *scene)
{
    if (!scene->trees_built) {
        scene->packing_origin = scene->reference[0];
    }
    double farthest = 0;
    for (int32_t i = 0; i < scene->vertex_count; i++) {
        wf_vec3 x = wf_vec3_sub(scene->reference[i], scene->packing_origin);
        farthest = fmax(farthest, fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z))));
    }
    scene->packing_error = 8 * FLT_EPSILON * (float)farthest;
}

static wf_status build_trees(wf_contact_scene *scene)
{
    const wf_detection_params *d = &scene->detection;
    wf_hierarchy_params params = {d->regions ? WF_BUILD_REGIONS : WF_BUILD_MEDIANS, d->arity, scene->slabs};
    int32_t faces = scene->cloth_face_count, edges = scene->cloth_edge_count;
    wf_region_mesh cloth = {(const int32_t(*)[3])scene->faces, scene->reference, edges,
                            (const int32_t(*)[2])scene->edges, (const int32_t(*)[2])scene->edge_faces, 0};
    wf_region_mesh body = {cloth.faces + faces, scene->reference, scene->edge_count - edges, cloth.edges + edges,
                           cloth.edge_faces + edges, faces};
    wf_hierarchy_free(scene->context, &scene->cloth_tree);
    wf_hierarchy_free(scene->context, &scene->body_tree);
    scene->trees_built = false;
    wf_status status =
        wf_hierarchy_build(scene->context, &params, faces, scene->volumes, &cloth, &scene->cloth_tree);
    if (status == WF_OK) {
        status = wf_hierarchy_build(scene->context, &params, scene->face_count - faces,
                                    scene->volumes + (size_t)faces * 2 * (size_t)scene->slabs, &body,
                                    &scene->body_tree);
    }
    if (status == WF_OK) {
        status = wf_curvature_create(scene);
    }
    scene->trees_built = status == WF_OK;
    scene->stats.refitted = scene->face_count;
    return status;
}

/* Updates a tree; what is asked of the bodies' lies within the cloth's volume and what it may reach. */
static void update_tree(wf_contact_scene *scene, wf_hierarchy *tree, const float *volumes, bool body)
{
    if (scene->detection.update == WF_UPDATE_INFLATED) {
        scene->stats.refitted += wf_hierarchy_inflate(tree, volumes, (float)scene->skin);
        return;
    }
    scene->stats.refitted += tree->count;
    if (body && scene->detection.update == WF_UPDATE_HYBRID) {
        float cloth[2 * WF_MOST_SLABS];
        wf_hierarchy_whole(&scene->cloth_tree, cloth);
        wf_volume_inflate(scene->slabs, cloth, list_padding(scene));
        wf_hierarchy_refit_near(tree, volumes, cloth);
    } else {
        wf_hierarchy_refit(tree, volumes);
    }
}

static wf_status fit_trees(wf_contact_scene *scene)
{
    bool moved = scene->body_moved || !scene->trees_built;
    int32_t cloth_faces = scene->cloth_face_count;
    wf_parallel_for(scene->context, (size_t)(moved ? scene->face_count : cloth_faces), 1024, volume_block, scene);
    choose_packing(scene);
    if (!scene->trees_built || scene->detection.update == WF_UPDATE_REBUILD) {
        wf_status status = build_trees(scene);
        if (status != WF_OK) {
            return status;
        }
        moved = true;
    } else {
        update_tree(scene, &scene->cloth_tree, scene->volumes, false);
        if (moved || scene->detection.update == WF_UPDATE_HYBRID) {
            update_tree(scene, &scene->body_tree, scene->volumes + (size_t)cloth_faces * 2 * (size_t)scene->slabs,
                        true);
        }
    }
    pack_faces(scene, &scene->cloth_tree, 0);
    if (moved) {
        pack_faces(scene, &scene->body_tree, cloth_faces);
    }
    scene->body_moved = false;
    return WF_OK;
}

static wf_status reserve_buffers(wf_contact_scene *scene, size_t blocks)
{
    if (scene->buffer_count < blocks) {
        wf_pair_buffer *buffers = wf_allocate(scene->context, blocks, sizeof *buffers);
        if (!buffers) {
            return WF_ERROR_MEMORY;
        }
        wf_free(scene->context, scene->buffers);
        scene->buffers = buffers;
        scene->buffer_count = blocks;
    }
    return WF_OK;
}

/* Gives every block the space it asked for; *grown tells whether any had too little. */
static wf_status grow_buffers(wf_contact_scene *scene, size_t blocks, bool *grown)
{
    *grown = false;
    for (size_t b = 0; b < blocks; b++) {
        wf_pair_buffer *buffer = &scene->buffers[b];
        if (buffer->count <= buffer->capacity) {
            continue;
        }
        *grown = true;
        size_t needed = buffer->count + buffer->count / 4;
        wf_status status =
            wf_reserve(scene->context, &buffer->items, &buffer->capacity, needed, sizeof *buffer->items);
        if (status != WF_OK) {
            return status;
        }
    }
    return WF_OK;
}

/* Joins the blocks' finds into one list of each kind, in the order of the blocks. */
static wf_status join_lists(wf_contact_scene *scene, size_t blocks)
{
    for (int kind = 0; kind < WF_PAIR_KINDS; kind++) {
        wf_candidate_list *list = &scene->list[kind];
        list->count = 0;
        size_t count = 0;
        for (size_t b = 0; b < blocks; b++) {
            count += scene->buffers[b].kind_count[kind];
        }
        wf_status status = wf_reserve(scene->context, &list->items, &list->capacity, count, sizeof *list->items);
        if (status == WF_OK) {
            status = wf_reserve(scene->context, &list->marked, &list->marked_capacity, wf_block_count(count, 64),
                                sizeof *list->marked);
        }
        if (status != WF_OK) {
            return status;
        }
    }
    scene->stats.candidates = 0;
    for (size_t b = 0; b < blocks; b++) {
        const wf_pair_buffer *buffer = &scene->buffers[b];
        for (size_t i = 0; i < buffer->count; i++) {
            wf_candidate_list *list = &scene->list[buffer->items[i].kind];
            list->items[list->count++] = buffer->items[i].candidate;
        }
        scene->stats.candidates += (int64_t)buffer->count;
    }
    return WF_OK;
}

wf_status wf_candidates_rebuild(wf_contact_scene *scene, bool *too_many)
{
    *too_many = false;
    size_t faces = (size_t)scene->cloth_face_count, blocks = wf_block_count(faces, BLOCK_FACES);
    if (faces == 0) {
        return WF_OK;
    }
    wf_status status = fit_trees(scene);
    if (status == WF_OK) {
        status = reserve_buffers(scene, blocks);
    }
    if (status != WF_OK) {
        return status;
    }
    for (int32_t i = 0; i < scene->vertex_count; i++) {
        scene->reach.vertex[i] = (float)(scene->travel[i] + 0.5 * scene->skin) * (1 + FLT_EPSILON);
    }
    wf_spread_largest(scene, &scene->reach);
    wf_measure_thickness(scene, &scene->near);
    wf_add_numbers(scene, &scene->near, &scene->reach);
    wf_curvature_find_regions(scene);
    scene->stats.regions = scene->curvature.regions;

    rebuild job = {.scene = scene};
    job.most_candidates = (size_t)scene->face_count * MOST_CANDIDATES_PER_FACE + SMALLEST_BOUND;
    job.most_looks = job.most_candidates * MOST_LOOKS_PER_CANDIDATE;
    bool grown = true;
    while (grown) {
        atomic_store(&job.candidates, 0);
        atomic_store(&job.looks, 0);
        wf_parallel_for(scene->context, faces, BLOCK_FACES, walk_block, &job);
        if (atomic_load(&job.candidates) > job.most_candidates || atomic_load(&job.looks) > job.most_looks) {
            *too_many = true;
            return WF_OK;
        }
        scene->stats.tested_pairs = (int64_t)atomic_load(&job.looks);
        status = grow_buffers(scene, blocks, &grown);
        if (status != WF_OK) {
            return status;
        }
    }
    return join_lists(scene, blocks);
}
