/* Moves specialisation constants from sources into images.
 *
 * Source: SPIR-V specification, 2.12 "Specialization"; for `__spirv_SpecConstant(id, default)`, the
 * SPIR-V friendly IR of the translator (LLVMSPIRVLib 14).  The translation may have several
 * constants with the same number, one for each call; they are the same constant. */
#include "reference/compiler/postlink/spec_constants.h"

#include "reference/base/number.h"
#include "reference/base/stream.h"
#include "reference/compiler/ir/attributes.h"
#include "reference/compiler/ir/values.h"
#include "reference/compiler/ir/version.h"
#include "reference/compiler/postlink/spec_constants_internal.h"
#include "reference/image/spec_constants.h"

#include <stdlib.h>

#define CONSTANT_PREFIX "__assay_spec_constant_"
#define DEFAULT_PREFIX  "__assay_spec_default_"
#define VALUE_PREFIX    "__assay_spec_value_"

/* The rest of a symbol after a prefix; empty if it does not have the prefix. */
static rt_text name_after(pl_job *job, LLVMValueRef value, const char *prefix)
{
    rt_text symbol = pl_job_name(job, value);
    return rt_text_take_prefix(&symbol, prefix) ? symbol : (rt_text){0};
}

const char pl_spec_no_default[] =
    "has no default value of its type; declare it with SPEC_CONSTANT(type, name, default)";
const char pl_spec_only_read[] =
    "can only be read; use only its value, since it has no address and cannot be volatile or "
    "atomic";

rt_status pl_spec_refuse(pl_job *job, rt_text name, const char *problem)
{
    return rt_fail_naming(job->sink, RT_POSTLINK_ERROR, RT_RULE_NONE, &name, 1,
                          "specialisation constant '%.*s' %s", RT_TEXT_ARG(name), problem);
}

/* ---- Types --------------------------------------------------------------------------------- */

static const pl_spec_scalar_type scalar_types[] = {
    {LLVMIntegerTypeKind, 1, 1, "b"},  {LLVMIntegerTypeKind, 8, 1, "c"},
    {LLVMIntegerTypeKind, 16, 2, "s"}, {LLVMIntegerTypeKind, 32, 4, "i"},
    {LLVMIntegerTypeKind, 64, 8, "l"}, {LLVMHalfTypeKind, 0, 2, "Dh"},
    {LLVMFloatTypeKind, 0, 4, "f"},    {LLVMDoubleTypeKind, 0, 8, "d"},
};

const pl_spec_scalar_type *pl_spec_scalar_type_of(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    unsigned width = kind == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
    for (size_t i = 0; i < sizeof scalar_types / sizeof *scalar_types; i++) {
        if (scalar_types[i].kind == kind && scalar_types[i].width == width) return &scalar_types[i];
    }
    return NULL;
}

uint64_t pl_spec_bits(pl_job *job, LLVMValueRef constant)
{
    const pl_spec_scalar_type *scalar = pl_spec_scalar_type_of(LLVMTypeOf(constant));
    CHECK(scalar);
    if (scalar->kind != LLVMIntegerTypeKind) {
        LLVMTypeRef integer = LLVMIntTypeInContext(job->context, 8 * scalar->size);
        constant = LLVMConstBitCast(constant, integer);
    }
    CHECK(LLVMIsAConstantInt(constant));
    return LLVMConstIntGetZExtValue(constant);
}

/* ---- Functions that represent scalars ------------------------------------------------------- */

/* Reads the place that a function represents from its name, VALUE_PREFIX OFFSET _ TOTAL _ NAME;
 * false: it represents none. */
static bool place_read(pl_job *job, LLVMValueRef function, pl_spec_place *out_place)
{
    uint64_t offset, total;
    rt_text rest = name_after(job, function, VALUE_PREFIX);
    if (!rt_number_take(&rest, 10, UINT32_MAX, &offset) || !rt_text_take_prefix(&rest, "_") ||
        !rt_number_take(&rest, 10, UINT32_MAX, &total) || !rt_text_take_prefix(&rest, "_"))
        return false;
    const pl_spec_scalar_type *scalar =
        pl_spec_scalar_type_of(LLVMGetReturnType(LLVMGlobalGetValueType(function)));
    if (!scalar || offset + scalar->size > total) return false; /* declared in LLVM IR */
    *out_place = (pl_spec_place){rest, (uint32_t)offset, scalar->size, (uint32_t)total};
    return true;
}

/* The function reads no memory and always returns, so the passes can move, merge and drop calls of
 * it. */
LLVMValueRef pl_spec_function(pl_job *job, LLVMModuleRef module, const pl_spec_place *place,
                              LLVMTypeRef type)
{
    CHECK(pl_spec_scalar_type_of(type) && place->offset + place->size <= place->total);
    rt_text symbol = rt_arena_printf(&job->arena, VALUE_PREFIX "%u_%u_%.*s", place->offset,
                                     place->total, RT_TEXT_ARG(place->name));
    LLVMValueRef function = LLVMGetNamedFunction(module, symbol.data);
    if (function) return function;
    function = LLVMAddFunction(module, symbol.data, LLVMFunctionType(type, &type, 1, false));
    LLVMSetFunctionCallConv(function, PL_SPIR_FUNCTION);
    pl_mark_without_memory(function);
    pl_flag_add(function, "willreturn");
    return function;
}

LLVMValueRef pl_spec_call(LLVMBuilderRef builder, LLVMValueRef function, LLVMValueRef *arguments,
                          unsigned count, const char *name)
{
    LLVMValueRef call =
        LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, arguments, count, name);
    LLVMSetInstructionCallConv(call, PL_SPIR_FUNCTION);
    return call;
}

static LLVMValueRef call_before(pl_job *job, LLVMValueRef before, LLVMValueRef function,
                                LLVMValueRef *arguments, unsigned count, const char *name)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);
    LLVMPositionBuilderBefore(builder, before);
    LLVMValueRef call = pl_spec_call(builder, function, arguments, count, name);
    LLVMDisposeBuilder(builder);
    return call;
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

/* Replaces the loads of a variable that is used only by loads of its value with calls. */
static void replace_loads(pl_job *job, LLVMModuleRef module, LLVMValueRef variable, rt_text name,
                          LLVMValueRef value)
{
    if (!LLVMGetFirstUse(variable)) return;
    LLVMTypeRef type = LLVMGlobalGetValueType(variable);
    if (is_bool(job, variable)) {
        type = LLVMInt1TypeInContext(job->context);
        value = pl_integer(type, pl_spec_bits(job, value) != 0);
    }
    CHECK(LLVMTypeOf(value) == type);
    uint32_t size = pl_spec_scalar_type_of(type)->size;
    const pl_spec_place place = {name, 0, size, size};
    LLVMValueRef function = pl_spec_function(job, module, &place, type);
    while (LLVMGetFirstUse(variable)) {
        LLVMValueRef load = LLVMGetUser(LLVMGetFirstUse(variable));
        CHECK(is_value_load(load, variable));
        LLVMValueRef call = call_before(job, load, function, &value, 1, "");
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
    /* The default is the initialiser of the second variable. */
    LLVMTypeRef type = LLVMGlobalGetValueType(variable);
    rt_text symbol = rt_arena_printf(&job->arena, DEFAULT_PREFIX "%.*s", RT_TEXT_ARG(name));
    LLVMValueRef initialised = LLVMGetNamedGlobal(module, symbol.data);
    LLVMValueRef value = initialised ? LLVMGetInitializer(initialised) : NULL;
    if (pl_spec_is_composite(type))
        return pl_spec_composite_take(job, module, variable, name, value);
    if (!pl_spec_scalar_type_of(type)) {
        return pl_spec_refuse(
            job, name,
            "contains something other than scalars; make them bool, integers of 8 to 64 bits, "
            "half, float or double");
    }
    bool is_constant = value && (LLVMIsAConstantInt(value) || LLVMIsAConstantFP(value));
    if (!is_constant || LLVMTypeOf(value) != type)
        return pl_spec_refuse(job, name, pl_spec_no_default);
    for (use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
        if (is_value_load(LLVMGetUser(use), variable)) continue;
        return pl_spec_refuse(job, name, pl_spec_only_read);
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

/* A function that represents a scalar, with its place. */
typedef struct placed {
    LLVMValueRef function;
    pl_spec_place place;
} placed;
typedef RT_VECTOR(placed) placed_list;

/* By constant, then by offset. */
static int by_place(const void *a, const void *b)
{
    const pl_spec_place *first = &((const placed *)a)->place, *second = &((const placed *)b)->place;
    int order = rt_text_compare(first->name, second->name);
    if (order == 0) order = (first->total > second->total) - (first->total < second->total);
    return order ? order : (first->offset > second->offset) - (first->offset < second->offset);
}

/* The used functions that represent scalars, sorted by_place. */
static placed_list placed_find(pl_job *job, LLVMModuleRef module)
{
    placed_list found = {0};
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        pl_spec_place place;
        if (!LLVMGetFirstUse(function) || !place_read(job, function, &place)) continue;
        *rt_vector_push(&found) = (placed){function, place};
    }
    if (found.count > 1) qsort(found.items, found.count, sizeof *found.items, by_place);
    return found;
}

/* If the sources agree about a scalar, every use is a call with the function's own type, and all
 * calls pass the same default. */
static bool calls_agree(LLVMValueRef function)
{
    LLVMValueRef value = NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!pl_calls(user, function) || (value && LLVMGetOperand(user, 0) != value)) return false;
        value = LLVMGetOperand(user, 0);
        if (!LLVMIsAConstantInt(value) && !LLVMIsAConstantFP(value)) return false; /* LLVM IR */
    }
    return true;
}

rt_status pl_spec_constants_check(pl_job *job, LLVMModuleRef module)
{
    pl_text_list names = {0};
    placed_list all = placed_find(job, module);
    for (uint32_t i = 0; i < all.count; i++) {
        const pl_spec_place *place = &all.items[i].place,
                            *last = i ? &all.items[i - 1].place : NULL;
        bool agrees = calls_agree(all.items[i].function);
        if (last && rt_text_equal(last->name, place->name))
            agrees =
                agrees && last->total == place->total && last->offset + last->size <= place->offset;
        bool is_listed =
            names.count > 0 && rt_text_equal(names.items[names.count - 1], place->name);
        if (!agrees && !is_listed) *rt_vector_push(&names) = place->name;
    }
    rt_vector_free(&all);
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

/* Replaces the calls that represent one scalar; returns its default. */
static LLVMValueRef place_scalar(pl_job *job, LLVMModuleRef image, uint32_t id,
                                 const placed *scalar)
{
    LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(scalar->function));
    /* `__spirv_SpecConstant(int, T)`, mangled as the translator expects it. */
    rt_text symbol = rt_arena_printf(&job->arena, "_Z20__spirv_SpecConstanti%s",
                                     pl_spec_scalar_type_of(type)->mangled);
    LLVMTypeRef number_type = LLVMInt32TypeInContext(job->context);
    LLVMValueRef operation = LLVMGetNamedFunction(image, symbol.data);
    if (!operation) {
        LLVMTypeRef parameters[] = {number_type, type};
        operation =
            LLVMAddFunction(image, symbol.data, LLVMFunctionType(type, parameters, 2, false));
        LLVMSetFunctionCallConv(operation, PL_SPIR_FUNCTION);
    }
    LLVMValueRef value = LLVMGetOperand(LLVMGetUser(LLVMGetFirstUse(scalar->function)), 0);
    LLVMValueRef number = pl_integer(number_type, id);
    const char *name = rt_arena_text(&job->arena, scalar->place.name).data;
    while (LLVMGetFirstUse(scalar->function)) {
        LLVMValueRef call = LLVMGetUser(LLVMGetFirstUse(scalar->function));
        CHECK(pl_calls(call, scalar->function) && LLVMGetOperand(call, 0) == value);
        LLVMValueRef arguments[] = {number, value};
        pl_replace(call, call_before(job, call, operation, arguments, 2, name));
    }
    LLVMDeleteFunction(scalar->function);
    return value;
}

/* Places the scalars of one constant, which are next to each other in the list, and describes it: a
 * row for each scalar, and one for what follows the last.  Defaults of different constants follow
 * one another without padding, since readers add up the sizes. */
static rt_property place_constant(pl_job *job, LLVMModuleRef image, const placed_list *all,
                                  uint32_t first, uint32_t count, rt_buffer *defaults)
{
    const pl_spec_place *constant = &all->items[first].place;
    uint8_t *initial = rt_arena_alloc(&job->arena, constant->total);
    rt_buffer rows = {0};
    uint32_t end = 0;
    for (uint32_t id = first; id < first + count; id++) {
        const pl_spec_place *place = &all->items[id].place;
        CHECK(place->offset >= end && place->total == constant->total);
        uint64_t bits = pl_spec_bits(job, place_scalar(job, image, id, &all->items[id]));
        for (uint32_t i = 0; i < place->size; i++)
            initial[place->offset + i] = (uint8_t)(bits >> (8 * i));
        end = place->offset + place->size;
        rt_write_u32(&rows, id);
        rt_write_u32(&rows, place->offset);
        rt_write_u32(&rows, place->size);
    }
    if (end < constant->total) {
        rt_write_u32(&rows, RT_SPEC_PADDING);
        rt_write_u32(&rows, end);
        rt_write_u32(&rows, constant->total - end);
    }
    rt_buffer_append(defaults, initial, constant->total);
    rt_property property = {.name = constant->name, .type = RT_PROPERTY_BYTES};
    property.bytes = rt_arena_bytes(&job->arena, rt_buffer_bytes(&rows));
    rt_buffer_free(&rows);
    return property;
}

void pl_spec_constants_place(pl_job *job, LLVMModuleRef image, pl_properties *properties)
{
    placed_list all = placed_find(job, image);
    rt_property *items = rt_arena_alloc_array(&job->arena, all.count, sizeof *items);
    uint32_t count = 0, scalars;
    rt_buffer defaults = {0};
    for (uint32_t first = 0; first < all.count; first += scalars) {
        for (scalars = 1; first + scalars < all.count; scalars++)
            if (!rt_text_equal(all.items[first + scalars].place.name, all.items[first].place.name))
                break;
        items[count++] = place_constant(job, image, &all, first, scalars, &defaults);
    }
    if (count > 0) {
        rt_property *block = rt_arena_alloc(&job->arena, sizeof *block);
        *block = (rt_property){.name = RT_TEXT("all"), .type = RT_PROPERTY_BYTES};
        block->bytes = rt_arena_bytes(&job->arena, rt_buffer_bytes(&defaults));
        pl_properties_add(properties, RT_SET_SPEC_CONSTANTS, items, count);
        pl_properties_add(properties, RT_SET_SPEC_CONSTANT_DEFAULTS, block, 1);
    }
    rt_vector_free(&all);
    rt_buffer_free(&defaults);
}

void pl_spec_constants_fold(pl_job *job, LLVMModuleRef image)
{
    placed_list all = placed_find(job, image);
    for (uint32_t i = 0; i < all.count; i++) {
        LLVMValueRef function = all.items[i].function;
        while (LLVMGetFirstUse(function)) {
            LLVMValueRef call = LLVMGetUser(LLVMGetFirstUse(function));
            CHECK(pl_calls(call, function));
            pl_replace(call, LLVMGetOperand(call, 0));
        }
        LLVMDeleteFunction(function);
    }
    rt_vector_free(&all);
}
