/* camera.c - see camera.h. */
#include "shade/camera.h"

#include "base/context.h"
#include "base/vector.h"

/* The part of the picture's half extent that framed points may fill. */
static const double FILLED = 0.9;

static const double DEGREE = 0.017453292519943295;

wf_view wf_default_view(void)
{
    return (wf_view){.framed = true, .up = {0, 1, 0}};
}

static void vec3_from(wf_vec3 a, vec3 result)
{
    result[0] = (float)a.x;
    result[1] = (float)a.y;
    result[2] = (float)a.z;
}

static wf_status view_axes(wf_context *context, const wf_view *view, wf_frame *frame)
{
    wf_vec3 forward, up_hint = view->up;
    if (view->framed) {
        double c = cos(view->elevation);
        forward = (wf_vec3){-c * sin(view->azimuth), -sin(view->elevation), -c * cos(view->azimuth)};
        /* The direction in which the elevation grows, so that a view from the top has the front at its bottom. */
        up_hint = (wf_vec3){-sin(view->elevation) * sin(view->azimuth), c, -sin(view->elevation) * cos(view->azimuth)};
    } else {
        forward = wf_vec3_sub(view->target, view->eye);
    }
    if (!wf_vec3_isfinite(forward) || !wf_vec3_isfinite(up_hint) || !wf_vec3_isfinite(view->eye)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "a view has a value that is not a finite number");
    }
    forward = wf_vec3_normalize(forward);
    wf_vec3 right = wf_vec3_cross(forward, wf_vec3_normalize(up_hint));
    if (!(wf_vec3_norm(right) > 1e-6)) {
        return wf_fail(context, WF_ERROR_ARGUMENT,
                       "a view needs an eye apart from its target and an up that is not along the line of sight");
    }
    right = wf_vec3_normalize(right);
    vec3_from(forward, frame->forward);
    vec3_from(right, frame->right);
    vec3_from(wf_vec3_cross(right, forward), frame->up);
    vec3_from(view->eye, frame->eye);
    return WF_OK;
}

/* A point at depth z and offset x is inside a frustum of slope t about an eye at (ex, ez) when |x - ex| <= t (z - ez),
 * that is when ex - t ez >= x - t z =: high and -ex - t ez >= -x - t z =: low. Adding both shows that ez can be at most
 * -(high + low) / 2 t, with ex half way between; the narrower of the two pairs of sides decides. */
static void fit(wf_frame *frame, int64_t count, const float (*points)[3])
{
    for (int k = 0; k < 2; k++) {
        frame->low[k] = frame->high[k] = -FLT_MAX;
    }
    float nearest = FLT_MAX;
    for (int64_t i = 0; i < count; i++) {
        vec3 point;
        glm_vec3_copy((float *)points[i], point);
        float offset[2] = {glm_vec3_dot(point, frame->right), glm_vec3_dot(point, frame->up)};
        float depth = glm_vec3_dot(point, frame->forward);
        nearest = fminf(nearest, depth);
        for (int k = 0; k < 2; k++) {
            frame->high[k] = fmaxf(frame->high[k], offset[k] - frame->slope[k] * depth);
            frame->low[k] = fmaxf(frame->low[k], -offset[k] - frame->slope[k] * depth);
        }
    }
    frame->depth = nearest - 0.01f;
    for (int k = 0; k < 2; k++) {
        frame->depth = fminf(frame->depth, -(frame->high[k] + frame->low[k]) / (2 * frame->slope[k]));
    }
}

wf_status wf_frame_view(wf_context *context, const wf_view *view, double aspect, int64_t count,
                        const float (*points)[3], wf_frame *frame)
{
    *frame = (wf_frame){.framed = view->framed};
    if (view->fov != 0 && !(view->fov >= 0.999 * DEGREE && view->fov <= 150.001 * DEGREE)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "a view's fov must be from 1 to 150 degrees, got %g",
                       view->fov / DEGREE);
    }
    wf_status status = view_axes(context, view, frame);
    if (status != WF_OK) {
        return status;
    }
    /* A wide picture with the angle of a high one would stretch what is at its sides. */
    double half = view->fov != 0 ? tan(view->fov / 2) : tan(15 * DEGREE) / fmax(aspect, 1);
    frame->slope[0] = (float)(half * aspect);
    frame->slope[1] = (float)half;
    if (view->framed) {
        glm_vec2_scale(frame->slope, (float)FILLED, frame->slope);
        fit(frame, count, points);
    }
    return WF_OK;
}

wf_camera wf_frame_camera(const wf_frame *frame, float depth)
{
    wf_camera camera;
    vec2 extent = {frame->slope[0], frame->slope[1]};
    glm_vec3_copy((float *)frame->eye, camera.eye);
    if (frame->framed) {
        glm_vec3_scale((float *)frame->forward, depth, camera.eye);
        glm_vec3_muladds((float *)frame->right, (frame->high[0] - frame->low[0]) / 2, camera.eye);
        glm_vec3_muladds((float *)frame->up, (frame->high[1] - frame->low[1]) / 2, camera.eye);
        glm_vec2_scale(extent, (float)(1 / FILLED), extent);
    }
    glm_vec3_copy((float *)frame->forward, camera.forward);
    glm_vec3_scale((float *)frame->right, extent[0], camera.right);
    glm_vec3_scale((float *)frame->up, extent[1], camera.up);
    return camera;
}
