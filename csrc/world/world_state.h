/* world_state.h - what the files of world/ share: the world's gathered arrays.
 *
 * All cloth vertices in the order of the members, then all body vertices, make one numbering: models, matrix and
 * contact scene work on it. It is rebuilt when members, topology or materials change.
 *
 * Rigid bodies come in between, twice. First two rows each, unknowns of the step like the vertices of cloth: all
 * bodies' centres of mass, then all their turns; x is the displacement since the step began, and the rotation vector.
 * Then the vertices of their surfaces, which the scene takes for cloth and the step places.
 */
#ifndef WEFT_WORLD_WORLD_STATE_H
#define WEFT_WORLD_WORLD_STATE_H

#include "air/aerodynamic_model.h"
#include "air/wind_particles.h"
#include "base/vector.h"
#include "body/rigid.h"
#include "contact/cover.h"
#include "contact/proximity.h"
#include "contact/response.h"
#include "model/model.h"
#include "model/strain_limits.h"
#include "solve/block_matrix.h"
#include "solve/conjugate_gradients.h"
#include "solve/low_rank_solve.h"
#include "solve/start_values.h"
#include "step/elements.h"
#include "step/integrator.h"
#include "world/air.h"
#include "world/colliders.h"
#include "world/world.h"

/* m/s: how fast what is in a collider or the floor, since it was put there, comes out of it; and how fast springs and
 * barriers part what begins within their range. */
#define WF_LIFT_SPEED 0.5
/* m/s: with which contacts part that a part of a step finds too near, where they are no springs: corrected,
 * constrained, or those of a collider's door. The whole way within the part would be a speed that grows as parts get
 * shorter, and throw cloth. And at most of each contact of a rigid body that begins within its distance. */
#define WF_PARTING_SPEED 0.05
#define WF_STANDARD_GRAVITY 9.80665 /* m/s^2: what weighs less is held, and braked, as if it weighed that */
/* Of the contact distance: what a body sinks in by, at most, when one contact carries its weight; what parts gently is
 * loaded by no more. */
#define WF_OVERLAP_UNDER_WEIGHT 0.05

enum {
    WF_FITTING_MODELS = 5, /* one of each wf_fitting_kind but folds; that of seams has their bending, that of bands
                            * the rest */
    WF_WORLD_MODELS = WF_MODEL_ENTRY_LIMIT + 1 + WF_FITTING_MODELS + 1 /* stitches before, air after */
};

typedef struct wf_cloth_member {
    wf_cloth *cloth;
    int32_t first_vertex;
    int64_t topology, materials; /* of the cloth when the arrays were built */
    int32_t first_face, first_pair; /* of the world's faces and stitches */
    bool start_checked;          /* for crossings, once, before its first step in this world */
    bool inside_checked;         /* for vertices inside colliders, likewise */
    uint8_t *parting;            /* [vertices] WF_PARTS or 0, as the last step ended; made with the arrays */
    wf_vec3 air_impulse, air_turn; /* N s and N m s: of the parts of the step that have been made */
    wf_vec3 air_force, air_moment; /* N and N m: of the last step */
} wf_cloth_member;

typedef struct wf_world_flow wf_world_flow; /* flow_air.c */

/* air.c: the wind and, while air acts, its model. */
typedef struct wf_world_air {
    wf_air_params params;
    wf_wind *wind;
    wf_model *model;              /* one of the world's; NULL: air does not act by it */
    wf_world_flow *flow;          /* NULL until it is asked for */
    wf_vec3 *middles;             /* [face_count] of the faces, where the wind is asked for */
    wf_aerodynamic_total *totals; /* [cloth_count] of the part of the step */
    double work;                  /* J, in it */
    double bound;                 /* m/s, of the model (wf_aerodynamic_set_bound) */
    wf_wind_particles_params particles_params;
    wf_wind_particles *particles; /* air_particles.c; NULL until asked for, as all below */
    wf_obstacles *obstacles;      /* as the present step began */
    wf_vec3 *normals;             /* [face_count] of the faces, to which the wind comes */
    wf_obstacle_mesh *meshes;     /* scratch */
    wf_obstacle_collider *colliders;
    size_t mesh_room, collider_room;
    bool moved;                   /* the particles, in the present step */
    bool asked;                   /* the sources, for it */
} wf_world_air;

typedef struct wf_world_barrier wf_world_barrier; /* barrier_forces.c */

/* J, of all barriers, as the part of the step begins and where it has arrived; 0 where there are none. */
typedef struct wf_barrier_energy {
    double start, end;
} wf_barrier_energy;

/* Of a vertex between solves with multipliers, N. */
typedef struct wf_unsettled {
    wf_vec3 change;  /* of the forces of its contacts */
    double friction; /* of all of them, at most */
} wf_unsettled;

/* How the slide of a pair, to which friction answers, comes from the velocities of its vertices: friction.h. */
typedef struct wf_resting_shares {
    bool turns; /* else by their weights alone */
    wf_mat3 of[4];
} wf_resting_shares;

/* How a body stands to what is around it. */
typedef struct wf_standing {
    bool catches;  /* cloth stands through it */
    bool parting;  /* a rigid one: from what stood through it or was too near at the start, until that presses no more
                    * than its load asks for */
    bool overlaps; /* a rigid one: another */
    uint8_t stuck; /* a rigid one: for how many steps no part of a step was small enough to free it (rigids.c) */
} wf_standing;

/* Of the thickness: what overlaps more still parts. At half a spring has but a quarter of the energy left that it would
 * throw things off with. */
#define WF_DEEP_OVERLAP 0.5

/* Of a cloth vertex: it parts from what it stood through, or began too near to, until it is near none of that. */
enum { WF_PARTS = 1, WF_PARTS_ON = 2 /* scratch: after the part of the step that is made, too */ };

typedef struct wf_body_member {
    wf_body *body;
    int32_t first_vertex;
    bool start_checked;         /* as of cloth */
    bool starts_caught;         /* cloth stands through it since it, or the cloth, was put where it is */
    wf_standing standing;       /* as the last step ended */
    wf_standing now;            /* as the step that is made goes on */
    wf_vec3 *positions, *velocities; /* with which this world's last step left the body */
    int64_t jumps;              /* of the body when these were stored */
    double share;               /* of the way to where the body is to be: what this step goes of it */
    double thickness, friction; /* of the body when the arrays were built */
} wf_body_member;

typedef struct wf_round_contact wf_round_contact; /* rigid_contacts.c */

/* What a step changes although it may fail (keep.c); contact and the integrator keep what is theirs. */
typedef struct wf_kept_step {
    bool has;
    bool bodies_stopped, carrying, integrated;
    /* The solver's set-up, which the first solve makes for all later ones; and of each preconditioner. */
    bool solver_made, preconditioner_made[WF_PRECONDITIONER_COUNT];
    bool start_values_changed;    /* since the step began; then they are here */
    wf_start_values start_values;
    wf_kept_cover cover;
} wf_kept_step;

typedef struct wf_rigid_member {
    wf_rigid *rigid;
    int32_t first_vertex;
    double thickness, friction; /* of the body when the arrays were built */
    wf_mat3 excess;             /* kg m^2, of the step: what its inertia has beyond its least moment everywhere */
    wf_mat3 inverse_inertia;    /* of the step */
    bool start_checked;         /* as of cloth */
    bool warned_of_floor;       /* in which it is since then */
    wf_pose left;               /* where it was as the last step began or ended */
    bool starts_caught;         /* cloth stands through it where the script put one of them since the last step */
    bool starts_overlapping;    /* as of cloth, another rigid body */
    bool starts;                /* in this world, or where a script put it since the last step */
    wf_vec3 nudge;              /* m, from where it is to where the next step begins (touching_rigids.c) */
    double depth, stored_depth; /* m: how far its surface lies behind where it is, to contact (smaller_rigids.c), in */
    wf_vec3 *smaller;           /* the step that is made and since the last one; that surface, as wf_rigid's `local` */
    wf_standing standing;       /* as the last step ended */
    wf_standing now;            /* as the step that is made goes on */
    bool slowed;                /* in the step that is made, as a whole or in any part, as wf_contact_rigid */
    bool kept_parting, kept_overlapping; /* scratch */
} wf_rigid_member;

/* The part of a resting contact that is of rigid bodies: two at most, -1 for none. To the relative velocity of the pair
 * they add weight v + spin x arm. */
typedef struct wf_resting_arms {
    int32_t rigid[2];
    double weight[2];
    wf_vec3 arm[2]; /* m */
    wf_friction friction;
    double overlap, thickness; /* m: of a body that parts; else 0 */
    bool deep;                 /* the overlap is */
} wf_resting_arms;

struct wf_world {
    wf_context *context;
    wf_world_params params;
    int64_t step_count;      /* since the world was made */
    int64_t steps_at_change; /* and when the step length last changed, at the time: */
    double time_at_change;
    double rest_time;
    bool held_back;       /* the fail-safe held vertices back in the last step */
    double extra_damping; /* 1/s, of the step that is being made */
    double part;          /* s: the part of the step that is being made, usually all of it; and from its beginning */
    double time_left;     /* s: to the end of the step */
    bool solving_again;   /* the step, from v_found on */
    bool carrying;        /* bodies went far, in this step or one since which cloth has not slowed down */
    bool bodies_stopped;  /* in this step, from some time on: cloth is in their way and cannot give way */
    wf_step_stats stats;
    bool gained;                       /* energy: cloth, by contact in the part of the step just made */
    double start_kinetic, pin_kinetic; /* J, of cloth and of its pins when the part of the step began */
    double start_work;                 /* J, of bodies and pins in the step before that */
    double start_springs;              /* J, what springs of contacts held when the last part ended */
    double held_by_springs;            /* the same, when the last step ended */

    wf_world_air air;

    wf_cloth_member *cloths;
    size_t cloth_count, cloth_capacity;
    wf_body_member *bodies;
    size_t body_count, body_capacity;
    wf_collider_member *colliders;
    size_t collider_count, collider_capacity;
    wf_rigid_member *rigids;
    size_t rigid_count, rigid_capacity;
    bool members_changed;

    /* Gathered arrays, [vertex_count] or [row_count]; all of what is said to be of cloth is. */
    int32_t cloth_vertex_count, vertex_count, face_count, pair_count; /* faces and pairs of cloth */
    int32_t weighed_count; /* cloth vertices and rigid bodies' centres: what has a weight */
    int32_t row_count;     /* and their turns: all unknowns */
    int32_t moving_count;  /* and the vertices of their surfaces: what is cloth to the scene */
    wf_contact_rigid *rigid_motions; /* [rigid_count] of the step; not to be moved before and after it */
    double roundness;      /* m: how far the flat faces of rigid spheres lie inside of two of them, at most */
    wf_vec3 *x0, *v0, *x1, *v1; /* bodies: v1 is that of the whole step, v0 that of the step before */
    /* These nine are there from the first step on that needs them. */
    wf_vec3 *x_free, *v_free;    /* where the integrator wanted to go, before the door; v where integrators remember */
    wf_vec3 *x_stored, *v_stored; /* what the last step stored, for integrators that remember */
    wf_vec3 *v_found;            /* by the solve before, while solving_again; NULL until needed */
    wf_vec3 *pin_force;          /* on all rows, of steps in which pins move */
    uint8_t *touched;            /* 3 for each row, scratch */
    wf_vec3 *scratch;            /* of forces, where bending is scaled */
    wf_vec3 *weight;             /* N, of cloth vertices, for schemes on elements */
    uint8_t *prescribed;         /* 3 for each row: 1 where it is pinned */
    uint8_t *parting;            /* [cloth_vertex_count] of the step that is made */
    bool starting;               /* cloth, bodies, colliders, or where they were put, are new since the last step */
    int32_t pinned_count;
    double *mass, *inverse_mass; /* inverse: 0 for bodies, pinned vertices and surfaces of rigid bodies. Of a turn: the
                                    least moment of inertia, kg m^2 */
    double mean_edge;            /* m, of cloth, about; infinite without any */
    double *area;                /* of cloth vertices, m^2: what turns pressure into force */
    double *half_thickness;
    double *neighbour_half_thickness; /* NULL without a contact scene */
    int32_t *material;                /* numbers of materials in friction_pairs; NULL where there are none */
    double *friction;                 /* NULL without a contact scene and without colliders */

    /* Of all cloths together: one of each entry that faces have; stitches and fittings, which are of none. */
    wf_scaled_model models[WF_WORLD_MODELS]; /* for elements; the scales are those of the step */
    const wf_model_entry *entries[WF_WORLD_MODELS]; /* of the models; NULL: of none */
    size_t model_count;
    wf_model *stitches;          /* NULL where there are none */
    wf_strain_limits *limits;    /* NULL where no face has any */
    wf_face_history *history;    /* [face_count] of the step; NULL where no cloth has one */
    wf_model *fittings[WF_FITTING_MODELS]; /* NULL where there are none of that kind */
    int64_t fitting_changes;     /* sum of theirs when the models took their numbers */
    bool unbreakable;            /* ties do not break: a trial */
    wf_block_matrix *matrix;
    wf_contact_blocks *contact_blocks;
    wf_filter *filter;
    wf_pcg_workspace solver;
    wf_low_rank low_rank;        /* of the matrix as it is */
    wf_low_rank_workspace low_rank_solver;
    wf_pattern constant_pattern; /* constant_matrix.c */
    double *constant_values;     /* [slots]; NULL until asked for */
    int64_t constant_revision;   /* of the world, that the pattern is for */
    wf_mat3 *sweep;            /* [row_count] inverses of what sweeps divide by; made when first asked for */
    size_t sweep_capacity;
    bool sweep_current;        /* they are those of the matrix as it is */
    wf_start_values start_values;
    wf_kept_step kept;

    wf_integrator *integrator;
    const wf_contact_response *response;
    wf_friction_pair *friction_pairs;
    int32_t friction_pair_count;
    bool integrated;           /* its history leads to what the last step stored in x1 and v1 */
    wf_elements elements;
    int64_t revision;          /* grows whenever the arrays are rebuilt or a parameter of the elements changes */

    wf_contact_scene *scene;    /* NULL: nothing can touch, neither cloth itself nor a body */
    const wf_contact *contacts; /* of this step, owned by the scene */
    int32_t contact_count;
    wf_world_barrier *barrier;  /* where the response is one; NULL until the first step that needs it */
    wf_resting_contact *resting; /* the contacts, the floor and colliders, as the step's forces see them */
    size_t resting_count, resting_capacity;
    uint8_t *collider_marks;     /* of vertices or faces, twice, scratch; made when first asked for */
    wf_unsettled *unsettled;     /* [row_count] scratch of multipliers.c; NULL until needed */
    wf_resting_shares *shares;   /* [shares_count] of the first resting contacts, those of cloth and bodies */
    size_t shares_count, shares_capacity;
    wf_resting_arms *arms;       /* [resting_count] where there are rigid bodies */
    size_t arms_capacity;
    wf_round_contact *round;     /* scratch of rigid_contacts.c */
    size_t round_capacity;
};

/* Of a rigid body: the rows of its centre of mass and of its turn. */
typedef struct wf_rigid_rows {
    int32_t centre, turn;
} wf_rigid_rows;

static inline wf_rigid_rows wf_world_rigid_rows(const wf_world *world, int32_t rigid)
{
    return (wf_rigid_rows){world->cloth_vertex_count + rigid, world->weighed_count + rigid};
}

/* Calls for each face of cloth, numbered through, with its vertices in the world's numbering; begins as {0}. */
typedef struct wf_face_walk {
    size_t member;
    int32_t before; /* faces of the members before */
} wf_face_walk;

static inline void wf_world_face_vertices(const wf_world *world, wf_face_walk *walk, int32_t face, int32_t vertex[3])
{
    while (face - walk->before >= world->cloths[walk->member].cloth->mesh.face_count) {
        walk->before += world->cloths[walk->member++].cloth->mesh.face_count;
    }
    const wf_cloth_member *member = &world->cloths[walk->member];
    for (int c = 0; c < 3; c++) {
        vertex[c] = member->first_vertex + member->cloth->mesh.faces[face - walk->before][c];
    }
}

/* world.c: says that members, or what is gathered of them, are others than before. */
void wf_world_members_have_changed(wf_world *world);

/* keep.c: notes, once its state is loaded, what a step begins with besides that, and before its second part the start
 * values that the first changes; when the step is over lets that go, or goes back to it. */
wf_status wf_world_keep_step(wf_world *world);
wf_status wf_world_keep_start_values(wf_world *world);
void wf_world_give_start_values_back(wf_world *world); /* before a step is made again */
void wf_world_let_go_of_step(wf_world *world, bool back);
void wf_world_free_kept(wf_world *world);

/* gather.c: rebuilds the arrays above if anything they depend on has changed, and loads the members' state. */
wf_status wf_world_refresh(wf_world *world);
void wf_world_load_state(wf_world *world);
void wf_world_load_history(wf_world *world); /* into the models that remember, for the part of the step to come */
void wf_world_store_state(wf_world *world);
void wf_world_free_arrays(wf_world *world);

/* models.c: makes the models of all cloths. */
wf_status wf_world_make_models(wf_world *world);
void wf_world_free_models(wf_world *world);

/* The member's elements of a model: models are made face by face, member by member. */
void wf_world_member_elements(const wf_world *world, const wf_cloth_member *member, size_t model, int32_t *first,
                              int32_t *count);

/* The bending's elements are dropped once the matrix is there. Whoever asks for energies, single elements or its
 * stencil calls this first; from then on they stay. */
wf_status wf_world_need_elements(wf_world *world);
void wf_world_drop_elements(wf_world *world);

/* fitting_models.c: makes the models of all fittings, by kind, NULL where there are none; takes their numbers anew
 * before a step; breaks the ties that pull too much, and returns how many. */
wf_status wf_world_make_fittings(wf_world *world, wf_model *models[WF_FITTING_MODELS]);
void wf_world_load_fittings(wf_world *world);
int32_t wf_world_break_ties(wf_world *world);

/* What is expected of strings before a step, and, before it is stored, what they settled at. */
void wf_world_expect_strings(wf_world *world);
void wf_world_settle_strings(wf_world *world);
/* WF_ERROR_ARGUMENT: a "cloth", a "body" that is to be removed is no member. */
wf_status wf_world_fail_for_stranger(const wf_world *world, const char *kind);
/* After a step that failed in its numbers: names in the message the drawstring that was too tight for it, if any. */
wf_status wf_world_blame_string(const wf_world *world, wf_status status);
/* J, at x0: of the fittings whose first cloth is this one; NULL: of all. */
double wf_world_fitting_energy(const wf_world *world, const wf_cloth *cloth);
uint64_t wf_world_hash_fittings(const wf_world *world, uint64_t hash);

/* air.c: makes the model where air acts, which is left to world->air; before a step and a part of it, behind its
 * integrator and behind the door, when it is kept, and behind the step. */
bool wf_world_air_blows(const wf_world *world); /* a source that is enabled, or still air */
bool wf_world_air_acts(const wf_world *world);  /* on cloth */
wf_status wf_world_make_air(wf_world *world, const wf_sheet_faces *sheet);
void wf_world_free_air(wf_world *world);
wf_status wf_world_begin_air_step(wf_world *world);
void wf_world_forget_air(wf_world *world); /* what it did in the parts made so far: they are made again */
wf_status wf_world_begin_air(wf_world *world);
void wf_world_measure_air(wf_world *world);
void wf_world_measure_air_work(wf_world *world);
void wf_world_keep_air(wf_world *world);
void wf_world_end_air_step(wf_world *world);
/* flow_air.c: air as a flow (flow_air.h). A step begins it, solves it for the forces of each sweep, asks after that
 * whether there is to be another, and ends it before the state is stored. */
bool wf_world_flow_acts(const wf_world *world);
wf_status wf_world_begin_flow(wf_world *world);
wf_status wf_world_solve_flow(wf_world *world);
wf_status wf_world_sweep_flow(wf_world *world, bool may_repeat, bool *again);
void wf_world_end_flow(wf_world *world, bool accept);
void wf_world_flow_destroy(wf_world_flow *flow); /* NULL is allowed */
/* N, on each vertex in the step that is being made, [vertex_count]; NULL: none. Its work from x0 to x1, J. */
const wf_vec3 *wf_world_flow_force(const wf_world *world);
double wf_world_flow_work(const wf_world *world);
void wf_world_flow_total(const wf_world *world, const wf_cloth_member *member, wf_vec3 *force, wf_vec3 *moment);
/* Whether any faces of a cloth feel the wind as without a flow in the step that is being made; which of all, [faces of
 * the world]. NULL: none. */
bool wf_world_flow_misses(const wf_world *world, size_t cloth, const uint8_t **faces);
/* Velocities where the flow is; false where there is none: others stay as they are. */
bool wf_world_flow_at(const wf_world *world, size_t count, const wf_vec3 *points, wf_vec3 *velocities);
uint64_t wf_world_hash_flow(const wf_world *world, uint64_t hash);

/* For whoever asks for constant matrices: takes in how fast the air is. */
void wf_world_bound_air(wf_world *world);
/* air_particles.c: whether the wind is that of particles; before a step, when its positions are loaded; the wind at the
 * faces, where they were then, and at points. */
bool wf_world_has_wind_particles(const wf_world *world);
wf_status wf_world_move_air(wf_world *world);
void wf_world_settle_air(wf_world *world, bool accept); /* behind the step: or it is as before */
wf_status wf_world_particles_at_faces(wf_world *world, double time, wf_vec3 *velocities);
wf_status wf_world_particles_at_points(wf_world *world, double time, size_t count, const wf_vec3 *points,
                                       wf_vec3 *velocities);
void wf_world_forget_wind_particles(wf_world *world);

uint64_t wf_world_hash_air(const wf_world *world, uint64_t hash);

/* friction.c: the number of a material, -1 where no pair names it; the coefficients of all pairs of numbers, for a
 * scene (NULL where there are none); those of a vertex on the floor. */
int32_t wf_world_material(const wf_world *world, const char *name);
wf_status wf_world_make_friction_table(const wf_world *world, wf_friction **table);
wf_friction wf_world_floor_friction(const wf_world *world, int32_t vertex);

/* m: what touches begins so far off, a thousandth of the distance that contact keeps. From nanometres faces that bend
 * over an edge gain energy where they meet it, barriers, which keep most of the distance at a step's start, stay there,
 * and rigid bodies that turn about an edge are hard to follow. */
#define WF_OUT_OF_TOUCH 1e-6

/* m: rigid bodies that are no deeper in something but touch it. Coordinates in single precision are off by as much
 * two hundred metres from the origin. */
#define WF_TOUCHING_DEPTH 2e-5

/* touching.c: moves cloth that but touches something, at x0, some micrometres away from it, where a step is starting or
 * barriers hold what touches. */
wf_status wf_world_part_touching(wf_world *world);
/* m: pins that are no farther from where they are to be when the step that parts begins stay where that put them; and
 * hold there from then on, once it has succeeded. */
#define WF_PINS_ASIDE 1e-8
void wf_world_keep_pins_aside(wf_world *world);
/* The index of the cloth that has a vertex. */
size_t wf_world_cloth_index(const wf_world *world, int32_t vertex);
/* Whether a pair is one that is kept apart where it touches: of cloth and a body, or of two cloths without stitches. */
bool wf_world_touch_counts(const wf_world *world, const wf_contact *pair);
/* touching_rigids.c: the same of rigid bodies, whose nudges it finds, and of cloth that touches them. */
wf_status wf_world_part_touching_rigids(wf_world *world);

/* smaller_rigids.c: makes the surface of a rigid body that contact sees smaller, by `depth` (m), or as much of it as a
 * thin one has, all around; it is so after the step if that succeeds. Before a step: all as the last one left them.
 * WF_ERROR_MEMORY. */
wf_status wf_world_make_rigid_smaller(wf_world *world, wf_rigid_member *member, double depth);
void wf_world_load_rigid_sizes(wf_world *world);
void wf_world_free_smaller_rigid(wf_world *world, wf_rigid_member *member);

/* start.c: loads the members' state, in which cloth touches nothing; and before a step warns of cloth and rigid bodies
 * that begin with crossings: contact keeps those of cloth with cloth, and what crosses a body passes through it. */
wf_status wf_world_load_parted(wf_world *world);
/* Whether a script put the body elsewhere since the world's last step. */
bool wf_world_rigid_was_placed(const wf_rigid_member *member);
wf_status wf_world_load_start(wf_world *world);
/* caught.c: tells the scene which cloth stands through bodies at x0 (contact/caught.h), and says which cloth parts. */
wf_status wf_world_find_caught(wf_world *world);
/* Whether any cloth does, in the part of the step that is made. */
bool wf_world_any_parts(const wf_world *world);
/* Once a part of a step is made: what is clear of what it stood through meets it as others do. */
void wf_world_end_partings(wf_world *world);
/* Which share of its push a spring has between what parts with a relative velocity: all but where little brakes it. */
double wf_world_parting_share(const wf_world *world, wf_vec3 velocity);
/* Notes that the cloth of a pair parts after this part of the step, too. Before any gap is asked for: all that was. */
void wf_world_note_parting(wf_world *world, const wf_contact *pair);
/* m: of a contact of cloth, with a relative velocity; where it parts, limited to what weight loads. */
double wf_world_gentle_gap(const wf_world *world, const wf_contact *pair, wf_vec3 velocity);
/* The first of some points that is in a rigid body whose surface and centre are here, or -1. */
wf_status wf_world_find_inside(wf_world *world, const wf_rigid *rigid, wf_vec3 *surface, wf_vec3 centre, int32_t count,
                               const wf_vec3 *points, int32_t *first);

/* The same of a body that was placed, where x0 has it. */
wf_status wf_world_check_placed(wf_world *world, wf_body_member *member);

/* bodies.c: the ways of bodies. Their state before a step, those that were placed where they are to be; how far the
 * step goes; where they are after a part of it; how far they are behind then; and what the step left. */
void wf_world_load_bodies(wf_world *world);
wf_status wf_world_begin_bodies(wf_world *world);
/* m, when a step begins: what it carries the vertex of a body that goes farthest, or what that is against the cloth or
 * rigid body by whose mean velocity it is most, if that is less: bodies that all goes along with sweep over nothing. */
double wf_world_body_way(const wf_world *world);
/* m: what cloth goes in the step by its velocities, as seen from the body against which that is most, if any. */
double wf_world_cloth_way(const wf_world *world);
void wf_world_carry_bodies(wf_world *world);
void wf_world_measure_lag(wf_world *world);
void wf_world_store_bodies(wf_world *world);

/* contact_forces.c: resting contact inside the step. Gathered from the contacts found at x0, v0, and vertices less than
 * `margin` (m) above the floor's thickness; then part of the forces at any x and v (v NULL: at rest). */
wf_status wf_world_gather_resting(wf_world *world, double margin);
wf_status wf_world_soften_resting(wf_world *world); /* to what an explicit scheme resolves with the time step */
/* Completes a contact whose vertices, weights, normal, gap and drift are there: area, m^2, that its cloth stands for;
 * slip, m/s, when the step begins, across the normal. */
void wf_world_set_contact_law(const wf_world *world, double area, wf_friction friction, wf_vec3 slip,
                              wf_resting_contact *contact);
/* After a solve to x1, v1: what begins to slide does so by Coulomb's law from now on. Whether that asks for another. */
bool wf_world_let_cloth_slide(wf_world *world);
void wf_world_keep_spring(wf_resting_contact *contact); /* takes back that it brakes its pair's parting */
/* 1/kg: how fast an impulse along the normal of a contact parts its pair; and one across it, between two directions. */
double wf_world_mobility_along(const wf_world *world, const wf_resting_contact *contact);
double wf_world_mobility_across(const wf_world *world, const wf_resting_contact *contact);
/* multipliers.c: contacts that constrain. Makes the contacts gathered constraints, as a first solve takes them. After
 * a solve to x1, v1 they press and rub from now on with what keeps them apart and at rest. Whether another solve is
 * needed. */
wf_status wf_world_begin_multipliers(wf_world *world);
bool wf_world_raise_multipliers(wf_world *world);
double wf_world_contact_skin(const wf_world *world); /* m, for the candidates of this cloth */
/* contact_correction.c: moves x1 to where the contacts gathered keep their distances, with friction. */
wf_status wf_world_correct_contacts(wf_world *world);
/* N: of its spring and damper at positions and velocities [rows], as if it acted; v: NULL for no damper. */
double wf_world_push_at(const wf_world *world, const wf_resting_contact *contact, const wf_vec3 *x, const wf_vec3 *v);
/* m/s: the velocity of a resting contact's first side against its second at the velocities v [rows]. arms: NULL for
 * none. */
wf_vec3 wf_world_relative_velocity(const wf_world *world, const wf_resting_contact *contact,
                                   const wf_resting_arms *arms, const wf_vec3 *v);
/* m/s: how fast its two sides slide along each other at the velocities v [rows]. arms: NULL for none. */
wf_vec3 wf_world_slide_of(const wf_world *world, const wf_resting_contact *contact, const wf_resting_arms *arms,
                          const wf_vec3 *v);
/* The same, as its friction sees it: but for what a pair that turns has in common. And its friction, N. */
wf_vec3 wf_world_slip_at(const wf_world *world, const wf_resting_contact *contact, const wf_vec3 *v);
wf_vec3 wf_world_friction_at(const wf_world *world, const wf_resting_contact *contact, const wf_vec3 *v);
void wf_world_add_contact_forces(const wf_world *world, const wf_vec3 *x, const wf_vec3 *v, wf_vec3 *force);
double wf_world_contact_energy(const wf_world *world, const wf_vec3 *x);
wf_status wf_world_add_contact_matrix(wf_world *world, const wf_vec3 *x, double stiffness_scale, double damping_scale);

/* A block of a contact between two cloth vertices, and its transpose. */
wf_status wf_world_add_contact_block(wf_world *world, int32_t i, int32_t j, const wf_mat3 *block);

/* barrier_forces.c: contact in the step's own equation. `prepare` makes world->barrier; the calls are what integrators
 * get; forces and matrix are those at x, of cloth alone. */
wf_status wf_world_prepare_barrier(wf_world *world);
void wf_world_free_barrier(wf_world *world);
const wf_barrier_calls *wf_world_barrier_calls(const wf_world *world);
wf_status wf_world_add_barrier_forces(wf_world *world, const wf_vec3 *x, wf_vec3 *force);
wf_status wf_world_add_barrier_matrix(wf_world *world, const wf_vec3 *x, double stiffness_scale);

/* Where everything is known to be free, in the world's numbering, bodies at the end of their step: after a step with
 * barriers. */
const wf_vec3 *wf_world_barrier_reached(const wf_world *world);
int32_t wf_world_barrier_held(const wf_world *world); /* vertices: that touch something without a gap */
/* rigids.c: rigid bodies. Counts their rows and vertices from the last of cloth on; writes what of the arrays and of
 * the scene's tables is theirs, and takes up their state before a step. */
void wf_world_count_rigids(wf_world *world, int64_t *vertices, int64_t *faces);
wf_status wf_world_gather_rigids(wf_world *world, int32_t (*faces)[3], int32_t *classes);
void wf_world_load_rigids(wf_world *world);
/* Between two parts of a step: those that the last part led to, which x1 and v1 hold. */
void wf_world_go_on_with_rigids(wf_world *world);

/* Between the integrator and the door: lets the bodies turn on, and places their surfaces in x1. After the door, their
 * velocities follow; then they are stored. */
void wf_world_begin_rigid_motion(wf_world *world);
void wf_world_end_rigid_motion(wf_world *world);
void wf_world_store_rigids(wf_world *world);
/* Whether the fail-safe cut the motion of any, in the part of the step that was made, that smaller parts may free. */
bool wf_world_rigids_slowed(const wf_world *world);
/* m^2/s^2: of a body's fastest points, no less, after the step. */
double wf_world_rigid_speed2(const wf_world *world, size_t index);

/* Pushes bodies that the floor holds up, at the points that would go below it and with its friction; `firmly`: puts
 * them back to where they began. Returns whether any was moved. */
bool wf_world_keep_rigids_above_floor(wf_world *world, wf_vec3 *x1, bool firmly);

/* How deep the pair of a resting contact overlaps at x [rows], m; not above 0 when it is apart. */
double wf_world_overlap_at(const wf_world *world, const wf_resting_contact *contact, const wf_vec3 *x);

/* rigid_contacts.c: resting contacts where there are rigid bodies. Takes the bodies' points of a pair into its arms. */
void wf_world_pair_arms(const wf_world *world, const wf_contact *pair, wf_resting_arms *arms);
/* Whether one of their bodies comes out of a crossing, or begins nearer than its distance. */
bool wf_world_arms_part(const wf_world *world, const wf_resting_arms *arms);
/* Whether such a contact, after the part of a step, still does. */
bool wf_world_arms_part_on(const wf_world *world, const wf_resting_contact *contact, const wf_resting_arms *arms);
/* Makes a contact whose arms are there, and whose stiffness is that of cloth, as stiff as the heavier body's weight
 * asks for, but no more than the lightest of what meets bears in a solve. */
void wf_world_set_rigid_law(const wf_world *world, double thickness, wf_friction friction, wf_resting_contact *contact,
                            wf_resting_arms *arms);
/* Whether the pair is one of a sphere, which meets others as the sphere and not as its faces do. */
bool wf_world_is_round_pair(const wf_world *world, const wf_contact *pair);
/* Whether the pair's direction is one in which the convex bodies of the pair can touch. Other pairs of a body, a face's
 * edge that is nearer to what lies on the next face, would push to the side; cloth on smooth surfaces has as many of
 * them on all sides. */
bool wf_world_rigid_pair_counts(const wf_world *world, const wf_contact *pair);
/* Appends to the `count` resting contacts those of spheres, and those of all bodies with the floor, that are nearer
 * than their thickness + margin. There is room for one of each pair and of each vertex of a surface. */
wf_status wf_world_gather_rigid_contacts(wf_world *world, double margin, size_t *count);
/* Warns of bodies that are in the floor where the step begins, once for each time that one comes to be there. */
void wf_world_warn_of_sunk(wf_world *world);
/* What arms add to the relative motion of a pair, for ways or velocities of all rows; and a force on the pair, which
 * acts on them. */
wf_vec3 wf_world_arms_motion(const wf_world *world, const wf_resting_arms *arms, const wf_vec3 *rows);
/* After a solve: takes out the contacts of rigid bodies that pulled, since a linear solve knows no sides: others would
 * press against them, and friction with that. False where there are none; else the step is to be solved once more. */
bool wf_world_let_part(wf_world *world);
/* After a first solve, whose velocities v1 tell which contacts slide and how fast: sets their friction to Coulomb's.
 * The law of contact_forces.c goes by slip and pressure when the step begins: what starts to slide would stick for
 * many steps, what gets faster be held too strongly, and what slides over bumps by what they press at rest. False where
 * nothing slides; else the step is to be solved once more. */
bool wf_world_let_slide(wf_world *world);
void wf_world_add_arms_force(const wf_world *world, const wf_resting_arms *arms, wf_vec3 force, wf_vec3 *forces);
/* Adds the blocks between the bodies of a contact, and between them and its cloth. */
wf_status wf_world_add_arms_matrix(wf_world *world, const wf_resting_contact *contact, const wf_resting_arms *arms,
                                   const wf_mat3 *block);

/* work.c: the balance of energy. Before a part of a step and each try of it; behind its integrator; behind its door:
 * whether contact has given cloth energy, where that can be told. */
void wf_world_begin_work(wf_world *world);
void wf_world_begin_pin_work(wf_world *world);
wf_status wf_world_measure_work(wf_world *world);
bool wf_world_has_gained(const wf_world *world);
bool wf_world_has_gained_much(const wf_world *world); /* that, and more than layers that settle do */

/* Whether any mesh body moves in the part of the step. */
bool wf_world_bodies_move(const wf_world *world);

/* Whether the door tore an edge of the cloth in the part of the step: it ends longer than it began, and than x_free. */
bool wf_world_has_torn(const wf_world *world);

/* contact_forces.c: what the resting contacts' bodies do to cloth in a step that ends with x1, v1; adds up what the
 * contacts hold then. The same of barriers, barrier_forces.c. J. */
double wf_world_resting_work(const wf_world *world, double *energy);
wf_status wf_world_barrier_work(wf_world *world, double *energy, double *work);
wf_barrier_energy wf_world_barrier_energy(const wf_world *world);

/* pinched.c: from the contacts of this step, into the stats. */
wf_status wf_world_count_pinched(wf_world *world);

/* dynamics.c: the world as the system that integrators work on. Valid until the members change. */
wf_system wf_world_system(wf_world *world);

/* constant_matrix.c: as in wf_system. */
wf_status wf_world_constant_matrix(void *user, double stiffness_scale, double damping_scale,
                                   const wf_pattern **pattern, const double **values);
void wf_world_free_constant_matrix(wf_world *world);

/* door.c: the one door for positions; see there. */
wf_status wf_world_pass_door(wf_world *world, const wf_vec3 *x0, wf_vec3 *x1);

/* The same with impulses, and half of each contact distance as what pairs must keep: room for barriers. */
wf_status wf_world_enter_door(wf_world *world, const wf_vec3 *x0, wf_vec3 *x1);

#endif
