/* seams.h - which ends of two stitched edges belong together, and which side of each panel faces outward.
 *
 * Pattern files pair edges but not their ends. Two facts decide. First, the panels hang in space about as they will be
 * worn: of the two ways to pair the ends, the one with the smaller sum of squared distances is likelier. That sum
 * differs between the two ways by four times the scalar product of the sides' chords, so a gap between the panels,
 * however wide, does not blur it. Second, cloth has two sides: along a seam that is not twisted, outlines that run
 * counter-clockwise seen from outside meet in opposite directions (reference E6). What is unknown is therefore one bit
 * per panel: does its drawing show the outer side? All bits are chosen together so that
 *
 *   sum of evidence over seams + 4 (number of distinct corners after sewing) - 0.5 (number of panels turned over)
 *
 * is largest: neighbouring seams must agree on where corners go (pairing them wrongly merges corners that belong apart,
 * which lowers the Euler characteristic; a panel hung the wrong way round misleads all its seams at once, but not its
 * corners), and a drawing is believed until a clear majority speaks against it. Finally
 * every connected group of panels is turned so that its outer sides face away from its middle.
 */
#ifndef WEFT_GARMENT_SEAMS_H
#define WEFT_GARMENT_SEAMS_H

#include "garment/pattern.h"

/* Sets `same`, `crossed` and `evidence` of every seam and `turned` and `normal` of every panel. Warns, by name, where a
 * seam's placement clearly contradicts the decision, and where two seams with prescribed ends cannot both be kept
 * untwisted. Errors: WF_ERROR_MEMORY. */
wf_status wf_garment_match_seams(wf_context *context, wf_garment *garment);

#endif
