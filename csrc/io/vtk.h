/* vtk.h - vector fields from VTK's legacy files. */
#ifndef WEFT_IO_VTK_H
#define WEFT_IO_VTK_H

#include "base/context.h"

/* Vectors at the points of a lattice, x fastest, then y, then z. */
typedef struct wf_vtk_field {
    int64_t counts[3];
    wf_vec3 origin, spacing;
    wf_vec3 *vectors; /* [counts], from wf_allocate; the caller frees it */
} wf_vtk_field;

/* Reads the first VECTORS of the POINT_DATA of a dataset STRUCTURED_POINTS, ASCII or BINARY (big-endian), of float or
 * double; SCALARS before it are skipped. (Kitware, "VTK File Formats", section "Simple Legacy Formats".) Errors:
 * WF_ERROR_IO, WF_ERROR_FORMAT (names the line or what is missing), WF_ERROR_LIMIT (more than `limit` points),
 * WF_ERROR_NUMERIC (a number that is not finite), WF_ERROR_MEMORY; `field` then holds nothing. */
wf_status wf_vtk_read_field(wf_context *context, const char *path, int64_t limit, wf_vtk_field *field);

#endif
