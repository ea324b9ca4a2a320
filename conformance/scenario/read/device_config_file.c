/* Device config files in the format of DPC++'s -fsycl-device-config-file: a YAML map of targets.
 *
 * Document 004, "AOT flow", reads only a target's aspects from it. Sub-group sizes and the
 * toolchain are for the compiler driver, which scenarios do not have: they are checked, so that a
 * file that DPC++ refuses is refused here too, but have no effect. */
#include "conformance/scenario/read/device_config_file.h"

#include "conformance/scenario/read/companion.h"
#include "reference/device/device.h"

enum {
    TARGET_COUNT_MAX = 1024,
    ASPECT_COUNT_MAX = 128,
    SUB_GROUP_SIZE_COUNT_MAX = 16,
    SUB_GROUP_SIZE_MAX = 1024,
};

/* ---- The form ----------------------------------------------------------------------------- */

/* Aspects that a target may have but that have no effect here, with their names in SYCL 2020,
 * section 4.6.4.5, and in the DPC++ extensions. Together with DEV_ASPECTS, these are all the
 * aspects that exist. */
static const char *const other_aspects[] = {
    "cpu",
    "gpu",
    "accelerator",
    "custom",
    "emulated",
    "host_debuggable",
    "image",
    "online_compiler",
    "online_linker",
    "queue_profiling",
    "usm_device_allocations",
    "usm_host_allocations",
    "usm_atomic_host_allocations",
    "usm_shared_allocations",
    "usm_atomic_shared_allocations",
    "usm_system_allocations",
    "ext_intel_pci_address",
    "ext_intel_gpu_eu_count",
    "ext_intel_gpu_eu_simd_width",
    "ext_intel_gpu_slices",
    "ext_intel_gpu_subslices_per_slice",
    "ext_intel_gpu_eu_count_per_subslice",
    "ext_intel_gpu_hw_threads_per_eu",
    "ext_intel_max_mem_bandwidth",
    "ext_intel_mem_channel",
    "ext_intel_device_info_uuid",
    "ext_intel_free_memory",
    "ext_intel_device_id",
    "ext_intel_memory_clock_rate",
    "ext_intel_memory_bus_width",
    "ext_intel_legacy_image",
    "ext_intel_esimd",
    "ext_intel_matrix",
    "ext_intel_fpga_task_sequence",
    "ext_oneapi_srgb",
    "ext_oneapi_native_assert",
    "ext_oneapi_cuda_async_barrier",
    "ext_oneapi_bfloat16_math_functions",
    "ext_oneapi_bindless_images",
    "ext_oneapi_bindless_images_shared_usm",
    "ext_oneapi_bindless_images_1d_usm",
    "ext_oneapi_bindless_images_2d_usm",
    "ext_oneapi_interop_memory_import",
    "ext_oneapi_interop_memory_export",
    "ext_oneapi_interop_semaphore_import",
    "ext_oneapi_interop_semaphore_export",
    "ext_oneapi_mipmap",
    "ext_oneapi_mipmap_anisotropy",
    "ext_oneapi_mipmap_level_reference",
    "ext_oneapi_ballot_group",
    "ext_oneapi_fixed_size_group",
    "ext_oneapi_opportunistic_group",
    "ext_oneapi_tangle_group",
    "ext_oneapi_is_composite",
    "ext_oneapi_is_component",
};

static const char *const our_aspects[] = {
#define ASPECT_NAME(aspect, name, number) [DEV_ASPECT_##aspect] = name,
    DEV_ASPECTS(ASPECT_NAME)
#undef ASPECT_NAME
};

static const char *aspect_word(uint32_t index)
{
    if (index < DEV_ASPECT_COUNT) return our_aspects[index];
    index -= DEV_ASPECT_COUNT;
    return index < sizeof other_aspects / sizeof *other_aspects ? other_aspects[index] : NULL;
}

typedef struct target_draft {
    rt_text name; /* name and position first, as in every map element */
    scn_position at;
    const rt_text *aspects;
    const uint64_t *sub_group_sizes;
    uint32_t aspect_count, sub_group_size_count;
    bool may_support_others;
    rt_text toolchain, toolchain_options, ocloc_device;
} target_draft;

typedef struct file_draft {
    const target_draft *targets;
    uint32_t target_count;
} file_draft;

static const scn_shape shape_aspect = {SCN_WORD("an aspect", aspect_word)};
static const scn_shape shape_aspects = {
    SCN_LIST("the list of a target's aspects", rt_text, &shape_aspect),
    .most = ASPECT_COUNT_MAX,
};
static const scn_shape shape_others = {SCN_TRUTH("whether the target may support other aspects")};
static const scn_shape shape_size = {SCN_INTEGER("the size of a sub-group", 1, SUB_GROUP_SIZE_MAX)};
static const scn_shape shape_sizes = {
    SCN_LIST("the list of sub-group sizes", uint64_t, &shape_size),
    .most = SUB_GROUP_SIZE_COUNT_MAX,
};
static const scn_shape shape_word = {SCN_TEXT("a word for the toolchain")};

static const scn_row target_rows[] = {
    {"aspects", &shape_aspects, SCN_REQUIRED, SCN_ITEMS(target_draft, aspects, aspect_count),
     "The aspects that the target supports, and no others."},
    {"may_support_other_aspects", &shape_others, 0, SCN_FIELD(target_draft, may_support_others),
     "Whether it may support other aspects, in which case nothing is left out for it."},
    {"sub-group-sizes", &shape_sizes, 0,
     SCN_ITEMS(target_draft, sub_group_sizes, sub_group_size_count),
     "The sizes of its sub-groups."},
    {"aot-toolchain", &shape_word, 0, SCN_FIELD(target_draft, toolchain),
     "The toolchain that compiles for it."},
    {"aot-toolchain-options", &shape_word, 0, SCN_FIELD(target_draft, toolchain_options),
     "Options for the toolchain."},
    {"aot-toolchain-ocloc-device", &shape_word, 0, SCN_FIELD(target_draft, ocloc_device),
     "The name by which ocloc knows it."},
};
static const scn_shape shape_target = {SCN_OBJECT("a target", target_rows)};
static const scn_shape shape_targets = {
    SCN_MAP("a mapping of targets", target_draft, &shape_target),
    .least = 1,
    .most = TARGET_COUNT_MAX,
};
/* The whole file is a map; it is read as if it were the value of a key. */
static const scn_row targets_row = {"targets", &shape_targets, SCN_REQUIRED,
                                    SCN_ITEMS(file_draft, targets, target_count),
                                    "The targets, by name."};

/* ---- Reading ------------------------------------------------------------------------------ */

/* The relevant aspects (DEV_ASPECTS) that the target lacks. */
static uint32_t lacks_of(const target_draft *target)
{
    uint32_t lacks = 0;
    for (uint32_t i = 0; i < DEV_ASPECT_COUNT; i++) {
        bool listed = false;
        for (uint32_t j = 0; j < target->aspect_count; j++)
            listed = listed || rt_text_is(target->aspects[j], our_aspects[i]);
        if (!listed) lacks |= 1u << i;
    }
    return target->may_support_others ? 0 : lacks;
}

bool scn_device_config_file_read(scn_reader *reader, const scn_node *name, const scn_node *sha256,
                                 const scn_node *target, uint32_t *out_lacks)
{
    rt_text content;
    *out_lacks = 0;
    if (!scn_companion_read(reader, name, sha256, &content)) return false;
    scn_reporter problems = {.arena = reader->arena};
    scn_reader inside = {.reporter = &problems, .arena = reader->arena};
    file_draft file = {0};
    const scn_node *root = scn_yaml_read(&problems, content);
    bool valid = root && scn_items_read(&inside, &targets_row, root, &file);
    rt_vector_free(&inside.fields);
    CHECK(valid == (problems.count == 0));
    if (!valid) {
        rt_text path = scn_companion_path(reader->arena, reader->scenario, name->text);
        return scn_report_inside(reader->reporter, path, &problems);
    }
    rt_nearest nearest = rt_nearest_to(target->text);
    for (uint32_t i = 0; i < file.target_count; i++) {
        rt_nearest_offer(&nearest, file.targets[i].name);
        if (!rt_text_equal(file.targets[i].name, target->text)) continue;
        *out_lacks = lacks_of(&file.targets[i]);
        return true;
    }
    return scn_report(reader->reporter, target->at, "'%s' has no target '%s'%s",
                      scn_excerpt(reader->arena, name->text),
                      scn_excerpt(reader->arena, target->text),
                      scn_nearest_hint(reader->arena, &nearest));
}
