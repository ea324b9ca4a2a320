/* Compiles a scenario's images ahead of time with a driver's own compiler.
 *
 * The compiler is a process: `assay offline NAME` opens the subject's device, builds the SPIR-V and
 * writes the program's binary, as a vendor's offline tool does. So nothing but the bytes of the
 * image reaches the process in which the scenario runs. The tools that the driver lacks answer in
 * this process, which records their answers for a pack or has them from one; the driver's process
 * receives the answer with the SPIR-V. */
#include "conformance/subject/native_images.h"

#include "conformance/process/process.h"
#include "conformance/scenario/model/scenario.h"
#include "conformance/subject/images_change.h"
#include "conformance/subject/unfused.h"
#include "reference/base/descriptors.h"
#include "reference/base/lines.h"
#include "reference/base/number.h"
#include "reference/image/image.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

enum { OFFLINE_TIMEOUT_MS = 60000 };

/* Begins a refusal, after everything that the driver may have printed. */
#define REFUSAL "assay: offline: "

/* Exit statuses of the process. */
enum { OFFLINE_COMPILED = 0, OFFLINE_REFUSED = 1, OFFLINE_FAILED = 3 };

/* ---- The process ---------------------------------------------------------------------------- */

/* Builds the code on the device and appends the program's binary; is_object: only compiles it. */
static rt_status binary_make(dev_device *device, rt_sink *sink, const dev_code *code,
                             bool is_object, rt_buffer *out_binary)
{
    dev_capabilities capabilities;
    dev_device_capabilities(device, &capabilities);
    if (is_object && !dev_capabilities_link(&capabilities, RT_FORMAT_NATIVE))
        return rt_fail(sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "'%.*s' does not link programs compiled ahead of time, so it compiles none "
                       "with imports",
                       RT_TEXT_ARG(capabilities.name));
    dev_program *program = NULL;
    rt_status status = is_object ? dev_program_compile(device, code, &program)
                                 : dev_program_build(device, code, &program);
    if (rt_ok(status)) status = dev_program_binary(program, out_binary);
    dev_program_destroy(program);
    return status;
}

/* The answer of the tool that the caller has asked. */
static rt_status translation_take(const rt_bytes *translation, rt_sink *sink, rt_buffer *out_result)
{
    if (translation->size == 0)
        return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE,
                       "the driver takes a translation of SPIR-V, and none was passed with it");
    rt_buffer_append(out_result, translation->data, translation->size);
    return RT_STATUS_OK;
}

/* dev_tools.link_to_bitcode; `translation` is an rt_bytes. */
static rt_status translated_to_bitcode(void *translation, rt_sink *sink, const dev_code *codes,
                                       uint32_t count, rt_buffer *out_bitcode)
{
    (void)codes;
    CHECK(count == 1);
    return translation_take(translation, sink, out_bitcode);
}

/* dev_tools.spirv_to_ptx; `translation` is an rt_bytes. */
static rt_status translated_to_ptx(void *translation, rt_sink *sink, const dev_code *code,
                                   rt_buffer *out_ptx)
{
    (void)code;
    return translation_take(translation, sink, out_ptx);
}

/* What the process is asked to compile. */
typedef struct offline_request {
    const cnf_subject *subject;
    rt_text settings;
    size_t translation_size; /* of the bytes that precede the SPIR-V */
    bool is_object;
} offline_request;

/* Opens the subject's device and compiles the SPIR-V with it. */
static rt_status offline_run(rt_sink *sink, const offline_request *request, rt_bytes input,
                             rt_buffer *out_binary)
{
    rt_arena arena = {0};
    rt_bytes translation = {input.data, request->translation_size};
    const dev_tools tools = {&translation, translated_to_bitcode, translated_to_ptx};
    const dev_open_parameters parameters = {.sink = sink, .tools = &tools};
    rt_text selector = cnf_unfused_device_settings(&arena, request->settings);
    if (selector.length == 0) selector = rt_text_of(request->subject->selector);
    dev_device *device = NULL;
    rt_status status = dev_device_open(request->subject->backend, &parameters, selector, &device);
    const dev_code code = {
        .format = RT_FORMAT_SPIRV64,
        .bytes = {input.data + translation.size, input.size - translation.size},
    };
    if (rt_ok(status)) status = binary_make(device, sink, &code, request->is_object, out_binary);
    dev_device_destroy(device);
    rt_arena_reset(&arena);
    return status;
}

/* Only assay itself passes these arguments. */
static bool parse(int argument_count, char **arguments, offline_request *out_request)
{
    static const struct option known[] = {
        {"settings", required_argument, NULL, 't'},
        {"translation", required_argument, NULL, 'l'},
        {"object", no_argument, NULL, 'o'},
        {0},
    };
    *out_request = (offline_request){0};
    optind = 1;
    for (int option; (option = getopt_long(argument_count, arguments, "", known, NULL)) != -1;) {
        uint64_t size = 0;
        switch (option) {
        case 't': out_request->settings = rt_text_of(optarg); break;
        case 'l':
            if (!rt_number_read(rt_text_of(optarg), 1, SIZE_MAX, &size)) return false;
            out_request->translation_size = size;
            break;
        case 'o': out_request->is_object = true; break;
        default: return false;
        }
    }
    if (optind + 1 != argument_count) return false;
    out_request->subject = cnf_subject_find(rt_text_of(arguments[optind]));
    return out_request->subject && out_request->subject->backend;
}

int cnf_subject_offline_main(int argument_count, char **arguments)
{
    offline_request request;
    if (!parse(argument_count, arguments, &request)) {
        fprintf(stderr, "assay: usage: assay offline NAME [--object] [--settings NAME=VALUE,...] "
                        "[--translation SIZE]\n");
        return OFFLINE_FAILED;
    }
    rt_buffer input = {0}, binary = {0};
    rt_sink *sink = rt_sink_create();
    int exit_status = OFFLINE_FAILED;
    if (rt_read_all(0, &input) && request.translation_size <= input.size) {
        rt_status status = offline_run(sink, &request, rt_buffer_bytes(&input), &binary);
        exit_status = rt_ok(status) ? OFFLINE_COMPILED : OFFLINE_REFUSED;
        if (!rt_ok(status))
            fprintf(stderr, "\n" REFUSAL "%s %.*s\n", rt_code_name((rt_code)status.code),
                    RT_TEXT_ARG(rt_sink_diagnostic(sink, status)->message));
        else if (!rt_write_all(1, rt_buffer_bytes(&binary)))
            exit_status = OFFLINE_FAILED;
    }
    rt_sink_destroy(sink);
    rt_buffer_free(&input);
    rt_buffer_free(&binary);
    return exit_status;
}

/* ---- The call ------------------------------------------------------------------------------- */

/* The conversion of a scenario's images. */
typedef struct conversion {
    rt_sink *sink;
    rt_arena *arena;
    const cnf_subject *subject;
    const cnf_subject_options *options;
    const dev_tools *tools;
    const dev_capabilities *capabilities;
} conversion;

/* Makes a status of a refusal: a code and its message. */
static rt_status refusal(const conversion *job, rt_text name, rt_text errors)
{
    static const char begin[] = "\n" REFUSAL;
    errors = rt_lines_trim(errors);
    const char *at = memmem(errors.data, errors.length, begin, sizeof begin - 1);
    rt_text message =
        at ? rt_text_skip(errors, (size_t)(at - errors.data) + sizeof begin - 1) : errors;
    rt_code code = at ? rt_code_find(rt_text_take_until(&message, ' ')) : RT_TOOL;
    if (code == RT_CODE_COUNT || code == RT_OK) code = RT_TOOL;
    return rt_fail(job->sink, code, RT_RULE_NONE,
                   "image %.*s cannot be compiled ahead of time: %.*s", RT_TEXT_ARG(name),
                   RT_TEXT_ARG(message));
}

/* Has the tool that the device lacks translate the image's SPIR-V; appends nothing if the driver
 * takes SPIR-V itself. */
static rt_status image_translate(const conversion *job, const rt_image *image,
                                 rt_buffer *out_translation)
{
    const dev_tools *tools = job->tools;
    const dev_code code = {.format = RT_FORMAT_SPIRV64, .bytes = image->spirv};
    rt_status status = RT_STATUS_OK;
    if (job->capabilities->links_with_tool)
        status = tools->link_to_bitcode(tools->user, job->sink, &code, 1, out_translation);
    else if (job->capabilities->formats_taken >> RT_FORMAT_PTX & 1)
        status = tools->spirv_to_ptx(tools->user, job->sink, &code, out_translation);
    if (rt_ok(status)) return status;
    rt_text message = rt_sink_diagnostic(job->sink, status)->message;
    return rt_fail(job->sink, (rt_code)status.code, RT_RULE_NONE,
                   "image %.*s cannot be compiled ahead of time: %.*s", RT_TEXT_ARG(image->name),
                   RT_TEXT_ARG(message));
}

/* The process that compiles SPIR-V for the image, with its translation by a tool. */
static int compiler_start(const conversion *job, const rt_image *image, bool is_object,
                          rt_bytes translation, cnf_process *out_process)
{
    const cnf_subject_options *options = job->options;
    const char *arguments[9] = {"assay", "offline", job->subject->offline};
    uint32_t count = 3;
    if (is_object) arguments[count++] = "--object";
    if (options->settings.length > 0 && job->subject->settings) {
        arguments[count++] = "--settings";
        arguments[count++] = rt_arena_text(job->arena, options->settings).data;
    }
    if (translation.size > 0) {
        arguments[count++] = "--translation";
        arguments[count++] = rt_arena_printf(job->arena, "%zu", translation.size).data;
    }
    CHECK(count < sizeof arguments / sizeof *arguments);
    /* A layer records what the scenario's own process asks of the driver. */
    static const char *const changes[] = {"OPENCL_LAYERS=", NULL};
    rt_buffer input = {0};
    rt_buffer_append(&input, translation.data, translation.size);
    rt_buffer_append(&input, image->spirv.data, image->spirv.size);
    int error =
        cnf_process_start(out_process, CNF_THIS_PROGRAM, arguments,
                          cnf_start_environment(job->arena, changes), rt_buffer_bytes(&input));
    rt_buffer_free(&input);
    return error;
}

/* Waits for the process and takes its binary as the image's code. */
static rt_status compiler_finish(const conversion *job, cnf_process *process, rt_image *image)
{
    rt_buffer output = {0}, errors = {0};
    cnf_process_result result = cnf_process_finish(process, OFFLINE_TIMEOUT_MS, &output, &errors);
    bool exited = result.end == CNF_PROCESS_EXITED;
    rt_status status = RT_STATUS_OK;
    if (exited && result.code == OFFLINE_COMPILED && output.size > 0) {
        image->code = rt_arena_bytes(job->arena, rt_buffer_bytes(&output));
        rt_image_hash(image);
    } else if (exited && result.code == OFFLINE_REFUSED && errors.size > 0) {
        status = refusal(job, image->name, rt_buffer_text(&errors));
    } else {
        rt_buffer ending = {0};
        cnf_process_describe(&ending, result, OFFLINE_TIMEOUT_MS);
        status = rt_fail(job->sink, RT_TOOL, RT_RULE_NONE,
                         "the process that compiles image %.*s ahead of time %s\n%.*s",
                         RT_TEXT_ARG(image->name), rt_buffer_string(&ending),
                         RT_TEXT_ARG(rt_buffer_text(&errors)));
        rt_buffer_free(&ending);
    }
    rt_buffer_free(&output);
    rt_buffer_free(&errors);
    return status;
}

/* Replaces the image's code by what the driver makes of its SPIR-V. */
static rt_status image_compile(const conversion *job, rt_image *image)
{
    /* Without imports and exports an image is a whole program. */
    bool links = dev_capabilities_link(job->capabilities, image->format);
    bool is_object = rt_image_set(image, RT_SET_IMPORTED_SYMBOLS) ||
                     (links && rt_image_set(image, RT_SET_EXPORTED_SYMBOLS));
    rt_buffer translation = {0};
    cnf_process process;
    /* A driver that makes objects takes SPIR-V itself. */
    rt_status status = is_object ? RT_STATUS_OK : image_translate(job, image, &translation);
    if (rt_ok(status)) {
        int error = compiler_start(job, image, is_object, rt_buffer_bytes(&translation), &process);
        status = error ? rt_fail(job->sink, RT_UNAVAILABLE, RT_RULE_NONE,
                                 "the process that compiles image %.*s cannot be started: %s",
                                 RT_TEXT_ARG(image->name), strerrordesc_np(error))
                       : compiler_finish(job, &process, image);
    }
    rt_buffer_free(&translation);
    return status;
}

/* ---- Changing images ------------------------------------------------------------------------ */

static rt_status compile_if_taken(void *user, const scn_module *module, uint32_t index,
                                  rt_image *image)
{
    const conversion *job = user;
    (void)module, (void)index;
    bool is_taken = job->capabilities->formats_taken >> image->format & 1;
    return is_taken && image->spirv.size > 0 ? image_compile(job, image) : RT_STATUS_OK;
}

/* Adds the target to the image's requirements. */
static void target_add(rt_arena *arena, rt_text target, rt_image *image)
{
    const rt_property_set *found = rt_image_set(image, RT_SET_DEVICE_REQUIREMENTS);
    uint32_t count = found ? found->property_count : 0;
    rt_property *properties = rt_arena_alloc_array(arena, count + 1u, sizeof *properties);
    if (count > 0) memcpy(properties, found->properties, count * sizeof *properties);
    properties[count] = (rt_property){.name = RT_TEXT(RT_REQUIREMENT_TARGET),
                                      .type = RT_PROPERTY_BYTES,
                                      .bytes = {(const uint8_t *)target.data, target.length}};
    const rt_property_set changed = {RT_TEXT(RT_SET_DEVICE_REQUIREMENTS), properties, count + 1};
    rt_property_set *sets = rt_arena_alloc_array(arena, image->set_count + 1u, sizeof *sets);
    uint32_t set_count = image->set_count;
    if (set_count > 0) memcpy(sets, image->sets, set_count * sizeof *sets);
    if (found)
        sets[found - image->sets] = changed;
    else
        sets[set_count++] = changed;
    image->sets = sets;
    image->set_count = set_count;
}

static rt_status image_register(void *user, const scn_module *module, uint32_t index,
                                rt_image *image)
{
    rt_arena *arena = user;
    (void)index;
    if (module->compile_target.length > 0 && image->spirv.size > 0)
        target_add(arena, module->compile_target, image);
    if (module->truncate > 0 && image->code.size > module->truncate)
        image->code.size = module->truncate;
    rt_image_hash(image);
    return RT_STATUS_OK;
}

static bool changes_registered(const scn_scenario *scenario)
{
    for (uint32_t m = 0; m < scenario->module_count; m++)
        if (scenario->modules[m].compile_target.length > 0 || scenario->modules[m].truncate > 0)
            return true;
    return false;
}

void cnf_images_prepare(cnf_execution *execution, const dev_capabilities *capabilities)
{
    rt_arena *arena = &execution->arena;
    conversion job = {execution->sink,  arena,       execution->subject, execution->options,
                      execution->tools, capabilities};
    if (execution->subject->offline)
        execution->offline = cnf_images_change(arena, execution->scenario, compile_if_taken, &job,
                                               &execution->scenario);
    if (!rt_ok(execution->offline) || !changes_registered(execution->scenario)) return;
    rt_status status =
        cnf_images_change(arena, execution->scenario, image_register, arena, &execution->scenario);
    CHECK(rt_ok(status));
}
