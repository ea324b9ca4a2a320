/* The images of a program as files and rows of an array, and the program's creation as a call. */
#include "conformance/export/export_internal.h"

#include "reference/image/spec_constants.h"

#include <string.h>

const rt_image *cnf_export_image(const cnf_exporter *exporter, rt_text name)
{
    for (uint32_t i = 0; i < exporter->scenario->module_count; i++) {
        const rt_image_list list = exporter->scenario->modules[i].images;
        for (uint32_t k = 0; k < list.count; k++)
            if (rt_text_equal(list.images[k].name, name)) return &list.images[k];
    }
    for (uint32_t i = 0; i < exporter->fused_count; i++)
        if (rt_text_equal(exporter->fused[i].kernel, name)) return &exporter->fused[i].result.image;
    return NULL;
}

/* The submit of a step; an empty submit, without constants and options, if a bundle, a fusion or a
 * copy needs the program. */
static const scn_submit *submit_of(const scn_step *step)
{
    static const scn_submit empty;
    return step->verb == SCN_VERB_SUBMIT ? &step->submit : &empty;
}

enum { CONSTANTS_MAX = 256 }; /* as in support.h */

/* Declares the values of the scalars of those constants of a submit that an image has; *out_count
 * is their number. */
static rt_status constants_declare(cnf_exporter *exporter, const scn_step *step,
                                   const rt_image *image, const char *array, uint32_t *out_count)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_SPEC_CONSTANTS);
    rt_buffer rows = {0};
    *out_count = 0;
    for (uint32_t i = 0; set && i < set->property_count; i++) {
        rt_spec_descriptor descriptor;
        for (uint32_t k = 0; k < submit_of(step)->constant_count; k++) {
            const scn_spec_constant *constant = &submit_of(step)->constants[k];
            if (!rt_text_equal(set->properties[i].name, constant->name)) continue;
            if (!rt_spec_descriptor_read(image, i, &descriptor) ||
                descriptor.size_bytes != constant->value.size) {
                rt_buffer_free(&rows);
                return cnf_export_refuse(exporter, constant->at,
                                         "a specialisation constant of another size");
            }
            for (rt_spec_scalar scalar; rt_spec_scalar_take(&descriptor.rows, &scalar);) {
                rt_bytes part = {constant->value.data + scalar.offset, scalar.size_bytes};
                if (part.size > sizeof(uint64_t) || *out_count == CONSTANTS_MAX) {
                    rt_buffer_free(&rows);
                    return cnf_export_refuse(exporter, constant->at,
                                             "a program with more than 256 scalars that are set, "
                                             "or one of more than 8 bytes");
                }
                rt_buffer_printf(&rows, "    {%u, %u, {", scalar.id, scalar.size_bytes);
                cnf_export_bytes(&rows, part);
                rt_buffer_printf(&rows, "}}, /* %.*s */\n", RT_TEXT_ARG(constant->name));
                ++*out_count;
            }
        }
    }
    if (*out_count > 0)
        rt_buffer_printf(&exporter->declarations, "static const spec_constant %s[] = {\n%s};\n",
                         array, rt_buffer_string(&rows));
    rt_buffer_free(&rows);
    return RT_STATUS_OK;
}

/* Declares the images of a program and adds their files. */
static rt_status images_declare(cnf_exporter *exporter, const scn_step *step,
                                const cnf_export_program *program, uint32_t number)
{
    const cnf_export_api *api = exporter->api;
    rt_arena *arena = exporter->arena;
    rt_buffer rows = {0};
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 0; i < program->image_count && rt_ok(status); i++) {
        rt_text name = program->images[i];
        const rt_image *image = cnf_export_image(exporter, name);
        const char *array = rt_arena_printf(arena, "constants_%u_%u", number, i).data;
        uint32_t count = 0;
        if (!image || image->format != api->format)
            status = cnf_export_refuse(
                exporter, step->at,
                rt_arena_printf(arena, "an image that is not %s", api->format_name).data);
        else
            status = constants_declare(exporter, step, image, array, &count);
        if (!rt_ok(status)) break;
        rt_text file =
            rt_arena_printf(arena, "%s%s", cnf_export_plain(arena, name).data, api->ending);
        cnf_export_file_add(exporter, file, image->code);
        rt_buffer_printf(&rows, "    {\"%s\", %u, %s},\n", file.data, count,
                         count > 0 ? array : "NULL");
    }
    rt_buffer_printf(&exporter->declarations, "static const image images_%u[] = {\n%s};\n", number,
                     rt_buffer_string(&rows));
    rt_buffer_free(&rows);
    return status;
}

/* Finds the program's first image, whose options all other images must have, and checks the
 * options. Options of OpenCL compilers are not passed to NVIDIA's driver; options of that driver
 * are not supported here. */
static rt_status options_find(cnf_exporter *exporter, const scn_step *step,
                              const cnf_export_program *program, const rt_image **out_first)
{
    CHECK(program->image_count > 0);
    const rt_image *first = cnf_export_image(exporter, program->images[0]);
    *out_first = first;
    for (uint32_t i = 1; i < program->image_count; i++) {
        const rt_image *image = cnf_export_image(exporter, program->images[i]);
        if (!image || !first || !rt_text_equal(image->compile_options, first->compile_options))
            return cnf_export_refuse(exporter, step->at,
                                     "a program of images with different options");
    }
    const rt_text texts[] = {first->compile_options, first->link_options, submit_of(step)->options};
    if (exporter->api->format != RT_FORMAT_PTX) return RT_STATUS_OK;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        rt_text rest = texts[i];
        while (rest.length > 0) {
            rt_text option = rt_text_take_until(&rest, ' ');
            if (option.length > 0 && !rt_text_starts(option, "-cl-"))
                return cnf_export_refuse(exporter, step->at, "an option of the driver's compiler");
        }
    }
    return RT_STATUS_OK;
}

rt_status cnf_export_program_write(cnf_exporter *exporter, const scn_step *step, uint32_t program,
                                   bool refused, bool may_fail)
{
    CHECK(program < exporter->trace.program_count);
    const cnf_export_program *traced = &exporter->trace.programs[program];
    cnf_export_written *written = &exporter->written[program];
    const rt_image *first;
    if (written->linked) return RT_STATUS_OK;
    if (!written->declared) RT_TRY(images_declare(exporter, step, traced, program));
    RT_TRY(options_find(exporter, step, traced, &first));
    rt_buffer_printf(&exporter->body, "    %sprogram_%u = program_link(%u, images_%u, ",
                     written->declared ? "" : "linked_program ", program, traced->image_count,
                     program);
    *written = (cnf_export_written){.linked = !refused && !may_fail, .declared = true};
    /* The image's options come first, then those of the submit. */
    rt_text options = submit_of(step)->options;
    bool needs_space = first->compile_options.length > 0 && options.length > 0;
    cnf_export_literal(&exporter->body,
                       rt_arena_printf(exporter->arena, needs_space ? "%.*s %.*s" : "%.*s%.*s",
                                       RT_TEXT_ARG(first->compile_options), RT_TEXT_ARG(options)));
    rt_buffer_printf(&exporter->body, ", ");
    cnf_export_literal(&exporter->body, first->link_options);
    rt_buffer_printf(&exporter->body, ");\n");
    if (!may_fail)
        rt_buffer_printf(&exporter->body, "    program_expect(program_%u, %d, \"line %u\");\n",
                         program, !refused, step->at.line);
    return refused ? RT_STATUS_OK : cnf_export_globals_point(exporter, step, program, may_fail);
}
