/* Linking and decoding: translates modules to a program that can be launched. */
#include "sim/decode/program.h"

#include "reference/base/alloc.h"
#include "sim/decode/decode.h"
#include "sim/module/library.h"

#include <string.h>

/* ---- Functions ---------------------------------------------------------------------------- */

/* Numbers the definitions of all modules; imports and repeated definitions get the number of the
 * definition that replaces them. */
static void number_functions(sim_decoder *d)
{
    uint32_t count = 0;
    for (uint32_t m = 0; m < d->module_count; m++)
        count += d->modules[m]->function_count;
    d->functions = rt_arena_alloc_array(&d->arena, count, sizeof *d->functions);
    for (uint32_t m = 0; m < d->module_count; m++) {
        const sim_module *module = d->modules[m];
        for (uint32_t i = 0; i < module->function_count; i++) {
            sim_place place = d->linkage->functions[m][i];
            if (place.module != m || place.index != i) continue;
            CHECK(module->functions[i].block_count > 0);
            const sim_function *function = &module->functions[i];
            d->function_of[m][i] = d->function_count;
            d->functions[d->function_count] =
                (sim_ir_function){.module = module,
                                  .module_index = m,
                                  .function = function,
                                  .index = d->function_count,
                                  .is_addressed = sim_module_function_is_open(module, function)};
            d->function_count++;
        }
    }
    for (uint32_t m = 0; m < d->module_count; m++) {
        for (uint32_t i = 0; i < d->modules[m]->function_count; i++) {
            sim_place place = d->linkage->functions[m][i];
            d->function_of[m][i] = d->function_of[place.module][place.index];
            CHECK(d->function_of[m][i] != SIM_NONE);
        }
    }
}

static void modules_keep(sim_decoder *d)
{
    sim_program *program = d->program;
    program->modules =
        rt_arena_alloc_array(&program->arena, d->module_count, sizeof *program->modules);
    program->sources =
        rt_arena_alloc_array(&program->arena, d->module_count, sizeof *program->sources);
    for (uint32_t m = 0; m < d->module_count; m++) {
        const sim_module *module = d->modules[m];
        program->sources[m] = sim_module_retain((sim_module *)module);
        program->module_count++;
        const uint32_t *functions = rt_arena_copy(&program->arena, d->function_of[m],
                                                  module->function_count, sizeof *functions);
        program->modules[m] =
            (sim_program_module){module->code_hash, module->constants_hash, functions};
    }
}

static void decoder_open(sim_decoder *d)
{
    uint32_t count = d->module_count;
    d->function_of = rt_arena_alloc_array(&d->arena, count, sizeof *d->function_of);
    d->global_of = rt_arena_alloc_array(&d->arena, count, sizeof *d->global_of);
    d->leaves = rt_arena_alloc_array(&d->arena, count, sizeof *d->leaves);
    for (uint32_t m = 0; m < count; m++) {
        const sim_module *module = d->modules[m];
        size_t functions = module->function_count + 1u, variables = module->variable_count + 1u;
        d->function_of[m] = rt_arena_alloc_array(&d->arena, functions, sizeof(uint32_t));
        d->global_of[m] = rt_arena_alloc_array(&d->arena, variables, sizeof(uint32_t));
        memset(d->function_of[m], 0xff, functions * sizeof(uint32_t));
        memset(d->global_of[m], 0xff, variables * sizeof(uint32_t));
        d->leaves[m] = rt_arena_alloc_array(&d->arena, module->id_bound, sizeof(sim_leaves));
    }
    for (uint32_t i = 0; i < SIM_POOL_SLOTS; i++)
        *rt_vector_push(&d->pool) = 0;
    *rt_vector_push(&d->sites) = (sim_site){.name = ""}; /* site 0: operations of the engine */
}

static void decoder_close(sim_decoder *d)
{
    for (uint32_t i = 0; i < d->function_count; i++) {
        sim_ir_function *f = &d->functions[i];
        rt_vector_free(&f->blocks);
        rt_vector_free(&f->edges);
        rt_vector_free(&f->loops);
        rt_vector_free(&f->nodes);
        rt_vector_free(&f->values);
        rt_vector_free(&f->refs);
        rt_vector_free(&f->variables);
    }
    rt_vector_free(&d->pool);
    rt_map_free(&d->pool_slots);
    rt_vector_free(&d->bounds);
    rt_vector_free(&d->bounded);
    rt_map_free(&d->bounded_of);
    rt_vector_free(&d->sites);
    rt_vector_free(&d->globals);
    rt_vector_free(&d->relocations);
    rt_vector_free(&d->locals);
    rt_vector_free(&d->prints);
    rt_vector_free(&d->signatures);
    rt_vector_free(&d->phi_constants);
    rt_arena_reset(&d->arena);
}

/* ---- Kernels ------------------------------------------------------------------------------ */

static sim_parameter parameter_of(const sim_type *type)
{
    if (type->kind != SIM_TYPE_POINTER) {
        return (sim_parameter){SIM_PARAMETER_VALUE, (uint32_t)type->size_bytes, false};
    }
    if (type->storage_class == SIM_StorageClassWorkgroup) {
        return (sim_parameter){SIM_PARAMETER_LOCAL, 8, false};
    }
    if (type->storage_class == SIM_StorageClassFunction) {
        return (sim_parameter){SIM_PARAMETER_VALUE, (uint32_t)type->element->size_bytes, false};
    }
    bool is_constant = type->storage_class == SIM_StorageClassUniformConstant;
    return (sim_parameter){SIM_PARAMETER_GLOBAL, 8, is_constant};
}

/* Writes the byte offset of every scalar in a value; returns the position after the last one
 * written. */
static uint32_t *leaf_offsets(const sim_type *type, uint32_t offset, uint32_t *out)
{
    if (!sim_type_is_composite(type)) {
        *out = offset;
        return out + 1;
    }
    for (uint64_t i = 0; i < type->count; i++) {
        uint32_t at = offset + (uint32_t)sim_type_part_offset(type, i);
        out = leaf_offsets(sim_type_part(type, i), at, out);
    }
    return out;
}

static void kernel_add(sim_decoder *d, const sim_entry *entry, uint32_t module)
{
    sim_program *program = d->program;
    uint32_t index = d->function_of[module][entry->function];
    sim_ir_function *f = &d->functions[index];
    const sim_type *type = f->function->type;
    uint32_t count = (uint32_t)type->count;
    sim_parameter *parameters = rt_arena_alloc_array(&program->arena, count, sizeof *parameters);
    uint32_t *variable = rt_arena_alloc_array(&program->arena, count, sizeof *variable);
    uint32_t *first = rt_arena_alloc_array(&program->arena, count + 1, sizeof *first);
    uint32_t *offsets = rt_arena_alloc_array(&program->arena, f->parameter_leaves, sizeof *offsets);
    for (uint32_t i = 0; i < count; i++) {
        const sim_type *member = type->members[i];
        parameters[i] = parameter_of(member);
        first[i] = f->parameter_first[i];
        variable[i] = SIM_NONE;
        if (member->kind == SIM_TYPE_POINTER && member->storage_class == SIM_StorageClassFunction) {
            /* A structure passed by value becomes a private variable of the entry function. */
            uint64_t offset = (f->private_bytes + 63) & ~UINT64_C(63);
            uint64_t size = member->element->size_bytes;
            f->private_bytes = (offset + size + 63) & ~UINT64_C(63);
            variable[i] = f->variables.count;
            *rt_vector_push(&f->variables) = (sim_private_variable){.offset = offset, .size = size};
        }
        uint32_t *end = leaf_offsets(member, 0, offsets + first[i]);
        CHECK(end == offsets + f->parameter_first[i + 1]);
    }
    first[count] = f->parameter_leaves;
    sim_kernel *kernel = &program->kernels[program->kernel_count];
    *kernel =
        (sim_kernel){.program = program,
                     .name = rt_arena_text(&program->arena, entry->name),
                     .sets = rt_arena_text(&program->arena,
                                           sim_module_kernel_sets(d->modules[module], entry->name)),
                     .function = index,
                     .parameters = parameters,
                     .leaf_first = first,
                     .leaf_offset = offsets,
                     .variable = variable,
                     .parameter_count = count};
    kernel->subgroup_size = entry->subgroup_size ? entry->subgroup_size : SIM_SUBGROUP_SIZE;
    memcpy(kernel->local_size, entry->local_size, sizeof kernel->local_size);
    rt_map_set(&program->kernel_names, kernel->name, program->kernel_count++);
}

static rt_status kernels_add(sim_decoder *d)
{
    uint32_t count = 0;
    for (uint32_t m = 0; m < d->module_count; m++)
        count += d->modules[m]->entry_count;
    d->program->kernels =
        rt_arena_alloc_array(&d->program->arena, count, sizeof *d->program->kernels);
    for (uint32_t m = 0; m < d->module_count; m++) {
        for (uint32_t i = 0; i < d->modules[m]->entry_count; i++) {
            const sim_entry *entry = &d->modules[m]->entries[i];
            uint32_t size = entry->subgroup_size; /* 0: any; the supported others divide the size of
                                                   * a wave */
            if (size != 0 && size != 8 && size != 16 && size != 32) {
                return rt_fail(d->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                               "kernel '%.*s' requires sub-groups of %u work-items; "
                               "supported sizes are 8, 16 and 32",
                               RT_TEXT_ARG(entry->name), size);
            }
            kernel_add(d, entry, m);
        }
    }
    return RT_STATUS_OK;
}

/* ---- Programs ----------------------------------------------------------------------------- */

/* Copies the texts of sites, because they belong to the modules, which need not outlive the link.
 */
static void sites_keep(sim_decoder *d)
{
    rt_text last = {0}, copy = {0};
    for (uint32_t i = 0; i < d->sites.count; i++) {
        sim_site *site = &d->sites.items[i];
        if (site->source.data != last.data || site->source.length != last.length) {
            last = site->source;
            copy = rt_arena_text(&d->program->arena, last);
        }
        site->source = copy;
    }
}

static rt_status decode(sim_decoder *d)
{
    sim_program *program = d->program;
    decoder_open(d);
    number_functions(d);
    modules_keep(d);
    RT_TRY(sim_decode_variables(d));
    for (uint32_t i = 0; i < d->function_count; i++) {
        sim_decode_flow(d, &d->functions[i]);
        RT_TRY(sim_decode_build(d, &d->functions[i]));
    }
    CHECK_SLOW(sim_widths_check(d));
    sim_decode_uniform(d);
    RT_TRY(kernels_add(d));
    sim_decode_accessed(d);
    program->function_count = d->function_count;
    program->functions =
        rt_arena_alloc_array(&program->arena, d->function_count, sizeof *program->functions);
    for (uint32_t i = 0; i < d->function_count; i++) {
        sim_ir_function *f = &d->functions[i];
        sim_code_function *function = &program->functions[i];
        function->module = f->module_index;
        function->place = (uint32_t)(f->function - f->module->functions);
        function->set =
            rt_arena_text(&program->arena, sim_module_function_set(f->module, f->function));
        function->does = f->does;
        function->uniform_bytes = 8; /* the emitter's scratch */
        sim_decode_place(d, f, function);
        sim_decode_emit(d, f, function);
        if (function->temporary_bytes > program->temporary_bytes) {
            program->temporary_bytes = function->temporary_bytes;
        }
    }
    RT_TRY(sim_decode_pointers_keep(d));
    sites_keep(d);
    program->sites = SIM_PROGRAM_COPY(d, d->sites);
    program->site_count = d->sites.count;
    program->globals = SIM_PROGRAM_COPY(d, d->globals);
    program->global_count = d->globals.count;
    program->locals = SIM_PROGRAM_COPY(d, d->locals);
    program->local_count = d->locals.count;
    for (uint32_t i = 0; i < program->kernel_count; i++)
        program->kernels[i].reach = sim_function_reach(program, program->kernels[i].function);
    program->prints = SIM_PROGRAM_COPY(d, d->prints);
    program->print_count = d->prints.count;
    program->relocations = SIM_PROGRAM_COPY(d, d->relocations);
    program->relocation_count = d->relocations.count;
    program->pool_slots = SIM_PROGRAM_COPY(d, d->pool);
    program->pool_slot_count = d->pool.count;
    CHECK_SLOW(sim_program_check(program));
    return RT_STATUS_OK;
}

/* Links exactly these modules. */
static rt_status modules_link(rt_sink *sink, const sim_module *const *modules, uint32_t count,
                              bool is_for_packs, sim_program **out_program)
{
    *out_program = NULL;
    for (uint32_t i = 0; i < count; i++)
        CHECK_SLOW(sim_module_check(modules[i]));
    sim_linkage linkage;
    RT_TRY(sim_linkage_create(sink, modules, count, &linkage));
    sim_program *program = rt_alloc(sizeof *program);
    atomic_init(&program->references, 1);
    sim_decoder d = {.sink = sink,
                     .program = program,
                     .is_for_packs = is_for_packs,
                     .modules = modules,
                     .module_count = count,
                     .linkage = &linkage};
    rt_status status = decode(&d);
    decoder_close(&d);
    sim_linkage_free(&linkage);
    if (!rt_ok(status)) {
        sim_program_destroy(program);
        return status;
    }
    *out_program = program;
    return RT_STATUS_OK;
}

rt_status sim_program_link(rt_sink *sink, const sim_module *const *modules, uint32_t count,
                           sim_program **out_program)
{
    CHECK(count >= 1);
    *out_program = NULL;
    sim_module *library;
    RT_TRY(sim_library_create(sink, modules, count, &library));
    if (!library) return modules_link(sink, modules, count, false, out_program);
    const sim_module **all = rt_alloc_array((size_t)count + 1, sizeof *all);
    memcpy(all, modules, count * sizeof *all);
    all[count] = library;
    rt_status status = modules_link(sink, all, count + 1, false, out_program);
    rt_free(all);
    sim_module_destroy(library);
    return status;
}

rt_status sim_program_for_packs(rt_sink *sink, const sim_program *program,
                                sim_program **out_program)
{
    return modules_link(sink, (const sim_module *const *)program->sources, program->module_count,
                        true, out_program);
}

sim_program *sim_program_retain(sim_program *program)
{
    atomic_fetch_add(&program->references, 1);
    return program;
}

void sim_program_destroy(sim_program *program)
{
    if (!program || atomic_fetch_sub(&program->references, 1) != 1) return;
    for (uint32_t m = 0; m < program->module_count; m++)
        sim_module_destroy(program->sources[m]);
    rt_map_free(&program->kernel_names);
    rt_map_free(&program->global_names);
    rt_map_free(&program->host_names);
    rt_map_free(&program->function_names);
    rt_arena_reset(&program->arena);
    rt_free(program);
}

const sim_kernel *sim_program_kernel(const sim_program *program, rt_text name)
{
    uint32_t index = rt_map_find(&program->kernel_names, name);
    return index == RT_MAP_NONE ? NULL : &program->kernels[index];
}

rt_text sim_kernel_name(const sim_kernel *kernel)
{
    return kernel->name;
}

uint32_t sim_kernel_parameter_count(const sim_kernel *kernel)
{
    return kernel->parameter_count;
}

sim_parameter sim_kernel_parameter(const sim_kernel *kernel, uint32_t index)
{
    CHECK(index < kernel->parameter_count);
    return kernel->parameters[index];
}

uint64_t sim_kernel_local_bytes(const sim_kernel *kernel)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < kernel->program->local_count; i++)
        bytes += kernel->reach.locals[i] ? kernel->program->locals[i].size : 0;
    return bytes;
}

uint64_t sim_program_global_bytes(const sim_program *program)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < program->global_count; i++)
        bytes += program->globals[i].is_constant ? 0 : program->globals[i].size;
    return bytes;
}
