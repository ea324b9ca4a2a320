/* Proofs about a front end that is not ours.
 *
 * No fault can be planted in another project's compiler or headers. A twin takes the fault's role:
 * a test that applies the same check to a source for which the result must be the opposite. A rule
 * with `proof: front-end` is closed when the tests that bear its id pass and a twin (RULE_twin_…)
 * is among them. A test RULE_departs_… shows that the front end departs from the rule, as described
 * in scenarios/FINDINGS.md. Source: ARCHITECTURE.md, "Rules in the code". */
#include "conformance/requirements/prove_internal.h"

#include "reference/base/lines.h"

#define PASSED  "[       OK ] "
#define VERSION "shown with: "

void cnf_front_end_judge(const cnf_prove_run *run, rt_text program, rt_text output,
                         cnf_sites *inout_sites)
{
    rt_arena *arena = run->arena;
    rt_text version = RT_TEXT("an unknown version of the compiler"), lines = output;
    for (rt_text line; rt_line_take(&lines, &line);)
        if (rt_text_take_prefix(&line, VERSION)) version = line;
    for (uint32_t rule = 0; rule < run->rules->count; rule++) {
        const cnf_rule *about = &run->rules->items[rule];
        if (!rt_text_is(about->proof, "front-end")) continue;
        char names[CNF_TEST_NAMES_MAX];
        cnf_test_names_write(names, about->id);
        uint32_t plain = 0, departing = 0, twins = 0;
        lines = output;
        for (rt_text line; rt_line_take(&lines, &line);) {
            if (!rt_text_take_prefix(&line, PASSED) || !rt_text_take_prefix(&line, names)) continue;
            if (rt_text_starts(line, "twin_"))
                twins++;
            else if (rt_text_starts(line, "departs_"))
                departing++;
            else
                plain++;
        }
        if (plain + departing == 0) continue;
        rt_text detail =
            twins == 0 ? rt_arena_printf(arena, "no twin shows that its tests can fail; %.*s",
                                         RT_TEXT_ARG(version))
                       : rt_arena_printf(arena, "%u shown, %u where it departs, %u twins; %.*s",
                                         plain, departing, twins, RT_TEXT_ARG(version));
        *rt_vector_push(inout_sites) = (cnf_site){
            .text =
                rt_arena_printf(arena, "%.*s@%.*s", RT_TEXT_ARG(about->id), RT_TEXT_ARG(program)),
            .rule = rule,
            .state = twins > 0 ? CNF_PROOF_COVERED : CNF_PROOF_UNTESTED,
            .detail = detail,
            .is_chosen = true,
            .is_reached = true,
            .by_program = true,
        };
    }
}
