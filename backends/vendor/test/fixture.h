/* What the tests of all adapters over a fake library begin with, and the two questions that they
 * put to each: does any failing call leave something behind, and is its status of the right class.
 */
#ifndef BACKENDS_VENDOR_TEST_FIXTURE_H
#define BACKENDS_VENDOR_TEST_FIXTURE_H

#include "backends/vendor/test/fake_script.h"
#include "reference/device/device.h"

static const rt_text none = {"", 0};
static const dev_command no_wait = {0};
static const dev_nd_range one_item = {.dimensions = 1, .global = {1, 1, 1}};

/* ---- A test's surroundings ---------------------------------------------------------------- */

typedef struct fixture {
    const dev_backend *backend; /* opens devices of the fake */
    const dev_tools *tools;     /* that they are given; NULL: none */
    fake_script *script;        /* the fake's */
    rt_sink *sink;
    dev_device *device; /* what fixture_open has opened; NULL: nothing */
} fixture;

/* The state of the fake at `path`, which stays open; NULL, and a line on standard error, where
 * there is none. */
void *fixture_find_fake(const char *path);

/* cmocka's: sets a test up, or ends it, when all of the fake's objects must be gone. */
int fixture_begin(void **state, const dev_backend *backend, const dev_tools *tools,
                  fake_script *script);
int fixture_end(void **state);

/* Opens a device, or closes it so that another one can be opened. */
rt_status fixture_open(fixture *f, const char *selector);
void fixture_close(fixture *f);

/* Takes a linked program out as bytes and makes a program of them, which the caller destroys. */
rt_status program_reload(dev_device *device, dev_program *program, dev_program **out_program);

/* ---- Statuses ----------------------------------------------------------------------------- */

/* True when the status' message has the part. */
bool message_has(rt_sink *sink, rt_status status, const char *part);

/* Fails the test, showing the message, when the status is of another code or lacks the part. */
void expect_status(rt_sink *sink, rt_status status, rt_code code, const char *part);

/* How an adapter opens a device of the library at a path. */
typedef rt_status open_at(const char *path, const dev_open_parameters *parameters, rt_text selector,
                          dev_device **out_device);

/* A library that is not there, and one that is something else (the C library's mathematics), are
 * UNAVAILABLE; the messages have the parts. */
void expect_unavailable(const fixture *f, open_at *open, const char *missing, const char *lacking);

/* ---- Failing calls ------------------------------------------------------------------------ */

/* A whole use of a device, from its opening to its end, and what the fake is meanwhile. */
typedef struct whole_use {
    void (*reset)(void); /* of the fake */
    rt_status (*use)(const fixture *f, const void *how);
    const void *how;               /* the use's own */
    uint32_t calls_min, calls_max; /* that it makes where none fails (fail_each_call) */
} whole_use;

/* Fails each call of a whole use in turn, or all from that call on where `onwards`.  checked.c
 * panics when a status is none that the operation may answer; here nothing may stay behind, and
 * every failure has a message. */
void fail_each_call(const fixture *f, const whole_use *whole, int result, bool onwards);

/* A call that fails, and the status of the use that it is part of. */
typedef struct failure {
    const char *call;
    int result; /* fake_script.fail_with */
    rt_code code;
    const char *part; /* of the message */
} failure;

/* Fails the calls of the rows, one row at a time. */
void expect_failures(const fixture *f, const whole_use *whole, const failure *rows, size_t count);

#endif
