#include "conformance/tools/generate/host/host.h"

#include "conformance/tools/generate/host/host_internal.h"
#include "conformance/tools/generate/host/pool.h"

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
    gen_host_begin(g);
    for (uint32_t i = 0; i < drawn_count; i++)
        if (gen_host_take(g, &drawn[i])) g->steps[g->step_count++] = drawn[i];
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
