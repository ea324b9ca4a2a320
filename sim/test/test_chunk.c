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
    uint64_t loads, stores; /* what its views say */
    sim_address_class class;
    uint32_t writes[ROOM / 4], writes_from; /* what stores in line record */
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
    call items[128];
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
            .stores = object->stores,
            .writes = object->writes,
            .writes_from = &object->writes_from,
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

/* The variables become undefined. */
static void fake_enter(sim_tier_context *c, const sim_tier_frame *frame, uint32_t mask)
{
    call_add('n', NULL, mask)->kind = frame->number;
    c->frames[frame->number] = frame;
    for (uint32_t v = 0; v < frame->function->variable_count; v++) {
        const sim_private_variable *variable = &frame->function->variables[v];
        uint64_t first = (frame->private_first + variable->offset) / 4;
        for (uint64_t g = first; g < first + (variable->size + 3) / 4; g++) {
            for (uint32_t i = 0; i < LANES; i++) {
                uint32_t at = (uint32_t)(g * LANES + i) * 4, mark = SIM_TIER_MARK;
                if (!(mask >> i & 1)) continue;
                if (frame->is_marked[v]) memcpy(c->private_memory + at, &mark, sizeof mark);
                memset(c->private_defined + at, 0, sizeof mark);
            }
        }
    }
}

static const sim_tier_helpers helpers = {
    .find = fake_find,
    .load = {load_1, load_2, load_4, load_8},
    .store = {store_1, store_2, store_4, store_8},
    .load_any = {load_any_1, load_any_2, load_any_4, load_any_8},
    .store_any = {store_any_1, store_any_2, store_any_4, store_any_8},
    .enter = fake_enter,
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
        !__builtin_cpu_supports("bmi2"))
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
    k->context.reason = SIM_TIER_REASON_COUNT; /* not set yet */
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
typedef enum guess {
    GUESS_RUN,
    GUESS_SAME,
    GUESS_OTHER,
    GUESS_UNKNOWN,
    GUESS_MIXED,
    GUESS_UNIFORM /* none: there is one address */
} guess;

/* Where a guess comes from; %at is the index, the same number for each of them. */
static const char *const guessed[] = {
    [GUESS_RUN] = "%at = OpIAdd %i64 %x %l0\n",
    [GUESS_SAME] = "%at = OpIAdd %i64 %y %l0\n",
    [GUESS_OTHER] = "%at = OpISub %i64 %c %x\n",
    [GUESS_UNKNOWN] = "%at = OpIMul %i64 %x %z\n",
    [GUESS_MIXED] = ("%tp = OpInBoundsPtrAccessChain %g64 %table %a\n"
                     "%at = OpLoad %i64 %tp Aligned 8\n"),
    [GUESS_UNIFORM] = "%at = OpIAdd %i64 %n %l0\n",
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
    {"i32", 4, 1, 4, 4, GUESS_UNKNOWN, INDEX_I64, true, true, false},
    {"i32", 4, 1, 4, 4, GUESS_MIXED, INDEX_I64, true, false, false},
    {"i32x4", 4, 4, 16, 8, GUESS_UNIFORM, INDEX_I64, false, false, false},
    {"i16", 2, 1, 2, 2, GUESS_UNIFORM, INDEX_I64, false, true, true},
    {"i64", 8, 1, 8, 8, GUESS_UNIFORM, INDEX_I64, true, false, false},
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

/* What tier.h demands. */
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
    bool is_uniform = a->guess == GUESS_UNIFORM;
    bool is_tried_same = is_uniform || (a->guess == GUESS_SAME && is_same);
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
        if (is_uniform) x.at[i] = (uint32_t)x.offsets[first];
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
        object->stores = SIM_TIER_HELPED;
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
    uniform_set(k, 3, a->guess == GUESS_UNIFORM ? (uint64_t)l->first : 7);
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
    if (logged.kind == SIM_TIER_MIXED) memcpy(logged.at, k->reads[0].at, sizeof logged.at);
    uint32_t step = logged.kind == SIM_TIER_RUN ? a->bytes * a->count : 0;
    for (uint32_t i = 0; logged.kind != SIM_TIER_MIXED && i < LANES; i++) {
        if (mask >> i & 1 || a->guess == GUESS_UNIFORM) logged.at[i] = k->reads[0].first + i * step;
    }
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
                    bool is_one = layouts[l].step == 0 && layouts[l].other_lane == LANES;
                    if (a->guess == GUESS_UNIFORM && !is_one) continue;
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

/* ---- Stores to local memory ----------------------------------------------------------------- */

enum { SINCE = 1000, LID = 48, SEVERAL = 1 << 28 };

/* What the cell of one place says before the store. If a work-item has stored there since the
 * barrier, and it is not the same one, a helper must store. */
static const struct {
    uint32_t offset, flags; /* of the stamp from SINCE */
    bool is_since;
} cells[] = {
    {0u - SINCE, 0, false},          /* nothing */
    {0u - 1, 0, false},              /* a work-item before the barrier */
    {0u - 1, SEVERAL, false},        /* several */
    {LID, 0, true},                  /* lane 0 */
    {LID, SEVERAL, true},            /* it and others */
    {0, 0, true},                    /* the first work-item */
    {LID + 1, 0, true},              /* lane 1 */
    {(1 << 28) - 1 - SINCE, 0, true} /* the last one */
};

static void local_store_check(compiled *k, const layout *l, uint32_t mask, uint32_t cell,
                              uint64_t flags)
{
    const access_case a = {.bytes = 4, .count = 1, .stride = 4, .alignment = 4};
    const way w = {0, 0, false};
    struct object *in = &objects[OBJECT_IN], *out = &objects[OBJECT_OUT];
    uint32_t lane = (uint32_t)__builtin_ctz(mask), wanted[ROOM / 4], found[ROOM / 4];
    bool is_own = cells[cell].offset == LID + lane && cells[cell].flags == 0;
    bool is_helped = flags == SIM_TIER_HELPED || (cells[cell].is_since && !is_own);
    objects_set(&a, &w);
    rows_set(l);
    in->class = SIM_CLASS_LOCAL;
    in->writes_from = 0;
    memset(in->writes, 0, sizeof in->writes);
    memset(in->defined, 0, sizeof in->defined);
    in->writes[index_of(&a, l, lane)] = (SINCE + cells[cell].offset) | cells[cell].flags;
    memcpy(wanted, in->data, sizeof wanted);
    for (uint32_t i = 0; i < LANES; i++) {
        if (!(mask >> i & 1)) continue;
        int64_t at = index_of(&a, l, i);
        is_helped |= memcmp(&wanted[at], in->data + 4 * at, 4) != 0;
        memcpy(&wanted[at], out->data + 4 * i, 4);
    }
    for (uint32_t i = 0; i < k->code.access_count; i++)
        k->code.accesses[i]->view = (sim_tier_view){.key = UINT64_MAX};
    in->stores = flags;
    k->context.local_base = k->context.local_from = SINCE;
    uniform_set(k, 0, address_of(OBJECT_IN) - 8);
    uniform_set(k, 1, address_of(OBJECT_OUT));
    uniform_set(k, 2, address_of(OBJECT_TABLE));
    uniform_set(k, 3, 7);
    if (chunk_run(k, mask) != SIM_TIER_DONE) WRONG("reason %u", k->context.reason);
    if (calls_of('s') != is_helped) WRONG("%u calls", calls_of('s'));
    memcpy(found, in->data, sizeof found);
    assert_memory_equal(found, wanted, sizeof found);
    if (is_helped) return;
    assert_int_equal(in->writes_from, SINCE);
    for (uint32_t at = 0; at < ROOM / 4; at++) {
        uint32_t stamp = 0, defined;
        bool is_stored = false;
        for (uint32_t i = 0; i < LANES; i++) {
            if (mask >> i & 1 && index_of(&a, l, i) == (int64_t)at) {
                is_stored = true;
                stamp = SINCE + LID + i;
            }
        }
        memcpy(&defined, in->defined + 4 * at, 4);
        if (in->writes[at] != stamp) WRONG("cell %u is %u", at, in->writes[at]);
        if (defined != (is_stored && flags ? UINT32_MAX : 0)) WRONG("bits of word %u", at);
    }
}

/* Words are stored in line unless a helper must look at who else has stored them. */
static void test_local_stores(void **state)
{
    (void)state;
    static const guess guesses[] = {GUESS_RUN, GUESS_UNKNOWN, GUESS_OTHER, GUESS_MIXED};
    static const layout places[] = {
        {3, 1, LANES, 0}, {15, -1, LANES, 0}, {1, 2, LANES, 0}, {5, 0, LANES, 0}, {3, 1, 9, 8},
    };
    static const uint32_t lanes[] = {ALL, 0xfffe, 0x0ff1, 0x5555, 0x0001, 0x8000};
    static const uint64_t flags[] = {0, SIM_TIER_SHADOWED, SIM_TIER_HELPED};
    for (uint32_t g = 0; g < sizeof guesses / sizeof *guesses; g++) {
        const access_case a = {"i32", 4, 1, 4, 4, guesses[g], INDEX_I64, true, true, false};
        for (uint32_t level = 0; level < level_count(); level++) {
            compiled *k = access_compile(&a, level);
            for (uint32_t l = 0; l < sizeof places / sizeof *places; l++) {
                for (uint32_t m = 0; m < sizeof lanes / sizeof *lanes; m++) {
                    for (uint32_t c = 0; c < sizeof cells / sizeof *cells; c++) {
                        running.number = g, running.level = level, running.way = c;
                        running.layout = l, running.mask = lanes[m];
                        for (uint32_t f = 0; f < sizeof flags / sizeof *flags; f++)
                            local_store_check(k, &places[l], lanes[m], c, flags[f]);
                    }
                }
            }
            kernel_free(k);
        }
    }
}

/* Where a helper gives up, the code does so at once, and the helper's reason remains. */
static void test_failures(void **state)
{
    (void)state;
    static const layout run = {3, 1, LANES, 0};
    static const way helped = {0, SIM_TIER_HELPED, false}, logged = {0, SIM_TIER_LOGGED, false};
    for (uint32_t c = 0; c < sizeof access_cases / sizeof *access_cases; c++) {
        const access_case *a = &access_cases[c];
        if (a->alignment > a->bytes * a->count || a->guess == GUESS_UNIFORM) continue;
        compiled *k = access_compile(a, 0);
        /* First the search for an object fails, then the access itself. */
        for (uint32_t round = 0; round < 2; round++) {
            running.number = c, running.way = round, running.mask = ALL;
            calls.fails = false;
            if (round) {
                k->found = 0;
                access_check(k, a, &run, &helped, ALL);
            }
            objects_set(a, &helped);
            rows_set(&run);
            uniform_set(k, 0, address_of(OBJECT_IN) - 2 * a->stride);
            uniform_set(k, 1, address_of(OBJECT_OUT));
            uniform_set(k, 2, address_of(OBJECT_TABLE));
            calls.fails = true;
            assert_int_equal(chunk_run(k, ALL), SIM_TIER_GIVES_UP);
            calls.fails = false;
            assert_int_equal(k->context.reason, SIM_TIER_REASON_COUNT);
            assert_int_equal(calls.count, 1);
            assert_int_equal(calls_of('f'), round == 0);
        }
        /* The log has room for one row, which is emptied when it is full. */
        for (uint32_t fails = 0; a->is_stored && fails < 2; fails++) {
            k->context.reads_end = k->reads + 1;
            k->found = 0;
            for (uint32_t i = 0; i < k->code.access_count; i++)
                k->code.accesses[i]->view.key = UINT64_MAX;
            objects_set(a, &logged);
            rows_set(&run);
            (void)chunk_run(k, ALL);
            assert_int_equal(calls_of('e'), 1);
            assert_ptr_equal(k->context.reads_next, k->reads);
            calls.fails = fails;
            uint32_t end = chunk_run(k, ALL);
            calls.fails = false;
            assert_int_equal(end, fails ? SIM_TIER_GIVES_UP : SIM_TIER_DONE);
            assert_int_equal(calls_of('s'), !fails);
        }
        kernel_free(k);
    }
}

/* ---- Control flow --------------------------------------------------------------------------- */

/* Work-items are 0 to 15, and %x is their number, %y the number modulo 4, %n is 7. The kernel's
 * blocks store their numbers, or other things, to out[x], and the order of these stores and their
 * lanes tell which lanes run which block when. */
#define PUT(value) "OpStore %to %" value " Aligned 4\n"
#define CONTROL_TYPES                                                                                                                 \
    "%c4l = OpConstant %i64 4\n%c6l = OpConstant %i64 6\n%c0 = OpConstant %i32 0\n%c1 = OpConstant %i32 1\n%c2 = OpConstant %i32 2\n" \
    "%c3 = OpConstant %i32 3\n%c4 = OpConstant %i32 4\n%c5 = OpConstant %i32 5\n"                                                     \
    "%c6 = OpConstant %i32 6\n%c520 = OpConstant %i32 520\n%c264 = OpConstant %i32 264\n%l1 = OpConstant %i64 1\n"                    \
    "%l3 = OpConstant %i64 3\n%l7 = OpConstant %i64 7\n%c9 = OpConstant %i32 9\n"                                                     \
    "%p32 = OpTypePointer Function %i32\n%a4 = OpTypeArray %i32 %c4\n"                                                                \
    "%pa4 = OpTypePointer Function %a4\n%ft = OpTypeFunction %i32 %i32 %pin\n"                                                        \
    "%add = OpFunction %i32 None %ft\n%add_a = OpFunctionParameter %i32\n"                                                            \
    "%add_to = OpFunctionParameter %pin\n%add_e = OpLabel\n"                                                                          \
    "%add_r = OpIAdd %i32 %add_a %c3\nOpStore %add_to %add_a Aligned 4\n"                                                             \
    "OpReturnValue %add_r\nOpFunctionEnd\n"                                                                                           \
    "%own = OpFunction %i32 None %ft\n%own_a = OpFunctionParameter %i32\n"                                                            \
    "%own_to = OpFunctionParameter %pin\n%own_e = OpLabel\n%own_v = OpVariable %pa4 Function\n"                                       \
    "%own_i = OpBitwiseAnd %i32 %own_a %c3\n"                                                                                         \
    "%own_s = OpInBoundsAccessChain %p32 %own_v %own_i\nOpStore %own_s %own_a\n"                                                      \
    "%own_g = OpLoad %i32 %own_s\nOpReturnValue %own_g\nOpFunctionEnd\n"
#define CONTROL_START                                                                              \
    "%to = OpInBoundsPtrAccessChain %pin %in %a\n%w = OpUConvert %i32 %x\n"                        \
    "%u = OpUndef %i32\n%small = OpULessThan %bool %x %n\n%seven = OpIEqual %bool %n %l7\n"
#define WAIT "OpControlBarrier %c2 %c2 %c264\n"

#define IF(condition, then)                                                                        \
    "OpSelectionMerge %m None\nOpBranchConditional %" condition " %t %m\n"                         \
    "%t = OpLabel\n" then "OpBranch %m\n%m = OpLabel\n"
#define IF_ELSE(condition, then, otherwise)                                                        \
    "OpSelectionMerge %m None\nOpBranchConditional %" condition " %t %f\n%t = OpLabel\n" then      \
    "OpBranch %m\n%f = OpLabel\n" otherwise "OpBranch %m\n%m = OpLabel\n"
/* Lane x repeats the block until i, from 1 on, is not less than %y. */
#define LOOP(more, body)                                                                           \
    "OpBranch %head\n%head = OpLabel\n%i = OpPhi %i64 %l0 %entry %i1 %head\n" body                 \
    "%i1 = OpIAdd %i64 %i %l1\n%more = OpULessThan %bool %i1 %" more "\n"                          \
    "OpLoopMerge %m %head None\nOpBranchConditional %more %head %m\n%m = OpLabel\n"
#define CASES(value)                                                                               \
    "OpSelectionMerge %m None\nOpSwitch %" value                                                   \
    " %d 1 %t 3 %f\n%t = OpLabel\n" PUT("c2") "OpBranch %m\n%f = OpLabel\n" PUT(                   \
        "c3") "OpBranch %m\n%d = OpLabel\n" PUT("c1") "OpBranch %m\n%m = OpLabel\n"
/* A loop that a switch repeats or leaves: lane x goes to the first case y times. */
#define SWITCHED                                                                                          \
    "OpBranch %head\n%head = OpLabel\n%i = OpPhi %i64 %l0 %entry %i1 %t\n" PUT(                           \
        "c1") "%left = OpISub %i64 %y %i\nOpLoopMerge %m %t None\nOpSwitch %left %t 0 %m\n%t = OpLabel\n" \
              "%i1 = OpIAdd %i64 %i %l1\n" PUT("c2") "OpBranch %head\n%m = OpLabel\n"

#define SWITCHED_BACK                                                                              \
    "OpBranch %head\n%head = OpLabel\n%i = OpPhi %i64 %l0 %entry %i1 %head\n" PUT(                 \
        "c1") "%i1 = OpIAdd %i64 %i %l1\n%left = OpISub %i64 %y %i\nOpLoopMerge %m %head None\n"   \
              "OpSwitch %left %head 0 %m\n%m = OpLabel\n"

/* Lanes 7 and up return to the outer header while the others wait for the block %t, and then skip
 * what is between. */
#define SKIPPED                                                                                    \
    "OpBranch %head\n%head = OpLabel\n%o = OpPhi %i64 %l0 %entry %o1 %back\n"                      \
    "OpStore %to %c1 Aligned 4\n%skips = OpIEqual %bool %o %l1\n"                                  \
    "OpBranchConditional %skips %m %inner\n%inner = OpLabel\nOpStore %to %c2 Aligned 4\n"          \
    "%big = OpUGreaterThanEqual %bool %x %n\nOpBranchConditional %big %back %t\n"                  \
    "%t = OpLabel\nOpStore %to %c4 Aligned 4\nOpBranch %m\n%back = OpLabel\n"                      \
    "OpStore %to %c3 Aligned 4\n%o1 = OpIAdd %i64 %o %l1\nOpBranch %head\n%m = OpLabel\n"

typedef struct control_case {
    const char *body;
    uint32_t mask;
    const char *trace; /* the stores: value, or values from the first active lane on, and lanes */
    sim_tier_reason reason;
    uint32_t last_back; /* stores before the last jump back; 0: there is none */
} control_case;

static const control_case control_cases[] = {
    {PUT("c0"), ALL, "0:ffff", 0, 0},
    {PUT("c0"), 0x0001, "0:1", 0, 0},
    {PUT("w"), 0x0380, "7,8,9:380", 0, 0},
    {PUT("c0") IF("small", PUT("c1")) PUT("c2"), ALL, "0:ffff 1:7f 2:ffff", 0, 0},
    {PUT("c0") IF("small", PUT("c1")) PUT("c2"), 0xff80, "0:ff80 2:ff80", 0, 0},
    {PUT("c0") IF("small", PUT("c1")) PUT("c2"), 0x0030, "0:30 1:30 2:30", 0, 0},
    {PUT("c0") IF("seven", PUT("c1")) PUT("c2"), 0x0f30, "0:f30 1:f30 2:f30", 0, 0},
    {PUT("c0") IF_ELSE("small", PUT("c1"), PUT("c2")) PUT("c3"), ALL, "0:ffff 1:7f 2:ff80 3:ffff",
     0, 0},
    {PUT("c0") IF_ELSE("small", PUT("c1"), PUT("c2")) PUT("c3"), 0x00c0, "0:c0 1:40 2:80 3:c0", 0,
     0},
    {PUT("c0") IF_ELSE("small", PUT("c1"), PUT("c2")) PUT("c3"), 0x8000, "0:8000 2:8000 3:8000", 0,
     0},
    /* Some return before the others. */
    {PUT("c0") "OpSelectionMerge %m None\nOpBranchConditional %small %t %m\n%t = OpLabel\n" PUT(
         "c1") "OpReturn\n%m = OpLabel\n" PUT("c2"),
     ALL, "0:ffff 1:7f 2:ff80", 0, 0},
    {PUT("c0") "OpSelectionMerge %m None\nOpBranchConditional %small %t %m\n%t = OpLabel\n" PUT(
         "c1") "OpUnreachable\n%m = OpLabel\n" PUT("c2"),
     ALL, "0:ffff 1:7f", SIM_TIER_MISUSE, 0},
    {PUT("c0") "OpSelectionMerge %m None\nOpBranchConditional %small %t %m\n%t = OpLabel\n" PUT(
         "c1") "OpUnreachable\n%m = OpLabel\n" PUT("c2"),
     0xff00, "0:ff00 2:ff00", 0, 0},
    /* Loops. */
    {PUT("c0") LOOP("y", PUT("c1")) PUT("c2"), ALL, "0:ffff 1:ffff 1:cccc 1:8888 2:ffff", 0, 3},
    {PUT("c0") LOOP("y", PUT("c1")) PUT("c2"), 0x0333, "0:333 1:333 2:333", 0, 0},
    {PUT("c0") LOOP("l3", PUT("c1")) PUT("c2"), 0x0ff0, "0:ff0 1:ff0 1:ff0 1:ff0 2:ff0", 0, 3},
    {PUT("c0") SWITCHED PUT("c3"), 0x00ff, "0:ff 1:ff 2:ee 1:ee 2:cc 1:cc 2:88 1:88 3:ff", 0, 7},
    {PUT("c0") SWITCHED_BACK PUT("c2"), 0x00ff, "0:ff 1:ff 1:ee 1:cc 1:88 2:ff", 0, 4},
    {PUT("c0") SKIPPED PUT("c5"), 0x01e0, "0:1e0 1:1e0 2:1e0 3:180 1:180 4:60 5:1e0", 0, 4},
    /* A value that one path does not set. */
    {IF("small", "") "%v = OpPhi %i32 %c5 %t %u %entry\n" PUT("v"), 0x0060, "5:60", 0, 0},
    {IF("small", "") "%v = OpPhi %i32 %c5 %t %u %entry\n" PUT("v"), 0xff00, "", SIM_TIER_UNDEFINED,
     0},
    {IF("small", PUT("u")) PUT("c5"), 0xff00, "5:ff00", 0, 0},
    {IF("small", PUT("u")) PUT("c5"), 0x00ff, "", SIM_TIER_UNDEFINED, 0},
    /* Calls. */
    {"%r = OpFunctionCall %i32 %add %w %to\n" PUT("r"), 0x0070, "4,5,6:70 7,8,9:70", 0, 0},
    {"%r = OpFunctionCall %i32 %own %w %to\n" PUT("r"), 0x0070, "4,5,6:70", 0, 0},
    {IF("small", "%r = OpFunctionCall %i32 %own %w %to\n" PUT("r")) PUT("c9"), 0x01e0,
     "5,6:60 9:1e0", 0, 0},
    {IF("small", "%r = OpFunctionCall %i32 %add %w %to\n" PUT("r")) PUT("c9"), 0x01c0,
     "6:40 9:40 9:1c0", 0, 0},
    /* Values where paths meet. */
    {IF_ELSE("small", "", "") "%v = OpPhi %i32 %c5 %t %w %f\n" PUT("v"), 0x03c0, "5,7,8,9:3c0", 0,
     0},
    {"OpSelectionMerge %m None\nOpBranchConditional %small %m %t\n%t = OpLabel\nOpBranch %m\n"
     "%m = OpLabel\n%v = OpPhi %i32 %c5 %entry %w %t\n" PUT("v"),
     0x03c0, "5,7,8,9:3c0", 0, 0},
    {"OpBranch %head\n%head = OpLabel\n%i = OpPhi %i64 %l0 %entry %i1 %head\n"
     "%p = OpPhi %i32 %c5 %entry %q %head\n%q = OpPhi %i32 %w %entry %p %head\n"
     "%i1 = OpIAdd %i64 %i %l1\n%more = OpULessThan %bool %i1 %y\nOpLoopMerge %m %head None\n"
     "OpBranchConditional %more %head %m\n%m = OpLabel\n" PUT("p") PUT("q"),
     0x000f, "5,5,2,5:f 0,1,5,3:f", 0, 0},
    /* Switches, of lanes and of all. */
    {PUT("c0") CASES("y") PUT("c4"), ALL, "0:ffff 1:5555 2:2222 3:8888 4:ffff", 0, 0},
    {PUT("c0") CASES("y") PUT("c4"), 0x2220, "0:2220 2:2220 4:2220", 0, 0},
    {PUT("c0") CASES("y") PUT("c4"), 0x8008, "0:8008 3:8008 4:8008", 0, 0},
    {PUT("c0") CASES("y") PUT("c4"), 0x0014, "0:14 1:14 4:14", 0, 0},
    {PUT("c0") CASES("y") PUT("c4"), 0x000a, "0:a 2:2 3:8 4:a", 0, 0},
    {PUT("c0") CASES("n") PUT("c4"), ALL, "0:ffff 1:ffff 4:ffff", 0, 0},
    {PUT("c0") "%three = OpISub %i64 %n %c4l\n" CASES("three") PUT("c4"), ALL,
     "0:ffff 3:ffff 4:ffff", 0, 0},
    {PUT("c0") "%one = OpISub %i64 %n %c6l\n" CASES("one") PUT("c4"), ALL, "0:ffff 2:ffff 4:ffff",
     0, 0},
    {PUT("c0") "%y8 = OpUConvert %i8 %y\n" CASES("y8") PUT("c4"), 0x00f0,
     "0:f0 1:50 2:20 3:80 4:f0", 0, 0},
};

static void trace_write(char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t c = 0; c < calls.count; c++) {
        const call *stored = &calls.items[c];
        if (stored->helper != 's') continue;
        uint32_t values[LANES], first = (uint32_t)__builtin_ctz(stored->mask);
        bool is_same = true;
        memcpy(values, stored->values[0], sizeof values);
        for (uint32_t i = first; i < LANES; i++)
            is_same &= !(stored->mask >> i & 1) || values[i] == values[first];
        used += (size_t)snprintf(out + used, size - used, "%s%u", used ? " " : "", values[first]);
        for (uint32_t i = first + 1; !is_same && i < LANES; i++) {
            if (stored->mask >> i & 1)
                used += (size_t)snprintf(out + used, size - used, ",%u", values[i]);
        }
        used += (size_t)snprintf(out + used, size - used, ":%x", stored->mask);
    }
}

static void control_set(compiled *k)
{
    static const access_case plain = {.stride = 4};
    static const way as_usual = {0, 0, false};
    objects_set(&plain, &as_usual);
    for (uint32_t i = 0; i < LANES; i++) {
        row_set(SIM_ROW_GLOBAL_ID, i, i);
        row_set(SIM_ROW_GLOBAL_ID + 1, i, i % 4);
        row_set(SIM_ROW_LOCAL_ID, i, i);
    }
    uniform_set(k, 0, address_of(OBJECT_IN));
    uniform_set(k, 1, address_of(OBJECT_OUT));
    uniform_set(k, 3, 7);
    k->context.spent = 100, k->context.steps = 10;
    k->context.spent_max = k->context.steps_max = UINT64_MAX;
    k->context.resume = 0;
}

enum { KERNEL_SIZE = 2048 };

/* Takes the kernel out of the text, so that types can be added before it. */
static void kernel_take(assembly *t, char out[KERNEL_SIZE])
{
    const char *kernel = strstr(t->text, "%k = OpFunction");
    size_t rest = strlen(kernel);
    assert_true(rest < KERNEL_SIZE);
    memcpy(out, kernel, rest + 1);
    t->used -= rest;
}

static compiled *control_compile(const char *body, uint32_t level)
{
    static assembly t;
    char kept[KERNEL_SIZE];
    kernel_begin(&t, "i32", false);
    kernel_take(&t, kept);
    add(&t, "%s%s%s%s", CONTROL_TYPES, kept, CONTROL_START, body);
    add(&t, "OpReturn\nOpFunctionEnd\n");
    return kernel_compile(t.text, level);
}

/* What the first `count` stores cost, each in the block of its number: in work-item instructions,
 * and in those counted once for the chunk. */
static void cost_of(const compiled *k, uint32_t count, uint64_t *out_spent, uint64_t *out_steps)
{
    *out_spent = 100, *out_steps = 10;
    for (uint32_t i = 0; i < calls.count && count > 0; i++) {
        uint32_t block;
        if (calls.items[i].helper != 's') continue;
        memcpy(&block, calls.items[i].values[0] + 4 * __builtin_ctz(calls.items[i].mask), 4);
        assert_true(block < k->function->block_count);
        *out_steps += k->function->blocks[block].cost;
        *out_spent += (uint64_t)k->function->blocks[block].cost *
                      (uint64_t)__builtin_popcount(calls.items[i].mask);
        count--;
    }
}

static void control_check(compiled *k, const control_case *c)
{
    char trace[512];
    for (uint32_t round = 0; round < 2; round++) {
        control_set(k);
        uint32_t end = chunk_run(k, c->mask);
        trace_write(trace, sizeof trace);
        if (strcmp(trace, c->trace) != 0)
            fail_msg("'%s', expected '%s':\n%s", trace, c->trace, c->body);
        for (uint32_t i = 0; i < k->code.block_count; i++)
            assert_true(c->reason || k->context.parked[i] == 0);
        if (c->reason) {
            assert_int_equal(end, SIM_TIER_GIVES_UP);
            assert_int_equal(k->context.reason, c->reason);
            return;
        }
        assert_int_equal(end, SIM_TIER_DONE);
        /* Lanes that have left a function no longer have its variables. */
        assert_int_equal(calls_of('n'), strstr(c->body, "%own") != NULL);
        if (calls_of('n')) {
            uint32_t mask = strstr(c->body, "%small") ? c->mask & 0x7f : c->mask;
            assert_int_equal(call_of('n')->mask, mask);
            assert_in_range(call_of('n')->kind, 1, SIM_TIER_FRAMES - 1);
            assert_null(k->context.frames[call_of('n')->kind]);
        }
    }
    uint64_t spent, steps;
    if (strncmp(c->trace, "0:", 2) != 0) return;
    cost_of(k, UINT32_MAX, &spent, &steps);
    assert_int_equal(k->context.spent, spent);
    assert_int_equal(k->context.steps, steps);
    if (!c->last_back) {
        /* What does not go back cannot take long. */
        control_set(k);
        k->context.spent_max = k->context.steps_max = 0;
        assert_int_equal(chunk_run(k, c->mask), SIM_TIER_DONE);
        return;
    }
    cost_of(k, c->last_back, &spent, &steps);
    for (uint64_t less = 0; less < 4; less++) {
        control_set(k);
        k->context.spent_max = spent - (less & 1);
        k->context.steps_max = steps - (less >> 1);
        uint32_t end = chunk_run(k, c->mask);
        if (end != (less ? SIM_TIER_GIVES_UP : SIM_TIER_DONE))
            fail_msg("budget, %u: %u:\n%s", (unsigned)less, end, c->body);
        if (less) assert_int_equal(k->context.reason, SIM_TIER_BUDGET);
        memset(k->context.parked, 0, k->code.block_count * sizeof(uint16_t));
    }
}

static void test_control(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof control_cases / sizeof *control_cases; i++) {
        compiled *k = control_compile(control_cases[i].body, 0);
        control_check(k, &control_cases[i]);
        kernel_free(k);
    }
}

/* More blocks than a word has bits. */
static void test_many_blocks(void **state)
{
    (void)state;
    enum { BRANCHES = 50 };
    static assembly body;
    char wanted[1024], trace[1024];
    size_t used = 0;
    body.used = 0;
    for (uint32_t i = 0; i < BRANCHES; i++) {
        /* Every other branch has lanes on both sides. */
        add(&body,
            "OpBranchConditional %%%s %%t%u %%m%u\n%%t%u = OpLabel\n"
            "OpStore %%to %%c1 Aligned 4\n",
            i % 2 ? "small" : "seven", i, i, i);
        add(&body, "OpBranch %%m%u\n%%m%u = OpLabel\n", i, i);
        used += (size_t)snprintf(wanted + used, sizeof wanted - used, "1:%x ", i % 2 ? 0x7f : ALL);
    }
    add(&body, "OpStore %%to %%c2 Aligned 4\n");
    snprintf(wanted + used, sizeof wanted - used, "2:ffff");
    compiled *k = control_compile(body.text, 0);
    assert_int_equal(k->code.block_count, 2 * BRANCHES + 1);
    control_set(k);
    assert_int_equal(chunk_run(k, ALL), SIM_TIER_DONE);
    trace_write(trace, sizeof trace);
    assert_string_equal(trace, wanted);
    kernel_free(k);
}

/* ---- Barriers ------------------------------------------------------------------------------- */

#define WAIT_GLOBAL "OpControlBarrier %c2 %c2 %c520\n"
/* What all work-items compute from their numbers. */
#define SQUARE "%square = OpIMul %i32 %w %w\n"

typedef struct barrier_case {
    const char *body;
    uint32_t mask;
    const char *traces[6]; /* of one call after the other */
    uint32_t barriers[6];  /* that they end at; 0: none */
    uint32_t kept;         /* registers that outlive a barrier, at most: %in is one */
    bool is_divergent;
} barrier_case;

static const barrier_case barrier_cases[] = {
    {WAIT, ALL, {"", ""}, {1}, 0, false},
    {PUT("c0") WAIT PUT("c1"), 0x7fff, {"0:7fff", "1:7fff"}, {1}, 1, false},
    {SQUARE WAIT PUT("square"), 0x0007, {"", "0,1,4:7"}, {1}, 2, false},
    {SQUARE PUT("square") WAIT PUT("c1"), 0x0007, {"0,1,4:7", "1:7"}, {1}, 1, false},
    {SQUARE PUT("square") WAIT, 0x0007, {"0,1,4:7", ""}, {1}, 0, false},
    {SQUARE WAIT PUT("c0") WAIT_GLOBAL PUT("square"),
     0x0007,
     {"", "0:7", "0,1,4:7"},
     {1, 2},
     2,
     false},
    {SQUARE WAIT PUT("square") WAIT_GLOBAL, 0x0007, {"", "0,1,4:7", ""}, {1, 2}, 2, false},
    /* The loop's counter is kept. */
    {LOOP("l3", PUT("c1") WAIT), 0x00ff, {"1:ff", "1:ff", "1:ff", ""}, {1, 1, 1}, 2, false},
    {SQUARE LOOP("l3", WAIT PUT("square")) PUT("c2"),
     0x0006,
     {"", "1,4:6", "1,4:6", "1,4:6 2:6"},
     {1, 1, 1},
     3,
     false},
    {"OpBranch %head\n%head = OpLabel\n%i = OpPhi %i64 %l0 %entry %i1 %head\n"
     "%p = OpPhi %i32 %w %entry %q %head\n" WAIT "%q = OpIAdd %i32 %p %c5\n" PUT(
         "q") "%i1 = OpIAdd %i64 %i %l1\n%more = OpULessThan %bool %i1 %l2\n"
              "OpLoopMerge %m %head None\nOpBranchConditional %more %head %m\n%m = OpLabel\n",
     0x0006,
     {"", "6,7:6", "11,12:6"},
     {1, 1},
     3,
     false},
    /* Not all of the lanes arrive. */
    {IF("small", WAIT PUT("c1")), 0x003f, {"", "1:3f"}, {1}, 1, false},
    {IF("small", WAIT PUT("c1")), 0xff00, {""}, {0}, 1, false},
    {IF("small", WAIT PUT("c1")), 0x00ff, {""}, {SIM_TIER_GIVES_UP}, 1, true},
};

static void test_barriers(void **state)
{
    (void)state;
    char trace[512];
    for (uint32_t i = 0; i < sizeof barrier_cases / sizeof *barrier_cases; i++) {
        const barrier_case *c = &barrier_cases[i];
        compiled *k = control_compile(c->body, 0);
        bool has_two = strstr(c->body, "%c520") != NULL;
        assert_int_equal(k->code.barrier_count, has_two ? 3 : 2);
        assert_int_equal(sim_order_semantics(k->code.barrier_order[1]), 264);
        if (has_two) assert_int_equal(sim_order_semantics(k->code.barrier_order[2]), 520);
        if (k->code.saved_bytes != (uint64_t)c->kept * LANES * 8)
            fail_msg("%u bytes are saved:\n%s", (unsigned)k->code.saved_bytes, c->body);
        control_set(k);
        for (uint32_t round = 0;; round++) {
            uint32_t end = chunk_run(k, c->mask);
            trace_write(trace, sizeof trace);
            if (end != c->barriers[round] || strcmp(trace, c->traces[round]) != 0)
                fail_msg("call %u: '%s', ends with %u:\n%s", round, trace, end, c->body);
            if (c->is_divergent) assert_int_equal(k->context.reason, SIM_TIER_BARRIER);
            if (c->is_divergent || end == SIM_TIER_DONE) break;
            k->context.resume = end;
        }
        kernel_free(k);
    }
}

/* ---- Private variables ---------------------------------------------------------------------- */

typedef struct private_case {
    uint32_t bytes;  /* of an element of the array of four */
    bool is_uniform; /* the index: %n, or the lane's number modulo 4 */
    bool is_store;   /* or a load */
    bool is_marked;  /* whole words are */
} private_case;

static const private_case private_cases[] = {
    {1, false, true, false},  {2, false, true, false}, {4, false, true, true},
    {8, false, true, true},   {1, true, true, false},  {2, true, true, false},
    {4, true, true, true},    {8, true, true, true},   {1, false, false, false},
    {2, false, false, false}, {4, false, false, true}, {8, false, false, true},
    {1, true, false, false},  {2, true, false, false}, {4, true, false, true},
    {8, true, false, true},   {4, false, true, false}, {4, true, false, false},
    {8, false, true, false},  {8, true, true, false},  {8, false, false, false},
    {8, true, false, false},
};

static compiled *private_compile(const private_case *c, uint32_t level)
{
    static assembly t;
    char element[16];
    snprintf(element, sizeof element, "i%u", 8 * c->bytes);
    char kept[KERNEL_SIZE];
    kernel_begin(&t, element, false);
    kernel_take(&t, kept);
    add(&t,
        "%%l99 = OpConstant %%i64 99\n%%p8 = OpTypePointer Function %%i8\n"
        "%%l4 = OpConstant %%i64 4\n%%array = OpTypeArray %%%s %%l4\n",
        element);
    add(&t, "%%pa = OpTypePointer Function %%array\n%%pe = OpTypePointer Function %%%s\n", element);
    add(&t, "%s%%slots = OpVariable %%pa Function\n", kept);
    add(&t, "%%slot = OpInBoundsAccessChain %%pe %%slots %s\n", c->is_uniform ? "%n" : "%y");
    add(&t, "%%to = OpInBoundsPtrAccessChain %%pout %%out %%a\n");
    add(&t, "%%v = OpLoad %%%s %s Aligned %u\n", element, c->is_store ? "%to" : "%slot", c->bytes);
    add(&t, "OpStore %s %%v Aligned %u\n", c->is_store ? "%slot" : "%to", c->bytes);
    if (c->bytes >= 4 && !c->is_marked) {
        /* There is a store to a part of a word, which is not executed. */
        add(&t, "%%never = OpIEqual %%bool %%n %%l99\nOpSelectionMerge %%end None\n"
                "OpBranchConditional %%never %%put %%end\n%%put = OpLabel\n"
                "%%part = OpBitcast %%p8 %%slot\n%%small = OpUConvert %%i8 %%x\n"
                "OpStore %%part %%small Aligned 1\nOpBranch %%end\n%%end = OpLabel\n");
    }
    add(&t, "OpReturn\nOpFunctionEnd\n");
    return kernel_compile(t.text, level);
}

/* Where byte `at` of the lane's variable is: see tier.h. */
static uint64_t private_place(const compiled *k, uint64_t at, uint32_t lane)
{
    const sim_tier_frame *frame = k->code.kernel_frame;
    at += frame->private_first + frame->function->variables[0].offset;
    return (at / 4 * LANES + lane) * 4 + at % 4;
}

/* `wrong`: a lane whose index is 4, or whose element is undefined; LANES: none. */
static void private_check(compiled *k, const private_case *c, uint32_t mask, uint32_t index,
                          uint32_t wrong, bool is_outside)
{
    uint64_t size = k->code.private_bytes * LANES;
    uint8_t *memory = rt_alloc(size), *defined = rt_alloc(size);
    control_set(k);
    uniform_set(k, 3, is_outside && c->is_uniform ? 4 : index);
    for (uint64_t i = 0; i < size; i++)
        memory[i] = (uint8_t)(i * 11 + i / 64);
    memset(defined, c->is_store ? 0 : 0xff, size);
    for (uint32_t i = 0; i < LANES; i++) {
        if (i == wrong && is_outside) row_set(SIM_ROW_GLOBAL_ID + 1, i, 4);
        if (i != wrong || is_outside) continue;
        uint64_t last = (uint64_t)(c->is_uniform ? index : i % 4) * c->bytes + c->bytes - 1;
        uint32_t mark = SIM_TIER_MARK;
        if (c->is_marked) memcpy(memory + private_place(k, last & ~UINT64_C(3), i), &mark, 4);
        if (!c->is_marked) defined[private_place(k, last, i)] = 0x7f;
    }
    memcpy(k->private_memory, memory, size);
    memcpy(k->private_defined, defined, size);
    uint32_t end = chunk_run(k, mask);
    bool is_wrong = (is_outside && c->is_uniform) || (wrong < LANES && mask >> wrong & 1);
    assert_int_equal(end, is_wrong ? SIM_TIER_GIVES_UP : SIM_TIER_DONE);
    if (is_wrong) {
        assert_int_equal(k->context.reason, is_outside ? SIM_TIER_ACCESS : SIM_TIER_UNDEFINED);
    } else if (c->is_store) {
        for (uint32_t i = 0; i < LANES; i++) {
            uint64_t first = (uint64_t)(c->is_uniform ? index : i % 4) * c->bytes;
            for (uint32_t b = 0; mask >> i & 1 && b < c->bytes; b++) {
                memory[private_place(k, first + b, i)] = objects[OBJECT_OUT].data[i * c->bytes + b];
                if (!c->is_marked) defined[private_place(k, first + b, i)] = 0xff;
            }
        }
        assert_memory_equal(k->private_memory, memory, size);
        assert_memory_equal(k->private_defined, defined, size);
    } else {
        const call *stored = call_of('s');
        for (uint32_t i = 0; i < LANES; i++) {
            uint64_t first = (uint64_t)(c->is_uniform ? index : i % 4) * c->bytes;
            for (uint32_t b = 0; mask >> i & 1 && b < c->bytes; b++)
                assert_int_equal(stored->values[0][i * c->bytes + b],
                                 memory[private_place(k, first + b, i)]);
        }
    }
    rt_free(memory);
    rt_free(defined);
}

static void test_private(void **state)
{
    (void)state;
    static const uint32_t lanes[] = {ALL, 0x0ff0, 0x5555, 0x0001, 0x8000};
    for (uint32_t i = 0; i < sizeof private_cases / sizeof *private_cases; i++) {
        const private_case *c = &private_cases[i];
        for (uint32_t level = 0; level < level_count(); level += 2) {
            compiled *k = private_compile(c, level);
            assert_int_equal(k->code.kernel_frame->is_marked[0], c->is_marked);
            for (uint32_t m = 0; m < sizeof lanes / sizeof *lanes; m++) {
                for (uint32_t index = 0; index < 4; index++)
                    private_check(k, c, lanes[m], index, LANES, false);
                for (uint32_t wrong = 0; wrong < LANES; wrong++) {
                    if (!c->is_uniform) private_check(k, c, lanes[m], 3, wrong, true);
                    if (!c->is_store) private_check(k, c, lanes[m], 2, wrong, false);
                }
                if (c->is_uniform) private_check(k, c, lanes[m], 0, LANES, true);
            }
            kernel_free(k);
        }
    }
}

int main(int count, char **words)
{
    if (count > 1) cmocka_set_test_filter(words[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),        cmocka_unit_test(test_local_stores),
        cmocka_unit_test(test_failures),    cmocka_unit_test(test_control),
        cmocka_unit_test(test_many_blocks), cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_private),
    };
    return cmocka_run_group_tests(tests, library_open, NULL);
}
