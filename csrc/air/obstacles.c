/* obstacles.c - see obstacles.h. */
#include "air/obstacles.h"

#include <string.h>

#include "base/box.h"
#include "base/finite.h"
#include "contact/hierarchy.h"

enum {
    SLABS = 3,            /* of the volumes: boxes */
    MARCH_PARTS = 256,    /* of a way through a collider */
    BISECTIONS = 48
};

static const double endless = 1e6; /* m: the radius of planes */

/* A mesh. */
typedef struct group {
    wf_box box;            /* around its faces */
    const void *owner;
    int32_t first, vertices;
} group;

typedef struct placed_collider {
    wf_collider *collider; /* held */
    wf_pose pose, before;
    double porosity;
} placed_collider;

struct wf_obstacles {
    wf_context *context;
    int32_t vertex_count, face_count, group_count;
    wf_vec3 *end, *start;      /* [vertex_count] */
    int32_t (*faces)[3];       /* [face_count] */
    int32_t *face_group;       /* [face_count] the number of the mesh */
    double *porosity;          /* [face_count] */
    float *volumes;            /* [face_count][2 * SLABS] of the way of each face */
    group *groups;
    placed_collider *colliders;
    placed_collider *last_colliders; /* scratch of an update */
    int32_t collider_count;
    size_t end_room, start_room, face_room, face_group_room, porosity_room, volume_room, group_room, collider_room,
        last_room;
    wf_hierarchy tree;
    bool floor;
    double floor_height, duration;
    bool undone; /* the last update */
};

wf_status wf_obstacles_create(wf_context *context, wf_obstacles **obstacles)
{
    *obstacles = wf_allocate(context, 1, sizeof **obstacles);
    if (!*obstacles) {
        return WF_ERROR_MEMORY;
    }
    (*obstacles)->context = context;
    return WF_OK;
}

static void release_colliders(wf_obstacles *o)
{
    for (int32_t i = 0; i < o->collider_count; i++) {
        wf_collider_release(o->colliders[i].collider);
    }
    o->collider_count = 0;
}

void wf_obstacles_destroy(wf_obstacles *o)
{
    if (!o) {
        return;
    }
    release_colliders(o);
    wf_context *context = o->context;
    wf_hierarchy_free(context, &o->tree);
    wf_free(context, o->end);
    wf_free(context, o->start);
    wf_free(context, o->faces);
    wf_free(context, o->face_group);
    wf_free(context, o->porosity);
    wf_free(context, o->volumes);
    wf_free(context, o->groups);
    wf_free(context, o->colliders);
    wf_free(context, o->last_colliders);
    wf_free(context, o);
}

/* ---- taking what is in the way ----------------------------------------------------------------------------------- */

static bool is_share(double porosity)
{
    return porosity >= 0 && porosity <= 1;
}

static wf_status check_mesh(wf_context *context, const wf_obstacle_mesh *m)
{
    size_t count = 3 * (size_t)m->vertex_count;
    if (count > 0 && (!wf_all_finite(&m->positions->x, count) || (m->before && !wf_all_finite(&m->before->x, count)))) {
        return wf_fail(context, WF_ERROR_NUMERIC, "an obstacle has a position that is not finite");
    }
    for (int32_t f = 0; f < m->face_count; f++) {
        for (int k = 0; k < 3; k++) {
            if (m->faces[f][k] < 0 || m->faces[f][k] >= m->vertex_count) {
                return wf_fail(context, WF_ERROR_ARGUMENT, "face %d of an obstacle names vertex %d of %d", (int)f + 1,
                               (int)m->faces[f][k] + 1, (int)m->vertex_count);
            }
        }
        if (m->face_porosity && !is_share(m->face_porosity[f])) {
            return wf_fail(context, WF_ERROR_ARGUMENT, "porosity must be from 0 to 1, got %g", m->face_porosity[f]);
        }
    }
    if (!is_share(m->porosity)) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "porosity must be from 0 to 1, got %g", m->porosity);
    }
    return WF_OK;
}

static wf_status check_def(wf_context *context, const wf_obstacles_def *def, int64_t *vertices, int64_t *faces)
{
    *vertices = *faces = 0;
    wf_status status = WF_OK;
    for (int32_t i = 0; status == WF_OK && i < def->mesh_count; i++) {
        status = check_mesh(context, &def->meshes[i]);
        *vertices += def->meshes[i].vertex_count;
        *faces += def->meshes[i].face_count;
    }
    for (int32_t i = 0; status == WF_OK && i < def->collider_count; i++) {
        if (!is_share(def->colliders[i].porosity)) {
            status = wf_fail(context, WF_ERROR_ARGUMENT, "porosity must be from 0 to 1, got %g",
                             def->colliders[i].porosity);
        }
    }
    if (status == WF_OK && !(def->duration >= 0 && isfinite(def->duration) && isfinite(def->floor_height))) {
        status = wf_fail(context, WF_ERROR_NUMERIC, "the duration and the floor of obstacles must be finite");
    }
    if (status == WF_OK && (*vertices > INT32_MAX / 4 || *faces > INT32_MAX / 4)) {
        status = wf_fail(context, WF_ERROR_LIMIT, "obstacles have more than %d faces or vertices", INT32_MAX / 4);
    }
    return status;
}

static wf_status reserve(wf_obstacles *o, size_t vertices, size_t faces, size_t groups, size_t colliders)
{
    wf_context *context = o->context;
    wf_status status = wf_reserve(context, &o->end, &o->end_room, vertices, sizeof *o->end);
    if (status == WF_OK) {
        status = wf_reserve(context, &o->start, &o->start_room, vertices, sizeof *o->start);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &o->faces, &o->face_room, faces, sizeof *o->faces);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &o->face_group, &o->face_group_room, faces, sizeof *o->face_group);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &o->porosity, &o->porosity_room, faces, sizeof *o->porosity);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &o->volumes, &o->volume_room, faces, 2 * SLABS * sizeof *o->volumes);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &o->groups, &o->group_room, groups, sizeof *o->groups);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &o->colliders, &o->collider_room, colliders, sizeof *o->colliders);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &o->last_colliders, &o->last_room, o->collider_room, sizeof *o->last_colliders);
    }
    return status;
}

/* known: the group is one of the last update. */
static void take_mesh(wf_obstacles *o, int32_t number, const wf_obstacle_mesh *m, bool known)
{
    int32_t first = o->vertex_count, face = o->face_count;
    size_t size = (size_t)m->vertex_count * sizeof *o->end;
    group *g = &o->groups[number];
    bool same = known && g->owner && g->owner == m->owner && g->first == first && g->vertices == m->vertex_count;
    if (size > 0) {
        const wf_vec3 *before = m->before ? m->before : same ? (o->undone ? o->start : o->end) + first : m->positions;
        memmove(o->start + first, o->duration > 0 ? before : m->positions, size);
        memcpy(o->end + first, m->positions, size);
    }
    *g = (group){.box = wf_box_empty(), .owner = m->owner, .first = first, .vertices = m->vertex_count};
    for (int32_t f = 0; f < m->face_count; f++) {
        for (int k = 0; k < 3; k++) {
            o->faces[face + f][k] = first + m->faces[f][k];
            wf_box_include(&g->box, m->positions[m->faces[f][k]]);
        }
        o->face_group[face + f] = number;
        o->porosity[face + f] = m->face_porosity ? m->face_porosity[f] : m->porosity;
    }
    o->vertex_count += m->vertex_count;
    o->face_count += m->face_count;
}

static void take_colliders(wf_obstacles *o, const wf_obstacles_def *def)
{
    int32_t last_count = o->collider_count;
    for (int32_t i = 0; i < last_count; i++) {
        o->last_colliders[i] = o->colliders[i];
    }
    for (int32_t i = 0; i < def->collider_count; i++) {
        const wf_obstacle_collider *c = &def->colliders[i];
        o->colliders[i] = (placed_collider){wf_collider_retain(c->collider), c->pose, c->pose,
                                              isfinite(c->collider->reach) ? sqrt(c->porosity) : c->porosity};
        for (int32_t k = 0; o->duration > 0 && k < last_count; k++) {
            if (o->last_colliders[k].collider == c->collider) {
                o->colliders[i].before = o->undone ? o->last_colliders[k].before : o->last_colliders[k].pose;
            }
        }
    }
    for (int32_t i = 0; i < last_count; i++) {
        wf_collider_release(o->last_colliders[i].collider);
    }
    o->collider_count = def->collider_count;
}

static void bound_faces(wf_obstacles *o)
{
    for (int32_t f = 0; f < o->face_count; f++) {
        float *volume = o->volumes + (size_t)f * 2 * SLABS, corner[2 * SLABS];
        wf_volume_clear(SLABS, volume);
        for (int k = 0; k < 3; k++) {
            wf_volume_of_ball(SLABS, o->end[o->faces[f][k]], 0, corner);
            wf_volume_unite(SLABS, volume, corner);
            wf_volume_of_ball(SLABS, o->start[o->faces[f][k]], 0, corner);
            wf_volume_unite(SLABS, volume, corner);
        }
    }
}

void wf_obstacles_undo(wf_obstacles *o)
{
    o->undone = true;
}

void wf_obstacles_forget(wf_obstacles *o, const void *owner)
{
    for (int32_t i = 0; o && i < o->group_count; i++) {
        o->groups[i].owner = o->groups[i].owner == owner ? NULL : o->groups[i].owner;
    }
}

static void forget(wf_obstacles *o)
{
    wf_hierarchy_free(o->context, &o->tree);
    memset(&o->tree, 0, sizeof o->tree);
    release_colliders(o);
    o->vertex_count = o->face_count = o->group_count = 0;
    o->floor = o->undone = false;
}

wf_status wf_obstacles_update(wf_obstacles *o, const wf_obstacles_def *def)
{
    int64_t vertices, faces;
    wf_status status = check_def(o->context, def, &vertices, &faces);
    if (status == WF_OK) {
        status = reserve(o, (size_t)vertices, (size_t)faces, (size_t)def->mesh_count, (size_t)def->collider_count);
    }
    if (status != WF_OK) {
        forget(o);
        return status;
    }
    o->duration = def->duration;
    o->floor = def->floor;
    o->floor_height = def->floor_height;
    o->vertex_count = o->face_count = 0;
    for (int32_t i = 0; i < def->mesh_count; i++) {
        take_mesh(o, i, &def->meshes[i], i < o->group_count);
    }
    o->group_count = def->mesh_count;
    take_colliders(o, def);
    o->undone = false;
    bound_faces(o);
    if (o->face_count == o->tree.count) {
        wf_hierarchy_refit(&o->tree, o->volumes);
        return WF_OK;
    }
    wf_hierarchy_free(o->context, &o->tree);
    memset(&o->tree, 0, sizeof o->tree);
    if (o->face_count > 0) {
        wf_hierarchy_params params = {.build = WF_BUILD_MEDIANS, .arity = 4, .slabs = SLABS};
        status = wf_hierarchy_build(o->context, &params, o->face_count, o->volumes, NULL, &o->tree);
    }
    if (status != WF_OK) {
        forget(o);
    }
    return status;
}

/* ---- triangles --------------------------------------------------------------------------------------------------- */

/* A way, and the nearest hit on it so far. */
typedef struct way {
    const wf_obstacles *obstacles;
    wf_vec3 from, to;
    double from_part, to_part;
    double part;           /* of the nearest hit; 1 and a bit while there is none */
    int32_t face;          /* that it is on; -1: none */
    bool above;            /* it comes from the side of the face's normal */
    double weight[2];      /* of its second and third corners */
} way;

typedef struct triangle {
    wf_vec3 origin, u, v; /* the first corner, and the sides from it */
} triangle;

static triangle triangle_at(const wf_obstacles *o, int32_t face, double part)
{
    wf_vec3 corner[3];
    for (int k = 0; k < 3; k++) {
        int32_t i = o->faces[face][k];
        corner[k] = part == 1 ? o->end[i] : wf_vec3_lerp(o->start[i], o->end[i], part);
    }
    return (triangle){corner[0], wf_vec3_sub(corner[1], corner[0]), wf_vec3_sub(corner[2], corner[0])};
}

/* A point's coordinates along the sides and, in m, above the plane. False for a triangle without area. */
static bool coordinates(const triangle *t, wf_vec3 p, double c[3])
{
    wf_vec3 n = wf_vec3_cross(t->u, t->v), d = wf_vec3_sub(p, t->origin);
    double n2 = wf_vec3_norm2(n);
    if (!(n2 > 0)) {
        return false;
    }
    c[0] = wf_vec3_dot(wf_vec3_cross(d, t->v), n) / n2;
    c[1] = wf_vec3_dot(wf_vec3_cross(t->u, d), n) / n2;
    c[2] = wf_vec3_dot(d, n) / sqrt(n2);
    return true;
}

/* Where the way meets the triangle: in coordinates that go along with it both ends of the way are fixed points, and it
 * is the straight line between them. Edges belong to the faces on both sides, so nothing slips through between two. */
static void try_face(way *w, int32_t face)
{
    const double slack = 1e-9;
    triangle t = triangle_at(w->obstacles, face, w->from_part);
    double a[3], b[3];
    if (!coordinates(&t, w->from, a)) {
        return;
    }
    if (w->to_part != w->from_part) {
        t = triangle_at(w->obstacles, face, w->to_part);
    }
    if (!coordinates(&t, w->to, b) || (a[2] >= 0) == (b[2] >= 0)) {
        return;
    }
    double part = a[2] / (a[2] - b[2]);
    double x = a[0] + (b[0] - a[0]) * part, y = a[1] + (b[1] - a[1]) * part;
    if (!(x >= -slack && y >= -slack && x + y <= 1 + slack && part < w->part)) {
        return;
    }
    w->part = part;
    w->face = face;
    w->above = a[2] >= 0;
    w->weight[0] = x;
    w->weight[1] = y;
}

static bool visit_leaf(void *user, int32_t leaf)
{
    way *w = user;
    const wf_hierarchy *tree = &w->obstacles->tree;
    for (int32_t rank = tree->leaf_begin[leaf]; rank < tree->leaf_begin[leaf + 1]; rank++) {
        try_face(w, tree->order[rank]);
    }
    return true;
}

/* m: the radius of a disc as large as what a box hides of a plane across the direction. */
static double hidden_radius(wf_vec3 extent, wf_vec3 direction)
{
    double area = fabs(direction.x) * extent.y * extent.z + fabs(direction.y) * extent.x * extent.z +
                  fabs(direction.z) * extent.x * extent.y;
    return fmin(sqrt(area / 3.14159265358979323846), endless);
}

static double time_of(const way *w, double part)
{
    return part == 1 ? w->to_part : w->from_part + (w->to_part - w->from_part) * part;
}

static void describe_face_hit(const wf_obstacles *o, const way *w, wf_obstacle_hit *hit)
{
    triangle t = triangle_at(o, w->face, time_of(w, w->part));
    const double weights[3] = {1 - w->weight[0] - w->weight[1], w->weight[0], w->weight[1]};
    const wf_box *box = &o->groups[o->face_group[w->face]].box;
    wf_vec3 normal = wf_vec3_normalize(wf_vec3_cross(t.u, t.v)), way = {0, 0, 0};
    for (int k = 0; o->duration > 0 && k < 3; k++) {
        int32_t i = o->faces[w->face][k];
        way = wf_vec3_muladds(way, wf_vec3_sub(o->end[i], o->start[i]), weights[k] / o->duration);
    }
    hit->part = w->part;
    hit->point = wf_vec3_muladds(wf_vec3_muladds(t.origin, t.u, w->weight[0]), t.v, w->weight[1]);
    hit->normal = w->above ? normal : wf_vec3_scale(normal, -1);
    hit->velocity = way;
    hit->porosity = o->porosity[w->face];
    hit->radius = hidden_radius(wf_vec3_sub(box->upper, box->lower), wf_vec3_normalize(wf_vec3_sub(w->to, w->from)));
}

/* ---- colliders --------------------------------------------------------------------------------------------------- */

/* The place where the signed distance changes its sign between two parts of the way a..b, of which `low` is on the
 * side where the way began. */
static double bisect(const wf_collider *c, wf_vec3 a, wf_vec3 b, double low, double high, bool outside)
{
    for (int i = 0; i < BISECTIONS; i++) {
        wf_vec3 gradient;
        double middle = 0.5 * (low + high);
        bool same = (c->class->distance(c, wf_vec3_lerp(a, b, middle), &gradient) >= 0) == outside;
        *(same ? &low : &high) = middle;
    }
    return low;
}

/* Marches along by what the distance allows; false where the way stays on its side. */
static bool march(const wf_collider *c, wf_vec3 a, wf_vec3 b, double *part)
{
    double length = wf_vec3_distance(a, b), done = 0;
    wf_vec3 gradient;
    double distance = c->class->distance(c, a, &gradient);
    bool outside = distance >= 0;
    if (!(length > 0) || fabs(distance) > length * c->class->slope) {
        return false;
    }
    while (done < 1) {
        double next = fmin(done + fmax(fabs(distance) / (c->class->slope * length), 1.0 / MARCH_PARTS), 1);
        distance = c->class->distance(c, wf_vec3_lerp(a, b, next), &gradient);
        if ((distance >= 0) != outside) {
            *part = bisect(c, a, b, done, next, outside);
            return true;
        }
        done = next;
    }
    return false;
}

static void try_collider(const placed_collider *o, double duration, const way *w, wf_obstacle_hit *hit)
{
    const wf_collider *c = o->collider;
    wf_pose start = wf_pose_between(&o->before, &o->pose, w->from_part);
    wf_pose end = wf_pose_between(&o->before, &o->pose, w->to_part);
    wf_vec3 a = wf_pose_to_local(&start, w->from), b = wf_pose_to_local(&end, w->to);
    double part;
    if (!march(c, a, b, &part) || part >= hit->part) {
        return;
    }
    wf_vec3 place = wf_vec3_lerp(a, b, part), gradient;
    c->class->distance(c, place, &gradient);
    double side = wf_vec3_dot(gradient, wf_vec3_sub(b, a)) <= 0 ? 1 : -1;
    wf_pose then = wf_pose_between(&o->before, &o->pose, time_of(w, part));
    hit->part = part;
    hit->point = wf_pose_to_world(&then, place);
    hit->normal = wf_rotation_apply(then.turn, wf_vec3_scale(gradient, side));
    hit->porosity = o->porosity;
    hit->velocity = wf_vec3_make(0, 0, 0);
    if (duration > 0) {
        hit->velocity = wf_vec3_scale(wf_vec3_sub(wf_pose_to_world(&o->pose, place),
                                                  wf_pose_to_world(&o->before, place)), 1 / duration);
    }
    hit->radius = fmin(c->reach, endless);
    if (c->class->symmetry != WF_ROUND && c->half_size.y > 0) {
        wf_vec3 round = {c->radius, c->radius, c->radius};
        hit->radius = hidden_radius(wf_vec3_scale(wf_vec3_add(c->half_size, round), 2),
                                    wf_vec3_normalize(wf_vec3_sub(b, a)));
    }
}

/* ---- the first hit ----------------------------------------------------------------------------------------------- */

static void try_floor(const wf_obstacles *o, const way *w, wf_obstacle_hit *hit)
{
    double a = w->from.y - o->floor_height, b = w->to.y - o->floor_height;
    if ((a >= 0) == (b >= 0) || a / (a - b) >= hit->part) {
        return;
    }
    double part = a / (a - b);
    wf_vec3 point = wf_vec3_lerp(w->from, w->to, part);
    point.y = o->floor_height;
    *hit = (wf_obstacle_hit){part, point, {0, a >= 0 ? 1 : -1, 0}, {0, 0, 0}, 0, endless};
}

bool wf_obstacles_first_hit(const wf_obstacles *o, wf_vec3 from, wf_vec3 to, double from_part, double to_part,
                            wf_obstacle_hit *hit)
{
    const double none = 1 + 1e-12;
    way w = {.obstacles = o, .from = from, .to = to, .from_part = from_part, .to_part = to_part, .part = none,
             .face = -1};
    if (o->tree.count > 0) {
        float volume[2 * SLABS], other[2 * SLABS];
        wf_volume_of_ball(SLABS, from, 0, volume);
        wf_volume_of_ball(SLABS, to, 0, other);
        wf_volume_unite(SLABS, volume, other);
        wf_hierarchy_query(&o->tree, volume, 0, visit_leaf, &w);
    }
    hit->part = w.part;
    if (w.face >= 0) {
        describe_face_hit(o, &w, hit);
    }
    for (int32_t i = 0; i < o->collider_count; i++) {
        try_collider(&o->colliders[i], o->duration, &w, hit);
    }
    if (o->floor) {
        try_floor(o, &w, hit);
    }
    return hit->part < none;
}

int32_t wf_obstacles_face_count(const wf_obstacles *o)
{
    return o->face_count;
}

void wf_obstacles_face_places(const wf_obstacles *o, int32_t count, wf_vec3 *middles, wf_vec3 *normals)
{
    for (int32_t f = 0; f < count && f < o->face_count; f++) {
        triangle t = triangle_at(o, f, 1);
        middles[f] = wf_vec3_muladds(t.origin, wf_vec3_add(t.u, t.v), 1.0 / 3);
        normals[f] = wf_vec3_normalize(wf_vec3_cross(t.u, t.v));
    }
}

/* ---- where there are any ----------------------------------------------------------------------------------------- */

bool wf_obstacles_bounds(const wf_obstacles *o, wf_vec3 *lower, wf_vec3 *upper)
{
    wf_box box = wf_box_empty();
    for (int32_t i = 0; i < o->group_count; i++) {
        box = wf_box_join(box, o->groups[i].box);
    }
    for (int32_t i = 0; i < o->collider_count; i++) {
        const wf_collider *c = o->colliders[i].collider;
        if (isfinite(c->reach)) {
            wf_vec3 reach = {c->reach, c->reach, c->reach};
            wf_box_include(&box, wf_vec3_sub(o->colliders[i].pose.centre, reach));
            wf_box_include(&box, wf_vec3_add(o->colliders[i].pose.centre, reach));
        }
    }
    *lower = box.lower;
    *upper = box.upper;
    return box.lower.x <= box.upper.x;
}

bool wf_obstacles_is_empty(const wf_obstacles *o)
{
    return o->face_count == 0 && o->collider_count == 0 && !o->floor;
}

typedef struct cell_range {
    int32_t from[3], to[3]; /* both included */
} cell_range;

/* The cells that a box touches, within the grid; false: none. */
static bool range_of(const wf_cell_grid *g, const double lower[3], const double upper[3], cell_range *range)
{
    const double origin[3] = {g->lower.x, g->lower.y, g->lower.z};
    const int32_t count[3] = {g->nx, g->ny, g->nz};
    for (int k = 0; k < 3; k++) {
        double from = floor((lower[k] - origin[k]) / g->cell), to = floor((upper[k] - origin[k]) / g->cell);
        if (!(to >= 0 && from < count[k])) {
            return false;
        }
        range->from[k] = from > 0 ? (int32_t)from : 0;
        range->to[k] = to < count[k] ? (int32_t)to : count[k] - 1;
    }
    return true;
}

static wf_vec3 cell_centre(const wf_cell_grid *g, int32_t i, int32_t j, int32_t k)
{
    return wf_vec3_make(g->lower.x + (i + 0.5) * g->cell, g->lower.y + (j + 0.5) * g->cell,
                        g->lower.z + (k + 0.5) * g->cell);
}

/* A face at rest only touches the cells that its plane goes through. */
static void mark_face(const wf_obstacles *o, int32_t f, const wf_cell_grid *g, uint8_t *marks)
{
    const float *volume = o->volumes + (size_t)f * 2 * SLABS;
    const double lower[3] = {volume[0], volume[1], volume[2]}, upper[3] = {volume[3], volume[4], volume[5]};
    cell_range r;
    if (!range_of(g, lower, upper, &r)) {
        return;
    }
    triangle t = triangle_at(o, f, 1);
    wf_vec3 n = wf_vec3_normalize(wf_vec3_cross(t.u, t.v));
    double way = 0;
    for (int k = 0; k < 3; k++) {
        way = fmax(way, wf_vec3_distance(o->end[o->faces[f][k]], o->start[o->faces[f][k]]));
    }
    double reach = 0.5 * g->cell * (fabs(n.x) + fabs(n.y) + fabs(n.z)) * (1 + 1e-6) + way;
    for (int32_t k = r.from[2]; k <= r.to[2]; k++) {
        for (int32_t j = r.from[1]; j <= r.to[1]; j++) {
            for (int32_t i = r.from[0]; i <= r.to[0]; i++) {
                if (fabs(wf_vec3_dot(n, wf_vec3_sub(cell_centre(g, i, j, k), t.origin))) <= reach) {
                    marks[i + (int64_t)g->nx * (j + (int64_t)g->ny * k)] = 1;
                }
            }
        }
    }
}

static void mark_collider(const placed_collider *o, const wf_cell_grid *g, uint8_t *marks)
{
    const wf_collider *c = o->collider;
    wf_vec3 at = o->pose.centre;
    double turned = wf_vec3_norm(wf_pose_turning(&o->before, &o->pose));
    double way = wf_vec3_distance(o->before.centre, at) + (isfinite(c->reach) ? turned * c->reach : 0);
    double reach = c->reach + way;
    const double lower[3] = {at.x - reach, at.y - reach, at.z - reach};
    const double upper[3] = {at.x + reach, at.y + reach, at.z + reach};
    cell_range r;
    if (!range_of(g, lower, upper, &r)) {
        return;
    }
    const double half = 0.5 * sqrt(3.0) * g->cell * (1 + 1e-6);
    for (int32_t k = r.from[2]; k <= r.to[2]; k++) {
        for (int32_t j = r.from[1]; j <= r.to[1]; j++) {
            for (int32_t i = r.from[0]; i <= r.to[0]; i++) {
                wf_vec3 p = cell_centre(g, i, j, k), gradient;
                double more = isfinite(c->reach) ? 0 : turned * wf_vec3_distance(p, at);
                double distance = c->class->distance(c, wf_pose_to_local(&o->pose, p), &gradient);
                if (fabs(distance) <= c->class->slope * (half + way + more)) {
                    marks[i + (int64_t)g->nx * (j + (int64_t)g->ny * k)] = 1;
                }
            }
        }
    }
}

void wf_obstacles_mark(const wf_obstacles *o, const wf_cell_grid *g, uint8_t *marks)
{
    const size_t layer = (size_t)g->nx * (size_t)g->ny;
    memset(marks, 0, layer * (size_t)g->nz);
    for (int32_t f = 0; f < o->face_count; f++) {
        mark_face(o, f, g, marks);
    }
    for (int32_t i = 0; i < o->collider_count; i++) {
        mark_collider(&o->colliders[i], g, marks);
    }
    double row = floor((o->floor_height - g->lower.y) / g->cell);
    if (o->floor && row >= 0 && row < g->ny) {
        for (int32_t k = 0; k < g->nz; k++) {
            memset(marks + (size_t)k * layer + (size_t)g->nx * (size_t)row, 1, (size_t)g->nx);
        }
    }
}
