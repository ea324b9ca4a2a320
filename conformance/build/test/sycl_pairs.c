/* Compares the property sets that our post-link and the shipped compiler produce for the same
 * modules, written in OpenCL C and in SYCL respectively.
 *
 *     sycl_pairs [--list] PAIR…     PAIR is OPENCL.yaml=SYCL.yaml
 *
 * For each pair, the modules are compiled and their images matched by kernels and exported symbols.
 * Every difference between the property sets is looked up in the table below; a difference that is
 * not in the table is an error, and so is a row that explains no difference in any pair. --list
 * prints the differences found.
 *
 * Exit status: 0 every difference is explained; 1 an error; 2 wrong usage; 77 the SYCL compiler is
 * not installed. The program also runs as its own compile worker. */
#include "conformance/build/compile.h"

#include "conformance/scenario/model/scenario.h"
#include "conformance/scenario/resolve/sycl_kernels.h"
#include "reference/base/descriptors.h"
#include "reference/image/syclbin.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TIMEOUT_MS = 120000, EXPLAINED = 0, UNEXPLAINED = 1, USAGE = 2, NO_COMPILER = 77 };

/* ---- The explanations ---------------------------------------------------------------------- */

typedef enum difference {
    MANGLED_SYMBOL,
    MANGLED_KERNEL,
    KERNEL_NAMES,
    OPTIMISATION_LEVEL,
    ELIMINATED_ARGUMENTS,
    EMPTY_REQUIREMENTS,
    DIFFERENCE_COUNT
} difference;

static const char *const explanations[DIFFERENCE_COUNT] = {
    [MANGLED_SYMBOL] =
        "C++ functions have mangled symbols (Itanium ABI); the symbol of a function in OpenCL C or "
        "with C linkage is its name",
    [MANGLED_KERNEL] =
        "a free-function kernel is named __sycl_kernel_NAME, mangled unless it has C "
        "linkage; a kernel in OpenCL C is named NAME",
    [KERNEL_NAMES] = "SYCLBIN has SYCL/kernel names instead of a table of entries; our images "
                     "have the table",
    [OPTIMISATION_LEVEL] =
        "SYCL/misc properties has the shipped compiler's optimisation level; ours "
        "is always the same, and the set is never read",
    [ELIMINATED_ARGUMENTS] =
        "SYCL/kernel param opt is written for every image, even without masks; "
        "our post-link eliminates no arguments",
    [EMPTY_REQUIREMENTS] =
        "SYCL/device requirements is written even without aspects; our post-link "
        "omits a set that requires nothing",
};

static uint32_t found[DIFFERENCE_COUNT];
static bool listing;
static uint32_t unexplained;

static void explain(difference why, rt_text image, rt_text detail)
{
    found[why]++;
    if (listing)
        printf("%.*s: %.*s: %s\n", RT_TEXT_ARG(image), RT_TEXT_ARG(detail), explanations[why]);
}

static void complain(rt_text image, const char *detail, rt_text name)
{
    unexplained++;
    printf("%.*s: %s: %.*s\n", RT_TEXT_ARG(image), detail, RT_TEXT_ARG(name));
}

/* ---- Compiling ----------------------------------------------------------------------------- */

typedef struct compiled {
    rt_arena arena;
    rt_sink *sink;
    rt_buffer text;
    const scn_scenario *scenario;
    rt_image_list *images; /* of each module */
    rt_buffer *answers;
} compiled;

/* Compiles a module; NO_COMPILER if its compiler is missing. */
static int compile_module(compiled *compilation, cnf_cache *cache, uint32_t index)
{
    rt_buffer request = {0};
    cnf_compile_answer answer;
    cnf_compile_request_module(&request, &compilation->scenario->modules[index],
                               RT_PROFILE_DOCUMENTS, RT_FORMAT_SPIRV64, false);
    cnf_compile_call(cache, &compilation->arena, rt_buffer_bytes(&request), TIMEOUT_MS,
                     &compilation->answers[index], &answer);
    rt_buffer_free(&request);
    if (answer.code == RT_UNAVAILABLE && answer.name_count > 0) {
        printf("%.*s\n", RT_TEXT_ARG(answer.message));
        return NO_COMPILER;
    }
    if (answer.code != RT_OK) {
        complain(compilation->scenario->modules[index].name, "does not compile", answer.message);
        return UNEXPLAINED;
    }
    rt_reader reader = rt_reader_of(answer.artefact);
    rt_status status = rt_image_list_read(compilation->sink, &compilation->arena, &reader,
                                          &compilation->images[index]);
    return rt_ok(status) ? EXPLAINED : UNEXPLAINED;
}

static int compile(compiled *compilation, cnf_cache *cache, const char *path)
{
    scn_problems problems;
    rt_text name = rt_text_of(path);
    compilation->sink = rt_sink_create();
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool read = file >= 0 && rt_read_all(file, &compilation->text);
    if (file >= 0) close(file);
    if (read)
        compilation->scenario = scn_read(&compilation->arena, rt_buffer_text(&compilation->text),
                                         name, name, &problems);
    if (!compilation->scenario) {
        complain(rt_text_of(path), "is not a scenario", (rt_text){0});
        return UNEXPLAINED;
    }
    uint32_t count = compilation->scenario->module_count;
    compilation->images =
        rt_arena_alloc_array(&compilation->arena, count, sizeof *compilation->images);
    compilation->answers =
        rt_arena_alloc_array(&compilation->arena, count, sizeof *compilation->answers);
    int result = EXPLAINED;
    for (uint32_t i = 0; i < count && result == EXPLAINED; i++)
        result = compile_module(compilation, cache, i);
    return result;
}

static void free_compiled(compiled *compilation)
{
    for (uint32_t i = 0; compilation->answers && i < compilation->scenario->module_count; i++)
        rt_buffer_free(&compilation->answers[i]);
    rt_arena_reset(&compilation->arena);
    rt_buffer_free(&compilation->text);
    if (compilation->sink) rt_sink_destroy(compilation->sink);
}

/* ---- Names --------------------------------------------------------------------------------- */

/* A symbol's source name if it is a function in the global namespace; otherwise the symbol
 * itself. */
static rt_text plain_name(rt_text symbol)
{
    if (!rt_text_starts(symbol, "_Z")) return symbol;
    size_t at = 2, length = 0;
    while (at < symbol.length && symbol.data[at] >= '0' && symbol.data[at] <= '9')
        length = length * 10 + (size_t)(symbol.data[at++] - '0');
    if (length == 0 || length > symbol.length - at) return symbol;
    return (rt_text){symbol.data + at, length};
}

/* The set's symbol with this source name; NULL if there is none. */
static const rt_property *symbol_named(const rt_property_set *set, rt_text name)
{
    for (uint32_t i = 0; set && i < set->property_count; i++)
        if (rt_text_equal(plain_name(set->properties[i].name), name)) return &set->properties[i];
    return NULL;
}

static bool has_kernel_named(rt_arena *arena, const rt_image *image, rt_text name)
{
    for (uint32_t i = 0; i < image->kernel_count; i++)
        if (rt_text_equal(scn_sycl_name(arena, image->kernels[i]), name)) return true;
    return false;
}

/* ---- Comparing ----------------------------------------------------------------------------- */

static bool is_twin(rt_arena *arena, const rt_image *ours, const rt_image *theirs)
{
    const rt_property_set *exports = rt_image_set(ours, RT_SET_EXPORTED_SYMBOLS);
    const rt_property_set *their_exports = rt_image_set(theirs, RT_SET_EXPORTED_SYMBOLS);
    if (ours->kernel_count != theirs->kernel_count) return false;
    for (uint32_t i = 0; i < ours->kernel_count; i++)
        if (!has_kernel_named(arena, theirs, ours->kernels[i])) return false;
    uint32_t count = exports ? exports->property_count : 0;
    if (count != (their_exports ? their_exports->property_count : 0)) return false;
    for (uint32_t i = 0; i < count; i++)
        if (!symbol_named(their_exports, exports->properties[i].name)) return false;
    return true;
}

static void compare_symbols(const rt_image *ours, const rt_image *theirs, const char *name)
{
    const rt_property_set *left = rt_image_set(ours, name), *right = rt_image_set(theirs, name);
    for (uint32_t i = 0; left && i < left->property_count; i++) {
        const rt_property *symbol = &left->properties[i];
        const rt_property *twin = symbol_named(right, symbol->name);
        if (!twin) {
            complain(ours->name, name, symbol->name);
        } else if (!rt_text_equal(twin->name, symbol->name)) {
            explain(MANGLED_SYMBOL, theirs->name, twin->name);
        }
    }
    for (uint32_t i = 0; right && i < right->property_count; i++) {
        rt_text symbol = right->properties[i].name;
        if (!symbol_named(left, plain_name(symbol))) complain(theirs->name, name, symbol);
    }
}

/* Property sets that only the shipped compiler writes. */
static const struct {
    const char *set;
    difference why;
} extra_sets[] = {
    {RT_SET_KERNEL_NAMES, KERNEL_NAMES},
    {"SYCL/misc properties", OPTIMISATION_LEVEL},
    {"SYCL/kernel param opt", ELIMINATED_ARGUMENTS},
};

static bool is_compared(rt_text set)
{
    return rt_text_is(set, RT_SET_IMPORTED_SYMBOLS) || rt_text_is(set, RT_SET_EXPORTED_SYMBOLS);
}

static bool sets_equal(const rt_property_set *a, const rt_property_set *b)
{
    rt_buffer first = {0}, second = {0};
    rt_property_set_write(&first, a);
    rt_property_set_write(&second, b);
    bool equal = first.size == second.size && memcmp(first.data, second.data, first.size) == 0;
    rt_buffer_free(&first);
    rt_buffer_free(&second);
    return equal;
}

static bool asks_for_nothing(const rt_property_set *requirements)
{
    const rt_property *aspects = requirements->properties;
    return requirements->property_count == 1 && rt_text_is(aspects->name, "aspects") &&
           aspects->bytes.size == 0;
}

static void compare_set(const rt_image *ours, const rt_image *theirs, const rt_property_set *set)
{
    rt_buffer name = {0};
    rt_buffer_append_text(&name, set->name);
    const rt_property_set *twin = rt_image_set(ours, rt_buffer_string(&name));
    rt_buffer_free(&name);
    for (size_t i = 0; !twin && i < sizeof extra_sets / sizeof *extra_sets; i++) {
        if (!rt_text_is(set->name, extra_sets[i].set)) continue;
        explain(extra_sets[i].why, theirs->name, set->name);
        return;
    }
    bool requirements = rt_text_is(set->name, RT_SET_DEVICE_REQUIREMENTS);
    if (!twin && requirements && asks_for_nothing(set)) {
        explain(EMPTY_REQUIREMENTS, theirs->name, set->name);
    } else if (!twin || !sets_equal(set, twin)) {
        complain(theirs->name, "the property set differs", set->name);
    }
}

static void compare_images(const rt_image *ours, const rt_image *theirs)
{
    compare_symbols(ours, theirs, RT_SET_IMPORTED_SYMBOLS);
    compare_symbols(ours, theirs, RT_SET_EXPORTED_SYMBOLS);
    for (uint32_t i = 0; i < theirs->kernel_count; i++)
        explain(MANGLED_KERNEL, theirs->name, theirs->kernels[i]);
    for (uint32_t i = 0; i < theirs->set_count; i++)
        if (!is_compared(theirs->sets[i].name)) compare_set(ours, theirs, &theirs->sets[i]);
    for (uint32_t i = 0; i < ours->set_count; i++) {
        rt_buffer name = {0};
        rt_buffer_append_text(&name, ours->sets[i].name);
        if (!rt_image_set(theirs, rt_buffer_string(&name)))
            complain(ours->name, "a property set that the twin lacks", ours->sets[i].name);
        rt_buffer_free(&name);
    }
}

static void compare_module(rt_arena *arena, rt_image_list ours, rt_image_list theirs, rt_text name)
{
    if (ours.count != theirs.count) complain(name, "the number of images differs", name);
    for (uint32_t i = 0; i < ours.count; i++) {
        uint32_t twin = 0;
        while (twin < theirs.count && !is_twin(arena, &ours.images[i], &theirs.images[twin]))
            twin++;
        if (twin == theirs.count) {
            complain(ours.images[i].name, "no twin in", name);
            continue;
        }
        if (twin != i)
            complain(ours.images[i].name, "the twin has another index", theirs.images[twin].name);
        compare_images(&ours.images[i], &theirs.images[twin]);
    }
}

/* ---- Pairs --------------------------------------------------------------------------------- */

static int compare_pair(cnf_cache *cache, char *pair)
{
    char *between = strchr(pair, '=');
    if (!between) return USAGE;
    *between = '\0';
    compiled ours = {0}, theirs = {0};
    int result = compile(&theirs, cache, between + 1);
    if (result == EXPLAINED) result = compile(&ours, cache, pair);
    if (result == EXPLAINED) {
        if (listing) printf("\n%s\n", between + 1);
        uint32_t count = ours.scenario->module_count;
        if (count != theirs.scenario->module_count)
            complain(rt_text_of(pair), "the number of modules differs", (rt_text){0});
        for (uint32_t i = 0; i < count && i < theirs.scenario->module_count; i++) {
            compare_module(&ours.arena, ours.images[i], theirs.images[i],
                           ours.scenario->modules[i].name);
        }
    }
    free_compiled(&ours);
    free_compiled(&theirs);
    return result;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "worker") == 0) return cnf_worker_main(argc - 1, argv + 1);
    listing = argc > 1 && strcmp(argv[1], "--list") == 0;
    rt_text warning;
    cnf_cache *cache = cnf_cache_open((rt_text){0}, &warning);
    int result = argc > 1 ? EXPLAINED : USAGE;
    for (int i = listing ? 2 : 1; i < argc && result == EXPLAINED; i++)
        result = compare_pair(cache, argv[i]);
    cnf_cache_close(cache);
    for (int why = 0; why < DIFFERENCE_COUNT && result == EXPLAINED; why++) {
        printf("%5u  %s\n", found[why], explanations[why]);
        if (found[why] > 0) continue;
        unexplained++;
        printf("the explanation above no longer explains anything; remove it\n");
    }
    return result == EXPLAINED && unexplained > 0 ? UNEXPLAINED : result;
}
