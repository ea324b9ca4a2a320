/* Findings, collected while a kernel runs and reported when it ends. */
#include "sim/memory/finding.h"

#include <stdlib.h>

static const char *const kind_names[SIM_FINDING_KINDS] = {
    [SIM_FINDING_OUT_OF_BOUNDS] = "out-of-bounds",
    [SIM_FINDING_ARRAY_OVERRUN] = "array-overrun",
    [SIM_FINDING_USE_AFTER_FREE] = "use-after-free",
    [SIM_FINDING_NULL_POINTER] = "null-pointer",
    [SIM_FINDING_MISALIGNED] = "misaligned",
    [SIM_FINDING_UNDEFINED_ARITHMETIC] = "undefined-arithmetic",
    [SIM_FINDING_DIVERGENT_BARRIER] = "divergent-barrier",
    [SIM_FINDING_UNREACHABLE] = "unreachable",
    [SIM_FINDING_BUDGET] = "budget",
    [SIM_FINDING_WRONG_CALL_TARGET] = "wrong-call-target",
    [SIM_FINDING_UNDECLARED_CALL] = "undeclared-call",
    [SIM_FINDING_UNINITIALISED] = "uninitialised",
    [SIM_FINDING_RACE] = "race",
    [SIM_FINDING_SAME_VALUE_RACE] = "same-value-race",
    [SIM_FINDING_SUBGROUP_MISUSE] = "subgroup-misuse",
    [SIM_FINDING_STACK_EXHAUSTED] = "stack-exhausted",
    [SIM_FINDING_WRITE_TO_CONSTANT] = "write-to-constant",
    [SIM_FINDING_ACCESS_MODE] = "access-mode",
    [SIM_FINDING_COPY_MISUSE] = "copy-misuse",
    [SIM_FINDING_UNWAITED_COPY] = "unwaited-copy",
};

bool sim_findings_add(sim_findings *findings, uint32_t site, sim_finding_kind kind, uint64_t count,
                      sim_finding_row **out_row)
{
    uint64_t key = (uint64_t)site * SIM_FINDING_KINDS + kind;
    uint32_t index = rt_map_find_number(&findings->index, key);
    if (index != RT_MAP_NONE) {
        *out_row = &findings->rows.items[index];
        (*out_row)->count += count;
        return false;
    }
    rt_map_set_number(&findings->index, key, findings->rows.count);
    *out_row = rt_vector_push(&findings->rows);
    **out_row = (sim_finding_row){.site = site, .kind = (uint8_t)kind, .count = count};
    return true;
}

/* An index that leads out of its array and out of the whole object is one fault, not two; so is a
 * copy that some work-items have skipped, whose event they then wait for in vain. */
static bool is_implied(const sim_findings *findings, const sim_finding_row *row)
{
    if (row->kind == SIM_FINDING_COPY_MISUSE && findings->copies_diverge) return true;
    uint64_t key = (uint64_t)row->site * SIM_FINDING_KINDS + SIM_FINDING_OUT_OF_BOUNDS;
    return row->kind == SIM_FINDING_ARRAY_OVERRUN &&
           rt_map_find_number(&findings->index, key) != RT_MAP_NONE;
}

static int compare(const void *a, const void *b)
{
    const sim_finding_row *x = a, *y = b;
    if (x->site != y->site) return x->site < y->site ? -1 : 1;
    return (int)x->kind - (int)y->kind;
}

void sim_findings_report(sim_findings *findings, const sim_kernel *kernel,
                         const sim_launch_options *options)
{
    CHECK_SLOW(sim_findings_check(findings));
    if (findings->rows.count == 0 || !options || !options->on_finding) return;
    qsort(findings->rows.items, findings->rows.count, sizeof *findings->rows.items, compare);
    for (uint32_t i = 0; i < findings->rows.count; i++) {
        const sim_finding_row *row = &findings->rows.items[i];
        CHECK(row->kind < SIM_FINDING_KINDS && row->site < kernel->program->site_count);
        if (is_implied(findings, row)) continue;
        const sim_site *site = &kernel->program->sites[row->site];
        sim_finding finding = {.kind = kind_names[row->kind],
                               .message = row->message,
                               .kernel = kernel->name,
                               .source = site->source,
                               .source_line = site->line,
                               .source_column = site->column,
                               .object = row->object,
                               .offset = row->offset,
                               .count = row->count};
        if (row->other_site != 0) {
            CHECK(row->other_site < kernel->program->site_count);
            const sim_site *other = &kernel->program->sites[row->other_site];
            finding.other_source = other->source;
            finding.other_line = other->line;
        }
        for (uint32_t k = 0; k < RT_ND_RANGE_DIMENSIONS; k++) {
            finding.work_item[k] = row->work_item[k];
        }
        options->on_finding(options->user, &finding);
    }
}

void sim_findings_free(sim_findings *findings)
{
    rt_vector_free(&findings->rows);
    rt_map_free(&findings->index);
    rt_arena_reset(&findings->arena);
}
