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

/* ---- directional: a parallel wind with a vertical profile -------------------------------------------------------- */

typedef enum wf_wind_profile { WF_WIND_LOGARITHMIC, WF_WIND_POWER } wf_wind_profile;

/* Over ground at height `ground`, with h = y - ground - displacement and u_r the velocity at reference_height:
 *   logarithmic   u = u_r ln(h / roughness) / ln(h_r / roughness) = (u* / 0.4) ln(h / roughness), 0 where h < roughness
 *   power         u = u_r (h / h_r)^exponent
 * (Pope 2000, eq. 7.43 f.; Stull 1988, section 9.7; the power law after Davenport 1960.) */
typedef struct wf_wind_directional {
    wf_vec3 velocity;         /* m/s, at the reference height */
    double reference_height;  /* m above `ground`, above displacement + roughness; default 10 */
    double ground;            /* m; default 0 */
    int profile;              /* a wf_wind_profile; default logarithmic */
    double roughness;         /* m, 1e-6 to 10; default 0.03, short grass */
    double displacement;      /* m, 0 to 1000; default 0 */
    double exponent;          /* 0 to 1; default 1/7 */
    double friction_velocity; /* m/s, u*: above 0 it gives the speed of the logarithmic profile, and `velocity` the
                                 direction alone; default 0 */
} wf_wind_directional;

extern const wf_wind_source_class wf_wind_directional_class;
wf_wind_directional wf_default_wind_directional(void);

/* ---- point and line: sources and sinks --------------------------------------------------------------------------- */

/* flow r / (4 pi max(|r|, core)^3): no divergence outside the core, a constant one inside. (Lamb 1932, art. 56.) */
typedef struct wf_wind_point {
    wf_vec3 position; /* m */
    double flow;      /* m3/s that come out; negative: a sink */
    double core;      /* m, 1e-4 to 1e4; default 0.05 */
} wf_wind_point;

extern const wf_wind_source_class wf_wind_point_class;
wf_wind_point wf_default_wind_point(void);

/* The same of an infinite line: flow r / (2 pi max(|r|, core)^2), r across the axis. */
typedef struct wf_wind_line {
    wf_vec3 position; /* m, on it */
    wf_vec3 axis;     /* of length 1; default {0, 1, 0} */
    double flow;      /* m2/s: m3/s that come out of each metre; negative: a sink */
    double core;      /* m, 1e-4 to 1e4; default 0.05 */
} wf_wind_line;

extern const wf_wind_source_class wf_wind_line_class;
wf_wind_line wf_default_wind_line(void);

/* ---- vortices ---------------------------------------------------------------------------------------------------- */

typedef enum wf_wind_vortex_core { WF_WIND_LAMB, WF_WIND_RANKINE } wf_wind_vortex_core;

/* An infinite straight vortex, right-handed about its axis k: circulation (k x r) / (2 pi r^2) f(r), r across the axis.
 *   lamb      f = 1 - exp(-r^2 / core^2), viscous: smooth everywhere (Oseen 1912; Lamb 1932, art. 334a)
 *   rankine   f = min(1, r^2 / core^2): turns like a rigid body inside, has no curl outside (Rankine 1858) */
typedef struct wf_wind_vortex {
    wf_vec3 position;   /* m, on its axis */
    wf_vec3 axis;       /* of length 1; default {0, 1, 0} */
    double circulation; /* m2/s */
    double core;        /* m, 1e-4 to 1e4; default 0.1 */
    int profile;        /* a wf_wind_vortex_core; default lamb */
} wf_wind_vortex;

extern const wf_wind_source_class wf_wind_vortex_class;
wf_wind_vortex wf_default_wind_vortex(void);

/* A circular vortex filament, whose air goes along the axis inside: (circulation / 4 pi) times the integral of dl x r /
 * (|r|^2 + core^2)^(3/2) around it, in closed form with complete elliptic integrals (Lamb 1932, art. 161; the core
 * after Rosenhead 1930 and Moore 1972, for which the field has no divergence anywhere). */
typedef struct wf_wind_ring {
    wf_vec3 position;   /* m, of its centre */
    wf_vec3 axis;       /* of length 1; default {0, 1, 0} */
    double radius;      /* m, 1e-3 to 1e4 */
    double circulation; /* m2/s */
    double core;        /* m, 1e-4 to 1e4; default 0.05 */
} wf_wind_ring;

extern const wf_wind_source_class wf_wind_ring_class;
wf_wind_ring wf_default_wind_ring(void);

/* ---- jet: air that is blown out of a round opening --------------------------------------------------------------- */

/* A round turbulent jet in still air. At the distance x from the opening the speed is `speed` within the radius c(x)
 * and speed exp(-ln 2 (r - c)^2 / b^2) outside, b = spread x, and c such that the momentum flux, (pi / 4) diameter^2
 * speed^2 per density, is the same at all x; where c ends (x = 6.3 diameters) the speed on the axis begins to fall as
 * 1 / x, and b is the half-width of a Gaussian (Albertson, Dai, Jensen and Rouse 1950; Pope 2000, section 5.1: spread
 * 0.094). Across, the air moves so that none is made: the jet draws in what is around it. Behind the opening nothing
 * moves. */
typedef struct wf_wind_jet {
    wf_vec3 position; /* m, the middle of the opening */
    wf_vec3 axis;     /* of length 1; default {0, 0, 1} */
    double speed;     /* m/s at the opening, up to WF_WIND_SPEED_LIMIT */
    double diameter;  /* m, 1e-3 to 1e3 */
    double spread;    /* of the half-width per distance, 0.01 to 1; default 0.094 */
} wf_wind_jet;

extern const wf_wind_source_class wf_wind_jet_class;
wf_wind_jet wf_default_wind_jet(void);

/* ---- gust: one that comes and goes ------------------------------------------------------------------------------- */

typedef enum wf_wind_gust_shape { WF_WIND_GUST_COSINE, WF_WIND_GUST_EOG, WF_WIND_GUST_RISE, WF_WIND_GUST_RAMP }
    wf_wind_gust_shape;

/* velocity g(t'), t' = (t - onset) / duration:
 *   cosine   g = (1 - cos 2 pi t') / 2                         the discrete gust of FAR 25.341 (a)
 *   eog      g = -0.37 sin(3 pi t') (1 - cos 2 pi t')          the extreme operating gust of IEC 61400-1: a dip, a peak
 *   rise     g = (1 - cos pi t') / 2, then 1                   the extreme coherent gust of IEC 61400-1
 *   ramp     g = t', then 1
 * 0 before, and after where nothing else is said. */
typedef struct wf_wind_gust {
    wf_vec3 velocity; /* m/s, at its height */
    double onset;     /* s; default 0 */
    double duration;  /* s, 1e-3 to 1e6; default 2 */
    int shape;        /* a wf_wind_gust_shape; default cosine */
    wf_vec3 travel;   /* m/s: how the front goes; it is at `position` at the onset. Default 0: everywhere at once */
    wf_vec3 position; /* m */
} wf_wind_gust;

extern const wf_wind_source_class wf_wind_gust_class;
wf_wind_gust wf_default_wind_gust(void);

/* ---- turbulence: the spectra of the atmosphere ------------------------------------------------------------------- */

typedef enum wf_wind_spectrum { WF_WIND_VON_KARMAN, WF_WIND_DRYDEN } wf_wind_spectrum;

/* Homogeneous isotropic turbulence without divergence, of zero mean, that `velocity` carries past (Taylor's frozen
 * turbulence): a sum of waves with random directions and phases (Kraichnan 1970) whose energies follow, with q = L k,
 *   von karman   E(k) = intensity^2 L (55 / 9 pi) (1.339 q)^4 / (1 + (1.339 q)^2)^(17/6)
 *   dryden       E(k) = intensity^2 L (8 / pi) q^4 / (1 + q^2)^3
 * so that along any line the spectra of the component along it and of those across are those of MIL-F-8785C, 3.7.1.1
 * and 3.7.1.2. Eddies smaller than `smallest` are left out, and with them their part of the energy. Each wave has two
 * components across its wave vector, a quarter of a turn apart, so that it has the same energy in both. */
typedef struct wf_wind_turbulence {
    double intensity;    /* m/s: standard deviation of each component */
    double length;       /* m, L: the integral length along the wind; 0.01 to 1e5; default 10 */
    int spectrum;        /* a wf_wind_spectrum; default von karman */
    wf_vec3 velocity;    /* m/s: what carries it; it is not part of the field. Default 0 */
    double unsteadiness; /* of each wave, per turn-over time of its eddies (k^3 E)^(-1/2) (Fung et al. 1992, who take
                            0.4 to 0.5); 0 to 10; default 0: frozen */
    double smallest;     /* m: 2 pi over the largest k; at least 1e-3 m, below `length`; default 0: length / 100 */
    int64_t waves;       /* 8 to 1024; default 192 */
    int64_t seed;        /* 0 to 2^53; default 1 */
} wf_wind_turbulence;

extern const wf_wind_source_class wf_wind_turbulence_class;
wf_wind_turbulence wf_default_wind_turbulence(void);

/* ---- curl noise -------------------------------------------------------------------------------------------------- */

/* The curl of octaves of gradient noise (Bridson, Hourihan and Nordenstam 2007; Perlin 2002), in closed form: it has no
 * divergence. Each octave has half the `scale` of the one before and `gain` times its speed. Gradients turn (Perlin and
 * Neyret 2001) `evolution` times per turn-over time, scale over speed of the octave. Repeats after 2^31 cells. */
typedef struct wf_wind_curl_noise {
    double intensity;  /* m/s: standard deviation of each component, all octaves together */
    double scale;      /* m, the cells of the first octave; 0.01 to 1e5; default 1 */
    int64_t octaves;   /* 1 to 8, of which the last must have cells of 1e-3 m at least; default 3 */
    double gain;       /* 0 to 1; default 0.79 = 2^(-1/3) (Kolmogorov 1941) */
    double evolution;  /* 0 to 10; default 0.25 */
    wf_vec3 velocity;  /* m/s: what carries it; it is not part of the field. Default 0 */
    int64_t seed;      /* 0 to 2^53; default 1 */
} wf_wind_curl_noise;

extern const wf_wind_source_class wf_wind_curl_noise_class;
wf_wind_curl_noise wf_default_wind_curl_noise(void);

/* ---- field: velocities on a lattice ------------------------------------------------------------------------------ */

typedef enum wf_wind_field_interpolation { WF_WIND_FIELD_LINEAR, WF_WIND_FIELD_CUBIC } wf_wind_field_interpolation;
typedef enum wf_wind_field_outside { WF_WIND_FIELD_STILL, WF_WIND_FIELD_EDGE, WF_WIND_FIELD_REPEAT }
    wf_wind_field_outside;

/* Points of a lattice, at most: 0.8 GB. */
#define WF_WIND_FIELD_LIMIT (INT64_C(1) << 26)

/* Fills in the velocities (m/s) at `count` points (m), those of the lattice, x fastest, then y, then z. */
typedef wf_status wf_wind_field_function(void *user, double time, size_t count, const wf_vec3 *points,
                                         wf_vec3 *velocities);

/* Velocities at the points origin + {i, j, k} spacing, between which they are interpolated: trilinearly, or by cubics
 * through the points whose slope there is that between the neighbours (Catmull and Rom 1974). They are kept in single
 * precision. A direction with one point does not matter. What is beyond the last points: nothing (still), what is at
 * the edge, or the field again, whose first point follows the last. */
typedef struct wf_wind_field {
    wf_vec3 origin;            /* m, of the first point; can be moved */
    wf_vec3 spacing;           /* m, 1e-4 to 1e5 each */
    int64_t counts[3];         /* points along x, y, z, 1 to 4096 each and WF_WIND_FIELD_LIMIT in all */
    int interpolation;         /* a wf_wind_field_interpolation; default linear */
    int outside;               /* a wf_wind_field_outside; default still */
    const wf_vec3 *velocities; /* [counts], copied, each at most WF_WIND_SPEED_LIMIT; NULL: they come from `function` */
    wf_wind_field_function *function; /* asked by wf_wind_prepare, once per step; what it gives holds until the next */
    void *user;                       /* its first argument, which must live as long as the source */
    void (*destroy)(wf_context *context, void *user); /* frees it with the source, once that is made; NULL: the caller
                                                         does */
} wf_wind_field;

extern const wf_wind_source_class wf_wind_field_class;
wf_wind_field wf_default_wind_field(void);

/* Puts other velocities [counts] in the place of a field's. WF_ERROR_ARGUMENT names the first that is not finite or
 * beyond WF_WIND_SPEED_LIMIT; nothing is then changed. */
wf_status wf_wind_field_set(wf_wind_source *source, const wf_vec3 *velocities);

#endif
