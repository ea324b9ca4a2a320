/* Prints the elements around the first difference. Source: docs/internals/conformance.md. */
#include "conformance/verdict/elements_table.h"

#include "conformance/verdict/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ROWS_MAX = 8, CELL_MAX = 64 };

typedef struct table_cell {
    char text[CELL_MAX];
} table_cell;

typedef struct table_column {
    const char *title;
    table_cell cells[ROWS_MAX];
    int width;
} table_column;

/* The numbers of an element, in braces if there are several. What does not fit is cut. */
static table_cell element_cell(const scn_memory *memory, rt_bytes state, uint64_t element)
{
    rt_buffer text = {0};
    uint32_t printed = 0;
    for (uint32_t f = 0; f < memory->layout.field_count; f++) {
        const scn_field *field = &memory->layout.fields[f];
        for (uint32_t lane = 0; lane < field->lanes; lane++) {
            uint64_t at = element * memory->layout.size + field->offset +
                          (uint64_t)lane * scn_type_size(field->type);
            rt_buffer_printf(&text, printed++ ? ", " : "");
            cnf_value_print_decimal(&text, field->type, state.data + at);
        }
    }
    table_cell cell;
    rt_text whole = rt_buffer_text(&text);
    bool fits = whole.length + sizeof "{}" <= CELL_MAX;
    rt_text shown = fits ? whole : rt_text_cut(whole, CELL_MAX - sizeof "{…}");
    (void)snprintf(cell.text, CELL_MAX, printed > 1 ? "{%.*s%s}" : "%.*s%s", RT_TEXT_ARG(shown),
                   fits ? "" : "…");
    rt_buffer_free(&text);
    return cell;
}

static table_column column_make(const char *title, const cnf_elements_table *table, rt_bytes state,
                                uint64_t first, uint32_t rows)
{
    table_column column = {.title = title, .width = (int)strlen(title)};
    for (uint32_t i = 0; i < rows; i++) {
        column.cells[i] = element_cell(table->memory, state, first + i);
        int width = (int)strlen(column.cells[i].text);
        if (width > column.width) column.width = width;
    }
    return column;
}

/* The first byte of the element that has another value than expected, or its first. */
static uint64_t byte_find(const cnf_elements_table *table, uint64_t element)
{
    uint64_t size = table->memory->layout.size, at = element * size;
    for (uint64_t i = at; i < at + size && table->differs[element]; i++)
        if (table->expected.data[i] != table->got.data[i]) return i;
    return at + table->memory->layout.fields[0].offset;
}

/* Sets *out_column to who wrote the elements; false if none of them is known. */
static bool writers_column(const cnf_elements_table *table, uint64_t first, uint32_t rows,
                           table_column *out_column)
{
    bool is_known = false;
    *out_column = (table_column){.title = "written by"};
    for (uint32_t i = 0; i < rows && table->writers.append; i++) {
        rt_buffer text = {0};
        is_known |= table->writers.append(table->writers.user, byte_find(table, first + i), &text);
        (void)snprintf(out_column->cells[i].text, CELL_MAX, "%.*s",
                       RT_TEXT_ARG(rt_text_cut(rt_buffer_text(&text), CELL_MAX - 1)));
        rt_buffer_free(&text);
    }
    return is_known;
}

/* True if two elements hold the same numbers. */
static bool elements_equal(const scn_memory *memory, const uint8_t *a, const uint8_t *b)
{
    for (uint32_t f = 0; f < memory->layout.field_count; f++) {
        const scn_field *field = &memory->layout.fields[f];
        size_t size = (size_t)field->lanes * scn_type_size(field->type);
        if (memcmp(a + field->offset, b + field->offset, size) != 0) return false;
    }
    return true;
}

/* Says so if every element holds what a single one should hold. */
static void hint_write(rt_buffer *out, const cnf_elements_table *table)
{
    const scn_memory *memory = table->memory;
    uint64_t owner = UINT64_MAX, owners = 0;
    for (uint64_t i = 0; i < memory->count; i++) {
        if (!elements_equal(memory, table->got.data + i * memory->layout.size, table->got.data))
            return;
        const uint8_t *expected = table->expected.data + i * memory->layout.size;
        if (!elements_equal(memory, expected, table->got.data)) continue;
        owner = i;
        owners++;
    }
    if (owners != 1 || memory->count < 3) return;
    table_cell value = element_cell(memory, table->got, 0);
    rt_buffer_printf(out,
                     "\nevery element holds %s, which only element %" PRIu64
                     " should hold: one work-item's value may have been used for all of them",
                     value.text, owner);
}

void cnf_elements_table_write(rt_buffer *out, const cnf_elements_table *table)
{
    uint64_t total = table->memory->count, first = 0;
    while (first < total && !table->differs[first])
        first++;
    CHECK(first < total);
    uint32_t rows = total < ROWS_MAX ? (uint32_t)total : ROWS_MAX;
    if (first > total - rows) first = total - rows;
    const table_column expected = column_make("expected", table, table->expected, first, rows);
    const table_column got = column_make("got", table, table->got, first, rows);
    table_column writers;
    bool has_writers = writers_column(table, first, rows, &writers);
    rt_buffer_printf(out, "\n  element  %*s  %*s%s%s", expected.width, expected.title, got.width,
                     got.title, has_writers ? "  " : "", has_writers ? writers.title : "");
    for (uint32_t i = 0; i < rows; i++) {
        rt_buffer_printf(out, "\n%c %7" PRIu64 "  %*s  %*s", table->differs[first + i] ? '>' : ' ',
                         first + i, expected.width, expected.cells[i].text, got.width,
                         got.cells[i].text);
        if (has_writers && writers.cells[i].text[0])
            rt_buffer_printf(out, "  %s", writers.cells[i].text);
    }
    hint_write(out, table);
}
