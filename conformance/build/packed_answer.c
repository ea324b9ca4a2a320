/* Looking up answers in a packed scenario. Workload: a handful of answers per scenario, so a linear
 * search is enough. */
#include "conformance/build/packed_answer.h"

#include "conformance/build/answer.h"

bool cnf_answer_travels(const cnf_compile_answer *answer)
{
    if (answer->code == RT_UNAVAILABLE) return answer->name_count > 0;
    return answer->code != RT_TOOL;
}

bool cnf_packed_answer(const scn_scenario *scenario, rt_bytes request, rt_buffer *out_answer)
{
    CHECK(scenario->packed);
    const rt_hash hash = rt_hash128(request.data, request.size);
    for (uint32_t i = 0; i < scenario->artefact_count; i++) {
        const scn_artefact *artefact = &scenario->artefacts[i];
        if (artefact->request.low != hash.low || artefact->request.high != hash.high) continue;
        rt_buffer_append(out_answer, artefact->answer.data, artefact->answer.size);
        return true;
    }
    const rt_text capability = RT_TEXT(CNF_PACKED_CAPABILITY);
    cnf_answer_write(out_answer, &(cnf_compile_answer){
                                     .code = RT_UNAVAILABLE,
                                     .message = RT_TEXT(CNF_PACKED_MISSING),
                                     .names = &capability,
                                     .name_count = 1,
                                 });
    return false;
}
