/* The steps that make kernel bundles, and what is expected of the bundles. */
#include "conformance/subject/execute.h"

#include "reference/base/alloc.h"

#include <inttypes.h>

rt_status cnf_bundle_of(cnf_execution *execution, uint32_t step, uint32_t *out_bundle)
{
    CHECK(step < execution->scenario->step_count);
    *out_bundle = execution->results[step].bundle;
    if (*out_bundle != CNF_NOT_MADE) return RT_STATUS_OK;
    return rt_fail(execution->sink, RT_ERRC_INVALID, RT_RULE_NONE, "bundle '%.*s' was not made",
                   RT_TEXT_ARG(execution->scenario->steps[step].id));
}

rt_status cnf_run_bundle(cnf_execution *execution, uint32_t index)
{
    const scn_bundle *bundle = &execution->scenario->steps[index].bundle;
    CHECK(execution->scenario->steps[index].verb == SCN_VERB_BUNDLE);
    uint32_t context =
        bundle->context == SCN_NONE ? CNF_NOT_MADE : execution->results[bundle->context].context;
    uint32_t *sources = rt_alloc_array(bundle->source_count + 1, sizeof *sources);
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 0; i < bundle->source_count && rt_ok(status); i++)
        status = cnf_bundle_of(execution, bundle->sources[i], &sources[i]);
    if (rt_ok(status))
        status = execution->runtime->operations->bundle(execution, bundle, context, sources,
                                                        &execution->results[index].bundle);
    rt_free(sources);
    return status;
}

/* ---- Expectations ------------------------------------------------------------------------- */

/* True if the bundle has, or lacks, all of the kernels. */
static bool kernels_are(cnf_execution *execution, const cnf_bundle_content *content,
                        const rt_text *kernels, uint32_t count, bool wanted,
                        cnf_emitted_check *check)
{
    for (uint32_t i = 0; i < count; i++) {
        bool has = false;
        for (uint32_t k = 0; k < content->kernel_count && !has; k++)
            has = rt_text_equal(content->kernels[k], kernels[i]);
        if (has == wanted) continue;
        check->code = wanted ? RT_TEXT("lacks") : RT_TEXT("has");
        check->place = kernels[i];
        check->message = rt_arena_printf(&execution->arena,
                                         "kernel '%.*s' was expected %s in bundle '%.*s', and is%s",
                                         RT_TEXT_ARG(kernels[i]), wanted ? "to be" : "not to be",
                                         RT_TEXT_ARG(check->what), wanted ? " not" : "");
        return false;
    }
    return true;
}

void cnf_evaluate_bundle(cnf_execution *execution, const scn_expect *expect,
                         cnf_emitted_check *check)
{
    const uint32_t image_count = expect->bundle.image_count;
    cnf_bundle_content content = {0};
    uint32_t bundle = CNF_NOT_MADE;
    check->kind = "bundle";
    check->what = execution->scenario->steps[expect->bundle.step].id;
    rt_status status = cnf_bundle_of(execution, expect->bundle.step, &bundle);
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
        bool more = content.unit_count > expect->bundle.unit_count;
        check->ok = false;
        check->code = more ? RT_TEXT("more") : RT_TEXT("fewer");
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
            &execution->arena, "bundle '%.*s' is made of other images than expected: %.*s",
            RT_TEXT_ARG(check->what), RT_TEXT_ARG(found));
    }
    rt_arena_reset(&content.arena);
}
