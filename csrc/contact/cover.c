/* cover.c - see cover.h. */
#include "contact/cover.h"

#include <string.h>

#include "contact/scene_private.h"

void wf_kept_cover_free(wf_context *context, wf_kept_cover *kept)
{
    wf_free(context, kept->reference);
    wf_free(context, kept->travel);
    wf_free(context, kept->half_way);
    *kept = (wf_kept_cover){0};
}

static wf_status make_room(wf_context *context, wf_kept_cover *kept, int32_t vertex_count)
{
    size_t count = (size_t)vertex_count;
    if (kept->reference && kept->vertex_count == vertex_count) {
        return WF_OK;
    }
    wf_kept_cover_free(context, kept);
    kept->reference = wf_allocate(context, count, sizeof *kept->reference);
    kept->travel = wf_allocate(context, count, sizeof *kept->travel);
    kept->half_way = wf_allocate(context, count, sizeof *kept->half_way);
    kept->vertex_count = vertex_count;
    if (!kept->reference || !kept->travel || !kept->half_way) {
        wf_kept_cover_free(context, kept);
        return WF_ERROR_MEMORY;
    }
    return WF_OK;
}

wf_status wf_contact_keep_cover(wf_context *context, const wf_contact_scene *scene, wf_kept_cover *kept)
{
    size_t count = (size_t)scene->vertex_count;
    wf_status status = make_room(context, kept, scene->vertex_count);
    if (status != WF_OK) {
        return status;
    }
    if (kept->list_identity != scene->list_identity) {
        memcpy(kept->reference, scene->reference, count * sizeof *kept->reference);
        memcpy(kept->travel, scene->travel, count * sizeof *kept->travel);
        memcpy(kept->half_way, scene->half_way, count * sizeof *kept->half_way);
        kept->list_identity = scene->list_identity;
    }
    kept->cover = scene->cover;
    kept->trees_built = scene->trees_built;
    return WF_OK;
}

void wf_contact_give_cover_back(wf_contact_scene *scene, const wf_kept_cover *kept)
{
    size_t count = (size_t)scene->vertex_count;
    if (kept->list_identity != scene->list_identity) {
        memcpy(scene->reference, kept->reference, count * sizeof *kept->reference);
        memcpy(scene->travel, kept->travel, count * sizeof *kept->travel);
        memcpy(scene->half_way, kept->half_way, count * sizeof *kept->half_way);
        scene->list_identity = kept->list_identity;
        scene->body_moved = scene->stale = true;
    }
    scene->cover = kept->cover;
    scene->trees_built = scene->trees_built && kept->trees_built;
    scene->caught.any = false;
    scene->caught.apart_count = 0;
}
