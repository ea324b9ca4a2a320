/* A small application on a device that executes: memories of all kinds, programs, a kernel,
 * transfers.  A test can end it at any point.  The fake's kernel "k" takes a value and a memory,
 * and stores the value's first byte as the memory's first; the fake's variable "counter" has 12
 * bytes. */
#ifndef BACKENDS_VENDOR_TEST_RUN_H
#define BACKENDS_VENDOR_TEST_RUN_H

#include "backends/vendor/test/fixture.h"

/* The memories of a run; those after the two buffers exist if the device supports them. */
enum { FIRST, SECOND, ON_DEVICE, ON_HOST, SHARED, VARIABLE, MEMORIES };

/* The programs: two compiled, one linked from them, and more as the adapter's test requires. */
enum { LINKED = 2, PROGRAMS = 5 };

typedef struct run {
    size_t value_size; /* bytes of the kernel's first argument */
    dev_device *device;
    dev_capabilities capabilities;
    dev_queue *queues[2];
    dev_memory *memories[MEMORIES];
    dev_program *programs[PROGRAMS];
    dev_kernel *kernel;
    dev_event *events[40];
    uint32_t event_count;
    dev_times times;           /* times of a command that the test chooses */
    uint8_t read[8];           /* contents of SECOND at the end */
    uint8_t seen[MEMORIES][8]; /* contents of the memories accessed by pointer, expected to be 1 2 3
                                * 42 1 2 1 2 */
} run;

/* Begins a run: opens the device and creates all memories but the variable.  The caller must call
 * run_end even if this fails. */
rt_status run_open(const fixture *f, run *out_run);

/* run_event returns the slot for the next event; run_wait waits for the newest event. */
dev_event **run_event(run *r);
rt_status run_wait(const run *r);

/* Launches the kernel with the value 42 on byte `offset` of a memory. */
rt_status run_launch(run *r, dev_command after, int memory, uint64_t offset);

/* Writes 1 to 8 to FIRST, launches on it, fills the second half of SECOND with the pattern and
 * copies the first half of FIRST to the first half of SECOND (events 0 to 3); then writes 1 to 8 to
 * each memory that is accessed by pointer, fills its second half with 1 2, launches on its byte 3,
 * and reads it. */
rt_status run_commands(run *r, rt_bytes pattern);

/* Expects `seen` to contain what run_commands must have read. */
void run_expect_seen(const run *r);

void run_end(run *r);

/* ---- The variable ------------------------------------------------------------------------- */

/* Writes 1 2 3 4 to the variable's bytes 2 to 5, copies its bytes 3 and 4 to SHARED and from there
 * to its bytes 4 and 5, and reads its bytes 2 to 5, which are then 1 2 2 3.  The test fails if a
 * command does. */
void run_move_variable(const run *r, uint8_t out_read[4]);

/* Looks up variables that do not exist, or for which the fake reports an impossible size, which is
 * set through *told_size. */
void run_refuse_variables(const fixture *f, const run *r, size_t *told_size);

#endif
