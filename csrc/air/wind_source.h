/* wind_source.h - what makes wind: velocities of the air as functions of place and time, that superpose.
 *
 * A kind of source is one file in air/sources/ and one line of the table in wind_source.c; its parameters are a struct
 * (sources.h) and a table that names them, so that scripts read and set them by name. What all kinds have: a strength
 * over time, an extent outside of which they do not blow, a falloff with distance, and a switch. A source serves any
 * number of winds and worlds (wind.h). (Wejchert and Haumann 1991: flow primitives; Keckeisen 2005, section 2.5.)
 */
#ifndef WEFT_AIR_WIND_SOURCE_H
#define WEFT_AIR_WIND_SOURCE_H

#include "base/context.h"
#include "base/vector.h"

enum {
    WF_WIND_BLOCK = 256,     /* points that a kind is asked for at once */
    WF_WIND_KEY_LIMIT = 4096 /* keys of a strength */
};

/* m/s: no source blows faster, whatever its strength: a velocity beyond it is shortened to it. The air of all models is
 * incompressible, which ends at a third of this. */
#define WF_WIND_SPEED_LIMIT 1000.0

/* Points farther out (m) count as if they were here. */
#define WF_WIND_PLACE_LIMIT 1e6

/* The same of times (s). */
#define WF_WIND_TIME_LIMIT 1e9

typedef struct wf_wind_source wf_wind_source;

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

/* Points and the velocities there, side by side. Places from `count` up to the next multiple of 8 hold numbers that
 * may be computed with. */
typedef struct wf_wind_block {
    _Alignas(64) double x[WF_WIND_BLOCK]; /* m */
    double y[WF_WIND_BLOCK], z[WF_WIND_BLOCK];
    double u[WF_WIND_BLOCK], v[WF_WIND_BLOCK], w[WF_WIND_BLOCK]; /* m/s along x, y, z */
    size_t count;
} wf_wind_block;

static inline wf_vec3 wf_wind_block_point(const wf_wind_block *block, size_t i)
{
    return (wf_vec3){block->x[i], block->y[i], block->z[i]};
}

static inline void wf_wind_block_set(wf_wind_block *block, size_t i, wf_vec3 velocity)
{
    block->u[i] = velocity.x;
    block->v[i] = velocity.y;
    block->w[i] = velocity.z;
}

typedef enum wf_wind_parameter_type {
    WF_WIND_NUMBER,    /* a double */
    WF_WIND_INTEGER,   /* an int64_t */
    WF_WIND_CHOICE,    /* an int: the position in `choices` */
    WF_WIND_VECTOR,    /* a wf_vec3 whose components are in the range */
    WF_WIND_VELOCITY,  /* a wf_vec3 of at most WF_WIND_SPEED_LIMIT */
    WF_WIND_POSITION,  /* a wf_vec3 within WF_WIND_PLACE_LIMIT */
    WF_WIND_DIRECTION  /* a wf_vec3 of length 1; may be given in any length but 0 */
} wf_wind_parameter_type;

typedef struct wf_wind_parameter {
    const char *name;
    wf_wind_parameter_type type;
    size_t offset;               /* in the kind's parameters */
    double minimum, maximum;     /* of numbers, integers and the components of vectors */
    const char *const *choices;  /* ended by NULL */
    bool required;               /* has no default */
    bool fixed;                  /* is only set when the source is made */
} wf_wind_parameter;

typedef struct wf_wind_source_class {
    const char *name;
    size_t parameter_size;
    const void *defaults;
    const wf_wind_parameter *parameters; /* ended by a name of NULL */
    bool uniform;                        /* the same everywhere, but for extent and falloff */

    /* Checks parameters that are each in their range, and makes from them what `velocities` needs, in `source->derived`
     * (from wf_allocate); on failure that is as it was. NULL: nothing to do. */
    wf_status (*update)(wf_wind_source *source, const void *parameters);

    /* Sets the velocities of a block, at strength 1. Runs on any thread. */
    void (*velocities)(const wf_wind_source *source, double time, wf_wind_block *block);

    /* The kind's own words of its print, as "{4, 0, 1} m/s". */
    void (*describe)(const wf_wind_source *source, char *text, size_t size);

    /* For sources that `asks` is set of: `sample` asks their callback, for the time, and keeps the answer aside;
     * `accept` puts the answer in force, and `take_back` what was before, unless anything was set since. */
    wf_status (*sample)(wf_wind_source *source, double time);
    void (*accept)(wf_wind_source *source);
    void (*take_back)(wf_wind_source *source);
    /* WF_ERROR_STATE while there is nothing that `velocities` could tell. NULL: there always is. */
    wf_status (*ready)(const wf_wind_source *source);

    /* The box outside of which it does not blow by its nature. NULL: everywhere. */
    void (*bounds)(const wf_wind_source *source, wf_vec3 *lower, wf_vec3 *upper);

    /* Continues a hash over what the field is made of beside the parameters. NULL: nothing. */
    uint64_t (*hash)(const wf_wind_source *source, uint64_t hash);

    /* Frees what hangs on `derived` beside that block itself. NULL: nothing. */
    void (*free_derived)(wf_context *context, void *derived);
} wf_wind_source_class;

/* The kinds: their number, and each from 0 (NULL out of range). */
int wf_wind_source_class_count(void);
const wf_wind_source_class *wf_wind_source_class_at(int index);

/* ---- what all kinds have ----------------------------------------------------------------------------------------- */

typedef struct wf_wind_key {
    double time, value; /* s; the factor */
} wf_wind_key;

typedef enum wf_wind_interpolation {
    WF_WIND_LINEAR, /* between keys */
    WF_WIND_COSINE  /* half a cosine between keys, level at them */
} wf_wind_interpolation;

/* A factor over time: the first key's before it, the last key's after it. */
typedef struct wf_wind_strength {
    const wf_wind_key *keys; /* by time, strictly rising; values within +-1e6 */
    size_t count;            /* 1 to WF_WIND_KEY_LIMIT */
    wf_wind_interpolation interpolation;
    double period;           /* s: what happens from 0 to this repeats; 0: nothing does */
} wf_wind_strength;

typedef enum wf_wind_shape { WF_WIND_EVERYWHERE, WF_WIND_BOX, WF_WIND_SPHERE } wf_wind_shape;

/* Where it blows. The box and the sphere stay where they are when the source moves. */
typedef struct wf_wind_extent {
    wf_wind_shape shape;
    wf_vec3 lower, upper; /* m, of the box */
    wf_vec3 centre;       /* of the sphere */
    double radius;        /* m, of the sphere */
    double margin;        /* m: within this distance of the boundary, inside, it fades; 0: it ends at once */
} wf_wind_extent;

/* Attenuation with distance r from a centre: 1 up to `radius`, 0 from `radius + width` on, and between 1 - 10 s^3 +
 * 15 s^4 - 6 s^5 with s = (r - radius) / width, twice continuously differentiable (Perlin 2002). */
typedef struct wf_wind_falloff {
    bool on;
    double radius, width; /* m; 0 or more, and above 0 */
    bool own_centre;      /* else the source's position, with which it moves */
    wf_vec3 centre;
} wf_wind_falloff;

/* Read by the layers above; changed through the functions below alone. */
struct wf_wind_source {
    wf_context *context;
    int32_t reference_count;
    const wf_wind_source_class *class;
    bool enabled;
    bool asks;           /* a callback gives the field: wf_wind_prepare asks it once per step */
    wf_wind_strength strength; /* its keys are the source's own */
    wf_wind_extent extent;
    wf_wind_falloff falloff;
    void *parameters;    /* the kind's struct, as in sources.h */
    void *derived;       /* what the kind made of them */
};

/* Makes a source of strength 1 that blows everywhere its kind does. The parameters are copied. The caller holds one
 * reference. Errors: WF_ERROR_ARGUMENT names the parameter; WF_ERROR_MEMORY, WF_ERROR_LIMIT. */
wf_status wf_wind_source_create(wf_context *context, const wf_wind_source_class *class, const void *parameters,
                                wf_wind_source **source);

/* Counts holders; the last release frees the source. NULL is allowed. */
wf_wind_source *wf_wind_source_retain(wf_wind_source *source);
void wf_wind_source_release(wf_wind_source *source);

/* The description of a parameter, NULL where the kind has none of this name. */
const wf_wind_parameter *wf_wind_source_parameter(const wf_wind_source_class *class, const char *name);

/* Checks a value (numbers, integers and choices in value[0]) and stores it in a struct of the kind's parameters.
 * WF_ERROR_ARGUMENT says what is wrong, and leaves them as they were. */
wf_status wf_wind_parameter_store(wf_context *context, const wf_wind_parameter *parameter, void *parameters,
                                  const double value[3]);
void wf_wind_parameter_load(const wf_wind_parameter *parameter, const void *parameters, double value[3]);

/* Changes one parameter of a source; all or nothing. WF_ERROR_STATE for one that is fixed. */
wf_status wf_wind_source_set(wf_wind_source *source, const wf_wind_parameter *parameter, const double value[3]);

/* WF_ERROR_ARGUMENT for values out of the ranges above; the source is then unchanged. */
wf_status wf_wind_source_set_strength(wf_wind_source *source, const wf_wind_strength *strength);
wf_status wf_wind_source_set_extent(wf_wind_source *source, const wf_wind_extent *extent);
wf_status wf_wind_source_set_falloff(wf_wind_source *source, const wf_wind_falloff *falloff);
void wf_wind_source_enable(wf_wind_source *source, bool enabled);

/* ---- questions --------------------------------------------------------------------------------------------------- */

/* Adds the source's velocities (m/s) at `points` (m) at a time (s), which counts as WF_WIND_TIME_LIMIT beyond that. The
 * same bits for any number of threads.
 * WF_ERROR_STATE for one whose callback has not been asked yet (wf_wind_source_prepare). */
wf_status wf_wind_source_add(const wf_wind_source *source, double time, size_t count, const wf_vec3 *points,
                             wf_vec3 *velocities);

/* Asks the source's callback, if it has one, for the field at this time; the field stays as it was when that fails. */
wf_status wf_wind_source_prepare(wf_wind_source *source, double time);
/* The same where it cannot tell velocities yet, because it has not been asked. */
wf_status wf_wind_source_prepare_new(wf_wind_source *source, double time);

/* The factor at a time; 0 while it is not enabled. */
double wf_wind_source_strength(const wf_wind_source *source, double time);

/* The box outside of which it does not blow, at any time; infinite where there is none. Empty (lower > upper) where
 * extent and falloff exclude each other. */
void wf_wind_source_bounds(const wf_wind_source *source, wf_vec3 *lower, wf_vec3 *upper);

/* Whether it blows the same everywhere. */
bool wf_wind_source_is_uniform(const wf_wind_source *source);

/* Continues a hash (base/hash.h) over all that decides its velocities. */
uint64_t wf_wind_source_hash(const wf_wind_source *source, uint64_t hash);

/* Its place (m), for kinds that have one; false for the others. */
bool wf_wind_source_position(const wf_wind_source *source, wf_vec3 *position);

#endif
