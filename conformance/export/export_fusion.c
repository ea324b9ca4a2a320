/* Lists of kernels: a queue in fusion mode holds them back, and when the list ends, the trace says
 * whether they were fused into one kernel or ran one by one. The fused kernel is a separate image;
 * the compiler's answer maps its parameters to arguments of the list.
 *
 * The runtime decides what ends a list early, which a device cannot observe, so this exporter
 * allows no other step between the kernels of a list. Source: document 001 (KernelFusionJIT.md),
 * "Fusion Process". */
#include "conformance/export/export_internal.h"

#include "conformance/build/compile.h"

void cnf_export_fused_find(cnf_exporter *exporter, const cnf_messages *messages)
{
    uint32_t count = messages ? messages->artefact_count : 0;
    cnf_export_fused *fused = rt_arena_alloc_array(exporter->arena, count, sizeof *fused);
    CHECK(exporter->fused_count == 0);
    for (uint32_t i = 0; i < count; i++) {
        cnf_compile_answer answer;
        rt_fusion_result result;
        rt_status status = cnf_compile_answer_read(exporter->sink, exporter->arena,
                                                   messages->artefacts[i].answer, &answer);
        if (!rt_ok(status) || answer.code != RT_OK) continue;
        status = rt_fusion_result_read(exporter->sink, exporter->arena, answer.artefact, &result);
        if (!rt_ok(status)) continue; /* the artefact is not a fused kernel */
        fused[exporter->fused_count++] = (cnf_export_fused){result.image.kernels[0], result};
    }
    CHECK(exporter->fused_count <= count);
    exporter->fused = fused;
}

static rt_status fused_write(cnf_exporter *exporter, const scn_step *step)
{
    const cnf_export_command *command;
    RT_TRY(cnf_export_command_take(exporter, step, CNF_EXPORT_LAUNCH, &command));
    CHECK(command->kind == CNF_EXPORT_LAUNCH && command->fused); /* checked by the caller */
    const cnf_export_fused *fused = NULL;
    for (uint32_t i = 0; i < exporter->fused_count && !fused; i++)
        if (rt_text_equal(exporter->fused[i].kernel, command->kernel)) fused = &exporter->fused[i];
    uint64_t local[RT_ND_RANGE_DIMENSIONS];
    if (!fused)
        return cnf_export_refuse(exporter, step->at, "a fused kernel that was not compiled");
    rt_buffer_printf(&exporter->body, "\n    /* Line %u: %u kernels fused into one. */\n",
                     step->at.line, exporter->list.count);
    RT_TRY(cnf_export_program_write(exporter, step, command->program, false, false));
    RT_TRY(cnf_export_group_find(exporter, command->program, command->kernel, local));
    rt_buffer_printf(&exporter->body,
                     "    {\n        kernel_handle kernel = kernel_of(program_%u, ",
                     command->program);
    cnf_export_literal(&exporter->body, command->kernel);
    rt_buffer_printf(&exporter->body, ");\n");
    /* The fused kernel's arguments are those of its original kernels. */
    for (uint32_t i = 0; i < fused->result.parameter_count; i++) {
        rt_fusion_place place = fused->result.parameters[i];
        const scn_submit *submit =
            place.kernel < exporter->list.count
                ? &exporter->scenario->steps[exporter->list.items[place.kernel]].submit
                : NULL;
        if (!submit || place.parameter >= submit->argument_count)
            return cnf_export_refuse(exporter, step->at, "a fused kernel with other parameters");
        cnf_export_argument_write(exporter, i, &submit->arguments[place.parameter]);
    }
    cnf_export_launch_end(exporter, command->range.dimensions, command->range.offset,
                          command->range.global,
                          command->range.local[0] > 0 ? command->range.local : local);
    return RT_STATUS_OK;
}

rt_status cnf_export_list_write(cnf_exporter *exporter, const scn_step *step)
{
    if (step->outcome_count > 0)
        return cnf_export_refuse(exporter, step->at, "a choice of how a fusion is refused");
    if (step->error) return cnf_export_refusal_write(exporter, step);
    if (step->verb == SCN_VERB_START_FUSION) {
        if (exporter->list_queue != SCN_NONE)
            return cnf_export_refuse(exporter, step->at, "a second list while one is open");
        CHECK(exporter->list.count == 0);
        exporter->list_queue = step->fusion.queue;
        return RT_STATUS_OK;
    }
    if (exporter->list_queue != step->fusion.queue) return RT_STATUS_OK;
    /* The trace says how the list ended: with a launch of a fused kernel, or with one launch per
     * submit. */
    rt_status status = RT_STATUS_OK;
    bool fuses = exporter->list.count > 0 && exporter->command < exporter->trace.command_count &&
                 exporter->trace.commands[exporter->command].fused;
    exporter->list_queue = SCN_NONE;
    if (fuses) status = fused_write(exporter, step);
    for (uint32_t i = 0; !fuses && i < exporter->list.count && rt_ok(status); i++)
        status =
            cnf_export_single_write(exporter, &exporter->scenario->steps[exporter->list.items[i]]);
    exporter->list.count = 0;
    return status;
}
