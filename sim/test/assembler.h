/* SPIR-V assembly in tests: text to bytes and to modules, through SPIRV-Tools. */
#ifndef SIM_TEST_ASSEMBLER_H
#define SIM_TEST_ASSEMBLER_H

#include "reference/base/alloc.h"
#include "sim/sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <spirv-tools/libspirv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The beginning of every kernel module. */
#define SIM_TEST_PRELUDE                                                                           \
    "OpCapability Addresses\n"                                                                     \
    "OpCapability Linkage\n"                                                                       \
    "OpCapability Kernel\n"                                                                        \
    "OpCapability Int64\n"                                                                         \
    "OpCapability Int16\n"                                                                         \
    "OpCapability Int8\n"                                                                          \
    "OpCapability Float64\n"                                                                       \
    "OpCapability Vector16\n"                                                                      \
    "OpCapability GenericPointer\n"                                                                \
    "%std = OpExtInstImport \"OpenCL.std\"\n"                                                      \
    "OpMemoryModel Physical64 OpenCL\n"

/* Writes an assembled module to the folder that ASSAY_KEEP_MODULES names, under a name derived from
 * its contents: these modules are seeds for the fuzzers (ci/fuzz). */
static inline void sim_test_keep(rt_bytes code)
{
    const char *folder = getenv("ASSAY_KEEP_MODULES");
    if (!folder) return;
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < code.size; i++)
        hash = (hash ^ code.data[i]) * UINT64_C(0x100000001b3);
    char path[1024];
    snprintf(path, sizeof path, "%s/%016llx.spv", folder, (unsigned long long)hash);
    FILE *file = fopen(path, "wb");
    if (!file) fail_msg("cannot write %s", path);
    fwrite(code.data, 1, code.size, file);
    fclose(file);
}

/* Assembles text; the caller frees the bytes with rt_free.  A mistake in the text fails the test
 * with the assembler's message. */
static inline rt_bytes sim_test_assemble(const char *text)
{
    spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
    spv_binary binary = NULL;
    spv_diagnostic diagnostic = NULL;
    spv_result_t result = spvTextToBinary(context, text, strlen(text), &binary, &diagnostic);
    if (result != SPV_SUCCESS) {
        fail_msg("line %zu: %s", diagnostic->position.line + 1, diagnostic->error);
    }
    size_t size = binary->wordCount * sizeof(uint32_t);
    uint8_t *copy = rt_alloc(size);
    memcpy(copy, binary->code, size);
    spvDiagnosticDestroy(diagnostic);
    spvBinaryDestroy(binary);
    spvContextDestroy(context);
    sim_test_keep((rt_bytes){copy, size});
    return (rt_bytes){copy, size};
}

/* Assembles and reads a module that must be accepted; destroy it with sim_module_destroy. */
static inline sim_module *sim_test_module(rt_sink *sink, const char *text)
{
    rt_bytes code = sim_test_assemble(text);
    sim_module *module = NULL;
    rt_status status = sim_module_create(sink, code, NULL, 0, &module);
    rt_free((void *)code.data);
    if (!rt_ok(status)) {
        const rt_diagnostic *diagnostic = rt_sink_diagnostic(sink, status);
        fail_msg("%.*s", RT_TEXT_ARG(diagnostic->message));
    }
    return module;
}

/* Assembles and reads a module that must be refused with the given code and a message that contains
 * `words`. */
static inline void sim_test_refused(const char *text, rt_code code, const char *words)
{
    rt_sink *sink = rt_sink_create();
    rt_bytes bytes = sim_test_assemble(text);
    sim_module *module = NULL;
    rt_status status = sim_module_create(sink, bytes, NULL, 0, &module);
    rt_free((void *)bytes.data);
    if (rt_ok(status)) fail_msg("accepted, expected to be refused: %s", words);
    const rt_diagnostic *diagnostic = rt_sink_diagnostic(sink, status);
    assert_null(module);
    if (status.code != code || !strstr(diagnostic->message.data, words)) {
        fail_msg("expected %s with '%s', got %s: %.*s", rt_code_name(code), words,
                 rt_code_name(status.code), RT_TEXT_ARG(diagnostic->message));
    }
    rt_sink_destroy(sink);
}

#endif
