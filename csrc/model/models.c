#include "model/models.h"

#include <string.h>

#include "base/nearest_name.h"
#include "model/bending.h"
#include "model/membrane.h"

/* ---- the models that are no models of strains ------------------------------------------------------------------ */

/* Only the active faces. */
static wf_status create_membrane(wf_context *context, const wf_sheet_faces *sheet, wf_membrane_form form,
                                 wf_model **model)
{
    wf_membrane_def def = {sheet->vertex_count, sheet->face_count, sheet->faces,       sheet->rest,
                           sheet->fabric_count, sheet->fabrics,    sheet->face_fabric, form};
    if (!sheet->active) {
        return wf_membrane_create(context, &def, model);
    }
    size_t face_count = (size_t)sheet->face_count;
    int32_t(*faces)[3] = wf_allocate(context, face_count, sizeof *faces);
    wf_vec2(*rest)[3] = wf_allocate(context, face_count, sizeof *rest);
    int32_t *fabric = wf_allocate(context, face_count, sizeof *fabric);
    wf_status status = faces && rest && fabric ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        def.face_count = 0;
        for (int32_t face = 0; face < sheet->face_count; face++) {
            if (sheet->active[face]) {
                memcpy(faces[def.face_count], sheet->faces[face], sizeof *faces);
                memcpy(rest[def.face_count], sheet->rest[face], sizeof *rest);
                fabric[def.face_count++] = wf_sheet_fabric(sheet, face);
            }
        }
        def.faces = (const int32_t(*)[3])faces;
        def.rest = (const wf_vec2(*)[3])rest;
        def.face_fabric = fabric;
        status = wf_membrane_create(context, &def, model);
    }
    wf_free(context, fabric);
    wf_free(context, rest);
    wf_free(context, faces);
    return status;
}

static wf_status create_corotational(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    return create_membrane(context, sheet, WF_MEMBRANE_EXACT, model);
}

static wf_status create_weave(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    return create_membrane(context, sheet, WF_MEMBRANE_WEAVE, model);
}

static wf_status create_thesis_membrane(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    return create_membrane(context, sheet, WF_MEMBRANE_THESIS, model);
}

static wf_bending_def bending_of(const wf_sheet_faces *sheet, wf_bending_form form)
{
    return (wf_bending_def){.vertex_count = sheet->vertex_count, .face_count = sheet->face_count,
                            .faces = sheet->faces, .rest = sheet->rest, .fabric_count = sheet->fabric_count,
                            .fabrics = sheet->fabrics, .face_fabric = sheet->face_fabric, .active = sheet->active,
                            .form = form};
}

static wf_status create_plate(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    wf_bending_def def = bending_of(sheet, WF_BENDING_QUADRATIC);
    return wf_bending_create(context, &def, model);
}

/* All faces, those that are not active of a fabric that does not resist bending. */
static wf_status create_thesis_bending(wf_context *context, const wf_sheet_faces *sheet, wf_model **model)
{
    wf_bending_def def = bending_of(sheet, WF_BENDING_THESIS);
    if (!sheet->active) {
        return wf_bending_create(context, &def, model);
    }
    wf_fabric *fabrics = wf_allocate(context, (size_t)sheet->fabric_count + 1, sizeof *fabrics);
    int32_t *fabric = wf_allocate(context, (size_t)sheet->face_count, sizeof *fabric);
    wf_status status = fabrics && fabric ? WF_OK : WF_ERROR_MEMORY;
    if (status == WF_OK) {
        memcpy(fabrics, sheet->fabrics, (size_t)sheet->fabric_count * sizeof *fabrics);
        wf_fabric *slack = &fabrics[sheet->fabric_count];
        *slack = fabrics[0];
        slack->bend_weft = slack->bend_warp = 0;
        for (int32_t face = 0; face < sheet->face_count; face++) {
            fabric[face] = wf_sheet_active(sheet, face) ? wf_sheet_fabric(sheet, face) : sheet->fabric_count;
        }
        def.fabric_count++;
        def.fabrics = fabrics;
        def.face_fabric = fabric;
        status = wf_bending_create(context, &def, model);
    }
    wf_free(context, fabric);
    wf_free(context, fabrics);
    return status;
}

static const wf_model_entry weave = {
    .name = "weave",
    .kind = WF_MODEL_MEMBRANE,
    .source = "strains of Volino and Magnenat-Thalmann 2007",
    .cannot = "extends an isotropic fabric pulled on the bias by up to 6 % less at a strain of 10 % than along its "
              "threads",
    .create = create_weave,
};

static const wf_model_entry corotational = {
    .name = "corotational",
    .kind = WF_MODEL_MEMBRANE,
    .source = "Keckeisen 2005, with the exact gradient",
    .cannot = "shears by itself when pulled along the threads by more than four times its shear modulus",
    .create = create_corotational,
};

static const wf_model_entry corotational_published = {
    .name = "corotational as published",
    .kind = WF_MODEL_MEMBRANE,
    .source = "Keckeisen 2005",
    .cannot = "exerts a torque on itself, and gains or loses energy",
    .published = true,
    .create = create_thesis_membrane,
};

static const wf_model_entry plate = {
    .name = "plate",
    .kind = WF_MODEL_BENDING,
    .source = "Bergou et al. 2006, Morley 1968, with slopes that are right for quadratic surfaces",
    .cannot = "has no rest angles, and measures the fold of a hinge as 2 sin(angle / 2)",
    .brakes_turning = true,
    .create = create_plate,
};

static const wf_model_entry plate_published = {
    .name = "projected Laplacian as published",
    .kind = WF_MODEL_BENDING,
    .source = "Keckeisen 2005",
    .cannot = "does not resist the bending of flat cloth, and depends on the mesh's width",
    .published = true,
    .create = create_thesis_bending,
};

/* ---- the table ------------------------------------------------------------------------------------------------- */

extern const wf_model_entry wf_baraff_witkin, wf_baraff_witkin_published, wf_biot_membrane, wf_cauchy_membrane,
    wf_edge_elongations, wf_edge_springs, wf_green_membrane, wf_grid_angles, wf_grid_energies, wf_grid_particles,
    wf_grid_springs, wf_grid_springs_linear, wf_leapfrog_springs, wf_weave_particles, wf_weave_particles_published;
extern const wf_model_entry wf_shell, wf_loop_shell, wf_discrete_shells, wf_hinges, wf_hinges_published,
    wf_bending_vector, wf_bending_vector_published, wf_quadratic_isometric, wf_quadratic_isometric_published,
    wf_cross_springs, wf_angle_springs;

static const wf_model_entry *const entries[] = {
    &weave,
    &corotational,
    &corotational_published,
    &wf_cauchy_membrane,
    &wf_green_membrane,
    &wf_biot_membrane,
    &wf_baraff_witkin,
    &wf_baraff_witkin_published,
    &wf_edge_elongations,
    &wf_weave_particles,
    &wf_weave_particles_published,
    &wf_edge_springs,
    &wf_grid_particles,
    &wf_grid_energies,
    &wf_grid_springs,
    &wf_grid_springs_linear,
    &plate,
    &plate_published,
    &wf_shell,
    &wf_loop_shell,
    &wf_discrete_shells,
    &wf_hinges,
    &wf_hinges_published,
    &wf_bending_vector,
    &wf_bending_vector_published,
    &wf_quadratic_isometric,
    &wf_quadratic_isometric_published,
    &wf_cross_springs,
    &wf_angle_springs,
    &wf_grid_angles,
    &wf_leapfrog_springs,
};

enum { ENTRY_COUNT = sizeof entries / sizeof *entries };

_Static_assert((int)ENTRY_COUNT <= (int)WF_MODEL_ENTRY_LIMIT, "the table of models is longer than its limit");

int wf_model_entry_count(void)
{
    return ENTRY_COUNT;
}

const wf_model_entry *wf_model_entry_at(int index)
{
    return index >= 0 && index < ENTRY_COUNT ? entries[index] : NULL;
}

const wf_model_entry *wf_model_of_folds(void)
{
    return &wf_shell;
}

const wf_model_entry *wf_model_default(wf_model_kind kind)
{
    return kind == WF_MODEL_MEMBRANE ? &weave : &plate;
}

const char *wf_model_kind_name(wf_model_kind kind)
{
    return kind == WF_MODEL_MEMBRANE ? "membrane" : "bending";
}

wf_status wf_model_find(wf_context *context, wf_model_kind kind, const char *name, const wf_model_entry **entry)
{
    const char *names[ENTRY_COUNT + 1];
    int count = 0;
    for (int i = 0; i < ENTRY_COUNT; i++) {
        if (kind != WF_MODEL_KINDS && entries[i]->kind != kind) {
            continue;
        }
        if (strcmp(entries[i]->name, name) == 0) {
            *entry = entries[i];
            return WF_OK;
        }
        names[count++] = entries[i]->name;
    }
    names[count] = NULL;
    const char *near = wf_nearest_name(name, names);
    return wf_fail(context, WF_ERROR_ARGUMENT, "no %s is named \"%.60s\"%s%s%s",
                   kind == WF_MODEL_KINDS ? "model" : wf_model_kind_name(kind), name,
                   near ? "; did you mean \"" : "; weft.model.list() lists them all", near ? near : "",
                   near ? "\"?" : "");
}

/* Bending has nothing to do with stress-strain curves. */
static bool wants_curves(wf_model_kind kind, const wf_fabric *fabric)
{
    return kind == WF_MODEL_MEMBRANE && wf_fabric_has_curves(fabric);
}

static bool wants_memory(wf_model_kind kind, const wf_fabric *fabric)
{
    return kind == WF_MODEL_MEMBRANE ? wf_fabric_remembers_plane(fabric) : wf_fabric_remembers_bending(fabric);
}

/* What the fabric has and the model lacks; NULL: nothing. */
static const char *lacking(const wf_model_entry *entry, const wf_fabric *fabric)
{
    bool plane = entry->kind == WF_MODEL_MEMBRANE;
    bool rubs = plane ? wf_fabric_has_hysteresis(fabric) || wf_fabric_has_unloading(fabric)
                      : wf_fabric_has_bend_hysteresis(fabric);
    return wants_curves(entry->kind, fabric) && !entry->curves       ? "stress-strain curves"
           : wants_memory(entry->kind, fabric) && !entry->hysteresis ? (rubs ? "hysteresis" : "losses")
                                                                     : NULL;
}

const wf_model_entry *wf_model_default_for(wf_model_kind kind, const wf_fabric *fabric)
{
    const wf_model_entry *first = wf_model_default(kind);
    const wf_model_entry *able = kind == WF_MODEL_MEMBRANE ? &wf_weave_particles : &wf_shell;
    return lacking(first, fabric) ? able : first;
}

wf_status wf_model_check_fabric(wf_context *context, const wf_model_entry *entry, const wf_fabric *fabric)
{
    const char *what = lacking(entry, fabric);
    if (what) {
        return wf_fail(context, WF_ERROR_ARGUMENT, "fabric \"%s\" has %s, which \"%s\" cannot express; \"%s\" can",
                       fabric->name, what, entry->name, wf_model_default_for(entry->kind, fabric)->name);
    }
    return entry->check ? entry->check(context, fabric) : WF_OK;
}

/* Whether each fabric of an active face can be expressed. */
static wf_status check_fabrics(wf_context *context, const wf_model_entry *entry, const wf_sheet_faces *sheet)
{
    int32_t checked = -1;
    for (int32_t face = 0; face < sheet->face_count; face++) {
        int32_t fabric = wf_sheet_fabric(sheet, face);
        if (wf_sheet_active(sheet, face) && fabric != checked) {
            wf_status status = wf_model_check_fabric(context, entry, &sheet->fabrics[fabric]);
            if (status != WF_OK) {
                return status;
            }
            checked = fabric;
        }
    }
    return WF_OK;
}

wf_status wf_model_create(wf_context *context, const wf_model_entry *entry, const wf_sheet_faces *sheet,
                          wf_model **model)
{
    *model = NULL;
    wf_status status = wf_check_sheet(context, sheet);
    if (status == WF_OK && sheet->fold && !entry->folds) {
        status = wf_fail(context, WF_ERROR_ARGUMENT, "the model \"%s\" has no rest angles: it cannot be folded",
                         entry->name);
    }
    if (status == WF_OK) {
        status = check_fabrics(context, entry, sheet);
    }
    return status == WF_OK ? entry->create(context, sheet, model) : status;
}
