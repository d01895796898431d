/* flow_cloth.h - air and thin cloth that move each other: what the pressure solve of a flow knows of cloth.
 *
 * A face of the grid that cloth cuts (cut_faces.h) has a control volume of air, of mass m = density x volume, and on it
 * a row W of weights: the cloth's velocity there is W v. Cloth holds that air back by a drag, Darcy's law: the air that
 * passes through, u - W v, over the permeability is the pressure that is lost. Within one step of length h, implicitly,
 *
 *     m (u - u*) = h A [p] - m r (u - W v)            u* the air's velocity after advection, [p] the pressure jump
 *     M (v - v*) = sum over cut faces of W^T m r (u - W v)        r = h / (density x spacing x permeability)
 *
 * v* is where the cloth's own forces would bring it. Tight cloth is the limit r -> infinity: u = W v. What cloth gets
 * the air loses. With theta = r / (1 + r) and the air's mass at a vertex lumped, a = sum of W^T m theta,
 *
 *     v = (M + a)^-1 (M v* + sum of W^T m theta (u* + h A [p] / m)),    u = (1 - theta)(u* + h A [p] / m) + theta W v
 *
 * which keeps momentum to rounding. So the face's velocity answers to all pressure jumps by a symmetric positive
 * semidefinite operator: that is the interface E of flow_pressure.h, and the pressure solve contains the mass of the
 * cloth (Robinson-Mosher, Shinar, Gretarsson, Su and Fedkiw 2008, "Two-way coupling of fluids to rigid and deformable
 * solids and shells", section 4). It must: the air that moves with a sheet of size L weighs about density x L per area,
 * more than cloth, and a scheme that gives the air the cloth's velocity, then the cloth the air's pressure, multiplies
 * errors by (air's mass / cloth's mass) in every step, however short (Causin, Gerbeau and Nobile 2005, "Added-mass
 * effect in the design of partitioned algorithms for fluid-structure problems", proposition 3).
 *
 * Air glides along cloth. What no air passes through is the cloth, not the steps of the grid's faces that stand for
 * it: across a face the air has, beyond W v, the part along the cloth of its velocity relative to it, t_a t.(u* - v),
 * with the mean of both sides for u* (slip). Without it cloth that lies between the same cells feels no wind along it,
 * however it is bent, and a flag in a stream is still: the pressure that makes it flap is what turns air round its
 * bends. Where cloth crosses many rows of cells these velocities cancel but for its ends; where no way leads around it
 * (sealed_faces.h), even that would be a leak, and there is none.
 *
 * Where cloth comes close to something, the air between is in a gap that the grid does not resolve. What cloth holds
 * there fades with its `nearness` (who knows the gap says it: world/flow_gaps.h). Pockets that layers of cloth shut in,
 * one cell thick, drain through their rim, open by 1 mm, at WF_FLOW_GAP_SPEED.
 *
 * v* takes the cloth's elastic and contact forces from elsewhere. From the last step, v* = 2 v_n - v_(n-1) - h M^-1
 * (force of the air then): the Robin-Neumann scheme of Fernandez, Mullaert and Vidrascu (2013, "Explicit Robin-Neumann
 * schemes for the coupling of incompressible fluids with thin-walled structures", extrapolation of order 1), stable
 * for any step. It is exact where these forces change slowly; where cloth is stopped, it holds the air only as a spring
 * of stiffness M / h^2 does. With v* from a step of the cloth that had the air's last force, v* = v - h M^-1 force, and
 * the projection repeated until air and cloth agree, the step is implicit in both (Badia, Nobile and Vergara 2008,
 * "Fluid-structure partitioned procedures based on Robin transmission conditions"). Pinned vertices move as prescribed;
 * for the air they weigh infinitely much.
 *
 * Units: SI. Arrays of vertices are those of the sheet.
 */
#ifndef WEFT_AIR_FLOW_CLOTH_H
#define WEFT_AIR_FLOW_CLOTH_H

#include "air/cut_faces.h"
#include "air/flow.h"

typedef struct wf_flow_cloth wf_flow_cloth;

/* m/s: at which air leaves a thin gap under the weight of cloth, 0.5 to 4 Pa: by Bernoulli's equation 0.9 to 2.6. */
#define WF_FLOW_GAP_SPEED 1.5

/* Cloth as air meets it; read in the calls that take it. */
typedef struct wf_flow_sheet {
    int32_t vertex_count, face_count;
    const wf_vec3 *positions;     /* m */
    const int32_t (*faces)[3];
    const double *mass;           /* kg; of vertices that do not move as prescribed */
    const double *inverse_mass;   /* 1/kg; 0: the vertex moves as prescribed */
    const double *permeability;   /* of each face, m/s per Pa of pressure lost; NULL: tight */
    const double *nearness;       /* x of each vertex, from 0, on something, to 1: its faces let through
                                     (1 - x) / (x density WF_FLOW_GAP_SPEED) as well, m/s per Pa; NULL: 1 */
    const double *density;        /* of each face, kg/m2: layers on one face share its pressure by it; NULL: equally */
} wf_flow_sheet;

wf_status wf_flow_cloth_create(wf_context *context, wf_flow *flow, wf_flow_cloth **cloth);
void wf_flow_cloth_destroy(wf_flow_cloth *cloth);

/* Finds what the sheet cuts and tells the flow. Faces more than half of which are solid stay solid, others that are cut
 * become wholly open (`open`: of the flow's wf_flow_solids, or NULL). Then the flow is taken a step of `step` seconds,
 * with the velocities of wf_flow_cloth_predict. */
wf_status wf_flow_cloth_cut(wf_flow_cloth *cloth, const wf_flow_sheet *sheet, double step, float *const open[3]);

/* v* of the vertices, m/s, for the next projection; of those that are prescribed, what they do. Copied. */
void wf_flow_cloth_predict(wf_flow_cloth *cloth, const wf_vec3 *velocities);

/* After a projection: the mean force on each vertex in the step, N. Vertices that touch no cut face, and components of
 * others across which none is cut, have no force. */
void wf_flow_cloth_result(const wf_flow_cloth *cloth, wf_vec3 *forces);

/* How far the air is from the cloth: the largest, over cut faces, of the difference between the velocity that the air
 * took the cloth to have and that of these velocities, m/s; and its rms. */
typedef struct wf_flow_cloth_leak {
    double largest, rms; /* m/s */
} wf_flow_cloth_leak;
wf_flow_cloth_leak wf_flow_cloth_leak_of(const wf_flow_cloth *cloth, const wf_vec3 *velocities);

const wf_cut_faces *wf_flow_cloth_cuts(const wf_flow_cloth *cloth);

#endif
