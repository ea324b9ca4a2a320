/* Calls LLVM's own parser of data layouts; LLVM's C interface offers only the variant that ends the
 * process on an error. */
#include "reference/compiler/ir/data_layout.h"

#include <llvm/IR/DataLayout.h>
#include <llvm/Support/Error.h>

bool pl_data_layout_check(rt_text layout, rt_buffer *out_reason)
{
    auto parsed = llvm::DataLayout::parse(llvm::StringRef(layout.data, layout.length));
    if (parsed) return true;
    const std::string reason = llvm::toString(parsed.takeError());
    rt_buffer_append(out_reason, reason.data(), reason.size());
    return false;
}
