/* figure.h - the control mesh of the mannequin: rings of points along torso, head, arms and legs.
 *
 * A figure is a set of plain factors and lengths. Its control mesh always has the same vertices and quads, so that
 * mannequins of all sizes share one numbering. Refined twice by Catmull-Clark it is the mannequin's surface; which
 * factors give the wanted girths is mannequin.c's business.
 */
#ifndef WEFT_BODY_FIGURE_H
#define WEFT_BODY_FIGURE_H

#include "body/halfmesh.h"

/* A figure, in metres and as factors on the sections of the reference figure (a woman of 1.68 m). */
typedef struct wf_figure {
    double scale;                /* of lengths nobody asks for: height over 1.68 m */
    /* heights of the control mesh over the soles */
    double crotch, hips, waist, bust, shoulder, neck, crown;
    double shoulder_half_width;  /* of the control mesh, to the tip of the shoulder */
    double arm_length;           /* of the control mesh, shoulder tip to wrist */
    double arm_angle;            /* below the horizontal, rad */
    /* factors on widths and depths */
    double hips_girth, waist_girth, underbust_girth, bust_girth, neck_girth, thigh_girth, upper_arm_girth, wrist_girth;
    double bosom;                /* how far the breasts stand out, m */
} wf_figure;

/* The reference figure at another height. */
wf_figure wf_figure_of_height(double height);

/* Vertices of the control mesh that stay vertices of the refined one. */
typedef struct wf_figure_marks {
    int32_t shoulder, crotch, wrist_top, wrist_bottom, crown, side_neck, front_neck, back_neck, armpit;
} wf_figure_marks;

/* Builds the left half of the control mesh. */
wf_status wf_figure_build(wf_context *context, const wf_figure *figure, wf_halfmesh *cage, wf_figure_marks *marks);

/* Moves the points of the refined surface that belong to breasts and buttocks, smoothly. */
void wf_figure_add_curves(const wf_figure *figure, wf_halfmesh *surface);

/* The direction in which the left arm points. */
wf_vec3 wf_figure_arm_direction(const wf_figure *figure);

/* A point on the left leg's axis at a height between sole and crotch. */
wf_vec3 wf_figure_leg_point(const wf_figure *figure, double height);

#endif
