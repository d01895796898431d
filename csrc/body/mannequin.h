/* mannequin.h - a parametric human figure with the girths that were asked for, and its measures.
 *
 * The figure is a closed, smooth surface of one component, mirror-symmetric in x to the last bit, that stands on y = 0
 * and looks along +z, arms 45 degrees down. All figures share one numbering of vertices and faces. Girths are those of
 * a tape pulled tight around the mesh (wf_section_curve.girth); each request is met within 0.2 %, or refused.
 */
#ifndef WEFT_BODY_MANNEQUIN_H
#define WEFT_BODY_MANNEQUIN_H

#include "mesh/mesh.h"

/* What can be asked for, in metres. */
typedef enum wf_measure {
    WF_MEASURE_HEIGHT,         /* sole to crown */
    WF_MEASURE_BUST,           /* horizontal girth at the bust points, arms left out */
    WF_MEASURE_UNDERBUST,      /* horizontal girth below the breasts */
    WF_MEASURE_WAIST,          /* horizontal girth at the narrowest of the torso */
    WF_MEASURE_HIPS,           /* horizontal girth at the fullest of the buttocks */
    WF_MEASURE_NECK,           /* girth 2.5 cm (at 1.68 m of height) over the neck's base, sloping like it */
    WF_MEASURE_THIGH,          /* horizontal girth, 5 cm (at 1.68 m of height) below the crotch */
    WF_MEASURE_UPPER_ARM,      /* girth across the arm, two thirds of its length before the wrist */
    WF_MEASURE_WRIST,          /* girth across the arm at the wrist */
    WF_MEASURE_SHOULDER_WIDTH, /* from tip to tip of the shoulders */
    WF_MEASURE_ARM_LENGTH,     /* tip of the shoulder to wrist */
    WF_MEASURE_INSEAM,         /* crotch to sole */
    WF_MEASURE_COUNT
} wf_measure;

typedef enum wf_figure_kind { WF_FIGURE_WOMAN, WF_FIGURE_MAN } wf_figure_kind;

/* What a mannequin is made from. A measure of 0 is derived: the height is 1.68 m (man: 1.78 m), other measures follow
 * height, then bust, waist and hips, as wf_measure_default says. */
typedef struct wf_mannequin_def {
    wf_figure_kind figure;
    double measures[WF_MEASURE_COUNT];
} wf_mannequin_def;

wf_mannequin_def wf_default_mannequin_def(void);

/* A measure's name as scripts spell it, "arm_length", and the least and largest value that can be asked for, m. */
const char *wf_measure_name(wf_measure measure);
void wf_measure_range(wf_measure measure, double *least, double *largest);

/* Points on the surface, the left one of a pair (x > 0). */
typedef enum wf_landmark {
    WF_LANDMARK_CROWN,
    WF_LANDMARK_FRONT_NECK,    /* base of the neck, middle of the front */
    WF_LANDMARK_BACK_NECK,     /* base of the neck, middle of the back */
    WF_LANDMARK_SIDE_NECK,     /* base of the neck, where the shoulder begins */
    WF_LANDMARK_SHOULDER,      /* tip of the shoulder */
    WF_LANDMARK_ARMPIT,
    WF_LANDMARK_WRIST,         /* middle of the wrist, inside the arm */
    WF_LANDMARK_BUST_POINT,
    WF_LANDMARK_CROTCH,
    WF_LANDMARK_COUNT
} wf_landmark;

const char *wf_landmark_name(wf_landmark landmark);

/* Everything known about a mannequin's size, measured on its mesh, m. */
typedef struct wf_figure_measures {
    double measures[WF_MEASURE_COUNT];
    wf_vec3 landmarks[WF_LANDMARK_COUNT];
    double bust_height, underbust_height, waist_height, hip_height, neck_height, knee_height; /* over the soles */
    double knee, ankle;               /* girths */
    double arm_angle;                 /* of the arms below the horizontal, rad */
    double torso_front, torso_back;   /* largest and smallest z of neck, torso and legs */
    double arm_front, arm_back;       /* and of the arms */
} wf_figure_measures;

/* A mannequin: positions [vertex_count] and faces [face_count], freed with wf_mannequin_free. */
typedef struct wf_mannequin {
    int32_t vertex_count, face_count;
    wf_vec3 *positions;
    int32_t (*faces)[3];
    wf_figure_measures sizes;
} wf_mannequin;

/* Makes a mannequin. WF_ERROR_ARGUMENT names a measure that is out of its range or cannot be had together with the
 * others, or the place where the surface would cross itself. */
wf_status wf_mannequin_make(wf_context *context, const wf_mannequin_def *def, wf_mannequin *mannequin);

void wf_mannequin_free(wf_context *context, wf_mannequin *mannequin);

#endif
