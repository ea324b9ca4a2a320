/* Rewrites property sets and code for shipped DPC++. */
#include "conformance/subject/shipped_images.h"

#include "conformance/subject/images_change.h"
#include "conformance/subject/shipped.h"
#include "reference/base/spirv.h"
#include "reference/image/device_global.h"
#include "reference/image/virtual_functions.h"

#include <string.h>

/* ---- Virtual functions --------------------------------------------------------------------- */

/* Merges the sets that the image calls and creates into the sets that it uses: one property instead
 * of three, with each name once and the image's own `uses` first. */
static void join_lists(rt_arena *arena, rt_image *image)
{
    rt_virtual_functions functions;
    if (rt_virtual_functions_read(image, &functions))
        return; /* inconsistent: left for libsycl to judge */
    rt_text uses = functions.uses;
    const rt_text lists_to_join[] = {functions.calls, functions.creates};
    for (size_t i = 0; i < sizeof lists_to_join / sizeof *lists_to_join; i++) {
        rt_text rest = lists_to_join[i];
        for (rt_text name; rt_set_names_next(&rest, &name);) {
            if (rt_set_names_hold(uses, name)) continue;
            uses = rt_arena_printf(arena, "%.*s%s%.*s", RT_TEXT_ARG(uses),
                                   uses.length > 0 ? "," : "", RT_TEXT_ARG(name));
        }
    }
    if (uses.length == 0) return;
    rt_property_set *sets = rt_arena_alloc_array(arena, image->set_count, sizeof *sets);
    for (uint32_t i = 0; i < image->set_count; i++) {
        sets[i] = image->sets[i];
        if (!rt_text_is(sets[i].name, RT_SET_VIRTUAL_FUNCTIONS)) continue;
        rt_property *properties =
            rt_arena_alloc_array(arena, (size_t)sets[i].property_count + 1, sizeof *properties);
        uint32_t count = 0;
        for (uint32_t k = 0; k < sets[i].property_count; k++) {
            rt_text name = sets[i].properties[k].name;
            bool is_list = rt_text_is(name, RT_VIRTUAL_FUNCTIONS_CALLS) ||
                           rt_text_is(name, RT_VIRTUAL_FUNCTIONS_CREATES) ||
                           rt_text_is(name, RT_VIRTUAL_FUNCTIONS_USES);
            if (!is_list) properties[count++] = sets[i].properties[k];
        }
        properties[count++] = (rt_property){.name = RT_TEXT(RT_VIRTUAL_FUNCTIONS_USES),
                                            .type = RT_PROPERTY_BYTES,
                                            .bytes = {(const uint8_t *)uses.data, uses.length}};
        CHECK(count <= sets[i].property_count + 1);
        sets[i].properties = properties;
        sets[i].property_count = count;
    }
    image->sets = sets;
}

/* ---- Code ------------------------------------------------------------ */

/* SPIR-V specification, 3.42.1 "OpSource": language, version; 3.2 "Source Language". */
enum { OP_SOURCE = 3, SOURCE_WORDS = 3, OPENCL_CPP = 4, CPP_VERSION = 100000 };

static void word_write(uint8_t *at, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(word >> 8 * i);
}

/* SPV_INTEL_global_variable_decorations: HostAccessINTEL, its access and name in OpDecorate. */
enum { OP_DECORATE = 71, DECORATION_WORD = 2, HOST_ACCESS = 6147, ACCESS_WORD = 3, NAME_WORD = 4 };
enum { ACCESS_READ_WRITE = 2 };

/* True for a decoration that restricts host access to a variable without image scope. */
static bool is_device_scope_access(const rt_image *image, const rt_spirv_instruction *instruction)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_DEVICE_GLOBALS);
    if (instruction->opcode != OP_DECORATE || instruction->word_count <= NAME_WORD) return false;
    if (rt_spirv_word(instruction, DECORATION_WORD) != HOST_ACCESS) return false;
    rt_text id = rt_spirv_text(instruction, NAME_WORD);
    for (uint32_t i = 0; set && i < set->property_count; i++) {
        rt_device_global_value value;
        if (rt_text_equal(set->properties[i].name, id))
            return rt_device_global_value_read(&set->properties[i], &value) && !value.image_scope;
    }
    return false;
}

/* Code that is not SPIR-V stays as it is. */
static void rewrite_code(rt_arena *arena, rt_image *image)
{
    if (image->format != RT_FORMAT_SPIRV64 || !rt_image_set(image, RT_SET_DEVICE_GLOBALS)) return;
    uint8_t *code = rt_arena_alloc_array(arena, image->code.size + 1, 1);
    memcpy(code, image->code.data, image->code.size);
    rt_spirv_walk walk = rt_spirv_walk_start(image->code);
    for (rt_spirv_instruction at; !walk.is_swapped && rt_spirv_walk_next(&walk, &at);) {
        uint8_t *words = code + (at.bytes.data - image->code.data);
        if (at.opcode == OP_SOURCE && at.word_count >= SOURCE_WORDS) {
            word_write(words + 4, OPENCL_CPP);
            word_write(words + 8, CPP_VERSION);
        }
        if (is_device_scope_access(image, &at))
            word_write(words + ACCESS_WORD * 4, ACCESS_READ_WRITE);
    }
    if (walk.is_damaged || walk.is_swapped) return;
    image->code.data = code;
}

/* ---- The whole ----------------------------------------------------------------------------- */

static rt_status image_ship(void *user, const scn_module *module, uint32_t index, rt_image *image)
{
    rt_arena *arena = user;
    (void)module, (void)index;
    /* libsycl has no target for native code but those of the documents, and the simulated device's
     * is for none of them. */
    if (image->format == RT_FORMAT_NATIVE && !cnf_shipped_is_simulated())
        image->format = RT_FORMAT_SPIRV64_X86_64;
    join_lists(arena, image);
    rewrite_code(arena, image);
    rt_image_hash(image);
    return RT_STATUS_OK;
}

const scn_scenario *cnf_shipped_images(rt_arena *arena, const scn_scenario *scenario)
{
    const scn_scenario *result = NULL;
    rt_status status = cnf_images_change(arena, scenario, image_ship, arena, &result);
    CHECK(rt_ok(status));
    return result;
}
