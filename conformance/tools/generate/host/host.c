#include "conformance/tools/generate/host/host.h"

#include "conformance/tools/generate/host/model.h"
#include "conformance/tools/generate/random.h"

#include <inttypes.h>

/* Every scenario states it: a seed gives the same program only with the same version. */
enum { VERSION = 2 };

typedef enum host_verb {
    VERB_LOAD,
    VERB_UNLOAD,
    VERB_LAUNCH,
    VERB_COPY_IN,  /* to the device_global of a module */
    VERB_COPY_OUT, /* from it */
    VERB_RESTART,
    VERB_COUNT
} host_verb;

/* How often a step is attempted, in percent; a launch that must be refused is kept less often.
 * Source: trial; with these numbers, one launch in three has a program linked from several images,
 * and one in five follows the unloading of a library. */
static const uint32_t verb_percents[VERB_COUNT] = {
    [VERB_LOAD] = 26,   [VERB_UNLOAD] = 19,  [VERB_LAUNCH] = 40,
    [VERB_COPY_IN] = 5, [VERB_COPY_OUT] = 7, [VERB_RESTART] = 3};
enum { REFUSED_PERCENT = 20 };

enum { BITS_MAX = 63, STEPS_LEAST = 6, STEPS_MORE = 12, STEPS_MAX = STEPS_LEAST + STEPS_MORE };

typedef struct host_step {
    host_verb verb;
    uint32_t module; /* LOAD, UNLOAD, COPY_… */
    int32_t content; /* COPY_… */
    /* LAUNCH: */
    uint32_t image, kernel;
    bool names_module;
    gen_outcome outcome;
    uint32_t generation; /* of the image's programs after the launch */
} host_step;

typedef struct host_generator {
    const gen_request *request;
    gen_random random;
    gen_program program;
    gen_state state;
    uint32_t bit_count; /* given to definitions so far */
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

/* A definition that calls some of the functions in `callable`. */
static gen_body draw_body(host_generator *g, uint32_t callable, uint32_t percent)
{
    CHECK(g->bit_count < BITS_MAX);
    gen_body body = {.bit = UINT64_C(1) << g->bit_count++};
    for (uint32_t f = 0; f < GEN_FUNCTIONS; f++)
        if ((callable & 1u << f) && chance(g, percent)) body.callees |= 1u << f;
    return body;
}

/* An image of a module; `functions` and `kernels` are those of the module so far, each of which has
 * one definition. */
static void draw_image(host_generator *g, uint32_t module, uint32_t *functions, uint32_t *kernels)
{
    gen_program *program = &g->program;
    gen_image *image = &program->images[program->image_count++];
    *image = (gen_image){.module = module};
    bool is_executable = module == 0, has_kernels = is_executable || chance(g, 50);
    for (uint32_t f = 0; f < GEN_FUNCTIONS; f++)
        if (!(*functions & 1u << f) && chance(g, is_executable ? 15 : 40))
            image->functions |= 1u << f;
    if (*kernels & 1u << GEN_SHARED_KERNEL) image->functions &= ~(1u << GEN_SHARED_FUNCTION);
    for (uint32_t k = 0; k < GEN_KERNELS; k++)
        if (has_kernels && !(*kernels & 1u << k) && chance(g, 40)) image->kernels |= 1u << k;
    *functions |= image->functions;
    if (*functions & 1u << GEN_SHARED_FUNCTION) image->kernels &= ~(1u << GEN_SHARED_KERNEL);
    if (image->functions == 0 && image->kernels == 0) image->kernels = 1u & ~*kernels;
    *kernels |= image->kernels;
    if (image->functions == 0 && image->kernels == 0) {
        program->image_count--;
        return;
    }
    for (uint32_t f = 0; f < GEN_FUNCTIONS; f++)
        if (image->functions & 1u << f)
            image->function_bodies[f] = draw_body(g, ~((2u << f) - 1), 35);
    for (uint32_t k = 0; k < GEN_KERNELS; k++)
        if (image->kernels & 1u << k) image->kernel_bodies[k] = draw_body(g, ~0u, 40);
    bool is_first = program->image_count == 1 || image[-1].module != module;
    bool has_variable = is_first && image->kernels != 0 && chance(g, 50);
    for (uint32_t k = 0; k < GEN_KERNELS && has_variable; k++)
        if ((image->kernels & 1u << k) && chance(g, 60)) image->increment |= 1u << k;
}

static void remove_callees(gen_image *image, uint32_t functions)
{
    for (uint32_t f = 0; f < GEN_FUNCTIONS; f++)
        image->function_bodies[f].callees &= ~functions;
    for (uint32_t k = 0; k < GEN_KERNELS; k++)
        image->kernel_bodies[k].callees &= ~functions;
}

/* Post-link joins the sources of a module. So an image calls nothing that another image of its
 * module defines, which would not become an import, and nothing with the name of one of the
 * module's kernels. */
static void separate_images(gen_program *program, uint32_t module)
{
    for (uint32_t i = 0; i < program->image_count; i++) {
        gen_image *image = &program->images[i];
        if (image->module != module) continue;
        uint32_t others = 0;
        for (uint32_t k = 0; k < program->image_count; k++) {
            const gen_image *other = &program->images[k];
            if (other->module != module) continue;
            if (other != image) others |= other->functions;
            if (other->kernels & 1u << GEN_SHARED_KERNEL) others |= 1u << GEN_SHARED_FUNCTION;
        }
        remove_callees(image, others);
    }
}

static void draw_program(host_generator *g)
{
    gen_program *program = &g->program;
    program->module_count = 2 + below(g, GEN_MODULES_MAX - 1);
    for (uint32_t m = 0; m < program->module_count; m++) {
        uint32_t functions = 0, kernels = 0, image_count = chance(g, 30) ? 2 : 1;
        for (uint32_t i = 0; i < image_count; i++)
            draw_image(g, m, &functions, &kernels);
        for (uint32_t needed = m + 1; needed < program->module_count; needed++)
            if (chance(g, 20)) program->modules[m].needs |= 1u << needed;
    }
    for (uint32_t m = 0; m < program->module_count; m++)
        separate_images(program, m);
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

/* True if the module is loaded and has a device_global. */
static bool has_variable(const host_generator *g, uint32_t module)
{
    if (!(gen_loaded(&g->state) & 1u << module)) return false;
    for (uint32_t i = 0; i < g->program.image_count; i++)
        if (g->program.images[i].module == module && g->program.images[i].increment != 0)
            return true;
    return false;
}

/* Takes a step in the model's state and completes it. Returns false, and changes nothing, if the
 * step is impossible or the documents do not decide its outcome. */
static bool take_step(host_generator *g, host_step *step)
{
    uint32_t loaded = gen_loaded(&g->state);
    const gen_image *launched = &g->program.images[step->image];
    switch (step->verb) {
    case VERB_LOAD: gen_open(&g->state, step->module); return true;
    case VERB_UNLOAD:
        if (g->state.open_count[step->module] == 0) return false;
        gen_close(&g->state, step->module);
        return true;
    case VERB_RESTART: g->state = gen_state_start(&g->program); return true;
    case VERB_COPY_IN:
        if (!has_variable(g, step->module)) return false;
        g->state.variables[step->module] = step->content;
        g->state.variable_unknown[step->module] = false;
        return true;
    case VERB_COPY_OUT:
        if (!has_variable(g, step->module) || g->state.variable_unknown[step->module]) return false;
        step->content = g->state.variables[step->module];
        return true;
    case VERB_LAUNCH:
        if (!(loaded & 1u << launched->module) || !(launched->kernels & 1u << step->kernel))
            return false;
        step->outcome = gen_predict(&g->state, step->image, step->kernel);
        if (step->outcome.is_unknown) return false;
        step->names_module |= kernel_is_ambiguous(g, step->image, step->kernel);
        gen_launch(&g->state, step->image, step->kernel);
        step->generation = g->state.built[step->image].generation;
        return true;
    case VERB_COUNT: break;
    }
    CHECK(false);
    return false;
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

static host_verb draw_verb(host_generator *g)
{
    uint32_t drawn = below(g, 100);
    host_verb verb = 0;
    for (; drawn >= verb_percents[verb]; verb++) {
        drawn -= verb_percents[verb];
        CHECK(verb + 1 < VERB_COUNT);
    }
    return verb;
}

static void draw_step(host_generator *g)
{
    host_step step = {.verb = draw_verb(g), .module = 1 + below(g, g->program.module_count - 1)};
    if (step.verb == VERB_COPY_IN) step.content = (int32_t)(100 * (g->step_count + 1));
    if (step.verb == VERB_COPY_IN || step.verb == VERB_COPY_OUT)
        step.module = below(g, g->program.module_count);
    if (step.verb == VERB_LAUNCH) {
        if (!draw_kernel(g, &step)) return;
        step.names_module = chance(g, 30);
        bool is_refused = gen_predict(&g->state, step.image, step.kernel).value_count == 0;
        if (is_refused && !chance(g, REFUSED_PERCENT)) return;
    }
    if (take_step(g, &step)) g->steps[g->step_count++] = step;
}

static bool has_launch(const host_generator *g)
{
    for (uint32_t i = 0; i < g->step_count; i++)
        if (g->steps[i].verb == VERB_LAUNCH) return true;
    return false;
}

static void draw_steps(host_generator *g)
{
    uint32_t wanted = STEPS_LEAST + below(g, STEPS_MORE + 1);
    CHECK(wanted <= STEPS_MAX);
    g->state = gen_state_start(&g->program);
    g->step_count = 0;
    for (uint32_t attempt = 0; attempt < 4 * STEPS_MAX && g->step_count < wanted; attempt++)
        draw_step(g);
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

static void omit(host_generator *g)
{
    gen_program *program = &g->program;
    host_step drawn[STEPS_MAX];
    uint32_t drawn_count = 0;
    for (uint32_t i = 0; i < g->step_count; i++)
        if (!is_omitted(g)) drawn[drawn_count++] = g->steps[i];
    for (uint32_t m = 0; m < program->module_count; m++)
        program->modules[m].needs = keep(g, program->modules[m].needs);
    for (uint32_t i = 0; i < program->image_count; i++) {
        gen_image *image = &program->images[i];
        for (uint32_t f = 0; f < GEN_FUNCTIONS; f++)
            image->function_bodies[f].callees = keep(g, image->function_bodies[f].callees);
        for (uint32_t k = 0; k < GEN_KERNELS; k++)
            image->kernel_bodies[k].callees = keep(g, image->kernel_bodies[k].callees);
        image->functions = keep(g, image->functions);
        image->kernels = keep(g, image->kernels);
        image->increment = keep(g, image->increment) & image->kernels;
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
        separate_images(program, m);
    g->state = gen_state_start(program);
    g->step_count = 0;
    for (uint32_t i = 0; i < drawn_count; i++)
        if (take_step(g, &drawn[i])) g->steps[g->step_count++] = drawn[i];
}

/* ---- Writing ------------------------------------------------------------------------------ */

static void write_calls(rt_buffer *out, const gen_body *body)
{
    rt_buffer_printf(out, "%" PRIu64 "ul", body->bit);
    for (uint32_t f = 0; f < GEN_FUNCTIONS; f++)
        if (body->callees & 1u << f) rt_buffer_printf(out, " | %s()", function_names[f]);
}

static void write_source(rt_buffer *out, const gen_image *image)
{
    uint32_t called = gen_callees(image);
    rt_buffer_printf(out, "      - language: opencl-c\n        code: |\n");
    if (image->increment != 0)
        rt_buffer_printf(out, "          DEVICE_GLOBAL(int, v%u)\n", image->module);
    for (uint32_t f = 0; f < GEN_FUNCTIONS; f++)
        if ((called | image->functions) & 1u << f)
            rt_buffer_printf(out, "          ulong %s(void);\n", function_names[f]);
    for (uint32_t f = 0; f < GEN_FUNCTIONS; f++) {
        if (!(image->functions & 1u << f)) continue;
        rt_buffer_printf(out, "          ulong %s(void) { return ", function_names[f]);
        write_calls(out, &image->function_bodies[f]);
        rt_buffer_printf(out, "; }\n");
    }
    for (uint32_t k = 0; k < GEN_KERNELS; k++) {
        if (!(image->kernels & 1u << k)) continue;
        rt_buffer_printf(
            out, "          kernel void %s(global ulong *out) { out[0] = ", kernel_names[k]);
        write_calls(out, &image->kernel_bodies[k]);
        if (image->increment & 1u << k)
            rt_buffer_printf(out, "; DG(v%u) += 1; out[1] = DG(v%u)", image->module, image->module);
        rt_buffer_printf(out, "; }\n");
    }
}

/* An image of which everything is omitted does not exist. */
static bool is_image_of(const gen_image *image, uint32_t module)
{
    return image->module == module && (image->functions != 0 || image->kernels != 0);
}

static void write_module(rt_buffer *out, const gen_program *program, uint32_t module)
{
    uint32_t needs = program->modules[module].needs, image_count = 0;
    rt_buffer_printf(out, "  %s:\n", module_names[module]);
    const char *before = "    needs: [";
    for (uint32_t m = 0; m < program->module_count; m++) {
        if (!(needs & 1u << m)) continue;
        rt_buffer_printf(out, "%s%s", before, module_names[m]);
        before = ", ";
    }
    if (needs) rt_buffer_printf(out, "]\n");
    for (uint32_t i = 0; i < program->image_count; i++)
        image_count += is_image_of(&program->images[i], module);
    if (image_count == 0 && needs == 0) rt_buffer_printf(out, "    host_symbols: []\n");
    if (image_count > 0)
        rt_buffer_printf(out, "    split: %s\n    sources:\n",
                         image_count > 1 ? "per_source" : "off");
    for (uint32_t i = 0; i < program->image_count; i++)
        if (is_image_of(&program->images[i], module)) write_source(out, &program->images[i]);
}

/* True if another launch chooses among the same programs and also shows which one it was; outcomes
 * of both then have names. */
static bool is_correlated(const host_generator *g, const host_step *step)
{
    if (!step->outcome.tells_programs_apart || step->outcome.may_be_refused) return false;
    for (uint32_t i = 0; i < g->step_count; i++) {
        const host_step *other = &g->steps[i];
        if (other != step && other->verb == VERB_LAUNCH && other->image == step->image &&
            other->generation == step->generation && other->outcome.value_count > 1 &&
            other->outcome.tells_programs_apart && !other->outcome.may_be_refused)
            return true;
    }
    return false;
}

static void write_launch(const host_generator *g, const host_step *step, uint32_t number,
                         rt_buffer *out)
{
    const gen_outcome *outcome = &step->outcome;
    rt_buffer_printf(out, "  - submit: {kernel: %s, ", kernel_names[step->kernel]);
    if (step->names_module)
        rt_buffer_printf(out, "module: %s, ", module_names[g->program.images[step->image].module]);
    rt_buffer_printf(out, "range: [1], args: [out%u]}\n", number);
    if (outcome->value_count == 0) {
        rt_buffer_printf(out, "    expect: {error: {documents: exception}}\n");
    } else if (outcome->value_count == 1 && !outcome->may_be_refused) {
        rt_buffer_printf(out, "  - expect: {memory: out%u, equals: [%" PRIu64 ", %d]}\n", number,
                         outcome->values[0], outcome->sum);
    } else {
        rt_buffer_printf(out, "    expect:\n      one_of:\n");
        for (uint32_t i = 0; i < outcome->value_count; i++) {
            rt_buffer_printf(out, "        - {error: none, ");
            if (is_correlated(g, step))
                rt_buffer_printf(out, "name: image%u_%u_%u, ", step->image, step->generation, i);
            rt_buffer_printf(out, "memory: out%u, equals: [%" PRIu64 ", %d]}\n", number,
                             outcome->values[i], outcome->sum);
        }
        if (outcome->may_be_refused)
            rt_buffer_printf(out, "        - {error: {documents: exception}}\n");
    }
}

/* Each step has the memories that it uses to itself, under its number. */
static void write_memories(const host_generator *g, rt_buffer *out)
{
    for (uint32_t i = 0; i < g->step_count; i++) {
        const host_step *step = &g->steps[i];
        if (step->verb == VERB_LAUNCH)
            rt_buffer_printf(out, "  out%u: {type: ulong, values: [0, 0]}\n", i);
        if (step->verb == VERB_COPY_IN)
            rt_buffer_printf(out, "  in%u: {type: int, values: [%d]}\n", i, step->content);
        if (step->verb == VERB_COPY_OUT)
            rt_buffer_printf(out, "  out%u: {type: int, values: [-1]}\n", i);
    }
}

static void write_steps(const host_generator *g, rt_buffer *out)
{
    for (uint32_t i = 0; i < g->step_count; i++) {
        const host_step *step = &g->steps[i];
        const char *module = module_names[step->module];
        switch (step->verb) {
        case VERB_LOAD: rt_buffer_printf(out, "  - load: %s\n", module); break;
        case VERB_UNLOAD: rt_buffer_printf(out, "  - unload: %s\n", module); break;
        case VERB_RESTART: rt_buffer_printf(out, "  - restart\n"); break;
        case VERB_LAUNCH: write_launch(g, step, i, out); break;
        case VERB_COPY_IN:
            /* Queues are out of order, and a variable makes no dependency. */
            rt_buffer_printf(out, "  - copy: {from: in%u, to: v%u}\n  - wait\n", i, step->module);
            break;
        case VERB_COPY_OUT:
            rt_buffer_printf(out,
                             "  - copy: {from: v%u, to: out%u}\n"
                             "  - expect: {memory: out%u, equals: [%d]}\n",
                             step->module, i, i, step->content);
            break;
        case VERB_COUNT: CHECK(false);
        }
    }
}

/* The modules that a step loads or launches from, and what they need. */
static uint32_t used_modules(const host_generator *g)
{
    uint32_t used = 1;
    for (uint32_t i = 0; i < g->step_count; i++)
        if (g->steps[i].verb == VERB_LOAD) used |= 1u << g->steps[i].module;
    for (uint32_t m = 0; m < g->program.module_count; m++)
        if (used & 1u << m) used |= g->program.modules[m].needs;
    return used;
}

void gen_host_write(const gen_request *request, rt_buffer *out, uint32_t *out_unit_count)
{
    host_generator g = {.request = request, .random = {request->seed}};
    do {
        g.program = (gen_program){0};
        g.bit_count = 0;
        draw_program(&g);
        draw_steps(&g);
    } while (!has_launch(&g));
    omit(&g);
    uint32_t used = used_modules(&g);
    rt_buffer_printf(
        out,
        "assay: 1\nsummary: >-\n  The generated program of seed %" PRIu64
        ", by version %u of the generator. A kernel stores the bits of the definitions "
        "that it calls.\nmodules:\n",
        request->seed, VERSION);
    for (uint32_t m = 0; m < g.program.module_count; m++)
        if (used & 1u << m) write_module(out, &g.program, m);
    rt_buffer memories = {0};
    write_memories(&g, &memories);
    if (memories.size > 0)
        rt_buffer_printf(out, "memory:\n%.*s", RT_TEXT_ARG(rt_buffer_text(&memories)));
    rt_buffer_printf(out, "steps:%s\n", g.step_count > 0 ? "" : " []");
    write_steps(&g, out);
    rt_buffer_free(&memories);
    *out_unit_count = g.unit_count;
}
