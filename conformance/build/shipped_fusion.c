/* Translates requests for libsycl-jit, and its answers. */
#include "conformance/build/shipped_fusion.h"

#include "reference/base/spirv.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* ---- The library's types -------------------------------------------------------------------- */

/* Dynamic arrays and views have the same layout. */
typedef struct jit_array {
    const void *items;
    size_t count;
} jit_array;

typedef enum jit_format { JIT_LLVM = 1, JIT_SPIRV = 2 } jit_format;

typedef struct jit_binary {
    uint32_t format;
    uint64_t address_bits;
    const uint8_t *start;
    uint64_t size;
} jit_binary;

/* In SYCL's order; past `dimensions`, sizes are 1 and offsets 0. */
typedef struct jit_range {
    int32_t dimensions;
    size_t global[3], local[3], offset[3]; /* local 0, 0, 0: unspecified */
} jit_range;

typedef enum jit_kind { JIT_ACCESSOR, JIT_STANDARD_LAYOUT, JIT_SAMPLER, JIT_POINTER } jit_kind;

typedef struct jit_kernel {
    const char *name;
    jit_array kinds;      /* jit_kind, 4 bytes each */
    jit_array usage;      /* jit_usage, 1 byte each */
    jit_array attributes; /* none is passed: the library reads them in the code */
    jit_range range;
    jit_binary binary;
} jit_kernel;

/* What became of a parameter of the list, in the usage mask of the fused kernel. */
enum { JIT_UNUSED = 0x00, JIT_USED = 0x01, JIT_PRIVATE = 0x10, JIT_LOCAL = 0x20 };

typedef struct jit_place {
    uint32_t kernel, parameter;
} jit_place;

typedef struct jit_identity {
    jit_place duplicate, original;
} jit_identity;

typedef struct jit_promotion {
    jit_place place;
    uint32_t kind; /* 1: local, 2: private */
    size_t elements, element_bytes;
} jit_promotion;

typedef struct jit_constant {
    jit_place place;
    jit_array value;
} jit_constant;

typedef struct jit_result {
    int32_t type; /* 0: failed */
    jit_kernel kernel;
    const char *error;
} jit_result;

_Static_assert(sizeof(jit_kernel) == 168 && sizeof(jit_result) == 184 &&
                   sizeof(jit_promotion) == 32 && sizeof(jit_constant) == 24,
               "layout of libsycl-jit");

/* An option is a C++ object, whose virtual table has two destructors; the library calls the second,
 * which also frees the object. */
typedef struct jit_option {
    void (*const *functions)(struct jit_option *option);
    uint32_t number;
    uint32_t value[2];
} jit_option;

enum { JIT_OPTION_TARGET = 2 };
#define JIT_ARCHITECTURE_NONE UINT32_MAX

typedef struct jit_library {
    jit_result *(*fuse)(jit_result *result, jit_array kernels, const char *name,
                        jit_array identities, uint32_t barriers, jit_array promotions,
                        jit_array constants);
    void (*option_add)(jit_option **option);
    void (*options_reset)(void);
    void (*binary_destroy)(const uint8_t *start);
} jit_library;

/* ---- Opening it ----------------------------------------------------------------------------- */

static void option_destroy(jit_option *option)
{
    (void)option;
}

static void option_delete(jit_option *option)
{
    free(option);
}

static rt_status library_open(rt_sink *sink, const char *path, jit_library *out_library)
{
    static const char *const names[] = {"fuseKernels", "addToJITConfiguration",
                                        "resetJITConfiguration", "destroyBinary"};
    void *symbols[sizeof names / sizeof *names];
    void *library = path[0] ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library)
        return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE,
                       "the original fusion compiler cannot be opened: %s; run ci/setup --with "
                       "fusion",
                       path[0] ? dlerror() : "it is not installed");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        symbols[i] = dlsym(library, names[i]);
        if (symbols[i]) continue;
        return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE,
                       "%s exports no %s; only intel-sycl-rt 2025.2.0 to 2025.2.2 have it", path,
                       names[i]);
    }
    _Static_assert(sizeof *out_library == sizeof symbols, "one member per name, in their order");
    memcpy(out_library, symbols, sizeof symbols);
    return RT_STATUS_OK;
}

/* Sets the only option that the library requires. */
static void target_set(const jit_library *library)
{
    static void (*const functions[])(jit_option *) = {option_destroy, option_delete};
    jit_option *option = malloc(sizeof *option);
    CHECK(option);
    *option = (jit_option){functions, JIT_OPTION_TARGET, {JIT_SPIRV, JIT_ARCHITECTURE_NONE}};
    library->options_reset();
    library->option_add(&option);
}

/* ---- Kernels -----------------------------------------------------------------------------------
 */

enum { OP_ENTRY_POINT = 15, OP_TYPE_POINTER = 32, OP_FUNCTION = 54, OP_PARAMETER = 55 };
enum { STORAGE_CROSS_WORKGROUP = 5, STORAGE_FUNCTION = 7 };

typedef RT_VECTOR(uint32_t) word_list;

/* The kind of a parameter by its type; a structure passed by value is a pointer to a function's
 * memory. */
static uint32_t kind_of(const word_list *pointers, uint32_t type)
{
    for (uint32_t i = 0; i + 1 < pointers->count; i += 2) {
        if (pointers->items[i] != type) continue;
        uint32_t storage = pointers->items[i + 1];
        return storage == STORAGE_CROSS_WORKGROUP ? JIT_ACCESSOR
               : storage == STORAGE_FUNCTION      ? JIT_STANDARD_LAYOUT
                                                  : JIT_POINTER;
    }
    return JIT_STANDARD_LAYOUT;
}

/* Finds the kinds of a kernel's parameters in one module; false: it is not there. */
static bool kinds_find(rt_bytes spirv, rt_text name, word_list *out_kinds)
{
    word_list pointers = {0};
    uint32_t function = 0;
    bool is_inside = false;
    rt_spirv_walk walk = rt_spirv_walk_start(spirv);
    for (rt_spirv_instruction at; rt_spirv_walk_next(&walk, &at);) {
        if (at.opcode == OP_ENTRY_POINT && rt_text_equal(rt_spirv_text(&at, 3), name))
            function = rt_spirv_word(&at, 2);
        if (at.opcode == OP_TYPE_POINTER) {
            *rt_vector_push(&pointers) = rt_spirv_word(&at, 1);
            *rt_vector_push(&pointers) = rt_spirv_word(&at, 2);
        }
        if (at.opcode == OP_FUNCTION) is_inside = function && rt_spirv_word(&at, 2) == function;
        if (at.opcode == OP_PARAMETER && is_inside)
            *rt_vector_push(out_kinds) = kind_of(&pointers, rt_spirv_word(&at, 1));
    }
    rt_vector_free(&pointers);
    return function != 0;
}

static jit_range range_of(const rt_fusion_range *range)
{
    jit_range result = {.dimensions = (int32_t)range->dimensions, .global = {1, 1, 1}};
    const bool has_local = range->local[0] != 0;
    for (uint32_t i = 0; i < RT_ND_RANGE_DIMENSIONS; i++) {
        const uint32_t to = i < range->dimensions ? range->dimensions - 1 - i : i;
        result.global[to] = range->global[i];
        result.local[to] = has_local ? range->local[i] : 0;
        result.offset[to] = range->offset[i];
    }
    return result;
}

/* The range that the library made the code for. TOOL: it is not one. */
static rt_status range_read(cnf_worker *worker, const jit_range *range, rt_fusion_range *out_range)
{
    const uint32_t dimensions = (uint32_t)range->dimensions;
    bool is_valid = dimensions >= 1 && dimensions <= RT_ND_RANGE_DIMENSIONS;
    *out_range = (rt_fusion_range){.dimensions = dimensions, .global = {1, 1, 1}};
    const bool has_local = is_valid && range->local[0] != 0;
    for (uint32_t i = 0; is_valid && i < dimensions; i++) {
        const uint32_t from = dimensions - 1 - i;
        out_range->global[i] = range->global[from];
        out_range->local[i] = has_local ? range->local[from] : 0;
        out_range->offset[i] = range->offset[from];
        is_valid = range->global[from] >= 1 && (range->local[from] != 0) == has_local;
    }
    for (uint32_t i = dimensions; has_local && i < RT_ND_RANGE_DIMENSIONS; i++)
        out_range->local[i] = 1;
    if (is_valid) return RT_STATUS_OK;
    return rt_fail(worker->sink, RT_TOOL, RT_RULE_NONE,
                   "the original fusion compiler's range is not an nd-range");
}

/* The code of one kernel: its module or, if it has several or constants, what they link to. */
static rt_status binary_make(cnf_worker *worker, const rt_fusion_kernel *kernel,
                             jit_binary *out_binary)
{
    const rt_link_code *code = &kernel->codes[0];
    rt_bytes bytes = code->spirv;
    uint32_t format = JIT_SPIRV;
    if (kernel->code_count > 1 || code->constant_count > 0) {
        rt_buffer linked = {0};
        rt_status status =
            worker->api->link_to_bitcode(worker->sink, kernel->codes, kernel->code_count, &linked);
        bytes = rt_arena_bytes(&worker->arena, rt_buffer_bytes(&linked));
        rt_buffer_free(&linked);
        RT_TRY(status);
        format = JIT_LLVM;
    }
    *out_binary = (jit_binary){format, 64, bytes.data, bytes.size};
    return RT_STATUS_OK;
}

static rt_status kernel_make(cnf_worker *worker, const rt_fusion_kernel *kernel,
                             jit_kernel *out_kernel)
{
    rt_arena *arena = &worker->arena;
    word_list kinds = {0};
    bool is_found = false;
    for (uint32_t i = 0; i < kernel->code_count && !is_found; i++)
        is_found = kinds_find(kernel->codes[i].spirv, kernel->name, &kinds);
    *out_kernel = (jit_kernel){.name = rt_arena_text(arena, kernel->name).data,
                               .range = range_of(&kernel->range)};
    uint8_t *usage = rt_arena_alloc_array(arena, (size_t)kinds.count + 1, 1);
    memset(usage, JIT_USED, kinds.count);
    out_kernel->kinds = (jit_array){
        rt_arena_copy(arena, kinds.items, kinds.count, sizeof *kinds.items), kinds.count};
    out_kernel->usage = (jit_array){usage, kinds.count};
    rt_vector_free(&kinds);
    if (!is_found)
        return rt_fail(worker->sink, RT_MALFORMED, RT_RULE_NONE,
                       "the code of kernel '%.*s' has no entry point of this name",
                       RT_TEXT_ARG(kernel->name));
    return binary_make(worker, kernel, &out_kernel->binary);
}

/* ---- Relations of parameters ---------------------------------------------------------------- */

static jit_place place_of(rt_fusion_place place)
{
    return (jit_place){place.kernel, place.parameter};
}

static jit_array identities_make(rt_arena *arena, const rt_fusion_request *request)
{
    jit_identity *list = rt_arena_alloc_array(arena, request->identity_count, sizeof *list);
    for (uint32_t i = 0; i < request->identity_count; i++)
        list[i] = (jit_identity){place_of(request->identities[i].duplicate),
                                 place_of(request->identities[i].original)};
    return (jit_array){list, request->identity_count};
}

static jit_array promotions_make(rt_arena *arena, const rt_fusion_request *request)
{
    jit_promotion *list = rt_arena_alloc_array(arena, request->promotion_count, sizeof *list);
    for (uint32_t i = 0; i < request->promotion_count; i++) {
        const rt_fusion_promotion *promotion = &request->promotions[i];
        list[i] = (jit_promotion){place_of(promotion->parameter),
                                  promotion->kind == RT_FUSION_LOCAL ? 1 : 2, promotion->elements,
                                  promotion->element_bytes};
    }
    return (jit_array){list, request->promotion_count};
}

static jit_array constants_make(rt_arena *arena, const rt_fusion_request *request)
{
    jit_constant *list = rt_arena_alloc_array(arena, request->constant_count, sizeof *list);
    for (uint32_t i = 0; i < request->constant_count; i++) {
        const rt_fusion_constant *constant = &request->constants[i];
        list[i] = (jit_constant){place_of(constant->parameter),
                                 {constant->value.data, constant->value.size}};
    }
    return (jit_array){list, request->constant_count};
}

/* ---- The result ----------------------------------------------------------------------------- */

/* Index of the promotion of a parameter; promotion_count: it has none. */
static uint32_t promotion_of(const rt_fusion_request *request, rt_fusion_place place)
{
    uint32_t i = 0;
    while (i < request->promotion_count &&
           (request->promotions[i].parameter.kernel != place.kernel ||
            request->promotions[i].parameter.parameter != place.parameter))
        i++;
    return i;
}

/* Reads the usage mask, which has an entry for each parameter of the list, in order. A buffer that
 * was promoted to local memory stays a parameter, for which the launch passes local memory. */
static rt_status parameters_read(cnf_worker *worker, const rt_fusion_request *request,
                                 const jit_kernel *kernels, jit_array mask,
                                 rt_fusion_result *result)
{
    rt_arena *arena = &worker->arena;
    const uint8_t *usage = mask.items;
    rt_fusion_place *places = rt_arena_alloc_array(arena, mask.count, sizeof *places);
    uint64_t *local_bytes = rt_arena_alloc_array(arena, mask.count, sizeof *local_bytes);
    bool *promoted = rt_arena_alloc_array(arena, request->promotion_count, sizeof *promoted);
    rt_text *reasons = rt_arena_alloc_array(arena, request->promotion_count, sizeof *reasons);
    size_t at = 0;
    for (uint32_t k = 0; k < request->kernel_count; k++) {
        for (uint32_t p = 0; p < kernels[k].kinds.count && at < mask.count; p++, at++) {
            const rt_fusion_place place = {k, p};
            const uint32_t promotion = promotion_of(request, place);
            const bool is_local = usage[at] & JIT_LOCAL;
            if (promotion < request->promotion_count) {
                const rt_fusion_promotion *asked = &request->promotions[promotion];
                promoted[promotion] = is_local || (usage[at] & JIT_PRIVATE);
                if (is_local) {
                    local_bytes[result->parameter_count] = asked->elements * asked->element_bytes;
                    result->local_size +=
                        rt_fusion_local_bytes(asked->elements * asked->element_bytes);
                }
            }
            if (usage[at] & JIT_USED) places[result->parameter_count++] = place;
        }
    }
    for (uint32_t i = 0; i < request->promotion_count; i++)
        reasons[i] = promoted[i] ? (rt_text){"", 0}
                                 : RT_TEXT("the original fusion compiler left it in global memory");
    result->parameters = places;
    result->local_bytes = local_bytes;
    result->promoted = promoted;
    result->reasons = reasons;
    result->promotion_count = request->promotion_count;
    size_t expected = 0;
    for (uint32_t k = 0; k < request->kernel_count; k++)
        expected += kernels[k].kinds.count;
    if (mask.count == expected) return RT_STATUS_OK;
    return rt_fail(worker->sink, RT_TOOL, RT_RULE_NONE,
                   "the original fusion compiler's result describes %zu parameters, and the list "
                   "has %zu",
                   mask.count, expected);
}

/* Describes the fused module, and writes the result. */
static rt_status result_write(cnf_worker *worker, const rt_fusion_request *request, rt_bytes spirv,
                              rt_fusion_result *result)
{
    rt_buffer described = {0};
    rt_status status = worker->api->describe_spirv(worker->sink, spirv, &described);
    rt_bytes bytes = rt_arena_bytes(&worker->arena, rt_buffer_bytes(&described));
    rt_buffer_free(&described);
    RT_TRY(status);
    rt_reader reader = rt_reader_of(bytes);
    rt_image_list images;
    RT_TRY(rt_image_list_read(worker->sink, &worker->arena, &reader, &images));
    if (images.count != 1 || images.images[0].kernel_count != 1)
        return rt_fail(worker->sink, RT_TOOL, RT_RULE_NONE,
                       "the original fusion compiler's module has %u kernels, expected one",
                       images.count == 1 ? images.images[0].kernel_count : 0);
    result->image = images.images[0];
    result->image.name = request->name;
    rt_fusion_result_write(&worker->artefact, result);
    return RT_STATUS_OK;
}

rt_status cnf_shipped_fuse(cnf_worker *worker, const rt_fusion_request *request)
{
    enum { BARRIERS_NONE = 0, BARRIERS_ALL = 3 };
    rt_arena *arena = &worker->arena;
    CHECK(worker->api && request->kernel_count > 0);
    if (request->format != RT_FORMAT_SPIRV64)
        return rt_fail(worker->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "the original fusion compiler is used with SPIR-V only");
    jit_library library = {0};
    RT_TRY(library_open(worker->sink, worker->toolchain.sycl_jit, &library));
    jit_kernel *kernels = rt_arena_alloc_array(arena, request->kernel_count, sizeof *kernels);
    for (uint32_t i = 0; i < request->kernel_count; i++)
        RT_TRY(kernel_make(worker, &request->kernels[i], &kernels[i]));
    CHECK(library.fuse && library.option_add && library.options_reset);
    target_set(&library);
    jit_result answer = {0};
    library.fuse(&answer, (jit_array){kernels, request->kernel_count},
                 rt_arena_text(arena, request->name).data, identities_make(arena, request),
                 request->barriers ? BARRIERS_ALL : BARRIERS_NONE, promotions_make(arena, request),
                 constants_make(arena, request));
    /* The process ends after this request, so what the library allocated need not be freed. */
    if (answer.type == 0)
        return rt_fail(worker->sink, RT_FUSION_REJECTED, RT_RULE_NONE,
                       "the original fusion compiler refuses the list: %s",
                       answer.error ? answer.error : "");
    rt_fusion_result result = {0};
    RT_TRY(parameters_read(worker, request, kernels, answer.kernel.usage, &result));
    RT_TRY(range_read(worker, &answer.kernel.range, &result.range));
    const rt_bytes spirv = {answer.kernel.binary.start, answer.kernel.binary.size};
    return result_write(worker, request, spirv, &result);
}
