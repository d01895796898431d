/* obj.c - Wavefront OBJ files; see obj.h. The format: Wavefront, "Advanced Visualizer" appendix B1 (1992). */
#include "io/obj.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "base/vector.h"

typedef struct obj_reader {
    wf_context *context;
    const char *name;
    const char *cursor, *end;   /* the text not yet read */
    int64_t line;               /* that the cursor is in, from 1 */
    wf_triangles *triangles;
    int32_t *corners;           /* of the polygon being read */
    size_t corner_capacity;
    int64_t largest_index;      /* of all faces, 0-based; indices may run ahead of the vertices */
    int64_t largest_index_line;
    int32_t coloured;           /* vertices that came with a colour */
} obj_reader;

static wf_status fail_at_line(obj_reader *reader, const char *what)
{
    return wf_fail(reader->context, WF_ERROR_FORMAT, "%s, line %lld: %s", reader->name, (long long)reader->line, what);
}

static bool at_line_end(const obj_reader *reader)
{
    return reader->cursor == reader->end || *reader->cursor == '\n' || *reader->cursor == '\r' ||
           *reader->cursor == '#';
}

/* The number of bytes of the end of line at `p`: 0 when there is none. */
static size_t line_end_size(const char *p, const char *end)
{
    if (p == end || (*p != '\n' && *p != '\r')) {
        return 0;
    }
    return *p == '\r' && p + 1 < end && p[1] == '\n' ? 2 : 1;
}

/* Skips blanks and continued ends of lines. */
static void skip_blanks(obj_reader *reader)
{
    while (reader->cursor < reader->end) {
        char c = *reader->cursor;
        if (c == ' ' || c == '\t' || c == '\v' || c == '\f') {
            reader->cursor++;
            continue;
        }
        size_t continued = c == '\\' ? line_end_size(reader->cursor + 1, reader->end) : 0;
        if (continued == 0) {
            return;
        }
        reader->cursor += 1 + continued;
        reader->line++;
    }
}

/* Moves past the end of the present line, whatever is left on it. */
static void skip_line(obj_reader *reader)
{
    bool comment = false;
    while (reader->cursor < reader->end) {
        comment = comment || *reader->cursor == '#';
        size_t ending = line_end_size(reader->cursor, reader->end);
        if (ending > 0) {
            reader->cursor += ending;
            reader->line++;
            return;
        }
        bool may_continue = !comment && *reader->cursor == '\\';
        size_t continued = may_continue ? line_end_size(reader->cursor + 1, reader->end) : 0;
        reader->line += continued > 0;
        reader->cursor += 1 + continued;
    }
}

static bool is_separator(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\n' || c == '\r' || c == '#' || c == '\\';
}

static wf_status read_vertex(obj_reader *reader)
{
    double values[7];
    int count = 0;
    for (skip_blanks(reader); !at_line_end(reader); skip_blanks(reader)) {
        if (count == 7) {
            return fail_at_line(reader, "a vertex has more than seven numbers");
        }
        const char *after = wf_parse_double(reader->cursor, reader->end, &values[count]);
        if (!after || (after < reader->end && !is_separator(*after)) || !isfinite(values[count])) {
            return fail_at_line(reader, "a vertex needs finite decimal numbers");
        }
        reader->cursor = after;
        count++;
    }
    if (count < 3) {
        return fail_at_line(reader, "a vertex needs three coordinates");
    }
    wf_triangles *triangles = reader->triangles;
    wf_vec3 position = {values[0], values[1], values[2]};
    wf_status status = wf_triangles_add_vertex(reader->context, triangles, position);
    if (status != WF_OK || count < 6) {
        return status;
    }
    status = wf_reserve(reader->context, &triangles->colours, &triangles->colour_capacity,
                        (size_t)triangles->vertex_count, sizeof *triangles->colours);
    if (status == WF_OK) {
        for (int k = 0; k < 3; k++) {
            triangles->colours[triangles->vertex_count - 1][k] = (float)values[count - 3 + k];
        }
        reader->coloured++;
    }
    return status;
}

/* Skips the `/t`, `//n` or `/t/n` after a corner's vertex. False when it is none of these. */
static bool skip_texture_and_normal(obj_reader *reader)
{
    for (int slashes = 0; slashes < 2 && reader->cursor < reader->end && *reader->cursor == '/'; slashes++) {
        reader->cursor++;
        int64_t ignored;
        const char *after = wf_parse_int64(reader->cursor, reader->end, &ignored);
        reader->cursor = after ? after : reader->cursor;
    }
    return reader->cursor == reader->end || is_separator(*reader->cursor);
}

static wf_status read_corner(obj_reader *reader, int32_t *corner)
{
    int64_t index;
    const char *after = wf_parse_int64(reader->cursor, reader->end, &index);
    if (!after) {
        return fail_at_line(reader, "a face needs corners v, v/t, v//n or v/t/n");
    }
    reader->cursor = after;
    if (!skip_texture_and_normal(reader)) {
        return fail_at_line(reader, "a face needs corners v, v/t, v//n or v/t/n");
    }
    int64_t resolved = index < 0 ? reader->triangles->vertex_count + index : index - 1;
    if (index == 0 || resolved < 0 || resolved >= INT32_MAX) {
        return wf_fail(reader->context, WF_ERROR_FORMAT, "%s, line %lld: a face names vertex %lld of %d so far",
                       reader->name, (long long)reader->line, (long long)index, reader->triangles->vertex_count);
    }
    if (resolved > reader->largest_index) {
        reader->largest_index = resolved;
        reader->largest_index_line = reader->line;
    }
    *corner = (int32_t)resolved;
    return WF_OK;
}

static wf_status read_face(obj_reader *reader)
{
    size_t count = 0;
    for (skip_blanks(reader); !at_line_end(reader); skip_blanks(reader)) {
        wf_status status =
            wf_reserve(reader->context, &reader->corners, &reader->corner_capacity, count + 1, sizeof *reader->corners);
        if (status == WF_OK) {
            status = read_corner(reader, &reader->corners[count++]);
        }
        if (status != WF_OK) {
            return status;
        }
    }
    if (count < 3) {
        return fail_at_line(reader, "a face needs three corners or more");
    }
    return wf_triangles_add_polygon(reader->context, reader->triangles, reader->corners, count);
}

/* Reads the statement that starts at the cursor, up to the end of its line. */
static wf_status read_statement(obj_reader *reader)
{
    const char *word = reader->cursor;
    while (reader->cursor < reader->end && !is_separator(*reader->cursor)) {
        unsigned char c = (unsigned char)*reader->cursor++;
        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && c != '_') {
            return fail_at_line(reader, "is no OBJ statement");
        }
    }
    size_t length = (size_t)(reader->cursor - word);
    wf_status status = WF_OK;
    if (length == 1 && *word == 'v') {
        status = read_vertex(reader);
    } else if (length == 1 && *word == 'f') {
        status = read_face(reader);
    }
    if (status == WF_OK) {
        skip_line(reader);
    }
    return status;
}

static wf_status read_statements(obj_reader *reader)
{
    while (reader->cursor < reader->end) {
        skip_blanks(reader);
        if (at_line_end(reader)) {
            skip_line(reader);
            continue;
        }
        wf_status status = read_statement(reader);
        if (status != WF_OK) {
            return status;
        }
    }
    if (reader->largest_index >= reader->triangles->vertex_count) {
        return wf_fail(reader->context, WF_ERROR_FORMAT, "%s, line %lld: a face names vertex %lld of %d", reader->name,
                       (long long)reader->largest_index_line, (long long)reader->largest_index + 1,
                       reader->triangles->vertex_count);
    }
    return WF_OK;
}

wf_status wf_obj_parse(wf_context *context, const char *name, const char *text, size_t size, wf_triangles *triangles)
{
    obj_reader reader = {.context = context,
                         .name = name,
                         .cursor = text,
                         .end = text + size,
                         .line = 1,
                         .triangles = triangles,
                         .largest_index = -1};
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        reader.cursor += 3; /* the mark that some editors put before UTF-8 */
    }
    wf_status status = read_statements(&reader);
    wf_free(context, reader.corners);
    if (reader.coloured < triangles->vertex_count) {
        /* A colour for some vertices only is no colour. */
        wf_free(context, triangles->colours);
        triangles->colours = NULL;
        triangles->colour_capacity = 0;
    }
    return status;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

static void write_numbers(wf_output *output, const char *keyword, const double *values, int count)
{
    wf_output_text(output, keyword);
    for (int k = 0; k < count; k++) {
        wf_output_text(output, " ");
        wf_output_double(output, values[k]);
    }
    wf_output_text(output, "\n");
}

static void write_faces(wf_output *output, const wf_obj_content *content)
{
    for (int32_t i = 0; i < content->face_count; i++) {
        wf_output_text(output, "f");
        for (int k = 0; k < 3; k++) {
            wf_output_text(output, " ");
            wf_output_int(output, (int64_t)content->faces[i][k] + 1);
            if (content->texture_count > 0 || content->normals) {
                wf_output_text(output, "/");
            }
            if (content->texture_count > 0) {
                wf_output_int(output, (int64_t)content->face_textures[i][k] + 1);
            }
            if (content->normals) {
                wf_output_text(output, "/");
                wf_output_int(output, (int64_t)content->faces[i][k] + 1);
            }
        }
        wf_output_text(output, "\n");
    }
}

wf_status wf_obj_write(wf_context *context, const char *path, const wf_obj_content *content)
{
    wf_output *output = NULL;
    wf_status status = wf_triangles_check_finite(context, path, content->vertex_count, content->positions);
    status = status == WF_OK ? wf_output_open(context, path, &output) : status;
    if (status != WF_OK) {
        return status;
    }
    if (content->comment) {
        wf_output_text(output, "# ");
        wf_output_text(output, content->comment);
        wf_output_text(output, "\n");
    }
    for (int32_t i = 0; i < content->vertex_count; i++) {
        write_numbers(output, "v", &content->positions[i].x, 3);
    }
    for (int32_t i = 0; i < content->texture_count; i++) {
        write_numbers(output, "vt", &content->textures[i].x, 2);
    }
    for (int32_t i = 0; content->normals && i < content->vertex_count; i++) {
        write_numbers(output, "vn", &content->normals[i].x, 3);
    }
    write_faces(output, content);
    return wf_output_close(context, output, true);
}
