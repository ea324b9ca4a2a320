/* The environment variables that configure libassay_opencl.so; `assay exec` and the subject
 * dpcpp{device=sim} set them. */
#ifndef OPENCL_VARIABLES_H
#define OPENCL_VARIABLES_H

#define ICD_VARIABLE_REPORT       "ASSAY_OPENCL_REPORT" /* file that gets a line per finding */
#define ICD_VARIABLE_SEED         "ASSAY_OPENCL_SEED" /* of everything that the device may choose */
#define ICD_VARIABLE_THREADS      "ASSAY_OPENCL_THREADS" /* that the device may use for one kernel */
#define ICD_VARIABLE_MEMORY       "ASSAY_OPENCL_MEMORY"  /* MiB of the device's memory */
#define ICD_VARIABLE_TIER         "ASSAY_OPENCL_TIER"    /* how kernels run, as of sim{tier=} */
#define ICD_VARIABLE_TYPE         "ASSAY_OPENCL_TYPE"    /* cpu, gpu or accelerator */
#define ICD_VARIABLE_QUIET        "ASSAY_OPENCL_QUIET"   /* 1: refused calls are not explained */
#define ICD_VARIABLE_SUPPRESSIONS "ASSAY_OPENCL_SUPPRESSIONS" /* file with the suppressions */
#define ICD_VARIABLE_PROGRAM      "ASSAY_PROGRAM" /* the program that has the compile worker */

#endif
