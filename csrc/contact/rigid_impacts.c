/* rigid_impacts.c - see rigid_impacts.h. */
#include "contact/rigid_impacts.h"

#include <string.h>

enum {
    MOST_TURNS = 50,
    /* Times in a row that impulses end unsettled before they are in vain. Once or twice is what they do while the
     * rounds of a step still bring new pairs, which take the turns that follow another way. */
    MOST_UNSETTLED = 3
};

#define NEAR_FLOOR 0.01   /* m: what is higher is not expected to be pushed down to the floor */
/* Of weights, and of unit normals: the same vertices hit in the same way where these differ by less. From round to
 * round the place of a hit wanders by parts of a motion that are smaller than that; faces that meet at an edge, and
 * points that a push must tell apart to turn a body, differ by more. */
#define LIKE_WEIGHTS 0.01
#define LIKE_DIRECTIONS 0.01
enum { FEWEST_SLOTS = 64 }; /* a power of two */
/* Of the largest change of a gap and of the way: turns that end with more will not settle. Those that converge, if
 * slowly, end with far less than the half of their largest change, and bodies that are wedged change as much in the
 * last as in the first; a hundredth of the way is less than what the step loses by being cut short there. */
#define UNSETTLED_CHANGE 0.5
#define UNSETTLED_WAY 0.01
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

/* ---- which are known --------------------------------------------------------------------------------------------- */

static size_t slot_of(const wf_rigid_impacts *impacts, const int32_t vertex[4])
{
    uint64_t hash = 0;
    for (int k = 0; k < 4; k++) {
        hash = (hash ^ (uint32_t)vertex[k]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return (size_t)hash & (impacts->slot_count - 1);
}

static void enter(wf_rigid_impacts *impacts, size_t place)
{
    size_t slot = slot_of(impacts, impacts->items[place].vertex);
    while (impacts->slots[slot] >= 0) {
        slot = (slot + 1) & (impacts->slot_count - 1);
    }
    impacts->slots[slot] = (int32_t)place;
}

static void enter_all(wf_rigid_impacts *impacts)
{
    memset(impacts->slots, 0xff, impacts->slot_count * sizeof *impacts->slots); /* -1 */
    for (size_t i = 0; i < impacts->count; i++) {
        enter(impacts, i);
    }
}

/* Makes room for one more impact, and for twice as many slots. */
static wf_status make_room(wf_context *context, wf_rigid_impacts *impacts)
{
    wf_status status = wf_reserve(context, &impacts->items, &impacts->capacity, impacts->count + 1,
                                  sizeof *impacts->items);
    size_t slots = impacts->slot_count > 0 ? impacts->slot_count : FEWEST_SLOTS;
    slots *= 2 * (impacts->count + 1) > slots ? 2 : 1;
    if (status == WF_OK && slots > impacts->slot_count) {
        status = wf_reserve(context, &impacts->slots, &impacts->slot_capacity, slots, sizeof *impacts->slots);
        if (status == WF_OK) {
            impacts->slot_count = slots;
            enter_all(impacts);
        }
    }
    return status;
}

/* Of the same vertices, and of about the same points of them in about the same direction; or NULL. Where they are not
 * the same pair hits in two ways, both of which must be kept from. */
static wf_rigid_impact *find(const wf_rigid_impacts *impacts, const wf_rigid_impact *impact)
{
    for (size_t slot = slot_of(impacts, impact->vertex); impacts->slots[slot] >= 0;
         slot = (slot + 1) & (impacts->slot_count - 1)) {
        wf_rigid_impact *known = &impacts->items[impacts->slots[slot]];
        bool same = wf_vec3_distance(known->normal, impact->normal) < LIKE_DIRECTIONS;
        for (int k = 0; k < 4; k++) {
            same = same && known->vertex[k] == impact->vertex[k] &&
                   fabs(known->weight[k] - impact->weight[k]) < LIKE_WEIGHTS;
        }
        if (same) {
            return known;
        }
    }
    return NULL;
}

/* Adds an impact but for what refresh() finds. */
static wf_status append(const wf_impact_scene *scene, const wf_rigid_impact *impact, wf_rigid_impacts *impacts)
{
    wf_status status = make_room(scene->context, impacts);
    if (status != WF_OK) {
        return status;
    }
    wf_rigid_impact fresh = *impact;
    wf_rigid_impact *known = find(impacts, impact);
    if (known) {
        fresh.push = known->push;
        fresh.drag = known->drag;
    }
    refresh(scene, &fresh);
    if (!(fresh.mobility > 0)) {
        return WF_OK;
    }
    impacts->noted++;
    if (known) {
        *known = fresh;
    } else {
        impacts->items[impacts->count] = fresh;
        enter(impacts, impacts->count++);
    }
    return WF_OK;
}

void wf_rigid_impacts_begin(wf_rigid_impacts *impacts, double way)
{
    impacts->count = impacts->noted = 0;
    impacts->way = way;
    impacts->unsettled = 0;
    if (impacts->slot_count > 0) {
        enter_all(impacts);
    }
}

void wf_rigid_impacts_free(wf_context *context, wf_rigid_impacts *impacts)
{
    wf_free(context, impacts->items);
    wf_free(context, impacts->slots);
}

bool wf_rigid_impacts_are_in_vain(const wf_rigid_impacts *impacts)
{
    return impacts->unsettled >= MOST_UNSETTLED;
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
    impact->change = fabs(change) * impact->mobility;
    return impact->change;
}

/* Whether the last turn changed the gap as much as any has, and by a part of the motion that matters. */
static bool goes_on(const wf_rigid_impacts *impacts, const wf_rigid_impact *impact)
{
    return impact->change > UNSETTLED_CHANGE * impacts->largest && impact->change > UNSETTLED_WAY * impacts->way;
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
    if (kept < impacts->count) {
        impacts->count = kept;
        enter_all(impacts);
    }
}

wf_status wf_rigid_impacts_solve(const wf_impact_scene *scene, wf_rigid_impacts *impacts)
{
    const wf_contact_rigids *rigids = scene->rigids;
    wf_status status = rigids->floor && impacts->count > 0 ? add_floor(scene, impacts) : WF_OK;
    impacts->largest = 0;
    for (size_t i = 0; i < impacts->count; i++) {
        refresh(scene, &impacts->items[i]);
    }
    for (int turn = 0; turn < MOST_TURNS && impacts->count > 0 && status == WF_OK; turn++) {
        double change = 0;
        for (size_t i = 0; i < impacts->count; i++) {
            change = fmax(change, take_turn(scene, &impacts->items[i]));
        }
        impacts->largest = fmax(impacts->largest, change);
        if (change <= SMALL_CHANGE * impacts->largest) {
            break;
        }
    }
    for (int32_t i = 0; i < rigids->count; i++) {
        wf_contact_rigid *rigid = &rigids->items[i];
        wf_contact_rigid_push(rigid, rigid->way, rigid->turning);
        rigid->way = rigid->turning = (wf_vec3){0, 0, 0};
    }
    forget_cloth(scene, impacts);
    bool settled = true;
    for (size_t i = 0; i < impacts->count && settled; i++) {
        settled = !goes_on(impacts, &impacts->items[i]);
    }
    impacts->unsettled = settled ? 0 : impacts->unsettled + 1;
    return status;
}

/* Whether another body has become one of those whose impulses are in vain. */
static bool join(const wf_rigid_impact *impact)
{
    const wf_rigid_arm *arms = impact->arms;
    if (impact->arm_count < 2 || !(impact->push > 0) || arms[0].rigid->in_vain == arms[1].rigid->in_vain) {
        return false;
    }
    arms[0].rigid->in_vain = arms[1].rigid->in_vain = true;
    return true;
}

void wf_rigid_impacts_take_back(const wf_impact_scene *scene, const wf_rigid_impacts *impacts)
{
    const wf_contact_rigids *rigids = scene->rigids;
    for (int32_t i = 0; i < rigids->count; i++) {
        rigids->items[i].in_vain = false;
    }
    for (size_t i = 0; i < impacts->count; i++) {
        const wf_rigid_impact *impact = &impacts->items[i];
        for (int a = 0; a < impact->arm_count; a++) {
            impact->arms[a].rigid->in_vain |= goes_on(impacts, impact);
        }
    }
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < impacts->count; i++) {
            more = join(&impacts->items[i]) || more;
        }
    }
    for (int32_t i = 0; i < rigids->count; i++) {
        wf_contact_rigid *rigid = &rigids->items[i];
        if (rigid->in_vain) {
            rigid->end = rigid->planned;
            rigid->pushed = rigid->pushed_at_start;
            rigid->turned = rigid->turned_at_start;
            rigid->moved = true;
        }
    }
}
