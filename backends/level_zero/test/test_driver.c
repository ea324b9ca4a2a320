/* Tests a real driver, without the adapter, where the documents rely on Level Zero: looking up
 * variables by their names in host code, in SPIR-V and native modules, before and after linking.
 * Exits with 77, CTest's skip code, if there is no driver. The modules are the device suite's, with
 * decorations added here. */
#include "backends/level_zero/l0_library.h"
#include "reference/base/check.h"
#include "reference/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static l0_library ze;
static ze_context_handle_t context;
static ze_device_handle_t device;
static uint32_t driver_version;

/* Driver 1.3.24595 reports an address only for the exporting module (scenarios/FINDINGS.md). */
enum { FORGETS_IMPORTS = 1 << 24 | 3 << 16 | 24595 };

#define LIBRARY "-library-compilation -ze-take-global-address"

enum { WORDS_MAX = 1 << 14, NAME_WORDS = 8 };
typedef struct code {
    uint32_t words[WORDS_MAX];
    size_t count;
} code;

static void code_read(const char *name, code *out_code)
{
    char path[512];
    snprintf(path, sizeof path, SUITE_MODULES "/%s.spv", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    out_code->count = fread(out_code->words, sizeof(uint32_t), WORDS_MAX, file);
    fclose(file);
    assert_true(out_code->count > 5 && out_code->count < WORDS_MAX);
}

static void words_insert(code *in, size_t at, const uint32_t *words, size_t count)
{
    assert_true(in->count + count <= WORDS_MAX);
    memmove(in->words + at + count, in->words + at, (in->count - at) * sizeof(uint32_t));
    memcpy(in->words + at, words, count * sizeof(uint32_t));
    in->count += count;
}

/* Finds the start of the decoration that gives a variable its linkage name. */
static size_t linkage_find(const code *in, const char *name)
{
    for (size_t at = 5; at < in->count; at += in->words[at] >> 16) {
        bool linkage = (in->words[at] & 0xffff) == 71 && in->words[at + 2] == 41;
        if (linkage && strcmp((const char *)&in->words[at + 3], name) == 0) return at;
    }
    fail_msg("no %s", name);
    return 0;
}

/* Gives the variable with the given linkage name a host name, with read and write access. */
static void name_for_host(code *in, const char *linkage, const char *host)
{
    static const char extension[] = "SPV_INTEL_global_variable_decorations";
    size_t at = linkage_find(in, linkage);
    uint32_t decoration[4 + NAME_WORDS] = {0, in->words[at + 1], 6147, 2};
    uint32_t length = (uint32_t)(4 + strlen(host) / 4 + 1);
    memcpy(decoration + 4, host, strlen(host));
    decoration[0] = length << 16 | 71;
    words_insert(in, at, decoration, length);
    size_t behind = 5; /* the capabilities */
    while ((in->words[behind] & 0xffff) == 17)
        behind += 2;
    uint32_t extended[1 + 16] = {0}, extended_length = sizeof extension / 4 + 2;
    memcpy(extended + 1, extension, sizeof extension);
    extended[0] = extended_length << 16 | 10;
    words_insert(in, behind, extended, extended_length);
    words_insert(in, behind, (const uint32_t[]){2u << 16 | 17, 6146}, 2);
}

static ze_module_handle_t module_of(ze_module_format_t format, const void *bytes, size_t size,
                                    const char *flags)
{
    const ze_module_desc_t description = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                          .format = format,
                                          .inputSize = size,
                                          .pInputModule = bytes,
                                          .pBuildFlags = flags};
    ze_module_handle_t module = NULL;
    ze_module_build_log_handle_t log = NULL;
    assert_int_equal(ze.zeModuleCreate(context, device, &description, &module, &log), 0);
    assert_int_equal(ze.zeModuleBuildLogDestroy(log), 0);
    return module;
}

/* Returns the size of a variable, or 0 if the driver does not find it. */
static size_t size_of(ze_module_handle_t module, const char *name, void **out_pointer)
{
    size_t size = 0;
    void *pointer = NULL;
    ze_result_t result = ze.zeModuleGetGlobalPointer(module, name, &size, &pointer);
    if (out_pointer) *out_pointer = pointer;
    return result == ZE_RESULT_SUCCESS ? size : 0;
}

/* Creates a module whose `counter` has 4 bytes and `zeros` 16. The host name of `counter` is
 * `host`, unless that is NULL. */
static ze_module_handle_t named_module(const char *host)
{
    static code globals;
    code_read("globals", &globals);
    if (host) name_for_host(&globals, "counter", host);
    return module_of(ZE_MODULE_FORMAT_IL_SPIRV, globals.words, globals.count * 4,
                     "-ze-take-global-address");
}

static void DG_PLUGIN_08_the_driver_knows_names_for_the_host(void **state)
{
    (void)state;
    ze_module_handle_t module = named_module(NULL);
    assert_int_equal(size_of(module, "zeros", NULL), 16); /* the twin */
    assert_int_equal(size_of(module, "my counter", NULL), 0);
    ze.zeModuleDestroy(module);
    module = named_module("my counter");
    assert_int_equal(size_of(module, "my counter", NULL), 4);
    ze.zeModuleDestroy(module);
    module = named_module("zeros");
    assert_int_equal(size_of(module, "zeros", NULL), 4);
    ze.zeModuleDestroy(module);
}

static void DG_PLUGIN_09_so_do_native_modules(void **state)
{
    (void)state;
    static uint8_t native[1 << 20];
    size_t size = 0;
    ze_module_handle_t module = named_module("my counter");
    assert_int_equal(ze.zeModuleGetNativeBinary(module, &size, NULL), 0);
    assert_true(size > 0 && size <= sizeof native);
    assert_int_equal(ze.zeModuleGetNativeBinary(module, &size, native), 0);
    ze.zeModuleDestroy(module);
    module = module_of(ZE_MODULE_FORMAT_NATIVE, native, size, "");
    assert_int_equal(size_of(module, "my counter", NULL), 4);
    ze.zeModuleDestroy(module);
}

/* Turns the definition of a variable into an import, and renames everything else that is exported.
 */
static void variable_import(code *in, const char *name)
{
    size_t at = linkage_find(in, name);
    uint32_t id = in->words[at + 1];
    in->words[at + (in->words[at] >> 16) - 1] = 1; /* Import */
    for (size_t i = 5; i < in->count; i += in->words[i] >> 16) {
        bool linkage = (in->words[i] & 0xffff) == 71 && in->words[i + 2] == 41;
        if (linkage && i != at) in->words[i + 3] ^= 0x20; /* "zeros" becomes "Zeros" */
    }
    for (size_t i = 5; i < in->count; i += in->words[i] >> 16) {
        if (in->words[i] != (5u << 16 | 59) || in->words[i + 2] != id) continue;
        in->words[i] = 4u << 16 | 59; /* without its initial value */
        memmove(in->words + i + 4, in->words + i + 5, (in->count - i - 5) * sizeof(uint32_t));
        in->count--;
        return;
    }
    fail_msg("%s has no initial value", name);
}

static void DG_PLUGIN_10_imported_variables_are_known_after_the_link(void **state)
{
    (void)state;
    static code importer, exporter;
    code_read("globals", &exporter);
    code_read("globals", &importer);
    variable_import(&importer, "counter");
    ze_module_handle_t modules[] = {
        module_of(ZE_MODULE_FORMAT_IL_SPIRV, importer.words, importer.count * 4, LIBRARY),
        module_of(ZE_MODULE_FORMAT_IL_SPIRV, exporter.words, exporter.count * 4, LIBRARY),
    };
    void *imported, *exported;
    assert_int_equal(size_of(modules[0], "counter", &imported), 0);
    ze_module_build_log_handle_t log = NULL;
    assert_int_equal(ze.zeModuleDynamicLink(2, modules, &log), 0);
    ze.zeModuleBuildLogDestroy(log);
    assert_int_equal(size_of(modules[1], "counter", &exported), 4);
    assert_non_null(exported);
    /* Level Zero 1.8, zeModuleGetGlobalPointer: a variable's pointer can be queried from any module
     * that exports or imports the variable.
     */
    bool tells = size_of(modules[0], "counter", &imported) > 0;
    assert_int_equal(tells, driver_version != FORGETS_IMPORTS);
    if (tells) assert_ptr_equal(imported, exported);
    ze.zeModuleDestroy(modules[0]);
    ze.zeModuleDestroy(modules[1]);
}

/* ---- The driver --------------------------------------------------------------------------- */

static bool driver_open(void)
{
    rt_sink *sink = rt_sink_create();
    uint32_t count = 1;
    ze_driver_handle_t driver = NULL;
    const ze_context_desc_t description = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_driver_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES};
    bool opened = rt_ok(l0_library_open(sink, "libze_loader.so.1", &ze)) &&
                  ze.zeInit(0) == ZE_RESULT_SUCCESS &&
                  ze.zeDriverGet(&count, &driver) == ZE_RESULT_SUCCESS && driver &&
                  ze.zeDriverGetProperties(driver, &properties) == ZE_RESULT_SUCCESS &&
                  ze.zeDeviceGet(driver, &count, &device) == ZE_RESULT_SUCCESS && device &&
                  ze.zeContextCreate(driver, &description, &context) == ZE_RESULT_SUCCESS;
    rt_sink_destroy(sink);
    driver_version = properties.driverVersion;
    if (!opened) printf("there is no Level Zero device\n");
    return opened;
}

int main(int argc, char **argv)
{
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    if (!driver_open()) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(DG_PLUGIN_08_the_driver_knows_names_for_the_host),
        cmocka_unit_test(DG_PLUGIN_09_so_do_native_modules),
        cmocka_unit_test(DG_PLUGIN_10_imported_variables_are_known_after_the_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
