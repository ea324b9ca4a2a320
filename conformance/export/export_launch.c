/* Submits: the arguments, the range, and the launch; a submit in a list is written when the list
 * ends. */
#include "conformance/export/export_internal.h"

#include "backends/ptx/kernels.h"

#include <string.h>

/* ---- Arguments ----------------------------------------------------------------------------- */

void cnf_export_argument_write(cnf_exporter *exporter, uint32_t index, const scn_argument *argument)
{
    rt_buffer *out = &exporter->body;
    switch (argument->kind) {
    case SCN_ARGUMENT_MEMORY:
        rt_buffer_printf(out, "        argument_memory(kernel, %u, &m_%s);\n", index,
                         cnf_export_memory(exporter, argument->memory));
        return;
    case SCN_ARGUMENT_LOCAL:
        rt_buffer_printf(out, "        argument_local(kernel, %u, %llu);\n", index,
                         (unsigned long long)argument->size);
        return;
    case SCN_ARGUMENT_VALUE:
        rt_buffer_printf(out, "        unsigned char value_%u[] = {", index);
        cnf_export_bytes(out, argument->value);
        rt_buffer_printf(out, "}; /* little-endian */\n");
        for (uint32_t i = 0; i < argument->pointer_count; i++) {
            const scn_inner_pointer *inner = &argument->pointers[i];
            rt_buffer_printf(out, "        pointer_put(value_%u, %llu, &m_%s, %llu);\n", index,
                             (unsigned long long)inner->at,
                             cnf_export_memory(exporter, inner->memory),
                             (unsigned long long)inner->offset);
        }
        rt_buffer_printf(out, "        argument_value(kernel, %u, value_%u, %zu);\n", index, index,
                         argument->value.size);
        return;
    case SCN_ARGUMENT_POINTER:
        rt_buffer_printf(out, "        argument_pointer(kernel, %u, &m_%s, %llu);\n", index,
                         cnf_export_memory(exporter, argument->memory),
                         (unsigned long long)argument->offset);
        return;
    case SCN_ARGUMENT_NULL:
        rt_buffer_printf(out, "        argument_pointer(kernel, %u, NULL, 0);\n", index);
        return;
    case SCN_ARGUMENT_KIND_COUNT: break;
    }
    UNREACHABLE();
}

/* ---- Launches ------------------------------------------------------------------------------ */

static void sizes_write(rt_buffer *out, const char *name, const uint64_t *sizes)
{
    rt_buffer_printf(out, "        const size_t %s[3] = {%llu, %llu, %llu};\n", name,
                     (unsigned long long)sizes[0], (unsigned long long)sizes[1],
                     (unsigned long long)sizes[2]);
}

rt_status cnf_export_group_find(const cnf_exporter *exporter, uint32_t program, rt_text kernel,
                                uint64_t *out_group)
{
    CHECK(program < exporter->trace.program_count);
    const cnf_export_program *traced = &exporter->trace.programs[program];
    ptx_kernels kernels = {0};
    rt_status status = RT_STATUS_OK;
    bool is_text = exporter->api->format == RT_FORMAT_PTX;
    for (uint32_t i = 0; i < traced->image_count && is_text && rt_ok(status); i++) {
        const rt_image *image = cnf_export_image(exporter, traced->images[i]);
        rt_text text = {(const char *)image->code.data, image->code.size};
        status = ptx_kernels_add(exporter->sink, &kernels, text);
    }
    const ptx_kernel *match = is_text && rt_ok(status) ? ptx_kernels_find(&kernels, kernel) : NULL;
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++)
        out_group[d] = match ? match->required_local[d] : 0;
    ptx_kernels_free(&kernels);
    return status;
}

/* True if the compiler dropped parameters of a kernel, as a DPC++ property set reports
 * (reference/sched/eliminated.c). */
static bool lacks_parameters(const cnf_exporter *exporter, uint32_t program, rt_text kernel)
{
    CHECK(program < exporter->trace.program_count);
    const cnf_export_program *traced = &exporter->trace.programs[program];
    for (uint32_t i = 0; i < traced->image_count; i++) {
        const rt_image *image = cnf_export_image(exporter, traced->images[i]);
        const rt_property_set *set = rt_image_set(image, "SYCL/kernel param opt");
        for (uint32_t k = 0; set && k < set->property_count; k++) {
            const rt_property *property = &set->properties[k];
            if (!rt_text_equal(property->name, kernel)) continue;
            for (size_t at = 0; at < property->bytes.size; at++)
                if (property->bytes.data[at] != 0) return true;
        }
    }
    return false;
}

void cnf_export_launch_end(cnf_exporter *exporter, uint32_t dimensions, const uint64_t *offset,
                           const uint64_t *global, const uint64_t *local)
{
    rt_buffer *out = &exporter->body;
    bool has_local = local[0] > 0;
    CHECK(dimensions <= RT_ND_RANGE_DIMENSIONS);
    sizes_write(out, "offset", offset);
    sizes_write(out, "global", global);
    if (has_local) sizes_write(out, "local", local);
    if (exporter->prints) rt_buffer_printf(out, "        output_begin();\n");
    rt_buffer_printf(out, "        launch(kernel, %u, offset, global, %s);\n", dimensions,
                     has_local ? "local" : "NULL");
    if (exporter->prints) rt_buffer_printf(out, "        finish();\n        output_end();\n");
    rt_buffer_printf(out, "    }\n");
}

static rt_status launch_write(cnf_exporter *exporter, const scn_step *step, uint32_t program)
{
    const scn_submit *submit = &step->submit;
    rt_buffer *out = &exporter->body;
    uint64_t local[RT_ND_RANGE_DIMENSIONS];
    memcpy(local, submit->local, sizeof local);
    if (submit->non_uniform)
        return cnf_export_refuse(exporter, step->at,
                                 "a launch with work-groups of different sizes");
    if (lacks_parameters(exporter, program, submit->kernel))
        return cnf_export_refuse(exporter, step->at,
                                 "a kernel from which the compiler dropped parameters");
    if (local[0] == 0) RT_TRY(cnf_export_group_find(exporter, program, submit->kernel, local));
    rt_buffer_printf(out, "    ");
    if (step->outcome_count > 0) rt_buffer_printf(out, "if (program_%u) ", program);
    rt_buffer_printf(out, "{\n        kernel_handle kernel = kernel_of(program_%u, ", program);
    cnf_export_literal(out, submit->kernel);
    rt_buffer_printf(out, ");\n");
    for (uint32_t i = 0; i < submit->argument_count; i++)
        cnf_export_argument_write(exporter, i, &submit->arguments[i]);
    cnf_export_launch_end(exporter, submit->dimensions, submit->offset, submit->range, local);
    return RT_STATUS_OK;
}

rt_status cnf_export_single_write(cnf_exporter *exporter, const scn_step *step)
{
    const scn_submit *submit = &step->submit;
    const cnf_export_command *command;
    if (submit->constant_count > 0 && !exporter->api->spec_constants)
        return cnf_export_refuse(exporter, step->at, "a specialisation constant");
    RT_TRY(cnf_export_command_take(exporter, step, CNF_EXPORT_LAUNCH, &command));
    if (command->kind == CNF_EXPORT_RUNTIME_REFUSED) {
        rt_buffer_printf(
            &exporter->body,
            "\n    /* Line %u: the runtime refuses kernel %.*s without calling the device. */\n",
            step->at.line, RT_TEXT_ARG(submit->kernel));
        return RT_STATUS_OK;
    }
    bool may_fail = step->outcome_count > 0;
    bool refused = command->kind == CNF_EXPORT_DEVICE_REFUSED;
    exporter->alternatives = exporter->alternatives || may_fail;
    rt_buffer_printf(&exporter->body, "\n    /* Line %u: kernel %.*s", step->at.line,
                     RT_TEXT_ARG(submit->kernel));
    rt_buffer_printf(&exporter->body,
                     refused && !may_fail ? ", whose program must be refused. */\n" : ". */\n");
    RT_TRY(cnf_export_program_write(exporter, step, command->program, refused, may_fail));
    if (refused && !may_fail) return RT_STATUS_OK;
    return launch_write(exporter, step, command->program);
}

rt_status cnf_export_submit_write(cnf_exporter *exporter, uint32_t step)
{
    CHECK(step < exporter->scenario->step_count);
    const scn_step *submit = &exporter->scenario->steps[step];
    CHECK(submit->verb == SCN_VERB_SUBMIT);
    if (exporter->list_queue == SCN_NONE || submit->submit.command.queue != exporter->list_queue)
        return cnf_export_single_write(exporter, submit);
    if (submit->error || submit->outcome_count > 0)
        return cnf_export_refuse(exporter, submit->at, "the refusal of a kernel of a list");
    *rt_vector_push(&exporter->list) = step;
    return RT_STATUS_OK;
}
