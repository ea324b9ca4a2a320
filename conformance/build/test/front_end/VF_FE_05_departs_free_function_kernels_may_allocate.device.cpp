// A free-function kernel may allocate; the image then imports the device's operator new.
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
