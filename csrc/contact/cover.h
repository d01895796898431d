/* cover.h - what the list of candidates covers, and how to go back to it.
 *
 * Lists differ in how long they last and in the order of their pairs, and results of contact with them in their last
 * bits. Whoever takes a motion back, and wants the next to be what it would have been, keeps the cover for that.
 */
#ifndef WEFT_CONTACT_COVER_H
#define WEFT_CONTACT_COVER_H

#include "base/context.h"
#include "base/vector.h"

typedef struct wf_contact_scene wf_contact_scene;

/* Vertex i is covered within travel[i] + skin / 2 of reference[i], the middle of its motion, as seen from a frame that
 * moves by `frame` over the step. Whatever an inelastic contact leaves of a motion stays in this ball (Thales). Or
 * `by_paths`, within skin / 2 of where its straight way, from half_way[i] before the reference to as much behind it,
 * has it at the time. And what decides how the next list is made. */
typedef struct wf_cover {
    bool made;
    bool by_paths;
    int32_t short_lists; /* so many of the next ones may be short ones, for what is asked alone */
    bool by_balls;       /* no short list: what contact makes of the motion is asked */
    wf_vec3 frame;
    bool frame_rests;    /* as the fail-safe needs it: it brings vertices to rest */
    double wanted_skin;  /* what the caller asked for */
    double skin_share;   /* of it, for the next list: less than all where pairs crowd */
    double skin, margin; /* the list's skin; the largest margin that wf_contact_find was asked for */
} wf_cover;

/* Zero-initialise; free with wf_kept_cover_free. */
typedef struct wf_kept_cover {
    wf_cover cover;
    uint64_t list_identity; /* of the scene; 0: it had no list */
    bool trees_built;    /* their shape, which orders all lists, is that of the first */
    int32_t vertex_count;
    wf_vec3 *reference;
    double *travel;
    float (*half_way)[3];
} wf_kept_cover;

/* Costs nothing where the list is still that of the last call. WF_ERROR_MEMORY. */
wf_status wf_contact_keep_cover(wf_context *context, const wf_contact_scene *scene, wf_kept_cover *kept);

/* Goes back to what was kept of the same scene. The list is made anew from it when it is asked for. Nothing is caught
 * (caught.h). */
void wf_contact_give_cover_back(wf_contact_scene *scene, const wf_kept_cover *kept);

void wf_kept_cover_free(wf_context *context, wf_kept_cover *kept);

#endif
