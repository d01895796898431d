/* colour.c - see colour.h. */
#include "shade/colour.h"

#include <stddef.h>

float wf_srgb_to_linear(float display)
{
    return display <= 0.04045f ? display / 12.92f : powf((display + 0.055f) / 1.055f, 2.4f);
}

float wf_linear_to_srgb(float light)
{
    return light <= 0.0031308f ? 12.92f * light : 1.055f * powf(light, 1.0f / 2.4f) - 0.055f;
}

float wf_tone(float light)
{
    const float knee = 0.7f;
    return light <= knee ? light : knee + (1.0f - knee) * (1.0f - expf((knee - light) / (1.0f - knee)));
}

uint8_t wf_colour_byte(float display)
{
    return (uint8_t)(fminf(fmaxf(display, 0.0f), 1.0f) * 255.0f + 0.5f);
}

/* Stops as Oklab (lightness, green-red, blue-yellow). */
static const float sequential_stops[][3] = {
    {0.28f, 0.00f, -0.14f}, {0.43f, 0.10f, -0.12f}, {0.57f, 0.18f, 0.02f}, {0.72f, 0.10f, 0.13f},
    {0.94f, -0.03f, 0.11f},
};
static const float diverging_stops[][3] = {
    {0.44f, -0.02f, -0.17f}, {0.68f, -0.03f, -0.09f}, {0.92f, 0.00f, 0.005f}, {0.68f, 0.10f, 0.06f},
    {0.47f, 0.17f, 0.08f},
};

/* Oklab to linear sRGB with the matrices of Ottosson (2020). */
static void oklab_to_linear(const vec3 lab, vec3 linear)
{
    float l = lab[0] + 0.3963377774f * lab[1] + 0.2158037573f * lab[2];
    float m = lab[0] - 0.1055613458f * lab[1] - 0.0638541728f * lab[2];
    float s = lab[0] - 0.0894841775f * lab[1] - 1.2914855480f * lab[2];
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    linear[0] = fmaxf(0.0f, 4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s);
    linear[1] = fmaxf(0.0f, -1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s);
    linear[2] = fmaxf(0.0f, -0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s);
}

void wf_colour_map_linear(wf_colour_map map, float t, vec3 linear)
{
    enum { SPANS = 4 };
    if (isnan(t)) {
        linear[0] = linear[1] = linear[2] = 0.2f;
        return;
    }
    const float(*stops)[3] = map == WF_MAP_DIVERGING ? diverging_stops : sequential_stops;
    float position = fminf(fmaxf(t, 0.0f), 1.0f) * SPANS;
    int span = position >= SPANS ? SPANS - 1 : (int)position;
    float fraction = position - (float)span;
    vec3 lab;
    for (int i = 0; i < 3; i++) {
        lab[i] = stops[span][i] * (1.0f - fraction) + stops[span + 1][i] * fraction;
    }
    oklab_to_linear(lab, linear);
}
