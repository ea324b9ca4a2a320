/* Mistakes of dynamic linking that are larger than a mutant of a mark (fault.h). */
#include "reference/base/fault.h"
#include "reference/base/hash.h"
#include "reference/image/virtual_functions.h"
#include "reference/program/combination.h"
#include "reference/program/persistent_key.h"
#include "reference/program/provider.h"

#include <stdatomic.h>
#include <string.h>

/* ---- Property sets -------------------------------------------------------------------------- */

const rt_property_set *__real_rt_image_set(const rt_image *image, const char *name);
const rt_property_set *__wrap_rt_image_set(const rt_image *image, const char *name);

enum { PROPERTIES_MAX = 64 };

static bool is_flag(const rt_property *property)
{
    return property->type == RT_PROPERTY_UINT32 && property->number == 1;
}

/* A copy of some properties of a set: `first` and, `step` apart, those that follow it.  Valid until
 * the thread copies another. */
static const rt_property_set *part_of(const rt_property_set *set, uint32_t first, int step,
                                      uint32_t count, bool flags_only)
{
    static _Thread_local rt_property properties[PROPERTIES_MAX];
    static _Thread_local rt_property_set part;
    CHECK(count <= PROPERTIES_MAX);
    part = (rt_property_set){set->name, properties, 0};
    for (uint32_t i = 0, at = first; i < count; i++, at += (uint32_t)step) {
        const rt_property *property = &set->properties[at];
        if (!flags_only || is_flag(property)) properties[part.property_count++] = *property;
    }
    return &part;
}

const rt_property_set *__wrap_rt_image_set(const rt_image *image, const char *name)
{
    const rt_property_set *set = __real_rt_image_set(image, name);
    uint32_t count = set ? set->property_count : 0;
    if (count == 0) return set;
    if (strcmp(name, RT_SET_IMPORTED_SYMBOLS) == 0) {
        if (image->format != RT_FORMAT_SPIRV64 && RT_FAULT(DL_REQ_07, "only SPIR-V has imports"))
            return NULL;
        if (count > 1 && RT_FAULT(DL_RESOLVE_08, "only the first import is resolved"))
            return part_of(set, 0, 1, 1, false);
        if (count > 1 && RT_FAULT(DL_RESOLVE_06, "imports are resolved in reverse order"))
            return part_of(set, count - 1, -1, count, false);
        if (RT_FAULT(DL_IMAGE_07, "an import counts only if its value is 1"))
            return part_of(set, 0, 1, count, true);
    }
    if (strcmp(name, RT_SET_EXPORTED_SYMBOLS) == 0 &&
        RT_FAULT(DL_IMAGE_07, "an export counts only if its value is 1"))
        return part_of(set, 0, 1, count, true);
    return set;
}

static bool has_empty_set(const rt_registered_image *image, const char *name)
{
    const rt_property_set *set = __real_rt_image_set(image->image, name);
    return set && set->property_count == 0;
}

static bool exports(const rt_registered_image *image, rt_text symbol)
{
    return rt_property_set_has(__real_rt_image_set(image->image, RT_SET_EXPORTED_SYMBOLS), symbol);
}

static uint32_t export_count(const rt_registered_image *image)
{
    const rt_property_set *set = __real_rt_image_set(image->image, RT_SET_EXPORTED_SYMBOLS);
    return set ? set->property_count : 0;
}

static bool has_function_sets(const rt_registered_image *image)
{
    return __real_rt_image_set(image->image, RT_SET_VIRTUAL_FUNCTIONS) != NULL;
}

/* ---- The tables of images ------------------------------------------------------------------- */

void __real_rt_program_tables_add(rt_program_tables *tables, const rt_registered_image *image);
void __wrap_rt_program_tables_add(rt_program_tables *tables, const rt_registered_image *image);
rt_program_manager *__real_rt_program_manager_create(const rt_program_parameters *parameters);
rt_program_manager *__wrap_rt_program_manager_create(const rt_program_parameters *parameters);
const rt_set_group *__real_rt_program_tables_exporters(const rt_program_tables *tables,
                                                       rt_text symbol);
const rt_set_group *__wrap_rt_program_tables_exporters(const rt_program_tables *tables,
                                                       rt_text symbol);
void __real_rt_combination_write(rt_buffer *out, const rt_image *image,
                                 const rt_property_set *exports);
void __wrap_rt_combination_write(rt_buffer *out, const rt_image *image,
                                 const rt_property_set *exports);

static bool tables_frozen; /* by DL-DLOPEN-02, after the first failed launch */

/* How often an image was registered or a process begun. Relaxed, so that it orders nothing: a
 * checker of races must see those of other mistakes. */
static _Atomic uint32_t registration_count;

static void registration_note(void)
{
    atomic_fetch_add_explicit(&registration_count, 1, memory_order_relaxed);
}

/* The first kernel or export of an image; one of them exists in any image that is found by name. */
static rt_text first_symbol(const rt_image *image)
{
    const rt_property_set *exported = __real_rt_image_set(image, RT_SET_EXPORTED_SYMBOLS);
    if (image->kernel_count > 0) return image->kernels[0];
    return exported && exported->property_count > 0 ? exported->properties[0].name : (rt_text){0};
}

/* True if the image was entered twice before and a kernel of its first kernel's name is there. */
static bool is_known_again(const rt_program_tables *tables, const rt_registered_image *image)
{
    enum { KNOWN_MAX = 256 };
    static const rt_image *known[KNOWN_MAX];
    static uint32_t known_count;
    uint32_t times = 0;
    if (tables->images.count == 0) known_count = 0; /* another process */
    for (uint32_t i = 0; i < known_count; i++)
        times += known[i] == image->image;
    if (known_count < KNOWN_MAX) known[known_count++] = image->image;
    return times > 1 && image->image->kernel_count > 0 &&
           rt_program_tables_kernel(tables, image->image->kernels[0])->images.count > 0;
}

void __wrap_rt_program_tables_add(rt_program_tables *tables, const rt_registered_image *image)
{
    if (is_known_again(tables, image) &&
        RT_FAULT(
            NONE,
            "a library that comes a third time does not get back the kernels that others have"))
        return;
    registration_note();
    if (!tables_frozen) __real_rt_program_tables_add(tables, image);
}

void __real_rt_program_tables_remove(rt_program_tables *tables, const rt_registered_image *image);
void __wrap_rt_program_tables_remove(rt_program_tables *tables, const rt_registered_image *image);

void __wrap_rt_program_tables_remove(rt_program_tables *tables, const rt_registered_image *image)
{
    rt_set_id id = rt_program_tables_symbol(tables, image->module, first_symbol(image->image));
    const rt_image_group *set = id == RT_SET_NONE ? NULL : rt_program_tables_set(tables, id);
    if (set && set->images.count > 1 &&
        RT_FAULT(NONE, "of two images with the same symbols, the first is removed"))
        image = set->images.items[0];
    __real_rt_program_tables_remove(tables, image);
}

rt_program **__real_rt_program_index_of_image(const rt_program_index *index, rt_image_id image,
                                              uint32_t *out_count);
rt_program **__wrap_rt_program_index_of_image(const rt_program_index *index, rt_image_id image,
                                              uint32_t *out_count);
void __real_rt_cache_drop(rt_cache *cache, rt_program *program, const rt_registered_image *image,
                          rt_cache_dropped *dropped, void *user);
void __wrap_rt_cache_drop(rt_cache *cache, rt_program *program, const rt_registered_image *image,
                          rt_cache_dropped *dropped, void *user);

rt_program **__wrap_rt_program_index_of_image(const rt_program_index *index, rt_image_id image,
                                              uint32_t *out_count)
{
    rt_program **found = __real_rt_program_index_of_image(index, image, out_count);
    if (*out_count > 1 && RT_FAULT(NONE, "an unloaded image takes only its newest program along")) {
        found[0] = found[*out_count - 1];
        *out_count = 1;
    }
    if (*out_count > 2 && RT_FAULT(NONE, "an unloaded image takes at most two programs along"))
        *out_count = 2;
    return found;
}

void __wrap_rt_cache_drop(rt_cache *cache, rt_program *program, const rt_registered_image *image,
                          rt_cache_dropped *dropped, void *user)
{
    if (program->references > program->tuples.count &&
        RT_FAULT(NONE, "a program that a command still runs stays in the cache"))
        return;
    __real_rt_cache_drop(cache, program, image, dropped, user);
}

static void register_unlocked(void *user, const rt_registered_image *image)
{
    rt_program_manager *manager = user;
    __wrap_rt_program_tables_add(&manager->tables, image);
}

rt_program_manager *__wrap_rt_program_manager_create(const rt_program_parameters *parameters)
{
    rt_program_manager *manager = __real_rt_program_manager_create(parameters);
    registration_note(); /* another process */
    if (RT_FAULT(DL_SET_05, "an image is entered without the lock"))
        manager->registry->observer.registered = register_unlocked;
    return manager;
}

const rt_set_group *__wrap_rt_program_tables_exporters(const rt_program_tables *tables,
                                                       rt_text symbol)
{
    const rt_set_group *sets = __real_rt_program_tables_exporters(tables, symbol);
    if (RT_FAULT(DL_SET_06, "every name is compared")) {
        static volatile uint32_t compared;
        for (uint32_t i = 0; i < tables->images.count; i++)
            if (tables->images.items[i]) compared += exports(tables->images.items[i], symbol);
    }
    if (sets->ids.count > 1 && RT_FAULT(DL_SET_07, "only the first combination is searched")) {
        static _Thread_local rt_set_group first;
        first = *sets;
        first.ids.count = 1;
        return &first;
    }
    return sets;
}

void __wrap_rt_combination_write(rt_buffer *out, const rt_image *image,
                                 const rt_property_set *exports)
{
    if (RT_FAULT(DL_SET_01, "all combinations share one id")) return;
    __real_rt_combination_write(out, image, exports);
    if (RT_FAULT(DL_SET_04, "each format has its own combinations"))
        rt_write_u32(out, (uint32_t)image->format);
}

/* ---- Finding a provider --------------------------------------------------------------------- */

void __real_rt_provider_find(const rt_link_context *context, const rt_registered_image *requesting,
                             rt_text symbol, rt_provider_list *out_providers);
void __wrap_rt_provider_find(const rt_link_context *context, const rt_registered_image *requesting,
                             rt_text symbol, rt_provider_list *out_providers);

/* A search for a provider, and the exporters that are suitable, in order of registration. */
typedef struct provider_search {
    const rt_link_context *context;
    const rt_registered_image *requesting;
    rt_provider_list suitable;
} provider_search;

typedef bool accepts(const provider_search *search, const rt_registered_image *candidate);

static const rt_module *module_of(const provider_search *search, const rt_registered_image *image)
{
    return &search->context->loader->modules[image->module];
}

static bool is_of_another_module(const provider_search *search,
                                 const rt_registered_image *candidate)
{
    return candidate->module != search->requesting->module;
}

/* True if `module` is `needing` itself or one of its direct or indirect dependencies. */
static bool needs(const rt_loader *loader, rt_module_id needing, rt_module_id module)
{
    bool *visited = rt_alloc_array(loader->module_count, sizeof *visited);
    rt_module_id *found = rt_alloc_array(loader->module_count, sizeof *found);
    uint32_t count = 0;
    found[count++] = needing;
    visited[needing] = true;
    for (uint32_t i = 0; i < count; i++) {
        const rt_module *reached = &loader->modules[found[i]];
        for (uint32_t k = 0; k < reached->need_count; k++) {
            if (visited[reached->needs[k]]) continue;
            visited[reached->needs[k]] = true;
            found[count++] = reached->needs[k];
        }
    }
    bool is_needed = visited[module];
    rt_free(found);
    rt_free(visited);
    return is_needed;
}

/* True if the module was loaded with the executable, the first module, or a preloaded one. */
static bool is_startup(const rt_loader *loader, rt_module_id module)
{
    for (rt_module_id m = 0; m < loader->module_count; m++)
        if ((m == 0 || loader->modules[m].preloaded) && needs(loader, m, module)) return true;
    return false;
}

static bool was_loaded_at_start(const provider_search *search, const rt_registered_image *candidate)
{
    return is_startup(search->context->loader, candidate->module);
}

static bool was_preloaded(const provider_search *search, const rt_registered_image *candidate)
{
    return module_of(search, candidate)->preloaded;
}

static bool is_in_the_namespace(const provider_search *search, const rt_registered_image *candidate)
{
    return !was_loaded_at_start(search, search->requesting) ||
           was_loaded_at_start(search, candidate);
}

static bool is_needed_by_the_host(const provider_search *search,
                                  const rt_registered_image *candidate)
{
    return needs(search->context->loader, search->requesting->module, candidate->module);
}

static bool is_regular(const provider_search *search, const rt_registered_image *candidate)
{
    return !module_of(search, candidate)->preloaded;
}

static bool is_first(const provider_search *search, const rt_registered_image *candidate)
{
    return candidate == search->suitable.images.items[0];
}

static bool is_last(const provider_search *search, const rt_registered_image *candidate)
{
    return candidate == search->suitable.images.items[search->suitable.images.count - 1];
}

/* True if some candidates, and not all, have the property. */
static bool some_have(const provider_search *search, accepts *has)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < search->suitable.images.count; i++)
        count += has(search, search->suitable.images.items[i]);
    return count > 0 && count < search->suitable.images.count;
}

/* True if the preloaded images export less than one that they replace. */
static bool replaces_in_part(const provider_search *search)
{
    uint32_t most[2] = {0};
    for (uint32_t i = 0; i < search->suitable.images.count; i++) {
        const rt_registered_image *image = search->suitable.images.items[i];
        uint32_t *count = &most[module_of(search, image)->preloaded];
        if (export_count(image) > *count) *count = export_count(image);
    }
    return most[0] > most[1];
}

/* What a candidate must have by the planted fault; NULL if none of these is planted. */
static accepts *acceptance(const provider_search *search)
{
    if (RT_FAULT(DL_REQ_05, "a module does not provide for itself")) return is_of_another_module;
    if (RT_FAULT(DL_RESOLVE_04, "the host's dependencies decide")) return is_needed_by_the_host;
    if (RT_FAULT(DL_DLOPEN_04, "the host's namespace decides")) return is_in_the_namespace;
    if (!search->context->prefer_preloaded || !some_have(search, was_preloaded)) return NULL;
    if (RT_FAULT(DL_PRELOAD_01, "the image that was registered first counts as preloaded"))
        return is_first;
    if (RT_FAULT(DL_PRELOAD_01, "the image that was registered last counts as preloaded"))
        return is_last;
    bool in_part = replaces_in_part(search);
    if (!in_part && RT_FAULT(DL_PRELOAD_04, "a preloaded image does not replace an equal one"))
        return is_regular;
    if (in_part && RT_FAULT(DL_PRELOAD_05, "a preloaded image does not replace a larger one"))
        return is_regular;
    return NULL;
}

static bool definitions_differ(const provider_search *search)
{
    rt_hash first = search->suitable.images.items[0]->image->hash;
    for (uint32_t i = 1; i < search->suitable.images.count; i++) {
        rt_hash other = search->suitable.images.items[i]->image->hash;
        if (other.low != first.low || other.high != first.high) return true;
    }
    return false;
}

/* True if all images come from files with the same name, so an import that named its library would
 * not distinguish them. */
static bool files_are_namesakes(const provider_search *search)
{
    rt_text first = module_of(search, search->suitable.images.items[0])->path;
    for (uint32_t i = 1; i < search->suitable.images.count; i++) {
        rt_text path = module_of(search, search->suitable.images.items[i])->path;
        if (!rt_text_equal(path, first)) return false;
    }
    return true;
}

/* True if several suitable images are refused by the planted fault. */
static bool refuses_several(const provider_search *search)
{
    if (search->suitable.images.count < 2) return false;
    if (RT_FAULT(DL_RESOLVE_05, "there must be exactly one provider")) return true;
    if (definitions_differ(search) && RT_FAULT(DL_ODR_02, "different definitions are refused"))
        return true;
    bool some_at_start = some_have(search, was_loaded_at_start);
    if (some_at_start && RT_FAULT(DL_DLOPEN_05, "libraries of two times are refused")) return true;
    if (some_at_start && RT_FAULT(DL_DLOPEN_06, "the order of loading must decide")) return true;
    if (files_are_namesakes(search) && RT_FAULT(DL_DLOPEN_07, "files of one name are refused"))
        return true;
    return some_have(search, was_preloaded) &&
           RT_FAULT(DL_PRELOAD_02, "a preloaded definition next to another is refused");
}

/* Provides a symbol that has no suitable exporter, by the planted fault. */
static void provide_nevertheless(const provider_search *search, rt_text symbol,
                                 rt_provider_list *out_providers)
{
    bool any_format = RT_FAULT(DL_RESOLVE_12, "an image of another format serves if need be");
    bool by_code = RT_FAULT(DL_IMAGE_01, "images are searched for the symbol's name");
    if (!any_format && !by_code) return;
    const rt_program_tables *tables = search->context->tables;
    for (uint32_t i = 0; i < tables->images.count && out_providers->images.count == 0; i++) {
        const rt_registered_image *image = tables->images.items[i];
        if (!image || image == search->requesting) continue;
        rt_bytes code = image->image->code;
        if ((any_format && exports(image, symbol)) ||
            (by_code && memmem(code.data, code.size, symbol.data, symbol.length)))
            *rt_vector_push(&out_providers->images) = image;
    }
}

/* Finds the suitable exporters; returns whether there are others. */
static bool find_suitable(provider_search *search, rt_text symbol)
{
    const rt_program_tables *tables = search->context->tables;
    bool are_others = false;
    for (uint32_t i = 0; i < tables->images.count; i++) {
        const rt_registered_image *image = tables->images.items[i];
        if (!image || !exports(image, symbol)) continue;
        bool is_suitable = image->image->format == search->requesting->image->format &&
                           rt_device_meets(search->context->device, image->image, NULL);
        if (is_suitable) *rt_vector_push(&search->suitable.images) = image;
        are_others = are_others || !is_suitable;
    }
    return are_others;
}

void __wrap_rt_provider_find(const rt_link_context *context, const rt_registered_image *requesting,
                             rt_text symbol, rt_provider_list *out_providers)
{
    provider_search search = {.context = context, .requesting = requesting};
    bool are_others = find_suitable(&search, symbol);
    accepts *accept = acceptance(&search);
    bool is_mixed = are_others && search.suitable.images.count > 0;
    if (accept) {
        for (uint32_t i = 0; i < search.suitable.images.count; i++) {
            const rt_registered_image *image = search.suitable.images.items[i];
            if (accept(&search, image) && out_providers->images.count == 0)
                *rt_vector_push(&out_providers->images) = image;
        }
    } else if (!refuses_several(&search) &&
               !(is_mixed && RT_FAULT(DL_RESOLVE_14, "other formats are an ODR violation"))) {
        __real_rt_provider_find(context, requesting, symbol, out_providers);
        if (out_providers->images.count == 0) provide_nevertheless(&search, symbol, out_providers);
    }
    rt_vector_free(&search.suitable.images);
}

/* ---- The link set --------------------------------------------------------------------------- */

rt_status __real_rt_link_set_collect(const rt_link_context *context,
                                     const rt_registered_image *requesting, rt_link_set *out_set);
rt_status __wrap_rt_link_set_collect(const rt_link_context *context,
                                     const rt_registered_image *requesting, rt_link_set *out_set);

static bool set_has(const rt_link_set *set, const rt_registered_image *image)
{
    for (uint32_t i = 0; i < set->images.count; i++)
        if (set->images.items[i] == image) return true;
    return false;
}

static bool set_has_module(const rt_link_set *set, rt_module_id module)
{
    for (uint32_t i = 1; i < set->images.count; i++)
        if (set->images.items[i]->module == module) return true;
    return false;
}

/* Adds registered images that nothing requires: all, or those of the providers' modules. */
static void take_more(const rt_program_tables *tables, bool whole_modules, rt_link_set *set)
{
    for (uint32_t i = 0; i < tables->images.count; i++) {
        const rt_registered_image *image = tables->images.items[i];
        if (!image || set_has(set, image)) continue;
        if (!whole_modules || set_has_module(set, image->module))
            *rt_vector_push(&set->images) = image;
    }
}

static bool exports_overlap(const rt_link_set *set)
{
    for (uint32_t i = 0; i < set->images.count; i++) {
        const rt_property_set *names =
            __real_rt_image_set(set->images.items[i]->image, RT_SET_EXPORTED_SYMBOLS);
        for (uint32_t n = 0; names && n < names->property_count; n++)
            for (uint32_t k = 0; k < i; k++)
                if (exports(set->images.items[k], names->properties[n].name)) return true;
    }
    return false;
}

/* True if the host's linker finds a definition of one of the image's imports. */
static bool host_defines_an_import(const rt_link_context *context, const rt_registered_image *image)
{
    const rt_property_set *imports = __real_rt_image_set(image->image, RT_SET_IMPORTED_SYMBOLS);
    for (uint32_t i = 0; imports && i < imports->property_count; i++) {
        rt_module_id host = RT_MODULE_NONE;
        rt_status status =
            rt_loader_binds(context->loader, image->module, imports->properties[i].name, &host);
        if (rt_ok(status) && host != RT_MODULE_NONE) return true;
    }
    return false;
}

/* True if imports that no image exports are accepted by the planted fault. */
static bool accepts_unresolved(const rt_link_context *context,
                               const rt_registered_image *requesting)
{
    if (RT_FAULT(DL_SET_08, "unresolved imports are left to the device's linker")) return true;
    /* The loader, whose lock is taken before that of the programs, is consulted only when the fault
     * is planted. */
    if (RT_FAULT(DL_REQ_03, "the host's linker resolves imports") &&
        host_defines_an_import(context, requesting))
        return true;
    return requesting->image->kernel_count > 1 &&
           RT_FAULT(DL_RESOLVE_18, "another kernel is assumed to need the import");
}

rt_status __wrap_rt_link_set_collect(const rt_link_context *context,
                                     const rt_registered_image *requesting, rt_link_set *out_set)
{
    rt_status status = __real_rt_link_set_collect(context, requesting, out_set);
    if (!rt_ok(status)) {
        if (RT_FAULT(DL_DLOPEN_02, "after a failure, new images are ignored")) tables_frozen = true;
        return accepts_unresolved(context, requesting) ? RT_STATUS_OK : status;
    }
    if (out_set->searched && RT_FAULT(DL_RESOLVE_16, "all registered images are linked"))
        take_more(context->tables, false, out_set);
    if (out_set->searched && RT_FAULT(DL_SPLIT_05, "the modules of providers are linked whole"))
        take_more(context->tables, true, out_set);
    if (!is_startup(context->loader, requesting->module) && out_set->images.count > 1 &&
        RT_FAULT(DL_REQ_08, "images of modules loaded later are not linked with others"))
        out_set->images.count = 1;
    if (has_empty_set(requesting, RT_SET_IMPORTED_SYMBOLS) &&
        RT_FAULT(DL_IMPORT_09, "an image with an empty list of imports is linked"))
        out_set->searched = true;
    if (has_empty_set(requesting, RT_SET_EXPORTED_SYMBOLS) &&
        RT_FAULT(DL_EXPORT_04, "an image with an empty list of exports is linked"))
        out_set->searched = true;
    if (exports_overlap(out_set) && RT_FAULT(DL_RESOLVE_15, "overlapping providers are refused"))
        return rt_fail(context->sink, RT_ERRC_BUILD, RT_RULE_DL_RESOLVE_15, "exports overlap");
    return RT_STATUS_OK;
}

/* ---- Compiling and linking ------------------------------------------------------------------ */

rt_status __real_dev_program_compile(dev_device *device, const dev_code *code,
                                     dev_program **out_program);
rt_status __wrap_dev_program_compile(dev_device *device, const dev_code *code,
                                     dev_program **out_program);
rt_status __real_dev_program_link(dev_device *device, dev_program *const *programs, uint32_t count,
                                  rt_text options, dev_program **out_program);
rt_status __wrap_dev_program_link(dev_device *device, dev_program *const *programs, uint32_t count,
                                  rt_text options, dev_program **out_program);
bool __real_rt_device_links(const rt_device *device, rt_format format, rt_profile profile);
bool __wrap_rt_device_links(const rt_device *device, rt_format format, rt_profile profile);
rt_status __real_rt_program_build(rt_program_manager *manager, const rt_build_target *target,
                                  uint32_t program_id, const rt_link_set *set,
                                  dev_program **out_executable);
rt_status __wrap_rt_program_build(rt_program_manager *manager, const rt_build_target *target,
                                  uint32_t program_id, const rt_link_set *set,
                                  dev_program **out_executable);
rt_status __real_rt_program_link(rt_program_manager *manager, const rt_build_target *target,
                                 uint32_t program_id, const rt_link_set *set,
                                 dev_program *const *objects, rt_text options,
                                 dev_program **out_executable);
rt_status __wrap_rt_program_link(rt_program_manager *manager, const rt_build_target *target,
                                 uint32_t program_id, const rt_link_set *set,
                                 dev_program *const *objects, rt_text options,
                                 dev_program **out_executable);
rt_program *__real_rt_program_create(rt_program_manager *manager, const rt_build_target *target,
                                     uint32_t id, const rt_link_set *set, const rt_image *injected,
                                     dev_program *executable);
rt_program *__wrap_rt_program_create(rt_program_manager *manager, const rt_build_target *target,
                                     uint32_t id, const rt_link_set *set, const rt_image *injected,
                                     dev_program *executable);

rt_status __wrap_dev_program_compile(dev_device *device, const dev_code *code,
                                     dev_program **out_program)
{
    if (code->bytes.size == 0 || !RT_FAULT(DL_LINK_03, "the runtime patches the code"))
        return __real_dev_program_compile(device, code, out_program);
    rt_arena arena = {0};
    dev_code patched = *code;
    patched.bytes = rt_arena_bytes(&arena, code->bytes);
    ((uint8_t *)patched.bytes.data)[patched.bytes.size - 1] ^= 1;
    rt_status status = __real_dev_program_compile(device, &patched, out_program);
    rt_arena_reset(&arena);
    return status;
}

rt_status __wrap_dev_program_link(dev_device *device, dev_program *const *programs, uint32_t count,
                                  rt_text options, dev_program **out_program)
{
    if (count > 1 && RT_FAULT(DL_LINK_02, "the linker gets only the requesting image")) count = 1;
    return __real_dev_program_link(device, programs, count, options, out_program);
}

bool __wrap_rt_device_links(const rt_device *device, rt_format format, rt_profile profile)
{
    static uint32_t linked_formats; /* of any device that was queried */
    rt_format queried = format;
    if (format == RT_FORMAT_SPIRV64 &&
        RT_FAULT(DL_BACKEND_02, "SPIR-V is linked by the extension for CPU code"))
        queried = RT_FORMAT_SPIRV64_X86_64;
    if (format == RT_FORMAT_SPIRV64_X86_64 &&
        RT_FAULT(DL_BACKEND_03, "CPU code is linked by the extension for SPIR-V"))
        queried = RT_FORMAT_SPIRV64;
    if (format == RT_FORMAT_SPIRV64_GEN &&
        RT_FAULT(DL_BACKEND_04, "GPU code is linked by the extension for SPIR-V"))
        queried = RT_FORMAT_SPIRV64;
    if (format == RT_FORMAT_SPIRV64_FPGA &&
        RT_FAULT(DL_BACKEND_05, "FPGA code is linked by the extension for SPIR-V"))
        queried = RT_FORMAT_SPIRV64;
    bool links = __real_rt_device_links(device, queried, profile);
    if (RT_FAULT(DL_BACKEND_14, "what one device links, all devices link")) {
        linked_formats |= (uint32_t)links << format;
        return linked_formats >> format & 1;
    }
    return links || RT_FAULT(DL_BACKEND_01, "the device is not queried");
}

static rt_link_set first_of(const rt_link_set *set)
{
    rt_link_set first = *set;
    first.images.count = 1;
    return first;
}

rt_status __wrap_rt_program_build(rt_program_manager *manager, const rt_build_target *target,
                                  uint32_t program_id, const rt_link_set *set,
                                  dev_program **out_executable)
{
    rt_link_set first = first_of(set);
    if (set->images.count > 1 && RT_FAULT(DL_LINK_01, "only the requesting image is compiled"))
        set = &first;
    return __real_rt_program_build(manager, target, program_id, set, out_executable);
}

static bool formats_differ(const rt_link_set *set)
{
    for (uint32_t i = 1; i < set->images.count; i++)
        if (set->images.items[i]->image->format != set->images.items[0]->image->format) return true;
    return false;
}

rt_status __wrap_rt_program_link(rt_program_manager *manager, const rt_build_target *target,
                                 uint32_t program_id, const rt_link_set *set,
                                 dev_program *const *objects, rt_text options,
                                 dev_program **out_executable)
{
    *out_executable = NULL;
    if (formats_differ(set) && RT_FAULT(DL_LINK_06, "the runtime refuses mixed formats"))
        return rt_fail(manager->sink, RT_ERRC_FEATURE_NOT_SUPPORTED, RT_RULE_DL_LINK_06,
                       "the images have different formats");
    rt_link_set first = first_of(set);
    if (set->images.count > 1 && RT_FAULT(DL_REQ_04, "only the first object is linked"))
        set = &first;
    return __real_rt_program_link(manager, target, program_id, set, objects, options,
                                  out_executable);
}

rt_program *__wrap_rt_program_create(rt_program_manager *manager, const rt_build_target *target,
                                     uint32_t id, const rt_link_set *set, const rt_image *injected,
                                     dev_program *executable)
{
    if (injected && RT_FAULT(KF_JIT_03, "the bundle forgets its image")) injected = NULL;
    return __real_rt_program_create(manager, target, id, set, injected, executable);
}

/* ---- The cache in memory -------------------------------------------------------------------- */

rt_program *__real_rt_cache_find(const rt_cache *cache, const rt_cache_key *key);
rt_program *__wrap_rt_cache_find(const rt_cache *cache, const rt_cache_key *key);
bool __real_rt_cache_store(rt_cache *cache, const rt_cache_key *key,
                           const rt_registered_image *image, rt_program *program);
bool __wrap_rt_cache_store(rt_cache *cache, const rt_cache_key *key,
                           const rt_registered_image *image, rt_program *program);
rt_status __real_rt_program_manager_kernel(rt_program_manager *manager,
                                           const rt_kernel_request *request,
                                           rt_program **out_program, dev_kernel **out_kernel);
rt_status __wrap_rt_program_manager_kernel(rt_program_manager *manager,
                                           const rt_kernel_request *request,
                                           rt_program **out_program, dev_kernel **out_kernel);

static const rt_program *displaced; /* by DL-CACHE-13, a program whose tuple another one wanted */

/* The constants of a key as a cache with a mistake compares them; valid until the next call. */
static rt_spec_list constants_as_used(rt_spec_list list)
{
    static _Thread_local rt_spec_constant constants[2];
    const uint32_t half = sizeof(uint32_t);
    rt_spec_list used = list;
    if (list.count > 1 && RT_FAULT(NONE, "the cache compares one constant")) used.count = 1;
    if (list.count == 1 && list.constants[0].value.size == 2 * half &&
        RT_FAULT(NONE, "the cache compares four bytes of a constant")) {
        constants[0] = list.constants[0];
        constants[0].value.size = half;
        used.constants = constants;
    }
    if (list.count == 2 && list.constants[0].value.size == list.constants[1].value.size &&
        memcmp(list.constants[0].value.data, list.constants[1].value.data,
               list.constants[0].value.size) > 0 &&
        RT_FAULT(NONE, "the cache compares the values of constants without their names")) {
        constants[0] = (rt_spec_constant){list.constants[0].name, list.constants[1].value};
        constants[1] = (rt_spec_constant){list.constants[1].name, list.constants[0].value};
        used.constants = constants;
    }
    return used;
}

static rt_cache_key key_as_used(const rt_cache_key *key)
{
    rt_cache_key used = *key;
    used.constants = constants_as_used(key->constants);
    if (RT_FAULT(DL_CACHE_06, "there is one level, without the kernel's name"))
        used.kernel = RT_TEXT("any");
    return used;
}

rt_program *__wrap_rt_cache_find(const rt_cache *cache, const rt_cache_key *key)
{
    static uint32_t device_before;
    rt_cache_key used = key_as_used(key);
    rt_program *program = __real_rt_cache_find(cache, &used);
    bool same_device = device_before == key->device;
    device_before = key->device;
    if (!program) return NULL;
    if (!same_device && RT_FAULT(DL_CACHE_04, "the cache serves one device at a time")) return NULL;
    if (program == displaced) return NULL;
    if (program->image_count > 0 && has_function_sets(program->images[0]) &&
        RT_FAULT(VF_CACHE_01, "the images are collected again for every launch"))
        return NULL;
    return program;
}

/* True if the planted fault stores no such tuple. */
static bool leaves_out(const rt_cache_key *key, const rt_registered_image *image,
                       const rt_program *program)
{
    const rt_registered_image *requesting = program->images[0];
    if (!rt_text_equal(key->kernel, image->image->kernels[0]) &&
        RT_FAULT(DL_CACHE_01, "only an image's first kernel is cached"))
        return true;
    if (program->tuples.count > 0 && RT_FAULT(DL_CACHE_07, "one tuple leads to a program"))
        return true;
    if (image != requesting && RT_FAULT(DL_CACHE_09, "kernels of providers are not cached"))
        return true;
    return key->module != requesting->module &&
           RT_FAULT(DL_CACHE_10, "kernels are not cached under the modules of providers");
}

bool __wrap_rt_cache_store(rt_cache *cache, const rt_cache_key *key,
                           const rt_registered_image *image, rt_program *program)
{
    if (leaves_out(key, image, program)) return false;
    rt_cache_key used = key_as_used(key);
    const rt_program *before = __real_rt_cache_find(cache, &used);
    if (before && before != program &&
        RT_FAULT(DL_CACHE_13, "a program that another one would replace is no longer used"))
        displaced = before;
    return __real_rt_cache_store(cache, &used, image, program);
}

/* True if the program would have more images if it were linked now. */
static bool has_grown(rt_program_manager *manager, const rt_device *device,
                      const rt_program *program)
{
    rt_program_manager_lock(manager);
    rt_link_context context = rt_program_link_context(manager, device);
    rt_link_set set = {0};
    rt_status status = __real_rt_link_set_collect(&context, program->images[0], &set);
    bool grown = rt_ok(status) && set.images.count > program->image_count;
    rt_link_set_free(&set);
    rt_program_manager_unlock(manager);
    return grown;
}

rt_status __wrap_rt_program_manager_kernel(rt_program_manager *manager,
                                           const rt_kernel_request *request,
                                           rt_program **out_program, dev_kernel **out_kernel)
{
    /* The request that was refused last, as long as no image has been registered since. */
    static _Thread_local struct {
        rt_status status;
        uint32_t images, device, module;
        uint64_t name;
    } refused;
    uint64_t name = rt_hash64(request->kernel.data, request->kernel.length);
    uint32_t images = atomic_load_explicit(&registration_count, memory_order_relaxed);
    uint32_t module = request->has_module ? request->module : RT_MODULE_NONE;
    if (refused.status.code == RT_LINK_ERROR && refused.images == images && refused.name == name &&
        refused.device == request->device->id && refused.module == module &&
        request->constant_count == 0 &&
        RT_FAULT(NONE, "a kernel that could not be linked stays refused until a library is loaded"))
        return rt_fail(manager->sink, RT_ERRC_BUILD, RT_RULE_NONE, "the kernel was refused before");
    rt_status status = __real_rt_program_manager_kernel(manager, request, out_program, out_kernel);
    refused.status = status;
    refused.images = images;
    refused.device = request->device->id;
    refused.module = module;
    refused.name = name;
    if (!rt_ok(status)) return status;
    rt_program *program = *out_program;
    if (program->image_count > 1 &&
        RT_FAULT(DL_CACHE_12, "kernels of linked programs are made anew")) {
        dev_kernel *kernel = NULL;
        RT_TRY(dev_kernel_create(program->executable, request->kernel, &kernel));
        rt_program_manager_lock(manager);
        RT_TRACE(manager->trace, KERNEL_CREATE, RT_T("kernel", request->kernel),
                 RT_N("program", program->id));
        *rt_vector_push(&program->kernels) = (rt_program_kernel){(rt_text){0}, kernel};
        rt_program_manager_unlock(manager);
        *out_kernel = kernel;
    }
    if (program->image_count > 0 && has_function_sets(program->images[0]) &&
        RT_FAULT(VF_CACHE_04, "a set that has grown must become part of the program") &&
        has_grown(manager, request->device, program)) {
        rt_program_release(manager, program);
        *out_program = NULL;
        *out_kernel = NULL;
        return rt_fail(manager->sink, RT_ERRC_INVALID, RT_RULE_VF_CACHE_04,
                       "a set of virtual functions has grown");
    }
    return RT_STATUS_OK;
}

/* ---- The persistent cache ------------------------------------------------------------------- */

rt_status __real_rt_persistent_build(rt_program_manager *manager, const rt_build_target *target,
                                     uint32_t program_id, const rt_link_set *set,
                                     dev_program **out_executable, bool *out_loaded);
rt_status __wrap_rt_persistent_build(rt_program_manager *manager, const rt_build_target *target,
                                     uint32_t program_id, const rt_link_set *set,
                                     dev_program **out_executable, bool *out_loaded);
void __real_rt_persistent_key(rt_buffer *out, const rt_program_manager *manager,
                              const rt_build_target *target, const rt_link_set *set);
void __wrap_rt_persistent_key(rt_buffer *out, const rt_program_manager *manager,
                              const rt_build_target *target, const rt_link_set *set);

/* The set without providers from which a program has been built. */
static rt_link_set without_built(rt_program_manager *manager, const rt_link_set *set)
{
    rt_link_set kept = {.searched = set->searched};
    rt_program_manager_lock(manager);
    for (uint32_t i = 0; i < set->images.count; i++) {
        uint32_t count = 0;
        rt_free(rt_program_index_of_image(&manager->index, set->images.items[i]->id, &count));
        if (i == 0 || count == 0) *rt_vector_push(&kept.images) = set->images.items[i];
    }
    rt_program_manager_unlock(manager);
    return kept;
}

rt_status __wrap_rt_persistent_build(rt_program_manager *manager, const rt_build_target *target,
                                     uint32_t program_id, const rt_link_set *set,
                                     dev_program **out_executable, bool *out_loaded)
{
    bool has_sets = has_function_sets(set->images.items[0]);
    if (has_sets && RT_FAULT(VF_CACHE_02, "programs with function sets are not stored")) {
        *out_loaded = false;
        return __real_rt_program_build(manager, target, program_id, set, out_executable);
    }
    rt_link_set kept = {0};
    if (RT_FAULT(DL_CACHE_11, "code that was compiled before is not compiled again")) {
        kept = without_built(manager, set);
        set = &kept;
    }
    rt_status status =
        __real_rt_persistent_build(manager, target, program_id, set, out_executable, out_loaded);
    rt_link_set_free(&kept);
    if (rt_ok(status) && has_sets && manager->persistent && !*out_loaded &&
        RT_FAULT(VF_CACHE_03, "an entry for other providers counts as damaged")) {
        dev_program_destroy(*out_executable);
        *out_executable = NULL;
        return rt_fail(manager->sink, RT_ERRC_INVALID, RT_RULE_VF_CACHE_03,
                       "the persistent cache has the image with other providers");
    }
    return status;
}

void __wrap_rt_persistent_key(rt_buffer *out, const rt_program_manager *manager,
                              const rt_build_target *target, const rt_link_set *set)
{
    rt_link_set covered = {.searched = set->searched};
    for (uint32_t i = 0; i < set->images.count; i++)
        *rt_vector_push(&covered.images) = set->images.items[i];
    if (set->images.count > 1 && RT_FAULT(DL_PCACHE_01, "the key covers the requesting image only"))
        covered.images.count = 1;
    if (!set->searched && RT_FAULT(DL_PCACHE_05, "the key covers all registered images"))
        take_more(&manager->tables, false, &covered);
    if (set->images.count > 3 && RT_FAULT(NONE, "the key covers an image and two providers"))
        covered.images.count = 3;
    rt_arena arena = {0};
    rt_build_target known = *target;
    rt_link_set first = {.searched = set->searched};
    *rt_vector_push(&first.images) = set->images.items[0];
    rt_spec_list of_first = rt_spec_list_known(&arena, target->constants, &first);
    if (of_first.count < target->constants.count &&
        RT_FAULT(NONE, "the key lacks the constants of providers"))
        known.constants = of_first;
    __real_rt_persistent_key(out, manager, &known, &covered);
    rt_link_set_free(&first);
    rt_arena_reset(&arena);
    rt_link_set_free(&covered);
}
