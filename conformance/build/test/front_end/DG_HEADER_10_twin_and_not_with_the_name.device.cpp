// The restrictions do not apply to a class named device_global without the attribute.
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
template <class T> struct device_global {
    T value;
};
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void k(int *o)
{
    device_global<int> local{3};
    o[0] = local.value;
}
