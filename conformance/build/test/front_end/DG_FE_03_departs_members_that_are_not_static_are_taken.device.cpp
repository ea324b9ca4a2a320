// By the extension, a device_global must not be a non-static member or a parameter; the compiler
// accepts both.
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
struct holder {
    syclex::device_global<int> member;
};
int takes(syclex::device_global<int> parameter)
{
    return 1;
}
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void k(int *o)
{
    o[0] = sizeof(holder);
}
