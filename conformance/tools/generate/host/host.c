#include "conformance/tools/generate/host/host.h"

#include "conformance/tools/generate/host/pool.h"
#include "conformance/tools/generate/host/shapes.h"
#include "conformance/tools/generate/host/work.h"
#include "conformance/tools/generate/random.h"

#include "reference/base/alloc.h"

#include <inttypes.h>

/* Every scenario states it: a seed gives the same program only with the same version. */
enum { VERSION = 4 };

/* FRESH repeats each launch at most twice, and loads every module again. */
enum { STEPS_LEAST = 6, STEPS_MORE = 18, STEPS_WANTED = STEPS_LEAST + STEPS_MORE };
/* What is drawn at once consists of as many steps at most. */
enum { SWEEP_MAX = 6, REPEATED_MAX = 5, REPLACE_MAX = 12 + REPEATED_MAX };
enum { STEPS_DRAWN = STEPS_WANTED + REPLACE_MAX };
enum { STEPS_MAX = 4 * STEPS_DRAWN, LATE_STEPS = 3 };

typedef struct host_step {
    gen_weight verb;
    uint32_t module;   /* LOAD, UNLOAD, COPY_… */
    int32_t content;   /* COPY_… */
    gen_target target; /* COPY_…: the device alone */
    /* LAUNCH: */
    uint32_t image, kernel;
    bool names_module, is_late;
    uint32_t bundle; /* LAUNCH: from which the kernel comes, 0 for none; BUNDLE: its number */
    bool is_unread, shares_memory; /* in a reduction: nothing expects its result, which may be in a
                                    * memory with those of others */
    gen_outcome outcome;
    uint32_t process;    /* processes before the one that launches */
    uint32_t generation; /* of the image's programs after the launch */
    gen_shape_call call; /* SHAPE */
    work_step work;      /* from WORK to READ */
} host_step;

/* A kernel bundle in the current process. */
typedef struct host_bundle {
    bool exists;
    uint32_t image, kernel, images; /* images: of its program, none of which has been unloaded */
    gen_target target;
    gen_outcome outcome;
} host_bundle;

enum { BUNDLES_MAX = STEPS_DRAWN + 1 };

typedef struct host_generator {
    const gen_request *request;
    gen_weights weights;
    gen_random random;
    gen_program program;
    gen_state state;
    gen_role roles[GEN_MODULES_MAX];
    gen_shapes shapes;
    uint32_t families[GEN_MODULES_MAX]; /* of the libraries: those of one have the same names */
    bool two_devices, has_persistent_cache;
    host_bundle bundles[BUNDLES_MAX]; /* by number, from 1 */
    uint32_t bundle_count;
    uint32_t process_count; /* before the current one */
    uint32_t read_memories; /* bits 1u << memory: those that are read at the end of a process */
    host_step steps[STEPS_MAX];
    uint32_t step_count;
    uint32_t unit_count; /* things that can be omitted, counted so far */
} host_generator;

static bool chance(host_generator *g, uint32_t percent)
{
    return gen_random_chance(&g->random, percent);
}

static uint32_t below(host_generator *g, uint32_t limit)
{
    return gen_random_below(&g->random, limit);
}

/* ---- The program -------------------------------------------------------------------------- */

/* Draws a library of the pool that the program does not have yet. Every second one is a sibling of
 * the one before. */
static uint32_t draw_library(host_generator *g, bool is_narrow, const uint32_t *drawn,
                             uint32_t count)
{
    for (;;) {
        uint32_t number = below(g, GEN_POOL_LIBRARIES);
        if (is_narrow && !gen_pool_is_narrow(number)) continue;
        if (count > 0 && chance(g, 50))
            number = drawn[count - 1] / GEN_POOL_SIBLINGS * GEN_POOL_SIBLINGS +
                     below(g, GEN_POOL_SIBLINGS);
        uint32_t i = 0;
        while (i < count && drawn[i] != number)
            i++;
        if (i == count) return number;
    }
}

static void draw_program(host_generator *g)
{
    gen_program *program = &g->program;
    uint32_t drawn[GEN_MODULES_MAX];
    bool is_narrow = chance(g, 20);
    program->module_count = 2 + below(g, GEN_MODULES_MAX - 1);
    gen_pool_add(program, 0, below(g, GEN_POOL_EXECUTABLES));
    /* The last modules have classes; at least two are needed. */
    bool has_shapes = program->module_count > 2 && chance(g, g->weights.of[GEN_SHAPES]);
    uint32_t class_count = program->module_count > 3 ? 2 + below(g, 2) : 2;
    uint32_t first_role = program->module_count - class_count;
    for (uint32_t m = 1; m < program->module_count; m++) {
        g->roles[m] = GEN_ROLE_LINKING;
        if (has_shapes && m >= first_role) {
            g->roles[m] = GEN_ROLE_BASE + (gen_role)(m - first_role);
            g->families[m] = GEN_POOL_LIBRARIES + m;
            continue;
        }
        drawn[m - 1] = draw_library(g, is_narrow, drawn, m - 1);
        g->families[m] = drawn[m - 1] / GEN_POOL_SIBLINGS;
        gen_pool_add(program, m, GEN_POOL_EXECUTABLES + drawn[m - 1]);
    }
    for (uint32_t m = 0; m < program->module_count; m++)
        for (uint32_t needed = m + 1; needed < program->module_count; needed++)
            if (chance(g, g->weights.of[GEN_NEEDS])) program->modules[m].needs |= 1u << needed;
    g->two_devices = chance(g, g->weights.of[GEN_TWO_DEVICES]);
    for (uint32_t d = 0; d < GEN_DEVICES; d++)
        if (chance(g, g->weights.of[GEN_WITHOUT_FP64])) program->without_fp64 |= 1u << d;
    g->has_persistent_cache = chance(g, g->weights.of[GEN_PERSISTENT]);
}

/* ---- Names -------------------------------------------------------------------------------- */

static const char *const module_names[GEN_MODULES_MAX] = {"app",  "liba", "libb",
                                                          "libc", "libd", "libe"};
static const char *const function_names[GEN_FUNCTIONS] = {"f0", "f1", "f2", "f3", "f4"};
static const char *const kernel_names[GEN_KERNELS] = {"k0", "k1", "k2", "f4"};

/* ---- The steps ---------------------------------------------------------------------------- */

static bool kernel_is_ambiguous(const host_generator *g, uint32_t image, uint32_t kernel)
{
    uint32_t loaded = gen_loaded(&g->state);
    for (uint32_t i = 0; i < g->program.image_count; i++) {
        const gen_image *other = &g->program.images[i];
        if (i != image && (loaded & 1u << other->module) && (other->kernels & 1u << kernel))
            return true;
    }
    return false;
}

/* True if the module is loaded and has a device_global that can be copied: one with image scope can
 * be in several programs. */
static bool has_variable(const host_generator *g, uint32_t module)
{
    if (!(gen_loaded(&g->state) & 1u << module)) return false;
    for (uint32_t i = 0; i < g->program.image_count; i++)
        if (g->program.images[i].module == module && g->program.images[i].increment != 0 &&
            !g->program.images[i].has_image_scope)
            return true;
    return false;
}

/* Takes a launch of a kernel from a bundle. The documents do not say what becomes of a bundle when
 * a library is unloaded from which its program has code. */
static bool take_launch_of_bundle(host_generator *g, host_step *step)
{
    const host_bundle *bundle = &g->bundles[step->bundle];
    if (!bundle->exists || kernel_is_ambiguous(g, bundle->image, bundle->kernel)) return false;
    step->image = bundle->image;
    step->kernel = bundle->kernel;
    step->target = bundle->target;
    step->outcome = bundle->outcome;
    step->names_module = false;
    step->process = g->process_count;
    return true;
}

/* Creates a bundle if it is certain how that ends. */
static bool take_bundle(host_generator *g, host_step *step)
{
    const gen_image *image = &g->program.images[step->image];
    bool is_usable = !image->needs_fp64 || !(g->program.without_fp64 & 1u << step->target.device);
    if (!(gen_loaded(&g->state) & 1u << image->module) || !(image->kernels & 1u << step->kernel) ||
        !is_usable || kernel_is_ambiguous(g, step->image, step->kernel) ||
        gen_increments(&g->program, step->image, step->kernel) || image->has_image_scope)
        return false;
    host_bundle bundle = {.image = step->image, .kernel = step->kernel, .target = step->target};
    bundle.outcome =
        gen_predict_bundle(&g->state, step->image, step->kernel, step->target, &bundle.images);
    bundle.exists = bundle.outcome.value_count > 0;
    if (bundle.outcome.is_unknown || (!bundle.exists && step->target.setting != 0)) return false;
    step->outcome = bundle.outcome;
    gen_bundle_create(&g->state, step->image, step->target);
    g->bundles[step->bundle] = bundle;
    return true;
}

/* The roles of loaded modules, as bits 1u << role. */
static uint32_t loaded_roles(const host_generator *g)
{
    uint32_t loaded = gen_loaded(&g->state), roles = 0;
    for (uint32_t m = 1; m < g->program.module_count; m++)
        if (loaded & 1u << m) roles |= 1u << g->roles[m];
    return roles;
}

/* Forgets what ends with the unloading of a module or, if `all`, with the process. */
static void forget_programs(host_generator *g, bool all)
{
    gen_shapes_unload(&g->shapes, all ? 0 : loaded_roles(g));
    uint32_t images = gen_loaded_images(&g->state);
    for (uint32_t i = 0; i < BUNDLES_MAX; i++)
        if (all || (g->bundles[i].images & ~images)) g->bundles[i].exists = false;
}

static bool take_launch(host_generator *g, host_step *step)
{
    if (step->bundle > 0) return take_launch_of_bundle(g, step);
    const gen_image *launched = &g->program.images[step->image];
    if (!(gen_loaded(&g->state) & 1u << launched->module) ||
        !(launched->kernels & 1u << step->kernel))
        return false;
    step->outcome = gen_predict(&g->state, step->image, step->kernel, step->target);
    if (step->outcome.is_unknown) return false;
    step->names_module |= kernel_is_ambiguous(g, step->image, step->kernel);
    gen_launch(&g->state, step->image, step->kernel, step->target);
    step->process = g->process_count;
    step->generation =
        g->state.built[step->image][step->target.device][step->target.setting].generation;
    return true;
}

/* Takes a step in the model's state and completes it. Returns false, and changes nothing, if the
 * step is impossible or the documents do not decide its outcome. */
static bool take_step(host_generator *g, host_step *step)
{
    gen_state *state = &g->state;
    uint32_t device = step->target.device;
    switch (step->verb) {
    case GEN_LOAD: gen_open(state, step->module); return true;
    case GEN_UNLOAD:
        if (state->open_count[step->module] == 0) return false;
        gen_close(state, step->module);
        forget_programs(g, false);
        return true;
    case GEN_RESTART:
        *state = gen_state_start(&g->program);
        forget_programs(g, true);
        g->process_count++;
        return true;
    case GEN_COPY_IN:
        if (!has_variable(g, step->module)) return false;
        state->variables[step->module][device] = step->content;
        state->variable_unknown[step->module][device] = false;
        return true;
    case GEN_COPY_OUT:
        if (!has_variable(g, step->module) || state->variable_unknown[step->module][device])
            return false;
        step->content = state->variables[step->module][device];
        return true;
    case GEN_LAUNCH: return take_launch(g, step);
    case GEN_BUNDLE: return take_bundle(g, step);
    case GEN_SHAPE:
        return gen_shapes_take(&g->shapes, loaded_roles(g), g->program.without_fp64, &step->call);
    default: CHECK(step->verb >= GEN_WORK && step->verb <= GEN_READ); return true;
    }
}

/* Draws one of the kernels in loaded modules; returns false if there is none. */
static bool draw_kernel(host_generator *g, host_step *step)
{
    uint32_t loaded = gen_loaded(&g->state), count = 0;
    for (uint32_t i = 0; i < g->program.image_count; i++) {
        const gen_image *image = &g->program.images[i];
        for (uint32_t k = 0; k < GEN_KERNELS; k++) {
            if (!(loaded & 1u << image->module) || !(image->kernels & 1u << k)) continue;
            if (below(g, ++count) > 0) continue;
            step->image = i;
            step->kernel = k;
        }
    }
    return count > 0;
}

static bool is_launchable(const host_generator *g, const host_step *step)
{
    return step->verb == GEN_LAUNCH &&
           (gen_loaded(&g->state) & 1u << g->program.images[step->image].module);
}

/* Chooses one of the modules with a variable that can be copied; returns false if there is none. */
static bool draw_variable(host_generator *g, host_step *step)
{
    uint32_t count = 0;
    for (uint32_t m = 0; m < g->program.module_count; m++)
        if (has_variable(g, m) && below(g, ++count) == 0) step->module = m;
    return count > 0;
}

/* Chooses the kernel of an earlier launch, whose program may be stale by now, and mostly its device
 * and constants too, if its module is loaded. */
static void repeat_launch(host_generator *g, host_step *step)
{
    const host_step *earlier = &g->steps[below(g, g->step_count)];
    bool is_alike = chance(g, 60);
    if (!is_launchable(g, earlier)) return;
    step->image = earlier->image;
    step->kernel = earlier->kernel;
    if (!is_alike) return;
    step->names_module = earlier->names_module;
    step->target = earlier->target;
}

static gen_weight draw_verb(host_generator *g)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < GEN_STEPS; i++)
        sum += g->weights.of[i];
    CHECK(sum > 0);
    uint32_t drawn = below(g, sum), verb = 0;
    for (; drawn >= g->weights.of[verb]; verb++)
        drawn -= g->weights.of[verb];
    CHECK(verb < GEN_STEPS);
    return (gen_weight)verb;
}

/* True if a launch is kept that is refused, or may be. */
static bool is_kept(host_generator *g, const host_step *step)
{
    return gen_predict(&g->state, step->image, step->kernel, step->target).value_count > 0 ||
           chance(g, g->weights.of[GEN_REFUSED]);
}

/* Returns false if the launch is not kept. */
static bool draw_launch(host_generator *g, host_step *step)
{
    if (!draw_kernel(g, step)) return false;
    step->names_module = chance(g, 30);
    if (chance(g, g->weights.of[GEN_SET_CONSTANTS])) step->target.setting = below(g, GEN_SETTINGS);
    if (g->step_count > 0) repeat_launch(g, step);
    /* Nothing but the read orders launches that change a variable. */
    step->is_late = chance(g, g->weights.of[GEN_LATE]) &&
                    !gen_increments(&g->program, step->image, step->kernel);
    return is_kept(g, step);
}

static void step_add(host_generator *g, host_step step)
{
    if (g->step_count < STEPS_DRAWN && take_step(g, &step)) g->steps[g->step_count++] = step;
}

/* Launches a kernel on the devices with the settings, in random order. */
static void draw_sweep(host_generator *g)
{
    host_step step = {.verb = GEN_LAUNCH};
    if (!draw_kernel(g, &step)) return;
    if (g->step_count > 0) repeat_launch(g, &step);
    uint32_t devices = g->two_devices ? GEN_DEVICES : 1;
    uint32_t settings = g->weights.of[GEN_SET_CONSTANTS] > 0 ? GEN_SETTINGS : 1;
    uint32_t count = devices * settings, first = below(g, count), taken = 0;
    for (uint32_t i = 0; i < count && taken < SWEEP_MAX; i++) {
        uint32_t target = (first + i) % count;
        step.target = (gen_target){target % devices, target / devices};
        if (!is_kept(g, &step)) continue;
        uint32_t before = g->step_count;
        step_add(g, step);
        taken += g->step_count - before;
    }
}

/* The module that takes the place of an unloaded one: itself, one with the same names, or none (0).
 */
static uint32_t draw_replacement(host_generator *g, uint32_t module)
{
    uint32_t kind = below(g, 3);
    if (kind < 2) return kind == 0 ? module : 0;
    for (uint32_t m = 1; m < g->program.module_count; m++)
        if (m != module && g->families[m] == g->families[module]) return m;
    return module;
}

/* Unloads a module that was opened, or restarts and opens all modules again, with a replacement or
 * without one. */
static void replace_module(host_generator *g)
{
    uint32_t open_count[GEN_MODULES_MAX], candidates = 0, module = 0;
    for (uint32_t m = 1; m < g->program.module_count; m++) {
        open_count[m] = g->state.open_count[m];
        if (open_count[m] > 0 && below(g, ++candidates) == 0) module = m;
    }
    if (module == 0) return;
    uint32_t replacement = draw_replacement(g, module);
    bool restarts = g->weights.of[GEN_RESTART] > 0 && chance(g, 40);
    if (restarts) step_add(g, (host_step){.verb = GEN_RESTART});
    for (uint32_t m = 1; m < g->program.module_count; m++)
        if (restarts && m != module && open_count[m] > 0)
            step_add(g, (host_step){.verb = GEN_LOAD, .module = m});
    for (uint32_t i = 0; i < open_count[module] && !restarts; i++)
        step_add(g, (host_step){.verb = GEN_UNLOAD, .module = module});
    if (replacement > 0) step_add(g, (host_step){.verb = GEN_LOAD, .module = replacement});
}

static void draw_replace(host_generator *g)
{
    uint32_t before = g->step_count;
    replace_module(g);
    if (g->step_count == before) return;
    for (uint32_t i = before, repeated = 0; i > 0 && repeated < REPEATED_MAX; i--) {
        host_step again = g->steps[i - 1];
        /* A launch that was possible before and must be refused now is worth more than others. */
        bool is_launch = is_launchable(g, &again) && (is_kept(g, &again) || chance(g, 40));
        if (!is_launch && again.verb != GEN_COPY_OUT) continue;
        again.is_late = false;
        step_add(g, again);
        repeated++;
    }
}

/* What was refused is tried again after a library has been loaded or unloaded. */
static void draw_retry(host_generator *g)
{
    host_step again = g->steps[g->step_count - 1];
    uint32_t module = 1 + below(g, g->program.module_count - 1);
    bool is_open = g->state.open_count[module] > 0;
    step_add(g, (host_step){.verb = is_open ? GEN_UNLOAD : GEN_LOAD, .module = module});
    again.is_late = false;
    if (is_launchable(g, &again)) step_add(g, again);
}

/* Creates a bundle, or launches from an earlier one. */
static void draw_bundle(host_generator *g)
{
    host_step step = {.verb = GEN_BUNDLE};
    if (g->bundle_count > 0 && chance(g, 60)) {
        step = (host_step){.verb = GEN_LAUNCH, .bundle = 1 + below(g, g->bundle_count)};
    } else {
        if (g->bundle_count + 1 == BUNDLES_MAX || !draw_kernel(g, &step)) return;
        if (g->step_count > 0) repeat_launch(g, &step);
        if (chance(g, g->weights.of[GEN_SET_CONSTANTS]))
            step.target.setting = below(g, GEN_SETTINGS);
        step.bundle = ++g->bundle_count;
    }
    step_add(g, step);
}

static void draw_step(host_generator *g)
{
    host_step step = {.verb = draw_verb(g), .module = 1 + below(g, g->program.module_count - 1)};
    /* Few launches can be linked before libraries are loaded. */
    if (g->step_count < 2 && g->weights.of[GEN_LOAD] > 0 && chance(g, 70)) step.verb = GEN_LOAD;
    if (g->two_devices) step.target.device = below(g, GEN_DEVICES);
    switch (step.verb) {
    case GEN_SWEEP: draw_sweep(g); return;
    case GEN_REPLACE: draw_replace(g); return;
    case GEN_BUNDLE: draw_bundle(g); return;
    case GEN_SHAPE:
        step.call = (gen_shape_call){.class = GEN_ROLE_BASE + (gen_role)below(g, GEN_ROLES - 1),
                                     .is_precise = chance(g, 40),
                                     .device = step.target.device};
        break;
    case GEN_LAUNCH:
        if (!draw_launch(g, &step)) return;
        break;
    case GEN_COPY_IN:
    case GEN_COPY_OUT:
        if (!draw_variable(g, &step)) return;
        step.content = (int32_t)(100 * (g->step_count + 1));
        if (g->two_devices && chance(g, 50)) {
            step_add(g, step);
            step.target.device ^= 1;
            step.content++;
        }
        break;
    case GEN_WORK: step.work = gen_work_draw(&g->random, WORK_ONE, g->two_devices); break;
    case GEN_FAN: step.work = gen_work_draw(&g->random, WORK_FAN, g->two_devices); break;
    case GEN_GATHER: step.work = gen_work_draw(&g->random, WORK_GATHER, g->two_devices); break;
    case GEN_FUSION: step.work = gen_work_draw(&g->random, WORK_FUSED, g->two_devices); break;
    case GEN_READ: step.work = gen_work_draw(&g->random, WORK_READ, g->two_devices); break;
    default: break;
    }
    uint32_t before = g->step_count;
    step_add(g, step);
    if (g->step_count > before && step.verb == GEN_LAUNCH &&
        g->steps[before].outcome.may_be_refused && chance(g, 50))
        draw_retry(g);
}

/* True if a step submits something, without which there is nothing to expect. */
static bool has_work(const host_generator *g)
{
    for (uint32_t i = 0; i < g->step_count; i++)
        if (g->steps[i].verb >= GEN_WORK && g->steps[i].verb <= GEN_READ) return true;
    return false;
}

static bool has_command(const host_generator *g)
{
    for (uint32_t i = 0; i < g->step_count; i++)
        if (g->steps[i].verb == GEN_LAUNCH || g->steps[i].verb == GEN_SHAPE) return true;
    return has_work(g);
}

static void draw_steps(host_generator *g)
{
    uint32_t wanted = STEPS_LEAST + below(g, STEPS_MORE + 1);
    CHECK(wanted <= STEPS_WANTED);
    g->state = gen_state_start(&g->program);
    g->step_count = g->bundle_count = 0;
    forget_programs(g, true);
    for (uint32_t attempt = 0; attempt < 4 * STEPS_WANTED && g->step_count < wanted; attempt++)
        draw_step(g);
}

/* Appends the launches so far, once in this process, and once in a new one in which the same
 * modules are open. The documents let a program that exists serve again, so the model decides which
 * results each may have. */
static void repeat_in_a_fresh_process(host_generator *g)
{
    uint32_t drawn_count = g->step_count;
    uint32_t open_count[GEN_MODULES_MAX];
    for (uint32_t m = 0; m < GEN_MODULES_MAX; m++)
        open_count[m] = m == 0 ? 0 : g->state.open_count[m];
    for (int time = 0; time < 2; time++) {
        for (uint32_t i = 0; i < drawn_count && g->step_count < STEPS_MAX; i++) {
            host_step again = g->steps[i];
            if (again.verb == GEN_LAUNCH && take_step(g, &again)) g->steps[g->step_count++] = again;
        }
        host_step restart = {.verb = GEN_RESTART};
        for (uint32_t m = 1; time == 0 && m < GEN_MODULES_MAX; m++) {
            if (restart.verb == GEN_RESTART && g->step_count < STEPS_MAX) {
                take_step(g, &restart);
                g->steps[g->step_count++] = restart;
                restart.verb = GEN_STEPS;
            }
            host_step load = {.verb = GEN_LOAD, .module = m};
            for (uint32_t n = 0; n < open_count[m] && g->step_count < STEPS_MAX; n++) {
                take_step(g, &load);
                g->steps[g->step_count++] = load;
            }
        }
    }
}

/* ---- Omitting ----------------------------------------------------------------------------- */

/* Counts a thing that can be omitted; true if the request omits it. */
static bool is_omitted(host_generator *g)
{
    uint32_t number = ++g->unit_count;
    for (uint32_t i = 0; i < g->request->without_count; i++)
        if (g->request->without[i] == number) return true;
    return false;
}

/* Of a set of things, the bits of those that the request keeps. */
static uint32_t keep(host_generator *g, uint32_t bits)
{
    uint32_t kept = bits;
    for (uint32_t bit = 0; bit < 32; bit++)
        if ((bits & 1u << bit) && is_omitted(g)) kept &= ~(1u << bit);
    return kept;
}

static void omit_commands(host_generator *g, work_step *work)
{
    uint32_t kept_count = 0;
    for (uint32_t i = 0; i < work->command_count; i++)
        if (work->command_count == 1 || !is_omitted(g))
            work->commands[kept_count++] = work->commands[i];
    work->command_count = kept_count;
}

static void omit(host_generator *g)
{
    gen_program *program = &g->program;
    host_step drawn[STEPS_DRAWN];
    uint32_t drawn_count = 0, drawn_before = g->step_count;
    bool is_step_omitted[STEPS_DRAWN];
    for (uint32_t i = 0; i < drawn_before; i++)
        is_step_omitted[i] = is_omitted(g);
    for (uint32_t i = 0; i < drawn_before; i++) {
        omit_commands(g, &g->steps[i].work);
        if (g->steps[i].verb == GEN_LAUNCH) {
            if (g->steps[i].is_late) g->steps[i].is_late = !is_omitted(g);
            g->steps[i].is_unread = is_omitted(g);
            g->steps[i].shares_memory = is_omitted(g) && !g->steps[i].is_late;
        }
        if (!is_step_omitted[i]) drawn[drawn_count++] = g->steps[i];
    }
    g->read_memories = keep(g, (1u << WORK_MEMORIES) - 1);
    if (g->has_persistent_cache) g->has_persistent_cache = !is_omitted(g);
    program->without_fp64 = keep(g, program->without_fp64);
    for (uint32_t m = 0; m < program->module_count; m++)
        program->modules[m].needs = keep(g, program->modules[m].needs);
    for (uint32_t i = 0; i < program->image_count; i++) {
        gen_image *image = &program->images[i];
        uint32_t constants = keep(g, gen_constants(image));
        for (uint32_t f = 0; f < GEN_FUNCTIONS; f++)
            image->function_bodies[f].constants &= constants;
        for (uint32_t k = 0; k < GEN_KERNELS; k++)
            image->kernel_bodies[k].constants &= constants;
        for (uint32_t f = 0; f < GEN_FUNCTIONS; f++)
            image->function_bodies[f].callees = keep(g, image->function_bodies[f].callees);
        for (uint32_t k = 0; k < GEN_KERNELS; k++)
            image->kernel_bodies[k].callees = keep(g, image->kernel_bodies[k].callees);
        image->functions = keep(g, image->functions);
        image->kernels = keep(g, image->kernels);
        image->increment = keep(g, image->increment) & image->kernels;
        if (image->needs_fp64) image->needs_fp64 = !is_omitted(g);
    }
    /* A function whose definition is omitted calls nothing. */
    for (uint32_t i = 0; i < program->image_count; i++) {
        gen_image *image = &program->images[i];
        for (uint32_t f = 0; f < GEN_FUNCTIONS; f++)
            if (!(image->functions & 1u << f)) image->function_bodies[f] = (gen_body){0};
        for (uint32_t k = 0; k < GEN_KERNELS; k++)
            if (!(image->kernels & 1u << k)) image->kernel_bodies[k] = (gen_body){0};
    }
    for (uint32_t m = 0; m < program->module_count; m++)
        gen_pool_separate(program, m);
    g->state = gen_state_start(program);
    g->step_count = 0;
    forget_programs(g, true);
    for (uint32_t i = 0; i < drawn_count; i++)
        if (take_step(g, &drawn[i])) g->steps[g->step_count++] = drawn[i];
}

/* ---- Writing ------------------------------------------------------------------------------ */

static const char *prefix(const host_generator *g)
{
    return g->request->variation == GEN_RENAMED ? "renamed_" : "";
}

static void write_sum(const host_generator *g, rt_buffer *out, const gen_image *image,
                      const gen_body *body)
{
    rt_buffer_printf(out, "%" PRIu64 "ul", body->number);
    /* The only work-item has the id 0, so this adds nothing. */
    if (image->needs_fp64) rt_buffer_printf(out, " + (ulong)(0.5 * (double)get_global_id(0))");
    for (uint32_t c = 0; c < GEN_CONSTANTS; c++)
        if (body->constants & 1u << c) rt_buffer_printf(out, " + c%u", c);
    for (uint32_t f = 0; f < GEN_FUNCTIONS; f++)
        if (body->callees & 1u << f)
            rt_buffer_printf(out, " + %s%s()", prefix(g), function_names[f]);
}

/* An image of which everything is omitted does not exist. */
static bool is_image_of(const gen_image *image, uint32_t module)
{
    return image->module == module && (image->functions != 0 || image->kernels != 0);
}

/* What the definitions of one or several images refer to. */
static void write_declarations(const host_generator *g, rt_buffer *out, uint32_t called,
                               uint32_t constants)
{
    for (uint32_t c = 0; c < GEN_CONSTANTS; c++)
        if (constants & 1u << c)
            rt_buffer_printf(out, "          SPEC_CONSTANT(ulong, c%u, %" PRIu64 ")\n", c,
                             gen_settings[0].values[c]);
    for (uint32_t f = 0; f < GEN_FUNCTIONS; f++)
        if (called & 1u << f)
            rt_buffer_printf(out, "          ulong %s%s(void);\n", prefix(g), function_names[f]);
}

/* Functions, kernels and what they use. */
static void write_definitions(const host_generator *g, rt_buffer *out, const gen_image *image)
{
    if (image->increment != 0)
        rt_buffer_printf(out, "          DEVICE_GLOBAL(int, v%u%s)\n", image->variable,
                         image->has_image_scope ? ", device_image_scope" : "");
    for (uint32_t f = 0; f < GEN_FUNCTIONS; f++) {
        if (!(image->functions & 1u << f)) continue;
        rt_buffer_printf(out, "          ulong %s%s(void) { return ", prefix(g), function_names[f]);
        write_sum(g, out, image, &image->function_bodies[f]);
        rt_buffer_printf(out, "; }\n");
    }
    for (uint32_t k = 0; k < GEN_KERNELS; k++) {
        if (!(image->kernels & 1u << k)) continue;
        rt_buffer_printf(out,
                         "          kernel void %s%s(global ulong *out) { out[0] = ", prefix(g),
                         kernel_names[k]);
        write_sum(g, out, image, &image->kernel_bodies[k]);
        if (image->increment & 1u << k)
            rt_buffer_printf(out, "; DG(v%u) += 1; out[1] = DG(v%u)", image->variable,
                             image->variable);
        rt_buffer_printf(out, "; }\n");
    }
}

/* One source for each image or, if `is_joined`, one for all of them. */
static void write_sources(const host_generator *g, rt_buffer *out, uint32_t module, bool is_joined)
{
    uint32_t called = 0, constants = 0;
    for (uint32_t i = 0; i < g->program.image_count; i++) {
        if (!is_image_of(&g->program.images[i], module)) continue;
        called |= gen_callees(&g->program.images[i]);
        constants |= gen_constants(&g->program.images[i]);
    }
    static const char head[] = "      - language: opencl-c\n        code: |\n";
    if (is_joined) {
        rt_buffer_printf(out, head);
        write_declarations(g, out, called, constants);
    }
    for (uint32_t i = 0; i < g->program.image_count; i++) {
        const gen_image *image = &g->program.images[i];
        if (!is_image_of(image, module)) continue;
        if (!is_joined) {
            rt_buffer_printf(out, head);
            write_declarations(g, out, gen_callees(image), gen_constants(image));
        }
        write_definitions(g, out, image);
    }
}

static void write_needs(rt_buffer *out, const gen_program *program, uint32_t module, bool has_work)
{
    const char *before = "    needs: [";
    for (uint32_t m = 0; m < program->module_count; m++) {
        if (!(program->modules[module].needs & 1u << m)) continue;
        rt_buffer_printf(out, "%s%s", before, module_names[m]);
        before = ", ";
    }
    if (module == 0 && has_work) rt_buffer_printf(out, "%s" GEN_WORK_MODULE, before);
    if (program->modules[module].needs || (module == 0 && has_work)) rt_buffer_printf(out, "]\n");
}

/* True if the module consists of images with a kernel each, which is also what splitting one source
 * per kernel makes. */
static bool is_separate(const gen_program *program, uint32_t module)
{
    for (uint32_t i = 0; i < program->image_count; i++) {
        const gen_image *image = &program->images[i];
        bool has_one = image->functions == 0 && (image->kernels & (image->kernels - 1)) == 0;
        if (is_image_of(image, module) && !has_one) return false;
    }
    return true;
}

static void write_module(const host_generator *g, rt_buffer *out, uint32_t module)
{
    const gen_program *program = &g->program;
    bool needs_work = module == 0 && has_work(g);
    uint32_t image_count = 0;
    rt_buffer_printf(out, "  %s:\n", module_names[module]);
    write_needs(out, program, module, needs_work);
    for (uint32_t i = 0; i < program->image_count; i++)
        image_count += is_image_of(&program->images[i], module);
    if (g->roles[module] != GEN_ROLE_LINKING) gen_shapes_write_module(g->roles[module], out);
    if (image_count == 0 && program->modules[module].needs == 0 && !needs_work &&
        g->roles[module] == GEN_ROLE_LINKING)
        rt_buffer_printf(out, "    host_symbols: []\n");
    if (image_count == 0) return;
    bool is_varied = g->request->variation == GEN_SPLIT;
    bool is_joined = is_varied && is_separate(program, module);
    const char *split = is_joined                      ? "    split: per_kernel\n"
                        : image_count > 1 || is_varied ? "    split: per_source\n"
                                                       : "";
    rt_buffer_printf(out, "%s    sources:\n", split);
    write_sources(g, out, module, is_joined);
}

/* True if another launch chooses among the same programs and also shows which one it was; outcomes
 * of both then have names. */
static bool is_correlated(const host_generator *g, const host_step *step)
{
    if (!step->outcome.tells_programs_apart || step->outcome.may_be_refused) return false;
    for (uint32_t i = 0; i < g->step_count; i++) {
        const host_step *other = &g->steps[i];
        if (other != step && other->verb == GEN_LAUNCH && !other->is_unread &&
            other->image == step->image && other->process == step->process &&
            other->target.device == step->target.device &&
            other->target.setting == step->target.setting &&
            other->generation == step->generation && other->outcome.value_count > 1 &&
            other->outcome.tells_programs_apart && !other->outcome.may_be_refused)
            return true;
    }
    return false;
}

static void write_constants(rt_buffer *out, uint32_t setting)
{
    const char *before = ", spec_constants: {";
    for (uint32_t c = 0; c < GEN_CONSTANTS; c++) {
        if (!(gen_settings[setting].set & 1u << c)) continue;
        rt_buffer_printf(out, "%sc%u: {ulong: %" PRIu64 "}", before, c,
                         gen_settings[setting].values[c]);
        before = ", ";
    }
    if (gen_settings[setting].set) rt_buffer_printf(out, "}");
}

static const char *device_key(const host_step *step)
{
    return step->target.device == 1 ? ", device: second" : "";
}

static bool is_certain(const gen_outcome *outcome)
{
    return outcome->value_count == 1 && !outcome->may_be_refused;
}

/* Writes the name of the memory into which the launch with a number stores its result. Kernels that
 * do not increment a variable leave its place alone, so they share another memory. */
static void write_output(const host_generator *g, const host_step *step, uint32_t number,
                         rt_buffer *out)
{
    if (!step->shares_memory)
        rt_buffer_printf(out, "out%u", number);
    else
        rt_buffer_printf(out,
                         gen_increments(&g->program, step->image, step->kernel) ? "sums" : "out");
}

static void write_equals(const gen_outcome *outcome, uint32_t value, rt_buffer *out)
{
    rt_buffer_printf(out, ", equals: [%" PRIu64 ", %d]}\n", outcome->values[value], outcome->sum);
}

static void write_launch(const host_generator *g, const host_step *step, uint32_t number,
                         rt_buffer *out)
{
    const gen_outcome *outcome = &step->outcome;
    rt_buffer_printf(out, "  - submit: {kernel: %s%s, ", prefix(g), kernel_names[step->kernel]);
    if (step->names_module)
        rt_buffer_printf(out, "module: %s, ", module_names[g->program.images[step->image].module]);
    rt_buffer_printf(out, "range: [1], args: [");
    write_output(g, step, number, out);
    rt_buffer_printf(out, "]%s", device_key(step));
    if (step->bundle > 0)
        rt_buffer_printf(out, ", bundle: bundle%u", step->bundle);
    else
        write_constants(out, step->target.setting);
    rt_buffer_printf(out, "}\n");
    if (is_certain(outcome) || (step->is_unread && !outcome->may_be_refused)) return;
    if (outcome->value_count == 0) {
        rt_buffer_printf(out, "    expect: {error: {documents: exception}}\n");
        return;
    }
    rt_buffer_printf(out, "    expect:\n      one_of:\n");
    for (uint32_t i = 0; i < outcome->value_count; i++) {
        rt_buffer_printf(out, "        - {error: none, ");
        if (is_correlated(g, step))
            rt_buffer_printf(out, "name: image%u_%u_%u_%u_%u_%u, ", step->image, step->process,
                             step->target.device, step->target.setting, step->generation, i);
        rt_buffer_printf(out, "memory: ");
        write_output(g, step, number, out);
        write_equals(outcome, i, out);
    }
    if (outcome->may_be_refused)
        rt_buffer_printf(out, "        - {error: {documents: exception}}\n");
}

/* Specialisation constants are set in an input bundle, which is then built. */
static void write_bundle(const host_generator *g, const host_step *step, rt_buffer *out)
{
    bool has_input = step->target.setting != 0;
    rt_buffer_printf(out, "  - bundle: {id: %s%u, get: %s, kernels: [%s%s]%s",
                     has_input ? "input" : "bundle", step->bundle,
                     has_input ? "input" : "executable", prefix(g), kernel_names[step->kernel],
                     device_key(step));
    write_constants(out, step->target.setting);
    rt_buffer_printf(out, "}\n");
    if (has_input)
        rt_buffer_printf(out, "  - bundle: {id: bundle%u, build: input%u}\n", step->bundle,
                         step->bundle);
    if (step->outcome.value_count == 0)
        rt_buffer_printf(out, "    expect: {error: {documents: exception}}\n");
}

static void write_result(const host_generator *g, uint32_t number, rt_buffer *out)
{
    const host_step *step = &g->steps[number];
    if (step->verb != GEN_LAUNCH || !is_certain(&step->outcome) || step->is_unread) return;
    rt_buffer_printf(out, "  - expect: {memory: ");
    write_output(g, step, number, out);
    write_equals(&step->outcome, 0, out);
}

static work_form form_of(const host_generator *g)
{
    return (work_form){.in_order = g->request->variation == GEN_IN_ORDER,
                       .not_fused = g->request->variation == GEN_NOT_FUSED,
                       .two_devices = g->two_devices};
}

static work_use use_of(const host_generator *g)
{
    work_use use = {0};
    for (uint32_t i = 0; i < g->step_count; i++)
        if (g->steps[i].verb >= GEN_WORK && g->steps[i].verb <= GEN_READ)
            gen_work_use(&g->steps[i].work, form_of(g), &use);
    return use;
}

/* Each step has the memories that it uses to itself, under its number, unless a reduction lets
 * launches share one. */
static void write_memories(const host_generator *g, rt_buffer *out)
{
    bool is_written[] = {false, false};
    for (uint32_t i = 0; i < g->step_count; i++) {
        const host_step *step = &g->steps[i];
        if (step->verb == GEN_LAUNCH) {
            bool *shared = &is_written[gen_increments(&g->program, step->image, step->kernel)];
            if (step->shares_memory && *shared) continue;
            *shared |= step->shares_memory;
            rt_buffer_printf(out, "  ");
            write_output(g, step, i, out);
            rt_buffer_printf(out, ": {type: ulong, values: [0, 0]}\n");
        }
        if (step->verb == GEN_SHAPE) gen_shapes_write_memories(i, out);
        if (step->verb == GEN_COPY_IN)
            rt_buffer_printf(out, "  in%u: {type: int, values: [%d]}\n", i, step->content);
        if (step->verb == GEN_COPY_OUT)
            rt_buffer_printf(out, "  out%u: {type: int, values: [-1]}\n", i);
    }
    work_use use = use_of(g);
    gen_work_write_memories(&use, out);
}

/* The number in the name of the module's variable. */
static uint32_t variable_of(const host_generator *g, uint32_t module)
{
    for (uint32_t i = 0; i < g->program.image_count; i++)
        if (g->program.images[i].module == module) return g->program.images[i].variable;
    CHECK(false);
    return 0;
}

static void write_copy(const host_generator *g, const host_step *step, uint32_t number,
                       rt_buffer *out)
{
    uint32_t variable = variable_of(g, step->module);
    /* Queues are out of order, and a variable makes no dependency. */
    if (step->verb == GEN_COPY_IN)
        rt_buffer_printf(out, "  - copy: {from: in%u, to: v%u%s}\n  - wait\n", number, variable,
                         device_key(step));
    else
        rt_buffer_printf(out,
                         "  - copy: {from: v%u, to: out%u%s}\n"
                         "  - expect: {memory: out%u, equals: [%d]}\n",
                         variable, number, device_key(step), number, step->content);
}

#define OTHER_MODULE "libother"

/* What each process begins with. */
static void write_process(const host_generator *g, work_state *work, rt_buffer *out)
{
    if (g->request->variation == GEN_UNRELATED)
        rt_buffer_printf(out, "  - load: " OTHER_MODULE "\n");
    gen_work_start(work);
    work_use use = use_of(g);
    gen_work_write_queues(&use, form_of(g), out);
}

/* Results that are read late are read before the process ends. */
static void write_late_results(const host_generator *g, uint32_t end, uint32_t *inout_next,
                               rt_buffer *out)
{
    for (; *inout_next < end; ++*inout_next)
        if (g->steps[*inout_next].is_late) write_result(g, *inout_next, out);
}

static void write_step(const host_generator *g, uint32_t number, work_state *work, rt_buffer *out)
{
    const host_step *step = &g->steps[number];
    const char *module = module_names[step->module];
    switch (step->verb) {
    case GEN_LOAD: rt_buffer_printf(out, "  - load: %s\n", module); break;
    case GEN_UNLOAD: rt_buffer_printf(out, "  - unload: %s\n", module); break;
    case GEN_RESTART:
        rt_buffer_printf(out, "  - restart\n");
        write_process(g, work, out);
        break;
    case GEN_LAUNCH:
        write_launch(g, step, number, out);
        if (!step->is_late) write_result(g, number, out);
        break;
    case GEN_BUNDLE: write_bundle(g, step, out); break;
    case GEN_SHAPE:
        gen_shapes_write_call(&step->call, g->program.without_fp64 & 1u << step->call.device,
                              device_key(step), number, out);
        break;
    case GEN_COPY_IN:
    case GEN_COPY_OUT: write_copy(g, step, number, out); break;
    default: gen_work_write_step(work, &step->work, form_of(g), out); break;
    }
}

static void write_all_steps(const host_generator *g, work_state *work, rt_buffer *out)
{
    uint32_t next = 0; /* the first step whose late result is still to be read */
    write_process(g, work, out);
    for (uint32_t i = 0; i < g->step_count; i++) {
        bool ends = g->steps[i].verb == GEN_RESTART;
        if (ends) gen_work_write_contents(work, work->touched & g->read_memories, out);
        write_late_results(g, ends ? i : i < LATE_STEPS ? 0 : i - LATE_STEPS, &next, out);
        write_step(g, i, work, out);
    }
    write_late_results(g, g->step_count, &next, out);
    gen_work_write_contents(work, work->touched & g->read_memories, out);
}

/* Writes the steps twice: only commands that others wait for get an id. */
static void write_steps(const host_generator *g, rt_buffer *out)
{
    work_state *first = rt_alloc(sizeof *first), *second = rt_alloc(sizeof *second);
    rt_buffer scratch = {0};
    write_all_steps(g, first, &scratch);
    second->named = first->is_awaited;
    write_all_steps(g, second, out);
    rt_buffer_free(&scratch);
    rt_free(first);
    rt_free(second);
}

/* The modules that a step loads or launches from, and what they need. */
static uint32_t used_modules(const host_generator *g)
{
    uint32_t used = 1;
    for (uint32_t i = 0; i < g->step_count; i++)
        if (g->steps[i].verb == GEN_LOAD) used |= 1u << g->steps[i].module;
    for (uint32_t m = 0; m < g->program.module_count; m++)
        if (used & 1u << m) used |= g->program.modules[m].needs;
    return used;
}

static bool uses_second_device(const host_generator *g)
{
    work_use use = use_of(g);
    bool is_used = use.queues & 1u << WORK_SECOND;
    for (uint32_t i = 0; i < g->step_count; i++)
        is_used = is_used || (g->steps[i].verb < GEN_WORK && g->steps[i].target.device == 1);
    return is_used;
}

/* A device states whether it has fp64 only if code needs it. */
static void write_devices(const host_generator *g, rt_buffer *out)
{
    static const char *const names[GEN_DEVICES] = {"first", "second"};
    uint32_t count = uses_second_device(g) ? GEN_DEVICES : 1, used = used_modules(g);
    bool needs_fp64 = false;
    for (uint32_t i = 0; i < g->program.image_count; i++) {
        const gen_image *image = &g->program.images[i];
        needs_fp64 |= image->needs_fp64 && (used & 1u << image->module) != 0;
    }
    for (uint32_t m = 1; m < g->program.module_count; m++)
        needs_fp64 |= g->roles[m] != GEN_ROLE_LINKING && (used & 1u << m) != 0;
    if (count == 1 && !needs_fp64) return;
    rt_buffer_printf(out, "devices:\n");
    for (uint32_t d = 0; d < count; d++) {
        const char *answer = g->program.without_fp64 & 1u << d ? "false" : "true";
        if (needs_fp64)
            rt_buffer_printf(out, "  %s: {aspects: {fp64: %s}}\n", names[d], answer);
        else
            rt_buffer_printf(out, "  %s: {}\n", names[d]);
    }
}

static void write_head(const host_generator *g, rt_buffer *out)
{
    static const char *const variations[GEN_VARIATIONS] = {
        [GEN_AS_DRAWN] = "",
        [GEN_UNRELATED] = ", with an unrelated library",
        [GEN_RENAMED] = ", renamed",
        [GEN_IN_ORDER] = ", in order",
        [GEN_NOT_FUSED] = ", without fusion",
        [GEN_SPLIT] = ", split in another way",
        [GEN_FRESH] = ", repeated in a fresh process"};
    rt_buffer_printf(
        out,
        "assay: 1\nsummary: >-\n  The generated program of seed %" PRIu64
        "%s, by version %u of the generator. A kernel of a module stores the sum of the numbers of "
        "the definitions that it calls.\n",
        g->request->seed, variations[g->request->variation], VERSION);
    write_devices(g, out);
    if (g->has_persistent_cache) rt_buffer_printf(out, "process: {persistent_cache: true}\n");
}

static void write_modules(const host_generator *g, rt_buffer *out)
{
    uint32_t used = used_modules(g);
    rt_buffer_printf(out, "modules:\n");
    for (uint32_t m = 0; m < g->program.module_count; m++)
        if (used & 1u << m) write_module(g, out, m);
    work_use use = use_of(g);
    if (has_work(g)) gen_work_write_module(&use, out);
    if (g->request->variation == GEN_UNRELATED)
        rt_buffer_printf(
            out, "  " OTHER_MODULE ":\n    sources:\n      - language: opencl-c\n        code: |\n"
                 "          ulong other(void) { return 1; }\n"
                 "          kernel void another(global ulong *out) { out[0] = other(); "
                 "}\n");
}

void gen_host_write(const gen_request *request, rt_buffer *out, uint32_t *out_unit_count)
{
    host_generator g = {.request = request, .random = {request->seed}};
    g.weights = request->weights ? *request->weights : gen_weights_default();
    const gen_weights weights = g.weights;
    do {
        g.weights = gen_weights_vary(&weights, &g.random);
        g.program = (gen_program){0};
        draw_program(&g);
        draw_steps(&g);
    } while (!has_command(&g));
    omit(&g);
    if (request->variation == GEN_FRESH) repeat_in_a_fresh_process(&g);
    write_head(&g, out);
    write_modules(&g, out);
    rt_buffer memories = {0};
    write_memories(&g, &memories);
    if (memories.size > 0)
        rt_buffer_printf(out, "memory:\n%.*s", RT_TEXT_ARG(rt_buffer_text(&memories)));
    rt_buffer steps = {0};
    write_steps(&g, &steps);
    rt_buffer_printf(out, "steps:%s\n%.*s", steps.size > 0 ? "" : " []",
                     RT_TEXT_ARG(rt_buffer_text(&steps)));
    rt_buffer_free(&memories);
    rt_buffer_free(&steps);
    *out_unit_count = g.unit_count;
}
