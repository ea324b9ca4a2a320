/* Look-ups in a module that has been read (module.h). */
#include "sim/module/module.h"

#include <string.h>

const sim_decoration *sim_module_decoration(const sim_module *module, sim_id target,
                                            uint32_t member, uint32_t number)
{
    const sim_id_entry *entry = sim_module_id(module, target);
    CHECK((uint64_t)entry->decoration_first + entry->decoration_count <= module->decoration_count);
    for (uint32_t i = 0; i < entry->decoration_count; i++) {
        const sim_decoration *decoration = &module->decorations[entry->decoration_first + i];
        CHECK(decoration->target == target);
        if (decoration->member == member && decoration->number == number) return decoration;
    }
    return NULL;
}

rt_text sim_words_text(const uint32_t *words)
{
    /* The specification packs the bytes of a string into each word from the low-order end; on a
     * big-endian machine their order in memory would be reversed. */
    _Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "strings are read in place");
    return rt_text_of((const char *)words);
}

rt_text sim_module_string(const sim_module *module, sim_id id)
{
    if (id == 0) return (rt_text){0};
    const sim_id_entry *entry = sim_module_id(module, id);
    CHECK(entry->kind == SIM_ID_STRING);
    return sim_words_text(module->words + entry->index + 2);
}

rt_text sim_module_name(const sim_module *module, sim_id id)
{
    const sim_id_entry *entry = sim_module_id(module, id);
    if (entry->name_word == 0) return (rt_text){0};
    CHECK(entry->name_word < module->word_count);
    return sim_words_text(module->words + entry->name_word);
}

bool sim_type_equal(const sim_type *a, const sim_type *b)
{
    if (a == b) return true;
    return a->structure == b->structure && a->kind == b->kind && a->count == b->count &&
           a->size_bytes == b->size_bytes;
}

bool sim_module_is_entry(const sim_module *module, const sim_function *function)
{
    for (uint32_t i = 0; i < module->entry_count; i++) {
        if (&module->functions[module->entries[i].function] == function) return true;
    }
    return false;
}

bool sim_module_is_by_value(const sim_module *module, sim_id parameter)
{
    const sim_id_entry *entry = sim_module_id(module, parameter);
    for (uint32_t i = 0; i < entry->decoration_count; i++) {
        const sim_decoration *decoration = &module->decorations[entry->decoration_first + i];
        if (decoration->number == SIM_DecorationFuncParamAttr &&
            decoration->operands[0] == SIM_FunctionParameterAttributeByVal) {
            return true;
        }
    }
    return false;
}
