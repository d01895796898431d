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
static WF_ALWAYS_INLINE double floor_of(double a)
{
    double nearest = (a + 0x1.8p52) - 0x1.8p52;
    return nearest > a ? nearest - 1 : nearest;
}

/* An integer as one of 32 bits, so that far out the lattice repeats. */
static WF_ALWAYS_INLINE uint32_t cell_of(double integer)
{
    const double period = 0x1p31, times = (integer / period + 0x1.8p52) - 0x1.8p52;
    return (uint32_t)(int32_t)(integer - period * times);
}

/* Which entry a corner takes (the finalizer of MurmurHash3; Appleby 2011). */
static WF_ALWAYS_INLINE int32_t entry_of(uint32_t i, uint32_t j, uint32_t k, uint32_t key)
{
    uint32_t h = i * 0x8da6b343u ^ j * 0xd8163841u ^ k * 0xcb1ab31fu ^ key;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return (int32_t)((h ^ h >> 16) % WF_NOISE_ENTRIES);
}

/* 6 t^5 - 15 t^4 + 10 t^3 (Perlin 2002) and its derivative. */
static WF_ALWAYS_INLINE double blend(double t)
{
    return t * t * t * (10 + t * (6 * t - 15));
}

static WF_ALWAYS_INLINE double blend_slope(double t)
{
    return 30 * t * t * (t - 1) * (t - 1);
}

/* A point within its cell: its entry's key and cell, the place from the cell's lower corner, weights and their slopes. */
typedef struct noise_place {
    uint32_t key, i, j, k;
    double x, y, z, bx, by, bz, sx, sy, sz;
} noise_place;

/* Adds what a corner of the cell contributes to the curl: of w g_c . f, with f from the corner, for c = x, y, z. */
static WF_ALWAYS_INLINE wf_vec3 add_corner(wf_vec3 sum, const noise_place *p, const double now[9][WF_NOISE_ENTRIES],
                                           bool cx, bool cy, bool cz)
{
    const double wx = cx ? p->bx : 1 - p->bx, wy = cy ? p->by : 1 - p->by, wz = cz ? p->bz : 1 - p->bz;
    const double dx = (cx ? p->sx : -p->sx) * wy * wz, dy = (cy ? p->sy : -p->sy) * wx * wz,
                 dz = (cz ? p->sz : -p->sz) * wx * wy, weight = wx * wy * wz;
    const double fx = p->x - cx, fy = p->y - cy, fz = p->z - cz;
    const int32_t e = entry_of(p->i + cx, p->j + cy, p->k + cz, p->key);
    const double a = now[0][e] * fx + now[1][e] * fy + now[2][e] * fz;
    const double b = now[3][e] * fx + now[4][e] * fy + now[5][e] * fz;
    const double c = now[6][e] * fx + now[7][e] * fy + now[8][e] * fz;
    return (wf_vec3){sum.x + (dy * c + weight * now[7][e] - dz * b - weight * now[5][e]),
                     sum.y + (dz * a + weight * now[2][e] - dx * c - weight * now[6][e]),
                     sum.z + (dx * b + weight * now[3][e] - dy * a - weight * now[1][e])};
}

static void add_noise(const wf_noise_gradients *gradients, const wf_noise_octave *octave, double time, wf_vec3 moved,
                      wf_wind_block *block)
{
    _Alignas(64) double now[9][WF_NOISE_ENTRIES];
    turn_gradients(gradients, octave->rate * time, now);
    const double inverse = 1 / octave->scale, factor = octave->factor;
    const wf_vec3 shift = octave->shift;
    const uint32_t key = octave->key;
    double *const u = block->u, *const v = block->v, *const w = block->w;
    WF_LANE_LOOP
    for (size_t n = 0; n < block->count; n++) {
        double x = (block->x[n] - moved.x) * inverse + shift.x, y = (block->y[n] - moved.y) * inverse + shift.y,
               z = (block->z[n] - moved.z) * inverse + shift.z;
        double x0 = floor_of(x), y0 = floor_of(y), z0 = floor_of(z);
        noise_place p = {.key = key, .i = cell_of(x0), .j = cell_of(y0), .k = cell_of(z0),
                         .x = x - x0, .y = y - y0, .z = z - z0};
        p.bx = blend(p.x);
        p.by = blend(p.y);
        p.bz = blend(p.z);
        p.sx = blend_slope(p.x);
        p.sy = blend_slope(p.y);
        p.sz = blend_slope(p.z);
        wf_vec3 sum = {0, 0, 0};
        sum = add_corner(sum, &p, now, false, false, false);
        sum = add_corner(sum, &p, now, true, false, false);
        sum = add_corner(sum, &p, now, false, true, false);
        sum = add_corner(sum, &p, now, true, true, false);
        sum = add_corner(sum, &p, now, false, false, true);
        sum = add_corner(sum, &p, now, true, false, true);
        sum = add_corner(sum, &p, now, false, true, true);
        sum = add_corner(sum, &p, now, true, true, true);
        u[n] += factor * sum.x;
        v[n] += factor * sum.y;
        w[n] += factor * sum.z;
    }
}

const wf_turbulence_kernels WF_KERNELS(wf_turbulence_table) = {sum_waves, add_noise};
