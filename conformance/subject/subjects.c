/* The table of subjects.  A vendor is named here and nowhere else: the runtime and the adapters ask
 * devices what they can do. */
#include "conformance/subject/subject.h"

#include "backends/opencl/opencl.h"
#include "backends/sim/simdev.h"

const cnf_subject cnf_subjects[] = {
    {
        .name = "sim",
        .summary = "the reference runtime on assay's SPIR-V interpreter, which checks every access",
        .forked = true,
        .backend = &simdev_backend,
        .selector = "",
    },
    {
        .name = "pocl",
        .summary = "the reference runtime on PoCL (OpenCL on the CPU)",
        .install = "apt-get install pocl-opencl-icd ocl-icd-libopencl1",
        .backend = &ocl_backend,
        .selector = "platform=Portable Computing Language",
    },
};

const uint32_t cnf_subject_count = sizeof cnf_subjects / sizeof *cnf_subjects;

const cnf_subject *cnf_subject_find(rt_text name)
{
    for (uint32_t i = 0; i < cnf_subject_count; i++) {
        if (rt_text_is(name, cnf_subjects[i].name)) return &cnf_subjects[i];
    }
    return NULL;
}
