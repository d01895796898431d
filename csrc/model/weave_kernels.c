/* weave_kernels.c - what the faces of a membrane of threads do (membrane_weave.h), a vector of them at a time. */
#define WF_WIDE_KERNELS
#include "model/membrane_faces.h"
#include "model/membrane_kernels.h"
#include "model/membrane_weave.h"

static inline wf_threads read_threads(const wf_membrane *m, size_t batch, int lane, const wf_faces *f, const wf_vec3 *x)
{
    wf_wide3 columns[2];
    wf_read_columns(m, batch, lane, f, x, columns);
    return wf_threads_of(columns[0], columns[1]);
}

static void all_energies(const wf_membrane *m, const wf_vec3 *x, size_t begin, size_t end, double (*energies)[WF_LANES])
{
    for (size_t batch = begin; batch < end; batch++) {
        for (int lane = 0; lane < WF_LANES; lane += WF_WIDTH) {
            wf_faces f = wf_read_faces(m, batch, lane);
            wf_threads t = read_threads(m, batch, lane, &f, x);
            wf_thread_strains e = wf_thread_strains_of(&t), s = wf_thread_stresses(f.moduli, e);
            wf_wide_store(energies[batch - begin] + lane, 0.5 * f.area * (s.e1 * e.e1 + s.e2 * e.e2 + s.e3 * e.e3));
        }
    }
}

static void add_past(wf_membrane *m, const wf_vec3 *x, double weight, size_t begin, size_t end)
{
    for (size_t batch = begin; batch < end; batch++) {
        for (int lane = 0; lane < WF_LANES; lane += WF_WIDTH) {
            wf_faces f = wf_read_faces(m, batch, lane);
            wf_threads t = read_threads(m, batch, lane, &f, x);
            wf_thread_strains e = wf_thread_strains_of(&t);
            const wf_wide strains[3] = {e.e1, e.e2, e.e3};
            wf_add_past_strains(m, batch, lane, weight, strains);
        }
    }
}

/* The strains with those that viscosity adds over a step: the stress is C of them. */
static inline wf_thread_strains with_past(const wf_membrane *m, size_t batch, int lane, const wf_faces *f,
                                          wf_thread_strains e)
{
    const wf_past_strains *past = &m->past[batch];
    wf_thread_strains change = {e.e1 - wf_wide_load(past->strains[0] + lane),
                                e.e2 - wf_wide_load(past->strains[1] + lane),
                                e.e3 - wf_wide_load(past->strains[2] + lane)};
    return wf_thread_muladds(e, change, f->viscosity * m->past_rate);
}

static WF_ALWAYS_INLINE void some_forces(const wf_membrane *m, size_t batch, int lane, const wf_vec3 *x,
                                         const wf_vec3 *v, wf_membrane_results *results)
{
    wf_faces f = wf_read_faces(m, batch, lane);
    wf_threads t = read_threads(m, batch, lane, &f, x);
    wf_thread_strains e = wf_thread_strains_of(&t);
    if (v && m->past_rate > 0) {
        e = with_past(m, batch, lane, &f, e);
    } else if (v) {
        wf_wide3 rate[2];
        wf_read_columns(m, batch, lane, &f, v, rate);
        e = wf_thread_muladds(e, wf_thread_rates(&t, rate[0], rate[1]), f.viscosity);
    }
    wf_wide3 by_u, by_v;
    wf_thread_pulls(&t, wf_thread_stresses(f.moduli, e), &by_u, &by_v);
    wf_store_forces(results, lane, &f, by_u, by_v);
}

static void all_forces(const wf_membrane *m, const wf_vec3 *x, const wf_vec3 *v, size_t begin, size_t end,
                       wf_membrane_results *results)
{
    for (size_t batch = begin; batch < end; batch++, results++) {
        for (int lane = 0; lane < WF_LANES; lane += WF_WIDTH) {
            if (v) {
                some_forces(m, batch, lane, x, v, results);
            } else {
                some_forces(m, batch, lane, x, NULL, results);
            }
        }
    }
}

static WF_ALWAYS_INLINE void some_blocks(const wf_membrane *m, size_t batch, int lane, bool exact, const wf_vec3 *x,
                                         double stiffness_scale, double damping_scale, wf_membrane_results *results)
{
    wf_faces f = wf_read_faces(m, batch, lane);
    wf_threads t = read_threads(m, batch, lane, &f, x);
    wf_thread_strains e = wf_thread_strains_of(&t);
    if (m->past_rate > 0) {
        e = with_past(m, batch, lane, &f, e);
    }
    wf_weave_form form = wf_weave_form_of(&t, wf_thread_stresses(f.moduli, e), f.moduli, stiffness_scale * f.area,
                                          damping_scale * f.viscosity * f.area, !exact);
    const wf_wide gradient1[2] = {f.gradient1x, f.gradient1y}, gradient2[2] = {f.gradient2x, f.gradient2y};
    const wf_wide gradient0[2] = {-(f.gradient1x + f.gradient2x), -(f.gradient1y + f.gradient2y)};
    wf_store_block(results, 0, lane, t.u, t.v, wf_weave_block(&form, gradient0, gradient1));
    wf_store_block(results, 1, lane, t.u, t.v, wf_weave_block(&form, gradient1, gradient2));
    wf_store_block(results, 2, lane, t.u, t.v, wf_weave_block(&form, gradient2, gradient0));
}

static void all_blocks(const wf_membrane *m, const wf_vec3 *x, double stiffness_scale, double damping_scale, bool exact,
                       size_t begin, size_t end, wf_membrane_results *results)
{
    for (size_t batch = begin; batch < end; batch++, results++) {
        for (int lane = 0; lane < WF_LANES; lane += WF_WIDTH) {
            if (exact) {
                some_blocks(m, batch, lane, true, x, stiffness_scale, damping_scale, results);
            } else {
                some_blocks(m, batch, lane, false, x, stiffness_scale, damping_scale, results);
            }
        }
    }
}

const wf_face_kernels WF_KERNELS(wf_weave_kernels) = {all_energies, add_past, all_forces, all_blocks};
