/* turbulence_kernels.c - see turbulence_kernels.h. */
#define WF_WIDE_KERNELS

#include "air/turbulence_kernels.h"

#include "air/turns.h"

static void sum_waves(const wf_waves *waves, double time, wf_wind_block *block)
{
    double phases[WF_WAVE_LIMIT];
    for (size_t n = 0; n < waves->count; n++) {
        phases[n] = waves->phase[n] + waves->rate[n] * time;
    }
    for (size_t i = 0; i < block->count; i += (size_t)WF_WIDTH) {
        const wf_wide x = wf_wide_load(block->x + i), y = wf_wide_load(block->y + i), z = wf_wide_load(block->z + i);
        wf_wide3 sum = {wf_wide_set(0), wf_wide_set(0), wf_wide_set(0)};
        for (size_t n = 0; n < waves->count; n++) {
            wf_wide sine, cosine;
            wf_wide_turn(x * wf_wide_set(waves->k[0][n]) + y * wf_wide_set(waves->k[1][n]) +
                             z * wf_wide_set(waves->k[2][n]) + wf_wide_set(phases[n]),
                         &sine, &cosine);
            sum.x = sum.x + (cosine * wf_wide_set(waves->a[0][n]) + sine * wf_wide_set(waves->b[0][n]));
            sum.y = sum.y + (cosine * wf_wide_set(waves->a[1][n]) + sine * wf_wide_set(waves->b[1][n]));
            sum.z = sum.z + (cosine * wf_wide_set(waves->a[2][n]) + sine * wf_wide_set(waves->b[2][n]));
        }
        wf_wide_store(block->u + i, sum.x);
        wf_wide_store(block->v + i, sum.y);
        wf_wide_store(block->w + i, sum.z);
    }
}

/* ---- noise ------------------------------------------------------------------------------------------------------- */

/* The gradients at a time. */
static void turn_gradients(const wf_noise_gradients *gradients, double turns, double now[9][WF_NOISE_ENTRIES])
{
    for (int i = 0; i < WF_NOISE_ENTRIES; i += WF_WIDTH) {
        wf_wide sine, cosine;
        wf_wide_turn(wf_wide_load(gradients->phase + i) + wf_wide_set(turns), &sine, &cosine);
        for (int c = 0; c < 9; c++) {
            wf_wide_store(now[c] + i, wf_wide_load(gradients->cosine[c] + i) * cosine +
                                          wf_wide_load(gradients->sine[c] + i) * sine);
        }
    }
}

/* The largest integer that is not greater, of numbers below 2^51. */
static WF_ALWAYS_INLINE wf_wide floor_of(wf_wide a)
{
    wf_wide nearest = wf_wide_nearest(a);
    return wf_wide_select(nearest > a, nearest - wf_wide_set(1), nearest);
}

/* An integer as one of 32 bits, so that far out the lattice repeats. */
static WF_ALWAYS_INLINE wf_wide wrap(wf_wide integer)
{
    const wf_wide period = wf_wide_set(0x1p31);
    return integer - period * wf_wide_nearest(integer / period);
}

/* Which entry a corner takes (the finalizer of MurmurHash3; Appleby 2011). */
static WF_ALWAYS_INLINE int32_t entry_of(uint32_t mixed)
{
    uint32_t h = mixed;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return (int32_t)((h ^ h >> 16) % WF_NOISE_ENTRIES);
}

enum { CORNERS = 8 };

/* The entries of the corners of each lane's cell; corner c is one cell on along x, y, z where its bits 0, 1, 2 are. */
static WF_ALWAYS_INLINE void find_entries(wf_wide x, wf_wide y, wf_wide z, uint32_t key, int32_t entries[][WF_WIDTH])
{
    _Alignas(64) double cells[3][WF_WIDTH];
    wf_wide_store(cells[0], wrap(x));
    wf_wide_store(cells[1], wrap(y));
    wf_wide_store(cells[2], wrap(z));
    for (int lane = 0; lane < WF_WIDTH; lane++) {
        const uint32_t i = (uint32_t)(int32_t)cells[0][lane], j = (uint32_t)(int32_t)cells[1][lane],
                       k = (uint32_t)(int32_t)cells[2][lane];
        for (uint32_t c = 0; c < CORNERS; c++) {
            entries[c][lane] = entry_of((i + (c & 1)) * 0x8da6b343u ^ (j + (c >> 1 & 1)) * 0xd8163841u ^
                                        (k + (c >> 2)) * 0xcb1ab31fu ^ key);
        }
    }
}

/* 6 t^5 - 15 t^4 + 10 t^3 (Perlin 2002) and its derivative. */
static WF_ALWAYS_INLINE wf_wide blend(wf_wide t)
{
    return t * t * t * (wf_wide_set(10) + t * (wf_wide_set(6) * t - wf_wide_set(15)));
}

static WF_ALWAYS_INLINE wf_wide blend_slope(wf_wide t)
{
    return wf_wide_set(30) * t * t * (t - wf_wide_set(1)) * (t - wf_wide_set(1));
}

/* The curl of psi_c = sum over corners of w g_c . f, per cell, with f from the corner to the place (x, y, z) in the
 * cell. */
static WF_ALWAYS_INLINE wf_wide3 noise_curl(wf_wide x, wf_wide y, wf_wide z, const double now[9][WF_NOISE_ENTRIES],
                                            int32_t entries[][WF_WIDTH])
{
    const wf_wide one = wf_wide_set(1), f[3][2] = {{x, x - one}, {y, y - one}, {z, z - one}};
    const wf_wide bx = blend(x), by = blend(y), bz = blend(z);
    const wf_wide w[3][2] = {{one - bx, bx}, {one - by, by}, {one - bz, bz}};
    const wf_wide sx = blend_slope(x), sy = blend_slope(y), sz = blend_slope(z);
    const wf_wide s[3][2] = {{-sx, sx}, {-sy, sy}, {-sz, sz}};
    wf_wide3 sum = {wf_wide_set(0), wf_wide_set(0), wf_wide_set(0)};
    for (int corner = 0; corner < CORNERS; corner++) {
        const int i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;
        const wf_wide weight = w[0][i] * w[1][j] * w[2][k], dx = s[0][i] * w[1][j] * w[2][k],
                      dy = w[0][i] * s[1][j] * w[2][k], dz = w[0][i] * w[1][j] * s[2][k];
        wf_wide g[9];
        for (int c = 0; c < 9; c++) {
            g[c] = wf_wide_gather(now[c], entries[corner]);
        }
        const wf_wide a = g[0] * f[0][i] + g[1] * f[1][j] + g[2] * f[2][k];
        const wf_wide b = g[3] * f[0][i] + g[4] * f[1][j] + g[5] * f[2][k];
        const wf_wide c = g[6] * f[0][i] + g[7] * f[1][j] + g[8] * f[2][k];
        sum.x = sum.x + (dy * c - dz * b + weight * (g[7] - g[5]));
        sum.y = sum.y + (dz * a - dx * c + weight * (g[2] - g[6]));
        sum.z = sum.z + (dx * b - dy * a + weight * (g[3] - g[1]));
    }
    return sum;
}

static void add_noise(const wf_noise_gradients *gradients, const wf_noise_octave *octave, double time, wf_vec3 moved,
                      wf_wind_block *block)
{
    _Alignas(64) double now[9][WF_NOISE_ENTRIES];
    turn_gradients(gradients, octave->rate * time, now);
    const wf_wide inverse = wf_wide_set(1 / octave->scale), factor = wf_wide_set(octave->factor);
    for (size_t n = 0; n < block->count; n += (size_t)WF_WIDTH) {
        int32_t entries[CORNERS][WF_WIDTH];
        wf_wide x = (wf_wide_load(block->x + n) - wf_wide_set(moved.x)) * inverse + wf_wide_set(octave->shift.x);
        wf_wide y = (wf_wide_load(block->y + n) - wf_wide_set(moved.y)) * inverse + wf_wide_set(octave->shift.y);
        wf_wide z = (wf_wide_load(block->z + n) - wf_wide_set(moved.z)) * inverse + wf_wide_set(octave->shift.z);
        const wf_wide x0 = floor_of(x), y0 = floor_of(y), z0 = floor_of(z);
        find_entries(x0, y0, z0, octave->key, entries);
        const wf_wide3 curl = noise_curl(x - x0, y - y0, z - z0, now, entries);
        wf_wide_store(block->u + n, wf_wide_load(block->u + n) + curl.x * factor);
        wf_wide_store(block->v + n, wf_wide_load(block->v + n) + curl.y * factor);
        wf_wide_store(block->w + n, wf_wide_load(block->w + n) + curl.z * factor);
    }
}

const wf_turbulence_kernels WF_KERNELS(wf_turbulence_table) = {sum_waves, add_noise};
