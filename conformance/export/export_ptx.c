/* Images in PTX for those that are SPIR-V: what the compiler answered to the child whose device
 * takes PTX. */
#include "conformance/export/export_internal.h"

#include "conformance/build/compile.h"

#include <string.h>

/* The translation of an image among the answers; empty: there is none. */
static rt_bytes translation_find(cnf_exporter *exporter, const cnf_messages *messages,
                                 const rt_image *image)
{
    const dev_code code = {.format = image->format, .bytes = image->code};
    rt_buffer request = {0};
    cnf_compile_request_ptx(&request, &code);
    rt_hash hash = rt_hash128(request.data, request.size);
    rt_buffer_free(&request);
    for (uint32_t i = 0; i < messages->artefact_count; i++) {
        const scn_artefact *artefact = &messages->artefacts[i];
        cnf_compile_answer answer;
        if (artefact->request.low != hash.low || artefact->request.high != hash.high) continue;
        rt_status status =
            cnf_compile_answer_read(exporter->sink, exporter->arena, artefact->answer, &answer);
        if (rt_ok(status) && answer.code == RT_OK) return answer.artefact;
    }
    return (rt_bytes){0};
}

void cnf_export_translate(cnf_exporter *exporter, const cnf_messages *messages)
{
    if (!messages || exporter->api->format != RT_FORMAT_PTX) return;
    rt_arena *arena = exporter->arena;
    scn_scenario *scenario = rt_arena_copy(arena, exporter->scenario, 1, sizeof *scenario);
    scn_module *modules =
        rt_arena_copy(arena, scenario->modules, scenario->module_count, sizeof *modules);
    for (uint32_t m = 0; m < scenario->module_count; m++) {
        uint32_t count = modules[m].images.count;
        if (count == 0) continue;
        rt_image *images = rt_arena_copy(arena, modules[m].images.images, count, sizeof *images);
        for (uint32_t i = 0; i < count; i++) {
            if (images[i].format != RT_FORMAT_SPIRV64) continue;
            rt_bytes ptx = translation_find(exporter, messages, &images[i]);
            if (ptx.size == 0) continue;
            images[i].format = RT_FORMAT_PTX;
            images[i].code = ptx;
        }
        modules[m].images.images = images;
    }
    scenario->modules = modules;
    exporter->scenario = scenario;
}
