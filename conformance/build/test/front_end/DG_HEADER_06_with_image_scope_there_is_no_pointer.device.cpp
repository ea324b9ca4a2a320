// The two layouts are alternatives: this one has no pointer.
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;
using scoped = decltype(syclex::properties{syclex::device_image_scope});
static_assert(sizeof(syclex::device_global<int, scoped>) == sizeof(int));
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclex::single_task_kernel))
void k(int *o)
{
    o[0] = 1;
}
