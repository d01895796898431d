/* touching.c - cloth that but touches something when it starts, as round coordinates make it.
 *
 * Contact keeps the distance that it finds. To one of nothing there is no side: cloth would hang at what it touches, or
 * barriers, which are infinite there, would let it through. So before the first step of cloth, of a body, or of a place
 * where a script put one, cloth that touches leaves by some micrometres, as rigid bodies do (start.c): a
 * body to where that body's surface looks, and other cloth, of which the later moves, to the side on which it is around
 * the place; where it lies along it, to where the surface of the earlier looks. What crosses still does.
 * Positions of the step change, not those that the script reads; a step that fails leaves nothing.
 */
#include <string.h>

#include "contact/free_motion.h"
#include "world/world_state.h"

enum { TRIES = 5 };
#define COUNTS (2 * WF_TOUCHING)  /* m: nearer than that touches; of what touches rounding decides the side */
#define ASIDE 0.1                 /* of the way to its neighbours: cloth that leads away less lies along */

typedef struct touching {
    wf_world *world;
    wf_vec3 *normal; /* [vertex_count] of surfaces */
    wf_vec3 *around; /* [cloth_vertex_count] m: mean of a vertex's faces, from it */
    wf_vec3 *way;    /* [cloth_vertex_count] sum of directions out of touch */
    int32_t *faces;  /* [cloth_vertex_count] scratch */
} touching;

/* Points of one side of a pair: the first two or the vertex, or the others. */
typedef struct side {
    int begin, end;
} side;

static bool of_cloth(const wf_world *world, int32_t vertex)
{
    return vertex < world->cloth_vertex_count;
}

static bool of_body(const wf_world *world, int32_t vertex)
{
    return vertex >= world->moving_count;
}

static const wf_cloth_member *cloth_of(const wf_world *world, int32_t vertex)
{
    size_t m = 0;
    while (m + 1 < world->cloth_count && world->cloths[m + 1].first_vertex <= vertex) {
        m++;
    }
    return &world->cloths[m];
}

/* Normals of cloth and bodies, and where cloth is around its vertices. */
static void survey(touching *t)
{
    const wf_world *world = t->world;
    for (size_t k = 0; k < world->body_count; k++) {
        int32_t first = world->bodies[k].first_vertex;
        wf_mesh_vertex_normals(&world->bodies[k].body->mesh, world->x0 + first, t->normal + first);
    }
    for (size_t m = 0; m < world->cloth_count; m++) {
        const int32_t first = world->cloths[m].first_vertex;
        const wf_mesh *mesh = &world->cloths[m].cloth->mesh;
        const wf_vec3 *x = world->x0 + first;
        wf_mesh_vertex_normals(mesh, x, t->normal + first);
        for (int32_t f = 0; f < mesh->face_count; f++) {
            const int32_t *v = mesh->faces[f];
            const wf_vec3 middle = wf_vec3_scale(wf_vec3_add(wf_vec3_add(x[v[0]], x[v[1]]), x[v[2]]), 1.0 / 3);
            for (int k = 0; k < 3; k++) {
                t->around[first + v[k]] = wf_vec3_add(t->around[first + v[k]], wf_vec3_sub(middle, x[v[k]]));
                t->faces[first + v[k]]++;
            }
        }
    }
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        t->around[i] = wf_vec3_scale(t->around[i], 1.0 / (t->faces[i] > 0 ? t->faces[i] : 1));
    }
}

/* Where the surface of one side looks at the pair's closest point. */
static wf_vec3 normal_of(const touching *t, const wf_contact *pair, side of)
{
    wf_vec3 normal = {0, 0, 0};
    if (of.end - of.begin == 3) {
        const wf_vec3 *x = t->world->x0;
        const int32_t *v = pair->vertex + of.begin;
        normal = wf_vec3_cross(wf_vec3_sub(x[v[1]], x[v[0]]), wf_vec3_sub(x[v[2]], x[v[0]]));
        return wf_vec3_normalize(normal);
    }
    for (int k = of.begin; k < of.end; k++) {
        normal = wf_vec3_muladds(normal, t->normal[pair->vertex[k]], fabs(pair->weight[k]));
    }
    return wf_vec3_normalize(normal);
}

/* 1 or -1: on which side of a surface that looks along `normal` other cloth is around the place. */
static double side_of(const touching *t, const wf_contact *pair, side other, wf_vec3 normal)
{
    double height = 0, size = 0;
    for (int k = other.begin; k < other.end; k++) {
        const wf_vec3 around = t->around[pair->vertex[k]];
        height += fabs(pair->weight[k]) * wf_vec3_dot(around, normal);
        size += fabs(pair->weight[k]) * wf_vec3_norm(around);
    }
    return height < -ASIDE * size && size > COUNTS ? -1 : 1;
}

/* Lets the free vertices of a side leave along a direction. Whether there are any. */
static bool lead(touching *t, const wf_contact *pair, side of, wf_vec3 direction)
{
    bool any = false;
    for (int k = of.begin; k < of.end; k++) {
        int32_t i = pair->vertex[k];
        if (t->world->inverse_mass[i] > 0) {
            t->way[i] = wf_vec3_add(t->way[i], direction);
            any = true;
        }
    }
    return any;
}

/* Whether what touches is led apart. */
static bool lead_apart(touching *t, const wf_contact *pair)
{
    const wf_world *world = t->world;
    const int cut = pair->kind & WF_CONTACT_EDGE_EDGE ? 2 : 1;
    side cloth = {0, cut}, base = {cut, 4};
    bool first = of_cloth(world, pair->vertex[0]), second = of_cloth(world, pair->vertex[cut]);
    if (!first) {
        cloth = (side){cut, 4};
        base = (side){0, cut};
    }
    if (!first || !second) {
        bool body = (first || second) && of_body(world, pair->vertex[base.begin]);
        return body && lead(t, pair, cloth, normal_of(t, pair, base));
    }
    const wf_cloth_member *a = cloth_of(world, pair->vertex[0]), *b = cloth_of(world, pair->vertex[cut]);
    if (a == b || a->cloth->pair_count > 0 || b->cloth->pair_count > 0) {
        return false; /* folds have no side that both layers agree on; panels touch along stitches */
    }
    if (a < b) {
        cloth = (side){cut, 4};
        base = (side){0, cut};
    }
    wf_vec3 normal = normal_of(t, pair, base);
    normal = wf_vec3_scale(normal, side_of(t, pair, cloth, normal));
    return lead(t, pair, cloth, normal) || lead(t, pair, base, wf_vec3_scale(normal, -1));
}

/* One try, by `way` m. Whether anything moved. */
static wf_status leave(touching *t, double way, bool *moved)
{
    wf_world *world = t->world;
    const wf_contact *contacts;
    int32_t count;
    size_t cloth = (size_t)world->cloth_vertex_count;
    *moved = false;
    wf_status status = wf_contact_update(world->scene, world->x0, world->x0, wf_world_contact_skin(world));
    status = status == WF_OK
                 ? wf_contact_find(world->scene, world->x0, COUNTS, WF_CONTACTS_ALL, &contacts, &count)
                 : status;
    if (status != WF_OK) {
        return status;
    }
    memset(t->way, 0, cloth * sizeof *t->way);
    for (int32_t c = 0; c < count; c++) {
        if (contacts[c].distance < COUNTS) {
            *moved = lead_apart(t, &contacts[c]) || *moved;
        }
    }
    for (size_t i = 0; i < cloth && *moved; i++) {
        world->x0[i] = wf_vec3_muladds(world->x0[i], wf_vec3_normalize(t->way[i]), way);
    }
    return WF_OK;
}

wf_status wf_world_part_touching(wf_world *world)
{
    if (!world->scene || world->cloth_vertex_count == 0) {
        return WF_OK;
    }
    wf_context *context = world->context;
    const size_t cloth = (size_t)world->cloth_vertex_count;
    touching t = {.world = world,
                  .normal = wf_allocate(context, (size_t)world->vertex_count, sizeof *t.normal),
                  .around = wf_allocate(context, cloth, sizeof *t.around),
                  .way = wf_allocate(context, cloth, sizeof *t.way),
                  .faces = wf_allocate(context, cloth, sizeof *t.faces)};
    wf_status status = t.normal && t.around && t.way && t.faces ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        survey(&t);
    }
    bool moved = true;
    for (int k = 0; k < TRIES && status == WF_OK && moved; k++) {
        status = leave(&t, ldexp(WF_OUT_OF_TOUCH, k), &moved);
    }
    wf_free(context, t.normal);
    wf_free(context, t.around);
    wf_free(context, t.way);
    wf_free(context, t.faces);
    return status;
}
