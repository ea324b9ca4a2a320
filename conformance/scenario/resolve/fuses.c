/* Determines from a scenario's steps whether it is about kernel fusion, before anything is
 * compiled.
 */
#include "conformance/scenario/model/scenario.h"

/* Looks for the fusion verbs, for queues with enable_fusion, and for steps that exist only to end a
 * fusion. */
bool scn_scenario_fuses(const scn_scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        switch (scenario->steps[i].verb) {
        case SCN_VERB_START_FUSION:
        case SCN_VERB_COMPLETE_FUSION:
        case SCN_VERB_CANCEL_FUSION:
        case SCN_VERB_END_QUEUE: return true;
        case SCN_VERB_END_MEMORY:
            if (scn_part_step(scenario, scenario->steps[i].memory) == SCN_NONE) return true;
            break;
        case SCN_VERB_QUEUE:
            if (scenario->steps[i].queue.enable_fusion) return true;
            break;
        default: break;
        }
    }
    return false;
}

uint32_t scn_part_step(const scn_scenario *scenario, uint32_t memory)
{
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        const scn_step *step = &scenario->steps[i];
        if (step->verb == SCN_VERB_SUB_BUFFER && step->part.memory == memory) return i;
    }
    return SCN_NONE;
}
