/* The suite of all devices on one OpenCL device: `backend_opencl_suite_tests SELECTOR`, with LLVM's
 * programs for the tools that some devices need.  Exits with 77, CTest's skip, where the device is
 * not installed. */
#include "backends/opencl/opencl.h"
#include "reference/device/test/device_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs a command line and appends what it prints; returns its exit status, -1 when it died. */
static int command_run(const char *line, rt_buffer *out_text)
{
    /* Every line is made of fixed program names and of a folder of our own. */
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

/* Refuses a linked module that still imports something: llvm-link leaves that to others.  OpenCL's
 * built-in functions, which the driver brings, are mangled names (_Z…) and stay undefined. */
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

/* Does the work of link_to_bitcode with files in the folder. */
static rt_status link_in(rt_sink *sink, const char *folder, const rt_bytes *spirv, uint32_t count,
                         rt_buffer *out_bitcode)
{
    rt_buffer path = {0}, line = {0}, link = {0}, text = {0};
    rt_status status = RT_STATUS_OK;
    rt_buffer_printf(&link, LLVM_LINK " -o %s/linked.bc", folder);
    for (uint32_t i = 0; i < count && rt_ok(status); i++) {
        path.size = line.size = 0;
        rt_buffer_printf(&path, "%s/%u.spv", folder, i);
        rt_buffer_printf(&line, LLVM_SPIRV " -r --spirv-target-env=CL1.2 -o %s/%u.bc %s 2>&1",
                         folder, i, rt_buffer_string(&path));
        rt_buffer_printf(&link, " %s/%u.bc", folder, i);
        status = file_write(sink, rt_buffer_string(&path), spirv[i]);
        if (rt_ok(status) && command_run(rt_buffer_string(&line), &text) != 0)
            status = rt_fail(sink, RT_MALFORMED, RT_RULE_NONE, "llvm-spirv: %s",
                             rt_buffer_string(&text));
    }
    rt_buffer_printf(&link, " 2>&1");
    if (rt_ok(status) && command_run(rt_buffer_string(&link), &text) != 0)
        status =
            rt_fail(sink, RT_LINK_ERROR, RT_RULE_NONE, "llvm-link: %s", rt_buffer_string(&text));
    if (rt_ok(status)) status = imports_check(sink, folder);
    path.size = 0;
    rt_buffer_printf(&path, "%s/linked.bc", folder);
    if (rt_ok(status)) status = file_read(sink, rt_buffer_string(&path), out_bitcode);
    rt_buffer_free(&path);
    rt_buffer_free(&line);
    rt_buffer_free(&link);
    rt_buffer_free(&text);
    return status;
}

static rt_status link_to_bitcode(void *user, rt_sink *sink, const rt_bytes *spirv, uint32_t count,
                                 rt_buffer *out_bitcode)
{
    (void)user;
    char folder[] = "/tmp/assay-suite-XXXXXX";
    if (!mkdtemp(folder)) return rt_fail(sink, RT_TOOL, RT_RULE_NONE, "no temporary folder");
    rt_status status = link_in(sink, folder, spirv, count, out_bitcode);
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
    };
    int failed = device_suite_run(&suite);
    return failed < 0 ? 77 : failed;
}
