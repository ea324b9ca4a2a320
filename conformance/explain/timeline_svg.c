/* The timeline as a picture. It is generated here because a table of events needs no layout
 * program. Time runs downwards, one row per event, so that titles do not overlap and a narrow
 * screen scrolls as usual. A lane shows a queue, or the events without a queue; a curve leads from
 * a command to each command that waits for it; a bar next to a queue's lane shows a fusion. Source:
 * SVG 1.1; WAI-ARIA 1.2, role "img". */
#include "conformance/explain/timeline.h"

#include "conformance/explain/dot_internal.h"
#include "conformance/explain/timeline_internal.h"

#include <stdlib.h>

/* Pixels. */
enum {
    NUMBER_WIDTH = 44,
    LANE_WIDTH = 236,
    ROW_HEIGHT = 24,
    HEAD_HEIGHT = 34,
    BOX_LEFT = 26, /* from the lane's left edge; curves use the space before it */
    BOX_WIDTH = 196,
    BOX_HEIGHT = 18,
    SPAN_LEFT = 226,
    BEND = 22,     /* distance of a curve's control points from the boxes */
    TEXT_MAX = 30, /* bytes of a title that fit into a box */
};

/* Colours follow the reader's preference for light or dark pages. */
static const char style[] =
    "<style>.tl{font:12px Helvetica,Arial,sans-serif}.tl text{fill:#202124}.tl .n{fill:#5f6368}"
    ".tl .l{stroke:#dadce0}.tl .b{fill:#d2e3fc;stroke:#1a56a8}.tl .d{fill:#5f6368}"
    ".tl .a{fill:none;stroke:#9a4b00;stroke-width:1.5}.tl .h{fill:#9a4b00}.tl .s{fill:#b39ddb}"
    "@media(prefers-color-scheme:dark){.tl text{fill:#e8eaed}.tl .n{fill:#9aa0a6}"
    ".tl .l{stroke:#3c4043}.tl .b{fill:#1f3a5f;stroke:#8ab4f8}.tl .d{fill:#9aa0a6}"
    ".tl .a{stroke:#fdb462}.tl .h{fill:#fdb462}.tl .s{fill:#7e57c2}}</style>\n";

typedef RT_VECTOR(uint64_t) lane_list;

typedef struct timeline {
    rt_buffer *out;
    const cnf_history *history;
    lane_list lanes; /* threads, ascending; the first is the runtime's */
    cnf_place_list places;
    rt_map fusions; /* id of a fusion -> the row in which it became active */
} timeline;

/* ---- Places -------------------------------------------------------------------------------- */

static int thread_compare(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static void lanes_find(timeline *drawing)
{
    lane_list threads = {0};
    *rt_vector_push(&threads) = CNF_RUNTIME_THREAD;
    for (uint32_t i = 0; i < drawing->history->event_count; i++)
        *rt_vector_push(&threads) = cnf_event_thread(&drawing->history->events[i]);
    qsort(threads.items, threads.count, sizeof *threads.items, thread_compare);
    for (uint32_t i = 0; i < threads.count; i++)
        if (i == 0 || threads.items[i] != threads.items[i - 1])
            *rt_vector_push(&drawing->lanes) = threads.items[i];
    rt_vector_free(&threads);
}

static uint32_t lane_left(const timeline *drawing, const rt_event *event)
{
    uint64_t thread = cnf_event_thread(event);
    CHECK(drawing->lanes.items);
    const uint64_t *lane =
        bsearch(&thread, drawing->lanes.items, drawing->lanes.count, sizeof thread, thread_compare);
    CHECK(lane);
    return NUMBER_WIDTH + (uint32_t)(lane - drawing->lanes.items) * LANE_WIDTH;
}

static uint32_t row_middle(uint32_t row)
{
    return HEAD_HEIGHT + row * ROW_HEIGHT + ROW_HEIGHT / 2;
}

/* ---- Parts --------------------------------------------------------------------------------- */

static void write_text(rt_buffer *out, uint32_t x, uint32_t y, const rt_event *event)
{
    rt_buffer title = {0};
    cnf_event_title(&title, event);
    rt_text text = rt_buffer_text(&title);
    rt_buffer_printf(out, "<text x=\"%u\" y=\"%u\">", x, y + 4);
    if (text.length > TEXT_MAX) { /* the full text as a tooltip; in the box, as much as fits */
        cnf_dot_cell_text(out, "<title>", text);
        cnf_dot_cell_text(out, "</title>", rt_text_cut(text, TEXT_MAX - 1));
        rt_buffer_printf(out, "&#8230;");
    } else {
        cnf_dot_cell_text(out, "", text);
    }
    rt_buffer_printf(out, "</text>\n");
    rt_buffer_free(&title);
}

/* Writes a curve with an arrowhead to the command from each command that it waits for: to the left
 * of the boxes if both are in one lane, otherwise from lane to lane. Between lanes, the curve ends
 * at the side of the box that faces its origin. */
static void write_arrows(timeline *drawing, uint32_t row)
{
    const rt_event *events = drawing->history->events;
    cnf_place_list before = {0};
    cnf_places_of_after(&drawing->places, rt_event_field_find(&events[row], RT_TEXT("after")),
                        &before);
    for (uint32_t i = 0; i < before.count; i++) {
        uint32_t from = before.items[i];
        CHECK(from < drawing->history->event_count);
        uint32_t begin = lane_left(drawing, &events[from]), end = lane_left(drawing, &events[row]);
        bool leaves_right = begin < end, enters_right = end < begin;
        uint32_t from_x = begin + BOX_LEFT + (leaves_right ? BOX_WIDTH : 0);
        uint32_t to_x = end + BOX_LEFT + (enters_right ? BOX_WIDTH : 0);
        uint32_t from_bend = leaves_right ? from_x + BEND : from_x - BEND;
        uint32_t to_bend = enters_right ? to_x + BEND : to_x - BEND;
        uint32_t from_y = row_middle(from), to_y = row_middle(row);
        rt_buffer_printf(drawing->out, "<path class=\"a\" d=\"M%u %uC%u %u %u %u %u %u\"/>", from_x,
                         from_y, from_bend, from_y, to_bend, to_y, to_x, to_y);
        rt_buffer_printf(drawing->out, "<path class=\"h\" d=\"M%u %ul%d -4v8z\"/>\n", to_x, to_y,
                         enters_right ? 7 : -7);
    }
    rt_vector_free(&before);
    cnf_place_note(&drawing->places, &events[row], row);
}

/* Writes a fusion's bar, which lasts from ACTIVE to the next status. */
static void write_span(timeline *drawing, uint32_t row)
{
    const rt_event *event = &drawing->history->events[row];
    rt_text status = cnf_event_text(event, "status"), id = cnf_event_text(event, "fusion");
    if (rt_text_is(status, "ACTIVE")) {
        rt_map_set(&drawing->fusions, id, row);
        return;
    }
    uint32_t begin = rt_map_find(&drawing->fusions, id);
    if (begin == RT_MAP_NONE) return;
    rt_map_remove(&drawing->fusions, id);
    uint32_t x = lane_left(drawing, event) + SPAN_LEFT, y = row_middle(begin);
    rt_buffer_printf(drawing->out,
                     "<rect class=\"s\" x=\"%u\" y=\"%u\" width=\"6\" height=\"%u\" rx=\"3\">"
                     "<title>fusion ",
                     x, y, row_middle(row) - y);
    cnf_dot_cell_text(drawing->out, "", id);
    rt_buffer_printf(drawing->out, "</title></rect>\n");
}

static void write_row(timeline *drawing, uint32_t row)
{
    const rt_event *event = &drawing->history->events[row];
    uint32_t x = lane_left(drawing, event) + BOX_LEFT, y = row_middle(row);
    rt_buffer_printf(drawing->out,
                     "<text class=\"n\" x=\"%u\" y=\"%u\" text-anchor=\"end\">%u</text>",
                     NUMBER_WIDTH - 8, y + 4, row);
    if (event->kind == RT_EVENT_RESTART) drawing->places.count = 0;
    if (event->kind == RT_EVENT_RESTART) rt_map_free(&drawing->fusions);
    if (event->kind == RT_EVENT_FUSION_STATUS) write_span(drawing, row);
    if (cnf_event_is_command(event)) {
        write_arrows(drawing, row);
        rt_buffer_printf(
            drawing->out,
            "<rect class=\"b\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" rx=\"4\"/>", x,
            y - BOX_HEIGHT / 2, BOX_WIDTH, BOX_HEIGHT);
    } else {
        rt_buffer_printf(drawing->out, "<circle class=\"d\" cx=\"%u\" cy=\"%u\" r=\"3\"/>", x, y);
    }
    write_text(drawing->out, x + 8, y, event);
}

void cnf_timeline_svg(rt_buffer *out, rt_text trace, rt_text title)
{
    rt_arena arena = {0};
    cnf_history history;
    cnf_history_read(&arena, trace, &history);
    timeline drawing = {.out = out, .history = &history};
    lanes_find(&drawing);
    uint32_t width = NUMBER_WIDTH + drawing.lanes.count * LANE_WIDTH + 8;
    uint32_t height = HEAD_HEIGHT + history.event_count * ROW_HEIGHT + 8;
    rt_buffer_printf(out,
                     "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tl\" width=\"%u\" "
                     "height=\"%u\" viewBox=\"0 0 %u %u\" role=\"img\" aria-label=\"Timeline of ",
                     width, height, width, height);
    cnf_dot_cell_text(out, "", title);
    rt_buffer_printf(out, "\">\n%s", style);
    for (uint32_t i = 0; i < drawing.lanes.count; i++) {
        uint32_t x = NUMBER_WIDTH + i * LANE_WIDTH;
        rt_buffer_printf(out, "<path class=\"l\" d=\"M%u 0V%u\"/><text x=\"%u\" y=\"20\">", x,
                         height, x + BOX_LEFT);
        cnf_thread_title(out, drawing.lanes.items[i]);
        rt_buffer_printf(out, "</text>\n");
    }
    for (uint32_t i = 0; i < history.event_count; i++)
        write_row(&drawing, i);
    rt_buffer_printf(out, "</svg>\n");
    rt_map_free(&drawing.fusions);
    rt_vector_free(&drawing.places);
    rt_vector_free(&drawing.lanes);
    cnf_history_free(&history);
    rt_arena_reset(&arena);
}
