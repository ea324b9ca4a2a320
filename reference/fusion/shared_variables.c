/* The variables of a list's programs, as their images describe them. */
#include "reference/fusion/shared_variables.h"

#include "reference/image/device_global.h"
#include "reference/image/virtual_functions.h"

#include <string.h>

typedef struct finder {
    rt_sink *sink;
    rt_arena *arena;
    RT_VECTOR(rt_text) symbols;
    RT_VECTOR(rt_property) described;
    RT_VECTOR(rt_property) mapped;
} finder;

static rt_status reject(const finder *find, rt_text kernel, const rt_image *image, rt_text variable,
                        const char *why)
{
    const rt_text names[] = {kernel, variable};
    return rt_fail_naming(
        find->sink, RT_FUSION_REJECTED, RT_RULE_NONE, names, variable.length > 0 ? 2 : 1,
        "kernel '%.*s' is in image %.*s, which has %s%.*s%s", RT_TEXT_ARG(kernel),
        RT_TEXT_ARG(image->name), variable.length > 0 ? "the device_global '" : "",
        RT_TEXT_ARG(variable), why);
}

/* Adds a variable. False: another variable has the same id or the same symbol, and one program
 * cannot have both variables. */
static bool variable_add(finder *find, const rt_property *described, const rt_property *mapped)
{
    rt_text symbol = {(const char *)mapped->bytes.data, mapped->bytes.size};
    for (uint32_t i = 0; i < find->symbols.count; i++) {
        bool same_id = rt_text_equal(find->described.items[i].name, described->name);
        bool same_symbol = rt_text_equal(find->symbols.items[i], symbol);
        if (same_id || same_symbol) return same_id && same_symbol;
    }
    *rt_vector_push(&find->symbols) = symbol;
    *rt_vector_push(&find->described) = *described;
    *rt_vector_push(&find->mapped) = *mapped;
    CHECK(find->symbols.count == find->described.count);
    CHECK(find->symbols.count == find->mapped.count && symbol.length > 0);
    return true;
}

static rt_status global_check(finder *find, rt_text kernel, const rt_image *image,
                              const rt_property *described)
{
    rt_device_global_value value;
    if (!rt_device_global_value_read(described, &value))
        return reject(find, kernel, image, described->name, "' without a valid size and scope");
    if (value.image_scope)
        return reject(find, kernel, image, described->name,
                      "' with device_image_scope; a fused kernel would have its own copy");
    rt_text name =
        rt_arena_printf(find->arena, "%.*s" RT_GLOBAL_MAPPING_SUFFIX, RT_TEXT_ARG(described->name));
    const rt_property *mapped =
        rt_property_set_find(rt_image_set(image, RT_SET_PROGRAM_METADATA), name);
    if (!mapped || mapped->type != RT_PROPERTY_BYTES || mapped->bytes.size == 0)
        return reject(find, kernel, image, described->name, "' without its symbol");
    if (variable_add(find, described, mapped)) return RT_STATUS_OK;
    return reject(find, kernel, image, described->name,
                  "' under the symbol of another variable in the list");
}

/* Checks one image. Virtual functions are refused: objects contain the addresses of functions in
 * the program that created them, and there is no way to know whether a kernel makes virtual calls
 * only on objects that kernels of the list created. */
static rt_status image_check(finder *find, rt_text kernel, const rt_image *image)
{
    const rt_property_set *sets = rt_image_set(image, RT_SET_VIRTUAL_FUNCTIONS);
    if (sets && sets->property_count > 0)
        return reject(find, kernel, image, (rt_text){0},
                      "virtual functions, whose addresses are stored in objects; a fused kernel "
                      "would have different addresses");
    const rt_property_set *globals = rt_image_set(image, RT_SET_DEVICE_GLOBALS);
    for (uint32_t i = 0; globals && i < globals->property_count; i++)
        RT_TRY(global_check(find, kernel, image, &globals->properties[i]));
    return RT_STATUS_OK;
}

rt_status rt_shared_variables_find(rt_sink *sink, rt_arena *arena, const rt_fusion_list *list,
                                   rt_shared_variables *out_variables)
{
    *out_variables = (rt_shared_variables){0};
    finder find = {.sink = sink, .arena = arena};
    rt_status status = RT_STATUS_OK;
    CHECK(list->count >= 1);
    for (uint32_t k = 0; k < list->count; k++) {
        const rt_program *program = list->kernels[k].program;
        for (uint32_t i = 0; i < program->image_count && rt_ok(status); i++)
            status = image_check(&find, list->kernels[k].kernel, program->images[i]->image);
    }
    uint32_t count = find.symbols.count;
    if (rt_ok(status))
        *out_variables = (rt_shared_variables){
            .symbols = rt_arena_copy(arena, find.symbols.items, count, sizeof *find.symbols.items),
            .described =
                rt_arena_copy(arena, find.described.items, count, sizeof *find.described.items),
            .mapped = rt_arena_copy(arena, find.mapped.items, count, sizeof *find.mapped.items),
            .count = count,
        };
    CHECK(out_variables->count == (rt_ok(status) ? find.symbols.count : 0));
    rt_vector_free(&find.symbols);
    rt_vector_free(&find.described);
    rt_vector_free(&find.mapped);
    return status;
}

/* ---- The fused image ----------------------------------------------------------------------- */

/* Copies the texts and bytes, since the images that own them may be unloaded before the fused
 * kernel is freed. */
static rt_property_set set_copy(rt_arena *arena, const char *name, const rt_property *properties,
                                uint32_t count)
{
    rt_property *copies = rt_arena_alloc_array(arena, count, sizeof *copies);
    for (uint32_t i = 0; i < count; i++) {
        copies[i] = properties[i];
        copies[i].name = rt_arena_text(arena, properties[i].name);
        copies[i].bytes = rt_arena_bytes(arena, properties[i].bytes);
    }
    return (rt_property_set){rt_text_of(name), copies, count};
}

void rt_shared_variables_add(rt_arena *arena, const rt_shared_variables *variables, rt_image *image)
{
    CHECK(!rt_image_set(image, RT_SET_DEVICE_GLOBALS));
    if (variables->count == 0) return;
    rt_property_set *sets = rt_arena_alloc_array(arena, (size_t)image->set_count + 2, sizeof *sets);
    for (uint32_t i = 0; i < image->set_count; i++)
        sets[i] = image->sets[i];
    sets[image->set_count++] =
        set_copy(arena, RT_SET_DEVICE_GLOBALS, variables->described, variables->count);
    sets[image->set_count++] =
        set_copy(arena, RT_SET_PROGRAM_METADATA, variables->mapped, variables->count);
    image->sets = sets;
    CHECK(rt_image_set(image, RT_SET_DEVICE_GLOBALS)->property_count == variables->count);
    rt_image_hash(image);
}
