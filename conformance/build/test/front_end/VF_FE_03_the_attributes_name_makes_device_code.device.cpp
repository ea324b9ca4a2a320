// The function is never called; it is emitted because its property list contains the name, which we
// read as the name of the IR attribute: indirectly-callable.
// lists SYCL/kernel names: _ZN4base6markedEi
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
struct base {
    [[__sycl_detail__::add_ir_attributes_function("indirectly-callable", "set")]] virtual int
    marked(int x)
    {
        return x + 1;
    }
};
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void k(char *o)
{
    new (o) base;
}
