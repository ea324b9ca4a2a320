/* The serialised form of a checked scenario, read: all but its steps (pack_read_steps.c).  The
 * format is told in pack_write.c.
 *
 * A pack may come from a file, so nothing in it is trusted: every count, index, enumerator and size
 * is checked here, and what executes the scenario may assert them. */
#include "conformance/scenario/pack/unpack.h"

#include "conformance/scenario/model/type.h"
#include "reference/device/device.h"

#include <math.h>
#include <string.h>

/* Least sizes in bytes of the items of tables. */
enum {
    COVER_MIN = 2 * SCN_PACKED_TEXT_MIN + 8,
    SOURCE_MIN = 4 + 3 * SCN_PACKED_TEXT_MIN + 16,
    HAND_IMAGE_MIN = 8 + SOURCE_MIN + 14 + 2 * SCN_PACKED_TEXT_MIN,
    MODULE_MIN = 4 * SCN_PACKED_TEXT_MIN + 8 + 24 + 1 + 12,
    DEVICE_MIN = SCN_PACKED_TEXT_MIN + 8 + 8,
    ARTEFACT_MIN = 16 + 8,
    MEMORY_MIN = SCN_PACKED_TEXT_MIN + 16 + 5 + SCN_PACKED_TEXT_MIN + 2 + 22,
};

static scn_cover read_cover(scn_unpacker *unpack)
{
    scn_cover cover = {.rule = rt_rule_find(rt_read_text(&unpack->reader))};
    scn_unpack_check(unpack, cover.rule != RT_RULE_NONE);
    cover.at = rt_read_text(&unpack->reader);
    cover.position = scn_unpack_position(unpack);
    return cover;
}

/* ---- Modules ------------------------------------------------------------------------------ */

static scn_source read_source(scn_unpacker *unpack)
{
    scn_source source = {0};
    source.language = (scn_language)rt_read_below(&unpack->reader, SCN_LANGUAGE_COUNT);
    source.name = rt_read_text(&unpack->reader);
    source.code = rt_read_text(&unpack->reader);
    source.file = rt_read_text(&unpack->reader);
    source.code_at = scn_unpack_position(unpack);
    source.at = scn_unpack_position(unpack);
    return source;
}

static scn_hand_image read_hand_image(scn_unpacker *unpack)
{
    rt_reader *reader = &unpack->reader;
    scn_hand_image image = {.at = scn_unpack_position(unpack)};
    image.source = read_source(unpack);
    image.format = (rt_format)rt_read_below(reader, RT_FORMAT_COUNT);
    image.kernels_given = scn_unpack_flag(unpack);
    image.kernels = scn_unpack_texts(unpack, &image.kernel_count);
    scn_unpack_check(unpack, image.kernels_given || image.kernel_count == 0);
    image.sets_given = scn_unpack_flag(unpack);
    rt_property_set *sets =
        scn_unpack_table(unpack, sizeof *sets, RT_PROPERTY_SET_PACKED_MIN, &image.set_count);
    scn_unpack_check(unpack, image.sets_given || image.set_count == 0);
    for (uint32_t i = 0; i < image.set_count; i++)
        sets[i] = rt_property_set_read(unpack->arena, reader);
    image.sets = sets;
    image.compile_options = rt_read_text(reader);
    image.link_options = rt_read_text(reader);
    return image;
}

static void read_images(scn_unpacker *unpack, rt_image_list *out_images)
{
    *out_images = (rt_image_list){0};
    if (unpack->reader.failed) return;
    rt_status status = rt_image_list_read(unpack->sink, unpack->arena, &unpack->reader, out_images);
    if (rt_ok(status)) return;
    unpack->status = status;
    rt_reader_fail(&unpack->reader);
}

static void read_sources(scn_unpacker *unpack, scn_module *module)
{
    scn_source *sources =
        scn_unpack_table(unpack, sizeof *sources, SOURCE_MIN, &module->source_count);
    for (uint32_t i = 0; i < module->source_count; i++)
        sources[i] = read_source(unpack);
    module->sources = sources;
}

static void read_hand_images(scn_unpacker *unpack, scn_module *module)
{
    scn_hand_image *images =
        scn_unpack_table(unpack, sizeof *images, HAND_IMAGE_MIN, &module->hand_image_count);
    for (uint32_t i = 0; i < module->hand_image_count; i++)
        images[i] = read_hand_image(unpack);
    module->hand_images = images;
}

static scn_module read_module(scn_unpacker *unpack)
{
    rt_reader *reader = &unpack->reader;
    scn_module module = {.name = scn_unpack_name(unpack)};
    module.at = scn_unpack_position(unpack);
    module.needs = scn_unpack_indices(unpack, unpack->scenario->module_count, &module.need_count);
    module.host_symbols = scn_unpack_texts(unpack, &module.host_symbol_count);
    read_sources(unpack, &module);
    module.split = (rt_split)rt_read_below(reader, RT_SPLIT_COUNT);
    module.build_options = rt_read_text(reader);
    module.formats = rt_read_below(reader, 1u << RT_FORMAT_COUNT);
    module.target_lacks = rt_read_below(reader, 1u << DEV_ASPECT_COUNT);
    module.compile_options = rt_read_text(reader);
    module.link_options = rt_read_text(reader);
    read_hand_images(unpack, &module);
    module.file_name = rt_read_text(&unpack->reader);
    module.registers = scn_unpack_flag(unpack);
    read_images(unpack, &module.images);
    module.device_globals = rt_device_global_list_read(unpack->arena, reader);
    return module;
}

/* ---- Devices and memories ----------------------------------------------------------------- */

static scn_device read_device(scn_unpacker *unpack)
{
    scn_device device = {.name = scn_unpack_name(unpack)};
    device.at = scn_unpack_position(unpack);
    device.hidden_aspects = rt_read_below(&unpack->reader, 1u << DEV_ASPECT_COUNT);
    device.required_aspects = rt_read_below(&unpack->reader, 1u << DEV_ASPECT_COUNT);
    scn_unpack_check(unpack, (device.hidden_aspects & device.required_aspects) == 0);
    device.links_given = scn_unpack_flag(unpack);
    device.links = rt_read_below(&unpack->reader, 1u << RT_FORMAT_COUNT);
    scn_unpack_check(unpack, device.links_given || device.links == 0);
    return device;
}

static void read_tolerance(scn_unpacker *unpack, scn_memory *memory)
{
    memory->tolerance_kind =
        (scn_tolerance_kind)rt_read_below(&unpack->reader, SCN_TOLERANCE_RELATIVE + 1);
    uint64_t bits = rt_read_u64(&unpack->reader);
    memcpy(&memory->tolerance, &bits, sizeof bits);
    scn_unpack_check(unpack, isfinite(memory->tolerance) && memory->tolerance >= 0);
    bool none = memory->tolerance_kind == SCN_TOLERANCE_NONE;
    scn_unpack_check(unpack, none ? bits == 0 : scn_layout_is_floating(&memory->layout));
}

static scn_memory read_memory(scn_unpacker *unpack)
{
    rt_reader *reader = &unpack->reader;
    scn_memory memory = {.name = scn_unpack_name(unpack)};
    memory.at = scn_unpack_position(unpack);
    memory.kind = (scn_memory_kind)rt_read_below(reader, SCN_MEMORY_KIND_COUNT);
    memory.device = rt_read_below(reader, unpack->scenario->device_count);
    memory.layout = scn_unpack_layout(unpack);
    memory.count = rt_read_u64(reader);
    read_tolerance(unpack, &memory);
    memory.unordered = scn_unpack_flag(unpack);
    memory.addresses = scn_unpack_flag(unpack);
    memory.promotion = (scn_promotion)rt_read_below(reader, SCN_PROMOTION_COUNT);
    scn_unpack_check(unpack,
                     memory.kind == SCN_MEMORY_BUFFER || memory.promotion == SCN_PROMOTION_NONE);
    bool initialised = scn_unpack_flag(unpack);
    if (initialised) memory.initial = rt_read_bytes(reader);
    if (reader->failed) return memory;
    uint64_t count_max = RT_MEMORY_SIZE_MAX / memory.layout.size;
    scn_unpack_check(unpack, memory.count >= 1 && memory.count <= count_max);
    uint64_t size = memory.count * memory.layout.size;
    scn_unpack_check(unpack, !initialised || memory.initial.size == size);
    scn_unpack_check(unpack,
                     !scn_memory_is_matched(&memory) || memory.count <= SCN_MATCHED_COUNT_MAX);
    return memory;
}

/* ---- The whole ---------------------------------------------------------------------------- */

/* Tables are hung into the scenario before they are filled, because later parts are checked against
 * earlier ones; after a fault the loops end, as everything then reads as zero. */
static scn_module *read_modules(scn_unpacker *unpack)
{
    scn_scenario *scenario = unpack->scenario;
    scn_module *modules =
        scn_unpack_table(unpack, sizeof *modules, MODULE_MIN, &scenario->module_count);
    scenario->modules = modules;
    scn_unpack_check(unpack, scenario->module_count >= 1);
    for (uint32_t i = 0; i < scenario->module_count && !unpack->reader.failed; i++)
        modules[i] = read_module(unpack);
    scenario->preloaded =
        scn_unpack_distinct(unpack, scenario->module_count, &scenario->preloaded_count);
    for (uint32_t i = 0; i < scenario->preloaded_count; i++)
        scn_unpack_check(unpack, scenario->preloaded[i] != 0); /* the executable */
    scenario->prefer_preloaded = scn_unpack_flag(unpack);
    scenario->persistent_cache = scn_unpack_flag(unpack);
    scenario->warning_level = rt_read_below(&unpack->reader, SCN_WARNING_LEVEL_MAX + 1);
    return modules;
}

static void read_devices_and_memories(scn_unpacker *unpack)
{
    scn_scenario *scenario = unpack->scenario;
    scn_device *devices =
        scn_unpack_table(unpack, sizeof *devices, DEVICE_MIN, &scenario->device_count);
    scenario->devices = devices;
    scn_unpack_check(unpack, scenario->device_count >= 1);
    for (uint32_t i = 0; i < scenario->device_count && !unpack->reader.failed; i++)
        devices[i] = read_device(unpack);
    scn_memory *memories =
        scn_unpack_table(unpack, sizeof *memories, MEMORY_MIN, &scenario->memory_count);
    scenario->memories = memories;
    for (uint32_t i = 0; i < scenario->memory_count && !unpack->reader.failed; i++)
        memories[i] = read_memory(unpack);
}

static scn_module_refusal read_module_refusal(scn_unpacker *unpack)
{
    scn_module_refusal refusal = {0};
    if (!scn_unpack_flag(unpack)) return refusal;
    refusal.error = scn_unpack_error(unpack, false);
    refusal.by_front_end = scn_unpack_flag(unpack);
    return refusal;
}

static void read_artefacts(scn_unpacker *unpack)
{
    scn_scenario *scenario = unpack->scenario;
    rt_reader *reader = &unpack->reader;
    scenario->packed = scn_unpack_flag(unpack);
    scn_artefact *artefacts =
        scn_unpack_table(unpack, sizeof *artefacts, ARTEFACT_MIN, &scenario->artefact_count);
    for (uint32_t i = 0; i < scenario->artefact_count; i++) {
        artefacts[i].request.low = rt_read_u64(reader);
        artefacts[i].request.high = rt_read_u64(reader);
        artefacts[i].answer = rt_read_bytes(reader);
    }
    scn_unpack_check(unpack, scenario->packed || scenario->artefact_count == 0);
    scenario->artefacts = artefacts;
}

static void read_scenario(scn_unpacker *unpack)
{
    scn_scenario *scenario = unpack->scenario;
    rt_reader *reader = &unpack->reader;
    scenario->path = rt_read_text(reader);
    scenario->file = rt_read_text(reader);
    scenario->summary = rt_read_text(reader);
    scn_cover *covers = scn_unpack_table(unpack, sizeof *covers, COVER_MIN, &scenario->cover_count);
    scenario->covers = covers;
    for (uint32_t i = 0; i < scenario->cover_count && !reader->failed; i++)
        covers[i] = read_cover(unpack);
    scn_module *modules = read_modules(unpack);
    read_devices_and_memories(unpack);
    scn_step *steps =
        scn_unpack_table(unpack, sizeof *steps, SCN_PACKED_STEP_MIN, &scenario->step_count);
    scenario->steps = steps;
    for (uint32_t i = 0; i < scenario->step_count && !reader->failed; i++)
        steps[i] = scn_unpack_step(unpack, i);
    scn_unpack_check(unpack, unpack->nested_left == 0);
    for (uint32_t i = 0; i < scenario->module_count && !reader->failed; i++)
        modules[i].refusal = read_module_refusal(unpack);
    read_artefacts(unpack);
}

rt_status scn_pack_read(rt_sink *sink, rt_arena *arena, rt_bytes pack,
                        const scn_scenario **out_scenario)
{
    *out_scenario = NULL;
    scn_unpacker unpack = {.sink = sink, .arena = arena, .reader = rt_reader_of(pack)};
    uint32_t tag = rt_read_u32(&unpack.reader), version = rt_read_u32(&unpack.reader);
    if (unpack.reader.failed || tag != SCN_PACK_TAG) {
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                       "not a packed scenario: the first 4 bytes are not \"ASSC\"");
    }
    if (version != SCN_PACK_VERSION) {
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                       "a packed scenario of version %u, this assay reads version %u; pack it anew",
                       version, SCN_PACK_VERSION);
    }
    unpack.scenario = rt_arena_alloc(arena, sizeof *unpack.scenario);
    read_scenario(&unpack);
    if (!rt_ok(unpack.status)) return unpack.status;
    if (!rt_reader_finished(&unpack.reader)) {
        size_t fault = unpack.reader.failed ? unpack.reader.fault : unpack.reader.position;
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                       "damaged packed scenario: fault at byte %zu of %zu; pack it anew", fault,
                       pack.size);
    }
    *out_scenario = unpack.scenario;
    return RT_STATUS_OK;
}
