/* pattern.h - a garment as a pattern maker knows it: plane panels with curved edges, and seams that join edges.
 *
 * A panel's edges are listed loop by loop, each edge beginning where the one before it ended; the first loop is the
 * outline, further loops are holes. The outline's direction says which side faces outward: seen from outside the body
 * it runs counter-clockwise (the convention of GarmentCode patterns). wf_garment_create turns panels over whose seams
 * and placement say otherwise (seams.h).
 *
 * A panel is placed in space by turning its plane (x, y, 0) about the origin and then moving it. Lengths are metres,
 * angles radians.
 */
#ifndef WEFT_GARMENT_PATTERN_H
#define WEFT_GARMENT_PATTERN_H

#include "base/context.h"
#include "base/vector.h"
#include "garment/curve.h"

typedef enum wf_edge_kind {
    WF_EDGE_LINE,
    WF_EDGE_QUADRATIC, /* control[0] */
    WF_EDGE_CUBIC,     /* control[0], control[1] */
    WF_EDGE_ARC        /* radius, large, right */
} wf_edge_kind;

typedef struct wf_edge_def {
    int32_t start, end;  /* the panel's vertices that it joins */
    wf_edge_kind kind;
    wf_vec2 control[2];  /* Bezier control points, m */
    bool relative;       /* control points are given in the edge's frame: x along start -> end in fractions of its
                            length, y to the left of it in fractions of its length */
    double radius;       /* of an arc, m; at least half the chord */
    bool large, right;   /* an arc longer than half a circle; an arc that bulges to the right of start -> end */
} wf_edge_def;

/* The order in which three Euler angles (about x, y, z) are applied to a panel. */
typedef enum wf_euler_order {
    WF_EULER_INTRINSIC_XYZ, /* R = Rx Ry Rz: what pygarment writes */
    WF_EULER_EXTRINSIC_XYZ  /* R = Rz Ry Rx: about the fixed axes x, then y, then z */
} wf_euler_order;

/* A crease that is pressed into a panel along a straight line. */
typedef struct wf_panel_fold {
    wf_vec2 from, to;    /* m, in the panel's plane; of the line what lies inside the panel */
    double angle;        /* at rest, rad, from -pi to pi: positive where the cloth closes towards its outer side */
} wf_panel_fold;

typedef struct wf_panel_def {
    const char *name;    /* not NULL, unique in the garment */
    const char *label;   /* the body part it belongs to, or NULL */
    int32_t vertex_count;
    const wf_vec2 *vertices;
    int32_t edge_count;
    const wf_edge_def *edges;
    int32_t fold_count;
    const wf_panel_fold *folds;
    wf_vec3 translation;
    wf_vec3 rotation;    /* Euler angles, rad */
    double grain;        /* angle from the panel's y axis to the warp, rad, counter-clockwise as drawn */
    int32_t fabric;      /* index into the garment's fabrics, at least 0 */
    int32_t layer;       /* 0 next to the body, larger further out; at least 0 */
} wf_panel_def;

/* One side of a seam: an edge, or the part of it between two fractions of its arc length. */
typedef struct wf_seam_side {
    int32_t panel, edge;
    double from, to;     /* 0 <= from < to <= 1; 0 and 1 for the whole edge */
} wf_seam_side;

/* Which ends of the two sides belong together. */
typedef enum wf_seam_ends {
    WF_SEAM_AUTO,     /* decided by seams.h; never twisted */
    WF_SEAM_STRAIGHT, /* outer side to outer side: not twisted, whatever the placement suggests */
    WF_SEAM_CROSSED,  /* twisted: the outer side of one panel goes on in the inner side of the other */
    WF_SEAM_SAME      /* start to start and end to end (GarmentCode's "right_wrong"); panels are turned over to suit */
} wf_seam_ends;

/* What a seam with its allowance and thread adds to the cloth along it; all zero: nothing. */
typedef struct wf_seam_law {
    double bending;      /* N m2, >= 0 */
    double stiffness;    /* N, >= 0: force per unit of strain */
    double shrinkage;    /* by how much shorter than its cloth it is, -0.5 to 0.5; it needs a stiffness */
} wf_seam_law;

typedef struct wf_seam_def {
    wf_seam_side side[2];
    wf_seam_ends ends;
    wf_seam_law law;
} wf_seam_def;

typedef struct wf_garment_def {
    int32_t panel_count;
    const wf_panel_def *panels;
    int32_t seam_count;
    const wf_seam_def *seams;
    wf_euler_order euler_order;
    int32_t first_number; /* how messages and warnings count edges and seams: from 0 (files) or from 1 (scripts) */
} wf_garment_def;

wf_garment_def wf_default_garment_def(void);

typedef struct wf_panel_edge {
    wf_curve curve;
    double length;       /* arc length, m */
    int32_t start, end;  /* vertices */
    bool agrees;         /* the panel lies on the same side of it as of the outline's first edge; false for the edges
                            of a hole that is drawn in the outline's direction */
} wf_panel_edge;

typedef struct wf_panel {
    char *name, *label;  /* label may be NULL */
    int32_t vertex_count, edge_count, loop_count, fold_count;
    wf_vec2 *vertices;
    wf_panel_edge *edges;
    wf_panel_fold *folds;
    int32_t *loop_starts; /* [loop_count + 1] */
    wf_mat3 rotation;
    wf_vec3 translation;
    double area;          /* of the cloth, holes taken out, m2 */
    double grain;
    int32_t fabric, layer;
    bool clockwise;       /* the outline as drawn */
    bool turned;          /* seams or placement say that the drawing shows the other side (seams.h) */
    wf_vec3 center;       /* mean of the placed vertices, m */
    wf_vec3 normal;       /* unit, outward, in space */
} wf_panel;

typedef struct wf_seam {
    wf_seam_side side[2];
    wf_seam_ends ends;
    wf_seam_law law;
    double length[2];     /* arc lengths of the two sides, m */
    bool same;            /* result: start goes with start (true) or with the other's end (false) */
    bool crossed;         /* result: twisted */
    double evidence;      /* -1 ... 1: how clearly the placed sides ask for `same` (positive) or not (negative) */
} wf_seam;

typedef struct wf_garment {
    int32_t panel_count, seam_count, first_number;
    wf_panel *panels;
    wf_seam *seams;
} wf_garment;

/* Copies and checks a garment, and decides its seams' ends and its panels' outer sides (with warnings where the
 * evidence is against the decision). Errors, each naming panel, edge or seam: WF_ERROR_NUMERIC for a coordinate that is
 * not finite or beyond 1 km; WF_ERROR_FORMAT for an index out of range, edges that do not follow one another or do not
 * close, a duplicate name, an edge named twice by seams, an empty garment; WF_ERROR_GEOMETRY for an edge or a fold
 * without length or a panel without area; WF_ERROR_ARGUMENT for numbers of folds and seams out of range. */
wf_status wf_garment_create(wf_context *context, const wf_garment_def *def, wf_garment **garment);
void wf_garment_destroy(wf_context *context, wf_garment *garment);

/* The point of a side at fraction s (0 to 1) of its arc length, in the panel's plane. */
wf_vec2 wf_seam_side_point(const wf_garment *garment, const wf_seam_side *side, double s);

/* A point of the panel's plane, placed in space. */
wf_vec3 wf_panel_place(const wf_panel *panel, wf_vec2 point);

#endif
