/* sieve.h - a parallel pass over the candidate list that marks the pairs for which a costly test holds.
 *
 * Two cheap tests go first: the distance stored with the candidate against how far its primitives have moved since the
 * list was made, then a single-precision bound of the distance now. Marks are set by pair, so that their order is the
 * list's for any number of threads.
 */
#ifndef WEFT_CONTACT_SIEVE_H
#define WEFT_CONTACT_SIEVE_H

#include "contact/scene_private.h"

/* Per-primitive numbers of one kind of use, indexed like the scene's vertices, edges and faces. */
typedef struct wf_sieve {
    wf_contact_scene *scene;
    int kind;                /* wf_pair_kind */
    const wf_vec3 *x;        /* positions now */
    /* A pair is dropped when its distance now is above near[first] + near[second] + distance (scene->near), or was
     * above reach[first] + reach[second] + distance when the list was made (scene->reach). */
    double distance;
    bool inner_edges;        /* drop edges that are not closest inside of both or whose sin² is below least_sine2 */
    double least_sine2;
    bool changed_only;       /* drop pairs of which neither primitive is marked in scene->changed */
    /* The costly test; thread-safe. `bound` (m): no more than the distance now. */
    bool (*test)(const void *user, int kind, const wf_candidate *candidate, float bound);
    const void *user;
} wf_sieve;

enum { WF_SIEVE_BLOCK = 4096 }; /* a multiple of 64: blocks own whole words of marks */

/* Marks the pairs in scene->list[kind].marked; scene->block_start[b] receives the number of marks in block b. */
wf_status wf_sieve_run(const wf_sieve *sieve);

/* Fill the numbers of vertices, edges and faces, rounded up; of edges and faces with the largest of their vertices'.
 * How far x0 and x1 (x1 may be x0) lie from where the list has them (wf_listed_place): */
void wf_measure_reach(const wf_contact_scene *scene, const wf_vec3 *x0, const wf_vec3 *x1, wf_numbers *numbers);
/* How far x0 and x1 lie from each other, seen from the list's frame: */
void wf_measure_motion(const wf_contact_scene *scene, const wf_vec3 *x0, const wf_vec3 *x1, wf_numbers *numbers);
/* The half thicknesses: */
void wf_measure_thickness(const wf_contact_scene *scene, wf_numbers *numbers);
/* Of edges and faces, from those of the vertices: */
void wf_spread_largest(const wf_contact_scene *scene, wf_numbers *numbers);
/* sum += numbers */
void wf_add_numbers(const wf_contact_scene *scene, const wf_numbers *numbers, wf_numbers *sum);

#endif
