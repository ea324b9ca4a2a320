/* The serialised form of code that a tool links. */
#include "reference/image/link_code.h"

enum { CONSTANT_SIZE_MIN = 12 }; /* size in bytes of an id and an empty value */

void rt_link_code_write(rt_buffer *out, const rt_link_code *code)
{
    rt_write_bytes(out, code->spirv);
    rt_write_u32(out, code->constant_count);
    for (uint32_t i = 0; i < code->constant_count; i++) {
        rt_write_u32(out, code->constants[i].id);
        rt_write_bytes(out, code->constants[i].value);
    }
}

rt_link_code rt_link_code_read(rt_arena *arena, rt_reader *reader)
{
    rt_link_code code = {.spirv = rt_read_bytes(reader)};
    code.constant_count = rt_read_count(reader, CONSTANT_SIZE_MIN);
    rt_link_constant *constants =
        rt_arena_alloc_array(arena, code.constant_count, sizeof *constants);
    for (uint32_t i = 0; i < code.constant_count; i++) {
        constants[i].id = rt_read_u32(reader);
        constants[i].value = rt_read_bytes(reader);
    }
    code.constants = constants;
    return code;
}
