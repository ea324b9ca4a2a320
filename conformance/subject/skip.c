/* What scenarios need of a device, as a table: the capability, who needs it, what is said. */
#include "conformance/subject/skip.h"

static bool needs_findings(const scn_scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        for (uint32_t k = 0; k < scenario->steps[i].expect_count; k++) {
            if (scenario->steps[i].expect[k].kind == SCN_EXPECT_FINDING) return true;
        }
    }
    return false;
}

static bool needs_usm(const scn_scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->memory_count; i++) {
        if (scenario->memories[i].kind != SCN_MEMORY_BUFFER) return true;
    }
    return false;
}

static bool needs_spec_constants(const scn_scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        if (scenario->steps[i].submit.constant_count > 0) return true;
    }
    return false;
}

typedef struct need_row {
    const char *capability;
    bool (*needed)(const scn_scenario *scenario);
    size_t offset; /* of the bool in dev_capabilities */
    const char *message;
} need_row;

static const need_row needs[] = {
    {"finds_faults", needs_findings, offsetof(dev_capabilities, finds_faults),
     "the scenario expects a finding; this device reports none"},
    {"usm", needs_usm, offsetof(dev_capabilities, usm),
     "the scenario has unified shared memory; this device has none"},
    {"spec_constants", needs_spec_constants, offsetof(dev_capabilities, spec_constants),
     "the scenario sets specialisation constants; this device takes none"},
};

static bool lacks_capability(cnf_emitter *emitter, const scn_scenario *scenario,
                             const dev_capabilities *capabilities)
{
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        bool has = *(const bool *)((const char *)capabilities + needs[i].offset);
        if (has || !needs[i].needed(scenario)) continue;
        cnf_emit_skip(emitter, needs[i].capability, "no", rt_text_of(needs[i].message));
        return true;
    }
    return false;
}

/* Aspects that a scenario's devices must have: `aspects: {fp64: true}`. */
static bool lacks_aspect(cnf_emitter *emitter, const scn_scenario *scenario,
                         const dev_capabilities *capabilities)
{
    uint32_t missing = 0;
    for (uint32_t i = 0; i < scenario->device_count; i++)
        missing |= scenario->devices[i].required_aspects & ~capabilities->aspects;
    for (uint32_t aspect = 0; aspect < DEV_ASPECT_COUNT; aspect++) {
        if (!(missing >> aspect & 1)) continue;
        cnf_emit_skip(emitter, dev_aspect_name((dev_aspect)aspect), "no",
                      RT_TEXT("a device of the scenario must have this aspect"));
        return true;
    }
    return false;
}

bool cnf_skip(cnf_emitter *emitter, const scn_scenario *scenario,
              const dev_capabilities *capabilities)
{
    if (lacks_capability(emitter, scenario, capabilities)) return true;
    return lacks_aspect(emitter, scenario, capabilities);
}

bool cnf_skip_unasked(cnf_emitter *emitter, const cnf_subject *subject, bool device_was_asked)
{
    if (subject->oracle || device_was_asked) return false;
    cnf_emit_skip(emitter, "reference-only", "yes",
                  RT_TEXT("the device was asked for nothing here: the reference runtime alone "
                          "decides, and it is judged on sim"));
    return true;
}
