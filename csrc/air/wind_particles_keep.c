/* wind_particles_keep.c - the wind particles as they were, for steps that fail after they have moved. */
#include <string.h>

#include "air/wind_particles_private.h"

static void copy(void *to, const void *from, size_t count, size_t size)
{
    if (count > 0) {
        memcpy(to, from, count * size);
    }
}

static wf_status keep_stream(wf_context *context, const wf_particle_stream *s, size_t cells, wf_kept_stream *k)
{
    const size_t records = s->records ? cells : 0;
    wf_status status = wf_reserve(context, &k->records, &k->record_room, cells + 1, sizeof *k->records);
    if (status == WF_OK) {
        status = wf_reserve(context, &k->x, &k->x_room, s->count + 1, sizeof *k->x);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &k->share, &k->share_room, s->count + 1, sizeof *k->share);
    }
    if (status == WF_OK) {
        status = wf_reserve(context, &k->radius, &k->radius_room, s->count + 1, sizeof *k->radius);
    }
    if (status == WF_OK) {
        copy(k->records, s->records, records, sizeof *k->records);
        copy(k->x, s->x, s->count, sizeof *k->x);
        copy(k->share, s->share, s->count, sizeof *k->share);
        copy(k->radius, s->radius, s->count, sizeof *k->radius);
        k->stream = *s;
    }
    return status;
}

wf_status wf_wind_particles_keep(wf_wind_particles *p)
{
    wf_kept_particles *kept = &p->kept;
    wf_wind_particles_let_go(p, false);
    wf_status status = wf_reserve(p->context, &kept->marks, &kept->mark_room, p->cells + 1, sizeof *kept->marks);
    if (status == WF_OK) {
        status = wf_reserve(p->context, &kept->streams, &kept->stream_room, p->stream_count + 1, sizeof *kept->streams);
    }
    for (size_t i = 0; status == WF_OK && i < p->stream_count; i++) {
        if (i == kept->made) {
            kept->streams[kept->made++] = (wf_kept_stream){.record_room = 0};
        }
        status = keep_stream(p->context, &p->streams[i], p->cells, &kept->streams[i]);
    }
    if (status != WF_OK) {
        return status;
    }
    for (size_t i = 0; i < p->stream_count; i++) {
        (void)wf_wind_source_retain((wf_wind_source *)p->streams[i].source);
    }
    copy(kept->marks, p->marks, p->cells, sizeof *kept->marks);
    kept->grid = p->grid;
    memcpy(kept->origin, p->origin, sizeof kept->origin);
    kept->cells = p->cells;
    kept->stream_count = p->stream_count;
    kept->steps = p->steps;
    kept->stats = p->stats;
    kept->has = true;
    return WF_OK;
}

void wf_wind_particles_let_go(wf_wind_particles *p, bool back)
{
    wf_kept_particles *kept = &p->kept;
    if (!kept->has) {
        return;
    }
    kept->has = false;
    if (!back) {
        for (size_t i = 0; i < kept->stream_count; i++) {
            wf_wind_source_release((wf_wind_source *)kept->streams[i].stream.source);
        }
        return;
    }
    wf_wind_particles_reset(p); /* rooms of marks and streams only grow: what was there still fits */
    for (size_t i = 0; i < kept->stream_count; i++) {
        wf_kept_stream *k = &kept->streams[i];
        wf_particle_stream *s = &p->streams[i];
        *s = k->stream;
        if (s->records) {
            s->records = k->records;
        } else {
            wf_free(p->context, k->records);
        }
        s->x = k->x;
        s->share = k->share;
        s->radius = k->radius;
        s->x_room = k->x_room;
        s->share_room = k->share_room;
        s->radius_room = k->radius_room;
        *k = (wf_kept_stream){.record_room = 0};
    }
    copy(p->marks, kept->marks, kept->cells, sizeof *kept->marks);
    p->grid = kept->grid;
    memcpy(p->origin, kept->origin, sizeof kept->origin);
    p->cells = kept->cells;
    p->stream_count = kept->stream_count;
    p->steps = kept->steps;
    p->stats = kept->stats;
}

void wf_kept_particles_free(wf_wind_particles *p)
{
    wf_kept_particles *kept = &p->kept;
    wf_wind_particles_let_go(p, false);
    for (size_t i = 0; i < kept->made; i++) {
        wf_free(p->context, kept->streams[i].records);
        wf_free(p->context, kept->streams[i].x);
        wf_free(p->context, kept->streams[i].share);
        wf_free(p->context, kept->streams[i].radius);
    }
    wf_free(p->context, kept->streams);
    wf_free(p->context, kept->marks);
}
