/* The parts of the report at the end of a run; private to this folder. */
#ifndef CONFORMANCE_REPORT_MATRIX_INTERNAL_H
#define CONFORMANCE_REPORT_MATRIX_INTERNAL_H

#include "conformance/report/matrix.h"

/* A report that is being written; its records are sorted. */
typedef struct cnf_layout {
    rt_buffer *out;
    const cnf_report *report;
    const cnf_column *columns;
    uint32_t column_count;
    const cnf_report_style *style;
    size_t path_width;
    size_t *widths; /* per column; 0: the subject was never available, so it has no column */
} cnf_layout;

/* matrix.c: measures the columns, in the arena; writes the rows; and writes a line for each
 * expected verdict that needs a remark. */
void cnf_layout_measure(cnf_layout *layout, rt_arena *arena);
void cnf_matrix_write(const cnf_layout *layout, rt_arena *arena);
void cnf_notes_write(const cnf_layout *layout, rt_arena *arena);

/* reasons.c: writes the reason for each unexpected verdict. */
void cnf_reasons_write(const cnf_layout *layout);

/* Writes a word in the colour of what is unexpected. */
void cnf_trouble_write(const cnf_layout *layout, const char *word);

/* Writes the reasons for skips if they are shown, and returns their number. */
uint32_t cnf_skips_write(const cnf_layout *layout, rt_arena *arena, bool is_shown);

/* False if the record's subject has no column. */
bool cnf_layout_shows(const cnf_layout *layout, const cnf_record *record);

#endif
