/* The fixture for tests of adapters with a fake library, and two checks that apply to every
 * adapter: a failing call leaves nothing allocated, and its status has the right code. */
#ifndef BACKENDS_VENDOR_TEST_FIXTURE_H
#define BACKENDS_VENDOR_TEST_FIXTURE_H

#include "backends/vendor/test/fake_script.h"
#include "reference/device/device.h"

static const rt_text none = {"", 0};
static const dev_command no_wait = {0};
static const dev_nd_range one_item = {.dimensions = 1, .global = {1, 1, 1}};

/* ---- A test's surroundings ---------------------------------------------------------------- */

typedef struct fixture {
    const dev_backend *backend; /* opens the fake's devices */
    const dev_tools *tools;     /* tools passed to the devices; NULL if none */
    fake_script *script;        /* the fake's */
    rt_sink *sink;
    dev_device *device; /* opened by fixture_open; NULL if none */
} fixture;

/* Opens the fake at `path`, which stays open, and returns its state.  If it cannot be opened,
 * prints a line on standard error and returns NULL. */
void *fixture_find_fake(const char *path);

/* cmocka's setup and teardown functions; at teardown, all of the fake's objects must have been
 * freed. */
int fixture_begin(void **state, const dev_backend *backend, const dev_tools *tools,
                  fake_script *script);
int fixture_end(void **state);

/* fixture_open opens a device; fixture_close closes it, so that another one can be opened. */
rt_status fixture_open(fixture *f, const char *selector);
void fixture_close(fixture *f);

/* Serialises a linked program and loads the result as a program, which the caller destroys. */
rt_status program_reload(dev_device *device, dev_program *program, dev_program **out_program);

/* ---- Statuses ----------------------------------------------------------------------------- */

/* True if the status's message contains `part`. */
bool message_has(rt_sink *sink, rt_status status, const char *part);

/* Fails the test and prints the message if the status has a different code or its message lacks
 * `part`. */
void expect_status(rt_sink *sink, rt_status status, rt_code code, const char *part);

/* A function that opens an adapter's device through the library at `path`. */
typedef rt_status open_at(const char *path, const dev_open_parameters *parameters, rt_text selector,
                          dev_device **out_device);

/* Expects UNAVAILABLE for a missing library and for a wrong one (libm), with messages that contain
 * the given parts. */
void expect_unavailable(const fixture *f, open_at *open, const char *missing, const char *lacking);

/* ---- Failing calls ------------------------------------------------------------------------ */

/* A complete use of a device, from opening to closing, with the fake's configuration. */
typedef struct whole_use {
    void (*reset)(void); /* resets the fake */
    rt_status (*use)(const fixture *f, const void *context);
    const void *context;           /* passed to `use` */
    uint32_t calls_min, calls_max; /* number of calls if none fails (fail_each_call) */
} whole_use;

/* Fails each call of a complete use in turn or, if `onwards`, all calls from that one on.  After
 * each run, nothing may stay allocated, and every failure must have a message; checked.c panics if
 * an operation returns a status that it must not return. */
void fail_each_call(const fixture *f, const whole_use *whole, int result, bool onwards);

/* A call that fails, and the resulting status of the use. */
typedef struct failure {
    const char *call;
    int result; /* fake_script.fail_with */
    rt_code code;
    const char *part; /* part of the message */
} failure;

/* For each row in turn, fails the call it names and checks the resulting status. */
void expect_failures(const fixture *f, const whole_use *whole, const failure *rows, size_t count);

#endif
