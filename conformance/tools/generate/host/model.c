#include "conformance/tools/generate/host/model.h"

#include "reference/base/check.h"

#include <string.h>

/* ---- Modules ------------------------------------------------------------------------------ */

gen_state gen_state_start(const gen_program *program)
{
    gen_state state = {.program = program};
    state.open_count[0] = 1;
    for (uint32_t i = 0; i < program->image_count; i++)
        state.built[i].may_be_absent = true;
    return state;
}

uint32_t gen_loaded(const gen_state *state)
{
    const gen_program *program = state->program;
    uint32_t loaded = 0;
    for (uint32_t i = 0; i < program->module_count; i++) {
        if (state->open_count[i] > 0) loaded |= 1u << i;
        /* Modules need only modules with larger numbers, so one pass closes the set. */
        if (loaded & 1u << i) loaded |= program->modules[i].needs;
    }
    CHECK(loaded & 1u);
    return loaded;
}

static uint32_t loaded_images(const gen_state *state)
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

/* No program may contain code of a module that is no longer loaded, and the module's variable is
 * gone with it: one that comes again begins with zero. */
void gen_close(gen_state *state, uint32_t module)
{
    CHECK(module > 0 && state->open_count[module] > 0);
    state->open_count[module]--;
    uint32_t images = loaded_images(state), modules = gen_loaded(state);
    for (uint32_t i = 0; i < state->program->module_count; i++) {
        if (modules & 1u << i) continue;
        state->variables[i] = 0;
        state->variable_unknown[i] = false;
    }
    for (uint32_t i = 0; i < state->program->image_count; i++) {
        gen_built *built = &state->built[i];
        uint32_t kept_count = 0;
        for (uint32_t k = 0; k < built->set_count; k++)
            if ((built->sets[k] & ~images) == 0) built->sets[kept_count++] = built->sets[k];
        if (kept_count < built->set_count) {
            built->may_be_absent = true;
            built->generation++;
        }
        built->set_count = kept_count;
        CHECK(built->set_count > 0 || built->may_be_absent);
    }
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

/* The bits of all definitions that a kernel calls in a program, each function of which is defined
 * once. */
static uint64_t value_of(const gen_program *program, uint32_t set, const gen_body *kernel)
{
    uint64_t value = kernel->bit;
    uint32_t called = kernel->callees;
    for (uint32_t f = 0; f < GEN_FUNCTIONS; f++) {
        if (!(called & 1u << f)) continue;
        uint32_t definition_count = 0;
        for (uint32_t i = 0; i < program->image_count; i++) {
            const gen_image *image = &program->images[i];
            if (!(set & 1u << i) || !(image->functions & 1u << f)) continue;
            definition_count++;
            value |= image->function_bodies[f].bit;
            called |= image->function_bodies[f].callees; /* larger numbers, still to come */
        }
        CHECK(definition_count == 1);
    }
    return value;
}

/* The programs that may serve the next launch; may_be_absent: it may be refused. */
static exploration programs_of(const gen_state *state, uint32_t image)
{
    const gen_program *program = state->program;
    exploration all = {.program = program, .images = loaded_images(state)};
    CHECK(image < program->image_count && (all.images & 1u << image));
    const gen_built *built = &state->built[image];
    memcpy(all.found.sets, built->sets, sizeof built->sets);
    all.found.set_count = built->set_count;
    if (built->may_be_absent) {
        const search first = {
            .order = {image}, .count = 1, .marked = program->images[image].functions};
        explore(&all, first);
    }
    CHECK(all.is_unknown || all.found.set_count > 0 || all.found.may_be_absent);
    return all;
}

gen_outcome gen_predict(const gen_state *state, uint32_t image, uint32_t kernel)
{
    const gen_image *launched = &state->program->images[image];
    CHECK(kernel < GEN_KERNELS && (launched->kernels & 1u << kernel));
    exploration all = programs_of(state, image);
    gen_outcome outcome = {.may_be_refused = all.found.may_be_absent, .is_unknown = all.is_unknown};
    for (uint32_t i = 0; i < all.found.set_count && !all.is_unknown; i++) {
        uint64_t value =
            value_of(state->program, all.found.sets[i], &launched->kernel_bodies[kernel]);
        uint32_t k = 0;
        while (k < outcome.value_count && outcome.values[k] != value)
            k++;
        if (k == outcome.value_count) outcome.values[outcome.value_count++] = value;
    }
    outcome.tells_programs_apart = outcome.value_count == all.found.set_count;
    if (gen_increments(state->program, image, kernel)) {
        outcome.sum = state->variables[launched->module] + 1;
        outcome.is_unknown |= state->variable_unknown[launched->module];
    }
    return outcome;
}

bool gen_increments(const gen_program *program, uint32_t image, uint32_t kernel)
{
    return (program->images[image].increment & 1u << kernel) != 0;
}

void gen_launch(gen_state *state, uint32_t image, uint32_t kernel)
{
    if (gen_increments(state->program, image, kernel)) {
        uint32_t module = state->program->images[image].module;
        gen_outcome outcome = gen_predict(state, image, kernel);
        CHECK(!outcome.is_unknown);
        if (outcome.value_count > 0) state->variables[module]++;
        state->variable_unknown[module] = outcome.value_count > 0 && outcome.may_be_refused;
    }
    exploration all = programs_of(state, image);
    CHECK(!all.is_unknown);
    gen_built *built = &state->built[image];
    all.found.generation = built->generation + built->may_be_absent;
    *built = all.found;
    CHECK(built->set_count > 0 || built->may_be_absent);
}
