/* Tests one instruction against a function in plain C: its operands come from tables and its result
 * is stored to memory, in a kernel with varying operands and in one with uniform operands, on every
 * engine. */
#ifndef SIM_TEST_ONE_INSTRUCTION_H
#define SIM_TEST_ONE_INSTRUCTION_H

#include "sim/exec/exec.h"
#include "sim/test/half_table.h"
#include "sim/test/harness.h"

#include <ctype.h>

/* ---- One instruction ------------------------------------------------------------------------- */

#define TYPES                                                                                      \
    "%void = OpTypeVoid\n%bool = OpTypeBool\n"                                                     \
    "%i8 = OpTypeInt 8 0\n%i16 = OpTypeInt 16 0\n%i32 = OpTypeInt 32 0\n%i64 = OpTypeInt 64 0\n"   \
    "%h = OpTypeFloat 16\n%f = OpTypeFloat 32\n%d = OpTypeFloat 64\n"                              \
    "%v2i8 = OpTypeVector %i8 2\n%v4i8 = OpTypeVector %i8 4\n%v2i16 = OpTypeVector %i16 2\n"       \
    "%v2i32 = OpTypeVector %i32 2\n%v3i32 = OpTypeVector %i32 3\n%v4i32 = OpTypeVector %i32 4\n"   \
    "%v2h = OpTypeVector %h 2\n%v3h = OpTypeVector %h 3\n%v4h = OpTypeVector %h 4\n"               \
    "%v2f = OpTypeVector %f 2\n%v3f = OpTypeVector %f 3\n%v4f = OpTypeVector %f 4\n"               \
    "%v3d = OpTypeVector %d 3\n%v3i64 = OpTypeVector %i64 3\n%v3b = OpTypeVector %bool 3\n"        \
    "%n0 = OpConstant %i64 0\n%one8 = OpConstant %i8 1\n%zero8 = OpConstant %i8 0\n"               \
    "%three = OpConstant %i64 3\n%one64 = OpConstant %i64 1\n%c32_1 = OpConstant %i32 1\n"         \
    "%pids = OpTypePointer Input %v3i64\n"                                                         \
    "%gid = OpVariable %pids Input\n"

#define CAPABILITIES                                                                               \
    "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\nOpCapability Int64\n"      \
    "OpCapability Int16\nOpCapability Int8\nOpCapability Float64\nOpCapability Float16\n"          \
    "OpCapability Vector16\nOpCapability BitInstructions\nOpCapability DotProduct\n"               \
    "OpCapability DotProductInputAll\nOpCapability DotProductInput4x8Bit\n"                        \
    "OpCapability DotProductInput4x8BitPacked\nOpCapability IntegerFunctions2INTEL\n"              \
    "OpCapability GenericPointer\nOpCapability Groups\nOpCapability GroupNonUniform\n"             \
    "OpCapability GroupNonUniformArithmetic\nOpCapability GroupNonUniformVote\n"                   \
    "OpCapability GroupNonUniformShuffle\nOpCapability GroupNonUniformQuad\n"                      \
    "OpCapability GroupUniformArithmeticKHR\nOpCapability AtomicFloat16AddEXT\n"                   \
    "OpCapability AtomicFloat16MinMaxEXT\n"                                                        \
    "OpCapability ExpectAssumeKHR\nOpExtension \"SPV_KHR_expect_assume\"\n"                        \
    "OpExtension \"SPV_INTEL_shader_integer_functions2\"\n"                                        \
    "OpExtension \"SPV_EXT_shader_atomic_float16_add\"\n"                                          \
    "OpExtension \"SPV_EXT_shader_atomic_float_min_max\"\n"                                        \
    "OpExtension \"SPV_KHR_uniform_group_instructions\"\n"                                         \
    "OpExtension \"SPV_KHR_bit_instructions\"\nOpExtension \"SPV_KHR_integer_dot_product\"\n"      \
    "%std = OpExtInstImport \"OpenCL.std\"\nOpMemoryModel Physical64 OpenCL\n"

/* An instruction that computes %r from %a, %b and %c, with %t0 to %t9 as temporaries; types are the
 * names from TYPES without the "%". */
typedef struct instruction {
    const char *name; /* for messages */
    const char *a, *b, *c, *r;
    const char *decorations, *declarations; /* NULL: none */
    const char *body;
} instruction;

/* An instruction of OpenCL.std that computes %r. */
#define STD(name, T, operands) "%r = OpExtInst %" T " %std " name " " operands "\n"

/* True for names that are local to each of the two kernels: operands, result, temporaries,
 * pointers. */
static inline bool is_local(const char *name, size_t length)
{
    if (length == 1) return strchr("abcr", name[0]);
    if (length != 2) return false;
    return (name[0] == 't' && name[1] <= '9') || (name[0] == 'p' && strchr("abcr", name[1]));
}

/* Appends text; "@" is replaced by the suffix, which is also appended to local names. */
static inline void append(char *out, size_t size, const char *suffix, const char *text)
{
    size_t used = strlen(out);
    for (const char *p = text; *p; p++) {
        if (*p == '@') {
            used += (size_t)snprintf(out + used, size - used, "%s", suffix);
        } else if (*p == '%') {
            size_t length = strcspn(p + 1, " \n@");
            const char *end = is_local(p + 1, length) ? suffix : "";
            used += (size_t)snprintf(out + used, size - used, "%.*s%s", (int)length + 1, p, end);
            p += length;
        } else {
            out[used++] = *p;
        }
        assert_true(used + 1 < size);
        out[used] = '\0';
    }
}

static inline void append_load(char *out, size_t size, const char *suffix, const char *name,
                               const char *type, const char *index)
{
    char text[256];
    snprintf(text, sizeof text,
             "%%e%s@ = OpInBoundsPtrAccessChain %%pt%s %%p%s %s\n%%%s = OpLoad %%%s %%e%s@\n", name,
             name, name, index, name, type, name);
    append(out, size, suffix, text);
}

/* True if the body uses the operand's value.  A load that it does not use would be an access too.
 */
static inline bool uses(const char *body, char name)
{
    for (const char *p = body; (p = strchr(p, '%')); p++) {
        if (p[1] == name && !isalnum((unsigned char)p[2]) && p[2] != '_') return true;
    }
    return false;
}

static inline void kernel_text(char *out, size_t size, const char *suffix, const instruction *insn,
                               const char *index)
{
    out[0] = '\0';
    append(out, size, suffix,
           "%k@ = OpFunction %void None %kt\n%pa = OpFunctionParameter %pta\n"
           "%pb = OpFunctionParameter %ptb\n%pc = OpFunctionParameter %ptc\n"
           "%pr = OpFunctionParameter %ptr\n%start@ = OpLabel\n%all@ = OpLoad %v3i64 %gid\n"
           "%x@ = OpCompositeExtract %i64 %all@ 0\n");
    if (uses(insn->body, 'a')) append_load(out, size, suffix, "a", insn->a, index);
    if (uses(insn->body, 'b')) append_load(out, size, suffix, "b", insn->b, index);
    if (uses(insn->body, 'c')) append_load(out, size, suffix, "c", insn->c, index);
    append(out, size, suffix, insn->body);
    char text[256];
    snprintf(text, sizeof text, "%%er@ = OpInBoundsPtrAccessChain %%ptr %%pr %s\n", index);
    append(out, size, suffix, text);
    if (strstr(insn->body, "%r =")) append(out, size, suffix, "OpStore %er@ %r\n");
    append(out, size, suffix, "OpReturn\nOpFunctionEnd\n");
}

static inline void module_text(char *out, size_t size, const instruction *insn)
{
    static char lanes[4096], uniform[4096];
    kernel_text(lanes, sizeof lanes, "L", insn, "%x@");
    kernel_text(uniform, sizeof uniform, "U", insn, "%n0");
    snprintf(out, size, "%s%s%s%s%s", CAPABILITIES,
             "OpEntryPoint Kernel %kL \"lanes\" %gid\nOpEntryPoint Kernel %kU \"uniform\" %gid\n"
             "OpDecorate %gid BuiltIn GlobalInvocationId\n",
             insn->decorations ? insn->decorations : "", TYPES,
             insn->declarations ? insn->declarations : "");
    const char *types[] = {insn->a, insn->b, insn->c, insn->r};
    for (uint32_t i = 0; i < 4; i++) {
        size_t used = strlen(out);
        snprintf(out + used, size - used, "%%pt%c = OpTypePointer CrossWorkgroup %%%s\n", "abcr"[i],
                 types[i]);
    }
    size_t used = strlen(out);
    snprintf(out + used, size - used, "%s%s%s", "%kt = OpTypeFunction %void %pta %ptb %ptc %ptr\n",
             lanes, uniform);
}

/* The size in memory, in bytes, of the type with the given name. */
static inline uint32_t type_bytes(const char *name)
{
    uint32_t count = 1;
    if (name[0] == 'v') {
        count = (uint32_t)(name[1] - '0');
        name += 2;
    }
    uint32_t bytes = name[0] == 'i'   ? (uint32_t)atoi(name + 1) / 8
                     : name[0] == 'h' ? 2u
                     : name[0] == 'f' ? 4u
                                      : 8u;
    return bytes * (count == 3 ? 4 : count);
}

#define ITEMS_MAX 1024u

typedef struct table {
    uint32_t count;
    uint64_t a[ITEMS_MAX], b[ITEMS_MAX], c[ITEMS_MAX];
} table;

static inline sim_object fill(harness *h, const uint64_t *values, uint32_t count, uint32_t bytes)
{
    static uint8_t data[ITEMS_MAX * 32];
    memset(data, 0, sizeof data);
    for (uint32_t i = 0; i < count; i++)
        memcpy(data + i * bytes, &values[i], bytes < 8 ? bytes : 8);
    return harness_memory(h, "in", data, count * bytes);
}

typedef uint64_t reference(uint64_t a, uint64_t b, uint64_t c);
typedef bool comparison(uint64_t got, uint64_t want);

static inline bool bits_equal(uint64_t got, uint64_t want)
{
    return got == want;
}
static inline bool halves_equal(uint64_t got, uint64_t want)
{
    return half_equal((uint16_t)got, (uint16_t)want);
}

static inline void result_check(const instruction *insn, uint32_t i, const table *t, uint64_t got,
                                uint64_t want, comparison *equal)
{
    uint32_t bytes = type_bytes(insn->r);
    if (bytes < 8) want &= UINT64_MAX >> (64 - 8 * bytes);
    if (equal(got, want)) return;
    fail_msg("%s of %#llx, %#llx, %#llx: got %#llx, expected %#llx", insn->name,
             (unsigned long long)t->a[i], (unsigned long long)t->b[i], (unsigned long long)t->c[i],
             (unsigned long long)got, (unsigned long long)want);
}

/* Runs the instruction over the table, one work-item per row, and then for some rows with uniform
 * operands. */
static inline void run_on(const char *text, uint32_t engine, const instruction *insn,
                          const table *t, reference *want, comparison *equal)
{
    harness h = harness_text(text);
    h.world->engine = engine;
    uint32_t bytes = type_bytes(insn->r);
    static uint8_t out[ITEMS_MAX * 32];
    sim_object to = harness_memory(&h, "out", NULL, t->count * bytes);
    sim_argument arguments[] = {harness_global(fill(&h, t->a, t->count, type_bytes(insn->a))),
                                harness_global(fill(&h, t->b, t->count, type_bytes(insn->b))),
                                harness_global(fill(&h, t->c, t->count, type_bytes(insn->c))),
                                harness_global(to)};
    harness_run(&h, "lanes", harness_range(t->count, t->count), arguments, 4);
    harness_read_back(&h, to, out, t->count * bytes);
    for (uint32_t i = 0; i < t->count; i++) {
        uint64_t got = 0;
        memcpy(&got, out + i * bytes, bytes < 8 ? bytes : 8);
        result_check(insn, i, t, got, want(t->a[i], t->b[i], t->c[i]), equal);
    }
    for (uint32_t i = 0; i < t->count; i += t->count / 32 + 1) {
        uint64_t got = 0;
        arguments[0].offset = i * type_bytes(insn->a);
        arguments[1].offset = i * type_bytes(insn->b);
        arguments[2].offset = i * type_bytes(insn->c);
        harness_run(&h, "uniform", harness_range(1, 1), arguments, 4);
        harness_read_back(&h, to, &got, bytes < 8 ? bytes : 8);
        result_check(insn, i, t, got, want(t->a[i], t->b[i], t->c[i]), equal);
    }
    harness_close(&h);
}

static inline void run(const instruction *insn, const table *t, reference *want, comparison *equal)
{
    static char text[16384];
    module_text(text, sizeof text, insn);
    for (uint32_t engine = 0; engine < SIM_ENGINE_COUNT; engine++) {
        if (sim_engine_at(engine)) run_on(text, engine, insn, t, want, equal);
    }
}

/* ---- Operands -------------------------------------------------------------------------------- */

/* Fills the table with all pairs of edge values in a and b, and another edge value in c. */
static inline void pairs(table *t, const uint64_t *edges, uint32_t count)
{
    t->count = count * count;
    assert_true(t->count <= ITEMS_MAX);
    for (uint32_t i = 0; i < t->count; i++) {
        t->a[i] = edges[i / count];
        t->b[i] = edges[i % count];
        t->c[i] = edges[(i * 7 + i / count) % count];
    }
}

/* Runs a body on every engine over a copy of `a`, and returns the memory that it wrote in `r`. */
static inline void run_memory(const instruction *insn, const void *a, uint32_t a_bytes, void *r,
                              uint32_t r_bytes, uint32_t items)
{
    static char text[16384];
    module_text(text, sizeof text, insn);
    static const uint8_t zeros[512];
    static uint8_t first[512];
    for (uint32_t engine = 0; engine < SIM_ENGINE_COUNT; engine++) {
        if (!sim_engine_at(engine)) continue;
        harness h = harness_text(text);
        h.world->engine = engine;
        sim_object to = harness_memory(&h, "out", zeros, r_bytes);
        sim_argument arguments[] = {harness_global(harness_memory(&h, "a", a, a_bytes)),
                                    harness_global(harness_memory(&h, "b", zeros, 512)),
                                    harness_global(harness_memory(&h, "c", zeros, 512)),
                                    harness_global(to)};
        harness_run(&h, "lanes", harness_range(items, items), arguments, 4);
        harness_read_back(&h, to, r, r_bytes);
        if (engine == 0) memcpy(first, r, r_bytes);
        assert_memory_equal(first, r, r_bytes);
        harness_close(&h);
    }
}

#endif
