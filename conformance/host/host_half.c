/* The host half of a SYCL source: what a host compiler makes of the source between its integration
 * header and footer, as in an application of DPC++ (DeviceGlobal.md, "Integration footer").
 *
 * There, the source's include of sycl.hpp follows the header's declarations. Here it precedes them,
 * so that it can be precompiled; the headers of libsycl use none of them, and the definitions of
 * macros keep their order. */
#include "conformance/host/host_internal.h"

#include <string.h>

/* ---- The footer ---------------------------------------------------------------------------- */

/* Takes everything up to the separator and the separator itself; false: it does not occur. */
static bool take_through(rt_text *inout_rest, const char *separator, rt_text *out_before)
{
    size_t length = strlen(separator);
    const char *at = memmem(inout_rest->data, inout_rest->length, separator, length);
    if (!at) return false;
    size_t before = (size_t)(at - inout_rest->data);
    *out_before = (rt_text){inout_rest->data, before};
    *inout_rest = rt_text_skip(*inout_rest, before + length);
    return true;
}

/* Takes the next registration of a variable off a footer: an expression that is its address, and
 * its id as the inside of a string literal. */
static bool registration_next(rt_text *inout_rest, rt_text *out_address, rt_text *out_id)
{
    rt_text skipped;
    return inout_rest->length > 0 &&
           take_through(inout_rest, "device_global_map::add((void *)", &skipped) &&
           take_through(inout_rest, ", \"", out_address) &&
           take_through(inout_rest, "\");", out_id);
}

static bool footer_registers(rt_text footer, rt_text id)
{
    for (rt_text address, registered; registration_next(&footer, &address, &registered);)
        if (rt_text_equal(registered, id)) return true;
    return false;
}

bool cnf_host_half_has(const scn_module *module, rt_text id)
{
    for (uint32_t i = 0; i < module->host_half_count; i++) {
        const scn_host_half *half = &module->host_halves[i];
        if (footer_registers(half->footer, id)) return true;
        for (uint32_t k = 0; k < half->globals.count; k++)
            if (rt_text_equal(half->globals.globals[k].unique_id, id)) return true;
    }
    return false;
}

/* An application could name the variable, and would then copy to the host's memory only. */
rt_status cnf_host_half_check(rt_sink *sink, const scn_module *module, const scn_host_half *half)
{
    for (uint32_t i = 0; i < half->globals.count; i++) {
        rt_text id = half->globals.globals[i].unique_id;
        if (footer_registers(half->footer, id)) continue;
        return rt_fail_naming(sink, RT_TOOL, RT_RULE_NONE, &id, 1,
                              "the integration footer of source %.*s does not register the "
                              "device_global %.*s, which the source's images use",
                              RT_TEXT_ARG(module->sources[half->source].name), RT_TEXT_ARG(id));
    }
    return RT_STATUS_OK;
}

/* ---- The source ---------------------------------------------------------------------------- */

/* A host compiler sees only a declaration of a function or variable that another module defines.
 * The reference is weak, so that the module can be linked and loaded without that module, or if
 * that module's code exists for devices only, as that of an image written by hand. */
static void imports_write(rt_buffer *out, const scn_module *module)
{
    for (uint32_t i = 0; i < module->images.count; i++) {
        const rt_property_set *set =
            rt_image_set(&module->images.images[i], RT_SET_IMPORTED_SYMBOLS);
        for (uint32_t k = 0; set && k < set->property_count; k++)
            if (cnf_host_is_symbol(set->properties[k].name))
                rt_buffer_printf(out, "__asm__(\".weak %.*s\");\n",
                                 RT_TEXT_ARG(set->properties[k].name));
    }
}

/* The type of a variable says what a program's templates know about it: libsycl's queue::copy
 * takes size and scope from it in the same way. */
static const char variables_begin[] =
    "extern \"C\" void assay_module_variable(const void *, const char *, unsigned long, int);\n"
    "namespace\n"
    "{\n"
    "template <class Type, class Properties>\n"
    "void assay_tell(const sycl::ext::oneapi::experimental::device_global<Type, Properties> "
    "*variable,\n"
    "                const char *id)\n"
    "{\n"
    "    assay_module_variable(variable, id, sizeof(Type),\n"
    "                          Properties::template has_property<\n"
    "                              sycl::ext::oneapi::experimental::device_image_scope_key>());\n"
    "}\n"
    "struct assay_variables {\n"
    "    assay_variables()\n"
    "    {\n";
static const char variables_end[] = "    }\n"
                                    "} assay_the_variables;\n"
                                    "} // namespace\n";

static rt_text without_indentation(rt_text line)
{
    while (line.length > 0 && (line.data[0] == ' ' || line.data[0] == '\t'))
        line = rt_text_skip(line, 1);
    return line;
}

/* The blank lines, comments of a line and preprocessor directives that a text begins with, up to
 * where no #if is open. */
static rt_text leading_lines(rt_text text)
{
    rt_text rest = text, taken = {text.data, 0};
    for (int depth = 0; rest.length > 0;) {
        rt_text line = without_indentation(rt_text_take_until(&rest, '\n'));
        if (line.length == 0) continue;
        bool continues = line.data[line.length - 1] == '\\';
        if (continues || (line.data[0] != '#' && !rt_text_starts(line, "//"))) break;
        depth += rt_text_starts(line, "#if");
        depth -= rt_text_starts(line, "#endif");
        if (depth == 0) taken.length = (size_t)(line.data + line.length - text.data);
    }
    return taken;
}

void cnf_host_write_half_opening(rt_buffer *out, const scn_module *module,
                                 const scn_host_half *half)
{
    static const char include[] = "#include <sycl/sycl.hpp>";
    CHECK(half->source < module->source_count);
    rt_text rest = leading_lines(module->sources[half->source].code), line = {0};
    while (rest.length > 0 && !rt_text_starts(line, "#"))
        line = without_indentation(rt_text_take_until(&rest, '\n'));
    if (!rt_text_is(line, include)) return;
    rt_text opening = leading_lines(half->header);
    rt_buffer_append_text(out, opening);
    rt_buffer_printf(out, "%s%s\n", opening.length > 0 ? "\n" : "", include);
}

void cnf_host_write_half(rt_buffer *out, const scn_module *module, const scn_host_half *half)
{
    CHECK(half->source < module->source_count);
    const scn_source *source = &module->sources[half->source];
    CHECK(source->language == SCN_LANGUAGE_SYCL);
    rt_buffer_append_text(out, half->header);
    rt_buffer_printf(out, "\n#line 1 \"%.*s\"\n", RT_TEXT_ARG(source->name));
    rt_buffer_append_text(out, source->code);
    rt_buffer_printf(out, "\n#line 1 \"the integration footer of %.*s\"\n",
                     RT_TEXT_ARG(source->name));
    rt_buffer_append_text(out, half->footer);
    rt_buffer_printf(out, "\n#line 1 \"assay's code for %.*s\"\n", RT_TEXT_ARG(source->name));
    imports_write(out, module);
    uint32_t count = 0;
    rt_text rest = half->footer, address, id;
    for (; registration_next(&rest, &address, &id); count++) {
        if (count == 0) rt_buffer_printf(out, "%s", variables_begin);
        rt_buffer_printf(out, "        assay_tell(%.*s, \"%.*s\");\n", RT_TEXT_ARG(address),
                         RT_TEXT_ARG(id));
    }
    if (count > 0) rt_buffer_printf(out, "%s", variables_end);
}
