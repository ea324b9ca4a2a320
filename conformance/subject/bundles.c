/* Runs steps that create kernel bundles, and evaluates expectations about bundles. */
#include "conformance/subject/execute.h"

#include "reference/base/alloc.h"

#include <inttypes.h>

rt_status cnf_bundle_number(cnf_execution *execution, uint32_t step, uint32_t *out_bundle)
{
    CHECK(step < execution->scenario->step_count);
    *out_bundle = execution->results[step].bundle;
    if (*out_bundle != CNF_NO_OBJECT) return RT_STATUS_OK;
    return rt_fail(execution->sink, RT_ERRC_INVALID, RT_RULE_NONE, "bundle '%.*s' was not created",
                   RT_TEXT_ARG(execution->scenario->steps[step].id));
}

rt_status cnf_run_bundle(cnf_execution *execution, uint32_t index)
{
    const scn_bundle *bundle = &execution->scenario->steps[index].bundle;
    CHECK(execution->scenario->steps[index].verb == SCN_VERB_BUNDLE);
    uint32_t context =
        bundle->context == SCN_NONE ? CNF_NO_OBJECT : execution->results[bundle->context].context;
    uint32_t *sources = rt_alloc_array(bundle->source_count + 1, sizeof *sources);
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 0; i < bundle->source_count && rt_ok(status); i++)
        status = cnf_bundle_number(execution, bundle->sources[i], &sources[i]);
    if (rt_ok(status))
        status = execution->runtime->operations->bundle(execution, bundle, context, sources,
                                                        &execution->results[index].bundle);
    rt_free(sources);
    return status;
}

/* ---- Expectations ------------------------------------------------------------------------- */

/* True if the bundle has, or lacks, all of the kernels. */
static bool kernels_are(cnf_execution *execution, const cnf_bundle_content *content,
                        const rt_text *kernels, uint32_t count, bool is_expected,
                        cnf_emitted_check *check)
{
    for (uint32_t i = 0; i < count; i++) {
        bool found = false;
        for (uint32_t k = 0; k < content->kernel_count && !found; k++)
            found = rt_text_equal(content->kernels[k], kernels[i]);
        if (found == is_expected) continue;
        check->code = is_expected ? RT_TEXT("lacks") : RT_TEXT("has");
        check->place = kernels[i];
        check->message = rt_arena_printf(
            &execution->arena, "kernel '%.*s' was expected %s in bundle '%.*s', but is%s",
            RT_TEXT_ARG(kernels[i]), is_expected ? "to be" : "not to be", RT_TEXT_ARG(check->what),
            is_expected ? " not" : "");
        return false;
    }
    return true;
}

void cnf_evaluate_bundle(cnf_execution *execution, const scn_expect *expect,
                         cnf_emitted_check *check)
{
    const uint32_t image_count = expect->bundle.image_count;
    cnf_bundle_content content = {0};
    uint32_t bundle = CNF_NO_OBJECT;
    check->kind = "bundle";
    check->what = execution->scenario->steps[expect->bundle.step].id;
    rt_status status = cnf_bundle_number(execution, expect->bundle.step, &bundle);
    if (rt_ok(status))
        status = execution->runtime->operations->bundle_show(execution, bundle, &content);
    if (!rt_ok(status)) {
        check->code = rt_text_of(rt_code_name(status.code));
        check->message = rt_sink_diagnostic(execution->sink, status)->message;
        rt_arena_reset(&content.arena);
        return;
    }
    bool asks =
        expect->bundle.has_count + expect->bundle.lacks_count > 0 || expect->bundle.has_unit_count;
    check->observed = content.shows_images || asks;
    check->ok = kernels_are(execution, &content, expect->bundle.has, expect->bundle.has_count, true,
                            check) &&
                kernels_are(execution, &content, expect->bundle.lacks, expect->bundle.lacks_count,
                            false, check);
    if (check->ok && expect->bundle.has_unit_count &&
        content.unit_count != expect->bundle.unit_count) {
        bool has_too_many = content.unit_count > expect->bundle.unit_count;
        check->ok = false;
        check->code = has_too_many ? RT_TEXT("more") : RT_TEXT("fewer");
        check->message = rt_arena_printf(
            &execution->arena,
            "bundle '%.*s' was expected to have %" PRIu64 " device images; it has %u",
            RT_TEXT_ARG(check->what), expect->bundle.unit_count, content.unit_count);
    }
    if (check->ok && image_count > 0 && content.shows_images &&
        !cnf_images_equal(content.images, content.image_count, expect->bundle.images,
                          image_count)) {
        rt_text found = cnf_images_print(&execution->arena, content.images, content.image_count);
        check->ok = false;
        check->code = RT_TEXT("images");
        check->message = rt_arena_printf(
            &execution->arena, "bundle '%.*s' does not have the expected images; it has %.*s",
            RT_TEXT_ARG(check->what), RT_TEXT_ARG(found));
    }
    rt_arena_reset(&content.arena);
}
