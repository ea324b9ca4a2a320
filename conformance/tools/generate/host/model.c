#include "conformance/tools/generate/host/model.h"

#include "reference/base/check.h"

#include <string.h>

/* Values that differ in their upper half only, and two values in both orders. */
const gen_setting gen_settings[GEN_SETTINGS] = {
    {0, {1, 2}},  {1, {7, 2}},  {1, {(UINT64_C(1) << 32) + 7, 2}},
    {3, {7, 11}}, {3, {11, 7}}, {3, {7, 13}},
};

uint32_t gen_device_of(uint32_t place)
{
    CHECK(place < GEN_PLACES);
    return place == GEN_OTHER_CONTEXT ? 0 : place;
}

/* ---- Modules ------------------------------------------------------------------------------ */

gen_state gen_state_start(const gen_program *program)
{
    gen_state state = {.program = program};
    state.open_count[0] = 1;
    for (uint32_t i = 0; i < program->image_count; i++)
        for (uint32_t p = 0; p < GEN_PLACES; p++)
            for (uint32_t s = 0; s < GEN_SETTINGS; s++)
                state.built[i][p][s].may_be_absent = true;
    return state;
}

uint32_t gen_loaded(const gen_state *state)
{
    const gen_program *program = state->program;
    uint32_t loaded = program->preloaded;
    for (uint32_t i = 0; i < program->module_count; i++) {
        if (state->open_count[i] > 0) loaded |= 1u << i;
        /* Modules need only modules with larger numbers, so one pass closes the set. */
        if (loaded & 1u << i) loaded |= program->modules[i].needs;
    }
    CHECK(loaded & 1u);
    return loaded;
}

uint32_t gen_loaded_images(const gen_state *state)
{
    uint32_t modules = gen_loaded(state), images = 0;
    for (uint32_t i = 0; i < state->program->image_count; i++)
        if (modules & 1u << state->program->images[i].module) images |= 1u << i;
    return images;
}

void gen_open(gen_state *state, uint32_t module)
{
    CHECK(module > 0 && module < state->program->module_count);
    state->open_count[module]++;
}

/* No program may contain code of a module that is no longer loaded. */
static void built_shrink(gen_built *built, gen_instance *instance, uint32_t images)
{
    uint32_t kept_count = 0;
    for (uint32_t k = 0; k < built->set_count; k++)
        if ((built->sets[k] & ~images) == 0) built->sets[kept_count++] = built->sets[k];
    if (kept_count < built->set_count) {
        built->may_be_absent = true;
        built->generation++;
        *instance = (gen_instance){.is_unknown = kept_count > 0};
    }
    built->set_count = kept_count;
    CHECK(built->set_count > 0 || built->may_be_absent);
}

/* A module's variable is gone with it: one that comes again begins with zero. */
void gen_close(gen_state *state, uint32_t module)
{
    CHECK(module > 0 && state->open_count[module] > 0);
    state->open_count[module]--;
    uint32_t images = gen_loaded_images(state), modules = gen_loaded(state);
    for (uint32_t i = 0; i < state->program->module_count; i++) {
        if (modules & 1u << i) continue;
        memset(state->variables[i], 0, sizeof state->variables[i]);
        memset(state->variable_unknown[i], 0, sizeof state->variable_unknown[i]);
    }
    for (uint32_t i = 0; i < state->program->image_count; i++)
        for (uint32_t p = 0; p < GEN_PLACES; p++)
            for (uint32_t s = 0; s < GEN_SETTINGS; s++)
                built_shrink(&state->built[i][p][s], &state->instances[i][p][s], images);
}

/* ---- Linking ------------------------------------------------------------------------------ */

enum { STEPS_MAX = 20000 };

/* A search in progress; copied at every choice. */
typedef struct search {
    uint32_t order[GEN_IMAGES_MAX]; /* the images of the set in the order in which they joined */
    uint32_t count;
    uint32_t next;   /* the first one whose imports are not all resolved */
    uint32_t marked; /* functions that need no search any more */
    bool is_unresolved;
} search;

typedef struct exploration {
    const gen_program *program;
    uint32_t images; /* those that are loaded */
    uint32_t step_count;
    gen_built found; /* may_be_absent: a link was refused */
    bool is_unknown;
} exploration;

/* A body that the image does not have calls nothing. */
uint32_t gen_callees(const gen_image *image)
{
    uint32_t callees = 0;
    for (uint32_t f = 0; f < GEN_FUNCTIONS; f++)
        callees |= image->function_bodies[f].callees;
    for (uint32_t k = 0; k < GEN_KERNELS; k++)
        callees |= image->kernel_bodies[k].callees;
    return callees;
}

uint32_t gen_constants(const gen_image *image)
{
    uint32_t constants = 0;
    for (uint32_t f = 0; f < GEN_FUNCTIONS; f++)
        constants |= image->function_bodies[f].constants;
    for (uint32_t k = 0; k < GEN_KERNELS; k++)
        constants |= image->kernel_bodies[k].constants;
    return constants;
}

static uint32_t imports_of(const gen_image *image)
{
    return gen_callees(image) & ~image->functions;
}

/* The set is complete. Two definitions of a function in it are refused by the device's linker. */
static void set_found(exploration *all, const search *at)
{
    uint32_t set = 0, functions = 0, kernels = 0;
    bool is_refused = at->is_unresolved;
    for (uint32_t i = 0; i < at->count; i++) {
        const gen_image *image = &all->program->images[at->order[i]];
        set |= 1u << at->order[i];
        if (functions & image->functions) is_refused = true;
        if (kernels & image->kernels) all->is_unknown = true;
        functions |= image->functions;
        kernels |= image->kernels;
    }
    if ((functions & 1u << GEN_SHARED_FUNCTION) && (kernels & 1u << GEN_SHARED_KERNEL))
        all->is_unknown = true;
    if (is_refused) {
        all->found.may_be_absent = true;
        return;
    }
    for (uint32_t i = 0; i < all->found.set_count; i++)
        if (all->found.sets[i] == set) return;
    if (all->found.set_count == GEN_ALTERNATIVES_MAX)
        all->is_unknown = true;
    else
        all->found.sets[all->found.set_count++] = set;
}

/* The procedure of document 003, "Program manager", with every order of imports and every provider:
 * a search for a symbol takes one image that exports it, and marks all exports of that image. */
static void explore(exploration *all, search at)
{
    if (all->step_count++ == STEPS_MAX) all->is_unknown = true;
    if (all->is_unknown) return;
    uint32_t imports = 0;
    while (at.next < at.count && imports == 0) {
        imports = imports_of(&all->program->images[at.order[at.next]]) & ~at.marked;
        if (imports == 0) at.next++;
    }
    if (imports == 0) set_found(all, &at);
    for (uint32_t f = 0; f < GEN_FUNCTIONS; f++) {
        if (!(imports & 1u << f)) continue;
        bool has_provider = false;
        for (uint32_t i = 0; i < all->program->image_count; i++) {
            const gen_image *image = &all->program->images[i];
            if (!(all->images & 1u << i) || !(image->functions & 1u << f)) continue;
            has_provider = true;
            CHECK(at.count < GEN_IMAGES_MAX);
            search with = at;
            with.order[with.count++] = i;
            with.marked |= image->functions;
            explore(all, with);
        }
        if (has_provider) continue;
        search without = at;
        without.marked |= 1u << f;
        without.is_unresolved = true;
        explore(all, without);
    }
}

static uint64_t number_of(const gen_body *body, const gen_setting *setting)
{
    uint64_t number = body->number;
    for (uint32_t c = 0; c < GEN_CONSTANTS; c++)
        if (body->constants & 1u << c) number += setting->values[c];
    return number;
}

/* The sum of the numbers of all definitions that a kernel calls in a program, each function of
 * which is defined once; a function counts as often as it is called. */
static uint64_t value_of(const gen_program *program, uint32_t set, const gen_body *kernel,
                         const gen_setting *setting)
{
    uint64_t value = number_of(kernel, setting);
    uint64_t calls[GEN_FUNCTIONS] = {0};
    for (uint32_t f = 0; f < GEN_FUNCTIONS; f++)
        calls[f] = kernel->callees >> f & 1;
    for (uint32_t f = 0; f < GEN_FUNCTIONS; f++) {
        if (calls[f] == 0) continue;
        uint32_t definition_count = 0;
        for (uint32_t i = 0; i < program->image_count; i++) {
            const gen_image *image = &program->images[i];
            if (!(set & 1u << i) || !(image->functions & 1u << f)) continue;
            definition_count++;
            value += calls[f] * number_of(&image->function_bodies[f], setting);
            /* A function calls only functions with larger numbers. */
            for (uint32_t callee = f + 1; callee < GEN_FUNCTIONS; callee++)
                if (image->function_bodies[f].callees & 1u << callee) calls[callee] += calls[f];
        }
        CHECK(definition_count == 1);
    }
    return value;
}

/* Source: document 003, "Device images collection and linking". */
bool gen_is_usable(const gen_program *program, uint32_t image, uint32_t place)
{
    const gen_image *tested = &program->images[image];
    bool has_fp64 = !(program->without_fp64 & 1u << gen_device_of(place));
    bool has_aspects = !tested->needs_fp64 || has_fp64;
    return has_aspects && program->modules[tested->module].format != GEN_PTX;
}

/* The images that the device of a place can run, as bits 1u << image. */
static uint32_t usable_images(const gen_program *program, uint32_t place)
{
    uint32_t images = 0;
    for (uint32_t i = 0; i < program->image_count; i++)
        if (gen_is_usable(program, i, place)) images |= 1u << i;
    return images;
}

/* The programs that may serve the next launch; may_be_absent: it may be refused. */
static exploration programs_of(const gen_state *state, uint32_t image, gen_target target)
{
    const gen_program *program = state->program;
    exploration all = {.program = program, .images = gen_loaded_images(state)};
    CHECK(image < program->image_count && (all.images & 1u << image));
    CHECK(target.place < GEN_PLACES && target.setting < GEN_SETTINGS);
    all.images &= usable_images(program, target.place);
    const gen_built *built = &state->built[image][target.place][target.setting];
    memcpy(all.found.sets, built->sets, sizeof built->sets);
    all.found.set_count = built->set_count;
    if (!(all.images & 1u << image)) {
        CHECK(built->set_count == 0);
        all.found.may_be_absent = true;
    } else if (built->may_be_absent) {
        const search first = {
            .order = {image}, .count = 1, .marked = program->images[image].functions};
        explore(&all, first);
    }
    CHECK(all.is_unknown || all.found.set_count > 0 || all.found.may_be_absent);
    return all;
}

/* The programs that a bundle may have: those that exist, and those that can be linked now. */
static exploration programs_of_bundle(const gen_state *state, uint32_t image, gen_target target)
{
    gen_state anew = *state;
    anew.built[image][target.place][target.setting].may_be_absent = true;
    exploration all = programs_of(&anew, image, target);
    all.is_unknown |= all.found.set_count > 0 && all.found.may_be_absent;
    return all;
}

/* True if every program that may serve has an image with each of the constants that are set: the
 * documents leave open whether any other constant makes a separate program. */
static bool constants_are_known(const gen_program *program, const gen_built *found, uint32_t set)
{
    for (uint32_t i = 0; i < found->set_count; i++) {
        uint32_t known = 0;
        for (uint32_t k = 0; k < program->image_count; k++)
            if (found->sets[i] & 1u << k) known |= gen_constants(&program->images[k]);
        if (set & ~known) return false;
    }
    return set == 0 || found->set_count > 0;
}

/* What the kernel stores, by the program that serves it. */
static gen_outcome outcome_of(const gen_state *state, const exploration *all, uint32_t image,
                              uint32_t kernel, gen_target target)
{
    const gen_image *launched = &state->program->images[image];
    CHECK(kernel < GEN_KERNELS && (launched->kernels & 1u << kernel));
    const gen_setting *setting = &gen_settings[target.setting];
    bool is_known = constants_are_known(state->program, &all->found, setting->set);
    gen_outcome outcome = {.may_be_refused = all->found.may_be_absent,
                           .is_unknown = all->is_unknown || !is_known};
    for (uint32_t i = 0; i < all->found.set_count && !outcome.is_unknown; i++) {
        uint64_t value =
            value_of(state->program, all->found.sets[i], &launched->kernel_bodies[kernel], setting);
        uint32_t k = 0;
        while (k < outcome.value_count && outcome.values[k] != value)
            k++;
        if (k == outcome.value_count) outcome.values[outcome.value_count++] = value;
    }
    outcome.tells_programs_apart = outcome.value_count == all->found.set_count;
    return outcome;
}

gen_outcome gen_predict(const gen_state *state, uint32_t image, uint32_t kernel, gen_target target)
{
    const gen_image *launched = &state->program->images[image];
    exploration all = programs_of(state, image, target);
    gen_outcome outcome = outcome_of(state, &all, image, kernel, target);
    if (gen_increments(state->program, image, kernel) && launched->has_image_scope) {
        const gen_instance *instance = &state->instances[image][target.place][target.setting];
        outcome.sum = instance->content + 1;
        outcome.is_unknown |= instance->is_unknown;
    } else if (gen_increments(state->program, image, kernel) && target.place >= GEN_DEVICES) {
        outcome.is_unknown = true;
    } else if (gen_increments(state->program, image, kernel)) {
        outcome.sum = state->variables[launched->module][target.place] + 1;
        outcome.is_unknown |= state->variable_unknown[launched->module][target.place];
    }
    return outcome;
}

gen_outcome gen_predict_bundle(const gen_state *state, uint32_t image, uint32_t kernel,
                               gen_target target, uint32_t *out_images)
{
    CHECK(!gen_increments(state->program, image, kernel) ||
          !state->program->images[image].has_image_scope);
    exploration all = programs_of_bundle(state, image, target);
    gen_outcome outcome = outcome_of(state, &all, image, kernel, target);
    outcome.is_unknown |= outcome.value_count > 1;
    *out_images = 0;
    for (uint32_t i = 0; i < all.found.set_count; i++)
        *out_images |= all.found.sets[i];
    return outcome;
}

void gen_bundle_create(gen_state *state, uint32_t image, gen_target target)
{
    exploration all = programs_of_bundle(state, image, target);
    gen_built *built = &state->built[image][target.place][target.setting];
    if (all.found.set_count == 0) return; /* refused */
    all.found.may_be_absent = built->may_be_absent;
    all.found.generation = built->generation + 1;
    *built = all.found;
}

bool gen_increments(const gen_program *program, uint32_t image, uint32_t kernel)
{
    return (program->images[image].increment & 1u << kernel) != 0;
}

/* Increments the variable of a launched kernel. */
static void increment(gen_state *state, uint32_t image, uint32_t kernel, gen_target target)
{
    const gen_image *launched = &state->program->images[image];
    gen_outcome outcome = gen_predict(state, image, kernel, target);
    CHECK(!outcome.is_unknown);
    bool is_unknown = outcome.value_count > 0 && outcome.may_be_refused;
    if (launched->has_image_scope) {
        gen_instance *instance = &state->instances[image][target.place][target.setting];
        if (outcome.value_count > 0) instance->content++;
        instance->is_unknown = is_unknown;
    } else {
        if (outcome.value_count > 0) state->variables[launched->module][target.place]++;
        state->variable_unknown[launched->module][target.place] = is_unknown;
    }
}

void gen_launch(gen_state *state, uint32_t image, uint32_t kernel, gen_target target)
{
    if (gen_increments(state->program, image, kernel)) increment(state, image, kernel, target);
    exploration all = programs_of(state, image, target);
    CHECK(!all.is_unknown);
    gen_built *built = &state->built[image][target.place][target.setting];
    all.found.generation = built->generation + built->may_be_absent;
    *built = all.found;
    CHECK(built->set_count > 0 || built->may_be_absent);
}
