/* Tests of programs' module-scope variables: a world finds them by name, with their values, as long
 * as they exist. */
#include "sim/test/harness.h"

#define TYPES                                                                                      \
    "%void = OpTypeVoid\n"                                                                         \
    "%int = OpTypeInt 32 0\n"                                                                      \
    "%three = OpConstant %int 3\n"                                                                 \
    "%five = OpConstant %int 5\n"                                                                  \
    "%one = OpConstant %int 1\n"                                                                   \
    "%triple = OpTypeArray %int %three\n"                                                          \
    "%ptr_int = OpTypePointer CrossWorkgroup %int\n"                                               \
    "%ptr_triple = OpTypePointer CrossWorkgroup %triple\n"                                         \
    "%ptr_ptr = OpTypePointer CrossWorkgroup %ptr_int\n"

/* `link` points to the second element of `numbers`; kernel `add` adds 100 to its target. */
static const char linked[] =
    SIM_TEST_PRELUDE "OpEntryPoint Kernel %add \"add\"\n"
                     "OpEntryPoint Kernel %load \"load\"\n"
                     "OpName %hidden \"hidden\"\n"
                     "OpDecorate %numbers LinkageAttributes \"numbers\" Export\n"
                     "OpDecorate %link LinkageAttributes \"link\" Export\n"
                     "OpDecorate %blank LinkageAttributes \"blank\" Export\n"
                     "OpDecorate %vague LinkageAttributes \"vague\" Export\n"
                     "OpDecorate %scratch LinkageAttributes \"scratch\" Export\n" TYPES
                     "%hundred = OpConstant %int 100\n"
                     "%initial = OpConstantComposite %triple %one %three %five\n"
                     "%nothing = OpUndef %int\n"
                     "%ptr_local = OpTypePointer Workgroup %int\n"
                     "%numbers = OpVariable %ptr_triple CrossWorkgroup %initial\n"
                     "%second = OpSpecConstantOp %ptr_int InBoundsAccessChain %numbers %one\n"
                     "%link = OpVariable %ptr_ptr CrossWorkgroup %second\n"
                     "%blank = OpVariable %ptr_int CrossWorkgroup\n"
                     "%vague = OpVariable %ptr_int CrossWorkgroup %nothing\n"
                     "%hidden = OpVariable %ptr_int CrossWorkgroup %five\n"
                     "%scratch = OpVariable %ptr_local Workgroup\n"
                     "%add_type = OpTypeFunction %void\n"
                     "%load_type = OpTypeFunction %void %ptr_int %ptr_int\n"
                     "%add = OpFunction %void None %add_type\n"
                     "%add_entry = OpLabel\n"
                     "%to = OpLoad %ptr_int %link\n"
                     "%old = OpLoad %int %to\n"
                     "%new = OpIAdd %int %old %hundred\n"
                     "OpStore %to %new\n"
                     "OpReturn\n"
                     "OpFunctionEnd\n"
                     "%load = OpFunction %void None %load_type\n"
                     "%out = OpFunctionParameter %ptr_int\n"
                     "%from = OpFunctionParameter %ptr_int\n"
                     "%load_entry = OpLabel\n"
                     "%found = OpLoad %int %from\n"
                     "OpStore %out %found\n"
                     "OpReturn\n"
                     "OpFunctionEnd\n";

static sim_object variable(harness *h, const char *name)
{
    sim_object object;
    assert_true(rt_ok(sim_world_variable(h->world, h->program, rt_text_of(name), &object)));
    return object;
}

static void test_names(void **state)
{
    (void)state;
    harness h = harness_text(linked);
    sim_object numbers = variable(&h, "numbers");
    assert_true(numbers != 0);
    assert_int_equal(variable(&h, "numbers"), numbers);
    assert_int_equal(sim_object_size(h.world, numbers), 12);
    assert_true(rt_text_is(sim_object_label(h.world, numbers), "numbers"));
    assert_int_equal(sim_object_size(h.world, variable(&h, "link")), 8);
    assert_int_equal(variable(&h, "number"), 0);
    assert_int_equal(variable(&h, ""), 0);
    assert_int_equal(variable(&h, "hidden"), 0);  /* not exported */
    assert_int_equal(variable(&h, "scratch"), 0); /* a work-group's */
    assert_int_equal(variable(&h, "add"), 0);     /* a function */
    harness_close(&h);
}

/* Adds HostAccessINTEL to a variable that is not exported, in one of its encodings, with the name
 * "numbers" or "other"; the assembler does not know the decoration. */
static char *with_host_access(const char *number, const char *words)
{
    static const char before[] = "OpDecorate %numbers Linkage";
    const char *place = strstr(linked, before);
    char *text;
    assert_non_null(place);
    assert_true(asprintf(&text, "OpCapability !%d\n%.*sOpDecorate %%hidden !%s !2 %s\n%s",
                         atoi(number) - 1, (int)(place - linked), linked, number, words,
                         place) > 0);
    return text;
}

static void test_host_names(void **state)
{
    (void)state;
    static const char *const numbers[] = {"6147", "6188"};
    for (uint32_t i = 0; i < 2; i++) {
        char *same = with_host_access(numbers[i], "!0x626d756e !0x00737265");
        harness h = harness_text(same);
        assert_int_equal(sim_object_size(h.world, variable(&h, "numbers")), 4);
        harness_close(&h);
        char *other = with_host_access(numbers[i], "!0x6568746f !0x72");
        h = harness_text(other);
        assert_int_equal(sim_object_size(h.world, variable(&h, "numbers")), 12);
        assert_int_equal(sim_object_size(h.world, variable(&h, "other")), 4);
        assert_int_equal(variable(&h, "hidden"), 0);
        harness_close(&h);
        free(same);
        free(other);
    }
}

static void test_values(void **state)
{
    (void)state;
    harness h = harness_text(linked);
    int values[3];
    uint64_t address;
    uint8_t bits = 0;
    sim_object numbers = variable(&h, "numbers"), link = variable(&h, "link");
    harness_read_back(&h, numbers, values, sizeof values);
    assert_memory_equal(values, ((int[]){1, 3, 5}), sizeof values);
    harness_read_back(&h, link, &address, sizeof address);
    assert_true(address == sim_object_address(numbers) + 4);
    sim_object_defined(h.world, link, 0, 8, &bits);
    assert_int_equal(bits, 0xff);
    static const char *const undefined[] = {"blank", "vague"};
    for (uint32_t i = 0; i < 2; i++) {
        sim_object_defined(h.world, variable(&h, undefined[i]), 0, 4, &bits);
        assert_int_equal(bits, 0);
    }

    /* Kernels see what the host writes, and vice versa. */
    address += 4;
    sim_object_write(h.world, link, 0, sizeof address, &address);
    harness_run(&h, "add", harness_range(1, 1), NULL, 0);
    harness_read_back(&h, numbers, values, sizeof values);
    assert_memory_equal(values, ((int[]){1, 3, 105}), sizeof values);
    harness_close(&h);
}

static void test_each_world_has_its_own(void **state)
{
    (void)state;
    harness h = harness_text(linked);
    sim_world *first = h.world, *second = sim_world_create(h.sink, 1);
    sim_object numbers = variable(&h, "numbers");
    harness_run(&h, "add", harness_range(1, 1), NULL, 0);
    h.world = second;
    int values[3];
    sim_object twin = variable(&h, "numbers");
    harness_read_back(&h, twin, values, sizeof values);
    assert_int_equal(values[1], 3);
    sim_object_read(first, numbers, 0, sizeof values, values);
    assert_int_equal(values[1], 103);
    sim_world_destroy(second);
    h.world = first;
    harness_close(&h);
}

static void test_forgotten_programs(void **state)
{
    (void)state;
    harness h = harness_text(linked);
    sim_module *module = sim_test_module(h.sink, linked);
    sim_program *other;
    assert_true(rt_ok(sim_program_link(h.sink, (const sim_module *const *)&module, 1, &other)));
    sim_module_destroy(module);
    sim_world_forget(h.world, other); /* has no variables yet: nothing happens */
    sim_object numbers;
    assert_true(rt_ok(sim_world_variable(h.world, other, RT_TEXT("numbers"), &numbers)));
    sim_object unrelated = variable(&h, "numbers");
    int nothing = 0, values[3];
    sim_object out = harness_memory(&h, "out", &nothing, sizeof nothing);
    const sim_argument arguments[] = {
        harness_global(out), {.kind = SIM_PARAMETER_GLOBAL, .object = numbers, .offset = 8}};
    harness_run(&h, "load", harness_range(1, 1), arguments, 2);
    harness_read_back(&h, out, values, sizeof *values);
    assert_int_equal(values[0], 5);

    sim_world_forget(h.world, other);
    sim_program_destroy(other);
    assert_false(sim_object_is_alive(h.world, numbers));
    harness_try(&h, "load", harness_range(1, 1), arguments, 2);
    assert_int_equal(h.finding_count, 1);
    assert_string_equal(h.findings[0].kind, "use-after-free");
    assert_string_equal(h.findings[0].object.data, "numbers");
    assert_int_equal(h.findings[0].offset, 8);
    /* The variables of the harness's program are unchanged. */
    harness_read_back(&h, unrelated, values, sizeof values);
    assert_int_equal(values[1], 3);
    harness_close(&h);
}

/* LinkOnceODR definitions of the same name make one variable, which imports share. */
static void test_linked_modules(void **state)
{
    (void)state;
    static const char odr[] =
        SIM_TEST_PRELUDE "OpDecorate %shared LinkageAttributes \"shared\" LinkOnceODR\n" TYPES
                         "%initial = OpConstantComposite %triple %one %three %five\n"
                         "%shared = OpVariable %ptr_triple CrossWorkgroup %initial\n";
    static const char user[] =
        SIM_TEST_PRELUDE "OpEntryPoint Kernel %set \"set\"\n"
                         "OpDecorate %shared LinkageAttributes \"shared\" Import\n" TYPES
                         "%type = OpTypeFunction %void\n"
                         "%shared = OpVariable %ptr_triple CrossWorkgroup\n"
                         "%set = OpFunction %void None %type\n"
                         "%entry = OpLabel\n"
                         "%to = OpInBoundsAccessChain %ptr_int %shared %one\n"
                         "OpStore %to %five\n"
                         "OpReturn\n"
                         "OpFunctionEnd\n";
    rt_sink *sink = rt_sink_create();
    sim_module *modules[] = {sim_test_module(sink, user), sim_test_module(sink, odr),
                             sim_test_module(sink, odr)};
    harness h = harness_link(sink, modules, 3, sim_engine_best());
    assert_int_equal(h.program->global_count, 1);
    sim_object shared = variable(&h, "shared");
    harness_run(&h, "set", harness_range(1, 1), NULL, 0);
    int values[3];
    harness_read_back(&h, shared, values, sizeof values);
    assert_memory_equal(values, ((int[]){1, 5, 5}), sizeof values);
    harness_close(&h);
}

/* Initial values that are addresses: three structures of 32 bytes, { int, int[4], long }, the array
 * at 4, the last member at 24. */
static const struct {
    const char *type, *operations; /* %value is the initial value of a variable of this type */
    bool is_number;                /* not relative to %base */
    int64_t expected;
} addresses[] = {
    {"pi", "%value = OpSpecConstantOp %pi AccessChain %base %two %one %three\n", false, 80},
    {"pi", "%value = OpSpecConstantOp %pi InBoundsAccessChain %base %zero %zero\n", false, 0},
    {"pl", "%value = OpSpecConstantOp %pl AccessChain %base %one %two\n", false, 56},
    /* The first index of a pointer's chain counts whole elements; indices have signs. */
    {"pi",
     "%a = OpSpecConstantOp %pi AccessChain %base %one %one %zero\n"
     "%value = OpSpecConstantOp %pi PtrAccessChain %a %minus8\n",
     false, 32},
    {"pi",
     "%a = OpSpecConstantOp %pi AccessChain %base %one %one %zero\n"
     "%value = OpSpecConstantOp %pi InBoundsPtrAccessChain %a %minus64\n",
     false, 32},
    {"pi",
     "%a = OpSpecConstantOp %pB AccessChain %base %one\n"
     "%value = OpSpecConstantOp %pi PtrAccessChain %a %minus64 %one %two\n",
     false, 12},
    {"pi",
     "%a = OpSpecConstantOp %pB AccessChain %base %one\n"
     "%value = OpSpecConstantOp %pi PtrAccessChain %a %one %one %two\n",
     false, 76},
    {"pi",
     "%a = OpSpecConstantOp %pB AccessChain %base %null\n"
     "%value = OpSpecConstantOp %pi PtrAccessChain %a %null %one %three\n",
     false, 16},
    {"pi",
     "%a = OpSpecConstantOp %pi AccessChain %base %one %zero\n"
     "%b = OpSpecConstantOp %pi AccessChain %base %two %zero\n"
     "%value = OpSpecConstantOp %pi Select %true %a %b\n",
     false, 32},
    {"pi",
     "%a = OpSpecConstantOp %pi AccessChain %base %one %zero\n"
     "%b = OpSpecConstantOp %pi AccessChain %base %two %zero\n"
     "%value = OpSpecConstantOp %pi Select %false %a %b\n",
     false, 64},
    {"long",
     "%a = OpSpecConstantOp %pl AccessChain %base %zero %two\n"
     "%value = OpSpecConstantOp %long ConvertPtrToU %a\n",
     false, 24},
    {"gl",
     "%a = OpSpecConstantOp %pi AccessChain %base %two %one %one\n"
     "%b = OpSpecConstantOp %pl Bitcast %a\n"
     "%value = OpSpecConstantOp %gl PtrCastToGeneric %b\n",
     false, 72},
    {"pi", "%value = OpSpecConstantOp %pi ConvertUToPtr %number\n", true, 4660},
    {"pi",
     "%a = OpSpecConstantOp %pi ConvertUToPtr %number\n"
     "%value = OpSpecConstantOp %pi PtrAccessChain %a %three\n",
     true, 4672},
    {"pi", "%value = OpConstantNull %pi\n", true, 0},
    {"pi", "%a = OpConstantNull %pi\n%value = OpSpecConstantOp %pi PtrAccessChain %a %minus64\n",
     true, -4},
};

static void test_addresses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        /* The value stands alone, and as the second part of a structure. */
        for (int is_part = 0; is_part < 2; is_part++) {
            char text[8192];
            snprintf(
                text, sizeof text, "%s%s%%pv = OpTypePointer CrossWorkgroup %%%s\n%s%s",
                SIM_TEST_PRELUDE "OpDecorate %base LinkageAttributes \"base\" Export\n"
                                 "OpDecorate %v LinkageAttributes \"v\" Export\n",
                "%bool = OpTypeBool\n%char = OpTypeInt 8 0\n%int = OpTypeInt 32 0\n"
                "%long = OpTypeInt 64 0\n%true = OpConstantTrue %bool\n"
                "%false = OpConstantFalse %bool\n%zero = OpConstant %int 0\n"
                "%one = OpConstant %int 1\n%two = OpConstant %int 2\n%three = OpConstant %int 3\n"
                "%four = OpConstant %int 4\n%null = OpConstantNull %int\n"
                "%minus8 = OpConstant %char 255\n"
                "%minus64 = OpConstant %long 18446744073709551615\n"
                "%number = OpConstant %long 4660\n%A = OpTypeArray %int %four\n"
                "%B = OpTypeStruct %int %A %long\n%B3 = OpTypeArray %B %three\n"
                "%pi = OpTypePointer CrossWorkgroup %int\n"
                "%pl = OpTypePointer CrossWorkgroup %long\n"
                "%gl = OpTypePointer Generic %long\n%pB = OpTypePointer CrossWorkgroup %B\n"
                "%p3 = OpTypePointer CrossWorkgroup %B3\n"
                "%base = OpVariable %p3 CrossWorkgroup\n",
                addresses[i].type, addresses[i].operations,
                is_part ? "" : "%v = OpVariable %pv CrossWorkgroup %value\n");
            if (is_part)
                snprintf(text + strlen(text), sizeof text - strlen(text),
                         "%%S = OpTypeStruct %%long %%%s\n"
                         "%%s = OpConstantComposite %%S %%number %%value\n"
                         "%%ps = OpTypePointer CrossWorkgroup %%S\n"
                         "%%v = OpVariable %%ps CrossWorkgroup %%s\n",
                         addresses[i].type);
            harness h = harness_text(text);
            uint64_t values[2] = {0}, address = sim_object_address(variable(&h, "base"));
            harness_read_back(&h, variable(&h, "v"), values, is_part ? 16 : 8);
            uint64_t expected =
                (addresses[i].is_number ? 0 : address) + (uint64_t)addresses[i].expected;
            if (values[is_part] != expected)
                fail_msg("%s: %#llx, expected %#llx", addresses[i].operations,
                         (unsigned long long)values[is_part], (unsigned long long)expected);
            if (is_part) assert_int_equal(values[0], 4660);
            harness_close(&h);
        }
    }
}

/* A variable without bytes has an address too. What a program's variables need counts those in
 * global memory, but not constants. */
static void test_sizes(void **state)
{
    (void)state;
    harness h =
        harness_text(SIM_TEST_PRELUDE "OpDecorate %empty LinkageAttributes \"empty\" Export\n"
                                      "OpDecorate %first LinkageAttributes \"first\" Export\n"
                                      "OpDecorate %last Constant\n" TYPES "%E = OpTypeStruct\n"
                                      "%pE = OpTypePointer CrossWorkgroup %E\n"
                                      "%pc = OpTypePointer UniformConstant %int\n"
                                      "%first = OpVariable %ptr_triple CrossWorkgroup\n"
                                      "%fixed = OpVariable %pc UniformConstant %five\n"
                                      "%empty = OpVariable %pE CrossWorkgroup\n"
                                      "%last = OpVariable %ptr_int CrossWorkgroup %five\n"
                                      "%more = OpVariable %ptr_int CrossWorkgroup %five\n");
    assert_int_equal(sim_program_global_bytes(h.program), 16);
    assert_int_equal(sim_object_size(h.world, variable(&h, "empty")), 1);
    assert_int_equal(sim_object_size(h.world, variable(&h, "first")), 12);
    harness_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_host_names),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_each_world_has_its_own),
        cmocka_unit_test(test_forgotten_programs),
        cmocka_unit_test(test_linked_modules),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
