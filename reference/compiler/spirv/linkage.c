/* Reads the linkage decorations of a SPIR-V module and nothing else.
 *
 * Source: SPIR-V specification, 3.20 "Decoration", 3.17 "Linkage Type" and 3.21 "BuiltIn". */
#include "reference/compiler/spirv/linkage.h"

#include "reference/base/map.h"
#include "reference/base/spirv.h"
#include "reference/base/vector.h"

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
    rt_map built_ins; /* ids with the decoration BuiltIn */
} linkage_scan;

static void scan_module(linkage_scan *scan, rt_bytes spirv)
{
    rt_spirv_walk walk = rt_spirv_walk_start(spirv);
    rt_spirv_instruction at;
    while (rt_spirv_walk_next(&walk, &at)) {
        if (at.opcode == OP_FUNCTION || at.opcode == OP_VARIABLE) {
            rt_map_set_number(&scan->symbols, rt_spirv_word(&at, 2), 0);
        }
        if (at.opcode != OP_DECORATE) continue;
        uint32_t target = rt_spirv_word(&at, 1), decoration = rt_spirv_word(&at, 2);
        if (decoration == DECORATION_BUILT_IN) rt_map_set_number(&scan->built_ins, target, 0);
        if (decoration != DECORATION_LINKAGE) continue;
        /* OpDecorate target LinkageAttributes name linkage-type. */
        *rt_vector_push(&scan->rows) = (linkage_row){
            .name = rt_spirv_text(&at, 3),
            .target = target,
            .linkage = rt_spirv_word(&at, at.word_count - 1),
        };
    }
    CHECK(!walk.is_damaged && !walk.is_swapped);
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
    CHECK(*out_count <= scan->rows.count);
    return names;
}

bool pl_spirv_check(rt_bytes spirv, rt_buffer *out_reason)
{
    rt_spirv_walk walk = rt_spirv_walk_start(spirv);
    if (!walk.is_swapped) return rt_spirv_check(spirv, out_reason);
    rt_buffer_printf(out_reason,
                     "not a SPIR-V module: byte 0 begins the word 0x%08x, not 0x%08x; the byte "
                     "order is reversed",
                     __builtin_bswap32(RT_SPIRV_MAGIC), RT_SPIRV_MAGIC);
    return false;
}

rt_status pl_linkage_scan(pl_job *job, rt_bytes spirv, pl_linkage *out_linkage)
{
    *out_linkage = (pl_linkage){0};
    linkage_scan scan = {0};
    rt_buffer reason = {0};
    rt_status status = RT_STATUS_OK;
    if (pl_spirv_check(spirv, &reason)) {
        scan_module(&scan, spirv);
        out_linkage->imports = names_with(job, &scan, LINKAGE_IMPORT, &out_linkage->import_count);
        out_linkage->exports = names_with(job, &scan, LINKAGE_EXPORT, &out_linkage->export_count);
    } else {
        status = rt_fail(job->sink, RT_MALFORMED, RT_RULE_NONE, "%s", rt_buffer_string(&reason));
    }
    rt_buffer_free(&reason);
    rt_vector_free(&scan.rows);
    rt_map_free(&scan.symbols);
    rt_map_free(&scan.built_ins);
    return status;
}
