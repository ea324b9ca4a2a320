// On the device, a variable without device_image_scope grows with the underlying type,
// although its value is never read there: it is 4 KiB larger if the type is.
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
static_assert(sizeof(syclex::device_global<char[8192]>) -
                  sizeof(syclex::device_global<char[4096]>) ==
              4096);
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void k(int *o)
{
    o[0] = 1;
}
