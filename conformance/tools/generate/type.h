/* The types of generated kernels: integers of every width, floats, and vectors of both. */
#ifndef CONFORMANCE_TOOLS_GENERATE_TYPE_H
#define CONFORMANCE_TOOLS_GENERATE_TYPE_H

#include "reference/base/arena.h"

/* base, name in OpenCL C, bits, suffix of a literal.  Each signed type precedes its unsigned
 * counterpart, so that the lowest bit distinguishes them. */
#define GEN_BASES(BASE)                                                                            \
    BASE(CHAR, "char", 8, "")                                                                      \
    BASE(UCHAR, "uchar", 8, "")                                                                    \
    BASE(SHORT, "short", 16, "")                                                                   \
    BASE(USHORT, "ushort", 16, "")                                                                 \
    BASE(INT, "int", 32, "")                                                                       \
    BASE(UINT, "uint", 32, "u")                                                                    \
    BASE(LONG, "long", 64, "l")                                                                    \
    BASE(ULONG, "ulong", 64, "ul")                                                                 \
    BASE(FLOAT, "float", 32, "f")                                                                  \
    BASE(DOUBLE, "double", 64, "")

typedef enum gen_base {
#define GEN_BASE_ENUM(base, name, bits, suffix) GEN_##base,
    GEN_BASES(GEN_BASE_ENUM)
#undef GEN_BASE_ENUM
        GEN_BASE_COUNT
} gen_base;

typedef struct gen_type {
    gen_base base;
    uint32_t width; /* 1, or the number of components of a vector: 2, 3, 4, 8, 16 */
} gen_type;

static inline bool gen_type_is_real(gen_type type)
{
    return type.base >= GEN_FLOAT;
}

static inline bool gen_type_is_signed(gen_type type)
{
    return type.base >= GEN_FLOAT || type.base % 2 == 0;
}

static inline bool gen_type_equal(gen_type a, gen_type b)
{
    return a.base == b.base && a.width == b.width;
}

/* Returns the bits of one component. */
uint32_t gen_type_bits(gen_type type);
const char *gen_type_suffix(gen_type type);

/* Returns the type's name, such as "int" or "float4", in the arena. */
rt_text gen_type_name(rt_arena *arena, gen_type type);

/* Returns the unsigned or signed integer type with the same bits and width. */
gen_type gen_type_unsigned(gen_type type);
gen_type gen_type_signed(gen_type type);

/* Returns the type of one component. */
gen_type gen_type_component(gen_type type);

/* Returns the accessor of a component: "x" to "w" if there are at most four, otherwise "s0" to
 * "sf". */
const char *gen_type_accessor(gen_type type, uint32_t index);

#endif
