/* A walk over a module's instructions. Modules are untrusted: lengths and ids are checked, and a
 * type is described only from types that precede it, so that the walk ends. */
#include "conformance/build/spirv_outline.h"

#include "reference/base/vector.h"

#include <string.h>

enum {
    MAGIC = 0x07230203,
    HEADER_WORDS = 5,
    BOUND_MAX = 0x3FFFFF, /* of ids: SPIR-V's universal limit */
    STRUCT_MEMBERS_MAX = 64,
};

enum {
    OP_NAME = 5,
    OP_MEMORY_MODEL = 14,
    OP_ENTRY_POINT = 15,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_TYPE_VECTOR = 23,
    OP_TYPE_STRUCT = 30,
    OP_TYPE_POINTER = 32,
    OP_FUNCTION = 54,
    OP_FUNCTION_PARAMETER = 55,
};

enum {
    STORAGE_UNIFORM_CONSTANT = 0,
    STORAGE_WORKGROUP = 4,
    STORAGE_CROSS_WORKGROUP = 5,
    STORAGE_FUNCTION = 7, /* of a struct that is passed by value */
    EXECUTION_KERNEL = 6,
};

typedef struct type_row {
    uint16_t opcode;          /* 0: not described */
    uint32_t storage, target; /* of a pointer */
    uint64_t size, alignment; /* bytes; 0: unknown */
    rt_text word;             /* as cnf_parameter.type */
} type_row;

typedef struct outline_walk {
    rt_arena *arena;
    const uint32_t *words;
    size_t count; /* of words */
    uint32_t bound;
    type_row *types;  /* by id */
    rt_text *names;   /* by id */
    rt_text *kernels; /* by id of the function: the name of its entry point */
} outline_walk;

/* ---- Words --------------------------------------------------------------------------------- */

/* Copies the module into words of this machine's order. False: not SPIR-V. */
static bool walk_begin(outline_walk *walk, rt_arena *arena, rt_bytes module)
{
    *walk = (outline_walk){.arena = arena, .count = module.size / sizeof(uint32_t)};
    if (walk->count < HEADER_WORDS || module.size % sizeof(uint32_t) != 0) return false;
    uint32_t *words = rt_arena_alloc_array(arena, walk->count, sizeof *words);
    memcpy(words, module.data, module.size);
    bool swaps = words[0] == __builtin_bswap32(MAGIC);
    for (size_t i = 0; swaps && i < walk->count; i++)
        words[i] = __builtin_bswap32(words[i]);
    walk->words = words;
    walk->bound = words[3];
    return words[0] == MAGIC && walk->bound <= BOUND_MAX;
}

/* The next instruction at *inout_at; NULL at the end, or, with *out_damaged, if it is truncated. */
static const uint32_t *walk_next(const outline_walk *walk, size_t *inout_at, uint32_t *out_count,
                                 bool *out_damaged)
{
    *out_damaged = false;
    if (*inout_at == walk->count) return NULL;
    const uint32_t *instruction = walk->words + *inout_at;
    *out_count = instruction[0] >> 16;
    *out_damaged = *out_count == 0 || *out_count > walk->count - *inout_at;
    if (*out_damaged) return NULL;
    *inout_at += *out_count;
    return instruction;
}

/* The string in the words from `first` on; empty if it does not end inside the instruction. */
static rt_text string_at(const uint32_t *instruction, uint32_t count, uint32_t first)
{
    if (first >= count) return (rt_text){0};
    const char *text = (const char *)(instruction + first);
    size_t room = (count - first) * sizeof *instruction, length = strnlen(text, room);
    return length < room ? (rt_text){text, length} : (rt_text){0};
}

/* ---- Types --------------------------------------------------------------------------------- */

static rt_text scalar_word(uint16_t opcode, uint32_t bits)
{
    static const struct {
        uint16_t opcode;
        uint32_t bits;
        rt_text word;
    } rows[] = {
        {OP_TYPE_INT, 8, {"char", 4}},      {OP_TYPE_INT, 16, {"short", 5}},
        {OP_TYPE_INT, 32, {"int", 3}},      {OP_TYPE_INT, 64, {"long", 4}},
        {OP_TYPE_FLOAT, 16, {"half", 4}},   {OP_TYPE_FLOAT, 32, {"float", 5}},
        {OP_TYPE_FLOAT, 64, {"double", 6}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].opcode == opcode && rows[i].bits == bits) return rows[i].word;
    return (rt_text){0};
}

static const type_row *type_at(const outline_walk *walk, uint32_t id)
{
    static const type_row unknown = {0};
    return id < walk->bound ? &walk->types[id] : &unknown;
}

/* A vector of three takes as much space as one of four (OpenCL C, 6.1.5). */
static void vector_describe(const outline_walk *walk, const uint32_t *instruction, type_row *row)
{
    const type_row *lane = type_at(walk, instruction[2]);
    uint32_t lanes = instruction[3];
    bool is_known = lane->word.length > 0 &&
                    (lanes == 2 || lanes == 3 || lanes == 4 || lanes == 8 || lanes == 16);
    if (!is_known) return;
    row->size = row->alignment = lane->size * (lanes == 3 ? 4 : lanes);
    row->word = rt_arena_printf(walk->arena, "%.*s%u", RT_TEXT_ARG(lane->word), lanes);
}

static void struct_describe(const outline_walk *walk, const uint32_t *instruction, uint32_t count,
                            type_row *row)
{
    uint64_t size = 0, alignment = 1;
    if (count - 2 > STRUCT_MEMBERS_MAX) return;
    for (uint32_t i = 2; i < count; i++) {
        const type_row *member = type_at(walk, instruction[i]);
        if (member->size == 0) return;
        size = (size + member->alignment - 1) / member->alignment * member->alignment;
        size += member->size;
        if (member->alignment > alignment) alignment = member->alignment;
    }
    row->size = (size + alignment - 1) / alignment * alignment;
    row->alignment = alignment;
}

static void type_note(outline_walk *walk, const uint32_t *instruction, uint32_t count)
{
    static const uint32_t words_least[] = {
        [OP_TYPE_INT] = 4,    [OP_TYPE_FLOAT] = 3,   [OP_TYPE_VECTOR] = 4,
        [OP_TYPE_STRUCT] = 2, [OP_TYPE_POINTER] = 4,
    };
    uint16_t opcode = (uint16_t)instruction[0];
    bool is_type = opcode < sizeof words_least / sizeof *words_least && words_least[opcode] > 0;
    if (!is_type || count < words_least[opcode] || instruction[1] >= walk->bound) return;
    type_row *row = &walk->types[instruction[1]];
    *row = (type_row){.opcode = opcode};
    if (opcode == OP_TYPE_INT || opcode == OP_TYPE_FLOAT) {
        row->word = scalar_word(opcode, instruction[2]);
        row->size = row->alignment = row->word.length > 0 ? instruction[2] / 8 : 0;
    } else if (opcode == OP_TYPE_VECTOR) {
        vector_describe(walk, instruction, row);
    } else if (opcode == OP_TYPE_STRUCT) {
        struct_describe(walk, instruction, count, row);
    } else {
        row->size = row->alignment = 8;
        row->storage = instruction[2];
        row->target = instruction[3];
    }
}

/* ---- Kernels ------------------------------------------------------------------------------- */

static cnf_parameter parameter_of(const outline_walk *walk, uint32_t type_id, uint32_t id)
{
    const type_row *type = type_at(walk, type_id);
    cnf_parameter parameter = {.kind = CNF_PARAMETER_OTHER};
    if (id < walk->bound) parameter.name = walk->names[id];
    const type_row *described = type;
    if (type->opcode == OP_TYPE_POINTER) {
        described = type_at(walk, type->target);
        switch (type->storage) {
        case STORAGE_CROSS_WORKGROUP: parameter.kind = CNF_PARAMETER_GLOBAL; break;
        case STORAGE_UNIFORM_CONSTANT: parameter.kind = CNF_PARAMETER_CONSTANT; break;
        case STORAGE_WORKGROUP: parameter.kind = CNF_PARAMETER_LOCAL; break;
        case STORAGE_FUNCTION: parameter.kind = CNF_PARAMETER_VALUE; break;
        default: break;
        }
    } else if (type->opcode != 0) {
        parameter.kind = CNF_PARAMETER_VALUE;
    }
    parameter.type = described->word;
    parameter.size = described->size;
    return parameter;
}

typedef RT_VECTOR(cnf_kernel_outline) kernel_list;

/* Adds a parameter to the last kernel; the table grows by one, as kernels have few. */
static void parameter_add(const outline_walk *walk, kernel_list *kernels, cnf_parameter parameter)
{
    cnf_kernel_outline *kernel = &kernels->items[kernels->count - 1];
    uint32_t count = kernel->parameter_count;
    cnf_parameter *table = rt_arena_alloc_array(walk->arena, count + 1, sizeof *table);
    if (count > 0) memcpy(table, kernel->parameters, count * sizeof *table);
    table[count] = parameter;
    kernel->parameters = table;
    kernel->parameter_count = count + 1;
}

/* Notes an instruction that precedes the functions. */
static void declaration_note(outline_walk *walk, const uint32_t *instruction, uint32_t count)
{
    uint16_t opcode = (uint16_t)instruction[0];
    if (opcode == OP_NAME && count >= 3 && instruction[1] < walk->bound)
        walk->names[instruction[1]] = rt_arena_text(walk->arena, string_at(instruction, count, 2));
    if (opcode == OP_ENTRY_POINT && count >= 4 && instruction[1] == EXECUTION_KERNEL &&
        instruction[2] < walk->bound)
        walk->kernels[instruction[2]] =
            rt_arena_text(walk->arena, string_at(instruction, count, 3));
    type_note(walk, instruction, count);
}

bool cnf_spirv_outline_read(rt_arena *arena, rt_bytes module, cnf_spirv_outline *out_outline)
{
    outline_walk walk;
    *out_outline = (cnf_spirv_outline){0};
    if (!walk_begin(&walk, arena, module)) return false;
    walk.types = rt_arena_alloc_array(arena, walk.bound + 1, sizeof *walk.types);
    walk.names = rt_arena_alloc_array(arena, walk.bound + 1, sizeof *walk.names);
    walk.kernels = rt_arena_alloc_array(arena, walk.bound + 1, sizeof *walk.kernels);
    kernel_list kernels = {0};
    size_t at = HEADER_WORDS;
    uint32_t count;
    bool damaged, inside = false; /* inside: in a kernel's function */
    for (const uint32_t *instruction;
         (instruction = walk_next(&walk, &at, &count, &damaged)) != NULL;) {
        uint16_t opcode = (uint16_t)instruction[0];
        if (opcode == OP_FUNCTION && count >= 3) {
            uint32_t id = instruction[2];
            inside = id < walk.bound && walk.kernels[id].length > 0;
            if (inside) *rt_vector_push(&kernels) = (cnf_kernel_outline){.name = walk.kernels[id]};
        } else if (opcode == OP_FUNCTION_PARAMETER && count >= 3 && inside) {
            parameter_add(&walk, &kernels, parameter_of(&walk, instruction[1], instruction[2]));
        } else {
            declaration_note(&walk, instruction, count);
        }
    }
    cnf_kernel_outline *table = rt_arena_alloc_array(arena, kernels.count + 1, sizeof *table);
    if (kernels.count > 0) memcpy(table, kernels.items, kernels.count * sizeof *table);
    *out_outline = (cnf_spirv_outline){table, kernels.count};
    rt_vector_free(&kernels);
    return !damaged;
}

/* ---- The API ------------------------------------------------------------------------------- */

const cnf_kernel_outline *cnf_spirv_outline_kernel(const cnf_spirv_outline *outline, rt_text name)
{
    for (uint32_t i = 0; i < outline->kernel_count; i++)
        if (rt_text_equal(outline->kernels[i].name, name)) return &outline->kernels[i];
    return NULL;
}

bool cnf_spirv_is_graphics(rt_arena *arena, rt_bytes module, const char **out_sign)
{
    /* Memory models, section 3.7. */
    static const char *const models[] = {"memory model Simple", "memory model GLSL450", NULL,
                                         "memory model Vulkan"};
    outline_walk walk;
    *out_sign = NULL;
    if (!walk_begin(&walk, arena, module)) return false;
    size_t at = HEADER_WORDS;
    uint32_t count;
    bool damaged;
    for (const uint32_t *instruction;
         (instruction = walk_next(&walk, &at, &count, &damaged)) != NULL;) {
        if ((uint16_t)instruction[0] != OP_MEMORY_MODEL || count < 3) continue;
        uint32_t model = instruction[2];
        if (model < sizeof models / sizeof *models) *out_sign = models[model];
        return *out_sign != NULL;
    }
    return false;
}
