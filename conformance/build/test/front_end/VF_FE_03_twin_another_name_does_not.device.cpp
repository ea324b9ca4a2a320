// does not list SYCL/kernel names: _ZN4base6markedEi
// does not list SYCL/virtual functions: virtual-functions-set
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
struct base {
    [[__sycl_detail__::add_ir_attributes_function("my-fancy-attr", "set")]] virtual int
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
