#include "conformance/tools/generate/host/host_internal.h"

#include "reference/base/alloc.h"

#include <inttypes.h>
#include <stdio.h>

/* Every scenario states it: a seed gives the same program only with the same version. */
enum { VERSION = 11 };

/* ---- Names -------------------------------------------------------------------------------- */

static const char *const module_names[GEN_MODULES_MAX] = {"app",  "liba", "libb",
                                                          "libc", "libd", "libe"};
static const char *const function_names[GEN_FUNCTIONS] = {"f0", "f1", "f2", "f3", "f4"};
static const char *const kernel_names[GEN_KERNELS] = {"k0", "k1", "k2", "f4"};

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

#define CODE_INDENT "          "

/* True if an image has a single definition, which is written on one line with what it refers to. */
static bool is_in_one_line(const gen_image *image)
{
    uint32_t count =
        (uint32_t)(__builtin_popcount(image->functions) + __builtin_popcount(image->kernels));
    return count == 1 && image->increment == 0;
}

/* What the definitions of one or several images refer to. */
static void write_declarations(const host_generator *g, rt_buffer *out, uint32_t called,
                               uint32_t constants, bool in_one_line)
{
    const char *begin = in_one_line ? "" : CODE_INDENT, *end = in_one_line ? " " : "\n";
    for (uint32_t c = 0; c < GEN_CONSTANTS; c++)
        if (constants & 1u << c)
            rt_buffer_printf(out, "%sSPEC_CONSTANT(ulong, c%u, %" PRIu64 ")%s", begin, c,
                             gen_settings[0].values[c], end);
    const char *before = "ulong ";
    if (called) rt_buffer_printf(out, "%s", begin);
    for (uint32_t f = 0; f < GEN_FUNCTIONS; f++) {
        if (!(called & 1u << f)) continue;
        rt_buffer_printf(out, "%s%s%s(void)", before, prefix(g), function_names[f]);
        before = ", ";
    }
    if (called) rt_buffer_printf(out, ";%s", end);
}

/* Functions, kernels and what they use. */
static void write_definitions(const host_generator *g, rt_buffer *out, const gen_image *image,
                              bool in_one_line)
{
    const char *begin = in_one_line ? "" : CODE_INDENT;
    if (image->increment != 0)
        rt_buffer_printf(out, "%sDEVICE_GLOBAL(int, v%u%s)\n", begin, image->variable,
                         image->has_image_scope ? ", device_image_scope" : "");
    for (uint32_t f = 0; f < GEN_FUNCTIONS; f++) {
        if (!(image->functions & 1u << f)) continue;
        rt_buffer_printf(out, "%sulong %s%s(void) { return ", begin, prefix(g), function_names[f]);
        write_sum(g, out, image, &image->function_bodies[f]);
        rt_buffer_printf(out, "; }\n");
    }
    for (uint32_t k = 0; k < GEN_KERNELS; k++) {
        if (!(image->kernels & 1u << k)) continue;
        rt_buffer_printf(out, "%skernel void %s%s(global ulong *out) { out[0] = ", begin, prefix(g),
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
        write_declarations(g, out, called, constants, false);
    }
    for (uint32_t i = 0; i < g->program.image_count; i++) {
        const gen_image *image = &g->program.images[i];
        if (!is_image_of(image, module)) continue;
        bool in_one_line = !is_joined && is_in_one_line(image);
        if (!is_joined) {
            rt_buffer_printf(out, "%s%s", head, in_one_line ? CODE_INDENT : "");
            write_declarations(g, out, gen_callees(image), gen_constants(image), in_one_line);
        }
        write_definitions(g, out, image, in_one_line);
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

uint32_t gen_host_images(const gen_program *program, uint32_t module)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < program->image_count; i++)
        count += is_image_of(&program->images[i], module);
    return count;
}

/* True if the executable itself has the kernels that work on memories, because a reduction has left
 * it no others. */
static bool holds_work(const host_generator *g)
{
    return gen_host_has_work(g) && gen_host_images(&g->program, 0) == 0;
}

static void write_module(const host_generator *g, rt_buffer *out, uint32_t module)
{
    const gen_program *program = &g->program;
    uint32_t image_count = gen_host_images(program, module);
    work_use use = use_of(g);
    bool needs_work = module == 0 && gen_host_has_work(g) && !holds_work(g);
    bool has_work = module == 0 && holds_work(g) && gen_work_has_kernels(&use);
    rt_buffer_printf(out, "  %s:\n", module_names[module]);
    write_needs(out, program, module, needs_work);
    if (g->roles[module] != GEN_ROLE_LINKING)
        gen_shapes_write_module(g->roles[module], g->shapes.parts, out);
    else if (has_work)
        gen_work_write_sources(&use, out);
    else if (image_count == 0 && program->modules[module].needs == 0 && !needs_work)
        rt_buffer_printf(out, "    host_symbols: []\n");
    if (image_count == 0) return;
    static const char *const formats[] = {[GEN_SPIRV] = "",
                                          [GEN_SPIRV_AND_PTX] = "    formats: [spirv64, ptx]\n",
                                          [GEN_PTX] = "    formats: [ptx]\n"};
    bool is_varied = g->request->variation == GEN_SPLIT;
    bool can_join = is_varied || (image_count > 1 && (g->joined & 1u << module));
    bool is_joined = can_join && is_separate(program, module);
    const char *split = is_joined                      ? "    split: per_kernel\n"
                        : image_count > 1 || is_varied ? "    split: per_source\n"
                                                       : "";
    rt_buffer_printf(out, "%s%s    sources:\n", formats[program->modules[module].format], split);
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
            other->target.place == step->target.place &&
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

/* What names the place of a command, and that of a bundle. */
static const char *const place_keys[GEN_PLACES] = {
    "", ", device: second", [GEN_OTHER_CONTEXT] = ", queue: elsewhere"};
static const char *const bundle_place_keys[GEN_PLACES] = {
    "", ", device: second", [GEN_OTHER_CONTEXT] = ", context: other"};

static bool is_certain(const gen_outcome *outcome)
{
    return outcome->value_count == 1 && !outcome->may_be_refused;
}

/* Writes the name of the memory into which the launch with a number stores its result. Kernels that
 * do not increment a variable leave its place alone, so they share another memory. All names differ
 * in digits alone, so a failure stays the same if memory is shared. */
static void write_output(const host_generator *g, const host_step *step, uint32_t number,
                         rt_buffer *out)
{
    if (!step->shares_memory)
        rt_buffer_printf(out, "out%u", number + 1);
    else
        rt_buffer_printf(out,
                         gen_increments(&g->program, step->image, step->kernel) ? "out0" : "out");
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
    rt_buffer_printf(out, "]%s", place_keys[step->target.place]);
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
                             step->target.place, step->target.setting, step->generation, i);
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
                     bundle_place_keys[step->target.place]);
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

enum { SUFFIX_MAX = 12 };

/* The end of the names of a call's memories. */
static const char *suffix_of(const host_step *step, uint32_t number, char suffix[SUFFIX_MAX])
{
    suffix[0] = '\0';
    if (!step->shares_memory) snprintf(suffix, SUFFIX_MAX, "%u", number);
    return suffix;
}

/* Each step has the memories that it uses to itself, under its number, unless a reduction lets
 * launches share one. */
static void write_memories(const host_generator *g, rt_buffer *out)
{
    bool is_written[] = {false, false}, has_objects = false, has_results = false;
    char suffix[SUFFIX_MAX];
    for (uint32_t i = 0; i < g->step_count; i++) {
        const host_step *step = &g->steps[i];
        if (step->verb == GEN_SHAPE && step->shares_memory) {
            has_objects = true;
            has_results |= !step->call.is_uncalled;
        }
    }
    if (has_objects) gen_shapes_write_memories(has_results, "", out);
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
        if (step->verb == GEN_SHAPE && !step->shares_memory)
            gen_shapes_write_memories(!step->call.is_uncalled, suffix_of(step, i, suffix), out);
        if (step->verb == GEN_COPY_IN)
            rt_buffer_printf(out, "  in%u: {type: int, values: [%d]}\n", i, step->content);
        if (step->verb == GEN_COPY_OUT)
            rt_buffer_printf(out, "  out%u: {type: int, values: [-1]}\n", i + 1);
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
                         place_keys[step->target.place]);
    else
        rt_buffer_printf(out,
                         "  - copy: {from: v%u, to: out%u%s}\n"
                         "  - expect: {memory: out%u, equals: [%d]}\n",
                         variable, number + 1, place_keys[step->target.place], number + 1,
                         step->content);
}

static bool uses_place(const host_generator *g, uint32_t place)
{
    static const uint32_t verbs = 1u << GEN_LAUNCH | 1u << GEN_COPY_IN | 1u << GEN_COPY_OUT |
                                  1u << GEN_BUNDLE | 1u << GEN_SHAPE;
    work_use use = use_of(g);
    bool is_used = place == 1 && (use.queues & 1u << WORK_SECOND);
    for (uint32_t i = 0; i < g->step_count; i++)
        is_used |= (verbs & 1u << g->steps[i].verb) && g->steps[i].target.place == place;
    return is_used;
}

#define OTHER_MODULE "libother"

/* What each process begins with. */
static void write_process(const host_generator *g, work_state *work, rt_buffer *out)
{
    if (g->request->variation == GEN_UNRELATED)
        rt_buffer_printf(out, "  - load: " OTHER_MODULE "\n");
    gen_work_start(work);
    if (uses_place(g, GEN_OTHER_CONTEXT))
        rt_buffer_printf(out,
                         "  - context: {id: other, devices: [first]}\n"
                         "  - queue: {id: elsewhere, context: other%s}\n",
                         form_of(g).in_order ? ", properties: [in_order]" : "");
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
    char suffix[SUFFIX_MAX];
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
        gen_shapes_write_call(&step->call,
                              g->program.without_fp64 & 1u << gen_device_of(step->call.place),
                              place_keys[step->target.place], suffix_of(step, number, suffix), out);
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

/* The modules that the process begins with or a step loads, and what they need. */
static uint32_t used_modules(const host_generator *g)
{
    uint32_t used = 1 | g->program.preloaded;
    for (uint32_t i = 0; i < g->step_count; i++)
        if (g->steps[i].verb == GEN_LOAD) used |= 1u << g->steps[i].module;
    for (uint32_t m = 0; m < g->program.module_count; m++)
        if (used & 1u << m) used |= g->program.modules[m].needs;
    return used;
}

/* The devices, if there are two or something refers to one. A device states whether it has fp64
 * only if code needs it. */
static void write_devices(const host_generator *g, rt_buffer *out)
{
    static const char *const names[GEN_DEVICES] = {"first", "second"};
    uint32_t count = uses_place(g, 1) ? GEN_DEVICES : 1, used = used_modules(g);
    bool needs_fp64 = false;
    for (uint32_t i = 0; i < g->program.image_count; i++) {
        const gen_image *image = &g->program.images[i];
        needs_fp64 |= image->needs_fp64 && (used & 1u << image->module) != 0;
    }
    bool is_precise = g->shapes.parts & 1u << GEN_SHAPE_PRECISE;
    for (uint32_t m = 1; m < g->program.module_count; m++)
        needs_fp64 |= is_precise && g->roles[m] != GEN_ROLE_LINKING && (used & 1u << m) != 0;
    if (count == 1 && !needs_fp64 && !uses_place(g, GEN_OTHER_CONTEXT)) return;
    rt_buffer_printf(out, "devices:\n");
    for (uint32_t d = 0; d < count; d++) {
        const char *answer = g->program.without_fp64 & 1u << d ? "false" : "true";
        if (needs_fp64)
            rt_buffer_printf(out, "  %s: {aspects: {fp64: %s}}\n", names[d], answer);
        else
            rt_buffer_printf(out, "  %s: {}\n", names[d]);
    }
}

static void write_process_keys(const host_generator *g, rt_buffer *out)
{
    const char *before = "process: {";
    for (uint32_t m = 1; m < g->program.module_count; m++) {
        if (!(g->program.preloaded & 1u << m)) continue;
        rt_buffer_printf(out, "%spreload: [%s]", before, module_names[m]);
        before = ", ";
    }
    if (g->has_persistent_cache) {
        rt_buffer_printf(out, "%spersistent_cache: true", before);
        before = ", ";
    }
    if (*before == ',') rt_buffer_printf(out, "}\n");
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
    write_process_keys(g, out);
}

static void write_modules(const host_generator *g, rt_buffer *out)
{
    uint32_t used = used_modules(g);
    rt_buffer_printf(out, "modules:\n");
    for (uint32_t m = 0; m < g->program.module_count; m++)
        if (used & 1u << m) write_module(g, out, m);
    work_use use = use_of(g);
    if (gen_host_has_work(g) && !holds_work(g)) {
        rt_buffer_printf(out, "  " GEN_WORK_MODULE ":\n");
        if (gen_work_has_kernels(&use))
            gen_work_write_sources(&use, out);
        else
            rt_buffer_printf(out, "    host_symbols: []\n");
    }
    if (g->request->variation == GEN_UNRELATED)
        rt_buffer_printf(
            out, "  " OTHER_MODULE ":\n    sources:\n      - language: opencl-c\n        code: |\n"
                 "          ulong other(void) { return 1; }\n"
                 "          kernel void another(global ulong *out) { out[0] = other(); "
                 "}\n");
}

void gen_host_text(const host_generator *g, rt_buffer *out)
{
    write_head(g, out);
    write_modules(g, out);
    rt_buffer memories = {0};
    write_memories(g, &memories);
    if (memories.size > 0)
        rt_buffer_printf(out, "memory:\n%.*s", RT_TEXT_ARG(rt_buffer_text(&memories)));
    rt_buffer steps = {0};
    write_steps(g, &steps);
    rt_buffer_printf(out, "steps:%s\n%.*s", steps.size > 0 ? "" : " []",
                     RT_TEXT_ARG(rt_buffer_text(&steps)));
    rt_buffer_free(&memories);
    rt_buffer_free(&steps);
}
