/* Resolves the names of specialisation constants.
 *
 * The integration header of DPC++ gives each specialization_id a symbolic id, which distinguishes
 * translation units, and libsycl refers to the constant by it; a scenario uses the name in the
 * source. Source: intel/llvm, sycl/doc/design/SYCL2020-SpecializationConstants.md. */
#include "conformance/scenario/resolve/constants.h"

#include "conformance/scenario/resolve/sycl_kernels.h"
#include "reference/base/vector.h"

#include <ctype.h>
#include <string.h>

/* ---- What a source may declare -------------------------------------------------------------- */

static bool is_word_byte(char c)
{
    return c == '_' || isalnum((unsigned char)c);
}

/* True if the code has the name as a word, or as the end of the prelude's name for the constant. */
static bool code_mentions(rt_text code, rt_text name)
{
    static const char prefix[] = "__assay_spec_constant_";
    if (name.length == 0 || code.length == 0) return false;
    const char *at = code.data, *end = code.data + code.length;
    while ((at = memmem(at, (size_t)(end - at), name.data, name.length))) {
        size_t before = (size_t)(at - code.data), length = sizeof prefix - 1;
        const char *next = at + name.length;
        bool ends = next == end || !is_word_byte(*next);
        bool begins = before == 0 || !is_word_byte(at[-1]) ||
                      (before >= length && memcmp(at - length, prefix, length) == 0);
        if (begins && ends) return true;
        at++;
    }
    return false;
}

static bool source_may_have(const scn_source *source, rt_text name)
{
    /* Of a qualified name, the last component: "width" of "kernels::width". */
    rt_text last = name;
    for (size_t i = 0; i < name.length; i++)
        if (name.data[i] == ':') last = rt_text_skip(name, i + 1);
    return last.length > 0 && (source->file.length > 0 || code_mentions(source->code, last));
}

static bool is_in_table(const rt_property_set *sets, uint32_t count, rt_text name)
{
    for (uint32_t i = 0; i < count; i++)
        if (rt_text_is(sets[i].name, RT_SET_SPEC_CONSTANTS) && rt_property_set_find(&sets[i], name))
            return true;
    return false;
}

static bool module_may_have(const scn_module *module, rt_text name)
{
    for (uint32_t i = 0; i < module->source_count; i++)
        if (source_may_have(&module->sources[i], name)) return true;
    for (uint32_t i = 0; i < module->hand_image_count; i++) {
        const scn_hand_image *image = &module->hand_images[i];
        if (source_may_have(&image->source, name)) return true;
        if (is_in_table(image->sets, image->set_count, name)) return true;
    }
    for (uint32_t i = 0; i < module->images.count; i++) {
        const rt_image *image = &module->images.images[i];
        if (is_in_table(image->sets, image->set_count, name)) return true;
    }
    return false;
}

bool scn_constant_may_be(const scn_scenario *scenario, rt_text name)
{
    for (uint32_t m = 0; m < scenario->module_count; m++)
        if (module_may_have(&scenario->modules[m], name)) return true;
    return false;
}

/* ---- Symbolic ids --------------------------------------------------------------------------- */

typedef struct constant_table {
    rt_arena *arena;
    RT_VECTOR(rt_text) ids, names; /* each id once, and its name in the source; empty: none */
    rt_text problem;
} constant_table;

static void ids_list(constant_table *table, const scn_scenario *scenario)
{
    for (uint32_t m = 0; m < scenario->module_count; m++) {
        const rt_image_list *images = &scenario->modules[m].images;
        for (uint32_t i = 0; i < images->count; i++) {
            const rt_property_set *set = rt_image_set(&images->images[i], RT_SET_SPEC_CONSTANTS);
            for (uint32_t k = 0; set && k < set->property_count; k++) {
                rt_text id = set->properties[k].name;
                bool is_known = false;
                for (uint32_t n = 0; n < table->ids.count && !is_known; n++)
                    is_known = rt_text_equal(table->ids.items[n], id);
                if (is_known) continue;
                *rt_vector_push(&table->ids) = id;
                *rt_vector_push(&table->names) = scn_sycl_variable_name(table->arena, id);
            }
        }
    }
}

/* The id that a name stands for, or the name itself; false: it stands for several. */
static bool id_find(constant_table *table, rt_text name, rt_text *out_id)
{
    uint32_t count = 0;
    rt_buffer ids = {0};
    *out_id = name;
    for (uint32_t i = 0; i < table->ids.count; i++) {
        if (rt_text_equal(table->ids.items[i], name)) {
            *out_id = name;
            count = 1;
            break;
        }
        if (!rt_text_equal(table->names.items[i], name)) continue;
        *out_id = table->ids.items[i];
        rt_buffer_printf(&ids, " %.*s", RT_TEXT_ARG(*out_id));
        count++;
    }
    if (count > 1)
        table->problem =
            rt_arena_printf(table->arena,
                            "several specialisation constants have the name '%.*s':%s; "
                            "write the id of the intended constant",
                            RT_TEXT_ARG(name), rt_buffer_string(&ids));
    rt_buffer_free(&ids);
    return count <= 1;
}

static bool constants_resolve(constant_table *table, const scn_spec_constant **inout_constants,
                              uint32_t count, scn_position *out_at)
{
    scn_spec_constant *copies = rt_arena_alloc_array(table->arena, count, sizeof *copies);
    for (uint32_t i = 0; i < count; i++) {
        copies[i] = (*inout_constants)[i];
        *out_at = copies[i].at;
        if (!id_find(table, copies[i].name, &copies[i].name)) return false;
    }
    *inout_constants = copies;
    return true;
}

bool scn_constants_resolve(rt_arena *arena, scn_scenario *scenario, scn_position *out_at,
                           rt_text *out_problem)
{
    constant_table table = {.arena = arena};
    ids_list(&table, scenario);
    bool is_valid = true;
    scn_step *steps = rt_arena_alloc_array(arena, scenario->step_count, sizeof *steps);
    for (uint32_t i = 0; i < scenario->step_count && is_valid; i++) {
        scn_step *step = &steps[i];
        *step = scenario->steps[i];
        if (step->verb == SCN_VERB_SUBMIT)
            is_valid = constants_resolve(&table, &step->submit.constants,
                                         step->submit.constant_count, out_at);
        else if (step->verb == SCN_VERB_BUNDLE)
            is_valid = constants_resolve(&table, &step->bundle.constants,
                                         step->bundle.constant_count, out_at);
    }
    if (is_valid) scenario->steps = steps;
    *out_problem = table.problem;
    rt_vector_free(&table.ids);
    rt_vector_free(&table.names);
    return is_valid;
}
