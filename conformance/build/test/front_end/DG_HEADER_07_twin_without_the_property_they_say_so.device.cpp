// variable: _Z6scoped 12 device
// does not list SYCL/device globals: plain
// does not list SYCL/device globals: _Z5plain
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
syclex::device_global<int[3]> scoped;
constexpr int plain[3] = {1, 2, 3};
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void k(int *o)
{
    o[0] = scoped[1] + plain[o[1]];
}
