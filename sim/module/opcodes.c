/* The tables of opcodes.h.  Forms come from the generated sim_spirv_rows.inc, treatments from
 * semantics.def and opencl_std.def; the assertions below prove that they agree row by row. */
#include "sim/module/opcodes.h"

#include <stddef.h>

/* ---- semantics.def agrees with the grammar ------------------------------------------------- */

/* sim_semantics.inc has the rows of semantics.def and, if the installed grammar is newer than they
 * are, rows that refuse what it adds. */

enum {
#define SIM_OP(name, treatment, group) PLACE_##name,
#define SIM_OP_REFUSED(name, reason)   PLACE_##name,
#include "sim_semantics.inc"
#undef SIM_OP
#undef SIM_OP_REFUSED
    PLACE_COUNT
};

#define IN_PLACE(name)                                                                             \
    _Static_assert((int)PLACE_##name == (int)SIM_ROW_##name,                                       \
                   #name " or the row before it is missing or misplaced in semantics.def");
#define SIM_OP(name, treatment, group) IN_PLACE(name)
#define SIM_OP_REFUSED(name, reason)   IN_PLACE(name)
#include "sim_semantics.inc"
#undef SIM_OP
#undef SIM_OP_REFUSED
_Static_assert((int)PLACE_COUNT == (int)SIM_ROW_COUNT, "semantics.def lacks its last rows");

enum {
#define SIM_EXT(name, group)          STD_PLACE_##name,
#define SIM_EXT_REFUSED(name, reason) STD_PLACE_##name,
#include "sim/module/opencl_std.def"
#undef SIM_EXT
#undef SIM_EXT_REFUSED
    STD_PLACE_COUNT
};

#define STD_IN_PLACE(name)                                                                         \
    _Static_assert((int)STD_PLACE_##name == (int)SIM_STD_ROW_##name,                               \
                   #name " or the row before it is missing or misplaced in opencl_std.def");
#define SIM_EXT(name, group)          STD_IN_PLACE(name)
#define SIM_EXT_REFUSED(name, reason) STD_IN_PLACE(name)
#include "sim/module/opencl_std.def"
#undef SIM_EXT
#undef SIM_EXT_REFUSED
_Static_assert((int)STD_PLACE_COUNT == (int)SIM_STD_ROW_COUNT, "opencl_std.def lacks rows");

/* ---- The tables ---------------------------------------------------------------------------- */

#define SIM_KIND(name, category, first, count, base_a, base_b)                                     \
    {#name, SIM_CATEGORY_##category, {SIM_KIND_##base_a, SIM_KIND_##base_b}, first, count},
static const sim_kind kinds[SIM_KIND_COUNT] = {
#include "sim_spirv_rows.inc"
};

#define SIM_ENUMERANT(name, value, operand_first, operand_count)                                   \
    {name, value, operand_first, operand_count},
static const sim_enumerant enumerants[] = {
#include "sim_spirv_rows.inc"
};

#define SIM_OPERAND(kind, quantifier) {SIM_KIND_##kind, SIM_QUANTIFIER_##quantifier},
static const sim_operand operands[] = {
#include "sim_spirv_rows.inc"
};

/* A form is: has_type, has_result, words_min, operand_first, operand_count. */
#define ROW(...)                                                                                   \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static const sim_opcode opcodes[SIM_ROW_COUNT] = {
#define SIM_OP(name, treatment, group)                                                             \
    ROW(SIM_##name, SIM_FORM_##name, SIM_TREATMENT_##treatment, SIM_GROUP_##group, #name, ""),
#define SIM_OP_REFUSED(name, reason)                                                               \
    ROW(SIM_##name, SIM_FORM_##name, SIM_TREATMENT_REFUSED, SIM_GROUP_NONE, #name, reason),
#include "sim_semantics.inc"
#undef SIM_OP
#undef SIM_OP_REFUSED
};

static const sim_extended standard[SIM_STD_ROW_COUNT] = {
#define SIM_EXT(name, group)                                                                       \
    ROW(SIM_STD_##name, SIM_STD_FORM_##name, SIM_TREATMENT_EXEC, SIM_GROUP_##group, #name, ""),
#define SIM_EXT_REFUSED(name, reason)                                                              \
    ROW(SIM_STD_##name, SIM_STD_FORM_##name, SIM_TREATMENT_REFUSED, SIM_GROUP_NONE, #name, reason),
#include "sim/module/opencl_std.def"
#undef SIM_EXT
#undef SIM_EXT_REFUSED
};

/* ---- Look-up ------------------------------------------------------------------------------- */

/* Binary search over rows [low, high). */
#define FIND(rows, field, low, high, target)                                                       \
    do {                                                                                           \
        uint32_t low_ = (low), high_ = (high);                                                     \
        while (low_ < high_) {                                                                     \
            uint32_t middle_ = low_ + (high_ - low_) / 2;                                          \
            if ((rows)[middle_].field == (target)) return &(rows)[middle_];                        \
            if ((rows)[middle_].field < (target)) {                                                \
                low_ = middle_ + 1;                                                                \
            } else {                                                                               \
                high_ = middle_;                                                                   \
            }                                                                                      \
        }                                                                                          \
        return NULL;                                                                               \
    } while (0)

const sim_opcode *sim_opcode_find(uint32_t number)
{
    FIND(opcodes, number, 0, SIM_ROW_COUNT, number);
}

const sim_extended *sim_extended_find(uint32_t number)
{
    FIND(standard, number, 0, SIM_STD_ROW_COUNT, number);
}

sim_operand sim_operand_at(uint32_t place)
{
    CHECK(place < sizeof operands / sizeof operands[0]);
    return operands[place];
}

const sim_kind *sim_kind_of(sim_operand_kind kind)
{
    CHECK(kind < SIM_KIND_COUNT);
    return &kinds[kind];
}

const sim_enumerant *sim_enumerant_find(sim_operand_kind kind, uint32_t value)
{
    const sim_kind *row = sim_kind_of(kind);
    uint32_t end = (uint32_t)row->first + row->count;
    CHECK(end <= sizeof enumerants / sizeof enumerants[0]);
    FIND(enumerants, value, row->first, end, value);
}

const char *sim_enumerant_name(sim_operand_kind kind, uint32_t value)
{
    const sim_enumerant *enumerant = sim_enumerant_find(kind, value);
    return enumerant ? enumerant->name : "unknown";
}
