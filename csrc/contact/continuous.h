/* continuous.h - whether a pair that moves along straight lines comes nearer than a separation, and when.
 *
 * Seen from one primitive the other is a hull of three corners (the face's, from the vertex) or four (the differences
 * of the edges' ends), each on a straight path, and the pair's distance is that of the hull from the origin. Along any
 * fixed direction the distance of each corner is linear in time, so the times at which all of them are beyond the
 * separation are an interval. Conservative advancement (Mirtich, "Impulse-based dynamic simulation", 1996, section
 * 2.3.2; Tang, Kim, Manocha, "C2A", 2009) with such intervals: from the time reached, the direction of the hull's
 * nearest point, then the end of its interval is reached. Pairs that turn while they are near would take many such
 * steps; where the nearest point is inside, the hull's own plane, which turns along, clears the times at which its
 * height, a cubic, is certain to be beyond (compare Wang, Tang, Tong, Manocha, "TightCCD", 2015).
 *
 * The answer false is a proof, and so is the time: whatever rounding does to the nearest point, the hull is beyond the
 * separation along the direction found, by a bound on the error of the dot products that are compared. The distance
 * may be computed as badly as it likes; what suffers is the number of false alarms. They are raised when the pair
 * passes within the tolerance or the rounding, or turns along so long and near that the bound on iterations is reached.
 */
#ifndef WEFT_CONTACT_CONTINUOUS_H
#define WEFT_CONTACT_CONTINUOUS_H

#include "base/vector.h"

typedef struct wf_impact_params {
    double separation; /* m, >= 0: what must be kept (0: what must not touch) */
    double kept_part;  /* 0 to 1: a pair that starts nearer must keep this part of its first distance instead (0.9) */
    /* 0 to 1: an impact is called when what is left above the separation is this part of the separation, or of what
     * there was above it at the start if that is less (0.01). At separation 0 the time is found up to rounding. */
    double tolerance;
} wf_impact_params;

wf_impact_params wf_default_impact_params(void);

/* x0 and x1 are the pair's points at times 0 and 1: {vertex, face corners} or {ends of one edge, ends of the other}.
 * True unless the separation is kept throughout: *time in [0, 1] is then a time up to which it is. A pair that touches
 * at the start is an impact at time 0, with or without motion, and so is one with a coordinate that is not a number or
 * whose differences overflow. Zero-length edges, faces of no area and motion in common are nothing special.
 * params NULL: the defaults. */
bool wf_vertex_face_impact(const wf_vec3 x0[4], const wf_vec3 x1[4], const wf_impact_params *params, double *time);
bool wf_edge_edge_impact(const wf_vec3 x0[4], const wf_vec3 x1[4], const wf_impact_params *params, double *time);

#endif
