/* Sources are written to files, so that clang's messages and line information contain a file name.
 */
#include "reference/compiler/test/plugin.h"

#include "reference/base/alloc.h"
#include "reference/base/test/library.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <spirv-tools/libspirv.h>

const rt_compiler_api *test_plugin_open(void)
{
    void *symbol = test_library_function("libassay_compiler.so", RT_COMPILER_API_SYMBOL);
    rt_compiler_api_get_function *get = NULL;
    memcpy(&get, &symbol, sizeof get);
    assert_null(get(RT_COMPILER_API_VERSION + 1));
    const rt_compiler_api *api = get(RT_COMPILER_API_VERSION);
    assert_non_null(api);
    return api;
}

rt_buffer test_clang(const char *options, const char *prelude, const char *code)
{
    char file[] = "/tmp/plugin-XXXXXX", command[512], block[4096];
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    FILE *stream = fdopen(descriptor, "w");
    fprintf(stream, "%s%s", prelude, code);
    fclose(stream);
    int length =
        snprintf(command, sizeof command,
                 "clang-" ASSAY_LLVM_VERSION " -c -emit-llvm -O1 -Xclang -disable-llvm-passes "
                 "-ffp-contract=off -Wno-override-module %s -o - - < %s",
                 options, file);
    assert_in_range(length, 1, sizeof command - 1);
    FILE *output = popen(command, "r");
    assert_non_null(output);
    rt_buffer bitcode = {0};
    for (size_t size; (size = fread(block, 1, sizeof block, output)) > 0;)
        rt_buffer_append(&bitcode, block, size);
    assert_int_equal(pclose(output), 0);
    unlink(file);
    return bitcode;
}

void test_spirv_validate(bool opencl, rt_bytes code)
{
    spv_context context = spvContextCreate(opencl ? SPV_ENV_OPENCL_2_2 : SPV_ENV_UNIVERSAL_1_2);
    uint32_t *words = rt_alloc(code.size);
    memcpy(words, code.data, code.size);
    spv_diagnostic diagnostic = NULL;
    spv_result_t result = spvValidateBinary(context, words, code.size / 4, &diagnostic);
    if (result != SPV_SUCCESS) fail_msg("invalid SPIR-V: %s", diagnostic->error);
    spvDiagnosticDestroy(diagnostic);
    spvContextDestroy(context);
    rt_free(words);
}
