// Twin: other names, names that contain the one, and the name as a value emit nothing.
// does not list SYCL/kernel names: _ZN4base6markedEi
// does not list SYCL/kernel names: _ZN4base6longerEi
// does not list SYCL/kernel names: _ZN4base5valueEi
// does not list SYCL/kernel names: _Z4freei
// does not list SYCL/virtual functions: virtual-functions-set
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
struct base {
    [[__sycl_detail__::add_ir_attributes_function("my-fancy-attr", "set")]] virtual int
    marked(int x)
    {
        return x + 1;
    }
    [[__sycl_detail__::add_ir_attributes_function("not-indirectly-callable", "set")]] virtual int
    longer(int x)
    {
        return x + 2;
    }
    [[__sycl_detail__::add_ir_attributes_function("my-fancy-attr",
                                                  "indirectly-callable")]] virtual int
    value(int x)
    {
        return x + 3;
    }
};
[[__sycl_detail__::add_ir_attributes_function("my-fancy-attr", "set")]] int free(int x)
{
    return x + 4;
}
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void k(char *o)
{
    new (o) base;
}
