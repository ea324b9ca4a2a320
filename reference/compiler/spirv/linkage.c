/* Reads the linkage decorations of a SPIR-V module and nothing else.
 *
 * Source: SPIR-V specification, 3.20 "Decoration", 3.17 "Linkage Type" and 3.21 "BuiltIn". */
#include "reference/compiler/spirv/linkage.h"

#include "reference/base/map.h"
#include "reference/base/vector.h"
#include "reference/compiler/spirv/walk.h"

enum {
    OP_FUNCTION = 54,
    OP_VARIABLE = 59,
    OP_DECORATE = 71,
    DECORATION_BUILT_IN = 11,
    DECORATION_LINKAGE = 41,
    LINKAGE_EXPORT = 0,
    LINKAGE_IMPORT = 1,
};

typedef struct linkage_row {
    rt_text name;
    uint32_t target; /* id */
    uint32_t linkage;
} linkage_row;

typedef struct linkage_scan {
    RT_VECTOR(linkage_row) rows;
    rt_map symbols;   /* result ids of OpFunction and OpVariable */
    rt_map built_ins; /* ids with that decoration */
} linkage_scan;

/* OpDecorate target LinkageAttributes name linkage-type. */
static void note_decoration(linkage_scan *scan, const pl_instruction *instruction)
{
    uint32_t decoration = pl_instruction_word(instruction, 2);
    if (decoration == DECORATION_BUILT_IN)
        rt_map_set_number(&scan->built_ins, pl_instruction_word(instruction, 1), 0);
    if (decoration != DECORATION_LINKAGE) return;
    *rt_vector_push(&scan->rows) = (linkage_row){
        .name = pl_instruction_text(instruction, 3),
        .target = pl_instruction_word(instruction, 1),
        .linkage = pl_instruction_word(instruction, instruction->word_count - 1),
    };
}

static bool scan_module(linkage_scan *scan, rt_bytes spirv)
{
    pl_walk walk = pl_walk_start(spirv);
    pl_instruction instruction;
    while (pl_walk_next(&walk, &instruction)) {
        if (instruction.opcode == OP_DECORATE) {
            note_decoration(scan, &instruction);
        } else if (instruction.opcode == OP_FUNCTION || instruction.opcode == OP_VARIABLE) {
            rt_map_set_number(&scan->symbols, pl_instruction_word(&instruction, 2), 0);
        }
    }
    return !walk.damaged;
}

static const rt_text *names_with(pl_job *job, const linkage_scan *scan, uint32_t linkage,
                                 uint32_t *out_count)
{
    rt_text *names = rt_arena_alloc_array(&job->arena, scan->rows.count, sizeof *names);
    *out_count = 0;
    for (uint32_t i = 0; i < scan->rows.count; i++) {
        const linkage_row *row = &scan->rows.items[i];
        bool symbol = rt_map_find_number(&scan->symbols, row->target) != RT_MAP_NONE &&
                      rt_map_find_number(&scan->built_ins, row->target) == RT_MAP_NONE;
        if (symbol && row->linkage == linkage) names[(*out_count)++] = row->name;
    }
    return names;
}

rt_status pl_linkage_scan(pl_job *job, rt_bytes spirv, pl_linkage *out_linkage)
{
    *out_linkage = (pl_linkage){0};
    linkage_scan scan = {0};
    rt_status status = RT_STATUS_OK;
    if (scan_module(&scan, spirv)) {
        pl_linkage found = {0};
        found.imports = names_with(job, &scan, LINKAGE_IMPORT, &found.import_count);
        found.exports = names_with(job, &scan, LINKAGE_EXPORT, &found.export_count);
        *out_linkage = found;
    } else {
        rt_buffer reason = {0};
        bool is_module = pl_walk_check(spirv, &reason);
        CHECK(!is_module);
        status = rt_fail(job->sink, RT_MALFORMED, RT_RULE_NONE, "%s", rt_buffer_string(&reason));
        rt_buffer_free(&reason);
    }
    rt_vector_free(&scan.rows);
    rt_map_free(&scan.symbols);
    rt_map_free(&scan.built_ins);
    return status;
}
