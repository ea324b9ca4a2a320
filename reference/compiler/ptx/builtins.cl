/* The builtin functions of OpenCL C on NVPTX that libclc lacks or gets wrong, in one module; only
 * those that are called are linked. */
#include "work_items.cl"

#include "assert.cl"
#include "atomics.cl"
#include "copies.cl"
#include "floats.cl"
#include "groups.cl"
#include "integers.cl"

#include "sub_groups.cl" /* uses lanes and combinations of groups.cl */

#include "half.cl" /* uses the rounding functions of floats.cl */
