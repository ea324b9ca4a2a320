/* device_globals. A device_global without image scope is memory that the runtime creates and fills
 * with zeros; every program has a pointer to it, which is written before the program's first
 * launch. A device_global with image scope is a variable in a program, which the device identifies
 * by name. Source: document 002 (DeviceGlobal.md), "Changes to the DPC++ runtime". */
#include "conformance/export/export_internal.h"

#include "reference/image/device_global.h"

/* The declaration of the variable with the given id in a module's host code; NULL: no module
 * declares it. */
static const rt_device_global *global_of(const cnf_exporter *exporter, rt_text unique_id)
{
    for (uint32_t i = 0; i < exporter->scenario->module_count; i++) {
        const rt_device_global_list *list = &exporter->scenario->modules[i].device_globals;
        for (uint32_t k = 0; k < list->count; k++)
            if (rt_text_equal(list->globals[k].unique_id, unique_id)) return &list->globals[k];
    }
    return NULL;
}

/* The number of the memory that the runtime creates for a variable; main.c declares the memory at
 * its first use. */
static uint32_t content_number(cnf_exporter *exporter, const rt_device_global *global)
{
    uint32_t number = rt_map_find(&exporter->globals, global->unique_id);
    CHECK(number == RT_MAP_NONE || number < exporter->global_count);
    if (number != RT_MAP_NONE) return number;
    number = exporter->global_count++;
    rt_map_set(&exporter->globals, global->unique_id, number);
    rt_buffer_printf(&exporter->body, "    memory global_%u = global_create(\"%s\", %llu);\n",
                     number, rt_arena_text(exporter->arena, global->name).data,
                     (unsigned long long)global->size);
    return number;
}

/* The name of a variable on devices: the symbol that an image maps its id to; the id itself if no
 * image does (DG-PLUGIN-06). */
static rt_text symbol_of(cnf_exporter *exporter, rt_text unique_id)
{
    rt_text name =
        rt_arena_printf(exporter->arena, "%.*s" RT_GLOBAL_MAPPING_SUFFIX, RT_TEXT_ARG(unique_id));
    for (uint32_t i = 0; i < exporter->scenario->module_count; i++) {
        const rt_image_list *list = &exporter->scenario->modules[i].images;
        for (uint32_t k = 0; k < list->count; k++) {
            const rt_property_set *set = rt_image_set(&list->images[k], RT_SET_PROGRAM_METADATA);
            for (uint32_t n = 0; set && n < set->property_count; n++) {
                const rt_property *property = &set->properties[n];
                if (property->type == RT_PROPERTY_BYTES && property->bytes.size > 0 &&
                    rt_text_equal(property->name, name))
                    return (rt_text){(const char *)property->bytes.data, property->bytes.size};
            }
        }
    }
    return unique_id;
}

rt_status cnf_export_globals_point(cnf_exporter *exporter, const scn_step *step, uint32_t program,
                                   bool may_fail)
{
    CHECK(program < exporter->trace.program_count);
    for (uint32_t i = 0; i < exporter->trace.variable_count; i++) {
        const cnf_export_variable *variable = &exporter->trace.variables[i];
        if (variable->program != program || variable->image_scope) continue;
        const rt_device_global *global = global_of(exporter, variable->unique_id);
        if (!global)
            return cnf_export_refuse(exporter, step->at, "a device_global that no module defines");
        uint32_t number = content_number(exporter, global);
        rt_buffer_printf(&exporter->body, "    ");
        if (may_fail) rt_buffer_printf(&exporter->body, "if (program_%u) ", program);
        rt_buffer_printf(&exporter->body, "global_point(program_%u, ", program);
        cnf_export_literal(&exporter->body, symbol_of(exporter, variable->unique_id));
        rt_buffer_printf(&exporter->body, ", &global_%u);\n", number);
    }
    return RT_STATUS_OK;
}

rt_status cnf_export_global_write(cnf_exporter *exporter, const scn_step *step,
                                  const scn_variable *variable, bool copied, const char **out_name)
{
    CHECK(variable->module < exporter->scenario->module_count);
    const scn_module *module = &exporter->scenario->modules[variable->module];
    CHECK(variable->global < module->device_globals.count);
    const rt_device_global *global = &module->device_globals.globals[variable->global];
    uint32_t program;
    if (!global->image_scope) {
        *out_name =
            rt_arena_printf(exporter->arena, "&global_%u", content_number(exporter, global)).data;
        return RT_STATUS_OK;
    }
    if (copied) {
        const cnf_export_command *command;
        RT_TRY(cnf_export_command_take(exporter, step, CNF_EXPORT_VARIABLE, &command));
        if (command->kind != CNF_EXPORT_VARIABLE)
            return cnf_export_refuse(exporter, step->at, "a copy that is refused");
        program = command->program;
        RT_TRY(cnf_export_program_write(exporter, step, program, false, false));
    } else {
        /* The program that contains the variable, if main.c has only one such program so far. */
        program = SCN_NONE;
        for (uint32_t i = 0, count = 0; i < exporter->trace.variable_count && count < 2; i++) {
            const cnf_export_variable *candidate = &exporter->trace.variables[i];
            CHECK(candidate->program < exporter->trace.program_count);
            if (!exporter->written[candidate->program].linked ||
                !rt_text_equal(candidate->unique_id, global->unique_id) ||
                candidate->program == program)
                continue;
            program = ++count == 1 ? candidate->program : SCN_NONE;
        }
    }
    if (program == SCN_NONE)
        return cnf_export_refuse(exporter, variable->at,
                                 "a device_global that is not in exactly one program");
    *out_name = rt_arena_printf(exporter->arena, "&variable_%u", exporter->arrays).data;
    rt_buffer_printf(&exporter->body, "    memory variable_%u = global_find(program_%u, ",
                     exporter->arrays++, program);
    cnf_export_literal(&exporter->body, symbol_of(exporter, global->unique_id));
    rt_buffer_printf(&exporter->body, ", \"%s\", %llu);\n",
                     rt_arena_text(exporter->arena, global->name).data,
                     (unsigned long long)global->size);
    return RT_STATUS_OK;
}
