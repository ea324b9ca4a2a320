/* The reader of recordings, with logs written by hand: launches and what they wait for, and records
 * that are incomplete or contradict each other. */
#include "conformance/tools/capture/capture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define HASH_A "00000000000000000000000000000001"
#define HASH_B "00000000000000000000000000000002"
#define HASH_C "00000000000000000000000000000003"

/* A context, a queue out of order, a program and two buffers, of which nothing has written the
 * second. */
#define BEGIN                                                                                      \
    "9 0 0 < layer version=1 hides= result=0\n"                                                    \
    "9 1 0 < clCreateCommandQueueWithProperties context=0 device=0 properties=1 "                  \
    "device_name=D driver=1 made=0 result=0\n"                                                     \
    "9 2 0 < clCreateProgramWithSource context=0 code=" HASH_A ":10 made=0 result=0\n"             \
    "9 3 0 < clBuildProgram program=0 devices=0 options=-DA=1%20-I%20x%20-fast result=0\n"         \
    "9 4 0 < clCreateBuffer context=0 flags=32 size=16 made=0 result=0\n"                          \
    "9 5 0 < clCreateBuffer context=0 flags=1 size=16 made=1 result=0\n"

#define LAUNCH(number, fields)                                                                     \
    "9 " number " 0 < clEnqueueNDRangeKernel queue=0 kernel=0 name=k launch=" number               \
    " program=0 " fields " dimensions=1 global=4 local=- offset=- waits_for=0"

#define BOTH  "args=m0,m1,v2a000000,l64,n before=m0:" HASH_A ":16,m1:" HASH_B ":16"
#define AFTER " after=m0:" HASH_A ":16,m1:" HASH_C ":16 result=0\n"

typedef struct reading {
    rt_sink *sink;
    rt_arena arena;
    cap_recording recording;
    rt_status status;
} reading;

static reading read_log(const char *log)
{
    reading read = {.sink = rt_sink_create()};
    read.status = cap_recording_read(read.sink, &read.arena, rt_text_of(log), RT_TEXT("folder"),
                                     &read.recording);
    return read;
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

static void a_launch_has_its_parts(void **state)
{
    (void)state;
    reading read = read_log(BEGIN LAUNCH("6", BOTH) AFTER);
    assert_true(rt_ok(read.status));
    assert_int_equal(read.recording.command_count, 1);
    const cap_command *launch = &read.recording.commands[0];
    assert_text(launch->loss, "");
    assert_text(launch->kernel, "k");
    assert_text(launch->device, "D, driver 1");
    assert_true(launch->has_ended);
    assert_int_equal(launch->dimensions, 1);
    assert_int_equal(launch->range[0], 4);
    assert_false(launch->has_local);
    assert_false(launch->queue.is_in_order);
    const cap_program *program = launch->program;
    assert_int_equal(program->source_count, 1);
    assert_text(program->sources[0].file, "folder/" HASH_A ".bin");
    assert_text(program->options, "-DA=1");
    assert_text(program->dropped, "-fast");
    assert_int_equal(program->folder_count, 1);
    assert_text(program->folders[0], "x");
    assert_int_equal(launch->memory_count, 2);
    assert_false(launch->memories[0].is_changed || launch->memories[0].is_undefined);
    assert_true(launch->memories[1].is_changed && launch->memories[1].is_undefined);
    assert_text(launch->memories[1].after, "folder/" HASH_C ".bin");
    assert_int_equal(launch->argument_count, 5);
    assert_int_equal(launch->arguments[1].memory, 1);
    assert_int_equal(launch->arguments[2].value.data[0], 42);
    assert_int_equal(launch->arguments[3].size, 64);
    assert_int_equal(launch->arguments[4].kind, CAP_NULL);
    read_end(&read);
}

/* A launch that has not returned is one without results. */
static void a_launch_may_not_end(void **state)
{
    (void)state;
    reading read = read_log(
        BEGIN "9 6 0 > clEnqueueNDRangeKernel queue=0 kernel=0 name=k launch=0 program=0 " BOTH
              " dimensions=1 global=4 local=- offset=- waits_for=0\n");
    assert_int_equal(read.recording.command_count, 1);
    assert_text(read.recording.commands[0].loss, "");
    assert_false(read.recording.commands[0].has_ended);
    assert_false(read.recording.commands[0].memories[1].is_changed);
    read_end(&read);
}

/* The last launch waits for the second, which the marker stands for, and so for the first; the
 * third waits for none. */
static void launches_wait_for_events(void **state)
{
    (void)state;
    reading read = read_log(BEGIN LAUNCH("6", BOTH) " event=0" AFTER LAUNCH(
        "7",
        BOTH) " wait=0 event=1" AFTER
              "9 8 0 < clEnqueueMarkerWithWaitList queue=0 waits_for=1 wait=1 event=2 result=0\n" LAUNCH(
                  "9", BOTH) AFTER LAUNCH("10", BOTH) " wait=0,2" AFTER
                                                      "9 11 0 < clFinish queue=0 result=0\n" LAUNCH(
                                                          "12", BOTH) AFTER);
    assert_true(rt_ok(read.status));
    assert_int_equal(read.recording.command_count, 5);
    const cap_command *launches = read.recording.commands;
    assert_int_equal(launches[0].after_count, 0);
    assert_int_equal(launches[1].after_count, 1);
    assert_int_equal(launches[1].after[0], 0);
    assert_int_equal(launches[2].after_count, 0);
    assert_int_equal(launches[3].after_count, 1);
    assert_int_equal(launches[3].after[0], 1);
    /* The host has waited for the third and the fourth. */
    assert_int_equal(launches[4].after_count, 2);
    assert_int_equal(launches[4].after[0] + launches[4].after[1], 2 + 3);
    read_end(&read);
}

/* What is between launches: a fill by event, a store that blocks, a copy between blocks; nothing
 * before the first. */
static void commands_are_between_launches(void **state)
{
    (void)state;
    reading read = read_log(
        BEGIN
        "9 6 0 < clEnqueueFillBuffer queue=0 waits_for=0 memory=0 offset=0 size=4 pattern_size=1 pattern=00 event=9 "
        "result=0\n" LAUNCH(
            "7",
            BOTH) " wait=9 event=0" AFTER
                  "9 8 0 < clEnqueueFillBuffer queue=0 waits_for=1 memory=1 offset=8 size=4 pattern_size=2 pattern=0102 wait=0 "
                  "event=1 result=0\n"
                  "9 9 0 < clEnqueueWriteBuffer queue=0 waits_for=1 memory=0 blocking=1 offset=4 size=4 data=" HASH_B
                  ":4 wait=1 result=0\n"
                  "9 10 0 < clEnqueueMemcpyINTEL queue=0 waits_for=0 blocking=0 to=3+16 from=2+0 size=8 result=0\n"
                  "9 11 0 < clEnqueueMemcpyINTEL queue=0 waits_for=0 blocking=0 to=host from=2+0 size=8 result=0\n"
                  "9 12 0 < clEnqueueWriteBuffer queue=0 waits_for=0 memory=0 blocking=0 offset=4 size=4 result=0\n" LAUNCH(
                      "13", BOTH) AFTER);
    assert_true(rt_ok(read.status));
    assert_int_equal(read.recording.captured, 2);
    assert_int_equal(read.recording.command_count, 5);
    const cap_command *commands = read.recording.commands;
    assert_int_equal(commands[0].after_count, 0);
    assert_int_equal(commands[1].kind, CAP_FILL);
    assert_int_equal(commands[1].transfer.to.offset, 8);
    assert_int_equal(commands[1].transfer.pattern.size, 2);
    assert_int_equal(commands[1].after[0], 0);
    assert_int_equal(commands[2].kind, CAP_STORE);
    assert_text(commands[2].transfer.data, "folder/" HASH_B ".bin");
    assert_int_equal(commands[2].after[0], 1);
    assert_int_equal(commands[3].kind, CAP_COPY);
    assert_true(commands[3].transfer.to.is_block && commands[3].transfer.from.is_block);
    assert_int_equal(commands[3].transfer.to.offset, 16);
    assert_int_equal(commands[3].after_count, 1); /* the host has waited for the store */
    assert_int_equal(commands[3].after[0], 2);
    assert_int_equal(commands[4].after[0], 2);
    read_end(&read);
}

/* Each store blocks: what follows it waits for it alone, since it stands for those before it. */
static void stores_that_block_stand_for_those_before(void **state)
{
    (void)state;
    rt_buffer log = {0};
    rt_buffer_printf(&log, "%s", BEGIN LAUNCH("6", BOTH) " event=0" AFTER);
    for (int i = 0; i < 8; i++)
        rt_buffer_printf(&log,
                         "9 %d 0 < clEnqueueWriteBuffer queue=0 waits_for=1 wait=%s memory=0 "
                         "blocking=1 offset=4 size=4 data=" HASH_B ":4 result=0\n",
                         7 + i, i == 0 ? "0" : "-");
    reading read = read_log(rt_buffer_string(&log));
    assert_int_equal(read.recording.command_count, 9);
    for (uint32_t i = 1; i < 9; i++) {
        assert_int_equal(read.recording.commands[i].after_count, 1);
        assert_int_equal(read.recording.commands[i].after[0], i - 1);
    }
    read_end(&read);
    rt_buffer_free(&log);
}

/* The host learns that a launch has ended, and then orders nothing after it. */
static void what_the_host_learns_orders_launches(void **state)
{
    (void)state;
    static const char *const calls[] = {"9 7 0 < clGetEventInfo event=0 result=0\n",
                                        "9 7 0 < clSetEventCallback event=0 result=0\n", ""};
    for (size_t i = 0; i < 3; i++) {
        rt_buffer log = {0};
        rt_buffer_printf(&log, "%s%s%s", BEGIN LAUNCH("6", BOTH) " event=0" AFTER, calls[i],
                         LAUNCH("8", BOTH) AFTER);
        reading read = read_log(rt_buffer_string(&log));
        assert_int_equal(read.recording.command_count, 2);
        assert_int_equal(read.recording.commands[1].after_count, i < 2);
        read_end(&read);
        rt_buffer_free(&log);
    }
}

/* A program that is built again, and one whose variables the host writes, after a launch of it. */
static void a_program_changes_between_launches(void **state)
{
    (void)state;
    reading read = read_log(
        BEGIN LAUNCH("6", BOTH) AFTER
        "9 7 0 < clBuildProgram program=0 devices=0 options=-DA=2 result=0\n" LAUNCH("8", BOTH)
            AFTER
        "9 9 0 < clEnqueueWriteGlobalVariableINTEL queue=0 program=0 result=0\n" LAUNCH("10", BOTH)
            AFTER);
    assert_int_equal(read.recording.command_count, 3);
    const cap_command *launches = read.recording.commands;
    assert_text(launches[0].program->options, "-DA=1");
    assert_text(launches[1].program->options, "-DA=2");
    assert_text(launches[1].loss, "");
    assert_text(launches[2].loss, "the host has written variables of its program");
    read_end(&read);
}

/* Each row is a log after BEGIN whose only launch cannot be a scenario, and why. */
static void what_is_missing_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *log, *loss;
    } rows[] = {
        {LAUNCH("6", "args=m0,m7 before=m0:" HASH_A ":16") AFTER, "its record is incomplete"},
        {LAUNCH("6", "args=m0 before=m0:../../etc:16") AFTER, "its record is incomplete"},
        {LAUNCH("6", "args=m0 before=m0:" HASH_A ":-1") AFTER, "its record is incomplete"},
        {LAUNCH("6", "args=x before=m0:" HASH_A ":16") AFTER, "its record is incomplete"},
        {LAUNCH("6", "args=v1 before=m0:" HASH_A ":16") AFTER, "its record is incomplete"},
        {LAUNCH("6", "args=p0+4 before=p0:" HASH_A ":16") AFTER, "its record is incomplete"},
        {LAUNCH("6", "args=v00 words=0@0:0+0 before=m0:" HASH_A ":16") AFTER,
         "its record is incomplete"},
        {LAUNCH("6", BOTH) " after=m1:" HASH_A ":16,m0:" HASH_C ":16 result=0\n",
         "its record is incomplete"},
        {LAUNCH("6", BOTH) " after=m0:" HASH_A ":16,m1:" HASH_C ":16 result=-54\n",
         "the driver refused it with -54"},
        {LAUNCH("6", "args=i,s before=m0:" HASH_A ":16") AFTER, "it uses a sampler"},
        {"9 6 0 < clSharedMemAllocINTEL context=0 size=16 made=0 result=0\n" LAUNCH(
             "7", "args=p0+4 before=p0:" HASH_A ":16 addresses=p0") " after=p0:" HASH_A
                                                                    ":16 result=0\n",
         "its memory holds addresses of unified shared or shared virtual memory"},
        {LAUNCH("6", "args=m0 lost=bytes") " result=0\n", "its memory would exceed --max-bytes"},
        {LAUNCH("6", "args=m0 lost=unset") " result=0\n", "an argument is not set"},
        {"9 6 0 < clSetProgramSpecializationConstant program=0 id=1 value=00 result=0\n" LAUNCH(
             "7", BOTH) AFTER,
         "its program sets specialisation constants"},
        {"9 6 0 < clCreateSubBuffer memory=1 flags=0 offset=0 size=8 made=0 result=0\n" LAUNCH(
             "7", BOTH) AFTER,
         "it uses several parts of one buffer"},
        {"9 6 0 < clLinkProgram context=0 devices=0 options= inputs=- made=0 result=0\n" LAUNCH(
             "7", BOTH) AFTER,
         "its program was linked from nothing"},
        {"9 6 0 < clLinkProgram context=0 devices=0 options= inputs=0,5 made=0 result=0\n" LAUNCH(
             "7", BOTH) AFTER,
         "its program is linked from too many levels of others"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_buffer log = {0};
        rt_buffer_printf(&log, "%s%s", BEGIN, rows[i].log);
        reading read = read_log(rt_buffer_string(&log));
        assert_true(rt_ok(read.status));
        assert_int_equal(read.recording.command_count, 1);
        if (!rt_text_is(read.recording.commands[0].loss, rows[i].loss))
            fail_msg("row %zu: '%.*s' instead of '%s'", i,
                     RT_TEXT_ARG(read.recording.commands[0].loss), rows[i].loss);
        read_end(&read);
        rt_buffer_free(&log);
    }
}

/* Contents that are too large are not read: their files do not exist. */
static void a_memory_that_is_too_large_is_named(void **state)
{
    (void)state;
    reading read = read_log(BEGIN LAUNCH("6", BOTH) AFTER LAUNCH(
        "7", "args=m0 before=m0:" HASH_A ":1073741825") " after=m0:" HASH_A
                                                        ":1073741825 result=0\n");
    const cap_style style = {.folder = RT_TEXT("folder")};
    rt_text name;
    uint32_t failed = 0;
    rt_status status =
        cap_scenario_write(read.sink, &read.arena, &read.recording, 0, 2, &style, &name, &failed);
    assert_int_equal(status.code, RT_UNSUPPORTED);
    assert_text(rt_sink_diagnostic(read.sink, status)->message,
                "its memory of 1073741825 bytes exceeds the 1073741824 of a scenario's memory");
    assert_int_equal(failed, 1);
    read_end(&read);
}

static void a_log_of_something_else_is_refused(void **state)
{
    (void)state;
    reading read = read_log("PASS\n");
    assert_int_equal(read.status.code, RT_MALFORMED);
    read_end(&read);
}

/* Quotes hold a word together; what a scenario cannot repeat is dropped. */
static void options_are_split(void **state)
{
    (void)state;
    rt_arena arena = {0};
    cap_program program = {0};
    cap_options_split(
        &arena, RT_TEXT(" -D A=1 -cl-std=CL2.0 -I\"a b\" -D \"B=1 2\" -I c -x spir -w"), &program);
    assert_text(program.options, "-DA=1 -cl-std=CL2.0 -w");
    assert_text(program.dropped, "-DB=1 2 -x spir");
    assert_int_equal(program.folder_count, 2);
    assert_text(program.folders[0], "a b");
    assert_text(program.folders[1], "c");
    rt_arena_reset(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_has_its_parts),
        cmocka_unit_test(a_launch_may_not_end),
        cmocka_unit_test(launches_wait_for_events),
        cmocka_unit_test(commands_are_between_launches),
        cmocka_unit_test(stores_that_block_stand_for_those_before),
        cmocka_unit_test(what_the_host_learns_orders_launches),
        cmocka_unit_test(a_program_changes_between_launches),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(a_memory_that_is_too_large_is_named),
        cmocka_unit_test(a_log_of_something_else_is_refused),
        cmocka_unit_test(options_are_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
