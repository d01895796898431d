/* flow_gaps.h - the gap between cloth and what it lies on, where it is thinner than the cells of a flow.
 *
 * Air under a falling sheet leaves sideways, in fractions of a second. Cells see the gap only while their centres lie
 * in it. Under a sheet that is uneven some do and some do not; those that do are cut off from each other, and their air
 * would be shut in for ever. So the gap keeps cells of its own: for the flow, cloth at a distance d from a solid lies
 * at
 *
 *     D + d / 2  where d < 2 D          D = the cell's size along the solid's normal n: sum of |n_a| spacing_a
 *
 * A layer as thick as D has its cells joined through their faces (Andres, Acharya and Sibata 1997, "Discrete analytical
 * hyperplanes": standard planes). Cloth moves along its own normal alone, by the part of the way that lies along it: a
 * hem on a floor and a sheet that spans a duct of solids stay tight. Order along the normal is kept and nothing jumps.
 *
 * Air finds this layer thicker than it is. What there is in truth between a floor and cloth that lies on it takes part
 * in nothing: its pressure is that above the cloth, through the weave or as it is closed off at the rim. So the
 * pressure that cloth holds fades with the gap: beside the weave's own, its faces have the permeability (flow_cloth.h)
 *
 *     (1 - x) / (x density U)           x = d / (2 D), U = 1.5 m/s
 *
 * U: at about this speed air leaves under the weight of cloth, 0.5 to 4 Pa by Bernoulli's equation 0.9 to 2.6 m/s.
 */
#ifndef WEFT_WORLD_FLOW_GAPS_H
#define WEFT_WORLD_FLOW_GAPS_H

#include "world/flow_air_private.h"

/* The surfaces of all bodies and rigid bodies, into f->bodies; whenever these are others. */
wf_status wf_world_make_flow_bodies(const wf_world *world, wf_world_flow *f);

/* Where cloth of the sheet is for the flow, and x of its vertices, into f->places and f->nearness, from where all is as
 * the step begins. */
void wf_world_find_flow_gaps(const wf_world *world, wf_world_flow *f);

#endif
