/* seams.c - the ends of seams and the outer sides of panels. */
#include "garment/seams.h"

#include <stdlib.h>
#include <string.h>

#include "mesh/union_find.h"

static const double corner_weight = 4, turning_weight = 0.5;

/* Ends nearer than this part of their present distance would have been the better match. */
static const double much_nearer = 0.8;

typedef struct matcher {
    wf_garment *garment;
    int32_t corner_count;
    int32_t (*corners)[2][2]; /* [seam][side][begin, end]: corner numbers */
    int32_t *parent;          /* [max(corner_count, panel_count)] union-find */
    bool *turned, *best;      /* [panel_count] */
    int32_t *order;           /* [seam_count] */
} matcher;

/* Do the two sides, as drawn, with no panel turned, run in opposite directions when sewn outer side to outer side? */
static bool drawn_alike(const wf_garment *garment, const wf_seam *seam)
{
    bool agrees[2];
    for (int k = 0; k < 2; k++) {
        agrees[k] = garment->panels[seam->side[k].panel].edges[seam->side[k].edge].agrees;
    }
    return agrees[0] == agrees[1];
}

/* Would joining start to start twist the seam, given which panels are turned? */
static bool same_is_twisted(const wf_garment *garment, const wf_seam *seam, const bool *turned)
{
    bool turned_alike = turned[seam->side[0].panel] == turned[seam->side[1].panel];
    return turned_alike == drawn_alike(garment, seam);
}

static bool joins_same(const wf_garment *garment, const wf_seam *seam, const bool *turned)
{
    switch (seam->ends) {
    case WF_SEAM_SAME: return true;
    case WF_SEAM_CROSSED: return same_is_twisted(garment, seam, turned);
    default: return !same_is_twisted(garment, seam, turned);
    }
}

static wf_vec3 placed_chord(const wf_garment *garment, const wf_seam_side *side)
{
    const wf_panel *panel = &garment->panels[side->panel];
    wf_vec3 begin = wf_panel_place(panel, wf_seam_side_point(garment, side, 0));
    return wf_vec3_sub(wf_panel_place(panel, wf_seam_side_point(garment, side, 1)), begin);
}

/* The cosine between the placed sides' chords. A long seam knows its direction better than a short one that bridges a
 * corner of the garment, and a side that nearly returns to its start has none. */
static void gather_evidence(wf_garment *garment)
{
    double mean = 0;
    for (int32_t i = 0; i < garment->seam_count; i++) {
        mean += sqrt(garment->seams[i].length[0] * garment->seams[i].length[1]) / garment->seam_count;
    }
    for (int32_t i = 0; i < garment->seam_count; i++) {
        wf_seam *seam = &garment->seams[i];
        wf_vec3 a = placed_chord(garment, &seam->side[0]), b = placed_chord(garment, &seam->side[1]);
        double straightness = fmin(wf_vec3_norm(a) / seam->length[0], wf_vec3_norm(b) / seam->length[1]);
        double length = sqrt(seam->length[0] * seam->length[1]);
        double weight = fmin(1, 4 * straightness) * fmin(1, length / mean);
        seam->evidence = weight * wf_vec3_dot(wf_vec3_normalize(a), wf_vec3_normalize(b));
    }
}

/* The sum of the distances between the ends that are sewn together, or would be the other way round, m. */
static double end_distance(const wf_garment *garment, const wf_seam *seam, bool same)
{
    double sum = 0;
    for (int end = 0; end < 2; end++) {
        const wf_seam_side *a = &seam->side[0], *b = &seam->side[1];
        wf_vec3 p = wf_panel_place(&garment->panels[a->panel], wf_seam_side_point(garment, a, end));
        wf_vec3 q = wf_panel_place(&garment->panels[b->panel], wf_seam_side_point(garment, b, same ? end : 1 - end));
        sum += wf_vec3_distance(p, q);
    }
    return sum;
}

/* Where a seam side begins or ends: a vertex of the panel, or a place within an edge. */
typedef struct corner_key {
    int32_t panel, vertex, edge, slot;
    double fraction;
} corner_key;

static int compare_corners(const void *a, const void *b)
{
    const corner_key *p = a, *q = b;
    if (p->panel != q->panel) {
        return p->panel < q->panel ? -1 : 1;
    }
    if (p->vertex != q->vertex) {
        return p->vertex < q->vertex ? -1 : 1;
    }
    if (p->edge != q->edge) {
        return p->edge < q->edge ? -1 : 1;
    }
    if (p->fraction != q->fraction) {
        return p->fraction < q->fraction ? -1 : 1;
    }
    return (p->slot > q->slot) - (p->slot < q->slot);
}

static corner_key key_of_end(const wf_garment *garment, const wf_seam_side *side, int end, int32_t slot)
{
    const wf_panel_edge *edge = &garment->panels[side->panel].edges[side->edge];
    corner_key key = {.panel = side->panel, .vertex = -1, .edge = -1, .slot = slot};
    double fraction = end == 0 ? side->from : side->to;
    if (fraction <= 0 || fraction >= 1) {
        key.vertex = fraction <= 0 ? edge->start : edge->end;
    } else {
        key.edge = side->edge;
        key.fraction = fraction;
    }
    return key;
}

static bool same_corner(const corner_key *a, const corner_key *b)
{
    return a->panel == b->panel && a->vertex == b->vertex && a->edge == b->edge
           && fabs(a->fraction - b->fraction) < 1e-9;
}

static wf_status number_corners(wf_context *context, matcher *m)
{
    int32_t count = 4 * m->garment->seam_count;
    corner_key *keys = wf_allocate(context, (size_t)count, sizeof *keys);
    if (!keys) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t slot = 0; slot < count; slot++) {
        keys[slot] = key_of_end(m->garment, &m->garment->seams[slot / 4].side[slot / 2 % 2], slot % 2, slot);
    }
    qsort(keys, (size_t)count, sizeof *keys, compare_corners);
    m->corner_count = 0;
    for (int32_t i = 0; i < count; i++) {
        if (i == 0 || !same_corner(&keys[i - 1], &keys[i])) {
            m->corner_count++;
        }
        int32_t slot = keys[i].slot;
        m->corners[slot / 4][slot / 2 % 2][slot % 2] = m->corner_count - 1;
    }
    wf_free(context, keys);
    return WF_OK;
}

/* The quantity to maximise (seams.h). */
static double merit(matcher *m, const bool *turned)
{
    const wf_garment *garment = m->garment;
    double sum = 0;
    for (int32_t i = 0; i < garment->panel_count; i++) {
        sum -= turned[i] ? turning_weight : 0;
    }
    wf_union_find_reset(m->parent, m->corner_count);
    int32_t classes = m->corner_count;
    for (int32_t i = 0; i < garment->seam_count; i++) {
        const wf_seam *seam = &garment->seams[i];
        bool same = joins_same(garment, seam, turned);
        if (seam->ends == WF_SEAM_AUTO) {
            sum += same ? seam->evidence : -seam->evidence;
        } else if (seam->ends == WF_SEAM_SAME && same_is_twisted(garment, seam, turned)) {
            sum -= 100; /* prescribed: the panels must be turned to suit */
        }
        for (int end = 0; end < 2; end++) {
            int32_t a = m->corners[i][0][end], b = m->corners[i][1][same ? end : 1 - end];
            classes -= wf_union_find_root(m->parent, a) != wf_union_find_root(m->parent, b);
            wf_union_find_join(m->parent, a, b);
        }
    }
    return sum + corner_weight * classes;
}

/* Turns panel a over, and b with it when it is another one, and keeps that if the merit rises. */
static bool try_turning(matcher *m, bool *turned, int32_t a, int32_t b, double *best)
{
    bool old_a = turned[a], old_b = turned[b];
    turned[a] = !old_a;
    turned[b] = !old_b;
    double value = merit(m, turned);
    if (value > *best + 1e-9) {
        *best = value;
        return true;
    }
    turned[a] = old_a;
    turned[b] = old_b;
    return false;
}

/* Turns single panels and pairs of neighbours over while that raises the merit. */
static double climb(matcher *m, bool *turned)
{
    const wf_garment *garment = m->garment;
    double best = merit(m, turned);
    bool improved = true;
    for (int round = 0; improved && round < 32; round++) {
        improved = false;
        for (int32_t i = 0; i < garment->panel_count; i++) {
            improved = try_turning(m, turned, i, i, &best) || improved;
        }
        for (int32_t i = 0; i < garment->seam_count; i++) {
            const wf_seam_side *side = garment->seams[i].side;
            improved = try_turning(m, turned, side[0].panel, side[1].panel, &best) || improved;
        }
    }
    return best;
}

/* Follows the clearest seams first: a spanning tree of the panels along which every seam gets what it asks for. */
static void follow_clearest_seams(matcher *m, bool *turned)
{
    wf_garment *garment = m->garment;
    for (int32_t i = 0; i < garment->seam_count; i++) { /* insertion sort: stable, and the lists are short */
        int32_t j = i;
        for (; j > 0 && fabs(garment->seams[m->order[j - 1]].evidence) < fabs(garment->seams[i].evidence); j--) {
            m->order[j] = m->order[j - 1];
        }
        m->order[j] = i;
    }
    wf_union_find_reset(m->parent, garment->panel_count);
    for (int32_t k = 0; k < garment->seam_count; k++) {
        const wf_seam *seam = &garment->seams[m->order[k]];
        int32_t a = wf_union_find_root(m->parent, seam->side[0].panel);
        int32_t b = wf_union_find_root(m->parent, seam->side[1].panel);
        if (a == b || (seam->ends != WF_SEAM_AUTO && seam->ends != WF_SEAM_SAME)) {
            continue;
        }
        bool wants_same = seam->ends == WF_SEAM_SAME || seam->evidence > 0;
        if (wants_same == same_is_twisted(garment, seam, turned)) {
            for (int32_t i = 0; i < garment->panel_count; i++) {
                if (wf_union_find_root(m->parent, i) == b) {
                    turned[i] = !turned[i];
                }
            }
        }
        wf_union_find_join(m->parent, a, b);
    }
}

static wf_vec3 outward_normal(const wf_panel *panel)
{
    double sign = panel->clockwise != panel->turned ? -1 : 1;
    return wf_mat3_mulv(panel->rotation, wf_vec3_make(0, 0, sign));
}

/* Turns every connected group of panels so that its outer sides face away from its middle, where that is clear. */
static void face_outward(matcher *m)
{
    wf_garment *garment = m->garment;
    wf_union_find_reset(m->parent, garment->panel_count);
    for (int32_t i = 0; i < garment->seam_count; i++) {
        wf_union_find_join(m->parent, garment->seams[i].side[0].panel, garment->seams[i].side[1].panel);
    }
    for (int32_t root = 0; root < garment->panel_count; root++) {
        if (wf_union_find_root(m->parent, root) != root) {
            continue;
        }
        wf_vec3 middle = {0, 0, 0};
        double area = 0, outward = 0, all = 0;
        for (int32_t i = root; i < garment->panel_count; i++) {
            if (wf_union_find_root(m->parent, i) == root) {
                middle = wf_vec3_muladds(middle, garment->panels[i].center, garment->panels[i].area);
                area += garment->panels[i].area;
            }
        }
        middle = wf_vec3_scale(middle, 1 / area);
        for (int32_t i = root; i < garment->panel_count; i++) {
            if (wf_union_find_root(m->parent, i) == root) {
                const wf_panel *panel = &garment->panels[i];
                wf_vec3 away = wf_vec3_sub(panel->center, middle);
                outward += panel->area * wf_vec3_dot(outward_normal(panel), away);
                all += panel->area * wf_vec3_norm(away);
            }
        }
        for (int32_t i = root; outward < -0.2 * all && i < garment->panel_count; i++) {
            if (wf_union_find_root(m->parent, i) == root) {
                garment->panels[i].turned = !garment->panels[i].turned;
            }
        }
    }
}

static void warn_about_seam(wf_context *context, const wf_garment *garment, int32_t index)
{
    const wf_seam *seam = &garment->seams[index];
    const wf_seam_side *a = &seam->side[0], *b = &seam->side[1];
    int32_t first = garment->first_number;
    if (seam->ends == WF_SEAM_SAME && seam->crossed) {
        wf_warn(context, "seam %d (panel '%s' edge %d, panel '%s' edge %d) is twisted: start is sewn to start as "
                "prescribed, but the other seams hold both panels the other way", index + first,
                garment->panels[a->panel].name, a->edge + first, garment->panels[b->panel].name, b->edge + first);
    } else if (seam->ends == WF_SEAM_AUTO
               && end_distance(garment, seam, !seam->same) < much_nearer * end_distance(garment, seam, seam->same)) {
        wf_warn(context, "seam %d (panel '%s' edge %d, panel '%s' edge %d) looks crossed: as placed, its ends would be "
                "nearer to one another the other way round, but that would twist the cloth; `crossed = true` sews it "
                "so, `crossed = false` keeps it and ends this warning", index + first, garment->panels[a->panel].name,
                a->edge + first, garment->panels[b->panel].name, b->edge + first);
    }
}

static void decide(matcher *m)
{
    wf_garment *garment = m->garment;
    size_t size = (size_t)garment->panel_count * sizeof *m->turned;
    double as_drawn = climb(m, m->best);
    follow_clearest_seams(m, m->turned);
    if (climb(m, m->turned) > as_drawn + 1e-9) {
        memcpy(m->best, m->turned, size);
    }
    for (int32_t i = 0; i < garment->panel_count; i++) {
        garment->panels[i].turned = m->best[i];
    }
    face_outward(m);
    for (int32_t i = 0; i < garment->panel_count; i++) {
        garment->panels[i].normal = outward_normal(&garment->panels[i]);
        m->best[i] = garment->panels[i].turned;
    }
    for (int32_t i = 0; i < garment->seam_count; i++) {
        wf_seam *seam = &garment->seams[i];
        seam->same = joins_same(garment, seam, m->best);
        seam->crossed = seam->same == same_is_twisted(garment, seam, m->best);
    }
}

wf_status wf_garment_match_seams(wf_context *context, wf_garment *garment)
{
    size_t seams = (size_t)garment->seam_count, panels = (size_t)garment->panel_count;
    matcher m = {.garment = garment};
    m.corners = wf_allocate(context, seams, sizeof *m.corners);
    m.parent = wf_allocate(context, 4 * seams + panels, sizeof *m.parent);
    m.turned = wf_allocate(context, panels, sizeof *m.turned);
    m.best = wf_allocate(context, panels, sizeof *m.best);
    m.order = wf_allocate(context, seams, sizeof *m.order);
    wf_status status = WF_ERROR_MEMORY;
    if (m.corners && m.parent && m.turned && m.best && m.order) {
        gather_evidence(garment);
        status = number_corners(context, &m);
    }
    if (status == WF_OK) {
        decide(&m);
        for (int32_t i = 0; i < garment->seam_count; i++) {
            warn_about_seam(context, garment, i);
        }
    }
    wf_free(context, m.corners);
    wf_free(context, m.parent);
    wf_free(context, m.turned);
    wf_free(context, m.best);
    wf_free(context, m.order);
    return status;
}
