/* The capabilities that scenarios need, as a table: capability, scenarios that need it, message. */
#include "conformance/subject/skip.h"

#include "conformance/scenario/model/scenario.h"
#include "conformance/subject/source_images.h"
#include "reference/base/spirv.h"
#include "reference/image/virtual_functions.h"

#include <stdio.h>
#include <string.h>

/* Features of a scenario. */
#define FEATURES(FEATURE)                                                                          \
    FEATURE(ASSERTS)                                                                               \
    FEATURE(BUNDLE_OPTIONS)                                                                        \
    FEATURE(FINDINGS)                                                                              \
    FEATURE(                                                                                       \
        EVENT_COMMANDS) /* commands that wait for a user event, rather than host tasks inside */   \
    FEATURE(FUNCTION_POINTERS)                                                                     \
    FEATURE(FUSION)                                                                                \
    FEATURE(GLOBALS)                                                                               \
    FEATURE(GLOBALS_IN_USM) /* device_globals without image scope, which live in USM */            \
    FEATURE(HIDDEN_LINKS)                                                                          \
    FEATURE(LAUNCH_OPTIONS)                                                                        \
    FEATURE(LOADED_IMAGES)                                                                         \
    FEATURE(MAP_COMMANDS) /* maps that do not block, are refused, or have an event */              \
    FEATURE(MAPPED_USE)   /* a kernel uses a buffer while it is mapped */                          \
    FEATURE(MAPS)                                                                                  \
    FEATURE(MARKERS)                                                                               \
    FEATURE(NON_UNIFORM) /* work-groups of different sizes */                                      \
    FEATURE(PERSISTENT_CACHE)                                                                      \
    FEATURE(PREFERENCE) /* for the images of preloaded modules */                                  \
    FEATURE(PROFILING)                                                                             \
    FEATURE(PROGRAM_VARIABLES)                                                                     \
    FEATURE(SPEC_CONSTANTS)                                                                        \
    FEATURE(STOPPED_KERNEL) /* a step fails because the device stopped a kernel */                 \
    FEATURE(SUB_BUFFERS)                                                                           \
    FEATURE(SUB_GROUPS)                                                                            \
    FEATURE(SUB_GROUP_OPERATIONS) /* non-uniform ones */                                           \
    FEATURE(USER_EVENTS)                                                                           \
    FEATURE(USM)

/* The number of each feature, and its bit. */
enum {
#define FEATURE_NUMBER(name) name##_NUMBER,
    FEATURES(FEATURE_NUMBER) FEATURE_COUNT
#undef FEATURE_NUMBER
};
_Static_assert(FEATURE_COUNT <= 31, "a set of features is a uint32_t, and its bits are ints");
enum {
#define FEATURE_BIT(name) name = 1 << name##_NUMBER,
    FEATURES(FEATURE_BIT)
#undef FEATURE_BIT
    /* Those that only the code of the images shows. */
    CODE_FEATURES =
        ASSERTS | FUNCTION_POINTERS | PROGRAM_VARIABLES | SUB_GROUPS | SUB_GROUP_OPERATIONS,
};

static uint32_t step_features(const scn_step *step)
{
    uint32_t features = 0;
    for (uint32_t i = 0; i < step->expect_count; i++) {
        const scn_expect *expect = &step->expect[i];
        if (expect->kind != SCN_EXPECT_FINDING) continue;
        features |= FINDINGS;
        if (rt_text_is(expect->finding.kind, "mapped-buffer")) features |= MAPPED_USE;
    }
    if (step->error && rt_text_is(step->error->reference_class, rt_code_name(RT_BUDGET)))
        features |= STOPPED_KERNEL;
    switch (step->verb) {
    case SCN_VERB_SUBMIT:
        if (step->submit.constant_count > 0) features |= SPEC_CONSTANTS;
        if (step->submit.options.length > 0) features |= LAUNCH_OPTIONS;
        if (step->submit.non_uniform) features |= NON_UNIFORM;
        break;
    case SCN_VERB_BUNDLE:
        if (step->bundle.constant_count > 0) features |= SPEC_CONSTANTS;
        if (step->bundle.options.length > 0) features |= BUNDLE_OPTIONS;
        break;
    case SCN_VERB_QUEUE:
        if (step->queue.enable_profiling) features |= PROFILING;
        break;
    case SCN_VERB_PROFILING: features |= PROFILING; break;
    case SCN_VERB_MARKER: features |= MARKERS; break;
    case SCN_VERB_SUB_BUFFER: features |= SUB_BUFFERS; break;
    case SCN_VERB_MAP:
        features |= MAPS;
        if (!step->map.blocking || step->error || step->outcome_count > 0) features |= MAP_COMMANDS;
        break;
    case SCN_VERB_UNMAP:
        if (step->error || step->outcome_count > 0) features |= MAP_COMMANDS;
        break;
    case SCN_VERB_USER_EVENT: features |= USER_EVENTS; break;
    case SCN_VERB_LOAD_IMAGE: features |= LOADED_IMAGES; break;
    default: break;
    }
    return features;
}

/* What a step needs of the earlier step whose event it names. */
static uint32_t event_features(const scn_scenario *scenario, uint32_t step)
{
    if (step == SCN_NONE) return 0;
    switch (scenario->steps[step].verb) {
    case SCN_VERB_USER_EVENT: return EVENT_COMMANDS;
    case SCN_VERB_MAP:
    case SCN_VERB_UNMAP: return MAP_COMMANDS;
    default: return 0;
    }
}

/* What a step needs of the events that it names, other than those of maps in `after`: what maps and
 * unmaps without commands is done when the step is. */
static uint32_t named_event_features(const scn_scenario *scenario, const scn_step *step)
{
    uint32_t features = 0;
    const scn_command *command = scn_step_command(step);
    for (uint32_t i = 0; command && i < command->after_count; i++)
        features |= event_features(scenario, command->after[i]) & (uint32_t)~MAP_COMMANDS;
    if (step->verb == SCN_VERB_WAIT)
        features |= event_features(scenario, step->wait.step) & (uint32_t)~MAP_COMMANDS;
    if (step->verb == SCN_VERB_PROFILING)
        features |= event_features(scenario, step->profiling.step) |
                    event_features(scenario, step->profiling.after) |
                    event_features(scenario, step->profiling.same_as);
    if (step->verb == SCN_VERB_HOST_TASK)
        features |= event_features(scenario, step->task.waits_for) & (uint32_t)~EVENT_COMMANDS;
    for (uint32_t i = 0; i < step->expect_count; i++)
        if (step->expect[i].kind == SCN_EXPECT_EVENT)
            features |= event_features(scenario, step->expect[i].event.step);
    return features;
}

/* All features of a scenario except those that only the code of its images shows. */
static uint32_t features_of(const scn_scenario *scenario)
{
    uint32_t features = 0;
    for (uint32_t i = 0; i < scenario->step_count; i++)
        features |= step_features(&scenario->steps[i]) |
                    named_event_features(scenario, &scenario->steps[i]);
    for (uint32_t i = 0; i < scenario->memory_count; i++)
        if (scenario->memories[i].kind != SCN_MEMORY_BUFFER) features |= USM;
    for (uint32_t m = 0; m < scenario->module_count; m++) {
        rt_device_global_list list = scenario->modules[m].device_globals;
        for (uint32_t i = 0; i < list.count; i++)
            features |= list.globals[i].image_scope ? GLOBALS : GLOBALS | GLOBALS_IN_USM;
    }
    for (uint32_t i = 0; i < scenario->device_count; i++)
        if (scenario->devices[i].links_given) features |= HIDDEN_LINKS;
    if (scenario->persistent_cache) features |= PERSISTENT_CACHE;
    if (scenario->prefer_preloaded) features |= PREFERENCE;
    if (scn_scenario_fuses(scenario)) features |= FUSION;
    return features;
}

/* True for a variable that only sub-groups have: from SubgroupSize to SubgroupLocalInvocationId
 * (SPIR-V 1.2, 3.21 "BuiltIn"). */
static bool is_of_sub_groups(const rt_spirv_instruction *decorate)
{
    enum { DECORATION_BUILT_IN = 11, SUBGROUP_SIZE = 36, SUBGROUP_LOCAL_INVOCATION_ID = 41 };
    uint32_t variable = rt_spirv_word(decorate, 3);
    return rt_spirv_word(decorate, 2) == DECORATION_BUILT_IN && variable >= SUBGROUP_SIZE &&
           variable <= SUBGROUP_LOCAL_INVOCATION_ID;
}

/* True for the import of what assert calls in SYCL. */
static bool is_import_of_assert(const rt_spirv_instruction *decorate)
{
    enum { DECORATION_LINKAGE_ATTRIBUTES = 41, IMPORT = 1 };
    return rt_spirv_word(decorate, 2) == DECORATION_LINKAGE_ATTRIBUTES &&
           rt_spirv_word(decorate, decorate->word_count - 1) == IMPORT &&
           rt_text_is(rt_spirv_text(decorate, 3), "__devicelib_assert_fail");
}

/* The features in the code of a SPIR-V image: assertions, function pointers, sub-groups and their
 * non-uniform operations, and variables in global memory. */
static uint32_t image_features(rt_bytes code)
{
    enum { OP_CAPABILITY = 17, OP_VARIABLE = 59, OP_DECORATE = 71 };
    enum { CAPABILITY_FUNCTION_POINTERS = 5603 };
    enum { CAPABILITY_NON_UNIFORM = 61, CAPABILITY_CLUSTERED = 67 };
    enum { STORAGE_CLASS_WORD = 3, CROSS_WORKGROUP = 5 };
    uint32_t features = 0;
    rt_spirv_walk walk = rt_spirv_walk_start(code);
    for (rt_spirv_instruction at; rt_spirv_walk_next(&walk, &at);) {
        uint32_t capability = at.opcode == OP_CAPABILITY ? rt_spirv_word(&at, 1) : 0;
        if (capability == CAPABILITY_FUNCTION_POINTERS) features |= FUNCTION_POINTERS;
        if (capability >= CAPABILITY_NON_UNIFORM && capability <= CAPABILITY_CLUSTERED)
            features |= SUB_GROUP_OPERATIONS;
        if (at.opcode == OP_DECORATE && is_of_sub_groups(&at)) features |= SUB_GROUPS;
        if (at.opcode == OP_DECORATE && is_import_of_assert(&at)) features |= ASSERTS;
        if (at.opcode == OP_VARIABLE && rt_spirv_word(&at, STORAGE_CLASS_WORD) == CROSS_WORKGROUP)
            features |= PROGRAM_VARIABLES;
    }
    return features;
}

/* The SPIR-V of an image; empty if it has none. */
static rt_bytes spirv_of(const rt_image *image)
{
    return image->format == RT_FORMAT_SPIRV64 ? image->code : image->spirv;
}

/* The features in the code of a scenario. The compile worker made or checked the code; the device
 * judges the rest. */
static uint32_t code_features(const scn_scenario *scenario)
{
    uint32_t features = 0;
    for (uint32_t m = 0; m < scenario->module_count; m++) {
        const rt_image_list *images = &scenario->modules[m].images;
        for (uint32_t i = 0; i < images->count; i++)
            features |= image_features(spirv_of(&images->images[i]));
    }
    return features;
}

typedef struct need_row {
    const char *capability;
    uint32_t feature; /* of the scenarios that need it */
    size_t offset;    /* offset of the bool in dev_capabilities */
    const char *message;
} need_row;

static const need_row needs[] = {
    {CNF_CAPABILITY_FAULTS, FINDINGS, offsetof(dev_capabilities, finds_faults),
     "the scenario expects a finding; this device does not report findings"},
    {"usm", USM, offsetof(dev_capabilities, usm),
     "the scenario has unified shared memory; this device has none"},
    {"function_pointers", FUNCTION_POINTERS, offsetof(dev_capabilities, function_pointers),
     "the scenario's device code uses function pointers; this device does not support them"},
    {"cl_intel_devicelib_assert", ASSERTS, offsetof(dev_capabilities, asserts),
     "the scenario's device code calls assert; this device does not define what that calls"},
    {"sub_groups", SUB_GROUPS, offsetof(dev_capabilities, sub_groups),
     "the scenario's device code has sub-groups; this device has none"},
    {"sub_group_operations", SUB_GROUP_OPERATIONS, offsetof(dev_capabilities, sub_group_operations),
     "the scenario's device code has non-uniform operations on sub-groups; this device does not "
     "support all of them"},
    {"program_variables", PROGRAM_VARIABLES, offsetof(dev_capabilities, program_variables),
     "the scenario's device code has variables in global memory; this device does not keep them "
     "between launches"},
    {"program_binaries", PERSISTENT_CACHE, offsetof(dev_capabilities, program_binaries),
     "the scenario keeps programs in a persistent cache; this device does not return program "
     "binaries"},
    {"globals_by_name", GLOBALS, offsetof(dev_capabilities, globals_by_name),
     "the scenario has device_globals; this device cannot look up variables by name"},
    {"usm", GLOBALS_IN_USM, offsetof(dev_capabilities, usm),
     "the scenario has device_globals without image scope; this device has no unified shared "
     "memory for them"},
    {"non_uniform_groups", NON_UNIFORM, offsetof(dev_capabilities, non_uniform_groups),
     "a launch of the scenario has work-groups of different sizes; this device's must be equal"},
    {"host_events", USER_EVENTS, offsetof(dev_capabilities, host_events),
     "the scenario has an event that the host completes; this device has none"},
    {"maps", MAPS, offsetof(dev_capabilities, maps),
     "the scenario maps a buffer; this device's buffers cannot be mapped"},
    {"profiling", PROFILING, offsetof(dev_capabilities, profiling),
     "the scenario reads profiling times of commands; this device does not record them"},
    {"spec_constants", SPEC_CONSTANTS, offsetof(dev_capabilities, spec_constants),
     "the scenario sets specialisation constants; this device does not support them"},
    {"executes", STOPPED_KERNEL, offsetof(dev_capabilities, executes),
     "a step of the scenario fails because the device stopped a kernel; this device runs none"},
};

static bool lacks_capability(cnf_emitter *emitter, const scn_scenario *scenario,
                             const dev_capabilities *capabilities)
{
    uint32_t features = features_of(scenario);
    bool has_code_features = false;
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        const need_row *row = &needs[i];
        bool is_supported = *(const bool *)((const char *)capabilities + row->offset);
        /* A device that executes nothing cannot report findings; those stay unobserved, and the
         * rest is judged. */
        if (is_supported || (row->feature == FINDINGS && !capabilities->executes)) continue;
        bool is_of_code = (row->feature & CODE_FEATURES) != 0;
        if (is_of_code && !has_code_features) {
            features |= code_features(scenario);
            has_code_features = true;
        }
        if (!(features & row->feature)) continue;
        cnf_emit_skip(emitter, row->capability, "no", rt_text_of(row->message));
        return true;
    }
    return false;
}

/* True if the kernel exists only in images whose formats the device does not accept: it can run
 * only on other devices. */
static bool is_for_other_devices(const scn_scenario *scenario, uint32_t formats_taken,
                                 rt_text kernel)
{
    bool foreign = false, runnable = false;
    for (uint32_t m = 0; m < scenario->module_count; m++) {
        const rt_image_list *images = &scenario->modules[m].images;
        for (uint32_t i = 0; i < images->count; i++) {
            const rt_image *image = &images->images[i];
            if (rt_image_kernel(image, kernel) == RT_KERNEL_NONE) continue;
            /* A device that accepts source gets the source of a SPIR-V image. */
            bool source =
                image->format == RT_FORMAT_SPIRV64 && (formats_taken >> RT_FORMAT_OPENCL_C & 1);
            bool fits = source || (formats_taken >> image->format & 1);
            foreign = foreign || !fits;
            runnable = runnable || fits;
        }
    }
    return foreign && !runnable;
}

static bool lacks_format(cnf_emitter *emitter, const scn_scenario *scenario,
                         const dev_capabilities *capabilities)
{
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        const scn_step *step = &scenario->steps[i];
        uint32_t formats = capabilities->formats_taken;
        bool foreign = step->verb == SCN_VERB_SUBMIT &&
                       is_for_other_devices(scenario, formats, step->submit.kernel);
        uint32_t count = step->verb == SCN_VERB_BUNDLE ? step->bundle.kernel_count : 0;
        for (uint32_t k = 0; k < count; k++)
            foreign = foreign || is_for_other_devices(scenario, formats, step->bundle.kernels[k]);
        if (!foreign) continue;
        cnf_emit_skip(emitter, "native-images", "no",
                      RT_TEXT("a kernel of the scenario exists only in formats that this device "
                              "does not accept"));
        return true;
    }
    return false;
}

/* Skips the scenario if an image needs a newer SPIR-V version than the newest that the device
 * reports. */
static bool lacks_spirv_version(cnf_emitter *emitter, const scn_scenario *scenario,
                                const dev_capabilities *capabilities)
{
    uint32_t newest = 0; /* in the headers of the images */
    for (uint32_t m = 0; m < scenario->module_count; m++) {
        const rt_image_list *images = &scenario->modules[m].images;
        for (uint32_t i = 0; i < images->count; i++) {
            rt_bytes spirv = spirv_of(&images->images[i]);
            uint32_t words[2] = {0};
            if (spirv.size < sizeof words) continue;
            memcpy(words, spirv.data, sizeof words);
            if (words[1] > newest) newest = words[1];
        }
    }
    if (capabilities->spirv_max == 0 || newest <= capabilities->spirv_max) return false;
    char capability[32];
    snprintf(capability, sizeof capability, "spirv-%u.%u", newest >> 16 & 255, newest >> 8 & 255);
    cnf_emit_skip(emitter, capability, "no",
                  RT_TEXT("an image of the scenario uses a newer version of SPIR-V than this "
                          "device accepts"));
    return true;
}

/* Skips the scenario if the device lacks an aspect that the scenario's devices must have, for
 * example because of `aspects: {fp64: true}`. */
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

/* Skips the scenario if a device of it must have an architecture that this device does not have. */
static bool lacks_architecture(cnf_emitter *emitter, const scn_scenario *scenario,
                               const dev_capabilities *capabilities)
{
    for (uint32_t i = 0; i < scenario->device_count; i++) {
        rt_text architecture = scenario->devices[i].architecture;
        if (architecture.length == 0 || rt_text_equal(architecture, capabilities->architecture))
            continue;
        cnf_emit_skip(emitter, "architecture", "no",
                      RT_TEXT("a device of the scenario must have an architecture that this device "
                              "does not have"));
        return true;
    }
    return false;
}

/* Skips the scenario if the device does not link a format that the scenario's devices must link,
 * for example because of `links: [native]`. */
static bool lacks_linking(cnf_emitter *emitter, const scn_scenario *scenario,
                          const dev_capabilities *capabilities)
{
    for (uint32_t i = 0; i < scenario->device_count; i++) {
        for (uint32_t format = 0; format < RT_FORMAT_COUNT; format++) {
            bool is_required = scenario->devices[i].links >> format & 1;
            if (!is_required || dev_capabilities_link(capabilities, (rt_format)format)) continue;
            cnf_emit_skip(emitter, rt_format_link_extension((rt_format)format), "no",
                          RT_TEXT("a device of the scenario must link programs of this format"));
            return true;
        }
    }
    return false;
}

/* True if the image may be linked with others: it has imports, or virtual functions are linked to
 * it. */
static bool needs_linking(const rt_image *image)
{
    return rt_image_set(image, RT_SET_IMPORTED_SYMBOLS) ||
           rt_image_set(image, RT_SET_VIRTUAL_FUNCTIONS);
}

static bool gets_objects(const scn_scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        const scn_step *step = &scenario->steps[i];
        if (step->verb == SCN_VERB_BUNDLE && step->bundle.state == SCN_BUNDLE_OBJECT) return true;
    }
    return false;
}

/* Skips the scenario if the driver would have to compile an image with imports ahead of time, or a
 * bundle in state object to hold one with exports, but the device does not link such code: its
 * compiler makes only whole programs. */
static bool lacks_native_linking(cnf_emitter *emitter, const scn_scenario *scenario,
                                 const dev_capabilities *capabilities)
{
    bool has_objects = gets_objects(scenario);
    for (uint32_t m = 0; m < scenario->module_count; m++) {
        const rt_image_list *images = &scenario->modules[m].images;
        for (uint32_t i = 0; i < images->count; i++) {
            const rt_image *image = &images->images[i];
            bool is_object = (image->spirv.size > 0 && needs_linking(image)) ||
                             (has_objects && rt_image_set(image, RT_SET_EXPORTED_SYMBOLS));
            bool is_taken = capabilities->formats_taken >> image->format & 1;
            if (!is_taken || !is_object || !rt_format_is_native(image->format)) continue;
            if (dev_capabilities_link(capabilities, image->format)) continue;
            cnf_emit_skip(emitter, rt_format_link_extension(image->format), "no",
                          RT_TEXT("an image of the scenario that was compiled ahead of time must "
                                  "be linked; this device does not link such images"));
            return true;
        }
    }
    return false;
}

/* Skips the scenario if the driver would have to compile code ahead of time that needs an aspect
 * which the device lacks; the scenario's own target, a simulated one, may have it. */
static bool lacks_native_aspect(cnf_emitter *emitter, const scn_scenario *scenario,
                                const dev_capabilities *capabilities)
{
    /* SPIR-V specification, 3.31 "Capability". */
    static const struct {
        uint32_t capability;
        dev_aspect aspect;
    } rows[] = {{9, DEV_ASPECT_FP16}, {10, DEV_ASPECT_FP64}, {12, DEV_ASPECT_ATOMIC64}};
    enum { OP_CAPABILITY = 17, ROWS = sizeof rows / sizeof *rows };
    for (uint32_t m = 0; m < scenario->module_count; m++) {
        const rt_image_list *images = &scenario->modules[m].images;
        for (uint32_t i = 0; i < images->count; i++) {
            if (!(capabilities->formats_taken >> images->images[i].format & 1)) continue;
            rt_spirv_walk walk = rt_spirv_walk_start(images->images[i].spirv);
            for (rt_spirv_instruction at; rt_spirv_walk_next(&walk, &at);) {
                if (at.opcode != OP_CAPABILITY) continue;
                for (size_t k = 0; k < ROWS; k++) {
                    bool is_needed = rt_spirv_word(&at, 1) == rows[k].capability;
                    if (!is_needed || capabilities->aspects >> rows[k].aspect & 1) continue;
                    cnf_emit_skip(emitter, dev_aspect_name(rows[k].aspect), "no",
                                  RT_TEXT("code of the scenario that is compiled ahead of time "
                                          "needs this aspect"));
                    return true;
                }
            }
        }
    }
    return false;
}

/* ---- What only the reference runtime does -------------------------------------------------- */

struct cnf_skip_row {
    const char *capability;
    uint32_t feature; /* of the scenarios that are skipped */
    const char *message;
};

static const cnf_skip_row only_reference[] = {
    {"kernel-fusion", FUSION,
     "the scenario is about kernel fusion, which was removed from DPC++ (intel/llvm#20835)"},
    {"link-formats", HIDDEN_LINKS,
     "a device of the scenario restricts the formats that it links; the driver's device cannot "
     "be restricted"},
    {"prefer_preloaded", PREFERENCE,
     "the scenario prefers images of preloaded modules; DPC++ does not"},
    {"load_image", LOADED_IMAGES, "the scenario loads a single image; DPC++ has no device_dlopen"},
    {"bundle-options", BUNDLE_OPTIONS,
     "a kernel bundle of the scenario is compiled or linked with options; SYCL's compile and link "
     "accept none"},
    {"markers", MARKERS, "the scenario submits a marker; SYCL has only barriers"},
    {"map-commands", MAP_COMMANDS,
     "a map of the scenario does not block or is refused, or its event is used; SYCL has host "
     "accessors, which block and have no event"},
    {"use-while-mapped", MAPPED_USE,
     "a kernel of the scenario uses a buffer while it is mapped; in SYCL it waits until the host "
     "accessor ends"},
    {"user-events", EVENT_COMMANDS,
     "commands of the scenario wait for an event that the host completes; SYCL has none"},
    {"launch-options", LAUNCH_OPTIONS,
     "a launch of the scenario has options for the device's compiler; DPC++ accepts none there"},
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
    uint32_t features = features_of(scenario);
    for (size_t i = 0; i < sizeof only_reference / sizeof *only_reference; i++)
        if (features & only_reference[i].feature) return &only_reference[i];
    return NULL;
}

/* ---- The whole decision --------------------------------------------------------------------- */

/* Fusion works on SPIR-V or PTX, whatever other formats the device accepts. */
static bool lacks_fusion(cnf_emitter *emitter, const scn_scenario *scenario,
                         const dev_capabilities *capabilities)
{
    bool spirv = capabilities->formats_taken >> RT_FORMAT_SPIRV64 & 1;
    bool fuses = spirv || (capabilities->formats_taken >> RT_FORMAT_PTX & 1);
    if (fuses || !scn_scenario_fuses(scenario)) return false;
    cnf_emit_skip(emitter, "kernel-fusion", "no",
                  RT_TEXT("the scenario is about kernel fusion, which produces SPIR-V and PTX; "
                          "this device accepts neither"));
    return true;
}

/* The reference runtime supports the state `input` only for intermediate code: SPIR-V and PTX. */
static bool lacks_input_bundles(cnf_emitter *emitter, const scn_scenario *scenario,
                                const dev_capabilities *capabilities)
{
    bool has_input = false;
    for (uint32_t i = 0; i < scenario->step_count && !has_input; i++)
        has_input = scenario->steps[i].verb == SCN_VERB_BUNDLE && !scenario->steps[i].error &&
                    scenario->steps[i].bundle.state == SCN_BUNDLE_INPUT;
    if (!has_input || !cnf_takes_source(capabilities)) return false;
    cnf_emit_skip(emitter, "input-bundles", "no",
                  RT_TEXT("a kernel bundle of the scenario is in state input, which exists for "
                          "intermediate code only; this device takes source"));
    return true;
}

/* A number instead of a flag: to what a part must be aligned. */
static bool lacks_parts(cnf_emitter *emitter, const scn_scenario *scenario,
                        const cnf_runtime *runtime)
{
    bool has_parts = (features_of(scenario) & SUB_BUFFERS) != 0;
    if (!has_parts || !runtime->operations->is_reference ||
        runtime->capabilities.part_alignment > 0)
        return false;
    cnf_emit_skip(emitter, "sub_buffers", "no",
                  RT_TEXT("the scenario has sub-buffers; this device's buffers have no parts"));
    return true;
}

bool cnf_skip(cnf_emitter *emitter, const scn_scenario *scenario, const cnf_runtime *runtime)
{
    const dev_capabilities *capabilities = &runtime->capabilities;
    CHECK(scenario->device_count >= 1);
    /* Aspects can be hidden from the shipped runtime only by the OpenCL layer, if that is loaded.
     */
    uint32_t visible = 0;
    for (uint32_t i = 0; i < scenario->device_count; i++)
        visible |= scenario->devices[i].hidden_aspects & capabilities->aspects;
    if (visible != 0 && !runtime->operations->is_reference) {
        cnf_emit_skip(emitter, "hidden-aspects", "no",
                      RT_TEXT("a device of the scenario lacks an aspect that the driver's device "
                              "has; the OpenCL layer can hide it only on all devices, and only "
                              "where it is loaded"));
        return true;
    }
    const cnf_skip_row *row = cnf_skip_reason(scenario, runtime->operations);
    if (row) {
        cnf_emit_skip(emitter, row->capability, "no", rt_text_of(row->message));
        return true;
    }
    if (!runtime->operations->is_reference && runtime->device_count < scenario->device_count) {
        cnf_emit_skip(emitter, "devices", "no",
                      RT_TEXT("the driver's device cannot be divided into as many sub-devices as "
                              "the scenario has devices: it has fewer compute units"));
        return true;
    }
    if (lacks_capability(emitter, scenario, capabilities)) return true;
    if (lacks_parts(emitter, scenario, runtime)) return true;
    if (lacks_fusion(emitter, scenario, capabilities)) return true;
    if (lacks_format(emitter, scenario, capabilities)) return true;
    if (lacks_spirv_version(emitter, scenario, capabilities)) return true;
    /* The simulated device has any architecture, as far as the reference runtime sees. */
    bool has_any = runtime->operations->is_reference && capabilities->finds_faults;
    if (!has_any && lacks_architecture(emitter, scenario, capabilities)) return true;
    if (lacks_linking(emitter, scenario, capabilities)) return true;
    if (runtime->operations->is_reference && lacks_native_linking(emitter, scenario, capabilities))
        return true;
    if (lacks_native_aspect(emitter, scenario, capabilities)) return true;
    if (lacks_input_bundles(emitter, scenario, capabilities)) return true;
    /* It may be impossible to express an image in the only format that the device accepts. */
    const cnf_source_obstacle *obstacle =
        cnf_takes_source(capabilities) ? cnf_source_obstacle_find(scenario) : NULL;
    if (obstacle) {
        cnf_emit_skip(emitter, obstacle->capability, "no", rt_text_of(obstacle->message));
        return true;
    }
    return lacks_aspect(emitter, scenario, capabilities);
}

static bool has_linking(const scn_scenario *scenario)
{
    for (uint32_t m = 0; m < scenario->module_count; m++) {
        const rt_image_list *list = &scenario->modules[m].images;
        for (uint32_t i = 0; i < list->count; i++)
            if (needs_linking(&list->images[i])) return true;
    }
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        const scn_step *step = &scenario->steps[i];
        if (step->verb == SCN_VERB_BUNDLE &&
            (step->bundle.action == SCN_BUNDLE_LINK || step->bundle.action == SCN_BUNDLE_JOIN))
            return true;
    }
    return false;
}

/* True if the scenario counts builds and has a persistent cache, which makes some unnecessary. */
static bool counts_cached_builds(const scn_scenario *scenario)
{
    if (!scenario->persistent_cache) return false;
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        const scn_step *step = &scenario->steps[i];
        for (uint32_t k = 0; k < step->expect_count; k++)
            if (step->expect[k].kind == SCN_EXPECT_COUNT &&
                rt_text_is(step->expect[k].count.event, "build"))
                return true;
    }
    return false;
}

/* The formats of the scenario's images: bit 1u << rt_format. */
static uint32_t formats_of(const scn_scenario *scenario)
{
    uint32_t formats = 0;
    for (uint32_t m = 0; m < scenario->module_count; m++) {
        const rt_image_list *list = &scenario->modules[m].images;
        for (uint32_t i = 0; i < list->count; i++)
            formats |= 1u << list->images[i].format;
    }
    return formats;
}

bool cnf_skip_untranslated(cnf_emitter *emitter, const scn_scenario *scenario,
                           const dev_capabilities *capabilities, const dev_tools *tools)
{
    const uint32_t both = 1u << RT_FORMAT_SPIRV64 | 1u << RT_FORMAT_PTX;
    if ((capabilities->formats_taken & both) != both) return false;
    rt_sink *sink = rt_sink_create();
    bool skips = false;
    for (uint32_t m = 0; m < scenario->module_count && !skips; m++) {
        const rt_image_list *list = &scenario->modules[m].images;
        for (uint32_t i = 0; i < list->count && !skips; i++) {
            const rt_image *image = &list->images[i];
            if (image->format != RT_FORMAT_SPIRV64 || image->code.size == 0) continue;
            const dev_code code = {.format = image->format, .bytes = image->code};
            rt_buffer ptx = {0};
            rt_status status = tools->spirv_to_ptx(tools->user, sink, &code, &ptx);
            rt_buffer_free(&ptx);
            /* Every other failure is judged where the runtime meets it. */
            skips = status.code == RT_UNSUPPORTED;
            if (!skips) continue;
            rt_text reason = rt_sink_diagnostic(sink, status)->message;
            rt_buffer answer = {0}; /* as where a source has no form in PTX: the reason */
            rt_buffer_append_text(&answer, reason);
            cnf_emit_skip(emitter, CNF_PTX_CAPABILITY, rt_buffer_string(&answer), reason);
            rt_buffer_free(&answer);
        }
    }
    rt_sink_destroy(sink);
    return skips;
}

bool cnf_skip_shipped(cnf_emitter *emitter, const scn_scenario *scenario,
                      const cnf_runtime *runtime, rt_profile profile)
{
    const uint32_t spirv = 1u << RT_FORMAT_SPIRV64, gen = 1u << RT_FORMAT_SPIRV64_GEN;
    uint32_t taken = runtime->capabilities.formats_taken;
    /* A device that takes PTX and SPIR-V gets one of them. */
    if (formats_of(scenario) >> RT_FORMAT_PTX & 1) taken &= ~spirv;
    if (profile != RT_PROFILE_DPCPP || !runtime->operations->is_reference) return false;
    if (!(taken & (spirv | gen)) && has_linking(scenario)) {
        cnf_emit_skip(emitter, "shipped-linking", "no",
                      RT_TEXT("images of the scenario must be linked, and shipped DPC++, whose "
                              "profile this is, links only SPIR-V and Intel's GPU code"));
        return true;
    }
    if (!(taken & spirv) && counts_cached_builds(scenario)) {
        cnf_emit_skip(emitter, "shipped-caching", "no",
                      RT_TEXT("the scenario expects programs from a persistent cache, where "
                              "shipped DPC++, whose profile this is, keeps only those that it "
                              "builds from SPIR-V"));
        return true;
    }
    return false;
}

/* The aspect that a refusal names as "aspect fp16"; NULL: none. */
static const char *aspect_named(rt_text refusal)
{
    static const char before[] = "aspect ";
    const char *at = memmem(refusal.data, refusal.length, before, sizeof before - 1);
    if (!at) return NULL;
    rt_text rest = rt_text_skip(refusal, (size_t)(at - refusal.data) + sizeof before - 1);
    size_t length = strspn(rest.data, "abcdefghijklmnopqrstuvwxyz0123456789_");
    for (uint32_t aspect = 0; aspect < DEV_ASPECT_COUNT; aspect++) {
        const char *name = dev_aspect_name((dev_aspect)aspect);
        if (strlen(name) == length && memcmp(rest.data, name, length) == 0) return name;
    }
    return NULL;
}

bool cnf_skip_unused(cnf_emitter *emitter, const cnf_subject *subject, bool device_was_used,
                     bool device_executes, const rt_diagnostic *lack)
{
    if (subject->oracle || device_was_used) return false;
    const char *aspect = lack ? aspect_named(lack->message) : NULL;
    if (aspect) {
        cnf_emit_skip(emitter, aspect, "no", lack->message);
        return true;
    }
    if (!device_executes) {
        cnf_emit_skip(emitter, "observation", "no",
                      RT_TEXT("this device only links, and the scenario produces no code for it "
                              "to link, so there is nothing to observe"));
        return true;
    }
    cnf_emit_skip(emitter, "only-on-sim", "yes",
                  RT_TEXT("the scenario never used the device: its result depends only on "
                          "the reference runtime, which is judged on sim"));
    return true;
}
