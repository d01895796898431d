/* touching_colliders.c - where cloth that touches colliders leaves them as a step begins; see touching.c. Faces leave
 * convex colliders, which may touch between their corners; vertices leave the others.
 */
#include "world/colliders.h"
#include "world/outside.h"
#include "world/world_state.h"

static void lead(const wf_world *world, const wf_collider_member *member, double distance, wf_vec3 normal,
                 const int32_t *vertex, int count, wf_vec3 *way)
{
    for (int c = 0; c < count && distance < WF_TOUCHES_COLLIDER && distance > -WF_SHALLOW; c++) {
        if (world->inverse_mass[vertex[c]] > 0 && wf_vec3_norm2(normal) > 0) {
            way[vertex[c]] = wf_vec3_add(way[vertex[c]], wf_rotation_apply(member->departure.turn, normal));
        }
    }
}

static void lead_faces(const wf_world *world, const wf_collider_member *member, wf_vec3 *way)
{
    const wf_sweep still = wf_sweep_make(member->collider, &member->departure, &member->departure);
    wf_face_walk walk = {0};
    for (int32_t f = 0; f < world->face_count; f++) {
        int32_t vertex[3];
        wf_vec3 local[3];
        wf_world_face_vertices(world, &walk, f, vertex);
        for (int c = 0; c < 3; c++) {
            local[c] = wf_pose_to_local(&member->departure, world->x0[vertex[c]]);
        }
        if (!wf_sweep_misses_face(&still, vertex, world->x0, world->x0, WF_TOUCHES_COLLIDER) &&
            !wf_convex_face_is_clear(member->collider, local, local, WF_TOUCHES_COLLIDER)) {
            wf_face_gap gap = wf_convex_shallow_gap(member->collider, local);
            lead(world, member, gap.distance, gap.normal, vertex, 3, way);
        }
    }
}

void wf_world_lead_off_colliders(const wf_world *world, wf_vec3 *way)
{
    for (size_t m = 0; m < world->collider_count; m++) {
        const wf_collider_member *member = &world->colliders[m];
        const wf_collider *collider = member->collider;
        if (collider->class->support) {
            lead_faces(world, member, way);
            continue;
        }
        for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
            wf_vec3 local = wf_pose_to_local(&member->departure, world->x0[i]), normal;
            if (!wf_collider_misses(collider, local, WF_TOUCHES_COLLIDER)) {
                double distance = collider->class->distance(collider, local, &normal);
                lead(world, member, distance, normal, &i, 1, way);
            }
        }
    }
}
