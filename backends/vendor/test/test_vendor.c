/* Tests the code that the adapters of vendors' libraries share: opening, results, events, logs,
 * refusals. */
#include "backends/vendor/argument.h"
#include "backends/vendor/elf.h"
#include "backends/vendor/event.h"
#include "backends/vendor/library.h"
#include "backends/vendor/log.h"
#include "backends/vendor/result.h"
#include "backends/vendor/validate.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static bool message_is(rt_sink *sink, rt_status status, const char *whole)
{
    return rt_text_is(rt_sink_diagnostic(sink, status)->message, whole);
}

/* True if the message describes argument 1 of 2 as expected. */
static bool argument_is(rt_sink *sink, rt_status status, const char *described)
{
    rt_buffer begin = {0};
    rt_buffer_printf(&begin, "argument 1 of 2 (from 0), %s, was refused: ", described);
    bool begins =
        rt_text_starts(rt_sink_diagnostic(sink, status)->message, rt_buffer_string(&begin));
    rt_buffer_free(&begin);
    return begins;
}

/* ---- Libraries, with libm as an example that is available everywhere ---------------------- */

typedef struct table {
    void *handle;
    double (*floor)(double);
    double (*no_such_function)(double);
} table;

static rt_status table_open(rt_sink *sink, const char *path, bool is_optional, table *out_table)
{
    const vendor_entry entries[] = {
        {"no_such_function", offsetof(table, no_such_function), is_optional},
        {"floor", offsetof(table, floor), false},
    };
    const vendor_library library = {
        .name = "the abacus",
        .remedy = "buy one",
        .remedy_lacking = "buy a newer one",
        .entries = entries,
        .entry_count = sizeof entries / sizeof *entries,
    };
    memset(out_table, 0xA5, sizeof *out_table); /* every slot must be written */
    return vendor_library_open(sink, &library, path, out_table, &out_table->handle);
}

static void entry_points_come_to_their_places(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    table opened;
    assert_true(rt_ok(table_open(sink, "libm.so.6", true, &opened)));
    assert_non_null(opened.handle);
    assert_true(opened.floor(2.5) == 2.0);
    assert_null(opened.no_such_function);
    vendor_library_close(opened.handle);
    assert_true(opened.floor(-2.5) == -3.0); /* the library stays mapped after it is closed */
    vendor_library_close(NULL);
    rt_sink_destroy(sink);
}

static void libraries_that_are_of_no_use_are_unavailable(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    table opened;
    rt_status status = table_open(sink, "libm.so.6", false, &opened);
    assert_int_equal(status.code, RT_UNAVAILABLE);
    assert_true(
        message_is(sink, status, "the abacus libm.so.6 has no no_such_function; buy a newer one"));
    assert_null(opened.handle);
    status = table_open(sink, "libno-such-abacus.so", true, &opened);
    assert_int_equal(status.code, RT_UNAVAILABLE);
    rt_text message = rt_sink_diagnostic(sink, status)->message;
    assert_true(rt_text_starts(message, "the abacus cannot be opened: libno-such-abacus.so: "));
    assert_memory_equal(message.data + message.length - 9, "; buy one", 9);
    assert_null(opened.handle);
    rt_sink_destroy(sink);
}

/* ---- Results ------------------------------------------------------------------------------ */

static void results_are_looked_up_with_their_stage(void **state)
{
    (void)state;
    static const vendor_result rows[] = {
        {-5, 1u << 0, RT_UNAVAILABLE, "LOST"},
        {-5, 1u << 1 | 1u << 31, RT_DEVICE_LOST, "LOST"},
        {7, 0, RT_DRIVER_ERROR, "SEVEN"},
        {8, 1u << 1, RT_MALFORMED, NULL},
    };
    const vendor_results results = {rows, sizeof rows / sizeof *rows, "a stranger", false};
    assert_int_equal(vendor_result_code(&results, 0, -5), RT_UNAVAILABLE);
    assert_int_equal(vendor_result_code(&results, 1, -5), RT_DEVICE_LOST);
    assert_int_equal(vendor_result_code(&results, 31, -5), RT_DEVICE_LOST);
    assert_int_equal(vendor_result_code(&results, 2, -5), RT_DRIVER_ERROR);
    assert_int_equal(vendor_result_code(&results, 1, 8), RT_MALFORMED);
    assert_int_equal(vendor_result_code(&results, 1, 9), RT_DRIVER_ERROR);
    assert_string_equal(vendor_result_name(&results, 7), "SEVEN");
    assert_null(vendor_result_name(&results, 8));
    assert_string_equal(vendor_result_name(&results, 9), "a stranger");
}

static void failures_quote_the_answer_and_the_log(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    static const vendor_result rows[] = {{-5, 1u << 3, RT_UNAVAILABLE, "LOST"}};
    vendor_results results = {rows, 1, "a stranger", false};
    rt_status status = vendor_fail(sink, &results, 3, "open", -5, (rt_text){0});
    assert_int_equal(status.code, RT_UNAVAILABLE);
    assert_true(message_is(sink, status, "open: LOST (-5)"));
    results.is_hexadecimal = true;
    status = vendor_fail(sink, &results, 3, "build", 0x7000, RT_TEXT("line 1"));
    assert_int_equal(status.code, RT_DRIVER_ERROR);
    assert_true(message_is(sink, status, "build: a stranger (0x7000); the driver's log:\nline 1"));
    rt_sink_destroy(sink);
}

/* ---- Events ------------------------------------------------------------------------------- */

/* An event whose driver answers differently each time: wait number n, from 0, returns code n. */
typedef struct counted {
    vendor_event base;
    uint16_t waits;
    unsigned polls;       /* number of times the driver was polled */
    dev_event_state seen; /* the state that polling returned during the wait */
} counted;

static rt_status counted_wait(dev_event *base)
{
    counted *event = (counted *)base;
    event->seen = vendor_event_state(base);
    return (rt_status){.code = event->waits++};
}

static dev_event_state counted_state(dev_event *base)
{
    ((counted *)base)->polls++;
    return DEV_EVENT_PENDING;
}

static void the_first_wait_decides(void **state)
{
    (void)state;
    static const dev_event_ops ops = {.wait = vendor_event_wait, .state = vendor_event_state};
    for (uint16_t code = RT_OK; code <= RT_ERRC_RUNTIME; code++) {
        counted event = {.waits = code, .seen = DEV_EVENT_FAILED};
        dev_event *base = &event.base.base;
        vendor_event_begin(&event.base, &ops, counted_wait, counted_state);
        assert_ptr_equal(base->ops, &ops);
        assert_int_equal(vendor_event_state(base), DEV_EVENT_PENDING);
        for (int i = 0; i < 3; i++)
            assert_int_equal(vendor_event_wait(base).code, code);
        assert_int_equal(event.waits, code + 1);
        /* While a waiter holds the lock, polling does not block on it. */
        assert_int_equal(event.seen, DEV_EVENT_PENDING);
        assert_int_equal(vendor_event_state(base),
                         code == RT_OK ? DEV_EVENT_COMPLETE : DEV_EVENT_FAILED);
        assert_int_equal(event.polls, 2); /* before and during the wait, but not after it */
        vendor_event_end(&event.base);
    }
}

/* ---- Logs and refusals -------------------------------------------------------------------- */

static void long_logs_say_what_went(void **state)
{
    (void)state;
    rt_buffer log = {0};
    vendor_log_cut(&log);
    assert_int_equal(log.size, 0);
    for (int i = 0; i < 4000; i++)
        rt_buffer_append_byte(&log, 'x');
    vendor_log_cut(&log);
    assert_int_equal(log.size, 4000);
    rt_buffer_append_text(&log, RT_TEXT("yz"));
    vendor_log_cut(&log);
    assert_string_equal(rt_buffer_string(&log) + 3999, "x… (2 more bytes)");
    rt_buffer_free(&log);
    /* Bytes that are not UTF-8 are truncated too. */
    for (int i = 0; i < 5000; i++)
        rt_buffer_append_byte(&log, (char)0x80);
    vendor_log_cut(&log);
    assert_string_equal(rt_buffer_string(&log) + 4000, "… (1000 more bytes)");
    rt_buffer_free(&log);
}

static void what_no_library_can_take_is_refused(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    assert_true(rt_ok(vendor_name_validate(sink, "a kernel", "C", (rt_text){0})));
    assert_true(rt_ok(vendor_name_validate(sink, "a kernel", "C", RT_TEXT("k"))));
    rt_status status = vendor_name_validate(sink, "a kernel", "C", (rt_text){"k\0k", 3});
    assert_int_equal(status.code, RT_ERRC_INVALID);
    assert_true(
        message_is(sink, status, "a kernel's name contains a NUL byte, which no name in C can"));
    assert_true(rt_ok(vendor_variable_validate(sink, RT_TEXT("v"), RT_MEMORY_SIZE_MAX)));
    status = vendor_variable_validate(sink, RT_TEXT("v"), (uint64_t)RT_MEMORY_SIZE_MAX + 1);
    assert_int_equal(status.code, RT_LIMIT);
    assert_true(message_is(
        sink, status, "the variable 'v' has 4294967297 bytes; assay accepts at most 4294967296"));
    const rt_text device = RT_TEXT("GPU");
    assert_true(rt_ok(vendor_format_validate(sink, device, RT_FORMAT_PTX, RT_FORMAT_PTX)));
    status = vendor_format_validate(sink, device, RT_FORMAT_PTX, RT_FORMAT_SPIRV64);
    assert_int_equal(status.code, RT_UNSUPPORTED);
    assert_true(message_is(sink, status, "'GPU' takes images of format ptx, not spirv64"));
    rt_sink_destroy(sink);
}

/* Checks how the message describes each kind of argument and, last, the parameters that would fit.
 */
static void refused_arguments_are_described(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    dev_memory memory = {.kind = DEV_MEMORY_USM_HOST, .size = 64};
    dev_memory variable = {.kind = DEV_MEMORY_GLOBAL, .size = 12};
    const struct {
        dev_argument argument;
        const char *described;
    } rows[] = {
        {{.kind = DEV_ARGUMENT_MEMORY}, "the null pointer"},
        {{.kind = DEV_ARGUMENT_MEMORY, .memory = &memory}, "a buffer of 64 bytes"},
        {{.kind = DEV_ARGUMENT_POINTER, .memory = &memory, .offset = 3},
         "a pointer to byte 3 of unified shared memory of 64 bytes"},
        {{.kind = DEV_ARGUMENT_POINTER, .memory = &variable},
         "a pointer to byte 0 of a variable of 12 bytes"},
        {{.kind = DEV_ARGUMENT_BYTES, .bytes = {(const uint8_t *)"abc", 3}}, "a value of 3 bytes"},
        {{.kind = DEV_ARGUMENT_LOCAL, .size = 16}, "16 bytes of local memory"},
    };
    static const vendor_result answers[] = {{-1, 1u << 0, RT_ERRC_KERNEL_ARGUMENT, "NO"},
                                            {-2, 1u << 1, RT_LIMIT, "TOO_LARGE"}};
    const vendor_results results = {answers, 2, "", false};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_status status =
            vendor_argument_refuse(sink, &results, 0, "set", -1, 1, 2, &rows[i].argument);
        assert_int_equal(status.code, RT_ERRC_KERNEL_ARGUMENT);
        assert_true(argument_is(sink, status, rows[i].described));
    }
    rt_status status =
        vendor_argument_refuse(sink, &results, 1, "setArgument", -2, 0, 1, &rows[4].argument);
    assert_int_equal(status.code, RT_LIMIT);
    assert_true(message_is(
        sink, status,
        "argument 0 of 1 (from 0), a value of 3 bytes, was refused: setArgument: TOO_LARGE (-2); "
        "a value fits a non-pointer parameter of exactly the same size: compare with parameter 0 "
        "in the kernel's source"));
    rt_sink_destroy(sink);
}

/* ---- ELF files ---------------------------------------------------------------------------- */

/* No damaged byte makes the reader access memory outside the file. */
static void elf_files_are_read_with_care(void **state)
{
    (void)state;
    enum { SIZE = 400 };
    uint8_t bytes[SIZE];
    uint32_t seed = 1, index = 0;
    uint64_t size = 0;
    vendor_elf elf;
    rt_bytes section;
    static const uint8_t begin[] = {0x7f, 'E', 'L', 'F', 2};
    for (int round = 0; round < 20000; round++) {
        for (size_t i = 0; i < SIZE; i++) {
            seed = seed * 1664525 + 1013904223;
            bytes[i] = seed >> 24 < 200 ? 0 : (uint8_t)(seed >> 16);
        }
        memcpy(bytes, begin, sizeof begin);
        bytes[18] = 190, bytes[19] = 0; /* e_machine */
        bytes[58] = 64, bytes[59] = 0;  /* e_shentsize */
        bytes[60] = 3, bytes[61] = 0;   /* e_shnum */
        memset(bytes + 41, 0, 7);       /* e_shoff below 256 */
        rt_bytes file = {bytes, SIZE - seed % 100};
        if (!vendor_elf_read(file, EM_CUDA, &elf)) continue;
        vendor_elf_find(&elf, VENDOR_SYMBOL_VARIABLE, false, RT_TEXT("a"), &index, &size);
        vendor_elf_section(&elf, SHT_PROGBITS, &section);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entry_points_come_to_their_places),
        cmocka_unit_test(libraries_that_are_of_no_use_are_unavailable),
        cmocka_unit_test(results_are_looked_up_with_their_stage),
        cmocka_unit_test(failures_quote_the_answer_and_the_log),
        cmocka_unit_test(the_first_wait_decides),
        cmocka_unit_test(long_logs_say_what_went),
        cmocka_unit_test(what_no_library_can_take_is_refused),
        cmocka_unit_test(refused_arguments_are_described),
        cmocka_unit_test(elf_files_are_read_with_care),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
