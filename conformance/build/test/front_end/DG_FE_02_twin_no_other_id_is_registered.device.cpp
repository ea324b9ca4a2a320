// Twin: no variable is registered with another's id, or with an id without the unit's prefix.
// does not register: ::n::g _Z1g
// does not register: ::g _ZN1n1gE
// does not register: ::hidden ____ZL6hidden
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
syclex::device_global<int> g;
namespace n
{
syclex::device_global<int> g;
}
static syclex::device_global<int> hidden;
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void k(int *o)
{
    o[0] = g + n::g + hidden;
}
