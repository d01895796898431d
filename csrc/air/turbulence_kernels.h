/* turbulence_kernels.h - the inner loops of turbulence: sums of waves, and noise. */
#ifndef WEFT_AIR_TURBULENCE_KERNELS_H
#define WEFT_AIR_TURBULENCE_KERNELS_H

#include "air/wind_source.h"
#include "base/dispatch.h"

enum { WF_WAVE_LIMIT = 1024, WF_NOISE_ENTRIES = 64, WF_NOISE_OCTAVES = 8 };

/* Waves a cos p + b sin p with p = 2 pi (k . x + phase + rate t). Arrays of `count`. */
typedef struct wf_waves {
    size_t count;          /* up to WF_WAVE_LIMIT */
    double *k[3];          /* turns per m */
    double *phase, *rate;  /* turns, turns per s */
    double *a[3], *b[3];   /* m/s */
} wf_waves;

/* Gradients of a vector potential at the corners of a lattice, of which each corner takes one of WF_NOISE_ENTRIES:
 * component c along d is cosine[3 c + d] cos p + sine[3 c + d] sin p with p = 2 pi (phase + rate t). */
typedef struct wf_noise_gradients {
    double cosine[9][WF_NOISE_ENTRIES], sine[9][WF_NOISE_ENTRIES], phase[WF_NOISE_ENTRIES];
} wf_noise_gradients;

typedef struct wf_noise_octave {
    double scale;      /* m, the lattice's cells */
    double factor;     /* m/s that a curl of 1 per cell stands for */
    double rate;       /* turns per s of the gradients */
    wf_vec3 shift;     /* cells */
    uint32_t key;      /* which entry each corner takes */
} wf_noise_octave;

typedef struct wf_turbulence_kernels {
    /* Sets the velocities of a block. */
    void (*waves)(const wf_waves *waves, double time, wf_wind_block *block);
    /* Adds the curl of one octave of noise; the lattice has moved by `moved` m. */
    void (*noise)(const wf_noise_gradients *gradients, const wf_noise_octave *octave, double time, wf_vec3 moved,
                  wf_wind_block *block);
} wf_turbulence_kernels;

WF_DECLARE_KERNELS(wf_turbulence_kernels, wf_turbulence_table);

#endif
