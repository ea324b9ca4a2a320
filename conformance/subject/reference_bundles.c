/* Runs a scenario's kernel bundle steps on the reference runtime. */
#include "conformance/subject/reference.h"

const rt_bundle *cnf_reference_bundle_at(const cnf_reference *reference, uint32_t number)
{
    CHECK(number < reference->bundles.count);
    return reference->bundles.items[number];
}

static rt_status bundle_get(cnf_execution *execution, const scn_bundle *declared, uint32_t context,
                            rt_bundle **out_bundle)
{
    static const rt_bundle_state states[SCN_BUNDLE_STATE_COUNT] = {
        [SCN_BUNDLE_INPUT] = RT_BUNDLE_INPUT,
        [SCN_BUNDLE_OBJECT] = RT_BUNDLE_OBJECT,
        [SCN_BUNDLE_EXECUTABLE] = RT_BUNDLE_EXECUTABLE,
    };
    cnf_reference *reference = cnf_reference_of(execution);
    const rt_device *device = reference->devices[declared->device];
    rt_context_id id = context == CNF_NO_OBJECT ? 0 : context;
    RT_TRY(cnf_reference_check_context(execution, id, device));
    rt_spec_constant *constants =
        cnf_reference_constants(declared->constants, declared->constant_count);
    const rt_bundle_request request = {
        .state = states[declared->state],
        .device = device,
        .context = id,
        .kernels = declared->kernels,
        .kernel_count = declared->kernel_count,
        .constants = constants,
        .constant_count = declared->constant_count,
    };
    rt_status status = rt_bundle_get(rt_runtime_programs(reference->runtime), &request, out_bundle);
    rt_free(constants);
    return status;
}

rt_status cnf_reference_bundle(cnf_execution *execution, const scn_bundle *declared,
                               uint32_t context, const uint32_t *numbers, uint32_t *out_bundle)
{
    cnf_reference *reference = cnf_reference_of(execution);
    rt_program_manager *programs = rt_runtime_programs(reference->runtime);
    const uint32_t count = declared->source_count;
    const rt_bundle **sources = rt_arena_alloc_array(&execution->arena, count, sizeof *sources);
    for (uint32_t i = 0; i < count; i++)
        sources[i] = cnf_reference_bundle_at(reference, numbers[i]);

    rt_bundle *bundle = NULL;
    switch (declared->action) {
    case SCN_BUNDLE_GET: RT_TRY(bundle_get(execution, declared, context, &bundle)); break;
    case SCN_BUNDLE_COMPILE:
        RT_TRY(rt_bundle_compile(programs, sources[0], declared->options, &bundle));
        break;
    case SCN_BUNDLE_LINK:
        RT_TRY(rt_bundle_link(programs, sources, count, declared->options, &bundle));
        break;
    case SCN_BUNDLE_BUILD: RT_TRY(rt_bundle_build(programs, sources[0], &bundle)); break;
    case SCN_BUNDLE_JOIN: RT_TRY(rt_bundle_join(programs, sources, count, &bundle)); break;
    case SCN_BUNDLE_ACTION_COUNT: UNREACHABLE();
    }
    rt_runtime_bundle_keep(reference->runtime, bundle);
    *out_bundle = reference->bundles.count;
    *rt_vector_push(&reference->bundles) = bundle;
    return RT_STATUS_OK;
}

rt_status cnf_reference_bundle_show(cnf_execution *execution, uint32_t number,
                                    cnf_bundle_content *out_content)
{
    const rt_bundle *bundle = cnf_reference_bundle_at(cnf_reference_of(execution), number);
    out_content->unit_count = rt_bundle_unit_count(bundle);
    out_content->kernels =
        rt_bundle_kernels(bundle, &out_content->arena, &out_content->kernel_count);
    out_content->shows_images = true;
    out_content->images = rt_bundle_images(bundle, &out_content->arena, &out_content->image_count);
    return RT_STATUS_OK;
}
