/* Tests of reading rules and citations from files, and of proving with a fake `assay run`. */
#include "conformance/requirements/prove.h"

#include "conformance/process/scratch.h"

#include <jansson.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Scenarios named after their behaviour, which the fake runner below implements. */
static const struct test_file {
    const char *name, *text;
} test_files[] = {
    {"requirements.yaml",
     "# a table\n- id: DL-A-01\n  source: 003_7b.txt § Linking\n  statement: >-\n"
     "    Two\n    lines.\n  outcome: must\n  reading: of the key\n"
     "- id: DL-A-02\n  source: elsewhere\n  note: no reading\n"
     "  reading: the key\n  dpcpp: same\n- id: DL-A-03\n  note: plain\n"
     "- id: DL-A-04\n  proof: front-end\n- id: DL-A-05\n"
     "- id: VF-B-01\n  proof: tool\n- id: VF-B-02\n  proof: unit\n"
     /* Umbrella rules: one of rules above, one that includes a rule whose fault causes only a
      * crash, and one without parts yet. */
     "- id: XU-01\n  proof: parts\n  parts: [DL-A-02, DL-A-01]\n"
     "- id: XU-02\n  proof: parts\n  parts:\n    - DL-A-01\n    - DL-A-03\n"
     "- id: XU-03\n  proof: parts\n"},
    {"kills.yaml", "covers: [DL-A-01, {rule: DL-A-02, at: here}]\n"},
    {"misses.yaml", "covers:\n  - rule: DL-A-02\n    at: there\n  - DL-A-03\n  - NO-SUCH-01\n"},
    {"red.yaml", "covers: [DL-A-05]\n"},
    {"vain.yaml", "covers: [DL-A-05]\n"},
    {"wrong.yaml", "covers: [DL-A-01\n"},
    {"silent.yaml", "covers: [VF-B-02]\nmore: {covers: [DL-A-04]}\n"},
};

typedef struct requirements_fixture {
    rt_arena arena;
    rt_sink *sink;
    rt_text folder;
    cnf_files files;
    cnf_rules rules;
    cnf_citations citations;
} requirements_fixture;

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    if (!file) _exit(9);
    fputs(text, file);
    fclose(file);
}

static int fixture_make(void **state)
{
    requirements_fixture *fixture = calloc(1, sizeof *fixture);
    fixture->sink = rt_sink_create();
    assert_true(rt_ok(cnf_scratch_make(fixture->sink, &fixture->arena, &fixture->folder)));
    for (size_t i = 0; i < sizeof test_files / sizeof *test_files; i++) {
        rt_text path =
            rt_arena_printf(&fixture->arena, "%s/%s", fixture->folder.data, test_files[i].name);
        FILE *file = fopen(path.data, "w");
        assert_non_null(file);
        fputs(test_files[i].text, file);
        fclose(file);
    }
    rt_text table = rt_arena_printf(&fixture->arena, "%s/requirements.yaml", fixture->folder.data);
    assert_true(rt_ok(
        cnf_files_find(fixture->sink, &fixture->arena, &fixture->folder, 1, &fixture->files)));
    assert_true(rt_ok(cnf_rules_read(fixture->sink, &fixture->arena, table, &fixture->rules)));
    assert_true(rt_ok(cnf_citations_read(fixture->sink, &fixture->arena, &fixture->files,
                                         &fixture->rules, &fixture->citations)));
    *state = fixture;
    return 0;
}

static int fixture_remove(void **state)
{
    requirements_fixture *fixture = *state;
    cnf_scratch_remove(fixture->folder);
    assert_int_equal(access(fixture->folder.data, F_OK), -1);
    rt_sink_destroy(fixture->sink);
    rt_arena_reset(&fixture->arena);
    free(fixture);
    return 0;
}

/* ---- Reading ------------------------------------------------------------------------------- */

static void rules_are_read_in_order(void **state)
{
    requirements_fixture *fixture = *state;
    assert_int_equal(fixture->rules.count, 10);
    assert_string_equal(fixture->rules.items[3].id.data, "DL-A-04");
    assert_string_equal(fixture->rules.items[3].proof.data, "front-end");
    const cnf_rule *umbrella = &fixture->rules.items[7];
    assert_int_equal(umbrella->part_count, 2);
    assert_int_equal(umbrella->parts[0], 1);
    assert_int_equal(umbrella->parts[1], 0);
    assert_int_equal(fixture->rules.items[9].part_count, 0);
    const cnf_rule *rules = fixture->rules.items;
    assert_string_equal(rules[0].statement.data, "Two lines.");
    assert_string_equal(rules[0].outcome.data, "must");
    assert_true(rt_text_is(rules[0].reading, "of the key"));
    assert_true(rt_text_is(rules[1].reading, "the key"));
    assert_true(rt_text_is(rules[1].dpcpp, "same"));
    assert_int_equal(rules[2].reading.length, 0);
    rt_buffer source = {0};
    cnf_rule_source_print(&source, &rules[0]);
    assert_string_equal(rt_buffer_string(&source), "SharedLibraries.md, Linking");
    rt_buffer_free(&source);
    cnf_rule_source_print(&source, &rules[1]);
    assert_string_equal(rt_buffer_string(&source), "elsewhere");
    rt_buffer_free(&source);
    assert_true(rt_text_is(fixture->rules.items[5].family, "VF"));
    assert_int_equal(cnf_rules_find(&fixture->rules, RT_TEXT("VF-B-02")), 6);
    assert_int_equal(cnf_rules_find(&fixture->rules, RT_TEXT("VF-B-03")), UINT32_MAX);
}

static void citations_are_read(void **state)
{
    requirements_fixture *fixture = *state;
    const struct {
        const char *id, *at;
        uint32_t rule, line;
    } expected[] = {
        {"DL-A-01", "", 0, 1},
        {"DL-A-02", "here", 1, 1},
        {"DL-A-02", "there", 1, 2},
        {"DL-A-03", "", 2, 4},
        {"NO-SUCH-01", "", UINT32_MAX, 5},
        {"DL-A-05", "", 4, 1},
        {"VF-B-02", "", 6, 1},
        {"DL-A-05", "", 4, 1},
    };
    assert_int_equal(fixture->citations.count, sizeof expected / sizeof *expected);
    for (uint32_t i = 0; i < fixture->citations.count; i++) {
        const cnf_citation *citation = &fixture->citations.items[i];
        assert_string_equal(citation->id.data, expected[i].id);
        assert_true(rt_text_is(citation->at, expected[i].at));
        assert_int_equal(citation->rule, expected[i].rule);
        assert_int_equal(citation->line, expected[i].line);
    }
}

static void an_invalid_table_is_refused(void **state)
{
    requirements_fixture *fixture = *state;
    rt_text not_a_table = rt_arena_printf(&fixture->arena, "%s/kills.yaml", fixture->folder.data);
    cnf_rules rules;
    assert_int_equal(cnf_rules_read(fixture->sink, &fixture->arena, not_a_table, &rules).code,
                     RT_MALFORMED);
    static const struct {
        const char *table, *message;
    } rows[] = {
        {"- id: A-1\n  parts: [A-2]\n- id: A-2\n",
         "rule A-1: `parts:` must be a list of ids, with `proof: parts`"},
        {"- id: A-1\n  proof: parts\n  parts: A-2\n- id: A-2\n",
         "rule A-1: `parts:` must be a list of ids, with `proof: parts`"},
        {"- id: A-1\n  proof: parts\n  parts: [A-2, A-3]\n- id: A-2\n",
         "rule A-1: part 'A-3' is not a rule of the table"},
        {"- id: A-1\n  proof: parts\n  parts: [A-1]\n",
         "rule A-1: part 'A-1' is an umbrella itself; name its parts"},
    };
    rt_text table = rt_arena_printf(&fixture->arena, "%s/table.yaml", fixture->folder.data);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_text(table.data, rows[i].table);
        rt_status status = cnf_rules_read(fixture->sink, &fixture->arena, table, &rules);
        assert_int_equal(status.code, RT_MALFORMED);
        assert_string_equal(rt_sink_diagnostic(fixture->sink, status)->message.data,
                            rows[i].message);
    }
    write_text(table.data, ""); /* an empty file, as `touch` makes it */
    assert_int_equal(cnf_rules_read(fixture->sink, &fixture->arena, table, &rules).code,
                     RT_MALFORMED);
    rt_text missing = RT_TEXT("/nowhere/requirements.yaml");
    assert_int_equal(cnf_rules_read(fixture->sink, &fixture->arena, missing, &rules).code, RT_IO);
}

/* ---- Proving ------------------------------------------------------------------------------- */

/* A scenario's reaction to an armed fault; a scenario without a row passes. */
static const struct fault_row {
    const char *scenario, *site, *verdict, *signature, *step_id;
} fault_rows[] = {
    {"kills", "DL-A-01@a.c:1", "FAIL", "step1:memory:differs:x", ""},
    {"kills", "DL-A-01@b.c:2", "FAIL", "step2:memory:differs:x", ""},
    {"kills", "DL-A-02@a.c:3", "FAIL", "step2:memory:differs:x", "elsewhere"},
    {"misses", "DL-A-02@a.c:3", "FAIL", "step2:memory:differs:x", "there"},
    {"misses", "DL-A-03@a.c:4", "CRASH", "run:crash:SIGABRT:-", ""},
    {"misses", "DL-A-03@a.c:5", "FAIL", "step2:memory:differs:x", ""},
    {"table.", "DL-T-01@t.c:1.0", "FAIL", "step1:memory:differs:x", ""},
    {"table.", "DL-T-01@t.c:1.1", "FAIL", "step1:launch:errc-build:x", ""},
    {"table.", "DL-T-01@t.c:1.2", "FAIL", "step1:trace:missing:x", ""},
    {"table_more", "DL-T-01@t.c:1.2", "FAIL", "step1:error:succeeded:x", ""},
};

/* The sites that a scenario reaches. */
static const struct hit_row {
    const char *scenario, *sites;
} hit_rows[] = {
    {"kills", "DL-A-01@a.c:1\nDL-A-01@b.c:2\nDL-A-02@a.c:3\n"},
    {"misses", "DL-A-02@a.c:3\nDL-A-03@a.c:4\nDL-A-03@a.c:5\nVF-B-01@a.c:7\n"},
    {"silent", "VF-B-02@a.c:6\n"},
    {"table_more", "DL-T-01@t.c:1.2\n"},
    {"table.", "DL-T-01@t.c:1.0\nDL-T-01@t.c:1.1\nDL-T-01@t.c:1.2\nDL-T-01@t.c:1.4\n"
               "DL-T-01@t.c:1.5\nDL-T-01@t.c:1.6\n"},
};

/* `assay run FILE --on sim --jobs 1 --json FILE --cache FOLDER --timeout N` */
static int fake_run(int argument_count, char **arguments)
{
    const char *json = NULL, *scenario = strrchr(arguments[2], '/') + 1;
    for (int i = 3; i < argument_count - 1; i++)
        if (strcmp(arguments[i], "--json") == 0) json = arguments[i + 1];
    if (!json) return 9;
    const char *hits = getenv("ASSAY_RULE_HITS"), *fault = getenv("ASSAY_FAULT");
    char record[512];
    bool fails = strncmp(scenario, "red", 3) == 0;
    snprintf(record, sizeof record, "{\"verdict\":\"%s\"}\n", fails ? "FAIL" : "PASS");
    for (size_t i = 0; hits && i < sizeof hit_rows / sizeof *hit_rows; i++)
        if (strncmp(scenario, hit_rows[i].scenario, strlen(hit_rows[i].scenario)) == 0)
            write_text(hits, hit_rows[i].sites);
    for (size_t i = 0; fault && i < sizeof fault_rows / sizeof *fault_rows; i++) {
        const struct fault_row *row = &fault_rows[i];
        if (strcmp(fault, row->site) != 0 ||
            strncmp(scenario, row->scenario, strlen(row->scenario)) != 0)
            continue;
        snprintf(record, sizeof record,
                 "{\"verdict\":\"%s\",\"signature\":\"%s\",\"failures\":[{\"signature\":"
                 "\"%s\",\"step_id\":\"%s\"}]}\n",
                 row->verdict, row->signature, row->signature, row->step_id);
    }
    write_text(json, record);
    return 0;
}

static cnf_proof prove(requirements_fixture *fixture)
{
    const cnf_prove_options options = {.job_count = 3, .timeout_s = 20};
    cnf_proof proof;
    rt_status status = cnf_prove(fixture->sink, &fixture->arena, &fixture->rules, &fixture->files,
                                 &fixture->citations, &options, &proof);
    assert_true(rt_ok(status));
    return proof;
}

static void faults_decide_what_is_covered(void **state)
{
    requirements_fixture *fixture = *state;
    cnf_proof proof = prove(fixture);
    const cnf_proof_state expected[] = {
        CNF_PROOF_COVERED,  /* both sites are killed */
        CNF_PROOF_COVERED,  /* one scenario fails elsewhere, the other at its step */
        CNF_PROOF_ASSERTED, /* one of two sites only crashes */
        CNF_PROOF_UNCITED,  CNF_PROOF_NOT_HIT /* one scenario does not pass, one reaches no mark */,
        CNF_PROOF_UNCITED,  CNF_PROOF_SURVIVED,
        CNF_PROOF_COVERED,  CNF_PROOF_ASSERTED, /* the state of the weakest part */
        CNF_PROOF_UNCITED,
    };
    for (uint32_t i = 0; i < proof.rules->count; i++)
        assert_string_equal(cnf_proof_state_word(proof.states[i]),
                            cnf_proof_state_word(expected[i]));
    for (uint32_t i = 0; i < proof.rules->count; i++)
        assert_false(proof.by_program[i]);
}

static void false_claims_are_reported(void **state)
{
    requirements_fixture *fixture = *state;
    cnf_proof proof = prove(fixture);
    assert_int_equal(proof.complaint_count, 4);
    assert_non_null(strstr(proof.complaints[0].data, "red.yaml: proves nothing"));
    assert_string_equal(
        proof.complaints[1].data,
        "DL-A-05: cited by vain.yaml, but the scenario reaches no mark of the rule");
    /* Without a table, the marks are in the order in which the scenarios that reach them ended. */
    const char *unreached = proof.complaints[2].data, *unnoticed = proof.complaints[3].data;
    if (strstr(unreached, "unnoticed")) {
        unreached = proof.complaints[3].data;
        unnoticed = proof.complaints[2].data;
    }
    assert_string_equal(unreached,
                        "VF-B-01@a.c:7: no scenario or test that cites the rule reaches the mark");
    assert_string_equal(unnoticed, "VF-B-02@a.c:6 (passes unnoticed: silent.yaml)");
    assert_int_equal(proof.note_count, 0);
}

/* Proves with a program whose tests of VF-B-02 run the shell commands `failing` when the fault is
 * armed. */
static cnf_proof prove_with_program(requirements_fixture *fixture, const char *failing)
{
    rt_text program = rt_arena_printf(&fixture->arena, "%s/tests.sh", fixture->folder.data);
    rt_text list = rt_arena_printf(&fixture->arena, "%s/proofs.txt", fixture->folder.data);
    rt_text script =
        rt_arena_printf(&fixture->arena,
                        "#!/bin/sh\n"
                        "echo '[ RUN      ] VF_B_02_x'\n"
                        "[ -z \"$ASSAY_RULE_HITS\" ] || echo VF-B-02@a.c:6 > \"$ASSAY_RULE_HITS\"\n"
                        "[ \"$1:$ASSAY_FAULT\" != 'VF_B_02_*:VF-B-02@a.c:6' ] || { %s; }\n",
                        failing);
    write_text(program.data, script.data);
    write_text(list.data, "tests.sh\n");
    assert_int_equal(chmod(program.data, 0755), 0);
    const cnf_prove_options options = {.job_count = 3, .timeout_s = 20, .program_list = list};
    cnf_proof proof;
    rt_status status = cnf_prove(fixture->sink, &fixture->arena, &fixture->rules, &fixture->files,
                                 &fixture->citations, &options, &proof);
    assert_true(rt_ok(status));
    return proof;
}

static bool has_complaint(const cnf_proof *proof, const char *words)
{
    bool found = false;
    for (uint32_t i = 0; i < proof->complaint_count; i++)
        found |= strstr(proof->complaints[i].data, words) != NULL;
    return found;
}

static void a_program_closes_what_a_scenario_only_cites(void **state)
{
    requirements_fixture *fixture = *state;
    cnf_proof proof = prove_with_program(fixture, "echo '[  FAILED  ] 1 test(s)' >&2; exit 1");
    assert_int_equal(proof.states[6], CNF_PROOF_COVERED);
    assert_true(proof.by_program[6] && !proof.by_program[0]);
    assert_false(has_complaint(&proof, "silent.yaml"));

    /* Twin: a crash notices the fault, but not as expected. */
    proof = prove_with_program(fixture, "kill -ABRT $$");
    assert_int_equal(proof.states[6], CNF_PROOF_ASSERTED);
    assert_false(has_complaint(&proof, "VF-B-02"));
}

static void a_proof_is_printed(void **state)
{
    requirements_fixture *fixture = *state;
    cnf_proof proof = prove(fixture);
    rt_buffer text = {0};
    cnf_proof_write(&text, &proof);
    const char *printed = rt_buffer_string(&text);
    assert_non_null(strstr(printed, "DL: 5 rules, 2 closed (scenario 2), 1 asserted, 2 missing\n"));
    assert_non_null(strstr(printed, "VF: 2 rules, 0 closed, 0 asserted, 2 missing\n"));
    assert_non_null(strstr(printed, "XU: 3 rules, 1 closed (parts 1), 1 asserted, 1 missing\n"));
    assert_non_null(
        strstr(printed, "all: 10 rules, 3 closed (scenario 2, parts 1), 2 asserted, 5 missing\n"));
    assert_non_null(strstr(printed, "XU-02            asserted (parts)\n    covered   DL-A-01\n"
                                    "    asserted  DL-A-03\n"));
    assert_null(strstr(printed, "XU-03"));
    assert_non_null(strstr(printed, "asserted  a.c:4 (misses.yaml: CRASH run:crash:SIGABRT:-)"));
    rt_buffer_free(&text);

    cnf_proof_write_json(&text, &proof);
    json_t *json = json_loads(rt_buffer_string(&text), 0, NULL);
    json_t *expected = json_loads(
        "{\"DL\": {\"rules\": 5, \"closed\": 2, \"by\": {\"scenario\": 2},"
        " \"asserted\": [\"DL-A-03\"], \"missing\": [\"DL-A-03\", \"DL-A-04\", \"DL-A-05\"],"
        " \"needs\": {\"DL-A-04\": \"dpcpp\"}},"
        " \"VF\": {\"rules\": 2, \"closed\": 0, \"by\": {}, \"asserted\": [],"
        " \"missing\": [\"VF-B-01\", \"VF-B-02\"], \"needs\": {}},"
        " \"XU\": {\"rules\": 3, \"closed\": 1, \"by\": {\"parts\": 1},"
        " \"asserted\": [\"XU-02\"], \"missing\": [\"XU-02\", \"XU-03\"], \"needs\": {}}}",
        0, NULL);
    assert_non_null(expected);
    assert_true(json_equal(json, expected));
    json_decref(json);
    json_decref(expected);
    rt_buffer_free(&text);
}

static void blunt_faults_are_named(void **state)
{
    requirements_fixture *fixture = *state;
    const cnf_prove_options options = {.job_count = 3, .timeout_s = 20, .counts_kills = true};
    cnf_proof proof;
    rt_status status = cnf_prove(fixture->sink, &fixture->arena, &fixture->rules, &fixture->files,
                                 &fixture->citations, &options, &proof);
    assert_true(rt_ok(status));
    rt_buffer text = {0};
    cnf_proof_write(&text, &proof);
    /* red.yaml fails with any fault, and kills.yaml with this one. */
    assert_non_null(
        strstr(rt_buffer_string(&text), "blunt, it kills 2 of 6 scenarios: DL-A-01@a.c:1\n"));
    assert_null(strstr(rt_buffer_string(&text), "scenarios: VF-B-02"));
    rt_buffer_free(&text);
}

/* ---- Tables of faults ---------------------------------------------------------------------- */

/* The first three are noticed, in different ways; no scenario reaches the fourth, nor the mark in
 * line 2; the next is reviewed, then one has the original's code, and one passes unnoticed. A table
 * is made of strings with their NULs. */
#define TABLE                                                                                      \
    "DL_T_01@t.c:1.0\trelational\ta < b\ta <= b\t\n"                                               \
    "DL_T_01@t.c:1.1\tlogical\ta || b\ta && b\t\n"                                                 \
    "DL_T_01@t.c:1.2\tlogical\ta || b\ta\t\n\0"                                                    \
    "DL_T_01@t.c:1.3\tliteral\t2\t3\t\n"                                                           \
    "DL_T_01@t.c:1.4\tliteral\t4\t5\topen\n"                                                       \
    "DL_T_01@t.c:1.5\tliteral\t6\t7\t\n"                                                           \
    "DL_T_01@t.c:1.6\tliteral\t8\t9\t\n"                                                           \
    "DL_T_02@t.c:2\tfunction\t\tit forgets everything\t\n"

/* Proves two rules, which two scenarios cite, with a table of faults. */
static rt_status prove_table(requirements_fixture *fixture, const char *table, size_t size,
                             cnf_prove_options options, cnf_proof *out_proof)
{
    rt_arena *arena = &fixture->arena;
    const char *folder = rt_arena_printf(arena, "%s/tables", fixture->folder.data).data;
    mkdir(folder, 0777);
    rt_text rules_file = rt_arena_printf(arena, "%s/requirements.yaml", folder);
    write_text(rules_file.data, "- id: DL-T-01\n- id: DL-T-02\n");
    write_text(rt_arena_printf(arena, "%s/table.yaml", folder).data,
               "covers: [DL-T-01, DL-T-02]\n");
    write_text(rt_arena_printf(arena, "%s/table_more.yaml", folder).data, "covers: [DL-T-01]\n");
    rt_text path = rt_arena_printf(arena, "%s/faults.txt", fixture->folder.data);
    FILE *file = fopen(path.data, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(table, 1, size, file), size);
    fclose(file);
    cnf_files files;
    cnf_rules *rules = rt_arena_alloc_array(arena, 1, sizeof *rules); /* the proof refers to it */
    cnf_citations citations;
    rt_text folder_text = rt_text_of(folder);
    assert_true(rt_ok(cnf_files_find(fixture->sink, arena, &folder_text, 1, &files)));
    assert_true(rt_ok(cnf_rules_read(fixture->sink, arena, rules_file, rules)));
    assert_true(rt_ok(cnf_citations_read(fixture->sink, arena, &files, rules, &citations)));
    options.job_count = 2;
    options.timeout_s = 20;
    options.fault_tables = &path;
    options.fault_table_count = 1;
    return cnf_prove(fixture->sink, arena, rules, &files, &citations, &options, out_proof);
}

static void a_table_names_every_fault(void **state)
{
    requirements_fixture *fixture = *state;
    const char *const script[] = {"/bin/sh", "-c", "printf 'DL-T-01@t.c:1.5\\n'", NULL};
    cnf_proof proof;
    const cnf_prove_options options = {.same_command = script, .lists_refusals = true};
    assert_true(rt_ok(prove_table(fixture, TABLE, sizeof TABLE - 1, options, &proof)));
    static const char *const expected[] = {
        "DL-T-02: cited by table.yaml, but the scenario reaches no mark of the rule",
        "DL-T-01@t.c:1.3: literal: 2 => 3 (not reached)",
        "DL-T-01@t.c:1.6: literal: 8 => 9 (passes unnoticed: table.yaml)",
        "DL-T-02@t.c:2: no scenario or test that cites the rule reaches the mark",
    };
    for (uint32_t i = 0; i < proof.complaint_count && i < 4; i++)
        assert_string_equal(proof.complaints[i].data, expected[i]);
    assert_int_equal(proof.complaint_count, 4);
    rt_buffer text = {0};
    cnf_proof_write(&text, &proof);
    assert_non_null(strstr(rt_buffer_string(&text),
                           "faults: 3 noticed, 0 noticed only by a crash, a CHECK or another step, "
                           "4 unnoticed (1 reviewed); 1 more compile to the original's code\n"));
    assert_non_null(strstr(rt_buffer_string(&text),
                           "with the fault, the runtime refuses: "
                           "DL-T-01@t.c:1.1: logical: a || b => a && b\n"));
    rt_buffer_free(&text);
}

static void further_scenarios_show_what_the_trace_shows(void **state)
{
    requirements_fixture *fixture = *state;
    static const char table[] = "DL_T_01@t.c:1.2\tlogical\ta || b\ta\t\n";
    cnf_proof proof;
    assert_true(
        rt_ok(prove_table(fixture, table, sizeof table - 1, (cnf_prove_options){0}, &proof)));
    assert_int_equal(proof.sites[0].state, CNF_PROOF_COVERED);
    assert_int_equal(proof.sites[0].evidence, CNF_EVIDENCE_INTERNAL);
    const cnf_prove_options options = {.lists_internal = true};
    assert_true(rt_ok(prove_table(fixture, table, sizeof table - 1, options, &proof)));
    assert_int_equal(proof.sites[0].evidence, CNF_EVIDENCE_RESULT);
}

static void a_sample_has_the_same_faults_again(void **state)
{
    requirements_fixture *fixture = *state;
    uint32_t chosen[2] = {0};
    for (uint64_t seed = 0; seed < 2; seed++)
        for (int again = 0; again < 2; again++) {
            cnf_proof proof;
            const cnf_prove_options options = {
                .rules = RT_TEXT("DL-X-*,DL-T-01"), .sample = 2, .seed = seed};
            assert_true(rt_ok(prove_table(fixture, TABLE, sizeof TABLE - 1, options, &proof)));
            uint32_t bits = 0, count = 0;
            for (uint32_t i = 0; i < proof.site_count; i++) {
                count += proof.sites[i].is_chosen;
                bits |= (uint32_t)proof.sites[i].is_chosen << i;
            }
            assert_int_equal(count, 2); /* of DL-T-01; none of DL-T-02 */
            assert_true(!again || bits == chosen[seed]);
            chosen[seed] = bits;
        }
    assert_int_not_equal(chosen[0], chosen[1]);
}

static void a_wrong_table_is_refused(void **state)
{
    requirements_fixture *fixture = *state;
    static const char *const tables[] = {"DL_T_09@t.c:1.0\tlogical\ta\tb\t\n",
                                         "DL_T_01\tlogical\ta\tb\t\n",
                                         "DL_T_01@t.c:1.0\tlogical\n"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        cnf_proof proof;
        rt_status status =
            prove_table(fixture, tables[i], strlen(tables[i]), (cnf_prove_options){0}, &proof);
        assert_int_equal(status.code, RT_MALFORMED);
    }
}

static void an_interruption_proves_nothing(void **state)
{
    requirements_fixture *fixture = *state;
    const cnf_prove_options options = {.job_count = 1, .timeout_s = 20};
    cnf_proof proof;
    sigset_t terminated, before;
    sigemptyset(&terminated);
    sigaddset(&terminated, SIGTERM);
    sigprocmask(SIG_BLOCK, &terminated, &before);
    raise(SIGTERM); /* pending until the pool takes it */
    rt_status status = cnf_prove(fixture->sink, &fixture->arena, &fixture->rules, &fixture->files,
                                 &fixture->citations, &options, &proof);
    sigprocmask(SIG_SETMASK, &before, NULL);
    assert_int_equal(status.code, RT_IO);
}

#define REQUIREMENTS_TEST(test) cmocka_unit_test_setup_teardown(test, fixture_make, fixture_remove)

int main(int argument_count, char **arguments)
{
    if (argument_count > 2 && strcmp(arguments[1], "run") == 0)
        return fake_run(argument_count, arguments);
    const struct CMUnitTest tests[] = {
        REQUIREMENTS_TEST(rules_are_read_in_order),
        REQUIREMENTS_TEST(citations_are_read),
        REQUIREMENTS_TEST(an_invalid_table_is_refused),
        REQUIREMENTS_TEST(faults_decide_what_is_covered),
        REQUIREMENTS_TEST(false_claims_are_reported),
        REQUIREMENTS_TEST(a_program_closes_what_a_scenario_only_cites),
        REQUIREMENTS_TEST(a_proof_is_printed),
        REQUIREMENTS_TEST(blunt_faults_are_named),
        REQUIREMENTS_TEST(a_table_names_every_fault),
        REQUIREMENTS_TEST(further_scenarios_show_what_the_trace_shows),
        REQUIREMENTS_TEST(a_sample_has_the_same_faults_again),
        REQUIREMENTS_TEST(a_wrong_table_is_refused),
        REQUIREMENTS_TEST(an_interruption_proves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
