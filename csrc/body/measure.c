/* measure.c - girths of any upright figure; see measure.h. */
#include "body/measure.h"

#include "base/vector.h"
#include "body/section.h"

/* What a search compares. */
typedef enum search_goal { LEAST_GIRTH, LARGEST_GIRTH, FARTHEST_FRONT } search_goal;

static const struct {
    double from, to; /* of the height */
    search_goal goal;
} part_searches[WF_PART_COUNT] = {
    {0.68, 0.76, FARTHEST_FRONT}, {0.58, 0.68, LEAST_GIRTH}, {0.46, 0.54, LARGEST_GIRTH}, {0.82, 0.89, LEAST_GIRTH}};

enum { SEARCH_STEPS = 32 };

/* Girth and farthest z of the section's largest curve; girth 0 where there is none. */
static wf_status measure_section(wf_body *body, double height, double *girth, double *front)
{
    wf_section section;
    wf_vec3 origin = {0, body->lower.y + height, 0}, up = {0, 1, 0};
    wf_status status = wf_section_cut(body->context, &body->mesh, body->mesh.positions, origin, up, &section);
    if (status != WF_OK) {
        return status;
    }
    *girth = 0;
    *front = -INFINITY;
    if (section.curve_count > 0) {
        const wf_section_curve *curve = &section.curves[0];
        *girth = curve->girth;
        for (int32_t i = curve->first; i < curve->first + curve->count; i++) {
            *front = fmax(*front, section.points[i].z);
        }
    }
    wf_section_free(body->context, &section);
    return WF_OK;
}

wf_status wf_body_girth(wf_body *body, double height, double *girth)
{
    double front, whole = body->upper.y - body->lower.y;
    if (!(height > 0 && height < whole)) {
        return wf_fail(body->context, WF_ERROR_ARGUMENT, "height must be between 0 and the body's %g m, got %g", whole,
                       height);
    }
    wf_status status = measure_section(body, height, girth, &front);
    if (status == WF_OK && *girth == 0) {
        return wf_fail(body->context, WF_ERROR_GEOMETRY, "%s has no section at a height of %g m", body->name, height);
    }
    return status;
}

static wf_status search_part(wf_body *body, wf_body_part part, double *girth, double *height)
{
    double whole = body->upper.y - body->lower.y, best = -INFINITY;
    for (int i = 0; i <= SEARCH_STEPS; i++) {
        double t = i / (double)SEARCH_STEPS, g, front;
        double h = whole * (part_searches[part].from + t * (part_searches[part].to - part_searches[part].from));
        wf_status status = measure_section(body, h, &g, &front);
        if (status != WF_OK) {
            return status;
        }
        search_goal goal = part_searches[part].goal;
        double value = goal == FARTHEST_FRONT ? front : goal == LARGEST_GIRTH ? g : -g;
        if (g > 0 && value > best) {
            best = value;
            *girth = g;
            *height = h;
        }
    }
    if (best == -INFINITY) {
        return wf_fail(body->context, WF_ERROR_GEOMETRY, "%s has no section where that part should be", body->name);
    }
    return WF_OK;
}

wf_status wf_body_measure_part(wf_body *body, wf_body_part part, double *girth, double *height)
{
    const wf_figure_measures *sizes = body->sizes;
    if (!sizes) {
        return search_part(body, part, girth, height);
    }
    static const wf_measure measures[WF_PART_COUNT] = {WF_MEASURE_BUST, WF_MEASURE_WAIST, WF_MEASURE_HIPS,
                                                       WF_MEASURE_NECK};
    const double heights[WF_PART_COUNT] = {sizes->bust_height, sizes->waist_height, sizes->hip_height,
                                           sizes->neck_height};
    *girth = sizes->measures[measures[part]];
    *height = heights[part];
    return WF_OK;
}
