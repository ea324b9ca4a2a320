/* What a scenario expects as calls that compare, and what the memories hold in the end. */
#include "conformance/export/export_internal.h"

static const char *const tolerances[] = {"EXACT", "ULP", "ABSOLUTE", "RELATIVE"};

/* Writes the call that compares a memory with an array; `place` is a C expression. */
static void comparison_write(cnf_exporter *made, rt_buffer *out, uint32_t index, const char *array,
                             const char *defined, const char *place)
{
    const scn_memory *memory = &made->scenario->memories[index];
    const char *name = cnf_export_memory(made, index);
    if (!made->laid_out[index])
        cnf_export_layout(&made->declarations, rt_arena_printf(made->arena, "layout_%s", name).data,
                          &memory->layout);
    made->laid_out[index] = true;
    rt_buffer_printf(out, "%s(&m_%s, %s, %s, &layout_%s, %s, %a, %s)",
                     memory->unordered ? "elements_held" : "memory_holds", name, array, defined,
                     name, tolerances[memory->tolerance_kind], memory->tolerance, place);
}

/* A device_global is compared like a memory, number for number. */
static rt_status variable_write(cnf_exporter *made, const scn_step *step, const scn_expect *expect)
{
    const char *name;
    uint32_t number = made->arrays++;
    RT_TRY(cnf_export_global_write(made, step, &expect->variable.variable, false, &name));
    rt_text values = rt_arena_printf(made->arena, "expected_%u", number);
    rt_text layout = rt_arena_printf(made->arena, "layout_of_%u", number);
    cnf_export_layout(&made->declarations, layout.data, &expect->variable.layout);
    cnf_export_values(&made->declarations, values.data, &expect->variable.layout,
                      expect->variable.values);
    rt_buffer_printf(&made->body,
                     "    failures += !memory_holds(%s, %s, NULL, &%s, EXACT, 0, \"line %u\");\n",
                     name, values.data, layout.data, expect->at.line);
    return RT_STATUS_OK;
}

/* Writes the call that compares what kernels printed; `place` is a C expression. */
static void output_write(rt_buffer *out, const scn_expect *expect, const char *place)
{
    rt_buffer_printf(out, "output_holds(");
    cnf_export_literal(out, expect->output);
    rt_buffer_printf(out, ", %zu, %s)", expect->output.length, place);
}

static rt_text array_declare(cnf_exporter *made, const scn_expect *expect)
{
    rt_text name = rt_arena_printf(made->arena, "expected_%u", made->arrays++);
    cnf_export_values(&made->declarations, name.data,
                      &made->scenario->memories[expect->memory.index].layout,
                      expect->memory.values);
    return name;
}

/* Writes a branch as a condition.  What it says of the runtime, which is not here, holds. */
static rt_status branch_write(cnf_exporter *made, const scn_outcome *outcome, rt_buffer *out,
                              bool *inout_prints)
{
    uint32_t written = 0;
    for (uint32_t k = 0; k < outcome->expect_count; k++) {
        const scn_expect *expect = &outcome->expects[k];
        bool is_memory = expect->kind == SCN_EXPECT_MEMORY;
        bool is_output = expect->kind == SCN_EXPECT_OUTPUT;
        if (expect->kind == SCN_EXPECT_VARIABLE)
            return cnf_export_refuse(made, expect->at, "a choice between values of device_globals");
        if (!is_memory && !is_output) continue;
        if (written++ > 0) rt_buffer_printf(out, " && ");
        *inout_prints = *inout_prints || is_output;
        if (is_output) output_write(out, expect, "NULL");
        if (is_memory)
            comparison_write(made, out, expect->memory.index, array_declare(made, expect).data,
                             "NULL", "NULL");
    }
    if (written == 0) rt_buffer_printf(out, "1");
    return RT_STATUS_OK;
}

static rt_status one_of_write(cnf_exporter *made, const scn_expect *expect)
{
    made->alternatives = true;
    rt_buffer condition = {0};
    rt_status status = RT_STATUS_OK;
    bool prints = false;
    for (uint32_t i = 0; i < expect->one_of.outcome_count && rt_ok(status); i++) {
        rt_buffer_printf(&condition, "%s(", i ? " ||\n          " : "");
        status = branch_write(made, &expect->one_of.outcomes[i], &condition, &prints);
        rt_buffer_printf(&condition, ")");
    }
    rt_buffer_printf(
        &made->body,
        "    if (!(%s)) {\n        printf(\"FAIL line %u: none of the outcomes that conform\\n\");\n"
        "        failures++;\n    }\n%s",
        rt_buffer_string(&condition), expect->at.line, prints ? "    output_seen();\n" : "");
    rt_buffer_free(&condition);
    return status;
}

/* The place of an expectation as a literal of C. */
static const char *place_of(cnf_exporter *made, const scn_expect *expect)
{
    return rt_arena_printf(made->arena, "\"line %u\"", expect->at.line).data;
}

static rt_status expect_write(cnf_exporter *made, const scn_step *step, const scn_expect *expect)
{
    rt_buffer *out = &made->body;
    switch (expect->kind) {
    case SCN_EXPECT_MEMORY: {
        rt_text array = array_declare(made, expect);
        rt_buffer_printf(out, "    failures += !");
        comparison_write(made, out, expect->memory.index, array.data, "NULL",
                         place_of(made, expect));
        rt_buffer_printf(out, ";\n");
        return RT_STATUS_OK;
    }
    case SCN_EXPECT_ONE_OF: return one_of_write(made, expect);
    case SCN_EXPECT_FINDING:
        return cnf_export_refuse(made, expect->at, "a finding of the simulated device");
    case SCN_EXPECT_OUTPUT:
        rt_buffer_printf(out, "    failures += !");
        output_write(out, expect, place_of(made, expect));
        rt_buffer_printf(out, ";\n    output_seen();\n");
        return RT_STATUS_OK;
    case SCN_EXPECT_VARIABLE: return variable_write(made, step, expect);
    default:
        rt_buffer_printf(out, "    /* Line %u is about the runtime, which is not here. */\n",
                         expect->at.line);
        return RT_STATUS_OK;
    }
}

/* True for what looks at content, which ends a list. */
static bool looks_at_content(const scn_expect *expect)
{
    return expect->kind == SCN_EXPECT_MEMORY || expect->kind == SCN_EXPECT_VARIABLE ||
           expect->kind == SCN_EXPECT_OUTPUT || expect->kind == SCN_EXPECT_ONE_OF;
}

rt_status cnf_export_expects_write(cnf_exporter *made, const scn_step *step)
{
    rt_buffer_printf(&made->body, "\n    /* Line %u. */\n", step->at.line);
    for (uint32_t i = 0; i < step->expect_count; i++) {
        if (made->list.count > 0 && looks_at_content(&step->expect[i]))
            return cnf_export_refuse(made, step->at, "a step between the kernels of a list");
        RT_TRY(expect_write(made, step, &step->expect[i]));
    }
    return RT_STATUS_OK;
}

static uint32_t memory_index(const scn_scenario *scenario, rt_text name)
{
    uint32_t index = 0;
    while (index < scenario->memory_count && !rt_text_equal(scenario->memories[index].name, name))
        index++;
    return index;
}

/* Whether final content number i is a memory's to compare: addresses are nobody's, and a
 * device_global may have the name of a memory, which comes first. */
static bool is_compared(const cnf_exporter *made, uint32_t i, uint32_t memory)
{
    if (memory == made->scenario->memory_count || made->scenario->memories[memory].addresses)
        return false;
    for (uint32_t k = 0; k < i; k++)
        if (rt_text_equal(made->messages->memories[k].name, made->messages->memories[i].name))
            return false;
    return true;
}

void cnf_export_finals_write(cnf_exporter *made)
{
    if (made->alternatives) return;
    rt_buffer_printf(
        &made->body,
        "\n    /* The end: what the documents' runtime leaves on a checked device. */\n");
    for (uint32_t i = 0; i < made->messages->memory_count; i++) {
        const cnf_final_memory *last = &made->messages->memories[i];
        uint32_t index = memory_index(made->scenario, last->name);
        if (!is_compared(made, i, index)) continue;
        const scn_layout *layout = &made->scenario->memories[index].layout;
        const char *name = cnf_export_memory(made, index);
        rt_text array = rt_arena_printf(made->arena, "final_%s", name);
        rt_text defined =
            rt_arena_printf(made->arena, last->defined.data ? "defined_%s" : "NULL", name);
        cnf_export_values(&made->declarations, array.data, layout, last->data);
        if (last->defined.data)
            cnf_export_defined(&made->declarations, defined.data, layout, last->defined,
                               last->data.size);
        rt_buffer_printf(&made->body, "    failures += !");
        comparison_write(made, &made->body, index, array.data, defined.data, "\"at the end\"");
        rt_buffer_printf(&made->body, ";\n");
    }
}
