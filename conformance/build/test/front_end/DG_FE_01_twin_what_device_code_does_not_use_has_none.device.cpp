// lists SYCL/device globals: _Z1g
// does not list SYCL/device globals: _ZN1n1gE
// does not list SYCL/device globals: UID____ZL6hidden
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
syclex::device_global<int> g;
namespace n
{
syclex::device_global<int> g;
}
static syclex::device_global<int> hidden;
namespace
{
syclex::device_global<int> unnamed;
}
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void k(int *o)
{
    o[0] = g;
}
