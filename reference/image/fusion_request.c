/* The serialised form of requests to the fusion compiler and of its results.  Little-endian
 * (base/stream.h); a tag and a version first:
 *
 *     request: name barriers format spirv_version_max range
 *              count (name range count code*)*  count (place place)*
 *              count (place kind elements element_bytes)*  count (place value)*
 *              count variable* local_size_max
 *     result:  count (place local bytes)*  count (promoted reason)*  local_size
 *              has_range range?  image list of one
 *
 * Requests cross a pipe and results come from caches: the readers trust neither. */
#include "reference/image/fusion_request.h"

#include <string.h>

enum { REQUEST_TAG = 0x51524641, RESULT_TAG = 0x53524641, FUSION_VERSION = 5 };

/* Minimum sizes of the items in bytes. */
enum {
    RANGE_SIZE = 76,
    PLACE_SIZE = 8,
    PARAMETER_SIZE = PLACE_SIZE + 8,
    KERNEL_SIZE_MIN = 12 + RANGE_SIZE,
    IDENTITY_SIZE = 2 * PLACE_SIZE,
    PROMOTION_SIZE = PLACE_SIZE + 20,
    CONSTANT_SIZE_MIN = PLACE_SIZE + 8,
    OUTCOME_SIZE_MIN = 9,
};

/* ---- Ranges -------------------------------------------------------------------------------- */

bool rt_fusion_local_divides(const rt_fusion_range *range)
{
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++) {
        CHECK(range->local[d] >= 1);
        if (range->global[d] % range->local[d] != 0) return false;
    }
    return true;
}

/* A group consists of local[1] * local[2] runs of local[0] neighbouring linear ids. Both ranges cut
 * the sequence of linear ids into runs at the multiples of that length, so only the distances
 * between the runs of a group remain to be compared: a row along dimension 1, a plane along
 * dimension 2. */
bool rt_fusion_groups_stay_whole(const rt_fusion_range *kernel, const rt_fusion_range *fused)
{
    CHECK(memcmp(kernel->local, fused->local, sizeof kernel->local) == 0);
    bool rows = kernel->local[1] == 1 || kernel->global[0] == fused->global[0];
    bool planes = kernel->local[2] == 1 ||
                  kernel->global[0] * kernel->global[1] == fused->global[0] * fused->global[1];
    return rows && planes;
}

/* ---- Writing ------------------------------------------------------------------------------- */

static void write_head(rt_buffer *out, uint32_t tag)
{
    rt_write_u32(out, tag);
    rt_write_u32(out, FUSION_VERSION);
}

static void write_place(rt_buffer *out, rt_fusion_place place)
{
    rt_write_u32(out, place.kernel);
    rt_write_u32(out, place.parameter);
}

static void write_range(rt_buffer *out, const rt_fusion_range *range)
{
    CHECK(range->dimensions >= 1 && range->dimensions <= RT_ND_RANGE_DIMENSIONS);
    rt_write_u32(out, range->dimensions);
    for (uint32_t i = 0; i < RT_ND_RANGE_DIMENSIONS; i++) {
        CHECK(range->global[i] >= 1);
        rt_write_u64(out, range->global[i]);
        rt_write_u64(out, range->local[i]);
        rt_write_u64(out, range->offset[i]);
    }
}

void rt_fusion_request_write(rt_buffer *out, const rt_fusion_request *request)
{
    CHECK(request->name.length > 0 && request->kernel_count > 0);
    write_head(out, REQUEST_TAG);
    rt_write_text(out, request->name);
    rt_write_u8(out, request->barriers);
    rt_write_u32(out, request->format);
    rt_write_u32(out, request->spirv_version_max);
    write_range(out, &request->range);
    rt_write_u32(out, request->kernel_count);
    for (uint32_t i = 0; i < request->kernel_count; i++) {
        const rt_fusion_kernel *kernel = &request->kernels[i];
        CHECK(kernel->name.length > 0 && kernel->code_count > 0);
        rt_write_text(out, kernel->name);
        write_range(out, &kernel->range);
        rt_write_u32(out, kernel->code_count);
        for (uint32_t k = 0; k < kernel->code_count; k++)
            rt_link_code_write(out, &kernel->codes[k]);
    }
    rt_write_u32(out, request->identity_count);
    for (uint32_t i = 0; i < request->identity_count; i++) {
        write_place(out, request->identities[i].original);
        write_place(out, request->identities[i].duplicate);
    }
    rt_write_u32(out, request->promotion_count);
    for (uint32_t i = 0; i < request->promotion_count; i++) {
        const rt_fusion_promotion *promotion = &request->promotions[i];
        CHECK(promotion->elements >= 1 && promotion->element_bytes >= 1);
        write_place(out, promotion->parameter);
        rt_write_u32(out, promotion->kind);
        rt_write_u64(out, promotion->elements);
        rt_write_u64(out, promotion->element_bytes);
    }
    rt_write_u32(out, request->constant_count);
    for (uint32_t i = 0; i < request->constant_count; i++) {
        write_place(out, request->constants[i].parameter);
        rt_write_bytes(out, request->constants[i].value);
    }
    rt_write_u32(out, request->variable_count);
    for (uint32_t i = 0; i < request->variable_count; i++)
        rt_write_text(out, request->variables[i]);
    rt_write_u64(out, request->local_size_max);
}

void rt_fusion_result_write(rt_buffer *out, const rt_fusion_result *result)
{
    write_head(out, RESULT_TAG);
    rt_write_u32(out, result->parameter_count);
    for (uint32_t i = 0; i < result->parameter_count; i++) {
        write_place(out, result->parameters[i]);
        rt_write_u64(out, result->local_bytes ? result->local_bytes[i] : 0);
    }
    rt_write_u32(out, result->promotion_count);
    for (uint32_t i = 0; i < result->promotion_count; i++) {
        CHECK(result->promoted[i] == (result->reasons[i].length == 0));
        rt_write_u8(out, result->promoted[i]);
        rt_write_text(out, result->reasons[i]);
    }
    rt_write_u64(out, result->local_size);
    rt_write_u8(out, result->range.dimensions > 0);
    if (result->range.dimensions > 0) write_range(out, &result->range);
    rt_image_list_write(out, (rt_image_list){&result->image, 1});
}

/* ---- Reading ------------------------------------------------------------------------------- */

static void read_head(rt_reader *reader, uint32_t tag)
{
    if (rt_read_u32(reader) != tag) rt_reader_fail(reader);
    if (rt_read_u32(reader) != FUSION_VERSION) rt_reader_fail(reader);
}

static void require(rt_reader *reader, bool condition)
{
    if (!condition) rt_reader_fail(reader);
}

static bool read_truth(rt_reader *reader)
{
    uint8_t value = rt_read_u8(reader);
    require(reader, value <= 1);
    return value == 1;
}

/* The parameter's index can be validated only against the kernel's signature. */
static rt_fusion_place read_place(rt_reader *reader, uint32_t kernel_count)
{
    rt_fusion_place place = {.kernel = rt_read_below(reader, kernel_count)};
    place.parameter = rt_read_u32(reader);
    return place;
}

static rt_fusion_range read_range(rt_reader *reader)
{
    rt_fusion_range range = {.dimensions = rt_read_u32(reader)};
    bool fits = range.dimensions >= 1 && range.dimensions <= RT_ND_RANGE_DIMENSIONS;
    uint64_t items = 1;
    for (uint32_t i = 0; i < RT_ND_RANGE_DIMENSIONS; i++) {
        range.global[i] = rt_read_u64(reader);
        range.local[i] = rt_read_u64(reader);
        range.offset[i] = rt_read_u64(reader);
        fits = fits && range.global[i] >= 1 && (range.local[i] == 0) == (range.local[0] == 0);
        fits = fits && !__builtin_mul_overflow(items, range.global[i], &items);
        if (i < range.dimensions) continue;
        fits = fits && range.global[i] == 1 && range.local[i] <= 1 && range.offset[i] == 0;
    }
    require(reader, fits);
    return range;
}

static void read_kernels(rt_arena *arena, rt_reader *reader, rt_fusion_request *request)
{
    request->kernel_count = rt_read_count(reader, KERNEL_SIZE_MIN);
    rt_fusion_kernel *kernels = rt_arena_alloc_array(arena, request->kernel_count, sizeof *kernels);
    for (uint32_t i = 0; i < request->kernel_count; i++) {
        rt_fusion_kernel *kernel = &kernels[i];
        kernel->name = rt_read_text(reader);
        kernel->range = read_range(reader);
        kernel->code_count = rt_read_count(reader, RT_LINK_CODE_PACKED_MIN);
        rt_link_code *codes = rt_arena_alloc_array(arena, kernel->code_count, sizeof *codes);
        for (uint32_t k = 0; k < kernel->code_count; k++)
            codes[k] = rt_link_code_read(arena, reader);
        kernel->codes = codes;
        require(reader, kernel->name.length > 0 && kernel->code_count > 0);
    }
    request->kernels = kernels;
    require(reader, request->kernel_count > 0);
}

static bool is_earlier(rt_fusion_place a, rt_fusion_place b)
{
    return a.kernel < b.kernel || (a.kernel == b.kernel && a.parameter < b.parameter);
}

/* Reads the relations, promotions and values of the kernels' parameters. */
static void read_parameters(rt_arena *arena, rt_reader *reader, rt_fusion_request *request)
{
    request->identity_count = rt_read_count(reader, IDENTITY_SIZE);
    rt_fusion_identity *identities =
        rt_arena_alloc_array(arena, request->identity_count, sizeof *identities);
    for (uint32_t i = 0; i < request->identity_count; i++) {
        identities[i].original = read_place(reader, request->kernel_count);
        identities[i].duplicate = read_place(reader, request->kernel_count);
        require(reader, is_earlier(identities[i].original, identities[i].duplicate));
    }
    request->promotion_count = rt_read_count(reader, PROMOTION_SIZE);
    rt_fusion_promotion *promotions =
        rt_arena_alloc_array(arena, request->promotion_count, sizeof *promotions);
    for (uint32_t i = 0; i < request->promotion_count; i++) {
        promotions[i].parameter = read_place(reader, request->kernel_count);
        promotions[i].kind = (rt_fusion_promotion_kind)rt_read_below(reader, RT_FUSION_LOCAL + 1);
        promotions[i].elements = rt_read_u64(reader);
        promotions[i].element_bytes = rt_read_u64(reader);
        require(reader, promotions[i].elements >= 1 && promotions[i].element_bytes >= 1);
    }
    request->constant_count = rt_read_count(reader, CONSTANT_SIZE_MIN);
    rt_fusion_constant *constants =
        rt_arena_alloc_array(arena, request->constant_count, sizeof *constants);
    for (uint32_t i = 0; i < request->constant_count; i++) {
        constants[i].parameter = read_place(reader, request->kernel_count);
        constants[i].value = rt_read_bytes(reader);
    }
    request->identities = identities;
    request->promotions = promotions;
    request->constants = constants;
}

rt_fusion_request rt_fusion_request_read(rt_arena *arena, rt_reader *reader)
{
    enum { TEXT_SIZE_MIN = 4 };
    rt_fusion_request request = {0};
    read_head(reader, REQUEST_TAG);
    request.name = rt_read_text(reader);
    request.barriers = read_truth(reader);
    request.format = (rt_format)rt_read_below(reader, RT_FORMAT_COUNT);
    request.spirv_version_max = rt_read_u32(reader);
    request.range = read_range(reader);
    require(reader, request.name.length > 0);
    if (!reader->failed) read_kernels(arena, reader, &request);
    if (!reader->failed) read_parameters(arena, reader, &request);
    request.variable_count = rt_read_count(reader, TEXT_SIZE_MIN);
    rt_text *variables = rt_arena_alloc_array(arena, request.variable_count, sizeof *variables);
    for (uint32_t i = 0; i < request.variable_count; i++) {
        variables[i] = rt_read_text(reader);
        require(reader, variables[i].length > 0);
    }
    request.variables = variables;
    request.local_size_max = rt_read_u64(reader);
    return request;
}

rt_status rt_fusion_result_read(rt_sink *sink, rt_arena *arena, rt_bytes bytes,
                                rt_fusion_result *out_result)
{
    *out_result = (rt_fusion_result){0};
    rt_reader reader = rt_reader_of(bytes);
    rt_fusion_result result = {0};
    read_head(&reader, RESULT_TAG);
    result.parameter_count = rt_read_count(&reader, PARAMETER_SIZE);
    rt_fusion_place *places = rt_arena_alloc_array(arena, result.parameter_count, sizeof *places);
    uint64_t *local_bytes =
        rt_arena_alloc_array(arena, result.parameter_count, sizeof *local_bytes);
    for (uint32_t i = 0; i < result.parameter_count; i++) {
        places[i] = read_place(&reader, UINT32_MAX);
        local_bytes[i] = rt_read_u64(&reader);
    }
    result.parameters = places;
    result.local_bytes = local_bytes;
    result.promotion_count = rt_read_count(&reader, OUTCOME_SIZE_MIN);
    bool *promoted = rt_arena_alloc_array(arena, result.promotion_count, sizeof *promoted);
    rt_text *reasons = rt_arena_alloc_array(arena, result.promotion_count, sizeof *reasons);
    for (uint32_t i = 0; i < result.promotion_count; i++) {
        promoted[i] = read_truth(&reader);
        reasons[i] = rt_read_text(&reader);
        require(&reader, promoted[i] == (reasons[i].length == 0));
    }
    result.promoted = promoted;
    result.reasons = reasons;
    result.local_size = rt_read_u64(&reader);
    if (read_truth(&reader)) result.range = read_range(&reader);
    rt_image_list images = {0};
    if (!reader.failed) RT_TRY(rt_image_list_read(sink, arena, &reader, &images));
    require(&reader, images.count == 1 && images.images[0].kernel_count == 1);
    if (!rt_reader_finished(&reader)) {
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                       "damaged fusion result: fault at byte %zu of %zu", reader.fault, bytes.size);
    }
    CHECK(images.images && images.count == 1);
    result.image = images.images[0];
    *out_result = result;
    return RT_STATUS_OK;
}
