/* Property sets; the creator of an image decides which of them the image has.
 *
 * Sizes: SPIR-V specification, 3.6 "Execution Mode"; DPC++'s set "SYCL/device requirements" is
 * described in PropertySets.md. */
#include "reference/compiler/describe/properties.h"

#include "reference/base/spirv.h"
#include "reference/base/stream.h"
#include "reference/compiler/ir/values.h"

#include <string.h>

void pl_properties_add(pl_properties *properties, const char *name, const rt_property *items,
                       uint32_t count)
{
    CHECK(count > 0 && properties->count < PL_SET_COUNT_MAX);
    properties->sets[properties->count++] = (rt_property_set){rt_text_of(name), items, count};
}

void pl_properties_add_symbols(pl_job *job, pl_properties *properties, const char *name,
                               const rt_text *symbols, uint32_t count)
{
    if (count == 0) return;
    rt_property *items = rt_arena_alloc_array(&job->arena, count, sizeof *items);
    for (uint32_t i = 0; i < count; i++)
        items[i] = (rt_property){.name = symbols[i], .type = RT_PROPERTY_UINT32, .number = 1};
    pl_properties_add(properties, name, items, count);
}

/* ---- Requirements -------------------------------------------------------------------------- */

enum { OP_ENTRY_POINT = 15, OP_EXECUTION_MODE = 16 };
enum { MODE_LOCAL_SIZE = 17, MODE_SUBGROUP_SIZE = 35, MODE_OPERANDS_MAX = 3 };

/* What an image's kernels state for one execution mode. */
typedef struct mode_scan {
    uint32_t mode;
    uint32_t operand_count;
    uint32_t operands[MODE_OPERANDS_MAX]; /* of the first kernel that has the mode */
    uint32_t kernel_count;
    uint32_t agreeing; /* kernels that have the mode with these operands */
} mode_scan;

/* Records a kernel that has the mode with these operands; unused ones are 0. */
static void note_mode(mode_scan *scan, const uint32_t *operands)
{
    if (scan->agreeing == 0) memcpy(scan->operands, operands, sizeof scan->operands);
    scan->agreeing += memcmp(scan->operands, operands, sizeof scan->operands) == 0;
}

/* Looks for an execution mode; true: every kernel has it, with the same operands. */
static bool scan_mode(mode_scan *scan, rt_bytes spirv)
{
    rt_spirv_walk walk = rt_spirv_walk_start(spirv);
    rt_spirv_instruction at;
    while (rt_spirv_walk_next(&walk, &at)) {
        if (at.opcode == OP_ENTRY_POINT) scan->kernel_count++;
        bool has_mode = at.opcode == OP_EXECUTION_MODE && rt_spirv_word(&at, 2) == scan->mode &&
                        at.word_count >= 3 + scan->operand_count;
        if (!has_mode) continue;
        uint32_t operands[MODE_OPERANDS_MAX] = {0};
        CHECK(scan->operand_count <= MODE_OPERANDS_MAX);
        for (uint32_t i = 0; i < scan->operand_count; i++)
            operands[i] = rt_spirv_word(&at, 3 + i);
        note_mode(scan, operands);
    }
    return scan->agreeing > 0 && scan->agreeing == scan->kernel_count;
}

/* The sizes that the kernels of an image require, and whether they agree on them. */
typedef struct required_sizes {
    mode_scan group, sub_group;
    bool group_agreed, sub_group_agreed;
} required_sizes;

static required_sizes no_sizes(void)
{
    return (required_sizes){.group = {.mode = MODE_LOCAL_SIZE, .operand_count = 3},
                            .sub_group = {.mode = MODE_SUBGROUP_SIZE, .operand_count = 1}};
}

/* Makes a property from these bytes and frees the buffer. */
static rt_property bytes_property(pl_job *job, const char *name, rt_buffer *bytes)
{
    CHECK(bytes->size > 0);
    rt_property property = {.name = rt_text_of(name), .type = RT_PROPERTY_BYTES};
    property.bytes = rt_arena_bytes(&job->arena, rt_buffer_bytes(bytes));
    rt_buffer_free(bytes);
    return property;
}

static void add_requirements(pl_job *job, pl_properties *properties, pl_aspects aspects,
                             const required_sizes *sizes)
{
    rt_property *items = rt_arena_alloc_array(&job->arena, 3, sizeof *items);
    uint32_t count = 0;
    rt_buffer numbers = {0}, group = {0};
    for (pl_aspects left = aspects; left != 0; left &= left - 1)
        rt_write_u32(&numbers, (uint32_t)__builtin_ctzll(left));
    if (aspects != 0) items[count++] = bytes_property(job, RT_REQUIREMENT_ASPECTS, &numbers);
    if (sizes->group_agreed) {
        /* Shipped DPC++ refuses launches whose number of dimensions differs from the property's.
         * SPIR-V always states three sizes; for a kernel with fewer dimensions, the last ones are
         * 1. */
        uint32_t dimensions = sizes->group.operand_count;
        while (dimensions > 1 && sizes->group.operands[dimensions - 1] == 1)
            dimensions--;
        for (uint32_t i = 0; i < dimensions; i++)
            rt_write_u64(&group, sizes->group.operands[i]);
        items[count++] = bytes_property(job, RT_REQUIREMENT_GROUP_SIZE, &group);
    }
    if (sizes->sub_group_agreed) {
        items[count++] = (rt_property){.name = RT_TEXT(RT_REQUIREMENT_SUB_GROUP_SIZE),
                                       .type = RT_PROPERTY_UINT32,
                                       .number = sizes->sub_group.operands[0]};
    }
    if (count > 0) pl_properties_add(properties, RT_SET_DEVICE_REQUIREMENTS, items, count);
}

void pl_properties_add_requirements(pl_job *job, pl_properties *properties, pl_aspects aspects,
                                    rt_bytes spirv)
{
    required_sizes sizes = no_sizes();
    sizes.group_agreed = scan_mode(&sizes.group, spirv);
    sizes.sub_group_agreed = scan_mode(&sizes.sub_group, spirv);
    add_requirements(job, properties, aspects, &sizes);
}

/* ---- Requirements of an LLVM module --------------------------------------------------------- */

/* The equivalent of scan_mode for metadata. */
static bool scan_metadata(pl_job *job, mode_scan *scan, LLVMModuleRef module, const char *name)
{
    LLVMValueRef kernel = LLVMGetFirstFunction(module);
    for (; kernel; kernel = LLVMGetNextFunction(kernel)) {
        if (!pl_is_kernel(kernel) || LLVMIsDeclaration(kernel)) continue;
        scan->kernel_count++;
        LLVMValueRef node = pl_metadata(job, kernel, name);
        uint32_t count = 0, numbers[MODE_OPERANDS_MAX] = {0};
        LLVMValueRef *operands = node ? pl_metadata_operands(job, node, &count) : NULL;
        if (count != scan->operand_count) continue;
        CHECK(count >= 1 && count <= MODE_OPERANDS_MAX);
        for (uint32_t i = 0; i < count; i++)
            numbers[i] = (uint32_t)LLVMConstIntGetZExtValue(operands[i]);
        note_mode(scan, numbers);
    }
    return scan->agreeing > 0 && scan->agreeing == scan->kernel_count;
}

void pl_properties_add_module_requirements(pl_job *job, pl_properties *properties,
                                           pl_aspects aspects, LLVMModuleRef module)
{
    required_sizes sizes = no_sizes();
    sizes.group_agreed = scan_metadata(job, &sizes.group, module, "reqd_work_group_size");
    sizes.sub_group_agreed =
        scan_metadata(job, &sizes.sub_group, module, "intel_reqd_sub_group_size");
    add_requirements(job, properties, aspects, &sizes);
}

void pl_properties_finish(pl_job *job, const pl_properties *properties, rt_image *image)
{
    CHECK(image->set_count == 0);
    CHECK(properties->count <= PL_SET_COUNT_MAX);
    image->sets =
        rt_arena_copy(&job->arena, properties->sets, properties->count, sizeof *image->sets);
    image->set_count = properties->count;
}
