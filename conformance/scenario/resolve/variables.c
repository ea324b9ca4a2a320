/* Resolves the names of device_globals to the variables of modules. A unique id identifies a
 * variable: modules that register the same id share one variable, so a name is ambiguous only if it
 * belongs to several ids. Source: document 002, "Changes to the DPC++ front-end";
 * sycl_ext_oneapi_device_global. */
#include "conformance/scenario/resolve/variables.h"

#include "conformance/scenario/yaml/problems.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

typedef struct variable_search {
    rt_arena *arena;
    scn_scenario *scenario;
    scn_position *at;
    rt_text *problem;
} variable_search;

static bool fail(const variable_search *search, scn_position at, const char *format, ...)
    RT_PRINTF(3, 4);
static bool fail(const variable_search *search, scn_position at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    rt_buffer text = {0};
    rt_buffer_vprintf(&text, format, arguments);
    va_end(arguments);
    *search->at = at;
    *search->problem = rt_arena_text(search->arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
    return false;
}

const rt_device_global *scn_variable_of(const scn_scenario *scenario, const scn_variable *variable)
{
    CHECK(variable->module < scenario->module_count);
    rt_device_global_list list = scenario->modules[variable->module].device_globals;
    CHECK(variable->global < list.count);
    return &list.globals[variable->global];
}

/* ---- What a name may mean ------------------------------------------------------------------ */

static bool has_name(const rt_device_global *global, rt_text name)
{
    return rt_text_equal(global->name, name) || rt_text_equal(global->unique_id, name);
}

/* A source in a file is not searched, so it may declare any name. An embedded source must contain
 * the last component of the qualified name: "Bar" of "inner::Bar". */
static bool source_may_declare(const scn_source *source, rt_text name)
{
    size_t begin = name.length;
    while (begin > 0 && name.data[begin - 1] != ':')
        begin--;
    rt_text last = rt_text_skip(name, begin), code = source->code;
    return source->file.length > 0 ||
           (last.length <= code.length && memmem(code.data, code.length, last.data, last.length));
}

static bool module_may_have(const scn_module *module, rt_text name)
{
    for (uint32_t i = 0; i < module->source_count; i++) {
        if (source_may_declare(&module->sources[i], name)) return true;
    }
    for (uint32_t i = 0; i < module->hand_image_count; i++) {
        if (source_may_declare(&module->hand_images[i].source, name)) return true;
    }
    for (uint32_t i = 0; i < module->device_globals.count; i++) {
        if (has_name(&module->device_globals.globals[i], name)) return true;
    }
    return false;
}

bool scn_variable_may_be(const scn_scenario *scenario, rt_text name)
{
    for (uint32_t i = 0; i < scenario->module_count; i++) {
        if (module_may_have(&scenario->modules[i], name)) return true;
    }
    return false;
}

/* ---- Names --------------------------------------------------------------------------------- */

/* Returns the first module that has a variable of that name, whichever module the scenario names;
 * SCN_NONE if none has. */
static uint32_t other_module_with(const scn_scenario *scenario, const scn_variable *variable)
{
    for (uint32_t m = 0; m < scenario->module_count; m++) {
        rt_device_global_list list = scenario->modules[m].device_globals;
        for (uint32_t i = 0; i < list.count; i++)
            if (has_name(&list.globals[i], variable->name)) return m;
    }
    return SCN_NONE;
}

static bool refuse_unknown(const variable_search *search, const scn_variable *variable)
{
    const scn_scenario *scenario = search->scenario;
    const scn_module *modules = scenario->modules;
    const char *name = scn_excerpt(search->arena, variable->name);
    /* If a module is named, neither another module's variable nor a memory can be meant. */
    bool named = variable->module != SCN_NONE;
    uint32_t other = other_module_with(scenario, variable);
    if (other != SCN_NONE) {
        CHECK(named && other != variable->module);
        return fail(search, variable->at,
                    "module '%.*s' has no device_global '%s'; module '%.*s' has one, so write "
                    "'module: %.*s', or omit 'module'",
                    RT_TEXT_ARG(modules[variable->module].name), name,
                    RT_TEXT_ARG(modules[other].name), RT_TEXT_ARG(modules[other].name));
    }
    rt_nearest nearest = rt_nearest_to(variable->name);
    for (uint32_t m = 0; m < scenario->module_count; m++) {
        if (named && m != variable->module) continue;
        for (uint32_t i = 0; i < modules[m].device_globals.count; i++)
            rt_nearest_offer(&nearest, modules[m].device_globals.globals[i].name);
    }
    for (uint32_t i = 0; i < scenario->memory_count && !named; i++)
        rt_nearest_offer(&nearest, scenario->memories[i].name);
    const char *hint = scn_nearest_hint(search->arena, &nearest);
    if (named) {
        return fail(search, variable->at, "module '%.*s' has no device_global '%s'%s",
                    RT_TEXT_ARG(modules[variable->module].name), name, hint);
    }
    return fail(search, variable->at, "no memory and no device_global has the name '%s'%s", name,
                hint);
}

static bool find(const variable_search *search, scn_variable *inout_variable)
{
    const scn_scenario *scenario = search->scenario;
    scn_variable found = *inout_variable;
    found.global = SCN_NONE;
    for (uint32_t m = 0; m < scenario->module_count; m++) {
        rt_device_global_list list = scenario->modules[m].device_globals;
        if (inout_variable->module != SCN_NONE && inout_variable->module != m) continue;
        for (uint32_t i = 0; i < list.count; i++) {
            if (!has_name(&list.globals[i], inout_variable->name)) continue;
            if (found.global == SCN_NONE) {
                found.module = m;
                found.global = i;
                continue;
            }
            rt_text id = scn_variable_of(scenario, &found)->unique_id;
            if (rt_text_equal(id, list.globals[i].unique_id)) continue;
            const char *name = scn_excerpt(search->arena, inout_variable->name);
            return fail(
                search, inout_variable->at,
                "several device_globals have the name '%s' (unique ids %.*s and %.*s); add the "
                "module, {variable: %s, module: ...}, or give the unique id instead of the name",
                name, RT_TEXT_ARG(id), RT_TEXT_ARG(list.globals[i].unique_id), name);
        }
    }
    if (found.global == SCN_NONE) return refuse_unknown(search, inout_variable);
    *inout_variable = found;
    return true;
}

/* ---- Copies -------------------------------------------------------------------------------- */

static bool range_check(const variable_search *search, scn_position at, const char *noun,
                        rt_text name, uint64_t room, uint64_t offset, uint64_t size)
{
    if (offset <= room && size <= room - offset) return true;
    return fail(search, at,
                "%" PRIu64 " bytes from byte %" PRIu64
                " on are not inside %s '%.*s', which has %" PRIu64
                " bytes; choose a part inside it, or expect the error",
                size, offset, noun, RT_TEXT_ARG(name), room);
}

static bool copy_resolve(const variable_search *search, scn_step *step)
{
    scn_transfer *transfer = &step->transfer;
    if (!find(search, &transfer->variable)) return false;
    const rt_device_global *global = scn_variable_of(search->scenario, &transfer->variable);
    bool writes = transfer->to == SCN_NONE;
    uint64_t offset = writes ? transfer->to_offset : transfer->from_offset;
    if (transfer->to_end && offset >= global->size) {
        return fail(search, transfer->variable.at,
                    "nothing is left to copy from byte %" PRIu64 " on: '%.*s' has %" PRIu64
                    " bytes",
                    offset, RT_TEXT_ARG(global->name), global->size);
    }
    if (transfer->to_end) transfer->size = global->size - offset;
    transfer->to_end = false;
    if (step->error || step->outcome_count > 0) return true;
    /* Refuses the directions that the extension forbids (sycl_ext_oneapi_device_global,
     * "host_access"). */
    if (global->host_access != RT_HOST_ACCESS_READ_WRITE &&
        global->host_access != (writes ? RT_HOST_ACCESS_WRITE : RT_HOST_ACCESS_READ)) {
        return fail(
            search, transfer->variable.at,
            "the host may not %s '%.*s' (property host_access), so the copy would not compile; "
            "expect {error: {documents: compile-time}}",
            writes ? "write" : "read", RT_TEXT_ARG(global->name));
    }
    uint32_t end = writes ? transfer->from : transfer->to;
    CHECK(end < search->scenario->memory_count); /* check.c ensures that one end is a memory */
    const scn_memory *memory = &search->scenario->memories[end];
    return range_check(search, transfer->variable.at, "device_global", global->name, global->size,
                       offset, transfer->size) &&
           range_check(search, step->at, "memory", memory->name,
                       memory->count * memory->layout.size,
                       writes ? transfer->from_offset : transfer->to_offset, transfer->size);
}

/* ---- Expectations -------------------------------------------------------------------------- */

static bool expect_resolve(const variable_search *search, scn_expect *expect)
{
    if (!find(search, &expect->variable.variable)) return false;
    const rt_device_global *global = scn_variable_of(search->scenario, &expect->variable.variable);
    if (global->host_access == RT_HOST_ACCESS_WRITE || global->host_access == RT_HOST_ACCESS_NONE) {
        return fail(search, expect->variable.variable.at,
                    "the host may not read '%.*s' (property host_access); have a kernel read it",
                    RT_TEXT_ARG(global->name));
    }
    if (expect->variable.values.size == global->size) return true;
    return fail(search, expect->variable.variable.at,
                "the expected values have %zu bytes, but '%.*s' has %" PRIu64,
                expect->variable.values.size, RT_TEXT_ARG(global->name), global->size);
}

static bool outcomes_resolve(const variable_search *search, const scn_outcome **inout_outcomes,
                             uint32_t count);

static bool expects_resolve(const variable_search *search, const scn_expect **inout_expects,
                            uint32_t count)
{
    scn_expect *copies = rt_arena_alloc_array(search->arena, count, sizeof *copies);
    for (uint32_t i = 0; i < count; i++) {
        copies[i] = (*inout_expects)[i];
        if (copies[i].kind == SCN_EXPECT_VARIABLE && !expect_resolve(search, &copies[i]))
            return false;
        if (copies[i].kind == SCN_EXPECT_ONE_OF &&
            !outcomes_resolve(search, &copies[i].one_of.outcomes, copies[i].one_of.outcome_count))
            return false;
    }
    *inout_expects = copies;
    return true;
}

/* Outcomes do not contain outcomes. */
static bool outcomes_resolve(const variable_search *search, const scn_outcome **inout_outcomes,
                             uint32_t count)
{
    scn_outcome *copies = rt_arena_alloc_array(search->arena, count, sizeof *copies);
    for (uint32_t i = 0; i < count; i++) {
        copies[i] = (*inout_outcomes)[i];
        if (!expects_resolve(search, &copies[i].expects, copies[i].expect_count)) return false;
    }
    *inout_outcomes = copies;
    return true;
}

/* ---- Steps --------------------------------------------------------------------------------- */

static bool outcomes_mention(const scn_outcome *outcomes, uint32_t count);

static bool expects_mention(const scn_expect *expects, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (expects[i].kind == SCN_EXPECT_VARIABLE) return true;
        if (scn_expect_outcome_count(&expects[i]) > 0 &&
            outcomes_mention(expects[i].one_of.outcomes, expects[i].one_of.outcome_count))
            return true;
    }
    return false;
}

static bool outcomes_mention(const scn_outcome *outcomes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (expects_mention(outcomes[i].expects, outcomes[i].expect_count)) return true;
    return false;
}

static bool step_mentions(const scn_step *step)
{
    bool copies = step->verb == SCN_VERB_COPY && step->transfer.variable.name.length > 0;
    return copies || expects_mention(step->expect, step->expect_count) ||
           outcomes_mention(step->outcomes, step->outcome_count);
}

bool scn_variables_are_used(const scn_scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        if (step_mentions(&scenario->steps[i])) return true;
    }
    return false;
}

bool scn_variables_resolve(rt_arena *arena, scn_scenario *scenario, scn_position *out_at,
                           rt_text *out_problem)
{
    *out_at = (scn_position){0};
    *out_problem = (rt_text){0};
    const variable_search search = {arena, scenario, out_at, out_problem};
    scn_step *steps = rt_arena_alloc_array(arena, scenario->step_count, sizeof *steps);
    bool any = false;
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        scn_step *step = &steps[i];
        *step = scenario->steps[i];
        if (!step_mentions(step)) continue;
        any = true;
        bool copies = step->verb == SCN_VERB_COPY && step->transfer.variable.name.length > 0;
        if (copies && !copy_resolve(&search, step)) return false;
        if (!expects_resolve(&search, &step->expect, step->expect_count) ||
            !outcomes_resolve(&search, &step->outcomes, step->outcome_count))
            return false;
    }
    if (any) scenario->steps = steps;
    return true;
}
