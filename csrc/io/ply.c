/* ply.c - PLY files; see ply.h. The format: Turk, "The PLY Polygon File Format" (1994).
 *
 * The header becomes a list of elements, each a list of properties that know where their values go. The body is then
 * read element by element, ascii and binary through the same two functions (read_number, skip_numbers).
 */
#include "io/ply.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "base/vector.h"

enum { ELEMENT_MAX = 64, PROPERTY_MAX = 512, WORD_SIZE = 64, WORDS_PER_LINE = 5 };

typedef enum number_type {
    TYPE_INT8, TYPE_UINT8, TYPE_INT16, TYPE_UINT16, TYPE_INT32, TYPE_UINT32, TYPE_FLOAT32, TYPE_FLOAT64, TYPE_COUNT
} number_type;

static const size_t type_sizes[TYPE_COUNT] = {1, 1, 2, 2, 4, 4, 4, 8};
static const char *const type_names[TYPE_COUNT][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                                      {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                                      {"float", "float32"}, {"double", "float64"}};

/* Where a property's value goes. */
typedef enum role { ROLE_NONE, ROLE_X, ROLE_Y, ROLE_Z, ROLE_RED, ROLE_GREEN, ROLE_BLUE, ROLE_CORNERS } role;

typedef struct property {
    number_type type;
    bool list;
    number_type count_type;  /* of a list */
    role role;
} property;

typedef enum element_kind { ELEMENT_OTHER, ELEMENT_VERTEX, ELEMENT_FACE } element_kind;

typedef struct element {
    char name[WORD_SIZE];
    element_kind kind;
    int64_t count;
    int first_property, property_count;
} element;

typedef enum encoding { ENCODING_NONE, ENCODING_ASCII, ENCODING_LITTLE, ENCODING_BIG } encoding;

typedef struct ply_reader {
    wf_context *context;
    const char *name;
    const char *begin, *cursor, *end;
    encoding encoding;
    element elements[ELEMENT_MAX];
    int element_count;
    property properties[PROPERTY_MAX];
    int property_count;
    wf_triangles *triangles;
    int32_t *corners;
    size_t corner_capacity;
} ply_reader;

static wf_status fail_at_byte(ply_reader *reader, const char *what)
{
    return wf_fail(reader->context, WF_ERROR_FORMAT, "%s, byte %lld: %s", reader->name,
                   (long long)(reader->cursor - reader->begin), what);
}

/* ---- header ----------------------------------------------------------------------------------------------------- */

typedef char header_words[WORDS_PER_LINE][WORD_SIZE];

/* Splits the header line at the cursor into words and moves behind it; words beyond the fifth are dropped. -1 when
 * there is no whole line or a word is too long. */
static int next_header_line(ply_reader *reader, header_words words)
{
    memset(words, 0, sizeof(header_words));
    int count = 0;
    size_t length = 0;
    for (const char *p = reader->cursor; p < reader->end; p++) {
        if (*p == '\n' || *p == '\r') {
            reader->cursor = p + (*p == '\r' && p + 1 < reader->end && p[1] == '\n' ? 2 : 1);
            return count + (length > 0);
        }
        if (*p == ' ' || *p == '\t') {
            count += length > 0;
            length = 0;
        } else if (count < WORDS_PER_LINE) {
            if (length + 1 >= WORD_SIZE) {
                if (strcmp(words[0], "comment") == 0 || strcmp(words[0], "obj_info") == 0) {
                    continue; /* comments hold what they like */
                }
                return -1;
            }
            words[count][length++] = *p;
        }
    }
    return -1;
}

static bool find_type(const char *word, number_type *type)
{
    for (int i = 0; i < TYPE_COUNT; i++) {
        if (strcmp(word, type_names[i][0]) == 0 || strcmp(word, type_names[i][1]) == 0) {
            *type = (number_type)i;
            return true;
        }
    }
    return false;
}

static role find_role(element_kind kind, bool list, const char *name)
{
    static const struct {
        const char *name;
        role role;
    } vertex_roles[] = {{"x", ROLE_X},       {"y", ROLE_Y},         {"z", ROLE_Z},
                        {"red", ROLE_RED},   {"green", ROLE_GREEN}, {"blue", ROLE_BLUE}};
    if (kind == ELEMENT_VERTEX && !list) {
        for (size_t i = 0; i < sizeof vertex_roles / sizeof *vertex_roles; i++) {
            if (strcmp(name, vertex_roles[i].name) == 0) {
                return vertex_roles[i].role;
            }
        }
    }
    if (kind == ELEMENT_FACE && list && (strcmp(name, "vertex_indices") == 0 || strcmp(name, "vertex_index") == 0)) {
        return ROLE_CORNERS;
    }
    return ROLE_NONE;
}

static wf_status add_element(ply_reader *reader, int word_count, header_words words)
{
    if (reader->element_count == ELEMENT_MAX) {
        return fail_at_byte(reader, "the header has too many elements");
    }
    element *made = &reader->elements[reader->element_count];
    size_t length = strlen(words[2]);
    if (word_count < 3 || wf_parse_int64(words[2], words[2] + length, &made->count) != words[2] + length ||
        made->count < 0) {
        return fail_at_byte(reader, "an element needs a name and a count");
    }
    memcpy(made->name, words[1], WORD_SIZE);
    made->kind = strcmp(words[1], "vertex") == 0 ? ELEMENT_VERTEX
                 : strcmp(words[1], "face") == 0 ? ELEMENT_FACE
                                                 : ELEMENT_OTHER;
    for (int i = 0; i < reader->element_count; i++) {
        if (made->kind != ELEMENT_OTHER && reader->elements[i].kind == made->kind) {
            return fail_at_byte(reader, "the header names an element twice");
        }
    }
    made->first_property = reader->property_count;
    reader->element_count++;
    return WF_OK;
}

static wf_status add_property(ply_reader *reader, int word_count, header_words words)
{
    if (reader->element_count == 0 || reader->property_count == PROPERTY_MAX) {
        return fail_at_byte(reader, "a property outside an element, or too many of them");
    }
    element *owner = &reader->elements[reader->element_count - 1];
    property *made = &reader->properties[reader->property_count];
    made->list = strcmp(words[1], "list") == 0;
    int type_word = made->list ? 3 : 1;
    bool good = word_count > type_word + 1 && find_type(words[type_word], &made->type);
    if (good && made->list) {
        good = find_type(words[2], &made->count_type) && made->count_type < TYPE_FLOAT32;
    }
    if (!good) {
        return fail_at_byte(reader,
                            "a property needs a number type (and an integer type before it for a list) and a name");
    }
    made->role = find_role(owner->kind, made->list, words[type_word + 1]);
    for (int i = owner->first_property; made->role != ROLE_NONE && i < reader->property_count; i++) {
        if (reader->properties[i].role == made->role) {
            return fail_at_byte(reader, "the header names a property twice");
        }
    }
    owner->property_count++;
    reader->property_count++;
    return WF_OK;
}

static wf_status set_encoding(ply_reader *reader, header_words words)
{
    reader->encoding = strcmp(words[1], "ascii") == 0                  ? ENCODING_ASCII
                       : strcmp(words[1], "binary_little_endian") == 0 ? ENCODING_LITTLE
                       : strcmp(words[1], "binary_big_endian") == 0    ? ENCODING_BIG
                                                                       : ENCODING_NONE;
    if (reader->encoding == ENCODING_NONE || strcmp(words[2], "1.0") != 0) {
        return fail_at_byte(reader, "the format must be ascii, binary_little_endian or binary_big_endian, 1.0");
    }
    return WF_OK;
}

static wf_status read_header(ply_reader *reader)
{
    header_words words;
    next_header_line(reader, words); /* "ply", as the caller has seen */
    for (;;) {
        int count = next_header_line(reader, words);
        wf_status status = WF_OK;
        if (count < 0) {
            return fail_at_byte(reader, "the header has no end");
        } else if (count == 0 || strcmp(words[0], "comment") == 0 || strcmp(words[0], "obj_info") == 0) {
            continue;
        } else if (strcmp(words[0], "format") == 0) {
            status = set_encoding(reader, words);
        } else if (strcmp(words[0], "element") == 0) {
            status = add_element(reader, count, words);
        } else if (strcmp(words[0], "property") == 0) {
            status = add_property(reader, count, words);
        } else if (strcmp(words[0], "end_header") == 0) {
            return reader->encoding == ENCODING_NONE ? fail_at_byte(reader, "the header has no format") : WF_OK;
        } else {
            status = fail_at_byte(reader, "is no line of a PLY header");
        }
        if (status != WF_OK) {
            return status;
        }
    }
}

/* ---- body ------------------------------------------------------------------------------------------------------- */

static uint64_t read_raw(const ply_reader *reader, size_t size)
{
    uint64_t raw = 0;
    for (size_t i = 0; i < size; i++) {
        size_t at = reader->encoding == ENCODING_LITTLE ? size - 1 - i : i;
        raw = raw << 8 | (unsigned char)reader->cursor[at];
    }
    return raw;
}

static double read_binary(const ply_reader *reader, number_type type)
{
    uint64_t raw = read_raw(reader, type_sizes[type]);
    uint32_t raw32 = (uint32_t)raw;
    float single;
    double number;
    switch (type) {
    case TYPE_INT8:
        return (int8_t)raw;
    case TYPE_INT16:
        return (int16_t)raw;
    case TYPE_INT32:
        return (int32_t)raw32;
    case TYPE_FLOAT32:
        memcpy(&single, &raw32, sizeof single);
        return single;
    case TYPE_FLOAT64:
        memcpy(&number, &raw, sizeof number);
        return number;
    default:
        return (double)raw;
    }
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

static wf_status read_number(ply_reader *reader, number_type type, double *value)
{
    if (reader->encoding != ENCODING_ASCII) {
        if ((size_t)(reader->end - reader->cursor) < type_sizes[type]) {
            return fail_at_byte(reader, "the file ends too early");
        }
        *value = read_binary(reader, type);
        reader->cursor += type_sizes[type];
        return WF_OK;
    }
    while (reader->cursor < reader->end && is_blank(*reader->cursor)) {
        reader->cursor++;
    }
    const char *after = wf_parse_double(reader->cursor, reader->end, value);
    if (!after || (after < reader->end && !is_blank(*after))) {
        return fail_at_byte(reader, reader->cursor == reader->end ? "the file ends too early"
                                                                  : "a decimal number was expected");
    }
    reader->cursor = after;
    return WF_OK;
}

/* Moves over `count` numbers that nobody wants. */
static wf_status skip_numbers(ply_reader *reader, number_type type, int64_t count)
{
    if (reader->encoding != ENCODING_ASCII) {
        if ((reader->end - reader->cursor) / (int64_t)type_sizes[type] < count) {
            return fail_at_byte(reader, "the file ends too early");
        }
        reader->cursor += count * (int64_t)type_sizes[type];
        return WF_OK;
    }
    wf_status status = WF_OK;
    for (int64_t i = 0; i < count && status == WF_OK; i++) {
        while (reader->cursor < reader->end && is_blank(*reader->cursor)) {
            reader->cursor++;
        }
        if (reader->cursor == reader->end) {
            status = fail_at_byte(reader, "the file ends too early");
        }
        while (reader->cursor < reader->end && !is_blank(*reader->cursor)) {
            reader->cursor++; /* NaN, too, may stand where nobody looks */
        }
    }
    return status;
}

static wf_status read_list_count(ply_reader *reader, const property *list, int64_t *count)
{
    double value;
    wf_status status = read_number(reader, list->count_type, &value);
    if (status != WF_OK) {
        return status;
    }
    if (!(value >= 0) || value > (double)(reader->end - reader->cursor) || value != floor(value)) {
        return fail_at_byte(reader, "a list is longer than the file, or its length is no count");
    }
    *count = (int64_t)value;
    return WF_OK;
}

static wf_status skip_property(ply_reader *reader, const property *skipped)
{
    int64_t count = 1;
    if (skipped->list) {
        wf_status status = read_list_count(reader, skipped, &count);
        if (status != WF_OK) {
            return status;
        }
    }
    return skip_numbers(reader, skipped->type, count);
}

static wf_status read_corners(ply_reader *reader, const property *list, int64_t vertex_count)
{
    int64_t count;
    wf_status status = read_list_count(reader, list, &count);
    if (status == WF_OK) {
        status = wf_reserve(reader->context, &reader->corners, &reader->corner_capacity, (size_t)count,
                            sizeof *reader->corners);
    }
    for (int64_t i = 0; i < count && status == WF_OK; i++) {
        double index;
        status = read_number(reader, list->type, &index);
        if (status == WF_OK && (!(index >= 0) || index >= (double)vertex_count || index != floor(index))) {
            status = wf_fail(reader->context, WF_ERROR_FORMAT,
                             "%s, byte %lld: a face names vertex %.17g, but they go from 0 to %lld", reader->name,
                             (long long)(reader->cursor - reader->begin), index, (long long)vertex_count - 1);
        }
        if (status == WF_OK) {
            reader->corners[i] = (int32_t)index;
        }
    }
    if (status == WF_OK && count < 3) {
        status = fail_at_byte(reader, "a face has fewer than three corners");
    }
    if (status != WF_OK) {
        return status;
    }
    return wf_triangles_add_polygon(reader->context, reader->triangles, reader->corners, (size_t)count);
}

/* A colour as stored, to 0..1: integers by the largest value of their type. */
static float unit_colour(double value, number_type type)
{
    static const double scales[TYPE_COUNT] = {127, 255, 32767, 65535, 2147483647, 4294967295, 1, 1};
    return (float)(value / scales[type]);
}

static bool element_has_role(const ply_reader *reader, const element *owner, role wanted)
{
    for (int i = 0; i < owner->property_count; i++) {
        if (reader->properties[owner->first_property + i].role == wanted) {
            return true;
        }
    }
    return false;
}

static wf_status read_vertex(ply_reader *reader, const element *vertices)
{
    double coordinates[3] = {0};
    float colour[3] = {0};
    for (int i = 0; i < vertices->property_count; i++) {
        const property *wanted = &reader->properties[vertices->first_property + i];
        double value = 0;
        wf_status status =
            wanted->role == ROLE_NONE ? skip_property(reader, wanted) : read_number(reader, wanted->type, &value);
        if (status != WF_OK) {
            return status;
        }
        if (wanted->role >= ROLE_X && wanted->role <= ROLE_Z) {
            coordinates[wanted->role - ROLE_X] = value;
        } else if (wanted->role >= ROLE_RED && wanted->role <= ROLE_BLUE) {
            colour[wanted->role - ROLE_RED] = unit_colour(value, wanted->type);
        }
    }
    wf_triangles *triangles = reader->triangles;
    wf_vec3 position = {coordinates[0], coordinates[1], coordinates[2]};
    if (!wf_vec3_isfinite(position)) {
        return fail_at_byte(reader, "a vertex is not finite");
    }
    if (triangles->colours) {
        memcpy(triangles->colours[triangles->vertex_count], colour, sizeof colour);
    }
    return wf_triangles_add_vertex(reader->context, triangles, position);
}

static wf_status read_vertices(ply_reader *reader, const element *vertices)
{
    for (role axis = ROLE_X; axis <= ROLE_Z; axis++) {
        if (!element_has_role(reader, vertices, axis)) {
            return fail_at_byte(reader, "the vertices have no x, y and z");
        }
    }
    wf_triangles *triangles = reader->triangles;
    size_t count = (size_t)vertices->count;
    bool coloured = true;
    for (role channel = ROLE_RED; channel <= ROLE_BLUE; channel++) {
        coloured = coloured && element_has_role(reader, vertices, channel);
    }
    wf_status status = wf_reserve(reader->context, &triangles->positions, &triangles->position_capacity, count,
                                  sizeof *triangles->positions);
    if (status == WF_OK && coloured) {
        status = wf_reserve(reader->context, &triangles->colours, &triangles->colour_capacity, count,
                            sizeof *triangles->colours);
    }
    for (size_t i = 0; i < count && status == WF_OK; i++) {
        status = read_vertex(reader, vertices);
    }
    return status;
}

static wf_status read_others(ply_reader *reader, const element *owner, int64_t vertex_count)
{
    wf_status status = WF_OK;
    for (int64_t i = 0; i < owner->count && status == WF_OK; i++) {
        for (int k = 0; k < owner->property_count && status == WF_OK; k++) {
            const property *next = &reader->properties[owner->first_property + k];
            status = next->role == ROLE_CORNERS ? read_corners(reader, next, vertex_count)
                                                : skip_property(reader, next);
        }
    }
    return status;
}

/* The fewest bytes that one element can take: what bounds a count before anything is allocated for it. */
static int64_t least_size(const ply_reader *reader, const element *owner)
{
    int64_t size = 0;
    for (int i = 0; i < owner->property_count; i++) {
        const property *next = &reader->properties[owner->first_property + i];
        bool ascii = reader->encoding == ENCODING_ASCII;
        size += ascii ? 1 : (int64_t)type_sizes[next->list ? next->count_type : next->type];
    }
    return size;
}

static wf_status read_body(ply_reader *reader)
{
    int64_t vertex_count = 0;
    for (int i = 0; i < reader->element_count; i++) {
        if (reader->elements[i].kind == ELEMENT_VERTEX) {
            vertex_count = reader->elements[i].count;
        }
    }
    if (vertex_count > INT32_MAX) {
        return wf_fail(reader->context, WF_ERROR_LIMIT, "%s: %lld vertices are more than %d", reader->name,
                       (long long)vertex_count, INT32_MAX);
    }
    for (int i = 0; i < reader->element_count; i++) {
        const element *next = &reader->elements[i];
        int64_t least = least_size(reader, next);
        if (least == 0) {
            continue; /* an element without properties takes no bytes, however many there are */
        }
        if (next->count > (reader->end - reader->cursor) / least) {
            return wf_fail(reader->context, WF_ERROR_FORMAT,
                           "%s, byte %lld: %lld elements '%s' cannot fit into the %lld bytes that are left",
                           reader->name, (long long)(reader->cursor - reader->begin), (long long)next->count,
                           next->name, (long long)(reader->end - reader->cursor));
        }
        wf_status status = next->kind == ELEMENT_VERTEX ? read_vertices(reader, next)
                                                        : read_others(reader, next, vertex_count);
        if (status != WF_OK) {
            return status;
        }
    }
    return WF_OK;
}

wf_status wf_ply_parse(wf_context *context, const char *name, const char *bytes, size_t size, wf_triangles *triangles)
{
    ply_reader *reader = wf_allocate(context, 1, sizeof *reader); /* some 30 KiB: too much for a small stack */
    if (!reader) {
        return WF_ERROR_MEMORY;
    }
    reader->context = context;
    reader->name = name;
    reader->begin = reader->cursor = bytes;
    reader->end = bytes + size;
    reader->triangles = triangles;
    wf_status status = read_header(reader);
    if (status == WF_OK) {
        status = read_body(reader);
    }
    wf_free(context, reader->corners);
    wf_free(context, reader);
    return status;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

static void put_raw(wf_output *output, uint64_t raw, size_t size)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (unsigned char)(raw >> 8 * i);
    }
    wf_output_bytes(output, bytes, size);
}

static void put_coordinate(wf_output *output, double value, bool single_precision)
{
    if (single_precision) {
        float single = (float)value;
        uint32_t raw;
        memcpy(&raw, &single, sizeof raw);
        put_raw(output, raw, sizeof raw);
    } else {
        uint64_t raw;
        memcpy(&raw, &value, sizeof raw);
        put_raw(output, raw, sizeof raw);
    }
}

static void write_header(wf_output *output, const wf_ply_content *content)
{
    const char *type = content->single_precision ? "float" : "double";
    wf_output_text(output, "ply\nformat binary_little_endian 1.0\n");
    if (content->comment) {
        wf_output_text(output, "comment ");
        wf_output_text(output, content->comment);
        wf_output_text(output, "\n");
    }
    wf_output_text(output, "element vertex ");
    wf_output_int(output, content->vertex_count);
    for (const char *axis = "xyz"; *axis; axis++) {
        wf_output_text(output, "\nproperty ");
        wf_output_text(output, type);
        wf_output_text(output, " ");
        wf_output_bytes(output, axis, 1);
    }
    if (content->colours) {
        wf_output_text(output, "\nproperty uchar red\nproperty uchar green\nproperty uchar blue");
    }
    wf_output_text(output, "\nelement face ");
    wf_output_int(output, content->face_count);
    wf_output_text(output, "\nproperty list uchar int vertex_indices\nend_header\n");
}

static uint64_t byte_colour(float value)
{
    return value >= 1 ? 255 : value > 0 ? (uint64_t)lrintf(value * 255) : 0; /* NaN is black */
}

wf_status wf_ply_write(wf_context *context, const char *path, const wf_ply_content *content)
{
    wf_output *output = NULL;
    wf_status status = wf_triangles_check_finite(context, path, content->vertex_count, content->positions);
    status = status == WF_OK ? wf_output_open(context, path, &output) : status;
    if (status != WF_OK) {
        return status;
    }
    write_header(output, content);
    for (int32_t i = 0; i < content->vertex_count; i++) {
        put_coordinate(output, content->positions[i].x, content->single_precision);
        put_coordinate(output, content->positions[i].y, content->single_precision);
        put_coordinate(output, content->positions[i].z, content->single_precision);
        for (int k = 0; content->colours && k < 3; k++) {
            put_raw(output, byte_colour(content->colours[i][k]), 1);
        }
    }
    for (int32_t i = 0; i < content->face_count; i++) {
        put_raw(output, 3, 1);
        for (int k = 0; k < 3; k++) {
            put_raw(output, (uint64_t)content->faces[i][k], 4);
        }
    }
    return wf_output_close(context, output, true);
}
