/* Measures the cost of registering, resolving, building and unloading many images.
 *
 *     bench_link IMAGES
 *
 * Prints one line of JSON.  Each of IMAGES modules has one image with a kernel and ten exported
 * symbols; image i imports one symbol of image i + 1 and one of image 2i + 1, so the link set of
 * the first holds all images and the longest chain contains every image.  The device does nothing,
 * so only the runtime is measured.  `ci/bench link` runs it in a separate process for each number
 * of images, because the reported memory is the process's peak. */
#include "reference/program/test/fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { EXPORTS = 10, LOOKUPS = 1000, IMAGES_MAX = 1000000 };

typedef struct bench {
    rt_arena arena;
    rt_sink *sink;
    rt_trace *trace;
    rt_chooser chooser;
    rt_registry registry;
    rt_loader loader;
    rt_program_manager *manager;
    rt_device device;
    uint32_t image_count;
    uint32_t edge_count; /* number of imports of all images together */
} bench;

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static rt_property symbol(bench *b, uint32_t image, uint32_t number)
{
    return (rt_property){.name =
                             rt_arena_printf(&b->arena, "function_%u_of_image_%u", number, image),
                         .type = RT_PROPERTY_UINT32,
                         .number = 1};
}

/* Image i of the graph that the file's comment describes. */
static rt_image_list image_of(bench *b, uint32_t i)
{
    rt_property *exports = rt_arena_alloc_array(&b->arena, EXPORTS, sizeof *exports);
    rt_property *imports = rt_arena_alloc_array(&b->arena, 2, sizeof *imports);
    uint32_t import_count = 0;
    for (uint32_t k = 0; k < EXPORTS; k++)
        exports[k] = symbol(b, i, k);
    if (i + 1 < b->image_count) imports[import_count++] = symbol(b, i + 1, 0);
    if (2 * i + 1 < b->image_count) imports[import_count++] = symbol(b, 2 * i + 1, 1);
    b->edge_count += import_count;
    rt_property_set *sets = rt_arena_alloc_array(&b->arena, 2, sizeof *sets);
    sets[0] = (rt_property_set){RT_TEXT(RT_SET_IMPORTED_SYMBOLS), imports, import_count};
    sets[1] = (rt_property_set){RT_TEXT(RT_SET_EXPORTED_SYMBOLS), exports, EXPORTS};
    rt_text *kernel = rt_arena_alloc(&b->arena, sizeof *kernel);
    *kernel = rt_arena_printf(&b->arena, "kernel_%u", i);
    rt_image *image = rt_arena_alloc(&b->arena, sizeof *image);
    *image = (rt_image){
        .name = rt_arena_printf(&b->arena, "lib%u/0", i),
        .format = RT_FORMAT_SPIRV64,
        .kernels = kernel,
        .kernel_count = 1,
        .sets = sets,
        .set_count = 2,
        .code = {(const uint8_t *)"code", 4},
    };
    return (rt_image_list){image, 1};
}

/* Modules 0 to image_count - 1 have the images; the last module needs all of them. */
static void make_loader(bench *b)
{
    uint32_t count = b->image_count;
    rt_module *modules = rt_arena_alloc_array(&b->arena, count + 1u, sizeof *modules);
    rt_module_id *needs = rt_arena_alloc_array(&b->arena, count, sizeof *needs);
    for (uint32_t i = 0; i < count; i++) {
        needs[i] = i;
        modules[i] =
            (rt_module){.name = rt_arena_printf(&b->arena, "lib%u", i), .images = image_of(b, i)};
    }
    modules[count] = (rt_module){.name = RT_TEXT("all"), .needs = needs, .need_count = count};
    rt_loader_init(&b->loader, b->sink, &b->registry, modules, count + 1);
}

static void open_device(bench *b)
{
    dev_open_parameters parameters = {.sink = b->sink};
    rt_status status =
        dev_device_open(&counting_backend, &parameters, RT_TEXT(""), &b->device.device);
    CHECK(rt_ok(status));
    b->device.name = RT_TEXT("device");
    dev_device_capabilities(b->device.device, &b->device.capabilities);
}

static void set_up(bench *b)
{
    b->sink = rt_sink_create();
    b->trace = rt_trace_create();
    rt_chooser_init(&b->chooser, 0, NULL, 0);
    rt_registry_init(&b->registry, b->trace);
    make_loader(b);
    b->manager = rt_program_manager_create(&(rt_program_parameters){
        .sink = b->sink,
        .trace = b->trace,
        .chooser = &b->chooser,
        .loader = &b->loader,
        .registry = &b->registry,
    });
    open_device(b);
}

static void tear_down(bench *b)
{
    rt_program_manager_destroy(b->manager);
    dev_device_destroy(b->device.device);
    rt_loader_free(&b->loader);
    rt_registry_free(&b->registry);
    rt_chooser_free(&b->chooser);
    rt_trace_destroy(b->trace);
    rt_sink_destroy(b->sink);
    rt_arena_reset(&b->arena);
}

/* ---- What is measured --------------------------------------------------------------------- */

static void register_all(bench *b)
{
    rt_loader_open(&b->loader, b->image_count);
}

static void unregister_all(bench *b)
{
    rt_status status = rt_loader_close(&b->loader, b->image_count);
    CHECK(rt_ok(status));
}

static void open_each(bench *b)
{
    for (uint32_t i = 0; i < b->image_count; i++)
        rt_loader_open(&b->loader, i);
}

static void resolve(bench *b)
{
    rt_link_context context = {
        .sink = b->sink,
        .trace = b->trace,
        .chooser = &b->chooser,
        .loader = &b->loader,
        .tables = &b->manager->tables,
        .device = &b->device,
    };
    /* The loader registers the needed modules from the last to the first. */
    const rt_registered_image *first = b->registry.images.items[b->image_count - 1];
    CHECK(first->module == 0);
    rt_link_set set = {0};
    rt_status status = rt_link_set_collect(&context, first, &set);
    CHECK(rt_ok(status) && set.images.count == b->image_count);
    rt_link_set_free(&set);
}

static void ask(bench *b, rt_text kernel)
{
    const rt_kernel_request request = {.device = &b->device, .kernel = kernel};
    rt_program *program;
    dev_kernel *kernel_object;
    rt_status status = rt_program_manager_kernel(b->manager, &request, &program, &kernel_object);
    CHECK(rt_ok(status));
    rt_program_release(b->manager, program);
}

static void build(bench *b)
{
    ask(b, RT_TEXT("kernel_0"));
}

/* Takes every kernel of the program once; each is found in the cache, and its kernel object is
 * created. */
static void take_kernels(bench *b)
{
    for (uint32_t i = 0; i < b->image_count; i++) {
        char name[32];
        int length = snprintf(name, sizeof name, "kernel_%u", i);
        ask(b, (rt_text){name, (size_t)length});
    }
}

/* Takes one kernel of the program repeatedly; its kernel object already exists. */
static void find_cached(bench *b)
{
    for (uint32_t i = 0; i < LOOKUPS; i++)
        ask(b, RT_TEXT("kernel_0"));
}

static const struct {
    const char *name;
    void (*run)(bench *b);
} phases[] = {
    {"register_s", register_all}, {"resolve_s", resolve},
    {"build_s", build},           {"take_kernels_s", take_kernels},
    {"find_1000_s", find_cached}, {"unregister_s", unregister_all},
    {"open_each_s", open_each},
};

int main(int argc, char **argv)
{
    char *end = NULL;
    unsigned long count = argc == 2 ? strtoul(argv[1], &end, 10) : 0;
    if (count < 1 || count > IMAGES_MAX || *end) {
        fprintf(stderr, "usage: bench_link IMAGES (1 to %d)\n", IMAGES_MAX);
        return 2;
    }
    bench b = {.image_count = (uint32_t)count};
    set_up(&b);
    printf("{\"images\": %u, \"symbols\": %u, \"edges\": %u", b.image_count,
           b.image_count * EXPORTS, b.edge_count);
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        double begin_s = now_s();
        phases[i].run(&b);
        printf(", \"%s\": %.6f", phases[i].name, now_s() - begin_s);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf(", \"memory_kib\": %ld}\n", usage.ru_maxrss);
    tear_down(&b);
    return 0;
}
