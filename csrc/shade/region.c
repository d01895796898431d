/* region.c - see region.h. */
#include "shade/region.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"

enum { LEFT = 46, RIGHT = 14, TOP = 12, BOTTOM = 34, TICK = 4, GLYPH_WIDTH = 5, GLYPH_HEIGHT = 7 };

typedef struct canvas {
    int32_t width, height;
    uint8_t *pixels;
} canvas;

static const uint8_t black[3] = {0, 0, 0}, grey[3] = {90, 90, 90};

static void set_pixel(canvas *c, int32_t x, int32_t y, const uint8_t colour[3])
{
    if (x >= 0 && x < c->width && y >= 0 && y < c->height) {
        memcpy(c->pixels + 3 * ((size_t)y * (size_t)c->width + (size_t)x), colour, 3);
    }
}

/* ---- text ------------------------------------------------------------------------------------------------------ */

/* Rows of five bits, from the top. */
static const struct {
    char letter;
    uint8_t rows[GLYPH_HEIGHT];
} glyphs[] = {{'0', {14, 17, 19, 21, 25, 17, 14}}, {'1', {4, 12, 4, 4, 4, 4, 14}},
              {'2', {14, 17, 1, 2, 4, 8, 31}}, {'3', {31, 2, 4, 2, 1, 17, 14}},
              {'4', {2, 6, 10, 18, 31, 2, 2}}, {'5', {31, 16, 30, 1, 1, 17, 14}},
              {'6', {6, 8, 16, 30, 17, 17, 14}}, {'7', {31, 1, 2, 4, 8, 8, 8}},
              {'8', {14, 17, 17, 14, 17, 17, 14}}, {'9', {14, 17, 17, 15, 1, 2, 12}},
              {'-', {0, 0, 0, 14, 0, 0, 0}}, {'.', {0, 0, 0, 0, 0, 12, 12}},
              {'+', {0, 4, 4, 31, 4, 4, 0}}, {'e', {0, 0, 14, 17, 31, 16, 14}},
              {'R', {30, 17, 17, 30, 20, 18, 17}}, {'I', {14, 4, 4, 4, 4, 4, 14}},
              {'m', {0, 0, 26, 21, 21, 21, 21}}, {'z', {0, 0, 31, 2, 4, 8, 31}}};

static void draw_text(canvas *c, int32_t x, int32_t y, const char *text)
{
    for (; *text; text++, x += GLYPH_WIDTH + 1) {
        for (size_t g = 0; g < sizeof glyphs / sizeof *glyphs; g++) {
            for (int32_t i = 0; glyphs[g].letter == *text && i < GLYPH_HEIGHT * GLYPH_WIDTH; i++) {
                if (glyphs[g].rows[i / GLYPH_WIDTH] & (16 >> i % GLYPH_WIDTH)) {
                    set_pixel(c, x + i % GLYPH_WIDTH, y + i / GLYPH_WIDTH, black);
                }
            }
        }
    }
}

static int32_t text_width(const char *text)
{
    return (int32_t)strlen(text) * (GLYPH_WIDTH + 1) - 1;
}

/* ---- the plane ------------------------------------------------------------------------------------------------- */

static void shade(double radius, uint8_t colour[3])
{
    static const uint8_t inside[5][3] = {
        {24, 61, 122}, {45, 98, 168}, {88, 140, 201}, {139, 181, 225}, {194, 219, 242}};
    if (radius <= 1 + 1e-6) {
        int band = (int)(fmax(radius, 0) * 5);
        memcpy(colour, inside[band > 4 ? 4 : band], 3);
        return;
    }
    double shade_of_grey = 206 + 8 * floor(fmin(log2(radius), 6)); /* an infinite radius is the lightest */
    memset(colour, (int)shade_of_grey, 3);
}

static double value_at(const wf_region *region, int32_t x, int32_t y)
{
    return region->radius[(size_t)y * (size_t)region->width + (size_t)x];
}

static bool is_stable(const wf_region *region, int32_t x, int32_t y)
{
    return value_at(region, x, y) <= 1 + 1e-6;
}

static bool is_border(const wf_region *region, int32_t x, int32_t y)
{
    bool stable = is_stable(region, x, y);
    return stable &&
           ((x > 0 && !is_stable(region, x - 1, y)) || (x + 1 < region->width && !is_stable(region, x + 1, y)) ||
            (y > 0 && !is_stable(region, x, y - 1)) || (y + 1 < region->height && !is_stable(region, x, y + 1)));
}

static void draw_plane(canvas *c, const wf_region *region)
{
    for (int32_t y = 0; y < region->height; y++) {
        for (int32_t x = 0; x < region->width; x++) {
            uint8_t colour[3];
            shade(value_at(region, x, y), colour);
            set_pixel(c, LEFT + x, TOP + y, is_border(region, x, y) ? black : colour);
        }
    }
}

/* ---- axes ------------------------------------------------------------------------------------------------------ */

/* 1, 2 or 5 times a power of ten, for about one tick mark every 36 pixels. */
static double tick_step(double range, int32_t pixels)
{
    double wanted = range * 36 / pixels, power = pow(10, floor(log10(wanted)));
    double ratio = wanted / power;
    return power * (ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10);
}

static void format_tick(double value, double step, char text[24])
{
    snprintf(text, 24, "%g", fabs(value) < 1e-6 * step ? 0 : value);
}

static void draw_axis(canvas *c, const wf_region *region, bool horizontal)
{
    const double *range = horizontal ? region->real : region->imaginary;
    const double *other = horizontal ? region->imaginary : region->real;
    int32_t pixels = horizontal ? region->width : region->height, across = horizontal ? region->height : region->width;
    double step = tick_step(range[1] - range[0], pixels);
    int32_t zero = (int32_t)floor(-other[0] / (other[1] - other[0]) * across);
    for (int32_t i = 0; i < pixels && zero >= 0 && zero < across; i++) {
        set_pixel(c, horizontal ? LEFT + i : LEFT + zero, horizontal ? TOP + across - 1 - zero : TOP + i, grey);
    }
    for (int32_t k = 0; k <= pixels / 20; k++) {
        double tick = (ceil(range[0] / step - 1e-9) + k) * step;
        char text[24];
        if (tick > range[1] + 1e-9 * step) {
            break;
        }
        format_tick(tick, step, text);
        int32_t at = (int32_t)fmin((tick - range[0]) / (range[1] - range[0]) * pixels, pixels - 1);
        for (int32_t i = 1; i <= TICK; i++) {
            set_pixel(c, horizontal ? LEFT + at : LEFT - i,
                      horizontal ? TOP + across - 1 + i : TOP + pixels - 1 - at, black);
        }
        if (horizontal) {
            draw_text(c, LEFT + at - text_width(text) / 2, TOP + across + TICK + 2, text);
        } else {
            draw_text(c, LEFT - TICK - 3 - text_width(text), TOP + pixels - 1 - at - GLYPH_HEIGHT / 2, text);
        }
    }
}

static void draw_frame(canvas *c, const wf_region *region)
{
    for (int32_t x = -1; x <= region->width; x++) {
        set_pixel(c, LEFT + x, TOP - 1, black);
        set_pixel(c, LEFT + x, TOP + region->height, black);
    }
    for (int32_t y = -1; y <= region->height; y++) {
        set_pixel(c, LEFT - 1, TOP + y, black);
        set_pixel(c, LEFT + region->width, TOP + y, black);
    }
    draw_text(c, LEFT + region->width - text_width("Re z"), TOP + region->height + BOTTOM - GLYPH_HEIGHT - 4, "Re z");
    draw_text(c, 4, 2, "Im z");
}

wf_status wf_region_draw(wf_context *context, const wf_region *region, int32_t *width, int32_t *height,
                         uint8_t **pixels)
{
    canvas c = {.width = region->width + LEFT + RIGHT, .height = region->height + TOP + BOTTOM};
    c.pixels = wf_allocate(context, (size_t)c.width * (size_t)c.height, 3);
    if (!c.pixels) {
        return WF_ERROR_MEMORY;
    }
    memset(c.pixels, 255, 3 * (size_t)c.width * (size_t)c.height);
    draw_plane(&c, region);
    draw_axis(&c, region, true);
    draw_axis(&c, region, false);
    draw_frame(&c, region);
    *width = c.width;
    *height = c.height;
    *pixels = c.pixels;
    return WF_OK;
}
