/* Reading what compilers say, in the forms in which they say it. */
#ifndef CONFORMANCE_COMPILE_DIAGNOSTICS_H
#define CONFORMANCE_COMPILE_DIAGNOSTICS_H

#include "conformance/build/compile.h"
#include "reference/base/vector.h"

typedef RT_VECTOR(cnf_compile_message) cnf_message_list;

/* Reads one line into a message about `source`, whose texts point into both; false: the line is no
 * message. */
typedef bool cnf_diagnostic_form(rt_text line, rt_text source, cnf_compile_message *out_message);

/* NAME:LINE:COLUMN: SEVERITY: TEXT, as clang and LLVM write; about no place: SEVERITY: TEXT. */
bool cnf_diagnostic_of_clang(rt_text line, rt_text source, cnf_compile_message *out_message);

/* SEVERITY: LINE: COLUMN: TEXT, as spirv-as writes. */
bool cnf_diagnostic_of_spirv_as(rt_text line, rt_text source, cnf_compile_message *out_message);

/* As clang's, but the source is called rtc_N.cpp there; an error in a header is one of the source
 * without a place, its text the whole line. */
bool cnf_diagnostic_of_sycl(rt_text line, rt_text source, cnf_compile_message *out_message);

/* Adds the messages among the lines of `text` to *messages (texts in the arena) and returns the
 * number of errors. */
uint32_t cnf_diagnostics_collect(rt_arena *arena, cnf_diagnostic_form *form, rt_text source,
                                 rt_text text, cnf_message_list *messages);

#endif
