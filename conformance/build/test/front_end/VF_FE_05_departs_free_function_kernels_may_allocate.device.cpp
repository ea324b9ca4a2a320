// The same in a free-function kernel is taken; the image then wants operator new of a device.
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
struct base {
    int value;
};
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void k(base **o)
{
    o[0] = new base;
}
