#include "conformance/tools/generate/host/host.h"

#include "conformance/tools/generate/host/host_internal.h"
#include "conformance/tools/generate/host/pool.h"

/* Counts a thing that can be omitted; true if the request omits it. */
static bool is_omitted(host_generator *g)
{
    return gen_request_omits(g->request, ++g->unit_count);
}

/* Of a set of things, the bits of those that the request keeps. */
static uint32_t keep(host_generator *g, uint32_t bits)
{
    uint32_t kept = bits;
    for (uint32_t bit = 0; bit < 32; bit++)
        if ((bits & 1u << bit) && is_omitted(g)) kept &= ~(1u << bit);
    return kept;
}

/* Omits commands; the kernels of those that are left may read instead of write, except for the last
 * one of a group, and the others may become fills. A fused list consists of kernels that write. */
static void omit_commands(host_generator *g, work_step *work)
{
    uint32_t drawn_count = work->command_count, kept_count = 0, reader_count = 0;
    bool can_change = work->kind != WORK_FUSED && drawn_count > 0;
    for (uint32_t i = 0; i < drawn_count; i++) {
        if (drawn_count > 1 && is_omitted(g)) continue;
        work->commands[kept_count++] = work->commands[i];
        if (i + 1 < drawn_count || drawn_count == 1) reader_count = kept_count;
    }
    work->command_count = kept_count;
    bool reads = can_change && is_omitted(g), fills = can_change && is_omitted(g);
    for (uint32_t i = 0; i < kept_count; i++) {
        work_verb *verb = &work->commands[i].verb;
        if (reads && i < reader_count && *verb == WORK_MIX) *verb = WORK_LOOK;
        if (fills && *verb == WORK_MIX) *verb = WORK_FILL;
    }
    if (work->kind == WORK_GATHER && is_omitted(g)) gen_work_gather_one(work);
}

/* Omits parts of a step. */
static void omit_details(host_generator *g, host_step *step)
{
    omit_commands(g, &step->work);
    if (step->target.place > 0 && is_omitted(g)) step->target.place = 0;
    step->call.place = step->target.place;
    if (step->verb == GEN_LAUNCH) {
        if (step->is_late) step->is_late = !is_omitted(g);
        step->is_unread = is_omitted(g);
        step->shares_memory = is_omitted(g) && !step->is_late;
    } else if (step->verb == GEN_SHAPE) {
        step->call.is_uncalled = is_omitted(g);
        step->shares_memory = is_omitted(g);
    }
}

/* Omits steps and parts of them; returns the modules, as bits 1u << module, that the executable
 * needs from now on instead of loading them. */
static uint32_t omit_steps(host_generator *g)
{
    bool is_step_omitted[STEPS_DRAWN] = {0};
    uint32_t kept_count = 0;
    CHECK(g->step_count <= STEPS_DRAWN);
    for (uint32_t i = 0; i < g->step_count; i++)
        is_step_omitted[i] = is_omitted(g);
    uint32_t libraries = (1u << g->program.module_count) - 2;
    uint32_t not_opened = libraries & ~keep(g, libraries), needed = 0;
    for (uint32_t i = 0; i < g->step_count; i++) {
        omit_details(g, &g->steps[i]);
        if (is_step_omitted[i]) continue;
        uint32_t opened = g->steps[i].verb == GEN_LOAD ? 1u << g->steps[i].module : 0;
        needed |= opened & not_opened;
        if (!(opened & not_opened)) g->steps[kept_count++] = g->steps[i];
    }
    g->step_count = kept_count;
    return needed;
}

/* Lets the host read what the last command reads, so that no other memory is needed. A scenario
 * expects something, even if it fails in another way. */
static void move_reads(host_generator *g)
{
    const work_command *last = NULL;
    for (uint32_t i = 0; i < g->step_count; i++) {
        const work_step *work = &g->steps[i].work;
        if (work->command_count > 0) last = &work->commands[work->command_count - 1];
    }
    for (uint32_t i = 0; i < g->step_count && last && last->verb != WORK_FILL; i++)
        if (g->steps[i].verb == GEN_READ) g->steps[i].work.read = last->sources[0];
}

/* Lets all calls make objects of other classes than the base, which then needs no kernel for it. */
static void omit_base(host_generator *g)
{
    uint32_t class = GEN_ROLE_BASE;
    for (uint32_t role = GEN_ROLE_BASE + 1; role < GEN_ROLES; role++)
        if (is_omitted(g)) class = role;
    for (uint32_t i = 0; i < g->step_count; i++)
        if (g->steps[i].verb == GEN_SHAPE && g->steps[i].call.class == GEN_ROLE_BASE)
            g->steps[i].call.class = class;
}

/* Lets every kernel of an image call what any of them calls, so that one of them may do. */
static void join_callees(gen_image *image)
{
    uint32_t callees = 0;
    for (uint32_t k = 0; k < GEN_KERNELS; k++)
        callees |= image->kernel_bodies[k].callees;
    for (uint32_t k = 0; k < GEN_KERNELS; k++)
        image->kernel_bodies[k].callees = callees;
}

static void omit_definitions(host_generator *g, gen_image *image)
{
    bool has_several = (image->kernels & (image->kernels - 1)) != 0;
    uint32_t constants = keep(g, gen_constants(image));
    for (uint32_t f = 0; f < GEN_FUNCTIONS; f++) {
        image->function_bodies[f].constants &= constants;
        image->function_bodies[f].callees = keep(g, image->function_bodies[f].callees);
    }
    for (uint32_t k = 0; k < GEN_KERNELS; k++) {
        image->kernel_bodies[k].constants &= constants;
        image->kernel_bodies[k].callees = keep(g, image->kernel_bodies[k].callees);
    }
    if (has_several && is_omitted(g)) join_callees(image);
    image->functions = keep(g, image->functions);
    image->kernels = keep(g, image->kernels);
    image->increment = keep(g, image->increment) & image->kernels;
    if (image->needs_fp64) image->needs_fp64 = !is_omitted(g);
    /* A function whose definition is omitted calls nothing. */
    for (uint32_t f = 0; f < GEN_FUNCTIONS; f++)
        if (!(image->functions & 1u << f)) image->function_bodies[f] = (gen_body){0};
    for (uint32_t k = 0; k < GEN_KERNELS; k++)
        if (!(image->kernels & 1u << k)) image->kernel_bodies[k] = (gen_body){0};
}

/* Omits properties of modules. `needed` are those that the executable needs instead of loading
 * them; it may also need what its libraries need. */
static void omit_properties(host_generator *g, uint32_t needed)
{
    gen_program *program = &g->program;
    for (uint32_t m = 0; m < program->module_count; m++) {
        gen_module *module = &program->modules[m];
        bool has_needs = m > 0 && module->needs != 0;
        module->needs = keep(g, module->needs);
        if (has_needs && is_omitted(g)) {
            needed |= module->needs;
            module->needs = 0;
        }
        if (module->format != GEN_SPIRV && is_omitted(g)) module->format = GEN_SPIRV;
        if (gen_host_images(program, m) > 1 && is_omitted(g)) g->joined |= 1u << m;
    }
    program->modules[0].needs |= needed;
}

/* The number of an omission does not depend on what else is omitted. */
static void omit(host_generator *g)
{
    gen_program *program = &g->program;
    uint32_t needed = omit_steps(g);
    if (is_omitted(g)) move_reads(g);
    g->read_memories = keep(g, (1u << WORK_MEMORIES) - 1);
    if (g->has_persistent_cache) g->has_persistent_cache = !is_omitted(g);
    program->without_fp64 = keep(g, program->without_fp64);
    program->preloaded = keep(g, program->preloaded);
    g->shapes.parts = keep(g, g->shapes.parts);
    omit_base(g);
    omit_properties(g, needed);
    for (uint32_t i = 0; i < program->image_count; i++)
        omit_definitions(g, &program->images[i]);
    for (uint32_t m = 0; m < program->module_count; m++)
        gen_pool_separate(program, m);
    uint32_t kept_count = g->step_count;
    gen_host_begin(g);
    for (uint32_t i = 0; i < kept_count; i++) {
        host_step kept = g->steps[i];
        if (gen_host_take(g, &kept)) g->steps[g->step_count++] = kept;
    }
}

void gen_host_write(const gen_request *request, rt_buffer *out, uint32_t *out_unit_count)
{
    host_generator g = {.request = request, .random = {request->seed}};
    g.weights = request->weights ? *request->weights : gen_weights_default();
    gen_host_draw(&g);
    omit(&g);
    if (request->variation == GEN_FRESH) gen_host_repeat(&g);
    gen_host_text(&g, out);
    *out_unit_count = g.unit_count;
}
