/* Source: document 001, "Passing information to the fusion pipeline": indices "of the fused kernel,
 * after identical arguments elision". */
#include "reference/compiler/fuse/parameters.h"

#include "reference/compiler/ir/attributes.h"
#include "reference/compiler/ir/values.h"

#include <llvm-c/Target.h>

#define NOT_NUMBERED UINT32_MAX

static LLVMTargetDataRef layout_of(LLVMValueRef function)
{
    return LLVMGetModuleDataLayout(LLVMGetGlobalParent(function));
}

uint64_t pl_parameter_bytes(LLVMValueRef function, uint32_t parameter)
{
    LLVMTypeRef type = pl_by_value_type(function, parameter);
    if (!type) type = LLVMTypeOf(LLVMGetParam(function, parameter));
    return LLVMABISizeOfType(layout_of(function), type);
}

/* ---- Elements ------------------------------------------------------------------------------ */

typedef struct element_types {
    LLVMTargetDataRef layout;
    LLVMTypeRef stepped_over; /* the largest; NULL: no address computation steps */
    uint64_t stepped_bytes;   /* its size */
    LLVMTypeRef accessed;     /* the first one found; NULL: none */
} element_types;

/* A structure without members is not an element. */
static void note_access(element_types *types, LLVMTypeRef type)
{
    bool is_empty = LLVMABISizeOfType(types->layout, type) == 0;
    if (!types->accessed && !is_empty) types->accessed = type;
}

static void note_step(element_types *types, LLVMTypeRef type)
{
    uint64_t bytes = LLVMABISizeOfType(types->layout, type);
    if (bytes <= types->stepped_bytes) return;
    types->stepped_over = type;
    types->stepped_bytes = bytes;
}

static bool is_byte(LLVMTypeRef type)
{
    return type == LLVMInt8TypeInContext(LLVMGetTypeContext(type));
}

static void note_uses(element_types *types, LLVMValueRef pointer)
{
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsALoadInst(user)) {
            note_access(types, LLVMTypeOf(user));
        } else if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != pointer) {
            note_access(types, LLVMTypeOf(LLVMGetOperand(user, 0)));
        } else if (LLVMIsABitCastInst(user)) {
            note_uses(types, user);
        } else if (LLVMIsAGetElementPtrInst(user)) {
            /* Optimisers express steps in bytes, too. */
            LLVMTypeRef type = LLVMGetGEPSourceElementType(user);
            if (is_byte(type))
                note_uses(types, user);
            else if (LLVMIsNull(LLVMGetOperand(user, 1)))
                note_access(types, type);
            else
                note_step(types, type);
        }
    }
}

LLVMTypeRef pl_element_type(LLVMValueRef function, uint32_t parameter)
{
    CHECK(parameter < LLVMCountParams(function));
    element_types types = {.layout = layout_of(function)};
    note_uses(&types, LLVMGetParam(function, parameter));
    if (types.stepped_over) return types.stepped_over;
    if (types.accessed) return types.accessed;
    return LLVMInt8TypeInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
}

/* ---- Numbers ------------------------------------------------------------------------------- */

static rt_status reject_place(pl_job *job, rt_fusion_place place, const char *problem)
{
    return rt_fail(job->sink, RT_FUSION_REJECTED, RT_RULE_NONE,
                   "parameter %u of kernel %u of the list cannot be fused: %s", place.parameter,
                   place.kernel, problem);
}

static rt_status check_place(pl_job *job, const pl_fusion *fusion, const LLVMValueRef *kernels,
                             rt_fusion_place place)
{
    CHECK(place.kernel < fusion->kernel_count); /* rt_fusion_request_read has checked it */
    if (place.parameter < LLVMCountParams(kernels[place.kernel])) return RT_STATUS_OK;
    return reject_place(job, place, "there is no such parameter");
}

/* Pointers to the same address space can share an argument, regardless of the pointee's type. */
static bool can_share_argument(LLVMValueRef a, uint32_t at_a, LLVMValueRef b, uint32_t at_b)
{
    return pl_by_value_type(a, at_a) == pl_by_value_type(b, at_b) &&
           pl_type_fits(LLVMTypeOf(LLVMGetParam(a, at_a)), LLVMTypeOf(LLVMGetParam(b, at_b)));
}

/* Checks that each parameter has a number and that each number's origin is the first parameter with
 * that number. */
static bool parameters_check(const pl_parameters *parameters, const LLVMValueRef *kernels,
                             uint32_t kernel_count)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < kernel_count; i++) {
        for (uint32_t j = 0; j < LLVMCountParams(kernels[i]); j++) {
            uint32_t number = parameters->numbers[i][j];
            CHECK(number <= next);
            if (number < next) continue;
            CHECK(parameters->origins[number].kernel == i);
            CHECK(parameters->origins[number].parameter == j);
            next++;
        }
    }
    CHECK(next == parameters->count);
    return true;
}

rt_status pl_parameters_number(pl_job *job, const pl_fusion *fusion, const LLVMValueRef *kernels,
                               pl_parameters *out_parameters)
{
    *out_parameters = (pl_parameters){0};
    uint32_t total = 0, count = 0;
    uint32_t **numbers = rt_arena_alloc_array(&job->arena, fusion->kernel_count, sizeof *numbers);
    for (uint32_t i = 0; i < fusion->kernel_count; i++) {
        uint32_t parameter_count = LLVMCountParams(kernels[i]);
        numbers[i] = rt_arena_alloc_array(&job->arena, parameter_count, sizeof **numbers);
        for (uint32_t j = 0; j < parameter_count; j++)
            numbers[i][j] = NOT_NUMBERED;
        total += parameter_count;
    }
    /* Until a duplicate is numbered, its entry of `numbers` holds the index of its identity. */
    for (uint32_t i = 0; i < fusion->identity_count; i++) {
        rt_fusion_place first = fusion->identities[i].original,
                        copy = fusion->identities[i].duplicate;
        RT_TRY(check_place(job, fusion, kernels, first));
        RT_TRY(check_place(job, fusion, kernels, copy));
        if (!can_share_argument(kernels[first.kernel], first.parameter, kernels[copy.kernel],
                                copy.parameter))
            return reject_place(job, copy,
                                "its type differs from that of the parameter whose argument it "
                                "shares");
        numbers[copy.kernel][copy.parameter] = i;
    }
    rt_fusion_place *origins = rt_arena_alloc_array(&job->arena, total, sizeof *origins);
    for (uint32_t i = 0; i < fusion->kernel_count; i++) {
        for (uint32_t j = 0; j < LLVMCountParams(kernels[i]); j++) {
            rt_fusion_place place = {i, j};
            if (numbers[i][j] == NOT_NUMBERED) {
                origins[count] = place;
                numbers[i][j] = count++;
            } else {
                CHECK(numbers[i][j] < fusion->identity_count);
                rt_fusion_place first = fusion->identities[numbers[i][j]].original;
                CHECK(first.kernel < i || (first.kernel == i && first.parameter < j));
                numbers[i][j] = numbers[first.kernel][first.parameter];
            }
        }
    }
    CHECK(count <= total);
    *out_parameters =
        (pl_parameters){count, origins, (const uint32_t *const *)(const void *)numbers};
    CHECK_SLOW(parameters_check(out_parameters, kernels, fusion->kernel_count));
    return RT_STATUS_OK;
}

/* ---- From the request ---------------------------------------------------------------------- */

/* Why promoted memory cannot replace what the parameter points to; NULL: it can. */
static const char *promotion_problem(LLVMValueRef kernel, const rt_fusion_promotion *promotion,
                                     pl_promotion *out_promotion)
{
    uint32_t index = promotion->parameter.parameter;
    LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(kernel, index));
    uint64_t bytes;
    if (LLVMGetTypeKind(type) != LLVMPointerTypeKind || pl_by_value_type(kernel, index) ||
        LLVMGetPointerAddressSpace(type) != PL_SPACE_GLOBAL)
        return "it is not a pointer to global memory";
    uint64_t unit = LLVMABISizeOfType(layout_of(kernel), pl_element_type(kernel, index));
    if (__builtin_mul_overflow(promotion->elements, promotion->element_bytes, &bytes) ||
        bytes > UINT32_MAX)
        return "its elements take 4 GiB or more";
    CHECK(unit > 0);
    if (bytes % unit != 0) return "the buffer is not a whole number of its elements";
    out_promotion->elements = RULE(KF_META_05, bytes / unit);
    out_promotion->unit = unit;
    return NULL;
}

static rt_status convert_promotions(pl_job *job, const rt_fusion_request *request,
                                    const LLVMValueRef *kernels, const pl_parameters *parameters,
                                    pl_fusion *fusion, rt_text *out_reasons)
{
    pl_promotion *promotions =
        rt_arena_alloc_array(&job->arena, request->promotion_count, sizeof *promotions);
    for (uint32_t i = 0; i < request->promotion_count; i++) {
        const rt_fusion_promotion *promotion = &request->promotions[i];
        rt_fusion_place place = promotion->parameter;
        RT_TRY(check_place(job, fusion, kernels, place));
        pl_promotion converted = {.kind = promotion->kind};
        const char *problem = promotion_problem(kernels[place.kernel], promotion, &converted);
        if (problem) {
            out_reasons[i] = rt_text_of(problem);
            continue;
        }
        CHECK(parameters->numbers);
        uint32_t number = parameters->numbers[place.kernel][place.parameter];
        CHECK(number < parameters->count);
        converted.parameter = RULE(KF_META_04, number);
        promotions[fusion->promotion_count++] = converted;
    }
    fusion->promotions = promotions;
    return RT_STATUS_OK;
}

static rt_status convert_constants(pl_job *job, const rt_fusion_request *request,
                                   const LLVMValueRef *kernels, const pl_parameters *parameters,
                                   pl_fusion *fusion)
{
    pl_constant *constants =
        rt_arena_alloc_array(&job->arena, request->constant_count, sizeof *constants);
    for (uint32_t i = 0; i < request->constant_count; i++) {
        rt_fusion_place place = request->constants[i].parameter;
        rt_bytes value = request->constants[i].value;
        RT_TRY(check_place(job, fusion, kernels, place));
        LLVMValueRef kernel = kernels[place.kernel];
        bool pointer = LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(kernel, place.parameter))) ==
                       LLVMPointerTypeKind;
        if (pointer && !pl_by_value_type(kernel, place.parameter))
            return reject_place(job, place, "it is a pointer, which no constant can replace");
        if (pl_parameter_bytes(kernel, place.parameter) != value.size)
            return reject_place(job, place, "the size of its constant differs from its own");
        CHECK(parameters->numbers);
        constants[i] = (pl_constant){parameters->numbers[place.kernel][place.parameter], value};
    }
    fusion->constants = constants;
    fusion->constant_count = request->constant_count;
    return RT_STATUS_OK;
}

rt_status pl_fusion_parameters_convert(pl_job *job, const rt_fusion_request *request,
                                       const LLVMValueRef *kernels, pl_fusion *fusion,
                                       rt_text *out_reasons)
{
    pl_parameters parameters;
    RT_TRY(pl_parameters_number(job, fusion, kernels, &parameters));
    RT_TRY(convert_promotions(job, request, kernels, &parameters, fusion, out_reasons));
    return convert_constants(job, request, kernels, &parameters, fusion);
}
