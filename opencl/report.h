/* Findings and refused calls, on stderr and as lines of JSON. */
#ifndef OPENCL_REPORT_H
#define OPENCL_REPORT_H

#include "opencl/icd.h"
#include "opencl/variables.h"

/* Notes the call that enqueued the command with that tag, and returns a new tag. */
uint32_t icd_report_command(icd_call call, uint32_t queue);
/* Notes the call that created a buffer. */
void icd_report_buffer(uint32_t number, uint64_t size, icd_call call);
/* The name of a source in messages and line information, "program-HASH.cl": the same in every
 * process, so that binaries name it as well. */
typedef struct icd_source_name {
    char text[32];
} icd_source_name;
icd_source_name icd_report_source_name(rt_text source);

/* Keeps a copy of a source, so that findings can quote it, until it is forgotten as often as it was
 * kept. */
void icd_report_source(rt_text source);
void icd_report_source_forget(rt_text source);

/* Reports a finding of the device (dev_open_parameters.on_finding). */
void icd_report_finding(void *user, const dev_finding *finding);
/* Reports a finding about a use of the API.  `kernel` is the one that the call is about, or empty.
 */
void icd_report_misuse(icd_call call, const char *kind, rt_text kernel, const char *format, ...)
    RT_PRINTF(4, 5);
/* Appends " at vector_add+0x1234": the object file and the offset of an address in it, as
 * addr2line(1) takes them; nothing if it is in none. */
void icd_report_address(rt_buffer *out, const void *address);
/* Reports that a call of the API was refused, unless the user asked for silence. */
void icd_report_refusal(icd_call call, cl_int code, rt_text reason);

#endif
