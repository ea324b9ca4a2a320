// No function is called, and no object of `unused` is created; a function is emitted because its
// property list contains the name, which we read as the name of the IR attribute:
// indirectly-callable.  It does not matter where in the list the name is, which value it has, or
// whether the function is virtual.
// lists SYCL/kernel names: _ZN4base6markedEi
// lists SYCL/kernel names: _ZN4base6secondEi
// lists SYCL/kernel names: _ZN6unused6markedEi
// lists SYCL/kernel names: _Z4freei
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
struct base {
    [[__sycl_detail__::add_ir_attributes_function("indirectly-callable", "set")]] virtual int
    marked(int x)
    {
        return x + 1;
    }
    [[__sycl_detail__::add_ir_attributes_function("my-fancy-attr", "indirectly-callable", "set",
                                                  "other")]] virtual int
    second(int x)
    {
        return x + 2;
    }
};
struct unused {
    [[__sycl_detail__::add_ir_attributes_function("indirectly-callable", "set")]] virtual int
    marked(int x);
};
int unused::marked(int x)
{
    return x + 3;
}
[[__sycl_detail__::add_ir_attributes_function("indirectly-callable", "set")]] int free(int x)
{
    return x + 4;
}
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void k(char *o)
{
    new (o) base;
}
