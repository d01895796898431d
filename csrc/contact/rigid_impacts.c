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

/* Takes up where the motion found so far ends. */
static void refresh(const wf_impact_scene *scene, wf_rigid_impact *impact)
{
    wf_vec3 x[4] = {{0, 0, 0}};
    wf_contact_rigid *first = wf_contact_rigid_of(scene->rigids, impact->vertex[0]);
    impact->rigid_end = (wf_vec3){0, 0, 0};
    for (int k = 0; k < 4; k++) {
        const wf_contact_rigid *rigid = wf_contact_rigid_of(scene->rigids, impact->vertex[k]);
        impact->of_rigid[k] = rigid != NULL;
        if (rigid) {
            x[k] = wf_pose_to_world(&rigid->end, rigid->local[impact->vertex[k] - rigid->first_vertex]);
            impact->rigid_end = wf_vec3_muladds(impact->rigid_end, x[k], impact->weight[k]);
        }
    }
    if (impact->on_floor && first && first->radius > 0) {
        wf_vec3 lowest = {0, -first->radius, 0};
        impact->rigid_end = wf_vec3_add(first->end.centre, lowest);
        impact->arm_count = 1;
        impact->arms[0] = (wf_rigid_arm){first, 1, lowest};
    } else {
        impact->arm_count = wf_contact_rigid_arms(scene->rigids, impact->vertex, impact->weight, x, impact->normal,
                                                  impact->arms);
    }
    impact->mobility = mobility_along(scene, impact, impact->normal);
}

/* Appends an impact but for what refresh() finds. */
static wf_status append(const wf_impact_scene *scene, const wf_rigid_impact *impact, wf_rigid_impacts *impacts)
{
    wf_rigid_impact fresh = *impact;
    refresh(scene, &fresh);
    wf_status status = wf_reserve(scene->context, &impacts->items, &impacts->capacity, impacts->count + 1,
                                  sizeof *impacts->items);
    if (status == WF_OK && fresh.mobility > 0) {
        impacts->items[impacts->count++] = fresh;
    }
    return status;
}

wf_status wf_rigid_impacts_add(const wf_impact_scene *scene, const wf_rigid_impact *pair, wf_rigid_impacts *impacts)
{
    wf_rigid_impact impact = *pair;
    for (int k = 0; k < 4; k++) {
        impact.start = wf_vec3_muladds(impact.start, scene->x0[pair->vertex[k]], pair->weight[k]);
    }
    return append(scene, &impact, impacts);
}

/* ---- the floor --------------------------------------------------------------------------------------------------- */

/* Appends a vertex, or a sphere's lowest point, that starts at `start` and ends at the height `end`: where that is low
 * enough to matter, and once. */
static wf_status add_floor_point(const wf_impact_scene *scene, int32_t vertex, wf_vec3 start, double end,
                                 double half_thickness, wf_rigid_impacts *impacts)
{
    const wf_contact_rigids *rigids = scene->rigids;
    double height = start.y - rigids->floor_height;
    double rest = rigids->floor_height + fmin(height, WF_RIGID_REST * half_thickness);
    if (scene->on_floor[vertex] || !(end < rest + NEAR_FLOOR)) {
        return WF_OK;
    }
    scene->on_floor[vertex] = 1;
    const wf_rigid_impact impact = {.vertex = {vertex, -1, -1, -1}, .weight = {1}, .on_floor = true,
                                    .normal = {0, 1, 0}, .rest = rest, .start = start,
                                    .friction = {rigids->floor_friction, rigids->floor_friction}};
    return append(scene, &impact, impacts);
}

static wf_status add_rigid_floor(const wf_impact_scene *scene, const wf_contact_rigid *rigid,
                                 wf_rigid_impacts *impacts)
{
    if (rigid->radius > 0) {
        wf_vec3 start = wf_vec3_add(rigid->start.centre, (wf_vec3){0, -rigid->radius, 0});
        return add_floor_point(scene, rigid->first_vertex, start, rigid->end.centre.y - rigid->radius,
                               rigid->thickness, impacts);
    }
    wf_status status = WF_OK;
    for (int32_t k = 0; k < rigid->vertex_count && status == WF_OK; k++) {
        int32_t vertex = rigid->first_vertex + k;
        double end = wf_pose_to_world(&rigid->end, rigid->local[k]).y;
        status = add_floor_point(scene, vertex, scene->x0[vertex], end, rigid->thickness, impacts);
    }
    return status;
}

/* What hits so far may be pushed down to the floor. */
static wf_status add_floor(const wf_impact_scene *scene, wf_rigid_impacts *impacts)
{
    const wf_contact_rigids *rigids = scene->rigids;
    wf_status status = WF_OK;
    size_t pairs = impacts->count;
    for (int32_t i = 0; i < rigids->count && status == WF_OK; i++) {
        status = add_rigid_floor(scene, &rigids->items[i], impacts);
    }
    for (size_t p = 0; p < pairs && status == WF_OK; p++) {
        for (int k = 0; k < 4 && status == WF_OK; k++) {
            int32_t v = impacts->items[p].vertex[k];
            if (v >= 0 && scene->inverse_mass[v] > 0) {
                status = add_floor_point(scene, v, scene->x0[v], scene->x1[v].y, scene->half_thickness[v], impacts);
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
        if (v >= 0 && !impact->of_rigid[k]) {
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

/* Cloth turns out of the way of what pushed it: a pair of it that no longer hits must not hold it to the direction in
 * which it did. */
static void forget_cloth(const wf_impact_scene *scene, wf_rigid_impacts *impacts)
{
    size_t kept = 0;
    for (size_t i = 0; i < impacts->count; i++) {
        const wf_rigid_impact *impact = &impacts->items[i];
        bool cloth = false;
        for (int k = 0; k < 4; k++) {
            int32_t v = impact->vertex[k];
            cloth = cloth || (v >= 0 && scene->inverse_mass[v] > 0);
        }
        if (cloth && impact->on_floor) {
            scene->on_floor[impact->vertex[0]] = 0;
        }
        if (!cloth) {
            impacts->items[kept++] = *impact;
        }
    }
    impacts->count = kept;
}

wf_status wf_rigid_impacts_solve(const wf_impact_scene *scene, wf_rigid_impacts *impacts)
{
    const wf_contact_rigids *rigids = scene->rigids;
    wf_status status = rigids->floor && impacts->count > 0 ? add_floor(scene, impacts) : WF_OK;
    double largest = 0;
    for (size_t i = 0; i < impacts->count; i++) {
        refresh(scene, &impacts->items[i]);
    }
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
    forget_cloth(scene, impacts);
    return status;
}
