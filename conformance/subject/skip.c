/* What scenarios need of a device, as a table: the capability, who needs it, what is said. */
#include "conformance/subject/skip.h"

#include "conformance/scenario/model/scenario.h"
#include "conformance/subject/source_images.h"
#include "reference/base/spirv.h"

#include <stdio.h>
#include <string.h>

static bool needs_findings(const scn_scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        for (uint32_t k = 0; k < scenario->steps[i].expect_count; k++) {
            if (scenario->steps[i].expect[k].kind == SCN_EXPECT_FINDING) return true;
        }
    }
    return false;
}

static bool needs_usm(const scn_scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->memory_count; i++) {
        if (scenario->memories[i].kind != SCN_MEMORY_BUFFER) return true;
    }
    return false;
}

static bool needs_spec_constants(const scn_scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        const scn_step *step = &scenario->steps[i];
        if (step->verb == SCN_VERB_SUBMIT && step->submit.constant_count > 0) return true;
        if (step->verb == SCN_VERB_BUNDLE && step->bundle.constant_count > 0) return true;
    }
    return false;
}

/* True for SPIR-V that declares the capability for function pointers (capabilities come first). The
 * compile worker made or checked the code; the device judges the rest of it. */
static bool calls_through_pointers(rt_bytes code)
{
    enum { OP_CAPABILITY = 17, FUNCTION_POINTERS = 5603 };
    rt_spirv_walk walk = rt_spirv_walk_start(code);
    rt_spirv_instruction instruction;
    while (rt_spirv_walk_next(&walk, &instruction) && instruction.opcode == OP_CAPABILITY)
        if (rt_spirv_word(&instruction, 1) == FUNCTION_POINTERS) return true;
    return false;
}

/* True for SPIR-V with a variable in global memory. */
static bool has_program_variables(rt_bytes code)
{
    enum { OP_VARIABLE = 59, STORAGE_CLASS_WORD = 3, CROSS_WORKGROUP = 5 };
    rt_spirv_walk walk = rt_spirv_walk_start(code);
    rt_spirv_instruction instruction;
    while (rt_spirv_walk_next(&walk, &instruction)) {
        uint32_t class = rt_spirv_word(&instruction, STORAGE_CLASS_WORD);
        if (instruction.opcode == OP_VARIABLE && class == CROSS_WORKGROUP) return true;
    }
    return false;
}

/* True if the code of some SPIR-V image has a property. */
static bool has_code(const scn_scenario *scenario, bool (*is_such)(rt_bytes code))
{
    for (uint32_t m = 0; m < scenario->module_count; m++) {
        const rt_image_list *images = &scenario->modules[m].images;
        for (uint32_t i = 0; i < images->count; i++) {
            const rt_image *image = &images->images[i];
            if (image->format == RT_FORMAT_SPIRV64 && is_such(image->code)) return true;
        }
    }
    return false;
}

static bool needs_program_variables(const scn_scenario *scenario)
{
    return has_code(scenario, has_program_variables);
}

static bool needs_function_pointers(const scn_scenario *scenario)
{
    return has_code(scenario, calls_through_pointers);
}

static bool needs_program_binaries(const scn_scenario *scenario)
{
    return scenario->persistent_cache;
}

/* True if a module's code or host code has a device_global of that scope. */
static bool has_globals(const scn_scenario *scenario, bool image_scope)
{
    for (uint32_t m = 0; m < scenario->module_count; m++) {
        rt_device_global_list list = scenario->modules[m].device_globals;
        for (uint32_t i = 0; i < list.count; i++) {
            if (list.globals[i].image_scope == image_scope) return true;
        }
    }
    return false;
}

static bool needs_globals_by_name(const scn_scenario *scenario)
{
    return has_globals(scenario, true) || has_globals(scenario, false);
}

/* The content of a device_global without image scope is in device memory. */
static bool needs_usm_for_globals(const scn_scenario *scenario)
{
    return has_globals(scenario, false);
}

static bool profiles(const scn_scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        const scn_step *step = &scenario->steps[i];
        bool asks = step->verb == SCN_VERB_PROFILING;
        if (asks || (step->verb == SCN_VERB_QUEUE && step->queue.enable_profiling)) return true;
    }
    return false;
}

typedef struct need_row {
    const char *capability;
    bool (*needed)(const scn_scenario *scenario);
    size_t offset; /* offset of the bool in dev_capabilities */
    const char *message;
} need_row;

static const need_row needs[] = {
    {"finds_faults", needs_findings, offsetof(dev_capabilities, finds_faults),
     "the scenario expects a finding; this device reports none"},
    {"usm", needs_usm, offsetof(dev_capabilities, usm),
     "the scenario has unified shared memory; this device has none"},
    {"function_pointers", needs_function_pointers, offsetof(dev_capabilities, function_pointers),
     "the scenario's device code has pointers to functions; this device takes none"},
    {"program_variables", needs_program_variables, offsetof(dev_capabilities, program_variables),
     "the scenario's device code has variables in global memory; this device has none that outlive "
     "a launch"},
    {"program_binaries", needs_program_binaries, offsetof(dev_capabilities, program_binaries),
     "the scenario keeps programs in a persistent cache; this device gives none as bytes"},
    {"globals_by_name", needs_globals_by_name, offsetof(dev_capabilities, globals_by_name),
     "the scenario has device_globals; this device finds no variable by its name"},
    {"usm", needs_usm_for_globals, offsetof(dev_capabilities, usm),
     "the scenario has device_globals without image scope; this device has no unified shared "
     "memory for them"},
    {"profiling", profiles, offsetof(dev_capabilities, profiling),
     "the scenario asks for times of commands; this device keeps none"},
    {"spec_constants", needs_spec_constants, offsetof(dev_capabilities, spec_constants),
     "the scenario sets specialisation constants; this device takes none"},
};

static bool lacks_capability(cnf_emitter *emitter, const scn_scenario *scenario,
                             const dev_capabilities *capabilities)
{
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        bool has = *(const bool *)((const char *)capabilities + needs[i].offset);
        /* A device that executes nothing cannot report findings; those stay unobserved, and the
         * rest is judged. */
        if (needs[i].needed == needs_findings) has = has || !capabilities->executes;
        if (has || !needs[i].needed(scenario)) continue;
        cnf_emit_skip(emitter, needs[i].capability, "no", rt_text_of(needs[i].message));
        return true;
    }
    return false;
}

/* A kernel that exists only in images of formats that the device does not take runs on the device
 * that they are for. */
static bool is_for_other_devices(const scn_scenario *scenario, uint32_t formats_taken,
                                 rt_text kernel)
{
    bool foreign = false, other = false;
    for (uint32_t m = 0; m < scenario->module_count; m++) {
        const rt_image_list *images = &scenario->modules[m].images;
        for (uint32_t i = 0; i < images->count; i++) {
            const rt_image *image = &images->images[i];
            if (rt_image_kernel(image, kernel) == RT_KERNEL_NONE) continue;
            /* A device that takes source gets the source of a SPIR-V image. */
            bool source =
                image->format == RT_FORMAT_SPIRV64 && (formats_taken >> RT_FORMAT_OPENCL_C & 1);
            bool here = source || (formats_taken >> image->format & 1);
            foreign = foreign || !here;
            other = other || here;
        }
    }
    return foreign && !other;
}

static bool lacks_format(cnf_emitter *emitter, const scn_scenario *scenario,
                         const dev_capabilities *capabilities)
{
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        const scn_step *step = &scenario->steps[i];
        uint32_t taken = capabilities->formats_taken;
        bool foreign = step->verb == SCN_VERB_SUBMIT &&
                       is_for_other_devices(scenario, taken, step->submit.kernel);
        uint32_t count = step->verb == SCN_VERB_BUNDLE ? step->bundle.kernel_count : 0;
        for (uint32_t k = 0; k < count; k++)
            foreign = foreign || is_for_other_devices(scenario, taken, step->bundle.kernels[k]);
        if (!foreign) continue;
        cnf_emit_skip(emitter, "native-images", "no",
                      RT_TEXT("a kernel of the scenario exists only in formats that this device "
                              "does not take"));
        return true;
    }
    return false;
}

/* The newest SPIR-V version in the headers of the images; 0: there is none. */
static uint32_t newest_spirv(const scn_scenario *scenario)
{
    uint32_t newest = 0;
    for (uint32_t m = 0; m < scenario->module_count; m++) {
        const rt_image_list *images = &scenario->modules[m].images;
        for (uint32_t i = 0; i < images->count; i++) {
            const rt_image *image = &images->images[i];
            uint32_t words[2] = {0};
            if (image->format != RT_FORMAT_SPIRV64 || image->code.size < sizeof words) continue;
            memcpy(words, image->code.data, sizeof words);
            if (words[1] > newest) newest = words[1];
        }
    }
    return newest;
}

/* A driver that lists the versions it takes is not given others. */
static bool lacks_spirv_version(cnf_emitter *emitter, const scn_scenario *scenario,
                                const dev_capabilities *capabilities)
{
    uint32_t taken = capabilities->spirv_max, wanted = newest_spirv(scenario);
    if (taken == 0 || wanted <= taken) return false;
    char capability[32];
    snprintf(capability, sizeof capability, "spirv-%u.%u", wanted >> 16 & 255, wanted >> 8 & 255);
    cnf_emit_skip(emitter, capability, "no",
                  RT_TEXT("an image of the scenario is of a version of SPIR-V that is newer than "
                          "those that this device takes"));
    return true;
}

/* True if some image cannot be expressed in the only format that the device takes. */
static bool lacks_source(cnf_emitter *emitter, const scn_scenario *scenario,
                         const dev_capabilities *capabilities)
{
    if (!cnf_takes_source(capabilities)) return false;
    const cnf_source_obstacle *obstacle = cnf_source_obstacle_find(scenario);
    if (obstacle) cnf_emit_skip(emitter, obstacle->capability, "no", rt_text_of(obstacle->message));
    return obstacle != NULL;
}

/* Aspects that a scenario's devices must have: `aspects: {fp64: true}`. */
static bool lacks_aspect(cnf_emitter *emitter, const scn_scenario *scenario,
                         const dev_capabilities *capabilities)
{
    uint32_t missing = 0;
    for (uint32_t i = 0; i < scenario->device_count; i++)
        missing |= scenario->devices[i].required_aspects & ~capabilities->aspects;
    for (uint32_t aspect = 0; aspect < DEV_ASPECT_COUNT; aspect++) {
        if (!(missing >> aspect & 1)) continue;
        cnf_emit_skip(emitter, dev_aspect_name((dev_aspect)aspect), "no",
                      RT_TEXT("a device of the scenario must have this aspect"));
        return true;
    }
    return false;
}

/* Formats that a scenario's devices must link: `links: [native]`. */
static bool lacks_linking(cnf_emitter *emitter, const scn_scenario *scenario,
                          const dev_capabilities *capabilities)
{
    for (uint32_t i = 0; i < scenario->device_count; i++) {
        for (uint32_t format = 0; format < RT_FORMAT_COUNT; format++) {
            bool wanted = scenario->devices[i].links >> format & 1;
            if (!wanted || dev_capabilities_link(capabilities, (rt_format)format)) continue;
            cnf_emit_skip(emitter, rt_format_link_extension((rt_format)format), "no",
                          RT_TEXT("a device of the scenario must link programs of this format"));
            return true;
        }
    }
    return false;
}

/* ---- What only the reference runtime does -------------------------------------------------- */

static bool has_several_devices(const scn_scenario *scenario)
{
    return scenario->device_count > 1;
}

static bool loads_images(const scn_scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        if (scenario->steps[i].verb == SCN_VERB_LOAD_IMAGE) return true;
    }
    return false;
}

static bool gives_launch_options(const scn_scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        if (scenario->steps[i].submit.options.length > 0) return true;
    }
    return false;
}

static bool restarts(const scn_scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        if (scenario->steps[i].verb == SCN_VERB_RESTART) return true;
    }
    return false;
}

static bool hides_links(const scn_scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->device_count; i++) {
        if (scenario->devices[i].links_given) return true;
    }
    return false;
}

static bool chooses_modules(const scn_scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        const scn_step *step = &scenario->steps[i];
        if (step->verb == SCN_VERB_SUBMIT && step->submit.module != SCN_NONE) return true;
    }
    return false;
}

static bool gives_bundle_options(const scn_scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        if (scenario->steps[i].bundle.options.length > 0) return true;
    }
    return false;
}

static bool specialises_bundled_launches(const scn_scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        const scn_step *step = &scenario->steps[i];
        if (step->verb != SCN_VERB_SUBMIT || step->submit.bundle == SCN_NONE) continue;
        if (step->submit.constant_count > 0) return true;
    }
    return false;
}

static bool prefers_preloaded(const scn_scenario *scenario)
{
    return scenario->prefer_preloaded;
}

struct cnf_skip_row {
    const char *capability;
    bool (*needed)(const scn_scenario *scenario);
    const char *message;
};

static const cnf_skip_row only_reference[] = {
    {"kernel-fusion", scn_scenario_fuses,
     "the scenario is about kernel fusion, which was removed from DPC++ (intel/llvm#20835)"},
    {"devices", has_several_devices,
     "the scenario has several devices; the driver of the shipped runtime has one"},
    {"restart", restarts,
     "the scenario's program starts anew; this version runs the shipped runtime once"},
    {"link-formats", hides_links,
     "a device of the scenario links fewer formats; the driver's links what it links"},
    {"launch-module", chooses_modules,
     "a launch of the scenario says which module it comes from; DPC++ is not told"},
    {"prefer_preloaded", prefers_preloaded,
     "the scenario prefers images of preloaded modules; DPC++ does not"},
    {"load_image", loads_images,
     "the scenario loads an image by itself; DPC++ has no device_dlopen"},
    {"bundle-options", gives_bundle_options,
     "a kernel bundle of the scenario is compiled or linked with options; SYCL's compile and link "
     "take none"},
    {"bundle-constants", specialises_bundled_launches,
     "a launch of the scenario sets constants beside its kernel bundle; the host program does not "
     "ask that of DPC++"},
    {"profiling", profiles,
     "the scenario asks for times of commands; the host program does not ask DPC++ for them"},
    {"launch-options", gives_launch_options,
     "a launch of the scenario has options for the device's compiler; DPC++ takes none there"},
};

void cnf_skip_words_write(rt_buffer *out)
{
    for (size_t i = 0; i < sizeof only_reference / sizeof *only_reference; i++)
        rt_buffer_printf(out, " %s", only_reference[i].capability);
}

const cnf_skip_row *cnf_skip_reason(const scn_scenario *scenario,
                                    const cnf_runtime_operations *runtime)
{
    if (runtime->is_reference) return NULL;
    for (size_t i = 0; i < sizeof only_reference / sizeof *only_reference; i++) {
        if (only_reference[i].needed(scenario)) return &only_reference[i];
    }
    return NULL;
}

static bool lacks_operation(cnf_emitter *emitter, const scn_scenario *scenario,
                            const cnf_runtime_operations *runtime)
{
    const cnf_skip_row *row = cnf_skip_reason(scenario, runtime);
    if (row) cnf_emit_skip(emitter, row->capability, "no", rt_text_of(row->message));
    return row != NULL;
}

/* ---- All of it ----------------------------------------------------------------------------- */

/* The OpenCL layer hides aspects from the shipped runtime, if it is loaded. */
static bool shows_hidden_aspect(cnf_emitter *emitter, const scn_scenario *scenario,
                                const cnf_runtime *runtime)
{
    uint32_t shown = scenario->devices[0].hidden_aspects & runtime->capabilities.aspects;
    if (runtime->operations->is_reference || shown == 0) return false;
    cnf_emit_skip(emitter, "hidden-aspects", "no",
                  RT_TEXT("the scenario's device lacks an aspect; the driver's shows it, because "
                          "the OpenCL layer is not loaded"));
    return true;
}

/* Fusion works on SPIR-V or PTX, whatever else the device takes. */
static bool lacks_fusion(cnf_emitter *emitter, const scn_scenario *scenario,
                         const dev_capabilities *capabilities)
{
    bool spirv = capabilities->formats_taken >> RT_FORMAT_SPIRV64 & 1;
    bool taken = spirv || (capabilities->formats_taken >> RT_FORMAT_PTX & 1);
    if (taken || !scn_scenario_fuses(scenario)) return false;
    cnf_emit_skip(emitter, "kernel-fusion", "no",
                  RT_TEXT("the scenario is about kernel fusion, which makes SPIR-V and PTX; this "
                          "device takes neither"));
    return true;
}

bool cnf_skip(cnf_emitter *emitter, const scn_scenario *scenario, const cnf_runtime *runtime)
{
    const dev_capabilities *capabilities = &runtime->capabilities;
    if (shows_hidden_aspect(emitter, scenario, runtime)) return true;
    if (lacks_operation(emitter, scenario, runtime->operations)) return true;
    if (lacks_capability(emitter, scenario, capabilities)) return true;
    if (lacks_fusion(emitter, scenario, capabilities)) return true;
    if (lacks_format(emitter, scenario, capabilities)) return true;
    if (lacks_spirv_version(emitter, scenario, capabilities)) return true;
    if (lacks_linking(emitter, scenario, capabilities)) return true;
    if (lacks_source(emitter, scenario, capabilities)) return true;
    return lacks_aspect(emitter, scenario, capabilities);
}

bool cnf_skip_unasked(cnf_emitter *emitter, const cnf_subject *subject, bool device_was_asked,
                      bool device_executes)
{
    if (subject->oracle || device_was_asked) return false;
    if (!device_executes) {
        cnf_emit_skip(emitter, "observation", "no",
                      RT_TEXT("this device links and runs nothing, and no code is made for it "
                              "here, so that nothing is seen"));
        return true;
    }
    cnf_emit_skip(emitter, "reference-only", "yes",
                  RT_TEXT("the device was asked for nothing here: the reference runtime alone "
                          "decides, and it is judged on sim"));
    return true;
}
