/* Describes linkage symbols in words, and decides whether two symbols of the same name are
 * compatible; the linker's error messages describe each module's declaration (linker.h). */
#include "sim/module/linker.h"

#include "sim/module/layout.h"

static void write_type(rt_buffer *out, const sim_type *type)
{
    switch ((sim_type_kind)type->kind) {
    case SIM_TYPE_VOID: rt_buffer_printf(out, "void"); return;
    case SIM_TYPE_BOOL: rt_buffer_printf(out, "bool"); return;
    case SIM_TYPE_INT: rt_buffer_printf(out, "i%u", type->bits); return;
    case SIM_TYPE_FLOAT: rt_buffer_printf(out, "f%u", type->bits); return;
    case SIM_TYPE_EVENT: rt_buffer_printf(out, "event"); return;
    case SIM_TYPE_OPAQUE: rt_buffer_printf(out, "opaque type"); return;
    case SIM_TYPE_POINTER:
        rt_buffer_printf(out, "%s pointer",
                         sim_enumerant_name(SIM_KIND_StorageClass, type->storage_class));
        return;
    case SIM_TYPE_STRUCT:
        rt_buffer_printf(out, "struct of %llu bytes", (unsigned long long)type->size_bytes);
        return;
    case SIM_TYPE_VECTOR:
    case SIM_TYPE_ARRAY: /* recursion at most SIM_TYPE_DEPTH_MAX deep */
        rt_buffer_printf(out, "%llu x ", (unsigned long long)type->count);
        write_type(out, type->element);
        return;
    case SIM_TYPE_FUNCTION: break;
    }
    UNREACHABLE();
}

void sim_module_write(rt_buffer *out, const sim_module *module, uint32_t number)
{
    if (module->image.length > 0)
        rt_buffer_printf(out, "image %.*s", RT_TEXT_ARG(module->image));
    else
        rt_buffer_printf(out, "module %u", number);
}

void sim_symbol_write(rt_buffer *out, const sim_symbol *symbol)
{
    sim_module_write(out, symbol->module, symbol->place.module);
    rt_buffer_printf(out, symbol->linkage == SIM_LINKAGE_IMPORT ? " imports " : " defines ");
    if (!symbol->is_function) {
        rt_buffer_printf(out, "%s variable ",
                         sim_enumerant_name(SIM_KIND_StorageClass, symbol->storage_class));
        write_type(out, symbol->type);
        return;
    }
    CHECK(symbol->place.index < symbol->module->function_count);
    const sim_function *function = &symbol->module->functions[symbol->place.index];
    rt_buffer_printf(out, "function ");
    write_type(out, symbol->type->element);
    for (uint64_t i = 0; i < symbol->type->count; i++) {
        rt_buffer_printf(out, "%s", i ? ", " : "(");
        write_type(out, symbol->type->members[i]);
        if (sim_module_is_by_value(symbol->module, function->parameters[i])) {
            rt_buffer_printf(out, " by value");
        }
    }
    rt_buffer_printf(out, symbol->type->count ? ")" : "()");
}

bool sim_symbol_compatible(const sim_symbol *a, const sim_symbol *b)
{
    if (a->is_function != b->is_function || a->storage_class != b->storage_class) return false;
    if (!a->is_function)
        return sim_type_equal(a->type, b->type) || sim_type_same_layout(a->type, b->type);
    if (!sim_type_equal(a->type, b->type)) return false;
    const sim_id *left = a->module->functions[a->place.index].parameters;
    const sim_id *right = b->module->functions[b->place.index].parameters;
    for (uint64_t i = 0; i < a->type->count; i++) {
        if (sim_module_is_by_value(a->module, left[i]) !=
            sim_module_is_by_value(b->module, right[i]))
            return false;
    }
    return true;
}
