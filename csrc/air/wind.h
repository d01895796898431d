/* wind.h - the wind of a world: sources that superpose.
 *
 * w(x, t) = sum of w_i(x, t) (Keckeisen 2005, section 2.5). Sources are added in their order, so that sums are the same
 * bits always.
 */
#ifndef WEFT_AIR_WIND_H
#define WEFT_AIR_WIND_H

#include "air/sources.h"
#include "air/wind_source.h"

typedef struct wf_wind wf_wind;

wf_status wf_wind_create(wf_context *context, wf_wind **wind);
void wf_wind_destroy(wf_wind *wind); /* NULL is allowed */

/* The wind holds a reference. WF_ERROR_ARGUMENT where the source is in this wind already, or of another context;
 * WF_ERROR_STATE while callbacks are asked. */
wf_status wf_wind_add(wf_wind *wind, wf_wind_source *source);
/* WF_ERROR_ARGUMENT where it is not in this wind. */
wf_status wf_wind_remove(wf_wind *wind, const wf_wind_source *source);
wf_status wf_wind_clear(wf_wind *wind);

size_t wf_wind_count(const wf_wind *wind);
wf_wind_source *wf_wind_at(const wf_wind *wind, size_t index); /* NULL out of range */

/* Asks the callbacks of all sources that have one for their fields at this time (s): once per step, before anything of
 * the step is done. All or nothing: when one fails, every field stays as it was. */
wf_status wf_wind_prepare(wf_wind *wind, double time);
/* Asks only those callbacks that have given nothing yet, for whoever wants to look: what steps use is asked anew in
 * each. */
wf_status wf_wind_prepare_new(wf_wind *wind, double time);
/* The step failed: fields are again what they were before they were asked. */
void wf_wind_take_back(wf_wind *wind);

/* The velocities (m/s) at `points` (m) at a time (s); overwrites. Errors as wf_wind_source_add. */
wf_status wf_wind_velocities(const wf_wind *wind, double time, size_t count, const wf_vec3 *points,
                             wf_vec3 *velocities);

#endif
