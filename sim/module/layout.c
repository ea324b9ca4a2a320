/* Compares types by the values that they hold at each offset. */
#include "sim/module/layout.h"

#include "reference/base/vector.h"

enum { VALUES_MAX = 4096 };

typedef struct laid_value {
    const sim_type *type;
    uint64_t offset;
} laid_value;

typedef RT_VECTOR(laid_value) laid_values;

/* Lists the values of a type in the order of its members, at most VALUES_MAX + 1 of them.  The
 * recursion is bounded by the depth of types (SIM_TYPE_DEPTH_MAX). */
static void list_values(laid_values *values, const sim_type *type, uint64_t offset)
{
    bool is_padding = type->kind == SIM_TYPE_ARRAY && type->element->kind == SIM_TYPE_INT &&
                      type->element->bits == 8;
    if (is_padding) return;
    if (type->kind != SIM_TYPE_STRUCT) {
        *rt_vector_push(values) = (laid_value){type, offset};
        return;
    }
    for (uint64_t i = 0; i < type->count && values->count <= VALUES_MAX; i++)
        list_values(values, type->members[i], offset + type->offsets[i]);
}

bool sim_type_same_layout(const sim_type *a, const sim_type *b)
{
    if (a->size_bytes != b->size_bytes) return false;
    laid_values left = {0}, right = {0};
    list_values(&left, a, 0);
    list_values(&right, b, 0);
    bool is_equal = left.count == right.count && left.count <= VALUES_MAX;
    for (uint32_t i = 0; is_equal && i < left.count; i++) {
        is_equal = left.items[i].offset == right.items[i].offset &&
                   sim_type_equal(left.items[i].type, right.items[i].type);
    }
    rt_vector_free(&left);
    rt_vector_free(&right);
    return is_equal;
}
