/* Proofs about a front end that is not ours.
 *
 * No fault can be planted in another project's compiler or headers. A twin replaces it: a test of
 * the same check on a source for which the result must be the opposite. A rule with `proof:
 * front-end` is closed when the tests that bear its id pass and a twin (RULE_twin_…) is among them.
 * A test RULE_departs_… shows that the front end departs from the rule, as described in
 * scenarios/FINDINGS.md. Source: ARCHITECTURE.md, "Rules in the code". */
#include "conformance/requirements/prove_internal.h"

#include "reference/base/lines.h"

#include <string.h>

/* The tests of a rule in one program. */
typedef struct shown {
    uint32_t plain, departing, twins;
} shown;

#define PASSED  "[       OK ] "
#define VERSION "shown with: "

static bool take(rt_text *rest, const char *prefix)
{
    if (!rt_text_starts(*rest, prefix)) return false;
    size_t length = strlen(prefix);
    *rest = (rt_text){rest->data + length, rest->length - length};
    return true;
}

static shown shown_of(rt_text output, const char *names)
{
    shown found = {0};
    for (rt_text line; rt_line_take(&output, &line);) {
        if (!take(&line, PASSED) || !take(&line, names)) continue;
        if (rt_text_starts(line, "twin_")) {
            found.twins++;
        } else if (rt_text_starts(line, "departs_")) {
            found.departing++;
        } else {
            found.plain++;
        }
    }
    return found;
}

/* The compiler of the proof, as printed by the program. */
static rt_text version_of(rt_text output)
{
    for (rt_text line; rt_line_take(&output, &line);)
        if (take(&line, VERSION)) return line;
    return RT_TEXT("a compiler that tells no version");
}

static rt_text detail_of(rt_arena *arena, shown found, rt_text version)
{
    if (found.twins == 0)
        return rt_arena_printf(arena, "no twin says that its tests could fail; %.*s",
                               RT_TEXT_ARG(version));
    return rt_arena_printf(arena, "%u shown, %u where it departs, %u twins; %.*s", found.plain,
                           found.departing, found.twins, RT_TEXT_ARG(version));
}

void cnf_front_end_judge(const cnf_prove_run *run, rt_text program, rt_text output,
                         cnf_sites *inout_sites)
{
    rt_arena *arena = run->arena;
    rt_text version = version_of(output);
    for (uint32_t rule = 0; rule < run->rules->count; rule++) {
        const cnf_rule *about = &run->rules->items[rule];
        if (!rt_text_is(about->proof, "front-end")) continue;
        char names[CNF_TEST_NAMES_MAX];
        cnf_test_names_write(names, about->id);
        shown found = shown_of(output, names);
        if (found.plain + found.departing == 0) continue;
        *rt_vector_push(inout_sites) = (cnf_site){
            .text =
                rt_arena_printf(arena, "%.*s@%.*s", RT_TEXT_ARG(about->id), RT_TEXT_ARG(program)),
            .rule = rule,
            .state = found.twins > 0 ? CNF_PROOF_COVERED : CNF_PROOF_UNTESTED,
            .detail = detail_of(arena, found, version),
            .by_program = true,
        };
    }
}
