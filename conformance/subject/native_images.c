/* Compiles a scenario's images ahead of time with a driver's own compiler.
 *
 * The compiler is a process: `assay offline NAME` opens the subject's device, builds the code and
 * writes the program's binary, as a vendor's offline tool does. So nothing but the bytes of the
 * image reaches the process in which the scenario runs. For a driver that takes PTX, the SPIR-V is
 * translated before: the answers in a pack are at hand only here. */
#include "conformance/subject/native_images.h"

#include "conformance/process/process.h"
#include "conformance/scenario/model/scenario.h"
#include "conformance/subject/images_change.h"
#include "conformance/subject/tools.h"
#include "conformance/subject/unfused.h"
#include "reference/base/descriptors.h"
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

/* What the process compiles. */
typedef struct offline_job {
    const cnf_subject *subject;
    cnf_subject_options options;
    rt_format format;
    bool is_object;
} offline_job;

/* Opens the subject's device and compiles the code with it. */
static rt_status offline_run(rt_sink *sink, const offline_job *job, rt_bytes code_bytes,
                             rt_buffer *out_binary)
{
    const cnf_subject_options *options = &job->options;
    const cnf_subject *subject = job->subject;
    rt_arena arena = {0};
    cnf_tool_store store;
    dev_tools tools = cnf_tools_open(&store, options->cache);
    const dev_open_parameters parameters = {.sink = sink, .tools = &tools};
    rt_text selector = cnf_unfused_device_settings(&arena, options->settings);
    if (selector.length == 0) selector = rt_text_of(subject->selector);
    dev_device *device = NULL;
    rt_status status = dev_device_open(subject->backend, &parameters, selector, &device);
    const dev_code code = {.format = job->format, .bytes = code_bytes};
    if (rt_ok(status)) status = binary_make(device, sink, &code, job->is_object, out_binary);
    dev_device_destroy(device);
    cnf_tools_close(&store);
    rt_arena_reset(&arena);
    return status;
}

/* Only assay itself passes these arguments. */
static bool parse(int argument_count, char **arguments, offline_job *out_job)
{
    static const struct option known[] = {
        {"settings", required_argument, NULL, 't'},
        {"cache", required_argument, NULL, 'c'},
        {"object", no_argument, NULL, 'o'},
        {"ptx", no_argument, NULL, 'p'},
        {0},
    };
    *out_job = (offline_job){.format = RT_FORMAT_SPIRV64};
    optind = 1;
    for (int option; (option = getopt_long(argument_count, arguments, "", known, NULL)) != -1;) {
        switch (option) {
        case 't': out_job->options.settings = rt_text_of(optarg); break;
        case 'c': out_job->options.cache = rt_text_of(optarg); break;
        case 'o': out_job->is_object = true; break;
        case 'p': out_job->format = RT_FORMAT_PTX; break;
        default: return false;
        }
    }
    if (optind + 1 == argument_count)
        out_job->subject = cnf_subject_find(rt_text_of(arguments[optind]));
    return out_job->subject && out_job->subject->backend;
}

int cnf_subject_offline_main(int argument_count, char **arguments)
{
    offline_job job;
    if (!parse(argument_count, arguments, &job)) {
        fprintf(stderr, "assay: usage: assay offline NAME [--object] [--ptx] [--settings "
                        "NAME=VALUE,...] [--cache FOLDER]\n");
        return OFFLINE_FAILED;
    }
    rt_buffer code = {0}, binary = {0};
    rt_sink *sink = rt_sink_create();
    int exit_status = OFFLINE_FAILED;
    if (rt_read_all(0, &code)) {
        rt_status status = offline_run(sink, &job, rt_buffer_bytes(&code), &binary);
        exit_status = rt_ok(status) ? OFFLINE_COMPILED : OFFLINE_REFUSED;
        if (!rt_ok(status))
            fprintf(stderr, "\n" REFUSAL "%s %.*s\n", rt_code_name((rt_code)status.code),
                    RT_TEXT_ARG(rt_sink_diagnostic(sink, status)->message));
        else if (!rt_write_all(1, rt_buffer_bytes(&binary)))
            exit_status = OFFLINE_FAILED;
    }
    rt_sink_destroy(sink);
    rt_buffer_free(&code);
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
    const dev_capabilities *capabilities;
    const dev_tools *tools;
} conversion;

static rt_status cannot_compile(const conversion *job, rt_code code, rt_text name, rt_text message)
{
    return rt_fail(job->sink, code, RT_RULE_NONE,
                   "image %.*s cannot be compiled ahead of time: %.*s", RT_TEXT_ARG(name),
                   RT_TEXT_ARG(message));
}

/* Makes a status of a refusal: a code and its message. */
static rt_status refusal(const conversion *job, rt_text name, rt_text errors)
{
    static const char begin[] = "\n" REFUSAL;
    while (errors.length > 0 && errors.data[errors.length - 1] == '\n')
        errors.length--;
    const char *at = memmem(errors.data, errors.length, begin, sizeof begin - 1);
    rt_text message =
        at ? rt_text_skip(errors, (size_t)(at - errors.data) + sizeof begin - 1) : errors;
    rt_code code = at ? rt_code_find(rt_text_take_until(&message, ' ')) : RT_TOOL;
    if (code == RT_CODE_COUNT || code == RT_OK) code = RT_TOOL;
    return cannot_compile(job, code, name, message);
}

/* The image's code in a form that the driver itself takes: its SPIR-V, or PTX. */
static rt_status code_for_driver(const conversion *job, const rt_image *image, bool is_ptx,
                                 rt_buffer *out_ptx, rt_bytes *out_code)
{
    *out_code = image->spirv;
    if (!is_ptx) return RT_STATUS_OK;
    const dev_code code = {
        .format = RT_FORMAT_SPIRV64, .bytes = image->spirv, .image = image->name};
    rt_status status = job->tools->spirv_to_ptx(job->tools->user, job->sink, &code, out_ptx);
    *out_code = rt_buffer_bytes(out_ptx);
    if (rt_ok(status)) return status;
    return cannot_compile(job, (rt_code)status.code, image->name,
                          rt_sink_diagnostic(job->sink, status)->message);
}

/* Replaces the image's code by what the driver makes of `code`. */
static rt_status process_run(const conversion *job, rt_image *image, bool is_ptx, rt_bytes code)
{
    const cnf_subject_options *options = job->options;
    /* Without imports and exports an image is a whole program. */
    bool links = dev_capabilities_link(job->capabilities, image->format);
    bool is_object = rt_image_set(image, RT_SET_IMPORTED_SYMBOLS) ||
                     (links && rt_image_set(image, RT_SET_EXPORTED_SYMBOLS));
    const char *arguments[10] = {"assay", "offline", job->subject->offline};
    uint32_t count = 3;
    if (is_object) arguments[count++] = "--object";
    if (is_ptx) arguments[count++] = "--ptx";
    if (options->settings.length > 0 && job->subject->settings) {
        arguments[count++] = "--settings";
        arguments[count++] = rt_arena_text(job->arena, options->settings).data;
    }
    if (options->cache.length > 0) {
        arguments[count++] = "--cache";
        arguments[count++] = rt_arena_text(job->arena, options->cache).data;
    }
    CHECK(count < sizeof arguments / sizeof *arguments);
    /* A layer records what the scenario's own process asks of the driver. */
    static const char *const changes[] = {"OPENCL_LAYERS=", NULL};
    cnf_process process;
    int error = cnf_process_start(&process, CNF_THIS_PROGRAM, arguments,
                                  cnf_start_environment(job->arena, changes), code);
    if (error)
        return rt_fail(job->sink, RT_UNAVAILABLE, RT_RULE_NONE,
                       "the process that compiles image %.*s cannot be started: %s",
                       RT_TEXT_ARG(image->name), strerrordesc_np(error));
    rt_buffer output = {0}, errors = {0};
    cnf_process_result result = cnf_process_finish(&process, OFFLINE_TIMEOUT_MS, &output, &errors);
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

static rt_status image_compile(const conversion *job, rt_image *image)
{
    bool is_ptx = job->capabilities->formats_taken >> RT_FORMAT_PTX & 1;
    CHECK_IMPLIES(is_ptx, job->tools && job->tools->spirv_to_ptx);
    rt_buffer ptx = {0};
    rt_bytes code;
    rt_status status = code_for_driver(job, image, is_ptx, &ptx, &code);
    if (rt_ok(status)) status = process_run(job, image, is_ptx, code);
    rt_buffer_free(&ptx);
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
    conversion job = {execution->sink,    arena,        execution->subject,
                      execution->options, capabilities, execution->tools};
    if (execution->subject->offline)
        execution->offline = cnf_images_change(arena, execution->scenario, compile_if_taken, &job,
                                               &execution->scenario);
    if (!rt_ok(execution->offline) || !changes_registered(execution->scenario)) return;
    rt_status status =
        cnf_images_change(arena, execution->scenario, image_register, arena, &execution->scenario);
    CHECK(rt_ok(status));
}
