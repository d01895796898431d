/* untangle.c - untangling as worlds ask for it: their members in one numbering, and the order of their layers. */
#include <string.h>

#include "world/world_state.h"

typedef struct surfaces {
    int32_t (*faces)[3]; /* cloth, then bodies */
    int32_t *layer;      /* of cloth faces */
    uint8_t *solid;      /* of body faces */
    int32_t *classes;    /* where cloth does not meet cloth: all the same */
    int32_t body_faces;
    bool layered;        /* whether layers differ */
} surfaces;

static void release(wf_world *world, surfaces *s)
{
    wf_free(world->context, s->faces);
    wf_free(world->context, s->layer);
    wf_free(world->context, s->solid);
    wf_free(world->context, s->classes);
}

/* Names each cloth of the world once, and nothing else. */
static wf_status check_order(const wf_world *world, const wf_cloth *const *order, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        if (!wf_world_has_cloth(world, order[k])) {
            return wf_fail(world->context, WF_ERROR_ARGUMENT, "order[%zu] is a cloth that is not in this world", k + 1);
        }
        for (size_t before = 0; before < k; before++) {
            if (order[before] == order[k]) {
                return wf_fail(world->context, WF_ERROR_ARGUMENT, "order[%zu] and order[%zu] are the same cloth, of %d "
                               "vertices and %d triangles", before + 1, k + 1, (int)order[k]->mesh.vertex_count,
                               (int)order[k]->mesh.face_count);
            }
        }
    }
    if (order && count < world->cloth_count) {
        return wf_fail(world->context, WF_ERROR_ARGUMENT, "order must name every cloth of the world: %zu, got %zu",
                       world->cloth_count, count);
    }
    return WF_OK;
}

/* The place of a cloth in the order, which names it. */
static int32_t rank_of(const wf_cloth *cloth, const wf_cloth *const *order, size_t count)
{
    size_t k = 0;
    while (k + 1 < count && order[k] != cloth) {
        k++;
    }
    return (int32_t)k;
}

static void add_faces(const wf_mesh *mesh, int32_t first_vertex, int32_t (*faces)[3])
{
    for (int32_t f = 0; f < mesh->face_count; f++) {
        for (int k = 0; k < 3; k++) {
            faces[f][k] = first_vertex + mesh->faces[f][k];
        }
    }
}

/* Cloths are apart in the order whatever the layers within them. */
enum { LAYERS_OF_A_CLOTH = 1 << 16 };

static wf_status gather(wf_world *world, const wf_cloth *const *order, size_t order_count, surfaces *s)
{
    wf_context *context = world->context;
    for (size_t m = 0; m < world->body_count; m++) {
        s->body_faces += world->bodies[m].body->mesh.face_count;
    }
    for (size_t m = 0; m < world->rigid_count; m++) {
        s->body_faces += world->rigids[m].rigid->mesh.face_count;
    }
    s->faces = wf_allocate(context, (size_t)world->face_count + (size_t)s->body_faces, sizeof *s->faces);
    s->layer = wf_allocate(context, (size_t)world->face_count, sizeof *s->layer);
    s->solid = wf_allocate(context, (size_t)s->body_faces, sizeof *s->solid);
    s->classes = wf_allocate(context, (size_t)world->cloth_vertex_count, sizeof *s->classes);
    if (!s->faces || !s->layer || !s->solid || !s->classes) {
        return WF_ERROR_MEMORY;
    }
    for (size_t m = 0; m < world->cloth_count; m++) {
        const wf_cloth_member *member = &world->cloths[m];
        const wf_cloth *cloth = member->cloth;
        int32_t rank = order ? rank_of(cloth, order, order_count) : 0;
        if (cloth->pair_count > 0) {
            return wf_fail(context, WF_ERROR_STATE, "cloth with open stitches cannot be untangled; sew it first");
        }
        add_faces(&cloth->mesh, member->first_vertex, s->faces + member->first_face);
        for (int32_t f = 0; f < cloth->mesh.face_count; f++) {
            int32_t *layer = &s->layer[member->first_face + f];
            *layer = rank * LAYERS_OF_A_CLOTH + (cloth->layer ? cloth->layer[f] : 0);
            s->layered = s->layered || *layer != s->layer[0];
        }
    }
    size_t face = 0;
    for (size_t m = 0; m < world->rigid_count; m++) { /* which stay where they are */
        const wf_mesh *mesh = &world->rigids[m].rigid->mesh;
        add_faces(mesh, world->rigids[m].first_vertex, s->faces + (size_t)world->face_count + face);
        memset(s->solid + face, true, (size_t)mesh->face_count);
        face += (size_t)mesh->face_count;
    }
    for (size_t m = 0; m < world->body_count; m++) {
        const wf_body *body = world->bodies[m].body;
        add_faces(&body->mesh, world->bodies[m].first_vertex, s->faces + (size_t)world->face_count + face);
        memset(s->solid + face, body->solid, (size_t)body->mesh.face_count);
        face += (size_t)body->mesh.face_count;
    }
    return WF_OK;
}

/* Above the floor and outside of colliders; what starts beyond them goes no farther, and what a collider pushes below
 * the floor stays where it is. */
static wf_vec3 keep_outside(const void *user, int32_t vertex, wf_vec3 from, wf_vec3 to)
{
    const wf_world *world = user;
    double lowest = -INFINITY;
    if (world->params.floor) {
        lowest = fmin(world->params.floor_height + 0.1 * world->half_thickness[vertex], from.y);
        to.y = fmax(to.y, lowest);
    }
    wf_vec3 kept = wf_world_end_outside(world, vertex, from, to);
    return kept.y < lowest ? from : kept;
}

/* To x1, from x0; v1 of what moved is zero. */
static wf_status untangle(wf_world *world, const surfaces *s, int rounds, wf_vec3 *places, int32_t *place_count,
                          wf_untangle_report *report)
{
    wf_untangle_def def = {.scene = {.cloth_count = world->cloth_vertex_count,
                                     .vertex_count = world->vertex_count,
                                     .cloth_face_count = world->face_count,
                                     .cloth_faces = (const int32_t(*)[3])s->faces,
                                     .body_face_count = s->body_faces,
                                     .body_faces = (const int32_t(*)[3])(s->faces + world->face_count),
                                     .vertex_class = world->params.self_contact ? NULL : s->classes,
                                     .half_thickness = world->half_thickness,
                                     .neighbour_half_thickness = world->neighbour_half_thickness,
                                     .friction = world->friction},
                           .inverse_mass = world->inverse_mass,
                           .face_layer = s->layered ? s->layer : NULL,
                           .body_solid = s->solid,
                           .with_itself = world->params.self_contact,
                           .keep_outside = keep_outside,
                           .user = world,
                           .rounds = rounds};
    wf_status status = wf_untangle(world->context, &def, world->x1, places, place_count, report);
    for (int32_t i = 0; status == WF_OK && i < world->cloth_vertex_count; i++) {
        if (memcmp(&world->x1[i], &world->x0[i], sizeof *world->x1) != 0) {
            world->v1[i] = (wf_vec3){0, 0, 0};
        }
    }
    return status;
}

wf_status wf_world_untangle(wf_world *world, const wf_cloth *const *order, size_t order_count, int rounds,
                            wf_vec3 *places, int32_t *place_count, wf_untangle_report *report)
{
    *report = (wf_untangle_report){0};
    *place_count = 0;
    wf_status status = check_order(world, order, order_count);
    status = status == WF_OK ? wf_world_refresh(world) : status;
    if (status != WF_OK || !world->scene) {
        return status; /* without a scene nothing can cross */
    }
    wf_world_load_state(world);
    surfaces s = {0};
    status = gather(world, order, order_count, &s);
    if (status == WF_OK) {
        status = untangle(world, &s, rounds, places, place_count, report);
    }
    release(world, &s);
    if (status == WF_OK && report->moved_vertices > 0) {
        wf_world_store_state(world);
        world->rest_time = 0;
    }
    return status;
}
