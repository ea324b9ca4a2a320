/* libsycl on the simulated device: dpcpp{device=sim}.
 *
 * libassay_opencl.so (opencl/) is then the only OpenCL driver in the host program, so every call of
 * libsycl still reaches libsycl's own code and a driver below it. The driver writes each finding as
 * a line of JSON into a file of this process, from which it becomes a finding of the execution. */
#include "conformance/build/toolchain.h"
#include "conformance/subject/shipped.h"
#include "opencl/variables.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SELECTOR "ONEAPI_DEVICE_SELECTOR"

bool cnf_shipped_is_simulated(void)
{
    const char *selected = getenv(SELECTOR);
    return selected && strcmp(selected, "sim") == 0;
}

rt_status cnf_shipped_simulate(cnf_execution *execution, const char **out_variables)
{
    cnf_shipped *shipped = cnf_shipped_of(execution);
    rt_arena *arena = &execution->arena;
    char library[PATH_MAX], program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (!cnf_toolchain_find_library(library, "libassay_opencl.so") || length <= 0)
        return rt_fail(execution->sink, RT_UNAVAILABLE, RT_RULE_NONE,
                       "libassay_opencl.so is missing; build the target assay_opencl");
    shipped->findings = memfd_create("assay-findings", MFD_CLOEXEC);
    if (shipped->findings < 0)
        return rt_fail(execution->sink, RT_IO, RT_RULE_NONE,
                       "no file for the findings can be created: %s", strerror(errno));
    const struct {
        const char *name;
        rt_text value;
    } rows[CNF_SIMULATED_VARIABLES] = {
        {SELECTOR, RT_TEXT("opencl:cpu")},
        {"OCL_ICD_VENDORS", rt_text_of(library)},
        {"OCL_ICD_FILENAMES", rt_text_of(library)},
        {ICD_VARIABLE_PROGRAM, {program, (size_t)length}},
        {ICD_VARIABLE_TYPE, RT_TEXT("cpu")},
        {ICD_VARIABLE_QUIET, RT_TEXT("1")},
        {ICD_VARIABLE_SEED,
         rt_arena_printf(arena, "%llu", (unsigned long long)execution->options->seed)},
        {ICD_VARIABLE_REPORT,
         rt_arena_printf(arena, "/proc/%d/fd/%d", (int)getpid(), shipped->findings)},
    };
    for (size_t i = 0; i < CNF_SIMULATED_VARIABLES; i++)
        out_variables[i] =
            rt_arena_printf(arena, "%s=%.*s", rows[i].name, RT_TEXT_ARG(rows[i].value)).data;
    shipped->base.capabilities.finds_faults = true;
    return RT_STATUS_OK;
}

/* ---- Findings ------------------------------------------------------------------------------ */

/* A text of the finding, in the arena; empty if it has none with that key. */
static rt_text member_text(rt_arena *arena, const json_t *value, const char *key)
{
    const json_t *text = json_object_get(value, key);
    return rt_arena_text(arena, (rt_text){json_is_string(text) ? json_string_value(text) : "",
                                          json_string_length(text)});
}

static uint64_t member_number(const json_t *value, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(value, key));
}

/* The driver does not know the scenario's commands, so a finding belongs to none of its steps. */
static void finding_add(cnf_execution *execution, rt_text line)
{
    json_t *value = json_loadb(line.data, line.length, 0, NULL);
    if (!json_is_string(json_object_get(value, "finding"))) {
        json_decref(value); /* a line that a dying process left unfinished */
        return;
    }
    rt_arena *arena = &execution->finding_texts;
    *rt_vector_push(&execution->findings) = (cnf_finding){
        .kind = member_text(arena, value, "finding").data,
        .message = member_text(arena, value, "message"),
        .kernel = member_text(arena, value, "kernel"),
        .source = member_text(arena, value, "source"),
        .object = member_text(arena, value, "object"),
        .source_line = (uint32_t)member_number(value, "line"),
        .source_column = (uint32_t)member_number(value, "column"),
        .command = CNF_NO_COMMAND,
        .offset = member_number(value, "offset"),
    };
    json_decref(value);
}

void cnf_shipped_findings(cnf_execution *execution)
{
    cnf_shipped *shipped = cnf_shipped_of(execution);
    if (shipped->findings < 0) return;
    rt_buffer text = {0};
    char part[1 << 12];
    off_t at = (off_t)shipped->findings_read;
    for (ssize_t size; (size = pread(shipped->findings, part, sizeof part, at)) > 0; at += size)
        rt_buffer_append(&text, part, (size_t)size);
    rt_text rest = rt_buffer_text(&text);
    pthread_mutex_lock(&execution->findings_lock);
    for (const char *end; rest.length > 0 && (end = memchr(rest.data, '\n', rest.length));) {
        rt_text line = {rest.data, (size_t)(end - rest.data)};
        finding_add(execution, line);
        rest = rt_text_skip(rest, line.length + 1);
        shipped->findings_read += line.length + 1;
    }
    pthread_mutex_unlock(&execution->findings_lock);
    rt_buffer_free(&text);
}
