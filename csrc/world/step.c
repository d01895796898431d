/* step.c - one step of a world: resting contacts, time integration, door. */
#include <string.h>

#include "base/clock.h"
#include "step/scheme.h"
#include "world/world_state.h"

/* m/s: pins that are to go further in one step take several. A pin torn across a room in a sixtieth of a second would
 * throw the cloth about, and contact would have to look at all that it sweeps over. */
#define LARGEST_PIN_SPEED 20.0
#define SPEED_AFTER_HOLDING 0.1

#define LIMIT_TOLERANCE 1e-4 /* strain: what the last sweep of limits may still have corrected */

/* How fast a pin may go. Where contact held vertices back in the last step, pins that want through what is in the way
 * would throw their neighbours about; they start again from what they reached. */
static double pin_speed(const wf_world *world, int32_t vertex)
{
    if (!world->held_back) {
        return LARGEST_PIN_SPEED;
    }
    return fmin(fmax(2 * wf_vec3_norm(world->v0[vertex]), SPEED_AFTER_HOLDING), LARGEST_PIN_SPEED);
}

/* Pinned vertices get the velocity that carries them to their targets by the end of the step. */
static void prescribe_velocities(wf_world *world)
{
    double h = world->time_left;
    for (size_t m = 0; m < world->cloth_count; m++) {
        const wf_cloth_member *member = &world->cloths[m];
        for (int32_t i = 0; i < member->cloth->mesh.vertex_count; i++) {
            if (member->cloth->pinned[i]) {
                int32_t k = member->first_vertex + i;
                wf_vec3 way = wf_vec3_sub(member->cloth->pin_targets[i], world->x0[k]);
                double farthest = pin_speed(world, k) * h, distance = wf_vec3_norm(way);
                double share = world->starting && distance <= WF_PINS_ASIDE ? 0 : 1;
                world->v0[k] = wf_vec3_scale(way, (distance > farthest ? farthest / distance : share) / h);
            }
        }
    }
}

/* m: how far beyond their thickness pairs count that may meet within the step. Schemes on elements see them close;
 * matrices would have to hold them all, and one linear solve would let them stick. */
#define CONTACT_AHEAD 0.0005
enum { MOST_SOLVES = 9,     /* of a step whose contacts are constraints */
       MOST_PARTINGS = 3 }; /* of contacts of rigid bodies that would pull */
#define CORRECTED_AHEAD 0.002 /* the same, where contacts are corrected; faster ones meet at the door */

static wf_status find_resting_contacts(wf_world *world, double margin)
{
    double start = wf_clock_seconds();
    wf_status status = WF_OK;
    bool springs = world->scene && !world->response->barrier; /* barriers leave colliders alone to springs */
    if (springs) {
        status = wf_contact_update(world->scene, world->x0, world->x0, wf_world_contact_skin(world));
    }
    if (springs && status == WF_OK) {
        /* Springs side by side are as good as one where forces balance; what corrects motion goes through them all. */
        wf_contact_choice choice = world->response->corrects ? WF_CONTACTS_FEWEST : WF_CONTACTS_USUAL;
        status = wf_contact_find(world->scene, world->x0, fmin(margin + world->roundness, 1), choice, &world->contacts,
                                 &world->contact_count);
    }
    if (status == WF_OK) {
        status = wf_world_gather_resting(world, margin);
    }
    if (status == WF_OK) {
        status = wf_world_count_pinched(world);
    }
    world->stats.contacts = world->contact_count;
    world->stats.detection_seconds += wf_clock_seconds() - start;
    return status;
}

/* Where contact moved a vertex away from where its integrator wanted it, its velocity is what its position did, and an
 * integrator with memory hears of that. Whether there is any such. */
static bool adopt_moves(wf_world *world)
{
    double h = world->part;
    uint8_t *touched = world->touched;
    bool any = false;
    if (world->v_free) {
        memcpy(world->v_free, world->v1, (size_t)world->row_count * sizeof *world->v1);
    }
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        bool moved = memcmp(&world->x1[i], &world->x_free[i], sizeof *world->x1) != 0;
        if (moved) {
            world->v1[i] = wf_vec3_scale(wf_vec3_sub(world->x1[i], world->x0[i]), 1 / h);
        }
        any = any || moved;
        bool limited = world->limits && touched[3 * (size_t)i];
        memset(touched + 3 * (size_t)i, moved || limited, 3);
    }
    if (world->v_free) {
        wf_integrator_touch(world->integrator, touched, &world->x_free->x, &world->v_free->x, &world->x1->x,
                            &world->v1->x);
    }
    return any;
}

/* Moves the cloth to where its fabrics let it be, and its velocities with it: impulses that conserve momentum.
 * `touched` says where. x_free becomes where the door gets it. */
static void apply_limits(wf_world *world)
{
    double h = world->part;
    size_t bytes = (size_t)world->cloth_vertex_count * sizeof *world->x1;
    wf_strain_limits_result result;
    memcpy(world->x_free, world->x1, bytes);
    wf_strain_limits_apply(world->context, world->limits, world->inverse_mass, LIMIT_TOLERANCE,
                           world->params.limit_sweeps, world->x1, &result);
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        wf_vec3 way = wf_vec3_sub(world->x1[i], world->x_free[i]);
        world->v1[i] = wf_vec3_muladds(world->v1[i], way, 1 / h);
        memset(world->touched + 3 * (size_t)i, way.x != 0 || way.y != 0 || way.z != 0, 3);
    }
    world->stats.limit_sweeps = result.sweeps;
    world->stats.limit_excess = result.excess;
}

static void measure_motion(wf_world *world)
{
    double sum = 0, largest = 0;
    int32_t free_vertices = 0;
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        if (world->inverse_mass[i] > 0) {
            double speed2 = wf_vec3_norm2(world->v1[i]);
            sum += speed2;
            largest = fmax(largest, speed2);
            free_vertices++;
        }
    }
    for (size_t k = 0; k < world->rigid_count; k++) {
        double speed2 = wf_world_rigid_speed2(world, k);
        sum += speed2;
        largest = fmax(largest, speed2);
        free_vertices++;
    }
    world->stats.rms_speed = free_vertices > 0 ? sqrt(sum / free_vertices) : 0;
    world->stats.max_speed = sqrt(largest);
    /* What the fail-safe or extra damping holds does not rest by itself. */
    bool resting = world->stats.rms_speed <= 1e-3 && world->stats.max_speed <= 1e-2 &&
                   world->stats.backed_off == 0 && world->extra_damping == 0;
    world->rest_time = resting ? world->rest_time + world->params.time_step : 0;
    world->stats.rest_time = world->rest_time;
}

/* Multi-step schemes, and Newton's method with its extrapolated start, remember earlier states. */
static bool remembers(const wf_integrator *integrator)
{
    wf_newton newton = wf_integrator_get_params(integrator).newton;
    return wf_integrator_get_class(integrator)->history > 0 ||
           (newton != WF_NEWTON_LINEAR && newton != WF_NEWTON_CORRECTED);
}

/* Whether limits or the door may move vertices away from where the integrator wants them. */
static bool door_may_move(const wf_world *world)
{
    return world->scene || world->params.floor || world->limits || world->collider_count > 0;
}

static wf_status make_array(wf_context *context, void *array_address, size_t count, size_t size)
{
    void *array;
    memcpy(&array, array_address, sizeof array);
    if (!array) {
        array = wf_allocate(context, count, size);
        memcpy(array_address, &array, sizeof array);
    }
    return array ? WF_OK : WF_ERROR_MEMORY;
}

/* The arrays that not every world needs: at its first step that does. */
static wf_status make_step_arrays(wf_world *world)
{
    wf_context *context = world->context;
    size_t count = (size_t)world->row_count;
    bool remembering = remembers(world->integrator), compares = remembering || door_may_move(world);
    wf_status status = WF_OK;
    if (compares) {
        status = make_array(context, &world->x_free, count, sizeof *world->x_free);
    }
    if (compares && status == WF_OK) {
        status = make_array(context, &world->touched, 3 * count, sizeof *world->touched);
    }
    wf_vec3 **remembered[] = {&world->v_free, &world->x_stored, &world->v_stored};
    for (int k = 0; k < 3 && remembering && status == WF_OK; k++) {
        status = make_array(context, remembered[k], count, sizeof **remembered[k]);
    }
    if (wf_integrator_get_class(world->integrator)->needs_elements && status == WF_OK) {
        status = make_array(context, &world->weight, count, sizeof *world->weight);
        status = status == WF_OK ? wf_world_need_elements(world) : status;
    }
    return status == WF_OK ? wf_start_values_resize(context, &world->start_values, count) : status;
}

/* If something changed the state since the last step (a script set velocities, moved cloth), the integrator hears of
 * it. */
static void notice_changes(wf_world *world)
{
    if (!world->integrated || !remembers(world->integrator)) {
        wf_integrator_restart(world->integrator);
        return;
    }
    wf_integrator_forget_matrix(world->integrator);
    if (world->time_left < world->params.time_step) { /* not the first part of a step */
        return;
    }
    const double *x = &world->x0->x, *v = &world->v0->x, *x_last = &world->x_stored->x, *v_last = &world->v_stored->x;
    bool any = false;
    for (size_t i = 0; i < 3 * (size_t)world->row_count; i++) {
        world->touched[i] = x[i] != x_last[i] || v[i] != v_last[i];
        any = any || world->touched[i];
    }
    if (any) {
        wf_integrator_touch(world->integrator, world->touched, x_last, v_last, x, v);
    }
}

/* What a part of the step leads to is what the next one begins with. */
static void remember_part(wf_world *world)
{
    world->integrated = true;
    wf_start_values_push(&world->start_values, world->v0);
}

static void remember_state(wf_world *world)
{
    remember_part(world);
    if (remembers(world->integrator)) {
        memcpy(world->x_stored, world->x1, (size_t)world->row_count * sizeof *world->x1);
        memcpy(world->v_stored, world->v1, (size_t)world->row_count * sizeof *world->v1);
    }
}

/* Pins that could not go where they were told to. */
static int32_t count_stopped_pins(const wf_world *world)
{
    int32_t count = 0;
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        wf_vec3 end = wf_vec3_muladds(world->x0[i], world->v0[i], world->part);
        count += world->inverse_mass[i] == 0 && wf_vec3_distance(end, world->x1[i]) > 1e-12;
    }
    return count;
}

/* Through the door. What barriers kept free has passed it: only what happened to it since has not. Of colliders, which
 * move on their own ways, barriers know nothing. */
static wf_status pass_door(wf_world *world)
{
    if (!world->barrier || world->collider_count > 0) {
        return wf_world_pass_door(world, world->x0, world->x1);
    }
    const wf_vec3 *reached = wf_world_barrier_reached(world);
    wf_status status = WF_OK;
    world->stats.backed_off = 0;
    if (memcmp(reached, world->x1, (size_t)world->cloth_vertex_count * sizeof *reached) != 0) {
        status = wf_world_pass_door(world, reached, world->x1);
    }
    world->stats.backed_off += count_stopped_pins(world) + wf_world_barrier_held(world);
    return status;
}

/* From x0, v0 to x1, v1 as if nothing could be met but what rests already. */
static wf_status integrate(wf_world *world)
{
    wf_system system = wf_world_system(world);
    double time = wf_world_time(world) + (world->params.time_step - world->time_left);
    wf_integrator_work before = wf_integrator_get_work(world->integrator);
    wf_status status = wf_integrator_step(world->integrator, &system, time, world->part,
                                          &world->x0->x, &world->v0->x, &world->x1->x, &world->v1->x);
    wf_integrator_work after = wf_integrator_get_work(world->integrator);
    world->stats.integrator_steps += (int32_t)(after.steps - before.steps);
    world->stats.newton_iterations += (int32_t)(after.newton_iterations - before.newton_iterations);
    world->stats.force_evaluations += (int32_t)(after.force_evaluations - before.force_evaluations);
    return status;
}

/* With contacts that are, press or rub otherwise than before: what was found is near. */
static wf_status integrate_again(wf_world *world)
{
    const size_t count = (size_t)world->row_count;
    wf_status status = make_array(world->context, &world->v_found, count, sizeof *world->v_found);
    if (status == WF_OK) {
        memcpy(world->v_found, world->v1, count * sizeof *world->v1);
        world->solving_again = true;
        status = integrate(world);
        world->solving_again = false;
    }
    return status;
}

/* m: of the cloth's and the bodies' vertices, of the floor and of colliders in this part of the step, against the
 * cloth's mean: about as far as pairs can come nearer. */
static double largest_motion(const wf_world *world)
{
    wf_vec3 mean = {0, 0, 0};
    double largest = 0;
    for (int32_t i = 0; i < world->cloth_vertex_count; i++) {
        mean = wf_vec3_add(mean, wf_vec3_sub(world->x1[i], world->x0[i]));
    }
    mean = wf_vec3_scale(mean, 1 / fmax(1, world->cloth_vertex_count));
    for (int32_t i = 0; i < world->vertex_count; i++) {
        wf_vec3 motion = wf_vec3_sub(wf_vec3_sub(world->x1[i], world->x0[i]), mean);
        largest = fmax(largest, wf_vec3_norm2(motion));
    }
    largest = world->params.floor ? fmax(largest, wf_vec3_norm2(mean)) : largest;
    for (size_t k = 0; k < world->collider_count; k++) {
        const wf_collider_member *member = &world->colliders[k];
        wf_vec3 motion = wf_vec3_sub(wf_vec3_sub(member->end.centre, member->start.centre), mean);
        largest = fmax(largest, wf_vec3_norm2(motion));
    }
    return sqrt(largest);
}

/* Whether friction is that of springs in one linear solve that can be made again. */
static bool cloth_may_slide(const wf_world *world)
{
    const wf_integrator_class *class = wf_integrator_get_class(world->integrator);
    return class->implicit && class->solves_for_end && !class->needs_elements && !remembers(world->integrator) &&
           !world->response->constrains && !world->barrier;
}

static wf_status advance_part(wf_world *world)
{
    notice_changes(world);
    world->integrated = false; /* until the step is done */
    world->contact_count = 0;
    world->resting_count = 0;
    wf_world_carry_bodies(world);
    wf_status status = wf_world_find_caught(world);
    if (status == WF_OK && world->response->barrier) {
        status = wf_world_prepare_barrier(world);
    } else if (status == WF_OK) {
        wf_world_free_barrier(world);
    }
    if (status == WF_OK && wf_contact_response_has_springs(world->response, world->integrator)) {
        bool elements = wf_integrator_get_class(world->integrator)->needs_elements;
        status = find_resting_contacts(world, elements || world->response->constrains ? CONTACT_AHEAD : 0);
        if (status == WF_OK && wf_scheme_resolves_springs(world->integrator)) {
            status = wf_world_soften_resting(world);
        }
    }
    if (status != WF_OK) {
        return status;
    }
    prescribe_velocities(world);
    wf_world_begin_pin_work(world);
    status = wf_world_begin_air(world);
    if (status != WF_OK) {
        return status;
    }
    status = integrate(world);
    bool again = world->rigid_count > 0 && !remembers(world->integrator);
    for (int k = 0; k < MOST_PARTINGS && status == WF_OK && again && wf_world_let_part(world); k++) {
        status = integrate_again(world);
    }
    if (status == WF_OK) {
        const bool rigids = again && wf_world_let_slide(world);
        const bool cloth = cloth_may_slide(world) && wf_world_let_cloth_slide(world);
        status = rigids || cloth ? integrate_again(world) : WF_OK;
    }
    for (int k = 1; k < MOST_SOLVES && status == WF_OK && world->response->constrains; k++) {
        if (!wf_world_raise_multipliers(world)) {
            break;
        }
        status = integrate_again(world);
    }
    status = status == WF_OK ? wf_world_measure_work(world) : status;
    if (status != WF_OK) {
        return status;
    }
    if (world->limits) {
        apply_limits(world);
    }
    if (door_may_move(world)) {
        memcpy(world->x_free, world->x1, (size_t)world->row_count * sizeof *world->x1);
    }
    if (world->response->corrects) {
        status = find_resting_contacts(world, fmin(largest_motion(world), CORRECTED_AHEAD));
        status = status == WF_OK ? wf_world_correct_contacts(world) : status;
    }
    if (status != WF_OK) {
        return status;
    }
    wf_world_begin_rigid_motion(world);
    double door_start = wf_clock_seconds(), detection_before = world->stats.detection_seconds;
    int32_t held_before = world->stats.backed_off;
    status = pass_door(world);
    double detection_within = world->stats.detection_seconds - detection_before;
    world->stats.response_seconds += wf_clock_seconds() - door_start - detection_within;
    world->stats.backed_off += held_before;
    if (status != WF_OK) {
        return status;
    }
    wf_world_measure_air_work(world);
    bool moved = door_may_move(world) && adopt_moves(world);
    wf_world_end_rigid_motion(world);
    moved = moved || world->rigid_count > 0 || wf_world_any_parts(world);
    world->gained = (moved || world->barrier || world->response->constrains) && wf_world_has_gained(world);
    return WF_OK;
}

/* ---- a step in parts --------------------------------------------------------------------------------------------- */

/* The door stops vertices while their neighbours, which met nothing, go on. In a step in which they go far that tears
 * the cloth between them: a sheet that hits a ball at 100 m/s would end a thirtieth of a second stretched to a hundred
 * times its length, with two hundred times the energy that it had. Such a step, one in which a body presses cloth
 * faster than it can give way, and one whose contacts give cloth energy is made again in two halves, and these if need
 * be: for energy down to a sixteenth. So is one whose end the fail-safe had to cut for rigid bodies: whole bodies lose
 * their motion there, and in smaller parts they come into the range of contact's springs first, which turn it aside.
 *
 * A step that carries bodies far is made in small parts from the start, and after MOST_CARRYING_TRIES at parts the
 * bodies stop where they are, so that what such a step costs has a bound; the next step takes them on. So they do after
 * MOST_PRESSED_TRIES where cloth gives way to small parts alone: a stack that is as good as solid would be pressed on
 * in hundreds of them. */
enum { MOST_HALVINGS = 8, WHOLE = 1 << MOST_HALVINGS, LEAST_GAINING = WHOLE / 16, MOST_CARRYING_TRIES = 64,
       MOST_PRESSED_TRIES = 2 * MOST_HALVINGS, /* twice what it takes to find the smallest part */
       CALM_PARTS = 4 /* of half its size, before a part as large as one that was pressed is tried once more */ };
#define CARRIED_WAY 0.05 /* m: what bodies, and cloth with them, go in a part at most */
#define CARRIED_WAY_BEHIND_BARRIERS 0.1 /* m: the same; each part has iterations, each with all that it sweeps over */

static void update_history(wf_world *world)
{
    for (size_t m = 0; world->history && m < world->model_count; m++) {
        const wf_model *model = world->models[m].model;
        if (model->class->update_history) {
            model->class->update_history(world->context, model, world->x1, world->history);
        }
    }
}

/* Halves of halves begin where they can end within the half that they are of. */
static int largest_part(int done)
{
    return done == 0 ? WHOLE : done & -done;
}

/* At parts of a step so far. */
typedef struct attempts {
    int tries;
    int pressed; /* of them: a body pressed cloth faster than it could give way */
    int largest; /* part that is worth an attempt */
} attempts;

/* What geometric correction gives cloth it may give in small parts too: a row of vertices that a body holds would give
 * way in each solve, and be put back behind it, while what stands on it comes down as if nothing bore it. Where the
 * smallest part gains much, contacts are in the solve for the rest of the step, which needs no small parts then but
 * where bodies move: friction of springs, in one solve, draws along what stuck to them by more than Coulomb's law
 * allows. Whether contacts were not in the solve. */
static bool take_contacts_into_solve(wf_world *world, int done, const attempts *made, int *size)
{
    const wf_contact_response *in_solve = wf_contact_response_in_solve(world->response, world->integrator);
    if (!in_solve) {
        return false;
    }
    const int most = largest_part(done) < made->largest ? largest_part(done) : made->largest;
    *size = wf_world_bodies_move(world) ? *size : most;
    world->response = in_solve;
    return true;
}

/* Whether the part is to be made again: with contacts in its solve, in a half, or, where no part is small enough for
 * cloth to give way to bodies, with bodies that stop for the rest of the step. Cloth pinched by two of them would leave
 * no other way. When a step that presses has cost enough they stop, too; when one that carries them far has, nothing is
 * made again for the cloth's sake. */
static bool must_repeat(wf_world *world, wf_status status, int done, const attempts *made, int *size)
{
    bool pressed = status == WF_ERROR_GEOMETRY, enough = world->carrying && made->tries >= MOST_CARRYING_TRIES;
    bool spoilt = status == WF_OK && (world->gained || wf_world_rigids_slowed(world)) && *size > LEAST_GAINING;
    const bool stopped_before = world->bodies_stopped;
    world->bodies_stopped = stopped_before || enough || (made->pressed > 0 && made->tries >= MOST_PRESSED_TRIES);
    bool gains = status == WF_OK && world->gained && *size <= LEAST_GAINING && wf_world_has_gained_much(world);
    if (gains && take_contacts_into_solve(world, done, made, size)) {
        return true;
    }
    bool torn = status == WF_OK && door_may_move(world) && wf_world_has_torn(world);
    if (*size > 1 && (pressed || (!enough && (spoilt || torn)))) {
        *size /= 2;
        return true;
    }
    if (!pressed || world->body_count == 0 || stopped_before) {
        return false;
    }
    world->bodies_stopped = true;
    *size = largest_part(done);
    return true;
}

/* What was the end of a part is the beginning of the next. */
static wf_status go_on(wf_world *world)
{
    wf_status status = wf_world_keep_start_values(world);
    if (status != WF_OK) {
        return status;
    }
    remember_part(world);
    memcpy(world->x0, world->x1, (size_t)world->vertex_count * sizeof *world->x0);
    memcpy(world->v0, world->v1, (size_t)world->vertex_count * sizeof *world->v0);
    wf_world_go_on_with_rigids(world);
    return WF_OK;
}

/* The largest part of a step that carries bodies far, and of those after it until the cloth that they swept along has
 * come to its senses: it is looked at every few centimetres, since a longer way would be tried in vain, at more cost
 * than that of all parts together. Ways are those of bodies and cloth against each other: what goes along with a body
 * that runs is as cheap as on one that stands. */
static int largest_carrying_part(wf_world *world)
{
    int size = WHOLE;
    double carried = world->response->barrier ? CARRIED_WAY_BEHIND_BARRIERS : CARRIED_WAY;
    double body_way = wf_world_body_way(world);
    if (!world->carrying && body_way <= carried) {
        return WHOLE;
    }
    double way = fmax(body_way, wf_world_cloth_way(world));
    world->carrying = way > carried;
    while (world->carrying && size > 1 && way * size > carried * WHOLE) {
        size /= 2;
    }
    return size;
}

static wf_status advance_in_parts(wf_world *world)
{
    wf_status status = make_step_arrays(world);
    int calm = 0;
    const int largest_at_all = largest_carrying_part(world);
    attempts made = {.largest = largest_at_all};
    /* What stopped bodies is likely to be there still, and a small part finds that sooner than a whole step. */
    const int first = world->bodies_stopped ? 1 : largest_at_all;
    world->bodies_stopped = false;
    wf_world_begin_work(world);
    for (int done = 0, size = first; status == WF_OK && done < WHOLE; made.tries++) {
        const wf_step_stats before = world->stats;
        world->part = world->params.time_step * size / WHOLE;
        world->time_left = world->params.time_step * (WHOLE - done) / WHOLE;
        if (size < WHOLE || made.tries > 0) {
            memcpy(world->v1, world->v0, (size_t)world->vertex_count * sizeof *world->v1);
            wf_world_load_history(world);
        }
        wf_world_expect_strings(world);
        wf_world_divide_colliders(world);
        status = advance_part(world);
        made.pressed += status == WF_ERROR_GEOMETRY;
        if (must_repeat(world, status, done, &made, &size)) {
            if (status == WF_ERROR_GEOMETRY) {
                made.largest = world->bodies_stopped ? largest_at_all : size;
                calm = 0;
            }
            world->stats.hits = before.hits;
            world->stats.backed_off = before.backed_off;
            world->stats.body_work = before.body_work;
            world->stats.pin_work = before.pin_work;
            status = WF_OK;
            continue;
        }
        if (status != WF_OK) {
            return status;
        }
        world->stats.parts++;
        wf_world_keep_air(world);
        wf_world_end_partings(world);
        update_history(world);
        done += size;
        made.largest = world->bodies_stopped ? largest_at_all : made.largest;
        calm += size == made.largest;
        if (calm >= CALM_PARTS && made.largest < largest_at_all) {
            made.largest *= 2;
            calm = 0;
        }
        if (done < WHOLE) {
            status = go_on(world);
            wf_world_begin_work(world);
            size *= done % (2 * size) == 0 && 2 * size <= made.largest ? 2 : 1;
        }
    }
    return status;
}

static wf_status advance(wf_world *world)
{
    const wf_contact_response *response = world->response;
    wf_status status = advance_in_parts(world);
    world->response = response;
    return status;
}

/* With a flow of air: the step is made again, with forces that belong to it, until air and cloth agree. */
static wf_status advance_in_flow(wf_world *world)
{
    const wf_step_stats fresh = world->stats;
    const bool stopped_before = world->bodies_stopped, carrying_before = world->carrying;
    const bool may_repeat = !remembers(world->integrator);
    wf_status status = wf_world_begin_flow(world);
    for (bool again = true; status == WF_OK && again;) {
        status = wf_world_solve_flow(world);
        status = status == WF_OK ? advance(world) : status;
        status = status == WF_OK ? wf_world_sweep_flow(world, may_repeat, &again) : status;
        if (status == WF_OK && again) {
            world->stats = fresh;
            world->bodies_stopped = stopped_before;
            world->carrying = carrying_before;
            status = wf_world_load_parted(world);
            wf_world_give_start_values_back(world);
            wf_world_forget_air(world);
        }
    }
    if (status != WF_OK) {
        wf_world_end_flow(world, false);
    }
    return status;
}

/* Where nothing but the air moves by itself: nothing is in the way of bodies. */
static wf_status advance_air_alone(wf_world *world)
{
    wf_status status = WF_OK;
    if (wf_world_flow_acts(world)) {
        status = wf_world_begin_flow(world);
        status = status == WF_OK ? wf_world_solve_flow(world) : status;
        if (status != WF_OK) {
            wf_world_end_flow(world, false);
            return status;
        }
    }
    world->part = world->time_left = world->params.time_step;
    world->bodies_stopped = false;
    wf_world_carry_bodies(world);
    return status;
}

static wf_status step(wf_world *world)
{
    double start = wf_clock_seconds();
    wf_status status = wf_world_begin_air_step(world);
    if (status == WF_OK) {
        status = wf_world_refresh(world);
    }
    if (status != WF_OK) {
        return status;
    }
    wf_step_stats fresh = {.vertices = world->cloth_vertex_count, .triangles = world->face_count,
                           .contact_energy = world->row_count > 0 ? world->held_by_springs : 0};
    world->stats = fresh;
    wf_world_begin_colliders(world);
    status = wf_world_load_start(world);
    status = status == WF_OK ? wf_world_keep_step(world) : status;
    status = status == WF_OK ? wf_world_begin_bodies(world) : status;
    if (status != WF_OK) {
        return status;
    }
    wf_world_warn_of_inside(world);
    wf_world_warn_of_sunk(world);
    status = wf_world_move_air(world);
    if (status != WF_OK) {
        return status;
    }
    if (world->row_count > 0) {
        status = wf_world_flow_acts(world) ? advance_in_flow(world) : advance(world);
        if (status != WF_OK) {
            return status;
        }
        wf_world_count_inside(world);
        measure_motion(world);
        wf_world_measure_lag(world);
    } else {
        status = advance_air_alone(world);
        if (status != WF_OK) {
            return status;
        }
    }
    if (!world->unbreakable) {
        wf_world_settle_strings(world);
        wf_world_end_air_step(world);
    }
    wf_world_end_flow(world, !world->unbreakable);
    wf_world_store_state(world);
    wf_world_keep_pins_aside(world);
    world->starting = false;
    if (world->row_count > 0) {
        remember_state(world);
    }
    wf_world_end_colliders(world, true);
    world->stats.broken = world->unbreakable ? 0 : wf_world_break_ties(world);
    world->held_by_springs = world->stats.contact_energy;
    world->held_back = world->stats.backed_off > 0;
    world->step_count++;
    world->stats.step_seconds = wf_clock_seconds() - start;
    return WF_OK;
}

wf_status wf_world_step(wf_world *world, double extra_damping)
{
    if (!(extra_damping >= 0 && extra_damping <= 1e4)) {
        return wf_fail(world->context, WF_ERROR_ARGUMENT, "extra damping must be from 0 to 10000, got %g",
                       extra_damping);
    }
    world->extra_damping = extra_damping;
    wf_status status = step(world);
    if (status != WF_OK) {
        wf_world_end_colliders(world, false);
    }
    wf_world_let_go_of_step(world, status != WF_OK);
    wf_world_settle_air(world, status == WF_OK);
    world->extra_damping = 0;
    return status == WF_ERROR_NUMERIC ? wf_world_blame_string(world, status) : status;
}

wf_status wf_world_move_cloth(wf_world *world, wf_cloth *cloth, const wf_vec3 *target, bool *all_arrived)
{
    wf_status status = wf_world_refresh(world);
    if (status != WF_OK) {
        return status;
    }
    wf_world_load_state(world);
    const wf_cloth_member *member = NULL;
    for (size_t m = 0; m < world->cloth_count; m++) {
        if (world->cloths[m].cloth == cloth) {
            member = &world->cloths[m];
        }
    }
    if (!member) {
        return wf_fail(world->context, WF_ERROR_STATE, "the cloth is not in this world");
    }
    memcpy(world->v1, world->v0, (size_t)world->cloth_vertex_count * sizeof *world->v1);
    memcpy(world->x1 + member->first_vertex, target, (size_t)cloth->mesh.vertex_count * sizeof *target);
    status = wf_world_pass_door(world, world->x0, world->x1);
    if (status != WF_OK) {
        return status;
    }
    *all_arrived = memcmp(world->x1 + member->first_vertex, target,
                          (size_t)cloth->mesh.vertex_count * sizeof *target) == 0;
    wf_world_store_state(world);
    return WF_OK;
}
