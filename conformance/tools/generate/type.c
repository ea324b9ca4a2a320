/* Queries about types. */
#include "conformance/tools/generate/type.h"

static const struct {
    const char *name;
    uint32_t bits;
    const char *suffix;
} bases[] = {
#define BASE_ROW(base, name, bits, suffix) {name, bits, suffix},
    GEN_BASES(BASE_ROW)
#undef BASE_ROW
};

uint32_t gen_type_bits(gen_type type)
{
    CHECK((unsigned)type.base < GEN_BASE_COUNT);
    return bases[type.base].bits;
}

const char *gen_type_suffix(gen_type type)
{
    return bases[type.base].suffix;
}

rt_text gen_type_name(rt_arena *arena, gen_type type)
{
    const char *name = bases[type.base].name;
    return type.width == 1 ? rt_text_of(name) : rt_arena_printf(arena, "%s%u", name, type.width);
}

/* Returns the signed integer base with that many bits. */
static gen_base signed_base(uint32_t bits)
{
    gen_base base = GEN_CHAR;
    while (bases[base].bits != bits)
        base = (gen_base)(base + 2);
    CHECK(base <= GEN_LONG);
    return base;
}

gen_type gen_type_signed(gen_type type)
{
    return (gen_type){signed_base(gen_type_bits(type)), type.width};
}

gen_type gen_type_unsigned(gen_type type)
{
    return (gen_type){(gen_base)(signed_base(gen_type_bits(type)) + 1), type.width};
}

gen_type gen_type_component(gen_type type)
{
    return (gen_type){type.base, 1};
}

const char *gen_type_accessor(gen_type type, uint32_t index)
{
    static const char *const few[] = {"x", "y", "z", "w"};
    static const char *const many[] = {"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7",
                                       "s8", "s9", "sa", "sb", "sc", "sd", "se", "sf"};
    CHECK(index < type.width && type.width > 1);
    return type.width <= 4 ? few[index] : many[index];
}
