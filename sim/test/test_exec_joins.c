/* Tests of values of every kind at joins and in selections: phis and selections of structs, arrays,
 * pointers, vectors, bools and halves; switches over integers of every width; irreducible control
 * flow; and the kinds of constants in the initial values of variables. */
#include "sim/test/harness.h"

enum { ITEMS = 40 };

/* A kernel whose body computes %r from the work-item's number %x (%w as 64 bits); `in` holds 1000,
 * 2000 and so on. */
#define HEAD                                                                                       \
    "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\nOpCapability Int64\n"      \
    "OpCapability Int16\nOpCapability Int8\nOpCapability Float16\nOpCapability GenericPointer\n"   \
    "OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\" %gid\n"                         \
    "OpDecorate %gid BuiltIn GlobalLinearId\n%void = OpTypeVoid\n%bool = OpTypeBool\n"             \
    "%i8 = OpTypeInt 8 0\n%i16 = OpTypeInt 16 0\n%i32 = OpTypeInt 32 0\n%i64 = OpTypeInt 64 0\n"   \
    "%h = OpTypeFloat 16\n%v4 = OpTypeVector %i8 4\n%v2 = OpTypeVector %i32 2\n"                   \
    "%c0 = OpConstant %i32 0\n%c1 = OpConstant %i32 1\n%c2 = OpConstant %i32 2\n"                  \
    "%c3 = OpConstant %i32 3\n%c4 = OpConstant %i32 4\n%c5 = OpConstant %i32 5\n"                  \
    "%c10 = OpConstant %i32 10\n%c100 = OpConstant %i32 100\n%true = OpConstantTrue %bool\n"       \
    "%false = OpConstantFalse %bool\n%h1 = OpConstant %h 0x1p+0\n%h2 = OpConstant %h 0x1p+1\n"     \
    "%b1 = OpConstant %i8 1\n%b3 = OpConstant %i8 3\n%b7 = OpConstant %i8 7\n"                     \
    "%va = OpConstantComposite %v4 %b1 %b1 %b3 %b1\n"                                              \
    "%vb = OpConstantComposite %v4 %b1 %b1 %b7 %b1\n%pair = OpTypeArray %i32 %c2\n"                \
    "%g = OpTypePointer CrossWorkgroup %i32\n%S = OpTypeStruct %h %bool %v4 %pair %g\n"            \
    "%pin = OpTypePointer Input %i64\n%gid = OpVariable %pin Input\n"                              \
    "%kt = OpTypeFunction %void %g %g\n"
#define START                                                                                      \
    "%k = OpFunction %void None %kt\n%out = OpFunctionParameter %g\n"                              \
    "%in = OpFunctionParameter %g\n%l = OpLabel\n%w = OpLoad %i64 %gid\n"                          \
    "%x = OpUConvert %i32 %w\n%low = OpBitwiseAnd %i32 %x %c1\n%odd = OpINotEqual %bool %low %c0\n"
#define END "%to = OpInBoundsPtrAccessChain %g %out %x\nOpStore %to %r\nOpReturn\nOpFunctionEnd\n"

typedef uint32_t wanted(uint32_t x);

static void run(const char *text, wanted *want)
{
    for (uint32_t engine = 0; engine < SIM_ENGINE_COUNT; engine++) {
        if (!sim_engine_at(engine)) continue;
        uint32_t out[ITEMS], in[4] = {1000, 2000, 3000, 4000};
        harness h = harness_text(text);
        h.world->engine = engine;
        sim_object to = harness_memory(&h, "out", NULL, sizeof out);
        sim_argument arguments[] = {harness_global(to),
                                    harness_global(harness_memory(&h, "in", in, sizeof in))};
        harness_run(&h, "k", harness_range(ITEMS, ITEMS), arguments, 2);
        harness_read_back(&h, to, out, sizeof out);
        for (uint32_t x = 0; x < ITEMS; x++) {
            if (out[x] != want(x)) fail_msg("%u: %u, expected %u", x, out[x], want(x));
        }
        harness_close(&h);
    }
}

/* ---- Structs with members of every kind ----------------------------------------------------- */

/* Two structs, and a sum over the members of %s. */
#define FIRST                                                                                      \
    "%x2 = OpIMul %i32 %x %c2\n%aa = OpCompositeConstruct %pair %x %x2\n"                          \
    "%s1 = OpCompositeConstruct %S %h1 %true %va %aa %in\n"
#define SECOND                                                                                     \
    "%x3 = OpIMul %i32 %x %c3\n%x4 = OpIMul %i32 %x %c4\n"                                         \
    "%ab = OpCompositeConstruct %pair %x3 %x4\n%in1 = OpInBoundsPtrAccessChain %g %in %c1\n"       \
    "%s2 = OpCompositeConstruct %S %h2 %false %vb %ab %in1\n"
#define SUM                                                                                        \
    "%m0 = OpCompositeExtract %h %s 0\n%n0 = OpConvertFToU %i32 %m0\n"                             \
    "%m1 = OpCompositeExtract %bool %s 1\n%n1 = OpSelect %i32 %m1 %c100 %c0\n"                     \
    "%m2 = OpCompositeExtract %i8 %s 2 2\n%n2 = OpUConvert %i32 %m2\n"                             \
    "%n3 = OpCompositeExtract %i32 %s 3 1\n%m4 = OpCompositeExtract %g %s 4\n"                     \
    "%n4 = OpLoad %i32 %m4\n%q1 = OpIAdd %i32 %n0 %n1\n%q2 = OpIAdd %i32 %q1 %n2\n"                \
    "%q3 = OpIAdd %i32 %q2 %n3\n%r = OpIAdd %i32 %q3 %n4\n"

static uint32_t either(uint32_t x)
{
    return x % 2 ? 1 + 100 + 3 + 2 * x + 1000 : 2 + 0 + 7 + 4 * x + 2000;
}

static void test_phi(void **state)
{
    (void)state;
    static const char text[] =
        HEAD START "OpBranchConditional %odd %yes %no\n%yes = OpLabel\n" FIRST "OpBranch %join\n"
                   "%no = OpLabel\n" SECOND "OpBranch %join\n%join = OpLabel\n"
                   "%s = OpPhi %S %s1 %yes %s2 %no\n" SUM END;
    run(text, either);
}

static uint32_t either_pointer(uint32_t x)
{
    return x + (x % 2 ? 1000 : 3000);
}

static void test_select(void **state)
{
    (void)state;
    static const char text[] = HEAD START FIRST SECOND "%s = OpSelect %S %odd %s1 %s2\n" SUM END;
    run(text, either);
    static const char pointers[] =
        HEAD START "%in2 = OpInBoundsPtrAccessChain %g %in %c2\n%p = OpSelect %g %odd %in %in2\n"
                   "%v = OpLoad %i32 %p\n%r = OpIAdd %i32 %v %x\n" END;
    run(pointers, either_pointer);
}

/* x % 5 iterations of a loop in which the members of a struct rotate: a cycle of moves. */
static uint32_t turned(uint32_t x)
{
    uint32_t a = x, b = 100, c = 7;
    for (uint32_t i = 0; i < x % 5; i++) {
        uint32_t first = a;
        a = b;
        b = c;
        c = first;
    }
    return a + 10 * b + 100 * c;
}

static void test_loop(void **state)
{
    (void)state;
    static const char text[] = HEAD
        "%T = OpTypeStruct %i32 %v2\n" START "%n = OpUMod %i32 %x %c5\n%c7 = OpIAdd %i32 %c5 %c2\n"
        "%w0 = OpCompositeConstruct %v2 %c100 %c7\n%t0 = OpCompositeConstruct %T %x %w0\n"
        "OpBranch %head\n%head = OpLabel\n%t = OpPhi %T %t0 %l %tn %body\n"
        "%i = OpPhi %i32 %c0 %l %next %body\n%a = OpCompositeExtract %i32 %t 0\n"
        "%b = OpCompositeExtract %i32 %t 1 0\n%c = OpCompositeExtract %i32 %t 1 1\n"
        "%go = OpULessThan %bool %i %n\nOpBranchConditional %go %body %exit\n%body = OpLabel\n"
        "%next = OpIAdd %i32 %i %c1\n%bc = OpCompositeConstruct %v2 %c %a\n"
        "%tn = OpCompositeConstruct %T %b %bc\nOpBranch %head\n%exit = OpLabel\n"
        "%b10 = OpIMul %i32 %b %c10\n%cc = OpIMul %i32 %c %c100\n%ab = OpIAdd %i32 %a %b10\n"
        "%r = OpIAdd %i32 %ab %cc\n" END;
    run(text, turned);
}

/* ---- Switches ------------------------------------------------------------------------------- */

#define SWITCH(type, convert, literal)                                                             \
    HEAD "%last = OpConstant %" type " " literal "\n%step = OpConstant %" type                     \
         " 1\n" START convert "OpSwitch %sel %other 3 %three " literal " %large\n"                 \
         "%three = OpLabel\nOpBranch %join\n%large = OpLabel\nOpBranch %join\n"                    \
         "%other = OpLabel\nOpBranch %join\n%join = OpLabel\n"                                     \
         "%r = OpPhi %i32 %c3 %three %c100 %large %c0 %other\n" END

/* The switch has the case 3 and a case with the given literal, which work-items whose number is 5
 * modulo 8 select. */
static uint32_t switched(uint32_t x)
{
    return x % 8 == 5 ? 100 : x % 8 == 3 ? 3 : 0;
}

#define SELECTOR(type)                                                                             \
    "%c8 = OpIAdd %i32 %c4 %c4\n%m = OpUMod %i32 %x %c8\n%is5 = OpIEqual %bool %m %c5\n"           \
    "%n = OpUConvert %" type " %m\n%sel = OpSelect %" type " %is5 %last %n\n"
#define SELECTOR_32                                                                                \
    "%c8 = OpIAdd %i32 %c4 %c4\n%m = OpUMod %i32 %x %c8\n%is5 = OpIEqual %bool %m %c5\n"           \
    "%sel = OpSelect %i32 %is5 %last %m\n"

static void test_switches(void **state)
{
    (void)state;
    run(SWITCH("i8", SELECTOR("i8"), "255"), switched);
    run(SWITCH("i16", SELECTOR("i16"), "65535"), switched);
    run(SWITCH("i32", SELECTOR_32, "4294967295"), switched);
    run(SWITCH("i64", SELECTOR("i64"), "4294967299"), switched); /* the literal's low half is 3 */
}

/* ---- Irreducible flow ----------------------------------------------------------------------- */

/* Two blocks that branch to each other, both entered from outside. */
static uint32_t tangled(uint32_t x)
{
    int32_t n = (int32_t)x;
    uint32_t count = 0;
    for (bool in_a = x % 2; n > 0; in_a = !in_a) {
        count += in_a ? 1 : 10;
        n -= in_a ? 1 : 2;
    }
    return count;
}

static void test_irreducible(void **state)
{
    (void)state;
    static const char text[] = HEAD START
        "OpBranchConditional %odd %A %B\n"
        "%A = OpLabel\n%na = OpPhi %i32 %x %l %nb2 %Bgo\n%ca = OpPhi %i32 %c0 %l %cb2 %Bgo\n"
        "%ga = OpSGreaterThan %bool %na %c0\nOpBranchConditional %ga %Ago %exit\n"
        "%Ago = OpLabel\n%ca2 = OpIAdd %i32 %ca %c1\n%na2 = OpISub %i32 %na %c1\nOpBranch %B\n"
        "%B = OpLabel\n%nb = OpPhi %i32 %x %l %na2 %Ago\n%cb = OpPhi %i32 %c0 %l %ca2 %Ago\n"
        "%gb = OpSGreaterThan %bool %nb %c0\nOpBranchConditional %gb %Bgo %exit\n"
        "%Bgo = OpLabel\n%cb2 = OpIAdd %i32 %cb %c10\n%nb2 = OpISub %i32 %nb %c2\nOpBranch %A\n"
        "%exit = OpLabel\n%r = OpPhi %i32 %ca %A %cb %B\n" END;
    run(text, tangled);
}

/* ---- Initial values ------------------------------------------------------------------------- */

/* Pointers to variables and into them, cast, offset and compared with null; numbers in arrays of
 * vectors in a struct. */
static uint32_t initial(uint32_t x)
{
    return x + 5 + 30 + 40 + 1 + 4 + 20;
}

static void test_initial_values(void **state)
{
    (void)state;
    static const char text[] = HEAD
        "%c20 = OpConstant %i32 20\n%c30 = OpConstant %i32 30\n%c40 = OpConstant %i32 40\n"
        "%A3 = OpTypeArray %i32 %c4\n%pA = OpTypePointer CrossWorkgroup %A3\n"
        "%values = OpConstantComposite %A3 %c10 %c20 %c30 %c40\n"
        "%array = OpVariable %pA CrossWorkgroup %values\n%five = OpVariable %g CrossWorkgroup %c5\n"
        "%gen = OpTypePointer Generic %i32\n%g64 = OpTypePointer CrossWorkgroup %i64\n"
        "%at2 = OpSpecConstantOp %g InBoundsAccessChain %array %c2\n"
        "%cast2 = OpSpecConstantOp %gen PtrCastToGeneric %at2\n"
        "%at3 = OpSpecConstantOp %g PtrAccessChain %at2 %c1\n"
        "%at1p = OpSpecConstantOp %g AccessChain %array %c1\n"
        "%at1 = OpSpecConstantOp %g64 Bitcast %at1p\n"
        "%number = OpSpecConstantOp %i64 ConvertPtrToU %at3\n%null = OpConstantNull %g\n"
        "%ws = OpTypeArray %v2 %c2\n%w0 = OpConstantComposite %v2 %c1 %c2\n"
        "%w1 = OpConstantComposite %v2 %c3 %c4\n%wv = OpConstantComposite %ws %w0 %w1\n"
        "%T = OpTypeStruct %g %gen %i64 %g %ws %g64\n"
        "%init = OpConstantComposite %T %five %cast2 %number %null %wv %at1\n"
        "%pT = OpTypePointer CrossWorkgroup %T\n%table = OpVariable %pT CrossWorkgroup %init\n" START
        "%t = OpLoad %T %table\n%p0 = OpCompositeExtract %g %t 0\n%v0 = OpLoad %i32 %p0\n"
        "%p1 = OpCompositeExtract %gen %t 1\n%v1 = OpLoad %i32 %p1\n"
        "%n2 = OpCompositeExtract %i64 %t 2\n%p2 = OpConvertUToPtr %g %n2\n%v2l = OpLoad %i32 %p2\n"
        "%p3 = OpCompositeExtract %g %t 3\n%is = OpPtrEqual %bool %p3 %null\n"
        "%v3 = OpSelect %i32 %is %c1 %c0\n%v4l = OpCompositeExtract %i32 %t 4 1 1\n"
        "%p5 = OpCompositeExtract %g64 %t 5\n%p5i = OpBitcast %g %p5\n%v5 = OpLoad %i32 %p5i\n"
        "%q0 = OpIAdd %i32 %x %v0\n%q1 = OpIAdd %i32 %q0 %v1\n%q2 = OpIAdd %i32 %q1 %v2l\n"
        "%q3 = OpIAdd %i32 %q2 %v3\n%q4 = OpIAdd %i32 %q3 %v4l\n%r = OpIAdd %i32 %q4 %v5\n" END;
    run(text, initial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_phi),         cmocka_unit_test(test_select),
        cmocka_unit_test(test_loop),        cmocka_unit_test(test_switches),
        cmocka_unit_test(test_irreducible), cmocka_unit_test(test_initial_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
