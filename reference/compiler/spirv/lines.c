/* Keeps OpLine and drops the rest of the debug information.
 *
 * The reason: the translator writes line tables only together with OpenCL.DebugInfo.100
 * instructions. These are invalid for a file without a checksum (every `#line` file), no subject
 * needs them, and they make up half of a small image. Ids are not renumbered, so the id bound may
 * be larger than necessary. Source: SPIR-V specification, 3.42.2 "Debug Instructions";
 * OpenCL.DebugInfo.100. */
#include "reference/compiler/spirv/lines.h"

#include "reference/base/map.h"
#include "reference/base/spirv.h"

enum {
    OP_SOURCE = 3,
    OP_STRING = 7,
    OP_LINE = 8,
    OP_EXT_INST_IMPORT = 11,
    OP_EXT_INST = 12,
    OP_MODULE_PROCESSED = 330,
};

typedef struct line_ids {
    rt_map debug_sets; /* ids of imported debug information sets */
    rt_map strings;    /* ids of strings that OpLine or OpSource refers to */
} line_ids;

static bool note_ids(line_ids *ids, rt_bytes spirv)
{
    rt_spirv_walk walk = rt_spirv_walk_start(spirv);
    rt_spirv_instruction instruction;
    while (rt_spirv_walk_next(&walk, &instruction)) {
        uint32_t first = rt_spirv_word(&instruction, 1);
        if (instruction.opcode == OP_EXT_INST_IMPORT) {
            rt_text name = rt_spirv_text(&instruction, 2);
            if (rt_text_is(name, "OpenCL.DebugInfo.100") || rt_text_is(name, "SPIRV.debug") ||
                rt_text_starts(name, "NonSemantic.Shader.DebugInfo."))
                rt_map_set_number(&ids->debug_sets, first, 0);
        } else if (instruction.opcode == OP_LINE) {
            rt_map_set_number(&ids->strings, first, 0);
        } else if (instruction.opcode == OP_SOURCE && instruction.word_count > 3) {
            rt_map_set_number(&ids->strings, rt_spirv_word(&instruction, 3), 0);
        }
    }
    return !walk.is_damaged && !walk.is_swapped;
}

static bool is_kept(const line_ids *ids, const rt_spirv_instruction *instruction)
{
    uint32_t first = rt_spirv_word(instruction, 1);
    switch (instruction->opcode) {
    case OP_EXT_INST_IMPORT: return rt_map_find_number(&ids->debug_sets, first) == RT_MAP_NONE;
    case OP_EXT_INST: {
        uint32_t set = rt_spirv_word(instruction, 3);
        return rt_map_find_number(&ids->debug_sets, set) == RT_MAP_NONE;
    }
    case OP_STRING:
        return rt_map_find_number(&ids->strings, first) != RT_MAP_NONE ||
               rt_text_starts(rt_spirv_text(instruction, 2), "kernel_arg_type");
    case OP_MODULE_PROCESSED: return false;
    default: return true;
    }
}

rt_status pl_lines_keep(pl_job *job, rt_bytes spirv, rt_buffer *out_spirv)
{
    CHECK(out_spirv->size == 0);
    line_ids ids = {0};
    rt_status status = RT_STATUS_OK;
    if (note_ids(&ids, spirv)) {
        rt_buffer_append(out_spirv, spirv.data, RT_SPIRV_HEADER_SIZE);
        rt_spirv_walk walk = rt_spirv_walk_start(spirv);
        rt_spirv_instruction instruction;
        while (rt_spirv_walk_next(&walk, &instruction)) {
            if (!is_kept(&ids, &instruction)) continue;
            rt_buffer_append(out_spirv, instruction.bytes.data, instruction.bytes.size);
        }
        CHECK(!walk.is_damaged && out_spirv->size <= spirv.size);
    } else {
        status = rt_fail(job->sink, RT_MALFORMED, RT_RULE_NONE,
                         "%zu bytes of code are not a SPIR-V module", spirv.size);
    }
    rt_map_free(&ids.debug_sets);
    rt_map_free(&ids.strings);
    return status;
}
