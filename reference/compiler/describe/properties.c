/* Property sets; the maker of an image decides which of them it has.
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
    rt_property *items = rt_arena_alloc_array(&job->arena, count, sizeof *items);
    for (uint32_t i = 0; i < count; i++)
        items[i] = (rt_property){.name = symbols[i], .type = RT_PROPERTY_UINT32, .number = 1};
    pl_properties_add(properties, name, items, count);
}

/* ---- Requirements -------------------------------------------------------------------------- */

enum { OP_ENTRY_POINT = 15, OP_EXECUTION_MODE = 16 };
enum { MODE_LOCAL_SIZE = 17, MODE_SUBGROUP_SIZE = 35 };

/* The properties collected so far; at most one of each kind. */
typedef struct requirements {
    rt_property items[3];
    uint32_t count;
} requirements;

static void require_bytes(pl_job *job, requirements *all, const char *name, rt_buffer *bytes)
{
    if (bytes->size > 0) {
        all->items[all->count++] =
            (rt_property){.name = rt_text_of(name),
                          .type = RT_PROPERTY_BYTES,
                          .bytes = rt_arena_bytes(&job->arena, rt_buffer_bytes(bytes))};
    }
    rt_buffer_free(bytes);
}

static void require_aspects(pl_job *job, requirements *all, pl_aspects aspects)
{
    rt_buffer numbers = {0};
    for (uint32_t number = 0; number < 64; number++)
        if (aspects >> number & 1) rt_write_u32(&numbers, number);
    require_bytes(job, all, RT_REQUIREMENT_ASPECTS, &numbers);
}

/* An execution mode of the kernels of an image. */
typedef struct mode_scan {
    uint32_t mode;
    uint32_t operand_count;
    uint32_t operands[3]; /* of the first kernel that has it; operand_count are valid */
    uint32_t kernel_count;
    uint32_t agreeing; /* kernels that have it with these operands */
} mode_scan;

static bool mode_agrees(const mode_scan *scan, const rt_spirv_instruction *at)
{
    for (uint32_t i = 0; i < scan->operand_count; i++)
        if (rt_spirv_word(at, 3 + i) != scan->operands[i]) return false;
    return true;
}

/* Looks for a mode; true: every kernel has it, with the same operands. */
static bool scan_mode(mode_scan *scan, rt_bytes spirv)
{
    rt_spirv_walk walk = rt_spirv_walk_start(spirv);
    rt_spirv_instruction at;
    while (rt_spirv_walk_next(&walk, &at)) {
        if (at.opcode == OP_ENTRY_POINT) scan->kernel_count++;
        bool such = at.opcode == OP_EXECUTION_MODE && rt_spirv_word(&at, 2) == scan->mode &&
                    at.word_count >= 3 + scan->operand_count;
        if (!such) continue;
        for (uint32_t i = 0; i < scan->operand_count && scan->agreeing == 0; i++)
            scan->operands[i] = rt_spirv_word(&at, 3 + i);
        scan->agreeing += mode_agrees(scan, &at);
    }
    return scan->agreeing > 0 && scan->agreeing == scan->kernel_count;
}

/* The sizes that the kernels of an image agree on, if they do. */
typedef struct required_sizes {
    mode_scan group, sub_group;
    bool group_agreed, sub_group_agreed;
} required_sizes;

static required_sizes no_sizes(void)
{
    return (required_sizes){.group = {.mode = MODE_LOCAL_SIZE, .operand_count = 3},
                            .sub_group = {.mode = MODE_SUBGROUP_SIZE, .operand_count = 1}};
}

static void require_sizes(pl_job *job, requirements *all, const required_sizes *agreed)
{
    rt_buffer sizes = {0};
    if (agreed->group_agreed) {
        /* Shipped DPC++ refuses launches in another number of dimensions.  SPIR-V always has three,
         * of which the last are 1 for a kernel with fewer. */
        uint32_t dimensions = agreed->group.operand_count;
        while (dimensions > 1 && agreed->group.operands[dimensions - 1] == 1)
            dimensions--;
        for (uint32_t i = 0; i < dimensions; i++)
            rt_write_u64(&sizes, agreed->group.operands[i]);
    }
    require_bytes(job, all, RT_REQUIREMENT_GROUP_SIZE, &sizes);
    if (agreed->sub_group_agreed) {
        all->items[all->count++] = (rt_property){.name = RT_TEXT(RT_REQUIREMENT_SUB_GROUP_SIZE),
                                                 .type = RT_PROPERTY_UINT32,
                                                 .number = agreed->sub_group.operands[0]};
    }
}

static void add_requirements(pl_job *job, pl_properties *properties, pl_aspects aspects,
                             const required_sizes *sizes)
{
    requirements all = {0};
    require_aspects(job, &all, aspects);
    require_sizes(job, &all, sizes);
    if (all.count == 0) return;
    CHECK(all.count <= sizeof all.items / sizeof *all.items);
    const rt_property *items = rt_arena_copy(&job->arena, all.items, all.count, sizeof *items);
    pl_properties_add(properties, RT_SET_DEVICE_REQUIREMENTS, items, all.count);
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

/* The numbers in a kernel's metadata of a kind; false: it has none of that form. */
static bool read_numbers(pl_job *job, LLVMValueRef kernel, const char *kind, uint32_t count,
                         uint32_t *out_numbers)
{
    LLVMValueRef node = pl_metadata(job, kernel, kind);
    if (!node) return false;
    uint32_t operand_count;
    LLVMValueRef *operands = pl_metadata_operands(job, node, &operand_count);
    if (operand_count != count) return false;
    for (uint32_t i = 0; i < count; i++)
        out_numbers[i] = (uint32_t)LLVMConstIntGetZExtValue(operands[i]);
    return true;
}

/* As scan_mode, for metadata. */
static bool scan_metadata(pl_job *job, mode_scan *scan, LLVMModuleRef module, const char *name)
{
    LLVMValueRef kernel = LLVMGetFirstFunction(module);
    for (; kernel; kernel = LLVMGetNextFunction(kernel)) {
        uint32_t found[3] = {0};
        if (!pl_is_kernel(kernel) || LLVMIsDeclaration(kernel)) continue;
        scan->kernel_count++;
        if (!read_numbers(job, kernel, name, scan->operand_count, found)) continue;
        if (scan->agreeing == 0) memcpy(scan->operands, found, sizeof found);
        scan->agreeing += memcmp(scan->operands, found, sizeof found) == 0;
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
