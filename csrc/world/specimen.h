/* specimen.h - a rectangular piece of cloth in a testing machine: its mesh, its force models, and its equilibrium under
 * loads with some of its vertices held.
 *
 * Test coordinates: x from one clamp to the other (0 to length), y across (0 to width), z out of the cloth. A specimen
 * can go on for two rows of cells beyond each clamp: with the row at the clamp they give clamped cloth its direction,
 * and the hinges over the clamp have as many faces around them as those inside.
 */
#ifndef WEFT_WORLD_SPECIMEN_H
#define WEFT_WORLD_SPECIMEN_H

#include "fabric/fabric.h"
#include "model/face_history.h"
#include "model/model.h"
#include "solve/equilibrium.h"
#include "solve/filter.h"

typedef struct wf_specimen_def {
    const wf_fabric *fabric;
    double length, width; /* m, between the clamps and across */
    double direction;     /* rad from the weft to the test's x axis: 0 pulls and bends the weft, pi/2 the warp */
    double edge;          /* m, edge length of the mesh */
    bool unstructured;    /* Delaunay triangles instead of a grid with alternating diagonals */
    bool bends;           /* whether it leaves its plane: has bending forces; otherwise it stays in z = 0 */
    const char *membrane, *bending; /* names of model/models.h; NULL: what a world's cloth has */
    bool goes_on[2];      /* whether it goes on beyond the clamp at x = 0, and at x = length */
} wf_specimen_def;

typedef enum wf_specimen_place {
    WF_SPECIMEN_FREE,
    WF_SPECIMEN_START,
    WF_SPECIMEN_END,
    WF_SPECIMEN_SIDE
} wf_specimen_place;

typedef struct wf_specimen {
    wf_context *context;
    wf_specimen_def def;
    double cell;            /* m, length of a cell along x */
    int32_t vertex_count, face_count;
    int32_t (*faces)[3];    /* [face_count] */
    wf_vec2 *flat;          /* [vertex_count] x and y of the flat specimen */
    uint8_t *place;         /* [vertex_count] wf_specimen_place: at or beyond a clamp, else on a side or inside */
    wf_vec3 *x;             /* [vertex_count] m, the state */
    wf_vec3 *load;          /* [vertex_count] N */
    wf_vec3 *force;         /* [vertex_count] N, of the cloth on its vertices plus load; see wf_specimen_reactions */
    wf_filter *filter;      /* what is held */
    int32_t model_count;
    wf_model *models[2];
    wf_face_history *history; /* [face_count]; NULL where the fabric remembers nothing */
} wf_specimen;

/* Makes a flat specimen without loads and with nothing held (in its plane when it does not bend). WF_ERROR_ARGUMENT
 * names what is out of range. */
wf_status wf_specimen_create(wf_context *context, const wf_specimen_def *def, wf_specimen **specimen);
void wf_specimen_destroy(wf_specimen *specimen);

/* Loads of `acceleration` (m/s2) on the mass, a third of each face's at each corner. */
void wf_specimen_set_weight(wf_specimen *specimen, wf_vec3 acceleration);

/* Fixes the vertices of a place, in all directions or along one. */
void wf_specimen_fix(wf_specimen *specimen, wf_specimen_place place);
wf_status wf_specimen_guide(wf_specimen *specimen, wf_specimen_place place, wf_vec3 direction);

/* Moves the free vertices to equilibrium; forces are then smaller than `tolerance` times the root mean square load, or
 * times 1 N where there is no load. WF_ERROR_NUMERIC when that was not reached. */
wf_status wf_specimen_solve(wf_specimen *specimen, double tolerance);

/* The state is what the cloth was led to: friction between its threads holds it there from now on. A test calls this
 * after each step of its clamps. */
void wf_specimen_remember(wf_specimen *specimen);

/* Fills `force`. What holds a vertex acts with minus that. */
void wf_specimen_reactions(wf_specimen *specimen);

/* The mean position of the vertices of a place. */
wf_vec3 wf_specimen_mean(const wf_specimen *specimen, wf_specimen_place place);

#endif
