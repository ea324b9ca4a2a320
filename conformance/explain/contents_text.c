/* Where the contents of device_globals are, as a section of the text. */
#include "conformance/explain/contents.h"

static void program_write(rt_buffer *out, const cnf_history *history, uint32_t program)
{
    rt_buffer_printf(out, "program ");
    cnf_explain_name(out, program == SCN_NONE ? RT_TEXT("?") : history->programs.items[program].id);
}

static void device_write(rt_buffer *out, const cnf_xpl_place *place)
{
    rt_buffer_printf(out, "on device ");
    cnf_explain_name(out, place->device);
    rt_buffer_printf(out, ", context ");
    cnf_explain_name(out, place->context);
    rt_buffer_printf(out, ": ");
    cnf_explain_name(out, place->size);
    rt_buffer_printf(out, " bytes");
    if (place->command.length > 0) rt_buffer_printf(out, ", zeros by command ");
    cnf_explain_name(out, place->command);
}

static void pointer_write(rt_buffer *out, const cnf_history *history, const cnf_xpl_place *place)
{
    program_write(out, history, place->program);
    rt_buffer_printf(out, " on device ");
    cnf_explain_name(out, place->device);
    rt_buffer_printf(out, ": pointed to it by command ");
    cnf_explain_name(out, place->command);
}

static void place_write(rt_buffer *out, const cnf_history *history, const cnf_xpl_place *place)
{
    rt_buffer_printf(out, "    ");
    switch (place->kind) {
    case CNF_PLACE_HOST: rt_buffer_printf(out, "in the host object"); break;
    case CNF_PLACE_DEVICE: device_write(out, place); break;
    case CNF_PLACE_POINTER: pointer_write(out, history, place); break;
    case CNF_PLACE_INSIDE:
        rt_buffer_printf(out, "inside ");
        program_write(out, history, place->program);
        rt_buffer_printf(out, ", with its code's initial value (image scope)");
        break;
    }
    if (place->process > 0) rt_buffer_printf(out, ", process %u", place->process);
    rt_buffer_append_byte(out, '\n');
}

void cnf_contents_text(rt_buffer *out, const cnf_history *history, const cnf_contents *contents)
{
    bool first = true;
    for (uint32_t i = 0; i < contents->variables.count; i++) {
        const cnf_xpl_variable *variable = &contents->variables.items[i];
        if (variable->places.count == 0) continue;
        if (first) rt_buffer_printf(out, "\nContents of device_globals\n");
        first = false;
        rt_buffer_printf(out, "  ");
        cnf_explain_name(out, variable->name);
        rt_buffer_printf(out, " (id ");
        cnf_explain_name(out, variable->id);
        rt_buffer_printf(out, ")\n");
        for (uint32_t j = 0; j < variable->places.count; j++)
            place_write(out, history, &variable->places.items[j]);
    }
}
