#include "conformance/tools/generate/host/host_internal.h"

#include "reference/base/check.h"

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

bool gen_host_has_variable(const host_generator *g, uint32_t module)
{
    bool is_loaded = gen_loaded(&g->state) & 1u << module;
    if (!is_loaded || g->program.modules[module].format == GEN_PTX) return false;
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
    bool is_usable = gen_is_usable(&g->program, step->image, step->target.place);
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
    /* What no device can launch is skipped, not refused. */
    if (!(gen_loaded(&g->state) & 1u << launched->module) ||
        !(launched->kernels & 1u << step->kernel) ||
        g->program.modules[launched->module].format == GEN_PTX)
        return false;
    step->outcome = gen_predict(&g->state, step->image, step->kernel, step->target);
    if (step->outcome.is_unknown) return false;
    step->names_module |= kernel_is_ambiguous(g, step->image, step->kernel);
    gen_launch(&g->state, step->image, step->kernel, step->target);
    step->process = g->process_count;
    step->generation =
        g->state.built[step->image][step->target.place][step->target.setting].generation;
    return true;
}

bool gen_host_take(host_generator *g, host_step *step)
{
    gen_state *state = &g->state;
    uint32_t place = step->target.place;
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
        CHECK(place < GEN_DEVICES);
        if (!gen_host_has_variable(g, step->module)) return false;
        state->variables[step->module][place] = step->content;
        state->variable_unknown[step->module][place] = false;
        return true;
    case GEN_COPY_OUT:
        CHECK(place < GEN_DEVICES);
        if (!gen_host_has_variable(g, step->module) || state->variable_unknown[step->module][place])
            return false;
        step->content = state->variables[step->module][place];
        return true;
    case GEN_LAUNCH: return take_launch(g, step);
    case GEN_BUNDLE: return take_bundle(g, step);
    case GEN_SHAPE:
        return gen_shapes_take(&g->shapes, loaded_roles(g), g->program.without_fp64, &step->call);
    default: CHECK(step->verb >= GEN_WORK && step->verb <= GEN_READ); return true;
    }
}

bool gen_host_has_work(const host_generator *g)
{
    for (uint32_t i = 0; i < g->step_count; i++)
        if (g->steps[i].verb >= GEN_WORK && g->steps[i].verb <= GEN_READ) return true;
    return false;
}

bool gen_host_has_command(const host_generator *g)
{
    for (uint32_t i = 0; i < g->step_count; i++)
        if (g->steps[i].verb == GEN_LAUNCH || g->steps[i].verb == GEN_SHAPE) return true;
    return gen_host_has_work(g);
}

void gen_host_begin(host_generator *g)
{
    g->state = gen_state_start(&g->program);
    g->step_count = 0;
    forget_programs(g, true);
}
