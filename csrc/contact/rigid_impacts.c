/* rigid_impacts.c - see rigid_impacts.h. */
#include "contact/rigid_impacts.h"

enum { MOST_TURNS = 50 };

#define NEAR_FLOOR 0.01   /* m: what is higher is not expected to be pushed down to the floor */
#define SMALL_CHANGE 1e-4 /* of a gap, as a part of the largest that was wanted: the turns end */

static double mobility_along(const wf_impact_scene *scene, const wf_rigid_impact *impact, wf_vec3 direction)
{
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        if (impact->vertex[k] >= 0) {
            sum += impact->weight[k] * impact->weight[k] * scene->inverse_mass[impact->vertex[k]];
        }
    }
    for (int a = 0; a < impact->arm_count; a++) {
        sum += wf_rigid_arm_mobility(&impact->arms[a], direction);
    }
    return sum;
}

/* Appends an impact whose arms are there. */
static wf_status append(const wf_impact_scene *scene, const wf_rigid_impact *impact, wf_rigid_impacts *impacts)
{
    wf_status status = wf_reserve(scene->context, &impacts->items, &impacts->capacity, impacts->count + 1,
                                  sizeof *impacts->items);
    double mobility = mobility_along(scene, impact, impact->normal);
    if (status == WF_OK && mobility > 0) {
        impacts->items[impacts->count] = *impact;
        impacts->items[impacts->count++].mobility = mobility;
    }
    return status;
}

wf_status wf_rigid_impacts_add(const wf_impact_scene *scene, const wf_rigid_impact *pair, const wf_vec3 x1[4],
                               wf_rigid_impacts *impacts)
{
    wf_rigid_impact impact = *pair;
    for (int k = 0; k < 4; k++) {
        impact.start = wf_vec3_muladds(impact.start, scene->x0[pair->vertex[k]], pair->weight[k]);
        if (wf_contact_rigid_of(scene->rigids, pair->vertex[k])) {
            impact.rigid_end = wf_vec3_muladds(impact.rigid_end, x1[k], pair->weight[k]);
        }
    }
    impact.arm_count = wf_contact_rigid_arms(scene->rigids, pair->vertex, pair->weight, x1, pair->normal, impact.arms);
    return append(scene, &impact, impacts);
}

/* ---- the floor --------------------------------------------------------------------------------------------------- */

static wf_rigid_impact floor_impact(const wf_contact_rigids *rigids, wf_vec3 start, double half_thickness)
{
    double height = start.y - rigids->floor_height;
    return (wf_rigid_impact){.vertex = {-1, -1, -1, -1}, .normal = {0, 1, 0},
                             .friction = {rigids->floor_friction, rigids->floor_friction},
                             .start = start,
                             .rest = rigids->floor_height + fmin(height, WF_RIGID_REST * half_thickness)};
}

/* A point of a body that ends at `arm` from its centre, where it is low enough to matter. */
static wf_status add_floor_point(const wf_impact_scene *scene, wf_contact_rigid *rigid, wf_vec3 start, wf_vec3 arm,
                                 wf_rigid_impacts *impacts)
{
    wf_rigid_impact impact = floor_impact(scene->rigids, start, rigid->thickness);
    impact.rigid_end = wf_vec3_add(rigid->end.centre, arm);
    impact.arm_count = 1;
    impact.arms[0] = (wf_rigid_arm){rigid, 1, arm};
    return impact.rigid_end.y < impact.rest + NEAR_FLOOR ? append(scene, &impact, impacts) : WF_OK;
}

static wf_status add_floor(const wf_impact_scene *scene, wf_rigid_impacts *impacts)
{
    const wf_contact_rigids *rigids = scene->rigids;
    wf_status status = WF_OK;
    size_t pairs = impacts->count;
    for (int32_t i = 0; i < rigids->count && status == WF_OK; i++) {
        wf_contact_rigid *rigid = &rigids->items[i];
        wf_vec3 lowest = {0, -rigid->radius, 0};
        if (rigid->radius > 0) {
            status = add_floor_point(scene, rigid, wf_vec3_add(rigid->start.centre, lowest), lowest, impacts);
        }
        for (int32_t k = 0; k < rigid->vertex_count && rigid->radius == 0 && status == WF_OK; k++) {
            status = add_floor_point(scene, rigid, scene->x0[rigid->first_vertex + k],
                                     wf_rotation_apply(rigid->end.turn, rigid->local[k]), impacts);
        }
    }
    for (size_t p = 0; p < pairs && status == WF_OK; p++) {
        for (int k = 0; k < 4 && status == WF_OK; k++) {
            int32_t v = impacts->items[p].vertex[k];
            wf_rigid_impact impact = floor_impact(rigids, scene->x0[v], scene->half_thickness[v]);
            impact.vertex[0] = v;
            impact.weight[0] = 1;
            if (scene->inverse_mass[v] > 0 && scene->x1[v].y < impact.rest + NEAR_FLOOR) {
                status = append(scene, &impact, impacts);
            }
        }
    }
    return status;
}

/* ---- turns ------------------------------------------------------------------------------------------------------- */

/* The weighted sum of the points as they are now. */
static wf_vec3 relative_end(const wf_impact_scene *scene, const wf_rigid_impact *impact)
{
    wf_vec3 sum = impact->rigid_end;
    for (int k = 0; k < 4; k++) {
        int32_t v = impact->vertex[k];
        if (v >= 0 && !wf_contact_rigid_of(scene->rigids, v)) {
            sum = wf_vec3_muladds(sum, scene->x1[v], impact->weight[k]);
        }
    }
    for (int a = 0; a < impact->arm_count; a++) {
        const wf_rigid_arm *arm = &impact->arms[a];
        sum = wf_vec3_muladds(sum, arm->rigid->way, arm->weight);
        sum = wf_vec3_add(sum, wf_vec3_cross(arm->rigid->turning, arm->arm));
    }
    return sum;
}

static void apply(const wf_impact_scene *scene, const wf_rigid_impact *impact, wf_vec3 impulse)
{
    for (int k = 0; k < 4; k++) {
        int32_t v = impact->vertex[k];
        if (v >= 0 && scene->inverse_mass[v] > 0) {
            scene->x1[v] = wf_vec3_muladds(scene->x1[v], impulse, impact->weight[k] * scene->inverse_mass[v]);
        }
    }
    for (int a = 0; a < impact->arm_count; a++) {
        const wf_rigid_arm *arm = &impact->arms[a];
        wf_contact_rigid *rigid = arm->rigid;
        wf_vec3 torque = wf_vec3_cross(arm->arm, impulse);
        rigid->way = wf_vec3_muladds(rigid->way, impulse, arm->weight * rigid->inverse_mass);
        rigid->turning = wf_vec3_add(rigid->turning, wf_mat3_mulv(rigid->inverse_inertia, torque));
    }
}

/* One turn of one impact; returns by how much it moved the gap, m. */
static double take_turn(const wf_impact_scene *scene, wf_rigid_impact *impact)
{
    wf_vec3 end = relative_end(scene, impact);
    double push = fmax(impact->push + (impact->rest - wf_vec3_dot(end, impact->normal)) / impact->mobility, 0);
    double change = push - impact->push;
    impact->push = push;
    apply(scene, impact, wf_vec3_scale(impact->normal, change));
    if (impact->friction.hold > 0) {
        wf_vec3 slide = wf_vec3_sub(relative_end(scene, impact), impact->start);
        slide = wf_vec3_muladds(slide, impact->normal, -wf_vec3_dot(slide, impact->normal));
        double sliding = wf_vec3_norm(slide);
        wf_vec3 drag = impact->drag;
        if (sliding > 0) {
            wf_vec3 direction = wf_vec3_scale(slide, 1 / sliding);
            drag = wf_vec3_muladds(drag, slide, -1 / mobility_along(scene, impact, direction));
        }
        double size = wf_vec3_norm(drag);
        if (size > impact->friction.hold * push) {
            drag = wf_vec3_scale(drag, impact->friction.dynamic * push / size);
        }
        apply(scene, impact, wf_vec3_sub(drag, impact->drag));
        impact->drag = drag;
    }
    return fabs(change) * impact->mobility;
}

wf_status wf_rigid_impacts_solve(const wf_impact_scene *scene, wf_rigid_impacts *impacts)
{
    const wf_contact_rigids *rigids = scene->rigids;
    wf_status status = rigids->floor && impacts->count > 0 ? add_floor(scene, impacts) : WF_OK;
    double largest = 0;
    for (int turn = 0; turn < MOST_TURNS && impacts->count > 0 && status == WF_OK; turn++) {
        double change = 0;
        for (size_t i = 0; i < impacts->count; i++) {
            change = fmax(change, take_turn(scene, &impacts->items[i]));
        }
        largest = fmax(largest, change);
        if (change <= SMALL_CHANGE * largest) {
            break;
        }
    }
    for (int32_t i = 0; i < rigids->count; i++) {
        wf_contact_rigid *rigid = &rigids->items[i];
        wf_contact_rigid_push(rigid, rigid->way, rigid->turning);
        rigid->way = rigid->turning = (wf_vec3){0, 0, 0};
    }
    impacts->count = 0;
    return status;
}
