/* From launches to the YAML of a scenario.  A comment marks expectations as results of a run,
 * because no derivation supports them.
 *
 * Several launches share memory: its first contents are those before the first launch that uses it.
 * Copies, fills and stores between two launches are steps.  Whatever else changes memory there
 * becomes a copy from a memory that holds the contents afterwards. */
#include "conformance/tools/capture/capture.h"

#include "conformance/process/files.h"
#include "conformance/report/output.h"
#include "conformance/scenario/model/type.h"
#include "conformance/scenario/read/companion.h"
#include "conformance/tools/fmt/fmt.h"
#include "conformance/verdict/scenario_text.h"
#include "conformance/verdict/value.h"
#include "reference/base/demangle.h"
#include "reference/base/number.h"
#include "reference/base/vector.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    INLINE_NUMBERS_MAX = 16, /* values of a memory that are written into the scenario itself */
    INLINE_BYTES_MAX = 64,
    NAME_LENGTH_MAX = 48, /* characters of a kernel's name in the name of a file */
    CONTENT_SIZE_MAX = 1 << 30,
};

/* A memory of the scenario. */
typedef struct written_memory {
    uint32_t launch; /* index of the first command that uses it */
    uint32_t number;
    bool is_block;
    const char *usm;
    uint64_t size;
    rt_text name;
    scn_layout layout;
    rt_text first;     /* path of the contents with which it begins */
    rt_text latest;    /* path of the contents so far; empty: unknown */
    bool is_undefined; /* at the beginning */
    bool is_arbitrary; /* it was, but the scenario has the values that it happened to have */
    bool is_changed;
    bool is_used;    /* by a launch so far */
    bool has_state;  /* `state` has the contents, which commands between launches have made */
    rt_buffer state; /* owned */
} written_memory;

typedef RT_VECTOR(uint32_t) index_list;

typedef struct scenario_writer {
    rt_sink *sink;
    rt_arena *arena;
    const cap_recording *recording;
    const cap_command *commands;
    uint32_t first, count;
    uint32_t current; /* index of the launch that is being written */
    const cap_style *style;
    RT_VECTOR(written_memory) memories;
    RT_VECTOR(const cap_program *) programs;
    rt_buffer head, memory, steps; /* of the scenario's text */
    uint32_t copies;               /* of memories that only provide contents */
    bool *are_written;             /* which of the commands are steps */
    uint32_t *visits; /* of each command, 1 + the last one whose order has led to it; 0: none */
} scenario_writer;

/* A text of a driver as one line of ASCII. */
static rt_text plain_line(rt_arena *arena, rt_text text)
{
    rt_buffer out = {0};
    rt_buffer_append_escaped(&out, text);
    rt_text line = rt_arena_text(arena, rt_buffer_text(&out));
    rt_buffer_free(&out);
    return line;
}

/* ---- Files ---------------------------------------------------------------------------------- */

static rt_status folder_make(scenario_writer *writer, const char *name)
{
    rt_text path = rt_arena_printf(writer->arena, "%.*s%s%s", RT_TEXT_ARG(writer->style->folder),
                                   *name ? "/" : "", name);
    if (mkdir(path.data, 0777) == 0 || errno == EEXIST) return RT_STATUS_OK;
    return rt_fail(writer->sink, RT_IO, RT_RULE_NONE, "%s: the folder cannot be created: %s",
                   path.data, strerror(errno));
}

/* Writes the contents to FOLDER/KIND/HASH.ENDING, unless that file exists, and appends the keys of
 * a file to the scenario. */
static rt_status file_put(scenario_writer *writer, rt_buffer *out, rt_text content,
                          const char *kind, const char *ending, const char *separator)
{
    enum { NAME_DIGITS = 16 };
    rt_text hash = scn_companion_hash(writer->arena, content);
    rt_text name =
        rt_arena_printf(writer->arena, "%s/%.*s.%s", kind, NAME_DIGITS, hash.data, ending);
    rt_text path = rt_arena_printf(writer->arena, "%.*s/%.*s", RT_TEXT_ARG(writer->style->folder),
                                   RT_TEXT_ARG(name));
    RT_TRY(folder_make(writer, ""));
    RT_TRY(folder_make(writer, kind));
    int error = access(path.data, F_OK) == 0 ? 0 : cnf_file_replace(path.data, content);
    if (error != 0)
        return rt_fail(writer->sink, RT_IO, RT_RULE_NONE, "%s: %s", path.data, strerror(error));
    rt_buffer_printf(out, "file: %.*s%ssha256: %.*s", RT_TEXT_ARG(name), separator,
                     RT_TEXT_ARG(hash));
    return RT_STATUS_OK;
}

/* ---- Contents ------------------------------------------------------------------------------- */

/* True if all elements have the same bytes. */
static bool is_uniform(const scn_layout *layout, rt_text content)
{
    size_t size = layout->size;
    return content.length > size &&
           memcmp(content.data, content.data + size, content.length - size) == 0;
}

/* True if numbers in decimal stand for exactly these bytes: there is no padding and no NaN. */
static bool is_exact_in_decimal(const scn_layout *layout, rt_bytes bytes)
{
    const scn_field *field = &layout->fields[0];
    uint32_t size = scn_type_size(field->type);
    if (field->lanes * size != layout->size) return false;
    for (size_t at = 0; scn_type_class(field->type) == 'f' && at < bytes.size; at += size) {
        uint64_t bits = cnf_value_bits(field->type, bytes.data + at);
        if (isnan(cnf_value_float(field->type, bits))) return false;
    }
    return true;
}

static void bytes_append(rt_buffer *out, rt_bytes bytes)
{
    rt_buffer_printf(out, "{bytes: '");
    rt_buffer_append_hex(out, bytes);
    rt_buffer_printf(out, "'}");
}

/* Appends contents as `values` and `equals` take them. */
static rt_status contents_put(scenario_writer *writer, rt_buffer *out, const written_memory *memory,
                              rt_text content)
{
    const scn_layout *layout = &memory->layout;
    const scn_field *field = &layout->fields[0];
    const uint8_t *bytes = (const uint8_t *)content.data;
    uint64_t count = memory->size / layout->size;
    CHECK(content.length == memory->size);
    if (is_uniform(layout, content) &&
        is_exact_in_decimal(layout, (rt_bytes){bytes, layout->size})) {
        rt_buffer_printf(out, "{fill: ");
        cnf_lanes_append(out, field, bytes);
        rt_buffer_append_byte(out, '}');
    } else if (count * field->lanes <= INLINE_NUMBERS_MAX &&
               is_exact_in_decimal(layout, rt_text_bytes(content))) {
        cnf_elements_append(out, field, layout->size, count, bytes);
    } else if (memory->size <= INLINE_BYTES_MAX) {
        bytes_append(out, rt_text_bytes(content));
    } else if (content.length > RT_IMAGE_SIZE_MAX) {
        return rt_fail(writer->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "its memory of %zu bytes exceeds the %u that a scenario's file may have",
                       content.length, RT_IMAGE_SIZE_MAX);
    } else {
        rt_buffer_append_byte(out, '{');
        RT_TRY(file_put(writer, out, content, "data", "bin", ", "));
        rt_buffer_append_byte(out, '}');
    }
    return RT_STATUS_OK;
}

/* Reads captured contents into a buffer that the caller frees. */
static rt_status contents_read(scenario_writer *writer, const written_memory *memory, rt_text path,
                               rt_buffer *out)
{
    RT_TRY(cnf_file_read(writer->sink, path, CONTENT_SIZE_MAX, out));
    if (out->size == memory->size) return RT_STATUS_OK;
    rt_buffer_free(out);
    return rt_fail(writer->sink, RT_MALFORMED, RT_RULE_NONE,
                   "%.*s does not have the %" PRIu64 " bytes of its memory; capture again",
                   RT_TEXT_ARG(path), memory->size);
}

/* ---- Names and types ------------------------------------------------------------------------ */

/* What a launch's program consists of; NULL: unknown. */
static const cnf_spirv_outline *outline_of(const scenario_writer *writer, const cap_command *launch)
{
    const cap_style *style = writer->style;
    return style->outline ? style->outline(style->user, launch->program) : NULL;
}

/* Checks that the kernel's name is that of a kernel of its program, if those are known. */
static rt_status kernel_check(scenario_writer *writer, const cap_command *launch)
{
    const cnf_spirv_outline *outline = outline_of(writer, launch);
    if (!outline || cnf_spirv_outline_kernel(outline, launch->kernel)) return RT_STATUS_OK;
    return rt_fail(writer->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                   "its program has no kernel of that name%s",
                   writer->recording->is_dump
                       ? "; the Intercept Layer shortens long names (LongKernelNameCutoff)"
                       : "");
}

/* Checks that a launch's memories are not larger than what is read. */
static rt_status sizes_check(scenario_writer *writer, const cap_command *launch)
{
    for (uint32_t i = 0; i < launch->memory_count; i++)
        if (launch->memories[i].size > CONTENT_SIZE_MAX)
            return rt_fail(writer->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                           "its memory of %" PRIu64 " bytes exceeds the %d of a scenario's memory",
                           launch->memories[i].size, CONTENT_SIZE_MAX);
    return RT_STATUS_OK;
}

/* The kernel's parameters; NULL: unknown. */
static const cnf_kernel_outline *kernel_outline(const scenario_writer *writer,
                                                const cap_command *launch)
{
    const cnf_spirv_outline *outline = outline_of(writer, launch);
    const cnf_kernel_outline *kernel =
        outline ? cnf_spirv_outline_kernel(outline, launch->kernel) : NULL;
    return kernel && kernel->parameter_count == launch->argument_count ? kernel : NULL;
}

/* A text with only letters, digits and underscores. */
static rt_text plain_name(rt_arena *arena, rt_text text, size_t length_max)
{
    rt_buffer out = {0};
    for (size_t i = 0; i < text.length && i < length_max; i++) {
        char c = text.data[i];
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        rt_buffer_append_byte(&out, is_plain ? c : '_');
    }
    rt_text name = rt_arena_text(arena, rt_buffer_text(&out));
    rt_buffer_free(&out);
    return name;
}

static written_memory *memory_find(scenario_writer *writer, const cap_memory *memory)
{
    for (uint32_t i = 0; i < writer->memories.count; i++) {
        written_memory *written = &writer->memories.items[i];
        if (written->is_block == memory->is_block && written->number == memory->number)
            return written;
    }
    return NULL;
}

static bool name_is_taken(const scenario_writer *writer, rt_text name)
{
    static const char *const words[] = {"null", "true", "false", "none"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (rt_text_is(name, words[i])) return true;
    for (uint32_t i = 0; i < writer->memories.count; i++)
        if (rt_text_equal(writer->memories.items[i].name, name)) return true;
    return false;
}

/* The memory's name: that of the parameter, or its number in the recording. */
static rt_text memory_name(scenario_writer *writer, const cap_memory *memory,
                           const cnf_parameter *parameter)
{
    rt_text name = {0};
    if (parameter) name = plain_name(writer->arena, parameter->name, NAME_LENGTH_MAX);
    bool is_name = name.length > 0 && (*name.data < '0' || *name.data > '9');
    if (is_name && !name_is_taken(writer, name)) return name;
    return rt_arena_printf(writer->arena, "%s_%u", memory->is_block ? "block" : "buffer",
                           memory->number);
}

/* The layout of the elements that a parameter points to, or bytes. */
static scn_layout memory_layout(scenario_writer *writer, const cap_memory *memory,
                                const cnf_parameter *parameter)
{
    scn_type type;
    uint32_t lanes;
    if (parameter && scn_type_find(parameter->type, &type, &lanes) && type < SCN_TYPE_COUNT) {
        scn_layout layout = scn_layout_of(writer->arena, type, lanes);
        if (memory->size % layout.size == 0) return layout;
    }
    return scn_layout_of(writer->arena, SCN_TYPE_UCHAR, 1);
}

/* Adds a launch's memories to the scenario's. */
static void memories_add(scenario_writer *writer, const cap_command *launch)
{
    const cnf_kernel_outline *kernel = kernel_outline(writer, launch);
    for (uint32_t i = 0; i < launch->memory_count; i++) {
        const cap_memory *memory = &launch->memories[i];
        const cnf_parameter *parameter = NULL;
        for (uint32_t k = 0; kernel && k < launch->argument_count && !parameter; k++)
            if (launch->arguments[k].kind == CAP_MEMORY && launch->arguments[k].memory == i &&
                launch->arguments[k].offset == 0)
                parameter = &kernel->parameters[k];
        if (memory_find(writer, memory)) continue;
        const written_memory added = {
            .launch = writer->current,
            .number = memory->number,
            .is_block = memory->is_block,
            .usm = memory->usm,
            .size = memory->size,
            .name = memory_name(writer, memory, parameter),
            .layout = memory_layout(writer, memory, parameter),
            .first = memory->before,
            .latest = memory->before,
            .is_undefined = memory->is_undefined,
        };
        *rt_vector_push(&writer->memories) = added;
    }
}

/* ---- Memories ------------------------------------------------------------------------------- */

/* Finds whether a launch has stored into every element: none has the bytes that it had before. */
static rt_status is_overwritten(scenario_writer *writer, const written_memory *memory,
                                rt_text after, bool *out_is)
{
    rt_buffer old = {0}, new = {0};
    *out_is = false;
    rt_status status = cnf_file_read(writer->sink, memory->first, CONTENT_SIZE_MAX, &old);
    if (rt_ok(status)) status = cnf_file_read(writer->sink, after, CONTENT_SIZE_MAX, &new);
    size_t size = memory->layout.size;
    if (rt_ok(status) && old.size == new.size) {
        size_t at = 0;
        while (at + size <= old.size && memcmp(old.data + at, new.data + at, size) != 0)
            at += size;
        *out_is = at == old.size;
    }
    rt_buffer_free(&old);
    rt_buffer_free(&new);
    return status;
}

/* Decides whether undefined contents remain undefined in the scenario: that finds launches that
 * read them, but an expectation of contents that the launch did not store must know them. */
static rt_status undefined_decide(scenario_writer *writer, const cap_command *launch)
{
    for (uint32_t i = 0; i < launch->memory_count; i++) {
        const cap_memory *captured = &launch->memories[i];
        written_memory *memory = memory_find(writer, captured);
        bool was_undefined = memory->is_undefined;
        if (writer->count > 1 || !writer->style->leaves_undefined) memory->is_undefined = false;
        if (memory->is_undefined && captured->is_changed)
            RT_TRY(is_overwritten(writer, memory, captured->after, &memory->is_undefined));
        if (was_undefined && !memory->is_undefined) memory->is_arbitrary = true;
    }
    return RT_STATUS_OK;
}

static rt_status memory_put(scenario_writer *writer, const written_memory *memory, rt_text name,
                            rt_text content)
{
    rt_buffer *out = &writer->memory;
    const scn_field *field = &memory->layout.fields[0];
    if (memory->is_arbitrary)
        rt_buffer_printf(out,
                         "  # Nothing had written it; these are the values that it happened to "
                         "have.\n");
    rt_buffer_printf(out, "  %.*s: {type: %s", RT_TEXT_ARG(name), scn_type_name(field->type));
    if (field->lanes > 1) rt_buffer_printf(out, "%u", field->lanes);
    rt_buffer_printf(out, ", count: %" PRIu64, memory->size / memory->layout.size);
    if (memory->usm) rt_buffer_printf(out, ", usm: %s", memory->usm);
    if (!memory->is_undefined) {
        rt_buffer_printf(out, ", values: ");
        RT_TRY(contents_put(writer, out, memory, content));
    }
    if (writer->style->ulp > 0 && scn_type_class(field->type) == 'f')
        rt_buffer_printf(out, ", tolerance: {ulp: %" PRIu64 "}", writer->style->ulp);
    rt_buffer_printf(out, "}\n");
    return RT_STATUS_OK;
}

/* ---- Sources -------------------------------------------------------------------------------- */

static uint32_t program_index(scenario_writer *writer, const cap_program *program)
{
    for (uint32_t i = 0; i < writer->programs.count; i++)
        if (writer->programs.items[i] == program) return i;
    *rt_vector_push(&writer->programs) = program;
    return writer->programs.count - 1;
}

static rt_text module_name(rt_arena *arena, uint32_t index)
{
    return index == 0 ? RT_TEXT("app") : rt_arena_printf(arena, "program_%u", index + 1);
}

static rt_status source_put(scenario_writer *writer, const cap_source *source)
{
    rt_buffer content = {0};
    rt_buffer *out = &writer->head;
    RT_TRY(cnf_file_read(writer->sink, source->file, RT_IMAGE_SIZE_MAX, &content));
    rt_buffer_printf(out, "      - language: %s\n        ", scn_language_name(source->language));
    bool is_text = source->language == SCN_LANGUAGE_OPENCL_C;
    rt_status status = file_put(writer, out, rt_buffer_text(&content), "code",
                                is_text ? "cl" : "spv", "\n        ");
    rt_buffer_append_byte(out, '\n');
    rt_buffer_free(&content);
    return status;
}

static rt_status module_put(scenario_writer *writer, uint32_t index)
{
    rt_buffer *out = &writer->head;
    const cap_program *program = writer->programs.items[index];
    rt_text name = module_name(writer->arena, index);
    rt_buffer_printf(out, "  %.*s:\n", RT_TEXT_ARG(name));
    for (uint32_t i = 1; index == 0 && i < writer->programs.count; i++)
        rt_buffer_printf(out, "%s%.*s%s", i == 1 ? "    needs: [" : ", ",
                         RT_TEXT_ARG(module_name(writer->arena, i)),
                         i + 1 == writer->programs.count ? "]\n" : "");
    bool has_front_end = false;
    for (uint32_t i = 0; i < program->source_count; i++)
        has_front_end = has_front_end || program->sources[i].language != SCN_LANGUAGE_SPIRV;
    if (program->options.length > 0) {
        rt_buffer_printf(out, "    %s: ", has_front_end ? "build_options" : "compile_options");
        cnf_quoted_append(out, program->options);
        rt_buffer_append_byte(out, '\n');
    }
    if (program->dropped.length > 0) {
        rt_buffer dropped = {0};
        rt_buffer_append_escaped(&dropped, program->dropped);
        rt_buffer_printf(out, "    # The program was also built with: %s\n",
                         rt_buffer_string(&dropped));
        rt_buffer_free(&dropped);
    }
    rt_buffer_printf(out, "    sources:\n");
    for (uint32_t i = 0; i < program->source_count; i++)
        RT_TRY(source_put(writer, &program->sources[i]));
    return RT_STATUS_OK;
}

/* ---- Arguments ------------------------------------------------------------------------------ */

static rt_status argument_fail(scenario_writer *writer, uint32_t index, const char *what)
{
    return rt_fail(writer->sink, RT_UNSUPPORTED, RT_RULE_NONE, "its argument %u %s", index, what);
}

/* Appends a value with addresses in it as a struct of 64-bit numbers and pointers. */
static rt_status struct_put(scenario_writer *writer, const cap_command *launch, uint32_t index)
{
    const cap_argument *argument = &launch->arguments[index];
    rt_buffer *out = &writer->steps;
    enum { WORD = 8 };
    if (argument->value.size % WORD != 0 || argument->value.size / WORD > SCN_FIELD_COUNT_MAX)
        return argument_fail(writer, index,
                             "is a struct with pointers that is not of 64-bit words");
    rt_buffer_printf(out, "{struct: [");
    uint32_t next = 0;
    for (uint64_t at = 0; at < argument->value.size; at += WORD) {
        const cap_word *word = next < argument->word_count ? &argument->words[next] : NULL;
        rt_buffer_printf(out, "%s", at > 0 ? ", " : "");
        if (word && word->at == at) {
            const written_memory *memory = memory_find(writer, &launch->memories[word->memory]);
            rt_buffer_printf(out, "{usm: %.*s, offset: %" PRIu64 "}", RT_TEXT_ARG(memory->name),
                             word->offset);
            next++;
            continue;
        }
        rt_buffer_printf(out, "{ulong: ");
        cnf_number_append(out, SCN_TYPE_ULONG, argument->value.data + at);
        rt_buffer_append_byte(out, '}');
    }
    rt_buffer_printf(out, "]}");
    return RT_STATUS_OK;
}

/* Appends a value as a number of the parameter's type, if that stands for its bytes, or as bytes.
 */
static void value_put(scenario_writer *writer, rt_bytes value, const cnf_parameter *parameter)
{
    scn_type type;
    uint32_t lanes;
    rt_buffer *out = &writer->steps;
    if (parameter && scn_type_find(parameter->type, &type, &lanes) && type < SCN_TYPE_COUNT) {
        const scn_layout layout = scn_layout_of(writer->arena, type, lanes);
        if (layout.size == value.size && is_exact_in_decimal(&layout, value)) {
            rt_buffer_printf(out, "{%.*s: ", RT_TEXT_ARG(parameter->type));
            cnf_lanes_append(out, &layout.fields[0], value.data);
            rt_buffer_append_byte(out, '}');
            return;
        }
    }
    bytes_append(out, value);
}

static bool is_zero(rt_bytes bytes)
{
    for (size_t i = 0; i < bytes.size; i++)
        if (bytes.data[i] != 0) return false;
    return true;
}

static rt_status argument_put(scenario_writer *writer, const cap_command *launch, uint32_t index,
                              const cnf_parameter *parameter)
{
    rt_buffer *out = &writer->steps;
    const cap_argument *argument = &launch->arguments[index];
    bool is_pointer = parameter && (parameter->kind == CNF_PARAMETER_GLOBAL ||
                                    parameter->kind == CNF_PARAMETER_CONSTANT);
    rt_buffer_printf(out, "        - ");
    rt_status status = RT_STATUS_OK;
    switch (argument->kind) {
    case CAP_MEMORY: {
        const written_memory *memory = memory_find(writer, &launch->memories[argument->memory]);
        rt_text name = memory->name;
        if (argument->offset > 0)
            rt_buffer_printf(out, "{usm: %.*s, offset: %" PRIu64 "}", RT_TEXT_ARG(name),
                             argument->offset);
        else
            rt_buffer_printf(out, memory->usm ? "{usm: %.*s}" : "%.*s", RT_TEXT_ARG(name));
        break;
    }
    case CAP_LOCAL:
        /* clSetKernelArg takes the same for local memory of a handle's size and for no buffer. */
        if (is_pointer)
            rt_buffer_printf(out, "null");
        else
            rt_buffer_printf(out, "{local: %" PRIu64 "}", argument->size);
        break;
    case CAP_NULL: rt_buffer_printf(out, "null"); break;
    case CAP_VALUE:
        if (argument->word_count > 0)
            status = struct_put(writer, launch, index);
        else if (parameter && parameter->kind == CNF_PARAMETER_OTHER)
            status = argument_fail(writer, index, "is of a type that scenarios cannot pass");
        else if (is_pointer && is_zero(argument->value))
            rt_buffer_printf(out, "null");
        else if (is_pointer)
            status = argument_fail(writer, index, "is an object whose creation was not seen");
        else
            value_put(writer, argument->value, parameter);
        break;
    }
    rt_buffer_append_byte(out, '\n');
    return status;
}

/* ---- Steps ---------------------------------------------------------------------------------- */

static void sizes_put(rt_buffer *out, const char *key, const uint64_t *sizes, uint32_t count)
{
    rt_buffer_printf(out, "      %s: [", key);
    for (uint32_t i = 0; i < count; i++)
        rt_buffer_printf(out, "%s%" PRIu64, i > 0 ? ", " : "", sizes[i]);
    rt_buffer_printf(out, "]\n");
}

/* Adds the commands that must have ended before a command to a list, unless this command's order
 * has led to them already. */
static void earlier_add(scenario_writer *writer, uint32_t index, const cap_command *command,
                        index_list *list)
{
    for (uint32_t i = 0; i < command->after_count; i++) {
        uint32_t earlier = command->after[i] - writer->first;
        if (command->after[i] < writer->first || earlier >= writer->count ||
            writer->visits[earlier] == index + 1)
            continue;
        writer->visits[earlier] = index + 1;
        *rt_vector_push(list) = earlier;
    }
}

/* Returns the steps that must have ended before a command; a queue in order implies others. A
 * command that is not a step stands for those that it waits for. */
static index_list after_collect(scenario_writer *writer, uint32_t index)
{
    index_list earlier = {0}, steps = {0};
    const cap_command *command = &writer->commands[index];
    const cap_queue *queue = &command->queue;
    earlier_add(writer, index, command, &earlier);
    for (uint32_t i = 0; i < earlier.count; i++) {
        uint32_t step = earlier.items[i];
        if (!writer->are_written[step])
            earlier_add(writer, index, &writer->commands[step], &earlier);
        else if (!queue->is_in_order || writer->commands[step].queue.number != queue->number)
            *rt_vector_push(&steps) = step;
    }
    rt_vector_free(&earlier);
    return steps;
}

static void step_name_append(const scenario_writer *writer, rt_buffer *out, uint32_t index)
{
    const cap_command *command = &writer->commands[index];
    if (command->kind == CAP_LAUNCH)
        rt_buffer_printf(out, "launch_%" PRIu64, command->number);
    else
        rt_buffer_printf(out, "command_%u", index);
}

/* Appends the keys of a command's queue and of what it waits for. */
static void order_put(scenario_writer *writer, uint32_t index)
{
    index_list list = after_collect(writer, index);
    rt_buffer *out = &writer->steps;
    rt_buffer_printf(out, "      queue: queue_%u\n", writer->commands[index].queue.number);
    for (uint32_t i = 0; i < list.count; i++) {
        rt_buffer_printf(out, "%s", i == 0 ? "      after: [" : ", ");
        step_name_append(writer, out, list.items[i]);
    }
    if (list.count > 0) rt_buffer_printf(out, "]\n");
    rt_vector_free(&list);
}

static void step_end(scenario_writer *writer, uint32_t index)
{
    rt_buffer_printf(&writer->steps, "    id: ");
    step_name_append(writer, &writer->steps, index);
    rt_buffer_append_byte(&writer->steps, '\n');
    writer->are_written[index] = true;
}

/* Adds a memory that only provides contents. */
static rt_status source_memory_put(scenario_writer *writer, scn_layout layout, rt_text content,
                                   rt_text *out_name)
{
    const written_memory source = {.layout = layout, .size = content.length};
    *out_name = rt_arena_printf(writer->arena, "stored_%u", ++writer->copies);
    return memory_put(writer, &source, *out_name, content);
}

/* Compares a memory's contents so far with those that a launch found, and appends a copy if
 * something that the recording does not tell has changed them. */
static rt_status change_put(scenario_writer *writer, written_memory *memory,
                            const cap_memory *captured)
{
    rt_buffer *out = &writer->steps, content = {0};
    if (!memory->has_state && rt_text_equal(memory->latest, captured->before)) return RT_STATUS_OK;
    RT_TRY(contents_read(writer, memory, captured->before, &content));
    bool is_same = memory->has_state && memcmp(memory->state.data, content.data, content.size) == 0;
    rt_text name;
    rt_status status = RT_STATUS_OK;
    if (!is_same) {
        status = source_memory_put(writer, memory->layout, rt_buffer_text(&content), &name);
        /* The program had ordered this with the launches before and after it in some way. */
        if (rt_ok(status))
            rt_buffer_printf(out, "  - wait\n  - copy: {from: %.*s, to: %.*s}\n  - wait\n",
                             RT_TEXT_ARG(name), RT_TEXT_ARG(memory->name));
        memory->is_changed = true;
    }
    rt_buffer_free(&content);
    return status;
}

static rt_status changes_put(scenario_writer *writer, const cap_command *launch)
{
    for (uint32_t i = 0; i < launch->memory_count; i++) {
        const cap_memory *captured = &launch->memories[i];
        written_memory *memory = memory_find(writer, captured);
        CHECK(memory);
        if (memory->size != captured->size)
            return rt_fail(writer->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                           "a buffer was released, and another one has its number");
        if (memory->is_used) RT_TRY(change_put(writer, memory, captured));
    }
    return RT_STATUS_OK;
}

static bool is_non_uniform(const cap_command *launch)
{
    for (uint32_t i = 0; launch->has_local && i < launch->dimensions; i++)
        if (launch->local[i] > 0 && launch->range[i] % launch->local[i] != 0) return true;
    return false;
}

static rt_status launch_put(scenario_writer *writer, uint32_t index)
{
    rt_buffer *out = &writer->steps;
    const cap_command *launch = &writer->commands[index];
    const cnf_kernel_outline *kernel = kernel_outline(writer, launch);
    RT_TRY(changes_put(writer, launch));
    rt_buffer_printf(out, "  - submit:\n      kernel: ");
    cnf_quoted_append(out, launch->kernel);
    rt_buffer_append_byte(out, '\n');
    if (writer->programs.count > 1)
        rt_buffer_printf(
            out, "      module: %.*s\n",
            RT_TEXT_ARG(module_name(writer->arena, program_index(writer, launch->program))));
    sizes_put(out, "range", launch->range, launch->dimensions);
    if (launch->has_local) sizes_put(out, "local", launch->local, launch->dimensions);
    if (launch->has_offset) sizes_put(out, "offset", launch->offset, launch->dimensions);
    if (is_non_uniform(launch)) rt_buffer_printf(out, "      non_uniform: true\n");
    if (writer->count > 1) order_put(writer, index);
    if (launch->argument_count > 0) rt_buffer_printf(out, "      args:\n");
    for (uint32_t i = 0; i < launch->argument_count; i++)
        RT_TRY(argument_put(writer, launch, i, kernel ? &kernel->parameters[i] : NULL));
    if (writer->count > 1) step_end(writer, index);
    for (uint32_t i = 0; i < launch->memory_count; i++) {
        written_memory *memory = memory_find(writer, &launch->memories[i]);
        memory->latest = launch->memories[i].after;
        memory->is_used = true;
        memory->has_state = false;
        memory->is_changed = memory->is_changed || launch->memories[i].is_changed;
    }
    return RT_STATUS_OK;
}

/* ---- Other commands ------------------------------------------------------------------------- */

/* The memory at a place, whose contents are then in its state; NULL if no launch has used it yet,
 * or the bytes are not all in it. */
static written_memory *place_find(scenario_writer *writer, const cap_place *place, uint64_t size)
{
    const cap_memory key = {.number = place->number, .is_block = place->is_block};
    written_memory *memory = memory_find(writer, &key);
    if (!memory || !memory->is_used || place->offset > memory->size ||
        size > memory->size - place->offset)
        return NULL;
    if (memory->has_state) return memory;
    rt_buffer_free(&memory->state);
    memory->has_state = memory->latest.length > 0 &&
                        rt_ok(contents_read(writer, memory, memory->latest, &memory->state));
    return memory->has_state ? memory : NULL;
}

/* Appends a fill of whole elements with a value that decimal numbers can express.  False: it is
 * not one. */
static bool fill_put(scenario_writer *writer, const cap_transfer *transfer,
                     const written_memory *memory)
{
    size_t size = memory->layout.size;
    uint64_t offset = transfer->to.offset;
    const uint8_t *element = (const uint8_t *)memory->state.data + offset;
    CHECK(transfer->pattern.size > 0 && offset + transfer->size <= memory->state.size);
    if (size % transfer->pattern.size != 0 || offset % size != 0 || transfer->size % size != 0 ||
        !is_exact_in_decimal(&memory->layout, (rt_bytes){element, size}))
        return false;
    rt_buffer *out = &writer->steps;
    rt_buffer_printf(out,
                     "  - fill:\n      memory: %.*s\n      value: ", RT_TEXT_ARG(memory->name));
    cnf_lanes_append(out, &memory->layout.fields[0], element);
    rt_buffer_printf(out, "\n      offset: %" PRIu64 "\n      count: %" PRIu64 "\n", offset / size,
                     transfer->size / size);
    return true;
}

static void memcpy_put(scenario_writer *writer, const cap_transfer *transfer, rt_text from,
                       uint64_t from_offset, rt_text to)
{
    rt_buffer_printf(&writer->steps,
                     "  - memcpy:\n      from: %.*s\n      to: %.*s\n      from_offset: %" PRIu64
                     "\n      to_offset: %" PRIu64 "\n      size: %" PRIu64 "\n",
                     RT_TEXT_ARG(from), RT_TEXT_ARG(to), from_offset, transfer->to.offset,
                     transfer->size);
}

/* Appends a copy, fill or store, and applies it to the memory's state.  One that the recording does
 * not tell completely is left out: the next launch shows its effects. */
static rt_status transfer_put(scenario_writer *writer, uint32_t index)
{
    const cap_command *command = &writer->commands[index];
    const cap_transfer *transfer = &command->transfer;
    written_memory *to = place_find(writer, &transfer->to, transfer->size);
    if (!to || transfer->size == 0) return RT_STATUS_OK;
    char *bytes = to->state.data + transfer->to.offset;
    if (command->kind == CAP_COPY) {
        const written_memory *from = place_find(writer, &transfer->from, transfer->size);
        if (!from) return RT_STATUS_OK;
        memmove(bytes, from->state.data + transfer->from.offset, transfer->size);
        memcpy_put(writer, transfer, from->name, transfer->from.offset, to->name);
    } else {
        rt_text name;
        rt_buffer data = {0};
        if (command->kind == CAP_STORE)
            RT_TRY(cnf_file_read(writer->sink, transfer->data, CONTENT_SIZE_MAX, &data));
        rt_bytes source = command->kind == CAP_STORE ? rt_buffer_bytes(&data) : transfer->pattern;
        for (uint64_t i = 0; source.size > 0 && i < transfer->size; i++)
            bytes[i] = (char)source.data[i % source.size];
        rt_buffer_free(&data);
        if (command->kind != CAP_FILL || !fill_put(writer, transfer, to)) {
            RT_TRY(source_memory_put(writer, scn_layout_of(writer->arena, SCN_TYPE_UCHAR, 1),
                                     (rt_text){bytes, transfer->size}, &name));
            memcpy_put(writer, transfer, name, 0, to->name);
        }
    }
    to->is_changed = true;
    order_put(writer, index);
    step_end(writer, index);
    return RT_STATUS_OK;
}

static rt_status expectations_put(scenario_writer *writer)
{
    rt_buffer *out = &writer->steps;
    const cap_command *last = &writer->commands[writer->count - 1];
    uint32_t expected = 0;
    if (last->has_ended && writer->recording->is_dump)
        rt_buffer_printf(out, "  # Taken from a dump of the Intercept Layer, not derived.\n");
    else if (last->has_ended)
        rt_buffer_printf(out, "  # Taken from a run on %.*s (assay capture), not derived.\n",
                         RT_TEXT_ARG(plain_line(writer->arena, last->device)));
    for (uint32_t i = 0; last->has_ended && i < writer->memories.count; i++) {
        const written_memory *memory = &writer->memories.items[i];
        rt_buffer read = {0};
        if (!memory->is_changed || (memory->latest.length == 0 && !memory->has_state)) continue;
        writer->current = memory->launch;
        if (!memory->has_state) RT_TRY(contents_read(writer, memory, memory->latest, &read));
        const rt_buffer *content = memory->has_state ? &memory->state : &read;
        rt_buffer_printf(
            out, "  - expect:\n      memory: %.*s\n      equals: ", RT_TEXT_ARG(memory->name));
        rt_status status = contents_put(writer, out, memory, rt_buffer_text(content));
        rt_buffer_free(&read);
        RT_TRY(status);
        rt_buffer_append_byte(out, '\n');
        expected++;
    }
    uint32_t launches = 0;
    for (uint32_t i = 0; i < writer->count; i++)
        launches += writer->commands[i].kind == CAP_LAUNCH;
    if (expected == 0) rt_buffer_printf(out, "  - expect: {launches: %u}\n", launches);
    return RT_STATUS_OK;
}

/* The numbers of the scenario's first and last launch; threads enqueue in an order of their own. */
static void numbers_find(const scenario_writer *writer, uint64_t *out_first, uint64_t *out_last)
{
    *out_first = *out_last = writer->commands[0].number;
    for (uint32_t i = 1; i < writer->count; i++) {
        uint64_t number = writer->commands[i].number;
        if (writer->commands[i].kind != CAP_LAUNCH) continue;
        if (number < *out_first) *out_first = number;
        if (number > *out_last) *out_last = number;
    }
}

/* ---- The scenario --------------------------------------------------------------------------- */

static rt_text summary_of(scenario_writer *writer)
{
    const cap_command *launch = &writer->commands[0];
    const cap_command *last = &writer->commands[writer->count - 1];
    const cap_recording *recording = writer->recording;
    uint64_t from, to;
    numbers_find(writer, &from, &to);
    rt_buffer out = {0};
    if (writer->count == 1)
        rt_buffer_printf(&out, "Launch %" PRIu64 ", of kernel %.*s,", launch->number,
                         RT_TEXT_ARG(rt_demangle_text(writer->arena, launch->kernel)));
    else
        rt_buffer_printf(&out, "Launches %" PRIu64 " to %" PRIu64, from, to);
    if (recording->is_dump)
        rt_buffer_printf(&out, " in a dump of the Intercept Layer");
    else
        rt_buffer_printf(&out, " of a run of %.*s on %.*s", RT_TEXT_ARG(recording->program),
                         RT_TEXT_ARG(launch->device));
    rt_buffer_printf(&out, last->has_ended ? "; the expected values are the results of that run."
                                           : ", in which that run ended; without expected values.");
    rt_text summary = plain_line(writer->arena, rt_buffer_text(&out));
    rt_buffer_free(&out);
    return summary;
}

static void queues_put(scenario_writer *writer)
{
    for (uint32_t i = 0; writer->count > 1 && i < writer->count; i++) {
        const cap_queue *queue = &writer->commands[i].queue;
        uint32_t k = 0;
        while (writer->commands[k].queue.number != queue->number)
            k++;
        if (k == i)
            rt_buffer_printf(&writer->steps, "  - queue: {id: queue_%u%s}\n", queue->number,
                             queue->is_in_order ? ", properties: [in_order]" : "");
    }
}

static rt_status scenario_build(scenario_writer *writer)
{
    for (uint32_t i = 0; i < writer->count; i++) {
        if (writer->commands[i].kind != CAP_LAUNCH) continue;
        writer->current = i;
        RT_TRY(kernel_check(writer, &writer->commands[i]));
        RT_TRY(sizes_check(writer, &writer->commands[i]));
        memories_add(writer, &writer->commands[i]);
        RT_TRY(undefined_decide(writer, &writer->commands[i]));
        (void)program_index(writer, writer->commands[i].program);
    }
    rt_buffer_printf(&writer->head, "assay: 1\nsummary: ");
    cnf_quoted_append(&writer->head, summary_of(writer));
    rt_buffer_printf(&writer->head, "\nmodules:\n");
    for (uint32_t i = 0; i < writer->programs.count; i++)
        RT_TRY(module_put(writer, i));
    for (uint32_t i = 0; i < writer->memories.count; i++) {
        const written_memory *memory = &writer->memories.items[i];
        rt_buffer content = {0};
        writer->current = memory->launch;
        RT_TRY(contents_read(writer, memory, memory->first, &content));
        rt_status status = memory_put(writer, memory, memory->name, rt_buffer_text(&content));
        rt_buffer_free(&content);
        RT_TRY(status);
    }
    queues_put(writer);
    for (uint32_t i = 0; i < writer->count; i++) {
        /* What a command between launches cannot do, the launch after it would need. */
        writer->current = i;
        while (writer->commands[writer->current].kind != CAP_LAUNCH)
            writer->current++;
        RT_TRY(writer->current == i ? launch_put(writer, i) : transfer_put(writer, i));
    }
    return expectations_put(writer);
}

/* The kernel's name for people, without the arguments of templates, as a part of a file's name. */
static rt_text file_word(scenario_writer *writer, rt_text kernel)
{
    rt_text rest = rt_demangle_text(writer->arena, kernel), name = {0};
    name = rt_text_take_until(&rest, '<');
    rt_buffer out = {0};
    while (name.length > 0) { /* "a::b" becomes "a_b" */
        rt_text part = rt_text_take_until(&name, ':');
        if (part.length == 0) continue;
        rt_buffer_printf(&out, "%s%.*s", out.size > 0 ? "_" : "", RT_TEXT_ARG(part));
    }
    rt_text word = plain_name(writer->arena, rt_buffer_text(&out), NAME_LENGTH_MAX);
    rt_buffer_free(&out);
    return word;
}

/* Formats the text and writes the file. */
static rt_status scenario_save(scenario_writer *writer, rt_text *out_name)
{
    const cap_command *launch = &writer->commands[0];
    rt_buffer text = {0}, formatted = {0}, name = {0};
    rt_buffer_append_text(&text, rt_buffer_text(&writer->head));
    if (writer->memory.size > 0) rt_buffer_printf(&text, "memory:\n");
    rt_buffer_append_text(&text, rt_buffer_text(&writer->memory));
    rt_buffer_printf(&text, "steps:\n");
    rt_buffer_append_text(&text, rt_buffer_text(&writer->steps));
    scn_problems problems;
    cnf_fmt_end end = cnf_fmt_text(writer->arena, rt_buffer_text(&text), &formatted, &problems);
    if (end != CNF_FMT_DONE) /* a build without libyaml */
        rt_buffer_append_text(&formatted, rt_buffer_text(&text));
    rt_buffer_printf(&name, "%.*s/", RT_TEXT_ARG(writer->style->folder));
    if (writer->recording->processes > 1) rt_buffer_printf(&name, "p%u_", launch->process);
    uint64_t from, to;
    numbers_find(writer, &from, &to);
    rt_buffer_printf(&name, "%04" PRIu64, from);
    if (writer->count > 1)
        rt_buffer_printf(&name, "-%04" PRIu64, to);
    else
        rt_buffer_printf(&name, "_%.*s", RT_TEXT_ARG(file_word(writer, launch->kernel)));
    rt_buffer_printf(&name, ".yaml");
    *out_name = rt_arena_text(writer->arena, rt_buffer_text(&name));
    int error = cnf_file_replace(out_name->data, rt_buffer_text(&formatted));
    rt_buffer_free(&text);
    rt_buffer_free(&formatted);
    rt_buffer_free(&name);
    if (error == 0) return RT_STATUS_OK;
    return rt_fail(writer->sink, RT_IO, RT_RULE_NONE, "%s: %s", out_name->data, strerror(error));
}

rt_status cap_scenario_write(rt_sink *sink, rt_arena *arena, const cap_recording *recording,
                             uint32_t first, uint32_t count, const cap_style *style,
                             rt_text *out_name, uint32_t *out_failed)
{
    CHECK(count > 0 && count <= recording->command_count &&
          first <= recording->command_count - count);
    scenario_writer writer = {.sink = sink,
                              .arena = arena,
                              .recording = recording,
                              .commands = &recording->commands[first],
                              .first = first,
                              .count = count,
                              .style = style};
    CHECK(writer.commands[0].kind == CAP_LAUNCH && writer.commands[count - 1].kind == CAP_LAUNCH);
    writer.are_written = rt_arena_alloc_array(arena, count, sizeof *writer.are_written);
    writer.visits = rt_arena_alloc_array(arena, count, sizeof *writer.visits);
    for (uint32_t i = 0; i < count; i++) {
        const cap_command *launch = &writer.commands[i];
        if (launch->loss.length == 0) continue;
        *out_failed = first + i;
        return rt_fail(sink, RT_UNSUPPORTED, RT_RULE_NONE, "%.*s", RT_TEXT_ARG(launch->loss));
    }
    rt_status status = scenario_build(&writer);
    if (rt_ok(status)) status = scenario_save(&writer, out_name);
    *out_failed = first + writer.current;
    for (uint32_t i = 0; i < writer.memories.count; i++)
        rt_buffer_free(&writer.memories.items[i].state);
    rt_vector_free(&writer.memories);
    rt_vector_free(&writer.programs);
    rt_buffer_free(&writer.head);
    rt_buffer_free(&writer.memory);
    rt_buffer_free(&writer.steps);
    return status;
}
