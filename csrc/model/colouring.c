#include "model/colouring.h"

enum { SERIAL = WF_COLOUR_LIMIT };

void wf_colouring_free(wf_context *context, wf_colouring *colouring)
{
    wf_free(context, colouring->start);
    wf_free(context, colouring->member);
    *colouring = (wf_colouring){0};
}

static int first_free(uint64_t used)
{
    int colour = 0;
    while (colour < SERIAL && (used >> colour & 1)) {
        colour++;
    }
    return colour;
}

/* Sorts `count` things by the colours chosen for them. */
static wf_status group(wf_context *context, int32_t count, const uint8_t *colour_of, wf_colouring *colouring)
{
    int32_t size[WF_COLOUR_LIMIT + 1] = {0}, place[WF_COLOUR_LIMIT + 1];
    for (int32_t i = 0; i < count; i++) {
        size[colour_of[i]]++;
    }
    int32_t colours = SERIAL;
    while (colours > 0 && size[colours - 1] == 0) {
        colours--;
    }
    colouring->colour_count = colours;
    colouring->serial_count = size[SERIAL];
    colouring->start = wf_allocate(context, (size_t)colours + 1, sizeof *colouring->start);
    colouring->member = wf_allocate(context, (size_t)count, sizeof *colouring->member);
    if (!colouring->start || !colouring->member) {
        wf_colouring_free(context, colouring);
        return WF_ERROR_MEMORY;
    }
    for (int32_t c = 0; c < colours; c++) {
        place[c] = colouring->start[c];
        colouring->start[c + 1] = colouring->start[c] + size[c];
    }
    place[SERIAL] = colouring->start[colours];
    for (int32_t i = 0; i < count; i++) {
        colouring->member[place[colour_of[i]]++] = i;
    }
    return WF_OK;
}

wf_status wf_colour_elements(wf_context *context, int32_t vertex_count, const wf_stencil *stencil,
                             wf_colouring *colouring)
{
    *colouring = (wf_colouring){0};
    uint64_t *used = wf_allocate(context, (size_t)vertex_count, sizeof *used);
    uint8_t *colour_of = wf_allocate(context, (size_t)stencil->count, sizeof *colour_of);
    wf_status status = used && colour_of ? WF_OK : WF_ERROR_MEMORY;
    for (int32_t e = 0; status == WF_OK && e < stencil->count; e++) {
        const int32_t *vertices = stencil->vertices + (size_t)e * (size_t)stencil->arity;
        uint64_t taken = 0;
        for (int32_t a = 0; a < stencil->arity; a++) {
            taken |= used[vertices[a]];
        }
        colour_of[e] = (uint8_t)first_free(taken);
        for (int32_t a = 0; colour_of[e] != SERIAL && a < stencil->arity; a++) {
            used[vertices[a]] |= (uint64_t)1 << colour_of[e];
        }
    }
    if (status == WF_OK) {
        status = group(context, stencil->count, colour_of, colouring);
    }
    wf_free(context, used);
    wf_free(context, colour_of);
    return status;
}

wf_status wf_colour_rows(wf_context *context, const wf_pattern *pattern, wf_colouring *colouring)
{
    *colouring = (wf_colouring){0};
    uint8_t *colour_of = wf_allocate(context, (size_t)pattern->row_count, sizeof *colour_of);
    if (!colour_of) {
        return WF_ERROR_MEMORY;
    }
    for (int32_t row = 0; row < pattern->row_count; row++) {
        uint64_t taken = 0;
        for (int32_t slot = pattern->row_start[row]; slot < pattern->row_start[row + 1]; slot++) {
            int32_t column = pattern->column[slot];
            if (column < row && colour_of[column] != SERIAL) {
                taken |= (uint64_t)1 << colour_of[column];
            }
        }
        colour_of[row] = (uint8_t)first_free(taken);
    }
    wf_status status = group(context, pattern->row_count, colour_of, colouring);
    wf_free(context, colour_of);
    return status;
}
