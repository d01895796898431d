/* scene_private.h - the inside of a contact scene, shared by the files of contact/. */
#ifndef WEFT_CONTACT_SCENE_PRIVATE_H
#define WEFT_CONTACT_SCENE_PRIVATE_H

#include "base/clock.h"
#include "base/vector.h"
#include "contact/caught.h"
#include "contact/cover.h"
#include "contact/curvature.h"
#include "contact/hierarchy.h"
#include "contact/impact_zones.h"
#include "contact/near.h"
#include "contact/proximity.h"
#include "contact/scene.h"

typedef enum wf_pair_kind {
    WF_VERTEX_FACE,           /* first: a vertex, second: a face */
    WF_EDGE_EDGE,             /* first, second: edges */
    WF_VERTEX_FACE_NEIGHBOUR, /* with a thickness of their own */
    WF_EDGE_EDGE_NEIGHBOUR,
    WF_PAIR_KINDS
} wf_pair_kind;

typedef struct wf_candidate {
    int32_t first, second;
    float distance; /* a lower bound of the distance at the reference positions, of a list by paths on the paths */
} wf_candidate;

typedef struct wf_candidate_list {
    wf_candidate *items;
    size_t count, capacity;
    uint64_t *marked; /* one bit per candidate: picked out by a parallel pass, in order */
    size_t marked_capacity;
} wf_candidate_list;

/* One number for each vertex, edge and face. */
typedef struct wf_numbers {
    float *vertex, *edge, *face;
} wf_numbers;

/* What one block of the traversal found; kept so that the next rebuild finds its space ready. */
typedef struct wf_found_pair {
    uint32_t first : 30, kind : 2;
    int32_t second;
    float distance;
} wf_found_pair;

typedef struct wf_pair_buffer {
    wf_found_pair *items;
    size_t capacity;
    size_t count;                    /* found; those beyond the capacity were not stored */
    bool cut;                        /* there were such, and the block is walked once more */
    size_t kind_count[WF_PAIR_KINDS];
    size_t kind_start[WF_PAIR_KINDS]; /* where they go in the lists */
} wf_pair_buffer;

/* The nearest contacts of a vertex with faces, in two directions; distance 0: none. */
typedef struct wf_vertex_fronts {
    wf_vec3 normal[2];
    double distance[2];
} wf_vertex_fronts;

struct wf_contact_scene {
    wf_context *context;
    int32_t cloth_count, vertex_count;
    int32_t cloth_face_count, face_count;  /* cloth first */
    int32_t cloth_edge_count, edge_count;
    int32_t (*faces)[3];
    int32_t (*edges)[2];
    int32_t (*face_edges)[3];              /* edge k joins corners k and k + 1 */
    int32_t (*edge_faces)[2];              /* the first owns the edge; -1 where there is no second */
    uint8_t *face_owns;                    /* bits 0-2: corners, bits 3-5: edges that are tested for this face */
    int32_t *vertex_face;                  /* the face that owns the vertex, -1 for none */
    int32_t *star_start, *star;            /* compressed rows: the vertices joined to each by an edge */
    int32_t *fan_start, *fan;              /* compressed rows: the faces around each vertex, in order */
    int32_t *vertex_class;
    int32_t *body_class;                   /* [vertex_count - cloth_count] */
    int32_t *vertex_piece;                 /* a class of the piece of cloth that it is of: edges join all of it */
    uint8_t *vertex_loose;
    bool any_loose, any_loose_to_bodies, any_face_of_one_class;
    int32_t *class_start, *class_joined;   /* compressed rows: the classes joined to each by an edge of the cloth */
    double *half_thickness, *friction;     /* per vertex */
    int32_t *material;                     /* per vertex; NULL: pairs have the mean of their vertices' friction */
    wf_friction *material_pairs;
    int32_t material_count;
    double *neighbour_half;                /* per cloth vertex */
    double *face_half, *edge_half;         /* the largest half thickness of each primitive's vertices */
    double *widest_half;                   /* the largest of each vertex's faces */

    wf_hierarchy cloth_tree, body_tree;
    wf_packed_face *packed;                /* cloth by rank, then bodies by rank */
    int32_t *face_rank;                    /* in its tree */
    wf_near_set cloth_near, body_near;     /* the primitives of either */
    wf_vec3 packing_origin;
    float packing_error;                   /* bounds the error of a distance between packed positions */
    wf_detection_params detection;
    int slabs;                             /* of the volumes */
    float *ball_volumes;                   /* [vertex][2 * slabs] what it moves through, with its faces' thickness */
    float *volumes;                        /* [face][2 * slabs] of its vertices' balls, without the skin */
    wf_curvature curvature;
    bool trees_built, body_moved;          /* since the body's tree was fitted */

    /* Where the list covers vertex i: cover.made says how. */
    wf_vec3 *reference;
    double *travel;                        /* the length of half_way */
    float (*half_way)[3];
    wf_cover cover;
    uint64_t list_identity;                /* of these places: no other list of the context has it; 0: none */
    bool stale;                            /* the list is not that of these; it is made anew when it is asked for */
    wf_candidate_list list[WF_PAIR_KINDS];
    wf_pair_buffer *buffers;
    size_t buffer_count;

    wf_numbers reach, near;                /* for passes over the list; see sieve.h */
    struct {
        uint8_t *vertex, *edge, *face;     /* primitives that moved since the last pass */
    } changed;

    wf_caught caught;                      /* in bodies */
    int32_t rigid_start;                   /* cloth from here on moves with rigid bodies; cloth_count for none */

    /* Of wf_contact_resolve, per vertex. */
    wf_vec3 *given;                        /* x1 as the caller gave it */
    wf_vec3 *start, *step;                 /* of a slice of the motion */
    wf_vec3 *target;                       /* what the fail-safe scales down */
    uint8_t *level, *touched;
    wf_impact_zones zones;

    wf_vertex_fronts *fronts;              /* [vertex_count]; NULL until asked for */
    wf_contact *contacts;
    size_t contact_capacity;
    size_t *block_start;                   /* contacts before each block of marks */
    size_t block_start_capacity;

    wf_contact_stats stats;
};

/* The four vertices of a pair. */
static inline void wf_pair_vertices(const wf_contact_scene *scene, int kind, int32_t first, int32_t second,
                                    int32_t vertex[4])
{
    if (kind == WF_VERTEX_FACE || kind == WF_VERTEX_FACE_NEIGHBOUR) {
        vertex[0] = first;
        for (int k = 0; k < 3; k++) {
            vertex[k + 1] = scene->faces[second][k];
        }
    } else {
        for (int k = 0; k < 2; k++) {
            vertex[k] = scene->edges[first][k];
            vertex[k + 2] = scene->edges[second][k];
        }
    }
}

static inline void wf_gather(const wf_vec3 *x, const int32_t vertex[4], wf_vec3 points[4])
{
    for (int k = 0; k < 4; k++) {
        points[k] = x[vertex[k]];
    }
}

static inline bool wf_is_edge_edge(int kind)
{
    return kind == WF_EDGE_EDGE || kind == WF_EDGE_EDGE_NEIGHBOUR;
}

static inline double wf_smallest_neighbour_half(const wf_contact_scene *scene, const int32_t *vertex, int count)
{
    double smallest = scene->neighbour_half[vertex[0]];
    for (int k = 1; k < count; k++) {
        smallest = fmin(smallest, scene->neighbour_half[vertex[k]]);
    }
    return smallest;
}

/* Whether both faces are of one region of cloth that cannot touch itself: pairs of its primitives are not searched. */
static inline bool wf_in_one_region(const wf_contact_scene *scene, int32_t a, int32_t b)
{
    if (a >= scene->cloth_face_count || b >= scene->cloth_face_count) {
        return false;
    }
    int32_t p = scene->face_rank[a], q = scene->face_rank[b];
    return (p > q ? p : q) < scene->curvature.region_end[p < q ? p : q];
}

/* caught.c: whether one of the pair is caught in what the other is of. */
bool wf_pair_passes(const wf_contact_scene *scene, int kind, int32_t first, int32_t second);
/* Whether a face, or the edge from a vertex to a neighbour, is caught in what owns the vertex `other`. */
bool wf_face_passes(const wf_contact_scene *scene, int32_t face, int32_t other);
bool wf_way_passes(const wf_contact_scene *scene, int32_t vertex, int32_t neighbour, int32_t other);

/* wf_contact.key: faces and edges are fewer than 2^31. */
static inline uint64_t wf_pair_key(int kind, const wf_candidate *c)
{
    return ((uint64_t)wf_is_edge_edge(kind) << 63) | ((uint64_t)c->first << 31) | (uint64_t)c->second;
}

static inline wf_candidate wf_pair_of_key(uint64_t key)
{
    return (wf_candidate){.first = (int32_t)(key >> 31 & INT32_MAX), .second = (int32_t)(key & INT32_MAX)};
}

/* The list in which a pair of this kind, that of a vertex and a face or of two edges, is kept when it is near, or
 * WF_PAIR_KINDS where it is not tested. */
wf_pair_kind wf_pair_list(const wf_contact_scene *scene, wf_pair_kind kind, int32_t first, int32_t second);

/* Contact distance of a pair (m). */
static inline double wf_pair_thickness(const wf_contact_scene *scene, int kind, int32_t first, int32_t second)
{
    switch (kind) {
    case WF_VERTEX_FACE_NEIGHBOUR:
        return scene->neighbour_half[first] + wf_smallest_neighbour_half(scene, scene->faces[second], 3);
    case WF_EDGE_EDGE_NEIGHBOUR:
        return wf_smallest_neighbour_half(scene, scene->edges[first], 2) +
               wf_smallest_neighbour_half(scene, scene->edges[second], 2);
    case WF_EDGE_EDGE:
        return scene->edge_half[first] + scene->edge_half[second];
    default:
        return scene->half_thickness[first] + scene->face_half[second];
    }
}

/* `mean`: what the vertices' coefficients make it, unless the materials of the pair have their own. */
static inline wf_friction wf_pair_friction(const wf_contact_scene *scene, bool edges, const int32_t vertex[4],
                                           double mean)
{
    if (scene->material) {
        int32_t a = scene->material[vertex[0]], b = scene->material[vertex[edges ? 2 : 1]];
        if (a >= 0 && b >= 0) {
            const wf_friction *pair = &scene->material_pairs[a * scene->material_count + b];
            if (pair->dynamic >= 0) {
                return *pair;
            }
        }
    }
    return (wf_friction){mean, mean};
}

/* Makes sure that the list covers the motion from x0 to x1 (or the rest at x0 when x1 == x0) with `margin` (m) beyond
 * the contact distance. *too_many: the motion sweeps over more pairs than the bound; the list is then not valid. */
wf_status wf_contact_cover(wf_contact_scene *scene, const wf_vec3 *x0, const wf_vec3 *x1, double margin,
                           bool *too_many);

/* Distances are the same wherever all is moved to as one: what rests at x may be compared with what the list has at the
 * start of its motion or with what it has at the end. Whether the end is nearer. */
bool wf_contact_rests_at_end(const wf_contact_scene *scene, const wf_vec3 *x);

/* The middle of where the list has a vertex at the start or at the end of the motion. */
static inline wf_vec3 wf_listed_place(const wf_contact_scene *scene, int32_t vertex, bool at_end)
{
    wf_vec3 place = scene->reference[vertex];
    if (scene->cover.by_paths) {
        const float *half = scene->half_way[vertex];
        place = wf_vec3_muladds(place, wf_vec3_make(half[0], half[1], half[2]), at_end ? 1 : -1);
    }
    return at_end ? wf_vec3_add(place, scene->cover.frame) : place;
}

/* m: how far from there the list covers it, but for the skin. */
static inline double wf_listed_radius(const wf_contact_scene *scene, int32_t vertex)
{
    return scene->cover.by_paths ? 0 : scene->travel[vertex];
}

/* WF_ERROR_LIMIT: too many pairs are near each other at x. Names the thickness that is the largest for its edges, which
 * tells the cloth, or `margin` (m) where that is more. */
wf_status wf_contact_fail_for_thickness(const wf_contact_scene *scene, const wf_vec3 *x, double margin);
/* The same as wf_contact_cover at rest, where too many pairs are a WF_ERROR_LIMIT. */
wf_status wf_contact_cover_rest(wf_contact_scene *scene, const wf_vec3 *x, double margin);

/* Pulls cloth that ends outside of what the list covers back to its border, but for rigid bodies. */
void wf_contact_confine(const wf_contact_scene *scene, wf_vec3 *x1);

/* How far (m) volumes must be from each other for their faces to be out of reach. */
float wf_list_padding(const wf_contact_scene *scene);

/* Makes the trees follow the references, and packs the faces. */
wf_status wf_fit_trees(wf_contact_scene *scene);

/* The bound on the list. */
int64_t wf_most_candidates(const wf_contact_scene *scene);

/* Fills the list for the references set in the scene with at most so many pairs. *too_many: it would be more, or too
 * many pairs had to be looked at; the list is not valid. */
wf_status wf_candidates_rebuild(wf_contact_scene *scene, int64_t most, bool *too_many);

#endif
