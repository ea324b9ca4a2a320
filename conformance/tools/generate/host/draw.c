#include "conformance/tools/generate/host/host_internal.h"
#include "conformance/tools/generate/host/pool.h"

#include "reference/base/check.h"

#include <limits.h>

static bool chance(host_generator *g, uint32_t percent)
{
    return gen_random_chance(&g->random, percent);
}

static uint32_t below(host_generator *g, uint32_t limit)
{
    return gen_random_below(&g->random, limit);
}

/* ---- The program -------------------------------------------------------------------------- */

/* Draws a library of the pool that the program does not have yet, of a style unless that is
 * general. Every second one is a sibling of the one before. */
static uint32_t draw_library(host_generator *g, gen_pool_style style, const uint32_t *drawn,
                             uint32_t count)
{
    for (;;) {
        uint32_t number = below(g, GEN_POOL_LIBRARIES);
        if (style != GEN_POOL_GENERAL && gen_pool_style_of(number) != style) continue;
        if (count > 0 && chance(g, 50))
            number = drawn[count - 1] / GEN_POOL_SIBLINGS * GEN_POOL_SIBLINGS +
                     below(g, GEN_POOL_SIBLINGS);
        uint32_t i = 0;
        while (i < count && drawn[i] != number)
            i++;
        if (i == count) return number;
    }
}

/* The number of obstacles to linking all modules into one program: functions that are called but
 * not defined, and functions that are defined more than once. */
static int obstacle_count(const gen_program *program)
{
    uint32_t called = 0, defined = 0, repeated = 0;
    for (uint32_t i = 0; i < program->image_count; i++) {
        const gen_image *image = &program->images[i];
        called |= gen_callees(image);
        repeated |= defined & image->functions;
        defined |= image->functions;
    }
    return __builtin_popcount(called & ~defined) + __builtin_popcount(repeated);
}

/* Draws several libraries as draw_library does, and takes the one that leaves the fewest obstacles.
 * Among modules that are drawn independently, few kernels can be linked with another module. */
static uint32_t draw_provider(host_generator *g, gen_pool_style style, const uint32_t *drawn,
                              uint32_t count)
{
    enum { CANDIDATES = 8 };
    uint32_t best = 0;
    int least = INT_MAX;
    for (int i = 0; i < CANDIDATES; i++) {
        uint32_t number = draw_library(g, style, drawn, count);
        gen_program extended = g->program;
        gen_pool_add(&extended, count + 1, GEN_POOL_EXECUTABLES + number);
        int obstacles = obstacle_count(&extended);
        if (obstacles >= least) continue;
        least = obstacles;
        best = number;
    }
    return best;
}

/* A launch of an executable in PTX could only be refused. */
static gen_format draw_format(host_generator *g, bool is_executable)
{
    if (chance(g, 50)) return GEN_SPIRV_AND_PTX;
    return !is_executable && chance(g, 40) ? GEN_PTX : GEN_SPIRV;
}

static void draw_program(host_generator *g)
{
    gen_program *program = &g->program;
    uint32_t drawn[GEN_MODULES_MAX];
    gen_pool_style style = chance(g, 20)   ? GEN_POOL_NARROW
                           : chance(g, 15) ? GEN_POOL_OVERLAPPING
                                           : GEN_POOL_GENERAL;
    program->module_count = 2 + below(g, GEN_MODULES_MAX - 1);
    if (style == GEN_POOL_OVERLAPPING && program->module_count > 1 + GEN_POOL_SIBLINGS)
        program->module_count = 1 + GEN_POOL_SIBLINGS;
    gen_pool_add(program, 0, below(g, GEN_POOL_EXECUTABLES));
    /* The last modules have classes; at least two are needed. */
    bool has_shapes = program->module_count > 2 && chance(g, g->weights.of[GEN_SHAPES]);
    uint32_t class_count = program->module_count > 3 ? 2 + below(g, 2) : 2;
    uint32_t first_role = program->module_count - class_count;
    g->shapes.parts = (1u << GEN_SHAPE_PARTS) - 1;
    for (uint32_t m = 1; m < program->module_count; m++) {
        g->roles[m] = GEN_ROLE_LINKING;
        if (has_shapes && m >= first_role) {
            g->roles[m] = GEN_ROLE_BASE + (gen_role)(m - first_role);
            g->families[m] = GEN_POOL_LIBRARIES + m;
            continue;
        }
        drawn[m - 1] = chance(g, 70) ? draw_provider(g, style, drawn, m - 1)
                                     : draw_library(g, style, drawn, m - 1);
        g->families[m] = drawn[m - 1] / GEN_POOL_SIBLINGS;
        gen_pool_add(program, m, GEN_POOL_EXECUTABLES + drawn[m - 1]);
    }
    bool has_formats = chance(g, g->weights.of[GEN_FORMATS]);
    for (uint32_t m = 0; m < program->module_count; m++)
        if (has_formats && g->roles[m] == GEN_ROLE_LINKING)
            program->modules[m].format = draw_format(g, m == 0);
    for (uint32_t m = 0; m < program->module_count; m++)
        for (uint32_t needed = m + 1; needed < program->module_count; needed++)
            if (chance(g, g->weights.of[GEN_NEEDS])) program->modules[m].needs |= 1u << needed;
    if (chance(g, g->weights.of[GEN_PRELOAD]))
        program->preloaded = 1u << (1 + below(g, program->module_count - 1));
    g->two_devices = chance(g, g->weights.of[GEN_TWO_DEVICES]);
    g->two_contexts = chance(g, g->weights.of[GEN_TWO_CONTEXTS]);
    for (uint32_t d = 0; d < GEN_DEVICES; d++)
        if (chance(g, g->weights.of[GEN_WITHOUT_FP64])) program->without_fp64 |= 1u << d;
    g->has_persistent_cache = chance(g, g->weights.of[GEN_PERSISTENT]);
}

/* ---- The steps ---------------------------------------------------------------------------- */

/* The places of the program. */
typedef struct place_list {
    uint32_t items[GEN_PLACES], count;
} place_list;

static place_list places_of(const host_generator *g)
{
    place_list places = {.items = {0}, .count = 1};
    if (g->two_devices) places.items[places.count++] = 1;
    if (g->two_contexts) places.items[places.count++] = GEN_OTHER_CONTEXT;
    return places;
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
        if (gen_host_has_variable(g, m) && below(g, ++count) == 0) step->module = m;
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
    if (g->step_count < STEPS_DRAWN && gen_host_take(g, &step)) g->steps[g->step_count++] = step;
}

/* Launches a kernel at all places with the settings, in random order. */
static void draw_sweep(host_generator *g)
{
    host_step step = {.verb = GEN_LAUNCH};
    if (!draw_kernel(g, &step)) return;
    if (g->step_count > 0) repeat_launch(g, &step);
    place_list places = places_of(g);
    uint32_t settings = g->weights.of[GEN_SET_CONSTANTS] > 0 ? GEN_SETTINGS : 1;
    uint32_t count = places.count * settings, first = below(g, count), taken = 0;
    for (uint32_t i = 0; i < count && taken < SWEEP_MAX; i++) {
        uint32_t target = (first + i) % count;
        step.target = (gen_target){places.items[target % places.count], target / places.count};
        if (!is_kept(g, &step)) continue;
        uint32_t before = g->step_count;
        step_add(g, step);
        taken += g->step_count - before;
    }
}

/* What a module defines: bits 1u << function, and 1u << kernel. */
typedef struct definitions {
    uint32_t functions, kernels;
} definitions;

static definitions definitions_of(const gen_program *program, uint32_t module)
{
    definitions all = {0};
    for (uint32_t i = 0; i < program->image_count; i++) {
        const gen_image *image = &program->images[i];
        if (image->module != module) continue;
        all.functions |= image->functions;
        all.kernels |= image->kernels;
    }
    return all;
}

/* The module that takes the place of an unloaded one: itself, none (0), or one that is not loaded
 * and defines some of its functions or has the same names. */
static uint32_t draw_replacement(host_generator *g, uint32_t module)
{
    uint32_t kind = below(g, 4), count = 0;
    uint32_t functions = definitions_of(&g->program, module).functions;
    uint32_t replacement = module;
    if (kind < 2) return kind == 0 ? module : 0;
    for (uint32_t m = 1; m < g->program.module_count; m++) {
        bool is_like = g->families[m] == g->families[module] ||
                       (functions & definitions_of(&g->program, m).functions) != 0;
        if (m != module && is_like && g->state.open_count[m] == 0 && below(g, ++count) == 0)
            replacement = m;
    }
    return replacement;
}

/* Copies to the module's variable, or from it, on each device. */
static void copy_on_all_devices(host_generator *g, gen_weight verb, uint32_t module)
{
    for (uint32_t d = 0; d < (g->two_devices ? GEN_DEVICES : 1); d++) {
        int32_t content = (int32_t)(100 * (g->step_count + 1));
        if (g->weights.of[verb] > 0)
            step_add(g, (host_step){
                            .verb = verb, .module = module, .content = content, .target.place = d});
    }
}

/* The modules other than an image's own from which a program of it has code, as bits 1u << module,
 * over all loaded images: a runtime must drop these programs when such a module is unloaded. */
static uint32_t providers_of_programs(const gen_state *state)
{
    const gen_program *program = state->program;
    uint32_t providers = 0, loaded = gen_loaded_images(state);
    for (uint32_t i = 0; i < program->image_count; i++) {
        if (!(loaded & 1u << i)) continue;
        uint32_t images = 0;
        for (uint32_t p = 0; p < GEN_PLACES; p++)
            for (uint32_t s = 0; s < GEN_SETTINGS; s++)
                for (uint32_t k = 0; k < state->built[i][p][s].set_count; k++)
                    images |= state->built[i][p][s].sets[k];
        for (uint32_t k = 0; k < program->image_count; k++)
            if ((images & 1u << k) && program->images[k].module != program->images[i].module)
                providers |= 1u << program->images[k].module;
    }
    return providers;
}

/* True if the launch is certain to succeed. */
static bool is_certain(const gen_state *state, const host_step *launch)
{
    gen_outcome outcome = gen_predict(state, launch->image, launch->kernel, launch->target);
    return outcome.value_count > 0 && !outcome.may_be_refused && !outcome.is_unknown;
}

/* True if the launch is certain to succeed, with code of another module. */
static bool is_linked(const gen_state *state, const host_step *launch)
{
    if (!is_certain(state, launch)) return false;
    gen_state launched = *state;
    gen_launch(&launched, launch->image, launch->kernel, launch->target);
    return providers_of_programs(&launched) != 0;
}

/* Launches a kernel that is linked with other modules, and opens what it needs. */
static void launch_with_provider(host_generator *g)
{
    enum { ATTEMPTS = 4 };
    place_list places = places_of(g);
    const uint32_t libraries = g->program.module_count - 1, choices = 1u << libraries;
    host_step launch = {.verb = GEN_LAUNCH};
    for (int attempt = 0; attempt < ATTEMPTS && draw_kernel(g, &launch); attempt++) {
        launch.target.place = places.items[below(g, places.count)];
        const uint32_t first = below(g, choices);
        for (uint32_t i = 0; i < choices; i++) {
            const uint32_t opened = ((first + i) % choices) << 1;
            gen_state changed = g->state;
            for (uint32_t m = 1; m <= libraries; m++)
                if ((opened & 1u << m) && changed.open_count[m] == 0) gen_open(&changed, m);
            if (!is_linked(&changed, &launch)) continue;
            for (uint32_t m = 1; m <= libraries; m++)
                if (changed.open_count[m] > g->state.open_count[m])
                    step_add(g, (host_step){.verb = GEN_LOAD, .module = m});
            step_add(g, launch);
            return;
        }
    }
}

/* Unloads a module that was opened, preferably one from which a program has code, or restarts and
 * opens all modules again, with a replacement or without one. */
static void replace_module(host_generator *g)
{
    enum { PREFERENCE = 8 };
    uint32_t open_count[GEN_MODULES_MAX] = {0}, sum = 0, module = 0;
    uint32_t providers = providers_of_programs(&g->state);
    for (uint32_t m = 1; m < g->program.module_count; m++) {
        open_count[m] = g->state.open_count[m];
        if (open_count[m] == 0) continue;
        uint32_t weight = providers & 1u << m ? PREFERENCE : 1;
        sum += weight;
        if (below(g, sum) < weight) module = m;
    }
    if (module == 0) return;
    uint32_t replacement = draw_replacement(g, module);
    bool restarts = g->weights.of[GEN_RESTART] > 0 && chance(g, 40);
    bool has_content = chance(g, 50);
    if (has_content) copy_on_all_devices(g, GEN_COPY_IN, module);
    if (restarts) step_add(g, (host_step){.verb = GEN_RESTART});
    for (uint32_t m = 1; m < g->program.module_count; m++)
        if (restarts && m != module && open_count[m] > 0)
            step_add(g, (host_step){.verb = GEN_LOAD, .module = m});
    for (uint32_t i = 0; i < open_count[module] && !restarts; i++)
        step_add(g, (host_step){.verb = GEN_UNLOAD, .module = module});
    if (replacement > 0) step_add(g, (host_step){.verb = GEN_LOAD, .module = replacement});
    if (has_content) copy_on_all_devices(g, GEN_COPY_OUT, module);
}

/* Draws two libraries with kernels of the same name; the first is open if one of them is.  Returns
 * the names as bits 1u << kernel; 0: there are no such libraries. */
static uint32_t draw_namesakes(host_generator *g, uint32_t *out_first, uint32_t *out_second)
{
    uint32_t count = 0, kernels = 0;
    for (uint32_t first = 1; first < g->program.module_count; first++) {
        for (uint32_t second = 1; second < g->program.module_count; second++) {
            uint32_t common = definitions_of(&g->program, first).kernels &
                              definitions_of(&g->program, second).kernels;
            bool is_in_order = g->state.open_count[first] > 0 || g->state.open_count[second] == 0;
            if (first == second || common == 0 || !is_in_order || below(g, ++count) > 0) continue;
            *out_first = first;
            *out_second = second;
            kernels = common;
        }
    }
    return kernels;
}

/* Unloads one of two libraries with kernels of the same name, mostly the one that was loaded first,
 * and launches those of the other: a runtime must forget the first library's, and nothing else.
 * Returns false if the program has no such libraries. */
static bool unload_namesake(host_generator *g)
{
    uint32_t first = 0, second = 0, kernels = draw_namesakes(g, &first, &second);
    if (kernels == 0) return false;
    const uint32_t modules[] = {first, second};
    for (int i = 0; i < 2; i++)
        if (g->state.open_count[modules[i]] == 0)
            step_add(g, (host_step){.verb = GEN_LOAD, .module = modules[i]});
    for (uint32_t i = g->state.open_count[first]; i > 0; i--)
        step_add(g, (host_step){.verb = GEN_UNLOAD, .module = first});
    place_list places = places_of(g);
    host_step launch = {.verb = GEN_LAUNCH};
    launch.target.place = places.items[below(g, places.count)];
    for (launch.image = 0; launch.image < g->program.image_count; launch.image++) {
        const gen_image *image = &g->program.images[launch.image];
        for (launch.kernel = 0; launch.kernel < GEN_KERNELS; launch.kernel++)
            if (image->module == second && (kernels & image->kernels & 1u << launch.kernel) &&
                is_launchable(g, &launch) && is_kept(g, &launch))
                step_add(g, launch);
    }
    return true;
}

/* True if a program that the launch may have used has lost an image since: a runtime that keeps it
 * launches code that is gone. */
static bool is_outdated(const host_generator *g, const host_step *launch)
{
    return is_launchable(g, launch) && launch->bundle == 0 && launch->process == g->process_count &&
           g->state.built[launch->image][launch->target.place][launch->target.setting].generation !=
               launch->generation;
}

/* Mostly replaces a module, and then repeats the latest launches and reads of variables, those
 * first whose program is outdated. */
static void draw_replace(host_generator *g)
{
    if (chance(g, 20) && unload_namesake(g)) return;
    if (providers_of_programs(&g->state) == 0 && chance(g, 75)) launch_with_provider(g);
    uint32_t before = g->step_count, repeated = 0;
    replace_module(g);
    if (g->step_count == before) return;
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = before; i > 0 && repeated < REPEATED_MAX; i--) {
            host_step again = g->steps[i - 1];
            if (is_outdated(g, &again) != (round == 0)) continue;
            /* A launch that was possible before and must be refused now is worth more than others.
             */
            bool is_launch = is_launchable(g, &again) && (is_kept(g, &again) || chance(g, 40));
            if (!is_launch && again.verb != GEN_COPY_OUT) continue;
            again.is_late = false;
            step_add(g, again);
            repeated++;
        }
    }
}

/* True if the launch is certain to succeed once the module is opened or, if it is open, closed. */
static bool helps(const host_generator *g, uint32_t module, const host_step *launch)
{
    gen_state changed = g->state;
    if (changed.open_count[module] > 0)
        gen_close(&changed, module);
    else
        gen_open(&changed, module);
    if (!(gen_loaded(&changed) & 1u << g->program.images[launch->image].module)) return false;
    return is_certain(&changed, launch);
}

/* What was refused is tried again after a library has been loaded or unloaded, preferably one that
 * makes a difference. */
static void draw_retry(host_generator *g)
{
    host_step again = g->steps[g->step_count - 1];
    uint32_t libraries = g->program.module_count - 1, drawn = below(g, libraries), module = 0;
    for (uint32_t i = 0; i < libraries && module == 0; i++)
        if (helps(g, 1 + (drawn + i) % libraries, &again)) module = 1 + (drawn + i) % libraries;
    if (module == 0) module = 1 + drawn;
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
    place_list places = places_of(g);
    step.target.place = places.items[below(g, places.count)];
    switch (step.verb) {
    case GEN_SWEEP: draw_sweep(g); return;
    case GEN_REPLACE: draw_replace(g); return;
    case GEN_BUNDLE: draw_bundle(g); return;
    case GEN_SHAPE:
        step.call = (gen_shape_call){.class = GEN_ROLE_BASE + (gen_role)below(g, GEN_ROLES - 1),
                                     .is_precise = chance(g, 40),
                                     .place = step.target.place};
        break;
    case GEN_LAUNCH:
        if (!draw_launch(g, &step)) return;
        break;
    case GEN_COPY_IN:
    case GEN_COPY_OUT:
        if (!draw_variable(g, &step)) return;
        step.target.place = gen_device_of(step.target.place);
        step.content = (int32_t)(100 * (g->step_count + 1));
        if (g->two_devices && chance(g, 50)) {
            step_add(g, step);
            step.target.place ^= 1;
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
    if (g->step_count == before || step.verb != GEN_LAUNCH) return;
    const gen_outcome *outcome = &g->steps[before].outcome;
    if (outcome->may_be_refused && chance(g, outcome->value_count > 0 ? 100 : 50)) draw_retry(g);
}

static void draw_steps(host_generator *g)
{
    uint32_t wanted = STEPS_LEAST + below(g, STEPS_MORE + 1);
    CHECK(wanted <= STEPS_WANTED);
    gen_host_begin(g);
    g->bundle_count = 0;
    for (uint32_t attempt = 0; attempt < 4 * STEPS_WANTED && g->step_count < wanted; attempt++)
        draw_step(g);
}

void gen_host_repeat(host_generator *g)
{
    uint32_t drawn_count = g->step_count;
    uint32_t open_count[GEN_MODULES_MAX];
    for (uint32_t m = 0; m < GEN_MODULES_MAX; m++)
        open_count[m] = m == 0 ? 0 : g->state.open_count[m];
    for (int time = 0; time < 2; time++) {
        for (uint32_t i = 0; i < drawn_count && g->step_count < STEPS_MAX; i++) {
            host_step again = g->steps[i];
            if (again.verb == GEN_LAUNCH && gen_host_take(g, &again))
                g->steps[g->step_count++] = again;
        }
        host_step restart = {.verb = GEN_RESTART};
        for (uint32_t m = 1; time == 0 && m < GEN_MODULES_MAX; m++) {
            if (restart.verb == GEN_RESTART && g->step_count < STEPS_MAX) {
                gen_host_take(g, &restart);
                g->steps[g->step_count++] = restart;
                restart.verb = GEN_STEPS;
            }
            host_step load = {.verb = GEN_LOAD, .module = m};
            for (uint32_t n = 0; n < open_count[m] && g->step_count < STEPS_MAX; n++) {
                gen_host_take(g, &load);
                g->steps[g->step_count++] = load;
            }
        }
    }
}

void gen_host_draw(host_generator *g)
{
    const gen_weights weights = g->weights;
    do {
        g->weights = gen_weights_vary(&weights, &g->random);
        g->program = (gen_program){0};
        draw_program(g);
        draw_steps(g);
    } while (!gen_host_has_command(g));
}
