/* Steps as calls of the support file, one paragraph a step, so that main.c reads like the scenario.
 *
 * Commands go to one in-order queue in the order of the steps, which is one of the orders that any
 * scenario allows. */
#include "conformance/export/export_internal.h"

#include "backends/ptx/kernels.h"
#include "conformance/scenario/type.h"
#include "reference/image/device_global.h"
#include "reference/image/spec_constants.h"

#include <ctype.h>
#include <string.h>

static const uint8_t support[] = {
#include "support.inc"
};

typedef struct exporter {
    rt_sink *sink;
    rt_arena *arena;
    const cnf_export_api *api;
    const scn_scenario *scenario;
    const cnf_messages *messages;
    const cnf_export_program *programs; /* of the submits */
    uint32_t program_count;
    uint32_t submit;   /* the next one */
    uint32_t arrays;   /* declared so far */
    bool alternatives; /* the scenario allows several outcomes, so that final memories may differ */
    rt_buffer declarations, body;
    RT_VECTOR(cnf_exported_file) files;
    RT_VECTOR(rt_text)
    linked; /* images of the programs made so far, joined; empty: not to be used again */
} exporter;

/* ---- Refusals ------------------------------------------------------------------------------ */

static rt_status refuse(exporter *made, scn_position at, const char *what)
{
    return rt_fail(made->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                   "%.*s:%u:%u: error: %s has no form in an exported program",
                   RT_TEXT_ARG(made->scenario->file), at.line, at.column, what);
}

static rt_status memory_check(exporter *made, const scn_memory *memory)
{
    if (!cnf_export_layout_fits(&memory->layout))
        return refuse(made, memory->at, "a memory of structs or of vectors of three");
    if (memory->unordered) return refuse(made, memory->at, "an unordered memory");
    if (memory->addresses) return refuse(made, memory->at, "a memory of addresses");
    return RT_STATUS_OK;
}

static rt_status scenario_check(exporter *made)
{
    const scn_scenario *scenario = made->scenario;
    const scn_position at = {1, 1};
    if (scenario->device_count != 1) return refuse(made, at, "a scenario with several devices");
    if (scenario->devices[0].hidden_aspects != 0)
        return refuse(made, scenario->devices[0].at, "a device with hidden aspects");
    if (scenario->persistent_cache) return refuse(made, at, "a persistent cache");
    for (uint32_t i = 0; i < scenario->memory_count; i++)
        RT_TRY(memory_check(made, &scenario->memories[i]));
    return RT_STATUS_OK;
}

/* ---- Names and files ----------------------------------------------------------------------- */

/* The name with what C and shells do not take replaced. */
static rt_text plain(rt_arena *arena, rt_text name)
{
    rt_text copy = rt_arena_text(arena, name);
    char *letters = (char *)(uintptr_t)copy.data;
    for (size_t i = 0; i < copy.length; i++)
        if (!isalnum((unsigned char)letters[i])) letters[i] = '_';
    return copy;
}

static rt_text memory_name(exporter *made, uint32_t memory)
{
    return plain(made->arena, made->scenario->memories[memory].name);
}

static const rt_image *image_find(const scn_scenario *scenario, rt_text name)
{
    for (uint32_t i = 0; i < scenario->module_count; i++)
        for (uint32_t k = 0; k < scenario->modules[i].images.count; k++)
            if (rt_text_equal(scenario->modules[i].images.images[k].name, name))
                return &scenario->modules[i].images.images[k];
    return NULL;
}

static void file_add(exporter *made, rt_text name, rt_bytes content)
{
    for (uint32_t i = 0; i < made->files.count; i++)
        if (rt_text_equal(made->files.items[i].name, name)) return;
    *rt_vector_push(&made->files) = (cnf_exported_file){name, content};
}

/* A string literal of C. */
static void write_literal(rt_buffer *out, rt_text text)
{
    rt_buffer_append_byte(out, '"');
    for (size_t i = 0; i < text.length; i++) {
        if (text.data[i] == '"' || text.data[i] == '\\') rt_buffer_append_byte(out, '\\');
        rt_buffer_append_byte(out, text.data[i]);
    }
    rt_buffer_append_byte(out, '"');
}

/* ---- Programs ------------------------------------------------------------------------------ */

static rt_text images_join(exporter *made, const cnf_export_program *program)
{
    rt_buffer names = {0};
    for (uint32_t i = 0; i < program->image_count; i++)
        rt_buffer_printf(&names, "%.*s ", RT_TEXT_ARG(program->images[i]));
    rt_text joined = rt_arena_text(made->arena, rt_buffer_text(&names));
    rt_buffer_free(&names);
    return joined;
}

/* Declares the values of a submit's constants that an image has; *out_count is how many. */
static rt_status constants_declare(exporter *made, const scn_step *step, const rt_image *image,
                                   const char *array, uint32_t *out_count)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_SPEC_CONSTANTS);
    rt_buffer rows = {0};
    *out_count = 0;
    for (uint32_t i = 0; set && i < set->property_count; i++) {
        rt_spec_descriptor told;
        for (uint32_t k = 0; k < step->submit.constant_count; k++) {
            const scn_spec_constant *given = &step->submit.constants[k];
            if (!rt_text_equal(set->properties[i].name, given->name)) continue;
            if (!rt_spec_descriptor_read(image, i, &told) || told.scalar_count != 1 ||
                told.size_bytes != given->value.size || given->value.size > sizeof(uint64_t)) {
                rt_buffer_free(&rows);
                return refuse(made, given->at, "a specialisation constant that is not a scalar");
            }
            rt_buffer_printf(&rows, "    {%u, %u, {", told.id, told.size_bytes);
            cnf_export_bytes(&rows, given->value);
            rt_buffer_printf(&rows, "}}, /* %.*s */\n", RT_TEXT_ARG(given->name));
            ++*out_count;
        }
    }
    if (*out_count > 0)
        rt_buffer_printf(&made->declarations, "static const spec_constant %s[] = {\n%s};\n", array,
                         rt_buffer_string(&rows));
    rt_buffer_free(&rows);
    return RT_STATUS_OK;
}

/* True where the image has a device_global whose memory the runtime makes and points it to; those
 * with image scope lie in the program. */
static bool has_pointed_globals(const rt_image *image)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_DEVICE_GLOBALS);
    for (uint32_t i = 0; set && i < set->property_count; i++) {
        rt_device_global_value value;
        if (!rt_device_global_value_read(&set->properties[i], &value) || !value.image_scope)
            return true;
    }
    return false;
}

/* Looks at an image, adds its file and appends its row; *inout_constants counts its constants. */
static rt_status image_declare(exporter *made, const scn_step *step, rt_text name,
                               const char *constants, uint32_t *inout_constants, rt_buffer *out)
{
    const rt_image *image = image_find(made->scenario, name);
    uint32_t count;
    if (!image || image->format != made->api->format)
        return refuse(
            made, step->at,
            rt_arena_printf(made->arena, "an image that is no %s", made->api->format_name).data);
    if (has_pointed_globals(image))
        return refuse(made, step->at, "a device_global without image scope");
    RT_TRY(constants_declare(made, step, image, constants, &count));
    rt_text file =
        rt_arena_printf(made->arena, "%s%s", plain(made->arena, name).data, made->api->ending);
    file_add(made, file, image->code);
    rt_buffer_printf(out, "    {\"%s\", %u, %s},\n", file.data, count,
                     count > 0 ? constants : "NULL");
    *inout_constants += count;
    return RT_STATUS_OK;
}

/* Declares the images of a program and adds their files. */
static rt_status images_declare(exporter *made, const scn_step *step,
                                const cnf_export_program *program, uint32_t number)
{
    rt_buffer rows = {0};
    uint32_t constants = 0;
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 0; i < program->image_count && rt_ok(status); i++) {
        rt_text array = rt_arena_printf(made->arena, "constants_%u_%u", number, i);
        status = image_declare(made, step, program->images[i], array.data, &constants, &rows);
    }
    rt_buffer_printf(&made->declarations, "static const image images_%u[] = {\n%s};\n", number,
                     rt_buffer_string(&rows));
    rt_buffer_free(&rows);
    if (rt_ok(status) && constants < step->submit.constant_count)
        return refuse(made, step->at, "a specialisation constant that no image has");
    return status;
}

/* The options of a program's images, which must be the same for all. */
static rt_status options_find(exporter *made, const scn_step *step,
                              const cnf_export_program *program, const rt_image **out_first)
{
    *out_first = image_find(made->scenario, program->images[0]);
    for (uint32_t i = 1; i < program->image_count; i++) {
        const rt_image *image = image_find(made->scenario, program->images[i]);
        if (!image || !*out_first ||
            !rt_text_equal(image->compile_options, (*out_first)->compile_options))
            return refuse(made, step->at, "a program of images with different options");
    }
    return RT_STATUS_OK;
}

/* NVIDIA's driver is given no options of OpenCL's compiler, and has none of its own here. */
static rt_status options_check(exporter *made, const scn_step *step, const rt_image *first)
{
    const rt_text texts[] = {first->compile_options, first->link_options, step->submit.options};
    if (made->api->format != RT_FORMAT_PTX) return RT_STATUS_OK;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t k = 0; k < texts[i].length; k++) {
            bool begins = texts[i].data[k] != ' ' && (k == 0 || texts[i].data[k - 1] == ' ');
            rt_text rest = {texts[i].data + k, texts[i].length - k};
            if (begins && !rt_text_starts(rest, "-cl-"))
                return refuse(made, step->at, "an option of the driver's compiler");
        }
    return RT_STATUS_OK;
}

/* Writes the making of a submit's program, unless an earlier one is the same; *out_number is its
 * number. */
static rt_status program_write(exporter *made, const scn_step *step,
                               const cnf_export_program *program, uint32_t *out_number)
{
    rt_text joined = images_join(made, program);
    bool special = step->submit.options.length > 0 || step->submit.constant_count > 0;
    bool may_fail = step->outcome_count > 0;
    for (uint32_t i = 0; i < made->linked.count; i++) {
        *out_number = i;
        if (!special && rt_text_equal(made->linked.items[i], joined)) return RT_STATUS_OK;
    }
    uint32_t number = made->linked.count;
    const rt_image *first;
    *out_number = number;
    RT_TRY(images_declare(made, step, program, number));
    RT_TRY(options_find(made, step, program, &first));
    RT_TRY(options_check(made, step, first));
    *rt_vector_push(&made->linked) =
        special || program->refused || may_fail ? (rt_text){0} : joined;
    rt_buffer_printf(&made->body, "    linked_program program_%u = program_link(%u, images_%u, ",
                     number, program->image_count, number);
    bool both = first->compile_options.length > 0 && step->submit.options.length > 0;
    write_literal(&made->body, rt_arena_printf(made->arena, both ? "%.*s %.*s" : "%.*s%.*s",
                                               RT_TEXT_ARG(first->compile_options),
                                               RT_TEXT_ARG(step->submit.options)));
    rt_buffer_printf(&made->body, ", ");
    write_literal(&made->body, first->link_options);
    rt_buffer_printf(&made->body, ");\n");
    if (!may_fail)
        rt_buffer_printf(&made->body, "    program_expect(program_%u, %d, \"line %u\");\n", number,
                         !program->refused, step->at.line);
    return RT_STATUS_OK;
}

/* ---- Submits ------------------------------------------------------------------------------- */

static void value_write(exporter *made, uint32_t index, const scn_argument *argument)
{
    rt_buffer *out = &made->body;
    rt_buffer_printf(out, "        unsigned char value_%u[] = {", index);
    cnf_export_bytes(out, argument->value);
    rt_buffer_printf(out, "}; /* little-endian */\n");
    for (uint32_t i = 0; i < argument->pointer_count; i++) {
        const scn_inner_pointer *inner = &argument->pointers[i];
        rt_buffer_printf(out, "        pointer_put(value_%u, %llu, &m_%s, %llu);\n", index,
                         (unsigned long long)inner->at, memory_name(made, inner->memory).data,
                         (unsigned long long)inner->offset);
    }
    rt_buffer_printf(out, "        argument_value(kernel, %u, value_%u, %zu);\n", index, index,
                     argument->value.size);
}

static void argument_write(exporter *made, uint32_t index, const scn_argument *argument)
{
    rt_buffer *out = &made->body;
    switch (argument->kind) {
    case SCN_ARGUMENT_MEMORY:
        rt_buffer_printf(out, "        argument_memory(kernel, %u, &m_%s);\n", index,
                         memory_name(made, argument->memory).data);
        return;
    case SCN_ARGUMENT_LOCAL:
        rt_buffer_printf(out, "        argument_local(kernel, %u, %llu);\n", index,
                         (unsigned long long)argument->size);
        return;
    case SCN_ARGUMENT_VALUE: value_write(made, index, argument); return;
    case SCN_ARGUMENT_POINTER:
        rt_buffer_printf(out, "        argument_pointer(kernel, %u, &m_%s, %llu);\n", index,
                         memory_name(made, argument->memory).data,
                         (unsigned long long)argument->offset);
        return;
    case SCN_ARGUMENT_NULL:
        rt_buffer_printf(out, "        argument_pointer(kernel, %u, NULL, 0);\n", index);
        return;
    case SCN_ARGUMENT_KIND_COUNT: break;
    }
    UNREACHABLE();
}

static void sizes_write(rt_buffer *out, const char *name, const uint64_t *sizes)
{
    rt_buffer_printf(out, "        const size_t %s[3] = {%llu, %llu, %llu};\n", name,
                     (unsigned long long)sizes[0], (unsigned long long)sizes[1],
                     (unsigned long long)sizes[2]);
}

/* The size of groups that a kernel in PTX requires, all 0 where it requires none.  No call of
 * CUDA's tells it, so that the text is asked. */
static rt_status group_find(const exporter *made, const cnf_export_program *program, rt_text kernel,
                            uint64_t *out_group)
{
    ptx_kernels kernels = {0};
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 0; i < program->image_count && rt_ok(status); i++) {
        const rt_image *image = image_find(made->scenario, program->images[i]);
        rt_text text = {(const char *)image->code.data, image->code.size};
        status = ptx_kernels_add(made->sink, &kernels, text);
    }
    const ptx_kernel *found = rt_ok(status) ? ptx_kernels_find(&kernels, kernel) : NULL;
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++)
        out_group[d] = found ? found->required_local[d] : 0;
    ptx_kernels_free(&kernels);
    return status;
}

/* True where the compiler has left parameters out of a kernel, which a set of DPC++ tells
 * (reference/sched/eliminated.c). */
static bool lacks_parameters(const exporter *made, const cnf_export_program *program,
                             rt_text kernel)
{
    for (uint32_t i = 0; i < program->image_count; i++) {
        const rt_image *image = image_find(made->scenario, program->images[i]);
        const rt_property_set *set = rt_image_set(image, "SYCL/kernel param opt");
        for (uint32_t k = 0; set && k < set->property_count; k++) {
            const rt_property *property = &set->properties[k];
            if (!rt_text_equal(property->name, kernel)) continue;
            for (size_t at = 0; at < property->bytes.size; at++)
                if (property->bytes.data[at] != 0) return true;
        }
    }
    return false;
}

static rt_status launch_write(exporter *made, const scn_step *step,
                              const cnf_export_program *images, uint32_t program)
{
    const scn_submit *submit = &step->submit;
    rt_buffer *out = &made->body;
    uint64_t local[RT_ND_RANGE_DIMENSIONS];
    memcpy(local, submit->local, sizeof local);
    if (lacks_parameters(made, images, submit->kernel))
        return refuse(made, step->at, "a kernel that its compiler has left parameters out of");
    if (local[0] == 0 && made->api->format == RT_FORMAT_PTX)
        RT_TRY(group_find(made, images, submit->kernel, local));
    bool has_local = local[0] > 0;
    rt_buffer_printf(out, "    ");
    if (step->outcome_count > 0) rt_buffer_printf(out, "if (program_%u) ", program);
    rt_buffer_printf(out, "{\n        kernel_handle kernel = kernel_of(program_%u, ", program);
    write_literal(out, submit->kernel);
    rt_buffer_printf(out, ");\n");
    for (uint32_t i = 0; i < submit->argument_count; i++)
        argument_write(made, i, &submit->arguments[i]);
    sizes_write(out, "offset", submit->offset);
    sizes_write(out, "global", submit->range);
    if (has_local) sizes_write(out, "local", local);
    rt_buffer_printf(out, "        launch(kernel, %u, offset, global, %s);\n    }\n",
                     submit->dimensions, has_local ? "local" : "NULL");
    return RT_STATUS_OK;
}

static rt_status submit_write(exporter *made, const scn_step *step)
{
    const scn_submit *submit = &step->submit;
    if (submit->constant_count > 0 && !made->api->spec_constants)
        return refuse(made, step->at, "a specialisation constant");
    if (submit->bundle != SCN_NONE) return refuse(made, step->at, "a kernel bundle");
    if (made->submit == made->program_count)
        return refuse(made, step->at, "a submit of which the trace does not tell");
    const cnf_export_program *program = &made->programs[made->submit++];
    uint32_t number;
    made->alternatives = made->alternatives || step->outcome_count > 0;
    rt_buffer_printf(&made->body, "\n    /* Line %u: kernel %.*s", step->at.line,
                     RT_TEXT_ARG(submit->kernel));
    rt_buffer_printf(&made->body, program->refused && step->outcome_count == 0
                                      ? ", whose program must be refused. */\n"
                                      : ". */\n");
    RT_TRY(program_write(made, step, program, &number));
    if (program->refused && step->outcome_count == 0) return RT_STATUS_OK;
    return launch_write(made, step, program, number);
}

/* ---- Other commands ------------------------------------------------------------------------ */

static rt_status transfer_write(exporter *made, const scn_step *step)
{
    const scn_transfer *transfer = &step->transfer;
    if (step->error || step->outcome_count > 0)
        return refuse(made, step->at, "the refusal of a copy or a fill");
    bool copies = step->verb == SCN_VERB_COPY;
    if (transfer->to == SCN_NONE || (copies && transfer->from == SCN_NONE) ||
        transfer->variable.name.length > 0)
        return refuse(made, step->at, "a copy of a device_global");
    rt_buffer *out = &made->body;
    rt_buffer_printf(out, "\n    /* Line %u. */\n", step->at.line);
    if (copies) {
        rt_buffer_printf(
            out, "    copy(&m_%s, %llu, &m_%s, %llu, %llu);\n",
            memory_name(made, transfer->from).data, (unsigned long long)transfer->from_offset,
            memory_name(made, transfer->to).data, (unsigned long long)transfer->to_offset,
            (unsigned long long)transfer->size);
        return RT_STATUS_OK;
    }
    rt_buffer_printf(out, "    {\n        static const unsigned char pattern[] = {");
    cnf_export_bytes(out, transfer->pattern);
    rt_buffer_printf(out, "};\n        fill(&m_%s, pattern, %zu, %llu, %llu);\n    }\n",
                     memory_name(made, transfer->to).data, transfer->pattern.size,
                     (unsigned long long)transfer->to_offset, (unsigned long long)transfer->size);
    return RT_STATUS_OK;
}

/* ---- Expectations -------------------------------------------------------------------------- */

/* Writes the call that compares a memory with an array; `place` is a C expression. */
static void comparison_write(exporter *made, rt_buffer *out, uint32_t index, const char *array,
                             const char *defined, const char *place)
{
    static const char *const tolerances[] = {"EXACT", "ULP", "ABSOLUTE", "RELATIVE"};
    const scn_memory *memory = &made->scenario->memories[index];
    scn_type type = memory->layout.fields[0].type;
    uint32_t size = scn_type_size(type);
    bool floating = scn_type_class(type) == 'f' && size >= 4;
    rt_buffer_printf(out, "memory_holds(&m_%s, %s, %s, %u, %s, %s, %a, %s)",
                     memory_name(made, index).data, array, defined, size,
                     !floating   ? "INTEGERS"
                     : size == 4 ? "FLOATS"
                                 : "DOUBLES",
                     tolerances[memory->tolerance_kind], memory->tolerance, place);
}

static rt_text array_declare(exporter *made, const scn_expect *expect)
{
    rt_text name = rt_arena_printf(made->arena, "expected_%u", made->arrays++);
    cnf_export_values(&made->declarations, name.data,
                      &made->scenario->memories[expect->memory].layout, expect->values);
    return name;
}

/* True where every expectation of every branch is about a memory. */
static bool branches_are_memories(const scn_expect *expect)
{
    for (uint32_t i = 0; i < expect->outcome_count; i++)
        for (uint32_t k = 0; k < expect->outcomes[i].expect_count; k++)
            if (expect->outcomes[i].expects[k].kind != SCN_EXPECT_MEMORY) return false;
    return true;
}

static rt_status one_of_write(exporter *made, const scn_expect *expect)
{
    if (!branches_are_memories(expect))
        return refuse(made, expect->at, "a choice between other things than memories");
    made->alternatives = true;
    rt_buffer condition = {0};
    for (uint32_t i = 0; i < expect->outcome_count; i++) {
        const scn_outcome *outcome = &expect->outcomes[i];
        rt_buffer_printf(&condition, "%s(", i ? " ||\n          " : "");
        for (uint32_t k = 0; k < outcome->expect_count; k++) {
            if (k > 0) rt_buffer_printf(&condition, " && ");
            comparison_write(made, &condition, outcome->expects[k].memory,
                             array_declare(made, &outcome->expects[k]).data, "NULL", "NULL");
        }
        rt_buffer_printf(&condition, ")");
    }
    rt_buffer_printf(
        &made->body,
        "    if (!(%s)) {\n        printf(\"FAIL line %u: none of the outcomes that conform\\n\");\n"
        "        failures++;\n    }\n",
        rt_buffer_string(&condition), expect->at.line);
    rt_buffer_free(&condition);
    return RT_STATUS_OK;
}

static rt_status expect_write(exporter *made, const scn_expect *expect)
{
    rt_buffer *out = &made->body;
    switch (expect->kind) {
    case SCN_EXPECT_MEMORY: {
        rt_text array = array_declare(made, expect);
        rt_buffer_printf(out, "    failures += !");
        comparison_write(made, out, expect->memory, array.data, "NULL",
                         rt_arena_printf(made->arena, "\"line %u\"", expect->at.line).data);
        rt_buffer_printf(out, ";\n");
        return RT_STATUS_OK;
    }
    case SCN_EXPECT_ONE_OF: return one_of_write(made, expect);
    case SCN_EXPECT_FINDING: return refuse(made, expect->at, "a finding of the simulated device");
    case SCN_EXPECT_OUTPUT: return refuse(made, expect->at, "what kernels print");
    case SCN_EXPECT_VARIABLE: return refuse(made, expect->at, "a device_global");
    default:
        rt_buffer_printf(out, "    /* Line %u is about the runtime, which is not here. */\n",
                         expect->at.line);
        return RT_STATUS_OK;
    }
}

static rt_status expects_write(exporter *made, const scn_step *step)
{
    rt_buffer_printf(&made->body, "\n    /* Line %u. */\n", step->at.line);
    for (uint32_t i = 0; i < step->expect_count; i++)
        RT_TRY(expect_write(made, &step->expect[i]));
    return RT_STATUS_OK;
}

/* ---- The program --------------------------------------------------------------------------- */

static rt_status step_write(exporter *made, const scn_step *step)
{
    if (step->profile != RT_PROFILE_COUNT && step->profile != RT_PROFILE_DOCUMENTS)
        return RT_STATUS_OK;
    switch (step->verb) {
    case SCN_VERB_SUBMIT: return submit_write(made, step);
    case SCN_VERB_COPY:
    case SCN_VERB_FILL: return transfer_write(made, step);
    case SCN_VERB_EXPECT: return expects_write(made, step);
    case SCN_VERB_WAIT:
    case SCN_VERB_HOST_ACCESS:
        rt_buffer_printf(&made->body, "\n    /* Line %u. */\n    finish();\n", step->at.line);
        return RT_STATUS_OK;
    /* What they decide is in the trace, or nothing depends on it on one queue. */
    case SCN_VERB_LOAD:
    case SCN_VERB_UNLOAD:
    case SCN_VERB_LOAD_IMAGE:
    case SCN_VERB_DEVICE:
    case SCN_VERB_QUEUE:
    case SCN_VERB_END_QUEUE:
        return step->error ? refuse(made, step->at, "this refusal") : RT_STATUS_OK;
    default: return refuse(made, step->at, "this step");
    }
}

static const char *const memory_kinds[SCN_MEMORY_KIND_COUNT] = {
    [SCN_MEMORY_BUFFER] = "BUFFER",
    [SCN_MEMORY_USM_DEVICE] = "USM_DEVICE",
    [SCN_MEMORY_USM_HOST] = "USM_HOST",
    [SCN_MEMORY_USM_SHARED] = "USM_SHARED",
};

static void memories_write(exporter *made)
{
    for (uint32_t i = 0; i < made->scenario->memory_count; i++) {
        const scn_memory *memory = &made->scenario->memories[i];
        rt_text name = memory_name(made, i);
        uint64_t size = memory->count * memory->layout.size;
        rt_text initial =
            rt_arena_printf(made->arena, memory->initial.data ? "initial_%s" : "NULL", name.data);
        if (memory->initial.data)
            cnf_export_values(&made->declarations, initial.data, &memory->layout, memory->initial);
        rt_buffer_printf(&made->body, "    memory m_%s = memory_create(%s, \"%s\", %llu, %s);\n",
                         name.data, memory_kinds[memory->kind], name.data, (unsigned long long)size,
                         initial.data);
    }
}

static uint32_t memory_index(const scn_scenario *scenario, rt_text name)
{
    uint32_t index = 0;
    while (index < scenario->memory_count && !rt_text_equal(scenario->memories[index].name, name))
        index++;
    return index;
}

/* What the memories hold in the end is compared with what the simulated device left. */
static void finals_write(exporter *made)
{
    if (made->alternatives) return;
    rt_buffer_printf(
        &made->body,
        "\n    /* The end: what the documents' runtime leaves on a checked device. */\n");
    for (uint32_t i = 0; i < made->messages->memory_count; i++) {
        const cnf_final_memory *last = &made->messages->memories[i];
        uint32_t index = memory_index(made->scenario, last->name);
        if (index == made->scenario->memory_count) continue;
        const scn_layout *layout = &made->scenario->memories[index].layout;
        rt_text name = memory_name(made, index);
        rt_text array = rt_arena_printf(made->arena, "final_%s", name.data);
        rt_text defined =
            rt_arena_printf(made->arena, last->defined.data ? "defined_%s" : "NULL", name.data);
        cnf_export_values(&made->declarations, array.data, layout, last->data);
        if (last->defined.data)
            cnf_export_defined(&made->declarations, defined.data, layout, last->defined,
                               last->data.size);
        rt_buffer_printf(&made->body, "    failures += !");
        comparison_write(made, &made->body, index, array.data, defined.data, "\"at the end\"");
        rt_buffer_printf(&made->body, ";\n");
    }
}

static rt_status body_write(exporter *made)
{
    memories_write(made);
    for (uint32_t i = 0; i < made->scenario->step_count; i++)
        RT_TRY(step_write(made, &made->scenario->steps[i]));
    finals_write(made);
    return RT_STATUS_OK;
}

static void main_add(exporter *made)
{
    rt_buffer text = {0};
    rt_buffer_printf(
        &text,
        "/* %.*s\n *\n * Made of %.*s by assay export.  Exit status: 0 as expected, 1 not, 2 not tried.  "
        "Line numbers are the scenario's. */\n#include \"%s\"\n\n",
        RT_TEXT_ARG(made->scenario->summary), RT_TEXT_ARG(made->scenario->path),
        made->api->support_name);
    rt_buffer_append_text(&text, rt_buffer_text(&made->declarations));
    rt_buffer_printf(
        &text,
        "\nint main(int argument_count, char **arguments)\n{\n    device_open(argument_count, arguments);\n");
    rt_buffer_append_text(&text, rt_buffer_text(&made->body));
    rt_buffer_printf(&text, "\n    return program_end();\n}\n");
    file_add(made, RT_TEXT("main.c"), rt_arena_bytes(made->arena, rt_buffer_bytes(&text)));
    rt_buffer_free(&text);
}

rt_status cnf_export(rt_sink *sink, rt_arena *arena, const cnf_export_api *api,
                     const scn_scenario *scenario, const cnf_messages *messages,
                     cnf_exported *out_exported)
{
    exporter made = {
        .sink = sink, .arena = arena, .api = api, .scenario = scenario, .messages = messages};
    *out_exported = (cnf_exported){0};
    rt_status status = scenario_check(&made);
    if (rt_ok(status))
        status = cnf_export_programs(sink, arena, messages, &made.programs, &made.program_count);
    if (rt_ok(status)) status = body_write(&made);
    if (rt_ok(status)) {
        main_add(&made);
        file_add(&made, RT_TEXT("support.h"), (rt_bytes){support, sizeof support});
        file_add(&made, rt_text_of(api->support_name), api->support);
        file_add(&made, RT_TEXT("Makefile"), api->makefile);
        rt_bytes files =
            rt_arena_bytes(arena, (rt_bytes){(const uint8_t *)made.files.items,
                                             made.files.count * sizeof(cnf_exported_file)});
        *out_exported =
            (cnf_exported){(const cnf_exported_file *)(const void *)files.data, made.files.count};
    }
    rt_buffer_free(&made.declarations);
    rt_buffer_free(&made.body);
    rt_vector_free(&made.files);
    rt_vector_free(&made.linked);
    return status;
}
