/* The images of a program as files and rows, and its making as a call. */
#include "conformance/export/export_internal.h"

#include "reference/image/spec_constants.h"

#include <string.h>

static const rt_image *list_find(rt_image_list list, rt_text name)
{
    for (uint32_t i = 0; i < list.count; i++)
        if (rt_text_equal(list.images[i].name, name)) return &list.images[i];
    return NULL;
}

const rt_image *cnf_export_image(const cnf_exporter *exporter, rt_text name)
{
    const rt_image *found = NULL;
    for (uint32_t i = 0; i < exporter->scenario->module_count && !found; i++)
        found = list_find(exporter->scenario->modules[i].images, name);
    for (uint32_t i = 0; i < exporter->fused_count && !found; i++)
        if (rt_text_equal(exporter->fused[i].kernel, name))
            found = &exporter->fused[i].result.image;
    return found;
}

/* The submit of a step; one that says nothing of constants and options where a bundle, a fusion or
 * a copy needs a program. */
static const scn_submit *submit_of(const scn_step *step)
{
    static const scn_submit nothing;
    return step->verb == SCN_VERB_SUBMIT ? &step->submit : &nothing;
}

/* Declares the values of those constants of a submit that an image has; *out_count is their number.
 */
static rt_status constants_declare(cnf_exporter *exporter, const scn_step *step,
                                   const rt_image *image, const char *array, uint32_t *out_count)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_SPEC_CONSTANTS);
    rt_buffer rows = {0};
    *out_count = 0;
    for (uint32_t i = 0; set && i < set->property_count; i++) {
        rt_spec_descriptor descriptor;
        for (uint32_t k = 0; k < submit_of(step)->constant_count; k++) {
            const scn_spec_constant *given = &submit_of(step)->constants[k];
            if (!rt_text_equal(set->properties[i].name, given->name)) continue;
            if (!rt_spec_descriptor_read(image, i, &descriptor) || descriptor.scalar_count != 1 ||
                descriptor.size_bytes != given->value.size ||
                given->value.size > sizeof(uint64_t)) {
                rt_buffer_free(&rows);
                return cnf_export_refuse(exporter, given->at,
                                         "a specialisation constant that is not a scalar");
            }
            rt_buffer_printf(&rows, "    {%u, %u, {", descriptor.id, descriptor.size_bytes);
            cnf_export_bytes(&rows, given->value);
            rt_buffer_printf(&rows, "}}, /* %.*s */\n", RT_TEXT_ARG(given->name));
            ++*out_count;
        }
    }
    if (*out_count > 0)
        rt_buffer_printf(&exporter->declarations, "static const spec_constant %s[] = {\n%s};\n",
                         array, rt_buffer_string(&rows));
    rt_buffer_free(&rows);
    return RT_STATUS_OK;
}

/* Adds an image's file and appends its row; *inout_constants counts its constants. */
static rt_status image_declare(cnf_exporter *exporter, const scn_step *step, rt_text name,
                               const char *constants, uint32_t *inout_constants, rt_buffer *out)
{
    const rt_image *image = cnf_export_image(exporter, name);
    uint32_t count;
    if (!image || image->format != exporter->api->format)
        return cnf_export_refuse(
            exporter, step->at,
            rt_arena_printf(exporter->arena, "an image that is not %s", exporter->api->format_name)
                .data);
    RT_TRY(constants_declare(exporter, step, image, constants, &count));
    rt_text file =
        rt_arena_printf(exporter->arena, "%s%s", cnf_export_plain(exporter->arena, name).data,
                        exporter->api->ending);
    cnf_export_file_add(exporter, file, image->code);
    rt_buffer_printf(out, "    {\"%s\", %u, %s},\n", file.data, count,
                     count > 0 ? constants : "NULL");
    *inout_constants += count;
    return RT_STATUS_OK;
}

/* Declares the images of a program and adds their files. */
static rt_status images_declare(cnf_exporter *exporter, const scn_step *step,
                                const cnf_export_program *program, uint32_t number)
{
    rt_buffer rows = {0};
    uint32_t constants = 0;
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 0; i < program->image_count && rt_ok(status); i++) {
        rt_text array = rt_arena_printf(exporter->arena, "constants_%u_%u", number, i);
        status = image_declare(exporter, step, program->images[i], array.data, &constants, &rows);
    }
    rt_buffer_printf(&exporter->declarations, "static const image images_%u[] = {\n%s};\n", number,
                     rt_buffer_string(&rows));
    rt_buffer_free(&rows);
    if (rt_ok(status) && constants < submit_of(step)->constant_count)
        return cnf_export_refuse(exporter, step->at, "a specialisation constant that no image has");
    return status;
}

/* The options of a program's images, which must all be equal. */
static rt_status options_find(cnf_exporter *exporter, const scn_step *step,
                              const cnf_export_program *program, const rt_image **out_first)
{
    *out_first = cnf_export_image(exporter, program->images[0]);
    for (uint32_t i = 1; i < program->image_count; i++) {
        const rt_image *image = cnf_export_image(exporter, program->images[i]);
        if (!image || !*out_first ||
            !rt_text_equal(image->compile_options, (*out_first)->compile_options))
            return cnf_export_refuse(exporter, step->at,
                                     "a program of images with different options");
    }
    return RT_STATUS_OK;
}

/* NVIDIA's driver gets no options of OpenCL's compiler, and none of its own here. */
static rt_status options_check(cnf_exporter *exporter, const scn_step *step, const rt_image *first)
{
    const rt_text texts[] = {first->compile_options, first->link_options, submit_of(step)->options};
    if (exporter->api->format != RT_FORMAT_PTX) return RT_STATUS_OK;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t k = 0; k < texts[i].length; k++) {
            bool begins = texts[i].data[k] != ' ' && (k == 0 || texts[i].data[k - 1] == ' ');
            rt_text rest = {texts[i].data + k, texts[i].length - k};
            if (begins && !rt_text_starts(rest, "-cl-"))
                return cnf_export_refuse(exporter, step->at, "an option of the driver's compiler");
        }
    return RT_STATUS_OK;
}

/* The compiler options for a program: the image's, then those of the submit. */
static rt_text options_of(cnf_exporter *exporter, const scn_step *step, const rt_image *first)
{
    rt_text own = submit_of(step)->options;
    bool both = first->compile_options.length > 0 && own.length > 0;
    return rt_arena_printf(exporter->arena, both ? "%.*s %.*s" : "%.*s%.*s",
                           RT_TEXT_ARG(first->compile_options), RT_TEXT_ARG(own));
}

rt_status cnf_export_program_write(cnf_exporter *exporter, const scn_step *step, uint32_t program,
                                   bool refused, bool may_fail)
{
    CHECK(program < exporter->trace.program_count);
    const cnf_export_program *known = &exporter->trace.programs[program];
    cnf_export_written *written = &exporter->written[program];
    const rt_image *first;
    if (written->linked) return RT_STATUS_OK;
    if (!written->declared) RT_TRY(images_declare(exporter, step, known, program));
    RT_TRY(options_find(exporter, step, known, &first));
    RT_TRY(options_check(exporter, step, first));
    bool is_declared = written->declared;
    rt_buffer_printf(&exporter->body, "    %sprogram_%u = program_link(%u, images_%u, ",
                     is_declared ? "" : "linked_program ", program, known->image_count, program);
    *written = (cnf_export_written){.linked = !refused && !may_fail, .declared = true};
    cnf_export_literal(&exporter->body, options_of(exporter, step, first));
    rt_buffer_printf(&exporter->body, ", ");
    cnf_export_literal(&exporter->body, first->link_options);
    rt_buffer_printf(&exporter->body, ");\n");
    if (!may_fail)
        rt_buffer_printf(&exporter->body, "    program_expect(program_%u, %d, \"line %u\");\n",
                         program, !refused, step->at.line);
    return refused ? RT_STATUS_OK : cnf_export_globals_point(exporter, step, program, may_fail);
}
