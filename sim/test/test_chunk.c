/* Tests of the code that the compiled tier makes of loads and stores: the kernel runs as a single
 * chunk, in a context of this test, whose helpers note how they are called. Launches show only
 * results; here each lane's place, the layout that a helper is told, and the reason for which code
 * gives up are as expected, at every level that this processor runs. */
#include "sim/compiled/emit.h"
#include "sim/decode/limits.h"
#include "sim/test/harness.h"

#include <dlfcn.h>

#define LANES SIM_TIER_LANES
#define ALL   0xffffu

/* ---- Memory and helpers --------------------------------------------------------------------- */

enum { OBJECT_IN = 1, OBJECT_OUT, OBJECT_TABLE, OBJECTS };
enum { ROOM = 1536, COMPONENTS = 4 };

static struct object {
    uint8_t data[ROOM], defined[ROOM];
    uint64_t size;
    uint64_t loads; /* what its views say */
    sim_address_class class;
} objects[OBJECTS];

static uint64_t address_of(uint32_t object)
{
    return sim_address_of(objects[object].class, object);
}

/* A call of a helper. */
typedef struct call {
    char helper; /* find, load, store; `L`, `S`: of anything; `e`: empties the log */
    const sim_tier_access *access;
    uint32_t kind, mask, at[LANES];
    uint64_t addresses[LANES];
    uint8_t values[COMPONENTS][SIM_TIER_ROW_BYTES];
} call;

static struct {
    call items[16];
    uint32_t count;
    bool fails; /* the next helper */
} calls;

static call *call_add(char helper, const sim_tier_access *access, uint32_t mask)
{
    assert_true(calls.count < sizeof calls.items / sizeof *calls.items);
    call *new = &calls.items[calls.count++];
    *new = (call){.helper = helper, .access = access, .mask = mask};
    return new;
}

static uint32_t fake_find(sim_tier_context *c, sim_tier_access *access, uint64_t address)
{
    (void)c;
    call_add('f', access, 0)->addresses[0] = address;
    if (calls.fails) return 0;
    for (uint32_t i = 1; i < OBJECTS; i++) {
        struct object *object = &objects[i];
        if (SIM_TIER_KEY(address) != SIM_TIER_KEY(address_of(i))) continue;
        access->view = (sim_tier_view){
            .key = SIM_TIER_KEY(address),
            .data = object->data,
            .defined = object->defined,
            .end = object->size - (uint64_t)access->bytes * access->count + 1,
            .race = (struct sim_race_shadow *)(void *)object,
            .loads = object->loads,
        };
        return 1;
    }
    return 0;
}

/* All lanes' places, also of those that are not active, are inside the object. */
static uint32_t access_noted(char helper, const sim_tier_access *a, uint32_t kind, uint32_t mask,
                             const uint32_t *at, uint8_t *values)
{
    call *noted = call_add(helper, a, mask);
    noted->kind = kind;
    memcpy(noted->at, at, sizeof noted->at);
    for (uint32_t i = 0; i < LANES; i++) {
        if (at[i] >= a->view.end) fail_msg("lane %u is outside, at %u", i, at[i]);
        for (uint32_t k = a->low; k < a->high; k++) {
            uint8_t *value = values + k * SIM_TIER_ROW_BYTES + i * a->bytes;
            uint8_t *place = a->view.data + at[i] + k * a->bytes;
            if (helper == 'l') memcpy(value, place, a->bytes);
            if (helper == 's' && mask >> i & 1) memcpy(place, value, a->bytes);
        }
    }
    memcpy(noted->values, values, (size_t)a->count * SIM_TIER_ROW_BYTES);
    return !calls.fails;
}

static uint32_t any_noted(char helper, const sim_tier_access *a, uint32_t mask,
                          const uint64_t *addresses, uint8_t *values)
{
    call *noted = call_add(helper, a, mask);
    memcpy(noted->addresses, addresses, sizeof noted->addresses);
    /* What is loaded is the low part of the address. */
    for (uint32_t i = 0; helper == 'L' && i < LANES; i++)
        memcpy(values + i * a->bytes, &addresses[i], a->bytes);
    memcpy(noted->values, values, (size_t)a->count * SIM_TIER_ROW_BYTES);
    return !calls.fails;
}

/* The helper's width must be the access's. */
#define HELPERS_OF(width)                                                                          \
    static uint32_t load_##width(sim_tier_context *c, const sim_tier_access *a, uint32_t kind,     \
                                 uint32_t mask, const uint32_t *at, void *values)                  \
    {                                                                                              \
        (void)c;                                                                                   \
        assert_int_equal(a->bytes, width);                                                         \
        return access_noted('l', a, kind, mask, at, values);                                       \
    }                                                                                              \
    static uint32_t store_##width(sim_tier_context *c, const sim_tier_access *a, uint32_t kind,    \
                                  uint32_t mask, const uint32_t *at, const void *values)           \
    {                                                                                              \
        (void)c;                                                                                   \
        assert_int_equal(a->bytes, width);                                                         \
        return access_noted('s', a, kind, mask, at, (uint8_t *)(uintptr_t)values);                 \
    }                                                                                              \
    static uint32_t load_any_##width(sim_tier_context *c, sim_tier_access *a, uint32_t mask,       \
                                     const uint64_t *addresses, void *values)                      \
    {                                                                                              \
        (void)c;                                                                                   \
        assert_int_equal(a->bytes, width);                                                         \
        return any_noted('L', a, mask, addresses, values);                                         \
    }                                                                                              \
    static uint32_t store_any_##width(sim_tier_context *c, sim_tier_access *a, uint32_t mask,      \
                                      const uint64_t *addresses, const void *values)               \
    {                                                                                              \
        (void)c;                                                                                   \
        assert_int_equal(a->bytes, width);                                                         \
        return any_noted('S', a, mask, addresses, (uint8_t *)(uintptr_t)values);                   \
    }
HELPERS_OF(1)
HELPERS_OF(2)
HELPERS_OF(4)
HELPERS_OF(8)

static uint32_t fake_flush(sim_tier_context *c)
{
    (void)call_add('e', NULL, 0);
    assert_ptr_equal(c->reads_next, c->reads_end);
    c->reads_next = c->reads;
    return !calls.fails;
}

static const sim_tier_helpers helpers = {
    .find = fake_find,
    .load = {load_1, load_2, load_4, load_8},
    .store = {store_1, store_2, store_4, store_8},
    .load_any = {load_any_1, load_any_2, load_any_4, load_any_8},
    .store_any = {store_any_1, store_any_2, store_any_4, store_any_8},
    .log_flush = fake_flush,
};

/* ---- Kernels -------------------------------------------------------------------------------- */

static const sim_tier_api *api;

static int library_open(void **state)
{
    (void)state;
    sim_tier_api_get_function *get;
    void *library = dlopen(SIM_TEST_TIER_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) fail_msg("%s", dlerror());
    void *symbol = dlsym(library, SIM_TIER_SYMBOL);
    memcpy(&get, &symbol, sizeof get);
    assert_null(get(SIM_TIER_VERSION + 1));
    api = get(SIM_TIER_VERSION);
    assert_non_null(api);
    return 0;
}

/* The levels that this processor runs; which engines are part of the build does not matter. */
static uint32_t level_count(void)
{
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
        !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("f16c"))
        return 1;
    bool is_v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512vl");
    return is_v4 ? 3 : 2;
}

/* k(IN *in, global E *out, global long *table, long n), where %x to %z and %a to %c are the global
 * and the local ids, which are whatever a test says. */
#define TYPES                                                                                      \
    SIM_TEST_PRELUDE                                                                               \
    "OpEntryPoint Kernel %k \"k\" %gid %lid\nOpDecorate %gid BuiltIn GlobalInvocationId\n"         \
    "OpDecorate %lid BuiltIn LocalInvocationId\n%void = OpTypeVoid\n%bool = OpTypeBool\n"          \
    "%i8 = OpTypeInt 8 0\n%i16 = OpTypeInt 16 0\n%i32 = OpTypeInt 32 0\n"                          \
    "%i64 = OpTypeInt 64 0\n%ids = OpTypeVector %i64 3\n%i32x2 = OpTypeVector %i32 2\n"            \
    "%i32x3 = OpTypeVector %i32 3\n%i32x4 = OpTypeVector %i32 4\n"                                 \
    "%i64x4 = OpTypeVector %i64 4\n%pids = OpTypePointer Input %ids\n"                             \
    "%gid = OpVariable %pids Input\n%lid = OpVariable %pids Input\n"                               \
    "%l0 = OpConstant %i64 0\n%l2 = OpConstant %i64 2\n"                                           \
    "%g64 = OpTypePointer CrossWorkgroup %i64\n"
#define KERNEL                                                                                     \
    "%k = OpFunction %void None %kt\n%in = OpFunctionParameter %pin\n"                             \
    "%out = OpFunctionParameter %pout\n%table = OpFunctionParameter %g64\n"                        \
    "%n = OpFunctionParameter %i64\n%entry = OpLabel\n%g = OpLoad %ids %gid\n"                     \
    "%x = OpCompositeExtract %i64 %g 0\n%y = OpCompositeExtract %i64 %g 1\n"                       \
    "%z = OpCompositeExtract %i64 %g 2\n%l = OpLoad %ids %lid\n"                                   \
    "%a = OpCompositeExtract %i64 %l 0\n%b = OpCompositeExtract %i64 %l 1\n"                       \
    "%c = OpCompositeExtract %i64 %l 2\n"

typedef struct compiled {
    rt_sink *sink;
    sim_program *program;
    const sim_code_function *function;
    sim_tier_code code;
    sim_tier_context context;
    sim_tier_read reads[4];
    uint8_t *saved, *private_memory, *private_defined;
    uint8_t uniforms[1024];
    uint32_t found; /* objects, by the helper */
} compiled;

static uint8_t rows[SIM_WAVE_ROWS * SIM_ROW_BYTES(8)] __attribute__((aligned(64)));

static void row_set(uint32_t row, uint32_t lane, uint64_t value)
{
    memcpy(rows + row * SIM_ROW_BYTES(8) + lane * 8, &value, sizeof value);
}

static void uniform_set(compiled *k, uint32_t parameter, uint64_t value)
{
    sim_register place = k->function->parameters[parameter].place;
    if (place == SIM_REGISTER_NONE) return;
    assert_true((place & SIM_REGISTER_MASK) + 8 <= sizeof k->uniforms);
    memcpy(k->uniforms + (place & SIM_REGISTER_MASK), &value, sizeof value);
}

static uint8_t *memory_of(uint64_t size)
{
    uint8_t *memory = NULL;
    assert_int_equal(posix_memalign((void **)&memory, 64, size + 64), 0);
    memset(memory, 0, size + 64);
    return memory;
}

static compiled *kernel_compile(const char *text, uint32_t level)
{
    compiled *k = rt_alloc(sizeof *k);
    k->sink = rt_sink_create();
    sim_module *module = sim_test_module(k->sink, text);
    const sim_module *modules[] = {module};
    rt_status status = sim_program_link(k->sink, modules, 1, &k->program);
    if (!rt_ok(status)) fail_msg("%s", rt_sink_diagnostic(k->sink, status)->message.data);
    sim_module_destroy(module);
    uint32_t function = sim_program_kernel(k->program, RT_TEXT("k"))->function;
    k->function = &k->program->functions[function];
    const char *reason = api->compile(k->program, function, level, &helpers, NULL, &k->code);
    if (reason) fail_msg("level %u: %s:\n%s", level, reason, text);
    for (uint32_t i = 0; i < k->code.access_count; i++)
        k->code.accesses[i]->view = (sim_tier_view){.key = UINT64_MAX};
    k->saved = memory_of(k->code.saved_bytes);
    k->private_memory = memory_of(k->code.private_bytes * LANES);
    k->private_defined = memory_of(k->code.private_bytes * LANES);
    k->context = (sim_tier_context){
        .rows = rows,
        .pool = k->program->pool_slots,
        .uniforms = k->uniforms,
        .saved = k->saved,
        .parked = rt_alloc_array(k->code.block_count + 1, sizeof(uint16_t)),
        .spent_max = UINT64_MAX,
        .steps_max = UINT64_MAX,
        .lid = 48,
        .private_memory = k->private_memory,
        .private_defined = k->private_defined,
        .reads = k->reads,
        .reads_end = k->reads + 4,
    };
    return k;
}

static void kernel_free(compiled *k)
{
    api->release(&k->code);
    assert_null(k->code.run);
    free(k->saved);
    free(k->private_memory);
    free(k->private_defined);
    rt_free(k->context.parked);
    sim_program_destroy(k->program);
    rt_sink_destroy(k->sink);
    rt_free(k);
}

static uint32_t chunk_run(compiled *k, uint32_t mask)
{
    calls.count = 0;
    k->context.mask = mask;
    k->context.reason = SIM_TIER_REASON_COUNT; /* nobody has set it */
    k->context.reads_next = k->reads;
    return k->code.run(&k->context);
}

static uint32_t calls_of(char helper)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < calls.count; i++)
        count += calls.items[i].helper == helper;
    return count;
}

static const call *call_of(char helper)
{
    assert_int_equal(calls_of(helper), 1);
    const call *found = calls.items;
    while (found->helper != helper)
        found++;
    return found;
}

/* ---- Accesses of one object ----------------------------------------------------------------- */

/* How the places of a kernel's work-items are expected to be laid out: see strides.c. */
typedef enum guess { GUESS_RUN, GUESS_SAME, GUESS_OTHER, GUESS_UNKNOWN, GUESS_MIXED } guess;

/* Where a guess comes from; %at is the index, the same number for each of them. */
static const char *const guessed[] = {
    [GUESS_RUN] = "%at = OpIAdd %i64 %x %l0\n",
    [GUESS_SAME] = "%at = OpIAdd %i64 %y %l0\n",
    [GUESS_OTHER] = "%at = OpISub %i64 %c %x\n",
    [GUESS_UNKNOWN] = "%at = OpIMul %i64 %x %z\n",
    [GUESS_MIXED] = "%tp = OpInBoundsPtrAccessChain %g64 %table %a\n"
                    "%at = OpLoad %i64 %tp Aligned 8\n",
};

typedef enum index_form { INDEX_I64, INDEX_U32, INDEX_S32 } index_form;
static const char *const extended[] = {
    [INDEX_I64] = "%index = OpIAdd %i64 %at %l0\n",
    [INDEX_U32] = "%cut = OpUConvert %i32 %at\n%index = OpUConvert %i64 %cut\n",
    [INDEX_S32] = "%cut = OpUConvert %i32 %at\n%index = OpSConvert %i64 %cut\n",
};

typedef struct access_case {
    const char *element;
    uint32_t bytes, count; /* of a component; components */
    uint32_t stride;       /* of an array of these elements */
    uint32_t alignment;
    guess guess;
    index_form form;
    bool is_store, is_local, is_stored; /* is_stored: the kernel may store to it elsewhere */
} access_case;

#define GLOBAL_LOADS(element, bytes, count, stride, alignment)                                     \
    {element, bytes, count, stride, alignment, GUESS_RUN, INDEX_I64, false, false, false},         \
    {                                                                                              \
        element, bytes, count, stride, alignment, GUESS_UNKNOWN, INDEX_I64, false, false, false    \
    }

static const access_case access_cases[] = {
    GLOBAL_LOADS("i8", 1, 1, 1, 1),
    GLOBAL_LOADS("i16", 2, 1, 2, 2),
    GLOBAL_LOADS("i32", 4, 1, 4, 4),
    GLOBAL_LOADS("i64", 8, 1, 8, 8),
    GLOBAL_LOADS("i32x2", 4, 2, 8, 8),
    GLOBAL_LOADS("i32x4", 4, 4, 16, 16),
    {"i16", 2, 1, 2, 1, GUESS_MIXED, INDEX_I64, false, false, false},
    {"i32x3", 4, 3, 16, 16, GUESS_RUN, INDEX_I64, false, false, false},
    {"i64x4", 8, 4, 32, 32, GUESS_RUN, INDEX_I64, false, false, false},
    {"i32", 4, 1, 4, 8, GUESS_RUN, INDEX_I64, false, false, false},
    {"i32", 4, 1, 4, 1, GUESS_SAME, INDEX_I64, false, false, false},
    {"i32", 4, 1, 4, 4, GUESS_OTHER, INDEX_I64, false, false, false},
    {"i64", 8, 1, 8, 4, GUESS_MIXED, INDEX_I64, false, false, false},
    {"i8", 1, 1, 1, 1, GUESS_RUN, INDEX_U32, false, false, false},
    {"i32", 4, 1, 4, 4, GUESS_UNKNOWN, INDEX_U32, false, false, false},
    {"i8", 1, 1, 1, 1, GUESS_RUN, INDEX_S32, false, false, false},
    {"i32", 4, 1, 4, 4, GUESS_UNKNOWN, INDEX_S32, false, false, false},
    {"i32", 4, 1, 4, 4, GUESS_RUN, INDEX_I64, false, true, true},
    {"i16", 2, 1, 2, 2, GUESS_SAME, INDEX_I64, false, true, true},
    {"i32x2", 4, 2, 8, 8, GUESS_UNKNOWN, INDEX_I64, false, true, true},
    {"i64", 8, 1, 8, 8, GUESS_MIXED, INDEX_I64, false, true, true},
    {"i8", 1, 1, 1, 1, GUESS_RUN, INDEX_U32, false, true, false},
    {"i8", 1, 1, 1, 1, GUESS_RUN, INDEX_I64, true, false, false},
    {"i32", 4, 1, 4, 4, GUESS_UNKNOWN, INDEX_S32, true, false, false},
    {"i32x2", 4, 2, 8, 4, GUESS_RUN, INDEX_U32, true, false, false},
    {"i16", 2, 1, 2, 2, GUESS_SAME, INDEX_I64, true, true, false},
    {"i64", 8, 1, 8, 8, GUESS_OTHER, INDEX_I64, true, true, false},
    {"i32", 4, 1, 4, 4, GUESS_MIXED, INDEX_I64, true, false, false},
};

/* Appends to the text of a kernel. */
typedef struct assembly {
    char text[16384];
    size_t used;
} assembly;

__attribute__((format(printf, 2, 3))) static void add(assembly *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    t->used += (size_t)vsnprintf(t->text + t->used, sizeof t->text - t->used, format, arguments);
    va_end(arguments);
    assert_true(t->used < sizeof t->text);
}

static void kernel_begin(assembly *t, const char *element, bool is_local)
{
    t->used = 0;
    add(t, "%s%%pout = OpTypePointer CrossWorkgroup %%%s\n", TYPES, element);
    add(t, "%%pin = OpTypePointer %s %%%s\n", is_local ? "Workgroup" : "CrossWorkgroup", element);
    add(t, "%%kt = OpTypeFunction %%void %%pin %%pout %%g64 %%i64\n%s", KERNEL);
}

/* The accessed place is two elements behind that of the index. */
static compiled *access_compile(const access_case *a, uint32_t level)
{
    static assembly t;
    kernel_begin(&t, a->element, a->is_local);
    add(&t, "%s%s%%first = OpInBoundsPtrAccessChain %%pin %%in %%index\n", guessed[a->guess],
        extended[a->form]);
    add(&t, "%%from = OpInBoundsPtrAccessChain %%pin %%first %%l2\n"
            "%%to = OpInBoundsPtrAccessChain %%pout %%out %%a\n");
    const char *from = a->is_store ? "to" : "from", *to = a->is_store ? "from" : "to";
    uint32_t load = a->is_store ? a->bytes : a->alignment;
    uint32_t store = a->is_store ? a->alignment : a->bytes;
    add(&t, "%%v = OpLoad %%%s %%%s Aligned %u\n", a->element, from, load);
    add(&t, "OpStore %%%s %%v Aligned %u\n", to, store);
    if (a->is_stored) {
        add(&t, "%%never = OpIEqual %%bool %%n %%l0\nOpSelectionMerge %%end None\n"
                "OpBranchConditional %%never %%put %%end\n%%put = OpLabel\n"
                "OpStore %%from %%v Aligned 1\nOpBranch %%end\n%%end = OpLabel\n");
    }
    add(&t, "OpReturn\nOpFunctionEnd\n");
    return kernel_compile(t.text, level);
}

/* The lanes' indices: first, first + step and so on, but one lane has another. */
typedef struct layout {
    int64_t first, step;
    uint32_t other_lane; /* LANES: none */
    int64_t other;
} layout;

enum { COUNT = 40 }; /* elements of the object */
#define FAR (INT64_C(1) << 32)

static const layout layouts[] = {
    {0, 1, LANES, 0},
    {7, 1, LANES, 0},
    {COUNT - 16, 1, LANES, 0},
    {COUNT - 15, 1, LANES, 0},
    {-1, 1, LANES, 0},
    {5, 0, LANES, 0},
    {COUNT - 1, 0, LANES, 0},
    {COUNT, 0, LANES, 0},
    {-1, 0, LANES, 0},
    {15, -1, LANES, 0},
    {1, 2, LANES, 0},
    {3, 1, 9, 0},
    {3, 1, 9, COUNT},
    {4, 1, 0, 20},
    {8, 0, 15, 9},
    {FAR, 1, LANES, 0},
    {-FAR, 1, LANES, 0},
    {FAR - 8, 1, LANES, 0},
    {FAR / 2 - 8, 1, LANES, 0},
    {FAR - 32, 1, LANES, 0},
    {FAR / 2 - 32, 1, LANES, 0},
    {FAR - 16, 1, LANES, 0},
    {FAR / 2 - 17, 1, LANES, 0},
    {-40, 1, LANES, 0},
    {2, 0, LANES, 0},
};
static const uint32_t masks[] = {ALL,    0x0fff, 0xfffe, 0x7fff, 0x00f0,
                                 0x8001, 0x0200, 0x5555, 0x0001, 0x8000};

/* How the kernel is run. */
typedef struct way {
    int64_t shift; /* bytes: added to the pointer; without it, index 0 is element 0 */
    uint64_t loads;
    bool is_undefined; /* a byte is */
} way;

typedef struct expected {
    sim_tier_reason reason; /* NO_REASON: all is right */
    bool is_helped, is_logged;
    uint32_t kind;
    uint32_t at[LANES]; /* of lanes that are active, or in a helper's run */
    int64_t offsets[LANES];
} expected;

enum { UNDEFINED_AT = 8 * 7 + 3 };

static int64_t index_of(const access_case *a, const layout *l, uint32_t lane)
{
    int64_t index = lane == l->other_lane ? l->other : l->first + l->step * (int64_t)lane;
    if (a->form == INDEX_U32) return (int64_t)(uint32_t)index;
    return a->form == INDEX_S32 ? (int64_t)(int32_t)(uint32_t)index : index;
}

/* What the documents of tier.h demand. */
static expected access_expect(const access_case *a, const layout *l, const way *w, uint32_t mask)
{
    expected x = {.reason = SIM_TIER_NO_REASON};
    int64_t size = (int64_t)a->bytes * a->count, end = (int64_t)a->stride * COUNT - size + 1;
    uint32_t first = (uint32_t)__builtin_ctz(mask);
    bool is_run = true, is_same = true, is_defined = true;
    for (uint32_t i = 0; i < LANES; i++) {
        int64_t at = x.offsets[i] = w->shift + index_of(a, l, i) * a->stride;
        if (!(mask >> i & 1)) continue;
        is_same &= at == x.offsets[first];
        is_run &= at - x.offsets[first] == (int64_t)(i - first) * size;
        if (at < 0 || at >= end || at % a->alignment) x.reason = SIM_TIER_ACCESS;
        is_defined &= at > UNDEFINED_AT || at + size <= UNDEFINED_AT;
    }
    if (x.reason) return x;
    int64_t origin = x.offsets[first] - size * first;
    bool fits = origin >= 0 && origin + 15 * size < end;
    uint32_t run = fits ? SIM_TIER_RUN : SIM_TIER_MIXED;
    bool is_narrow = a->count == 1 || size <= 16;
    bool may_run = is_narrow && size % a->alignment == 0 && size == (int64_t)a->stride &&
                   (a->guess == GUESS_UNKNOWN || a->guess == GUESS_RUN);
    /* An index too near the end of 32 bits may wrap. */
    int64_t most = a->form == INDEX_U32   ? (int64_t)UINT32_MAX - 16
                   : a->form == INDEX_S32 ? INT32_MAX - 16
                                          : INT64_MAX;
    bool runs = may_run && is_run && index_of(a, l, first) <= most &&
                (a->is_store || a->count == 1 || mask == ALL);
    bool checks =
        a->guess != GUESS_MIXED && a->guess != GUESS_SAME && !(a->guess == GUESS_RUN && may_run);
    bool is_tried_same = a->guess == GUESS_SAME && is_same;
    x.is_helped = a->is_store || w->loads & SIM_TIER_HELPED;
    x.is_logged = !x.is_helped && a->is_stored && w->loads & SIM_TIER_LOGGED;
    if (!x.is_helped) {
        bool matters = a->is_local && w->loads & SIM_TIER_SHADOWED && w->is_undefined;
        if (matters && !is_defined) x.reason = SIM_TIER_UNDEFINED;
        x.kind = runs ? SIM_TIER_RUN : is_tried_same ? SIM_TIER_SAME : SIM_TIER_MIXED;
    } else if (runs) {
        x.kind = run;
    } else if (is_tried_same || (checks && is_same)) {
        x.kind = SIM_TIER_SAME;
    } else {
        x.kind = checks && is_run ? run : SIM_TIER_MIXED;
    }
    for (uint32_t i = 0; i < LANES; i++) {
        if (mask >> i & 1) x.at[i] = (uint32_t)x.offsets[i];
        if (!x.is_helped) continue;
        if (x.kind == SIM_TIER_RUN) x.at[i] = (uint32_t)(origin + i * size);
        if (x.kind == SIM_TIER_SAME) x.at[i] = (uint32_t)x.offsets[first];
    }
    return x;
}

static void objects_set(const access_case *a, const way *w)
{
    for (uint32_t i = 1; i < OBJECTS; i++) {
        struct object *object = &objects[i];
        for (uint32_t k = 0; k < ROOM; k++)
            object->data[k] = (uint8_t)(k * 37 + k / 7 + i);
        memset(object->defined, 0xff, ROOM);
        object->class = SIM_CLASS_GLOBAL;
        object->loads = 0;
        object->size = ROOM;
    }
    objects[OBJECT_IN].class = a->is_local ? SIM_CLASS_LOCAL : SIM_CLASS_GLOBAL;
    objects[OBJECT_IN].loads = w->loads;
    objects[OBJECT_IN].size = (uint64_t)a->stride * COUNT;
    if (w->is_undefined) objects[OBJECT_IN].defined[UNDEFINED_AT] = 0xfe;
}

static void rows_set(const layout *l)
{
    for (uint32_t i = 0; i < LANES; i++) {
        int64_t index = i == l->other_lane ? l->other : l->first + l->step * (int64_t)i;
        row_set(SIM_ROW_GLOBAL_ID, i, (uint64_t)index);
        row_set(SIM_ROW_GLOBAL_ID + 1, i, (uint64_t)index);
        row_set(SIM_ROW_GLOBAL_ID + 2, i, 1);
        row_set(SIM_ROW_LOCAL_ID, i, i);
        row_set(SIM_ROW_LOCAL_ID + 2, i, 2 * (uint64_t)index);
        memcpy(objects[OBJECT_TABLE].data + i * sizeof index, &index, sizeof index);
    }
}

/* Fails with the words and with what is being run. */
#define WRONG(...)                                                                                 \
    do {                                                                                           \
        char words[128];                                                                           \
        snprintf(words, sizeof words, __VA_ARGS__);                                                \
        fail_msg("case %u, level %u, way %u, layout %u, lanes %x: %s", running.number,             \
                 running.level, running.way, running.layout, running.mask, words);                 \
    } while (0)
static struct {
    uint32_t number, level, way, layout, mask;
} running;

static void call_check(const call *found, const expected *x, uint32_t mask)
{
    if (found->mask != mask) WRONG("lanes %x", found->mask);
    if (found->kind != x->kind) WRONG("kind %u, expected %u", found->kind, x->kind);
    for (uint32_t i = 0; i < LANES; i++) {
        if (found->at[i] != x->at[i])
            WRONG("lane %u at %u, expected %u", i, found->at[i], x->at[i]);
    }
}

/* The values of the lanes, as they are stored, are those of the places in memory. */
static void values_check(const access_case *a, const call *stored, const expected *x, uint32_t mask,
                         const uint8_t *memory)
{
    for (uint32_t i = 0; i < LANES; i++) {
        for (uint32_t k = 0; mask >> i & 1 && k < a->count; k++) {
            const uint8_t *value = stored->values[k] + i * a->bytes;
            if (memcmp(value, memory + x->offsets[i] + k * a->bytes, a->bytes) != 0)
                WRONG("component %u of lane %u is wrong", k, i);
        }
    }
}

static void access_check(compiled *k, const access_case *a, const layout *l, const way *w,
                         uint32_t mask)
{
    uint8_t before[ROOM];
    expected x = access_expect(a, l, w, mask), out = {.reason = SIM_TIER_NO_REASON};
    objects_set(a, w);
    rows_set(l);
    memcpy(before, objects[OBJECT_IN].data, ROOM);
    for (uint32_t i = 0; i < k->code.access_count; i++) {
        sim_tier_view *view = &k->code.accesses[i]->view;
        if (view->key == SIM_TIER_KEY(address_of(OBJECT_IN))) view->loads = w->loads;
    }
    uniform_set(k, 0, address_of(OBJECT_IN) + (uint64_t)w->shift - 2 * a->stride);
    uniform_set(k, 1, address_of(OBJECT_OUT));
    uniform_set(k, 2, address_of(OBJECT_TABLE));
    uniform_set(k, 3, 7);
    uint32_t end = chunk_run(k, mask);
    k->found += calls_of('f');
    if (x.reason) {
        if (end != SIM_TIER_GIVES_UP || k->context.reason != x.reason)
            WRONG("ends with %u, reason %u, expected %u", end, k->context.reason, x.reason);
        assert_memory_equal(before, objects[OBJECT_IN].data, ROOM);
        return;
    }
    if (end != SIM_TIER_DONE) WRONG("reason %u", k->context.reason);
    /* Each access looks for its object once. */
    uint32_t objects_reached = a->guess == GUESS_MIXED ? 3 : 2;
    if (k->found != objects_reached) WRONG("%u objects are looked up", k->found);
    assert_int_equal(calls_of('l'), !a->is_store && x.is_helped);
    assert_int_equal(calls_of('s'), 1);
    for (uint32_t i = 0; i < LANES; i++)
        out.offsets[i] = (int64_t)(i * a->stride);
    const call *stored = call_of('s');
    if (a->is_store) {
        call_check(stored, &x, mask);
        values_check(a, stored, &out, mask, objects[OBJECT_OUT].data);
    } else {
        values_check(a, stored, &x, mask, before);
        assert_int_equal(stored->mask, mask);
        if (x.is_helped) call_check(call_of('l'), &x, mask);
    }
    assert_int_equal(k->context.reads_next - k->reads, x.is_logged);
    if (!x.is_logged) return;
    call logged = {.mask = k->reads[0].mask, .kind = k->reads[0].kind};
    memcpy(logged.at, k->reads[0].at, sizeof logged.at);
    call_check(&logged, &x, mask);
    assert_ptr_equal(k->reads[0].race, &objects[OBJECT_IN]);
    assert_int_equal(k->reads[0].lid, 48);
    assert_int_equal(k->reads[0].access->bytes, a->bytes);
    assert_ptr_equal(k->reads[0].access->view.data, objects[OBJECT_IN].data);
}

static void test_rows(void **state)
{
    (void)state;
    for (uint32_t c = 0; c < sizeof access_cases / sizeof *access_cases; c++) {
        const access_case *a = &access_cases[c];
        const int64_t stride = a->stride;
        const way ways[] = {
            {0, 0, false},
            {0, SIM_TIER_HELPED, false},
            {0, SIM_TIER_SHADOWED, true},
            {0, SIM_TIER_LOGGED, true},
            {0, SIM_TIER_LOGGED | SIM_TIER_SHADOWED, true},
            {1, 0, false},
            {2, SIM_TIER_HELPED, false},
            {stride, SIM_TIER_HELPED, false},
            {-stride, 0, false},
            {COUNT * stride, 0, false},       /* of the indices before 0 */
            {-(FAR - 32) * stride, 0, false}, /* of those near the end of 32 bits */
            {-(FAR - 32) * stride, SIM_TIER_HELPED, false},
            {-(FAR / 2 - 32) * stride, 0, false},
        };
        /* The level between has no code of its own but for small elements. */
        uint32_t step = a->bytes > 2 && level_count() == 3 ? 2 : 1;
        for (uint32_t level = 0; level < level_count(); level += step) {
            compiled *k = access_compile(a, level);
            for (uint32_t w = 0; w < sizeof ways / sizeof *ways; w++) {
                for (uint32_t l = 0; l < sizeof layouts / sizeof *layouts; l++) {
                    for (uint32_t m = 0; m < sizeof masks / sizeof *masks; m++) {
                        running.number = c, running.level = level, running.way = w;
                        running.layout = l, running.mask = masks[m];
                        access_check(k, a, &layouts[l], &ways[w], masks[m]);
                    }
                }
            }
            kernel_free(k);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests(tests, library_open, NULL);
}
