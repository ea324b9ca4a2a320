/* The driver's modules: creating, linking, loading and saving them, with their logs.
 *
 * Source: Level Zero specification 1.8, "Modules", "Dynamically Linked Modules" (imports need the
 * flag -library-compilation), ZE_experimental_module_program. */
#include "backends/level_zero/l0_module.h"

#include "reference/base/alloc.h"
#include "reference/base/arena.h"

/* Permits unresolved symbols, and exports symbols to other modules. */
static const char library_flag[] = "-library-compilation";
/* Without this flag Intel's compiler drops the variables of a module that exports no function, so
 * that they cannot be found by name. */
static const char variables_flag[] = "-ze-take-global-address";

/* ---- Making ------------------------------------------------------------------------------- */

/* Has the driver create a module; reads its log on failure. */
static rt_status module_create(const l0_device *device, l0_stage stage,
                               const ze_module_desc_t *description, ze_module_handle_t *out_module)
{
    ze_module_build_log_handle_t log = NULL;
    *out_module = NULL;
    ze_result_t result =
        device->library.zeModuleCreate(device->context, device->id, description, out_module, &log);
    rt_buffer text = {0};
    l0_log_take(device, log, &text);
    rt_status status = RT_STATUS_OK;
    if (result != ZE_RESULT_SUCCESS || !*out_module)
        status = l0_fail(device->sink, stage, "zeModuleCreate", result, rt_buffer_text(&text));
    rt_buffer_free(&text);
    return status;
}

/* Collects the flags for one image's code, followed by `more`, those for the link. */
static void flags_make(const l0_code *code, bool is_library, rt_text more, rt_buffer *out_flags)
{
    const rt_text parts[] = {rt_text_of(is_library ? library_flag : ""),
                             rt_text_of(code->has_symbols ? variables_flag : ""),
                             rt_buffer_text(&code->options), more};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].length == 0) continue;
        if (out_flags->size > 0) rt_buffer_append_byte(out_flags, ' ');
        rt_buffer_append_text(out_flags, parts[i]);
    }
}

static ze_module_constants_t constants_of(const l0_code *code)
{
    return (ze_module_constants_t){.numConstants = code->constant_count,
                                   .pConstantIds = code->constant_ids,
                                   .pConstantValues = code->constant_pointers};
}

rt_status l0_module_make(const l0_device *device, l0_stage stage, const l0_code *code,
                         bool is_library, ze_module_handle_t *out_module)
{
    CHECK(stage == L0_STAGE_MODULE || stage == L0_STAGE_LINK);
    rt_buffer flags = {0};
    flags_make(code, is_library, (rt_text){0}, &flags);
    const ze_module_constants_t constants = constants_of(code);
    const ze_module_desc_t description = {
        .stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
        .format = ZE_MODULE_FORMAT_IL_SPIRV,
        .inputSize = code->bytes.size,
        .pInputModule = rt_buffer_bytes(&code->bytes).data,
        .pBuildFlags = rt_buffer_string(&flags),
        .pConstants = code->constant_count > 0 ? &constants : NULL,
    };
    rt_status status = module_create(device, stage, &description, out_module);
    rt_buffer_free(&flags);
    return status;
}

rt_status l0_module_load(const l0_device *device, rt_bytes native, ze_module_handle_t *out_module)
{
    const ze_module_desc_t description = {
        .stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
        .format = ZE_MODULE_FORMAT_NATIVE,
        .inputSize = native.size,
        .pInputModule = native.data,
    };
    return module_create(device, L0_STAGE_LINK, &description, out_module);
}

/* ---- Joining ------------------------------------------------------------------------------ */

rt_status l0_module_join(const l0_device *device, const l0_code *const *codes, uint32_t count,
                         rt_text options, ze_module_handle_t *out_module)
{
    CHECK(count >= 1);
    /* The extension takes parallel lists with one entry per image. */
    rt_arena arena = {0};
    size_t *sizes = rt_arena_alloc_array(&arena, count, sizeof *sizes);
    const uint8_t **inputs = rt_arena_alloc_array(&arena, count, sizeof *inputs);
    const char **flags = rt_arena_alloc_array(&arena, count, sizeof *flags);
    ze_module_constants_t *constants = rt_arena_alloc_array(&arena, count, sizeof *constants);
    const ze_module_constants_t **constant_lists =
        rt_arena_alloc_array(&arena, count, sizeof *constant_lists);
    for (uint32_t i = 0; i < count; i++) {
        rt_bytes bytes = rt_buffer_bytes(&codes[i]->bytes);
        rt_buffer text = {0};
        flags_make(codes[i], true, options, &text);
        sizes[i] = bytes.size;
        inputs[i] = bytes.data;
        flags[i] = rt_arena_text(&arena, rt_buffer_text(&text)).data;
        constants[i] = constants_of(codes[i]);
        if (codes[i]->constant_count > 0) constant_lists[i] = &constants[i];
        rt_buffer_free(&text);
    }
    const ze_module_program_exp_desc_t program = {
        .stype = ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC,
        .count = count,
        .inputSizes = sizes,
        .pInputModules = inputs,
        .pBuildFlags = flags,
        .pConstants = constant_lists,
    };
    /* With the extension the driver ignores format, inputSize and pInputModule, but the validation
     * layer requires them.
     */
    const ze_module_desc_t description = {
        .stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
        .pNext = &program,
        .format = ZE_MODULE_FORMAT_IL_SPIRV,
        .inputSize = sizes[0],
        .pInputModule = inputs[0],
    };
    rt_status status = module_create(device, L0_STAGE_LINK, &description, out_module);
    rt_arena_reset(&arena);
    return status;
}

rt_status l0_modules_link(const l0_device *device, l0_modules *modules)
{
    ze_module_build_log_handle_t log = NULL;
    ze_result_t result =
        device->library.zeModuleDynamicLink(modules->count, modules->handles, &log);
    rt_buffer text = {0};
    l0_log_take(device, log, &text);
    rt_status status = RT_STATUS_OK;
    if (result != ZE_RESULT_SUCCESS)
        status = l0_fail(device->sink, L0_STAGE_LINK, "zeModuleDynamicLink", result,
                         rt_buffer_text(&text));
    rt_buffer_free(&text);
    return status;
}

/* ---- Saving ------------------------------------------------------------------------------- */

rt_status l0_module_binary(const l0_device *device, ze_module_handle_t module,
                           rt_buffer *out_binary)
{
    static const char call[] = "zeModuleGetNativeBinary";
    size_t size = 0;
    L0_TRY(device->sink, L0_STAGE_BINARY, call,
           device->library.zeModuleGetNativeBinary(module, &size, NULL));
    if (size == 0)
        return rt_fail(device->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "%s: '%s' returns no binary of a program that it has built; the program "
                       "cannot be stored for another process",
                       call, rt_buffer_string(&device->name));
    uint8_t *bytes = rt_try_alloc(size);
    if (!bytes)
        return rt_fail(device->sink, RT_ERRC_MEMORY_ALLOCATION, RT_RULE_NONE,
                       "out of memory for a program binary of %zu bytes", size);
    ze_result_t result = device->library.zeModuleGetNativeBinary(module, &size, bytes);
    if (result == ZE_RESULT_SUCCESS) rt_buffer_append(out_binary, bytes, size);
    rt_free(bytes);
    L0_TRY(device->sink, L0_STAGE_BINARY, call, result);
    return RT_STATUS_OK;
}
