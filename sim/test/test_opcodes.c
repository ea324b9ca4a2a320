/* Tests of the tables of instructions: refused instructions have a reason that is not a promise,
 * and executed instructions are decoded; every function of OpenCL.std for every type that it takes.
 */
#include "sim/module/opcodes.h"
#include "sim/test/one_instruction.h"

/* True if the reason promises the feature for later. */
static bool is_promise(const char *reason)
{
    static const char *const words[] = {"yet", "built", "later", "for now", "todo", "TODO", "soon"};
    for (uint32_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strstr(reason, words[i])) return true;
    }
    return false;
}

static void test_reasons(void **state)
{
    (void)state;
    assert_true(is_promise("images are not built yet"));
    assert_false(is_promise("only shaders use it"));
    uint32_t refused = 0;
    for (uint32_t number = 0; number < 65536; number++) {
        const sim_opcode *row = sim_opcode_find(number);
        if (!row || row->treatment != SIM_TREATMENT_REFUSED) continue;
        refused++;
        if (row->reason[0] == '\0' || is_promise(row->reason)) fail_msg("%s", row->name);
    }
    assert_true(refused > 100);
    for (uint32_t number = 0; number < 1024; number++) {
        const sim_extended *row = sim_extended_find(number);
        if (!row || row->treatment != SIM_TREATMENT_REFUSED) continue;
        if (row->reason[0] == '\0' || is_promise(row->reason)) fail_msg("%s", row->name);
    }
}

/* ---- Every function ----------------------------------------------------------------------------
 */

/* Reads and links a module that applies the function to values of the type. */
static void decode(const sim_extended *row, const char *type, uint32_t operands)
{
    static char text[16384], body[256];
    static const char *const lists[] = {"%a", "%a %b", "%a %b %c"};
    snprintf(body, sizeof body, "%%r = OpExtInst %%%s %%std %s %s\n", type, row->name,
             lists[operands - 1]);
    instruction insn = {row->name, type, type, type, type, NULL, NULL, body};
    module_text(text, sizeof text, &insn);
    harness h = harness_text(text);
    assert_non_null(sim_program_kernel(h.program, rt_text_of("lanes")));
    harness_close(&h);
}

static void test_functions(void **state)
{
    (void)state;
    static const char *const integers[] = {"i8", "i16", "i32", "i64", "v4i8"};
    static const char *const floats[] = {"h", "f", "d", "v3h", "v4f"};
    static const char *const narrow[] = {"i32", "v2i32"};
    uint32_t decoded = 0;
    for (uint32_t number = 0; number < 1024; number++) {
        const sim_extended *row = sim_extended_find(number);
        if (!row || row->treatment != SIM_TREATMENT_EXEC) continue;
        bool is_float =
            row->group >= SIM_GROUP_FLOAT_UNARY && row->group <= SIM_GROUP_FLOAT_TERNARY;
        bool is_integer =
            row->group >= SIM_GROUP_INTEGER_UNARY && row->group <= SIM_GROUP_INTEGER_TERNARY;
        if (!is_float && !is_integer) continue; /* of mixed types: tested with their groups */
        uint32_t operands =
            1u + row->group - (is_float ? SIM_GROUP_FLOAT_UNARY : SIM_GROUP_INTEGER_UNARY);
        bool is_24 = strstr(row->name, "24") != NULL;
        for (uint32_t i = 0; i < (is_24 ? 2u : 5u); i++) {
            decode(row, is_24 ? narrow[i] : (is_float ? floats : integers)[i], operands);
            decoded++;
        }
    }
    assert_true(decoded > 500);
}

/* Functions on 24 bits take 32-bit integers only. */
static void test_24_bits(void **state)
{
    (void)state;
    static char text[16384];
    static const instruction insn = {"mul24", "i64", "i64", "i64",
                                     "i64",   NULL,  NULL,  STD("s_mul24", "i64", "%a %b")};
    module_text(text, sizeof text, &insn);
    sim_test_refused(text, RT_MALFORMED, "32-bit integers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_24_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
