/* body.h - bodies: triangle surfaces that cloth lies on and bumps into.
 *
 * Any triangles with sound indices make a body. Where they are not a closed, manifold, consistently oriented surface,
 * collision still works, and a warning says what does not (inside and outside are unknown then, so nobody can check
 * that a garment starts outside).
 */
#ifndef WEFT_BODY_BODY_H
#define WEFT_BODY_BODY_H

#include "body/mannequin.h"
#include "mesh/mesh.h"

enum { WF_BODY_NAME_SIZE = 64 };

/* Read by the layers above; changed through the functions below alone. */
typedef struct wf_body {
    wf_context *context;
    int32_t reference_count;
    char name[WF_BODY_NAME_SIZE];
    wf_mesh mesh;
    wf_mesh_report report;
    double thickness;            /* m: cloth keeps this distance from the surface, and its own half thickness */
    double friction;             /* Coulomb's coefficient */
    double porosity;             /* the share of wind that passes, 0 to 1; 0 as it is made */
    wf_vec3 lower, upper;        /* bounds, m */
    int64_t jumps;               /* how often it was moved without a way */
    bool solid;                  /* closed, manifold and oriented outward: inside and outside are defined */
    wf_figure_measures *sizes;   /* of a mannequin, or NULL */
} wf_body;

typedef struct wf_body_def {
    const char *name;            /* for messages; cut to WF_BODY_NAME_SIZE - 1 bytes */
    int32_t vertex_count, face_count;
    const wf_vec3 *positions;    /* [vertex_count], m */
    const int32_t (*faces)[3];   /* [face_count], counter-clockwise seen from outside */
    double thickness;            /* m, 0 to 0.1; default 0.0005: more would make every girth larger by 2 pi times
                                    as much, and patterns are drafted for the skin itself */
    double friction;             /* 0 to 10; default 0.4, cotton on skin */
    const wf_figure_measures *sizes; /* copied; NULL when unknown */
} wf_body_def;

wf_body_def wf_default_body_def(void);

/* Makes a body that the caller holds one reference of. The order of vertices stays; faces that name a vertex twice or
 * repeat another face are left out, and a closed surface that is inside out is turned, each with a warning. Fails where
 * wf_mesh_build does, and with WF_ERROR_GEOMETRY when no face is left. */
wf_status wf_body_create(wf_context *context, const wf_body_def *def, wf_body **body);

/* A mannequin as a body. `def` gives name (NULL: "mannequin"), thickness and friction. */
wf_status wf_body_create_mannequin(wf_context *context, const wf_mannequin_def *figure, const wf_body_def *def,
                                   wf_body **body);

/* Counts holders; the last release frees the body. NULL is allowed. */
wf_body *wf_body_retain(wf_body *body);
void wf_body_release(wf_body *body);

/* Puts the vertices elsewhere: at `positions` [mesh.vertex_count]. Worlds take their cloth along in their next step,
 * from where their last one left the body; in several where that is far (world/bodies.c). Measures stay those of the
 * body as it was made. WF_ERROR_NUMERIC: a position that is not finite or not below 1e6 m in magnitude; then nothing
 * moves. */
wf_status wf_body_move(wf_body *body, const wf_vec3 *positions);

/* The same for a rigid motion: a turn about an axis through `centre` (the vector's length is the angle, rad), then a
 * shift. WF_ERROR_ARGUMENT: a turn by more than 1e6 rad; then, too, nothing moves. */
wf_status wf_body_move_rigidly(wf_body *body, wf_vec3 turn, wf_vec3 centre, wf_vec3 shift);

/* After a move: worlds take the body to be there already, at rest, instead of moving it there in their next step. */
void wf_body_skip_way(wf_body *body);

/* Within the ranges of wf_body_def. */
wf_status wf_body_set_thickness(wf_body *body, double thickness);
wf_status wf_body_set_friction(wf_body *body, double friction);
/* From 0 to 1. */
wf_status wf_body_set_porosity(wf_body *body, double porosity);

#endif
