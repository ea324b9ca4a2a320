/* Tests of calls through function pointers: tables, selections, memory, other modules, recursion,
 * and invalid targets. */
#include "sim/test/harness.h"

#define ITEMS 300

static int twice(int x)
{
    return 2 * x;
}
static int square(int x)
{
    return x * x;
}
static int mix(int x)
{
    int s = 0;
    for (int i = 0; i < (x & 7); i++)
        s = s * 3 + i;
    return s;
}
static int spin(int x)
{
    return (x + x % 7) * 2 + x % 7;
}
static int narrow(int x)
{
    int8_t a = (int8_t)x, b = (int8_t)(x + 1), c = (int8_t)(x + 2);
    for (int i = 0; i < x % 4; i++) {
        int8_t t = a;
        a = (int8_t)(b + i);
        b = c;
        c = t;
    }
    return a + b + c;
}

/* Runs a kernel whose first argument is the result, which is copied to out. */
static void run_kernel(harness *h, const char *name, const int32_t *value, int32_t *out)
{
    sim_object to = harness_memory(h, "out", NULL, ITEMS * sizeof *out);
    sim_argument arguments[] = {harness_global(to), harness_value(value, sizeof *value)};
    harness_run(h, name, harness_range(ITEMS, 100), arguments, value ? 2 : 1);
    harness_read_back(h, to, out, ITEMS * sizeof *out);
}

static void test_targets(void **state)
{
    (void)state;
    int (*const table[])(int) = {twice, square, mix};
    int32_t out[ITEMS];
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("pointers", level, engine);
        run_kernel(&h, "by_table", NULL, out);
        for (int i = 0; i < ITEMS; i++)
            assert_int_equal(out[i], table[i % 3](i));
        for (int32_t below = 0; below <= 5; below++) {
            run_kernel(&h, "by_choice", &below, out);
            for (int i = 0; i < ITEMS; i++)
                assert_int_equal(out[i], i % 5 < below ? 2 * i + 2 : i * i + 1);
        }
        run_kernel(&h, "by_struct", NULL, out);
        for (int i = 0; i < ITEMS; i++)
            assert_int_equal(out[i], i & 1 ? 100 * i + 2 * i : -100 * i + 1);
        harness_close(&h);
    }
}

/* While some lanes spin in one function, others run; these must not touch the spinning lanes'
 * registers. */
static void test_spinning(void **state)
{
    (void)state;
    int32_t out[ITEMS], rounds = 20000;
    for (uint32_t level = 0; level < 3; level++) {
        harness h = harness_open_file("pointers", level, sim_engine_best());
        run_kernel(&h, "spinning", &rounds, out);
        for (int i = 0; i < ITEMS; i++)
            assert_int_equal(out[i], i & 1 ? spin(rounds + i) : narrow(i));
        harness_close(&h);
    }
}

static void test_recursion(void **state)
{
    (void)state;
    int32_t out[64], most = 50;
    harness h = harness_open_file("pointers", 1, sim_engine_best());
    sim_object to = harness_memory(&h, "out", NULL, sizeof out);
    sim_object self = harness_memory(&h, "self", NULL, 8);
    sim_argument arguments[] = {harness_global(to), harness_global(self),
                                harness_value(&most, sizeof most)};
    harness_run(&h, "recursive", harness_range(64, 64), arguments, 3);
    harness_read_back(&h, to, out, sizeof out);
    for (int i = 0; i < 64; i++) {
        int n = i < most ? i : most;
        assert_int_equal(out[i], n * (n + 1) / 2);
    }
    harness_close(&h);
}

/* What is wrong with the slots of kernel `keep` as targets; NULL: valid. */
static const struct {
    int32_t slot;
    const char *what;
} wrong_targets[] = {
    {1, "call of function 'half_of', whose type does not match the call, by work-item (2, 0, 0)"},
    {2, "call through a null pointer by work-item (2, 0, 0)"},
    {3, "call through a pointer that is not the address of a function, by work-item (2, 0, 0)"},
    {4, "call through a pointer 8 bytes away from function 'twice' by work-item (2, 0, 0)"},
    {5, "call through a pointer to a function of another program by work-item (2, 0, 0)"},
};

static void check_wrong(harness *h, sim_object slots, uint32_t row, int32_t *first)
{
    int32_t out[8], which[8] = {0, 6, wrong_targets[row].slot, 0, 0, 6, 6, 0};
    which[7] = wrong_targets[row].slot;
    sim_object to = harness_memory(h, "out", NULL, sizeof out);
    sim_object from = harness_memory(h, "which", which, sizeof which);
    sim_argument arguments[] = {harness_global(to), harness_global(slots), harness_global(from)};
    harness_try(h, "through", harness_range(8, 8), arguments, 3);
    assert_true(rt_ok(h->status));
    assert_int_equal(h->finding_count, 1);
    assert_string_equal(h->findings[0].kind, "wrong-call-target");
    assert_string_equal(h->findings[0].message.data, wrong_targets[row].what);
    assert_int_equal(h->findings[0].count, 2);
    harness_read_back(h, to, out, sizeof out);
    for (int i = 0; i < 7; i++) {
        if (i != 2) assert_int_equal(out[i], which[i] == 0 ? 42 : 441);
    }
    if (row == 0) *first = out[2];
    assert_int_equal(out[2], *first); /* drawn from the seed and the place in the code, not from the
                                       * pointer */
}

static void test_wrong_targets(void **state)
{
    (void)state;
    HARNESS_IN_ORDER();
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("pointers", level, engine);
        uint64_t forged = sim_address_of(SIM_CLASS_FUNCTION, 4000);
        sim_object slots = harness_memory(&h, "slots", NULL, 56);
        sim_object_write(h.world, slots, 40, 8, &forged);
        sim_argument argument = harness_global(slots);
        harness_run(&h, "keep", harness_range(1, 1), &argument, 1);
        int32_t drawn = 0;
        for (uint32_t row = 0; row < sizeof wrong_targets / sizeof *wrong_targets; row++)
            check_wrong(&h, slots, row, &drawn);
        harness_close(&h);
    }
}

/* Function addresses belong to a program: another program in the same world, even with the same
 * code, has different ones. */
static void test_other_program(void **state)
{
    (void)state;
    harness h = harness_open_file("pointers", 1, sim_engine_best());
    sim_object slots = harness_memory(&h, "slots", NULL, 56);
    sim_argument argument = harness_global(slots);
    harness_run(&h, "keep", harness_range(1, 1), &argument, 1);
    harness other = harness_open_file("pointers", 1, sim_engine_best());
    sim_program *program = h.program;
    h.program = other.program;
    int32_t which[4] = {0, 0, 0, 0};
    sim_object to = harness_memory(&h, "out", NULL, sizeof which);
    sim_object from = harness_memory(&h, "which", which, sizeof which);
    sim_argument arguments[] = {harness_global(to), harness_global(slots), harness_global(from)};
    harness_try(&h, "through", harness_range(4, 4), arguments, 3);
    assert_int_equal(h.finding_count, 1);
    assert_string_equal(h.findings[0].kind, "wrong-call-target");
    assert_int_equal(h.findings[0].count, 4);
    h.program = program;
    harness_close(&h);
    harness_close(&other);
}

static void test_data_access(void **state)
{
    (void)state;
    HARNESS_IN_ORDER();
    harness h = harness_open_file("pointers", 1, sim_engine_best());
    sim_object slots = harness_memory(&h, "slots", NULL, 56);
    sim_object to = harness_memory(&h, "out", NULL, 16);
    sim_argument arguments[] = {harness_global(slots), harness_global(slots)};
    harness_run(&h, "keep", harness_range(1, 1), arguments, 1);
    arguments[0] = harness_global(to);
    harness_try(&h, "read_code", harness_range(4, 4), arguments, 2);
    assert_int_equal(h.finding_count, 1);
    assert_string_equal(h.findings[0].kind, "out-of-bounds");
    assert_string_equal(h.findings[0].message.data,
                        "load of 4 bytes at the address of a function by work-item (0, 0, 0)");
    harness_close(&h);
}

/* ---- Assembly: initialisers, other modules --------------------------------------------------- */

#define HEAD                                                                                       \
    "OpCapability FunctionPointersINTEL\n" SIM_TEST_PRELUDE_EXTENDED                               \
    "OpEntryPoint Kernel %main \"main\" %id\nOpDecorate %id BuiltIn GlobalInvocationId\n"
#define TYPES                                                                                      \
    "%void = OpTypeVoid\n%int = OpTypeInt 32 0\n%long = OpTypeInt 64 0\n"                          \
    "%v3 = OpTypeVector %long 3\n%in = OpTypePointer Input %v3\n"                                  \
    "%global = OpTypePointer CrossWorkgroup %int\n%kernel = OpTypeFunction %void %global\n"        \
    "%unary = OpTypeFunction %int %int\n%code = OpTypePointer CodeSectionINTEL %unary\n"           \
    "%c1 = OpConstant %int 1\n%l0 = OpConstant %long 0\n%l2 = OpConstant %long 2\n"
#define SIM_TEST_PRELUDE_EXTENDED                                                                  \
    "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\nOpCapability Int64\n"      \
    "OpCapability Int8\nOpCapability GenericPointer\n"                                             \
    "OpExtension \"SPV_INTEL_function_pointers\"\nOpMemoryModel Physical64 OpenCL\n"

/* A virtual function table as compilers generate it: operations on specialisation constants turn
 * the addresses of functions, one of them imported, into generic pointers to bytes. */
static const char table_user[] = HEAD
    "OpDecorate %far LinkageAttributes \"far\" Import\n" TYPES
    "%byte = OpTypeInt 8 0\n%raw = OpTypePointer Generic %byte\n"
    "%near_at = OpConstantFunctionPointerINTEL %code %near\n"
    "%far_at = OpConstantFunctionPointerINTEL %code %far\n"
    "%near_raw = OpSpecConstantOp %long ConvertPtrToU %near_at\n"
    "%far_raw = OpSpecConstantOp %long ConvertPtrToU %far_at\n"
    "%array = OpTypeArray %long %l2\n%table_type = OpTypePointer CrossWorkgroup %array\n"
    "%values = OpSpecConstantComposite %array %near_raw %far_raw\n"
    "%table = OpVariable %table_type CrossWorkgroup %values\n"
    "%slot_type = OpTypePointer CrossWorkgroup %long\n%id = OpVariable %in Input\n"
    "%near = OpFunction %int None %unary\n%nx = OpFunctionParameter %int\n%n0 = OpLabel\n"
    "%nr = OpIAdd %int %nx %c1\nOpReturnValue %nr\nOpFunctionEnd\n"
    "%far = OpFunction %int None %unary\n%fx = OpFunctionParameter %int\nOpFunctionEnd\n"
    "%main = OpFunction %void None %kernel\n%out = OpFunctionParameter %global\n%m0 = OpLabel\n"
    "%ids = OpLoad %v3 %id Aligned 32\n%x = OpCompositeExtract %long %ids 0\n"
    "%i = OpUConvert %int %x\n%which = OpUMod %long %x %l2\n"
    "%slot = OpInBoundsAccessChain %slot_type %table %which\n"
    "%held = OpLoad %long %slot Aligned 8\n%f = OpConvertUToPtr %code %held\n"
    "%r = OpFunctionPointerCallINTEL %int %f %i\n"
    "%to = OpInBoundsPtrAccessChain %global %out %x\nOpStore %to %r Aligned 4\nOpReturn\n"
    "OpFunctionEnd\n";

/* The same table as the DPC++ compiler generates it: addresses of storage class Function are cast
 * to generic pointers to bytes, and the called pointer is also generic. */
static const char generic_table_user[] = HEAD
    "OpDecorate %far LinkageAttributes \"far\" Import\n" TYPES
    "%byte = OpTypeInt 8 0\n%raw = OpTypePointer Generic %byte\n"
    "%plain = OpTypePointer Function %unary\n%any = OpTypePointer Generic %unary\n"
    "%near_at = OpConstantFunctionPointerINTEL %plain %near\n"
    "%far_at = OpConstantFunctionPointerINTEL %plain %far\n"
    "%near_raw = OpSpecConstantOp %raw PtrCastToGeneric %near_at\n"
    "%far_raw = OpSpecConstantOp %raw PtrCastToGeneric %far_at\n"
    "%array = OpTypeArray %raw %l2\n%table_type = OpTypePointer CrossWorkgroup %array\n"
    "%values = OpSpecConstantComposite %array %near_raw %far_raw\n"
    "%table = OpVariable %table_type CrossWorkgroup %values\n"
    "%slot_type = OpTypePointer CrossWorkgroup %raw\n%id = OpVariable %in Input\n"
    "%near = OpFunction %int None %unary\n%nx = OpFunctionParameter %int\n%n0 = OpLabel\n"
    "%nr = OpIAdd %int %nx %c1\nOpReturnValue %nr\nOpFunctionEnd\n"
    "%far = OpFunction %int None %unary\n%fx = OpFunctionParameter %int\nOpFunctionEnd\n"
    "%main = OpFunction %void None %kernel\n%out = OpFunctionParameter %global\n%m0 = OpLabel\n"
    "%ids = OpLoad %v3 %id Aligned 32\n%x = OpCompositeExtract %long %ids 0\n"
    "%i = OpUConvert %int %x\n%which = OpUMod %long %x %l2\n"
    "%slot = OpInBoundsAccessChain %slot_type %table %which\n"
    "%held = OpLoad %raw %slot Aligned 8\n%f = OpBitcast %any %held\n"
    "%r = OpFunctionPointerCallINTEL %int %f %i\n"
    "%to = OpInBoundsPtrAccessChain %global %out %x\nOpStore %to %r Aligned 4\nOpReturn\n"
    "OpFunctionEnd\n";

static const char table_provider[] =
    SIM_TEST_PRELUDE "OpDecorate %far LinkageAttributes \"far\" Export\n"
                     "%int = OpTypeInt 32 0\n%unary = OpTypeFunction %int %int\n"
                     "%c10 = OpConstant %int 10\n%far = OpFunction %int None %unary\n"
                     "%x = OpFunctionParameter %int\n%l = OpLabel\n%r = OpIMul %int %x %c10\n"
                     "OpReturnValue %r\nOpFunctionEnd\n";

static void run_table(const char *user)
{
    rt_sink *sink = rt_sink_create();
    sim_module *modules[] = {sim_test_module(sink, user), sim_test_module(sink, table_provider)};
    harness h = harness_link(sink, modules, 2, sim_engine_best());
    int32_t out[40];
    sim_object to = harness_memory(&h, "out", NULL, sizeof out);
    sim_argument argument = harness_global(to);
    harness_run(&h, "main", harness_range(40, 20), &argument, 1);
    harness_read_back(&h, to, out, sizeof out);
    for (int i = 0; i < 40; i++)
        assert_int_equal(out[i], i % 2 ? 10 * i : i + 1);
    harness_close(&h);
}

static void test_table_in_memory(void **state)
{
    (void)state;
    run_table(table_user);
    run_table(generic_table_user);
}

/* The table of a class with two bases contains the offset to top, a number converted to an address.
 */
static void test_number_in_table(void **state)
{
    (void)state;
    static const char table[] = HEAD TYPES
        "%byte = OpTypeInt 8 0\n%raw = OpTypePointer Generic %byte\n"
        "%away = OpConstant %long 18446744073709551600\n"
        "%top = OpSpecConstantOp %raw ConvertUToPtr %away\n%null = OpConstantNull %raw\n"
        "%array = OpTypeArray %raw %l2\n%table_type = OpTypePointer CrossWorkgroup %array\n"
        "%values = OpConstantComposite %array %top %null\n"
        "%table = OpVariable %table_type CrossWorkgroup %values\n"
        "%slot_type = OpTypePointer CrossWorkgroup %raw\n%id = OpVariable %in Input\n"
        "%main = OpFunction %void None %kernel\n%out = OpFunctionParameter %global\n%m0 = OpLabel\n"
        "%ids = OpLoad %v3 %id Aligned 32\n%x = OpCompositeExtract %long %ids 0\n"
        "%slot = OpInBoundsAccessChain %slot_type %table %x\n"
        "%held = OpLoad %raw %slot Aligned 8\n%number = OpConvertPtrToU %long %held\n"
        "%r = OpUConvert %int %number\n"
        "%to = OpInBoundsPtrAccessChain %global %out %x\nOpStore %to %r Aligned 4\nOpReturn\n"
        "OpFunctionEnd\n";
    harness h = harness_text(table);
    int32_t out[2];
    sim_object to = harness_memory(&h, "out", NULL, sizeof out);
    sim_argument argument = harness_global(to);
    harness_run(&h, "main", harness_range(2, 2), &argument, 1);
    harness_read_back(&h, to, out, sizeof out);
    assert_int_equal(out[0], -16);
    assert_int_equal(out[1], 0);
    harness_close(&h);
}

#define CALLER(pointee, arguments)                                                                 \
    HEAD TYPES "%id = OpVariable %in Input\n"                                                      \
               "%main = OpFunction %void None %kernel\n%out = OpFunctionParameter %global\n"       \
               "%m0 = OpLabel\n%at = OpConvertUToPtr %" pointee " %l0\n"                           \
               "%r = OpFunctionPointerCallINTEL %int " arguments "\nOpReturn\nOpFunctionEnd\n"

/* In a module without function pointers, declarations must come first. */
static const char late_declaration[] =
    SIM_TEST_PRELUDE "OpDecorate %far LinkageAttributes \"far\" Import\n%int = OpTypeInt 32 0\n"
                     "%unary = OpTypeFunction %int %int\n%near = OpFunction %int None %unary\n"
                     "%x = OpFunctionParameter %int\n%l = OpLabel\nOpReturnValue %x\n"
                     "OpFunctionEnd\n%far = OpFunction %int None %unary\n"
                     "%y = OpFunctionParameter %int\nOpFunctionEnd\n";

static void test_refused(void **state)
{
    (void)state;
    sim_test_refused(late_declaration, RT_MALFORMED, "follows a definition");
    sim_test_refused(CALLER("global", "%at %c1"), RT_MALFORMED, "does not point to a function");
    sim_test_refused(CALLER("code", "%at"), RT_MALFORMED, "0 arguments are passed");
    sim_test_refused(CALLER("code", "%at %l0"), RT_MALFORMED, "differs in type from the parameter");
    sim_test_refused(CALLER("code", ""), RT_MALFORMED, "the call has no function pointer");
    sim_test_refused(CALLER("code", "%l0 %c1"), RT_MALFORMED, "must be a pointer");
}

static void assert_link_refused(const char *text, const char *words)
{
    rt_sink *sink = rt_sink_create();
    sim_module *module = sim_test_module(sink, text);
    sim_program *program;
    rt_status status = sim_program_link(sink, (const sim_module *const *)&module, 1, &program);
    assert_int_equal(status.code, RT_UNSUPPORTED);
    const rt_diagnostic *diagnostic = rt_sink_diagnostic(sink, status);
    if (!strstr(diagnostic->message.data, words)) fail_msg("%s", diagnostic->message.data);
    sim_module_destroy(module);
    rt_sink_destroy(sink);
}

static void test_kernel_address(void **state)
{
    (void)state;
    static const char text[] = HEAD TYPES
        "%entry_code = OpTypePointer CodeSectionINTEL %kernel\n"
        "%self = OpConstantFunctionPointerINTEL %entry_code %main\n%id = OpVariable %in Input\n"
        "%main = OpFunction %void None %kernel\n%out = OpFunctionParameter %global\n"
        "%m0 = OpLabel\n%n = OpFunctionPointerCallINTEL %void %self %out\nOpReturn\n"
        "OpFunctionEnd\n";
    assert_link_refused(text,
                        "the address of kernel 'main' is taken, but kernels cannot be called");
}

/* A result with too many parts is refused even if the function never returns and so has no value.
 */
static void test_large_result(void **state)
{
    (void)state;
#define LARGE                                                                                      \
    "%l5000 = OpConstant %long 5000\n%array = OpTypeArray %int %l5000\n"                           \
    "%maker_type = OpTypeFunction %array\n%id = OpVariable %in Input\n"
#define MAKER                                                                                      \
    "%maker = OpFunction %array None %maker_type\n%k0 = OpLabel\nOpUnreachable\nOpFunctionEnd\n"
#define USER                                                                                       \
    "%main = OpFunction %void None %kernel\n%out = OpFunctionParameter %global\n%m0 = OpLabel\n"   \
    "%n = OpFunctionCall %array %maker\nOpReturn\nOpFunctionEnd\n"
    assert_link_refused(HEAD TYPES LARGE MAKER USER,
                        "OpFunction in function '' is refused: its result has more than 4096");
    assert_link_refused(HEAD TYPES LARGE USER MAKER,
                        "OpFunctionCall in function '' is refused: its result has more than 4096");
}

/* Kernel `apply` calls the function whose address is its argument.  Nothing in the module takes the
 * address of a function. */
static const char host_taken[] =
    "OpCapability FunctionPointersINTEL\nOpCapability IndirectReferencesINTEL\n" SIM_TEST_PRELUDE_EXTENDED
    "OpEntryPoint Kernel %apply \"apply\" %id\nOpName %hidden \"hidden\"\n"
    "OpDecorate %id BuiltIn GlobalInvocationId\n"
    "OpDecorate %tenfold LinkageAttributes \"tenfold\" Export\n"
    "OpDecorate %tenfold ReferencedIndirectlyINTEL\n"
    "OpDecorate %plain LinkageAttributes \"plain\" Export\n"
    "OpDecorate %hidden ReferencedIndirectlyINTEL\n"
    "OpDecorate %apply ReferencedIndirectlyINTEL\n" TYPES
    "%c10 = OpConstant %int 10\n%id = OpVariable %in Input\n"
    "%applier = OpTypeFunction %void %global %long\n"
    "%tenfold = OpFunction %int None %unary\n%tx = OpFunctionParameter %int\n%t0 = OpLabel\n"
    "%tr = OpIMul %int %tx %c10\nOpReturnValue %tr\nOpFunctionEnd\n"
    "%plain = OpFunction %int None %unary\n%px = OpFunctionParameter %int\n%p0 = OpLabel\n"
    "OpReturnValue %px\nOpFunctionEnd\n"
    "%hidden = OpFunction %int None %unary\n%hx = OpFunctionParameter %int\n%h0 = OpLabel\n"
    "OpReturnValue %hx\nOpFunctionEnd\n"
    "%apply = OpFunction %void None %applier\n%out = OpFunctionParameter %global\n"
    "%address = OpFunctionParameter %long\n%m0 = OpLabel\n"
    "%ids = OpLoad %v3 %id Aligned 32\n%x = OpCompositeExtract %long %ids 0\n"
    "%i = OpUConvert %int %x\n%f = OpConvertUToPtr %code %address\n"
    "%r = OpFunctionPointerCallINTEL %int %f %i\n"
    "%to = OpInBoundsPtrAccessChain %global %out %x\nOpStore %to %r Aligned 4\nOpReturn\n"
    "OpFunctionEnd\n";

static uint64_t address_of(harness *h, const char *name)
{
    uint64_t address = 1;
    assert_true(rt_ok(sim_world_function(h->world, h->program, rt_text_of(name), &address)));
    return address;
}

/* The host takes the address of an exported function that the module decorates for that, and only
 * of such a function (SPV_INTEL_function_pointers, ReferencedIndirectlyINTEL). */
static void test_host_address(void **state)
{
    (void)state;
    harness h = harness_text(host_taken);
    uint64_t tenfold = address_of(&h, "tenfold");
    assert_int_equal(sim_address_class_of(tenfold), SIM_CLASS_FUNCTION);
    assert_true(address_of(&h, "tenfold") == tenfold);
    assert_true(address_of(&h, "plain") == 0);  /* nothing says that its address may be taken */
    assert_true(address_of(&h, "hidden") == 0); /* not exported */
    assert_true(address_of(&h, "apply") == 0);  /* a kernel */
    assert_true(address_of(&h, "") == 0);
    int32_t out[40];
    sim_object to = harness_memory(&h, "out", NULL, sizeof out);
    sim_argument arguments[] = {harness_global(to), harness_value(&tenfold, sizeof tenfold)};
    harness_run(&h, "apply", harness_range(40, 20), arguments, 2);
    harness_read_back(&h, to, out, sizeof out);
    for (int i = 0; i < 40; i++)
        assert_int_equal(out[i], 10 * i);

    /* It is not an address of another program, even with the same code. */
    harness other = harness_text(host_taken);
    sim_program *program = h.program;
    h.program = other.program;
    assert_true(address_of(&h, "tenfold") != tenfold);
    harness_try(&h, "apply", harness_range(40, 20), arguments, 2);
    assert_int_equal(h.finding_count, 1);
    assert_string_equal(h.findings[0].kind, "wrong-call-target");
    h.program = program;
    harness_close(&h);
    harness_close(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_targets),         cmocka_unit_test(test_spinning),
        cmocka_unit_test(test_recursion),       cmocka_unit_test(test_wrong_targets),
        cmocka_unit_test(test_other_program),   cmocka_unit_test(test_data_access),
        cmocka_unit_test(test_table_in_memory), cmocka_unit_test(test_number_in_table),
        cmocka_unit_test(test_refused),         cmocka_unit_test(test_kernel_address),
        cmocka_unit_test(test_host_address),    cmocka_unit_test(test_large_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
