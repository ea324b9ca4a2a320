/* The C source of a module. */
#include "conformance/host/host_internal.h"

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

/* Symbols that the program itself uses. */
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

/* True for a symbol that an assembler accepts without quotes. */
static bool is_symbol(rt_text symbol)
{
    for (size_t i = 0; i < symbol.length; i++) {
        char c = symbol.data[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        bool is_inner = (c >= '0' && c <= '9') || c == '.' || c == '$';
        if (!is_letter && (i == 0 || !is_inner)) return false;
    }
    return symbol.length > 0;
}

/* An asm label gives each variable its symbol, so no symbol can clash with C's keywords. */
static rt_status symbols_write(rt_sink *sink, rt_buffer *out, const scn_module *module,
                               rt_text file_name)
{
    for (uint32_t i = 0; i < module->host_symbol_count; i++) {
        rt_text symbol = module->host_symbols[i];
        if (!is_symbol(symbol) || is_among(reserved_symbols, symbol)) {
            return rt_fail(sink, RT_UNSUPPORTED, RT_RULE_NONE,
                           "host symbol '%.*s' of module '%.*s' cannot exist in a real program: "
                           "%s; rename it, or use the simulated loader",
                           RT_TEXT_ARG(symbol), RT_TEXT_ARG(module->name),
                           is_symbol(symbol)
                               ? "the program itself defines this symbol"
                               : "a symbol consists of letters, digits, '_', '.' and '$', and "
                                 "begins with a letter or '_'");
        }
        rt_buffer_printf(out,
                         "extern const char host_symbol_%u[] __asm__(\"%.*s\");\n"
                         "const char host_symbol_%u[] = \"%.*s\";\n",
                         i, RT_TEXT_ARG(symbol), i, RT_TEXT_ARG(file_name));
    }
    return RT_STATUS_OK;
}

/* ---- device_globals ------------------------------------------------------------------------ */

/* Writes the variables of the module's device_globals to `out`, and to `calls` the constructor's
 * calls that register them.  This is the part of DPC++'s compiler (document 002): a translation
 * unit defines each variable, whether or not an image uses it, and its integration footer passes
 * the variable's address and id to libsycl, after the images have been registered (their
 * constructor has priority 1).  A variable is a pointer, which image scope leaves out, and the
 * value, here zeros.  Modules that define the same id share the variable that ld.so finds first, as
 * for an inline variable in C++; an id that cannot be a symbol stays local to its module. */
static rt_status globals_write(rt_sink *sink, rt_buffer *out, rt_buffer *calls,
                               const scn_module *module)
{
    for (uint32_t i = 0; i < module->device_globals.count; i++) {
        const rt_device_global *global = &module->device_globals.globals[i];
        rt_text id = global->unique_id;
        if (memchr(id.data, '"', id.length) || memchr(id.data, '\\', id.length))
            return rt_fail(sink, RT_UNSUPPORTED, RT_RULE_NONE,
                           "the id '%.*s' of a device_global of module '%.*s' cannot exist in a "
                           "real program: it contains a quote or a backslash",
                           RT_TEXT_ARG(id), RT_TEXT_ARG(module->name));
        const char *members = global->image_scope ? "" : "void *pointer; ";
        rt_buffer_printf(out,
                         "struct global_%u { %schar value[%llu]; } __attribute__((aligned(16)));\n",
                         i, members, (unsigned long long)global->size);
        if (is_symbol(id))
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

/* Libraries that real programs need; ld.so would load a module of that name in their place. */
static const char *const reserved_files[] = {
    "libassay_*",    "libc.so.*",      "libm.so.*",    "libdl.so.*", "libpthread.so.*", "ld-linux*",
    "libgcc_s.so.*", "libstdc++.so.*", "libsycl*.so*", "libur_*",    "libOpenCL.so*",   NULL,
};

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

/* Without `volatile` the call could become a jump, and dlsym uses the return address. */
static const char functions[] = "\n"
                                "static const void *binds(const char *symbol)\n"
                                "{\n"
                                "    const void *volatile address = dlsym(RTLD_DEFAULT, symbol);\n"
                                "    return address;\n"
                                "}\n"
                                "\n"
                                "__attribute__((constructor)) static void construct(void)\n"
                                "{\n"
                                "    assay_module_constructed(file_name, binds);\n"
                                "%s%s"
                                "}\n"
                                "\n"
                                "__attribute__((destructor)) static void destroy(void)\n"
                                "{\n"
                                "%s"
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
                           uint32_t module_index)
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
            sink, out, RT_FAT_80, module->names_end_in_nul ? RT_FAT_AFTER_NUL : RT_FAT_AFTER_OTHER,
            (rt_device_binaries){binaries, images.count});
    }
    rt_buffer_printf(out, declarations, RT_TEXT_ARG(path));
    if (rt_ok(status)) status = symbols_write(sink, out, module, path);
    rt_buffer globals = {0};
    if (rt_ok(status)) status = globals_write(sink, out, &globals, module);
    rt_buffer_printf(out, functions, registers ? "    __sycl_register_lib(&descriptor);\n" : "",
                     rt_buffer_string(&globals),
                     registers ? "    __sycl_unregister_lib(&descriptor);\n" : "");
    if (module_index == 0) rt_buffer_printf(out, "%s", main_function);
    rt_buffer_free(&globals);
    rt_arena_reset(&arena);
    return status;
}
