/* file.c - whole files in and out; see file.h. */
#define _XOPEN_SOURCE 700
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "base/text.h"

enum { OUTPUT_BUFFER_SIZE = 1 << 16, TEMPORARY_NAMES = 100 };

static wf_status read_descriptor(wf_context *context, const char *path, int descriptor, char *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t count = read(descriptor, bytes + done, size - done);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return wf_fail(context, WF_ERROR_IO, "%s: cannot be read: %s", path,
                           count < 0 ? strerror(errno) : "it became shorter");
        }
        done += (size_t)count;
    }
    return WF_OK;
}

wf_status wf_file_read(wf_context *context, const char *path, size_t limit, char **bytes, size_t *size)
{
    *bytes = NULL;
    *size = 0;
    /* Not blocking: opening a pipe that nobody writes to must not hang; it is refused below. */
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) {
        return wf_fail(context, WF_ERROR_IO, "%s: cannot be opened: %s", path, strerror(errno));
    }
    struct stat info;
    wf_status status = WF_OK;
    if (fstat(descriptor, &info) != 0) {
        status = wf_fail(context, WF_ERROR_IO, "%s: cannot be read: %s", path, strerror(errno));
    } else if (!S_ISREG(info.st_mode)) {
        status = wf_fail(context, WF_ERROR_IO, "%s: is %s, not a file", path,
                         S_ISDIR(info.st_mode) ? "a directory" : "a device or pipe");
    } else if ((uint64_t)info.st_size > limit) {
        status = wf_fail(context, WF_ERROR_LIMIT, "%s: has %lld bytes, more than the limit of %zu", path,
                         (long long)info.st_size, limit);
    } else {
        *bytes = wf_allocate(context, (size_t)info.st_size + 1, 1);
        status = *bytes ? read_descriptor(context, path, descriptor, *bytes, (size_t)info.st_size) : WF_ERROR_MEMORY;
    }
    close(descriptor);
    if (status != WF_OK) {
        wf_free(context, *bytes);
        *bytes = NULL;
        return status;
    }
    *size = (size_t)info.st_size;
    return WF_OK;
}

struct wf_output {
    int descriptor;
    int error;            /* errno of the first failure, 0 for none */
    char *target;         /* the name that the file gets */
    char *temporary;      /* the name that it has meanwhile, or NULL when written in place */
    size_t used;
    char buffer[OUTPUT_BUFFER_SIZE];
};

static void free_output(wf_context *context, wf_output *output)
{
    wf_free(context, output->target);
    wf_free(context, output->temporary);
    wf_free(context, output);
}

/* Opens a new file beside the target. */
static wf_status open_temporary(wf_context *context, wf_output *output)
{
    size_t size = strlen(output->target) + 48;
    output->temporary = wf_allocate(context, size, 1);
    if (!output->temporary) {
        return WF_ERROR_MEMORY;
    }
    for (int i = 0; i < TEMPORARY_NAMES; i++) {
        snprintf(output->temporary, size, "%s.%ld-%d.part", output->target, (long)getpid(), i);
        output->descriptor = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (output->descriptor >= 0 || errno != EEXIST) {
            break;
        }
    }
    return WF_OK;
}

wf_status wf_output_open(wf_context *context, const char *path, wf_output **output)
{
    *output = NULL;
    wf_output *made = wf_allocate(context, 1, sizeof *made);
    if (!made) {
        return WF_ERROR_MEMORY;
    }
    /* A symbolic link keeps pointing where it points: the file behind it is replaced. */
    char *resolved = realpath(path, NULL);
    made->target = wf_copy_text(context, resolved ? resolved : path);
    free(resolved);
    if (!made->target) {
        free_output(context, made);
        return WF_ERROR_MEMORY;
    }
    struct stat info;
    bool in_place = stat(made->target, &info) == 0 && !S_ISREG(info.st_mode);
    wf_status status = WF_OK;
    if (in_place) {
        made->descriptor = open(made->target, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    } else {
        status = open_temporary(context, made);
    }
    if (status == WF_OK && made->descriptor < 0) {
        status = wf_fail(context, WF_ERROR_IO, "%s: cannot be written: %s", path, strerror(errno));
    }
    if (status != WF_OK) {
        free_output(context, made);
        return status;
    }
    *output = made;
    return WF_OK;
}

static void flush_output(wf_output *output)
{
    size_t done = 0;
    while (done < output->used && output->error == 0) {
        ssize_t count = write(output->descriptor, output->buffer + done, output->used - done);
        if (count >= 0) {
            done += (size_t)count;
        } else if (errno != EINTR) {
            output->error = errno;
        }
    }
    output->used = 0;
}

void wf_output_bytes(wf_output *output, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size > 0) {
        size_t room = sizeof output->buffer - output->used;
        size_t count = size < room ? size : room;
        memcpy(output->buffer + output->used, from, count);
        output->used += count;
        from += count;
        size -= count;
        if (output->used == sizeof output->buffer) {
            flush_output(output);
        }
    }
}

void wf_output_text(wf_output *output, const char *text)
{
    wf_output_bytes(output, text, strlen(text));
}

void wf_output_double(wf_output *output, double value)
{
    char text[WF_NUMBER_SIZE];
    int length = wf_format_double(value, text);
    wf_output_bytes(output, text, (size_t)length);
}

void wf_output_int(wf_output *output, int64_t value)
{
    char text[WF_NUMBER_SIZE];
    int length = snprintf(text, sizeof text, "%lld", (long long)value);
    wf_output_bytes(output, text, (size_t)length);
}

wf_status wf_output_close(wf_context *context, wf_output *output, bool keep)
{
    if (keep) {
        flush_output(output);
    }
    /* A full disk may show only now. */
    if (keep && output->error == 0 && output->temporary && fsync(output->descriptor) != 0) {
        output->error = errno;
    }
    if (close(output->descriptor) != 0 && output->error == 0) {
        output->error = errno;
    }
    if (output->temporary) {
        if (keep && output->error == 0 && rename(output->temporary, output->target) != 0) {
            output->error = errno;
        }
        if (!keep || output->error != 0) {
            unlink(output->temporary);
        }
    }
    wf_status status = WF_OK;
    if (keep && output->error != 0) {
        status = wf_fail(context, WF_ERROR_IO, "%s: cannot be written: %s", output->target, strerror(output->error));
    }
    free_output(context, output);
    return status;
}
