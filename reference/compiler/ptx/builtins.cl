/* Builtin functions of OpenCL C on NVPTX that libclc lacks, or has otherwise than OpenCL wants, in one
 * module: those that are called are taken out of it. */
#include "work_items.cl"

#include "atomics.cl"
#include "copies.cl"
#include "floats.cl"
#include "groups.cl"
#include "integers.cl"

#include "half.cl" /* by the floats' roundings */
