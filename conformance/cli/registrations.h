/* What a program registers with __sycl_register_lib, observed by running it with
 * libassay_reference.so preloaded. */
#ifndef CONFORMANCE_CLI_REGISTRATIONS_H
#define CONFORMANCE_CLI_REGISTRATIONS_H

#include "api/record.h"
#include "reference/base/text.h"
#include "reference/base/vector.h"

typedef struct cnf_registrations {
    RT_VECTOR(api_record) records; /* by process and program, each in order */
    RT_VECTOR(rt_buffer) contents; /* into which the records point */
    bool is_opened;                /* a process of ours opened a shared object */
    rt_arena arena;
} cnf_registrations;

/* Runs the program with its arguments, count >= 1 words, until it ends or the time is up, and reads
 * what it and the processes that it starts register. A single word that is a shared object without
 * an entry point is opened by a process of ours. The program's output goes to standard error, its
 * input is empty, and our environment is not changed. How it ended is reported on standard error
 * unless it succeeded. UNAVAILABLE: the library or the program is missing; IO: a process or a
 * temporary file cannot be created; MALFORMED: a record is damaged. The caller always frees
 * *out_registrations. */
RT_MUST_USE rt_status cnf_registrations_observe(rt_sink *sink, const rt_text *words, uint32_t count,
                                                uint32_t timeout_ms,
                                                cnf_registrations *out_registrations);

/* Frees what cnf_registrations_observe has read; zeros are nothing. */
void cnf_registrations_free(cnf_registrations *registrations);

#endif
