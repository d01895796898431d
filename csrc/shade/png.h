/* png.h - writing pictures as PNG files. */
#ifndef WEFT_SHADE_PNG_H
#define WEFT_SHADE_PNG_H

#include "base/types.h"

/* Writes `pixels` (height rows of width sRGB triples, top row first) to `path`. The file appears complete or not at
 * all. WF_ERROR_IO names the path and the cause. */
wf_status wf_png_write(wf_context *context, const char *path, int32_t width, int32_t height, const uint8_t *pixels);

#endif
