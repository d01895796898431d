/* file.h - whole files in and out.
 *
 * Readers get a file as one block of bytes, with a limit. Writers write beside the target under a temporary name that
 * takes the target's place only when everything is on disk, so that a failure leaves the old file as it was.
 */
#ifndef WEFT_BASE_FILE_H
#define WEFT_BASE_FILE_H

#include "base/context.h"

enum { WF_FILE_LIMIT = 1 << 30 }; /* bytes that readers accept unless told otherwise */

/* Reads a regular file of at most `limit` bytes. `*bytes` is followed by a NUL that `*size` does not count and is
 * freed with wf_free. Errors: WF_ERROR_IO (missing, a directory, unreadable), WF_ERROR_LIMIT, WF_ERROR_MEMORY. */
wf_status wf_file_read(wf_context *context, const char *path, size_t limit, char **bytes, size_t *size);

typedef struct wf_output wf_output;

/* Starts to write `path`. A target that exists and is no regular file (a pipe, a device) is written in place. */
wf_status wf_output_open(wf_context *context, const char *path, wf_output **output);

/* Adds bytes, text, or a number's shortest text. The first failure is kept and reported by wf_output_close. */
void wf_output_bytes(wf_output *output, const void *bytes, size_t size);
void wf_output_text(wf_output *output, const char *text);
void wf_output_double(wf_output *output, double value);
void wf_output_int(wf_output *output, int64_t value);

/* Ends writing and puts the file in its place. With `keep` false, or after a failure, the temporary file is removed
 * and the target stays as it was. Frees `output` in any case. */
wf_status wf_output_close(wf_context *context, wf_output *output, bool keep);

#endif
