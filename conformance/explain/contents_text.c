/* The section of the text about the contents of device_globals. */
#include "conformance/explain/contents.h"

static void place_write(rt_buffer *out, const cnf_history *history, const cnf_xpl_place *place)
{
    CHECK(place->program == SCN_NONE || place->program < history->programs.count);
    rt_text program =
        place->program == SCN_NONE ? RT_TEXT("?") : history->programs.items[place->program].id;
    switch (place->kind) {
    case CNF_PLACE_HOST: rt_buffer_printf(out, "    in the host object"); break;
    case CNF_PLACE_DEVICE:
        cnf_explain_name(out, "    on device ", place->device);
        cnf_explain_name(out, ", context ", place->context);
        cnf_explain_name(out, ": ", place->size);
        rt_buffer_printf(out, " bytes");
        if (place->command.length > 0)
            cnf_explain_name(out, ", zeroed by command ", place->command);
        break;
    case CNF_PLACE_POINTER:
        cnf_explain_name(out, "    program ", program);
        cnf_explain_name(out, " on device ", place->device);
        cnf_explain_name(out, ": pointer set by command ", place->command);
        break;
    case CNF_PLACE_INSIDE:
        cnf_explain_name(out, "    inside program ", program);
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
        cnf_explain_name(out, "  ", variable->name);
        cnf_explain_name(out, " (id ", variable->id);
        rt_buffer_printf(out, ")\n");
        for (uint32_t j = 0; j < variable->places.count; j++)
            place_write(out, history, &variable->places.items[j]);
    }
}
