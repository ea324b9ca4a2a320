// By the rule, the class has no value member besides the pointer; in these headers the initial
// value follows the pointer, on the device as well.
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
static_assert(sizeof(syclex::device_global<char[4096]>) == sizeof(void *) + 4096);
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void k(int *o)
{
    o[0] = 1;
}
