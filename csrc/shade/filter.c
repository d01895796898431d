/* filter.c - see filter.h. */
#include "shade/filter.h"

/* A neighbour counts by 1 / e less for every such difference. */
static const float DEPTH_SCALE = 0.02f;  /* relative to the distance */
static const float NORMAL_SCALE = 0.06f; /* 1 - cosine */

/* Row y, columns [left, right) of one of the two layers. */
typedef struct smoothing {
    const wf_pixel *pixels;
    const wf_light *input;
    wf_light *output;
    int32_t width, height, left, right, y, step;
    float visibility_scale, openness_scale; /* differences in light, as above */
} smoothing;

static const wf_layer *layer_of(const wf_pixel *pixel, int which)
{
    return which == 0 ? &pixel->mesh : &pixel->ground;
}

static float weight_of(const smoothing *work, const wf_layer *own, const wf_layer *other, const wf_light *own_light,
                       const wf_light *other_light, int which)
{
    float depth = (other->depth - own->depth) / (DEPTH_SCALE * own->depth + 1e-6f);
    float bend = (1.0f - glm_vec3_dot((float *)own->normal, (float *)other->normal)) / NORMAL_SCALE;
    float seen = (other_light->visibility[which] - own_light->visibility[which]) / work->visibility_scale;
    /* The ground's openness is 0 or 1 for a ray, three times as noisy as a mesh's. */
    float open_scale = which == 0 ? work->openness_scale : 3 * work->openness_scale;
    float open = (other_light->openness[which] - own_light->openness[which]) / open_scale;
    float sum = depth * depth + bend + seen * seen + open * open;
    /* As steep as exp(-sum) near 0 and quicker to compute. */
    float fall = glm_max(0.0f, 1.0f - 0.25f * sum);
    return other->cover * fall * fall * fall * fall;
}

static void smooth_pixel(const smoothing *work, int32_t x, int which)
{
    static const float kernel[5] = {1.0f / 16, 1.0f / 4, 3.0f / 8, 1.0f / 4, 1.0f / 16};
    size_t own_index = (size_t)work->y * (size_t)work->width + (size_t)x;
    const wf_layer *own = layer_of(&work->pixels[own_index], which);
    const wf_light *own_light = &work->input[own_index];
    wf_light *result = &work->output[own_index];
    result->visibility[which] = own_light->visibility[which];
    result->openness[which] = own_light->openness[which];
    if (own->cover == 0.0f) {
        return;
    }
    float weights = 0, visibility = 0, openness = 0;
    for (int32_t j = -2; j <= 2; j++) {
        int32_t row = work->y + j * work->step;
        for (int32_t i = -2; i <= 2 && row >= 0 && row < work->height; i++) {
            int32_t column = x + i * work->step;
            if (column < work->left || column >= work->right) {
                continue;
            }
            size_t index = (size_t)row * (size_t)work->width + (size_t)column;
            const wf_layer *other = layer_of(&work->pixels[index], which);
            if (other->cover > 0.0f) {
                const wf_light *other_light = &work->input[index];
                float weight = weight_of(work, own, other, own_light, other_light, which);
                weight *= kernel[i + 2] * kernel[j + 2];
                weights += weight;
                /* Sums of differences: where all is equal the result is exactly that. */
                visibility += weight * (other_light->visibility[which] - own_light->visibility[which]);
                openness += weight * (other_light->openness[which] - own_light->openness[which]);
            }
        }
    }
    result->visibility[which] += visibility / weights;
    result->openness[which] += openness / weights;
}

void wf_smooth_light(const wf_pixel *pixels, const wf_light *input, wf_light *output, int32_t width, int32_t height,
                     int32_t left, int32_t right, int32_t y, int32_t step, int32_t samples)
{
    float noise = 1.0f / sqrtf((float)samples);
    smoothing work = {.pixels = pixels, .input = input, .output = output, .width = width, .height = height,
                      .left = left, .right = right, .y = y, .step = step,
                      .visibility_scale = 1.2f * noise + 0.01f, .openness_scale = 0.6f * noise + 0.005f};
    for (int32_t x = left; x < right; x++) {
        smooth_pixel(&work, x, 0);
        smooth_pixel(&work, x, 1);
    }
}
