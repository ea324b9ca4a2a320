// The restrictions apply to a class that has the attribute, whatever its name.
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
struct [[__sycl_detail__::device_global]] mine {
    int value;
};
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void k(int *o)
{
    mine local{3}; // refused: 'device_global' variable must be a static data member
    o[0] = local.value;
}
