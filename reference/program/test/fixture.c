/* Images built from lists of names. */
#include "reference/program/test/fixture.h"

#include "reference/image/device_global.h"
#include "reference/image/virtual_functions.h"

#include <string.h>

static uint32_t split_names(rt_arena *arena, const char *list, rt_text **out_names)
{
    uint32_t count = 0;
    *out_names = rt_arena_alloc_array(arena, 16, sizeof **out_names);
    for (const char *at = list ? list : ""; *at;) {
        size_t length = strcspn(at, " ");
        CHECK(count < 16);
        (*out_names)[count++] = (rt_text){at, length};
        at += length;
        at += strspn(at, " ");
    }
    return count;
}

static rt_property_set symbol_set(rt_arena *arena, rt_text set_name, const char *list)
{
    rt_text *names;
    uint32_t count = split_names(arena, list, &names);
    rt_property *properties = rt_arena_alloc_array(arena, count, sizeof *properties);
    for (uint32_t i = 0; i < count; i++) {
        properties[i] = (rt_property){.name = names[i], .type = RT_PROPERTY_UINT32, .number = 1};
    }
    return (rt_property_set){set_name, properties, count};
}

static rt_bytes kept_bytes(rt_arena *arena, const rt_buffer *buffer)
{
    return rt_arena_bytes(arena, rt_buffer_bytes(buffer));
}

static rt_property_set constant_set(rt_arena *arena, const char *list,
                                    rt_property_set *out_defaults)
{
    rt_text *names;
    uint32_t count = split_names(arena, list, &names);
    rt_property *properties = rt_arena_alloc_array(arena, count, sizeof *properties);
    rt_buffer defaults = {0};
    for (uint32_t i = 0; i < count; i++) {
        rt_buffer descriptor = {0};
        rt_write_u32(&descriptor, i + 1);
        rt_write_u32(&descriptor, 0); /* offset within the scalar */
        rt_write_u32(&descriptor, 4);
        properties[i] = (rt_property){
            .name = names[i], .type = RT_PROPERTY_BYTES, .bytes = kept_bytes(arena, &descriptor)};
        rt_buffer_free(&descriptor);
        rt_write_u32(&defaults, 7);
    }
    rt_property *defaults_block = rt_arena_alloc(arena, sizeof *defaults_block);
    *defaults_block = (rt_property){.name = RT_TEXT("all"), .type = RT_PROPERTY_BYTES};
    if (count > 0) defaults_block->bytes = kept_bytes(arena, &defaults);
    rt_buffer_free(&defaults);
    *out_defaults = (rt_property_set){RT_TEXT(RT_SET_SPEC_CONSTANT_DEFAULTS), defaults_block, 1};
    return (rt_property_set){RT_TEXT(RT_SET_SPEC_CONSTANTS), properties, count};
}

static rt_property_set requirement_set(rt_arena *arena, uint32_t aspect)
{
    rt_buffer aspects = {0};
    rt_write_u32(&aspects, aspect);
    rt_property *property = rt_arena_alloc(arena, sizeof *property);
    *property = (rt_property){.name = RT_TEXT("aspects"),
                              .type = RT_PROPERTY_BYTES,
                              .bytes = kept_bytes(arena, &aspects)};
    rt_buffer_free(&aspects);
    return (rt_property_set){RT_TEXT(RT_SET_DEVICE_REQUIREMENTS), property, 1};
}

static rt_property_set global_set(rt_arena *arena, const char *list)
{
    rt_text *names;
    uint32_t count = split_names(arena, list, &names);
    rt_property *properties = rt_arena_alloc_array(arena, count, sizeof *properties);
    for (uint32_t i = 0; i < count; i++) {
        rt_buffer value = {0};
        bool scoped = names[i].data[names[i].length - 1] == '!';
        rt_device_global_value_write(&value, (rt_device_global_value){4, scoped});
        properties[i] = (rt_property){.name = {names[i].data, names[i].length - scoped},
                                      .type = RT_PROPERTY_BYTES,
                                      .bytes = kept_bytes(arena, &value)};
        rt_buffer_free(&value);
    }
    return (rt_property_set){RT_TEXT(RT_SET_DEVICE_GLOBALS), properties, count};
}

/* Parses "provides=a calls=a,b"; if is_dummy, adds the property that marks a dummy. */
static rt_property_set virtual_function_set(rt_arena *arena, const char *list, bool is_dummy)
{
    static const struct {
        const char *key, *property;
    } rows[] = {{"provides=", RT_VIRTUAL_FUNCTIONS_PROVIDES},
                {"calls=", RT_VIRTUAL_FUNCTIONS_CALLS},
                {"creates=", RT_VIRTUAL_FUNCTIONS_CREATES},
                {"uses=", RT_VIRTUAL_FUNCTIONS_USES}};
    rt_text *words;
    uint32_t word_count = split_names(arena, list, &words), count = 0;
    rt_property *properties = rt_arena_alloc_array(arena, word_count + 1, sizeof *properties);
    for (uint32_t i = 0; i < word_count; i++) {
        size_t row = 0;
        while (!rt_text_starts(words[i], rows[row].key))
            CHECK(++row < sizeof rows / sizeof *rows);
        size_t at = strlen(rows[row].key);
        properties[count++] =
            (rt_property){.name = rt_text_of(rows[row].property),
                          .type = RT_PROPERTY_BYTES,
                          .bytes = {(const uint8_t *)words[i].data + at, words[i].length - at}};
    }
    if (is_dummy)
        properties[count++] = (rt_property){
            .name = RT_TEXT(RT_VIRTUAL_FUNCTIONS_DUMMY), .type = RT_PROPERTY_UINT32, .number = 1};
    return (rt_property_set){RT_TEXT(RT_SET_VIRTUAL_FUNCTIONS), properties, count};
}

static rt_property_set kernel_call_set(rt_arena *arena, const char *list)
{
    rt_text *words;
    uint32_t count = split_names(arena, list, &words);
    rt_property *properties = rt_arena_alloc_array(arena, count, sizeof *properties);
    for (uint32_t i = 0; i < count; i++) {
        const char *equals = memchr(words[i].data, '=', words[i].length);
        CHECK(equals);
        size_t length = (size_t)(equals - words[i].data);
        properties[i] =
            (rt_property){.name = {words[i].data, length},
                          .type = RT_PROPERTY_BYTES,
                          .bytes = {(const uint8_t *)equals + 1, words[i].length - length - 1}};
    }
    return (rt_property_set){RT_TEXT(RT_SET_KERNEL_CALLS), properties, count};
}

static rt_property_set ir_set(rt_arena *arena, const char *ir)
{
    rt_property *property = rt_arena_alloc(arena, sizeof *property);
    *property = (rt_property){.name = RT_TEXT(RT_EMBEDDED_IR_PROPERTY),
                              .type = RT_PROPERTY_BYTES,
                              .bytes = {(const uint8_t *)ir, strlen(ir)}};
    return (rt_property_set){RT_TEXT(RT_SET_EMBEDDED_IR), property, 1};
}

/* Bytes of which the device checks nothing.  As in SPIR-V, the names of the imports are literals:
 * each begins at a word and is padded with NUL bytes. */
static rt_bytes code_make(rt_arena *arena, const fixture_module *module, bool is_dummy)
{
    rt_text *imports;
    uint32_t import_count = split_names(arena, module->imports, &imports);
    rt_buffer text = {0};
    for (uint32_t i = 0; i < import_count; i++) {
        rt_buffer_append_text(&text, imports[i]);
        do
            rt_buffer_append_byte(&text, '\0');
        while (text.size % sizeof(uint32_t) != 0);
    }
    rt_buffer_printf(&text, "%s of %s", is_dummy ? "nothing" : "code", module->name);
    rt_bytes code = rt_arena_bytes(arena, (rt_bytes){(const uint8_t *)text.data, text.size});
    rt_buffer_free(&text);
    return code;
}

static void image_make(rt_arena *arena, const fixture_module *module, bool is_dummy,
                       rt_image *image)
{
    enum { SETS = 9 };
    rt_property_set *sets = rt_arena_alloc_array(arena, SETS, sizeof *sets);
    uint32_t set_count = 4;
    rt_text *kernels;
    sets[0] = symbol_set(arena, RT_TEXT(RT_SET_IMPORTED_SYMBOLS), module->imports);
    sets[1] = symbol_set(arena, RT_TEXT(RT_SET_EXPORTED_SYMBOLS), module->exports);
    sets[2] = constant_set(arena, module->constants, &sets[3]);
    sets[set_count++] = global_set(arena, module->globals);
    if (module->aspect && !is_dummy) sets[set_count++] = requirement_set(arena, module->aspect);
    if (module->embedded_ir) sets[set_count++] = ir_set(arena, module->embedded_ir);
    if (module->kernel_calls) sets[set_count++] = kernel_call_set(arena, module->kernel_calls);
    if (module->virtual_functions)
        sets[set_count++] = virtual_function_set(arena, module->virtual_functions, is_dummy);
    *image = (rt_image){
        .name = rt_arena_printf(arena, "%s/%d", module->name, is_dummy),
        .format = module->format,
        .compile_options = rt_text_of(module->options),
        .link_options = rt_text_of(module->link_options),
        .kernel_count = split_names(arena, module->kernels, &kernels),
        .sets = sets,
        .set_count = set_count,
        .code = code_make(arena, module, is_dummy),
    };
    image->kernels = kernels;
    rt_image_hash(image);
}

static rt_image_list images_of(rt_arena *arena, const fixture_module *module)
{
    rt_image *images = rt_arena_alloc_array(arena, 2, sizeof *images);
    image_make(arena, module, false, &images[0]);
    if (module->with_dummy) image_make(arena, module, true, &images[1]);
    return (rt_image_list){images, module->with_dummy ? 2 : 1};
}

static counting_device *open_device(fixture *f, rt_device *device, uint32_t id,
                                    const char *selector)
{
    dev_open_parameters parameters = {.sink = f->sink};
    rt_status status =
        dev_device_open(&counting_backend, &parameters, rt_text_of(selector), &device->device);
    CHECK(rt_ok(status));
    device->id = id;
    device->name = id ? RT_TEXT("other") : RT_TEXT("device");
    dev_device_capabilities(device->device, &device->capabilities);
    return (counting_device *)device->device;
}

fixture *fixture_create(const fixture_module *modules, uint32_t module_count, const char *selector)
{
    return fixture_create_in(RT_PROFILE_DOCUMENTS, modules, module_count, selector);
}

fixture *fixture_create_in(rt_profile profile, const fixture_module *modules, uint32_t module_count,
                           const char *selector)
{
    fixture *f = rt_alloc(sizeof *f);
    f->sink = rt_sink_create();
    f->trace = rt_trace_create();
    rt_chooser_init(&f->chooser, 0, NULL, 0);
    rt_registry_init(&f->registry, f->trace);
    rt_module *table = rt_arena_alloc_array(&f->arena, module_count, sizeof *table);
    for (uint32_t i = 0; i < module_count; i++) {
        table[i] = (rt_module){.name = rt_text_of(modules[i].name),
                               .images = images_of(&f->arena, &modules[i])};
    }
    rt_loader_init(&f->loader, f->sink, &f->registry, table, module_count);
    f->manager = rt_program_manager_create(&(rt_program_parameters){
        .sink = f->sink,
        .trace = f->trace,
        .chooser = &f->chooser,
        .loader = &f->loader,
        .registry = &f->registry,
        .profile = profile,
    });
    f->counting = open_device(f, &f->device, 0, selector);
    f->other_counting = open_device(f, &f->other, 1, selector);
    return f;
}

void fixture_destroy(fixture *f)
{
    rt_program_manager_destroy(f->manager);
    dev_device_destroy(f->device.device);
    dev_device_destroy(f->other.device);
    rt_loader_free(&f->loader);
    rt_registry_free(&f->registry);
    rt_chooser_free(&f->chooser);
    rt_trace_destroy(f->trace);
    rt_sink_destroy(f->sink);
    rt_arena_reset(&f->arena);
    rt_free(f);
}

const rt_registered_image *fixture_image(fixture *f, const char *module)
{
    for (uint32_t i = f->registry.images.count; i-- > 0;) {
        const rt_registered_image *image = f->registry.images.items[i];
        if (image->registered && rt_text_is(image->module_name, module)) return image;
    }
    UNREACHABLE();
}

uint32_t fixture_count(fixture *f, rt_event_kind kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rt_trace_count(f->trace); i++) {
        count += rt_trace_event(f->trace, i)->kind == kind;
    }
    return count;
}

static const char *field_text(fixture *f, const rt_event *event, const char *name)
{
    const rt_event_field *field = rt_event_field_find(event, rt_text_of(name));
    CHECK(field != NULL);
    rt_buffer text = {0};
    for (uint32_t i = 0; i < field->value_count; i++)
        rt_buffer_printf(&text, "%s%.*s", i ? " " : "", RT_TEXT_ARG(field->values[i]));
    const char *copy = rt_arena_text(&f->arena, rt_buffer_text(&text)).data;
    rt_buffer_free(&text);
    return copy;
}

const char *fixture_newest(fixture *f, rt_event_kind kind, const char *field)
{
    for (uint32_t i = rt_trace_count(f->trace); i-- > 0;) {
        const rt_event *event = rt_trace_event(f->trace, i);
        if (event->kind == kind) return field_text(f, event, field);
    }
    return "none";
}

rt_status fixture_ask_as(fixture *f, const rt_kernel_request *request)
{
    /* What a failing call must overwrite. */
    rt_program *program = (rt_program *)f;
    dev_kernel *kernel = (dev_kernel *)f;
    rt_status status = rt_program_manager_kernel(f->manager, request, &program, &kernel);
    CHECK(rt_ok(status) == (kernel != NULL));
    CHECK(rt_ok(status) == (program != NULL));
    rt_program_release(f->manager, program);
    return status;
}

rt_status fixture_ask(fixture *f, const char *kernel)
{
    return fixture_ask_as(f,
                          &(rt_kernel_request){.device = &f->device, .kernel = rt_text_of(kernel)});
}
