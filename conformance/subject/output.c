/* Captures the output of kernels; see output.h. */
#include "conformance/subject/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <sys/mman.h>
#include <unistd.h>

static bool expects_output(const scn_expect *expects, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (expects[i].kind == SCN_EXPECT_OUTPUT) return true;
        for (uint32_t k = 0; k < scn_expect_outcome_count(&expects[i]); k++) {
            const scn_outcome *outcome = &expects[i].one_of.outcomes[k];
            if (expects_output(outcome->expects, outcome->expect_count)) return true;
        }
    }
    return false;
}

bool cnf_output_open(cnf_output *output, const scn_scenario *scenario)
{
    *output = (cnf_output){.file = -1, .standard = -1};
    bool is_expected = false;
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        const scn_step *step = &scenario->steps[i];
        is_expected = is_expected || expects_output(step->expect, step->expect_count);
    }
    if (!is_expected) return true;
    /* A forked child inherits its parent's unflushed output, which no kernel printed. */
    __fpurge(stdout);
    output->standard = dup(STDOUT_FILENO);
    output->file = memfd_create("assay-output", MFD_CLOEXEC);
    return output->standard >= 0 && output->file >= 0 && dup2(output->file, STDOUT_FILENO) >= 0;
}

bool cnf_output_read(const cnf_output *output, rt_buffer *out_text)
{
    CHECK(output->file >= 0);
    char chunk[4096];
    fflush(stdout); /* drivers print through the C library */
    for (;;) {
        off_t at = (off_t)(output->seen + out_text->size);
        ssize_t size = pread(output->file, chunk, sizeof chunk, at);
        if (size == 0) return true;
        if (size > 0)
            rt_buffer_append(out_text, chunk, (size_t)size);
        else if (errno != EINTR)
            return false;
    }
}

void cnf_output_close(cnf_output *output)
{
    rt_buffer text = {0};
    if (output->file >= 0) {
        output->seen = 0;
        bool is_read = cnf_output_read(output, &text);
        if (dup2(output->standard, STDOUT_FILENO) >= 0 && is_read) {
            fwrite(rt_buffer_string(&text), 1, text.size, stdout);
            fflush(stdout);
        }
        close(output->file);
    }
    if (output->standard >= 0) close(output->standard);
    rt_buffer_free(&text);
    *output = (cnf_output){.file = -1, .standard = -1};
}
