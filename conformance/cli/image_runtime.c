/* The report of assay image show --runtime. Each process that registers images gets a runtime of
 * its own, and a kernel bundle in state input, in which nothing is compiled, answers for each
 * kernel which images would be linked. */
#include "conformance/cli/image_runtime.h"

#include "api/objects.h"
#include "conformance/cli/commands.h"
#include "conformance/cli/registrations.h"
#include "conformance/devices/devices.h"
#include "reference/base/demangle.h"
#include "reference/base/number.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum {
    TIMEOUT_S = 60,
    TIMEOUT_MAX_S = 86400,
    NAMES_SHOWN = 6, /* of a list, unless --list asks for all */
};

typedef struct image_report {
    rt_sink *sink;
    rt_arena arena;
    rt_buffer text;
    const char *device_name;
    bool lists_all;
    bool is_opened; /* a shared object was opened, not a program run */
    /* Of the process that is being reported. */
    assay_runtime *runtime;
    assay_device *device;
    rt_image_list *modules; /* per registration */
    uint32_t module_count;
    /* Of all processes. */
    uint32_t image_count, kernel_count, incomplete_count;
} image_report;

/* ---- Names --------------------------------------------------------------------------------- */

/* A name as in its source, or as it is. */
static rt_text name_shown(image_report *report, rt_text name)
{
    rt_text demangled = rt_demangle(&report->arena, name);
    return demangled.length > 0 ? demangled : name;
}

/* The number of names of a list that are shown. */
static uint32_t shown_count(const image_report *report, uint32_t count)
{
    return report->lists_all || count <= NAMES_SHOWN ? count : NAMES_SHOWN - 1;
}

/* Appends symbols after a label. */
static void symbols_append(image_report *report, const char *label, const rt_text *symbols,
                           uint32_t count)
{
    const uint32_t shown = shown_count(report, count);
    rt_buffer_printf(&report->text, "%s", label);
    for (uint32_t i = 0; i < shown; i++)
        rt_buffer_printf(&report->text, "%s%.*s", i == 0 ? "" : ", ",
                         RT_TEXT_ARG(name_shown(report, symbols[i])));
    if (shown < count) rt_buffer_printf(&report->text, ", and %u more", count - shown);
    rt_buffer_append_byte(&report->text, '\n');
}

/* ---- Modules ------------------------------------------------------------------------------- */

/* The size of an image's code in bytes; a record keeps only the code's beginning. The image's
 * number is in its name. */
static uint64_t code_size(const api_record *record, const rt_image *image)
{
    const char *slash = memrchr(image->name.data, '/', image->name.length);
    uint64_t number = 0;
    CHECK(slash);
    rt_text digits = rt_text_skip(image->name, (size_t)(slash - image->name.data) + 1);
    const bool is_number = rt_number_read(digits, 0, UINT32_MAX, &number);
    CHECK(is_number && number < record->binaries.count);
    return record->code_sizes[number];
}

static void image_append(image_report *report, const api_record *record, const rt_image *image)
{
    const rt_property_set *exports = rt_image_set(image, RT_SET_EXPORTED_SYMBOLS);
    const rt_property_set *imports = rt_image_set(image, RT_SET_IMPORTED_SYMBOLS);
    report->image_count++;
    rt_buffer_printf(&report->text,
                     "  image %.*s: %s, bytes: %llu, kernels: %u, exports: %u, imports: %u\n",
                     RT_TEXT_ARG(image->name), rt_format_target(image->format),
                     (unsigned long long)code_size(record, image), image->kernel_count,
                     exports ? exports->property_count : 0, imports ? imports->property_count : 0);
}

/* Registers the images of a record with the runtime, and describes them. */
static rt_status module_add(image_report *report, const api_record *record,
                            rt_image_list *out_images)
{
    rt_text path = record->path.length > 0 ? record->path : record->executable;
    *out_images = (rt_image_list){0};
    rt_buffer_printf(&report->text, "module %.*s\n", RT_TEXT_ARG(path));
    rt_buffer left_out = {0};
    assay_module *module;
    if (record->refusal.length > 0)
        return rt_fail(report->runtime->sink, RT_MALFORMED, RT_RULE_NONE, "%.*s",
                       RT_TEXT_ARG(record->refusal));
    rt_lock_take(&report->runtime->lock);
    rt_text name = api_module_name(report->runtime, path);
    rt_status status =
        api_images_copy(report->runtime, name, record->binaries, out_images, &left_out);
    if (rt_ok(status))
        status = api_module_add(report->runtime, name, path, *out_images, 0, &module);
    rt_lock_release(&report->runtime->lock);
    for (uint32_t i = 0; i < out_images->count; i++)
        image_append(report, record, &out_images->images[i]);
    rt_text rest = rt_buffer_text(&left_out);
    while (rest.length > 0)
        rt_buffer_printf(&report->text, "  left out: %.*s\n",
                         RT_TEXT_ARG(rt_text_take_until(&rest, '\n')));
    rt_buffer_free(&left_out);
    return status.code == RT_UNSUPPORTED ? RT_STATUS_OK : status;
}

/* ---- Kernels ------------------------------------------------------------------------------- */

static const rt_image *image_find(const image_report *report, const char *name)
{
    for (uint32_t m = 0; m < report->module_count; m++)
        for (uint32_t i = 0; i < report->modules[m].count; i++)
            if (rt_text_is(report->modules[m].images[i].name, name))
                return &report->modules[m].images[i];
    return NULL;
}

/* Appends an image that is linked with a bundle's others, and the symbols for which it is. */
static void provider_append(image_report *report, const assay_bundle *bundle, const rt_image *image)
{
    const rt_property_set *exports = rt_image_set(image, RT_SET_EXPORTED_SYMBOLS);
    RT_VECTOR(rt_text) provided = {0};
    for (uint32_t k = 0; exports && k < exports->property_count; k++) {
        bool is_imported = false;
        for (uint32_t i = 0; i < bundle->images.count && !is_imported; i++) {
            const rt_image *other = image_find(report, bundle->images.names[i]);
            is_imported = other && other != image &&
                          rt_property_set_has(rt_image_set(other, RT_SET_IMPORTED_SYMBOLS),
                                              exports->properties[k].name);
        }
        if (is_imported) *rt_vector_push(&provided) = exports->properties[k].name;
    }
    rt_text label =
        rt_arena_printf(&report->arena, "  linked with %.*s for ", RT_TEXT_ARG(image->name));
    if (provided.count > 0)
        symbols_append(report, label.data, provided.items, provided.count);
    else
        rt_buffer_printf(&report->text, "%sa set of virtual functions\n", label.data);
    rt_vector_free(&provided);
}

/* Appends what launches of the kernels link; the first stands for all of them. */
static void kernels_append(image_report *report, const rt_text *kernels, uint32_t count,
                           const assay_bundle *bundle, assay_status status)
{
    /* A line each, because the names of SYCL kernels are long. */
    const uint32_t shown = shown_count(report, count);
    for (uint32_t i = 0; i < shown; i++)
        rt_buffer_printf(&report->text, "kernel %.*s\n",
                         RT_TEXT_ARG(name_shown(report, kernels[i])));
    if (shown < count) rt_buffer_printf(&report->text, "and %u more kernels\n", count - shown);
    report->kernel_count += count;
    if (!assay_ok(status)) {
        rt_buffer_printf(&report->text, "  cannot run on %s: %s\n", report->device_name,
                         status.message);
        report->incomplete_count += count;
        return;
    }
    rt_buffer_printf(&report->text, "  image %s\n", bundle->images.names[0]);
    for (uint32_t i = 1; i < bundle->images.count; i++) {
        const rt_image *image = image_find(report, bundle->images.names[i]);
        if (image) provider_append(report, bundle, image);
    }
    const uint32_t unresolved_count = bundle->unresolved.count;
    rt_text *unresolved =
        rt_arena_alloc_array(&report->arena, unresolved_count, sizeof *unresolved);
    for (uint32_t i = 0; i < unresolved_count; i++)
        unresolved[i] = rt_text_of(bundle->unresolved.names[i]);
    if (unresolved_count == 0) return;
    symbols_append(report, "  unresolved: ", unresolved, unresolved_count);
    report->incomplete_count += count;
}

static bool links_same(const assay_bundle *a, const assay_bundle *b)
{
    bool is_same = a && b && a->images.count == b->images.count;
    for (uint32_t i = 0; is_same && i < a->images.count; i++)
        is_same = strcmp(a->images.names[i], b->images.names[i]) == 0;
    return is_same;
}

/* Appends the kernels of an image, together if launches of them link the same images. */
static void image_kernels_append(image_report *report, const rt_image *image)
{
    uint32_t begin = 0;
    assay_bundle *first = NULL;
    assay_status first_status = {0};
    for (uint32_t i = 0; i <= image->kernel_count; i++) {
        assay_bundle *bundle = NULL;
        assay_status status = {0};
        if (i < image->kernel_count) {
            const char *name = rt_arena_text(&report->arena, image->kernels[i]).data;
            status = assay_bundle_get(report->device, NULL, ASSAY_BUNDLE_INPUT, &name, 1, NULL, 0,
                                      &bundle);
        }
        const bool is_more = i == begin || (i < image->kernel_count && links_same(first, bundle));
        if (!is_more)
            kernels_append(report, image->kernels + begin, i - begin, first, first_status);
        if (is_more && i > begin) continue;
        begin = i;
        first = bundle;
        first_status = status;
    }
}

/* ---- Processes ----------------------------------------------------------------------------- */

/* Reports the registrations of one process. */
static rt_status process_append(image_report *report, const api_record *records, uint32_t count)
{
    const assay_options options = {.isolated = true};
    report->runtime = assay_runtime_create(&options);
    report->modules = rt_arena_alloc_array(&report->arena, count, sizeof *report->modules);
    report->module_count = count;
    assay_status opened = assay_device_open(report->runtime, report->device_name, &report->device);
    rt_status status = RT_STATUS_OK;
    if (!assay_ok(opened))
        status = rt_fail(report->sink, RT_UNAVAILABLE, RT_RULE_NONE, "--on %s: %s",
                         report->device_name, opened.message);
    else if (!report->is_opened)
        rt_buffer_printf(&report->text, "program %.*s\n", RT_TEXT_ARG(records[0].executable));
    for (uint32_t i = 0; i < count && rt_ok(status); i++) {
        rt_status added = module_add(report, &records[i], &report->modules[i]);
        if (!rt_ok(added))
            rt_buffer_printf(&report->text, "  not registered: %s\n",
                             api_status(report->runtime, added).message);
    }
    for (uint32_t m = 0; m < count && rt_ok(status); m++)
        for (uint32_t i = 0; i < report->modules[m].count; i++)
            image_kernels_append(report, &report->modules[m].images[i]);
    assay_runtime_destroy(report->runtime);
    return status;
}

static rt_status processes_append(image_report *report, const cnf_registrations *registrations)
{
    const api_record *records = registrations->records.items;
    for (uint32_t begin = 0, end; begin < registrations->records.count; begin = end) {
        for (end = begin + 1; end < registrations->records.count; end++)
            if (records[end].process != records[begin].process ||
                records[end].program != records[begin].program)
                break;
        RT_TRY(process_append(report, records + begin, end - begin));
    }
    return RT_STATUS_OK;
}

/* ---- The command --------------------------------------------------------------------------- */

static int report_finish(image_report *report)
{
    if (report->image_count == 0) {
        const int shown = cnf_command_finish(&report->text, "the report");
        fprintf(stderr, "assay: the program registered no device images\n");
        return shown == CNF_EXIT_EXPECTED ? CNF_EXIT_NOTHING_RAN : shown;
    }
    rt_buffer_printf(&report->text, "images: %u, kernels: %u, of which cannot be linked: %u\n",
                     report->image_count, report->kernel_count, report->incomplete_count);
    const int printed = cnf_command_finish(&report->text, "the report");
    if (printed != CNF_EXIT_EXPECTED) return printed;
    return report->incomplete_count == 0 ? CNF_EXIT_EXPECTED : CNF_EXIT_UNEXPECTED;
}

/* Refuses a device that does not exist, before the program runs. */
static bool device_check(const char *name)
{
    if (cnf_device_find(rt_text_of(name))) return true;
    const char **names = rt_alloc_array(cnf_device_count, sizeof *names);
    for (uint32_t i = 0; i < cnf_device_count; i++)
        names[i] = cnf_devices[i].name;
    cnf_command_unknown("--on: ", "device", name, names, cnf_device_count);
    rt_free(names);
    return false;
}

/* Makes the device's driver the one that this process finds. The program has run by then. */
static void environment_set(image_report *report)
{
    const cnf_device *device = cnf_device_find(rt_text_of(report->device_name));
    const char *const *variables =
        device->environment ? device->environment(&report->arena, (rt_text){0}) : NULL;
    for (; variables && *variables; variables++) {
        rt_text value = rt_text_of(*variables);
        rt_text name = rt_arena_text(&report->arena, rt_text_take_until(&value, '='));
        setenv(name.data, value.data, 1);
    }
}

int cnf_image_runtime(const cnf_arguments *arguments)
{
    const char *device = arguments->values[CNF_OPTION_ON];
    uint64_t timeout_s;
    if (device && !device_check(device)) return CNF_EXIT_USAGE;
    if (!cnf_command_number(arguments, CNF_OPTION_TIMEOUT, "--timeout", 1, TIMEOUT_MAX_S, TIMEOUT_S,
                            &timeout_s))
        return CNF_EXIT_USAGE;
    image_report report = {.sink = rt_sink_create(),
                           .device_name = device ? device : "sim",
                           .lists_all = arguments->values[CNF_OPTION_LIST] != NULL};
    cnf_registrations registrations;
    rt_status status =
        cnf_registrations_observe(report.sink, arguments->paths + 1, arguments->path_count - 1,
                                  (uint32_t)timeout_s * 1000, &registrations);
    report.is_opened = registrations.is_opened;
    environment_set(&report);
    if (rt_ok(status)) status = processes_append(&report, &registrations);
    int exit_status = CNF_EXIT_INFRASTRUCTURE;
    if (rt_ok(status))
        exit_status = report_finish(&report);
    else
        cnf_command_fail(report.sink, status, (rt_text){0});
    rt_buffer_free(&report.text);
    cnf_registrations_free(&registrations);
    rt_arena_reset(&report.arena);
    rt_sink_destroy(report.sink);
    return exit_status;
}

int cnf_open_main(int argument_count, char **arguments)
{
    if (argument_count != 3) {
        fprintf(stderr, "assay: usage: assay open LIBRARY FILE\n");
        return CNF_EXIT_USAGE;
    }
    if (dlopen(arguments[1], RTLD_NOW | RTLD_GLOBAL) && dlopen(arguments[2], RTLD_NOW))
        return CNF_EXIT_EXPECTED;
    fprintf(stderr, "assay: %s\n", dlerror());
    return CNF_EXIT_UNEXPECTED;
}
