/* Builtin functions of OpenCL C on NVPTX that libclc lacks, or has otherwise than OpenCL wants, in one
 * module: those that are called are taken out of it. */
#include "ptx_work_items.cl"

#include "ptx_atomics.cl"
#include "ptx_copies.cl"
#include "ptx_floats.cl"
#include "ptx_groups.cl"
#include "ptx_integers.cl"

#include "ptx_half.cl" /* by the floats' roundings */
