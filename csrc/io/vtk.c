/* vtk.c - see vtk.h. */
#include "io/vtk.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "base/vector.h"

enum { WORD_SIZE = 64 };

typedef struct vtk_reader {
    wf_context *context;
    const char *name;
    const char *cursor, *end;
    bool binary;
    int64_t count; /* of points */
} vtk_reader;

static wf_status fail(const vtk_reader *r, const char *what)
{
    return wf_fail(r->context, WF_ERROR_FORMAT, "%s: %s", r->name, what);
}

/* ---- words and numbers ------------------------------------------------------------------------------------------- */

static void skip_space(vtk_reader *r)
{
    while (r->cursor < r->end && isspace((unsigned char)*r->cursor)) {
        r->cursor++;
    }
}

/* The next word, cut off where it is longer than a keyword can be; "" at the end. */
static void next_word(vtk_reader *r, char word[WORD_SIZE])
{
    size_t length = 0;
    skip_space(r);
    for (; r->cursor < r->end && !isspace((unsigned char)*r->cursor); r->cursor++) {
        if (length < WORD_SIZE - 1) {
            word[length++] = *r->cursor;
        }
    }
    word[length] = '\0';
}

static void skip_line(vtk_reader *r)
{
    while (r->cursor < r->end && *r->cursor != '\n') {
        r->cursor++;
    }
    r->cursor += r->cursor < r->end;
}

static bool same(const char *word, const char *keyword)
{
    for (; *word && toupper((unsigned char)*word) == *keyword; word++, keyword++) {
    }
    return *word == '\0' && *keyword == '\0';
}

static bool next_number(vtk_reader *r, double *value)
{
    skip_space(r);
    const char *after = wf_parse_double(r->cursor, r->end, value);
    r->cursor = after ? after : r->cursor;
    return after != NULL;
}

static bool next_integer(vtk_reader *r, int64_t *value)
{
    skip_space(r);
    const char *after = wf_parse_int64(r->cursor, r->end, value);
    r->cursor = after ? after : r->cursor;
    return after != NULL;
}

/* Bytes of a number of this type; 0 for types that are not read. */
static size_t type_size(const char *type)
{
    static const char *const names[] = {"UNSIGNED_CHAR", "CHAR", "UNSIGNED_SHORT", "SHORT", "UNSIGNED_INT", "INT",
                                        "FLOAT",         "DOUBLE"};
    static const size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (same(type, names[i])) {
            return sizes[i];
        }
    }
    return 0;
}

static double big_endian(const unsigned char *bytes, size_t size)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++) {
        bits = bits << 8 | bytes[i];
    }
    if (size == 8) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    uint32_t half = (uint32_t)bits;
    float value;
    memcpy(&value, &half, sizeof value);
    return value;
}

/* ---- header ------------------------------------------------------------------------------------------------------ */

static wf_status read_header(vtk_reader *r, int64_t limit, wf_vtk_field *field)
{
    char word[WORD_SIZE];
    if (r->end - r->cursor < 14 || strncmp(r->cursor, "# vtk DataFile", 14) != 0) {
        return fail(r, "it does not start with '# vtk DataFile', as VTK's legacy files do");
    }
    skip_line(r);
    skip_line(r); /* the title */
    next_word(r, word);
    r->binary = same(word, "BINARY");
    if (!r->binary && !same(word, "ASCII")) {
        return fail(r, "its third line must be ASCII or BINARY");
    }
    next_word(r, word);
    char kind[WORD_SIZE];
    next_word(r, kind);
    if (!same(word, "DATASET") || !same(kind, "STRUCTURED_POINTS")) {
        return fail(r, "its dataset must be STRUCTURED_POINTS");
    }
    bool sized = false, placed = false, spaced = false;
    for (next_word(r, word); !same(word, "POINT_DATA"); next_word(r, word)) {
        bool good = false;
        if (same(word, "DIMENSIONS")) {
            good = sized = next_integer(r, &field->counts[0]) && next_integer(r, &field->counts[1]) &&
                           next_integer(r, &field->counts[2]);
        } else if (same(word, "ORIGIN")) {
            wf_vec3 *o = &field->origin;
            good = placed = next_number(r, &o->x) && next_number(r, &o->y) && next_number(r, &o->z);
        } else if (same(word, "SPACING") || same(word, "ASPECT_RATIO")) {
            wf_vec3 *s = &field->spacing;
            good = spaced = next_number(r, &s->x) && next_number(r, &s->y) && next_number(r, &s->z);
        }
        if (!good) {
            return fail(r, "before POINT_DATA there must be DIMENSIONS, ORIGIN and SPACING, of three numbers each");
        }
    }
    if (!sized || !placed || !spaced || !next_integer(r, &r->count)) {
        return fail(r, "it lacks DIMENSIONS, ORIGIN, SPACING or the number of its points");
    }
    double all = (double)field->counts[0] * (double)field->counts[1] * (double)field->counts[2];
    if (field->counts[0] < 1 || field->counts[1] < 1 || field->counts[2] < 1 || all != (double)r->count) {
        return fail(r, "POINT_DATA must be as many as DIMENSIONS together, and these at least 1");
    }
    if (all > (double)limit) {
        return wf_fail(r->context, WF_ERROR_LIMIT, "%s has %.6g points, of which at most %lld can be read", r->name,
                       all, (long long)limit);
    }
    return WF_OK;
}

/* ---- data -------------------------------------------------------------------------------------------------------- */

/* Goes behind numbers of which `size` bytes each are binary. */
static wf_status skip_numbers(vtk_reader *r, int64_t count, size_t size)
{
    if (r->binary) {
        if ((r->end - r->cursor) / (ptrdiff_t)size < count) {
            return fail(r, "it ends within its data");
        }
        r->cursor += count * (int64_t)size;
        return WF_OK;
    }
    double value;
    for (int64_t i = 0; i < count; i++) {
        if (!next_number(r, &value)) {
            return fail(r, "its data have fewer numbers than its header says");
        }
    }
    return WF_OK;
}

/* Goes to the numbers of the first VECTORS; *size: bytes of each. */
static wf_status find_vectors(vtk_reader *r, size_t *size)
{
    char word[WORD_SIZE], type[WORD_SIZE];
    for (;;) {
        next_word(r, word);
        bool vectors = same(word, "VECTORS");
        if (!vectors && !same(word, "SCALARS")) {
            return fail(r, "it has no VECTORS, behind nothing but SCALARS");
        }
        next_word(r, type); /* the name */
        next_word(r, type);
        *size = type_size(type);
        if (*size == 0 || (vectors && !same(type, "FLOAT") && !same(type, "DOUBLE"))) {
            return fail(r, "its VECTORS must be of float or double");
        }
        int64_t components = 1;
        if (!vectors) {
            while (r->cursor < r->end && (*r->cursor == ' ' || *r->cursor == '\t')) {
                r->cursor++;
            }
            if (r->cursor < r->end && isdigit((unsigned char)*r->cursor) && !next_integer(r, &components)) {
                components = 0;
            }
            if (components < 1 || components > 4) {
                return fail(r, "its SCALARS must have 1 to 4 components");
            }
        }
        skip_line(r);
        if (vectors) {
            return WF_OK;
        }
        const char *before = r->cursor;
        next_word(r, word);
        if (same(word, "LOOKUP_TABLE")) {
            skip_line(r);
        } else {
            r->cursor = before;
        }
        wf_status status = skip_numbers(r, r->count * components, *size);
        if (status != WF_OK) {
            return status;
        }
    }
}

static wf_status read_vectors(vtk_reader *r, size_t size, wf_vec3 *vectors)
{
    if (r->binary && (r->end - r->cursor) / (ptrdiff_t)size < 3 * r->count) {
        return fail(r, "it ends within its data");
    }
    for (int64_t i = 0; i < r->count; i++) {
        double value[3];
        for (int c = 0; c < 3; c++) {
            if (r->binary) {
                value[c] = big_endian((const unsigned char *)r->cursor, size);
                r->cursor += size;
            } else if (!next_number(r, &value[c])) {
                return fail(r, "its VECTORS have fewer numbers than its header says");
            }
        }
        vectors[i] = (wf_vec3){value[0], value[1], value[2]};
        if (!wf_vec3_isfinite(vectors[i])) {
            return wf_fail(r->context, WF_ERROR_NUMERIC, "%s: vector %lld is not finite", r->name, (long long)i + 1);
        }
    }
    return WF_OK;
}

wf_status wf_vtk_read_field(wf_context *context, const char *path, int64_t limit, wf_vtk_field *field)
{
    char *bytes = NULL;
    size_t length = 0, size = 0;
    *field = (wf_vtk_field){0};
    wf_status status = wf_file_read(context, path, WF_FILE_LIMIT, &bytes, &length);
    if (status != WF_OK) {
        return status;
    }
    vtk_reader reader = {.context = context, .name = path, .cursor = bytes, .end = bytes + length};
    status = read_header(&reader, limit, field);
    if (status == WF_OK) {
        status = find_vectors(&reader, &size);
    }
    if (status == WF_OK) {
        field->vectors = wf_allocate(context, (size_t)reader.count, sizeof *field->vectors);
        status = field->vectors ? read_vectors(&reader, size, field->vectors) : WF_ERROR_MEMORY;
    }
    wf_free(context, bytes);
    if (status != WF_OK) {
        wf_free(context, field->vectors);
        *field = (wf_vtk_field){0};
    }
    return status;
}
