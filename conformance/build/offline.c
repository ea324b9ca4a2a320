/* Both ends of the offline compiler: the program (`assay offline`), and the worker's call to it. */
#include "conformance/build/offline.h"

#include "backends/sim/simdev.h"
#include "conformance/process/process.h"
#include "reference/base/descriptors.h"
#include "reference/base/lines.h"

#include <stdio.h>
#include <string.h>

enum { OFFLINE_TIMEOUT_MS = 60000 };

/* Exit statuses of the program. */
enum { OFFLINE_COMPILED = 0, OFFLINE_REFUSED = 1, OFFLINE_FAILED = 3 };

/* ---- The program --------------------------------------------------------------------------- */

int cnf_offline_main(int input, int output)
{
    rt_buffer spirv = {0}, image = {0};
    rt_sink *sink = rt_sink_create();
    int exit_status = OFFLINE_FAILED;
    if (rt_read_all(input, &spirv)) {
        rt_status status = simdev_offline_compile(sink, rt_buffer_bytes(&spirv), &image);
        exit_status = rt_ok(status) ? OFFLINE_COMPILED : OFFLINE_REFUSED;
        if (!rt_ok(status)) {
            const rt_diagnostic *diagnostic = rt_sink_diagnostic(sink, status);
            fprintf(stderr, "%.*s\n", RT_TEXT_ARG(diagnostic->message));
        } else if (!rt_write_all(output, rt_buffer_bytes(&image))) {
            exit_status = OFFLINE_FAILED;
        }
    }
    rt_sink_destroy(sink);
    rt_buffer_free(&image);
    rt_buffer_free(&spirv);
    return exit_status;
}

/* ---- The call ------------------------------------------------------------------------------ */

rt_status cnf_offline_compile(cnf_worker *worker, rt_text name, rt_format format, rt_image *image)
{
    CHECK(format != RT_FORMAT_SPIRV64);
    CHECK(image->format == RT_FORMAT_SPIRV64);
    static const char *const arguments[] = {"assay", "offline", NULL};
    static const char *const environment[] = {"PATH=/usr/bin:/bin", "LC_ALL=C", NULL};
    cnf_process process;
    int error = cnf_process_start(&process, CNF_THIS_PROGRAM, arguments, environment, image->code);
    if (error) {
        return rt_fail(worker->sink, RT_UNAVAILABLE, RT_RULE_NONE,
                       "the offline compiler cannot be started: %s", strerrordesc_np(error));
    }
    rt_buffer output = {0}, errors = {0};
    cnf_process_result result = cnf_process_finish(&process, OFFLINE_TIMEOUT_MS, &output, &errors);
    bool exited = result.end == CNF_PROCESS_EXITED;
    rt_status status = RT_STATUS_OK;
    if (exited && result.code == OFFLINE_COMPILED && output.size > 0) {
        image->spirv = image->code;
        image->code = rt_arena_bytes(&worker->arena, rt_buffer_bytes(&output));
        image->format = format;
        /* The specialisation constants of an image compiled ahead of time are fixed. */
        rt_property_set *sets =
            rt_arena_alloc_array(&worker->arena, image->set_count, sizeof *sets);
        uint32_t count = 0;
        for (uint32_t i = 0; i < image->set_count; i++)
            if (!rt_text_is(image->sets[i].name, RT_SET_SPEC_CONSTANTS) &&
                !rt_text_is(image->sets[i].name, RT_SET_SPEC_CONSTANT_DEFAULTS))
                sets[count++] = image->sets[i];
        image->sets = sets;
        image->set_count = count;
    } else if (exited && result.code == OFFLINE_REFUSED && errors.size > 0) {
        /* A refusal by the device is reported as a compiler message, like a front end's. */
        rt_text reason = rt_lines_trim(rt_buffer_text(&errors));
        rt_text text =
            rt_arena_printf(&worker->arena, "image %.*s, compiled for the simulated device: %.*s",
                            RT_TEXT_ARG(name), RT_TEXT_ARG(reason));
        *rt_vector_push(&worker->messages) =
            (cnf_compile_message){.severity = CNF_SEVERITY_ERROR, .text = text};
        status = rt_fail(worker->sink, RT_COMPILE_TIME, RT_RULE_NONE, "%.*s", RT_TEXT_ARG(text));
    } else {
        rt_buffer ending = {0};
        cnf_process_describe(&ending, result, OFFLINE_TIMEOUT_MS);
        status = rt_fail(worker->sink, RT_TOOL, RT_RULE_NONE,
                         "the offline compiler on image %.*s %s\n%.*s", RT_TEXT_ARG(name),
                         rt_buffer_string(&ending), RT_TEXT_ARG(rt_buffer_text(&errors)));
        rt_buffer_free(&ending);
    }
    rt_buffer_free(&output);
    rt_buffer_free(&errors);
    return status;
}
