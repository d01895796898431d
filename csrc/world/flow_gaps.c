/* flow_gaps.c - cloth near solids, as a flow meets it; see flow_gaps.h. */
#include "world/flow_gaps.h"

#include <string.h>

#include "base/tasks.h"

enum { BLOCK = 256 }; /* vertices */

typedef struct finder {
    const wf_world *world;
    wf_world_flow *f;
    double reach;    /* m: gaps wider than that are none anywhere */
} finder;

/* The nearest solid so far: m, and the direction away from it. */
typedef struct gap {
    double distance;
    wf_vec3 away;
} gap;

static void meet_floor(const wf_world *world, wf_vec3 point, gap *nearest)
{
    const double distance = point.y - world->params.floor_height;
    if (world->params.floor && distance < nearest->distance) {
        *nearest = (gap){distance, {0, 1, 0}};
    }
}

static void meet_colliders(const wf_world *world, wf_vec3 point, gap *nearest)
{
    for (size_t m = 0; m < world->collider_count; m++) {
        const wf_collider_member *member = &world->colliders[m];
        const wf_collider *collider = member->collider;
        const double away = wf_vec3_distance(point, member->departure.centre) - collider->reach;
        wf_vec3 gradient = {0, 0, 0};
        if (away >= nearest->distance) {
            continue;
        }
        const double distance =
            collider->class->distance(collider, wf_pose_to_local(&member->departure, point), &gradient);
        if (distance < nearest->distance) {
            *nearest = (gap){distance, wf_rotation_apply(member->departure.turn, gradient)};
        }
    }
}

static void meet_bodies(const finder *s, wf_vec3 point, gap *nearest)
{
    if (!s->f->bodies) {
        return;
    }
    wf_vec3 bound = point; /* farther ones are of no interest */
    bound.x += nearest->distance;
    wf_vec3 closest = bound;
    const double distance = wf_solid_distance_at(s->f->bodies, point, true, &closest);
    /* As far away as that rounds to may be a little nearer. */
    const bool found = !wf_vec3_equal(closest, bound);
    if (found && distance < nearest->distance && distance > 0) {
        *nearest = (gap){distance, wf_vec3_scale(wf_vec3_sub(point, closest), 1 / distance)};
    }
}

static void place_block(void *user, size_t block, size_t begin, size_t end)
{
    (void)block;
    const finder *s = user;
    const double *spacing = wf_flow_get_params(s->f->box.flow)->spacing;
    for (size_t i = begin; i < end; i++) {
        const wf_vec3 point = s->world->x0[i], normal = wf_vec3_normalize(s->f->normals[i]);
        gap nearest = {.distance = s->reach};
        meet_floor(s->world, point, &nearest);
        meet_colliders(s->world, point, &nearest);
        meet_bodies(s, point, &nearest);
        const wf_vec3 n = nearest.away;
        const double thick = fabs(n.x) * spacing[0] + fabs(n.y) * spacing[1] + fabs(n.z) * spacing[2];
        const double way = thick - 0.5 * fmax(nearest.distance, 0), along = wf_vec3_dot(n, normal);
        s->f->nearness[i] = 1;
        if (way > 0) {
            s->f->places[i] = wf_vec3_muladds(point, normal, way * along);
            s->f->nearness[i] = 1 - along * along * way / thick;
        }
    }
}

/* Of the sheet's cloth: not of unit length, 0 elsewhere. */
static void find_normals(const wf_world *world, wf_world_flow *f)
{
    memset(f->normals, 0, (size_t)f->cloth_count * sizeof *f->normals);
    for (int32_t k = 0; k < f->face_count; k++) {
        const int32_t *v = f->faces[k];
        const wf_vec3 a = world->x0[v[0]];
        const wf_vec3 across = wf_vec3_cross(wf_vec3_sub(world->x0[v[1]], a), wf_vec3_sub(world->x0[v[2]], a));
        for (int c = 0; c < 3 && v[c] < f->cloth_count; c++) {
            f->normals[v[c]] = wf_vec3_add(f->normals[v[c]], across);
        }
    }
}

wf_status wf_world_make_flow_bodies(const wf_world *world, wf_world_flow *f)
{
    wf_context *context = world->context;
    size_t count = 0;
    for (size_t m = 0; m < world->body_count; m++) {
        count += (size_t)world->bodies[m].body->mesh.face_count;
    }
    for (size_t m = 0; m < world->rigid_count; m++) {
        count += (size_t)world->rigids[m].rigid->mesh.face_count;
    }
    if (count == 0) {
        return WF_OK;
    }
    int32_t (*faces)[3] = wf_allocate(context, count, sizeof *faces), next = 0;
    if (!faces) {
        return WF_ERROR_MEMORY;
    }
    for (size_t m = 0; m < world->body_count + world->rigid_count; m++) {
        const bool is_body = m < world->body_count;
        const size_t r = m - world->body_count;
        const wf_mesh *mesh = is_body ? &world->bodies[m].body->mesh : &world->rigids[r].rigid->mesh;
        const int32_t first = is_body ? world->bodies[m].first_vertex : world->rigids[r].first_vertex;
        for (int32_t k = 0; k < mesh->face_count; k++, next++) {
            for (int v = 0; v < 3; v++) {
                faces[next][v] = first + mesh->faces[k][v];
            }
        }
    }
    const wf_mesh all = {.vertex_count = world->vertex_count,
                         .positions = world->x0,
                         .face_count = next,
                         .faces = faces};
    const wf_status status = wf_solid_create_moving(context, &all, &f->bodies);
    wf_free(context, faces);
    return status;
}

void wf_world_find_flow_gaps(const wf_world *world, wf_world_flow *f)
{
    const double *spacing = wf_flow_get_params(f->box.flow)->spacing;
    finder s = {.world = world, .f = f};
    s.reach = 2 * sqrt(spacing[0] * spacing[0] + spacing[1] * spacing[1] + spacing[2] * spacing[2]);
    memcpy(f->places, world->x0, (size_t)world->vertex_count * sizeof *f->places);
    for (int32_t i = f->cloth_count; i < f->vertex_count; i++) {
        f->nearness[i] = 1;
    }
    find_normals(world, f);
    if (f->bodies) {
        wf_solid_move(f->bodies, world->x0);
    }
    wf_parallel_for(world->context, (size_t)f->cloth_count, BLOCK, place_block, &s);
}
