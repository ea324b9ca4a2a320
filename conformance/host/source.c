/* The C source of a module. */
#include "conformance/host/host_internal.h"

#include "conformance/host/protocol.h"
#include "reference/image/fat_binary.h"

#include <limits.h>
#include <string.h>

rt_text cnf_host_file_name(rt_arena *arena, const scn_scenario *scenario, uint32_t module)
{
    CHECK(module < scenario->module_count);
    rt_text name = scenario->modules[module].name, file_name = scenario->modules[module].file_name;
    if (file_name.length > 0) return file_name;
    return rt_arena_printf(arena, "%.*s%s", RT_TEXT_ARG(name), module == 0 ? "" : ".so");
}

rt_text cnf_host_path(rt_arena *arena, const scn_scenario *scenario, uint32_t module)
{
    rt_text name = cnf_host_file_name(arena, scenario, module);
    for (uint32_t i = 0; i < module; i++)
        if (rt_text_equal(cnf_host_file_name(arena, scenario, i), name))
            return rt_arena_printf(arena, "%u/%.*s", module, RT_TEXT_ARG(name));
    return name;
}

bool cnf_host_registers(const scn_module *module)
{
    return module->registers && module->images.count > 0;
}

/* ---- Host symbols -------------------------------------------------------------------------- */

/* Symbols that the program itself defines or uses. */
static const char *const reserved_symbols[] = {
    "main",    "_start",  "_init",    "_fini", "_end",  "_edata",     "__*",
    "assay_*", "environ", "_DYNAMIC", "_IO_*", "_dl_*", "data_start", "program_invocation_*",
    NULL,
};

/* True if the NULL-terminated list contains the word; in the list, a trailing '*' matches any
 * ending. */
static bool is_among(const char *const *list, rt_text word)
{
    for (const char *const *at = list; *at; at++) {
        rt_text name = rt_text_of(*at);
        bool prefix = name.data[name.length - 1] == '*';
        if (prefix) name.length--;
        if (word.length < name.length) continue;
        rt_text compared = {word.data, prefix ? name.length : word.length};
        if (rt_text_equal(compared, name)) return true;
    }
    return false;
}

bool cnf_host_is_symbol(rt_text symbol)
{
    for (size_t i = 0; i < symbol.length; i++) {
        char c = symbol.data[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        bool is_inner = (c >= '0' && c <= '9') || c == '.' || c == '$';
        if (!is_letter && (i == 0 || !is_inner)) return false;
    }
    return symbol.length > 0;
}

/* An asm label gives each variable its symbol, so no symbol can clash with C's keywords. The host
 * half of a SYCL source may define the symbol too, which is then the module's. */
static rt_status symbols_write(rt_sink *sink, rt_buffer *out, const scn_module *module,
                               rt_text file_name)
{
    for (uint32_t i = 0; i < module->host_symbol_count; i++) {
        rt_text symbol = module->host_symbols[i];
        const bool is_symbol = cnf_host_is_symbol(symbol);
        if (!is_symbol || is_among(reserved_symbols, symbol)) {
            return rt_fail(sink, RT_UNSUPPORTED, RT_RULE_NONE,
                           "host symbol '%.*s' of module '%.*s' cannot exist in a real program: "
                           "%s; rename it, or use the simulated loader",
                           RT_TEXT_ARG(symbol), RT_TEXT_ARG(module->name),
                           is_symbol
                               ? "the program itself defines this symbol"
                               : "a symbol consists of letters, digits, '_', '.' and '$', and "
                                 "begins with a letter or '_'");
        }
        rt_buffer_printf(out,
                         "extern const char host_symbol_%u[] __asm__(\"%.*s\");\n"
                         "%sconst char host_symbol_%u[] = \"%.*s\";\n",
                         i, RT_TEXT_ARG(symbol),
                         module->host_half_count > 0 ? "__attribute__((weak)) " : "", i,
                         RT_TEXT_ARG(file_name));
    }
    return RT_STATUS_OK;
}

/* ---- device_globals ------------------------------------------------------------------------ */

/* Writes the variables of the module's device_globals to `out`, and to `calls` the constructor's
 * calls that register them. In an application, the DPC++ compiler does this (document 002): a
 * translation unit defines each variable, whether or not an image uses it, and its integration
 * footer passes the variable's address and id to libsycl after the images have been registered
 * (their constructor has priority 1). A variable is a pointer, which image scope leaves out, and
 * the value, here zeros. Modules that define the same id share the variable that ld.so finds first,
 * as for an inline variable in C++; an id that cannot be a symbol stays local to its module. The
 * variables of SYCL sources are defined and registered by their host halves (host_half.c). */
static rt_status globals_write(rt_sink *sink, rt_buffer *out, rt_buffer *calls,
                               const scn_module *module)
{
    for (uint32_t i = 0; i < module->device_globals.count; i++) {
        const rt_device_global *global = &module->device_globals.globals[i];
        rt_text id = global->unique_id;
        if (cnf_host_half_has(module, id)) continue;
        if (memchr(id.data, '"', id.length) || memchr(id.data, '\\', id.length))
            return rt_fail(sink, RT_UNSUPPORTED, RT_RULE_NONE,
                           "the id '%.*s' of a device_global of module '%.*s' cannot exist in a "
                           "real program: it contains a quote or a backslash",
                           RT_TEXT_ARG(id), RT_TEXT_ARG(module->name));
        const char *members = global->image_scope ? "" : "void *pointer; ";
        rt_buffer_printf(out,
                         "struct global_%u { %schar value[%llu]; } __attribute__((aligned(16)));\n",
                         i, members, (unsigned long long)global->size);
        if (cnf_host_is_symbol(id))
            rt_buffer_printf(out,
                             "extern struct global_%u global_%u __asm__(\"assay_global_%.*s\");\n"
                             "struct global_%u global_%u;\n",
                             i, i, RT_TEXT_ARG(id), i, i);
        else
            rt_buffer_printf(out, "static struct global_%u global_%u;\n", i, i);
        rt_buffer_printf(calls, "    assay_module_global(&global_%u, \"%.*s\", %lluul, %d);\n", i,
                         RT_TEXT_ARG(id), (unsigned long long)global->size, global->image_scope);
    }
    return RT_STATUS_OK;
}

/* Libraries that real programs need; ld.so would load a module of the same name instead. */
static const char *const reserved_files[] = {
    "libassay_*",    "libc.so.*",     "libm.so.*",      "libdl.so.*",   "libpthread.so.*",
    "ld-linux*",     "libgcc_s.so.*", "libstdc++.so.*", "libsycl*.so*", "libur_*",
    "libOpenCL.so*", "libmpfr.so.*",  "libgmp.so.*",    NULL,
};

/* ---- Submits ------------------------------------------------------------------------------- */

/* True if the step submits the kernel from the module's host code, as a lambda or by a name that
 * the module declares. */
static bool is_submitted_from(const scn_step *step, uint32_t module, rt_text kernel)
{
    if (step->verb != SCN_VERB_SUBMIT || !rt_text_equal(step->submit.kernel, kernel)) return false;
    if (step->submit.module != SCN_NONE) return step->submit.module == module;
    return step->submit.through == SCN_THROUGH_LAMBDA;
}

/* Writes the captures of a lambda, which follow from a submit's arguments: each begins at a
 * multiple of the largest alignment. A buffer is an accessor, which libassay_dpcpp.so refuses.
 * Returns the lambda's size. */
static uint64_t parameters_write(rt_buffer *out, const scn_submit *submit, uint32_t number)
{
    enum { ALIGNMENT = 16 };
    uint64_t offset = 0;
    rt_buffer_printf(out, "static const struct parameter parameters_%u[] = {\n", number);
    for (uint32_t i = 0; i < submit->argument_count; i++) {
        const scn_argument *argument = &submit->arguments[i];
        const bool is_value = argument->kind == SCN_ARGUMENT_VALUE;
        const bool is_local = argument->kind == SCN_ARGUMENT_LOCAL;
        const uint64_t size = is_value   ? argument->value.size
                              : is_local ? HOST_LOCAL_SIZE
                                         : HOST_POINTER_SIZE;
        rt_buffer_printf(out, "    {%d, %llu, %llu},\n",
                         is_value   ? HOST_PARAMETER_VALUE
                         : is_local ? HOST_PARAMETER_LOCAL
                                    : HOST_PARAMETER_POINTER,
                         (unsigned long long)size, (unsigned long long)offset);
        offset += (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    rt_buffer_printf(out,
                     "    {0, 0, 0},\n};\n"
                     "static struct parameter parameter_%u(int index)\n"
                     "{\n"
                     "    return parameters_%u[index];\n"
                     "}\n",
                     number, number);
    return offset;
}

/* Writes the inside of a string literal, in octal unless every compiler takes the byte as it is. */
static void string_write(rt_buffer *out, rt_text text)
{
    for (size_t i = 0; i < text.length; i++) {
        char c = text.data[i];
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (is_plain || c == '_')
            rt_buffer_append_byte(out, c);
        else
            rt_buffer_printf(out, "\\%03o", (unsigned)(unsigned char)c);
    }
}

/* Writes the host_kernel (protocol.h) of each of the module's kernels that its host code submits. A
 * kernel has one lambda, that of its first submit. Returns the number of kernels. */
static uint32_t kernels_write(rt_buffer *out, const scn_scenario *scenario, uint32_t module)
{
    static const char structs[] =
        "\n"
        "struct parameter {\n"
        "    int kind, size, offset;\n"
        "};\n"
        "struct kernel {\n"
        "    const char *name;\n"
        "    unsigned parameter_count;\n"
        "    struct parameter (*parameter)(int);\n"
        "    unsigned long size;\n"
        "    void *found_by_name, *found_by_lambda;\n"
        "};\n"
        "void assay_module_kernels(const char *, struct kernel *, unsigned);\n";
    const rt_image_list images = scenario->modules[module].images;
    rt_buffer kernels = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < images.count; i++) {
        for (uint32_t k = 0; k < images.images[i].kernel_count; k++) {
            const rt_text name = images.images[i].kernels[k];
            const scn_submit *submit = NULL;
            for (uint32_t s = 0; s < scenario->step_count; s++) {
                const scn_step *step = &scenario->steps[s];
                if (!is_submitted_from(step, module, name)) continue;
                if (!submit || (submit->through != SCN_THROUGH_LAMBDA &&
                                step->submit.through == SCN_THROUGH_LAMBDA))
                    submit = &step->submit;
            }
            if (!submit) continue;
            if (count == 0) rt_buffer_printf(out, "%s", structs);
            const uint64_t size = parameters_write(out, submit, count);
            rt_buffer_printf(&kernels, "    {\"");
            string_write(&kernels, name);
            rt_buffer_printf(&kernels, "\", %u, parameter_%u, %llu, NULL, NULL},\n",
                             submit->argument_count, count, (unsigned long long)size);
            count++;
        }
    }
    if (count > 0)
        rt_buffer_printf(out, "static struct kernel kernels[] = {\n%s};\n",
                         rt_buffer_string(&kernels));
    rt_buffer_free(&kernels);
    return count;
}

/* ---- The source -------------------------------------------------------------------------------
 */

static const char heading[] = "/* Module '%.*s' of a scenario, written by assay. */\n"
                              "#define _GNU_SOURCE\n"
                              "#include <dlfcn.h>\n"
                              "#include <stddef.h>\n"
                              "\n";

static const char declarations[] =
    "\n"
    "void assay_module_constructed(const char *, const void *(*)(const char *));\n"
    "void assay_module_destroyed(const char *);\n"
    "void assay_module_global(void *, const char *, unsigned long, int);\n"
    "void __sycl_register_lib(const void *);\n"
    "void __sycl_unregister_lib(const void *);\n"
    "\n"
    "static const char file_name[] = \"%.*s\";\n";

/* DPC++ gives the constructor and the destructor of a module's images priority 1; 101 is the first
 * that programs may use. So images are registered before the module's own variables are
 * constructed, and unregistered after they are destroyed.
 *
 * Without `volatile`, the call could become a tail call; dlsym uses the return address to find its
 * caller. */
static const char functions[] = "\n"
                                "static const void *binds(const char *symbol)\n"
                                "{\n"
                                "    const void *volatile address = dlsym(RTLD_DEFAULT, symbol);\n"
                                "    return address;\n"
                                "}\n"
                                "\n"
                                "__attribute__((constructor(101))) static void construct(void)\n"
                                "{\n"
                                "    assay_module_constructed(file_name, binds);\n"
                                "%s%s%s"
                                "}\n"
                                "\n"
                                "__attribute__((destructor(101))) static void destroy(void)\n"
                                "{\n"
                                "%s%s"
                                "    assay_module_destroyed(file_name);\n"
                                "}\n";

static const char main_function[] = "\n"
                                    "int assay_host_main(void);\n"
                                    "\n"
                                    "int main(void)\n"
                                    "{\n"
                                    "    return assay_host_main();\n"
                                    "}\n";

rt_status cnf_host_write_c(rt_sink *sink, rt_buffer *out, const scn_scenario *scenario,
                           uint32_t module_index, rt_fat_layout layout)
{
    CHECK(module_index < scenario->module_count);
    const scn_module *module = &scenario->modules[module_index];
    bool registers = cnf_host_registers(module);
    rt_arena arena = {0};
    rt_text path = cnf_host_path(&arena, scenario, module_index);
    rt_text file_name = cnf_host_file_name(&arena, scenario, module_index);
    rt_buffer_printf(out, heading, RT_TEXT_ARG(module->name));
    rt_status status = RT_STATUS_OK;
    bool is_reserved = is_among(reserved_files, file_name);
    if (is_reserved || file_name.length > NAME_MAX)
        status = rt_fail(sink, RT_UNSUPPORTED, RT_RULE_NONE,
                         "module '%.*s' cannot be a file named %.*s: %s; rename it, or use the "
                         "simulated loader",
                         RT_TEXT_ARG(module->name), RT_TEXT_ARG(file_name),
                         is_reserved ? "real programs need a library of this name"
                                     : "the name is too long for a file");
    if (rt_ok(status) && registers) {
        const rt_image_list images = module->images;
        rt_device_binary *binaries = rt_arena_alloc_array(&arena, images.count, sizeof *binaries);
        for (uint32_t i = 0; i < images.count; i++) {
            binaries[i] = rt_device_binary_of(&images.images[i]);
            rt_device_binary_add_exports(&arena, &images.images[i], &binaries[i]);
        }
        status = rt_fat_binary_write_tables(
            sink, out, layout, module->names_end_in_nul ? RT_FAT_AFTER_NUL : RT_FAT_AFTER_OTHER,
            (rt_device_binaries){binaries, images.count});
    }
    rt_buffer_printf(out, declarations, RT_TEXT_ARG(path));
    if (rt_ok(status)) status = symbols_write(sink, out, module, path);
    rt_buffer globals = {0};
    if (rt_ok(status)) status = globals_write(sink, out, &globals, module);
    const uint32_t kernel_count = kernels_write(out, scenario, module_index);
    rt_text submits = rt_arena_printf(&arena, "    assay_module_kernels(file_name, kernels, %u);\n",
                                      kernel_count);
    rt_buffer_printf(out, functions, registers ? "    __sycl_register_lib(&descriptor);\n" : "",
                     rt_buffer_string(&globals), kernel_count > 0 ? submits.data : "",
                     kernel_count > 0 ? "    assay_module_kernels(file_name, NULL, 0);\n" : "",
                     registers ? "    __sycl_unregister_lib(&descriptor);\n" : "");
    if (module_index == 0) rt_buffer_printf(out, "%s", main_function);
    rt_buffer_free(&globals);
    rt_arena_reset(&arena);
    return status;
}
