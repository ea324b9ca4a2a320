/* Tests register code itself: which values are uniform, which addresses become part of an access,
 * what is dropped, which values share a register, and what a kernel may write. A kernel computes
 * the same if the decoder is less precise, so only its code shows that.
 *
 * Every case is a kernel in SPIR-V with its code. Registers are written as in code.h: row0 is a
 * built-in in lanes, t4 a temporary and f4 a row of the frame (at that many bytes per lane), u1 a
 * uniform register (u0 is the emitter's), x1 one of the emitter's rows, slot12 a value of the
 * launch, and #4 a constant. */
#include "sim/decode/program.h"
#include "sim/test/assembler.h"

#include <inttypes.h>

/* ---- Names ---------------------------------------------------------------------------------- */

#define FOUR(op, t)                                                                                \
    [SIM_H_##op##_##t##_VV] = #op "_" #t "_VV", [SIM_H_##op##_##t##_VS] = #op "_" #t "_VS",        \
    [SIM_H_##op##_##t##_SV] = #op "_" #t "_SV", [SIM_H_##op##_##t##_SS] = #op "_" #t "_SS",
#define TWO(op, t)                                                                                 \
    [SIM_H_##op##_##t##_V] = #op "_" #t "_V", [SIM_H_##op##_##t##_S] = #op "_" #t "_S",
#define CONVERT(op, a, b)                                                                          \
    [SIM_H_##op##_##a##_##b##_V] = #op "_" #a "_" #b "_V",                                         \
    [SIM_H_##op##_##a##_##b##_S] = #op "_" #a "_" #b "_S",
#define MEMORY(op, form)                                                                           \
    [SIM_H_##op##_##form##_8] = #op "_" #form "_8",                                                \
    [SIM_H_##op##_##form##_16] = #op "_" #form "_16",                                              \
    [SIM_H_##op##_##form##_32] = #op "_" #form "_32",                                              \
    [SIM_H_##op##_##form##_64] = #op "_" #form "_64",
#define ALL_FOUR(op) SIM_INT_TYPES(FOUR, op)
#define ALL_TWO(op)  SIM_INT_TYPES(TWO, op)

/* Those that the cases use. */
static const char *const names[SIM_HANDLER_COUNT] = {
    SIM_INT_BINARY(ALL_FOUR) SIM_INT_COMPARE(ALL_FOUR) SIM_INT_RARE(ALL_TWO) SIM_INT_DIVIDE(ALL_TWO)
        SIM_INT_UNARY(ALL_TWO) SIM_CONVERSIONS(CONVERT) SIM_FLOAT_TO_INT(CONVERT)
            SIM_INT_TYPES(FOUR, MOVE) SIM_INT_TYPES(FOUR, SELECT) SIM_INT_TYPES(TWO, PICK)
                SIM_MEMORY_FORMS(MEMORY, LOAD) SIM_MEMORY_FORMS(MEMORY, STORE)
                    SIM_INT_CHECKED(ALL_TWO)[SIM_H_FRAME_ADDRESS] = "FRAME_ADDRESS",
    [SIM_H_COLLECTIVE] = "COLLECTIVE",
    [SIM_H_ATOMIC_I32] = "ATOMIC_I32",
    [SIM_H_FENCE] = "FENCE",
    [SIM_H_PRINT] = "PRINT",
    [SIM_H_ASYNC_COPY] = "ASYNC_COPY",
    [SIM_H_COPY_MEMORY] = "COPY_MEMORY",
    [SIM_H_FORGET] = "FORGET",
};

static const char *const ends[] = {
    [SIM_END_JUMP] = "jump",       [SIM_END_BRANCH] = "branch",
    [SIM_END_SWITCH] = "switch",   [SIM_END_CALL] = "call",
    [SIM_END_CALL_POINTER] = "?",  [SIM_END_RETURN] = "return",
    [SIM_END_BARRIER] = "barrier", [SIM_END_MEET] = "meet",
    [SIM_END_NEXT] = "next",       [SIM_END_UNREACHABLE] = "unreachable",
};

/* ---- Code as text --------------------------------------------------------------------------- */

static void place_print(FILE *out, const sim_program *program, sim_register place)
{
    uint32_t offset = place & SIM_REGISTER_MASK, per_lane = offset / SIM_ROW_BYTES(1);
    if (place == SIM_REGISTER_NONE) {
        fprintf(out, " -");
        return;
    }
    switch ((sim_space)(place >> SIM_REGISTER_SHIFT)) {
    case SIM_SPACE_FRAME: fprintf(out, " f%u", per_lane); break;
    case SIM_SPACE_WAVE:
        if (offset < SIM_SPREAD_FIRST) {
            fprintf(out, " row%u", offset / SIM_ROW_BYTES(8));
        } else if (offset < SIM_TEMPORARIES_FIRST) {
            fprintf(out, " x%u", (offset - SIM_SPREAD_FIRST) / SIM_ROW_BYTES(8));
        } else {
            fprintf(out, " t%u", (offset - SIM_TEMPORARIES_FIRST) / SIM_ROW_BYTES(1));
        }
        break;
    case SIM_SPACE_UNIFORM: fprintf(out, " u%u", offset / 8); break;
    case SIM_SPACE_POOL:
        if (offset / 8 < SIM_POOL_SLOTS) {
            fprintf(out, " slot%u", offset / 8);
        } else {
            fprintf(out, " #%" PRId64, (int64_t)program->pool_slots[offset / 8]);
        }
        break;
    default: fail();
    }
}

static void order_print(FILE *out, uint32_t order)
{
    fprintf(out, " scopes %u %u semantics %#x", sim_order_execution(order), sim_order_memory(order),
            sim_order_semantics(order));
}

static void op_print(FILE *out, const sim_program *program, const sim_code_function *f,
                     const sim_op *op)
{
    const char *name = names[op->handler];
    assert_non_null(name);
    fprintf(out, "%s%s", name, op->blend ? " blend" : "");
    bool is_access = op->handler >= SIM_H_LOAD_ONE_8 && op->handler <= SIM_H_STORE_EACH_64;
    if (op->target != SIM_REGISTER_NONE) place_print(out, program, op->target);
    for (uint32_t i = 0; is_access && i < op->count; i++)
        place_print(out, program, f->places[op->extra + i]);
    if (is_access) fprintf(out, " at");
    const sim_register operands[] = {op->a, op->b, op->c};
    for (uint32_t i = 0; i < (is_access ? 2u : 3u); i++) {
        if (operands[i] != SIM_REGISTER_NONE) place_print(out, program, operands[i]);
    }
    if (is_access && op->b != SIM_REGISTER_NONE) fprintf(out, " * %u", op->stride);
    if (is_access) fprintf(out, " + %" PRId64 " align %u", op->imm, op->c);
    bool is_bound = op->handler >= SIM_H_BOUND_I8_V && op->handler <= SIM_H_BOUND_I64_S;
    if (is_bound) fprintf(out, " < %u", op->extra);
    if (op->handler == SIM_H_ATOMIC_I32) fprintf(out, " operation %u", op->extra);
    if (op->handler == SIM_H_ATOMIC_I32) order_print(out, op->stride);
    if (op->handler == SIM_H_FENCE) order_print(out, op->extra);
    fprintf(out, "%s\n", !is_access && op->count ? " quiet" : "");
}

static void function_print(FILE *out, const sim_program *program, const sim_code_function *f)
{
    fprintf(out, "frame %u uniform %u temporary %u", f->frame_bytes / SIM_ROW_BYTES(1),
            f->uniform_bytes / 8, (f->temporary_bytes - SIM_TEMPORARIES_FIRST) / SIM_ROW_BYTES(1));
    if (f->variable_count)
        fprintf(out, " private %u in %" PRIu64, f->variable_count, f->private_bytes);
    fprintf(out, "\n");
    for (uint32_t i = 0; i < f->block_count; i++) {
        const sim_code_block *block = &f->blocks[i];
        for (uint32_t k = 0; k < block->op_count; k++)
            op_print(out, program, f, &f->ops[block->op_first + k]);
        fprintf(out, "%s", ends[block->end]);
        if (block->end == SIM_END_BARRIER) order_print(out, block->extra);
        if (block->condition != SIM_REGISTER_NONE) place_print(out, program, block->condition);
        if (block->end == SIM_END_RETURN) {
            for (uint32_t k = 0; k < f->result_count; k++)
                place_print(out, program, f->places[block->extra + k]);
        }
        if (block->end == SIM_END_CALL) {
            const sim_call *call = &f->calls[block->extra];
            for (uint32_t k = 0; k < call->argument_count; k++)
                place_print(out, program, f->places[call->argument_first + k]);
            fprintf(out, " to");
            for (uint32_t k = 0; k < call->result_count; k++)
                place_print(out, program, f->places[call->result_first + k]);
        }
        for (uint32_t k = 0; k < block->edge_count; k++) {
            const sim_edge *edge = &f->edges[block->edge_first + k];
            fprintf(out, " %s%u", edge->is_back ? "back" : "b", edge->target);
        }
        fprintf(out, "%s\n", block->takes_undefined ? " undefined" : "");
        for (uint32_t k = 0; k < block->edge_count; k++) {
            const sim_edge *edge = &f->edges[block->edge_first + k];
            for (uint32_t m = 0; m < edge->move_count; m++) {
                fprintf(out, "  %u: ", k);
                op_print(out, program, f, &f->ops[edge->move_first + m]);
            }
        }
    }
}

/* ---- Cases ---------------------------------------------------------------------------------- */

#define HEAD                                                                                       \
    SIM_TEST_PRELUDE                                                                               \
    "OpEntryPoint Kernel %k \"k\" %gid %wid\nOpDecorate %gid BuiltIn GlobalInvocationId\n"         \
    "OpDecorate %wid BuiltIn WorkgroupId\n"                                                        \
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%i8 = OpTypeInt 8 0\n%i16 = OpTypeInt 16 0\n"         \
    "%i32 = OpTypeInt 32 0\n%i64 = OpTypeInt 64 0\n%f = OpTypeFloat 32\n"                          \
    "%v3i64 = OpTypeVector %i64 3\n%v4 = OpTypeVector %i32 4\n"                                    \
    "%pids = OpTypePointer Input %v3i64\n%pi = OpTypePointer CrossWorkgroup %i32\n"                \
    "%pv = OpTypePointer CrossWorkgroup %v4\n%pp = OpTypePointer CrossWorkgroup %pi\n"             \
    "%fi = OpTypePointer Function %i32\n%fp = OpTypePointer Function %pi\n"                        \
    "%i0 = OpConstant %i32 0\n%i1 = OpConstant %i32 1\n%i2 = OpConstant %i32 2\n"                  \
    "%i3 = OpConstant %i32 3\n%i5 = OpConstant %i32 5\n%i8s = OpConstant %i32 8\n"                 \
    "%i272 = OpConstant %i32 272\n%l1 = OpConstant %i64 1\n%l3 = OpConstant %i64 3\n"              \
    "%l16 = OpConstant %i64 16\n%f0 = OpConstant %f 0\n"                                           \
    "%var = OpVariable %pi CrossWorkgroup %i0\n"                                                   \
    "%S = OpTypeStruct %i32 %i32 %i32\n%ps = OpTypePointer CrossWorkgroup %S\n"                    \
    "%gid = OpVariable %pids Input\n%wid = OpVariable %pids Input\n"                               \
    "%kt = OpTypeFunction %void %pi %pi %pp %i32\n%one = OpTypeFunction %i32 %i32\n"               \
    "%put = OpTypeFunction %void %pi\n%puts = OpTypeFunction %void %fp\n"
/* The work-item's number is %x, as 32 bits %w; that of its group is %g. */
#define START                                                                                      \
    "%k = OpFunction %void None %kt\n%p = OpFunctionParameter %pi\n"                               \
    "%q = OpFunctionParameter %pi\n%h = OpFunctionParameter %pp\n%n = OpFunctionParameter %i32\n"  \
    "%start = OpLabel\n"
#define IDS                                                                                        \
    "%all = OpLoad %v3i64 %gid\n%x = OpCompositeExtract %i64 %all 0\n%w = OpUConvert %i32 %x\n"    \
    "%groups = OpLoad %v3i64 %wid\n%g = OpCompositeExtract %i64 %groups 0\n"
#define END "OpReturn\nOpFunctionEnd\n"

static sim_program *link_text(rt_sink *sink, const char *text)
{
    sim_module *module = sim_test_module(sink, text);
    sim_program *program = NULL;
    rt_status status = sim_program_link(sink, (const sim_module *const *)&module, 1, &program);
    if (!rt_ok(status)) fail_msg("%s", rt_sink_diagnostic(sink, status)->message.data);
    sim_module_destroy(module);
    return program;
}

/* The code of a module's functions is the expected one. */
static void check_code(const char *text, const char *expected)
{
    rt_sink *sink = rt_sink_create();
    sim_program *program = link_text(sink, text);
    char *got = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&got, &size);
    assert_non_null(out);
    for (uint32_t i = 0; i < program->function_count; i++)
        function_print(out, program, &program->functions[i]);
    fclose(out);
    if (strcmp(got, expected) != 0) fail_msg("the code is\n%sinstead of\n%s", got, expected);
    free(got);
    sim_program_destroy(program);
    rt_sink_destroy(sink);
}

/* ---- Addresses ------------------------------------------------------------------------------ */

/* base + index * size, with a uniform base and an index in lanes, is part of the access; the
 * operations that compute it are dropped.  The sum takes the place of the value that it uses last.
 */
static void test_fused(void **state)
{
    (void)state;
    check_code(HEAD START IDS "%e = OpInBoundsPtrAccessChain %pi %p %x\n%v = OpLoad %i32 %e\n"
                              "%s = OpIAdd %i32 %v %n\nOpStore %e %s\n" END,
               "frame 0 uniform 3 temporary 4\n"
               "LOAD_I64_32 t0 at u1 row0 * 4 + 0 align 4\n"
               "ADD_I32_VS t0 t0 u2\n"
               "STORE_I64_32 t0 at u1 row0 * 4 + 0 align 4\n"
               "return\n");
}

/* Constant indices before and after the one in lanes are added to the access. */
static void test_fused_offset(void **state)
{
    (void)state;
    check_code(HEAD START IDS "%a = OpBitcast %ps %p\n"
                              "%e = OpInBoundsPtrAccessChain %pi %a %x %i2\n"
                              "%e3 = OpInBoundsPtrAccessChain %pi %e %l3\n"
                              "%v = OpLoad %i32 %e3\nOpStore %e %v Aligned 2\n" END,
               "frame 0 uniform 2 temporary 4\n"
               "LOAD_I64_32 t0 at u1 row0 * 12 + 20 align 4\n"
               "STORE_I64_32 t0 at u1 row0 * 12 + 8 align 2\n"
               "return\n");
}

/* Elements without a size are all at the same place. */
static void test_no_stride(void **state)
{
    (void)state;
    check_code(HEAD "%E = OpTypeStruct\n%pe = OpTypePointer CrossWorkgroup %E\n" START IDS
                    "%a = OpBitcast %pe %p\n%e = OpInBoundsPtrAccessChain %pe %a %x\n"
                    "%b = OpBitcast %pi %e\nOpStore %b %n\n" END,
               "frame 0 uniform 3 temporary 0\n"
               "STORE_ONE_32 u2 at u1 + 0 align 4\n"
               "return\n");
}

/* A 64-bit index that was extended from 32 bits in lanes is accessed by these 32 bits. */
static void test_fused_narrow(void **state)
{
    (void)state;
    check_code(HEAD START IDS "%z = OpUConvert %i64 %w\n%ez = OpInBoundsPtrAccessChain %pi %p %z\n"
                              "%es = OpInBoundsPtrAccessChain %pi %q %w\n"
                              "%v = OpLoad %i32 %ez\nOpStore %es %v\n" END,
               "frame 0 uniform 3 temporary 8\n"
               "CUT_I64_I32_V t0 row0\n"
               "LOAD_U32_32 t4 at u1 t0 * 4 + 0 align 4\n"
               "STORE_S32_32 t4 at u2 t0 * 4 + 0 align 4\n"
               "return\n");
}

/* A uniform address is computed once, and so is what is loaded from it. */
static void test_uniform_address(void **state)
{
    (void)state;
    check_code(HEAD START "%e = OpInBoundsPtrAccessChain %pi %p %n\n%v = OpLoad %i32 %e\n"
                          "OpStore %e %v\n" END,
               "frame 0 uniform 7 temporary 0\n"
               "SEXT_I32_I64_S u3 u2\n"
               "SHL_I64_SS u4 u3 #2\n"
               "ADD_I64_SS u5 u1 u4\n"
               "LOAD_ONE_32 u6 at u5 + 0 align 4\n"
               "STORE_ONE_32 u6 at u5 + 0 align 4\n"
               "return\n");
}

/* A pointer in lanes is not the base of a fused access: its sum with an index is computed, but a
 * constant offset is not. */
static void test_pointer_in_lanes(void **state)
{
    (void)state;
    check_code(HEAD START IDS "%eh = OpInBoundsPtrAccessChain %pp %h %x\n%r = OpLoad %pi %eh\n"
                              "%e = OpInBoundsPtrAccessChain %pi %r %x\n"
                              "%e3 = OpInBoundsPtrAccessChain %pi %e %l3\nOpStore %e3 %n\n"
                              "%r1 = OpInBoundsPtrAccessChain %pi %r %l1\nOpStore %r1 %n\n" END,
               "frame 0 uniform 3 temporary 16\n"
               "LOAD_I64_64 t0 at u1 row0 * 8 + 0 align 8\n"
               "SHL_I64_VS t8 row0 #2\n"
               "ADD_I64_VV t8 t0 t8\n"
               "ADD_I64_VS t8 t8 #12\n"
               "STORE_EACH_32 u2 at t8 + 0 align 4\n"
               "STORE_EACH_32 u2 at t0 + 4 align 4\n"
               "return\n");
}

/* The variables of work-items differ at one address, so a load from it is not uniform. */
static void test_private(void **state)
{
    (void)state;
    check_code(HEAD START "%v = OpVariable %fi Function\nOpStore %v %n\n%r = OpLoad %i32 %v\n"
                          "OpStore %p %r\n" END,
               "frame 0 uniform 4 temporary 4 private 1 in 64\n"
               "FRAME_ADDRESS u3\n"
               "STORE_ONE_32 u2 at u3 + 0 align 4\n"
               "LOAD_SAME_32 t0 at u3 + 0 align 4\n"
               "STORE_ONE_32 t0 at u1 + 0 align 4\n"
               "return\n");
}

/* Components of a vector that are not used have no register. */
static void test_components(void **state)
{
    (void)state;
    check_code(HEAD START IDS "%a = OpBitcast %pv %p\n%e = OpInBoundsPtrAccessChain %pv %a %x\n"
                              "%v = OpLoad %v4 %e\n%c = OpCompositeExtract %i32 %v 2\n"
                              "OpStore %q %c\n" END,
               "frame 0 uniform 3 temporary 4\n"
               "LOAD_I64_32 - - t0 - at u1 row0 * 16 + 0 align 16\n"
               "STORE_ONE_32 t0 at u2 + 0 align 4\n"
               "return\n");
}

/* An array in a structure has its own bounds: an index is checked as the 32 bits from which it
 * comes or, if it is narrower, as 64 bits; a constant within bounds is not. */
#define IN_STRUCTURE                                                                               \
    "%i4 = OpConstant %i32 4\n%array = OpTypeArray %i32 %i4\n%T = OpTypeStruct %array %i32\n"      \
    "%pt = OpTypePointer CrossWorkgroup %T\n"
#define CHAIN(index)                                                                               \
    "%a = OpBitcast %pt %p\n%e = OpInBoundsAccessChain %pi %a %i0 " index "\nOpStore %e %n\n"

static void test_bounds(void **state)
{
    (void)state;
    check_code(HEAD IN_STRUCTURE START IDS "%b = OpUConvert %i8 %x\n" CHAIN("%b") END,
               "frame 0 uniform 3 temporary 17\n"
               "CUT_I64_I8_V t0 row0\n"
               "SEXT_I8_I64_V t1 t0\n"
               "SEXT_I8_I64_V t9 t0\n"
               "BOUND_I64_V t9 < 4\n"
               "STORE_I64_32 u2 at u1 t1 * 4 + 0 align 4\n"
               "return\n");
    check_code(HEAD IN_STRUCTURE START IDS CHAIN("%w") END,
               "frame 0 uniform 3 temporary 4\n"
               "CUT_I64_I32_V t0 row0\n"
               "BOUND_I32_V t0 < 4\n"
               "STORE_S32_32 u2 at u1 t0 * 4 + 0 align 4\n"
               "return\n");
    check_code(HEAD IN_STRUCTURE START IDS "%z = OpUConvert %i64 %w\n" CHAIN("%z") END,
               "frame 0 uniform 3 temporary 4\n"
               "CUT_I64_I32_V t0 row0\n"
               "BOUND_I32_V t0 < 4\n"
               "STORE_U32_32 u2 at u1 t0 * 4 + 0 align 4\n"
               "return\n");
    check_code(HEAD IN_STRUCTURE START IDS CHAIN("%x") END,
               "frame 0 uniform 3 temporary 0\n"
               "BOUND_I64_V row0 < 4\n"
               "STORE_I64_32 u2 at u1 row0 * 4 + 0 align 4\n"
               "return\n");
    check_code(HEAD IN_STRUCTURE START CHAIN("%n") END, "frame 0 uniform 6 temporary 0\n"
                                                        "SEXT_I32_I64_S u3 u2\n"
                                                        "SHL_I64_SS u4 u3 #2\n"
                                                        "ADD_I64_SS u5 u1 u4\n"
                                                        "BOUND_I32_S u2 < 4\n"
                                                        "STORE_ONE_32 u2 at u5 + 0 align 4\n"
                                                        "return\n");
    check_code(HEAD IN_STRUCTURE START CHAIN("%i3") END, "frame 0 uniform 4 temporary 0\n"
                                                         "ADD_I64_SS u3 u1 #12\n"
                                                         "STORE_ONE_32 u2 at u3 + 0 align 4\n"
                                                         "return\n");
    check_code(HEAD IN_STRUCTURE START CHAIN("%i4") END, "frame 0 uniform 4 temporary 0\n"
                                                         "ADD_I64_SS u3 u1 #16\n"
                                                         "BOUND_I32_S #4 < 4\n"
                                                         "STORE_ONE_32 u2 at u3 + 0 align 4\n"
                                                         "return\n");
}

/* ---- Operations ----------------------------------------------------------------------------- */

/* What nothing needs is dropped, except loads, which are accesses. */
static void test_dead(void **state)
{
    (void)state;
    check_code(HEAD START IDS "%s = OpIAdd %i32 %w %n\n%t = OpIMul %i32 %s %s\n"
                              "%v = OpLoad %i32 %p\nOpStore %q %n\n" END,
               "frame 0 uniform 4 temporary 0\n"
               "LOAD_ONE_32 - at u1 + 0 align 4\n"
               "STORE_ONE_32 u3 at u2 + 0 align 4\n"
               "return\n");
}

/* The forms of a selection say which of its two values are uniform; a uniform condition picks
 * lanes, and a uniform value is then broadcast. */
static void test_selections(void **state)
{
    (void)state;
    check_code(HEAD START IDS
               "%c = OpIEqual %bool %w %n\n%u = OpIEqual %bool %n %i5\n"
               "%a = OpSelect %i32 %c %w %n\n%b = OpSelect %i32 %c %n %a\n"
               "%s = OpSelect %i32 %c %n %i3\n%t = OpSelect %i32 %u %n %i3\n"
               "%y = OpSelect %i32 %u %b %t\n%z = OpIAdd %i32 %y %s\nOpStore %p %z\n" END,
               "frame 0 uniform 5 temporary 9\n"
               "CUT_I64_I32_V t0 row0\n"
               "EQ_I32_VS t4 t0 u2\n"
               "EQ_I32_SS u3 u2 #5\n"
               "SELECT_I32_VS t0 t4 t0 u2\n"
               "SELECT_I32_SV t0 t4 u2 t0\n"
               "SELECT_I32_SS t5 t4 u2 #3\n"
               "PICK_I32_S u4 u3 u2 #3 quiet\n"
               "MOVE_I32_VS x2 u4\n"
               "PICK_I32_V t0 u3 t0 x2\n"
               "ADD_I32_VV t5 t0 t5\n"
               "STORE_ONE_32 t5 at u1 + 0 align 4\n"
               "return\n");
}

/* Operations without a form for one uniform operand get it in lanes. */
static void test_broadcast(void **state)
{
    (void)state;
    check_code(HEAD START IDS "%a = OpExtInst %i32 %std s_max %w %n\n"
                              "%b = OpExtInst %i32 %std s_max %n %a\n"
                              "%c = OpExtInst %i32 %std clz %b\nOpStore %p %c\n" END,
               "frame 0 uniform 3 temporary 4\n"
               "CUT_I64_I32_V t0 row0\n"
               "MOVE_I32_VS x1 u2\n"
               "SMAX_I32_V t0 t0 x1\n"
               "MOVE_I32_VS x0 u2\n"
               "SMAX_I32_V t0 x0 t0\n"
               "CLZ_I32_V t0 t0\n"
               "STORE_ONE_32 t0 at u1 + 0 align 4\n"
               "return\n");
}

/* What only selections and phis need may be discarded by them, so such a shift or conversion
 * reports nothing. */
static void test_quiet(void **state)
{
    (void)state;
    check_code(HEAD START IDS "%c = OpSLessThan %bool %w %i5\n%a = OpShiftLeftLogical %i32 %i1 %w\n"
                              "%s = OpSelect %i32 %c %a %i0\nOpStore %p %s\n"
                              "%b = OpShiftLeftLogical %i32 %i2 %w\n%t = OpSelect %i32 %c %b %i0\n"
                              "%u = OpIAdd %i32 %b %t\nOpStore %q %u\n" END,
               "frame 0 uniform 3 temporary 9\n"
               "CUT_I64_I32_V t0 row0\n"
               "SLT_I32_VS t4 t0 #5\n"
               "SHL_I32_SV t5 #1 t0 quiet\n"
               "SELECT_I32_VS t5 t4 t5 #0\n"
               "STORE_ONE_32 t5 at u1 + 0 align 4\n"
               "SHL_I32_SV t0 #2 t0\n"
               "SELECT_I32_VS t5 t4 t0 #0\n"
               "ADD_I32_VV t5 t0 t5\n"
               "STORE_ONE_32 t5 at u2 + 0 align 4\n"
               "return\n");
}

/* ---- Control flow --------------------------------------------------------------------------- */

#define EITHER                                                                                     \
    "OpBranchConditional %c %a %b\n%a = OpLabel\nOpBranch %m\n%b = OpLabel\nOpBranch %m\n"         \
    "%m = OpLabel\n%r = OpPhi %i32 %i1 %a %i2 %b\nOpStore %p %r\n"

/* All work-items take the same side of a uniform branch, so the value that it chooses is uniform.
 */
static void test_uniform_branch(void **state)
{
    (void)state;
    check_code(HEAD START "%c = OpSLessThan %bool %n %i5\n" EITHER END,
               "frame 0 uniform 5 temporary 0\n"
               "SLT_I32_SS u3 u2 #5\n"
               "branch u3 b1 b2\n"
               "jump b3\n"
               "  0: MOVE_I32_SS u4 #1\n"
               "jump b3\n"
               "  0: MOVE_I32_SS u4 #2\n"
               "STORE_ONE_32 u4 at u1 + 0 align 4\n"
               "return\n");
}

static void test_divergent_branch(void **state)
{
    (void)state;
    check_code(HEAD START IDS "%c = OpSLessThan %bool %w %i5\n" EITHER END,
               "frame 4 uniform 2 temporary 5\n"
               "CUT_I64_I32_V t0 row0\n"
               "SLT_I32_VS t4 t0 #5\n"
               "branch t4 b1 b2\n"
               "jump b3\n"
               "  0: MOVE_I32_VS blend f0 #1\n"
               "jump b3\n"
               "  0: MOVE_I32_VS blend f0 #2\n"
               "STORE_ONE_32 f0 at u1 + 0 align 4\n"
               "return\n");
}

/* Counts to %limit and sums the elements of q. */
#define COUNT                                                                                      \
    "OpBranch %head\n%head = OpLabel\n%i = OpPhi %i32 %i0 %start %i_next %body\n"                  \
    "%sum = OpPhi %i32 %i0 %start %more %body\n%c = OpSLessThan %bool %i %limit\n"                 \
    "OpBranchConditional %c %body %after\n%body = OpLabel\n"                                       \
    "%e = OpInBoundsPtrAccessChain %pi %q %i\n%v = OpLoad %i32 %e\n"                               \
    "%more = OpIAdd %i32 %sum %v\n%i_next = OpIAdd %i32 %i %i1\nOpBranch %head\n"                  \
    "%after = OpLabel\nOpStore %p %sum\n"

/* A uniform loop: everything in it is uniform, and so is the sum after it. */
static void test_uniform_loop(void **state)
{
    (void)state;
    check_code(HEAD START "%limit = OpIAdd %i32 %n %i1\n" COUNT END,
               "frame 0 uniform 14 temporary 0\n"
               "ADD_I32_SS u4 u3 #1\n"
               "jump b1\n"
               "  0: MOVE_I32_SS u5 #0\n"
               "  0: MOVE_I32_SS u6 #0\n"
               "SLT_I32_SS u7 u5 u4\n"
               "branch u7 b2 b3\n"
               "SEXT_I32_I64_S u8 u5\n"
               "SHL_I64_SS u9 u8 #2\n"
               "ADD_I64_SS u10 u2 u9\n"
               "LOAD_ONE_32 u11 at u10 + 0 align 4\n"
               "ADD_I32_SS u12 u6 u11 quiet\n"
               "ADD_I32_SS u13 u5 #1 quiet\n"
               "jump back1\n"
               "  0: MOVE_I32_SS u5 u13\n"
               "  0: MOVE_I32_SS u6 u12\n"
               "STORE_ONE_32 u6 at u1 + 0 align 4\n"
               "return\n");
}

/* Lanes leave this loop in different iterations. All that are in it are in the same one, so the
 * counter is uniform; the sum is used outside, where lanes differ, and its phi and its next value
 * share a register. */
static void test_divergent_loop(void **state)
{
    (void)state;
    check_code(HEAD START IDS "%limit = OpIAdd %i32 %w %i1\n" COUNT END,
               "frame 8 uniform 9 temporary 4\n"
               "CUT_I64_I32_V t0 row0\n"
               "ADD_I32_VS blend f0 t0 #1\n"
               "jump b1\n"
               "  0: MOVE_I32_SS u3 #0\n"
               "  0: MOVE_I32_VS blend f4 #0\n"
               "SLT_I32_SV t0 u3 f0\n"
               "branch t0 b2 b3\n"
               "SEXT_I32_I64_S u4 u3\n"
               "SHL_I64_SS u5 u4 #2\n"
               "ADD_I64_SS u6 u2 u5\n"
               "LOAD_ONE_32 u7 at u6 + 0 align 4\n"
               "ADD_I32_VS blend f4 f4 u7 quiet\n"
               "ADD_I32_SS u8 u3 #1 quiet\n"
               "jump back1\n"
               "  0: MOVE_I32_SS u3 u8\n"
               "STORE_ONE_32 f4 at u1 + 0 align 4\n"
               "return\n");
}

/* What a loop that lanes leave at different times computes is uniform in the loop and not after it:
 * there a pointer's base must not be taken from the uniform register. */
static void test_stale_base(void **state)
{
    (void)state;
    check_code(
        HEAD START IDS
        "OpBranch %head\n%head = OpLabel\n%i = OpPhi %i32 %i0 %start %i_next %head\n"
        "%eh = OpInBoundsPtrAccessChain %pp %h %i\n%r = OpLoad %pi %eh\n"
        "%e = OpInBoundsPtrAccessChain %pi %r %w\nOpStore %e %n\n%i_next = OpIAdd %i32 %i %i1\n"
        "%c = OpSLessThan %bool %i %w\nOpBranchConditional %c %head %after\n"
        "%after = OpLabel\nOpStore %e %n\n" END,
        "frame 12 uniform 9 temporary 9\n"
        "CUT_I64_I32_V blend f0 row0\n"
        "jump b1\n"
        "  0: MOVE_I32_SS u3 #0\n"
        "SEXT_I32_I64_S u4 u3\n"
        "SHL_I64_SS u5 u4 #3\n"
        "ADD_I64_SS u6 u1 u5\n"
        "LOAD_ONE_64 u7 at u6 + 0 align 8\n"
        "SEXT_I32_I64_V t0 f0\n"
        "SHL_I64_VS t0 t0 #2\n"
        "ADD_I64_SV blend f4 u7 t0\n"
        "STORE_S32_32 u2 at u7 f0 * 4 + 0 align 4\n"
        "ADD_I32_SS u8 u3 #1 quiet\n"
        "SLT_I32_SV t8 u3 f0\n"
        "branch t8 back1 b2\n"
        "  0: MOVE_I32_SS u3 u8\n"
        "STORE_EACH_32 u2 at f4 + 0 align 4\n"
        "return\n");
}

/* Lanes that stay in the loop add 1 or 2, so the counter is in lanes. The two ways back meet in a
 * latch; the phis there and in the header share a register with both sums. */
static void test_latch(void **state)
{
    (void)state;
    check_code(HEAD START IDS
               "OpBranch %head\n%head = OpLabel\n%i = OpPhi %i32 %i0 %start %n1 %a %n2 %b\n"
               "%c = OpSLessThan %bool %i %n\nOpBranchConditional %c %body %after\n"
               "%body = OpLabel\n%d = OpSLessThan %bool %w %i\nOpBranchConditional %d %a %b\n"
               "%a = OpLabel\n%n1 = OpIAdd %i32 %i %i1\nOpBranch %head\n"
               "%b = OpLabel\n%n2 = OpIAdd %i32 %i %i2\nOpBranch %head\n"
               "%after = OpLabel\nOpStore %p %i\n" END,
               "frame 8 uniform 3 temporary 1\n"
               "CUT_I64_I32_V blend f0 row0\n"
               "jump b1\n"
               "  0: MOVE_I32_VS blend f4 #0\n"
               "SLT_I32_VS t0 f4 u2\n"
               "branch t0 b2 b6\n"
               "SLT_I32_VV t0 f0 f4\n"
               "branch t0 b3 b4\n"
               "ADD_I32_VS blend f4 f4 #1 quiet\n"
               "jump b5\n"
               "ADD_I32_VS blend f4 f4 #2 quiet\n"
               "jump b5\n"
               "jump back1\n"
               "STORE_ONE_32 f4 at u1 + 0 align 4\n"
               "return\n");
}

/* Lanes leave only the inner loop at different times: both counters are uniform, the outer one
 * after its loop too. */
static void test_nested_loops(void **state)
{
    (void)state;
    check_code(
        HEAD START IDS
        "OpBranch %outer\n%outer = OpLabel\n%i = OpPhi %i32 %i0 %start %i_next %done\n"
        "%c = OpSLessThan %bool %i %n\nOpBranchConditional %c %pre %after\n"
        "%pre = OpLabel\nOpBranch %inner\n%inner = OpLabel\n"
        "%j = OpPhi %i32 %i0 %pre %j_next %inner\n"
        "%e = OpInBoundsPtrAccessChain %pi %q %j\n%v = OpLoad %i32 %e\n"
        "%j_next = OpIAdd %i32 %j %i1\n%d = OpSLessThan %bool %j %w\n"
        "OpBranchConditional %d %inner %done\n%done = OpLabel\n"
        "%i_next = OpIAdd %i32 %i %i1\nOpBranch %outer\n%after = OpLabel\nOpStore %p %i\n" END,
        "frame 4 uniform 12 temporary 1\n"
        "CUT_I64_I32_V blend f0 row0\n"
        "jump b1\n"
        "  0: MOVE_I32_SS u4 #0\n"
        "SLT_I32_SS u5 u4 u3\n"
        "branch u5 b2 b5\n"
        "jump b3\n"
        "  0: MOVE_I32_SS u6 #0\n"
        "SEXT_I32_I64_S u7 u6\n"
        "SHL_I64_SS u8 u7 #2\n"
        "ADD_I64_SS u9 u2 u8\n"
        "LOAD_ONE_32 - at u9 + 0 align 4\n"
        "ADD_I32_SS u10 u6 #1 quiet\n"
        "SLT_I32_SV t0 u6 f0\n"
        "branch t0 back3 b4\n"
        "  0: MOVE_I32_SS u6 u10\n"
        "ADD_I32_SS u11 u4 #1 quiet\n"
        "jump back1\n"
        "  0: MOVE_I32_SS u4 u11\n"
        "STORE_ONE_32 u4 at u1 + 0 align 4\n"
        "return\n");
}

/* Some lanes leave the loop early: what they bring along differs, although each exit's value is a
 * constant. */
static void test_early_exit(void **state)
{
    (void)state;
    check_code(HEAD START IDS
               "OpBranch %head\n%head = OpLabel\n%i = OpPhi %i32 %i0 %start %i_next %more\n"
               "%c = OpSLessThan %bool %i %n\nOpBranchConditional %c %body %after\n"
               "%body = OpLabel\n%d = OpIEqual %bool %w %i\nOpBranchConditional %d %after %more\n"
               "%more = OpLabel\n%i_next = OpIAdd %i32 %i %i1\nOpBranch %head\n"
               "%after = OpLabel\n%r = OpPhi %i32 %i1 %head %i2 %body\nOpStore %p %r\n" END,
               "frame 8 uniform 6 temporary 1\n"
               "CUT_I64_I32_V blend f0 row0\n"
               "jump b1\n"
               "  0: MOVE_I32_SS u3 #0\n"
               "SLT_I32_SS u4 u3 u2\n"
               "branch u4 b2 b4\n"
               "  1: MOVE_I32_VS blend f4 #1\n"
               "EQ_I32_VS t0 f0 u3\n"
               "branch t0 b4 b3\n"
               "  0: MOVE_I32_VS blend f4 #2\n"
               "ADD_I32_SS u5 u3 #1 quiet\n"
               "jump back1\n"
               "  0: MOVE_I32_SS u3 u5\n"
               "STORE_ONE_32 f4 at u1 + 0 align 4\n"
               "return\n");
}

/* A sum of uniform values that lanes take with them at different times is computed once and then
 * moved to the lanes that are in the loop. */
static void test_uniform_into_lanes(void **state)
{
    (void)state;
    check_code(HEAD START IDS
               "OpBranch %head\n%head = OpLabel\n%i = OpPhi %i32 %i0 %start %i_next %head\n"
               "%s = OpIAdd %i32 %n %i\n%i_next = OpIAdd %i32 %i %i1\n"
               "%c = OpSLessThan %bool %i %w\nOpBranchConditional %c %head %after\n"
               "%after = OpLabel\nOpStore %p %s\n" END,
               "frame 8 uniform 5 temporary 1\n"
               "CUT_I64_I32_V blend f0 row0\n"
               "jump b1\n"
               "  0: MOVE_I32_SS u3 #0\n"
               "ADD_I32_SS u0 u2 u3\n"
               "MOVE_I32_VS blend f4 u0\n"
               "ADD_I32_SS u4 u3 #1 quiet\n"
               "SLT_I32_SV t0 u3 f0\n"
               "branch t0 back1 b2\n"
               "  0: MOVE_I32_SS u3 u4\n"
               "STORE_ONE_32 f4 at u1 + 0 align 4\n"
               "return\n");
}

/* A phi and its next value do not share a register if the phi is needed after that value is set. */
static void test_both_live(void **state)
{
    (void)state;
    check_code(HEAD START IDS
               "OpBranch %head\n%head = OpLabel\n%i = OpPhi %i32 %w %start %i_next %head\n"
               "%i_next = OpIAdd %i32 %i %i1\nOpStore %q %i\n%c = OpSLessThan %bool %i_next %n\n"
               "OpBranchConditional %c %head %after\n%after = OpLabel\nOpStore %p %i_next\n" END,
               "frame 8 uniform 4 temporary 1\n"
               "CUT_I64_I32_V blend f0 row0 quiet\n"
               "jump b1\n"
               "ADD_I32_VS blend f4 f0 #1\n"
               "STORE_ONE_32 f0 at u2 + 0 align 4\n"
               "SLT_I32_VS t0 f4 u3\n"
               "branch t0 back1 b2\n"
               "  0: MOVE_I32_VV blend f0 f4\n"
               "STORE_ONE_32 f4 at u1 + 0 align 4\n"
               "return\n");
}

/* Blocks that use an undefined value say so. */
static void test_undefined(void **state)
{
    (void)state;
    check_code(HEAD "%un = OpUndef %i32\n" START
                    "OpStore %p %n\nOpBranch %next\n%next = OpLabel\nOpStore %q %un\n" END,
               "frame 0 uniform 4 temporary 0\n"
               "STORE_ONE_32 u3 at u1 + 0 align 4\n"
               "jump b1\n"
               "STORE_ONE_32 slot19 at u2 + 0 align 4\n"
               "return undefined\n");
}

/* A structure is loaded member by member, each with the alignment that its offset leaves. */
static void test_members(void **state)
{
    (void)state;
    check_code(HEAD START IDS
               "%a = OpBitcast %ps %p\n%e = OpInBoundsPtrAccessChain %ps %a %x\n"
               "%s = OpLoad %S %e Aligned 8\n%m0 = OpCompositeExtract %i32 %s 0\n"
               "%m2 = OpCompositeExtract %i32 %s 2\n%r = OpIAdd %i32 %m0 %m2\nOpStore %q %r\n" END,
               "frame 0 uniform 3 temporary 8\n"
               "LOAD_I64_32 t0 at u1 row0 * 12 + 0 align 8\n"
               "LOAD_I64_32 - at u1 row0 * 12 + 4 align 4\n"
               "LOAD_I64_32 t4 at u1 row0 * 12 + 8 align 8\n"
               "ADD_I32_VV t4 t0 t4\n"
               "STORE_ONE_32 t4 at u2 + 0 align 4\n"
               "return\n");
}

/* ---- Calls ---------------------------------------------------------------------------------- */

#define NEXT                                                                                       \
    "%next = OpFunction %i32 None %one\n%a = OpFunctionParameter %i32\n%in = OpLabel\n"            \
    "%b = OpIAdd %i32 %a %i1\nOpReturnValue %b\nOpFunctionEnd\n"

/* A function's parameters and results are uniform if those of all its calls are. */
static void test_uniform_call(void **state)
{
    (void)state;
    check_code(HEAD NEXT START "%r = OpFunctionCall %i32 %next %n\nOpStore %p %r\n" END,
               "frame 0 uniform 3 temporary 0\n"
               "ADD_I32_SS u2 u1 #1\n"
               "return u2\n"
               "frame 0 uniform 4 temporary 0\n"
               "call u2 to u3\n"
               "STORE_ONE_32 u3 at u1 + 0 align 4\n"
               "return\n");
}

static void test_divergent_call(void **state)
{
    (void)state;
    check_code(HEAD NEXT START IDS "%r = OpFunctionCall %i32 %next %w\nOpStore %p %r\n" END,
               "frame 4 uniform 1 temporary 4\n"
               "ADD_I32_VS t0 f0 #1\n"
               "return t0\n"
               "frame 4 uniform 2 temporary 4\n"
               "CUT_I64_I32_V t0 row0\n"
               "call t0 to f0\n"
               "STORE_ONE_32 f0 at u1 + 0 align 4\n"
               "return\n");
}

/* Lanes that return at different places have different results. */
static void test_two_returns(void **state)
{
    (void)state;
    check_code(HEAD "%next = OpFunction %i32 None %one\n%a = OpFunctionParameter %i32\n"
                    "%in = OpLabel\n%c = OpSLessThan %bool %a %i5\n"
                    "OpBranchConditional %c %yes %no\n%yes = OpLabel\nOpReturnValue %i1\n"
                    "%no = OpLabel\nOpReturnValue %i2\nOpFunctionEnd\n" START
                    "%r = OpFunctionCall %i32 %next %n\nOpStore %p %r\n" END,
               "frame 0 uniform 3 temporary 0\n"
               "SLT_I32_SS u2 u1 #5\n"
               "branch u2 b1 b2\n"
               "return #1\n"
               "return #2\n"
               "frame 4 uniform 3 temporary 0\n"
               "call u2 to f0\n"
               "STORE_ONE_32 f0 at u1 + 0 align 4\n"
               "return\n");
}

/* A value that is used after a barrier keeps its register in the frame. */
static void test_barrier(void **state)
{
    (void)state;
    check_code(HEAD START IDS "%s = OpIAdd %i32 %w %n\n"
                              "OpControlBarrier %i2 %i2 %i272\nOpStore %p %s\n" END,
               "frame 4 uniform 3 temporary 4\n"
               "CUT_I64_I32_V t0 row0\n"
               "ADD_I32_VS blend f0 t0 u2\n"
               "barrier scopes 2 2 semantics 0x110\n"
               "STORE_ONE_32 f0 at u1 + 0 align 4\n"
               "return\n");
}

/* An atomic has its scope twice, then its semantics. */
static void test_atomic(void **state)
{
    (void)state;
    check_code(HEAD START "%a = OpAtomicIAdd %i32 %p %i1 %i8s %n\n"
                          "%b = OpAtomicLoad %i32 %q %i2 %i0\nOpStore %q %b\n" END,
               "frame 0 uniform 4 temporary 4\n"
               "ATOMIC_I32 u1 u3 #1 operation 4 scopes 1 1 semantics 0x8\n"
               "ATOMIC_I32 t0 u2 #1 #1 operation 0 scopes 2 2 semantics 0\n"
               "STORE_ONE_32 t0 at u2 + 0 align 4\n"
               "return\n");
}

/* A barrier that no other work-item takes part in is a fence; an order may be a null constant,
 * which is that of nothing. */
static void test_orders(void **state)
{
    (void)state;
    check_code(HEAD "%null = OpConstantNull %i32\n%i4 = OpConstant %i32 4\n" START
                    "OpMemoryBarrier %i1 %i272\nOpMemoryBarrier %i2 %null\n"
                    "OpControlBarrier %i4 %i1 %i272\nOpControlBarrier %i2 %i1 %null\n"
                    "%a = OpAtomicIAdd %i32 %p %null %null %n\n" END,
               "frame 0 uniform 3 temporary 0\n"
               "FENCE scopes 1 1 semantics 0x110\n"
               "FENCE scopes 2 2 semantics 0\n"
               "FENCE scopes 4 1 semantics 0x110\n"
               "barrier scopes 2 1 semantics 0\n"
               "ATOMIC_I32 u1 u2 #1 operation 4 scopes 0 0 semantics 0\n"
               "return\n");
}

/* Small variables take 64 bytes each, so that the next begins at a multiple of 64. */
static void test_private_bytes(void **state)
{
    (void)state;
    check_code(HEAD START "%v = OpVariable %fi Function\n%u = OpVariable %fi Function\n"
                          "OpStore %v %n\nOpStore %u %n\n" END,
               "frame 0 uniform 4 temporary 0 private 2 in 128\n"
               "FRAME_ADDRESS u2\n"
               "FRAME_ADDRESS u3\n"
               "STORE_ONE_32 u1 at u2 + 0 align 4\n"
               "STORE_ONE_32 u1 at u3 + 0 align 4\n"
               "return\n");
}

/* So do the structures that a kernel takes by value. */
static void test_parameter_bytes(void **state)
{
    (void)state;
    static const char module[] =
        HEAD "%i25 = OpConstant %i32 25\n%A = OpTypeArray %i32 %i25\n"
             "%fA = OpTypePointer Function %A\n%fS = OpTypePointer Function %S\n"
             "%kv = OpTypeFunction %void %fS %fA\n%k = OpFunction %void None %kv\n"
             "%s = OpFunctionParameter %fS\n%t = OpFunctionParameter %fA\n%start = OpLabel\n" END;
    const char *types = strstr(module, "%void =");
    char text[sizeof module + 128];
    snprintf(text, sizeof text,
             "%.*sOpDecorate %%s FuncParamAttr ByVal\n"
             "OpDecorate %%t FuncParamAttr ByVal\n%s",
             (int)(types - module), module, types);
    check_code(text, "frame 0 uniform 1 temporary 0 private 2 in 192\n"
                     "return\n");
}

/* printf fails for some work-items and not for others. */
static void test_print(void **state)
{
    (void)state;
    check_code(HEAD "%b0 = OpConstant %i8 0\n%text = OpTypeArray %i8 %i1\n"
                    "%ptext = OpTypePointer UniformConstant %text\n"
                    "%pc = OpTypePointer UniformConstant %i8\n"
                    "%empty = OpConstantComposite %text %b0\n"
                    "%format = OpVariable %ptext UniformConstant %empty\n" START
                    "%f1 = OpBitcast %pc %format\n%s = OpExtInst %i32 %std printf %f1\n"
                    "OpStore %p %s\n" END,
               "frame 0 uniform 2 temporary 4\n"
               "PRINT t0\n"
               "STORE_ONE_32 t0 at u1 + 0 align 4\n"
               "return\n");
}

/* How often a word occurs in the code of a module. */
static uint32_t count_in_code(const char *text, const char *word)
{
    rt_sink *sink = rt_sink_create();
    sim_program *program = link_text(sink, text);
    char *got = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&got, &size);
    function_print(out, program, &program->functions[0]);
    fclose(out);
    uint32_t count = 0;
    for (const char *p = got; (p = strstr(p, word)); p++)
        count++;
    free(got);
    sim_program_destroy(program);
    rt_sink_destroy(sink);
    return count;
}

/* What has an effect stays although nothing uses its result. */
static void test_effects(void **state)
{
    (void)state;
    static const struct {
        const char *body, *word;
    } effects[] = {
        {"%r = OpGroupIAdd %i32 %i3 Reduce %n\n", "COLLECTIVE"},
        {"%r = OpAtomicIAdd %i32 %p %i1 %i0 %n\n", "ATOMIC_I32"},
        {"%r = OpGroupAsyncCopy %event %i2 %near %p %l1 %l1 %none\n", "ASYNC_COPY"},
        {"OpCopyMemorySized %p %q %l16\n", "COPY_MEMORY"},
        {"%v = OpVariable %fi Function\nOpLifetimeStop %v 0\n", "FORGET"},
        {"%r = OpLoad %i32 %p\n", "LOAD_ONE_32"},
        {"OpMemoryBarrier %i2 %i272\n", "FENCE"},
        {"%f1 = OpBitcast %pc %format\n%r = OpExtInst %i32 %std printf %f1\n", "PRINT"},
        {"%a = OpBitcast %pA %p\n%e = OpInBoundsAccessChain %pi %a %i0 %n\nOpStore %e %n\n",
         "BOUND_I32"},
    };
    for (size_t i = 0; i < sizeof effects / sizeof *effects; i++) {
        char text[8192];
        snprintf(text, sizeof text, "%s%s%s%s%s%s", "OpCapability Groups\n", HEAD,
                 "%wi = OpTypePointer Workgroup %i32\n%near = OpVariable %wi Workgroup\n"
                 "%event = OpTypeEvent\n%none = OpConstantNull %event\n%b0 = OpConstant %i8 0\n"
                 "%text = OpTypeArray %i8 %i1\n%ptext = OpTypePointer UniformConstant %text\n"
                 "%pc = OpTypePointer UniformConstant %i8\n%empty = OpConstantComposite %text %b0\n"
                 "%format = OpVariable %ptext UniformConstant %empty\n"
                 "%A = OpTypeArray %i32 %i5\n%B = OpTypeStruct %A %i32\n"
                 "%pA = OpTypePointer CrossWorkgroup %B\n",
                 START, effects[i].body, END);
        if (count_in_code(text, effects[i].word) != 1) fail_msg("no %s", effects[i].word);
    }
}

/* A dot product is checked for overflow only if it is added to something and can overflow. */
static void test_dot_checks(void **state)
{
    (void)state;
    static const struct {
        const char *instruction;
        uint32_t checks;
    } dots[] = {
        {"%r = OpSDotAccSat %i32 %n %n %n PackedVectorFormat4x8Bit\n", 0},
        {"%r = OpUDotAccSat %i32 %n %n %n PackedVectorFormat4x8Bit\n", 0},
        {"%r = OpSDot %i32 %n %n PackedVectorFormat4x8Bit\n", 0},
        {"%q8 = OpBitcast %v4i8 %n\n%r = OpSDotAccSat %i32 %q8 %q8 %n\n", 0},
        {"%q16 = OpBitcast %v2i16 %n\n%r = OpUDotAccSat %i32 %q16 %q16 %n\n", 1},
        {"%q16 = OpBitcast %v2i16 %n\n%r = OpSDotAccSat %i32 %q16 %q16 %n\n", 1},
        {"%q16 = OpBitcast %v2i16 %n\n%r = OpUDot %i32 %q16 %q16\n", 0},
        {"%q16 = OpBitcast %v2i16 %n\n%m = OpUConvert %i64 %n\n"
         "%s = OpSDotAccSat %i64 %q16 %q16 %m\n%r = OpUConvert %i32 %s\n",
         0},
    };
    for (size_t i = 0; i < sizeof dots / sizeof *dots; i++) {
        char text[8192];
        snprintf(text, sizeof text, "%s%s%s%s%s%s%s",
                 "OpCapability DotProduct\nOpCapability DotProductInputAll\n"
                 "OpCapability DotProductInput4x8Bit\n"
                 "OpCapability DotProductInput4x8BitPacked\n",
                 HEAD, "%v4i8 = OpTypeVector %i8 4\n%v2i16 = OpTypeVector %i16 2\n", START,
                 dots[i].instruction, "OpStore %p %r\n", END);
        assert_int_equal(count_in_code(text, "HOLDS"), dots[i].checks);
    }
}

/* ---- What kernels reach -----------------------------------------------------------------------
 */

static const struct {
    const char *body, *expected, *functions;
} reach_cases[] = {
    {"OpStore %p %n\n", "", NULL},
    {"%s = OpAtomicIAdd %i32 %p %i1 %i0 %n\n", "atomics far ", NULL},
    {"%s = OpAtomicIAdd %i32 %near %i2 %i0 %n\n", "atomics locals:0 ", NULL},
    {"OpStore %other %n\n", "locals:1 ", NULL},
    {"OpStore %other %n\nOpStore %near %n\n", "locals:0 locals:1 ", NULL},
    {"OpControlBarrier %i3 %i3 %i272\n", "meets ", NULL},
    {"OpControlBarrier %i2 %i2 %i272\n", "", NULL},
    {"%a = OpGroupAsyncCopy %event %i2 %near %p %l1 %l1 %none\n", "copies locals:0 ", NULL},
    /* What a called function does, and one that it calls, but not others. */
    {"%r = OpFunctionCall %void %set %p\n", "atomics far ",
     "%set = OpFunction %void None %put\n%a = OpFunctionParameter %pi\n%in = OpLabel\n"
     "%r2 = OpFunctionCall %void %set2 %a\nOpReturn\nOpFunctionEnd\n"
     "%set2 = OpFunction %void None %put\n%a2 = OpFunctionParameter %pi\n%in2 = OpLabel\n"
     "%s = OpAtomicIAdd %i32 %a2 %i1 %i0 %i1\nOpReturn\nOpFunctionEnd\n"
     "%unused = OpFunction %void None %put\n%a3 = OpFunctionParameter %pi\n%in3 = OpLabel\n"
     "OpStore %near %i1\nOpReturn\nOpFunctionEnd\n"},
    /* Any function of the type whose address is taken, but none of another type. */
    {"OpStore %table %address\n%f2 = OpLoad %pset %table\n"
     "%r = OpFunctionPointerCallINTEL %void %f2 %p\n",
     "locals:1 ",
     "%set = OpFunction %void None %put\n%a = OpFunctionParameter %pi\n%in = OpLabel\n"
     "OpStore %other %i1\nOpReturn\nOpFunctionEnd\n"
     "%next = OpFunction %i32 None %one\n%a2 = OpFunctionParameter %i32\n%in2 = OpLabel\n"
     "OpStore %near %i1\nOpReturnValue %a2\nOpFunctionEnd\n"},
};

#define REACH_TYPES                                                                                \
    "%wi = OpTypePointer Workgroup %i32\n%near = OpVariable %wi Workgroup\n"                       \
    "%other = OpVariable %wi Workgroup\n%event = OpTypeEvent\n%none = OpConstantNull %event\n"     \
    "%pset = OpTypePointer CodeSectionINTEL %put\n%pone = OpTypePointer CodeSectionINTEL %one\n"   \
    "%ptable = OpTypePointer CrossWorkgroup %pset\n"

static void test_reach(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof reach_cases / sizeof reach_cases[0]; i++) {
        const char *body = reach_cases[i].body, *functions = reach_cases[i].functions;
        bool has_address = strstr(body, "%address") != NULL;
        const char *const parts[] = {
            "OpCapability FunctionPointersINTEL\nOpCapability Groups\n",
            HEAD,
            REACH_TYPES,
            has_address ? "%address = OpConstantFunctionPointerINTEL %pset %set\n"
                          "%address2 = OpConstantFunctionPointerINTEL %pone %next\n"
                          "%ptwo = OpTypePointer CrossWorkgroup %pone\n"
                          "%table2 = OpVariable %ptwo CrossWorkgroup %address2\n"
                          "%table = OpVariable %ptable CrossWorkgroup %address\n"
                        : "",
            functions ? functions : "",
            START,
            body,
            END};
        char text[8192] = "", got[128] = "";
        for (uint32_t k = 0; k < sizeof parts / sizeof *parts; k++)
            strncat(text, parts[k], sizeof text - strlen(text) - 1);
        rt_sink *sink = rt_sink_create();
        sim_program *program = link_text(sink, text);
        const sim_reach *reach = &program->kernels[0].reach;
        snprintf(got, sizeof got, "%s%s%s%s%s", reach->meets ? "meets " : "",
                 reach->atomics ? "atomics " : "", reach->far_atomics ? "far " : "",
                 reach->copies ? "copies " : "", reach->prints ? "prints " : "");
        for (uint32_t k = 0; k < program->local_count; k++) {
            if (reach->locals && reach->locals[k])
                snprintf(got + strlen(got), sizeof got - strlen(got), "locals:%u ", k);
        }
        if (strcmp(got, reach_cases[i].expected) != 0)
            fail_msg("%s: '%s', expected '%s'", body, got, reach_cases[i].expected);
        sim_program_destroy(program);
        rt_sink_destroy(sink);
    }
}

/* ---- Moves ---------------------------------------------------------------------------------- */

/* Each iteration exchanges two values: the cycle of moves is broken with a spare register. */
#define EXCHANGE                                                                                   \
    "OpBranch %head\n%head = OpLabel\n%i = OpPhi %i32 %i0 %start %i_next %head\n"                  \
    "%a = OpPhi %i32 %first %start %b %head\n%b = OpPhi %i32 %i5 %start %a %head\n"                \
    "%i_next = OpIAdd %i32 %i %i1\n%c = OpSLessThan %bool %i_next %n\n"                            \
    "OpBranchConditional %c %head %after\n%after = OpLabel\nOpStore %p %a\nOpStore %q %b\n"

static void test_exchange_uniform(void **state)
{
    (void)state;
    check_code(HEAD START "%first = OpIAdd %i32 %n %i1\n" EXCHANGE END,
               "frame 0 uniform 10 temporary 0\n"
               "ADD_I32_SS u4 u3 #1 quiet\n"
               "jump b1\n"
               "  0: MOVE_I32_SS u5 #0\n"
               "  0: MOVE_I32_SS u7 #5\n"
               "  0: MOVE_I32_SS u6 u4\n"
               "ADD_I32_SS u8 u5 #1\n"
               "SLT_I32_SS u9 u8 u3\n"
               "branch u9 back1 b2\n"
               "  0: MOVE_I32_SS u5 u8\n"
               "  0: MOVE_I32_SS u0 u7\n"
               "  0: MOVE_I32_SS u7 u6\n"
               "  0: MOVE_I32_SS u6 u0\n"
               "STORE_ONE_32 u6 at u1 + 0 align 4\n"
               "STORE_ONE_32 u7 at u2 + 0 align 4\n"
               "return\n");
}

static void test_exchange_lanes(void **state)
{
    (void)state;
    check_code(HEAD START IDS "%first = OpIAdd %i32 %w %i1\n" EXCHANGE END,
               "frame 8 uniform 7 temporary 4\n"
               "CUT_I64_I32_V t0 row0 quiet\n"
               "ADD_I32_VS blend f0 t0 #1 quiet\n"
               "jump b1\n"
               "  0: MOVE_I32_SS u4 #0\n"
               "  0: MOVE_I32_VS blend f4 #5\n"
               "ADD_I32_SS u5 u4 #1\n"
               "SLT_I32_SS u6 u5 u3\n"
               "branch u6 back1 b2\n"
               "  0: MOVE_I32_SS u4 u5\n"
               "  0: MOVE_I32_VV x0 f4\n"
               "  0: MOVE_I32_VV blend f4 f0\n"
               "  0: MOVE_I32_VV blend f0 x0\n"
               "STORE_ONE_32 f0 at u1 + 0 align 4\n"
               "STORE_ONE_32 f4 at u2 + 0 align 4\n"
               "return\n");
}

/* ---- What kernels access -------------------------------------------------------------------- */

typedef struct access_case {
    const char *body, *expected; /* parameters, then what else */
    const char *functions;       /* NULL: none */
} access_case;

#define TO_VARIABLE "%v = OpVariable %fp Function\n"
#define WRITTEN_TYPES                                                                              \
    "%pl = OpTypePointer CrossWorkgroup %i64\n%fl = OpTypePointer Function %i64\n"                 \
    "%l8 = OpConstant %i64 8\n%known = OpVariable %pp CrossWorkgroup %var\n"                       \
    "%next1 = OpSpecConstantOp %pi PtrAccessChain %var %l1\n"                                      \
    "%v2l = OpTypeVector %i64 2\n%pv2l = OpTypePointer CrossWorkgroup %v2l\n"                      \
    "%fv2l = OpTypePointer Function %v2l\n%gp = OpTypePointer Generic %pi\n"                       \
    "%l0 = OpConstant %i64 0\n%pair = OpTypeStruct %i32 %pi\n"                                     \
    "%held = OpVariable %pv2l CrossWorkgroup\n%pput = OpTypePointer CodeSectionINTEL %put\n"       \
    "%ppput = OpTypePointer CrossWorkgroup %pput\n%get = OpTypeFunction %pi %pi\n"                 \
    "%pget = OpTypePointer CodeSectionINTEL %get\n%ppget = OpTypePointer CrossWorkgroup %pget\n"
static const access_case written_cases[] = {
    {"%r = OpLoad %i32 %p\nOpStore %q %r\n", "1"},
    {"OpStore %p %n\nOpStore %q %n\n", "0 1"},
    {"OpStore %var %n\n", "variables"},
    {"%r = OpLoad %pi %h\nOpStore %r %n\n", "anything"},
    {"%r = OpLoad %pi %h\n%s = OpLoad %i32 %r\n", ""},
    {TO_VARIABLE "OpStore %v %p\n%r = OpLoad %pi %v\nOpStore %r %n\n", "0"},
    {TO_VARIABLE "OpStore %v %p\n%r = OpLoad %pi %v\n%s = OpLoad %i32 %r\n", ""},
    {TO_VARIABLE "OpStore %v %p\nOpStore %v %q\n%r = OpLoad %pi %v\nOpStore %r %n\n", "0 1"},
    {TO_VARIABLE "%a = OpVariable %fp Function\nOpStore %v %p\nOpStore %a %q\n"
                 "%r = OpLoad %pi %v\nOpStore %r %n\n",
     "0"},
    {TO_VARIABLE "OpStore %v %p\n%s = OpFunctionCall %void %change %v\n%r = OpLoad %pi %v\n"
                 "OpStore %r %n\n",
     "0 anything",
     "%change = OpFunction %void None %puts\n%a = OpFunctionParameter %fp\n%in = OpLabel\n"
     "OpReturn\nOpFunctionEnd\n"},
    {"OpStore %h %p\n", "2"},
    {"%c = OpSLessThan %bool %n %i5\n%s = OpSelect %pi %c %p %q\nOpStore %s %n\n", "0 1"},
    {"%a = OpConvertPtrToU %i64 %p\n%b = OpIAdd %i64 %a %l16\n%s = OpConvertUToPtr %pi %b\n"
     "OpStore %s %n\n",
     "0"},
    {"%a = OpConvertPtrToU %i64 %q\n%b = OpInBoundsPtrAccessChain %pi %p %a\nOpStore %b %n\n", "0"},
    {"%a = OpConvertPtrToU %i64 %q\n%l = OpUConvert %i32 %a\n%z = OpUConvert %i64 %l\n"
     "%s = OpConvertUToPtr %pi %z\nOpStore %s %n\n",
     ""},
    {"%s = OpAtomicIAdd %i32 %p %i1 %i0 %n\n", "0"},
    {"%s = OpAtomicLoad %i32 %p %i1 %i0\n", ""},
    {"OpAtomicStore %q %i1 %i0 %n\n", "1"},
    {"OpCopyMemorySized %q %p %l16\n", "1"},
    {"%s = OpFunctionCall %void %set %q\n", "1",
     "%set = OpFunction %void None %put\n%a = OpFunctionParameter %pi\n%in = OpLabel\n"
     "OpStore %a %i1\nOpReturn\nOpFunctionEnd\n"},
    {"%s = OpFunctionCall %void %set %q\n", "variables",
     "%set = OpFunction %void None %put\n%a = OpFunctionParameter %pi\n%in = OpLabel\n"
     "OpStore %var %i1\nOpReturn\nOpFunctionEnd\n"},
    {"%c = OpSLessThan %bool %n %i5\nOpBranchConditional %c %a %b\n%a = OpLabel\nOpBranch %b\n"
     "%b = OpLabel\n%s = OpPhi %pi %p %start %q %a\nOpStore %s %n\n",
     "0 1"},
    /* What a function returns: one of its arguments, a variable's address, or what it has loaded.
     */
    {"%s = OpFunctionCall %pi %choose %q %p\nOpStore %s %n\n", "0",
     "%pick = OpTypeFunction %pi %pi %pi\n%choose = OpFunction %pi None %pick\n"
     "%a = OpFunctionParameter %pi\n%a2 = OpFunctionParameter %pi\n%in = OpLabel\n"
     "OpReturnValue %a2\nOpFunctionEnd\n"},
    {"%s = OpFunctionCall %pi %choose %q\nOpStore %s %n\n", "variables",
     "%choose = OpFunction %pi None %get\n"
     "%a = OpFunctionParameter %pi\n%in = OpLabel\nOpReturnValue %var\nOpFunctionEnd\n"},
    {"%s = OpFunctionCall %pi %choose %h\nOpStore %s %n\n", "anything",
     "%pick = OpTypeFunction %pi %pp\n%choose = OpFunction %pi None %pick\n"
     "%a = OpFunctionParameter %pp\n%in = OpLabel\n%b = OpLoad %pi %a\nOpReturnValue %b\n"
     "OpFunctionEnd\n"},
    /* A function that calls another, which writes; and one that calls itself. */
    {"%s = OpFunctionCall %void %outer %q\n", "1",
     "%outer = OpFunction %void None %put\n%a = OpFunctionParameter %pi\n%in = OpLabel\n"
     "%b = OpFunctionCall %void %inner %a\nOpReturn\nOpFunctionEnd\n"
     "%inner = OpFunction %void None %put\n%a2 = OpFunctionParameter %pi\n%in2 = OpLabel\n"
     "OpStore %a2 %i1\nOpReturn\nOpFunctionEnd\n"},
    {"%s = OpFunctionCall %void %turn %p %q\n", "0 1",
     "%two = OpTypeFunction %void %pi %pi\n%turn = OpFunction %void None %two\n"
     "%a = OpFunctionParameter %pi\n%a2 = OpFunctionParameter %pi\n%in = OpLabel\n"
     "OpStore %a %i1\n%b = OpFunctionCall %void %turn %a2 %a\nOpReturn\nOpFunctionEnd\n"},
    /* A variable whose address is in memory, or that an atomic or a copy has changed, may hold
     * anything. */
    {TO_VARIABLE "OpStore %v %p\n%n1 = OpConvertPtrToU %i64 %v\n%hl = OpBitcast %pl %h\n"
                 "OpStore %hl %n1\n%r = OpLoad %pi %v\nOpStore %r %n\n",
     "0 2 anything"},
    {TO_VARIABLE "OpStore %v %p\nOpCopyMemorySized %v %h %l8\n%r = OpLoad %pi %v\n"
                 "OpStore %r %n\n",
     "0 anything"},
    {TO_VARIABLE "OpStore %v %p\n%vl = OpBitcast %fl %v\n%m = OpUConvert %i64 %n\n"
                 "%o = OpAtomicExchange %i64 %vl %i1 %i0 %m\n%r = OpLoad %pi %v\n"
                 "OpStore %r %n\n",
     "0 anything"},
    {"%hl = OpBitcast %pl %h\n%o = OpAtomicLoad %i64 %hl %i1 %i0\n%r = OpConvertUToPtr %pi %o\n"
     "OpStore %r %n\n",
     "anything"},
    {"%hl = OpBitcast %pl %h\n%m = OpUConvert %i64 %n\n%o = OpAtomicExchange %i64 %hl %i1 %i0 %m\n",
     "2"},
    /* Numbers of 32 bits are no addresses. */
    {"%o = OpAtomicIAdd %i32 %p %i1 %i0 %n\n%m = OpUConvert %i64 %o\n"
     "%r = OpInBoundsPtrAccessChain %pi %q %m\nOpStore %r %n\n",
     "0 1"},
    {"%o = OpLoad %i32 %p\n%m = OpUConvert %i64 %o\n%r = OpInBoundsPtrAccessChain %pi %q %m\n"
     "OpStore %r %n\n",
     "1"},
    /* An address that a variable of the program holds from the beginning. */
    {"%r = OpLoad %pi %known\nOpStore %r %n\n", "anything"},
    {"OpStore %next1 %n\n", "variables"},
    {"OpStore %known %p\n", "variables"},
    /* Every component of a vector that is loaded, stored or returned. */
    {"%hv = OpBitcast %pv2l %h\n%o = OpLoad %v2l %hv\n%l = OpCompositeExtract %i64 %o 0\n"
     "%r = OpConvertUToPtr %pi %l\nOpStore %r %n\n",
     "anything"},
    {"%hv = OpBitcast %pv2l %h\n%o = OpLoad %v2l %hv\n%l = OpCompositeExtract %i64 %o 1\n"
     "%r = OpConvertUToPtr %pi %l\nOpStore %r %n\n",
     "anything"},
    {"%v = OpVariable %fv2l Function\n%a = OpConvertPtrToU %i64 %p\n"
     "%o = OpCompositeConstruct %v2l %a %l0\nOpStore %v %o\n%o2 = OpLoad %v2l %v\n"
     "%l = OpCompositeExtract %i64 %o2 0\n%r = OpConvertUToPtr %pi %l\nOpStore %r %n\n",
     "0"},
    {"%v = OpVariable %fv2l Function\n%b = OpConvertPtrToU %i64 %q\n"
     "%o = OpCompositeConstruct %v2l %l0 %b\nOpStore %v %o\n%o2 = OpLoad %v2l %v\n"
     "%l = OpCompositeExtract %i64 %o2 1\n%r = OpConvertUToPtr %pi %l\nOpStore %r %n\n",
     "1"},
    {TO_VARIABLE "OpStore %v %p\n%a = OpConvertPtrToU %i64 %v\n"
                 "%o = OpCompositeConstruct %v2l %l0 %a\nOpStore %held %o\n%r = OpLoad %pi %v\n"
                 "OpStore %r %n\n",
     "0 variables anything"},
    {"%s = OpFunctionCall %pair %choose %q %p\n%r = OpCompositeExtract %pi %s 1\nOpStore %r %n\n",
     "0",
     "%pick = OpTypeFunction %pair %pi %pi\n%choose = OpFunction %pair None %pick\n"
     "%a = OpFunctionParameter %pi\n%a2 = OpFunctionParameter %pi\n%in = OpLabel\n"
     "%o = OpCompositeConstruct %pair %i1 %a2\nOpReturnValue %o\nOpFunctionEnd\n"},
    /* The address of a variable or one from elsewhere: what it points to may be anything. */
    {TO_VARIABLE "OpStore %v %p\n%g1 = OpPtrCastToGeneric %gp %h\n"
                 "%g2 = OpPtrCastToGeneric %gp %v\n%c = OpSLessThan %bool %n %i5\n"
                 "%s = OpSelect %gp %c %g1 %g2\n%r = OpLoad %pi %s\nOpStore %r %n\n",
     "anything"},
    {TO_VARIABLE "OpStore %v %p\n%g1 = OpPtrCastToGeneric %gp %known\n"
                 "%g2 = OpPtrCastToGeneric %gp %v\n%c = OpSLessThan %bool %n %i5\n"
                 "%s = OpSelect %gp %c %g1 %g2\n%r = OpLoad %pi %s\nOpStore %r %n\n",
     "anything"},
    /* One of several variables, whichever comes first. */
    {TO_VARIABLE "%a = OpVariable %fp Function\nOpStore %v %p\nOpStore %a %q\n"
                 "%r = OpLoad %pi %a\nOpStore %r %n\n",
     "1"},
    {TO_VARIABLE "%a = OpVariable %fp Function\nOpStore %v %p\nOpStore %a %q\n"
                 "%s = OpFunctionCall %void %change %a\n%r = OpLoad %pi %a\nOpStore %r %n\n",
     "1 anything",
     "%change = OpFunction %void None %puts\n%b = OpFunctionParameter %fp\n%in = OpLabel\n"
     "OpReturn\nOpFunctionEnd\n"},
    {TO_VARIABLE "%a = OpVariable %fp Function\nOpStore %v %p\nOpStore %a %q\n"
                 "%s = OpFunctionCall %void %change %v\n%r = OpLoad %pi %a\nOpStore %r %n\n",
     "1",
     "%change = OpFunction %void None %puts\n%b = OpFunctionParameter %fp\n%in = OpLabel\n"
     "OpReturn\nOpFunctionEnd\n"},
    /* The second of the arguments that escapes, and one after a number. */
    {TO_VARIABLE "%a = OpVariable %fp Function\nOpStore %v %p\nOpStore %a %q\n"
                 "%s = OpFunctionCall %void %change %n %v %a\n%r = OpLoad %pi %a\n"
                 "OpStore %r %n\n",
     "1 anything",
     "%three = OpTypeFunction %void %i32 %fp %fp\n%change = OpFunction %void None %three\n"
     "%b0 = OpFunctionParameter %i32\n%b1 = OpFunctionParameter %fp\n"
     "%b2 = OpFunctionParameter %fp\n%in = OpLabel\nOpReturn\nOpFunctionEnd\n"},
    {"%s = OpFunctionCall %void %set %n %q\n", "1",
     "%two = OpTypeFunction %void %i32 %pi\n%set = OpFunction %void None %two\n"
     "%b0 = OpFunctionParameter %i32\n%b1 = OpFunctionParameter %pi\n%in = OpLabel\n"
     "OpStore %b1 %b0\nOpReturn\nOpFunctionEnd\n"},
    /* The phis of a block, and the places where a function returns. */
    {"%c = OpSLessThan %bool %n %i5\nOpBranchConditional %c %a %b\n%a = OpLabel\nOpBranch %b\n"
     "%b = OpLabel\n%i = OpPhi %i32 %i0 %start %i1 %a\n%s = OpPhi %pi %q %start %q %a\n"
     "%t = OpPhi %pi %p %start %p %a\nOpStore %s %i\n%u = OpLoad %i32 %t\n",
     "1"},
    {"%c = OpSLessThan %bool %n %i5\nOpBranchConditional %c %a %b\n%a = OpLabel\nOpBranch %b\n"
     "%b = OpLabel\n%i = OpPhi %i32 %i0 %start %i1 %a\n%s = OpPhi %pi %q %start %q %a\n"
     "%t = OpPhi %pi %p %start %var %a\n%u = OpLoad %i32 %s\nOpStore %t %i\n",
     "0 variables"},
    {"%s = OpFunctionCall %pi %choose %q %p %n\nOpStore %s %n\n", "0 1",
     "%pick = OpTypeFunction %pi %pi %pi %i32\n%choose = OpFunction %pi None %pick\n"
     "%a = OpFunctionParameter %pi\n%a2 = OpFunctionParameter %pi\n"
     "%a3 = OpFunctionParameter %i32\n%in = OpLabel\n%b = OpSLessThan %bool %a3 %i5\n"
     "OpBranchConditional %b %in1 %in2\n%in1 = OpLabel\nOpReturnValue %a\n%in2 = OpLabel\n"
     "OpReturnValue %a2\nOpFunctionEnd\n"},
    /* A function that is not known may write and return anything. */
    {"%hf = OpBitcast %ppput %h\n%r = OpLoad %pput %hf\n"
     "%s = OpFunctionPointerCallINTEL %void %r %q\n",
     "anything"},
    {"%hf = OpBitcast %ppget %h\n%r = OpLoad %pget %hf\n"
     "%s = OpFunctionPointerCallINTEL %pi %r %q\nOpStore %s %n\n",
     "anything"},
    {TO_VARIABLE "OpStore %v %p\n%hf = OpBitcast %ppput %h\n%vf = OpBitcast %pi %h\n"
                 "%s = OpFunctionCall %void %change %v\n",
     "",
     "%change = OpFunction %void None %puts\n%b = OpFunctionParameter %fp\n%in = OpLabel\n"
     "OpReturn\nOpFunctionEnd\n"},
};

static const access_case read_cases[] = {
    {"%r = OpLoad %i32 %p\nOpStore %q %r\n", "0"},
    {"OpStore %p %n\nOpStore %var %n\n", ""},
    {"%r = OpLoad %i32 %var\nOpStore %p %r\n", "variables"},
    {"%r = OpLoad %pi %h\n%s = OpLoad %i32 %r\nOpStore %p %s\n", "2 anything"},
    {TO_VARIABLE "OpStore %v %q\n%r = OpLoad %pi %v\n%s = OpLoad %i32 %r\nOpStore %p %s\n", "1"},
    {"%s = OpAtomicIAdd %i32 %p %i1 %i0 %n\n", "0"},
    {"%s = OpAtomicLoad %i32 %q %i1 %i0\nOpStore %p %s\n", "1"},
    {"OpCopyMemorySized %q %p %l16\n", "0"},
    {"%s = OpFunctionCall %void %copy %p %q\n", "1",
     "%two = OpTypeFunction %void %pi %pi\n%copy = OpFunction %void None %two\n"
     "%a = OpFunctionParameter %pi\n%a2 = OpFunctionParameter %pi\n%in = OpLabel\n"
     "%l = OpLoad %i32 %a2\nOpStore %a %l\nOpReturn\nOpFunctionEnd\n"},
    {"%hf = OpBitcast %ppput %h\n%r = OpLoad %pput %hf\n"
     "%s = OpFunctionPointerCallINTEL %void %r %q\n",
     "2 anything"},
    {"%s = OpFunctionCall %void %copy %p %q\n", "variables",
     "%two = OpTypeFunction %void %pi %pi\n%copy = OpFunction %void None %two\n"
     "%a = OpFunctionParameter %pi\n%a2 = OpFunctionParameter %pi\n%in = OpLabel\n"
     "%l = OpLoad %i32 %next1\nOpStore %a %l\nOpReturn\nOpFunctionEnd\n"},
    {"%hl = OpBitcast %pl %h\n%o = OpAtomicIAdd %i64 %hl %i1 %i0 %l1\n"
     "%r = OpConvertUToPtr %pi %o\n%s = OpLoad %i32 %r\n",
     "2 anything"},
    {"%hv = OpBitcast %pv2l %h\n%o = OpLoad %v2l %hv\n%l = OpCompositeExtract %i64 %o 1\n"
     "%r = OpConvertUToPtr %pi %l\n%s = OpLoad %i32 %r\n",
     "2 anything"},
};

/* What the kernel writes or reads, as in the cases. */
static void check_access(const access_case *c, bool reads)
{
    static char text[16384];
    char got[64] = "";
    snprintf(text, sizeof text, "%s%s%s%s%s%s%s",
             "OpCapability Int64Atomics\nOpCapability FunctionPointersINTEL\n", HEAD, WRITTEN_TYPES,
             c->functions ? c->functions : "", START, c->body, END);
    rt_sink *sink = rt_sink_create();
    sim_program *program = link_text(sink, text);
    const sim_kernel *kernel = &program->kernels[0];
    const sim_access_set *accessed = reads ? &kernel->read : &kernel->written;
    for (uint32_t k = 0; k < kernel->parameter_count; k++) {
        char number[16];
        snprintf(number, sizeof number, "%u ", k);
        if (accessed->parameters[k]) strcat(got, number);
    }
    if (accessed->variables) strcat(got, "variables ");
    if (accessed->anything) strcat(got, "anything ");
    if (*got) got[strlen(got) - 1] = '\0';
    if (strcmp(got, c->expected) != 0)
        fail_msg("%s: '%s', expected '%s'", c->body, got, c->expected);
    sim_program_destroy(program);
    rt_sink_destroy(sink);
}

static void test_written(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof written_cases / sizeof written_cases[0]; i++)
        check_access(&written_cases[i], false);
}

static void test_read(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof read_cases / sizeof read_cases[0]; i++)
        check_access(&read_cases[i], true);
}

/* Of many variables, each is known by itself. */
static void test_written_through_variables(void **state)
{
    (void)state;
    enum { VARIABLES = 130 };
    for (int k = 0; k < VARIABLES; k += 43) {
        char body[8192], *end = body;
        for (int i = 0; i < VARIABLES; i++)
            end += sprintf(end, "%%var%d = OpVariable %%fp Function\n", i);
        for (int i = 0; i < VARIABLES; i++)
            end += sprintf(end, "OpStore %%var%d %%%c\n", i, i == k ? 'q' : 'p');
        sprintf(end, "%%r = OpLoad %%pi %%var%d\nOpStore %%r %%n\n", k);
        check_access(&(access_case){body, "1", NULL}, false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fused),
        cmocka_unit_test(test_fused_offset),
        cmocka_unit_test(test_no_stride),
        cmocka_unit_test(test_fused_narrow),
        cmocka_unit_test(test_uniform_address),
        cmocka_unit_test(test_pointer_in_lanes),
        cmocka_unit_test(test_private),
        cmocka_unit_test(test_components),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_dead),
        cmocka_unit_test(test_selections),
        cmocka_unit_test(test_broadcast),
        cmocka_unit_test(test_quiet),
        cmocka_unit_test(test_uniform_branch),
        cmocka_unit_test(test_divergent_branch),
        cmocka_unit_test(test_uniform_loop),
        cmocka_unit_test(test_divergent_loop),
        cmocka_unit_test(test_stale_base),
        cmocka_unit_test(test_latch),
        cmocka_unit_test(test_nested_loops),
        cmocka_unit_test(test_early_exit),
        cmocka_unit_test(test_uniform_into_lanes),
        cmocka_unit_test(test_both_live),
        cmocka_unit_test(test_undefined),
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_uniform_call),
        cmocka_unit_test(test_divergent_call),
        cmocka_unit_test(test_two_returns),
        cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_atomic),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_private_bytes),
        cmocka_unit_test(test_parameter_bytes),
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_effects),
        cmocka_unit_test(test_dot_checks),
        cmocka_unit_test(test_reach),
        cmocka_unit_test(test_exchange_uniform),
        cmocka_unit_test(test_exchange_lanes),
        cmocka_unit_test(test_written),
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_written_through_variables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
