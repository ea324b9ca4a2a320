/* The parts of a record that several reports print in the same words; private to this folder. */
#ifndef CONFORMANCE_REPORT_RECORD_TEXT_H
#define CONFORMANCE_REPORT_RECORD_TEXT_H

#include "conformance/verdict/record.h"

/* Appends the lines of a text, each after the indent and with a newline. */
void cnf_indented_write(rt_buffer *out, const char *indent, rt_text text);

/* Appends the line "  LABEL: VALUE"; nothing if the value is empty. */
void cnf_field_write(rt_buffer *out, const char *label, rt_text value);

/* Appends the line "  attempts: 3 of 10 failed: PASS, FAIL, …"; nothing if the scenario ran once.
 */
void cnf_attempts_write(rt_buffer *out, const cnf_judgement *judgement);

/* Appends the line "device: DEVICE (DRIVER)" after the indent; nothing if the subject was never
 * opened. */
void cnf_device_write(rt_buffer *out, const char *indent, const cnf_record *record);

/* The index after the last record that has the same scenario as records[first]; the records are
 * sorted. */
uint32_t cnf_row_end(const cnf_record *records, uint32_t record_count, uint32_t first);

/* Finds, among the `count` records of one scenario, its record on the subject or, if the scenario
 * is invalid, its only record. Returns NULL if there is none. */
const cnf_record *cnf_row_cell(const cnf_record *records, uint32_t count, rt_text subject);

#endif
