/* sources.h - the kinds of wind sources and their parameters.
 *
 * A source is made of a class and its parameters, which start from wf_default_<kind>():
 *
 *     wf_wind_uniform parameters = wf_default_wind_uniform();
 *     parameters.velocity.x = 4;
 *     wf_wind_source *source;
 *     wf_status status = wf_wind_source_create(context, &wf_wind_uniform_class, &parameters, &source);
 */
#ifndef WEFT_AIR_SOURCES_H
#define WEFT_AIR_SOURCES_H

#include "air/wind_source.h"

/* ---- uniform: the same velocity everywhere ----------------------------------------------------------------------- */

typedef struct wf_wind_uniform {
    wf_vec3 velocity; /* m/s */
} wf_wind_uniform;

extern const wf_wind_source_class wf_wind_uniform_class;
wf_wind_uniform wf_default_wind_uniform(void);

#endif
