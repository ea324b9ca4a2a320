/* Programs: creation, building, compiling, linking. */
#include "opencl/module.h"
#include "opencl/options.h"

#include "conformance/process/scratch.h"
#include "opencl/misuse.h"
#include "opencl/usm.h"
#include "reference/base/stream.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A binary: the tag, then little-endian u32 type, u32 flags, u32 count, and each module with its
 * size; then u32 count, and each source of the modules. */
enum { BINARY_TAG = 0x4c434f41, FLAG_NON_UNIFORM = 1, FLAG_ARGUMENT_INFO = 2 }; /* "AOCL" */

/* ---- Creation ----------------------------------------------------------------------------- */

static cl_program program_create(cl_context context, cl_int *out_code)
{
    cl_program program = icd_object_create(sizeof *program, ICD_PROGRAM);
    program->context = icd_reference(context);
    program->status = CL_BUILD_NONE;
    program->type = CL_PROGRAM_BINARY_TYPE_NONE;
    icd_store(out_code, CL_SUCCESS);
    return program;
}

/* Keeps a source from which the program is made. */
static void unit_add(cl_program program, rt_text source)
{
    rt_buffer *unit = rt_vector_push(&program->units);
    *unit = (rt_buffer){0};
    rt_buffer_append_text(unit, source);
    icd_report_source(source);
}

static void *fail(cl_int *out_code, cl_int code)
{
    icd_store(out_code, code);
    return NULL;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint count,
                                                              const char **strings,
                                                              const size_t *lengths,
                                                              cl_int *out_code)
{
    ICD_ENTER;
    if (!icd_is(context, ICD_CONTEXT, ICD_CALL))
        return fail(out_code, REFUSE(CL_INVALID_CONTEXT, "expected a context"));
    if (count == 0 || !strings) return fail(out_code, REFUSE(CL_INVALID_VALUE, "no strings"));
    for (cl_uint i = 0; i < count; i++)
        if (!strings[i]) return fail(out_code, REFUSE(CL_INVALID_VALUE, "string %u is NULL", i));
    cl_program program = program_create(context, out_code);
    program->has_source = true;
    for (cl_uint i = 0; i < count; i++) {
        size_t length = lengths && lengths[i] > 0 ? lengths[i] : strlen(strings[i]);
        rt_buffer_append(&program->source, strings[i], length);
    }
    unit_add(program, rt_buffer_text(&program->source));
    return program;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithIL(cl_context context, const void *il,
                                                          size_t size, cl_int *out_code)
{
    ICD_ENTER;
    if (!icd_is(context, ICD_CONTEXT, ICD_CALL))
        return fail(out_code, REFUSE(CL_INVALID_CONTEXT, "expected a context"));
    if (!il || size == 0 || !icd_is_spirv((rt_bytes){il, size}))
        return fail(out_code, REFUSE(CL_INVALID_VALUE, "%zu bytes are not a SPIR-V module", size));
    cl_program program = program_create(context, out_code);
    program->has_il = true;
    rt_buffer_append(&program->il, il, size);
    return program;
}

/* Reads a binary into a program; false: it is not one of ours, or damaged. */
static bool binary_read(cl_program program, rt_bytes binary)
{
    rt_reader reader = rt_reader_of(binary);
    bool is_ours = rt_read_u32(&reader) == BINARY_TAG;
    program->type = rt_read_u32(&reader);
    uint32_t flags = rt_read_u32(&reader);
    uint32_t count = rt_read_count(&reader, sizeof(uint64_t));
    program->is_non_uniform = flags & FLAG_NON_UNIFORM;
    program->has_argument_info = flags & FLAG_ARGUMENT_INFO;
    for (uint32_t i = 0; i < count && !reader.failed; i++) {
        rt_bytes module = rt_read_bytes(&reader);
        is_ours &= !reader.failed && icd_is_spirv(module);
        rt_buffer *copy = rt_vector_push(&program->modules);
        *copy = (rt_buffer){0};
        rt_buffer_append(copy, module.data, module.size);
    }
    count = rt_read_count(&reader, sizeof(uint64_t));
    for (uint32_t i = 0; i < count && !reader.failed; i++)
        unit_add(program, rt_read_text(&reader));
    bool is_type = program->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE ||
                   program->type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT ||
                   program->type == CL_PROGRAM_BINARY_TYPE_LIBRARY;
    return is_ours && is_type && program->modules.count >= 1 && rt_reader_finished(&reader);
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithBinary(
    cl_context context, cl_uint device_count, const cl_device_id *devices, const size_t *lengths,
    const unsigned char **binaries, cl_int *out_status, cl_int *out_code)
{
    ICD_ENTER;
    if (!icd_is(context, ICD_CONTEXT, ICD_CALL))
        return fail(out_code, REFUSE(CL_INVALID_CONTEXT, "expected a context"));
    if (device_count == 0 || !devices || !lengths || !binaries)
        return fail(out_code, REFUSE(CL_INVALID_VALUE, "no devices, lengths or binaries"));
    for (cl_uint i = 0; i < device_count; i++) {
        if (devices[i] != &icd_device)
            return fail(out_code, REFUSE(CL_INVALID_DEVICE, "entry %u is not of the context", i));
        if (lengths[i] > 0 && binaries[i]) continue;
        if (out_status) out_status[i] = CL_INVALID_VALUE;
        return fail(out_code, REFUSE(CL_INVALID_VALUE, "binary %u is empty", i));
    }
    cl_program program = program_create(context, out_code);
    program->has_binary = true;
    bool is_read = binary_read(program, (rt_bytes){binaries[0], lengths[0]});
    for (cl_uint i = 0; out_status && i < device_count; i++)
        out_status[i] = is_read ? CL_SUCCESS : CL_INVALID_BINARY;
    if (is_read) return program;
    program->base.user_references = 0;
    icd_release(program);
    return fail(out_code, REFUSE(CL_INVALID_BINARY, "not a binary of this device, or damaged"));
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithBuiltInKernels(cl_context context,
                                                                      cl_uint device_count,
                                                                      const cl_device_id *devices,
                                                                      const char *names,
                                                                      cl_int *out_code)
{
    ICD_ENTER;
    if (!icd_is(context, ICD_CONTEXT, ICD_CALL))
        return fail(out_code, REFUSE(CL_INVALID_CONTEXT, "expected a context"));
    for (cl_uint i = 0; devices && i < device_count; i++)
        if (devices[i] != &icd_device)
            return fail(out_code, REFUSE(CL_INVALID_DEVICE, "entry %u is not of the context", i));
    return fail(out_code, REFUSE(CL_INVALID_VALUE, "the device has no built-in kernels '%s'",
                                 names ? names : ""));
}

/* ---- The result of a build ---------------------------------------------------------------- */

static void modules_free(cl_program program)
{
    for (uint32_t i = 0; i < program->modules.count; i++)
        rt_buffer_free(&program->modules.items[i]);
    rt_vector_free(&program->modules);
}

void icd_program_free(cl_program program)
{
    for (uint32_t i = 0; i < program->units.count; i++) {
        icd_report_source_forget(rt_buffer_text(&program->units.items[i]));
        rt_buffer_free(&program->units.items[i]);
    }
    rt_vector_free(&program->units);
    icd_usm_forget(program);
    dev_program_destroy(program->program);
    modules_free(program);
    rt_buffer_free(&program->source);
    rt_buffer_free(&program->il);
    rt_buffer_free(&program->options);
    rt_buffer_free(&program->log);
    rt_vector_free(&program->constants);
    rt_arena_reset(&program->arena);
    icd_release(program->context);
}

static void module_add(cl_program program, rt_bytes bytes)
{
    rt_buffer *module = rt_vector_push(&program->modules);
    *module = (rt_buffer){0};
    rt_buffer_append(module, bytes.data, bytes.size);
}

/* Compiles each module for the device; with `links`, makes an executable program of them. */
static rt_status modules_build(cl_program program, bool links, dev_program **out_program)
{
    uint32_t count = program->modules.count;
    dev_program **parts = rt_alloc_array(count, sizeof *parts);
    rt_status status = RT_STATUS_OK;
    *out_program = NULL;
    for (uint32_t i = 0; i < count && rt_ok(status); i++) {
        const dev_code code = {.format = RT_FORMAT_SPIRV64,
                               .bytes = rt_buffer_bytes(&program->modules.items[i])};
        status = dev_program_compile(icd_device.device, &code, &parts[i]);
    }
    if (rt_ok(status) && links)
        status = dev_program_link(icd_device.device, parts, count, (rt_text){0}, out_program);
    for (uint32_t i = 0; i < count; i++)
        dev_program_destroy(parts[i]);
    rt_free(parts);
    return status;
}

/* Builds the modules, and records the result, whose type is `type`; the lock is held.  Returns
 * `failure` if they are refused. */
static cl_int modules_finish(cl_program program, cl_program_binary_type type, cl_int failure)
{
    dev_program *linked = NULL;
    bool links = type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    rt_status status = modules_build(program, links, &linked);
    if (rt_ok(status) && links &&
        !icd_kernel_facts(&program->arena, program->modules.items, program->modules.count,
                          &program->kernels, &program->kernel_count))
        CHECK(false); /* the device has accepted the modules */
    program->program = linked;
    program->status = rt_ok(status) ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    program->type = rt_ok(status) ? type : CL_PROGRAM_BINARY_TYPE_NONE;
    if (rt_ok(status)) return CL_SUCCESS;
    rt_buffer_printf(&program->log, "error: %.*s\n", RT_TEXT_ARG(icd_message(status)));
    return failure;
}

cl_int icd_program_validate_built(cl_program program, icd_call call)
{
    if (!icd_is(program, ICD_PROGRAM, call))
        return icd_refuse(call, CL_INVALID_PROGRAM, "expected a program");
    if (!program->program)
        return icd_refuse(call, CL_INVALID_PROGRAM_EXECUTABLE, "program %u has not been built",
                          program->base.number);
    return CL_SUCCESS;
}

/* ---- Building and compiling --------------------------------------------------------------- */

typedef void(CL_CALLBACK *notify_function)(cl_program program, void *user);

static cl_int build_validate(cl_program program, cl_uint device_count, const cl_device_id *devices,
                             notify_function notify, const void *user, icd_call call)
{
    if (!icd_is(program, ICD_PROGRAM, call))
        return icd_refuse(call, CL_INVALID_PROGRAM, "expected a program");
    if ((device_count > 0) != (devices != NULL) || (!notify && user))
        return icd_refuse(call, CL_INVALID_VALUE,
                          "%u devices at %p, or user data without a function to notify",
                          device_count, (const void *)devices);
    for (cl_uint i = 0; i < device_count; i++)
        if (devices[i] != &icd_device)
            return icd_refuse(call, CL_INVALID_DEVICE, "entry %u is not of the context", i);
    if (program->kernel_objects > 0)
        return icd_refuse(call, CL_INVALID_OPERATION, "program %u has %u kernel objects",
                          program->base.number, program->kernel_objects);
    if (program->is_building)
        return icd_refuse(call, CL_INVALID_OPERATION, "program %u is being built",
                          program->base.number);
    return CL_SUCCESS;
}

/* Forgets the result of an earlier build. */
static void build_begin(cl_program program, const char *options)
{
    icd_usm_forget(program);
    dev_program_destroy(program->program);
    program->program = NULL;
    program->kernels = NULL;
    program->kernel_count = 0;
    rt_buffer_truncate(&program->log, 0);
    rt_buffer_truncate(&program->options, 0);
    rt_buffer_append_text(&program->options, rt_text_of(options));
    program->status = CL_BUILD_IN_PROGRESS;
    program->is_building = true;
}

/* Precedes a source in OpenCL C 3.0: clang's header defines for SPIR-V what the device lacks. */
static const char undefined_features[] = "#undef __opencl_c_read_write_images\n#line 1\n";

/* Compiles the program's source to its only module.  Releases the lock meanwhile. */
static bool source_compile(cl_program program, icd_options *options, const rt_text *more,
                           uint32_t more_count)
{
    RT_VECTOR(rt_text) all = {0};
    *rt_vector_push(&all) = RT_TEXT("-Xclang");
    *rt_vector_push(&all) = rt_text_of(icd_extension_option());
    *rt_vector_push(&all) = RT_TEXT("-U__IMAGE_SUPPORT__");
    *rt_vector_push(&all) = RT_TEXT("-D__OPENCL_VERSION__=300");
    /* clang's header declares the functions of this feature, but does not define its macro. */
    if (options->is_opencl_c_3)
        *rt_vector_push(&all) = RT_TEXT("-D__opencl_c_work_group_collective_functions=1");
    for (uint32_t i = 0; i < options->clang.count; i++)
        *rt_vector_push(&all) = options->clang.items[i];
    for (uint32_t i = 0; i < more_count; i++)
        *rt_vector_push(&all) = more[i];
    icd_source_name name = icd_report_source_name(rt_buffer_text(&program->source));
    rt_buffer source = {0};
    if (options->is_opencl_c_3) rt_buffer_printf(&source, "%s", undefined_features);
    rt_buffer_append_text(&source, rt_buffer_text(&program->source));
    rt_buffer_append_byte(&source, '\n');
    icd_compilation compilation = {
        .name = rt_text_of(name.text),
        .source = rt_buffer_text(&source),
        .options = all.items,
        .option_count = all.count,
    };
    icd_unlock();
    bool is_compiled = icd_compile(&compilation);
    icd_lock();
    rt_buffer_append_text(&program->log, rt_buffer_text(&compilation.log));
    modules_free(program);
    if (is_compiled) module_add(program, rt_buffer_bytes(&compilation.spirv));
    program->is_non_uniform = options->is_non_uniform;
    program->has_argument_info = options->has_argument_info;
    rt_buffer_free(&compilation.spirv);
    rt_buffer_free(&compilation.log);
    rt_buffer_free(&source);
    rt_vector_free(&all);
    return is_compiled;
}

/* Makes the program's modules, from its source, IL or binary. */
static bool modules_make(cl_program program, icd_options *options, const rt_text *more,
                         uint32_t more_count)
{
    if (program->has_source) return source_compile(program, options, more, more_count);
    if (program->has_il) {
        modules_free(program);
        module_add(program, rt_buffer_bytes(&program->il));
        for (uint32_t i = 0; i < program->constants.count; i++) {
            const icd_constant *constant = &program->constants.items[i];
            icd_constant_set(&program->modules.items[0], constant->id, constant->value);
        }
        /* SPIR-V does not say; OpenCL C 2.0 and later permit them, and so does the environment
         * specification. */
        program->is_non_uniform = true;
    }
    return program->modules.count > 0;
}

/* Builds or compiles a program that has been validated. */
static cl_int program_make(cl_program program, const char *text, cl_program_binary_type type,
                           const rt_text *more, uint32_t more_count, cl_int refused, cl_int failure,
                           icd_call call)
{
    rt_arena arena = {0};
    icd_options options;
    icd_options_read(&arena, text, false, &options);
    if (options.refused.length > 0) {
        cl_int code = icd_refuse(call, refused, "option '%.*s' is not permitted",
                                 RT_TEXT_ARG(options.refused));
        rt_vector_free(&options.clang);
        rt_arena_reset(&arena);
        return code;
    }
    icd_reference(program);
    build_begin(program, text);
    cl_int code = failure;
    if (modules_make(program, &options, more, more_count))
        code = modules_finish(program, type, failure);
    else
        program->status = CL_BUILD_ERROR, program->type = CL_PROGRAM_BINARY_TYPE_NONE;
    program->is_building = false;
    if (code != CL_SUCCESS)
        icd_refuse(call, code, "program %u:\n%s", program->base.number,
                   rt_buffer_string(&program->log));
    rt_vector_free(&options.clang);
    rt_arena_reset(&arena);
    icd_release(program);
    return code;
}

CL_API_ENTRY cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint device_count,
                                               const cl_device_id *devices, const char *options,
                                               notify_function notify, void *user)
{
    icd_lock();
    cl_int code = build_validate(program, device_count, devices, notify, user, ICD_CALL);
    if (code == CL_SUCCESS && !notify) icd_misuse_in_callback(ICD_CALL);
    if (code == CL_SUCCESS)
        code = program_make(program, options, CL_PROGRAM_BINARY_TYPE_EXECUTABLE, NULL, 0,
                            CL_INVALID_BUILD_OPTIONS, CL_BUILD_PROGRAM_FAILURE, ICD_CALL);
    icd_unlock();
    bool is_over = code == CL_SUCCESS || code == CL_BUILD_PROGRAM_FAILURE;
    if (notify && is_over) notify(program, user);
    return code;
}

/* Writes the headers of a compilation below `folder`.  False: a name leads elsewhere, or the system
 * refused. */
static bool headers_write(rt_arena *arena, rt_text folder, cl_uint count, const cl_program *headers,
                          const char **names)
{
    for (cl_uint i = 0; i < count; i++) {
        if (names[i][0] == '/' || strstr(names[i], "..")) return false;
        rt_text path = rt_arena_printf(arena, "%.*s/%s", RT_TEXT_ARG(folder), names[i]);
        char *end = (char *)(uintptr_t)path.data; /* the arena's bytes are ours */
        for (char *slash = strchr(end + folder.length + 1, '/'); slash;
             slash = strchr(slash + 1, '/')) {
            *slash = '\0';
            (void)mkdir(end, 0700);
            *slash = '/';
        }
        FILE *file = fopen(path.data, "we");
        if (!file) return false;
        rt_text source = rt_buffer_text(&headers[i]->source);
        bool is_written =
            fwrite(source.data ? source.data : "", 1, source.length, file) == source.length;
        if (fclose(file) != 0 || !is_written) return false;
    }
    return true;
}

static cl_int headers_validate(cl_program program, cl_uint count, const cl_program *headers,
                               const char **names, icd_call call)
{
    if ((count > 0) != (headers != NULL) || (count > 0) != (names != NULL))
        return icd_refuse(call, CL_INVALID_VALUE, "%u headers, but no headers or no names", count);
    if (!program->has_source && !program->has_il)
        return icd_refuse(call, CL_INVALID_OPERATION, "program %u has neither source nor IL",
                          program->base.number);
    for (cl_uint i = 0; i < count; i++)
        if (!icd_is(headers[i], ICD_PROGRAM, call) || !headers[i]->has_source || !names[i])
            return icd_refuse(call, CL_INVALID_PROGRAM, "header %u is not a program with source",
                              i);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clCompileProgram(cl_program program, cl_uint device_count,
                                                 const cl_device_id *devices, const char *options,
                                                 cl_uint header_count, const cl_program *headers,
                                                 const char **names, notify_function notify,
                                                 void *user)
{
    icd_lock();
    cl_int code = build_validate(program, device_count, devices, notify, user, ICD_CALL);
    if (code == CL_SUCCESS)
        code = headers_validate(program, header_count, headers, names, ICD_CALL);
    if (code == CL_SUCCESS && !notify) icd_misuse_in_callback(ICD_CALL);
    rt_arena arena = {0};
    rt_text folder = {0}, more[2] = {RT_TEXT("-I"), {0}};
    if (code == CL_SUCCESS && header_count > 0) {
        if (!rt_ok(cnf_scratch_make(icd_device.sink, &arena, &folder)) ||
            !headers_write(&arena, folder, header_count, headers, names))
            code = REFUSE(CL_OUT_OF_HOST_MEMORY, "the headers cannot be written to a folder");
        more[1] = folder;
    }
    if (code == CL_SUCCESS)
        code = program_make(program, options, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT, more,
                            header_count > 0 ? 2 : 0, CL_INVALID_COMPILER_OPTIONS,
                            CL_COMPILE_PROGRAM_FAILURE, ICD_CALL);
    if (folder.length > 0) cnf_scratch_remove(folder);
    rt_arena_reset(&arena);
    icd_unlock();
    bool is_over = code == CL_SUCCESS || code == CL_COMPILE_PROGRAM_FAILURE;
    if (notify && is_over) notify(program, user);
    return code;
}

/* ---- Linking ------------------------------------------------------------------------------ */

static cl_int link_validate(cl_context context, cl_uint device_count, const cl_device_id *devices,
                            cl_uint count, const cl_program *programs, notify_function notify,
                            const void *user, icd_call call)
{
    if (!icd_is(context, ICD_CONTEXT, call))
        return icd_refuse(call, CL_INVALID_CONTEXT, "expected a context");
    if ((device_count > 0) != (devices != NULL) || (!notify && user) || count == 0 || !programs)
        return icd_refuse(
            call, CL_INVALID_VALUE,
            "no programs, %u devices at %p, or user data without a function to notify",
            device_count, (const void *)devices);
    for (cl_uint i = 0; i < device_count; i++)
        if (devices[i] != &icd_device)
            return icd_refuse(call, CL_INVALID_DEVICE, "entry %u is not of the context", i);
    for (cl_uint i = 0; i < count; i++) {
        if (!icd_is(programs[i], ICD_PROGRAM, call))
            return icd_refuse(call, CL_INVALID_PROGRAM, "entry %u is not a program", i);
        bool is_object = programs[i]->type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT ||
                         programs[i]->type == CL_PROGRAM_BINARY_TYPE_LIBRARY;
        if (!is_object)
            return icd_refuse(call, CL_INVALID_OPERATION,
                              "program %u is neither compiled nor a library",
                              programs[i]->base.number);
    }
    return CL_SUCCESS;
}

/* Adds the modules of a program. */
static void input_add(cl_program linked, cl_program input)
{
    for (uint32_t i = 0; i < input->modules.count; i++)
        module_add(linked, rt_buffer_bytes(&input->modules.items[i]));
    for (uint32_t i = 0; i < input->units.count; i++)
        unit_add(linked, rt_buffer_text(&input->units.items[i]));
    linked->is_non_uniform |= input->is_non_uniform;
    linked->has_argument_info |= input->has_argument_info;
}

CL_API_ENTRY cl_program CL_API_CALL clLinkProgram(cl_context context, cl_uint device_count,
                                                  const cl_device_id *devices, const char *text,
                                                  cl_uint count, const cl_program *programs,
                                                  notify_function notify, void *user,
                                                  cl_int *out_code)
{
    icd_lock();
    rt_arena arena = {0};
    icd_options options;
    cl_int code =
        link_validate(context, device_count, devices, count, programs, notify, user, ICD_CALL);
    icd_options_read(&arena, text, true, &options);
    if (code == CL_SUCCESS && !notify) icd_misuse_in_callback(ICD_CALL);
    if (code == CL_SUCCESS && options.refused.length > 0)
        code = REFUSE(CL_INVALID_LINKER_OPTIONS, "option '%.*s' is not permitted",
                      RT_TEXT_ARG(options.refused));
    cl_program linked = NULL;
    if (code == CL_SUCCESS) {
        linked = program_create(context, NULL);
        build_begin(linked, text);
        for (cl_uint i = 0; i < count; i++)
            input_add(linked, programs[i]);
        cl_program_binary_type type = options.creates_library ? CL_PROGRAM_BINARY_TYPE_LIBRARY
                                                              : CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
        code = modules_finish(linked, type, CL_LINK_PROGRAM_FAILURE);
        linked->is_building = false;
        if (code != CL_SUCCESS)
            REFUSE(code, "program %u:\n%s", linked->base.number, rt_buffer_string(&linked->log));
    }
    rt_vector_free(&options.clang);
    rt_arena_reset(&arena);
    icd_store(out_code, code);
    icd_unlock();
    if (notify && linked) notify(linked, user);
    return linked;
}

/* ---- Constants ---------------------------------------------------------------------------- */

CL_API_ENTRY cl_int CL_API_CALL clSetProgramSpecializationConstant(cl_program program, cl_uint id,
                                                                   size_t size, const void *value)
{
    ICD_ENTER;
    if (!icd_is(program, ICD_PROGRAM, ICD_CALL) || !program->has_il)
        return REFUSE(CL_INVALID_PROGRAM, "expected a program with IL");
    uint32_t expected = icd_constant_size(rt_buffer_bytes(&program->il), id);
    if (expected == 0) return REFUSE(CL_INVALID_SPEC_ID, "the IL has no constant %u", id);
    if (!value || size != expected)
        return REFUSE(CL_INVALID_VALUE, "constant %u has %u bytes, not %zu", id, expected, size);
    uint32_t i = 0;
    while (i < program->constants.count && program->constants.items[i].id != id)
        i++;
    if (i == program->constants.count) rt_vector_push(&program->constants);
    icd_constant *constant = &program->constants.items[i];
    *constant = (icd_constant){.id = id, .size = expected};
    memcpy(constant->value, value, expected);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clSetProgramReleaseCallback(
    cl_program program, void(CL_CALLBACK *function)(cl_program, void *), void *user)
{
    (void)user;
    ICD_ENTER;
    if (!icd_is(program, ICD_PROGRAM, ICD_CALL))
        return REFUSE(CL_INVALID_PROGRAM, "expected a program");
    if (!function) return REFUSE(CL_INVALID_VALUE, "no function");
    return REFUSE(CL_INVALID_OPERATION, "programs with constructors are not supported");
}

/* ---- Queries ------------------------------------------------------------------------------ */

static void binary_write(cl_program program, rt_buffer *out)
{
    if (program->type == CL_PROGRAM_BINARY_TYPE_NONE) return;
    rt_write_u32(out, BINARY_TAG);
    rt_write_u32(out, program->type);
    rt_write_u32(out, (program->is_non_uniform ? FLAG_NON_UNIFORM : 0) |
                          (program->has_argument_info ? FLAG_ARGUMENT_INFO : 0));
    rt_write_u32(out, program->modules.count);
    for (uint32_t i = 0; i < program->modules.count; i++)
        rt_write_bytes(out, rt_buffer_bytes(&program->modules.items[i]));
    rt_write_u32(out, program->units.count);
    for (uint32_t i = 0; i < program->units.count; i++)
        rt_write_text(out, rt_buffer_text(&program->units.items[i]));
}

static cl_int binary_answer(cl_program program, cl_program_info name, size_t capacity, void *out,
                            size_t *out_size)
{
    rt_buffer binary = {0};
    binary_write(program, &binary);
    cl_int code = CL_SUCCESS;
    if (name == CL_PROGRAM_BINARY_SIZES) {
        code = icd_answer(&binary.size, sizeof binary.size, capacity, out, out_size);
    } else {
        unsigned char **places = out;
        if (out_size) *out_size = sizeof *places;
        if (out && capacity < sizeof *places) code = CL_INVALID_VALUE;
        if (out && code == CL_SUCCESS && places[0] && binary.size > 0)
            memcpy(places[0], binary.data, binary.size);
    }
    rt_buffer_free(&binary);
    return code;
}

static cl_int names_answer(cl_program program, size_t capacity, void *out, size_t *out_size)
{
    rt_buffer names = {0};
    for (uint32_t i = 0; i < program->kernel_count; i++)
        rt_buffer_printf(&names, "%s%.*s", i > 0 ? ";" : "", RT_TEXT_ARG(program->kernels[i].name));
    cl_int code = icd_answer_text(rt_buffer_text(&names), capacity, out, out_size);
    rt_buffer_free(&names);
    return code;
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramInfo(cl_program program, cl_program_info name,
                                                 size_t capacity, void *out, size_t *out_size)
{
    ICD_ENTER;
    if (!icd_is(program, ICD_PROGRAM, ICD_CALL)) return CL_INVALID_PROGRAM;
    bool asks_kernels = name == CL_PROGRAM_NUM_KERNELS || name == CL_PROGRAM_KERNEL_NAMES;
    if (asks_kernels && !program->program) return CL_INVALID_PROGRAM_EXECUTABLE;
    switch (name) {
    case CL_PROGRAM_REFERENCE_COUNT: return ICD_ANSWER(cl_uint, program->base.user_references);
    case CL_PROGRAM_CONTEXT: return ICD_ANSWER(cl_context, program->context);
    case CL_PROGRAM_NUM_DEVICES: return ICD_ANSWER(cl_uint, 1);
    case CL_PROGRAM_DEVICES: return ICD_ANSWER(cl_device_id, &icd_device);
    case CL_PROGRAM_SOURCE:
        return icd_answer_text(rt_buffer_text(&program->source), capacity, out, out_size);
    case CL_PROGRAM_IL:
        return icd_answer(program->il.data, program->il.size, capacity, out, out_size);
    case CL_PROGRAM_BINARY_SIZES:
    case CL_PROGRAM_BINARIES: return binary_answer(program, name, capacity, out, out_size);
    case CL_PROGRAM_NUM_KERNELS: return ICD_ANSWER(size_t, program->kernel_count);
    case CL_PROGRAM_KERNEL_NAMES: return names_answer(program, capacity, out, out_size);
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT: return ICD_ANSWER(cl_bool, CL_FALSE);
    default: return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramBuildInfo(cl_program program, cl_device_id device,
                                                      cl_program_build_info name, size_t capacity,
                                                      void *out, size_t *out_size)
{
    ICD_ENTER;
    if (!icd_is(program, ICD_PROGRAM, ICD_CALL)) return CL_INVALID_PROGRAM;
    if (device != &icd_device) return CL_INVALID_DEVICE;
    switch (name) {
    case CL_PROGRAM_BUILD_STATUS: return ICD_ANSWER(cl_build_status, program->status);
    case CL_PROGRAM_BUILD_OPTIONS:
        return icd_answer_text(rt_buffer_text(&program->options), capacity, out, out_size);
    case CL_PROGRAM_BUILD_LOG:
        return icd_answer_text(rt_buffer_text(&program->log), capacity, out, out_size);
    case CL_PROGRAM_BINARY_TYPE: return ICD_ANSWER(cl_program_binary_type, program->type);
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
        return ICD_ANSWER(size_t,
                          program->program ? dev_program_global_bytes(program->program) : 0);
    default: return CL_INVALID_VALUE;
    }
}
