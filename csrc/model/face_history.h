/* face_history.h - what a face remembers from step to step besides where it is: of the three strains in its plane, and
 * of its three curvatures (memory.h). Nothing remembered is all zeros.
 */
#ifndef WEFT_MODEL_FACE_HISTORY_H
#define WEFT_MODEL_FACE_HISTORY_H

enum { WF_REMEMBERED = 3, WF_FLOWS = 6 };

typedef enum wf_history_part { WF_HISTORY_PLANE, WF_HISTORY_BEND, WF_HISTORY_PARTS } wf_history_part;

typedef struct wf_strain_history {
    double slip[WF_REMEMBERED]; /* strains at which the friction between threads holds */
    double turn[WF_REMEMBERED]; /* the same between the branches of a curve, from where it is at rest */
    double flow[WF_FLOWS][WF_REMEMBERED]; /* strains that have relaxed, each sort at its own rate */
} wf_strain_history;

typedef struct wf_face_history {
    wf_strain_history part[WF_HISTORY_PARTS];
} wf_face_history;

#endif
