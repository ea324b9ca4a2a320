/* The table of handlers, in the families of decode/code.h. */
#include "sim/compiled/handlers.h"

#define ROW(handler, NAME, SHAPE, FORM, FROM, TO)                                                  \
    [SIM_H_##handler] = {NAME, TIER_##SHAPE, FORM, SIM_##FROM, SIM_##TO},
#define FOUR_ROWS(op, t, SHAPE, TO)                                                                \
    ROW(op##_##t##_VV, #op "_" #t, SHAPE, SIM_FORM_VV, t, TO)                                      \
    ROW(op##_##t##_VS, #op "_" #t, SHAPE, SIM_FORM_VS, t, TO)                                      \
    ROW(op##_##t##_SV, #op "_" #t, SHAPE, SIM_FORM_SV, t, TO)                                      \
    ROW(op##_##t##_SS, #op "_" #t, SHAPE, SIM_FORM_SS, t, TO)
#define TWO_ROWS(op, t, SHAPE, TO)                                                                 \
    ROW(op##_##t##_V, #op "_" #t, SHAPE, SIM_FORM_VV, t, TO)                                       \
    ROW(op##_##t##_S, #op "_" #t, SHAPE, SIM_FORM_SS, t, TO)
#define CONVERT_ROWS(op, from, to, SHAPE)                                                          \
    ROW(op##_##from##_##to##_V, #op "_" #from "_" #to, SHAPE, SIM_FORM_VV, from, to)               \
    ROW(op##_##from##_##to##_S, #op "_" #from "_" #to, SHAPE, SIM_FORM_SS, from, to)

/* Shifts are binary operations of integers that can be undefined. */
#define SHAPE_OF_ADD            BINARY
#define SHAPE_OF_SUB            BINARY
#define SHAPE_OF_MUL            BINARY
#define SHAPE_OF_AND            BINARY
#define SHAPE_OF_OR             BINARY
#define SHAPE_OF_XOR            BINARY
#define SHAPE_OF_SHL            BINARY_DEFINED
#define SHAPE_OF_SHR            BINARY_DEFINED
#define SHAPE_OF_SAR            BINARY_DEFINED
#define INTEGER_1(op, t, shape) FOUR_ROWS(op, t, shape, t)
#define INTEGER(op, t)          INTEGER_1(op, t, SHAPE_OF_##op)
#define INTEGERS(op)            SIM_INT_TYPES(INTEGER, op)
#define COMPARE(op, t)          FOUR_ROWS(op, t, BINARY, I8)
#define COMPARES(op)            SIM_INT_TYPES(COMPARE, op)
#define FLOAT_COMPARES(op)      SIM_FLOAT_TYPES(COMPARE, op)
#define FLOAT(op, t)            FOUR_ROWS(op, t, BINARY, t)
#define FLOATS(op)              SIM_FLOAT_TYPES(FLOAT, op)
#define RARE(op, t)             TWO_ROWS(op, t, BINARY, t)
#define RARES(op)               SIM_INT_TYPES(RARE, op)
#define FLOAT_RARES(op)         SIM_FLOAT_TYPES(RARE, op)
#define DIVIDE(op, t)           TWO_ROWS(op, t, DIVIDE, t)
#define DIVIDES(op)             SIM_INT_TYPES(DIVIDE, op)
#define UNARY(op, t)            TWO_ROWS(op, t, UNARY, t)
#define UNARIES(op)             SIM_INT_TYPES(UNARY, op)
#define FLOAT_UNARIES(op)       SIM_FLOAT_TYPES(UNARY, op)
#define TERNARY(op, t)          TWO_ROWS(op, t, TERNARY, t)
#define TERNARIES(op)           SIM_FLOAT_TYPES(TERNARY, op)
#define MATH(op, t)             TWO_ROWS(op, t, op, t)
#define MATHS(op)               SIM_FLOAT_TYPES(MATH, op)
#define CONVERSION(op, f, t)    CONVERT_ROWS(op, f, t, UNARY)
#define TO_INT(op, f, t)        CONVERT_ROWS(op, f, t, UNARY_DEFINED)
#define MOVED(op, t)            FOUR_ROWS(op, t, op, t)
#define PICKED(op, t)           TWO_ROWS(op, t, op, t)
/* In PLACE and the fields, the width of what is selected is an operand: not covered. */
#define SHAPE_OF_UFIELD         UNCOVERED
#define SHAPE_OF_SFIELD         UNCOVERED
#define SHAPE_OF_PLACE          UNCOVERED
#define SHAPE_OF_INDEX          INDEX
#define SHAPE_OF_HOLDS          HOLDS
#define SHAPE_OF_BOUND          BOUND
#define CHECKED_1(op, t, shape) TWO_ROWS(op, t, shape, t)
#define CHECKED(op, t)          CHECKED_1(op, t, SHAPE_OF_##op)
#define CHECKEDS(op)            SIM_INT_TYPES(CHECKED, op)
#define MEMORY(op, form)                                                                           \
    ROW(op##_##form##_8, #op, op, SIM_MEMORY_##form, I8, I8)                                       \
    ROW(op##_##form##_16, #op, op, SIM_MEMORY_##form, I16, I16)                                    \
    ROW(op##_##form##_32, #op, op, SIM_MEMORY_##form, I32, I32)                                    \
    ROW(op##_##form##_64, #op, op, SIM_MEMORY_##form, I64, I64)
#define OTHER(handler, NAME, SHAPE) ROW(handler, NAME, SHAPE, SIM_FORM_VV, I64, I64)

/* clang-format off */
static const tier_handler handlers[SIM_HANDLER_COUNT] = {
    SIM_INT_BINARY(INTEGERS)
    SIM_FLOAT_BINARY(FLOATS)
    SIM_INT_COMPARE(COMPARES)
    SIM_FLOAT_COMPARE(FLOAT_COMPARES)
    SIM_INT_RARE(RARES)
    SIM_INT_DIVIDE(DIVIDES)
    SIM_FLOAT_RARE(FLOAT_RARES)
    SIM_INT_UNARY(UNARIES)
    SIM_FLOAT_UNARY(FLOAT_UNARIES)
    TWO_ROWS(RSQRT, F32, UNARY, F32)
    SIM_MATH(MATHS)
    SIM_TERNARY(TERNARIES)
    SIM_CONVERSIONS(CONVERSION)
    SIM_FLOAT_TO_INT(TO_INT)
    SIM_INT_TYPES(MOVED, MOVE)
    SIM_INT_TYPES(MOVED, SELECT)
    SIM_INT_TYPES(PICKED, PICK)
    SIM_MEMORY_FORMS(MEMORY, LOAD)
    SIM_MEMORY_FORMS(MEMORY, STORE)
    CONVERT_ROWS(HTOF, I16, F32, HALF)
    CONVERT_ROWS(FTOH, F32, I16, HALF)
    CONVERT_ROWS(FTOH, F64, I16, UNARY)
    SIM_INT_CHECKED(CHECKEDS)
    OTHER(FENCE, "FENCE", FENCE)
    OTHER(FRAME_ADDRESS, "FRAME_ADDRESS", FRAME_ADDRESS)
    OTHER(FORGET, "FORGET", FORGET)
    OTHER(COPY_MEMORY, "COPY_MEMORY", COPY)
    OTHER(COLLECTIVE, "COLLECTIVE", COLLECTIVE)
    ROW(ATOMIC_I32, "ATOMIC", ATOMIC, SIM_FORM_VV, I32, I32)
    ROW(ATOMIC_I64, "ATOMIC", ATOMIC, SIM_FORM_VV, I64, I64)
    OTHER(ATOMIC_I16, "has atomics of floats", UNCOVERED)
    OTHER(CONVERT_V, "has a conversion with its own rounding", UNCOVERED)
    OTHER(CONVERT_S, "has a conversion with its own rounding", UNCOVERED)
    OTHER(GROUP_PUT, "has operations of the work-group", UNCOVERED)
    OTHER(GROUP_TAKE, "has operations of the work-group", UNCOVERED)
    OTHER(ASYNC_COPY, "has asynchronous copies", UNCOVERED)
    OTHER(WAIT_EVENTS, "has asynchronous copies", UNCOVERED)
    OTHER(PRINT, "calls printf", UNCOVERED)
};
/* clang-format on */

const tier_handler *tier_handler_at(uint32_t handler)
{
    CHECK(handler < SIM_HANDLER_COUNT);
    return &handlers[handler];
}
