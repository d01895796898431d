/* measure.h - girths of any upright figure, found where a tailor finds them.
 *
 * The figure stands along y and looks along +z. A girth is that of a tape pulled tight: the perimeter of the convex
 * hull of a horizontal section. Where the section has several curves (arms, hands, legs) the one with the largest girth
 * counts: the torso between two arms, below the crotch one leg.
 */
#ifndef WEFT_BODY_MEASURE_H
#define WEFT_BODY_MEASURE_H

#include "body/body.h"

typedef enum wf_body_part { WF_PART_BUST, WF_PART_WAIST, WF_PART_HIPS, WF_PART_NECK, WF_PART_COUNT } wf_body_part;

/* The girth at `height` m over the body's lowest point. WF_ERROR_GEOMETRY when the body has no section there. */
wf_status wf_body_girth(wf_body *body, double height, double *girth);

/* The girth and height (m over the lowest point) of a part. A mannequin's are the ones it was made with. Other bodies
 * are searched, at heights of the average figure: bust, where the torso stands out farthest between 0.68 and 0.76 of
 * the height; waist, the least girth from 0.58 to 0.68; hips, the largest from 0.46 to 0.54; neck, the least from 0.82
 * to 0.89. */
wf_status wf_body_measure_part(wf_body *body, wf_body_part part, double *girth, double *height);

#endif
