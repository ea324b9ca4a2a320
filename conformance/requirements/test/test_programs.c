/* Tests of proofs by programs: fake_proofs acts as tests that notice a fault, crash, miss it or do
 * not exist. */
#include "conformance/requirements/prove.h"

#include "conformance/process/scratch.h"

#include <jansson.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define RULE_OF(name, by)                                                                          \
    {                                                                                              \
        .id = {name, sizeof name - 1}, .family = {"VF", 2}, .proof = { by, sizeof by - 1 }         \
    }

/* The rules that fake_proofs knows, and their expected states. */
static const struct expected_rule {
    cnf_rule rule;
    cnf_proof_state state;
    const char *line; /* the expected part of the table */
} expected_rules[] = {
    {RULE_OF("VF-C-01", "tool"), CNF_PROOF_COVERED,
     "    covered   a.c:2 (second: 1 of 1 tests of this rule failed)\n"},
    {RULE_OF("VF-C-02", "vendor"), CNF_PROOF_COVERED,
     "VF-C-02          covered (vendor)\n    covered   a.c:3 (first: 1 of 2 tests of this rule "
     "failed)\n"},
    {RULE_OF("VF-C-03", "tool"), CNF_PROOF_ASSERTED, "    asserted  a.c:4 (first: signal 6)\n"},
    {RULE_OF("VF-C-04", "unit"), CNF_PROOF_ASSERTED,
     "VF-C-04          asserted (unit)\n    asserted  a.c:5 (first: exit status 1)\n"},
    {RULE_OF("VF-C-05", "tool"), CNF_PROOF_SURVIVED,
     "    survived  a.c:6 (first: 0 of 1 tests of this rule failed)\n"},
    {RULE_OF("VF-C-06", "tool"), CNF_PROOF_UNTESTED,
     "    untested  a.c:7 (first: no test of this rule)\n"},
    {RULE_OF("VF-C-07", ""), CNF_PROOF_UNCITED, NULL}, /* only scenarios may close it */
    {RULE_OF("VF-C-08", "tool"), CNF_PROOF_ASSERTED,
     "    asserted  a.c:9 (first: exit status 1)\n"},
};
enum { RULE_COUNT = sizeof expected_rules / sizeof *expected_rules };

typedef struct programs_fixture {
    rt_arena arena;
    rt_sink *sink;
    rt_text folder, list;
    cnf_rule items[RULE_COUNT];
    cnf_rules rules;
} programs_fixture;

static rt_text folder_file(programs_fixture *fixture, const char *name)
{
    return rt_arena_printf(&fixture->arena, "%s/%s", fixture->folder.data, name);
}

/* Links the names to fake_proofs, which is next to this program. */
static void programs_link(programs_fixture *fixture)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 32);
    assert_true(length > 0);
    path[length] = '\0';
    strcpy(strrchr(path, '/') + 1, "fake_proofs");
    static const char *const names[] = {"first", "second", "red", "markless",
                                        "deaf",  "shower", "bare"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(symlink(path, folder_file(fixture, names[i]).data), 0);
}

static int fixture_make(void **state)
{
    programs_fixture *fixture = calloc(1, sizeof *fixture);
    fixture->sink = rt_sink_create();
    assert_true(rt_ok(cnf_scratch_make(fixture->sink, &fixture->arena, &fixture->folder)));
    fixture->list = folder_file(fixture, "proofs.txt");
    for (uint32_t i = 0; i < RULE_COUNT; i++)
        fixture->items[i] = expected_rules[i].rule;
    fixture->rules = (cnf_rules){fixture->items, RULE_COUNT};
    programs_link(fixture);
    *state = fixture;
    return 0;
}

static int fixture_remove(void **state)
{
    programs_fixture *fixture = *state;
    cnf_scratch_remove(fixture->folder);
    rt_sink_destroy(fixture->sink);
    rt_arena_reset(&fixture->arena);
    free(fixture);
    return 0;
}

/* Proves with only the programs in the list; NULL: the list's file does not exist. */
static cnf_proof prove(programs_fixture *fixture, const char *list)
{
    FILE *file = list ? fopen(fixture->list.data, "w") : NULL;
    if (list) {
        assert_non_null(file);
        fputs(list, file);
        fclose(file);
    }
    const cnf_files no_files = {0};
    const cnf_citations no_citations = {0};
    const cnf_prove_options options = {
        .job_count = 3, .timeout_s = 20, .program_list = fixture->list};
    cnf_proof proof;
    assert_true(rt_ok(cnf_prove(fixture->sink, &fixture->arena, &fixture->rules, &no_files,
                                &no_citations, &options, &proof)));
    return proof;
}

static void tests_of_a_rule_close_it(void **state)
{
    cnf_proof proof = prove(*state, "first\nsecond\n");
    rt_buffer text = {0};
    cnf_proof_write(&text, &proof);
    for (uint32_t i = 0; i < RULE_COUNT; i++) {
        const struct expected_rule *expected = &expected_rules[i];
        assert_string_equal(cnf_proof_state_word(proof.states[i]),
                            cnf_proof_state_word(expected->state));
        assert_int_equal(proof.by_program[i], expected->state != CNF_PROOF_UNCITED);
        if (expected->line) assert_non_null(strstr(rt_buffer_string(&text), expected->line));
    }
    assert_non_null(strstr(rt_buffer_string(&text),
                           "VF: 8 rules, 2 closed (tool 1, vendor 1), 3 asserted, 3 missing\n"));
    assert_int_equal(proof.note_count, 0);
    rt_buffer_free(&text);
}

static void a_fault_that_no_test_notices_survives(void **state)
{
    /* The test of VF-C-01 misses a.c:2 in the first program. */
    cnf_proof proof = prove(*state, "first\n");
    assert_int_equal(proof.states[0], CNF_PROOF_SURVIVED);
    static const char *const expected[] = {
        "VF-C-01@a.c:2 (passes unnoticed: first: 0 of 1 tests of this rule failed)",
        "VF-C-05@a.c:6 (passes unnoticed: first: 0 of 1 tests of this rule failed)",
        "VF-C-06@a.c:7 (passes unnoticed: first: no test of this rule)",
        "VF-C-07@a.c:8: no scenario or test that cites the rule reaches the mark",
    };
    assert_int_equal(proof.complaint_count, sizeof expected / sizeof *expected);
    for (uint32_t i = 0; i < proof.complaint_count; i++)
        assert_string_equal(proof.complaints[i].data, expected[i]);
}

static void the_json_names_the_kinds_of_proof(void **state)
{
    cnf_proof proof = prove(*state, "first\nsecond\n");
    rt_buffer text = {0};
    cnf_proof_write_json(&text, &proof);
    json_t *json = json_loads(rt_buffer_string(&text), 0, NULL);
    json_t *expected =
        json_loads("{\"VF\": {\"rules\": 8, \"closed\": 2, \"by\": {\"tool\": 1, \"vendor\": 1},"
                   " \"asserted\": [\"VF-C-03\", \"VF-C-04\", \"VF-C-08\"],"
                   " \"missing\": [\"VF-C-03\", \"VF-C-04\", \"VF-C-05\", \"VF-C-06\", \"VF-C-07\","
                   " \"VF-C-08\"], \"needs\": {}}}",
                   0, NULL);
    assert_non_null(expected);
    assert_true(json_equal(json, expected));
    json_decref(json);
    json_decref(expected);
    rt_buffer_free(&text);
}

static void programs_that_prove_nothing_are_reported(void **state)
{
    cnf_proof proof = prove(*state, "red\nmarkless\n");
    assert_int_equal(proof.complaint_count, 2);
    bool red_first = strncmp(proof.complaints[0].data, "red", 3) == 0;
    assert_string_equal(
        proof.complaints[red_first ? 0 : 1].data,
        "red: proves nothing because its tests do not pass without a fault: exit status 1");
    assert_string_equal(proof.complaints[red_first ? 1 : 0].data,
                        "markless: proves nothing because it reaches no mark of a rule");
    for (uint32_t i = 0; i < RULE_COUNT; i++)
        assert_int_equal(proof.states[i], CNF_PROOF_UNCITED);
}

/* With the fault of VF-C-06 another rule's test fails. */
static void a_program_that_ignores_its_argument_proves_nothing(void **state)
{
    cnf_proof proof = prove(*state, "deaf\n");
    assert_int_equal(proof.complaint_count, 2);
    assert_string_equal(proof.complaints[0].data,
                        "deaf: proves nothing because it runs tests that its argument does not "
                        "request: VF_C_06_");
    assert_int_equal(proof.states[5], CNF_PROOF_UNTESTED);
}

static void a_missing_program_is_a_note(void **state)
{
    cnf_proof proof = prove(*state, NULL);
    assert_int_equal(proof.complaint_count, 0);
    assert_int_equal(proof.note_count, 1);
    assert_non_null(strstr(proof.notes[0].data, "proofs by programs need a build with tests"));
    assert_non_null(strstr(proof.notes[0].data, "proofs.txt"));

    proof = prove(*state, "absent\n\nfirst");
    assert_int_equal(proof.note_count, 1);
    assert_non_null(strstr(proof.notes[0].data, "/absent: No such file or directory"));
    assert_int_equal(proof.states[1], CNF_PROOF_COVERED); /* by the program that exists */
    rt_buffer text = {0};
    cnf_proof_write(&text, &proof);
    assert_non_null(strstr(rt_buffer_string(&text), proof.notes[0].data));
    rt_buffer_free(&text);
}

/* Rules of a front end, and their expected states. */
static const struct expected_rule front_end_rules[] = {
    {RULE_OF("VF-D-01", "front-end"), CNF_PROOF_COVERED,
     "VF-D-01          covered (front-end)\n"
     "    covered   shower (1 shown, 0 where it departs, 1 twins; compiler 7)\n"},
    {RULE_OF("VF-D-02", "front-end"), CNF_PROOF_UNTESTED,
     "    untested  shower (no twin shows that its tests can fail; compiler 7)\n"},
    {RULE_OF("VF-D-03", "front-end"), CNF_PROOF_COVERED,
     "    covered   shower (0 shown, 1 where it departs, 1 twins; compiler 7)\n"},
    {RULE_OF("VF-D-04", "front-end"), CNF_PROOF_UNCITED, NULL}, /* a twin shows nothing */
    {RULE_OF("VF-D-05", "tool"), CNF_PROOF_UNCITED, NULL},      /* requests a fault */
};
enum { FRONT_END_COUNT = sizeof front_end_rules / sizeof *front_end_rules };

static void front_ends_need_twins(void **state)
{
    programs_fixture *fixture = *state;
    for (uint32_t i = 0; i < FRONT_END_COUNT; i++)
        fixture->items[i] = front_end_rules[i].rule;
    fixture->rules.count = FRONT_END_COUNT;
    cnf_proof proof = prove(fixture, "front-end shower\n");
    rt_buffer text = {0};
    cnf_proof_write(&text, &proof);
    for (uint32_t i = 0; i < FRONT_END_COUNT; i++) {
        const struct expected_rule *expected = &front_end_rules[i];
        assert_int_equal(proof.states[i], expected->state);
        if (expected->line && !strstr(rt_buffer_string(&text), expected->line))
            fail_msg("%s", rt_buffer_string(&text));
    }
    assert_non_null(strstr(rt_buffer_string(&text),
                           "VF: 5 rules, 2 closed (front-end 2), 0 asserted, 3 missing\n"));
    assert_int_equal(proof.complaint_count + proof.note_count, 0);
    rt_buffer_free(&text);
}

static void a_front_end_that_is_not_installed_is_a_note(void **state)
{
    programs_fixture *fixture = *state;
    fixture->items[0] = front_end_rules[0].rule;
    fixture->rules.count = 1;
    cnf_proof proof = prove(fixture, "front-end bare\n");
    assert_int_equal(proof.complaint_count, 0);
    assert_int_equal(proof.note_count, 1);
    assert_string_equal(proof.notes[0].data,
                        "bare: its front end is not installed (ci/setup --with dpcpp)");
    assert_int_equal(proof.states[0], CNF_PROOF_UNCITED);
    /* From one of our own programs the same status is a failure. */
    proof = prove(fixture, "bare\n");
    assert_int_equal(proof.complaint_count, 1);
}

#define PROGRAMS_TEST(test) cmocka_unit_test_setup_teardown(test, fixture_make, fixture_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROGRAMS_TEST(tests_of_a_rule_close_it),
        PROGRAMS_TEST(a_fault_that_no_test_notices_survives),
        PROGRAMS_TEST(the_json_names_the_kinds_of_proof),
        PROGRAMS_TEST(programs_that_prove_nothing_are_reported),
        PROGRAMS_TEST(a_program_that_ignores_its_argument_proves_nothing),
        PROGRAMS_TEST(a_missing_program_is_a_note),
        PROGRAMS_TEST(front_ends_need_twins),
        PROGRAMS_TEST(a_front_end_that_is_not_installed_is_a_note),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
