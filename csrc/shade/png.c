/* png.c - see png.h. libpng's simplified interface keeps its longjmp to itself, so nothing here can leak. */
#include "shade/png.h"

#include <png.h>
#include <string.h>

#include "base/context.h"
#include "base/file.h"

wf_status wf_png_write(wf_context *context, const char *path, int32_t width, int32_t height, const uint8_t *pixels)
{
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = (png_uint_32)width;
    image.height = (png_uint_32)height;
    image.format = PNG_FORMAT_RGB;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    void *bytes = wf_allocate(context, size, 1);
    if (!bytes) {
        return WF_ERROR_MEMORY;
    }
    wf_status status = WF_OK;
    if (!png_image_write_to_memory(&image, bytes, &size, 0, pixels, 0, NULL)) {
        status = wf_fail(context, WF_ERROR_IO, "cannot write %s: %s", path, image.message);
    }
    wf_output *output = NULL;
    if (status == WF_OK) {
        status = wf_output_open(context, path, &output);
    }
    if (status == WF_OK) {
        wf_output_bytes(output, bytes, size);
        status = wf_output_close(context, output, true);
    }
    wf_free(context, bytes);
    return status;
}
