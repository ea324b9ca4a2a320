/* Compares the trace with the OpenCL layer's log: this detects a runtime that claims calls its
 * driver never received, or makes calls that it does not claim, even if its results are correct.
 *
 * Trace and log are reduced to items, each an event and its object; claims and calls are counted
 * per item.
 */
#include "conformance/subject/layer.h"

#include "reference/base/vector.h"

#include <string.h>

typedef struct layer_item {
    rt_event_kind kind;
    rt_text what;
    uint32_t claimed, seen;
} layer_item;

typedef struct layer_counts {
    rt_arena *arena;
    bool by_tool;
    const cnf_image_name *names;
    uint32_t name_count;
    uint32_t refused; /* refused steps, each of which may have stopped a build before it reached the
                       * driver */
    RT_VECTOR(layer_item) items;
} layer_counts;

static layer_item *item_find(layer_counts *counts, rt_event_kind kind, rt_text what)
{
    for (uint32_t i = 0; i < counts->items.count; i++) {
        layer_item *item = &counts->items.items[i];
        if (item->kind == kind && rt_text_equal(item->what, what)) return item;
    }
    layer_item *added = rt_vector_push(&counts->items);
    *added = (layer_item){.kind = kind, .what = what};
    return added;
}

/* ---- The object of an event ----------------------------------------------------------------- */

/* Names each image after the first image with the same code, because a driver cannot distinguish
 * images with the same code. */
static rt_text about_images(const layer_counts *counts, const rt_text *images, uint32_t count)
{
    rt_buffer text = {0};
    for (uint32_t i = 0; i < count; i++) {
        rt_text name = images[i];
        for (uint32_t k = 0; k < counts->name_count; k++) {
            if (!rt_text_equal(counts->names[k].name, images[i])) continue;
            rt_hash_text hash = rt_hash_print(counts->names[k].hash);
            name = cnf_image_name_find(counts->names, counts->name_count, rt_text_of(hash.digits));
            break;
        }
        rt_buffer_printf(&text, "%s%.*s", i == 0 ? (count == 1 ? "image " : "images ") : ", ",
                         RT_TEXT_ARG(name));
    }
    rt_text copy = rt_arena_text(counts->arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
    return copy;
}

static rt_text about_kernel(const layer_counts *counts, rt_text kernel)
{
    return rt_arena_printf(counts->arena, "kernel %.*s", RT_TEXT_ARG(kernel));
}

/* ---- Claims --------------------------------------------------------------------------------- */

static rt_text field_text(const rt_event *event, const char *key)
{
    const rt_event_field *field = rt_event_field_find(event, rt_text_of(key));
    return field && field->value_count == 1 ? field->values[0] : (rt_text){0};
}

static rt_text field_images(const layer_counts *counts, const rt_event *event, const char *key)
{
    const rt_event_field *field = rt_event_field_find(event, rt_text_of(key));
    CHECK(field != NULL);
    return about_images(counts, field->values, field->value_count);
}

/* Stands for a program from the persistent cache, whose code is the driver's own and not an
 * image's. */
static const rt_text cached_program = {"a program of the persistent cache", 33};

static void claim(layer_counts *counts, const rt_event *event)
{
    bool by_tool = counts->by_tool;
    rt_text what = {0};
    switch (event->kind) {
    case RT_EVENT_PERSISTENT_HIT:
    case RT_EVENT_PERSISTENT_REJECT: {
        /* A program found in the cache is passed to the driver and built. A program that the device
         * then refuses was passed to the driver too; a program that the cache itself rejects never
         * reaches it. */
        bool is_hit = event->kind == RT_EVENT_PERSISTENT_HIT;
        bool tried = is_hit || rt_code_find(field_text(event, "reason")) != RT_CODE_COUNT;
        if (!by_tool) what = cached_program;
        if (tried) item_find(counts, RT_EVENT_CREATE, what)->claimed++;
        if (is_hit) item_find(counts, RT_EVENT_BUILD, what)->claimed++;
        return;
    }
    case RT_EVENT_ERROR: counts->refused++; return;
    case RT_EVENT_CREATE:
    case RT_EVENT_LINK: {
        /* If a tool links a device's programs, the driver receives only whole programs. */
        bool is_link = event->kind == RT_EVENT_LINK;
        bool executable = is_link || rt_text_is(field_text(event, "executable"), "true");
        if (!by_tool) what = field_images(counts, event, is_link ? "inputs" : "image");
        if (!by_tool || executable)
            item_find(counts, by_tool ? RT_EVENT_CREATE : event->kind, what)->claimed++;
        return;
    }
    case RT_EVENT_BUILD:
        if (!by_tool) what = field_images(counts, event, "images");
        item_find(counts, RT_EVENT_BUILD, what)->claimed++;
        return;
    case RT_EVENT_KERNEL_CREATE:
    case RT_EVENT_LAUNCH:
        what = about_kernel(counts, field_text(event, "kernel"));
        item_find(counts, event->kind, what)->claimed++;
        return;
    default: return; /* drivers can move data in more than one way */
    }
}

/* ---- Calls ---------------------------------------------------------------------------------- */

static void see(layer_counts *counts, const cnf_observed *observed)
{
    /* Programs and links are claimed before they are attempted, everything else afterwards. */
    bool is_attempt = observed->kind == RT_EVENT_CREATE || observed->kind == RT_EVENT_LINK;
    bool is_kernel = observed->kind == RT_EVENT_KERNEL_CREATE || observed->kind == RT_EVENT_LAUNCH;
    if (!is_attempt && !observed->ok) return;
    rt_text what = {0};
    if (is_kernel) {
        what = about_kernel(counts, observed->kernel);
    } else if (!counts->by_tool) {
        what = about_images(counts, observed->images, observed->image_count);
        /* Code that belongs to no image is attributed to the cache while the cache has provided a
         * program that has not been observed yet; so is that of an image compiled ahead of time, as
         * often as it exceeds the image's claims: the driver's binary of its program may be equal.
         */
        rt_text first = observed->image_count == 1 ? observed->images[0] : (rt_text){0};
        const layer_item *of_image = item_find(counts, observed->kind, what);
        bool is_surplus = of_image->seen >= of_image->claimed;
        if (first.length > 0 && (is_surplus || memchr(first.data, ':', first.length))) {
            const layer_item *cached = item_find(counts, observed->kind, cached_program);
            if (cached->seen < cached->claimed) what = cached_program;
        }
    }
    item_find(counts, observed->kind, what)->seen++;
}

/* ---- Differences ---------------------------------------------------------------------------- */

void cnf_layer_compare(rt_arena *arena, rt_trace *trace, bool by_tool, const cnf_image_name *names,
                       uint32_t name_count, cnf_observations observations,
                       const cnf_layer_difference **out_differences, uint32_t *out_count)
{
    layer_counts counts = {
        .arena = arena, .by_tool = by_tool, .names = names, .name_count = name_count};
    for (uint32_t i = 0, count = rt_trace_count(trace); i < count; i++)
        claim(&counts, rt_trace_event(trace, i));
    for (uint32_t i = 0; i < observations.count; i++)
        see(&counts, &observations.items[i]);
    cnf_layer_difference *differences =
        rt_arena_alloc_array(arena, counts.items.count, sizeof *differences);
    *out_count = 0;
    for (int kind = 0; kind < RT_EVENT_COUNT; kind++) {
        for (uint32_t i = 0; i < counts.items.count; i++) {
            const layer_item *item = &counts.items.items[i];
            if (item->kind != (rt_event_kind)kind || item->claimed == item->seen) continue;
            /* Missing programs and links count only if no refused step explains them. */
            bool is_attempt = item->kind == RT_EVENT_CREATE || item->kind == RT_EVENT_LINK;
            uint32_t missing = item->claimed > item->seen ? item->claimed - item->seen : 0;
            if (is_attempt && missing > 0 && missing <= counts.refused) {
                counts.refused -= missing;
                continue;
            }
            differences[(*out_count)++] =
                (cnf_layer_difference){item->kind, item->claimed, item->seen, item->what};
        }
    }
    CHECK(*out_count <= counts.items.count);
    *out_differences = differences;
    rt_vector_free(&counts.items);
}

/* ---- The check ------------------------------------------------------------------------------ */

const cnf_image_name *cnf_scenario_images(cnf_execution *execution, uint32_t *out_count)
{
    const scn_scenario *scenario = execution->scenario;
    RT_VECTOR(const rt_image *) images = {0};
    for (uint32_t m = 0; m < scenario->module_count; m++)
        for (uint32_t i = 0; i < scenario->modules[m].images.count; i++)
            *rt_vector_push(&images) = &scenario->modules[m].images.images[i];
    *out_count = images.count;
    const cnf_image_name *names =
        cnf_image_names_make(&execution->arena, images.items, images.count);
    rt_vector_free(&images);
    return names;
}

/* Emits the check that describes the differences. The check's code and place contain nothing from
 * the driver, because a name that occurs only in the log may be the driver's invention. */
static void judge_differences(cnf_execution *execution, const cnf_layer_difference *differences,
                              uint32_t count)
{
    enum { LISTED_MAX = 8 };
    CHECK(count > 0 && differences[0].seen != differences[0].claimed);
    rt_buffer message = {0};
    rt_buffer_printf(&message, "the trace differs from the calls to the OpenCL driver "
                               "that the OpenCL layer recorded (assay why shows the last ones):\n");
    for (uint32_t i = 0; i < count && i < LISTED_MAX; i++) {
        const cnf_layer_difference *difference = &differences[i];
        rt_buffer_printf(&message, "  %s", rt_event_name(difference->kind));
        if (difference->what.length > 0)
            rt_buffer_printf(&message, " of %.*s", RT_TEXT_ARG(difference->what));
        rt_buffer_printf(&message, ": the trace has %u, the driver was called %u time%s\n",
                         difference->claimed, difference->seen, difference->seen == 1 ? "" : "s");
    }
    if (count > LISTED_MAX) rt_buffer_printf(&message, "  and %u more\n", count - LISTED_MAX);
    const cnf_layer_difference *first = &differences[0];
    bool is_unclaimed = first->seen > first->claimed;
    cnf_judged(execution, &(cnf_emitted_check){
                              .step = SCN_NONE,
                              .kind = "layer",
                              .what = rt_text_of(rt_event_name(first->kind)),
                              .observed = true,
                              .code = is_unclaimed ? RT_TEXT("unclaimed") : RT_TEXT("unseen"),
                              .place = first->claimed > 0 ? first->what : (rt_text){0},
                              .message = rt_buffer_text(&message),
                          });
    rt_buffer_free(&message);
}

/* Reports that no comparison is possible; `observed`: the log exists, but is malformed. */
static void judge_unread(cnf_execution *execution, const char *code, rt_text message, bool observed)
{
    const cnf_emitted_check check = {
        .step = SCN_NONE,
        .kind = "layer",
        .what = RT_TEXT("log"),
        .ok = !observed,
        .observed = observed,
        .code = rt_text_of(code),
        .message = message,
    };
    cnf_judged(execution, &check);
}

/* The scenario's images, and those created while it ran. */
static const cnf_image_name *known_images(cnf_execution *execution, uint32_t *out_count)
{
    uint32_t known, event_count = rt_trace_count(execution->runtime->trace);
    const cnf_image_name *declared = cnf_scenario_images(execution, &known);
    cnf_image_name *names =
        rt_arena_alloc_array(&execution->arena, known + event_count, sizeof *names);
    memcpy(names, declared, known * sizeof *names);
    *out_count = known;
    for (uint32_t i = 0; i < event_count; i++) {
        const rt_event *event = rt_trace_event(execution->runtime->trace, i);
        if (event->kind != RT_EVENT_INJECT) continue;
        cnf_image_name *name = &names[(*out_count)++];
        name->name = field_text(event, "image");
        bool read = rt_hash_read(field_text(event, "code"), &name->hash);
        CHECK(read);
    }
    return names;
}

static void judge_log(cnf_execution *execution, const ocl_call_log *log)
{
    uint32_t name_count, count;
    const cnf_image_name *names = known_images(execution, &name_count);
    const cnf_layer_difference *differences;
    cnf_layer_compare(&execution->arena, execution->runtime->trace,
                      execution->runtime->capabilities.links_with_tool, names, name_count,
                      cnf_observe(&execution->arena, log, names, name_count), &differences, &count);
    if (count > 0) judge_differences(execution, differences, count);
}

void cnf_judge_layer(cnf_execution *execution)
{
    if (!execution->layer) return;
    rt_buffer text = {0};
    ocl_call_log log = {0};
    bool readable = cnf_layer_read(execution->layer, &text);
    rt_status status = RT_STATUS_OK;
    if (readable)
        status = ocl_call_log_read(execution->sink, &execution->arena, rt_buffer_text(&text), false,
                                   &log);
    rt_buffer_free(&text);
    if (!rt_ok(status))
        judge_unread(execution, "malformed", rt_sink_diagnostic(execution->sink, status)->message,
                     true);
    else if (!execution->layer->found)
        judge_unread(execution, "not-found",
                     RT_TEXT("the OpenCL layer " OCL_LAYER_FILE
                             " is not next to assay: build or install all of assay"),
                     false);
    else if (!readable || log.process_count == 0)
        judge_unread(execution, "not-loaded",
                     RT_TEXT("the OpenCL loader did not load the layer " OCL_LAYER_FILE
                             ": use a loader that supports OPENCL_LAYERS (ocl-icd 2.3.0 or newer)"),
                     false);
    else if (log.is_full)
        judge_unread(execution, "full",
                     RT_TEXT("the OpenCL layer's log is full: the scenario makes more calls than "
                             "the log can hold"),
                     false);
    else
        judge_log(execution, &log);
}
