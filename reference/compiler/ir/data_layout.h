/* Data layouts as LLVM writes them. */
#ifndef REFERENCE_COMPILER_IR_DATA_LAYOUT_H
#define REFERENCE_COMPILER_IR_DATA_LAYOUT_H

#ifdef __cplusplus
extern "C" {
#endif

#include "reference/base/text.h"

/* Reports whether LLVM can read a data layout; if not, *out_reason receives the reason. A module
 * with a layout that LLVM cannot read must not be parsed: LLVM would end the process. */
bool pl_data_layout_check(rt_text layout, rt_buffer *out_reason);

#ifdef __cplusplus
}
#endif

#endif
