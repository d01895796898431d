/* fittings.h - what is attached to cloth: elastic bands, drawstrings, air inside, rows of ties (buttons, zips, pins to
 * a body), stiff seams and pressed folds.
 *
 * A fitting belongs to one cloth, or two that it ties together, and acts while they are in a world, in the same one. It
 * keeps vertices as the caller who made the cloth names them, so that it stays where it is when seams are merged; faces
 * stay, and it keeps the cloth's own.
 * Everything but where it is can be changed between steps. A fitting lives as long as its cloths, or who retains it.
 */
#ifndef WEFT_WORLD_FITTINGS_H
#define WEFT_WORLD_FITTINGS_H

#include "body/body.h"
#include "model/bands.h"
#include "model/drawstrings.h"
#include "model/incidence.h"
#include "model/pressure.h"
#include "model/stiff_lines.h"
#include "model/ties.h"
#include "world/cloth.h"

typedef enum wf_fitting_kind {
    WF_FITTING_BAND,
    WF_FITTING_DRAWSTRING,
    WF_FITTING_AIR,
    WF_FITTING_TIES,
    WF_FITTING_SEAM,
    WF_FITTING_FOLD /* has no model of its own: faces around it bend about their folded rest shape */
} wf_fitting_kind;

/* A point of a cloth or a body. */
typedef struct wf_place {
    wf_cloth *cloth;   /* or */
    wf_body *body;
    int32_t face;      /* the caller's (a fitting keeps the cloth's own); its corners have the shares. -1: the vertices
                          have them */
    int32_t count;     /* of vertices, 1 or 2 (an edge) */
    int32_t vertices[2];
    double shares[3];  /* 0 to 1, their sum is 1 */
    double height;     /* m, of a place on a body's face: above it, along its normal */
} wf_place;

typedef struct wf_fitting {
    wf_context *context;
    wf_fitting_kind kind;
    int32_t references;
    wf_cloth *cloths[2]; /* NULL where there is none (any more) */
    bool on;
    int64_t changes;     /* grows whenever a number below changes */
    int32_t count;       /* of edges, faces or ties */

    /* Lines; of folds only the edges. */
    int32_t (*edges)[2];   /* [count] the caller's vertices */
    double *rest_lengths;  /* [count] m, of the cloth in its pattern */
    double rest_length;    /* m, their sum */
    double length;         /* m, of the band or string at rest */
    double stiffness;      /* N; of ties N/m */
    double viscosity;      /* s */
    double settled;        /* N: of a drawstring, its tension at the end of the last step (drawstrings.h) */
    bool pushes;
    bool closed;           /* the last edge ends where the first begins */
    double bending;        /* N m2, of a seam */
    double angle;          /* rad, of a fold: positive where the cloth closes towards the side of its normals */
    wf_stiff_joint *joints; /* [joint_count] of a seam in the cloth as it is, found for a world's models */
    int32_t joint_count;

    /* Air. */
    int32_t *faces;        /* [count] the cloth's own, ascending */
    wf_chamber chamber;
    bool inward;           /* the faces are turned inward */

    /* Ties; their length, stiffness and viscosity are above. */
    wf_place (*places)[2]; /* [count] */
    double *gaps;          /* [count] m: how long a tie was when it began to be closed */
    uint8_t *broken;       /* [count] */
    double shut;           /* 0 to count: so many of the first ties are closed, the next is drawn together */
    double strength;       /* N: a tie breaks that pulls with more at the end of a step; 0: none breaks */
} wf_fitting;

typedef struct wf_line_def {
    wf_fitting_kind kind;      /* WF_FITTING_BAND, WF_FITTING_DRAWSTRING, WF_FITTING_SEAM or WF_FITTING_FOLD */
    int32_t count;             /* of vertices */
    const int32_t *path;       /* [count] the caller's, each joined to the next by an edge */
    bool closed;               /* the last is joined to the first */
    double length, stiffness, viscosity; /* m, N, s; length > 0 */
    double shrinkage;          /* of a seam, instead of a length: the share by which it is shorter than its cloth */
    double bending;            /* N m2, of a seam */
    double angle;              /* rad, of a fold, between -pi and pi. Edges that have not two faces, at borders and on
                                * seams until they are merged, do not fold */
    bool pushes;               /* a band also resists being shorter */
} wf_line_def;

/* WF_ERROR_ARGUMENT, WF_ERROR_GEOMETRY: the message names the place of the path that is no edge. The result is retained
 * for the caller. */
wf_status wf_cloth_add_line(wf_cloth *cloth, const wf_line_def *def, wf_fitting **fitting);

/* The caller's vertices of a panel that lie on the line between two places in its pattern, in order: a path, where
 * edges follow the line. path: [source_count]. WF_ERROR_GEOMETRY: there are not two. */
wf_status wf_cloth_line_path(const wf_cloth *cloth, int32_t panel, wf_vec2 from, wf_vec2 to, int32_t *path,
                             int32_t *count);

/* Between steps. */
void wf_fitting_set_angle(wf_fitting *fitting, double angle);

/* The rest angles of a cloth's folds at its own faces' edges, and which faces meet one that has a fold: all of both,
 * [face_count]. */
wf_status wf_cloth_folds(const wf_cloth *cloth, double (*fold)[3], bool *folded);

/* Air behind the given faces (the caller's, each once), all with NULL. A gas has `excess` Pa above `outside` at the
 * present volume. WF_ERROR_GEOMETRY names an edge where a gas's faces are open, or says that they close no volume. */
wf_status wf_cloth_add_air(wf_cloth *cloth, int32_t count, const int32_t *faces, bool gas, double excess,
                           double outside, wf_fitting **fitting);

typedef struct wf_ties_def {
    int32_t count;
    const wf_place (*places)[2]; /* [count] the first of `cloth`, all of the second of one cloth or one body */
    double length, stiffness, viscosity, strength; /* m, N/m, s, N */
    double closed;               /* 0 to 1: the share of the row that is closed */
} wf_ties_def;

/* Where a place is now, m; and the nearest place on a body's faces. */
wf_vec3 wf_place_point(const wf_place *place);
wf_place wf_place_on_body(wf_body *body, wf_vec3 point);

wf_status wf_cloth_attach(wf_cloth *cloth, const wf_ties_def *def, wf_fitting **fitting);

wf_fitting *wf_fitting_retain(wf_fitting *fitting);
void wf_fitting_release(wf_fitting *fitting); /* NULL is allowed */

/* Takes it off its cloths. */
void wf_fitting_remove(wf_fitting *fitting);

/* Takes all fittings off a cloth. */
void wf_cloth_remove_fittings(wf_cloth *cloth);

/* After a change of numbers between steps; they must be what wf_cloth_add_line and others take. */
void wf_fitting_touch(wf_fitting *fitting);

/* Switches it on or off. */
void wf_fitting_switch(wf_fitting *fitting, bool on);

/* Closes the share 0 to 1 of a row of ties, from where the ties are now. */
void wf_fitting_close(wf_fitting *fitting, double share);

/* ---- at the present positions ---------------------------------------------------------------------------------- */

/* m: how long the path is. */
double wf_fitting_path(const wf_fitting *fitting);

/* N: of a drawstring; of a band or a seam the mean over its length. */
double wf_fitting_tension(const wf_fitting *fitting);

/* m3, Pa: of the faces of air, or of a gas; volumes count from the origin where the faces are open. */
double wf_fitting_volume(const wf_fitting *fitting);
double wf_fitting_pressure(const wf_fitting *fitting);

/* N: with which a tie pulls its first place. */
wf_vec3 wf_fitting_force(const wf_fitting *fitting, int32_t tie);

/* ---- for worlds ------------------------------------------------------------------------------------------------ */

/* How much of a tie is closed, 0 to 1; 0 also when it is off or broken. */
double wf_fitting_share(const wf_fitting *fitting, int32_t tie);

/* The tie as the model has it. first_vertex [2]: where the vertices of its cloths begin. */
wf_tie wf_fitting_tie(const wf_fitting *fitting, int32_t tie, const int32_t first_vertex[2]);

/* The band on an edge; false where merging has left nothing of it. */
bool wf_fitting_band_edge(const wf_fitting *fitting, int32_t edge, int32_t first_vertex, wf_band_edge *band);

wf_drawstring wf_fitting_string(const wf_fitting *fitting);

bool wf_cloth_has_fitting(const wf_cloth *cloth, wf_fitting_kind kind);

/* The corners of faces that meet in each of the cloth's own vertices. */
wf_status wf_cloth_corners(const wf_cloth *cloth, wf_incidence *around);

/* Finds the joints of a cloth's seams in the cloth as it is, whose faces have been checked. */
wf_status wf_cloth_find_joints(const wf_cloth *cloth);

/* A joint of a seam, as the model has it. */
wf_stiff_joint wf_fitting_joint(const wf_fitting *fitting, int32_t joint, int32_t first_vertex);

#endif
