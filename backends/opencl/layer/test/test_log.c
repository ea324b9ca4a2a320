/* The reader of the layer's log: accepted and refused input. */
#include "backends/opencl/layer/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define LAYER "70 0 0 < layer version=1 hides= result=0\n"

typedef struct reading {
    rt_sink *sink;
    rt_arena arena;
    ocl_call_log log;
    rt_status status;
} reading;

static reading read_text(rt_text text, bool is_tail)
{
    reading read = {.sink = rt_sink_create()};
    read.status = ocl_call_log_read(read.sink, &read.arena, text, is_tail, &read.log);
    return read;
}

static reading read_whole(const char *text)
{
    return read_text(rt_text_of(text), false);
}

static void read_end(reading *read)
{
    rt_arena_reset(&read->arena);
    rt_sink_destroy(read->sink);
}

static void assert_text(rt_text text, const char *expected)
{
    if (!rt_text_is(text, expected))
        fail_msg("'%.*s' instead of '%s'", RT_TEXT_ARG(text), expected);
}

static void assert_printed(const ocl_call *call, const char *expected)
{
    rt_buffer text = {0};
    ocl_call_print(&text, call);
    assert_string_equal(rt_buffer_string(&text), expected);
    rt_buffer_free(&text);
}

static void refuse(const char *text, const char *part)
{
    reading read = read_whole(text);
    assert_int_equal(read.status.code, RT_MALFORMED);
    rt_text message = rt_sink_diagnostic(read.sink, read.status)->message;
    rt_buffer terminated = {0};
    rt_buffer_append_text(&terminated, message);
    if (!strstr(rt_buffer_string(&terminated), part))
        fail_msg("'%s' lacks '%s'", rt_buffer_string(&terminated), part);
    rt_buffer_free(&terminated);
    read_end(&read);
}

static void an_empty_log_has_no_layer(void **state)
{
    (void)state;
    reading read = read_whole("");
    assert_true(rt_ok(read.status));
    assert_int_equal(read.log.process_count, 0);
    assert_int_equal(read.log.call_count, 0);
    read_end(&read);
}

static void fields_are_read_as_they_were(void **state)
{
    (void)state;
    reading read =
        read_whole(LAYER "70 1 2 < clBuildProgram program=3 devices=0,? "
                         "options=-x%20spir%2c%25 empty= none=- hyphen=%2d result=-11\n");
    assert_true(rt_ok(read.status));
    assert_int_equal(read.log.process_count, 1);
    assert_int_equal(read.log.call_count, 1);
    const ocl_call *call = &read.log.calls[0];
    assert_text(call->name, "clBuildProgram");
    assert_int_equal(call->process, 0);
    assert_int_equal(call->thread, 2);
    assert_true(call->returned);
    assert_int_equal(call->result, -11);
    assert_text(ocl_call_text(call, "options"), "-x spir,%");
    assert_text(ocl_call_text(call, "hyphen"), "-");
    assert_int_equal(ocl_call_text(call, "none").length, 0);
    assert_int_equal(ocl_call_text(call, "absent").length, 0);
    uint64_t number;
    assert_true(ocl_call_number(call, "program", &number));
    assert_int_equal(number, 3);
    assert_false(ocl_call_number(call, "options", &number));
    const uint64_t *numbers;
    uint32_t count;
    assert_true(ocl_call_numbers(&read.arena, call, "devices", &numbers, &count));
    assert_int_equal(count, 2);
    assert_int_equal(numbers[0], 0);
    assert_true(numbers[1] == UINT64_MAX);
    assert_false(ocl_call_numbers(&read.arena, call, "options", &numbers, &count));
    assert_false(ocl_call_numbers(&read.arena, call, "none", &numbers, &count));
    assert_printed(call, "clBuildProgram program 3 devices 0,? options -x spir,% empty  none - "
                         "hyphen -: -11");
    read_end(&read);
}

static void code_is_a_hash_and_a_size(void **state)
{
    (void)state;
    reading read = read_whole(LAYER "70 1 0 < clCreateProgramWithIL code=00ff:48 made=0 result=0\n"
                                    "70 2 0 < clCreateProgramWithIL code=- made=- result=-30\n"
                                    "70 3 0 < clCreateProgramWithIL code=00ff:x made=- result=0\n");
    assert_true(rt_ok(read.status));
    rt_text hash;
    uint64_t size;
    assert_true(ocl_call_code(&read.log.calls[0], &hash, &size));
    assert_text(hash, "00ff");
    assert_int_equal(size, 48);
    assert_false(ocl_call_code(&read.log.calls[1], &hash, &size));
    assert_false(ocl_call_code(&read.log.calls[2], &hash, &size));
    read_end(&read);
}

/* A call of thread 1 returns while thread 0 waits in another, which also returns; a third call does
 * not. */
static void an_announced_call_gives_way_to_its_return(void **state)
{
    (void)state;
    reading read = read_whole(LAYER "70 1 0 > clFinish queue=0\n"
                                    "70 2 1 > clLinkProgram inputs=0,1\n"
                                    "70 3 1 < clFlush queue=0 result=0\n"
                                    "70 1 0 < clFinish queue=0 result=0\n");
    assert_true(rt_ok(read.status));
    assert_int_equal(read.log.call_count, 3);
    assert_text(read.log.calls[0].name, "clFlush");
    assert_text(read.log.calls[1].name, "clFinish");
    assert_true(read.log.calls[1].returned);
    assert_text(read.log.calls[2].name, "clLinkProgram");
    assert_false(read.log.calls[2].returned);
    assert_printed(&read.log.calls[2], "clLinkProgram inputs 0,1: has not returned");
    read_end(&read);
}

/* The same call number in two processes denotes two calls. */
static void processes_are_told_apart(void **state)
{
    (void)state;
    reading read = read_whole(LAYER "9 0 0 < layer version=1 hides=fp64 result=0\n"
                                    "70 1 0 > clFinish queue=0\n"
                                    "9 1 0 < clFinish queue=0 result=0\n");
    assert_true(rt_ok(read.status));
    assert_int_equal(read.log.process_count, 2);
    assert_int_equal(read.log.call_count, 2);
    assert_int_equal(read.log.calls[0].process, 1);
    assert_int_equal(read.log.calls[1].process, 0);
    assert_false(read.log.calls[1].returned);
    read_end(&read);
}

/* A log truncated at any byte is read up to that byte and never refused. */
static void a_log_may_be_cut_at_any_byte(void **state)
{
    (void)state;
    static const char whole[] = LAYER "70 1 0 > clFinish queue=0\n"
                                      "70 1 0 < clFinish queue=0 result=0\n";
    size_t first = sizeof LAYER - 1, second = first + strlen("70 1 0 > clFinish queue=0\n");
    for (size_t size = 0; size < sizeof whole; size++) {
        reading read = read_text((rt_text){whole, size}, false);
        assert_true(rt_ok(read.status));
        assert_int_equal(read.log.process_count, size >= first);
        assert_int_equal(read.log.call_count, size >= second);
        if (size >= second) assert_int_equal(read.log.calls[0].returned, size == sizeof whole - 1);
        bool at_end = size == 0 || size == first || size == second || size == sizeof whole - 1;
        assert_int_equal(read.log.is_cut, !at_end);
        read_end(&read);
    }
}

static void a_tail_begins_behind_its_first_line(void **state)
{
    (void)state;
    reading read =
        read_text(RT_TEXT("queue=0 result=0\n70 8 0 < clFlush queue=0 result=0\n"), true);
    assert_true(rt_ok(read.status));
    assert_int_equal(read.log.call_count, 1);
    assert_int_equal(read.log.process_count, 0);
    read_end(&read);
}

static void a_full_log_says_so(void **state)
{
    (void)state;
    reading read = read_whole(LAYER "70 1 0 < full\n");
    assert_true(rt_ok(read.status));
    assert_true(read.log.is_full);
    assert_int_equal(read.log.call_count, 0);
    read_end(&read);
}

static void a_line_that_is_not_a_record_is_refused(void **state)
{
    (void)state;
    refuse("hello\n", "line 1 of the OpenCL layer's log is not a record: it does not begin with");
    refuse("\n", "line 1");
    refuse(LAYER "70 1 0 = clFlush result=0\n", "line 2");
    refuse(LAYER "70 -1 0 < clFlush result=0\n", "does not begin with PROCESS");
    refuse(LAYER "70 4294967295 0 < clFlush result=0\n", "does not begin with PROCESS");
    refuse(LAYER "99999999999999999999 1 0 < clFlush result=0\n", "does not begin with PROCESS");
    refuse(LAYER "70 1 0 < clFlush  result=0\n", "a field is empty");
    refuse(LAYER "70 1 0 < clFlush queue result=0\n", "not KEY=VALUE");
    refuse(LAYER "70 1 0 < clFlush =1 result=0\n", "not KEY=VALUE");
    refuse(LAYER "70 1 0 < clFlush name=%4 result=0\n",
           "'%' in a value is not followed by two hexadecimal digits");
    refuse(LAYER "70 1 0 < clFlush name=%zz result=0\n",
           "'%' in a value is not followed by two hexadecimal digits");
}

static void results_are_checked(void **state)
{
    (void)state;
    refuse(LAYER "70 1 0 < clFlush queue=0\n", "has no valid result");
    refuse(LAYER "70 1 0 < clFlush result=zero\n", "has no valid result");
    refuse(LAYER "70 1 0 < clFlush result=2147483648\n", "has no valid result");
    refuse(LAYER "70 1 0 < clFlush result=-\n", "has no valid result");
}

static void other_versions_are_refused(void **state)
{
    (void)state;
    refuse("70 0 0 < layer version=2 hides= result=0\n", "a different version");
    refuse("70 0 0 < layer hides= result=0\n", "a different version");
    refuse("70 1 0 < clFlush queue=0 result=0\n", "no earlier record of the layer");
}

/* Values come from another process: characters that a terminal would interpret are not printed. */
static void printing_shows_no_control_characters(void **state)
{
    (void)state;
    reading read = read_whole(LAYER "70 1 0 < clCreateKernel name=a%1b[31m%0a result=0\n");
    assert_true(rt_ok(read.status));
    assert_printed(&read.log.calls[0], "clCreateKernel name a\\x1b[31m\\x0a");
    read_end(&read);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_log_has_no_layer),
        cmocka_unit_test(fields_are_read_as_they_were),
        cmocka_unit_test(code_is_a_hash_and_a_size),
        cmocka_unit_test(an_announced_call_gives_way_to_its_return),
        cmocka_unit_test(processes_are_told_apart),
        cmocka_unit_test(a_log_may_be_cut_at_any_byte),
        cmocka_unit_test(a_tail_begins_behind_its_first_line),
        cmocka_unit_test(a_full_log_says_so),
        cmocka_unit_test(a_line_that_is_not_a_record_is_refused),
        cmocka_unit_test(results_are_checked),
        cmocka_unit_test(other_versions_are_refused),
        cmocka_unit_test(printing_shows_no_control_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
