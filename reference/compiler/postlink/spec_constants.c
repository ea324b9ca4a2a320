/* Moves specialisation constants from sources into images.
 *
 * Source: SPIR-V specification, 2.12 "Specialization"; for `__spirv_SpecConstant(id, default)`, the
 * SPIR-V friendly IR of the translator (LLVMSPIRVLib 14).  The translation may have several
 * constants with the same number, one for each call; they are the same constant. */
#include "reference/compiler/postlink/spec_constants.h"

#include "reference/base/stream.h"
#include "reference/compiler/ir/attributes.h"
#include "reference/compiler/ir/values.h"
#include "reference/compiler/ir/version.h"

#define CONSTANT_PREFIX "__assay_spec_constant_"
#define DEFAULT_PREFIX  "__assay_spec_default_"
#define VALUE_PREFIX    "__assay_spec_value_"

/* The rest of a symbol after a prefix; empty if it does not have the prefix. */
static rt_text name_after(pl_job *job, LLVMValueRef value, const char *prefix)
{
    rt_text symbol = pl_job_name(job, value);
    return rt_text_take_prefix(&symbol, prefix) ? symbol : (rt_text){0};
}

static rt_status refuse(pl_job *job, rt_text name, const char *problem)
{
    return rt_fail_naming(job->sink, RT_POSTLINK_ERROR, RT_RULE_NONE, &name, 1,
                          "specialisation constant '%.*s' %s", RT_TEXT_ARG(name), problem);
}

/* ---- Types --------------------------------------------------------------------------------- */

/* A scalar type of LLVM, its size, and its code in a mangled name. */
typedef struct scalar_row {
    LLVMTypeKind kind;
    unsigned width; /* INTEGER: bits */
    uint32_t size;  /* bytes */
    const char *mangled;
} scalar_row;

static const scalar_row scalar_rows[] = {
    {LLVMIntegerTypeKind, 1, 1, "b"},  {LLVMIntegerTypeKind, 8, 1, "c"},
    {LLVMIntegerTypeKind, 16, 2, "s"}, {LLVMIntegerTypeKind, 32, 4, "i"},
    {LLVMIntegerTypeKind, 64, 8, "l"}, {LLVMHalfTypeKind, 0, 2, "Dh"},
    {LLVMFloatTypeKind, 0, 4, "f"},    {LLVMDoubleTypeKind, 0, 8, "d"},
};

/* NULL if no specialisation constant can have the type. */
static const scalar_row *scalar_of(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    unsigned width = kind == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
    for (size_t i = 0; i < sizeof scalar_rows / sizeof *scalar_rows; i++) {
        if (scalar_rows[i].kind == kind && scalar_rows[i].width == width) return &scalar_rows[i];
    }
    return NULL;
}

/* The bits of a constant scalar; a bool is one byte. */
static uint64_t bits_of(pl_job *job, LLVMValueRef constant)
{
    const scalar_row *scalar = scalar_of(LLVMTypeOf(constant));
    CHECK(scalar);
    if (scalar->kind != LLVMIntegerTypeKind) {
        LLVMTypeRef integer = LLVMIntTypeInContext(job->context, 8 * scalar->size);
        constant = LLVMConstBitCast(constant, integer);
    }
    CHECK(LLVMIsAConstantInt(constant));
    return LLVMConstIntGetZExtValue(constant);
}

/* ---- Sources ------------------------------------------------------------------------------- */

static bool is_value_load(LLVMValueRef user, LLVMValueRef variable)
{
    return LLVMIsALoadInst(user) && LLVMGetOperand(user, 0) == variable &&
           LLVMTypeOf(user) == LLVMGlobalGetValueType(variable) && !LLVMGetVolatile(user) &&
           LLVMGetOrdering(user) == LLVMAtomicOrderingNotAtomic;
}

/* Clang keeps a bool in a byte and truncates it to a bit after each load; it does so for no other
 * type. */
static bool is_bool(pl_job *job, LLVMValueRef variable)
{
    LLVMTypeRef bit = LLVMInt1TypeInContext(job->context);
    if (LLVMGlobalGetValueType(variable) != LLVMInt8TypeInContext(job->context)) return false;
    for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef load = LLVMGetUser(use);
        for (LLVMUseRef at = LLVMGetFirstUse(load); at; at = LLVMGetNextUse(at)) {
            LLVMValueRef user = LLVMGetUser(at);
            if (!LLVMIsATruncInst(user) || LLVMTypeOf(user) != bit) return false;
        }
    }
    return true;
}

static LLVMValueRef build_call(pl_job *job, LLVMValueRef before, LLVMValueRef function,
                               LLVMValueRef *arguments, unsigned count, const char *name)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);
    LLVMPositionBuilderBefore(builder, before);
    LLVMValueRef call =
        LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, arguments, count, name);
    LLVMSetInstructionCallConv(call, PL_SPIR_FUNCTION);
    LLVMDisposeBuilder(builder);
    return call;
}

/* Replaces the loads of a variable that is used only by loads of its value with calls to a function
 * that represents the constant. The function reads no memory and always returns, so the passes can
 * move, merge and drop calls to it. */
static void replace_loads(pl_job *job, LLVMModuleRef module, LLVMValueRef variable, rt_text name,
                          LLVMValueRef value)
{
    if (!LLVMGetFirstUse(variable)) return;
    LLVMTypeRef type = LLVMGlobalGetValueType(variable);
    if (is_bool(job, variable)) {
        type = LLVMInt1TypeInContext(job->context);
        value = LLVMConstInt(type, bits_of(job, value) != 0, false);
    }
    CHECK(LLVMTypeOf(value) == type && scalar_of(type));
    rt_text symbol = rt_arena_printf(&job->arena, VALUE_PREFIX "%.*s", RT_TEXT_ARG(name));
    LLVMValueRef function =
        LLVMAddFunction(module, symbol.data, LLVMFunctionType(type, &type, 1, false));
    LLVMSetFunctionCallConv(function, PL_SPIR_FUNCTION);
    pl_mark_without_memory(function);
    pl_flag_add(function, "nounwind");
    pl_flag_add(function, "willreturn");
    while (LLVMGetFirstUse(variable)) {
        LLVMValueRef load = LLVMGetUser(LLVMGetFirstUse(variable));
        CHECK(is_value_load(load, variable));
        LLVMValueRef call = build_call(job, load, function, &value, 1, "");
        if (LLVMTypeOf(load) == type) {
            pl_replace(load, call);
            continue;
        }
        while (LLVMGetFirstUse(load)) /* a bool */
            pl_replace(LLVMGetUser(LLVMGetFirstUse(load)), call);
        LLVMInstructionEraseFromParent(load);
    }
}

static rt_status take_constant(pl_job *job, LLVMModuleRef module, LLVMValueRef variable,
                               rt_text name)
{
    /* Loads with an unused value do not reveal the type. */
    LLVMUseRef use = LLVMGetFirstUse(variable);
    while (use) {
        LLVMValueRef user = LLVMGetUser(use);
        use = LLVMGetNextUse(use);
        if (is_value_load(user, variable) && !LLVMGetFirstUse(user)) {
            LLVMInstructionEraseFromParent(user);
        }
    }
    LLVMTypeRef type = LLVMGlobalGetValueType(variable);
    if (!scalar_of(type)) {
        return refuse(
            job, name,
            "is not a scalar; make its type bool, an integer of 8 to 64 bits, half, float or "
            "double");
    }
    /* The default is the initialiser of the second variable. */
    rt_text symbol = rt_arena_printf(&job->arena, DEFAULT_PREFIX "%.*s", RT_TEXT_ARG(name));
    LLVMValueRef initialised = LLVMGetNamedGlobal(module, symbol.data);
    LLVMValueRef value = initialised ? LLVMGetInitializer(initialised) : NULL;
    bool is_constant = value && (LLVMIsAConstantInt(value) || LLVMIsAConstantFP(value));
    if (!is_constant || LLVMTypeOf(value) != type) {
        return refuse(job, name,
                      "has no default value of its type; declare it with SPEC_CONSTANT(type, "
                      "name, default)");
    }
    for (use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
        if (is_value_load(LLVMGetUser(use), variable)) continue;
        return refuse(job, name,
                      "can only be read; use only its value, since it has no address and cannot "
                      "be volatile or atomic");
    }
    replace_loads(job, module, variable, name, value);
    return RT_STATUS_OK;
}

rt_status pl_spec_constants_take(pl_job *job, LLVMModuleRef source)
{
    RT_VECTOR(LLVMValueRef) variables = {0};
    rt_status status = RT_STATUS_OK;
    LLVMValueRef variable = LLVMGetFirstGlobal(source);
    for (; variable && rt_ok(status); variable = LLVMGetNextGlobal(variable)) {
        rt_text name = name_after(job, variable, CONSTANT_PREFIX);
        bool is_constant = name.length > 0;
        if (is_constant) status = take_constant(job, source, variable, name);
        bool is_default = name_after(job, variable, DEFAULT_PREFIX).length > 0;
        if (is_constant || is_default) *rt_vector_push(&variables) = variable;
    }
    for (uint32_t i = 0; i < variables.count && rt_ok(status); i++) {
        if (!LLVMGetFirstUse(variables.items[i])) LLVMDeleteGlobal(variables.items[i]);
    }
    rt_vector_free(&variables);
    return status;
}

/* ---- The linked sources -------------------------------------------------------------------- */

rt_status pl_spec_constants_check(pl_job *job, LLVMModuleRef module)
{
    pl_text_list names = {0};
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        rt_text name = name_after(job, function, VALUE_PREFIX);
        if (name.length == 0) continue;
        /* If the sources agree, every use is a call with the function's own type, and all calls
         * pass the same default. */
        LLVMValueRef value = NULL;
        bool agrees = true;
        LLVMUseRef use = LLVMGetFirstUse(function);
        for (; use && agrees; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            agrees = pl_calls(user, function) && (!value || LLVMGetOperand(user, 0) == value);
            value = LLVMGetOperand(user, 0);
        }
        if (!agrees) *rt_vector_push(&names) = name;
    }
    rt_status status = RT_STATUS_OK;
    if (names.count > 0) {
        status =
            rt_fail_naming(job->sink, RT_POSTLINK_ERROR, RT_RULE_NONE, names.items, names.count,
                           "specialisation constant '%.*s' is declared by two sources with "
                           "different types or defaults; make the declarations agree",
                           RT_TEXT_ARG(names.items[0]));
    }
    rt_vector_free(&names);
    return status;
}

/* ---- Images -------------------------------------------------------------------------------- */

typedef struct placement {
    pl_job *job;
    LLVMModuleRef image;
    RT_VECTOR(LLVMValueRef)
    functions; /* number of a constant in the code -> function that
                * represents it */
    rt_buffer defaults;
} placement;

/* Replaces the calls that represent one constant and describes the constant as a scalar: number,
 * offset 0, size. Defaults are stored without padding, since readers add up the sizes. */
static rt_property place_constant(placement *place, uint32_t id, LLVMValueRef function,
                                  rt_text name)
{
    pl_job *job = place->job;
    LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(function));
    const scalar_row *scalar = scalar_of(type);
    CHECK(scalar && id < place->functions.count);
    /* `__spirv_SpecConstant(int, T)`, mangled as the translator expects it. */
    rt_text symbol = rt_arena_printf(&job->arena, "_Z20__spirv_SpecConstanti%s", scalar->mangled);
    LLVMTypeRef number_type = LLVMInt32TypeInContext(job->context);
    LLVMValueRef operation = LLVMGetNamedFunction(place->image, symbol.data);
    if (!operation) {
        LLVMTypeRef parameters[] = {number_type, type};
        operation = LLVMAddFunction(place->image, symbol.data,
                                    LLVMFunctionType(type, parameters, 2, false));
        LLVMSetFunctionCallConv(operation, PL_SPIR_FUNCTION);
    }
    LLVMValueRef value = LLVMGetOperand(LLVMGetUser(LLVMGetFirstUse(function)), 0);
    LLVMValueRef number = LLVMConstInt(number_type, id, false);
    while (LLVMGetFirstUse(function)) {
        LLVMValueRef call = LLVMGetUser(LLVMGetFirstUse(function));
        CHECK(pl_calls(call, function) && LLVMGetOperand(call, 0) == value);
        LLVMValueRef arguments[] = {number, value};
        pl_replace(call, build_call(job, call, operation, arguments, 2, name.data));
    }
    uint64_t bits = bits_of(job, value);
    for (uint32_t i = 0; i < scalar->size; i++)
        rt_write_u8(&place->defaults, (uint8_t)(bits >> (8 * i)));
    rt_buffer described = {0};
    rt_write_u32(&described, id);
    rt_write_u32(&described, 0);
    rt_write_u32(&described, scalar->size);
    rt_property property = {.name = name, .type = RT_PROPERTY_BYTES};
    property.bytes = rt_arena_bytes(&job->arena, rt_buffer_bytes(&described));
    rt_buffer_free(&described);
    return property;
}

static void find_constants(placement *place)
{
    LLVMValueRef function = LLVMGetFirstFunction(place->image);
    for (; function; function = LLVMGetNextFunction(function)) {
        bool is_constant = name_after(place->job, function, VALUE_PREFIX).length > 0;
        if (is_constant && LLVMGetFirstUse(function)) *rt_vector_push(&place->functions) = function;
    }
}

void pl_spec_constants_place(pl_job *job, LLVMModuleRef image, pl_properties *properties)
{
    placement place = {.job = job, .image = image};
    find_constants(&place);
    uint32_t count = place.functions.count;
    rt_property *items = rt_arena_alloc_array(&job->arena, count, sizeof *items);
    for (uint32_t id = 0; id < count; id++) {
        LLVMValueRef function = place.functions.items[id];
        rt_text name = name_after(job, function, VALUE_PREFIX);
        items[id] = place_constant(&place, id, function, name);
        LLVMDeleteFunction(function);
    }
    if (count > 0) {
        rt_property *defaults = rt_arena_alloc(&job->arena, sizeof *defaults);
        *defaults = (rt_property){.name = RT_TEXT("all"), .type = RT_PROPERTY_BYTES};
        defaults->bytes = rt_arena_bytes(&job->arena, rt_buffer_bytes(&place.defaults));
        pl_properties_add(properties, RT_SET_SPEC_CONSTANTS, items, count);
        pl_properties_add(properties, RT_SET_SPEC_CONSTANT_DEFAULTS, defaults, 1);
    }
    rt_vector_free(&place.functions);
    rt_buffer_free(&place.defaults);
}

void pl_spec_constants_fold(pl_job *job, LLVMModuleRef image)
{
    placement place = {.job = job, .image = image};
    find_constants(&place);
    for (uint32_t i = 0; i < place.functions.count; i++) {
        LLVMValueRef function = place.functions.items[i];
        while (LLVMGetFirstUse(function)) {
            LLVMValueRef call = LLVMGetUser(LLVMGetFirstUse(function));
            CHECK(pl_calls(call, function));
            pl_replace(call, LLVMGetOperand(call, 0));
        }
        LLVMDeleteFunction(function);
    }
    rt_vector_free(&place.functions);
}
