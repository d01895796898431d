/* models.h - the table of models: what can be chosen by name for the faces of a cloth.
 *
 * A model is one file that ends with its wf_model_entry, and one line of the table in models.c.
 */
#ifndef WEFT_MODEL_MODELS_H
#define WEFT_MODEL_MODELS_H

#include "model/element.h"
#include "model/model.h"

typedef enum wf_model_kind { WF_MODEL_MEMBRANE, WF_MODEL_BENDING, WF_MODEL_KINDS } wf_model_kind;

enum { WF_MODEL_ENTRY_LIMIT = 48 }; /* entries of the table, at most */

typedef struct wf_model_entry {
    const char *name;
    wf_model_kind kind;
    const char *source; /* author, year; or what it is */
    const char *cannot; /* what it cannot do, as a sentence without its end; NULL: nothing that another can */
    bool published;     /* as printed: the force is not the gradient of the energy, or the matrix not its derivative */
    bool brakes_turning; /* its viscosity feels rigid rotations too */
    bool fixed_frame;   /* takes rigid rotations for strains: cloth must stay at its rest coordinates, in z = 0 */
    bool folds;         /* takes rest angles */
    bool hysteresis;    /* takes what a fabric remembers (memory.h); others refuse it */
    bool curves;        /* takes a fabric's stress-strain curves; others refuse it */
    bool grid;          /* elements are the cells of a grid of threads; other sheets are refused */

    /* WF_ERROR_ARGUMENT, with the reason, for fabrics that the model cannot express; NULL: it can express all. */
    wf_status (*check)(wf_context *context, const wf_fabric *fabric);

    /* Makes the model of a sheet that has been checked. */
    wf_status (*create)(wf_context *context, const wf_sheet_faces *sheet, wf_model **model);
} wf_model_entry;

/* The number of entries, and each from 0. NULL out of range. */
int wf_model_entry_count(void);
const wf_model_entry *wf_model_entry_at(int index);

/* The first of its kind: what cloth has that chooses none. */
const wf_model_entry *wf_model_default(wf_model_kind kind);

/* What cloth of this fabric has that chooses none: the default, or where that cannot express the fabric the best that
 * can. */
const wf_model_entry *wf_model_default_for(wf_model_kind kind, const wf_fabric *fabric);

/* The bending of faces at folds whose own takes no rest angles: the most exact that does. */
const wf_model_entry *wf_model_of_folds(void);

/* "membrane" or "bending". */
const char *wf_model_kind_name(wf_model_kind kind);

/* The model of this name; kind: WF_MODEL_KINDS for any. WF_ERROR_ARGUMENT names the nearest. */
wf_status wf_model_find(wf_context *context, wf_model_kind kind, const char *name, const wf_model_entry **entry);

/* Whether the model can express the fabric. */
wf_status wf_model_check_fabric(wf_context *context, const wf_model_entry *entry, const wf_fabric *fabric);

/* Makes the model of a sheet. WF_ERROR_ARGUMENT names the first face or fabric that it cannot be made of. */
wf_status wf_model_create(wf_context *context, const wf_model_entry *entry, const wf_sheet_faces *sheet,
                          wf_model **model);

#endif
