/* Specialisation of a module's scalar constants: given values replace defaults.  Operations on them
 * are folded in fold.c.  Source: SPIR-V specification 1.6, section 2.12 "Specialization". */
#include "sim/module/reader.h"

rt_status sim_specialise_scalar(sim_reader *reader, const sim_view *view, sim_constant *constant)
{
    CHECK(constant->kind == SIM_CONSTANT_BITS && constant->spec_id != SIM_NONE);
    const sim_spec_constant *value = NULL;
    for (uint32_t i = 0; i < reader->value_count && !value; i++) {
        if (reader->values[i].id == constant->spec_id) value = &reader->values[i];
    }
    if (!value) return RT_STATUS_OK;
    const sim_type *type = constant->type;
    if (value->value.size != type->size_bytes) {
        return sim_reader_fail(reader, RT_ERRC_INVALID, view->offset,
                               "specialisation constant %u has %llu bytes, but the value given for "
                               "it has %zu",
                               constant->spec_id, (unsigned long long)type->size_bytes,
                               value->value.size);
    }
    uint64_t bits = 0;
    CHECK(value->value.size <= sizeof bits);
    for (size_t i = 0; i < value->value.size; i++)
        bits |= (uint64_t)value->value.data[i] << 8 * i;
    constant->bits = type->kind == SIM_TYPE_BOOL ? bits != 0 : bits;
    return RT_STATUS_OK;
}
