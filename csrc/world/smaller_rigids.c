/* smaller_rigids.c - rigid bodies that have no room where they start.
 *
 * What lies exactly between two things cannot come aside of both (touching_rigids.c), and contact would hold it where
 * it touches for ever, whatever becomes of them. To contact such a body is smaller, by some micrometres: each face of
 * its surface lies so far behind where it is. It stays so until a script puts it elsewhere. Its mesh and its mass are
 * what they were.
 *
 * Each vertex goes inward as little as brings it behind all faces that have it: half-spaces, onto which its shift is
 * projected in turns (Agmon 1954). So surfaces that are not convex stay inside themselves, too.
 */
#include "world/world_state.h"

enum { MOST_SWEEPS = 100 };
#define MOST_WAY 20.0     /* of the depth: how far a vertex may go. At needles it does not get behind all faces. */
#define ENOUGH (1 - 1e-6) /* of the depth */
#define MOST_DEPTH 0.1    /* of half of what a body is thick: it keeps its shape */

static wf_vec3 face_normal(const wf_rigid *rigid, int32_t face)
{
    const int32_t *v = rigid->mesh.faces[face];
    const wf_vec3 a = rigid->local[v[0]];
    return wf_vec3_normalize(wf_vec3_cross(wf_vec3_sub(rigid->local[v[1]], a), wf_vec3_sub(rigid->local[v[2]], a)));
}

static wf_vec3 inward_shift(const wf_rigid *rigid, int32_t vertex, double depth)
{
    const wf_mesh *mesh = &rigid->mesh;
    const int32_t begin = mesh->vertex_face_start[vertex], end = mesh->vertex_face_start[vertex + 1];
    wf_vec3 shift = {0, 0, 0};
    bool all = false;
    for (int sweep = 0; sweep < MOST_SWEEPS && !all; sweep++) {
        all = true;
        for (int32_t i = begin; i < end; i++) {
            const wf_vec3 normal = face_normal(rigid, mesh->vertex_faces[i]);
            const double inward = -wf_vec3_dot(shift, normal);
            if (inward < ENOUGH * depth) {
                shift = wf_vec3_muladds(shift, normal, inward - depth);
                all = false;
            }
        }
    }
    const double way = wf_vec3_norm(shift);
    return way > MOST_WAY * depth ? wf_vec3_scale(shift, MOST_WAY * depth / way) : shift;
}

/* m, from the centre of mass to the plane of the nearest face. */
static double thinnest(const wf_rigid *rigid)
{
    double least = INFINITY;
    for (int32_t f = 0; f < rigid->mesh.face_count; f++) {
        least = fmin(least, fabs(wf_vec3_dot(face_normal(rigid, f), rigid->local[rigid->mesh.faces[f][0]])));
    }
    return least;
}

static void find_smaller(wf_rigid_member *member, double depth)
{
    const wf_rigid *rigid = member->rigid;
    for (int32_t i = 0; i < rigid->mesh.vertex_count && depth > 0; i++) {
        member->smaller[i] = rigid->radius > 0 ? wf_vec3_scale(rigid->local[i], 1 - depth / rigid->radius)
                                               : wf_vec3_add(rigid->local[i], inward_shift(rigid, i, depth));
    }
    member->depth = depth;
}

wf_status wf_world_make_rigid_smaller(wf_world *world, wf_rigid_member *member, double depth)
{
    if (!member->smaller) {
        member->smaller = wf_allocate(world->context, (size_t)member->rigid->mesh.vertex_count,
                                      sizeof *member->smaller);
        if (!member->smaller) {
            return WF_ERROR_MEMORY;
        }
    }
    find_smaller(member, fmin(depth, MOST_DEPTH * thinnest(member->rigid)));
    return WF_OK;
}

void wf_world_load_rigid_sizes(wf_world *world)
{
    for (size_t k = 0; k < world->rigid_count; k++) {
        wf_rigid_member *member = &world->rigids[k];
        if (member->depth != member->stored_depth) { /* of a step that failed, or that is made again */
            find_smaller(member, member->stored_depth);
        }
    }
}

void wf_world_free_smaller_rigid(wf_world *world, wf_rigid_member *member)
{
    wf_free(world->context, member->smaller);
    member->smaller = NULL;
}
