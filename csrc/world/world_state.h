/* world_state.h - what the files of world/ share: the world's gathered arrays.
 *
 * All cloth vertices in the order of the members, then all body vertices, make one numbering: models, matrix and
 * contact scene work on it. It is rebuilt when members, topology or materials change.
 */
#ifndef WEFT_WORLD_WORLD_STATE_H
#define WEFT_WORLD_WORLD_STATE_H

#include "base/vector.h"
#include "contact/proximity.h"
#include "contact/response.h"
#include "model/model.h"
#include "solve/block_matrix.h"
#include "solve/conjugate_gradients.h"
#include "step/integrator.h"
#include "world/world.h"

typedef struct wf_cloth_member {
    wf_cloth *cloth;
    int32_t first_vertex;
    int64_t topology, materials; /* of the cloth when the arrays were built */
    bool start_checked;          /* for crossings, once, before its first step in this world */
    wf_model *membrane, *bending, *stitches; /* on the world's numbering; NULL where the cloth has none */
} wf_cloth_member;

typedef struct wf_body_member {
    wf_body *body;
    int32_t first_vertex;
    double thickness, friction; /* of the body when the arrays were built */
} wf_body_member;

struct wf_world {
    wf_context *context;
    wf_world_params params;
    int64_t step_count;      /* since the world was made */
    int64_t steps_at_change; /* and when the step length last changed, at the time: */
    double time_at_change;
    double rest_time;
    bool held_back;       /* the fail-safe held vertices back in the last step */
    double extra_damping; /* 1/s, of the step that is being made */
    wf_step_stats stats;

    wf_cloth_member *cloths;
    size_t cloth_count, cloth_capacity;
    wf_body_member *bodies;
    size_t body_count, body_capacity;
    bool members_changed;

    /* Gathered arrays, [vertex_count] or [cloth_vertex_count]. */
    int32_t cloth_vertex_count, vertex_count, face_count;
    wf_vec3 *x0, *v0, *x1, *v1;
    wf_vec3 *start_velocity; /* of the step: v0, and for pins what carries them to their targets */
    wf_vec3 *bending_force;  /* scratch */
    uint8_t *prescribed;     /* [3 cloth_vertex_count] 1: a component of a pinned vertex */
    double *mass, *inverse_mass; /* inverse: 0 for bodies and pinned vertices */
    double *area;                /* of cloth vertices, m^2: what turns pressure into force */
    double *half_thickness, *neighbour_half_thickness, *friction;

    wf_block_matrix *matrix;
    wf_contact_blocks *contact_blocks;
    wf_filter *filter;
    wf_pcg_workspace solver;
    wf_integrator *integrator;

    wf_contact_scene *scene;    /* NULL: nothing can touch, neither cloth itself nor a body */
    const wf_contact *contacts; /* of this step, owned by the scene */
    int32_t contact_count;
};

/* gather.c: rebuilds the arrays above if anything they depend on has changed, and loads the members' state. */
wf_status wf_world_refresh(wf_world *world);
void wf_world_load_state(wf_world *world);
void wf_world_store_state(wf_world *world);
void wf_world_free_arrays(wf_world *world);

/* start.c: warns of cloth that begins with crossings, which contact keeps but cannot part. */
wf_status wf_world_check_start(wf_world *world);

/* contact_forces.c: resting contact inside the implicit step. */
void wf_world_add_contact_forces(const wf_world *world, wf_vec3 *force);
wf_status wf_world_add_contact_matrix(wf_world *world, double stiffness_scale, double damping_scale);

/* door.c: the one door for positions; see there. */
wf_status wf_world_pass_door(wf_world *world, const wf_vec3 *x0, wf_vec3 *x1);

#endif
