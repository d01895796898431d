/* sampling.h - where the rays go: hashed low-discrepancy points and the shapes they are mapped to.
 *
 * Every random choice of a picture is a function of (seed, pixel, sample, purpose), so a picture is the same bits for
 * any number of threads and any order of the pixels.
 */
#ifndef WEFT_SHADE_SAMPLING_H
#define WEFT_SHADE_SAMPLING_H

#include <cglm/cglm.h>
#include <stdint.h>

/* A 32-bit mixing function: two rounds of xor-shift and multiplication (the form of Steele, Lea and Flood 2014). */
static inline uint32_t wf_hash32(uint32_t value)
{
    value ^= value >> 16;
    value *= 0x7feb352du;
    value ^= value >> 15;
    value *= 0x846ca68bu;
    value ^= value >> 16;
    return value;
}

/* The base-2 radical inverse of `index`, as a 32-bit fraction: the first coordinate of a (0, 2)-sequence. */
static inline uint32_t wf_van_der_corput(uint32_t index)
{
    index = (index << 16) | (index >> 16);
    index = ((index & 0x00ff00ffu) << 8) | ((index & 0xff00ff00u) >> 8);
    index = ((index & 0x0f0f0f0fu) << 4) | ((index & 0xf0f0f0f0u) >> 4);
    index = ((index & 0x33333333u) << 2) | ((index & 0xccccccccu) >> 2);
    return ((index & 0x55555555u) << 1) | ((index & 0xaaaaaaaau) >> 1);
}

/* The second coordinate: Sobol's direction numbers of the polynomial x + 1 (Kollig and Keller 2002, section 3). */
static inline uint32_t wf_sobol2(uint32_t index)
{
    uint32_t result = 0;
    for (uint32_t direction = 1u << 31; index != 0; index >>= 1, direction ^= direction >> 1) {
        if (index & 1u) {
            result ^= direction;
        }
    }
    return result;
}

/* Point `index` of the (0, 2)-sequence scrambled by `key`, in [0, 1)². Equal keys give one well spread set of points;
 * different keys give independent sets. Scrambling by exclusive or keeps the stratification. */
static inline void wf_sample_square(uint32_t index, uint32_t key, vec2 point)
{
    uint32_t scramble_x = wf_hash32(key), scramble_y = wf_hash32(key ^ 0x9e3779b9u);
    point[0] = (float)((wf_van_der_corput(index) ^ scramble_x) >> 8) * 0x1p-24f;
    point[1] = (float)((wf_sobol2(index) ^ scramble_y) >> 8) * 0x1p-24f;
}

/* Two unit vectors that complete the unit vector `n` to a right-handed frame (Duff et al. 2017). */
static inline void wf_tangent_frame(const vec3 n, vec3 s, vec3 t)
{
    float sign = copysignf(1.0f, n[2]), a = -1.0f / (sign + n[2]), b = n[0] * n[1] * a;
    s[0] = 1.0f + sign * n[0] * n[0] * a;
    s[1] = sign * b;
    s[2] = -sign * n[0];
    t[0] = b;
    t[1] = sign + n[1] * n[1] * a;
    t[2] = -n[1];
}

/* The point of the unit disc that belongs to a point of the unit square, areas kept (Shirley and Chiu 1997). */
static inline void wf_sample_disc(const vec2 point, vec2 disc)
{
    float x = 2.0f * point[0] - 1.0f, y = 2.0f * point[1] - 1.0f;
    if (x == 0.0f && y == 0.0f) {
        disc[0] = disc[1] = 0.0f;
        return;
    }
    bool wide = fabsf(x) > fabsf(y);
    float radius = wide ? x : y;
    float angle = wide ? GLM_PI_4f * (y / x) : GLM_PI_2f - GLM_PI_4f * (x / y);
    disc[0] = radius * cosf(angle);
    disc[1] = radius * sinf(angle);
}

/* A unit vector about `n`, with probability proportional to its cosine with `n`. */
static inline void wf_sample_cosine(const vec3 n, const vec2 point, vec3 direction)
{
    vec2 disc;
    vec3 s, t;
    wf_sample_disc(point, disc);
    wf_tangent_frame(n, s, t);
    float height = sqrtf(fmaxf(0.0f, 1.0f - disc[0] * disc[0] - disc[1] * disc[1]));
    for (int i = 0; i < 3; i++) {
        direction[i] = s[i] * disc[0] + t[i] * disc[1] + n[i] * height;
    }
}

/* A unit vector toward a disc-shaped light seen under the half-angle atan(`radius`) about the unit vector `axis`. */
static inline void wf_sample_light(const vec3 axis, float radius, const vec2 point, vec3 direction)
{
    vec2 disc;
    vec3 s, t;
    wf_sample_disc(point, disc);
    wf_tangent_frame(axis, s, t);
    for (int i = 0; i < 3; i++) {
        direction[i] = axis[i] + radius * (s[i] * disc[0] + t[i] * disc[1]);
    }
    glm_vec3_normalize(direction);
}

#endif
