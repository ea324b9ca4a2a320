/* Compares the types that a scenario writes with those that its SPIR-V declares. */
#include "conformance/run/value_types.h"

#include "conformance/build/spirv_outline.h"
#include "conformance/scenario/model/type.h"
#include "reference/base/vector.h"

typedef RT_VECTOR(cnf_spirv_outline) outline_list;

/* Reads the SPIR-V images of the scenario. */
static void outlines_read(rt_arena *arena, const scn_scenario *scenario, outline_list *out_outlines)
{
    for (uint32_t m = 0; m < scenario->module_count; m++) {
        const rt_image_list *images = &scenario->modules[m].images;
        for (uint32_t i = 0; i < images->count; i++) {
            cnf_spirv_outline outline;
            if (cnf_spirv_outline_read(arena, images->images[i].code, &outline))
                *rt_vector_push(out_outlines) = outline;
        }
    }
}

/* Finds a kernel; NULL: there is none. */
static const cnf_kernel_outline *kernel_find(const outline_list *outlines, rt_text name)
{
    const cnf_kernel_outline *kernel = NULL;
    for (uint32_t i = 0; i < outlines->count && !kernel; i++)
        kernel = cnf_spirv_outline_kernel(&outlines->items[i], name);
    return kernel;
}

/* True if only one of the two types has floating-point numbers, although both have the same size: a
 * value of another size is refused by the runtime. */
static bool is_mistaken(const scn_argument *argument, const cnf_parameter *parameter)
{
    scn_type type;
    uint32_t lanes;
    if (argument->kind != SCN_ARGUMENT_VALUE || argument->layout.field_count != 1 ||
        argument->layout.size != parameter->size || parameter->kind != CNF_PARAMETER_VALUE ||
        !scn_type_find(parameter->type, &type, &lanes))
        return false;
    bool is_floating = scn_type_class(type) == 'f';
    return is_floating != scn_layout_is_floating(&argument->layout);
}

static bool launch_check(rt_arena *arena, const cnf_kernel_outline *kernel, const scn_step *step,
                         scn_position *out_at, rt_text *out_problem)
{
    if (!kernel || kernel->parameter_count != step->submit.argument_count) return true;
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const scn_argument *argument = &step->submit.arguments[i];
        const cnf_parameter *parameter = &kernel->parameters[i];
        if (!is_mistaken(argument, parameter)) continue;
        bool is_floating = scn_layout_is_floating(&argument->layout);
        rt_text name = {0};
        if (parameter->name.length > 0)
            name = rt_arena_printf(arena, " '%.*s'", RT_TEXT_ARG(parameter->name));
        *out_at = argument->at;
        *out_problem = rt_arena_printf(
            arena,
            "parameter %u%.*s of kernel '%.*s' has type %.*s, but the value is %s; write "
            "{%.*s: VALUE}, or {bytes: \"…\"} to pass bits",
            i + 1, RT_TEXT_ARG(name), RT_TEXT_ARG(kernel->name), RT_TEXT_ARG(parameter->type),
            is_floating ? "a floating-point number" : "an integer", RT_TEXT_ARG(parameter->type));
        return false;
    }
    return true;
}

static bool has_value(const scn_step *step)
{
    for (uint32_t i = 0; i < step->submit.argument_count; i++)
        if (step->submit.arguments[i].kind == SCN_ARGUMENT_VALUE) return true;
    return false;
}

bool cnf_value_types_check(rt_arena *arena, const scn_scenario *scenario, scn_position *out_at,
                           rt_text *out_problem)
{
    rt_arena scratch = {0};
    outline_list outlines = {0};
    bool is_read = false, is_valid = true;
    for (uint32_t i = 0; i < scenario->step_count && is_valid; i++) {
        const scn_step *step = &scenario->steps[i];
        if (step->verb != SCN_VERB_SUBMIT || !has_value(step)) continue;
        if (!is_read) outlines_read(&scratch, scenario, &outlines);
        is_read = true;
        const cnf_kernel_outline *kernel = kernel_find(&outlines, step->submit.kernel);
        is_valid = launch_check(arena, kernel, step, out_at, out_problem);
    }
    rt_vector_free(&outlines);
    rt_arena_reset(&scratch);
    return is_valid;
}
