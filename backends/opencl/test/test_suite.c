/* Runs the common device suite on one OpenCL device: `backend_opencl_suite_tests SELECTOR`, with
 * LLVM's programs as the tools that some devices need.  Exits with status 77, which CTest counts as
 * skipped, if the device is not installed. */
#include "backends/opencl/opencl.h"
#include "reference/base/alloc.h"
#include "reference/device/test/device_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs a command line and appends its output; returns its exit status, or -1 if it was killed. */
static int command_run(const char *line, rt_buffer *out_text)
{
    /* Every command line consists of fixed program names and options, and a folder of the test's
     * own. */
    FILE *pipe = popen(line, "r"); /* NOLINT(cert-env33-c) */
    if (!pipe) return -1;
    char chunk[4096];
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, pipe)) > 0;)
        rt_buffer_append(out_text, chunk, got);
    int result = pclose(pipe);
    return WIFEXITED(result) ? WEXITSTATUS(result) : -1;
}

static rt_status file_write(rt_sink *sink, const char *path, rt_bytes content)
{
    FILE *file = fopen(path, "wb");
    if (!file) return rt_fail(sink, RT_TOOL, RT_RULE_NONE, "%s cannot be written", path);
    size_t written = fwrite(content.data, 1, content.size, file);
    if (fclose(file) != 0 || written != content.size)
        return rt_fail(sink, RT_TOOL, RT_RULE_NONE, "%s cannot be written", path);
    return RT_STATUS_OK;
}

static rt_status file_read(rt_sink *sink, const char *path, rt_buffer *out_content)
{
    FILE *file = fopen(path, "rb");
    if (!file) return rt_fail(sink, RT_TOOL, RT_RULE_NONE, "%s cannot be read", path);
    char chunk[4096];
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, file)) > 0;)
        rt_buffer_append(out_content, chunk, got);
    fclose(file);
    return RT_STATUS_OK;
}

/* Refuses a linked module that still has imports, which llvm-link does not check.  OpenCL's
 * built-in functions, which the driver supplies, have mangled names (_Z…) and remain undefined. */
static rt_status imports_check(rt_sink *sink, const char *folder)
{
    rt_buffer line = {0}, names = {0};
    rt_buffer_printf(&line, LLVM_NM " --undefined-only --just-symbol-name %s/linked.bc", folder);
    int result = command_run(rt_buffer_string(&line), &names);
    rt_status status = RT_STATUS_OK;
    if (result != 0) status = rt_fail(sink, RT_TOOL, RT_RULE_NONE, "llvm-nm died");
    char *rest = NULL;
    for (char *name = names.data ? strtok_r(names.data, "\n", &rest) : NULL; name && rt_ok(status);
         name = strtok_r(NULL, "\n", &rest)) {
        if (strncmp(name, "_Z", 2) != 0)
            status = rt_fail(sink, RT_LINK_ERROR, RT_RULE_NONE, "unresolved symbol %s", name);
    }
    rt_buffer_free(&line);
    rt_buffer_free(&names);
    return status;
}

/* ---- Specialisation by changing the constants' defaults: SPIR-V 1.6, 2.19 ---------------- */

enum { OP_TYPE_INT = 21, OP_TYPE_FLOAT = 22, OP_DECORATE = 71, DECORATION_SPEC_ID = 1 };
enum { OP_SPEC_CONSTANT_TRUE = 48, OP_SPEC_CONSTANT_FALSE = 49, OP_SPEC_CONSTANT = 50 };

/* Finds the instruction that has one of the two opcodes and whose word number `place` is `wanted`;
 * NULL if there is none.  The modules are the suite's, so they are well-formed. */
static uint32_t *instruction_find(uint32_t *words, size_t count, uint32_t first_opcode,
                                  uint32_t second_opcode, uint32_t place, uint32_t wanted)
{
    for (size_t i = 5; i < count && words[i] >> 16 > 0; i += words[i] >> 16) {
        uint32_t opcode = words[i] & 0xFFFF;
        if ((opcode == first_opcode || opcode == second_opcode) && words[i + place] == wanted)
            return &words[i];
    }
    return NULL;
}

/* Returns the result id that is decorated with the given SpecId, 0 if there is none. */
static uint32_t specialised_id(uint32_t *words, size_t count, uint32_t spec_id)
{
    for (size_t i = 5; i < count && words[i] >> 16 > 0; i += words[i] >> 16) {
        if ((words[i] & 0xFFFF) == OP_DECORATE && words[i + 2] == DECORATION_SPEC_ID &&
            words[i + 3] == spec_id)
            return words[i + 1];
    }
    return 0;
}

static rt_status specialise(rt_sink *sink, uint32_t *words, size_t count,
                            const dev_spec_constant *constant)
{
    uint32_t id = specialised_id(words, count, constant->id);
    if (id == 0) return RT_STATUS_OK; /* the constant is in another module */
    uint32_t *boolean =
        instruction_find(words, count, OP_SPEC_CONSTANT_TRUE, OP_SPEC_CONSTANT_FALSE, 2, id);
    uint32_t *number = instruction_find(words, count, OP_SPEC_CONSTANT, OP_SPEC_CONSTANT, 2, id);
    uint32_t size = 1;
    if (number)
        size = instruction_find(words, count, OP_TYPE_INT, OP_TYPE_FLOAT, 1, number[1])[2] / 8;
    if (constant->value.size != size)
        return rt_fail(sink, RT_ERRC_INVALID, RT_RULE_NONE, "constant %u has %u bytes, not %zu",
                       constant->id, size, constant->value.size);
    if (boolean) {
        uint32_t opcode =
            constant->value.data[0] != 0 ? OP_SPEC_CONSTANT_TRUE : OP_SPEC_CONSTANT_FALSE;
        boolean[0] = (boolean[0] & 0xFFFF0000u) | opcode;
    }
    if (number) memcpy(&number[3], constant->value.data, size);
    return RT_STATUS_OK;
}

/* Writes the specialised code to a file. */
static rt_status code_write(rt_sink *sink, const char *path, const dev_code *code)
{
    size_t count = code->bytes.size / sizeof(uint32_t);
    uint32_t *words = rt_alloc_array(count, sizeof *words);
    memcpy(words, code->bytes.data, count * sizeof *words);
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 0; i < code->constant_count && rt_ok(status); i++)
        status = specialise(sink, words, count, &code->constants[i]);
    if (rt_ok(status))
        status = file_write(sink, path, (rt_bytes){(uint8_t *)words, count * sizeof *words});
    rt_free(words);
    return status;
}

/* ---- Translating and linking -------------------------------------------------------------- */

/* Translates one image's SPIR-V to LLVM bitcode in FOLDER/NUMBER.bc. */
static rt_status translate(rt_sink *sink, const char *folder, uint32_t number, const dev_code *code)
{
    rt_buffer path = {0}, line = {0}, text = {0};
    rt_buffer_printf(&path, "%s/%u.spv", folder, number);
    rt_buffer_printf(&line, LLVM_SPIRV " -r --spirv-target-env=CL1.2 -o %s/%u.bc %s 2>&1", folder,
                     number, rt_buffer_string(&path));
    rt_status status = code_write(sink, rt_buffer_string(&path), code);
    if (rt_ok(status) && command_run(rt_buffer_string(&line), &text) != 0)
        status =
            rt_fail(sink, RT_MALFORMED, RT_RULE_NONE, "llvm-spirv: %s", rt_buffer_string(&text));
    rt_buffer_free(&path);
    rt_buffer_free(&line);
    rt_buffer_free(&text);
    return status;
}

/* Implements link_to_bitcode; keeps its files in the folder. */
static rt_status link_in(rt_sink *sink, const char *folder, const dev_code *codes, uint32_t count,
                         rt_buffer *out_bitcode)
{
    rt_buffer path = {0}, link = {0}, text = {0};
    rt_status status = RT_STATUS_OK;
    rt_buffer_printf(&link, LLVM_LINK " -o %s/linked.bc", folder);
    for (uint32_t i = 0; i < count && rt_ok(status); i++) {
        rt_buffer_printf(&link, " %s/%u.bc", folder, i);
        status = translate(sink, folder, i, &codes[i]);
    }
    rt_buffer_printf(&link, " 2>&1");
    if (rt_ok(status) && command_run(rt_buffer_string(&link), &text) != 0)
        status =
            rt_fail(sink, RT_LINK_ERROR, RT_RULE_NONE, "llvm-link: %s", rt_buffer_string(&text));
    if (rt_ok(status)) status = imports_check(sink, folder);
    rt_buffer_printf(&path, "%s/linked.bc", folder);
    if (rt_ok(status)) status = file_read(sink, rt_buffer_string(&path), out_bitcode);
    rt_buffer_free(&path);
    rt_buffer_free(&link);
    rt_buffer_free(&text);
    return status;
}

static rt_status link_to_bitcode(void *user, rt_sink *sink, const dev_code *codes, uint32_t count,
                                 rt_buffer *out_bitcode)
{
    (void)user;
    char folder[] = "/tmp/assay-suite-XXXXXX";
    if (!mkdtemp(folder)) return rt_fail(sink, RT_TOOL, RT_RULE_NONE, "no temporary folder");
    rt_status status = link_in(sink, folder, codes, count, out_bitcode);
    rt_buffer line = {0}, text = {0};
    rt_buffer_printf(&line, "rm -r %s", folder);
    if (command_run(rt_buffer_string(&line), &text) != 0) fprintf(stderr, "%s stays\n", folder);
    rt_buffer_free(&line);
    rt_buffer_free(&text);
    return status;
}

int main(int argument_count, char **arguments)
{
    if (argument_count != 2) {
        fprintf(stderr, "usage: %s SELECTOR\n", arguments[0]);
        return 2;
    }
    const dev_tools tools = {.link_to_bitcode = link_to_bitcode};
    const device_suite suite = {
        .backend = &ocl_backend,
        .selector = arguments[1],
        .tools = &tools,
        .modules = SUITE_MODULES,
        .crashes_after_failed_events = strstr(arguments[1], "Intel(R) OpenCL") != NULL,
        .takes_spirv_as_binary_unless =
            strstr(arguments[1], "Portable Computing Language") ? " 3.1" : NULL,
    };
    int failed = device_suite_run(&suite);
    return failed < 0 ? 77 : failed;
}
