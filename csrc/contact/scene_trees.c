/* scene_trees.c - the trees of a contact scene, and its faces as the traversal reads them. */
#include <float.h>

#include "base/tasks.h"
#include "contact/scene_private.h"

float wf_list_padding(const wf_contact_scene *scene)
{
    return (float)(scene->cover.skin + scene->cover.margin) * (1 + 2 * FLT_EPSILON);
}

static void ball_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    wf_contact_scene *scene = user;
    for (size_t i = begin; i < end; i++) {
        wf_volume_of_ball(scene->slabs, scene->reference[i], scene->travel[i] + scene->widest_half[i],
                          scene->ball_volumes + i * 2 * (size_t)scene->slabs);
    }
}

static void volume_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    wf_contact_scene *scene = user;
    int slabs = scene->slabs;
    for (size_t f = begin; f < end; f++) {
        const float *ball[3];
        float *volume = scene->volumes + f * 2 * (size_t)slabs;
        for (int k = 0; k < 3; k++) {
            ball[k] = scene->ball_volumes + (size_t)scene->faces[f][k] * 2 * (size_t)slabs;
        }
        for (int k = 0; k < slabs; k++) {
            float lower = ball[1][k] < ball[0][k] ? ball[1][k] : ball[0][k];
            float upper = ball[1][slabs + k] > ball[0][slabs + k] ? ball[1][slabs + k] : ball[0][slabs + k];
            volume[k] = ball[2][k] < lower ? ball[2][k] : lower;
            volume[slabs + k] = ball[2][slabs + k] > upper ? ball[2][slabs + k] : upper;
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
        scene->face_rank[f] = rank;
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
        scene->stats.refitted += wf_hierarchy_inflate(tree, volumes, (float)scene->cover.skin);
        return;
    }
    scene->stats.refitted += tree->count;
    if (body && scene->detection.update == WF_UPDATE_HYBRID) {
        float cloth[2 * WF_MOST_SLABS];
        wf_hierarchy_whole(&scene->cloth_tree, cloth);
        wf_volume_inflate(scene->slabs, cloth, wf_list_padding(scene));
        wf_hierarchy_refit_near(tree, volumes, cloth);
    } else {
        wf_hierarchy_refit(tree, volumes);
    }
}

static wf_status make_near_sets(wf_contact_scene *scene)
{
    int32_t faces = scene->cloth_face_count;
    wf_near_free(scene->context, &scene->cloth_near);
    wf_near_free(scene->context, &scene->body_near);
    wf_status status = wf_near_create(scene->context, faces, scene->packed, &scene->cloth_near);
    if (status == WF_OK) {
        status = wf_near_create(scene->context, scene->face_count - faces, scene->packed + faces, &scene->body_near);
    }
    scene->trees_built = status == WF_OK;
    return status;
}

wf_status wf_fit_trees(wf_contact_scene *scene)
{
    bool moved = scene->body_moved || !scene->trees_built, built = false;
    int32_t cloth_faces = scene->cloth_face_count;
    size_t vertices = (size_t)(moved ? scene->vertex_count : scene->cloth_count);
    size_t faces = (size_t)(moved ? scene->face_count : cloth_faces);
    wf_parallel_for(scene->context, vertices, 1024, ball_block, scene);
    wf_parallel_for(scene->context, faces, 1024, volume_block, scene);
    choose_packing(scene);
    if (!scene->trees_built || scene->detection.update == WF_UPDATE_REBUILD) {
        wf_status status = build_trees(scene);
        if (status != WF_OK) {
            return status;
        }
        moved = built = true;
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
    return built ? make_near_sets(scene) : WF_OK;
}
