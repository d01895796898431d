/* rippled_sheet.h - the square sheet of wool, a little rippled and moving, on which models are timed alone. */
#ifndef WEFT_BENCH_RIPPLED_SHEET_H
#define WEFT_BENCH_RIPPLED_SHEET_H

#include "model/models.h"

/* 1 m x 1 m, of alternating diagonals, pulled by 1 %. */
typedef struct rippled_sheet {
    int32_t vertex_count, face_count;
    int32_t (*faces)[3];
    wf_vec2 (*rest)[3];   /* [faces] m */
    wf_vec3 *x, *v, *f;   /* [vertices] m, m/s, and room for forces */
    wf_fabric wool;
} rippled_sheet;

/* Of cells x cells squares; free it whatever the result. */
wf_status rippled_sheet_make(wf_context *context, int cells, rippled_sheet *sheet);
void rippled_sheet_free(wf_context *context, rippled_sheet *sheet);

/* As models take it. */
wf_sheet_faces rippled_sheet_faces(const rippled_sheet *sheet);

#endif
