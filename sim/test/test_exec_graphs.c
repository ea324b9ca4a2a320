/* Runs random control-flow graphs and compares each work-item's results with those of a model that
 * follows the graph alone.  The graphs have loops with several entries and exits, switches, calls
 * with several returns, and variables of several widths that are moved on every edge; some begin
 * with values that all work-items share. */
#include "sim/test/harness.h"

#include <stdarg.h>
#include <string.h>

#define BLOCKS_MAX 12u
#define VARIABLES  5u
#define TARGETS    4u
#define LIMIT      30u /* blocks that a work-item enters before it leaves at the next loop */
#define ITEMS_MAX  300u

typedef enum operation { ADD, SUB, MUL, XOR, SHIFT, PICK, CALL, KEEP, OPERATIONS } operation;
typedef enum ending { JUMP, BRANCH_BIT, BRANCH_LESS, SWITCH, ENDINGS } ending;

/* What a block does to a variable: variable = variable operation (other variable or constant). */
typedef struct step {
    operation operation;
    bool is_constant;
    uint32_t other, constant;
} step;

typedef struct block {
    step steps[VARIABLES];
    ending ending;
    uint32_t deciding, constant;             /* variable, and the number that it is compared with */
    uint32_t targets[TARGETS], target_count; /* blocks; `block_count` is the exit */
    bool has_limit;                          /* leaves the graph after LIMIT blocks */
    bool is_reached;
} block;

typedef struct graph {
    block blocks[BLOCKS_MAX];
    uint32_t block_count;
    uint32_t order[BLOCKS_MAX], order_count; /* reachable blocks, each after its dominators */
} graph;

static const uint32_t widths[VARIABLES] = {32, 32, 32, 64, 8};

/* ---- Random graphs -------------------------------------------------------------------------- */

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 32) % below;
}

/* Another variable of the same width. */
static uint32_t other_of(uint32_t variable, uint64_t *state)
{
    return widths[variable] == 32 ? draw(state, 3) : variable;
}

static void reach(graph *g, uint32_t index)
{
    block *b = &g->blocks[index];
    if (index == g->block_count || b->is_reached) return;
    b->is_reached = true;
    for (uint32_t i = b->target_count; i-- > 0;)
        reach(g, b->targets[i]);
    g->order[g->order_count++] = index;
}

static block block_draw(uint32_t index, uint32_t count, uint64_t *state)
{
    block b = {.ending = (ending)draw(state, ENDINGS),
               .deciding = draw(state, VARIABLES),
               .constant = draw(state, 40)};
    for (uint32_t k = 0; k < VARIABLES; k++) {
        b.steps[k] = (step){.operation = (operation)draw(state, OPERATIONS),
                            .is_constant = draw(state, 2),
                            .other = other_of(k, state),
                            .constant = 1 + draw(state, 100)};
    }
    b.target_count = b.ending == JUMP ? 1 : b.ending == SWITCH ? TARGETS : 2;
    for (uint32_t i = 0; i < b.target_count; i++)
        b.targets[i] = draw(state, 3) ? index + 1 : draw(state, count + 1);
    if (b.target_count == 2 && b.targets[0] == b.targets[1])
        b.targets[1] = (b.targets[0] + 1) % (count + 1);
    for (uint32_t i = 0; i < b.target_count; i++)
        b.has_limit |= b.targets[i] <= index;
    return b;
}

static graph graph_draw(uint64_t *state)
{
    graph g = {.block_count = 2 + draw(state, BLOCKS_MAX - 1)};
    for (uint32_t i = 0; i < g.block_count; i++)
        g.blocks[i] = block_draw(i, g.block_count, state);
    reach(&g, 0);
    for (uint32_t i = 0; i < g.order_count / 2; i++) {
        uint32_t held = g.order[i];
        g.order[i] = g.order[g.order_count - 1 - i];
        g.order[g.order_count - 1 - i] = held;
    }
    return g;
}

/* ---- The model ------------------------------------------------------------------------------ */

static uint64_t cut(uint64_t value, uint32_t variable)
{
    return value & (UINT64_MAX >> (64 - widths[variable]));
}

/* What the function in TEXT_BEGIN computes. */
static uint64_t called(uint64_t value)
{
    return value & 1 ? (uint32_t)(3 * value + 1) : value >> 1;
}

static uint64_t step_run(const step *s, const uint64_t *before, uint32_t k)
{
    uint64_t a = before[k], b = s->is_constant ? s->constant : before[s->other];
    switch (s->operation) {
    case ADD: return cut(a + b, k);
    case SUB: return cut(a - b, k);
    case MUL: return cut(a * b, k);
    case XOR: return cut(a ^ b, k);
    case SHIFT: return a >> 3;
    case PICK: return cut(a < s->constant ? a : b, k);
    case CALL: return widths[k] == 32 ? called(a) : a;
    default: return a;
    }
}

static void model_run(const graph *g, uint64_t *v, uint32_t *out_count)
{
    uint32_t at = 0, count = 0;
    while (at < g->block_count) {
        const block *b = &g->blocks[at];
        uint64_t before[VARIABLES];
        memcpy(before, v, sizeof before);
        for (uint32_t k = 0; k < VARIABLES; k++)
            v[k] = step_run(&b->steps[k], before, k);
        count++;
        if (b->has_limit && count >= LIMIT) break;
        uint64_t decides = v[b->deciding];
        uint32_t which = 0;
        if (b->ending == BRANCH_BIT) which = decides & (1u << b->constant % 5) ? 0 : 1;
        if (b->ending == BRANCH_LESS) which = decides < b->constant ? 0 : 1;
        if (b->ending == SWITCH) which = (decides & 3) == 3 ? 0 : 1 + (uint32_t)(decides & 3);
        at = b->targets[which];
    }
    *out_count = count;
}

/* ---- The module ----------------------------------------------------------------------------- */

#define TEXT_BEGIN                                                                                 \
    "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\nOpCapability Int64\n"      \
    "OpCapability Int8\nOpMemoryModel Physical64 OpenCL\n"                                         \
    "OpEntryPoint Kernel %main \"main\" %gid\nOpDecorate %gid BuiltIn GlobalInvocationId\n"        \
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%i8 = OpTypeInt 8 0\n%i32 = OpTypeInt 32 0\n"         \
    "%i64 = OpTypeInt 64 0\n%three = OpTypeVector %i64 3\n%p_three = OpTypePointer Input %three\n" \
    "%gid = OpVariable %p_three Input\n%p64 = OpTypePointer CrossWorkgroup %i64\n"                 \
    "%main_t = OpTypeFunction %void %p64 %i32\n%f_t = OpTypeFunction %i32 %i32\n"
#define TEXT_FUNCTIONS                                                                             \
    "%f = OpFunction %i32 None %f_t\n%fx = OpFunctionParameter %i32\n%f0 = OpLabel\n"              \
    "%f1 = OpBitwiseAnd %i32 %fx %k32_1\n%f2 = OpIEqual %bool %f1 %k32_1\n"                        \
    "OpBranchConditional %f2 %f3 %f4\n%f3 = OpLabel\n%f5 = OpIMul %i32 %fx %k32_3\n"               \
    "%f6 = OpIAdd %i32 %f5 %k32_1\nOpReturnValue %f6\n%f4 = OpLabel\n"                             \
    "%f7 = OpShiftRightLogical %i32 %fx %k32_1\nOpReturnValue %f7\nOpFunctionEnd\n"                \
    "%main = OpFunction %void None %main_t\n%out = OpFunctionParameter %p64\n"                     \
    "%shared = OpFunctionParameter %i32\n%entry = OpLabel\n%ids = OpLoad %three %gid\n"            \
    "%x64 = OpCompositeExtract %i64 %ids 0\n%start_0 = OpUConvert %i32 %x64\n"                     \
    "%start_2 = OpIMul %i32 %start_0 %k32_7\n%start_4 = OpUConvert %i8 %x64\nOpBranch %b0\n"

static char text[1 << 17];
static size_t used;

static void __attribute__((format(printf, 1, 2))) add(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    used += (size_t)vsnprintf(text + used, sizeof text - used, format, arguments);
    va_end(arguments);
    assert_true(used < sizeof text);
}

/* The label from which a block's last instruction jumps. */
static void add_label(const graph *g, uint32_t index)
{
    add(g->blocks[index].has_limit ? "%%m%u" : "%%b%u", index);
}

static bool jumps_to(const block *b, uint32_t target)
{
    for (uint32_t i = 0; i < b->target_count; i++) {
        if (b->targets[i] == target) return true;
    }
    return false;
}

/* Adds the operands of a phi in a block for `name`, such as "q": its values in the predecessors. */
static void add_phi(const graph *g, uint32_t index, const char *type, const char *result,
                    uint32_t variable)
{
    static const char *const first[] = {"%start_0", "%shared",  "%start_2",
                                        "%x64",     "%start_4", "%k32_0"};
    add("%%%s%u_%u = OpPhi %s", result, index, variable, type);
    if (index == 0) add(" %s %%entry", first[variable]);
    for (uint32_t i = 0; i < g->order_count; i++) {
        uint32_t from = g->order[i];
        const block *b = &g->blocks[from];
        if (jumps_to(b, index)) {
            add(" %%q%u_%u ", from, variable);
            add_label(g, from);
        }
        if (index == g->block_count && b->has_limit) add(" %%q%u_%u %%b%u", from, variable, from);
    }
    add("\n");
}

static void add_step(const step *s, uint32_t index, uint32_t k)
{
    static const char *const names[] = {
        [ADD] = "OpIAdd", [SUB] = "OpISub", [MUL] = "OpIMul", [XOR] = "OpBitwiseXor"};
    char other[32];
    uint32_t w = widths[k];
    snprintf(other, sizeof other, s->is_constant ? "%%k%u_%u" : "%%p%u_%u",
             s->is_constant ? w : index, s->is_constant ? s->constant : s->other);
    if (s->operation <= XOR) {
        add("%%q%u_%u = %s %%i%u %%p%u_%u %s\n", index, k, names[s->operation], w, index, k, other);
    } else if (s->operation == SHIFT) {
        add("%%q%u_%u = OpShiftRightLogical %%i%u %%p%u_%u %%k%u_3\n", index, k, w, index, k, w);
    } else if (s->operation == PICK) {
        add("%%s%u_%u = OpULessThan %%bool %%p%u_%u %%k%u_%u\n", index, k, index, k, w,
            s->constant);
        add("%%q%u_%u = OpSelect %%i%u %%s%u_%u %%p%u_%u %s\n", index, k, w, index, k, index, k,
            other);
    } else if (s->operation == CALL && w == 32) {
        add("%%q%u_%u = OpFunctionCall %%i32 %%f %%p%u_%u\n", index, k, index, k);
    } else {
        add("%%q%u_%u = OpCopyObject %%i%u %%p%u_%u\n", index, k, w, index, k);
    }
}

static void add_target(const graph *g, uint32_t target)
{
    add(target == g->block_count ? " %%exit" : " %%b%u", target);
}

static void add_ending(const graph *g, uint32_t index)
{
    const block *b = &g->blocks[index];
    uint32_t w = widths[b->deciding];
    if (b->has_limit) {
        add("%%u%u = OpULessThan %%bool %%q%u_%u %%k32_%u\n", index, index, VARIABLES, LIMIT);
        add("OpBranchConditional %%u%u %%m%u %%exit\n%%m%u = OpLabel\n", index, index, index);
    }
    if (b->ending == JUMP) {
        add("OpBranch");
        add_target(g, b->targets[0]);
    } else if (b->ending == SWITCH) {
        add("%%t%u = OpBitwiseAnd %%i%u %%q%u_%u %%k%u_3\nOpSwitch %%t%u", index, w, index,
            b->deciding, w, index);
        add_target(g, b->targets[0]);
        for (uint32_t i = 1; i < TARGETS; i++) {
            add(" %u", i - 1);
            add_target(g, b->targets[i]);
        }
    } else if (b->ending == BRANCH_BIT) {
        add("%%t%u = OpBitwiseAnd %%i%u %%q%u_%u %%k%u_%u\n", index, w, index, b->deciding, w,
            1u << b->constant % 5);
        add("%%v%u = OpINotEqual %%bool %%t%u %%k%u_0\nOpBranchConditional %%v%u", index, index, w,
            index);
    } else {
        add("%%v%u = OpULessThan %%bool %%q%u_%u %%k%u_%u\nOpBranchConditional %%v%u", index, index,
            b->deciding, w, b->constant, index);
    }
    for (uint32_t i = 0; i < 2 && (b->ending == BRANCH_BIT || b->ending == BRANCH_LESS); i++)
        add_target(g, b->targets[i]);
    add("\n");
}

static const char *type_of(uint32_t variable)
{
    if (variable == VARIABLES || widths[variable] == 32) return "%i32";
    return widths[variable] == 64 ? "%i64" : "%i8";
}

/* Variable VARIABLES counts the blocks that have been entered. */
static void module_write(const graph *g)
{
    used = 0;
    add("%s", TEXT_BEGIN);
    for (uint32_t n = 0; n <= 100; n++)
        add("%%k8_%u = OpConstant %%i8 %u\n%%k32_%u = OpConstant %%i32 %u\n%%k64_%u = OpConstant "
            "%%i64 %u\n",
            n, n, n, n, n, n);
    add("%s", TEXT_FUNCTIONS);
    for (uint32_t i = 0; i < g->order_count; i++) {
        uint32_t index = g->order[i];
        add("%%b%u = OpLabel\n", index);
        for (uint32_t k = 0; k <= VARIABLES; k++)
            add_phi(g, index, type_of(k), "p", k);
        for (uint32_t k = 0; k < VARIABLES; k++)
            add_step(&g->blocks[index].steps[k], index, k);
        add("%%q%u_%u = OpIAdd %%i32 %%p%u_%u %%k32_1\n", index, VARIABLES, index, VARIABLES);
        add_ending(g, index);
    }
    add("%%exit = OpLabel\n");
    for (uint32_t k = 0; k <= VARIABLES; k++)
        add_phi(g, g->block_count, type_of(k), "p", k);
    for (uint32_t k = 0; k <= VARIABLES; k++) {
        const char *convert = strcmp(type_of(k), "%i64") == 0 ? "OpCopyObject" : "OpUConvert";
        add("%%o%u = %s %%i64 %%p%u_%u\n%%a%u = OpIMul %%i64 %%x64 %%k64_%u\n", k, convert,
            g->block_count, k, k, VARIABLES + 1);
        add("%%c%u = OpIAdd %%i64 %%a%u %%k64_%u\n", k, k, k);
        add("%%e%u = OpInBoundsPtrAccessChain %%p64 %%out %%c%u\nOpStore %%e%u %%o%u Aligned 8\n",
            k, k, k, k);
    }
    add("OpReturn\nOpFunctionEnd\n");
}

/* ---- Running -------------------------------------------------------------------------------- */

static void graph_run(const graph *g, uint64_t seed, uint32_t items, bool is_compiled)
{
    static uint64_t out[ITEMS_MAX][VARIABLES + 1];
    uint32_t shared = (uint32_t)(seed * 2654435761u >> 7);
    module_write(g);
    harness h = harness_text(text);
    h.schedule = (sim_schedule)(seed % SIM_SCHEDULES);
    if (is_compiled && !harness_compile(&h)) skip();
    sim_object to = harness_memory(&h, "out", NULL, items * sizeof *out);
    sim_argument arguments[] = {harness_global(to), harness_value(&shared, sizeof shared)};
    harness_run(&h, "main", harness_range(items, items), arguments, 2);
    harness_read_back(&h, to, out, items * sizeof *out);
    for (uint32_t i = 0; i < items; i++) {
        uint64_t v[VARIABLES] = {i, shared, i * 7, i, (uint8_t)i};
        uint32_t count;
        model_run(g, v, &count);
        for (uint32_t k = 0; k <= VARIABLES; k++) {
            uint64_t want = k < VARIABLES ? v[k] : count;
            if (out[i][k] == want) continue;
            fail_msg("seed %llu, work-item %u, variable %u: got %#llx, expected %#llx",
                     (unsigned long long)seed, i, k, (unsigned long long)out[i][k],
                     (unsigned long long)want);
        }
    }
    harness_close(&h);
}

static void test_graphs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        uint64_t random = seed * 0x9e3779b97f4a7c15u;
        graph g = graph_draw(&random);
        graph_run(&g, seed, seed % 3 ? 40 : ITEMS_MAX, false);
    }
}

static void test_compiled_graphs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        uint64_t random = seed * 0x9e3779b97f4a7c15u;
        graph g = graph_draw(&random);
        graph_run(&g, seed, 40, true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_compiled_graphs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
