/* The expectations of a scenario as comparison calls, and the comparison of the final memories. */
#include "conformance/export/export_internal.h"

static const char *const tolerances[] = {"EXACT", "ULP", "ABSOLUTE", "RELATIVE"};

/* Declares the layout of a memory, unless it has been declared. */
static void layout_declare(cnf_exporter *exporter, uint32_t index)
{
    if (!exporter->laid_out[index])
        cnf_export_layout(
            &exporter->declarations,
            rt_arena_printf(exporter->arena, "layout_%s", cnf_export_memory(exporter, index)).data,
            &exporter->scenario->memories[index].layout);
    exporter->laid_out[index] = true;
}

/* Writes the call that compares a memory with an array; `place` is a C expression. */
static void comparison_write(cnf_exporter *exporter, rt_buffer *out, uint32_t index,
                             const char *array, const char *defined, const char *place)
{
    const scn_memory *memory = &exporter->scenario->memories[index];
    const char *name = cnf_export_memory(exporter, index);
    CHECK((size_t)memory->tolerance_kind < sizeof tolerances / sizeof *tolerances);
    layout_declare(exporter, index);
    rt_buffer_printf(out, "%s(&m_%s, %s, %s, &layout_%s, %s, %a, %s)",
                     memory->unordered ? "elements_held" : "memory_holds", name, array, defined,
                     name, tolerances[memory->tolerance_kind], memory->tolerance, place);
}

/* Writes the call that compares the kernels' output; `place` is a C expression. */
static void output_write(rt_buffer *out, const scn_expect *expect, const char *place)
{
    rt_buffer_printf(out, "output_holds(");
    cnf_export_literal(out, expect->output);
    rt_buffer_printf(out, ", %zu, %s)", expect->output.length, place);
}

static rt_text array_declare(cnf_exporter *exporter, const scn_expect *expect)
{
    CHECK(expect->kind == SCN_EXPECT_MEMORY);
    rt_text name = rt_arena_printf(exporter->arena, "expected_%u", exporter->arrays++);
    cnf_export_values(&exporter->declarations, name.data,
                      &exporter->scenario->memories[expect->memory.index].layout,
                      expect->memory.values);
    return name;
}

/* Writes a branch as a condition. Expectations about the runtime, which is absent here, count as
 * met. */
static rt_status branch_write(cnf_exporter *exporter, const scn_outcome *outcome, rt_buffer *out,
                              bool *inout_prints)
{
    uint32_t written = 0;
    for (uint32_t k = 0; k < outcome->expect_count; k++) {
        const scn_expect *expect = &outcome->expects[k];
        bool is_memory = expect->kind == SCN_EXPECT_MEMORY;
        bool is_output = expect->kind == SCN_EXPECT_OUTPUT;
        if (expect->kind == SCN_EXPECT_VARIABLE)
            return cnf_export_refuse(exporter, expect->at,
                                     "a choice between values of device_globals");
        if (!is_memory && !is_output) continue;
        if (written++ > 0) rt_buffer_printf(out, " && ");
        *inout_prints = *inout_prints || is_output;
        if (is_output) output_write(out, expect, "NULL");
        if (is_memory)
            comparison_write(exporter, out, expect->memory.index,
                             array_declare(exporter, expect).data, "NULL", "NULL");
    }
    if (written == 0) rt_buffer_printf(out, "1");
    return RT_STATUS_OK;
}

static rt_status one_of_write(cnf_exporter *exporter, const scn_expect *expect)
{
    CHECK(expect->kind == SCN_EXPECT_ONE_OF);
    exporter->alternatives = true;
    rt_buffer condition = {0};
    rt_status status = RT_STATUS_OK;
    bool prints = false;
    for (uint32_t i = 0; i < expect->one_of.outcome_count && rt_ok(status); i++) {
        rt_buffer_printf(&condition, "%s(", i ? " ||\n          " : "");
        status = branch_write(exporter, &expect->one_of.outcomes[i], &condition, &prints);
        rt_buffer_printf(&condition, ")");
    }
    rt_buffer_printf(
        &exporter->body,
        "    if (!(%s)) {\n        printf(\"FAIL line %u: the result is none of the conforming outcomes\\n\");\n"
        "        failures++;\n    }\n%s",
        rt_buffer_string(&condition), expect->at.line, prints ? "    output_consume();\n" : "");
    rt_buffer_free(&condition);
    return status;
}

static rt_status expect_write(cnf_exporter *exporter, const scn_step *step,
                              const scn_expect *expect)
{
    rt_buffer *out = &exporter->body;
    const char *place =
        rt_arena_printf(exporter->arena, "\"line %u\"", expect->at.line).data; /* a C literal */
    switch (expect->kind) {
    case SCN_EXPECT_MEMORY: {
        rt_text array = array_declare(exporter, expect);
        rt_buffer_printf(out, "    failures += !");
        comparison_write(exporter, out, expect->memory.index, array.data, "NULL", place);
        rt_buffer_printf(out, ";\n");
        return RT_STATUS_OK;
    }
    case SCN_EXPECT_MAPPED: {
        const scn_step *map = &exporter->scenario->steps[expect->mapped.map];
        const scn_memory *memory = &exporter->scenario->memories[map->map.memory];
        const char *name = cnf_export_memory(exporter, map->map.memory);
        rt_text values = rt_arena_printf(exporter->arena, "expected_%u", exporter->arrays++);
        cnf_export_values(&exporter->declarations, values.data, &memory->layout,
                          expect->mapped.values);
        layout_declare(exporter, map->map.memory);
        rt_buffer_printf(out,
                         "    failures += !bytes_hold(&m_%s, %s, %llu, %s, NULL, &layout_%s, %s, "
                         "%a, %s);\n",
                         name, cnf_export_mapping(exporter, map), (unsigned long long)map->map.size,
                         values.data, name, tolerances[memory->tolerance_kind], memory->tolerance,
                         place);
        return RT_STATUS_OK;
    }
    case SCN_EXPECT_ONE_OF: return one_of_write(exporter, expect);
    case SCN_EXPECT_FINDING:
        return cnf_export_refuse(exporter, expect->at, "a finding of the simulated device");
    case SCN_EXPECT_OUTPUT:
        rt_buffer_printf(out, "    failures += !");
        output_write(out, expect, place);
        rt_buffer_printf(out, ";\n    output_consume();\n");
        return RT_STATUS_OK;
    case SCN_EXPECT_VARIABLE: {
        /* A device_global is compared like a memory, element by element. */
        const scn_layout *layout = &expect->variable.layout;
        uint32_t number = exporter->arrays++;
        const char *name;
        RT_TRY(cnf_export_global_write(exporter, step, &expect->variable.variable, false, &name));
        rt_text values = rt_arena_printf(exporter->arena, "expected_%u", number);
        rt_text layout_name = rt_arena_printf(exporter->arena, "layout_of_%u", number);
        cnf_export_layout(&exporter->declarations, layout_name.data, layout);
        cnf_export_values(&exporter->declarations, values.data, layout, expect->variable.values);
        rt_buffer_printf(out, "    failures += !memory_holds(%s, %s, NULL, &%s, EXACT, 0, %s);\n",
                         name, values.data, layout_name.data, place);
        return RT_STATUS_OK;
    }
    default:
        rt_buffer_printf(
            out, "    /* Line %u is about the runtime, which this program does not contain. */\n",
            expect->at.line);
        return RT_STATUS_OK;
    }
}

rt_status cnf_export_expects_write(cnf_exporter *exporter, const scn_step *step)
{
    CHECK(step->verb == SCN_VERB_EXPECT);
    rt_buffer_printf(&exporter->body, "\n    /* Line %u. */\n", step->at.line);
    for (uint32_t i = 0; i < step->expect_count; i++) {
        const scn_expect *expect = &step->expect[i];
        /* Reading a result ends an open list. */
        bool reads = expect->kind == SCN_EXPECT_MEMORY || expect->kind == SCN_EXPECT_VARIABLE ||
                     expect->kind == SCN_EXPECT_OUTPUT || expect->kind == SCN_EXPECT_ONE_OF ||
                     expect->kind == SCN_EXPECT_MAPPED;
        if (exporter->list.count > 0 && reads)
            return cnf_export_refuse(exporter, step->at, "a step between the kernels of a list");
        RT_TRY(expect_write(exporter, step, expect));
    }
    return RT_STATUS_OK;
}

void cnf_export_finals_write(cnf_exporter *exporter)
{
    const scn_scenario *scenario = exporter->scenario;
    const cnf_messages *messages = exporter->messages;
    if (exporter->alternatives) return;
    rt_buffer_printf(
        &exporter->body,
        "\n    /* The final memories, as the reference runtime left them on the simulated device. */\n");
    for (uint32_t i = 0; i < messages->memory_count; i++) {
        const cnf_final_memory *last = &messages->memories[i];
        uint32_t index = 0, first = 0;
        while (index < scenario->memory_count &&
               !rt_text_equal(scenario->memories[index].name, last->name))
            index++;
        while (!rt_text_equal(messages->memories[first].name, last->name))
            first++;
        CHECK(first <= i);
        /* Addresses cannot be compared, and a device_global may share its name with a memory, which
         * comes first. */
        if (index == scenario->memory_count || scenario->memories[index].addresses || first < i)
            continue;
        const scn_layout *layout = &scenario->memories[index].layout;
        const char *name = cnf_export_memory(exporter, index);
        rt_text array = rt_arena_printf(exporter->arena, "final_%s", name);
        rt_text defined =
            rt_arena_printf(exporter->arena, last->defined.data ? "defined_%s" : "NULL", name);
        cnf_export_values(&exporter->declarations, array.data, layout, last->data);
        if (last->defined.data)
            cnf_export_defined(&exporter->declarations, defined.data, layout, last->defined,
                               last->data.size);
        rt_buffer_printf(&exporter->body, "    failures += !");
        comparison_write(exporter, &exporter->body, index, array.data, defined.data,
                         "\"at the end\"");
        rt_buffer_printf(&exporter->body, ";\n");
    }
}
