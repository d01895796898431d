/* pinched.c - counts cloth that is pressed from two sides, by a body from one at least: an arm's sleeve against the
 * torso, a skirt between the legs. */
#include "world/world_state.h"

/* cos of the angle between the pushes of two sides. */
#define OPPOSITE (-0.5)
/* Of a pair's weights: a smaller one does not say that the vertex itself is pushed. */
#define LEAST_WEIGHT 0.1

typedef struct push {
    wf_vec3 direction; /* of the first push on the vertex; zero: none so far */
    bool by_body, opposite;
} push;

wf_status wf_world_count_pinched(wf_world *world)
{
    world->stats.pinched = 0;
    if (world->body_count == 0 || world->contact_count == 0) {
        return WF_OK;
    }
    push *pushes = wf_allocate(world->context, (size_t)world->cloth_vertex_count, sizeof *pushes);
    if (!pushes) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t c = 0; c < world->contact_count; c++) {
        const wf_contact *contact = &world->contacts[c];
        bool by_body = false;
        for (int k = 0; k < 4; k++) {
            by_body = by_body || contact->vertex[k] >= world->cloth_vertex_count;
        }
        for (int k = 0; k < 4 && contact->distance < contact->thickness; k++) {
            int32_t i = contact->vertex[k];
            if (i >= world->cloth_vertex_count || fabs(contact->weight[k]) < LEAST_WEIGHT) {
                continue;
            }
            wf_vec3 direction = contact->weight[k] < 0 ? wf_vec3_scale(contact->normal, -1) : contact->normal;
            push *p = &pushes[i];
            p->by_body = p->by_body || by_body;
            if (wf_vec3_norm2(p->direction) == 0) {
                p->direction = direction;
            }
            p->opposite = p->opposite || wf_vec3_dot(p->direction, direction) < OPPOSITE;
        }
    }
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        world->stats.pinched += pushes[i].by_body && pushes[i].opposite;
    }
    wf_free(world->context, pushes);
    return WF_OK;
}
