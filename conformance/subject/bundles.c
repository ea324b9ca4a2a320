/* The steps that make kernel bundles, and what is expected of the bundles. */
#include "conformance/subject/execute.h"

#include "reference/base/alloc.h"

#include <inttypes.h>

rt_status cnf_bundle_of(cnf_execution *execution, uint32_t step, uint32_t *out_bundle)
{
    *out_bundle = execution->results[step].bundle;
    if (*out_bundle != CNF_NOT_MADE) return RT_STATUS_OK;
    return rt_fail(execution->sink, RT_ERRC_INVALID, RT_RULE_NONE, "bundle '%.*s' was not made",
                   RT_TEXT_ARG(execution->scenario->steps[step].id));
}

rt_status cnf_run_bundle(cnf_execution *execution, uint32_t index)
{
    const scn_bundle *bundle = &execution->scenario->steps[index].bundle;
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

static bool holds(const rt_text *texts, uint32_t count, rt_text wanted)
{
    for (uint32_t i = 0; i < count; i++) {
        if (rt_text_equal(texts[i], wanted)) return true;
    }
    return false;
}

/* True if the bundle has, or lacks, all of the kernels. */
static bool kernels_are(cnf_execution *execution, const cnf_bundle_content *content,
                        const rt_text *kernels, uint32_t count, bool wanted,
                        cnf_emitted_check *check)
{
    for (uint32_t i = 0; i < count; i++) {
        if (holds(content->kernels, content->kernel_count, kernels[i]) == wanted) continue;
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

static bool units_are(cnf_execution *execution, const scn_expect *expect,
                      const cnf_bundle_content *content, cnf_emitted_check *check)
{
    if (!expect->bundle.has_unit_count || content->unit_count == expect->bundle.unit_count)
        return true;
    check->code =
        content->unit_count > expect->bundle.unit_count ? RT_TEXT("more") : RT_TEXT("fewer");
    check->message =
        rt_arena_printf(&execution->arena,
                        "bundle '%.*s' was expected to have %" PRIu64 " device images; it has %u",
                        RT_TEXT_ARG(check->what), expect->bundle.unit_count, content->unit_count);
    return false;
}

static bool images_are(cnf_execution *execution, const scn_expect *expect,
                       const cnf_bundle_content *content, cnf_emitted_check *check)
{
    if (expect->bundle.image_count == 0 || !content->shows_images) return true;
    bool same = content->image_count == expect->bundle.image_count;
    for (uint32_t i = 0; i < expect->bundle.image_count && same; i++) {
        /* Both directions: an expectation that names an image twice must not hide another. */
        same = holds(content->images, content->image_count, expect->bundle.images[i]) &&
               holds(expect->bundle.images, expect->bundle.image_count, content->images[i]);
    }
    if (same) return true;
    rt_buffer found = {0};
    for (uint32_t i = 0; i < content->image_count; i++)
        rt_buffer_printf(&found, "%s%.*s", i ? ", " : "", RT_TEXT_ARG(content->images[i]));
    check->code = RT_TEXT("images");
    check->message = rt_arena_printf(&execution->arena,
                                     "bundle '%.*s' is made of other images than expected: %s",
                                     RT_TEXT_ARG(check->what), rt_buffer_string(&found));
    rt_buffer_free(&found);
    return false;
}

void cnf_evaluate_bundle(cnf_execution *execution, const scn_expect *expect,
                         cnf_emitted_check *check)
{
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
    } else {
        bool asks = expect->bundle.has_count + expect->bundle.lacks_count > 0 ||
                    expect->bundle.has_unit_count;
        check->observed = content.shows_images || asks;
        check->ok = kernels_are(execution, &content, expect->bundle.has, expect->bundle.has_count,
                                true, check) &&
                    kernels_are(execution, &content, expect->bundle.lacks,
                                expect->bundle.lacks_count, false, check) &&
                    units_are(execution, expect, &content, check) &&
                    images_are(execution, expect, &content, check);
    }
    rt_arena_reset(&content.arena);
}
