/* face_history.h - what a face remembers from step to step besides where it is. */
#ifndef WEFT_MODEL_FACE_HISTORY_H
#define WEFT_MODEL_FACE_HISTORY_H

typedef struct wf_face_history {
    double slip[3]; /* where the friction between its threads holds: strains along weft and warp, and shear, rad */
} wf_face_history;

#endif
