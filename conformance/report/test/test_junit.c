/* Tests of the JUnit XML, which Python's parser reads back. */
#include "conformance/report/junit.h"
#include "conformance/report/output.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const cnf_column columns[] = {{{"sim", 3}, {0}}, {{"pocl", 4}, {0}}};

static cnf_record record_make(const char *scenario, const char *subject, cnf_verdict verdict)
{
    rt_text path = rt_text_of(scenario);
    return (cnf_record){
        .scenario = path,
        .file = path,
        .subject = rt_text_of(subject),
        .host = RT_TEXT("node & 1"),
        .seconds = 0.25,
        .judgement = {.verdict = verdict, .step = SCN_NONE, .expected = 3, .observed = 3}};
}

static void junit_print(cnf_report *report, rt_buffer *out)
{
    cnf_junit_write(out, report, columns, 2);
}

static const char golden[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<testsuites name=\"assay\" tests=\"5\" failures=\"2\" errors=\"1\" skipped=\"1\" "
    "time=\"1.250000\">\n"
    " <testsuite name=\"sim\" hostname=\"node &amp; 1\" timestamp=\"2026-01-31T12:00:00\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\" "
    "time=\"0.250000\">\n"
    "  <testcase name=\"bounds.yaml\" classname=\"device\" file=\"device/bounds.yaml\" time=\"0.250000\"/>\n"
    " </testsuite>\n"
    " <testsuite name=\"pocl\" timestamp=\"2026-01-31T12:00:00\" tests=\"3\" failures=\"2\" errors=\"0\" skipped=\"1\" "
    "time=\"0.750000\">\n"
    "  <testcase name=\"bounds.yaml\" classname=\"device\" file=\"device/bounds.yaml\" time=\"0.250000\">\n"
    "   <skipped message=\"SKIP, reports-faults: no\"/>\n"
    "   <system-out>host: node &amp; 1\n"
    "again: assay run device/bounds.yaml --on pocl\n"
    "</system-out>\n"
    "  </testcase>\n"
    "  <testcase name=\"runaway.yaml\" classname=\"device\" file=\"device/runaway.yaml\" time=\"0.250000\">\n"
    "   <failure message=\"XPASS: PASS, but x.yaml:4 expects TIMEOUT\" type=\"XPASS\"/>\n"
    "   <system-out>host: node-2\n"
    "again: assay run device/runaway.yaml --on pocl\n"
    "</system-out>\n"
    "  </testcase>\n"
    "  <testcase name=\"chain.yaml\" classname=\"linking/deep\" "
    "file=\"linking/deep/chain.yaml\" line=\"31\" time=\"0.250000\">\n"
    "   <failure message=\"FAIL step2:memory:differs:data/element-3\" type=\"FAIL\">data[3]: expected 1 "
    "&lt; 2,\n"
    "got &quot;2&quot;</failure>\n"
    "   <system-out>rule: DL-RESOLVE-09\n"
    "device: basic (PoCL 3.1)\n"
    "host: node &amp; 1\n"
    "again: assay run linking/deep/chain.yaml --on pocl\n"
    "</system-out>\n"
    "  </testcase>\n"
    " </testsuite>\n"
    " <testsuite name=\"scenarios\" hostname=\"node &amp; 1\" timestamp=\"2026-01-31T12:00:00\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\" "
    "time=\"0.250000\">\n"
    "  <testcase name=\"broken.yaml\" classname=\".\" file=\"broken.yaml\" time=\"0.250000\">\n"
    "   <error message=\"INVALID read:scenario:-:-\" type=\"INVALID\">broken.yaml:3:4: error: "
    "what</error>\n"
    "  </testcase>\n"
    " </testsuite>\n"
    "</testsuites>\n";

static void the_document_is_as_written_by_hand(void **state)
{
    (void)state;
    cnf_report report = {.began = RT_TEXT("2026-01-31T12:00:00")};
    cnf_record record = record_make("linking/deep/chain.yaml", "pocl", CNF_VERDICT_FAIL);
    record.judgement.signature = RT_TEXT("step2:memory:differs:data/element-3");
    record.judgement.message = RT_TEXT("data[3]: expected 1 < 2,\ngot \"2\"");
    record.judgement.rule = RT_TEXT("DL-RESOLVE-09");
    record.judgement.line = 31;
    record.device = RT_TEXT("basic");
    record.driver = RT_TEXT("PoCL 3.1");
    cnf_report_add(&report, &record);
    record = record_make("device/bounds.yaml", "sim", CNF_VERDICT_PASS);
    cnf_report_add(&report, &record);
    record = record_make("device/bounds.yaml", "pocl", CNF_VERDICT_SKIP);
    record.judgement.capability = RT_TEXT("reports-faults");
    record.judgement.answer = RT_TEXT("no");
    cnf_report_add(&report, &record);
    record = record_make("device/runaway.yaml", "pocl", CNF_VERDICT_XPASS);
    record.host = RT_TEXT("node-2"); /* as after assay merge */
    record.known.entry = RT_TEXT("x.yaml:4");
    record.known.failure = RT_TEXT("TIMEOUT");
    cnf_report_add(&report, &record);
    record = record_make("broken.yaml", "-", CNF_VERDICT_INVALID);
    record.judgement.signature = RT_TEXT("read:scenario:-:-");
    record.judgement.message = RT_TEXT("broken.yaml:3:4: error: what");
    cnf_report_add(&report, &record);
    rt_buffer text = {0};
    junit_print(&report, &text);
    assert_string_equal(rt_buffer_string(&text), golden);
    rt_buffer_free(&text);
    cnf_report_free(&report);
}

/* The element of each verdict, as the header lists them. */
static const struct outcome_row {
    cnf_verdict verdict;
    const char *signature;
    const char *element; /* NULL: none */
} outcome_rows[] = {
    {CNF_VERDICT_PASS, "", NULL},
    {CNF_VERDICT_LINKED, "", NULL},
    {CNF_VERDICT_SKIP, "", "<skipped "},
    {CNF_VERDICT_XFAIL, "a:b:c:d", "<skipped "},
    {CNF_VERDICT_UNAVAILABLE, "", "<skipped "},
    {CNF_VERDICT_UNAVAILABLE, "compile:tool:-:-", "<error "},
    {CNF_VERDICT_FAIL, "a:b:c:d", "<failure "},
    {CNF_VERDICT_CRASH, "a:b:c:d", "<failure "},
    {CNF_VERDICT_TIMEOUT, "a:b:c:d", "<failure "},
    {CNF_VERDICT_HANG, "a:b:c:d", "<failure "},
    {CNF_VERDICT_POISONED, "a:b:c:d", "<failure "},
    {CNF_VERDICT_XPASS, "", "<failure "},
    {CNF_VERDICT_XFAIL_MISMATCH, "a:b:c:d", "<failure "},
    {CNF_VERDICT_INVALID, "a:b:c:d", "<error "},
    {CNF_VERDICT_NOT_RUN, "a:b:c:d", "<error "},
};

static void every_verdict_has_its_element(void **state)
{
    (void)state;
    static const char *const elements[] = {"<skipped ", "<failure ", "<error "};
    for (size_t i = 0; i < sizeof outcome_rows / sizeof *outcome_rows; i++) {
        cnf_report report = {0};
        cnf_record record = record_make("a/b.yaml", "sim", outcome_rows[i].verdict);
        record.judgement.signature = rt_text_of(outcome_rows[i].signature);
        cnf_report_add(&report, &record);
        rt_buffer text = {0};
        junit_print(&report, &text);
        for (size_t k = 0; k < 3; k++) {
            bool is_expected =
                outcome_rows[i].element && strcmp(outcome_rows[i].element, elements[k]) == 0;
            if (!strstr(rt_buffer_string(&text), elements[k]) != !is_expected)
                fail_msg("row %zu: %s", i, rt_buffer_string(&text));
        }
        rt_buffer_free(&text);
        cnf_report_free(&report);
    }
}

/* Returns the text of the only record's failure. */
static rt_text message_of(rt_arena *arena, const rt_buffer *document)
{
    static const char program[] =
        "import sys, xml.etree.ElementTree as tree\n"
        "text = tree.parse(sys.argv[1]).getroot().find('.//failure').text\n"
        "sys.stdout.buffer.write(text.encode())\n";
    char name[] = "/tmp/assay-junit-XXXXXX", command[512];
    int file = mkstemp(name);
    assert_true(file >= 0);
    assert_int_equal(write(file, document->data, document->size), document->size);
    close(file);
    snprintf(command, sizeof command, "python3 -c \"%s\" %s", program, name);
    FILE *output = popen(command, "r"); /* NOLINT(cert-env33-c) */
    assert_non_null(output);
    rt_buffer text = {0};
    for (int byte = fgetc(output); byte != EOF; byte = fgetc(output))
        rt_buffer_append_byte(&text, (char)byte);
    int status = pclose(output);
    unlink(name);
    if (status != 0) fail_msg("not well-formed: %s", rt_buffer_string(document));
    rt_text content = rt_arena_text(arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
    return content;
}

#define U "\xEF\xBF\xBD" /* U+FFFD */

static const struct text_row {
    const char *message;
    size_t length;
    const char *read;
} text_rows[] = {
#define TEXT_ROW(message, read)                                                                    \
    {                                                                                              \
        message, sizeof(message) - 1, read                                                         \
    }
    TEXT_ROW("<![CDATA[ & ]]> \" '", "<![CDATA[ & ]]> \" '"),
    TEXT_ROW("a\0b\x01\x1f\x7f\t.", "a" U "b" U U "\x7f\t."),
    TEXT_ROW("g\xc3\xbc \xf0\x9f\x98\x80 \xe2\x82\xac", "g\xc3\xbc \xf0\x9f\x98\x80 \xe2\x82\xac"),
    /* A lone lead byte, an overlong form, a surrogate, U+FFFE, a code point past the last, a
     * truncated character: one replacement for each maximal part that could have begun a character.
     */
    TEXT_ROW("\xff\xc3 \xc0\x80 \xed\xa0\x80 \xef\xbf\xbe \xf4\x90\x80\x80 \xe2\x82",
             U U " " U U " " U U U " " U " " U U U U " " U),
#undef U
};

static void any_bytes_make_valid_xml(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof text_rows / sizeof *text_rows; i++) {
        rt_arena arena = {0};
        cnf_report report = {0};
        cnf_record record = record_make("a.yaml", "sim", CNF_VERDICT_CRASH);
        record.judgement.message = (rt_text){text_rows[i].message, text_rows[i].length};
        record.judgement.signature = record.judgement.message; /* is written into an attribute */
        cnf_report_add(&report, &record);
        rt_buffer text = {0};
        junit_print(&report, &text);
        rt_text read = message_of(&arena, &text);
        if (!rt_text_is(read, text_rows[i].read)) fail_msg("row %zu: %s", i, read.data);
        rt_buffer_free(&text);
        cnf_report_free(&report);
        rt_arena_reset(&arena);
    }
}

/* A case that became as expected when it was tried again passes, and says so. */
static void a_flake_is_told(void **state)
{
    (void)state;
    static const cnf_attempt attempts[] = {{.verdict = CNF_VERDICT_FAIL},
                                           {.verdict = CNF_VERDICT_PASS}};
    cnf_report report = {0};
    cnf_record record = record_make("a.yaml", "pocl", CNF_VERDICT_FLAKE);
    record.judgement.signature = RT_TEXT("step2:memory:differs:data/element-3");
    record.judgement.attempts = attempts;
    record.judgement.attempt_count = 2;
    cnf_report_add(&report, &record);
    rt_buffer text = {0};
    junit_print(&report, &text);
    const char *written = rt_buffer_string(&text);
    assert_non_null(strstr(written, "<system-out>FLAKE: step2:memory:differs:data/element-3\n"
                                    "  attempts: 1 of 2 failed: FAIL, PASS\n"));
    assert_null(strstr(written, "<failure"));
    rt_buffer_free(&text);
    cnf_report_free(&report);
}

/* Every byte value, alone and after bytes that begin characters. */
static void all_bytes_make_valid_xml(void **state)
{
    (void)state;
    static const uint8_t leads[] = {0x00, 'a', 0x80, 0xc3, 0xe0, 0xed, 0xf0, 0xf4};
    rt_buffer bytes = {0};
    for (size_t i = 0; i < sizeof leads; i++) {
        for (int byte = 0; byte < 256; byte++) {
            rt_buffer_append_byte(&bytes, (char)leads[i]);
            rt_buffer_append_byte(&bytes, (char)byte);
        }
    }
    rt_arena arena = {0};
    cnf_report report = {0};
    cnf_record record = record_make("a.yaml", "sim", CNF_VERDICT_FAIL);
    record.judgement.message = record.judgement.signature = rt_buffer_text(&bytes);
    cnf_report_add(&report, &record);
    rt_buffer text = {0};
    junit_print(&report, &text);
    assert_true(message_of(&arena, &text).length > 0);
    rt_buffer_free(&text);
    rt_buffer_free(&bytes);
    cnf_report_free(&report);
    rt_arena_reset(&arena);
}

/* ---- Files --------------------------------------------------------------------------------- */

static void assert_content(const char *name, const char *expected)
{
    char content[64] = {0};
    int file = open(name, O_RDONLY);
    assert_true(file >= 0);
    assert_int_equal(read(file, content, sizeof content - 1), strlen(expected));
    close(file);
    assert_string_equal(content, expected);
}

static void a_file_is_replaced_atomically(void **state)
{
    (void)state;
    char folder[] = "/tmp/assay-output-XXXXXX", name[64], missing[64];
    assert_non_null(mkdtemp(folder));
    snprintf(name, sizeof name, "%s/out.xml", folder);
    snprintf(missing, sizeof missing, "%s/none/out.xml", folder);
    assert_int_equal(cnf_file_replace(name, RT_TEXT("first")), 0);
    assert_content(name, "first");
    assert_int_equal(chmod(name, 0640), 0);
    int old = open(name, O_RDONLY);
    assert_int_equal(cnf_file_replace(name, RT_TEXT("second")), 0);
    assert_content(name, "second");
    struct stat info;
    assert_int_equal(stat(name, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0640);
    char content[8] = {0};
    assert_int_equal(read(old, content, 7), 5); /* a process that has the file open still reads the
                                                 * old contents */
    close(old);
    /* A link is kept, and leads to the new contents. */
    char link[64];
    snprintf(link, sizeof link, "%s/link", folder);
    assert_int_equal(symlink(name, link), 0);
    assert_int_equal(cnf_file_replace(link, RT_TEXT("third")), 0);
    assert_content(name, "third");
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(unlink(link), 0);
    assert_int_equal(cnf_file_replace(missing, RT_TEXT("x")), 2 /* ENOENT */);
    assert_int_equal(cnf_file_replace("/dev/full", RT_TEXT("x")), 28 /* ENOSPC */);
    assert_int_equal(stat("/dev/full", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
    assert_int_equal(unlink(name), 0);
    assert_int_equal(rmdir(folder), 0); /* no temporary file is left */
}

/* If stdout is this regular file, it is written to in place; neither it nor a link to it is
 * replaced. */
static void the_standard_output_is_written_in_place(void **state)
{
    (void)state;
    char name[] = "/tmp/assay-output-XXXXXX";
    int file = mkstemp(name), copy = dup(STDOUT_FILENO);
    assert_true(file >= 0 && copy >= 0);
    fflush(stdout);
    dup2(file, STDOUT_FILENO);
    ssize_t before = write(STDOUT_FILENO, "before ", 7);
    int error = cnf_file_replace(name, RT_TEXT("after"));
    dup2(copy, STDOUT_FILENO);
    close(copy);
    close(file);
    assert_int_equal(before, 7);
    assert_int_equal(error, 0);
    assert_content(name, "before after");
    unlink(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_document_is_as_written_by_hand),
        cmocka_unit_test(every_verdict_has_its_element),
        cmocka_unit_test(any_bytes_make_valid_xml),
        cmocka_unit_test(a_flake_is_told),
        cmocka_unit_test(all_bytes_make_valid_xml),
        cmocka_unit_test(a_file_is_replaced_atomically),
        cmocka_unit_test(the_standard_output_is_written_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
