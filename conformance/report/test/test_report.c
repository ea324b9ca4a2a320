/* Tests of records as lines of JSON, and of the final report against a golden text. */
#include "conformance/report/matrix.h"
#include "conformance/report/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const rt_text launches = {"launches", 8};

static cnf_record record_make(const char *scenario, const char *subject, cnf_verdict verdict)
{
    rt_text path = rt_text_of(scenario);
    return (cnf_record){
        .scenario = path,
        .file = path,
        .subject = rt_text_of(subject),
        .judgement = {.verdict = verdict, .step = SCN_NONE, .expected = 3, .observed = 3}};
}

static cnf_record failed_make(void)
{
    cnf_record record = record_make("linking/chain.yaml", "pocl", CNF_VERDICT_FAIL);
    record.file = RT_TEXT("scenarios/linking/chain.yaml");
    record.judgement.signature = RT_TEXT("step2:memory:differs:data/element-3");
    record.judgement.message = RT_TEXT("data[3]: expected 1,\ngot \"2\"");
    record.judgement.rule = RT_TEXT("DL-RESOLVE-09");
    record.judgement.line = 31;
    record.judgement.step = 2;
    record.judgement.unobserved = &launches;
    record.judgement.unobserved_count = 1;
    record.judgement.observed = 2;
    record.step_id = RT_TEXT("second");
    record.seconds = 0.25;
    record.device = RT_TEXT("basic");
    record.driver = RT_TEXT("PoCL 3.1");
    return record;
}

/* ---- Records ------------------------------------------------------------------------------- */

static void a_record_is_one_line(void **state)
{
    (void)state;
    cnf_record record = failed_make();
    rt_buffer line = {0};
    cnf_record_write(&line, &record);
    assert_string_equal(
        rt_buffer_string(&line),
        "{\"scenario\":\"linking/chain.yaml\",\"subject\":\"pocl\",\"verdict\":\"FAIL\","
        "\"signature\":\"step2:memory:differs:data/element-3\",\"observed\":2,"
        "\"unobserved\":[\"launches\"],\"seconds\":0.25,\"expected\":3,"
        "\"file\":\"scenarios/linking/chain.yaml\",\"line\":31,\"step\":2,\"step_id\":\"second\","
        "\"rule\":\"DL-RESOLVE-09\",\"message\":\"data[3]: expected 1,\\ngot \\\"2\\\"\","
        "\"device\":\"basic\",\"driver\":\"PoCL 3.1\"}\n");
    rt_buffer_free(&line);
}

static void any_bytes_make_valid_json(void **state)
{
    (void)state;
    cnf_record record = record_make("a.yaml", "sim", CNF_VERDICT_CRASH);
    record.judgement.message = RT_TEXT("g\xc3\xbc \xff\xc3 \xf0\x9f\x98\x80 \x01\xed\xa0\x80");
    rt_buffer line = {0};
    cnf_record_write(&line, &record);
    json_t *object = json_loads(rt_buffer_string(&line), 0, NULL);
    assert_non_null(object);
    assert_string_equal(
        json_string_value(json_object_get(object, "message")),
        "g\xc3\xbc \xEF\xBF\xBD\xEF\xBF\xBD \xf0\x9f\x98\x80 \x01\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
    json_decref(object);
    rt_buffer_free(&line);
}

static void records_are_appended(void **state)
{
    (void)state;
    char name[] = "/tmp/assay-report-XXXXXX";
    int created = mkstemp(name);
    assert_true(created >= 0);
    close(created);
    int file = open(name, O_RDWR | O_APPEND);
    cnf_record record = record_make("a.yaml", "sim", CNF_VERDICT_PASS);
    assert_int_equal(cnf_record_append(file, &record), 0);
    assert_int_equal(cnf_record_append(file, &record), 0);
    rt_buffer line = {0};
    cnf_record_write(&line, &record);
    assert_int_equal(lseek(file, 0, SEEK_END), 2 * (off_t)line.size);
    rt_buffer_free(&line);
    close(file);
    unlink(name);
    int full = open("/dev/full", O_WRONLY);
    assert_int_equal(cnf_record_append(full, &record), ENOSPC);
    close(full);
}

/* ---- Reading them back --------------------------------------------------------------------- */

static rt_text line_of(rt_arena *arena, const cnf_record *record)
{
    rt_buffer line = {0};
    cnf_record_write(&line, record);
    rt_text text = rt_arena_text(arena, rt_buffer_text(&line));
    rt_buffer_free(&line);
    return text;
}

static const rt_text full_memories[] = {{"data", 4}, {"out", 3}};
static const cnf_failure full_failures[] = {
    {.cause = CNF_CAUSE_PROCESS, .signature = {"a:b:c:d", 7}, .step = SCN_NONE},
    {.cause = CNF_CAUSE_CHECK,
     .signature = {"e:f:g:h", 7},
     .message = {"why", 3},
     .rule = {"DL-RESOLVE-09", 13},
     .step = 3,
     .step_id = {"last", 4},
     .line = 17,
     .code = {{"k.cl", 4}, 3, 21},
     .memories = full_memories,
     .memory_count = 2,
     .entry = {"pocl.yaml:4", 11},
     .is_poisoned = true},
};

static const cnf_attempt full_attempts[] = {
    {CNF_VERDICT_HANG, {"a:b:c:d", 7}, 0.5},
    {CNF_VERDICT_PASS, {0}, 0.25},
};

/* A record with a value for every key. */
static cnf_record full_make(void)
{
    cnf_record record = failed_make();
    record.hash = RT_TEXT("00112233445566778899aabbccddeeff");
    record.choices = RT_TEXT("0,1");
    record.predecessors = full_memories;
    record.predecessor_count = 2;
    record.reuse = RT_TEXT(CNF_REUSE_POISONED);
    record.reuse_verdict = RT_TEXT("CRASH");
    record.reuse_signature = RT_TEXT("run:crash:SIGSEGV:-");
    record.judgement.verdict = CNF_VERDICT_XFAIL_MISMATCH;
    record.judgement.capability = RT_TEXT("fp64");
    record.judgement.answer = RT_TEXT("no\0!");
    record.judgement.signature = RT_TEXT("a:b:c:d e:f:g:h");
    record.judgement.code = (cnf_code_place){RT_TEXT("other.cl"), 4, 1};
    record.judgement.failures = full_failures;
    record.judgement.failure_count = 2;
    record.judgement.attempts = full_attempts;
    record.judgement.attempt_count = 2;
    record.known = (cnf_known){.entry = RT_TEXT("pocl.yaml:4"),
                               .seen = CNF_VERDICT_HANG,
                               .class = RT_TEXT("permitted-divergence"),
                               .reason = RT_TEXT("Because."),
                               .reference = RT_TEXT("DL-RESOLVE-09"),
                               .failure = RT_TEXT("a:b:c:d")};
    return record;
}

static void every_member_is_read_back(void **state)
{
    (void)state;
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    const cnf_record records[] = {full_make(), failed_make(),
                                  record_make("a.yaml", "sim", CNF_VERDICT_PASS),
                                  record_make("b.yaml", "-", CNF_VERDICT_INVALID)};
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        rt_text line = line_of(&arena, &records[i]);
        cnf_record read;
        line.length--; /* the newline */
        assert_true(rt_ok(cnf_record_read(sink, &arena, line, &read)));
        line.length++;
        rt_text second_line = line_of(&arena, &read);
        assert_string_equal(second_line.data, line.data);
        assert_int_equal(read.judgement.step, records[i].judgement.step);
        cnf_record copy = cnf_record_copy(&arena, &read);
        assert_string_equal(line_of(&arena, &copy).data, line.data);
    }
    /* Every key was written at least once. */
    rt_text full_line = line_of(&arena, &records[0]);
    uint32_t keys = 0;
    for (size_t i = 0; i + 1 < full_line.length; i++)
        keys += full_line.data[i] == '"' && full_line.data[i + 1] == ':';
    assert_int_equal(keys, 35 + 2 + 13 + 5); /* of the record, its failures and its attempts */
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
}

#define BEGIN  "{\"scenario\":\"a.yaml\",\"subject\":\"sim\","
#define MIDDLE "\"signature\":\"\",\"observed\":1,\"unobserved\":[],\"seconds\":0.5,"

static const struct wrong_line {
    const char *line;
    const char *message;
} wrong_lines[] = {
    {"", "not a JSON object"},
    {"[]", "not a JSON object"},
    {BEGIN "\"verdict\":\"PASS\"", "not a JSON object"},
    {BEGIN "\"verdict\":\"PASS\"," MIDDLE "\"expected\":1,\"expected\":1}", "not a JSON object"},
    {BEGIN "\"verdict\":\"PASS\"," MIDDLE "\"expected\":1,\"colour\":\"red\"}",
     "it has no key 'colour'"},
    {BEGIN "\"verdict\":\"PASS\"," MIDDLE "\"line\":1}", "the key 'expected' is missing"},
    {BEGIN "\"verdict\":\"GOOD\"," MIDDLE "\"expected\":1}",
     "the value of 'verdict' is not permitted"},
    {BEGIN "\"verdict\":\"PASS\"," MIDDLE "\"expected\":-1}",
     "the value of 'expected' is not permitted"},
    {BEGIN "\"verdict\":\"PASS\"," MIDDLE "\"expected\":4294967296}",
     "the value of 'expected' is not permitted"},
    {BEGIN "\"verdict\":\"PASS\"," MIDDLE "\"expected\":1.0}",
     "the value of 'expected' is not permitted"},
    {BEGIN "\"verdict\":\"PASS\"," MIDDLE "\"expected\":1,\"rule\":1}",
     "the value of 'rule' is not permitted"},
    /* Failures whose signatures are not the record's, and values of other types. */
    {BEGIN "\"verdict\":\"FAIL\"," MIDDLE
           "\"expected\":1,\"failures\":[{\"signature\":\"x:y:z:w\",\"cause\":0}]}",
     "the value of 'failures' is not permitted"},
    {BEGIN "\"verdict\":\"FAIL\"," MIDDLE "\"expected\":1,\"failures\":[]}",
     "the value of 'failures' is not permitted"},
    {BEGIN "\"verdict\":\"FAIL\"," MIDDLE "\"expected\":1,\"failures\":[{\"cause\":3}]}",
     "the value of 'failures' is not permitted"},
    /* Attempts without a verdict, with an unknown one, and none at all. */
    {BEGIN "\"verdict\":\"PASS\"," MIDDLE "\"expected\":1,\"attempts\":[{\"seconds\":1}]}",
     "the value of 'attempts' is not permitted"},
    {BEGIN "\"verdict\":\"PASS\"," MIDDLE
           "\"expected\":1,\"attempts\":[{\"verdict\":\"GOOD\",\"seconds\":1}]}",
     "the value of 'attempts' is not permitted"},
    {BEGIN "\"verdict\":\"PASS\"," MIDDLE "\"expected\":1,\"attempts\":[]}",
     "the value of 'attempts' is not permitted"},
    {BEGIN "\"verdict\":\"PASS\"," MIDDLE "\"expected\":1,\"predecessors\":[]}",
     "the value of 'predecessors' is not permitted"},
    {BEGIN "\"verdict\":\"PASS\"," MIDDLE "\"expected\":1,\"predecessors\":[1]}",
     "the value of 'predecessors' is not permitted"},
    {BEGIN "\"verdict\":\"PASS\"," MIDDLE "\"expected\":1,\"reuse\":\"maybe\"}",
     "its key 'reuse' is neither confirmed nor poisoned"},
    {BEGIN "\"verdict\":\"PASS\"," MIDDLE "\"expected\":0}", "observed more than it expected"},
    {BEGIN "\"verdict\":\"XFAIL\"," MIDDLE "\"expected\":1}", "contradicts"},
    {BEGIN "\"verdict\":\"PASS\"," MIDDLE
           "\"expected\":1,\"entry\":\"x.yaml:1\",\"seen\":\"PASS\"}",
     "contradicts"},
    {BEGIN "\"verdict\":\"XPASS\"," MIDDLE
           "\"expected\":1,\"entry\":\"x.yaml:1\",\"seen\":\"XFAIL\"}",
     "contradicts"},
};

static void invalid_records_are_refused(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    for (size_t i = 0; i < sizeof wrong_lines / sizeof *wrong_lines; i++) {
        rt_arena arena = {0};
        cnf_record record;
        rt_status status = cnf_record_read(sink, &arena, rt_text_of(wrong_lines[i].line), &record);
        assert_int_equal(status.code, RT_MALFORMED);
        const char *message = rt_sink_diagnostic(sink, status)->message.data;
        if (!strstr(message, wrong_lines[i].message)) fail_msg("row %zu: %s", i, message);
        rt_arena_reset(&arena);
    }
    rt_sink_destroy(sink);
}

static void a_truncated_last_line_is_ignored(void **state)
{
    (void)state;
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    cnf_record first = failed_make(), second = full_make();
    rt_buffer text = {0};
    cnf_record_write(&text, &first);
    size_t first_size = text.size;
    cnf_record_write(&text, &second);
    cnf_records records;
    for (size_t cut = 0; cut <= text.size; cut++) {
        rt_text content = {text.data, cut};
        assert_true(rt_ok(cnf_records_read(sink, &arena, RT_TEXT("f"), content, &records)));
        assert_int_equal(records.count, cut == text.size ? 2 : cut >= first_size ? 1 : 0);
        assert_int_equal(records.size, cut == text.size ? cut : cut >= first_size ? first_size : 0);
    }
    assert_int_equal(records.items[1].judgement.verdict, CNF_VERDICT_XFAIL_MISMATCH);
    rt_buffer_append_text(&text, RT_TEXT("{}\n"));
    rt_status status =
        cnf_records_read(sink, &arena, RT_TEXT("f"), rt_buffer_text(&text), &records);
    assert_string_equal(rt_sink_diagnostic(sink, status)->message.data,
                        "f:3: not a record: the key 'scenario' is missing");
    rt_buffer_free(&text);
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
}

/* A record of an earlier run is judged by the current expectation files. */
static void an_old_entry_is_forgotten(void **state)
{
    (void)state;
    cnf_expectations none = {0};
    cnf_record record = full_make();
    cnf_record_expect(&record, &none);
    assert_int_equal(record.judgement.verdict, CNF_VERDICT_HANG);
    assert_int_equal(record.known.entry.length, 0);
    cnf_expectations_free(&none);
}

/* ---- The report ---------------------------------------------------------------------------- */

static const cnf_column columns[] = {
    {{"sim", 3}, {0}},
    {{"pocl", 4}, {"apt-get install pocl-opencl-icd", 31}},
    {{"cuda", 4}, {"install a driver", 16}},
};

static void report_fill(cnf_report *report)
{
    cnf_record record = failed_make();
    cnf_report_add(report, &record);
    record = record_make("linking/chain.yaml", "sim", CNF_VERDICT_PASS);
    cnf_report_add(report, &record);
    record = record_make("device/bounds.yaml", "sim", CNF_VERDICT_PASS);
    record.judgement.observed = 1;
    record.judgement.unobserved = &launches;
    record.judgement.unobserved_count = 1;
    cnf_report_add(report, &record);
    record = record_make("device/bounds.yaml", "pocl", CNF_VERDICT_SKIP);
    record.judgement.capability = RT_TEXT("reports-faults");
    record.judgement.answer = RT_TEXT("no");
    record.judgement.message = RT_TEXT("this device does not report findings");
    cnf_report_add(report, &record);
    record = record_make("broken.yaml", "-", CNF_VERDICT_INVALID);
    record.judgement.message = RT_TEXT("broken.yaml:3:4: error: what");
    record.judgement.signature = RT_TEXT("read:scenario:-:-");
    record.judgement.line = 3;
    cnf_report_add(report, &record);
    record = record_make("linking/chain.yaml", "cuda", CNF_VERDICT_UNAVAILABLE);
    record.judgement.message = RT_TEXT("no libcuda.so.1");
    cnf_report_add(report, &record);
    /* The scenario was skipped before the missing driver was searched for. */
    record = record_make("device/bounds.yaml", "cuda", CNF_VERDICT_SKIP);
    record.judgement.capability = RT_TEXT("sycl-compiler");
    record.judgement.answer = RT_TEXT("no");
    cnf_report_add(report, &record);
}

#define GOLDEN_MATRIX                                                                              \
    "scenario            sim       pocl\n"                                                         \
    "broken.yaml         INVALID   INVALID\n"                                                      \
    "device/bounds.yaml  PASS 1/3  SKIP\n"                                                         \
    "linking/chain.yaml  PASS      FAIL\n"                                                         \
    "\n"
#define GOLDEN_NOTES                                                                               \
    "SKIP device/bounds.yaml on pocl: reports-faults: no\n"                                        \
    "PASS 1/3 device/bounds.yaml on sim, unobserved: launches\n"                                   \
    "\n"
#define GOLDEN_REASONS                                                                             \
    "INVALID broken.yaml:3\n"                                                                      \
    "    broken.yaml:3:4: error: what\n"                                                           \
    "  signature: read:scenario:-:-\n"                                                             \
    "  again: assay check broken.yaml\n"                                                           \
    "\n"                                                                                           \
    "FAIL scenarios/linking/chain.yaml:31 on pocl\n"                                               \
    "    data[3]: expected 1,\n"                                                                   \
    "    got \"2\"\n"                                                                              \
    "  signature: step2:memory:differs:data/element-3\n"                                           \
    "  rule: DL-RESOLVE-09\n"                                                                      \
    "  device: basic (PoCL 3.1)\n"                                                                 \
    "  again: assay run scenarios/linking/chain.yaml --on pocl\n"                                  \
    "  why: assay why scenarios/linking/chain.yaml pocl\n"                                         \
    "  to expect it, in pocl.yaml:\n"                                                              \
    "    - scenario: linking/chain.yaml\n"                                                         \
    "      signature: \"step2:memory:differs:data/element-3\"\n"                                   \
    "      class: untriaged\n"                                                                     \
    "      since: 2026-01-31\n"                                                                    \
    "\n"
#define GOLDEN_SKIPS                                                                               \
    "skipped:\n"                                                                                   \
    "     1  pocl: reports-faults: this device does not report findings\n"                         \
    "     1  cuda: sycl-compiler: no\n"                                                            \
    "\n"
#define GOLDEN_COUNTS                                                                              \
    "-: 1 INVALID\n"                                                                               \
    "sim: 2 PASS, 0 SKIP, 0 XFAIL\n"                                                               \
    "pocl: 0 PASS, 1 SKIP, 0 XFAIL, 1 FAIL\n" GOLDEN_MISSING
#define GOLDEN_MISSING                                                                             \
    "cuda: 0 PASS, 1 SKIP, 0 XFAIL, 1 UNAVAILABLE (no libcuda.so.1; to install: install a "        \
    "driver)\n"
#define GOLDEN_ANSWER                                                                              \
    "2 unexpected: 2 as expected, 2 skipped for 2 reasons, 1 on subjects that are not "            \
    "installed, 6 min 58 s\n"

static const struct style_row {
    cnf_report_style style;
    const char *golden;
} style_rows[] = {
    {{.seconds = 418}, GOLDEN_REASONS GOLDEN_SKIPS GOLDEN_COUNTS GOLDEN_ANSWER},
    {{.seconds = 418, .has_matrix = true},
     GOLDEN_MATRIX GOLDEN_NOTES GOLDEN_REASONS GOLDEN_SKIPS GOLDEN_COUNTS GOLDEN_ANSWER},
    {{.seconds = 418, .has_failures_only = true}, GOLDEN_REASONS GOLDEN_ANSWER},
    {{.seconds = 418, .has_failures_only = true, .has_matrix = true},
     "scenario            sim       pocl\n"
     "broken.yaml         INVALID   INVALID\n"
     "linking/chain.yaml  PASS      FAIL\n"
     "\n" GOLDEN_REASONS GOLDEN_ANSWER},
    {{.seconds = 418, .is_brief = true},
     "INVALID broken.yaml\n"
     "FAIL scenarios/linking/chain.yaml on pocl\n" GOLDEN_ANSWER},
    {{.seconds = 418, .is_brief = true, .names_subjects = true},
     "INVALID broken.yaml\n"
     "FAIL scenarios/linking/chain.yaml on pocl\n" GOLDEN_MISSING GOLDEN_ANSWER},
    {{.seconds = 418, .is_brief = true, .slowest = 1},
     "INVALID broken.yaml\n"
     "FAIL scenarios/linking/chain.yaml on pocl\n"
     "slowest:\n"
     "    0.25 s  linking/chain.yaml on pocl\n"
     "\n" GOLDEN_ANSWER},
};

static void the_report_is_as_written_by_hand(void **state)
{
    (void)state;
    cnf_report report = {.began = RT_TEXT("2026-01-31T12:00:00")};
    report_fill(&report);
    for (size_t i = 0; i < sizeof style_rows / sizeof *style_rows; i++) {
        rt_buffer text = {0};
        cnf_report_write(&text, &report, columns, 3, &style_rows[i].style);
        assert_string_equal(rt_buffer_string(&text), style_rows[i].golden);
        rt_buffer_free(&text);
    }
    assert_int_equal(cnf_report_exit_status(&report), 2);
    cnf_report_free(&report);
}

/* Appends the brief report with a matrix, without the line of an answer that nothing is unexpected.
 */
static void matrix_write(rt_buffer *out, const cnf_record *records, uint32_t count,
                         cnf_report_style style)
{
    static const cnf_column wide[] = {
        {{"sim", 3}, {0}}, {{"pocl-source", 11}, {0}}, {{"intel-cpu", 9}, {0}}};
    cnf_report report = {0};
    for (uint32_t i = 0; i < count; i++)
        cnf_report_add(&report, &records[i]);
    style.has_matrix = style.is_brief = true;
    rt_buffer text = {0};
    cnf_report_write(&text, &report, wide, 3, &style);
    const char *end = strstr(rt_buffer_string(&text), "\n0 unexpected");
    rt_buffer_append_text(out, (rt_text){text.data, end ? (size_t)(end - text.data) : text.size});
    rt_buffer_free(&text);
    cnf_report_free(&report);
}

static void colours_separate_trouble_from_the_rest(void **state)
{
    (void)state;
    cnf_record records[] = {
        record_make("a.yaml", "sim", CNF_VERDICT_PASS),
        record_make("a.yaml", "pocl-source", CNF_VERDICT_LINKED),
        record_make("a.yaml", "intel-cpu", CNF_VERDICT_SKIP),
        record_make("b.yaml", "sim", CNF_VERDICT_FAIL),
        record_make("b.yaml", "pocl-source", CNF_VERDICT_UNAVAILABLE),
        record_make("b.yaml", "intel-cpu", CNF_VERDICT_XFAIL),
    };
    records[5].known.entry = RT_TEXT("x.yaml:1");
    rt_buffer text = {0};
    matrix_write(&text, records, 6, (cnf_report_style){.colour = true});
    assert_string_equal(rt_buffer_string(&text),
                        "scenario  sim   pocl-source  intel-cpu\n"
                        "a.yaml    \033[32mPASS\033[0m  \033[32mLINKED\033[0m       "
                        "\033[2mSKIP\033[0m\n"
                        "b.yaml    \033[31mFAIL\033[0m  \033[2mUNAVAILABLE\033[0m  "
                        "\033[33mXFAIL\033[0m\n"
                        "\n"
                        "\033[31mFAIL\033[0m b.yaml on sim\n"
                        "\033[31m1 unexpected\033[0m: 2 as expected, 1 known failure, 1 skipped "
                        "for 1 reason, 1 on subjects that are not installed, 0.0 s\n");
    rt_buffer_free(&text);
}

/* 24 columns for paths and 2 + 4 + 2 + 11 + 2 + 9 for the subjects are 54: a narrower terminal gets
 * the last subject in a second matrix, and a wider one longer paths. */
static void the_matrix_fits_the_terminal(void **state)
{
    (void)state;
    const char *path = "linking/a/long/folder/häuser.yaml"; /* 33 characters */
    const cnf_record records[] = {
        record_make(path, "sim", CNF_VERDICT_PASS),
        record_make(path, "pocl-source", CNF_VERDICT_LINKED),
        record_make(path, "intel-cpu", CNF_VERDICT_PASS),
    };
    static const struct fit_row {
        uint32_t width;
        const char *golden;
    } rows[] = {
        {63, "scenario                           sim   pocl-source  intel-cpu\n"
             "linking/a/long/folder/häuser.yaml  PASS  LINKED       PASS\n"},
        {62, "scenario                          sim   pocl-source  intel-cpu\n"
             "…nking/a/long/folder/häuser.yaml  PASS  LINKED       PASS\n"},
        {54, "scenario                  sim   pocl-source  intel-cpu\n"
             "…long/folder/häuser.yaml  PASS  LINKED       PASS\n"},
        {53, "scenario                  sim   pocl-source\n"
             "…long/folder/häuser.yaml  PASS  LINKED\n"
             "\n"
             "scenario                  intel-cpu\n"
             "…long/folder/häuser.yaml  PASS\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_buffer text = {0};
        matrix_write(&text, records, 3, (cnf_report_style){.width = rows[i].width});
        assert_string_equal(rt_buffer_string(&text), rows[i].golden);
        rt_buffer_free(&text);
    }
}

static void known_failures_are_reported(void **state)
{
    (void)state;
    cnf_report report = {0};
    cnf_expectations expectations = {0};
    report.expectations = &expectations;
    cnf_record record = failed_make();
    record.judgement.verdict = CNF_VERDICT_XFAIL;
    record.known = full_make().known;
    cnf_report_add(&report, &record);
    assert_int_equal(cnf_report_exit_status(&report), 0);
    record.scenario = record.file = RT_TEXT("other.yaml");
    record.judgement.verdict = CNF_VERDICT_XFAIL_MISMATCH;
    cnf_report_add(&report, &record);
    record.scenario = record.file = RT_TEXT("passes.yaml");
    record.judgement = record_make("", "", CNF_VERDICT_XPASS).judgement;
    record.known.seen = CNF_VERDICT_PASS;
    cnf_report_add(&report, &record);
    *rt_vector_push(&expectations.entries) = (cnf_expectation){.file = RT_TEXT("pocl.yaml"),
                                                               .at = {9, 5},
                                                               .subject = RT_TEXT("pocl"),
                                                               .scenario = RT_TEXT("gone.yaml"),
                                                               .state = CNF_ENTRY_UNUSED,
                                                               .note = RT_TEXT("why; remove it")};
    rt_buffer text = {0};
    cnf_report_write(&text, &report, &columns[1], 1,
                     &(cnf_report_style){.has_matrix = true, .seconds = 3661});
    assert_string_equal(
        rt_buffer_string(&text),
        "scenario            pocl\n"
        "linking/chain.yaml  XFAIL\n"
        "other.yaml          XFAIL_MISMATCH\n"
        "passes.yaml         XPASS\n"
        "\n"
        "XFAIL linking/chain.yaml on pocl: permitted divergence, left open by the documents: "
        "Because. (DL-RESOLVE-09, pocl.yaml:4)\n"
        "\n"
        "XFAIL_MISMATCH other.yaml:31 on pocl\n"
        "    data[3]: expected 1,\n"
        "    got \"2\"\n"
        "  signature: step2:memory:differs:data/element-3\n"
        "  expected: a:b:c:d (pocl.yaml:4)\n"
        "  class: permitted divergence, left open by the documents\n"
        "  reason: Because.\n"
        "  reference: DL-RESOLVE-09\n"
        "  rule: DL-RESOLVE-09\n"
        "  device: basic (PoCL 3.1)\n"
        "  again: assay run other.yaml --on pocl\n"
        "  why: assay why other.yaml pocl\n"
        "  to expect it, in pocl.yaml:\n"
        "    - scenario: other.yaml\n"
        "      signature: \"step2:memory:differs:data/element-3\"\n"
        "      class: untriaged\n"
        "\n"
        "XPASS passes.yaml on pocl\n"
        "    it passes; if the fix is permanent, remove the entry, or narrow its pattern\n"
        "  expected: a:b:c:d (pocl.yaml:4)\n"
        "  class: permitted divergence, left open by the documents\n"
        "  reason: Because.\n"
        "  reference: DL-RESOLVE-09\n"
        "  device: basic (PoCL 3.1)\n"
        "  again: assay run passes.yaml --on pocl\n"
        "  why: assay why passes.yaml pocl\n"
        "\n"
        "unused: pocl.yaml:9: gone.yaml on pocl: why; remove it\n"
        "pocl: 0 PASS, 0 SKIP, 1 XFAIL, 1 XPASS, 1 XFAIL_MISMATCH\n"
        "3 unexpected (1 unused entry): 0 as expected, 1 known failure, 1 h 01 min\n");
    rt_buffer_free(&text);
    cnf_report_free(&report);
    cnf_report unused = {.expectations = &expectations};
    record = record_make("a.yaml", "pocl", CNF_VERDICT_PASS);
    cnf_report_add(&unused, &record);
    assert_int_equal(cnf_report_exit_status(&unused), 1);
    cnf_report_free(&unused);
    cnf_expectations_free(&expectations);
}

/* From 2025-12-31 to 2026-03-02 are 1 + 31 + 28 + 1 days. */
static void untriaged_failures_have_an_age(void **state)
{
    (void)state;
    cnf_expectations expectations = {0};
    cnf_report report = {.began = RT_TEXT("2026-03-02T12:00:00"), .expectations = &expectations};
    cnf_record record = failed_make();
    record.judgement.verdict = CNF_VERDICT_XFAIL;
    record.known = full_make().known;
    record.known.class = RT_TEXT("untriaged");
    cnf_report_add(&report, &record);
    static const struct {
        const char *since;
        cnf_entry_state state;
        cnf_class class;
    } entries[] = {
        {"2026-03-02", CNF_ENTRY_JUDGED, CNF_CLASS_UNTRIAGED},
        {"2025-12-31", CNF_ENTRY_JUDGED, CNF_CLASS_UNTRIAGED},
        {"2026-03-02", CNF_ENTRY_JUDGED, CNF_CLASS_UNTRIAGED},
        {"2026-03-02", CNF_ENTRY_NOT_JUDGED, CNF_CLASS_UNTRIAGED},
        {"2024-01-01", CNF_ENTRY_JUDGED, CNF_CLASS_CRASH_OR_HANG},
    };
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        *rt_vector_push(&expectations.entries) =
            (cnf_expectation){.file = RT_TEXT("known/pocl.yaml"),
                              .subject = RT_TEXT("pocl"),
                              .scenario = RT_TEXT("a.yaml"),
                              .since = rt_text_of(entries[i].since),
                              .class = entries[i].class,
                              .state = entries[i].state};
    rt_buffer text = {0};
    cnf_report_write(&text, &report, &columns[1], 1, &(cnf_report_style){.seconds = 1});
    assert_string_equal(rt_buffer_string(&text),
                        "untriaged:\n"
                        "     1  known/pocl.yaml, since 2025-12-31 (61 days)\n"
                        "     2  known/pocl.yaml, since 2026-03-02 (0 days)\n"
                        "\n"
                        "pocl: 0 PASS, 0 SKIP, 1 XFAIL\n"
                        "0 unexpected: 0 as expected, 1 untriaged failure, 1.0 s\n");
    rt_buffer_free(&text);
    cnf_report_free(&report);
    cnf_expectations_free(&expectations);
}

/* A flake does not fail the run, but is listed with its attempts. */
static void flakes_are_listed(void **state)
{
    (void)state;
    cnf_report report = {0};
    cnf_record record = failed_make();
    record.judgement.verdict = CNF_VERDICT_FLAKE;
    record.judgement.attempts = full_attempts;
    record.judgement.attempt_count = 2;
    cnf_report_add(&report, &record);
    rt_buffer text = {0};
    cnf_report_write(&text, &report, &columns[1], 1, &(cnf_report_style){.seconds = 12});
    assert_string_equal(
        rt_buffer_string(&text),
        "FLAKE scenarios/linking/chain.yaml on pocl: step2:memory:differs:data/element-3\n"
        "  attempts: 1 of 2 failed: HANG, PASS\n"
        "\n"
        "pocl: 0 PASS, 0 SKIP, 0 XFAIL, 1 FLAKE\n"
        "0 unexpected: 0 as expected, 1 flaky, 12 s\n");
    assert_int_equal(cnf_report_exit_status(&report), 0);
    rt_buffer_free(&text);
    cnf_report_free(&report);
}

/* One reason may have different words; the first ones are an example. */
static void words_of_a_reason_may_differ(void **state)
{
    (void)state;
    cnf_report report = {0};
    static const char *const words[] = {"the scenario exits", "the scenario never launches"};
    for (size_t i = 0; i < 2; i++) {
        cnf_record record = record_make(i == 0 ? "a.yaml" : "b.yaml", "pocl", CNF_VERDICT_SKIP);
        record.judgement.capability = RT_TEXT("only-on-sim");
        record.judgement.answer = RT_TEXT("yes");
        record.judgement.message = rt_text_of(words[i]);
        cnf_report_add(&report, &record);
    }
    rt_buffer text = {0};
    cnf_report_write(&text, &report, &columns[1], 1, &(cnf_report_style){.seconds = 12});
    assert_string_equal(rt_buffer_string(&text),
                        "skipped:\n"
                        "     2  pocl: only-on-sim, for example: the scenario exits\n"
                        "\n"
                        "pocl: 0 PASS, 2 SKIP, 0 XFAIL\n"
                        "0 unexpected: 0 as expected, 2 skipped for 1 reason, 12 s\n");
    rt_buffer_free(&text);
    cnf_report_free(&report);
}

static int exit_status_of(const cnf_verdict *verdicts, uint32_t count)
{
    cnf_report report = {0};
    for (uint32_t i = 0; i < count; i++) {
        cnf_record record = record_make("a.yaml", "sim", verdicts[i]);
        cnf_report_add(&report, &record);
    }
    int status = cnf_report_exit_status(&report);
    cnf_report_free(&report);
    return status;
}

static void the_worst_record_decides_the_status(void **state)
{
    (void)state;
    const cnf_verdict verdicts[] = {CNF_VERDICT_NOT_RUN, CNF_VERDICT_INVALID,
                                    CNF_VERDICT_FAIL,    CNF_VERDICT_PASS,
                                    CNF_VERDICT_SKIP,    CNF_VERDICT_UNAVAILABLE};
    const int expected[] = {3, 2, 1, 0, 4, 4};
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(exit_status_of(&verdicts[i], 6 - i), expected[i]);
    assert_int_equal(exit_status_of(NULL, 0), 4);
}

/* ---- Progress ------------------------------------------------------------------------------ */

static void progress_names_what_is_unexpected(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    cnf_progress progress = cnf_progress_begin(out, false, 2);
    cnf_record good = record_make("a.yaml", "sim", CNF_VERDICT_PASS), bad = failed_make();
    cnf_progress_add(&progress, &good);
    cnf_progress_add(&progress, &bad);
    cnf_progress_end(&progress);
    assert_string_equal(text, "FAIL linking/chain.yaml on pocl\n");
    progress = cnf_progress_begin(out, true, 1);
    cnf_progress_add(&progress, &good);
    fflush(out);
    assert_non_null(strstr(text, "\r\033[K[  0%] 0/1, 0 unexpected"));
    assert_non_null(strstr(text, "\r\033[K[100%] 1/1, 0 unexpected"));
    fclose(out);
    free(text);
    progress = cnf_progress_begin(NULL, true, 1);
    cnf_progress_begun(&progress, bad.scenario, bad.subject);
    cnf_progress_add(&progress, &bad);
    cnf_progress_end(&progress);
    assert_int_equal(progress.unexpected, 1);
}

static void progress_shows_what_runs_and_how_long(void **state)
{
    (void)state;
    static const struct line_row {
        double passed_ms;
        uint32_t done, width;
        const char *line;
    } rows[] = {
        {500, 5, 80, "[ 10%] 5/50, 1 unexpected: a.yaml on sim, ä.yaml on sim"},
        {12000, 20, 80, "[ 40%] 20/50, 1 unexpected, 0:18 left: a.yaml on sim, ä.yaml on sim"},
        {75000, 25, 30, "[ 50%] 25/50, 1 unexpected, 1:"},
        {500, 5, 42, "[ 10%] 5/50, 1 unexpected: a.yaml on sim, "}, /* no truncated character */
        {9000, 50, 80, "[100%] 50/50, 1 unexpected: a.yaml on sim, ä.yaml on sim"},
        {9000, 0, 80, "[  0%] 0/50, 1 unexpected: a.yaml on sim, ä.yaml on sim"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cnf_progress progress = {.done = rows[i].done, .total = 50, .unexpected = 1};
        cnf_progress_begun(&progress, RT_TEXT("a.yaml"), RT_TEXT("sim"));
        cnf_progress_begun(&progress, RT_TEXT("ä.yaml"), RT_TEXT("sim"));
        rt_buffer line = {0};
        cnf_progress_line(&progress, rows[i].passed_ms, rows[i].width, &line);
        assert_string_equal(rt_buffer_string(&line), rows[i].line);
        rt_buffer_free(&line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_is_one_line),
        cmocka_unit_test(any_bytes_make_valid_json),
        cmocka_unit_test(records_are_appended),
        cmocka_unit_test(every_member_is_read_back),
        cmocka_unit_test(invalid_records_are_refused),
        cmocka_unit_test(a_truncated_last_line_is_ignored),
        cmocka_unit_test(an_old_entry_is_forgotten),
        cmocka_unit_test(the_report_is_as_written_by_hand),
        cmocka_unit_test(colours_separate_trouble_from_the_rest),
        cmocka_unit_test(the_matrix_fits_the_terminal),
        cmocka_unit_test(known_failures_are_reported),
        cmocka_unit_test(untriaged_failures_have_an_age),
        cmocka_unit_test(flakes_are_listed),
        cmocka_unit_test(words_of_a_reason_may_differ),
        cmocka_unit_test(the_worst_record_decides_the_status),
        cmocka_unit_test(progress_names_what_is_unexpected),
        cmocka_unit_test(progress_shows_what_runs_and_how_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
