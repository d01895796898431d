/* place.c - freeing panels from the body and from one another. */
#include "garment/place.h"

#include <string.h>

static const double body_step = 0.002;       /* m, when a crossing gives no better bound */
static const double separation_step = 0.002; /* m */
static const double separation_reach = 0.2;  /* m */

/* A panel's own frame in space: a point is (x, y, h) with x, y its rest coordinates and h its height over the panel's
 * first place, outward. */
typedef struct flat_panel {
    wf_vec3 origin, x_axis, y_axis, normal;
    double moved;                 /* the panel's height */
    int32_t first_vertex, vertex_count, first_face, face_count;
    int32_t segment_count;
    int32_t (*segments)[2];       /* outline edges, vertices of the common numbering */
    wf_vec2 lower, upper;         /* of the rest coordinates */
    double edge_length;           /* mean length of outline edges, m */
} flat_panel;

typedef struct placer {
    wf_context *context;
    const wf_garment *garment;
    const wf_mesh *body;
    const wf_solid *solid;
    wf_place_params params;
    wf_pattern_mesh *mesh;
    flat_panel *panels;
    wf_vec3 *points, *heights;    /* [vertex_count] moved positions; [body vertex_count] body in a panel's frame */
    double *distance;             /* [vertex_count] from the body, negative inside */
    bool *stitched;               /* [panel_count^2] whether two panels share a seam */
    int32_t (*body_edges)[2];     /* edges over the panel at hand */
    int32_t body_edge_count;
} placer;

wf_place_params wf_default_place_params(void)
{
    return (wf_place_params){.clearance = 0.005, .panel_gap = 0.003, .reach = 0.4};
}

/* ---- frames ---------------------------------------------------------------------------------------------------- */

static wf_vec3 to_frame(const flat_panel *panel, wf_vec3 point)
{
    wf_vec3 d = wf_vec3_sub(point, panel->origin);
    return wf_vec3_make(wf_vec3_dot(d, panel->x_axis), wf_vec3_dot(d, panel->y_axis), wf_vec3_dot(d, panel->normal));
}

static bool within_bounds(const flat_panel *panel, double x, double y, double margin)
{
    return x >= panel->lower.x - margin && x <= panel->upper.x + margin && y >= panel->lower.y - margin
           && y <= panel->upper.y + margin;
}

/* Even-odd rule over the outline, holes included. */
static bool inside_outline(const placer *p, const flat_panel *panel, double x, double y)
{
    if (!within_bounds(panel, x, y, 0)) {
        return false;
    }
    bool inside = false;
    for (int32_t i = 0; i < panel->segment_count; i++) {
        wf_vec2 a = p->mesh->rest[panel->segments[i][0]], b = p->mesh->rest[panel->segments[i][1]];
        if ((a.y > y) != (b.y > y) && x < a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x)) {
            inside = !inside;
        }
    }
    return inside;
}

/* Where a - b, in the panel's frame, passes height h, if it does so inside the outline. */
static bool crosses(const placer *p, const flat_panel *panel, wf_vec3 a, wf_vec3 b, double h, wf_vec3 *place)
{
    if ((a.z > h) == (b.z > h)) {
        return false;
    }
    *place = wf_vec3_lerp(a, b, (h - a.z) / (b.z - a.z));
    return inside_outline(p, panel, place->x, place->y);
}

/* Collects the edges that only one face of the panel has: the outline. */
static wf_status find_outline(placer *p, flat_panel *panel)
{
    const wf_pattern_mesh *mesh = p->mesh;
    size_t limit = 3 * (size_t)panel->face_count;
    int32_t *next = wf_allocate(p->context, limit, sizeof *next); /* half-edge -> next one from the same vertex */
    int32_t *head = wf_allocate(p->context, (size_t)panel->vertex_count, sizeof *head);
    panel->segments = wf_allocate(p->context, limit, sizeof *panel->segments);
    wf_status status = next && head && panel->segments ? WF_OK : WF_ERROR_MEMORY;
    for (int32_t i = 0; status == WF_OK && i < panel->vertex_count; i++) {
        head[i] = -1;
    }
    for (int32_t e = 0; status == WF_OK && e < (int32_t)limit; e++) {
        int32_t from = mesh->faces[panel->first_face + e / 3][e % 3] - panel->first_vertex;
        next[e] = head[from];
        head[from] = e;
    }
    double total = 0;
    for (int32_t e = 0; status == WF_OK && e < (int32_t)limit; e++) {
        const int32_t *face = mesh->faces[panel->first_face + e / 3];
        int32_t from = face[e % 3], to = face[(e % 3 + 1) % 3];
        bool shared = false;
        for (int32_t k = head[to - panel->first_vertex]; k >= 0 && !shared; k = next[k]) {
            shared = mesh->faces[panel->first_face + k / 3][(k % 3 + 1) % 3] == from;
        }
        if (!shared) {
            int32_t *segment = panel->segments[panel->segment_count++];
            segment[0] = from;
            segment[1] = to;
            total += wf_vec2_norm(wf_vec2_sub(mesh->rest[from], mesh->rest[to]));
        }
    }
    panel->edge_length = panel->segment_count > 0 ? total / panel->segment_count : 0;
    wf_free(p->context, next);
    wf_free(p->context, head);
    return status;
}

static wf_status describe_panels(placer *p)
{
    const wf_pattern_mesh *mesh = p->mesh;
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        p->panels[mesh->vertex_panel[v]].vertex_count++;
    }
    for (int32_t f = 0; f < mesh->face_count; f++) {
        p->panels[mesh->face_panel[f]].face_count++;
    }
    for (int32_t i = 0, vertex = 0, face = 0; i < mesh->panel_count; i++) {
        const wf_panel *from = &p->garment->panels[i];
        flat_panel *panel = &p->panels[i];
        double mirror = from->clockwise != from->turned ? -1 : 1;
        panel->x_axis = wf_mat3_mulv(from->rotation, wf_vec3_make(mirror, 0, 0));
        panel->y_axis = wf_mat3_mulv(from->rotation, wf_vec3_make(0, 1, 0));
        panel->normal = from->normal;
        panel->origin = wf_vec3_muladds(wf_vec3_muladds(mesh->positions[vertex], panel->x_axis, -mesh->rest[vertex].x),
                                        panel->y_axis, -mesh->rest[vertex].y);
        panel->first_vertex = vertex;
        panel->first_face = face;
        vertex += panel->vertex_count;
        face += panel->face_count;
        panel->lower = (wf_vec2){INFINITY, INFINITY};
        panel->upper = (wf_vec2){-INFINITY, -INFINITY};
        for (int32_t v = panel->first_vertex; v < vertex; v++) {
            panel->lower = (wf_vec2){fmin(panel->lower.x, mesh->rest[v].x), fmin(panel->lower.y, mesh->rest[v].y)};
            panel->upper = (wf_vec2){fmax(panel->upper.x, mesh->rest[v].x), fmax(panel->upper.y, mesh->rest[v].y)};
        }
        if (find_outline(p, panel) != WF_OK) {
            return WF_ERROR_MEMORY;
        }
    }
    for (int32_t s = 0; s < p->garment->seam_count; s++) {
        int32_t a = p->garment->seams[s].side[0].panel, b = p->garment->seams[s].side[1].panel;
        p->stitched[(size_t)a * (size_t)mesh->panel_count + (size_t)b] = true;
        p->stitched[(size_t)b * (size_t)mesh->panel_count + (size_t)a] = true;
    }
    return WF_OK;
}

static void update_points(placer *p, const flat_panel *panel)
{
    for (int32_t v = panel->first_vertex; v < panel->first_vertex + panel->vertex_count; v++) {
        p->points[v] = wf_vec3_muladds(p->mesh->positions[v], panel->normal, panel->moved);
    }
}

/* ---- the body -------------------------------------------------------------------------------------------------- */

/* Puts the body into the panel's frame and lists its edges that lie over or under the panel. */
static void look_at_body(placer *p, const flat_panel *panel)
{
    const wf_mesh *body = p->body;
    for (int32_t v = 0; v < body->vertex_count; v++) {
        p->heights[v] = to_frame(panel, body->positions[v]);
    }
    p->body_edge_count = 0;
    for (int32_t e = 0; e < body->edge_count; e++) {
        wf_vec3 a = p->heights[body->edges[e][0]], b = p->heights[body->edges[e][1]];
        if (fmax(a.x, b.x) >= panel->lower.x && fmin(a.x, b.x) <= panel->upper.x && fmax(a.y, b.y) >= panel->lower.y
            && fmin(a.y, b.y) <= panel->upper.y) {
            memcpy(p->body_edges[p->body_edge_count++], body->edges[e], sizeof *p->body_edges);
        }
    }
}

/* How far the panel must at least move to be free of the body; 0 when it is free. */
static double body_conflict(placer *p, const flat_panel *panel)
{
    int32_t first = panel->first_vertex, count = panel->vertex_count;
    update_points(p, panel);
    wf_solid_signed_distance(p->context, p->solid, count, p->points + first, p->distance + first);
    double needed = 0;
    for (int32_t v = first; v < first + count; v++) {
        needed = fmax(needed, p->params.clearance - p->distance[v]);
    }
    for (int32_t e = 0; e < p->body_edge_count && needed <= 0; e++) {
        wf_vec3 place;
        if (crosses(p, panel, p->heights[p->body_edges[e][0]], p->heights[p->body_edges[e][1]], panel->moved, &place)) {
            needed = body_step;
        }
    }
    return needed;
}

/* Moves the panel in one direction until it is free; false when it is not within reach. Distance to the body changes
 * no faster than the panel moves, so no step jumps over the first free place by more than a millimetre. */
static bool free_panel(placer *p, flat_panel *panel, double direction)
{
    double start = panel->moved;
    for (double way = 0; way <= p->params.reach;) {
        double needed = body_conflict(p, panel);
        if (needed <= 0) {
            return true;
        }
        way += fmax(needed, 0.001);
        panel->moved = start + direction * way;
    }
    panel->moved = start;
    return false;
}

static wf_status free_from_body(placer *p)
{
    for (int32_t i = 0; p->body && i < p->mesh->panel_count; i++) {
        look_at_body(p, &p->panels[i]);
        if (!free_panel(p, &p->panels[i], 1) && !free_panel(p, &p->panels[i], -1)) {
            return wf_fail(p->context, WF_ERROR_GEOMETRY,
                           "panel '%s' starts inside the body or crosses it, and moving it by up to %g m along its "
                           "normal does not free it", p->garment->panels[i].name, p->params.reach);
        }
    }
    return WF_OK;
}

/* ---- panels among themselves ----------------------------------------------------------------------------------- */

/* Is a place of panel a or b next to a seam that joins the two? There they may touch. */
static bool near_common_seam(const placer *p, int32_t a, int32_t b, wf_vec3 place)
{
    if (!p->stitched[(size_t)a * (size_t)p->mesh->panel_count + (size_t)b]) {
        return false;
    }
    double radius = 2 * p->params.panel_gap + 1.5 * fmax(p->panels[a].edge_length, p->panels[b].edge_length);
    for (int32_t i = 0; i < p->mesh->pair_count; i++) {
        int32_t r = p->mesh->pairs[i][0], s = p->mesh->pairs[i][1];
        int32_t panel_r = p->mesh->vertex_panel[r], panel_s = p->mesh->vertex_panel[s];
        if (((panel_r == a && panel_s == b) || (panel_r == b && panel_s == a))
            && (wf_vec3_distance(p->points[r], place) < radius || wf_vec3_distance(p->points[s], place) < radius)) {
            return true;
        }
    }
    return false;
}

/* Does a vertex of panel a lie on panel b, or an edge of a pass through b, away from their common seams? */
static bool panel_touches(const placer *p, int32_t a, int32_t b)
{
    const flat_panel *from = &p->panels[a], *onto = &p->panels[b];
    const wf_pattern_mesh *mesh = p->mesh;
    for (int32_t v = from->first_vertex; v < from->first_vertex + from->vertex_count; v++) {
        wf_vec3 q = to_frame(onto, p->points[v]);
        if (fabs(q.z - onto->moved) < p->params.panel_gap && inside_outline(p, onto, q.x, q.y)
            && !near_common_seam(p, a, b, p->points[v])) {
            return true;
        }
    }
    for (int32_t f = from->first_face; f < from->first_face + from->face_count; f++) {
        for (int k = 0; k < 3; k++) {
            int32_t u = mesh->faces[f][k], v = mesh->faces[f][(k + 1) % 3];
            wf_vec3 place;
            if (crosses(p, onto, to_frame(onto, p->points[u]), to_frame(onto, p->points[v]), onto->moved, &place)
                && !near_common_seam(p, a, b, p->points[u]) && !near_common_seam(p, a, b, p->points[v])) {
                return true;
            }
        }
    }
    return false;
}

/* Bounding spheres, to pass over panels far apart. */
static bool may_touch(const placer *p, int32_t a, int32_t b)
{
    wf_vec3 center[2];
    double radius[2];
    for (int k = 0; k < 2; k++) {
        const flat_panel *panel = &p->panels[k == 0 ? a : b];
        double x = 0.5 * (panel->lower.x + panel->upper.x), y = 0.5 * (panel->lower.y + panel->upper.y);
        center[k] = wf_vec3_muladds(wf_vec3_muladds(panel->origin, panel->x_axis, x), panel->y_axis, y);
        center[k] = wf_vec3_muladds(center[k], panel->normal, panel->moved);
        radius[k] = 0.5 * wf_vec2_norm(wf_vec2_sub(panel->upper, panel->lower));
    }
    return wf_vec3_distance(center[0], center[1]) <= radius[0] + radius[1] + p->params.panel_gap;
}

static bool panels_touch(const placer *p, int32_t a, int32_t b)
{
    return may_touch(p, a, b) && (panel_touches(p, a, b) || panel_touches(p, b, a));
}

/* Puts both panels at the given heights. */
static void set_heights(placer *p, int32_t a, int32_t b, double height_a, double height_b)
{
    p->panels[a].moved = height_a;
    p->panels[b].moved = height_b;
    update_points(p, &p->panels[a]);
    update_points(p, &p->panels[b]);
}

/* How far the panels must move along their normals, in the directions (1, 0, -1) given, to be apart; infinity when that
 * is beyond reach. Leaves them where they were. */
static double way_apart(placer *p, int32_t a, int32_t b, const double direction[2])
{
    double start_a = p->panels[a].moved, start_b = p->panels[b].moved, way = INFINITY;
    for (int step = 1; step * separation_step <= separation_reach && isinf(way); step++) {
        double length = step * separation_step;
        set_heights(p, a, b, start_a + length * direction[0], start_b + length * direction[1]);
        way = panels_touch(p, a, b) ? INFINITY : length;
    }
    set_heights(p, a, b, start_a, start_b);
    return way;
}

/* Two panels back to back both move outward; otherwise the outer layer, or the later panel, moves away. Moving either
 * panel alone, or inward, is for those that get free much sooner that way. */
static bool separate_pair(placer *p, int32_t a, int32_t b)
{
    static const double reluctance[5] = {1, 1.5, 1.5, 3, 3};
    bool opposed = wf_vec3_dot(p->panels[a].normal, p->panels[b].normal) < 0;
    bool first_is_outer = p->garment->panels[a].layer > p->garment->panels[b].layer;
    const double directions[5][2] = {
        {opposed || first_is_outer, opposed || !first_is_outer}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    double best_cost = INFINITY, best_way = 0;
    int best = 0;
    for (int i = 0; i < 5; i++) {
        double way = way_apart(p, a, b, directions[i]);
        if (way * reluctance[i] < best_cost) {
            best_cost = way * reluctance[i];
            best_way = way;
            best = i;
        }
    }
    set_heights(p, a, b, p->panels[a].moved + best_way * directions[best][0],
                p->panels[b].moved + best_way * directions[best][1]);
    return isfinite(best_cost);
}

static wf_status separate_panels(placer *p, bool *moved)
{
    *moved = false;
    for (int32_t b = 0; b < p->mesh->panel_count; b++) {
        for (int32_t a = 0; a < b; a++) {
            if (!panels_touch(p, a, b)) {
                continue;
            }
            *moved = true;
            if (!separate_pair(p, a, b)) {
                return wf_fail(p->context, WF_ERROR_GEOMETRY,
                               "panels '%s' and '%s' cross one another, and moving them by up to %g m along their "
                               "normals does not separate them", p->garment->panels[a].name,
                               p->garment->panels[b].name, separation_reach);
            }
        }
    }
    return WF_OK;
}

/* ---- the whole ------------------------------------------------------------------------------------------------- */

static wf_status allocate_placer(placer *p)
{
    size_t vertices = (size_t)p->mesh->vertex_count, panels = (size_t)p->mesh->panel_count;
    size_t body_vertices = p->body ? (size_t)p->body->vertex_count : 0;
    size_t body_edges = p->body ? (size_t)p->body->edge_count : 0;
    p->panels = wf_allocate(p->context, panels, sizeof *p->panels);
    p->points = wf_allocate(p->context, vertices, sizeof *p->points);
    p->heights = wf_allocate(p->context, body_vertices, sizeof *p->heights);
    p->distance = wf_allocate(p->context, vertices, sizeof *p->distance);
    p->stitched = wf_allocate(p->context, panels * panels, sizeof *p->stitched);
    p->body_edges = wf_allocate(p->context, body_edges, sizeof *p->body_edges);
    bool complete = p->panels && p->points && p->heights && p->distance && p->stitched && p->body_edges;
    return complete ? WF_OK : WF_ERROR_MEMORY;
}

static void free_placer(placer *p)
{
    for (int32_t i = 0; p->panels && i < p->mesh->panel_count; i++) {
        wf_free(p->context, p->panels[i].segments);
    }
    wf_free(p->context, p->panels);
    wf_free(p->context, p->points);
    wf_free(p->context, p->heights);
    wf_free(p->context, p->distance);
    wf_free(p->context, p->stitched);
    wf_free(p->context, p->body_edges);
}

static wf_status place_panels(placer *p)
{
    wf_status status = describe_panels(p);
    for (int32_t i = 0; status == WF_OK && i < p->mesh->panel_count; i++) {
        update_points(p, &p->panels[i]);
    }
    bool moved = true;
    for (int round = 0; round < 4 && moved && status == WF_OK; round++) {
        status = free_from_body(p);
        if (status == WF_OK) {
            status = separate_panels(p, &moved);
        }
    }
    if (status == WF_OK && moved) {
        status = wf_fail(p->context, WF_ERROR_GEOMETRY, "the panels cannot be freed from the body and from one "
                         "another at the same time");
    }
    return status;
}

static wf_status write_report(placer *p, wf_place_report *report)
{
    wf_pattern_mesh *mesh = p->mesh;
    report->panel_count = mesh->panel_count;
    report->seam_count = mesh->seam_count;
    report->panel_moved = wf_allocate(p->context, (size_t)mesh->panel_count, sizeof *report->panel_moved);
    report->panel_gap = wf_allocate(p->context, (size_t)mesh->panel_count, sizeof *report->panel_gap);
    report->seam_gap = wf_allocate(p->context, (size_t)mesh->seam_count, sizeof *report->seam_gap);
    if (!report->panel_moved || !report->panel_gap || !report->seam_gap) {
        return WF_ERROR_MEMORY;
    }
    if (p->body) {
        wf_solid_distance(p->context, p->solid, mesh->vertex_count, p->points, p->distance, NULL);
    }
    for (int32_t i = 0; i < mesh->panel_count; i++) {
        report->panel_moved[i] = p->panels[i].moved;
        report->panel_gap[i] = INFINITY;
    }
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        double *gap = &report->panel_gap[mesh->vertex_panel[v]];
        *gap = p->body ? fmin(*gap, p->distance[v]) : *gap;
        mesh->positions[v] = p->points[v];
    }
    for (int32_t i = 0; i < mesh->pair_count; i++) {
        double gap = wf_vec3_distance(mesh->positions[mesh->pairs[i][0]], mesh->positions[mesh->pairs[i][1]]);
        report->seam_gap[mesh->pair_seam[i]] = fmax(report->seam_gap[mesh->pair_seam[i]], gap);
    }
    return WF_OK;
}

wf_status wf_garment_place(wf_context *context, const wf_garment *garment, const wf_mesh *body, const wf_solid *solid,
                           const wf_place_params *params, wf_pattern_mesh *mesh, wf_place_report *report)
{
    memset(report, 0, sizeof *report);
    placer p = {.context = context, .garment = garment, .body = body, .solid = solid, .params = *params, .mesh = mesh};
    wf_status status = allocate_placer(&p);
    if (status == WF_OK) {
        status = place_panels(&p);
    }
    if (status == WF_OK) {
        status = write_report(&p, report);
    }
    free_placer(&p);
    if (status != WF_OK) {
        wf_place_report_free(context, report);
    }
    return status;
}

void wf_place_report_free(wf_context *context, wf_place_report *report)
{
    wf_free(context, report->panel_moved);
    wf_free(context, report->panel_gap);
    wf_free(context, report->seam_gap);
    memset(report, 0, sizeof *report);
}
