/* Symbol resolution (linker.h): collects definitions by name, then binds imports to them.  It moves
 * no code and copies no data. */
#include "sim/module/linker.h"

#include "reference/base/map.h"
#include "reference/base/rule.h"
#include "reference/base/vector.h"

typedef RT_VECTOR(sim_symbol) symbol_list;
typedef RT_VECTOR(rt_text) name_list;

typedef struct sim_linker {
    rt_sink *sink;
    const sim_module *const *modules;
    uint32_t module_count;
    symbol_list symbols;
    rt_map definitions; /* name -> index into symbols */
    rt_map reported;    /* names already in a list */
    name_list *open;    /* receives imports without a definition; NULL: they are an error */
} sim_linker;

static void collect_symbols(sim_linker *linker, uint32_t m)
{
    const sim_module *module = linker->modules[m];
    for (uint32_t i = 0; i < module->function_count; i++) {
        const sim_function *function = &module->functions[i];
        if (function->linkage == SIM_LINKAGE_NONE) continue;
        CHECK(function->link_name.length > 0);
        *rt_vector_push(&linker->symbols) = (sim_symbol){.name = function->link_name,
                                                         .linkage = function->linkage,
                                                         .is_function = true,
                                                         .type = function->type,
                                                         .module = module,
                                                         .place = {m, i}};
    }
    for (uint32_t i = 0; i < module->variable_count; i++) {
        const sim_variable *variable = &module->variables[i];
        if (variable->linkage == SIM_LINKAGE_NONE) continue;
        CHECK(variable->link_name.length > 0 && variable->built_in == SIM_NONE);
        *rt_vector_push(&linker->symbols) = (sim_symbol){.name = variable->link_name,
                                                         .linkage = variable->linkage,
                                                         .type = variable->type->element,
                                                         .storage_class = variable->storage_class,
                                                         .module = module,
                                                         .place = {m, i}};
    }
}

/* Adds a name to a list unless it is already there. */
static void report(sim_linker *linker, name_list *names, rt_text name)
{
    if (rt_map_find(&linker->reported, name) != RT_MAP_NONE) return;
    rt_map_set(&linker->reported, name, names->count);
    *rt_vector_push(names) = name;
}

/* Appends each module's declarations of a name or, for the name of a kernel, the modules that have
 * it. */
static void write_places(const sim_linker *linker, rt_text name, bool is_kernel, rt_buffer *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < linker->symbols.count && !is_kernel; i++) {
        const sim_symbol *symbol = &linker->symbols.items[i];
        if (!rt_text_equal(symbol->name, name)) continue;
        rt_buffer_printf(out, "%s", count++ ? ", " : " (");
        sim_symbol_write(out, symbol);
    }
    for (uint32_t m = 0; m < linker->module_count && is_kernel; m++) {
        const sim_module *module = linker->modules[m];
        for (uint32_t i = 0; i < module->entry_count; i++) {
            if (!rt_text_equal(module->entries[i].name, name)) continue;
            rt_buffer_printf(out, "%s", count++ ? ", " : " (");
            sim_module_write(out, module, m);
        }
    }
    CHECK(count > 0);
    rt_buffer_append_byte(out, ')');
}

/* Returns success if the list is empty, otherwise a LINK_ERROR that contains its names; then
 * empties the list. */
static rt_status refuse(sim_linker *linker, name_list *names, bool are_kernels, const char *noun)
{
    rt_status status = RT_STATUS_OK;
    if (names->count > 0) {
        rt_buffer list = {0};
        for (uint32_t i = 0; i < names->count; i++) {
            rt_buffer_printf(&list, "%s%.*s", i ? ", " : "", RT_TEXT_ARG(names->items[i]));
            write_places(linker, names->items[i], are_kernels, &list);
        }
        status = rt_fail_naming(linker->sink, RT_LINK_ERROR, RT_RULE_NONE, names->items,
                                names->count, "%s: %s", noun, rt_buffer_string(&list));
        rt_buffer_free(&list);
    }
    rt_vector_free(names);
    rt_map_free(&linker->reported);
    return status;
}

/* Records the definitions: an Export takes precedence over LinkOnceODR; otherwise the first
 * definition wins. */
static rt_status define_symbols(sim_linker *linker)
{
    name_list twice = {0};
    for (uint32_t i = 0; i < linker->symbols.count; i++) {
        const sim_symbol *symbol = &linker->symbols.items[i];
        if (symbol->linkage == SIM_LINKAGE_IMPORT) continue;
        uint32_t known = rt_map_find(&linker->definitions, symbol->name);
        bool is_stronger = known != RT_MAP_NONE && symbol->linkage == SIM_LINKAGE_EXPORT;
        bool is_second = is_stronger && linker->symbols.items[known].linkage == SIM_LINKAGE_EXPORT;
        if (RULE(DL_ODR_03, is_second)) report(linker, &twice, symbol->name);
        if (known == RT_MAP_NONE || is_stronger) rt_map_set(&linker->definitions, symbol->name, i);
    }
    return refuse(linker, &twice, false, "defined more than once");
}

/* Initially, every function or variable is its own definition. */
static sim_place **make_places(rt_arena *arena, const sim_linker *linker, bool of_functions)
{
    sim_place **places = rt_arena_alloc_array(arena, linker->module_count, sizeof(sim_place *));
    for (uint32_t m = 0; m < linker->module_count; m++) {
        const sim_module *module = linker->modules[m];
        uint32_t count = of_functions ? module->function_count : module->variable_count;
        places[m] = rt_arena_alloc_array(arena, count, sizeof **places);
        for (uint32_t i = 0; i < count; i++) {
            places[m][i] = (sim_place){m, i};
        }
    }
    return places;
}

static rt_status bind_symbols(sim_linker *linker, sim_linkage *linkage)
{
    name_list unresolved = {0}, different = {0};
    for (uint32_t i = 0; i < linker->symbols.count; i++) {
        const sim_symbol *symbol = &linker->symbols.items[i];
        uint32_t known = rt_map_find(&linker->definitions, symbol->name);
        if (known == RT_MAP_NONE) {
            report(linker, &unresolved, symbol->name);
        } else if (!sim_symbol_compatible(symbol, &linker->symbols.items[known])) {
            report(linker, &different, symbol->name);
        } else if (symbol->linkage != SIM_LINKAGE_EXPORT) {
            sim_place **places = symbol->is_function ? linkage->functions : linkage->variables;
            places[symbol->place.module][symbol->place.index] = linker->symbols.items[known].place;
        }
    }
    if (linker->open) {
        *linker->open = unresolved;
        unresolved = (name_list){0};
    }
    rt_status status = refuse(linker, &unresolved, false, "imported but not defined");
    if (!rt_ok(status)) {
        rt_vector_free(&different);
        return status;
    }
    return refuse(linker, &different, false, "imported or defined with different types");
}

/* Kernels are looked up by name, so a name must identify a single kernel. */
static rt_status check_kernels(sim_linker *linker)
{
    name_list twice = {0};
    rt_map kernels = {0};
    for (uint32_t m = 0; m < linker->module_count; m++) {
        const sim_module *module = linker->modules[m];
        for (uint32_t i = 0; i < module->entry_count; i++) {
            rt_text name = module->entries[i].name;
            if (rt_map_find(&kernels, name) != RT_MAP_NONE) report(linker, &twice, name);
            rt_map_set(&kernels, name, m);
        }
    }
    rt_map_free(&kernels);
    return refuse(linker, &twice, true, "kernel in more than one module");
}

static rt_status link_all(sim_linker *linker, sim_linkage *linkage)
{
    for (uint32_t m = 0; m < linker->module_count; m++)
        collect_symbols(linker, m);
    RT_TRY(check_kernels(linker));
    RT_TRY(define_symbols(linker));
    linkage->module_count = linker->module_count;
    linkage->functions = make_places(&linkage->arena, linker, true);
    linkage->variables = make_places(&linkage->arena, linker, false);
    return bind_symbols(linker, linkage);
}

rt_status sim_linkage_create(rt_sink *sink, const sim_module *const *modules, uint32_t count,
                             sim_linkage *out_linkage)
{
    CHECK(count >= 1);
    *out_linkage = (sim_linkage){0};
    sim_linker linker = {.sink = sink, .modules = modules, .module_count = count};
    rt_status status = link_all(&linker, out_linkage);
    rt_vector_free(&linker.symbols);
    rt_map_free(&linker.definitions);
    if (!rt_ok(status)) sim_linkage_free(out_linkage);
    return status;
}

rt_status sim_linkage_imports(rt_sink *sink, const sim_module *const *modules, uint32_t count,
                              rt_arena *arena, const rt_text **out_names, uint32_t *out_count)
{
    CHECK(count >= 1);
    name_list open = {0};
    sim_linkage linkage = {0};
    sim_linker linker = {.sink = sink, .modules = modules, .module_count = count, .open = &open};
    rt_status status = link_all(&linker, &linkage);
    rt_vector_free(&linker.symbols);
    rt_map_free(&linker.definitions);
    sim_linkage_free(&linkage);
    *out_count = rt_ok(status) ? open.count : 0;
    *out_names = rt_arena_copy(arena, open.items, *out_count, sizeof *open.items);
    rt_vector_free(&open);
    return status;
}

void sim_linkage_free(sim_linkage *linkage)
{
    rt_arena_reset(&linkage->arena);
    *linkage = (sim_linkage){0};
}
