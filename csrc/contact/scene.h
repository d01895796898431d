/* scene.h - everything that can touch, and the list of pairs that may.
 *
 * One numbering serves all vertices: cloth [0, cloth_count), obstacles (bodies) [cloth_count, vertex_count). Pairs are
 * vertex-face and edge-edge; each is met once. Bodies are never tested against bodies. Vertices that belong to no face
 * do not take part.
 *
 * The broad phase makes a list of candidate pairs from overlapping boxes, padded by a skin, and keeps it while every
 * vertex stays in the ball around its motion when the list was made, half the skin larger. Two lists are kept apart:
 * neighbours in the mesh or along a seam have a thickness of their own.
 */
#ifndef WEFT_CONTACT_SCENE_H
#define WEFT_CONTACT_SCENE_H

#include "base/context.h"
#include "contact/friction.h"

typedef enum wf_looseness {
    WF_HELD = 0,
    WF_LOOSE_TO_NEIGHBOURS = 1, /* primitives whose classes an edge joins */
    WF_LOOSE_TO_ALL = 2,        /* anything that is as loose */
    WF_LOOSE_TO_BODIES = 3      /* and bodies, whatever these are */
} wf_looseness;

typedef enum wf_tree_update {
    WF_UPDATE_REFIT,    /* all volumes, from the primitives upward */
    WF_UPDATE_HYBRID,   /* the upper half of the levels, and below what the cloth may meet (of the bodies' tree) */
    WF_UPDATE_INFLATED, /* only where primitives left volumes that are larger by the skin than they need be */
    WF_UPDATE_REBUILD   /* a new tree for each list, for comparison */
} wf_tree_update;

typedef enum wf_pruning {
    WF_PRUNE_NOTHING,
    WF_PRUNE_DIRECTIONS, /* regions whose normals share one of 26 sample directions; see curvature.h */
    WF_PRUNE_CONES       /* regions whose normals lie in a cone */
} wf_pruning;

/* How the list is made. The pairs found are the same for all; their order depends on `regions` alone. */
typedef struct wf_detection_params {
    int planes; /* of the bounding volumes: 6, 14, 18 or 26 */
    int arity;  /* of their trees: 2, 4 or 8 */
    bool regions; /* trees by merging regions of the mesh, not by medians */
    wf_tree_update update;
    wf_pruning pruning;
    bool contour_test; /* false: pruning may miss collisions of regions that look simple by their normals alone */
} wf_detection_params;

wf_detection_params wf_default_detection_params(void);

typedef struct wf_contact_scene_def {
    int32_t cloth_count, vertex_count;
    int32_t cloth_face_count;
    const int32_t (*cloth_faces)[3];  /* [cloth_face_count], indices < cloth_count */
    int32_t body_face_count;
    const int32_t (*body_faces)[3];   /* [body_face_count], indices >= cloth_count */
    /* [cloth_count] from 0 to cloth_count - 1, or NULL for each vertex its own: vertices of one class are, or are going
     * to be, one point. A pair in which both primitives own a vertex of one class is never tested; a pair in which an
     * edge of the cloth joins their classes is one of neighbours, with a thickness of its own. */
    const int32_t *vertex_class;
    /* [vertex_count - cloth_count] >= cloth_count, or NULL for one body alone: a number for each body's vertices, which
     * cloth that stands through it knows it by (caught.h). */
    const int32_t *body_class;
    /* Cloth vertices from here on are of rigid bodies, each of a class of its own; 0: none are. Only makes the search
     * shorter. */
    int32_t rigid_start;
    /* [cloth_count] of wf_looseness, or NULL for WF_HELD everywhere: a pair is not tested when both its primitives own
     * a vertex that is loose to what the other is. For stitches that are being closed: their surroundings may pass
     * through each other until they are one. */
    const uint8_t *vertex_loose;
    /* [vertex_count] m, >= 0: the contact distance of a pair is the sum of its primitives', each the largest of its
     * vertices'. */
    const double *half_thickness;
    /* [cloth_count] m, 0 to half_thickness, or NULL for 0: the same for neighbours, the smallest of the vertices'. It
     * must stay well below the size of the triangles, or the sheet would push itself apart. */
    const double *neighbour_half_thickness;
    /* [vertex_count] >= 0, Coulomb's coefficient: a pair uses sqrt(mu1 mu2) of its primitives' means. */
    const double *friction;
    /* [vertex_count] of numbers of materials, below 0: of none; or NULL. A pair takes the materials of its primitives'
     * first vertices. material_pairs[material_count squared] has its coefficients where dynamic is not below 0. */
    const int32_t *material;
    const wf_friction *material_pairs;
    int32_t material_count;
    const wf_detection_params *detection; /* NULL for the default */
} wf_contact_scene_def;

typedef struct wf_contact_scene wf_contact_scene;

/* What happened since the last wf_contact_update began; seconds are for reading and influence nothing. */
typedef struct wf_contact_stats {
    int64_t candidates;           /* pairs in the list */
    int32_t rebuilds;             /* of the list */
    int64_t tested_pairs;         /* of primitives, while the list was made */
    int32_t regions;              /* of cloth, that cannot touch themselves and were not searched */
    int32_t region_faces;         /* in them */
    int32_t refitted;             /* faces whose volumes were taken anew */
    int32_t contacts;             /* of the last wf_contact_find */
    int32_t hits;                 /* pairs that would have touched on the way to the first x1 */
    int32_t impulse_rounds, impulses;
    int32_t zone_rounds;          /* of impact zones */
    int32_t backed_off_vertices;  /* pulled back by the fail-safe */
    int32_t carried_vertices;     /* moved along with a body that would have hit them at rest */
    int32_t slices;               /* parts that the motion was cut into; 1 unless it sweeps over very many pairs */
    double kept_motion;           /* the part of the motion kept when even the slices sweep over too many; else 1 */
    double body_work, pin_work;   /* kg m^2, over the square of the time of the motion J: what bodies, and cloth without
                                     inverse mass, give by impulses to what they push; not by the fail-safe */
    double tree_seconds;          /* of broad_seconds */
    double broad_seconds, narrow_seconds, continuous_seconds, response_seconds;
} wf_contact_stats;

/* Copies the definition. WF_ERROR_ARGUMENT names the first value out of range. */
wf_status wf_contact_scene_create(wf_context *context, const wf_contact_scene_def *def, wf_contact_scene **scene);
void wf_contact_scene_destroy(wf_contact_scene *scene);

/* Makes sure that the list holds every pair that can come within its contact distance while the vertices move along
 * straight lines from x0 to x1 (both [vertex_count]). `skin` > 0 (m): a larger one makes longer lists that last longer.
 * When the pairs exceed the scene's bound (some fifty per face) the skin is cut, then the motion that is covered;
 * find and resolve see to it themselves that what they look at is covered.
 * WF_ERROR_NUMERIC: a coordinate is not finite or beyond 1e6 m; WF_ERROR_LIMIT: too many pairs at rest. */
wf_status wf_contact_update(wf_contact_scene *scene, const wf_vec3 *x0, const wf_vec3 *x1, double skin);

/* Of the last update, find or resolve. */
wf_contact_stats wf_contact_scene_stats(const wf_contact_scene *scene);

/* WF_ERROR_STATE before the first update: there is no list. `what` is what wants it, as the message names it. */
wf_status wf_contact_check_updated(const wf_contact_scene *scene, const char *what);

/* The candidates as primitives' vertices, for tests: kind 0 vertex-face {v, a, b, c}, 1 edge-edge {a, b, c, d}, 2 and 3
 * the same for neighbours. */
size_t wf_contact_candidate_count(const wf_contact_scene *scene, int kind);
void wf_contact_candidate(const wf_contact_scene *scene, int kind, size_t index, int32_t vertex[4]);

#endif
