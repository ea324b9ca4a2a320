/* Kernels: creation, arguments, queries. */
#include "opencl/module.h"
#include "opencl/usm.h"

#include "conformance/build/spirv_outline.h"

#include <string.h>

/* ---- Creation ----------------------------------------------------------------------------- */

static cl_kernel kernel_create(cl_program program, const icd_kernel_fact *fact, cl_int *out_code)
{
    dev_kernel *created;
    rt_status status = dev_kernel_create(program->program, fact->name, &created);
    icd_store(out_code, icd_code(status));
    if (!rt_ok(status)) return NULL;
    cl_kernel kernel = icd_object_create(sizeof *kernel, ICD_KERNEL);
    kernel->program = icd_reference(program);
    program->kernel_objects++;
    kernel->kernel = created;
    kernel->fact = fact;
    kernel->argument_count = dev_kernel_argument_count(created);
    kernel->arguments = rt_alloc_array(kernel->argument_count, sizeof *kernel->arguments);
    for (uint32_t i = 0; i < kernel->argument_count; i++)
        kernel->arguments[i].parameter = dev_kernel_parameter(created, i);
    return kernel;
}

CL_API_ENTRY cl_kernel CL_API_CALL clCreateKernel(cl_program program, const char *name,
                                                  cl_int *out_code)
{
    ICD_ENTER;
    cl_int code = icd_program_validate_built(program, ICD_CALL);
    if (code == CL_SUCCESS && !name) code = REFUSE(CL_INVALID_VALUE, "the name is NULL");
    for (uint32_t i = 0; code == CL_SUCCESS && i < program->kernel_count; i++)
        if (rt_text_is(program->kernels[i].name, name))
            return kernel_create(program, &program->kernels[i], out_code);
    if (code == CL_SUCCESS)
        code = REFUSE(CL_INVALID_KERNEL_NAME, "program %u has no kernel '%s'", program->base.number,
                      name);
    icd_store(out_code, code);
    return NULL;
}

CL_API_ENTRY cl_int CL_API_CALL clCreateKernelsInProgram(cl_program program, cl_uint capacity,
                                                         cl_kernel *out, cl_uint *out_count)
{
    ICD_ENTER;
    cl_int code = icd_program_validate_built(program, ICD_CALL);
    if (code != CL_SUCCESS) return code;
    if (out && capacity < program->kernel_count)
        return REFUSE(CL_INVALID_VALUE, "room for %u of %u kernels", capacity,
                      program->kernel_count);
    if (out_count) *out_count = program->kernel_count;
    for (uint32_t i = 0; out && i < program->kernel_count; i++) {
        out[i] = kernel_create(program, &program->kernels[i], &code);
        if (code != CL_SUCCESS) return code;
    }
    return CL_SUCCESS;
}

static void argument_clear(icd_argument *argument)
{
    icd_forget(argument->memory);
    rt_free(argument->bytes);
    *argument = (icd_argument){.parameter = argument->parameter};
}

void icd_kernel_free(cl_kernel kernel)
{
    for (uint32_t i = 0; i < kernel->argument_count; i++)
        argument_clear(&kernel->arguments[i]);
    rt_free(kernel->arguments);
    dev_kernel_destroy(kernel->kernel);
    icd_release(kernel->program);
}

/* ---- Arguments ---------------------------------------------------------------------------- */

/* Writes "argument 2, 'n' of kernel 'add',". */
static const char *argument_name(cl_kernel kernel, cl_uint index, rt_buffer *out)
{
    rt_buffer_printf(out, "argument %u", index);
    if (index < kernel->fact->parameter_count && kernel->fact->parameters[index].name.length > 0)
        rt_buffer_printf(out, " ('%.*s')", RT_TEXT_ARG(kernel->fact->parameters[index].name));
    rt_buffer_printf(out, " of kernel '%.*s'", RT_TEXT_ARG(kernel->fact->name));
    return rt_buffer_string(out);
}

static cl_int memory_set(cl_kernel kernel, icd_argument *argument, size_t size, const void *value,
                         const char *name, icd_call call)
{
    if (size != sizeof(cl_mem))
        return icd_refuse(call, CL_INVALID_ARG_SIZE,
                          "%s is a buffer: expected sizeof(cl_mem), %zu bytes, not %zu", name,
                          sizeof(cl_mem), size);
    cl_mem memory = NULL;
    if (value) memcpy(&memory, value, sizeof memory);
    if (memory && !icd_is(memory, ICD_MEMORY, call))
        return icd_refuse(call, CL_INVALID_MEM_OBJECT, "%s is not a buffer", name);
    if (memory && memory->context != kernel->program->context)
        return icd_refuse(call, CL_INVALID_MEM_OBJECT, "%s: buffer %u is of another context", name,
                          memory->base.number);
    argument_clear(argument);
    argument->memory = icd_watch(memory);
    argument->is_set = true;
    return CL_SUCCESS;
}

static cl_int argument_set(cl_kernel kernel, icd_argument *argument, size_t size, const void *value,
                           const char *name, icd_call call)
{
    switch (argument->parameter.kind) {
    case DEV_ARGUMENT_MEMORY: return memory_set(kernel, argument, size, value, name, call);
    case DEV_ARGUMENT_LOCAL:
        if (value)
            return icd_refuse(call, CL_INVALID_ARG_VALUE,
                              "%s is local memory: expected NULL and its size", name);
        if (size == 0) return icd_refuse(call, CL_INVALID_ARG_SIZE, "%s has 0 bytes", name);
        argument_clear(argument);
        argument->size = size;
        break;
    default:
        if (!value) return icd_refuse(call, CL_INVALID_ARG_VALUE, "%s is a value, not NULL", name);
        if (size != argument->parameter.size)
            return icd_refuse(call, CL_INVALID_ARG_SIZE, "%s has %llu bytes, not %zu", name,
                              (unsigned long long)argument->parameter.size, size);
        argument_clear(argument);
        argument->bytes = rt_alloc(size);
        memcpy(argument->bytes, value, size);
    }
    argument->is_set = true;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size,
                                               const void *value)
{
    ICD_ENTER;
    if (!icd_is(kernel, ICD_KERNEL, ICD_CALL))
        return REFUSE(CL_INVALID_KERNEL, "expected a kernel");
    if (index >= kernel->argument_count)
        return REFUSE(CL_INVALID_ARG_INDEX, "argument %u; kernel '%.*s' has %u", index,
                      RT_TEXT_ARG(kernel->fact->name), kernel->argument_count);
    rt_buffer name = {0};
    cl_int code = argument_set(kernel, &kernel->arguments[index], size, value,
                               argument_name(kernel, index, &name), ICD_CALL);
    rt_buffer_free(&name);
    return code;
}

cl_int icd_argument_set_address(cl_kernel kernel, cl_uint index, uint64_t address, icd_call call)
{
    uint64_t offset;
    if (index >= kernel->argument_count)
        return icd_refuse(call, CL_INVALID_ARG_INDEX, "argument %u; kernel '%.*s' has %u", index,
                          RT_TEXT_ARG(kernel->fact->name), kernel->argument_count);
    icd_argument *argument = &kernel->arguments[index];
    if (argument->parameter.kind != DEV_ARGUMENT_MEMORY)
        return icd_refuse(call, CL_INVALID_ARG_VALUE,
                          "argument %u of kernel '%.*s' is not a pointer", index,
                          RT_TEXT_ARG(kernel->fact->name));
    if (address != 0 && !icd_usm_find(address, &offset))
        return icd_refuse(call, CL_INVALID_ARG_VALUE, "0x%llx is in none of the allocations",
                          (unsigned long long)address);
    argument_clear(argument);
    argument->address = address;
    argument->is_set = true;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_kernel CL_API_CALL clCloneKernel(cl_kernel kernel, cl_int *out_code)
{
    ICD_ENTER;
    if (!icd_is(kernel, ICD_KERNEL, ICD_CALL)) {
        icd_store(out_code, REFUSE(CL_INVALID_KERNEL, "expected a kernel"));
        return NULL;
    }
    cl_kernel clone = kernel_create(kernel->program, kernel->fact, out_code);
    for (uint32_t i = 0; clone && i < clone->argument_count; i++) {
        const icd_argument *from = &kernel->arguments[i];
        icd_argument *to = &clone->arguments[i];
        *to = *from;
        icd_watch(to->memory);
        if (!from->bytes) continue;
        to->bytes = rt_alloc(from->parameter.size);
        memcpy(to->bytes, from->bytes, from->parameter.size);
    }
    return clone;
}

/* All memory is accessible without it. */
CL_API_ENTRY cl_int CL_API_CALL clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info name,
                                                    size_t size, const void *value)
{
    ICD_ENTER;
    if (!icd_is(kernel, ICD_KERNEL, ICD_CALL))
        return REFUSE(CL_INVALID_KERNEL, "expected a kernel");
    bool is_flag = name == CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM ||
                   name == CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL ||
                   name == CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL ||
                   name == CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL;
    bool is_list =
        name == CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL || name == CL_KERNEL_EXEC_INFO_SVM_PTRS;
    bool is_empty = name == CL_KERNEL_EXEC_INFO_SVM_PTRS && size == 0; /* the empty list */
    if (!(is_flag || is_list) || (value == NULL) != is_empty ||
        (is_flag && size != sizeof(cl_bool)) || (is_list && size % sizeof(void *) != 0))
        return REFUSE(CL_INVALID_VALUE, "information 0x%x of %zu bytes", name, size);
    cl_bool is_enabled = CL_FALSE;
    if (is_flag) memcpy(&is_enabled, value, sizeof is_enabled);
    if (name == CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM && is_enabled)
        return REFUSE(CL_INVALID_OPERATION, "the device cannot access the host's own memory");
    return CL_SUCCESS;
}

/* ---- Queries ------------------------------------------------------------------------------ */

static void sizes_print(rt_buffer *out, const char *name, const uint64_t *sizes)
{
    if (sizes[0] > 0)
        rt_buffer_printf(out, "%s%s(%llu,%llu,%llu)", out->size > 0 ? " " : "", name,
                         (unsigned long long)sizes[0], (unsigned long long)sizes[1],
                         (unsigned long long)sizes[2]);
}

/* Prints the attributes that the source gives a kernel; nothing if it comes from IL. */
static void attributes_print(const icd_kernel_fact *fact, rt_buffer *out)
{
    if (!fact->types.data) return;
    sizes_print(out, "reqd_work_group_size", fact->group_size);
    sizes_print(out, "work_group_size_hint", fact->group_size_hint);
    if (fact->sub_group_size > 0)
        rt_buffer_printf(out, "%sintel_reqd_sub_group_size(%u)", out->size > 0 ? " " : "",
                         fact->sub_group_size);
    if (fact->has_type_hint)
        rt_buffer_printf(out, "%svec_type_hint(%.*s)", out->size > 0 ? " " : "",
                         RT_TEXT_ARG(icd_list_entry(fact->types, fact->parameter_count)));
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelInfo(cl_kernel kernel, cl_kernel_info name,
                                                size_t capacity, void *out, size_t *out_size)
{
    ICD_ENTER;
    if (!icd_is(kernel, ICD_KERNEL, ICD_CALL)) return CL_INVALID_KERNEL;
    const icd_kernel_fact *fact = kernel->fact;
    switch (name) {
    case CL_KERNEL_FUNCTION_NAME: return icd_answer_text(fact->name, capacity, out, out_size);
    case CL_KERNEL_NUM_ARGS: return ICD_ANSWER(cl_uint, kernel->argument_count);
    case CL_KERNEL_REFERENCE_COUNT: return ICD_ANSWER(cl_uint, kernel->base.user_references);
    case CL_KERNEL_CONTEXT: return ICD_ANSWER(cl_context, kernel->program->context);
    case CL_KERNEL_PROGRAM: return ICD_ANSWER(cl_program, kernel->program);
    case CL_KERNEL_ATTRIBUTES: {
        rt_buffer text = {0};
        attributes_print(fact, &text);
        cl_int code = icd_answer_text(rt_buffer_text(&text), capacity, out, out_size);
        rt_buffer_free(&text);
        return code;
    }
    default: return CL_INVALID_VALUE;
    }
}

/* The qualifiers of the type to which a parameter points. */
static cl_kernel_arg_type_qualifier qualifiers_of(const icd_kernel_fact *fact, uint32_t index)
{
    static const struct {
        const char *word;
        cl_kernel_arg_type_qualifier bit;
    } rows[] = {
        {"const", CL_KERNEL_ARG_TYPE_CONST},
        {"restrict", CL_KERNEL_ARG_TYPE_RESTRICT},
        {"volatile", CL_KERNEL_ARG_TYPE_VOLATILE},
    };
    rt_text words = icd_list_entry(fact->qualifiers, index);
    cl_kernel_arg_type_qualifier bits = CL_KERNEL_ARG_TYPE_NONE;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (words.length > 0 &&
            memmem(words.data, words.length, rows[i].word, strlen(rows[i].word)))
            bits |= rows[i].bit;
    return bits;
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel kernel, cl_uint index,
                                                   cl_kernel_arg_info name, size_t capacity,
                                                   void *out, size_t *out_size)
{
    ICD_ENTER;
    if (!icd_is(kernel, ICD_KERNEL, ICD_CALL)) return CL_INVALID_KERNEL;
    if (index >= kernel->argument_count) return CL_INVALID_ARG_INDEX;
    static const cl_kernel_arg_address_qualifier spaces[] = {
        [CNF_PARAMETER_GLOBAL] = CL_KERNEL_ARG_ADDRESS_GLOBAL,
        [CNF_PARAMETER_CONSTANT] = CL_KERNEL_ARG_ADDRESS_CONSTANT,
        [CNF_PARAMETER_LOCAL] = CL_KERNEL_ARG_ADDRESS_LOCAL,
        [CNF_PARAMETER_VALUE] = CL_KERNEL_ARG_ADDRESS_PRIVATE,
        [CNF_PARAMETER_OTHER] = CL_KERNEL_ARG_ADDRESS_PRIVATE,
    };
    bool is_known = name >= CL_KERNEL_ARG_ADDRESS_QUALIFIER && name <= CL_KERNEL_ARG_TYPE_QUALIFIER;
    if (!is_known && name != CL_KERNEL_ARG_NAME) return CL_INVALID_VALUE;
    if (!kernel->program->has_argument_info || index >= kernel->fact->parameter_count)
        return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
    const cnf_parameter *parameter = &kernel->fact->parameters[index];
    switch (name) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
        return ICD_ANSWER(cl_kernel_arg_address_qualifier, spaces[parameter->kind]);
    case CL_KERNEL_ARG_ACCESS_QUALIFIER: /* of images only */
        return ICD_ANSWER(cl_kernel_arg_access_qualifier, CL_KERNEL_ARG_ACCESS_NONE);
    case CL_KERNEL_ARG_NAME: return icd_answer_text(parameter->name, capacity, out, out_size);
    case CL_KERNEL_ARG_TYPE_NAME: {
        rt_text type = icd_list_entry(kernel->fact->types, index);
        if (type.length == 0) return CL_KERNEL_ARG_INFO_NOT_AVAILABLE; /* from IL */
        return icd_answer_text(type, capacity, out, out_size);
    }
    default:
        if (!kernel->fact->types.data) return CL_KERNEL_ARG_INFO_NOT_AVAILABLE; /* from IL */
        return ICD_ANSWER(cl_kernel_arg_type_qualifier, qualifiers_of(kernel->fact, index));
    }
}

/* The largest work-group of a kernel. */
static size_t group_size_max(cl_kernel kernel)
{
    const uint64_t *required = kernel->fact->group_size;
    if (required[0] > 0) return (size_t)(required[0] * required[1] * required[2]);
    return icd_device.facts.group_size_max;
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                                         cl_kernel_work_group_info name,
                                                         size_t capacity, void *out,
                                                         size_t *out_size)
{
    ICD_ENTER;
    if (!icd_is(kernel, ICD_KERNEL, ICD_CALL)) return CL_INVALID_KERNEL;
    if (device && device != &icd_device) return CL_INVALID_DEVICE;
    switch (name) {
    case CL_KERNEL_WORK_GROUP_SIZE: return ICD_ANSWER(size_t, group_size_max(kernel));
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE: {
        size_t sizes[RT_ND_RANGE_DIMENSIONS];
        for (uint32_t i = 0; i < RT_ND_RANGE_DIMENSIONS; i++)
            sizes[i] = (size_t)kernel->fact->group_size[i];
        return icd_answer(sizes, sizeof sizes, capacity, out, out_size);
    }
    case CL_KERNEL_LOCAL_MEM_SIZE: {
        cl_ulong size = dev_kernel_local_bytes(kernel->kernel);
        for (uint32_t i = 0; i < kernel->argument_count; i++)
            size += kernel->arguments[i].size;
        return ICD_ANSWER(cl_ulong, size);
    }
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return ICD_ANSWER(size_t, kernel->fact->sub_group_size ? kernel->fact->sub_group_size
                                                               : icd_device.facts.sub_group_size);
    case CL_KERNEL_PRIVATE_MEM_SIZE:
    case CL_KERNEL_SPILL_MEM_SIZE_INTEL: return ICD_ANSWER(cl_ulong, 0);
    default: return CL_INVALID_VALUE; /* CL_KERNEL_GLOBAL_WORK_SIZE: only of custom devices */
    }
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device,
                                                        cl_kernel_sub_group_info name,
                                                        size_t input_size, const void *input,
                                                        size_t capacity, void *out,
                                                        size_t *out_size)
{
    ICD_ENTER;
    if (!icd_is(kernel, ICD_KERNEL, ICD_CALL)) return CL_INVALID_KERNEL;
    if (device && device != &icd_device) return CL_INVALID_DEVICE;
    const size_t *sizes = input;
    size_t size = kernel->fact->sub_group_size ? kernel->fact->sub_group_size
                                               : icd_device.facts.sub_group_size;
    size_t items = 1, dimensions = input ? input_size / sizeof *sizes : 0;
    for (size_t i = 0; i < dimensions && i < RT_ND_RANGE_DIMENSIONS; i++)
        items *= sizes[i];
    switch (name) {
    case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
    case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE:
        if (dimensions < 1 || dimensions > RT_ND_RANGE_DIMENSIONS) return CL_INVALID_VALUE;
        if (name == CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE)
            return ICD_ANSWER(size_t, (items + size - 1) / size);
        return ICD_ANSWER(size_t, items < size ? items : size);
    case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT: {
        size_t count = input && input_size == sizeof count ? sizes[0] : 0, local[3] = {0, 0, 0};
        bool fits = count > 0 && count <= icd_device.facts.group_size_max / size;
        if (fits) local[0] = count * size, local[1] = local[2] = 1;
        size_t wanted = capacity < sizeof local && out ? capacity : sizeof local;
        return icd_answer(local, wanted, capacity, out, out_size);
    }
    case CL_KERNEL_MAX_NUM_SUB_GROUPS: return ICD_ANSWER(size_t, group_size_max(kernel) / size);
    case CL_KERNEL_COMPILE_NUM_SUB_GROUPS: return ICD_ANSWER(size_t, 0);
    case CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL:
        return ICD_ANSWER(size_t, kernel->fact->sub_group_size);
    default: return CL_INVALID_VALUE;
    }
}
