/* history.c - see history.h. */
#include "step/history.h"

#include <string.h>

/* Makes room for `size` doubles in the arrays of state k. */
static wf_status prepare_state(wf_context *context, wf_history *history, int k)
{
    if (!history->x[k]) {
        history->x[k] = wf_allocate(context, history->size, sizeof *history->x[k]);
    }
    if (!history->v[k]) {
        history->v[k] = wf_allocate(context, history->size, sizeof *history->v[k]);
    }
    return history->x[k] && history->v[k] ? WF_OK : WF_ERROR_MEMORY;
}

wf_status wf_history_push(wf_context *context, wf_history *history, int limit, size_t size, const double *x,
                          const double *v, double h)
{
    if (limit == 0) {
        return WF_OK;
    }
    if (history->size != size) {
        wf_history_free(context, history);
        history->size = size;
    }
    int count = history->count < limit ? history->count + 1 : limit;
    wf_status status = prepare_state(context, history, count - 1);
    if (status != WF_OK) {
        return status;
    }
    double *oldest_x = history->x[count - 1], *oldest_v = history->v[count - 1];
    for (int k = count - 1; k > 0; k--) {
        history->x[k] = history->x[k - 1];
        history->v[k] = history->v[k - 1];
        history->age[k] = history->age[k - 1] + h;
    }
    history->x[0] = oldest_x;
    history->v[0] = oldest_v;
    history->age[0] = h;
    history->count = count;
    memcpy(oldest_x, x, size * sizeof *x);
    memcpy(oldest_v, v, size * sizeof *v);
    return WF_OK;
}

wf_status wf_history_copy(wf_context *context, const wf_history *from, wf_history *to)
{
    if (to->size != from->size) {
        wf_history_free(context, to);
        to->size = from->size;
    }
    for (int k = 0; k < from->count; k++) {
        wf_status status = prepare_state(context, to, k);
        if (status != WF_OK) {
            return status;
        }
        memcpy(to->x[k], from->x[k], from->size * sizeof *to->x[k]);
        memcpy(to->v[k], from->v[k], from->size * sizeof *to->v[k]);
        to->age[k] = from->age[k];
    }
    to->count = from->count;
    return WF_OK;
}

void wf_history_clear(wf_history *history)
{
    history->count = 0;
}

void wf_history_free(wf_context *context, wf_history *history)
{
    for (int k = 0; k < WF_HISTORY_STATES; k++) {
        wf_free(context, history->x[k]);
        wf_free(context, history->v[k]);
    }
    *history = (wf_history){0};
}

void wf_history_touch(wf_history *history, const uint8_t *touched, const double *from_x, const double *from_v,
                      const double *x, const double *v)
{
    for (int k = 0; k < history->count; k++) {
        for (size_t i = 0; i < history->size; i++) {
            if (touched[i]) {
                double change = v[i] - from_v[i];
                history->x[k][i] += x[i] - from_x[i] - history->age[k] * change;
                history->v[k][i] += change;
            }
        }
    }
}

/* The time of node j relative to the latest state, which is node 0. */
static double node_time(const double *age, int j)
{
    return j == 0 ? 0 : -age[j - 1];
}

void wf_history_extrapolation(int count, const double *age, double ahead, double *weights)
{
    for (int j = 0; j <= count; j++) {
        double weight = 1;
        for (int i = 0; i <= count; i++) {
            if (i != j) {
                weight *= (ahead - node_time(age, i)) / (node_time(age, j) - node_time(age, i));
            }
        }
        weights[j] = weight;
    }
}

/* Derivative at node "ahead" of the Lagrange polynomials through it and the nodes 0 to count: for the node itself
 * sum_i 1 / (ahead - t_i), for node j  prod_{i != j} (ahead - t_i) / ((t_j - ahead) prod_{i != j} (t_j - t_i)). */
double wf_history_differentiation(int count, const double *age, double ahead, double *weights)
{
    double sum = 0;
    for (int j = 0; j <= count; j++) {
        sum += 1 / (ahead - node_time(age, j));
    }
    double gamma = 1 / sum;
    for (int j = 0; j <= count; j++) {
        double weight = 1 / (ahead - node_time(age, j));
        for (int i = 0; i <= count; i++) {
            if (i != j) {
                weight *= (ahead - node_time(age, i)) / (node_time(age, j) - node_time(age, i));
            }
        }
        weights[j] = gamma * weight;
    }
    return gamma;
}
