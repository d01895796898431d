/* aerodynamic_private.h - what the files of the aerodynamic model share. */
#ifndef WEFT_AIR_AERODYNAMIC_PRIVATE_H
#define WEFT_AIR_AERODYNAMIC_PRIVATE_H

#include "air/aerodynamic_model.h"
#include "model/incidence.h"
#include "model/local.h"

enum { WF_AIR_BLOCK = 256 }; /* faces, edges or vertices that a thread takes at once */

/* A tangent at the vertices: force = base - damping v. */
typedef struct wf_vertex_air {
    wf_vec3 base;      /* N */
    double damping[6]; /* N s/m: xx xy xz yy yz zz */
} wf_vertex_air;

/* What the air does to a face: force x y z, N, and the last entry of its damping; the first eight, row by row. */
typedef struct wf_face_forces {
    _Alignas(32) double of[4];
} wf_face_forces;

typedef struct wf_face_damping {
    _Alignas(64) double of[8];
} wf_face_damping;

static inline wf_vec3 wf_face_force(const wf_face_forces *f)
{
    return (wf_vec3){f->of[0], f->of[1], f->of[2]};
}

/* D v */
static inline wf_vec3 wf_face_damp(const wf_face_forces *f, const wf_face_damping *d, wf_vec3 v)
{
    return (wf_vec3){d->of[0] * v.x + d->of[1] * v.y + d->of[2] * v.z,
                     d->of[3] * v.x + d->of[4] * v.y + d->of[5] * v.z,
                     d->of[6] * v.x + d->of[7] * v.y + f->of[3] * v.z};
}

typedef struct wf_aerodynamic_model {
    wf_model head;
    int32_t face_count, range_count;
    int32_t (*faces)[3];
    wf_aerodynamic_range *ranges;
    wf_vec3 *wind;          /* [face_count] */
    const uint8_t *felt;    /* [face_count] 0: the face feels nothing; NULL: all do */
    double density;
    wf_incidence incidence; /* the faces around each vertex, in the place of their corners */

    const wf_vec3 *about;     /* the velocity of the tangent; NULL: none */
    const wf_vec3 *linearised;
    bool expanded;          /* the last forces were those of a tangent */

    wf_face_forces *forces;   /* [face_count] of the last evaluation */
    wf_face_damping *damping; /* [face_count] */

    /* Once bound: the places of the blocks between the vertices of edges, and the edges' faces. */
    const wf_pattern *pattern;
    int32_t edge_count;
    int32_t *edge_place;    /* [edge_count] */
    int32_t *edge_start;    /* [edge_count + 1] into edge_face */
    int32_t *edge_face;     /* [3 face_count] */

    wf_vertex_air *vertices; /* [vertex_count]; NULL until a step begins that works by vertices */
    double bound_speed;
    double *areas;          /* [face_count] at rest */
} wf_aerodynamic_model;

/* An evaluation of faces at points and velocities that lie `stride` doubles apart: 3, or 4 with damping and no tangent.
 */
typedef struct wf_air_job {
    const wf_aerodynamic_model *model;
    const wf_aerodynamic_range *range;
    const double *x, *v;
    const double *about;  /* the velocity of the tangent; NULL: the law itself */
    int32_t stride;
    wf_face_forces *forces;   /* [face_count] */
    wf_face_damping *damping; /* [face_count]; NULL: not asked for */
    wf_vec3 *f;               /* of the vertices: to add to */
    wf_mat3 *blocks;          /* to add scale times D to */
    double scale;
    wf_vertex_air *vertices;
} wf_air_job;

/* Evaluates all ranges that feel the air, on all threads; what others have is 0. */
void wf_air_evaluate(wf_context *context, wf_air_job *job);

/* From the evaluation at the velocities v of `job` to tangents of the vertices [vertex_count]. */
void wf_air_lump(wf_context *context, wf_air_job *job);

extern const wf_local_class wf_aerodynamic_local;

#endif
