/* cloth.h - one piece of cloth: its mesh, its rest shape, its fabrics and its state.
 *
 * A cloth is a triangle mesh in space whose every face remembers where it was cut: the planar coordinates of its three
 * corners (u weft, v warp, metres), the fabric, the grain direction and the layer are per face, because garments mix
 * fabrics and a vertex on a seam lies in several patterns at once (Keckeisen 2005, section 2.1).
 *
 * The vertices and faces are renumbered for locality when a cloth is made; `source` tells which vertex of the caller
 * each one was, and exports follow the caller's order.
 */
#ifndef WEFT_WORLD_CLOTH_H
#define WEFT_WORLD_CLOTH_H

#include "air/aerodynamic_law.h"
#include "base/context.h"
#include "fabric/fabric.h"
#include "mesh/mesh.h"
#include "model/face_history.h"
#include "model/models.h"

typedef struct wf_cloth_def {
    int32_t vertex_count;
    const wf_vec3 *positions;       /* [vertex_count] m */
    int32_t face_count;
    const int32_t (*faces)[3];      /* [face_count] */
    const wf_vec2 (*rest)[3];       /* [face_count] pattern coordinates of the corners, m; counter-clockwise */
    const double *grain;            /* [face_count] angle from the pattern's v axis to the warp, rad; NULL: 0 */
    const int32_t *fabric;          /* [face_count] index into `fabrics`; NULL: 0 */
    const int32_t *panel;           /* [face_count] the pattern piece; NULL: 0 */
    const int32_t *layer;           /* [face_count] larger is further from the body; NULL: 0 */
    int32_t fabric_count;
    const wf_fabric *fabrics;       /* [fabric_count] */
    int32_t pair_count;             /* stitches: vertices that sewing draws together and merges */
    const int32_t (*pairs)[2];      /* [pair_count] */
    const int32_t *pair_seam;       /* [pair_count] the seam of each stitch */
    int32_t seam_count;
    const double *seam_ratio;       /* [seam_count] longer side over shorter side, >= 1 */
} wf_cloth_def;

typedef struct wf_cloth {
    wf_context *context;
    struct wf_world *world;         /* the world it is in, or NULL */
    wf_mesh mesh;                   /* positions are mesh.positions: the state */
    wf_vec3 *velocities;            /* [vertex_count] m/s */
    double *masses;                 /* [vertex_count] kg */
    int32_t source_count;           /* the caller's vertex count */
    int32_t *vertex_of_source;      /* [source_count] the vertex that each of the caller's is now */
    int32_t *source_face;           /* [face_count] the caller's face */

    wf_vec2 (*rest)[3];             /* [face_count] pattern coordinates of the corners */
    double *grain;                  /* [face_count]; NULL: 0 */
    int32_t *fabric;                /* [face_count] */
    int32_t *panel, *layer;         /* [face_count]; NULL: 0 */
    int32_t fabric_count;
    wf_fabric *fabrics;             /* [fabric_count] */
    const wf_model_entry *(*chosen)[WF_MODEL_KINDS]; /* [fabric_count] the models chosen; NULL: none (wf_cloth_model) */

    wf_face_history *history;       /* [face_count]; NULL where no fabric needs one */

    int32_t pair_count;
    int32_t (*pairs)[2];
    int32_t *pair_seam;
    double *pair_rest_length;       /* [pair_count] m: what sewing draws the two vertices of a stitch to */
    double stitch_stiffness;        /* N/m; 0: stitches do not pull */
    double *seam_ratio;             /* [vertex_count] largest ratio of side lengths of its seams, else 1; NULL: 1 */

    int32_t *loose;                 /* [vertex_count] wf_looseness (contact/scene.h), while seams are being closed */
    bool feels_air;                 /* where its world has any: default true */
    wf_aerodynamics air;            /* and how */

    int32_t *pinned;                /* [vertex_count] 1: follows pin_targets */
    wf_vec3 *pin_targets;           /* [vertex_count] m, where a pinned vertex is to be at the end of the next step */

    struct wf_fitting **fittings;   /* [fitting_count] what is attached to it (fittings.h) */
    size_t fitting_count, fitting_capacity;

    int64_t topology;               /* grows by one whenever counts or indices change */
    int64_t materials;              /* grows by one whenever fabrics, their models or fittings change */
} wf_cloth;

static inline int32_t wf_cloth_panel(const wf_cloth *cloth, int32_t face)
{
    return cloth->panel ? cloth->panel[face] : 0;
}

/* Makes a cloth from a copy of `def`. Masses are density times mixed Voronoi area. Errors: WF_ERROR_ARGUMENT (an index
 * or number out of range), WF_ERROR_GEOMETRY (a face of no area or turned over in its pattern), WF_ERROR_MEMORY. */
wf_status wf_cloth_create(wf_context *context, const wf_cloth_def *def, wf_cloth **cloth);
/* Leaves its world, and frees. NULL is allowed. */
void wf_cloth_destroy(wf_cloth *cloth);

/* A flat rectangular sheet of `cells[0]` x `cells[1]` cells, each cut into two triangles with alternating diagonals,
 * centred on `centre` and spanned by the unit vectors `weft` and `warp`. Vertices run along the weft first. */
typedef struct wf_sheet_def {
    int32_t cells[2];
    double size[2]; /* m, along weft and warp */
    wf_vec3 centre, weft, warp;
    const wf_fabric *fabric;
} wf_sheet_def;
wf_status wf_cloth_create_sheet(wf_context *context, const wf_sheet_def *def, wf_cloth **cloth);

/* Replaces fabric `index` by a copy, keeps the shape; masses and thickness follow. WF_ERROR_ARGUMENT when a model that
 * was chosen cannot express it; then nothing has changed. */
wf_status wf_cloth_set_fabric(wf_cloth *cloth, int32_t index, const wf_fabric *fabric);

/* Makes the faces of fabric `index`, or with -1 of all, what `entry` says in the place of the model of its kind that
 * they have. WF_ERROR_ARGUMENT when the fabric or the mesh is none that this model can be made of; then nothing has
 * changed. */
wf_status wf_cloth_set_model(wf_cloth *cloth, int32_t index, const wf_model_entry *entry);

/* What the faces of fabric `index` are made of: what was chosen, or else the default for the fabric. */
const wf_model_entry *wf_cloth_model(const wf_cloth *cloth, int32_t index, wf_model_kind kind);

/* Pins `count` vertices (the caller's numbering; one that was merged into another means that one) at `targets` [count],
 * where they are to be at the end of the next step, or as soon as 20 m/s bring them there; NULL: where they are now.
 * WF_ERROR_ARGUMENT: an index out of range; WF_ERROR_NUMERIC: a target that is not within 1e6 m; then nothing has
 * changed. */
wf_status wf_cloth_pin(wf_cloth *cloth, int32_t count, const int32_t *vertices, const wf_vec3 *targets);

/* Lets `count` vertices go; `vertices` NULL: all. */
wf_status wf_cloth_unpin(wf_cloth *cloth, int32_t count, const int32_t *vertices);

/* Sets the velocities [vertex_count], in the outer order (export.h). WF_ERROR_NUMERIC: one is not below 1e4 m/s. */
wf_status wf_cloth_set_velocities(wf_cloth *cloth, const wf_vec3 *velocities);

/* The classes that stitching makes of the vertices: label[i] is the smallest vertex index that i is stitched to,
 * directly or through others. */
wf_status wf_cloth_stitch_classes(const wf_cloth *cloth, int32_t *label);

/* Merges every class of stitched vertices into one vertex. All members of a class must lie at one place already (the
 * world sees to that through its door for positions); masses add, velocities average by mass, rest shapes stay.
 * WF_ERROR_GEOMETRY if a face or edge would collapse; then nothing has changed. */
wf_status wf_cloth_merge_stitches(wf_cloth *cloth);

/* For each face the largest seam ratio of the vertices within `rings` edges of it: where fabric is gathered. */
wf_status wf_cloth_ease(const wf_cloth *cloth, int rings, double *ratio);

/* Rest coordinates in each face's grain frame (x weft, y warp), as the models take them. */
void wf_cloth_grain_rest(const wf_cloth *cloth, wf_vec2 (*rest)[3]);

/* Strain of each face at the present positions: weft stretch minus one, warp stretch minus one, shear angle in rad. */
wf_status wf_cloth_strains(const wf_cloth *cloth, double (*strains)[3]);

#endif
