/* Parsing compilers' messages, one parser per message format. */
#ifndef CONFORMANCE_BUILD_DIAGNOSTICS_H
#define CONFORMANCE_BUILD_DIAGNOSTICS_H

#include "conformance/build/compile.h"
#include "reference/base/vector.h"

typedef RT_VECTOR(cnf_compile_message) cnf_message_list;

/* Reads one line into a message about `source`; the message's texts point into both arguments.
 * False: the line is not a message. */
typedef bool cnf_diagnostic_form(rt_text line, rt_text source, cnf_compile_message *out_message);

/* The form of clang and LLVM: NAME:LINE:COLUMN: SEVERITY: TEXT or, without a position, SEVERITY:
 * TEXT. */
bool cnf_diagnostic_clang(rt_text line, rt_text source, cnf_compile_message *out_message);

/* The form of spirv-as: SEVERITY: LINE: COLUMN: TEXT. */
bool cnf_diagnostic_spirv_as(rt_text line, rt_text source, cnf_compile_message *out_message);

/* Like clang's form, but the source is called rtc_N.cpp; an error in a header becomes an error in
 * the source, without a position and with the whole line as its text. */
bool cnf_diagnostic_sycl(rt_text line, rt_text source, cnf_compile_message *out_message);

/* Adds the messages among the lines of `text` to *messages (texts in the arena) and returns the
 * number of errors. */
uint32_t cnf_diagnostics_collect(rt_arena *arena, cnf_diagnostic_form *form, rt_text source,
                                 rt_text text, cnf_message_list *messages);

#endif
