/* Writes and reads the fusion metadata. Its ranges are in SYCL's order, in which index 0 varies
 * slowest, with 0 in unused dimensions; everywhere else in this folder the fastest-varying
 * dimension comes first. */
#include "reference/compiler/fuse/metadata.h"

#include "reference/base/vector.h"
#include "reference/compiler/ir/attributes.h"
#include "reference/compiler/ir/values.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

/* ---- Writing ------------------------------------------------------------------------------- */

/* Nodes are built as metadata, not as values: as a value, a node of one constant would turn into
 * the constant.
 */

static LLVMMetadataRef string_node(pl_job *job, const void *data, size_t size)
{
    return LLVMMDStringInContext2(job->context, data ? data : "", size);
}

static LLVMMetadataRef number_node(pl_job *job, uint64_t value)
{
    return LLVMValueAsMetadata(pl_integer(LLVMInt64TypeInContext(job->context), value));
}

static LLVMMetadataRef index_node(pl_job *job, uint32_t value)
{
    return LLVMValueAsMetadata(pl_integer(LLVMInt32TypeInContext(job->context), value));
}

static LLVMMetadataRef tuple_node(pl_job *job, LLVMMetadataRef *operands, uint32_t count)
{
    return LLVMMDNodeInContext2(job->context, operands, count);
}

static LLVMMetadataRef pair_node(pl_job *job, LLVMMetadataRef first, LLVMMetadataRef second)
{
    return tuple_node(job, (LLVMMetadataRef[]){first, second}, 2);
}

/* A stub without operands of a kind has no metadata of that kind. */
static void attach(pl_job *job, LLVMValueRef stub, const char *kind, LLVMMetadataRef *operands,
                   uint32_t count)
{
    if (count == 0) return;
    LLVMGlobalSetMetadata(stub, pl_metadata_kind(job, kind), tuple_node(job, operands, count));
}

/* A triple in SYCL's order, with `unused` as the value in dimensions that the range lacks. */
static LLVMMetadataRef triple_node(pl_job *job, uint32_t dimensions, const uint64_t *values,
                                   uint64_t unused)
{
    LLVMMetadataRef operands[RT_ND_RANGE_DIMENSIONS];
    for (uint32_t i = 0; i < RT_ND_RANGE_DIMENSIONS; i++) {
        uint32_t from_slowest = dimensions - 1 - i;
        operands[i] =
            number_node(job, i < dimensions ? values[RULE(KF_REMAP_17, from_slowest)] : unused);
    }
    return tuple_node(job, operands, RT_ND_RANGE_DIMENSIONS);
}

static LLVMMetadataRef range_node(pl_job *job, const rt_fusion_range *range)
{
    LLVMMetadataRef operands[] = {
        number_node(job, range->dimensions),
        triple_node(job, range->dimensions, range->global, RULE(KF_META_08, 0)),
        triple_node(job, range->dimensions, range->local, RULE(KF_META_09, 0)),
        triple_node(job, range->dimensions, range->offset, RULE(KF_META_10, 0))};
    return tuple_node(job, operands, 4);
}

static void attach_kernels(pl_job *job, LLVMValueRef stub, const pl_fusion *fusion)
{
    uint32_t count = fusion->kernel_count;
    LLVMMetadataRef *operands = rt_arena_alloc_array(&job->arena, count, sizeof(LLVMMetadataRef));
    for (uint32_t i = 0; i < count; i++) {
        rt_text name = fusion->kernels[RULE(KF_META_02, i)];
        operands[i] = string_node(job, name.data, name.length);
    }
    attach(job, stub, PL_FUSED, operands, count);
    if (!fusion->heterogeneous) return;
    for (uint32_t i = 0; i < count; i++)
        operands[i] = range_node(job, &fusion->ranges[RULE(KF_META_11, i)]);
    attach(job, stub, PL_ND_RANGES, operands, count);
    RULE(KF_META_07, LLVMGlobalSetMetadata(stub, pl_metadata_kind(job, PL_ND_RANGE),
                                           range_node(job, &fusion->launch)));
}

static LLVMMetadataRef place_node(pl_job *job, rt_fusion_place place)
{
    uint32_t first = RULE(KF_META_03, 0);
    return pair_node(job, index_node(job, first + place.kernel),
                     index_node(job, first + place.parameter));
}

/* A group consists of the parameter that remains, followed by all parameters that are identical to
 * it. */
static void attach_identities(pl_job *job, LLVMValueRef stub, const pl_fusion *fusion)
{
    uint32_t count = fusion->identity_count, group_count = 0;
    LLVMMetadataRef *groups = rt_arena_alloc_array(&job->arena, count, sizeof(LLVMMetadataRef));
    LLVMMetadataRef *members =
        rt_arena_alloc_array(&job->arena, count + 1, sizeof(LLVMMetadataRef));
    bool *grouped = rt_arena_alloc_array(&job->arena, count, sizeof *grouped);
    for (uint32_t i = 0; i < count; i++) {
        if (grouped[i]) continue;
        rt_fusion_place stays = fusion->identities[i].original;
        uint32_t member_count = 0;
        members[member_count++] = place_node(job, stays);
        for (uint32_t j = i; j < count; j++) {
            rt_fusion_place original = fusion->identities[j].original;
            if (original.kernel != stays.kernel || original.parameter != stays.parameter) continue;
            members[member_count++] = place_node(job, fusion->identities[j].duplicate);
            grouped[j] = true;
        }
        groups[group_count++] = tuple_node(job, members, member_count);
    }
    attach(job, stub, PL_PARAM, groups, group_count);
}

void pl_fusion_attach(pl_job *job, LLVMValueRef stub, const pl_fusion *fusion)
{
    CHECK(fusion->kernel_count > 0 && LLVMIsAFunction(stub));
    RULE(KF_META_01, attach_kernels(job, stub, fusion));
    attach_identities(job, stub, fusion);
    uint32_t count = fusion->promotion_count;
    LLVMMetadataRef *words = rt_arena_alloc_array(&job->arena, count, sizeof(LLVMMetadataRef));
    LLVMMetadataRef *sizes = rt_arena_alloc_array(&job->arena, count, sizeof(LLVMMetadataRef));
    LLVMMetadataRef *units = rt_arena_alloc_array(&job->arena, count, sizeof(LLVMMetadataRef));
    for (uint32_t i = 0; i < count; i++) {
        const pl_promotion *promotion = &fusion->promotions[i];
        const char *word = promotion->kind == RT_FUSION_PRIVATE ? "private" : "local";
        LLVMMetadataRef index = index_node(job, promotion->parameter);
        words[i] = pair_node(job, index, string_node(job, word, strlen(word)));
        sizes[i] = pair_node(job, index, number_node(job, promotion->elements));
        units[i] = pair_node(job, index, number_node(job, promotion->unit));
    }
    attach(job, stub, PL_PROMOTE, words, count);
    attach(job, stub, PL_PROMOTE_SIZE, sizes, count);
    attach(job, stub, PL_PROMOTE_UNIT, units, count);
    count = fusion->constant_count;
    LLVMMetadataRef *constants = rt_arena_alloc_array(&job->arena, count, sizeof(LLVMMetadataRef));
    for (uint32_t i = 0; i < count; i++) {
        rt_bytes value = fusion->constants[i].value;
        constants[i] = pair_node(job, index_node(job, fusion->constants[i].parameter),
                                 string_node(job, value.data, RULE(KF_META_06, value.size)));
    }
    attach(job, stub, PL_CONSTANTS, constants, count);
    if (!fusion->barriers) pl_attribute_set(stub, PL_NO_BARRIERS, RT_TEXT(""));
}

/* ---- Reading ------------------------------------------------------------------------------- */

/* Everything that is read here has been written above, so its form is checked, not judged. */

/* The operands of a node. */
typedef struct node {
    LLVMValueRef *operands;
    uint32_t count;
} node;

typedef struct metadata_reader {
    pl_job *job;
    LLVMValueRef stub;
} metadata_reader;

static node node_of(metadata_reader *reader, LLVMValueRef value)
{
    CHECK(LLVMGetMetadataKind(LLVMValueAsMetadata(value)) == LLVMMDTupleMetadataKind);
    node tuple;
    tuple.operands = pl_metadata_operands(reader->job, value, &tuple.count);
    return tuple;
}

/* The stub's node of a kind; a node without operands if the stub has none. */
static node attached(metadata_reader *reader, const char *kind)
{
    LLVMValueRef value = pl_metadata(reader->job, reader->stub, kind);
    return value ? node_of(reader, value) : (node){0};
}

static LLVMValueRef operand_of(node from, uint32_t index)
{
    CHECK(index < from.count && from.operands[index]);
    return from.operands[index];
}

static node node_in(metadata_reader *reader, node from, uint32_t index)
{
    return node_of(reader, operand_of(from, index));
}

static uint64_t number_of(node from, uint32_t index)
{
    LLVMValueRef value = operand_of(from, index);
    CHECK(LLVMIsAConstantInt(value));
    return LLVMConstIntGetZExtValue(value);
}

static uint32_t index_of(node from, uint32_t index)
{
    uint64_t number = number_of(from, index);
    CHECK(number <= UINT32_MAX);
    return (uint32_t)number;
}

static rt_text string_of(metadata_reader *reader, node from, uint32_t index)
{
    unsigned length = 0;
    const char *text = LLVMGetMDString(operand_of(from, index), &length);
    CHECK(text);
    return rt_arena_text(&reader->job->arena, (rt_text){text, length});
}

static void read_triple(node triple, uint32_t dimensions, uint64_t past, uint64_t *out_values)
{
    CHECK(triple.count == RT_ND_RANGE_DIMENSIONS);
    for (uint32_t i = 0; i < RT_ND_RANGE_DIMENSIONS; i++)
        out_values[i] = i < dimensions ? number_of(triple, dimensions - 1 - i) : past;
}

static rt_fusion_range read_range(metadata_reader *reader, node from)
{
    rt_fusion_range range = {.dimensions = index_of(from, 0)};
    CHECK(range.dimensions >= 1 && range.dimensions <= RT_ND_RANGE_DIMENSIONS && from.count == 4);
    read_triple(node_in(reader, from, 1), range.dimensions, 1, range.global);
    read_triple(node_in(reader, from, 2), range.dimensions, 0, range.local);
    read_triple(node_in(reader, from, 3), range.dimensions, 0, range.offset);
    for (uint32_t i = range.dimensions; range.local[0] > 0 && i < RT_ND_RANGE_DIMENSIONS; i++)
        range.local[i] = 1;
    return range;
}

static void read_kernels(metadata_reader *reader, pl_fusion *fusion)
{
    node names = attached(reader, PL_FUSED);
    rt_text *kernels = rt_arena_alloc_array(&reader->job->arena, names.count, sizeof *kernels);
    for (uint32_t i = 0; i < names.count; i++)
        kernels[i] = string_of(reader, names, i);
    fusion->kernels = kernels;
    fusion->kernel_count = names.count;
    node list = attached(reader, PL_ND_RANGES);
    fusion->heterogeneous = list.count > 0;
    if (!fusion->heterogeneous) return;
    CHECK(list.count == names.count);
    fusion->launch = read_range(reader, attached(reader, PL_ND_RANGE));
    rt_fusion_range *ranges = rt_arena_alloc_array(&reader->job->arena, list.count, sizeof *ranges);
    for (uint32_t i = 0; i < list.count; i++)
        ranges[i] = read_range(reader, node_in(reader, list, i));
    fusion->ranges = ranges;
}

static rt_fusion_place read_place(metadata_reader *reader, node group, uint32_t index)
{
    node pair = node_in(reader, group, index);
    return (rt_fusion_place){index_of(pair, 0), index_of(pair, 1)};
}

static void read_identities(metadata_reader *reader, pl_fusion *fusion)
{
    node groups = attached(reader, PL_PARAM);
    RT_VECTOR(rt_fusion_identity) identities = {0};
    for (uint32_t i = 0; i < groups.count; i++) {
        node group = node_in(reader, groups, i);
        rt_fusion_place original = read_place(reader, group, 0);
        for (uint32_t j = 1; j < group.count; j++)
            *rt_vector_push(&identities) =
                (rt_fusion_identity){original, read_place(reader, group, j)};
    }
    fusion->identity_count = identities.count;
    fusion->identities = rt_arena_copy(&reader->job->arena, identities.items, identities.count,
                                       sizeof *fusion->identities);
    rt_vector_free(&identities);
}

static void read_promotions(metadata_reader *reader, pl_fusion *fusion)
{
    node words = attached(reader, PL_PROMOTE), sizes = attached(reader, PL_PROMOTE_SIZE);
    node units = attached(reader, PL_PROMOTE_UNIT);
    CHECK(words.count == sizes.count && words.count == units.count);
    pl_promotion *promotions =
        rt_arena_alloc_array(&reader->job->arena, words.count, sizeof *promotions);
    for (uint32_t i = 0; i < words.count; i++) {
        node word = node_in(reader, words, i), size = node_in(reader, sizes, i);
        bool is_private = rt_text_is(string_of(reader, word, 1), "private");
        promotions[i] = (pl_promotion){.parameter = index_of(word, 0),
                                       .kind = is_private ? RT_FUSION_PRIVATE : RT_FUSION_LOCAL,
                                       .elements = number_of(size, 1),
                                       .unit = number_of(node_in(reader, units, i), 1)};
        CHECK(index_of(size, 0) == promotions[i].parameter);
    }
    fusion->promotions = promotions;
    fusion->promotion_count = words.count;
}

static void read_constants(metadata_reader *reader, pl_fusion *fusion)
{
    node list = attached(reader, PL_CONSTANTS);
    pl_constant *constants =
        rt_arena_alloc_array(&reader->job->arena, list.count, sizeof *constants);
    for (uint32_t i = 0; i < list.count; i++) {
        node pair = node_in(reader, list, i);
        rt_text value = string_of(reader, pair, 1);
        constants[i].parameter = index_of(pair, 0);
        constants[i].value = (rt_bytes){(const uint8_t *)value.data, value.length};
    }
    fusion->constants = constants;
    fusion->constant_count = list.count;
}

rt_status pl_fusion_reject(pl_job *job, rt_text kernel, const char *problem)
{
    CHECK(problem[0] != '\0');
    return rt_fail_naming(job->sink, RT_FUSION_REJECTED, RT_RULE_NONE, &kernel, 1,
                          "kernel %.*s cannot be fused: %s", RT_TEXT_ARG(kernel), problem);
}

LLVMValueRef pl_fusion_read(pl_job *job, LLVMModuleRef module, pl_fusion *out_fusion)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    while (function && !pl_metadata(job, function, PL_FUSED))
        function = LLVMGetNextFunction(function);
    CHECK(function);
    metadata_reader reader = {.job = job, .stub = function};
    *out_fusion = (pl_fusion){.barriers = !pl_attribute_has(function, PL_NO_BARRIERS)};
    read_kernels(&reader, out_fusion);
    read_identities(&reader, out_fusion);
    read_promotions(&reader, out_fusion);
    read_constants(&reader, out_fusion);
    CHECK(out_fusion->kernel_count > 0);
    return function;
}
