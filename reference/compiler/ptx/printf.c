/* Turns calls to OpenCL C's printf into calls to vprintf, the function with which NVIDIA's drivers
 * print.
 *
 * vprintf takes a C format and a buffer with the values, each at its natural alignment, so the
 * format must be known here. A vector's conversion is written once for each lane, separated by
 * commas; length modifiers that C does not have or the driver does not read are removed, and the
 * values are converted instead. A missing argument, which is undefined behaviour, counts as zero.
 * Source: OpenCL C 2.0, 6.13.13; CUDA C++ Programming Guide, "Formatted Output"; PTX Writer's Guide
 * to Interoperability, "System Calls". */
#include "reference/compiler/ptx/ptx_internal.h"

#include "reference/compiler/ir/annotations.h"
#include "reference/compiler/ir/builtins.h"
#include "reference/compiler/ir/values.h"

#include <string.h>

/* VALUES_MAX: the driver's limit for one call. */
enum { VALUES_MAX = 32, LANES_MAX = 16 };

typedef struct conversion {
    rt_text head;   /* flags, width, precision */
    uint32_t lanes; /* 1: not a vector */
    uint32_t bits;  /* of an integer: 8, 16, 32 or 64 */
    char letter;
} conversion;

typedef struct printing {
    pl_job *job;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMValueRef call; /* of printf */
    uint32_t next;     /* argument */
    LLVMValueRef values[VALUES_MAX];
    uint32_t value_count;
    rt_buffer format;
} printing;

static rt_status refuse(const printing *print, const char *problem)
{
    return pl_ptx_refuse(print->job, print->call, RT_TEXT("printf"), problem);
}

/* ---- The format ----------------------------------------------------------------------------- */

/* Takes the longest prefix that consists of characters in the set. */
static rt_text take_all(rt_text *rest, const char *set)
{
    rt_text prefix = {rest->data, 0};
    while (prefix.length < rest->length && rest->data[prefix.length] &&
           strchr(set, rest->data[prefix.length]))
        prefix.length++;
    *rest = rt_text_skip(*rest, prefix.length);
    return prefix;
}

static const struct {
    const char *text;
    uint32_t number;
} lane_counts[] = {{"v16", 16}, {"v2", 2}, {"v3", 3}, {"v4", 4}, {"v8", 8}},
  lengths[] = {{"hh", 8}, {"hl", 32}, {"h", 16}, {"l", 64}};

/* Reads what follows a percent sign; false: it is not a conversion that OpenCL C defines. */
static bool conversion_read(rt_text *rest, conversion *out)
{
    *out = (conversion){.lanes = 1, .bits = 32};
    const char *start = rest->data;
    take_all(rest, "-+ #0");
    take_all(rest, "0123456789");
    if (rt_text_take_prefix(rest, ".")) take_all(rest, "0123456789");
    out->head = (rt_text){start, (size_t)(rest->data - start)};
    for (size_t i = 0; i < sizeof lane_counts / sizeof *lane_counts && out->lanes == 1; i++)
        if (rt_text_take_prefix(rest, lane_counts[i].text)) out->lanes = lane_counts[i].number;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        if (!rt_text_take_prefix(rest, lengths[i].text)) continue;
        out->bits = lengths[i].number;
        break;
    }
    rt_text letter = take_all(rest, "diouxXcfFeEgGaAsp");
    if (letter.length == 0) return false;
    out->letter = letter.data[0];
    if (out->letter == 'c') out->bits = 32; /* OpenCL C has no wide characters */
    *rest = (rt_text){letter.data + 1, rest->length + letter.length - 1};
    CHECK(out->lanes >= 1 && out->lanes <= LANES_MAX && out->bits >= 8 && out->bits <= 64);
    return out->lanes == 1 || !strchr("csp", out->letter);
}

/* ---- Values --------------------------------------------------------------------------------- */

/* The value as vprintf reads it; NULL: its type does not match the conversion. */
static LLVMValueRef passed_value(printing *print, const conversion *spec, LLVMValueRef value)
{
    LLVMContextRef context = print->job->context;
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(value));
    if (strchr("sp", spec->letter)) {
        if (kind != LLVMPointerTypeKind) return NULL;
        LLVMTypeRef byte = LLVMInt8TypeInContext(context);
        LLVMTypeRef generic = LLVMPointerType(byte, PL_PTX_SPACE_GENERIC);
        unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(value));
        value = LLVMBuildBitCast(print->builder, value, LLVMPointerType(byte, space), "");
        return LLVMBuildAddrSpaceCast(print->builder, value, generic, "");
    }
    if (strchr("fFeEgGaA", spec->letter)) {
        bool real =
            kind == LLVMHalfTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
        LLVMTypeRef wide = LLVMDoubleTypeInContext(context);
        return real ? LLVMBuildFPCast(print->builder, value, wide, "") : NULL;
    }
    if (kind != LLVMIntegerTypeKind) return NULL;
    /* An integer of the conversion's width, as C passes it. */
    LLVMTypeRef narrow = LLVMIntTypeInContext(context, spec->bits);
    LLVMTypeRef passed_type = LLVMIntTypeInContext(context, spec->bits > 32 ? 64 : 32);
    bool is_signed = strchr("dic", spec->letter) != NULL;
    value = LLVMBuildIntCast2(print->builder, value, narrow, is_signed, "");
    return LLVMBuildIntCast2(print->builder, value, passed_type, is_signed, "");
}

/* The next argument's lanes, or zeros of the conversion's type. False if it has not as many as the
 * conversion. */
static bool take_argument(printing *print, const conversion *spec, LLVMValueRef *out_lanes)
{
    uint32_t count = (uint32_t)LLVMGetNumArgOperands(print->call);
    LLVMContextRef context = print->job->context;
    if (print->next >= count) {
        LLVMTypeRef type = LLVMIntTypeInContext(context, spec->bits);
        if (strchr("fFeEgGaA", spec->letter)) type = LLVMDoubleTypeInContext(context);
        if (strchr("sp", spec->letter)) type = LLVMPointerType(LLVMInt8TypeInContext(context), 0);
        for (uint32_t i = 0; i < spec->lanes; i++)
            out_lanes[i] = LLVMConstNull(type);
        return true;
    }
    LLVMValueRef value = LLVMGetOperand(print->call, print->next++);
    LLVMTypeRef type = LLVMTypeOf(value);
    out_lanes[0] = value;
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) return spec->lanes == 1;
    if (LLVMGetVectorSize(type) != spec->lanes) return false;
    for (uint32_t i = 0; i < spec->lanes; i++) {
        LLVMValueRef index = pl_integer(LLVMInt32TypeInContext(context), i);
        out_lanes[i] = LLVMBuildExtractElement(print->builder, value, index, "");
    }
    return true;
}

static rt_status convert(printing *print, const conversion *spec)
{
    LLVMValueRef lanes[LANES_MAX] = {NULL};
    if (!take_argument(print, spec, lanes))
        return refuse(print, "has a conversion whose number of lanes differs from its argument's, "
                             "which cannot be expressed in PTX");
    for (uint32_t i = 0; i < spec->lanes; i++) {
        if (print->value_count == VALUES_MAX)
            return refuse(print,
                          "has more than 32 values, the most that one call can print in PTX");
        LLVMValueRef value = passed_value(print, spec, lanes[i]);
        if (!value)
            return refuse(print, "has a conversion whose type differs from its argument's, which "
                                 "cannot be expressed in PTX");
        CHECK(print->value_count < VALUES_MAX);
        print->values[print->value_count++] = value;
        bool wide = spec->bits > 32 && !strchr("fFeEgGaAspc", spec->letter);
        rt_buffer_printf(&print->format, "%s%%%.*s%s%c", i > 0 ? "," : "", RT_TEXT_ARG(spec->head),
                         wide ? "ll" : "", spec->letter);
    }
    return RT_STATUS_OK;
}

static rt_status read_format(printing *print, rt_text rest)
{
    while (rest.length > 0) {
        if (rt_text_take_prefix(&rest, "%%")) {
            rt_buffer_append(&print->format, "%%", 2);
        } else if (rt_text_take_prefix(&rest, "%")) {
            conversion spec;
            if (!conversion_read(&rest, &spec))
                return refuse(print,
                              "has a conversion in its format that OpenCL C does not define");
            RT_TRY(convert(print, &spec));
        } else {
            rt_buffer_append_byte(&print->format, rest.data[0]);
            rest = rt_text_skip(rest, 1);
        }
    }
    return RT_STATUS_OK;
}

/* ---- The call -------------------------------------------------------------------------------- */

/* Stores the values one after another in private memory; returns a null pointer if there are none.
 */
static LLVMValueRef store_values(printing *print, LLVMTypeRef address)
{
    if (print->value_count == 0) return LLVMConstNull(address);
    CHECK(print->value_count <= VALUES_MAX);
    LLVMContextRef context = print->job->context;
    LLVMTypeRef types[VALUES_MAX];
    for (uint32_t i = 0; i < print->value_count; i++)
        types[i] = LLVMTypeOf(print->values[i]);
    LLVMTypeRef type = LLVMStructTypeInContext(context, types, print->value_count, false);
    /* Allocated in the first block, so that a call in a loop does not grow the stack. */
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(print->call));
    LLVMBuilderRef first = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderBefore(first, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
    LLVMValueRef buffer = LLVMBuildAlloca(first, type, "");
    LLVMDisposeBuilder(first);
    for (uint32_t i = 0; i < print->value_count; i++) {
        LLVMValueRef place = LLVMBuildStructGEP2(print->builder, type, buffer, i, "");
        LLVMBuildStore(print->builder, print->values[i], place);
    }
    return LLVMBuildBitCast(print->builder, buffer, address, "");
}

/* printf returns 0 or -1; vprintf returns the number of values, or a negative number. */
static rt_status replace_call(printing *print)
{
    LLVMContextRef context = print->job->context;
    LLVMTypeRef number = LLVMInt32TypeInContext(context);
    LLVMTypeRef address = LLVMPointerType(LLVMInt8TypeInContext(context), PL_PTX_SPACE_GENERIC);
    LLVMTypeRef parameters[] = {address, address}; /* of format and values */
    LLVMTypeRef type = LLVMFunctionType(number, parameters, 2, false);
    LLVMValueRef function = LLVMGetNamedFunction(print->module, "vprintf");
    if (!function) function = LLVMAddFunction(print->module, "vprintf", type);
    if (LLVMGlobalGetValueType(function) != type)
        return refuse(print,
                      "becomes a call to 'vprintf' in PTX, but the source has another function of "
                      "that name; rename it");
    rt_text text = rt_buffer_text(&print->format);
    LLVMValueRef bytes = LLVMConstStringInContext(context, text.data, (unsigned)text.length, false);
    LLVMValueRef format = LLVMAddGlobalInAddressSpace(print->module, LLVMTypeOf(bytes),
                                                      "__assay_format", PL_PTX_SPACE_GLOBAL);
    LLVMSetInitializer(format, bytes);
    LLVMSetGlobalConstant(format, true);
    LLVMSetLinkage(format, LLVMPrivateLinkage);
    LLVMValueRef arguments[] = {LLVMConstAddrSpaceCast(format, address),
                                store_values(print, address)};
    LLVMValueRef printed = LLVMBuildCall2(print->builder, type, function, arguments, 2, "");
    LLVMValueRef failed =
        LLVMBuildICmp(print->builder, LLVMIntSLT, printed, LLVMConstNull(number), "");
    pl_replace(print->call, LLVMBuildSExt(print->builder, failed, number, ""));
    return RT_STATUS_OK;
}

static rt_status lower_call(pl_job *job, LLVMModuleRef module, LLVMValueRef call)
{
    printing print = {.job = job, .module = module, .call = call, .next = 1};
    rt_text format;
    if (!pl_literal_of(job, LLVMGetOperand(call, 0), &format))
        return refuse(
            &print, "has a format that is not a string literal, which cannot be expressed in PTX");
    print.builder = LLVMCreateBuilderInContext(job->context);
    LLVMPositionBuilderBefore(print.builder, call);
    rt_status status = read_format(&print, format);
    if (rt_ok(status)) status = replace_call(&print);
    LLVMDisposeBuilder(print.builder);
    rt_buffer_free(&print.format);
    return status;
}

rt_status pl_ptx_print(pl_job *job, LLVMModuleRef module)
{
    LLVMValueRef next = NULL, function = LLVMGetFirstFunction(module);
    for (; function; function = next) {
        next = LLVMGetNextFunction(function);
        rt_text name = pl_job_name(job, function);
        if (!LLVMIsDeclaration(function) || !pl_symbol_is_opencl_builtin(name)) continue;
        if (!rt_text_is(pl_symbol_builtin_name(name), "printf")) continue;
        for (LLVMValueRef call; (call = pl_any_call(function));)
            RT_TRY(lower_call(job, module, call));
        if (!LLVMGetFirstUse(function)) LLVMDeleteFunction(function);
    }
    return RT_STATUS_OK;
}
